//! Draws into targets and reads them back.

use std::ops::Range;

use brolga::raster::{
    Cull, DepthView, Draw, DrawError, InputElement, Pass, Pipeline, PipelineDesc, TargetState, Targets,
};
use brolga::{Bindings, CompileOptions, Device, Engine, Format, StageKind, Texture, TextureShape, View};
use brolga_testing::run::module;

use super::shaders;

/// A vertex: its position and three attributes, in bits.
pub type Vertex = [[u32; 4]; 4];

/// A vertex with the same attribute in all registers.
pub fn vertex(position: [f32; 4], attribute: [f32; 4]) -> Vertex {
    let attribute = attribute.map(f32::to_bits);
    [position.map(f32::to_bits), attribute, attribute, attribute]
}

/// One draw call.
pub struct Item<'a> {
    /// The container of the vertex shader.
    pub vertex: &'a [u8],
    /// The container of the pixel shader.
    pub pixel: Option<&'a [u8]>,
    /// The vertices, drawn in order unless [`Self::with`] says otherwise.
    pub vertices: &'a [Vertex],
    /// Changes the pipeline: by default nothing is culled, and depth is tested with Direct3D's default if there is a
    /// depth buffer.
    pub set: &'a dyn Fn(&mut PipelineDesc),
    /// Changes the draw.
    pub with: &'a dyn Fn(&Device, &mut Draw<'_>),
    /// Bindings of the pixel shader.
    pub bindings: Option<&'a Bindings>,
}

impl<'a> Item<'a> {
    /// A list of triangles.
    pub fn new(vertex: &'a [u8], pixel: &'a [u8], vertices: &'a [Vertex]) -> Self {
        Self { vertex, pixel: Some(pixel), vertices, set: &|_| {}, with: &|_, _| {}, bindings: None }
    }

    /// The same with another pipeline.
    pub fn set(self, set: &'a dyn Fn(&mut PipelineDesc)) -> Self {
        Self { set, ..self }
    }

    /// The same in another draw.
    pub fn with(self, with: &'a dyn Fn(&Device, &mut Draw<'_>)) -> Self {
        Self { with, ..self }
    }
}

/// Targets.
pub struct Canvas<'d> {
    device: &'d Device,
    engine: Engine,
    pub targets: Targets,
}

impl<'d> Canvas<'d> {
    /// Colours of some formats, all bytes of which are 0.
    pub fn new(device: &'d Device, engine: Engine, size: [u32; 2], colors: &[Format]) -> Self {
        Self::of_samples(device, engine, size, 1, colors)
    }

    /// The same with a number of samples.
    pub fn of_samples(device: &'d Device, engine: Engine, size: [u32; 2], samples: u32, colors: &[Format]) -> Self {
        let color = |&format| View::texture(device.texture(shape(format, size, samples)).unwrap());
        let targets = Targets { colors: colors.iter().map(color).collect(), depth: None };
        Self { device, engine, targets }
    }

    /// Any targets.
    pub fn of(device: &'d Device, engine: Engine, targets: Targets) -> Self {
        Self { device, engine, targets }
    }

    /// The same with a depth buffer of as many samples that holds one code everywhere.
    pub fn with_depth(mut self, format: Format, size: [u32; 2], code: u32) -> Self {
        let samples = self.targets.colors.first().map_or(1, |color| texture(color).shape().samples);
        let (shape, texels) = (shape(format, size, samples), (samples * size[0] * size[1]) as usize);
        let texture = match format {
            Format::D16_UNORM => self.device.texture_from(shape, &vec![code as u16; texels]),
            Format::D32_FLOAT_S8X24_UINT => self.device.texture_from(shape, &vec![[code, 0]; texels]),
            _ => self.device.texture_from(shape, &vec![code; texels]),
        };
        self.targets.depth = Some(texture.unwrap().into());
        self
    }

    /// The same textures, with all samples at the center of a pixel.
    pub fn centered(mut self) -> Self {
        let centered = |view: &View| {
            let texture = texture(view);
            View::texture(Texture::new(texture.buffer().clone(), texture.shape().center_pattern(true)).unwrap())
        };
        self.targets.colors = self.targets.colors.iter().map(centered).collect();
        self.targets.depth = self.targets.depth.map(|depth| DepthView { view: centered(&depth.view), ..depth });
        self
    }

    /// The pipeline of an item.
    pub fn pipeline(&self, item: &Item<'_>) -> Pipeline {
        self.try_pipeline(item).unwrap()
    }

    /// The same of one that may be refused.
    pub fn try_pipeline(&self, item: &Item<'_>) -> Result<Pipeline, DrawError> {
        let mut desc = PipelineDesc::new(&module(item.vertex), item.pixel.map(module).as_ref());
        for (n, semantic) in ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"].into_iter().enumerate() {
            desc = desc.input(InputElement::new(semantic, Format::R32G32B32A32_FLOAT, 16 * n as u32));
        }
        desc.targets = self.targets.colors.iter().filter_map(View::format).map(TargetState::new).collect();
        desc.depth_format = self.targets.depth.as_ref().map(|depth| texture(&depth.view).shape().format);
        desc.rasterizer.cull = Cull::None;
        desc.options = CompileOptions::new(self.engine).into();
        (item.set)(&mut desc);
        Pipeline::new(self.device, &desc)
    }

    /// Draws into all targets in one pass; returns the number of pixels that passed in each draw.
    pub fn pass(&self, items: &[Item<'_>]) -> Vec<u64> {
        let pipelines: Vec<Pipeline> = items.iter().map(|item| self.pipeline(item)).collect();
        self.pass_with(items, &pipelines)
    }

    /// The same with pipelines that were made before.
    pub fn pass_with(&self, items: &[Item<'_>], pipelines: &[Pipeline]) -> Vec<u64> {
        self.try_pass(items, pipelines).unwrap()
    }

    /// The same for draws that may be refused.
    pub fn try_pass(&self, items: &[Item<'_>], pipelines: &[Pipeline]) -> Result<Vec<u64>, DrawError> {
        let mut pass = Pass::new(self.device, self.targets.clone())?;
        for (item, pipeline) in items.iter().zip(pipelines) {
            let vertices = self.device.buffer_from(item.vertices).unwrap();
            let stride = size_of::<Vertex>() as u32;
            let mut draw = Draw::new(pipeline, item.vertices.len() as u32).vertex_buffer(vertices, stride);
            draw.bindings[StageKind::Pixel] = item.bindings;
            (item.with)(self.device, &mut draw);
            pass.draw(&draw)?;
        }
        Ok(pass.finish()?.iter().map(|statistics| statistics.samples).collect())
    }

    /// Draws one item.
    pub fn draw(&self, item: Item<'_>) -> u64 {
        self.pass(&[item])[0]
    }

    /// The bytes of a target, row by row.
    pub fn bytes(&self, target: usize) -> Vec<u8> {
        texture(&self.targets.colors[target]).buffer().to_vec().unwrap()
    }

    /// The texels of a target of four words each.
    pub fn texels(&self, target: usize) -> Vec<[u32; 4]> {
        texture(&self.targets.colors[target]).buffer().to_vec().unwrap()
    }

    /// The depth buffer.
    pub fn depth_buffer(&self) -> &Texture {
        texture(&self.targets.depth.as_ref().expect("the test has a depth buffer").view)
    }

    /// The stencils of the depth buffer, if it has any.
    pub fn stencils(&self) -> Vec<u8> {
        let texture = self.depth_buffer();
        let words = || texture.buffer().to_vec::<u32>().unwrap().into_iter();
        match texture.shape().format {
            Format::D24_UNORM_S8_UINT => words().map(|word| (word >> 24) as u8).collect(),
            Format::D32_FLOAT_S8X24_UINT => words().skip(1).step_by(2).map(|word| word as u8).collect(),
            _ => Vec::new(),
        }
    }

    /// The codes of the depth buffer.
    pub fn depths(&self) -> Vec<u32> {
        let texture = self.depth_buffer();
        match texture.shape().format {
            Format::D16_UNORM => texture.buffer().to_vec::<u16>().unwrap().into_iter().map(u32::from).collect(),
            Format::D24_UNORM_S8_UINT => {
                texture.buffer().to_vec::<u32>().unwrap().into_iter().map(|word| word & 0xff_ffff).collect()
            }
            Format::D32_FLOAT_S8X24_UINT => texture.buffer().to_vec().unwrap().into_iter().step_by(2).collect(),
            _ => texture.buffer().to_vec().unwrap(),
        }
    }
}

/// The texture that a view sees.
pub fn texture(view: &View) -> &Texture {
    view.subresources().expect("a view of a texture").texture
}

fn shape(format: Format, [width, height]: [u32; 2], samples: u32) -> TextureShape {
    let shape = TextureShape::texture_2d(format, width, height);
    if samples > 1 { shape.samples(samples) } else { shape }
}

/// Width and height in pixels of the targets of tests of one rule.
pub const SIZE: u32 = 16;

/// The clip-space position of a vertex that is to appear at a point of such a target, in pixels.
pub fn position([x, y]: [f32; 2], z: f32, w: f32) -> [f32; 4] {
    // Exact for points that are not too far away.
    let half = SIZE as f32 / 2.0;
    [(x / half - 1.0) * w, (1.0 - y / half) * w, z * w, w]
}

/// A triangle of such points, at one depth, with an attribute.
pub fn triangle(corners: [[f32; 2]; 3], z: f32, attribute: [f32; 4]) -> [Vertex; 3] {
    corners.map(|corner| vertex(position(corner, z, 1.0), attribute))
}

/// A triangle that covers the whole target.
pub fn everywhere(z: f32, attribute: [f32; 4]) -> [Vertex; 3] {
    triangle([[-32.0, -32.0], [64.0, -32.0], [0.0, 64.0]], z, attribute)
}

/// Runs a closure with each engine; both must give the same.
pub fn on_both<T: PartialEq>(draw: impl Fn(&Device, Engine) -> T) -> T {
    let device = Device::builder().threads(1).build().unwrap();
    let found = draw(&device, Engine::Jit);
    assert!(found == draw(&device, Engine::Interpreter), "the engines differ");
    found
}

/// A target of four floats for each pixel, after one draw with a pixel shader, and the number of pixels that passed.
pub fn picture(
    pixel: &[u8],
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> (Vec<[u32; 4]>, u64) {
    let vertex = shaders::vertex();
    on_both(|device, engine| {
        let canvas = Canvas::new(device, engine, [SIZE; 2], &[Format::R32G32B32A32_FLOAT]);
        let passed = canvas.draw(Item::new(&vertex, pixel, vertices).set(&set).with(&with));
        (canvas.texels(0), passed)
    })
}

/// The pixels that a draw covers, as columns and rows. None is covered twice.
pub fn covered(
    vertices: &[Vertex],
    set: impl Fn(&mut PipelineDesc),
    with: impl Fn(&Device, &mut Draw<'_>),
) -> Vec<[u32; 2]> {
    let (texels, passed) =
        picture(&shaders::pixel("dcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)"), vertices, set, with);
    let places = texels.iter().zip(0..).filter(|(texel, _)| texel[0] != 0).map(|(_, n)| [n % SIZE, n / SIZE]);
    let places: Vec<_> = places.collect();
    assert_eq!(places.len() as u64, passed);
    places
}

/// All pixels of a range of columns and rows, row by row.
pub fn rectangle(columns: Range<u32>, rows: Range<u32>) -> Vec<[u32; 2]> {
    rows.flat_map(|y| columns.clone().map(move |x| [x, y])).collect()
}
