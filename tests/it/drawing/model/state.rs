//! Generates random draws: everything that decides the pixels that a list of triangles covers, and their values.

use brolga::raster::{Bounds, Cull, DepthState, RasterizerState, StencilFace, StencilOp, StencilTest, Viewport};
use brolga::{Comparison, Format};
use brolga_testing::random::Random;
use brolga_testing::samples::STANDARD_PATTERNS;

use crate::drawing::canvas::Vertex;
use crate::drawing::shaders::pixel;

/// The point of a pixel at which an attribute is interpolated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    Center,
    Centroid,
    Sample,
}

/// The interpolation mode of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Constant,
    Perspective(Location),
    OnScreen(Location),
}

/// Those that need one sample at most, and those that a shader has that runs for each.
const MODES: [Mode; 7] = [
    Mode::Constant,
    Mode::Perspective(Location::Center),
    Mode::Perspective(Location::Centroid),
    Mode::OnScreen(Location::Center),
    Mode::OnScreen(Location::Centroid),
    Mode::Perspective(Location::Sample),
    Mode::OnScreen(Location::Sample),
];

impl Mode {
    /// The words of a declaration.
    fn words(self) -> &'static str {
        match self {
            Mode::Constant => "constant",
            Mode::Perspective(Location::Center) => "linear",
            Mode::Perspective(Location::Centroid) => "linear centroid",
            Mode::Perspective(Location::Sample) => "linear sample",
            Mode::OnScreen(Location::Center) => "linear noperspective",
            Mode::OnScreen(Location::Centroid) => "linear noperspective centroid",
            Mode::OnScreen(Location::Sample) => "linear noperspective sample",
        }
    }

    pub fn location(self) -> Location {
        match self {
            Mode::Constant => Location::Center,
            Mode::Perspective(location) | Mode::OnScreen(location) => location,
        }
    }
}

/// The samples of a pixel.
#[derive(Clone, Copy, Debug)]
pub struct Samples {
    pub count: u32,
    /// Set if all lie at the center.
    pub center_pattern: bool,
}

impl Samples {
    fn new(random: &mut Random) -> Self {
        let count = random.pick(&[1, 1, 2, 4, 4, 8]);
        Self { count, center_pattern: count > 1 && random.one_in(8) }
    }

    /// Their positions, in pixels from the center.
    pub fn positions(self) -> Vec<[f64; 2]> {
        let standard = STANDARD_PATTERNS[self.count.trailing_zeros() as usize].iter();
        let part = if self.center_pattern { 0.0 } else { 1.0 / 16.0 };
        standard.map(|position| position.map(|sixteenths| f64::from(sixteenths) * part)).collect()
    }
}

/// The source of a pixel's depth. `Given` is the third attribute's x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// The rasterizer.
    Own,
    /// The shader, which writes its `SV_Position.z`.
    Same,
    /// The shader.
    Given,
    /// The shader, which promises not to be nearer: the greater of `SV_Position.z` and the given one.
    GreaterEqual,
    /// The opposite.
    LessEqual,
}

/// The state of a pipeline.
#[derive(Clone, Copy, Debug)]
pub struct PipelineState {
    pub rasterizer: RasterizerState,
    pub test: DepthState,
    pub modes: [Mode; 3],
    pub depth: Depth,
    /// Set if pixels are discarded whose third attribute has a y below 0.5.
    pub discards: bool,
    /// The stencil test, if the depth buffer has stencils.
    pub stencil: Option<StencilTest>,
}

/// A draw.
#[derive(Debug)]
pub struct DrawState {
    pub pipeline: PipelineState,
    pub viewport: Viewport,
    pub scissor: Option<Bounds>,
    /// The stencil reference.
    pub reference: u8,
    pub sample_mask: u32,
    /// A list.
    pub vertices: Vec<Vertex>,
}

/// Draws into the same targets.
#[derive(Debug)]
pub struct State {
    pub size: [u32; 2],
    pub samples: Samples,
    pub depth_format: Option<Format>,
    /// The initial code of the depth buffer.
    pub cleared: u32,
    pub cleared_stencil: u8,
    pub draws: Vec<DrawState>,
}

/// Depths of whole triangles, of the buffer before, and of shaders, so that some are equal.
const DEPTHS: [f64; 3] = [0.25, 0.5, 0.75];

/// Initial stencils and references: so that some are equal, or wrap.
const STENCILS: [u8; 5] = [0, 1, 0x0f, 0xfe, 0xff];

fn stencil(random: &mut Random) -> StencilTest {
    use Comparison::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
    let tests = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always, Always, Always];
    let mut face = || {
        let [fail, depth_fail, pass] = [(); 3].map(|()| random.pick(&StencilOp::ALL));
        StencilFace { test: random.pick(&tests), fail, depth_fail, pass }
    };
    let [front, back] = [face(), face()];
    let [read_mask, write_mask] = [(); 2].map(|()| random.pick(&[0xff, 0xff, 0x0f, 0xaa]));
    StencilTest { read_mask, write_mask, front, back }
}

/// Numbers from `least` to `most`.
fn number(random: &mut Random, least: f64, most: f64) -> f64 {
    least + (most - least) * random.below(1 << 24) as f64 / f64::from(1 << 24)
}

/// Some pipelines with the same depth format and samples. They take longer to make than to use, so some states share them.
pub struct Pipelines {
    pub depth_format: Option<Format>,
    pub samples: Samples,
    pub states: Vec<PipelineState>,
}

impl Pipelines {
    pub fn new(random: &mut Random) -> Self {
        use Format::{D16_UNORM, D24_UNORM_S8_UINT, D32_FLOAT, D32_FLOAT_S8X24_UINT};
        let formats = [D16_UNORM, D24_UNORM_S8_UINT, D32_FLOAT, D32_FLOAT_S8X24_UINT].map(Some);
        let depth_format = if random.one_in(5) { None } else { random.pick(&formats) };
        let samples = Samples::new(random);
        let states = (0..random.pick(&[1, 1, 2, 3])).map(|_| PipelineState::new(random, samples)).collect();
        Self { depth_format, samples, states }
    }
}

impl State {
    /// Draws with each of some pipelines.
    pub fn new(pipelines: &Pipelines, random: &mut Random) -> Self {
        let most = random.pick(&[8, 24, 24, 64]);
        let size = [0; 2].map(|_| 1 + random.below(most) as u32);
        let cleared = if random.one_in(2) { random.pick(&DEPTHS) } else { number(random, -0.2, 1.2).clamp(0.0, 1.0) };
        let cleared = match pipelines.depth_format {
            Some(Format::D16_UNORM) => (cleared * 65535.0 + 0.5) as u32,
            Some(Format::D24_UNORM_S8_UINT) => (cleared * 16_777_215.0 + 0.5) as u32,
            _ => (cleared as f32).to_bits(),
        };
        let draws = pipelines.states.iter().map(|&pipeline| DrawState::new(pipeline, random, size)).collect();
        let cleared_stencil = random.pick(&STENCILS);
        let Pipelines { samples, depth_format, .. } = *pipelines;
        Self { size, samples, depth_format, cleared, cleared_stencil, draws }
    }
}

impl DrawState {
    fn new(pipeline: PipelineState, random: &mut Random, size: [u32; 2]) -> Self {
        let viewport = viewport(random, size);
        let mut side = |n: usize| random.below(size[n] as usize + 8) as i32 - 4;
        let [left, top, right, bottom] = [side(0), side(1), side(0), side(1)];
        let scissor = Bounds { left, top, right: right + size[0] as i32 / 2, bottom: bottom + size[1] as i32 / 2 };
        let vertices = (0..1 + random.below(6)).flat_map(|_| triangle(random, &viewport, size)).collect();
        let (scissor, reference) = (random.one_in(3).then_some(scissor), random.pick(&STENCILS));
        let sample_mask = if random.one_in(4) { random.bits() as u32 } else { u32::MAX };
        Self { pipeline, viewport, scissor, reference, sample_mask, vertices }
    }
}

impl PipelineState {
    fn new(random: &mut Random, samples: Samples) -> Self {
        let is_biased = random.one_in(6);
        let mut bias = |of: &[f32]| if is_biased { random.pick(of) } else { 0.0 };
        let units = bias(&[0.0, 3.0, -3.0, 1000.0, -70_000.0, 4e6]);
        let (slopes, limit) = (bias(&[0.0, 0.0, 1.0, -2.5]), bias(&[0.0, 0.0, 0.01, -0.02]));
        let rasterizer = RasterizerState {
            depth_bias: units as i32,
            slope_scaled_depth_bias: slopes,
            depth_bias_clamp: limit,
            cull: random.pick(&[Cull::None, Cull::None, Cull::Front, Cull::Back]),
            front_counter_clockwise: random.one_in(2),
            depth_clip: random.one_in(2),
            ..RasterizerState::default()
        };
        use Comparison::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
        let function = random.pick(&[
            Never,
            Less,
            Less,
            Equal,
            Equal,
            LessEqual,
            LessEqual,
            Greater,
            NotEqual,
            GreaterEqual,
            Always,
            Always,
        ]);
        let test = DepthState { enable: !random.one_in(8), write: !random.one_in(4), function };
        // Most shaders run for pixels; none can run for samples that all lie at the center.
        let modes = if samples.center_pattern || random.one_in(2) { &MODES[..5] } else { &MODES };
        let kinds = [Depth::Own, Depth::Own, Depth::Same, Depth::Given, Depth::GreaterEqual, Depth::LessEqual];
        Self {
            rasterizer,
            test,
            modes: [0; 3].map(|_| random.pick(modes)),
            depth: random.pick(&kinds),
            discards: random.one_in(3),
            stencil: random.one_in(2).then(|| stencil(random)),
        }
    }

    /// `true` if the shader runs for each sample.
    pub fn is_per_sample(&self) -> bool {
        self.modes.iter().any(|mode| mode.location() == Location::Sample)
    }

    /// The container of the pixel shader. Its third output has the pixel's depth, its w, its position, and its face and
    /// primitive as a number.
    pub fn pixel(&self) -> Vec<u8> {
        let [first, second, third] = self.modes.map(Mode::words);
        let (declared, body) = match self.depth {
            Depth::Own => ("", ""),
            Depth::Same => ("dcl_output oDepth", "mov oDepth, v0.z"),
            Depth::Given => ("dcl_output oDepth", "mov oDepth, v3.x"),
            Depth::GreaterEqual => ("dcl_output oDepthGE", "max oDepthGE, v0.z, v3.x"),
            Depth::LessEqual => ("dcl_output oDepthLE", "min oDepthLE, v0.z, v3.x"),
        };
        let discard = if self.discards { "lt r0.x, v3.y, l(0.5)\ndiscard_nz r0.x" } else { "" };
        pixel(&format!(
            "dcl_input_ps_siv linear noperspective centroid v0.xyzw, position\n\
             dcl_input_ps {first} v1.xyzw\ndcl_input_ps {second} v2.xyzw\ndcl_input_ps {third} v3.xy\n\
             dcl_input_ps_sgv constant v4.x, is_front_face\ndcl_input_ps_sgv constant v5.x, primitive_id\n\
             dcl_output o0.xyzw\ndcl_output o1.xyzw\ndcl_output o2.xyzw\n{declared}\ndcl_temps 1\n\
             {discard}\nmov o0.xyzw, v1.xyzw\nmov o1.xyzw, v2.xyzw\nmov o2.xy, v0.zwzz\n\
             mad o2.z, v0.x, l(128.0), v0.y\n\
             and r0.x, v4.x, l(1)\nishl r0.y, v5.x, l(1)\niadd r0.x, r0.x, r0.y\nutof o2.w, r0.x\n{body}"
        ))
    }
}

fn viewport(random: &mut Random, size: [u32; 2]) -> Viewport {
    let [width, height] = size.map(f64::from);
    let (min_depth, max_depth) = random.pick(&[(0.0, 1.0), (0.0, 1.0), (0.25, 0.75), (0.1, 0.9), (0.3, 0.3)]);
    let viewport = |left: f64, top: f64, width: f64, height: f64| {
        let [left, top, width, height] = [left, top, width, height].map(|side| side as f32);
        Viewport { left, top, width, height, min_depth, max_depth }
    };
    let mut number = |least: f64, most: f64| number(random, least, most);
    match number(0.0, 4.0) as u32 {
        0 | 1 => viewport(0.0, 0.0, width, height),
        2 => {
            let [left, top] = [number(-20.0, 8.0), number(-20.0, 8.0)];
            viewport(left, top, number(1.0, width + 30.0), number(1.0, height + 30.0))
        }
        // Seen through a small part of it.
        _ => {
            let [left, top] = [number(-900.0, 0.0).floor(), number(-900.0, 0.0).floor()];
            viewport(left, top, number(1000.0, 2000.0).floor(), number(1000.0, 2000.0).floor())
        }
    }
}

/// A triangle that may be seen in the window.
fn triangle(random: &mut Random, viewport: &Viewport, size: [u32; 2]) -> [Vertex; 3] {
    let places = places(random, size);
    let kind = random.below(16);
    let (z, spread) = match random.one_in(3) {
        true => (random.pick(&DEPTHS), 0.0),
        false => (number(random, -0.1, 1.1), random.pick(&[0.0, 0.1, 0.5, 2.0])),
    };
    let given = random.one_in(2).then(|| random.pick(&DEPTHS));
    // With perspective of some strength, and all of it of some size.
    let [size, strength] = [number(random, -20.0, 20.0), random.pick(&[0.0, 1.0, 4.0, 12.0])];
    let scale = 2f64.powf(random.pick(&[-20.0, -3.0, 0.0, 0.0, 3.0, 20.0]));
    let offset = if random.one_in(3) { 10.0 * scale } else { 0.0 };
    let bits = [0; 2].map(|_| [0; 4].map(|_| random.bits() as u32));
    let is_shared = |place| places.iter().filter(|&&other| other == place).count() > 1;
    places.map(|[x, y]| {
        let mut w = 2f64.powf(size + number(random, -strength, strength) / 2.0);
        let mut depth = z + number(random, -spread, spread) / 2.0;
        if kind < 4 {
            depth = depth.clamp(0.0, 1.0);
        } else if kind == 4 && random.one_in(2) && !is_shared([x, y]) {
            // w < 0, unless another vertex is visible at that point: see
            // `coverage::edges_through_the_eye_project_to_a_point`.
            w = -w;
        }
        // Far outside, at times.
        let far = if kind == 5 && random.one_in(2) { 1e5 } else { 1.0 };
        let x = ((x - f64::from(viewport.left)) / f64::from(viewport.width) * 2.0 - 1.0) * far;
        let y = (1.0 - (y - f64::from(viewport.top)) / f64::from(viewport.height) * 2.0) * far;
        let position = [x * w, y * w, depth * w, w].map(|place| (place as f32).to_bits());
        let mut attribute = |bits: [u32; 4]| {
            let any = [0; 4].map(|_| ((number(random, -1.0, 1.0) * scale + offset) as f32).to_bits());
            // A constant attribute takes the leading vertex's bits, whatever they are.
            if kind == 6 { bits.map(|word| word ^ any[0]) } else { any }
        };
        let [first, second] = bits.map(&mut attribute);
        let given = given.unwrap_or_else(|| number(random, -0.1, 1.1));
        let third = [given, number(random, 0.0, 1.5), 0.0, 0.0].map(|number| (number as f32).to_bits());
        [position, first, second, third]
    })
}

/// The screen positions of a triangle's vertices, in pixels.
fn places(random: &mut Random, size: [u32; 2]) -> [[f64; 2]; 3] {
    let [width, height] = size.map(f64::from);
    let mut place = |reach: f64| [width, height].map(|size| number(random, -reach * size, (1.0 + reach) * size));
    let places = [place(0.3), place(0.3), place(0.3)];
    match random.below(8) {
        // Of a few pixels.
        0 | 1 => {
            let [x, y] = places[0];
            [0; 3].map(|_| [x + number(random, -4.0, 4.0), y + number(random, -4.0, 4.0)])
        }
        // Vertices at centers, and common rows and columns.
        2 => places.map(|[x, y]| [x.floor() + 0.5, y.floor() + 0.5]),
        // Thin.
        3 => {
            let [[x, y], [to_x, to_y], _] = places;
            let (part, away) = (number(random, 0.0, 1.0), number(random, -0.5, 0.5));
            [places[0], places[1], [x + (to_x - x) * part + away, y + (to_y - y) * part + away]]
        }
        // Much larger than the window.
        4 | 5 => places.map(|[x, y]| [(x - width / 2.0) * 20.0, (y - height / 2.0) * 20.0]),
        _ => places,
    }
}
