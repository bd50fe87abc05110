//! Draws through any hull, domain or geometry shader, with the other shaders made for it, and with any declaration of
//! stream output: on the interpreter, with little fuel and time.
//!
//! The first 16 bytes are the state, the shader is the rest.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use brolga::document::{Draft, DraftShader};
use brolga::raster::{
    Draw, DrawError, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, RoundSize, StreamOutput,
    StreamOutputEntry, StreamTarget, TargetState, Targets, Topology,
};
use brolga::{
    BindingRules, Bindings, CompileOptions, Device, Dispatch, Engine, ErrorKind, Format, InputPrimitive, Module, Stage,
    StageKind, Stages, TextureShape, View,
};
use libfuzzer_sys::fuzz_target;

/// Number of loop iterations of a batch.
const FUEL: u64 = 200;

/// Number of bytes of the state.
const STATE: usize = 16;

static DEVICE: LazyLock<Device> =
    LazyLock::new(|| Device::builder().threads(1).build().expect("one thread is to be had"));

/// A topology with such primitives, or one without.
fn topology(primitive: InputPrimitive, byte: u8) -> Topology {
    let fitting = Topology::ALL.into_iter().filter(|topology| topology.primitive() == primitive);
    let fitting: Vec<Topology> = fitting.filter(|topology| *topology != Topology::TriangleFan).collect();
    match byte {
        _ if fitting.is_empty() => Topology::PointList,
        255 => Topology::LineListAdjacent,
        byte => fitting[usize::from(byte) % fitting.len()],
    }
}

/// Entries of any outputs, with components that may not be there.
fn stream_output(module: &Module, state: &[u8; STATE]) -> StreamOutput {
    let mut word = u32::from_le_bytes([state[4], state[5], state[6], state[7]]);
    let mut next = |end: u32| {
        word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (word >> 8) % end
    };
    let mut entries = Vec::new();
    for _ in 0..state[8] % 8 {
        let all: Vec<_> = module.outputs().iter().collect();
        let output = all.get(next(1 + all.len() as u32) as usize);
        let wrong = next(20) == 0;
        let stream = output.map_or(next(4), |output| output.stream) + u32::from(wrong);
        let first_component = if next(3) == 0 { next(4) } else { 0 };
        let most = output.map_or(4, |output| output.mask.count_ones()).saturating_sub(first_component).max(1);
        entries.push(StreamOutputEntry {
            stream,
            semantic: output.and_then(|output| output.semantic.clone()),
            first_component,
            components: 1 + next(most),
            // Mostly one that no other stream has.
            buffer: if next(8) == 0 { next(5) } else { stream % 4 },
        });
    }
    let strides = (0..state[9] % 5).map(|_| 4 * next(30)).collect();
    let rasterized_stream = [Some(0), None, Some(u32::from(state[10] >> 4))][usize::from(state[10] % 3)];
    StreamOutput { entries, strides, rasterized_stream }
}

fn drawn(state: &[u8; STATE], container: &[u8]) -> Result<(), DrawError> {
    let device = &*DEVICE;
    let module = Module::load(container, device.limits())?;
    let kind = module.kind();
    let shader = DraftShader { file: Path::new("own.cso"), container, source: None, wgsl: None };
    let draft = Draft { shaders: &[shader], mesh: None, document: "x.toml", name: "x" };
    let made = draft.write(device.limits()).unwrap_or_default();
    let mut modules = Stages::<Option<Module>>::default();
    modules[kind] = Some(module.clone());
    for stage in StageKind::ALL {
        let companion = made.iter().find(|(name, _)| name.ends_with(&format!("{}.cso", stage.text())));
        if let Some((_, companion)) = companion {
            modules[stage] = Some(Module::load(companion, device.limits())?);
        }
    }
    let primitive = match (modules[StageKind::Hull].as_ref().map(Module::stage), module.stage()) {
        (Some(Stage::Hull(hull)), _) => InputPrimitive::Patch(hull.input_points),
        (_, Stage::Geometry(geometry)) => geometry.input,
        _ => return Ok(()),
    };
    let (Some(vertex), Some(_)) = (modules[StageKind::Vertex].clone(), &modules[StageKind::Pixel]) else {
        return Ok(());
    };
    let has_pixels = state[0] & 1 != 0;
    if !has_pixels {
        modules[StageKind::Pixel] = None;
    }
    let mut desc = PipelineDesc { modules, ..PipelineDesc::default() };
    for input in vertex.inputs() {
        let Some(semantic) = &input.semantic else { continue };
        let element = InputElement::new(&semantic.name, Format::R32G32B32A32_FLOAT, 4 * (input.row % 8));
        desc = desc.input(InputElement { index: semantic.index, ..element });
    }
    desc.topology = topology(primitive, state[1]);
    desc.stream_output = (state[0] & 2 != 0).then(|| stream_output(&module, state));
    desc.samples = if state[0] & 4 != 0 { 4 } else { 1 };
    if has_pixels {
        desc = desc.target(TargetState::new(Format::R8G8B8A8_UNORM));
    }
    desc.options = CompileOptions::new(Engine::Interpreter).into();
    let pipeline = Pipeline::new(device, &desc)?;

    let mut shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 40, 30);
    if desc.samples > 1 {
        shape = shape.samples(desc.samples);
    }
    let colors = if has_pixels { vec![View::texture(device.texture(shape.array(2))?)] } else { Vec::new() };
    let round = RoundSize { batches: 1 + usize::from(state[11] % 3), positions: 40, bytes: u64::from(state[11]) << 8 };
    let limits = Dispatch::new([0; 3]).fuel(FUEL).time_limit(Duration::from_millis(30));
    let mut pass = Pass::new(device, Targets { colors, depth: None })?.with_limits(&limits).with_round(round);
    let vertices: Vec<f32> = (0..256).map(|n| f32::from(state[n % STATE]) / 64.0 - 2.0 + n as f32 / 256.0).collect();
    let indices: Vec<u16> = (0..64_u16).map(|n| if n % u16::from(2 + state[12] % 30) == 0 { 0xffff } else { n }).collect();
    let buffers = [0, 4, 100, 2000].map(|size| device.buffer(size));
    let bindings = Bindings::with_rules(BindingRules::PARTIAL);
    let mut draw = Draw::new(&pipeline, u32::from(state[13] % 64))
        .bindings(&bindings)
        .vertex_buffer(device.buffer_from(&vertices)?, 16);
    if state[0] & 8 != 0 {
        let buffer = device.buffer_from(&indices)?;
        draw = draw.index_buffer(IndexBuffer { buffer, offset_bytes: 0, is_short: true });
    }
    draw.instances = u32::from(state[14] % 4);
    for (n, buffer) in buffers.into_iter().enumerate() {
        let offset_bytes = (state[15] >> n & 1 != 0).then_some(u64::from(state[15] >> 4) * 2);
        draw.stream_targets.push((state[2] >> n & 1 != 0).then_some(StreamTarget { buffer: buffer?, offset_bytes }));
    }
    if desc.stream_output.is_none() {
        draw.stream_targets.clear();
    }
    for _ in 0..2 {
        pass.draw(&draw)?;
    }
    pass.draw_auto(&draw).map(drop)?;
    pass.finish().map(drop)
}

fuzz_target!(|data: &[u8]| {
    let Some((state, container)) = data.split_first_chunk::<STATE>() else { return };
    if let Err(error) = drawn(state, container) {
        assert_ne!(error.kind(), ErrorKind::Internal, "{error}");
    }
});
