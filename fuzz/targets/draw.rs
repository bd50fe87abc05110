//! Draws with pipelines of any state, on the interpreter with little fuel: state, two shaders, and positions of any
//! values.
//!
//! The first 32 bytes are the state, the next two the size of the vertex shader, which follows; the pixel shader is the
//! rest.
#![no_main]

use std::sync::LazyLock;

use brolga::raster::{
    ALPHA_BLEND, Bounds, Cull, DepthView, Draw, DrawError, Factor, Fill, IndexBuffer, InputElement, LogicOp, Pass,
    Pipeline, PipelineDesc, StencilFace, StencilOp, StencilTest, TargetState, Targets, Topology, Viewport,
};
use brolga::{
    BindingRules, Bindings, Comparison, CompileOptions, Device, Dispatch, Engine, ErrorKind, Format, Module,
    TextureShape, View,
};
use libfuzzer_sys::fuzz_target;

/// Number of loop iterations of a batch.
const FUEL: u64 = 100;

/// Number of bytes of the state.
const STATE: usize = 32;

static DEVICE: LazyLock<Device> =
    LazyLock::new(|| Device::builder().threads(1).build().expect("one thread is to be had"));

const VERTEX_FORMATS: [Format; 8] = [
    Format::R32G32B32A32_FLOAT,
    Format::R32G32B32_FLOAT,
    Format::R32G32_FLOAT,
    Format::R16G16B16A16_FLOAT,
    Format::R8G8B8A8_UNORM,
    Format::R16G16_SNORM,
    Format::R32_UINT,
    Format::R8_SINT,
];

const TARGET_FORMATS: [Format; 8] = [
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_UNORM_SRGB,
    Format::R16G16B16A16_FLOAT,
    Format::R32G32B32A32_FLOAT,
    Format::R11G11B10_FLOAT,
    Format::R8_SNORM,
    Format::R32G32_UINT,
    Format::B5G6R5_UNORM,
];

fn pick<T: Copy>(choices: &[T; 8], byte: u8) -> T {
    choices[usize::from(byte % 8)]
}

/// Numbers of any size, from a seed.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }

    /// Mostly values of ordinary positions, now and then any bits.
    fn float(&mut self) -> f32 {
        match self.next() % 16 {
            0 => f32::from_bits(self.next() << 8 | self.next() & 0xff),
            1 => [f32::NAN, f32::INFINITY, -0.0, 1e38][self.next() as usize % 4],
            _ => self.next() as f32 / (1 << 22) as f32 - 2.0,
        }
    }
}

fn stencil_face(numbers: &mut Numbers) -> StencilFace {
    let mut op = || pick(&StencilOp::ALL, numbers.next() as u8);
    let [fail, depth_fail, pass] = [op(), op(), op()];
    StencilFace { test: pick(&Comparison::ALL, numbers.next() as u8), fail, depth_fail, pass }
}

fn pick_logic(numbers: &mut Numbers) -> LogicOp {
    use LogicOp::{And, Copy, CopyInverted, Equivalent, Invert, Nor, OrReverse, Xor};
    pick(&[And, Copy, CopyInverted, Equivalent, Invert, Nor, OrReverse, Xor], numbers.next() as u8)
}

fn drawn(state: &[u8; STATE], vertex: &[u8], pixel: &[u8]) -> Result<(), DrawError> {
    let device = &*DEVICE;
    let bit = |n: usize| state[1] >> n & 1 != 0;
    let part = |n: usize| state[31] >> n & 1 != 0;
    let mut numbers = Numbers(u32::from_le_bytes([state[18], state[19], state[20], state[21]]));
    let load = |bytes| Module::load(bytes, device.limits());
    let pixel = (!pixel.is_empty()).then(|| load(pixel)).transpose()?;
    let mut desc = PipelineDesc::new(&load(vertex)?, pixel.as_ref());
    for (n, semantic) in ["POSITION", "TEXCOORD", "COLOR", "NORMAL"].into_iter().enumerate() {
        let element = InputElement::new(semantic, pick(&VERTEX_FORMATS, state[2 + n]), 4 * u32::from(state[6 + n] % 8));
        desc = desc.input(match state[6 + n] >> 6 {
            3 => element.per_instance(u32::from(state[10])),
            _ => element,
        });
    }
    for n in 0..usize::from(state[0] % 4) {
        let format = pick(&TARGET_FORMATS, state[11 + n]);
        let target = TargetState { write_mask: state[11 + n] >> 4, ..TargetState::new(format) };
        let mut blend = ALPHA_BLEND;
        if state[15] & 0x20 != 0 {
            (blend.color.source, blend.alpha.destination) = (Factor::SecondColor, Factor::InverseSecondAlpha);
        }
        desc = desc.target(match format {
            Format::R32G32_UINT if part(3) => TargetState { logic: Some(pick_logic(&mut numbers)), ..target },
            _ if bit(0) => TargetState { blend: Some(blend), ..target },
            _ => target,
        });
    }
    let depth_formats = [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_FLOAT, Format::D32_FLOAT_S8X24_UINT];
    desc.depth_format = depth_formats.get(usize::from(state[14] % 5)).copied();
    (desc.depth.enable, desc.depth.write) = (bit(1), bit(2));
    desc.depth.function = pick(&Comparison::ALL, state[14] >> 4);
    desc.topology = match (part(4), bit(3)) {
        (false, false) => Topology::TriangleList,
        (false, true) => Topology::TriangleStrip,
        (true, false) => Topology::LineList,
        (true, true) => [Topology::LineStrip, Topology::PointList][usize::from(state[10] % 2)],
    };
    (desc.alpha_to_coverage, desc.rasterizer.multisample) = (part(7), part(6));
    desc.rasterizer.fill = if part(2) { Fill::Wireframe } else { Fill::Solid };
    desc.rasterizer.cull = [Cull::None, Cull::Back, Cull::Front][usize::from(state[15] % 3)];
    (desc.rasterizer.front_counter_clockwise, desc.rasterizer.depth_clip) = (bit(4), bit(5));
    if state[15] & 0x40 != 0 {
        desc.rasterizer.depth_bias = numbers.next() as i32 - (1 << 23);
        (desc.rasterizer.slope_scaled_depth_bias, desc.rasterizer.depth_bias_clamp) =
            (numbers.float(), numbers.float());
    }
    desc.stencil = (state[15] & 0x80 != 0).then(|| StencilTest {
        read_mask: numbers.next() as u8,
        write_mask: numbers.next() as u8,
        front: stencil_face(&mut numbers),
        back: stencil_face(&mut numbers),
    });
    let samples = [1, 1, 2, 4, 8, 1, 1, 3][usize::from(state[17] >> 5)];
    let shape = |shape: TextureShape| {
        if samples > 1 { shape.samples(samples).center_pattern(state[16] & 0x80 != 0) } else { shape }
    };
    (desc.samples, desc.center_pattern) = (samples, samples > 1 && state[16] & 0x80 != 0);
    desc.rasterizer.conservative = state[23] & 0xc0 == 0xc0;
    desc.rasterizer.forced_samples = [0, 0, 0, 1, 4, 8, 16, 2][usize::from(state[27] >> 5)];
    desc.options = CompileOptions::new(Engine::Interpreter).into();
    let pipeline = Pipeline::new(device, &desc)?;

    let size = [16, 17].map(|n: usize| 1 + u32::from(state[n] % 80));
    // A texture, or the second level of two of its layers; or these layers with all samples.
    let view = |format| -> Result<View, DrawError> {
        if !part(5) {
            return Ok(View::texture(device.texture(shape(TextureShape::texture_2d(format, size[0], size[1])))?));
        }
        if samples > 1 {
            let layers = device.texture(shape(TextureShape::texture_2d(format, size[0], size[1]).array(3)))?;
            return Ok(View::texture(layers).with_layers(1, 2)?);
        }
        let shape = TextureShape::texture_2d(format, 2 * size[0], 2 * size[1]).mips(2).array(3);
        Ok(View::texture(device.texture(shape)?).with_mips(1, 1)?.with_layers(1, 2)?)
    };
    let colors = desc.targets.iter().map(|target| view(target.format)).collect::<Result<_, _>>()?;
    let (has_read_only_depth, has_read_only_stencil) = (part(6), part(6) && bit(2));
    let depth = desc.depth_format.map(view).transpose()?;
    let depth = depth.map(|view| DepthView { view, has_read_only_depth, has_read_only_stencil });
    let targets = Targets { colors, depth };
    let mut pass = Pass::new(device, targets)?.with_limits(&Dispatch::new([0; 3]).fuel(FUEL));

    let vertices: Vec<f32> = (0..256).map(|_| numbers.float()).collect();
    let indices: Vec<u16> =
        (0..32).map(|_| (numbers.next() % 20) as u16).map(|n| if n > 17 { 0xffff } else { n }).collect();
    let bindings = Bindings::with_rules(BindingRules::PARTIAL);
    let mut draw = Draw::new(&pipeline, u32::from(state[22]))
        .bindings(&bindings)
        .vertex_buffer(device.buffer_from(&vertices)?, u32::from(state[23] % 16) * 4);
    if bit(6) {
        draw =
            draw.index_buffer(IndexBuffer { buffer: device.buffer_from(&indices)?, offset_bytes: 0, is_short: bit(7) });
    }
    draw.stencil_reference = state[18];
    draw.sample_mask = if state[19] & 1 != 0 { numbers.next() } else { u32::MAX };
    (draw.first, draw.base_vertex) = (u32::from(state[24]), i32::from(state[25]) - 128);
    (draw.instances, draw.first_instance) = (u32::from(state[26] % 4), u32::from(state[27]));
    let [left, top, across] = [28, 29, 30].map(|n: usize| f32::from(state[n]) / 3.0);
    if part(0) {
        let (min_depth, max_depth) = (across / 100.0, 1.0 - left / 100.0);
        draw.viewport =
            Some(Viewport { left: left - 9.0, top, width: across, height: 4.0 * across, min_depth, max_depth });
    }
    if part(1) {
        draw.scissor = Some(Bounds { left: left as i32, top: top as i32, right: across as i32, bottom: 40 });
    }
    let [x, y, across, down] = [(); 4].map(|()| (numbers.next() % 4096) as f32 / 16.0);
    let other =
        Viewport { left: x - 64.0, top: y - 64.0, width: across, height: down, min_depth: 0.25, max_depth: 0.5 };
    draw.more_viewports = vec![(other, None)];
    for _ in 0..1 + state[31] / 128 {
        pass.draw(&draw)?;
    }
    pass.finish().map(drop)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((state, rest)) = bytes.split_first_chunk::<STATE>() else { return };
    let Some((size, shaders)) = rest.split_first_chunk::<2>() else { return };
    let Some((vertex, pixel)) = shaders.split_at_checked(usize::from(u16::from_le_bytes(*size))) else { return };
    match drawn(state, vertex, pixel) {
        Err(error) if error.kind() == ErrorKind::Internal => panic!("{error}"),
        _ => {}
    }
});
