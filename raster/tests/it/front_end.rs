//! Draws with a shader from another front end, which builds its function itself.

use brolga_ir::builder::Builder;
use brolga_ir::function::{Function, Input, MemoryRef, Object};
use brolga_ir::interface::Interface;
use brolga_raster::error::DrawError;
use brolga_raster::layout::InputElement;
use brolga_raster::pass::{Draw, Pass};
use brolga_raster::pipeline::{Pipeline, PipelineDesc};
use brolga_raster::state::TargetState;
use brolga_raster::tiles::targets::Targets;
use brolga_runtime::{
    CompileOptions, Device, Engine, Error, ErrorKind, Format, Interpolation, Module, Parameter, Program, Semantic,
    Signature, Stage, StageKind, SystemValue, TextureShape, View,
};

/// The color of all vertices.
const COLOR: [f32; 4] = [1.0, 0.0, 0.2, 1.0];

/// Vertices with a position, unchanged, and one color.
#[derive(Debug)]
struct OneColor {
    /// The semantic of the color.
    semantic: &'static str,
}

fn parameter(semantic: &str, row: u32, system_value: Option<SystemValue>) -> Parameter {
    let (semantic, interpolation) = (Some(Semantic::new(semantic, 0)), Interpolation::Constant);
    Parameter { semantic, row, mask: 0xf, system_value, interpolation, stream: 0 }
}

impl Program for OneColor {
    fn interface(&self) -> Result<Interface, Error> {
        let position = Some(SystemValue::Position);
        let mut signature = Signature {
            inputs: vec![parameter("POSITION", 0, None)],
            outputs: vec![parameter("SV_Position", 0, position), parameter(self.semantic, 1, None)],
            ..Signature::default()
        };
        let arrays = signature.declare_arrays();
        Ok(Interface { stage: Stage::Vertex(signature), arrays, ..Interface::default() })
    }

    fn translate(&self, _: &CompileOptions) -> Result<Function, Error> {
        let interface = self.interface()?;
        let signature = interface.stage.signature().expect("it is of vertices");
        let (inputs, outputs) = (signature.input_array.expect("one"), signature.output_array.expect("two"));
        let mut function = Function::new("one_color", interface);
        let mut b = Builder::new(&mut function);
        let (vertex, always, [first, second]) = (b.input(Input::ThreadId(0)), b.bool(true), [0, 16].map(|n| b.i32(n)));
        let address = |array, offset| MemoryRef { object: Object::Array(array), index: Some(vertex), offset };
        let position = b.load(address(inputs, first), 4);
        b.store(address(outputs, first), &position, always);
        let color = COLOR.map(|component| b.i32(component.to_bits()));
        b.store(address(outputs, second), &color, always);
        b.return_();
        Ok(function)
    }
}

/// Draws the left half, with a pixel shader from a file.
fn draw(semantic: &'static str, engine: Engine) -> Result<Vec<u32>, DrawError> {
    let device = Device::builder().threads(1).build()?;
    let vertex = Module::new(OneColor { semantic })?;
    let pixel = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/scenes/triangle/ps.cso")).unwrap();
    let pixel = Module::load(&pixel, device.limits())?;
    assert_eq!((vertex.kind(), pixel.kind()), (StageKind::Vertex, StageKind::Pixel));
    let mut desc = PipelineDesc::new(&vertex, Some(&pixel))
        .input(InputElement::new("POSITION", Format::R32G32_FLOAT, 0))
        .target(TargetState::new(Format::R8G8B8A8_UNORM));
    desc.options = CompileOptions::new(engine).into();
    let pipeline = Pipeline::new(&device, &desc)?;
    let target = device.texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 4, 4))?;
    // The left half of the picture.
    let corners = [[-1.0_f32, 1.0], [0.0, 1.0], [-1.0, -1.0], [0.0, 1.0], [0.0, -1.0], [-1.0, -1.0]];
    let vertices = device.buffer_from(&corners)?;
    let mut pass = Pass::new(&device, Targets { colors: vec![View::texture(target.clone())], depth: None })?;
    pass.draw(&Draw::new(&pipeline, 6).vertex_buffer(vertices, 8))?;
    pass.finish()?;
    Ok(target.buffer().to_vec()?)
}

#[test]
fn a_program_of_its_own_draws() {
    let [red, green, blue, alpha] = COLOR.map(|component| (component * 255.0) as u32);
    let color = red | green << 8 | blue << 16 | alpha << 24;
    for engine in [Engine::Interpreter, Engine::Jit] {
        assert_eq!(draw("COLOR", engine).unwrap(), [color, color, 0, 0].repeat(4), "{engine}");
    }
}

/// A program that cannot be read.
#[derive(Debug)]
struct Refused;

impl Program for Refused {
    fn interface(&self) -> Result<Interface, Error> {
        Err(Error::FrontEnd("line 3: no such word".into()))
    }

    fn translate(&self, _: &CompileOptions) -> Result<Function, Error> {
        unreachable!("it has no interface")
    }
}

#[test]
fn it_says_in_its_own_words_what_is_wrong() {
    let error = Module::new(Refused).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.kind()), ("line 3: no such word", ErrorKind::File));
}

#[test]
fn it_is_linked_by_its_semantics() {
    let said = draw("COLOUR", Engine::Interpreter).unwrap_err().to_string();
    assert_eq!(said, "the pixel shader reads COLOR0 from v1.xyzw, but the vertex shader writes COLOUR0 to o1.xyzw");
}
