//! Tests random states with random words in all arrays of batches: both engines leave the same bits, and no texel
//! outside the bound views changes.
//!
//! `BROLGA_SEEDS` selects the states, each of which runs in [`BATCHES`] batches, on devices without guard pages and
//! with them before or after.

use std::fs;
use std::mem::offset_of;
use std::sync::LazyLock;

use brolga_runtime::format::{Encoding, Use};
use brolga_runtime::pipeline::record::{
    BatchAttribute, BatchDirect3D9, BatchPatch, BatchPoint, BatchPrimitive, BatchQuad, BatchState, BatchVertex,
    DomainArray, GeometryArray, HullArray, POINT_GROUP,
};
use brolga_runtime::pipeline::state::{
    Advance, Blend, BlendOp, Comparison, DepthFormat, DepthTest, Distance, DomainState, Equation, Factor, Fog,
    GeometryState, HullState, Link, LinkedFrom, Logic, LogicOp, PixelState, Range, SamplePattern, StageState,
    StencilFace, StencilOp, StencilTest, Target, VertexElement, VertexState,
};
use brolga_runtime::pipeline::{DEPTH, SPACE};
use brolga_runtime::{
    Array, ArrayWords, BindingRules, Bindings, CompileOptions, Device, Dimension, Dispatch, DomainStage, Engine,
    ErrorKind, Format, GeometryStage, GuardPages, HullStage, Register, Shader, Stage, Texture, TextureShape, View,
};
use brolga_testing_base::random::{Random, seeds};

use crate::support::ENGINES;
use crate::support::case::data;
use crate::support::random::{self, bind};

/// Batches of each state.
const BATCHES: usize = 50;

/// Loop iterations of a batch: random data make some loops endless.
const FUEL: u64 = 2_000;

/// Shaders for features that those of the corpus do not use.
const OTHERS: [&str; 5] = [
    "hs_5_0
    hs_decls
    dcl_input_control_point_count 3
    dcl_output_control_point_count 2
    dcl_tessellator_domain domain_isoline
    dcl_tessellator_partitioning partitioning_fractional_even
    dcl_tessellator_output_primitive output_line
    dcl_globalFlags refactoringAllowed
    dcl_uav_raw u1
    hs_control_point_phase
    dcl_input vOutputControlPointID
    dcl_input vPrim
    dcl_input v[3][0].xyzw
    dcl_input v[3][1].xyzw
    dcl_output o0.xyzw
    dcl_output o1.xy
    dcl_temps 2
    dcl_indexrange o0.xy 2
    mov r0.x, vOutputControlPointID
    mov o0.xyzw, v[r0.x + 1][0].wzyx
    retc_nz v[r0.x + 0][1].x
    mov r0.y, v[r0.x + 0][0].x
    mov o[r0.y + 0].xy, vPrim
    store_raw u1.x, vPrim, r0.x
    ret
    hs_fork_phase
    dcl_hs_fork_phase_instance_count 3
    dcl_input vForkInstanceID
    dcl_input vocp[2][0].xyzw
    dcl_input vocp[2][1].xy
    dcl_output_siv o0.x, finalLineDensityTessFactor
    dcl_output_siv o1.x, finalLineDetailTessFactor
    dcl_output o2.x
    dcl_temps 1
    dcl_indexrange o0.x 3
    mov r0.x, vForkInstanceID.x
    mov r0.y, vocp[r0.x + 0][0].y
    mov o[r0.x + 0].x, vocp[r0.y + 0][1].y
    ret
    hs_join_phase
    dcl_hs_join_phase_instance_count 2
    dcl_input vJoinInstanceID
    dcl_input vpc0.x
    dcl_input vpc2.x
    dcl_input vicp[3][1].xyzw
    dcl_output o3.xyzw
    dcl_temps 1
    mov r0.x, vpc2.x
    mov o3.xyzw, vicp[r0.x + 0][1].xyzw
    retc_z vJoinInstanceID.x
    mov o3.y, vpc0.x
    ret",
    "ds_5_0
    dcl_input_control_point_count 5
    dcl_tessellator_domain domain_quad
    dcl_globalFlags refactoringAllowed
    dcl_uav_raw u1
    dcl_input_siv vpc3.x, finalQuadVeq1EdgeTessFactor
    dcl_input vpc4.xyzw
    dcl_input vDomain.xy
    dcl_input vPrim
    dcl_input vicp[5][0].xyzw
    dcl_input vicp[5][2].xy
    dcl_output_siv o0.xyzw, position
    dcl_output o1.xyzw
    dcl_output o2.xyzw
    dcl_temps 1
    dcl_indexrange o1.xyzw 2
    dcl_indexrange vpc3.x 2
    mov r0.x, vPrim
    and r0.y, r0.x, l(1)
    mov o0.xyzw, vicp[r0.x + 0][2].xyxy
    add o0.zw, vDomain.xxxy, vpc[r0.y + 3].xxxx
    mov o[r0.y + 1].xyzw, vicp[3][0].xyzw
    store_raw u1.x, vPrim, vpc4.w
    ret",
    "ps_5_0
    dcl_globalFlags refactoringAllowed
    dcl_input_ps linear v0.xyzw
    dcl_input_ps linear noperspective v1.xyzw
    dcl_input_ps constant v2.xyzw
    dcl_input_ps_siv linear noperspective v3.xyzw, position
    dcl_input_ps_sgv constant v4.x, is_front_face
    dcl_input_ps_sgv constant v4.y, primitive_id
    dcl_output o0.xyzw
    dcl_output o1.xyzw
    dcl_output o2.xyzw
    dcl_output o7.xyzw
    mov o0.xyzw, v0.xyzw
    mov o1.xyzw, v1.xyzw
    mov o2.xyzw, v2.xyzw
    mov o7.xyzw, v3.xyzw
    mov o7.w, v4.y
    mov o2.w, v4.x
    ret",
    "ps_5_0
    dcl_globalFlags refactoringAllowed
    dcl_uav_raw u9
    dcl_input_ps constant v0.xyzw
    dcl_input vCoverage.x
    dcl_output o0.xyzw
    dcl_output o1.xyzw
    dcl_output oDepth
    dcl_output oMask
    dcl_temps 1
    lt r0.x, v0.w, l(0.1)
    discard_nz r0.x
    mov o0.xyzw, v0.xyzw
    mov o1.xyzw, v0.wzyx
    mov oDepth, v0.x
    mov oMask, v0.y
    store_raw u9.x, v0.x, vCoverage.x
    ret",
    "vs_5_0
    dcl_globalFlags refactoringAllowed
    dcl_input v0.xyzw
    dcl_input v1.xyzw
    dcl_input_sgv v2.x, vertex_id
    dcl_input_sgv v3.x, instance_id
    dcl_output_siv o0.xyzw, position
    dcl_output o1.xyzw
    dcl_output o2.xy
    mov o0.xyzw, v0.xyzw
    mov o1.xyzw, v1.xyzw
    mov o2.x, v2.x
    mov o2.y, v3.x
    ret",
];

/// The shaders above, and those of the corpus.
static SHADERS: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let entries = fs::read_dir(data().join("graphics")).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut shaders: Vec<_> = entries
        .filter(|path| {
            [".vs_", ".hs_", ".ds_", ".gs_", ".ps_"].iter().any(|part| name(path).contains(part))
                && name(path).ends_with(".cso")
        })
        .map(|path| (name(&path), fs::read(&path).unwrap()))
        .collect();
    shaders.sort();
    shaders.extend(OTHERS.map(|text| (text[..6].to_owned(), brolga_testing::run::assemble(text))));
    shaders
});

/// One of the first numbers, mostly the lowest.
fn few(random: &mut Random, end: usize) -> u32 {
    let end = 1 + random.below(end);
    random.below(end) as u32
}

fn comparison(random: &mut Random) -> Comparison {
    random.pick(&Comparison::ALL)
}

fn stencil_face(random: &mut Random) -> StencilFace {
    let mut op = || random.pick(&StencilOp::ALL);
    let (fail, depth_fail, pass) = (op(), op(), op());
    StencilFace { test: comparison(random), fail, depth_fail, pass }
}

fn depth_test(random: &mut Random) -> DepthTest {
    let format = random.pick(&[DepthFormat::D16, DepthFormat::D24, DepthFormat::D32, DepthFormat::D32S8]);
    let stencil = (!random.one_in(3)).then(|| StencilTest {
        read_mask: random.bits() as u8,
        write_mask: random.bits() as u8,
        front: stencil_face(random),
        back: stencil_face(random),
    });
    DepthTest { format, test: comparison(random), writes: !random.one_in(3), stencil }
}

fn equation(random: &mut Random) -> Equation {
    let mut factor = || random.pick(&Factor::ALL);
    let (source, destination) = (factor(), factor());
    Equation { source, destination, op: random.pick(&BlendOp::ALL) }
}

fn target(random: &mut Random, output: u32) -> Target {
    let ranges = [Range::Float, Range::Unorm, Range::Unorm, Range::Snorm, Range::Uint, Range::Sint];
    Target {
        output,
        range: random.pick(&ranges),
        blend: random.one_in(2).then(|| Blend { color: equation(random), alpha: equation(random) }),
        logic: random
            .one_in(8)
            .then(|| Logic { op: random.pick(&LogicOp::ALL), bits: [0; 4].map(|_| random.bits() as u8) }),
        write_mask: if random.one_in(2) { 15 } else { random.bits() as u8 },
    }
}

fn pixel_state(random: &mut Random) -> PixelState {
    let outputs = random.bits() as u8 & random.bits() as u8;
    let outputs = if random.one_in(2) { outputs & 3 } else { outputs };
    let word = |random: &mut Random| if random.one_in(20) { random.word() } else { few(random, 128) };
    let distance = random.pick(&[Distance::Depth, Distance::W]);
    let link = |random: &mut Random| Link {
        components: [0; 4].map(|_| match random.below(5) {
            0 => LinkedFrom::Zero,
            4 => LinkedFrom::One,
            1 => LinkedFrom::Sprite { axis: random.bits() as u8 },
            _ => LinkedFrom::Vertex(few(random, 128)),
        }),
        is_flat: random.one_in(4),
    };
    let counts = [1, 1, 1, 2, 4, 8, 16];
    let pattern = SamplePattern::standard(random.pick(&counts)).unwrap_or_default();
    let pattern = if random.one_in(8) { pattern.centered() } else { pattern };
    PixelState {
        vertex_rows: if random.one_in(40) { random.word() } else { few(random, 33) },
        targets: (0..8).filter(|n| outputs >> n & 1 != 0).map(|n| target(random, n)).collect(),
        depth: random.one_in(2).then(|| depth_test(random)),
        reports_live: random.one_in(2),
        has_layers: random.one_in(2),
        links: if random.one_in(3) { (0..few(random, 12)).map(|_| link(random)).collect() } else { Vec::new() },
        alpha_test: random.one_in(4).then(|| comparison(random)),
        alpha_to_coverage: random.one_in(6),
        fog: random.one_in(5).then(|| match random.below(5) {
            0 => Fog::Vertex(word(random)),
            4 => Fog::Complete,
            1 => Fog::Linear(distance),
            2 => Fog::Exponential(distance),
            _ => Fog::ExponentialSquared(distance),
        }),
        pattern,
        target_samples: if random.one_in(4) { few(random, 9) } else { pattern.count() },
        is_per_sample: random.one_in(3),
        is_conservative: random.one_in(6),
    }
}

fn vertex_state(random: &mut Random) -> VertexState {
    let formats: Vec<Format> = Format::ALL.iter().copied().filter(|format| format.vertex_format().is_some()).collect();
    let element = |random: &mut Random| {
        let format = random.pick(&formats);
        let mut texel = format.vertex_format().expect("just looked");
        // Now and then one that does not exist.
        match random.below(60) {
            0 => texel.words = random.word(),
            1 => texel.channels.iter_mut().flatten().for_each(|channel| channel.shift = random.word() % 256),
            2 => texel.channels.iter_mut().flatten().for_each(|channel| channel.bits = random.word() % 64),
            _ => {}
        }
        VertexElement {
            row: if random.one_in(20) { random.word() } else { few(random, 8) },
            slot: if random.one_in(60) { random.word() } else { few(random, 32) },
            offset: if random.one_in(6) { random.word() } else { few(random, 64) },
            format: texel,
            is_scaled: random.one_in(3),
            size_bytes: if random.one_in(6) { random.word() } else { format.size_bytes() },
            advance: match random.below(4) {
                0 => Advance::Instance { step: if random.one_in(4) { random.word() } else { few(random, 5) } },
                _ => Advance::Vertex,
            },
        }
    };
    VertexState { elements: (0..random.below(9)).map(|_| element(random)).collect() }
}

/// A texture and the view of it that is drawn to.
struct Drawn {
    register: Register,
    texture: Texture,
    view: View,
    before: Vec<u8>,
}

/// A texture with a target somewhere in it.
fn drawn(device: &Device, random: &mut Random, register: u32, [stored, seen]: [Format; 2], has_layers: bool) -> Drawn {
    let (width, height) = (1 + random.below(20) as u32, 1 + random.below(20) as u32);
    let dimension = match random.below(6) {
        0 if stored.allows(Use::Texture3d) => Dimension::Texture3d,
        1 if stored.allows(Use::Texture1d) => Dimension::Texture1dArray,
        _ => Dimension::Texture2dArray,
    };
    let (mips, layers) = (1 + random.below(3) as u32, 1 + few(random, 5));
    // So large that it has all of the mip levels.
    let shape = TextureShape::new(dimension, stored, width.max(1 << mips));
    let shape = match dimension {
        Dimension::Texture3d => shape.height(height).depth(layers),
        Dimension::Texture1dArray => shape.layers(layers),
        _ => shape.height(height).layers(layers),
    };
    let shape = shape.mips(mips);
    let bytes: Vec<u8> = (0..shape.size_bytes().unwrap()).map(|_| random.bits() as u8).collect();
    let texture = device.texture_from(shape, &bytes).unwrap();
    let mip = random.below(mips as usize) as u32;
    let view = View::texture(texture.clone()).with_format(seen).unwrap().with_mips(mip, 1).unwrap();
    let layers = view.subresources().expect("of a texture").layers.len() as u32;
    let first = random.below(layers as usize) as u32;
    let view = view.with_layers(first, 1 + random.below((layers - first) as usize) as u32).unwrap();
    let view = if has_layers { view.as_target_array() } else { view.as_target() }.unwrap();
    Drawn { register: Register::u(register).in_space(SPACE), texture, view, before: bytes }
}

/// The formats of a texture and its view that may be bound as a target.
fn target_format(random: &mut Random, range: Range) -> [Format; 2] {
    let fits = |format: &Format| {
        let is_integer = match range {
            Range::Uint => format.encoding() == Encoding::Uint,
            Range::Sint => format.encoding() == Encoding::Sint,
            _ => !format.encoding().is_integer(),
        };
        is_integer && format.allows(Use::Target) && format.allows(Use::Texture2d)
    };
    [random.pick(&Format::ALL.iter().copied().filter(fits).collect::<Vec<_>>()); 2]
}

fn depth_format(format: DepthFormat) -> [Format; 2] {
    match format {
        DepthFormat::D16 => [Format::D16_UNORM, Format::R16_UINT],
        DepthFormat::D24 => [Format::D24_UNORM_S8_UINT, Format::R32_UINT],
        DepthFormat::D32 => [Format::D32_FLOAT, Format::R32_UINT],
        DepthFormat::D32S8 => [Format::D32_FLOAT_S8X24_UINT, Format::R32G32_UINT],
    }
}

/// Words of any kind, some of them plausible for a record.
fn words(random: &mut Random, count: usize) -> Vec<u32> {
    let is_wild = random.one_in(3);
    let mut word = || match random.below(4) {
        0 if is_wild => random.word(),
        0 | 1 => random.float(),
        2 => random.below(4) as u32,
        _ => (random.below(64) as f32 / 32.0 - 0.5).to_bits(),
    };
    (0..count).map(|_| word()).collect()
}

/// Sets some words to something below a number, or near it.
fn set(random: &mut Random, words: &mut [u32], at: usize, end: u32) {
    if let Some(word) = words.get_mut(at)
        && !random.one_in(8)
    {
        *word = (random.below(end as usize + 3) as u32).wrapping_sub(u32::from(random.one_in(16)));
    }
}

/// The arrays of a pixel shader's batch, except the live words.
fn pixel_arrays(random: &mut Random, state: &PixelState, invocations: usize) -> [Vec<u32>; 3] {
    let (quads, primitives) = (invocations / 4, 1 + random.below(4));
    let mut of_quads = words(random, quads * BatchQuad::WORDS);
    for (n, quad) in of_quads.chunks_mut(BatchQuad::WORDS).enumerate() {
        let [x, y] = [2 * (n % 8), 2 * (n / 8)].map(|n| n as u32);
        (quad[0], quad[1]) = (x, y);
        set(random, quad, offset_of!(BatchQuad, primitive) / 4, primitives as u32);
        set(random, quad, offset_of!(BatchQuad, coverage) / 4, 15);
        if random.one_in(4) {
            set(random, quad, 0, 20);
            set(random, quad, 1, 20);
        }
        if random.one_in(8) {
            (quad[0], quad[1]) = (random.word(), random.word());
        }
    }
    let words_of_one = BatchPrimitive::WORDS + state.vertex_rows.min(32) as usize * BatchAttribute::WORDS;
    let mut of_primitives = words(random, primitives * words_of_one);
    for primitive in of_primitives.chunks_mut(words_of_one) {
        set(random, primitive, 0, 20);
        set(random, primitive, 1, 20);
        set(random, primitive, offset_of!(BatchPrimitive, is_front) / 4, 1);
    }
    let mut of_draw = words(random, BatchState::WORDS);
    let alpha_reference = (offset_of!(BatchState, reserved) + offset_of!(BatchDirect3D9, alpha_reference)) / 4;
    set(random, &mut of_draw, offset_of!(BatchState, primitive) / 4, primitives as u32);
    set(random, &mut of_draw, offset_of!(BatchState, layer) / 4, 3);
    set(random, &mut of_draw, offset_of!(BatchState, read_only) / 4, 3);
    set(random, &mut of_draw, alpha_reference, 255);
    [of_quads, of_primitives, of_draw]
}

/// The arrays of a batch of a hull shader: those that it reads, and those that it writes.
fn hull_arrays(
    random: &mut Random,
    stage: &HullStage,
    arrays: &[Array],
    invocations: usize,
) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let words_of = |array: HullArray| arrays[array as usize].stride_bytes as usize / 4;
    let vertices = 1 + few(random, 60) as usize;
    let of_vertices = words(random, vertices * words_of(HullArray::Vertices));
    let element = words_of(HullArray::Patches);
    let mut patches = words(random, invocations * element);
    for patch in patches.chunks_mut(element) {
        (0..element).for_each(|n| set(random, patch, n, vertices as u32));
    }
    let points = invocations * stage.own_points() as usize * words_of(HullArray::ControlPoints);
    let written = [points, invocations * words_of(HullArray::Constants)];
    (vec![of_vertices, patches], written.map(|count| vec![7; count]).to_vec())
}

/// The same of a domain shader. Patches are mostly there.
fn domain_arrays(
    random: &mut Random,
    stage: &DomainStage,
    arrays: &[Array],
    invocations: usize,
) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let words_of = |array: DomainArray| arrays[array as usize].stride_bytes as usize / 4;
    let patches = 1 + few(random, 8) as usize;
    let points = words(random, patches * stage.points as usize * words_of(DomainArray::ControlPoints));
    let constants = words(random, patches * words_of(DomainArray::Constants));
    let groups = invocations.div_ceil(POINT_GROUP as usize);
    let mut of_groups = words(random, groups * BatchPatch::WORDS);
    for group in of_groups.chunks_mut(BatchPatch::WORDS) {
        set(random, group, 0, patches as u32);
    }
    let of_points = words(random, invocations * BatchPoint::WORDS);
    let outputs = vec![7; invocations * words_of(DomainArray::Outputs)];
    (vec![points, constants, of_groups, of_points], vec![outputs])
}

/// The arrays of a batch of a geometry shader: those that it reads, and those that it writes. A primitive's vertices are
/// mostly there.
fn geometry_arrays(
    random: &mut Random,
    stage: &GeometryStage,
    arrays: &[Array],
    invocations: usize,
) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
    let words_of = |array: GeometryArray| arrays[array as usize].stride_bytes as usize / 4;
    let vertices = 1 + few(random, 60) as usize;
    let of_vertices = words(random, vertices * words_of(GeometryArray::Vertices));
    let element = words_of(GeometryArray::Primitives);
    let mut primitives = words(random, invocations * element);
    for primitive in primitives.chunks_mut(element) {
        (0..element).for_each(|n| set(random, primitive, n, vertices as u32));
    }
    let most = invocations * stage.most_vertices as usize;
    let tags = if stage.is_tagged { most } else { 0 };
    let written = [most * words_of(GeometryArray::Emitted), tags, invocations];
    (vec![of_vertices, primitives], written.map(|count| vec![7; count]).to_vec())
}

/// State after a state's batches: their outcomes, arrays, and every view.
#[derive(PartialEq, Eq, Debug)]
struct After {
    ends: Vec<String>,
    arrays: Vec<Vec<u32>>,
    views: Vec<(String, Vec<u8>)>,
}

/// Compiles a state's shader and runs its batches; an error if it is refused.
fn run(device: &Device, engine: Engine, seed: u64) -> Result<After, String> {
    let mut random = Random(seed);
    let (name, bytes) = &SHADERS[random.below(SHADERS.len())];
    let state = match name {
        name if name.contains("vs_") => StageState::Vertex(vertex_state(&mut random)),
        name if name.contains("hs_") => {
            let [vertex_rows, point_rows, constant_rows] = [34; 3].map(|most| few(&mut random, most));
            StageState::Hull(HullState { vertex_rows, point_rows, constant_rows })
        }
        name if name.contains("ds_") => {
            let [point_rows, constant_rows] = [34; 2].map(|most| few(&mut random, most));
            StageState::Domain(DomainState { point_rows, constant_rows })
        }
        name if name.contains("gs_") => StageState::Geometry(GeometryState { vertex_rows: few(&mut random, 34) }),
        _ => StageState::Pixel(pixel_state(&mut random)),
    };
    let options = CompileOptions::new(engine).state(state.clone());
    let shader = device.compile(bytes, &options).map_err(|error| {
        assert_ne!(error.kind(), ErrorKind::Internal, "{name}, {state:?}: {error}");
        format!("{name}: {error}")
    })?;
    let mut drawn_to = Vec::new();
    if let StageState::Pixel(state) = &state {
        for target in &state.targets {
            let formats = target_format(&mut random, target.range);
            drawn_to.push(drawn(device, &mut random, target.output, formats, state.has_layers));
        }
        if let Some(depth) = &state.depth {
            drawn_to.push(drawn(device, &mut random, DEPTH, depth_format(depth.format), state.has_layers));
        }
    }
    let bindings = bindings(device, &shader, &drawn_to, &mut random);
    let dispatch = Dispatch::new([0; 3]).fuel(FUEL);
    let bound = device.bind(&shader, &bindings).map_err(|error| format!("{name}: {error}"))?;
    let mut worker = bound.worker().unwrap();
    let mut session = worker.begin(&dispatch).unwrap();
    let (mut ends, mut written) = (Vec::new(), Vec::new());
    for _ in 0..BATCHES {
        let invocations = 4 * (1 + few(&mut random, 24) as usize);
        let (mut read, mut write) = match (&state, shader.stage()) {
            (StageState::Pixel(state), _) => {
                let live = state.reports_live.then(|| vec![7; invocations]);
                (pixel_arrays(&mut random, state, invocations).to_vec(), live.into_iter().collect())
            }
            (_, Stage::Hull(stage)) => hull_arrays(&mut random, stage, shader.arrays(), invocations),
            (_, Stage::Domain(stage)) => domain_arrays(&mut random, stage, shader.arrays(), invocations),
            (_, Stage::Geometry(stage)) => geometry_arrays(&mut random, stage, shader.arrays(), invocations),
            _ => {
                let rows = shader.stage().signature().expect("of a vertex shader").output_rows().max(1) as usize;
                let mut vertices = words(&mut random, invocations * BatchVertex::WORDS);
                vertices.iter_mut().step_by(3).for_each(|word| *word = random.below(60) as u32);
                let mut strides = words(&mut random, 32);
                (0..32).for_each(|n| set(&mut random, &mut strides, n, 80));
                (vec![vertices, strides], vec![vec![7; invocations * rows * 4]])
            }
        };
        // Some are too short.
        if random.one_in(10) {
            let array = random.below(read.len());
            let length = random.below(read[array].len() + 1);
            read[array].truncate(length);
        }
        let mut arrays: Vec<_> = read.iter().map(|words| ArrayWords::Read(words)).collect();
        arrays.extend(write.iter_mut().map(|words| ArrayWords::Write(words)));
        ends.push(match session.batch(invocations as u32, &mut arrays) {
            Ok(()) => "done".to_owned(),
            Err(error) => error.to_string(),
        });
        written.push(write.concat());
    }
    drop(session);
    for drawn in &drawn_to {
        check_rest(drawn, &format!("{name} on {engine}, seed {seed}"));
    }
    let views = bindings.iter().map(|(register, view)| (register.to_string(), view.to_vec().unwrap())).collect();
    Ok(After { ends, arrays: written, views })
}

/// Binds views to the declared registers, and the drawn textures to the pipeline's registers; now and then something
/// else.
fn bindings(device: &Device, shader: &Shader, drawn_to: &[Drawn], random: &mut Random) -> Bindings {
    let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
    bind(device, shader, &mut random::Random::tame(random.bits()), &mut bindings);
    for drawn in drawn_to {
        if !random.one_in(30) {
            bindings.set(drawn.register, drawn.view.clone());
        }
    }
    bindings
}

/// Checks that the texture outside the view is unchanged.
fn check_rest(drawn: &Drawn, what: &str) {
    let mut after = drawn.texture.buffer().to_vec::<u8>().unwrap();
    let part = drawn.view.subresources().expect("of a texture");
    let has_slices = drawn.texture.shape().dimension == Dimension::Texture3d;
    for layer in part.layers.clone() {
        let bytes = if has_slices {
            let level = drawn.texture.level_bytes(part.mips.start, 0).unwrap();
            let slices = drawn.texture.level(part.mips.start, 0).unwrap().extents[2];
            let slice = (level.end - level.start) / u64::from(slices);
            let start = level.start + u64::from(layer) * slice;
            start..start + slice
        } else {
            drawn.texture.level_bytes(part.mips.start, layer).unwrap()
        };
        let bytes = bytes.start as usize..bytes.end as usize;
        after[bytes.clone()].copy_from_slice(&drawn.before[bytes]);
    }
    assert!(after == drawn.before, "{what}: something beside {} is written", drawn.register);
}

#[test]
fn engines_agree_on_any_batch_of_any_state() {
    let guards = [GuardPages::Off, GuardPages::After, GuardPages::Before];
    let devices = guards.map(|guard_pages| Device::builder().threads(1).guard_pages(guard_pages).build().unwrap());
    let (mut done, mut refused) = (0, 0);
    let seeds = seeds(0..300);
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let device = &devices[(seed % 3) as usize];
        let [first, rest @ ..] = ENGINES else { unreachable!("there are engines") };
        let expected = run(device, *first, seed);
        for &engine in rest {
            let found = run(device, engine, seed);
            assert!(found == expected, "seed {seed}, {engine}: {}", difference(&expected, &found));
        }
        match expected {
            Ok(after) => done += after.ends.iter().filter(|end| *end == "done").count(),
            Err(_) => refused += 1,
        }
    }
    println!("{done} batches of {} states, {refused} states refused", count);
    assert!(done as u64 > 25 * count && refused < count / 3 + 1, "{done} batches ran, {refused} states are refused");
}

/// The first difference between the outcomes of two engines.
fn difference(expected: &Result<After, String>, found: &Result<After, String>) -> String {
    let (Ok(expected), Ok(found)) = (expected, found) else {
        return format!("{expected:?}\n{found:?}").chars().take(800).collect();
    };
    let batches = expected.ends.iter().zip(&found.ends).zip(expected.arrays.iter().zip(&found.arrays));
    for (n, ((end, other), (words, others))) in batches.enumerate() {
        if end != other {
            return format!("batch {n} ends with {end:?} or {other:?}");
        }
        if let Some(at) = words.iter().zip(others).position(|(a, b)| a != b) {
            return format!("batch {n}, written word {at}: {:x} or {:x}", words[at], others[at]);
        }
    }
    for ((register, bytes), (_, others)) in expected.views.iter().zip(&found.views) {
        if let Some(at) = bytes.iter().zip(others).position(|(a, b)| a != b) {
            return format!("byte {at} of {register}: {:x} or {:x}", bytes[at], others[at]);
        }
    }
    String::new()
}
