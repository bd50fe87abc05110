//! Provides a vertex shader for transformed vertices, for which Direct3D 9 runs none: it copies elements to outputs.

use std::borrow::Cow;

use brolga_ir::builder::Builder;
use brolga_ir::function::{Function, Input, MemoryRef, Object};
use brolga_ir::interface::Interface;
use brolga_runtime::{
    CompileOptions, Error, Interpolation, Parameter, Program, Semantic, Signature, Stage, SystemValue,
};

use crate::error::DrawError;
use crate::layout::InputElement;
use crate::vertices::primitives::ROW_WORDS;

/// Registers that a Direct3D 9 vertex shader can write.
const MOST_ELEMENTS: usize = 12;

/// The semantics of a layout's elements, in order.
#[derive(Debug)]
pub(crate) struct PassThrough(Vec<Semantic>);

impl PassThrough {
    /// A shader for a layout.
    ///
    /// # Errors
    /// If it has too many elements.
    pub fn new(layout: &[InputElement]) -> Result<Self, DrawError> {
        let count = layout.len();
        if count > MOST_ELEMENTS {
            let what =
                format!("an input layout of transformed vertices with {count} elements, more than {MOST_ELEMENTS},");
            return Err(DrawError::Unsupported { what });
        }
        Ok(Self(layout.iter().map(|element| Semantic::new(&*element.semantic, element.index)).collect()))
    }

    fn stage(&self) -> (Stage, Vec<brolga_runtime::Array>) {
        let parameter = |(row, semantic): (u32, &Semantic)| Parameter {
            semantic: Some(semantic.clone()),
            row,
            mask: 0xf,
            system_value: None,
            interpolation: Interpolation::Constant,
            stream: 0,
        };
        let inputs: Vec<_> = (0..).zip(&self.0).map(parameter).collect();
        let outputs = inputs.iter().cloned().map(output).collect();
        let mut signature = Signature { inputs, outputs, ..Signature::default() };
        let arrays = signature.declare_arrays();
        (Stage::Vertex(signature), arrays)
    }
}

/// The output for an input.
fn output(mut parameter: Parameter) -> Parameter {
    let Some(semantic) = &mut parameter.semantic else { return parameter };
    if semantic.is_named("POSITIONT") {
        semantic.name = "POSITION".to_owned();
    }
    let of = [("POSITION", SystemValue::Position), ("PSIZE", SystemValue::PointSize), ("FOG", SystemValue::Fog)];
    let value = of.into_iter().find(|(name, _)| semantic.index == 0 && semantic.is_named(name));
    parameter.system_value = value.map(|(_, value)| value);
    parameter
}

impl Program for PassThrough {
    fn interface(&self) -> Result<Interface, Error> {
        let (stage, arrays) = self.stage();
        Ok(Interface { stage, arrays, ..Interface::default() })
    }

    fn translate(&self, _: &CompileOptions) -> Result<Function, Error> {
        let interface = self.interface()?;
        let arrays =
            interface.stage.signature().and_then(|signature| signature.input_array.zip(signature.output_array));
        let mut function = Function::new("main", interface);
        let mut b = Builder::new(&mut function);
        if let Some((inputs, outputs)) = arrays {
            let vertex = b.input(Input::ThreadId(0));
            let always = b.bool(true);
            for row in 0..self.0.len() {
                let offset = b.i32((row * ROW_WORDS * size_of::<u32>()) as u32);
                let address = |array| MemoryRef { object: Object::Array(array), index: Some(vertex), offset };
                let words = b.load(address(inputs), ROW_WORDS);
                b.store(address(outputs), &words, always);
            }
        }
        b.return_();
        Ok(function)
    }

    fn major(&self) -> u32 {
        3
    }

    fn name(&self) -> String {
        "transformed_vertices".to_owned()
    }

    fn identity(&self) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Owned(format!("transformed vertices: {:?}", self.0).into_bytes()))
    }
}
