//! Draws one thing on both engines.

use brolga::bytecode::{Limits, sm3};
use brolga::raster::{
    Cull, Draw, DrawError, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets, Topology,
};
use brolga::{CompileOptions, Device, Engine, Format, TextureShape, View};
use brolga_testing::run::module;

/// Width and height of the picture in pixels.
pub const SIZE: usize = 8;

/// The picture: rows of colours. Pixels that were not drawn are -1.
pub type Picture = [[[f32; 4]; SIZE]; SIZE];

pub const NOTHING: [f32; 4] = [-1.0; 4];

/// A draw and its state.
pub struct Probe<'a> {
    pub vertex: &'a str,
    pub pixel: &'a str,
    pub layout: Vec<InputElement>,
    pub topology: Topology,
    /// The bytes of vertices.
    pub vertices: Vec<u8>,
    pub stride: u32,
    pub set: &'a dyn Fn(&mut PipelineDesc),
    pub with: &'a dyn Fn(&mut Draw<'_>),
}

/// A vertex shader that passes a position and one value on.
pub const PASS: &str = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nmov oPos, v0\nmov oT0, v1";

/// A pixel shader that writes that value.
pub const SHOW: &str = "ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0";

impl<'a> Probe<'a> {
    /// Triangles whose vertices are a position and a value of four floats.
    pub fn new(vertices: &[[[f32; 4]; 2]]) -> Self {
        Self {
            vertex: PASS,
            pixel: SHOW,
            layout: vec![
                InputElement::new("POSITION", Format::R32G32B32A32_FLOAT, 0),
                InputElement::new("TEXCOORD", Format::R32G32B32A32_FLOAT, 16),
            ],
            topology: Topology::TriangleList,
            vertices: bytemuck::cast_slice(vertices).to_vec(),
            stride: 32,
            set: &|_| {},
            with: &|_| {},
        }
    }

    /// The same with other shaders.
    pub fn shaders(self, vertex: &'a str, pixel: &'a str) -> Self {
        Self { vertex, pixel, ..self }
    }

    /// The same as other primitives.
    pub fn topology(self, topology: Topology) -> Self {
        Self { topology, ..self }
    }

    /// The same with another pipeline.
    pub fn set(self, set: &'a dyn Fn(&mut PipelineDesc)) -> Self {
        Self { set, ..self }
    }

    /// The same in another draw.
    pub fn with(self, with: &'a dyn Fn(&mut Draw<'_>)) -> Self {
        Self { with, ..self }
    }

    /// The picture, which is the same on both engines.
    pub fn draw(&self) -> Picture {
        let [one, other] = [Engine::Jit, Engine::Interpreter].map(|engine| self.draw_on(engine).unwrap());
        assert_eq!(bytemuck::bytes_of(&one), bytemuck::bytes_of(&other), "the engines disagree");
        one
    }

    /// The reason why it cannot be drawn.
    pub fn error(&self) -> String {
        self.draw_on(Engine::Jit).unwrap_err().to_string()
    }

    fn draw_on(&self, engine: Engine) -> Result<Picture, DrawError> {
        let device = Device::builder().build().unwrap();
        let [vertex, pixel] = [self.vertex, self.pixel].map(|text| module(&assemble(text)));
        let format = Format::R32G32B32A32_FLOAT;
        let mut desc = PipelineDesc::new(&vertex, Some(&pixel)).target(TargetState::new(format));
        desc.input_layout = self.layout.clone();
        desc.topology = self.topology;
        desc.rasterizer.cull = Cull::None;
        desc.options = CompileOptions::new(engine).into();
        (self.set)(&mut desc);
        let pipeline = Pipeline::new(&device, &desc)?;
        let target = device.texture(TextureShape::texture_2d(format, SIZE as u32, SIZE as u32)).unwrap();
        target.buffer().write(0, &[-1.0_f32; 4 * SIZE * SIZE]).unwrap();
        let vertices = device.buffer_from(&self.vertices).unwrap();
        let targets = Targets { colors: vec![View::texture(target.clone())], depth: None };
        let mut pass = Pass::new(&device, targets)?;
        let count = self.vertices.len() as u32 / self.stride;
        let mut draw = Draw::new(&pipeline, count).vertex_buffer(vertices, self.stride);
        (self.with)(&mut draw);
        pass.draw(&draw)?;
        pass.finish()?;
        let mut picture = [[[0.0; 4]; SIZE]; SIZE];
        target.buffer().read(0, bytemuck::cast_slice_mut::<_, f32>(picture.as_flattened_mut())).unwrap();
        Ok(picture)
    }
}

fn assemble(text: &str) -> Vec<u8> {
    sm3::encode(&sm3::assemble(text, &Limits::default()).unwrap())
}

/// Two triangles that cover a rectangle of the screen, from left to right and from top to bottom in pixels, with values
/// 0 to 1 across and down.
pub fn rectangle([left, top, right, bottom]: [f32; 4], z: f32) -> Vec<[[f32; 4]; 2]> {
    let size = SIZE as f32 / 2.0;
    let corner = |x: f32, y: f32, u: f32, v: f32| [[x / size - 1.0, 1.0 - y / size, z, 1.0], [u, v, 0.25, 0.5]];
    let [a, b] = [corner(left, top, 0.0, 0.0), corner(right, top, 1.0, 0.0)];
    let [c, d] = [corner(left, bottom, 0.0, 1.0), corner(right, bottom, 1.0, 1.0)];
    vec![a, b, c, c, b, d]
}

/// The columns of a row that were drawn.
pub fn columns(picture: &Picture, row: usize) -> Vec<usize> {
    (0..SIZE).filter(|&column| picture[row][column] != NOTHING).collect()
}

/// The rows of a column that were drawn.
pub fn rows(picture: &Picture, column: usize) -> Vec<usize> {
    (0..SIZE).filter(|&row| picture[row][column] != NOTHING).collect()
}

#[track_caller]
pub fn assert_near(value: [f32; 4], expected: [f64; 4], slack: f64) {
    let is_near = value.iter().zip(expected).all(|(&value, expected)| (f64::from(value) - expected).abs() <= slack);
    assert!(is_near, "{value:?}, expected {expected:?}");
}
