//! Random geometry shaders with random stream output, three draws in a row, against plain models: every bit of the
//! buffers and every count.
//!
//! `BROLGA_SEEDS` selects the shaders. Each runs on both engines, in rounds of any size.

use brolga::raster::{
    Draw, IndexBuffer, InputElement, Pass, Pipeline, PipelineDesc, RoundSize, StreamTarget, Targets, Topology,
};
use brolga::{Buffer, CompileOptions, Device, Engine, Format, StageKind, Stages};
use brolga_testing::random::{Random, seeds};
use brolga_testing::run::module;
use brolga_testing::strips;

use super::super::drawing::shaders::shader;
use super::program::{Program, ROWS};
use super::stream::{Buffers, declaration, primitives};

/// A vertex: the words of its registers.
type Vertex = [[u32; 4]; ROWS as usize];

/// One of the draws.
struct OneDraw {
    indices: Vec<u32>,
    instances: u32,
    /// For each buffer that is bound where writing begins, in words.
    bound: Vec<Option<Option<usize>>>,
}

/// The vertex shader, which copies words.
fn vertex() -> Vec<u8> {
    let rows = |name: &str| [0, 1, 2].map(|row| format!("{name} {row} xyzw {row} NONE uint"));
    let [inputs, outputs] = [rows("IN"), rows("MID")];
    let code = (0..ROWS).map(|row| format!("dcl_input v{row}.xyzw\ndcl_output o{row}.xyzw\n"));
    let moves = (0..ROWS).map(|row| format!("mov o{row}.xyzw, v{row}.xyzw\n"));
    let code: String =
        ["dcl_globalFlags refactoringAllowed\n".to_owned()].into_iter().chain(code).chain(moves).collect();
    shader("vs_5_0", &inputs.each_ref().map(String::as_str), &outputs.each_ref().map(String::as_str), &code)
}

/// The container of a program.
fn geometry(program: &Program) -> Vec<u8> {
    let inputs = [0, 1, 2].map(|row| format!("MID {row} xyzw {row} NONE uint"));
    let outputs = program.outputs();
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    shader("gs_5_0", &inputs.each_ref().map(String::as_str), &outputs, &program.text())
}

/// Checks one shader; returns how many primitives its model emits, and how many are written.
fn check(devices: &[Device], vertex: &[u8], seed: u64) -> [u64; 2] {
    let mut random = Random(seed);
    let topology = random.pick(&strips::TOPOLOGIES);
    let (topology, control_points) = match random.one_in(8) {
        true => (format!("{}_CONTROL_POINT_PATCHLIST", 1 + random.below(32)), true),
        false => (topology.to_owned(), false),
    };
    let topology_of = Topology::from_name(&topology).unwrap();
    let primitive = topology_of.primitive();
    let name: &'static str = primitive.to_string().leak();
    assert_eq!(name.starts_with("patch"), control_points);
    let program = Program::new(&mut random, name, primitive.vertices());
    let output = declaration(&mut random, &program);
    let vertices: Vec<Vertex> = (0..40).map(|_| [(); 3].map(|()| [(); 4].map(|()| random.word()))).collect();
    let sizes: Vec<usize> = (0..4).map(|_| random.pick(&[0, 5, 100, 3000])).collect();
    let draws: Vec<OneDraw> = (0..3).map(|_| one_draw(&mut random, &sizes)).collect();

    // The models.
    let filling = 0x5555_5555;
    let mut expected = Buffers { words: sizes.iter().map(|&size| vec![filling; size]).collect(), filled: vec![0; 4] };
    let mut counts = Vec::new();
    for draw in &draws {
        let mut all = Vec::new();
        let mut invocations = 0;
        for _ in 0..draw.instances {
            for (id, primitive) in (0..).zip(strips::primitives(&topology, &draw.indices)) {
                let own: Vec<Vertex> =
                    primitive.iter().map(|&index| vertices.get(index as usize).copied().unwrap_or_default()).collect();
                for instance in 0..program.instances {
                    all.extend(primitives(&program, &program.run(&own, id, instance)));
                    invocations += 1;
                }
            }
        }
        counts.push((invocations, all.len() as u64, expected.draw(&program, &output, &draw.bound, &all)));
    }

    let (bytes, text) = (geometry(&program), program.text());
    for engine in [Engine::Jit, Engine::Interpreter] {
        let device = &devices[random.below(devices.len())];
        let mut desc = PipelineDesc::new(&module(vertex), None);
        desc.modules[StageKind::Geometry] = Some(module(&bytes));
        for row in 0..ROWS {
            let element = InputElement::new("IN", Format::R32G32B32A32_UINT, 16 * row);
            desc = desc.input(InputElement { index: row, ..element });
        }
        desc.topology = topology_of;
        desc.stream_output = Some(output.clone());
        desc.options = Stages::from(CompileOptions::new(engine));
        let pipeline = Pipeline::new(device, &desc).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let round = random.pick(&[
            RoundSize::default(),
            RoundSize { batches: 1, ..RoundSize::default() },
            RoundSize { bytes: 0, ..RoundSize::default() },
        ]);
        let mut pass = Pass::new(device, Targets::default()).unwrap().with_round(round);
        let buffers: Vec<Buffer> =
            sizes.iter().map(|&size| device.buffer_from(&vec![filling; size]).unwrap()).collect();
        let of_vertices = device.buffer_from(&vertices).unwrap();
        for draw in &draws {
            let mut call = Draw::new(&pipeline, draw.indices.len() as u32);
            call = call.vertex_buffer(of_vertices.clone(), 16 * ROWS);
            let buffer = device.buffer_from(&draw.indices).unwrap();
            call = call.index_buffer(IndexBuffer { buffer, offset_bytes: 0, is_short: false });
            call.instances = draw.instances;
            let target = |(n, bound): (usize, &Option<Option<usize>>)| {
                let offset_bytes = (*bound)?.map(|word| 4 * word as u64);
                Some(StreamTarget { buffer: buffers[n].clone(), offset_bytes })
            };
            call.stream_targets = draw.bound.iter().enumerate().map(target).collect();
            pass.draw(&call).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{output:?}"));
        }
        let found = pass.finish().unwrap();
        for (n, (statistics, expected)) in found.iter().zip(&counts).enumerate() {
            let streams = statistics.streams.map(|stream| [stream.written, stream.needed]);
            let found = (statistics.geometry_invocations, statistics.geometry_primitives, streams);
            assert_eq!(found, *expected, "seed {seed}, {engine}, draw {n}, {topology}\n{output:?}\n{text}");
        }
        for (n, buffer) in buffers.iter().enumerate() {
            let found: Vec<u32> = buffer.to_vec().unwrap();
            let at = found.iter().zip(&expected.words[n]).position(|(a, b)| a != b);
            assert_eq!(at, None, "seed {seed}, {engine}, {topology}: buffer {n}\n{output:?}\n{text}");
            if draws.iter().any(|draw| draw.bound.get(n).is_some_and(Option::is_some)) {
                assert_eq!(buffer.filled_bytes(), 4 * expected.filled[n] as u64, "seed {seed}, buffer {n}");
            }
        }
    }
    counts.iter().fold([0; 2], |[emitted, written], (_, own, streams)| {
        [emitted + own, written + streams.iter().map(|[written, _]| written).sum::<u64>()]
    })
}

fn one_draw(random: &mut Random, sizes: &[usize]) -> OneDraw {
    let cuts = random.pick(&[0, 5, 12]);
    let index = |random: &mut Random| match cuts > 0 && random.one_in(cuts) {
        true => strips::CUT,
        // One is out of range.
        false => random.below(41) as u32,
    };
    let indices = (0..random.below(60)).map(|_| index(random)).collect();
    let bound = |random: &mut Random, size: usize| match random.below(6) {
        0 => None,
        1 | 2 => Some(None),
        _ => Some(Some(random.pick(&[0, 0, 1, size / 2]))),
    };
    let bound = sizes.iter().map(|&size| bound(random, size)).collect();
    OneDraw { indices, instances: random.pick(&[1, 1, 2, 3]), bound }
}

#[test]
fn random_geometry_shaders_stream_out_what_models_say() {
    let devices = [1, 2].map(|threads| Device::builder().threads(threads).build().unwrap());
    let vertex = vertex();
    let seeds = seeds(0..400);
    let count = seeds.end - seeds.start;
    let [mut emitted, mut written] = [0, 0];
    for seed in seeds {
        let [of_shader, of_buffers] = check(&devices, &vertex, seed);
        (emitted, written) = (emitted + of_shader, written + of_buffers);
    }
    println!("{count} shaders emit {emitted} primitives, {written} of which are written");
    assert!(emitted > 100 * count && written > 10 * count, "{emitted} primitives, {written} written");
}
