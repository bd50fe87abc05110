//! Makes random targets, and random state around the shaders.

use brolga::format::{Encoding, Use};
use brolga::raster::{
    Blend, BlendOp, Bounds, Cull, DepthState, Equation, Factor, Fill, LogicOp, RasterizerState, StencilFace, StencilOp,
    StencilTest, TargetState, Topology, Viewport,
};
use brolga::{Comparison, Format};
use brolga_testing::random::Random;
use brolga_testing::run::module;

use super::shaders::{Kind, Shader};

/// A texture that is drawn to.
#[derive(Clone)]
pub struct Surface {
    pub format: Format,
    /// Its initial content.
    pub bytes: Vec<u8>,
}

/// The state of a pipeline, and its targets.
pub struct State {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Samples of a pixel, whether they lie at its center, and those that are drawn.
    pub samples: u32,
    pub center_pattern: bool,
    pub sample_mask: u32,
    pub targets: Vec<TargetState>,
    pub colors: Vec<Surface>,
    pub depth_buffer: Option<Surface>,
    pub depth: DepthState,
    pub stencil: Option<StencilTest>,
    pub stencil_reference: u8,
    pub rasterizer: RasterizerState,
    pub topology: Topology,
    pub blend_factor: [f32; 4],
    pub alpha_to_coverage: bool,
}

const COMPARISONS: [Comparison; 8] = [
    Comparison::Less,
    Comparison::LessEqual,
    Comparison::Greater,
    Comparison::GreaterEqual,
    Comparison::NotEqual,
    Comparison::Equal,
    Comparison::Always,
    Comparison::Never,
];

/// Not symmetric, each in its own way.
const LOGIC: [LogicOp; 4] = [LogicOp::Xor, LogicOp::AndReverse, LogicOp::OrInverted, LogicOp::Equivalent];

/// Triangles more often than lines and points.
fn topology(random: &mut Random) -> Topology {
    use Topology::{LineList, LineStrip, PointList, TriangleList, TriangleStrip};
    random.pick(&[TriangleList, TriangleList, TriangleStrip, TriangleStrip, LineList, LineStrip, PointList])
}

/// The stencil operations of one face; most let something pass.
fn stencil_face(random: &mut Random) -> StencilFace {
    let [fail, depth_fail, pass] = [(); 3].map(|()| random.pick(&StencilOp::ALL));
    StencilFace {
        test: random.pick(&[Comparison::Always, Comparison::NotEqual, Comparison::LessEqual]),
        fail,
        depth_fail,
        pass,
    }
}

impl State {
    /// For a pixel shader: lists into targets that keep every bit, without culling, nearest on top.
    pub fn plain(pixel: &Shader, size: [u32; 2], random: &mut Random) -> Self {
        let formats = kinds(pixel).into_iter().map(|kind| match kind {
            Kind::Float => Format::R32G32B32A32_FLOAT,
            Kind::Uint => Format::R32G32B32A32_UINT,
            Kind::Sint => Format::R32G32B32A32_SINT,
        });
        let targets: Vec<TargetState> = formats.map(TargetState::new).collect();
        let depth = DepthState { function: Comparison::LessEqual, ..DepthState::default() };
        let rasterizer = RasterizerState { cull: Cull::None, ..RasterizerState::default() };
        Self {
            size,
            samples: 1,
            center_pattern: false,
            sample_mask: u32::MAX,
            colors: colors(&targets, size, random),
            targets,
            // Nothing is in front of this.
            depth_buffer: Some(Surface {
                format: Format::D32_FLOAT,
                bytes: 1.0_f32.to_le_bytes().repeat((size[0] * size[1]) as usize),
            }),
            depth,
            stencil: None,
            stencil_reference: 0,
            rasterizer,
            topology: Topology::TriangleList,
            blend_factor: [1.0; 4],
            alpha_to_coverage: false,
        }
    }

    /// Any state for a pixel shader.
    pub fn any(pixel: &Shader, size: [u32; 2], random: &mut Random) -> Self {
        let targets: Vec<TargetState> = kinds(pixel).into_iter().map(|kind| target(kind, random)).collect();
        let depths = [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_FLOAT, Format::D32_FLOAT_S8X24_UINT];
        // A draw without other targets draws depth.
        let has_depth = targets.is_empty() || !random.one_in(5);
        let depth = DepthState {
            enable: !random.one_in(8),
            write: !random.one_in(3),
            // Most let something pass.
            function: COMPARISONS[random.below(COMPARISONS.len()).min(random.below(COMPARISONS.len()))],
        };
        let mut rasterizer = RasterizerState {
            cull: random.pick(&[Cull::None, Cull::None, Cull::Back, Cull::Front]),
            front_counter_clockwise: random.one_in(3),
            depth_clip: !random.one_in(3),
            fill: if random.one_in(5) { Fill::Wireframe } else { Fill::Solid },
            depth_bias: if random.one_in(3) { random.below(2000) as i32 - 1000 } else { 0 },
            slope_scaled_depth_bias: if random.one_in(3) { random.below(9) as f32 - 4.0 } else { 0.0 },
            depth_bias_clamp: random.pick(&[0.0, 0.0, 0.01, -0.01]),
            multisample: random.one_in(3),
            forced_samples: 0,
            conservative: false,
        };
        let stencil = random.one_in(3).then(|| StencilTest {
            read_mask: random.pick(&[0xff, 0xff, 0x0f]),
            write_mask: random.pick(&[0xff, 0xff, 0xf0]),
            front: stencil_face(random),
            back: stencil_face(random),
        });
        let signature = module(&pixel.bytes).stage().signature().cloned().unwrap_or_default();
        let mut samples = random.pick(&[1, 1, 1, 2, 4, 8]);
        let center_pattern = samples > 1 && random.one_in(6) && !signature.is_per_sample();
        if center_pattern {
            rasterizer.multisample = false;
        } else if samples > 1 && signature.is_per_sample() {
            // Other lines have no samples of their own.
            rasterizer.multisample = true;
        }
        let may_be_forced =
            !has_depth && !signature.is_per_sample() && pixel.outputs.iter().all(|output| output.register.is_some());
        if may_be_forced && random.one_in(2) {
            rasterizer.forced_samples = random.pick(&[1, 4, 8, 16]);
            samples = if rasterizer.forced_samples > 1 { 1 } else { samples };
        }
        let topology = topology(random);
        let is_solid =
            matches!(topology, Topology::TriangleList | Topology::TriangleStrip) && rasterizer.fill == Fill::Solid;
        rasterizer.conservative = is_solid && random.one_in(6);
        // Samples are more rows of texels.
        let texels = [size[0], size[1] * samples];
        Self {
            size,
            samples,
            center_pattern: center_pattern && samples > 1,
            sample_mask: if random.one_in(5) { random.bits() as u32 } else { u32::MAX },
            colors: colors(&targets, texels, random),
            targets,
            depth_buffer: has_depth.then(|| depth_buffer(random.pick(&depths), texels, random)),
            depth,
            stencil,
            stencil_reference: random.pick(&[0, 1, 0x7f, 0xff]),
            rasterizer,
            topology,
            blend_factor: [0; 4].map(|_| random.below(9) as f32 / 8.0),
            alpha_to_coverage: random.one_in(6),
        }
    }

    /// A part of the targets; now and then one with fractions, or beyond their edges.
    pub fn viewport(&self, random: &mut Random) -> Viewport {
        let [width, height] = self.size.map(|size| size as f32);
        let depths = random.pick(&[[0.0, 1.0], [0.25, 0.75], [0.0, 0.5], [0.5, 0.5]]);
        let [left, top] = random.pick(&[[0.0, 0.0], [7.0, 3.0], [-10.0, 5.5], [20.25, -4.75]]);
        let scale = random.pick(&[1.0, 1.0, 0.5, 1.375]);
        let [width, height] = [width * scale, height * scale];
        Viewport { left, top, width, height, min_depth: depths[0], max_depth: depths[1] }
    }

    /// A rectangle of the targets.
    pub fn scissor(&self, random: &mut Random) -> Bounds {
        let [width, height] = self.size.map(|size| size as i32);
        let [left, top] = [width, height].map(|size| random.below(size as usize / 2) as i32);
        let [across, down] = [width, height].map(|size| random.below(size as usize) as i32);
        Bounds { left, top, right: left + across, bottom: top + down }
    }
}

/// The kinds of a pixel shader's targets, up to the last one that it writes.
fn kinds(pixel: &Shader) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for output in &pixel.outputs {
        if let Some(register) = output.register {
            let needed = register as usize + 1;
            kinds.resize(needed.max(kinds.len()), Kind::Float);
            kinds[register as usize] = Kind::of(output);
        }
    }
    kinds
}

/// A target of any format that holds such numbers.
fn target(kind: Kind, random: &mut Random) -> TargetState {
    let holds = |format: &Format| match (format.encoding(), kind) {
        (Encoding::Uint, Kind::Uint) | (Encoding::Sint, Kind::Sint) => true,
        (Encoding::Uint | Encoding::Sint, _) | (_, Kind::Uint | Kind::Sint) => false,
        _ => true,
    };
    let formats = Format::ALL.iter().copied().filter(|format| format.allows(Use::Target)).filter(holds);
    let format = random.pick(&formats.collect::<Vec<_>>());
    let factors: Vec<_> = Factor::ALL.into_iter().filter(|factor| !factor.is_of_second()).collect();
    let mut equation = || Equation {
        source: random.pick(&factors),
        destination: random.pick(&factors),
        op: random.pick(&BlendOp::ALL),
    };
    let blend = Blend { color: equation(), alpha: equation() };
    let blend = Some(blend).filter(|_| format.allows(Use::Blend) && random.one_in(2));
    let write_mask = if random.one_in(4) { random.below(16) as u8 } else { 15 };
    let logic = (format.encoding() == Encoding::Uint && random.one_in(3)).then(|| random.pick(&LOGIC));
    TargetState { format, blend, logic, write_mask, slot: None }
}

/// Textures for targets, with random texels.
fn colors(targets: &[TargetState], size: [u32; 2], random: &mut Random) -> Vec<Surface> {
    let surface = |target: &TargetState| {
        let texel = |_| {
            // Mostly numbers of ordinary size.
            let words = [0; 4].map(|_| match target.format.encoding().is_integer() {
                _ if random.one_in(16) => random.word(),
                true => random.below(200) as u32,
                false => (random.below(1000) as f32 / 500.0 - 0.5).to_bits(),
            });
            let size_bytes = target.format.size_bytes() as usize;
            target.format.encode(words).to_le_bytes().into_iter().take(size_bytes)
        };
        Surface { format: target.format, bytes: (0..size[0] * size[1]).flat_map(texel).collect() }
    };
    targets.iter().map(surface).collect()
}

/// A depth buffer, with random codes and any stencils.
fn depth_buffer(format: Format, size: [u32; 2], random: &mut Random) -> Surface {
    let code = |_| {
        let depth = match random.below(8) {
            0 => 0.0,
            1 => 1.0,
            _ => random.below(1001) as f32 / 1000.0,
        };
        let code = match format {
            Format::D32_FLOAT => depth.to_bits().into(),
            Format::D32_FLOAT_S8X24_UINT => u64::from(depth.to_bits()) | random.bits() << 32,
            Format::D24_UNORM_S8_UINT => (f64::from(depth) * 16_777_215.0) as u64 | (random.bits() % 256) << 24,
            _ => (depth * 65535.0) as u64,
        };
        code.to_le_bytes().into_iter().take(format.size_bytes() as usize)
    };
    Surface { format, bytes: (0..size[0] * size[1]).flat_map(code).collect() }
}
