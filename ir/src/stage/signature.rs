//! Describes inputs and outputs of shaders: registers that have a semantic or a system value.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::value::{Interpolation, SystemValue};
use crate::entity::ArrayId;

/// The inputs and outputs of an invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The array of the inputs, if there are any.
    pub input_array: Option<ArrayId>,
    /// The array of the outputs, if there are any.
    pub output_array: Option<ArrayId>,
    /// Inputs, in the order of their declarations. Some may share a register.
    pub inputs: Vec<Parameter>,
    /// Outputs, likewise.
    pub outputs: Vec<Parameter>,
    /// Inputs once more, at the center of pixels whatever their interpolation says: a row, and the number of an input.
    pub at_center: Vec<(u32, usize)>,
    /// Set if depth and stencil are tested before the shader, even where it discards a pixel or outputs a depth
    /// (functional specification, 16.12).
    pub forces_early_tests: bool,
}

impl Signature {
    /// Rows of an element of the inputs' array.
    pub fn input_rows(&self) -> u32 {
        self.at_center.iter().map(|(row, _)| row + 1).fold(rows(&self.inputs), u32::max)
    }

    /// Declares an array each for inputs and outputs, if there are any; for a function that has no other arrays.
    pub fn declare_arrays(&mut self) -> Vec<Array> {
        let mut arrays = Vec::new();
        let mut array = |rows: u32, is_written| {
            (rows > 0).then(|| {
                arrays.push(Array { stride_bytes: rows * ROW_BYTES, is_written });
                ArrayId::new(arrays.len() - 1)
            })
        };
        self.input_array = array(self.input_rows(), false);
        self.output_array = array(rows(&self.outputs), true);
        arrays
    }

    /// Rows of an element of the outputs' array.
    pub fn output_rows(&self) -> u32 {
        rows(&self.outputs)
    }
}

/// Memory that is passed with a batch of invocations and belongs to its caller: contiguous elements, any number of
/// them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Array {
    /// Bytes from one element to the next, a multiple of 4.
    pub stride_bytes: u32,
    /// Set if the function may write it.
    pub is_written: bool,
}

/// Bytes of a row.
pub(crate) const ROW_BYTES: u32 = 16;

/// Number of rows up to the last parameter.
pub(crate) fn rows(parameters: &[Parameter]) -> u32 {
    parameters.iter().map(|parameter| parameter.row + 1).max().unwrap_or(0)
}

/// The row of a system value.
pub(crate) fn row_of(parameters: &[Parameter], value: SystemValue) -> Option<u32> {
    parameters.iter().find(|parameter| parameter.system_value == Some(value)).map(|parameter| parameter.row)
}

/// The semantic of an input or output, by which stages are linked: `TEXCOORD1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Semantic {
    /// The name. Letters of either case are equal.
    pub name: String,
    /// The number after it.
    pub index: u32,
}

impl Semantic {
    /// The semantic of this name and number.
    pub fn new(name: impl Into<String>, index: u32) -> Self {
        Self { name: name.into(), index }
    }

    /// `true` if it has this name, with any number.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// `true` if both are the same.
    pub fn matches(&self, other: &Self) -> bool {
        self.index == other.index && self.is_named(&other.name)
    }
}

impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.index)
    }
}

/// Components of a register that are inputs or outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The semantic that links it with another stage or with vertex data, if any.
    pub semantic: Option<Semantic>,
    /// The row of its register, counted in vectors of four words.
    pub row: u32,
    /// The components, x in the lowest bit.
    pub mask: u8,
    /// Its system value, if it has one.
    pub system_value: Option<SystemValue>,
    /// The interpolation of a pixel shader's input.
    pub interpolation: Interpolation,
    /// The stream of a geometry shader's output; 0 for all others.
    pub stream: u32,
}

impl Parameter {
    /// The components, by number.
    pub fn components(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..4).filter(move |component| mask >> component & 1 != 0)
    }
}

/// `true` if a parameter has one of some system values.
fn has_any(parameters: &[Parameter], values: &[SystemValue]) -> bool {
    parameters.iter().any(|parameter| parameter.system_value.is_some_and(|value| values.contains(&value)))
}

impl Signature {
    /// `true` if an input is one of some system values.
    pub fn reads(&self, values: &[SystemValue]) -> bool {
        has_any(&self.inputs, values)
    }

    /// `true` if an output is one of some system values.
    pub fn writes(&self, values: &[SystemValue]) -> bool {
        has_any(&self.outputs, values)
    }

    /// `true` if a pixel shader with it outputs a depth.
    pub fn writes_depth(&self) -> bool {
        self.writes(&[SystemValue::Depth, SystemValue::DepthGreaterEqual, SystemValue::DepthLessEqual])
    }

    /// `true` if a pixel shader with it runs for each sample of a pixel (functional specification, 16.3).
    pub fn is_per_sample(&self) -> bool {
        let is_of_sample = |input: &Parameter| {
            input.interpolation.is_per_sample() || input.system_value == Some(SystemValue::SampleIndex)
        };
        self.inputs.iter().any(is_of_sample)
    }
}
