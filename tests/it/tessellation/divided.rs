//! Tests random patches in draws: points and primitives are those of the tessellator, in its order, which
//! `raster/tests/it/tessellator.rs` holds to the reference's.
//!
//! `BROLGA_SEEDS` selects the draws.

use brolga::raster::{
    Draw, InputElement, Pass, Pipeline, PipelineDesc, RoundSize, Statistics, StreamOutput, StreamOutputEntry,
    StreamTarget, Targets, Topology,
};
use brolga::{
    CompileOptions, Device, Domain, Engine, Format, OutputPrimitive, Partitioning, Semantic, StageKind, Stages,
};
use brolga_raster::tessellation::tessellator::{ONE, tessellate};
use brolga_testing::random::{Random, seeds};
use brolga_testing::run::module;

use super::super::drawing::canvas::{Vertex, vertex};
use super::super::drawing::shaders;
use super::shaders::{Hull, domain, factors_from_attributes};

/// Control points of a patch, whose attributes are its factors.
const POINTS: u32 = 3;

/// What a draw streams out, and its statistics.
fn streamed(
    device: &Device,
    engine: Engine,
    round: RoundSize,
    hull: &[u8],
    domain: &[u8],
    vertices: &[Vertex],
    room: usize,
) -> (Vec<u32>, Statistics) {
    let mut desc = PipelineDesc::new(&module(&shaders::vertex()), None);
    desc.modules[StageKind::Hull] = Some(module(hull));
    desc.modules[StageKind::Domain] = Some(module(domain));
    for (n, semantic) in ["POSITION", "TEXCOORD", "TEXCOORD1", "TEXCOORD2"].into_iter().enumerate() {
        desc = desc.input(InputElement::new(semantic, Format::R32G32B32A32_FLOAT, 16 * n as u32));
    }
    desc.topology = Topology::Patch3;
    let entry = |name: &str| {
        let semantic = Some(Semantic::new(name, 0));
        StreamOutputEntry { stream: 0, semantic, first_component: 0, components: 4, buffer: 0 }
    };
    let entries = vec![entry("SV_Position"), entry("TEXCOORD")];
    desc.stream_output = Some(StreamOutput { entries, strides: Vec::new(), rasterized_stream: None });
    desc.options = Stages::from(CompileOptions::new(engine));
    let pipeline = Pipeline::new(device, &desc).unwrap();
    let buffer = device.buffer(4 * room as u64).unwrap();
    let mut pass = Pass::new(device, Targets { colors: Vec::new(), depth: None }).unwrap().with_round(round);
    let vertex_buffer = device.buffer_from(vertices).unwrap();
    let mut draw = Draw::new(&pipeline, vertices.len() as u32).vertex_buffer(vertex_buffer, size_of::<Vertex>() as u32);
    draw.stream_targets = vec![Some(StreamTarget { buffer: buffer.clone(), offset_bytes: Some(0) })];
    pass.draw(&draw).unwrap();
    let statistics = pass.finish().unwrap()[0];
    (buffer.to_vec().unwrap(), statistics)
}

fn factor(random: &mut Random, most: f32) -> f32 {
    match random.below(60) {
        0 => f32::NAN,
        1 => 0.0,
        2 => -1.0,
        3 => f32::INFINITY,
        4..=20 => random.below(most as usize + 1) as f32,
        _ => random.below(1 << 16) as f32 / 65536.0 * most,
    }
}

#[test]
fn points_and_primitives_are_the_tessellators() {
    let mut triangles = 0;
    for seed in seeds(0..60) {
        let mut random = Random(seed);
        let shape = random.pick(&Domain::ALL);
        let partitioning = random.pick(&Partitioning::ALL);
        let output = match (random.below(3), shape) {
            (0, _) => OutputPrimitive::Point,
            (_, Domain::Isoline) => OutputPrimitive::Line,
            (1, _) => OutputPrimitive::TriangleClockwise,
            _ => OutputPrimitive::TriangleCounterClockwise,
        };
        let most = random.pick(&[2.0, 5.0, 70.0]);
        let patches = 1 + random.below(if most > 50.0 { 20 } else { 200 });
        let mut vertices = Vec::new();
        let mut expected: Vec<u32> = Vec::new();
        let (mut primitives, mut points) = (0, 0);
        for patch in 0..patches {
            let equal = factor(&mut random, most);
            let is_equal = random.one_in(3);
            let factors: [f32; 6] = std::array::from_fn(|_| if is_equal { equal } else { factor(&mut random, most) });
            let own = [random.bits() as u32 | 1, patch as u32, 7].map(|word| f32::from_bits(word & 0x3fff_ffff));
            let attributes = [
                [factors[0], factors[1], factors[2], factors[3]],
                [factors[4], factors[5], 0.0, 0.0],
                [own[0], own[1], own[2], 0.0],
            ];
            vertices.extend(attributes.map(|attribute| vertex([0.0; 4], attribute)));
            let divided = tessellate(shape, partitioning, output, factors);
            let vertices_of_one = match output {
                OutputPrimitive::Point => 1,
                OutputPrimitive::Line => 2,
                _ => 3,
            };
            points += divided.points.len();
            primitives += divided.indices.len() / vertices_of_one;
            for &index in &divided.indices {
                let [u, v] = divided.points[index as usize];
                let w = if shape == Domain::Triangle { ONE - u - v } else { 0 };
                expected.extend([u, v, w].map(|word| (word as f32 / ONE as f32).to_bits()));
                expected.extend([1.0_f32.to_bits(), patch as u32]);
                expected.extend(own.map(f32::to_bits));
            }
        }
        // An incomplete patch is dropped.
        vertices.extend((0..random.below(3)).map(|_| vertex([0.0; 4], [2.0; 4])));
        let phases = factors_from_attributes(shape, POINTS);
        let hull = Hull { partitioning, ..Hull::new(shape, output, POINTS, &phases) };
        let coordinates = if shape == Domain::Triangle { "xyz" } else { "xy" };
        let declarations = format!("dcl_input vpc6.xyzw\ndcl_input vDomain.{coordinates}\ndcl_input vPrim");
        let code = format!(
            "{}mov o0.w, l(1.0)\nmov o1.x, vPrim\nmov o1.yzw, vpc6.xxyz",
            if shape == Domain::Triangle {
                "mov o0.xyz, vDomain.xyzx\n"
            } else {
                "mov o0.xy, vDomain.xyxx\nmov o0.z, l(0)\n"
            }
        );
        let (hull, domain) = (hull.container(), domain(shape, POINTS, &declarations, &code));
        let room = expected.len() + 8;
        let one = RoundSize { batches: 1, positions: 1, bytes: 0 };
        for (engine, threads, round) in [
            (Engine::Jit, 1, RoundSize::default()),
            (Engine::Jit, 8, one),
            (Engine::Interpreter, 2, RoundSize::default()),
        ] {
            let device = Device::builder().threads(threads).build().unwrap();
            let (found, statistics) = streamed(&device, engine, round, &hull, &domain, &vertices, room);
            let what = format!("seed {seed}: {shape:?}, {partitioning:?}, {output:?}, {engine}, {threads} threads");
            assert_eq!(statistics.streams[0].written, primitives as u64, "{what}");
            let counts = (statistics.primitives, statistics.hull_invocations, statistics.domain_invocations);
            assert_eq!(counts, (patches as u64, patches as u64, points as u64), "{what}");
            let differs = (0..expected.len()).find(|&n| found[n] != expected[n]);
            assert_eq!(differs, None, "{what}: {:?}", differs.map(|n| (found[n], expected[n])));
        }
        triangles += primitives;
    }
    println!("{triangles} primitives");
}
