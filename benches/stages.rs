//! Measures the stages of a shader's compilation, for a small, a middling and a large shader: decoding and checking,
//! translation, the passes, verification, machine code, all of it together, and the same from the disk cache; and the
//! overhead of a dispatch beside the shader.
//!
//! Unit: time per shader, and bytecode per second; for dispatches time per dispatch. Read ratios within one run. `cargo
//! bench --bench stages` runs all, `cargo bench --bench stages -- dispatch` those with that name.

use std::hint::black_box;
use std::path::Path;

use brolga::{ArrayWords, Bindings, Cache, CompileOptions, Device, Dispatch, Engine, Register, View};
use brolga_bytecode::{Limits, LoadOptions, Shader, assembler};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::verify;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};

/// Shaders of the corpus: 6, 38 and 3,111 instructions.
const SHADERS: [(&str, &str); 3] = [
    ("small", "exec/vec_add_raw/shader.main.cs_5_0.cso"),
    ("middle", "exec/nbody_step/shader.main.cs_5_0.cso"),
    ("large", "compute/big.march.cs_5_0.cso"),
];

fn read(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name);
    std::fs::read(path).expect("the corpus is part of the repository")
}

fn stages(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("one thread needs no pool");
    let folder = tempfile::tempdir().expect("a place for temporary files");
    let cache = Cache::open(folder.path()).expect("a private folder");
    let cached = Device::builder().threads(1).cache(cache).build().expect("one thread needs no pool");
    for (size, name) in SHADERS {
        let container = read(name);
        let loading = LoadOptions::default();
        let load = || Shader::load(black_box(&container), &loading).expect("a good shader");
        let shader = load();
        let translated = || translate(&shader.program, &TranslateOptions::default()).expect("supported");
        let optimised = || {
            let mut func = translated();
            optimise(&mut func, Level::Full);
            func
        };
        let verified = verify(optimised()).expect("the passes keep what is verified");

        let mut group = c.benchmark_group(size);
        group.throughput(Throughput::Bytes(container.len() as u64));
        group.bench_function("decode", |b| b.iter(load));
        group.bench_function("translate", |b| b.iter(translated));
        group.bench_function("passes", |b| {
            b.iter_batched_ref(translated, |func| optimise(func, Level::Full), BatchSize::LargeInput);
        });
        group.bench_function("verify", |b| b.iter_batched(optimised, verify, BatchSize::LargeInput));
        if let Some(options) = brolga_jit::Options::host() {
            group.bench_function("machine code", |b| {
                b.iter_with_large_drop(|| brolga_jit::compile(black_box(&verified), &options))
            });
        }
        group.bench_function("whole", |b| {
            b.iter(|| device.compile(&container, &CompileOptions::new(Engine::best())).expect("a good shader"));
        });
        group.bench_function("from the cache", |b| {
            b.iter(|| cached.compile(&container, &CompileOptions::new(Engine::best())).expect("a good shader"));
        });
        group.finish();
    }
}

/// The cost of dispatches that do almost nothing: one group of one copy, and many groups, which several threads share.
fn dispatches(c: &mut Criterion) {
    let (_, name) = SHADERS[0];
    let mut group = c.benchmark_group("dispatch");
    for (what, threads, groups) in
        [("one group", 1, 1), ("1024 groups", 1, 1024), ("1024 groups on two threads", 2, 1024)]
    {
        let device = Device::builder().threads(threads).build().expect("a small pool");
        let shader = device.compile(&read(name), &CompileOptions::default()).expect("a good shader");
        let mut bindings = Bindings::new();
        for declared in shader.bindings() {
            let buffer = device.buffer(1 << 20).expect("a small buffer");
            bindings.set(declared.register, View::raw(buffer).expect("a good view"));
        }
        let dispatch = Dispatch::new([groups, 1, 1]);
        group.throughput(Throughput::Elements(groups.into()));
        group.bench_function(what, |b| {
            b.iter(|| device.dispatch(&shader, &bindings, &dispatch).expect("runs"));
        });
    }
    group.finish();
}

/// The cost of the suite's case `tiny`, one group that counts up 64 words, by the objects that exist before it: none, a
/// bound shader, one bound but for one register, a worker of the caller's.
fn bound(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("one thread needs no pool");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bench/suite/src/shaders/tiny.cso");
    let container = std::fs::read(path).expect("the suite is part of the repository");
    let shader = device.compile(&container, &CompileOptions::default()).expect("a good shader");
    let buffers = [0; 2].map(|_| device.buffer(256).expect("a small buffer"));
    let views = buffers.map(|buffer| View::structured(buffer, 4).expect("a good view"));
    let register: Register = "u0".parse().expect("a register");
    let mut bindings = Bindings::new();
    bindings.set(register, views[0].clone());
    let dispatch = Dispatch::new([1, 1, 1]);
    let mut group = c.benchmark_group("dispatch");
    group.bench_function("tiny", |b| {
        b.iter(|| device.dispatch(&shader, &bindings, &dispatch).expect("runs"));
    });
    let mut bound = device.bind(&shader, &bindings).expect("it fits");
    group.bench_function("tiny, bound", |b| b.iter(|| bound.dispatch(&dispatch).expect("runs")));
    let mut turn = 0;
    group.bench_function("tiny, bound, another view each time", |b| {
        b.iter(|| {
            turn ^= 1;
            bound.set(register, views[turn].clone()).expect("it fits");
            bound.dispatch(&dispatch).expect("runs")
        });
    });
    let mut worker = bound.worker().expect("there is memory");
    let mut session = worker.begin(&dispatch).expect("nothing stops it");
    group.bench_function("tiny, on a worker", |b| b.iter(|| session.run(black_box(0..1)).expect("runs")));
    group.finish();
}

/// A batch of one packet of vertices, which are transformed, on a worker that is kept.
fn batches(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("one thread needs no pool");
    let text = "vs_5_0
        dcl_constantbuffer CB0[4], immediateIndexed
        dcl_input v0.xyzw
        dcl_output_siv o0.xyzw, position
        dp4 o0.x, v0.xyzw, cb0[0].xyzw
        dp4 o0.y, v0.xyzw, cb0[1].xyzw
        dp4 o0.z, v0.xyzw, cb0[2].xyzw
        dp4 o0.w, v0.xyzw, cb0[3].xyzw
        ret";
    let assembly = assembler::assemble(text, &Limits::default()).expect("a good shader");
    let shader = device.compile(&assembly.bytes, &CompileOptions::default()).expect("a good shader");
    let matrix = device.buffer(64).expect("a small buffer");
    let mut bindings = Bindings::new();
    bindings.set(Register::b(0), View::constant(matrix).expect("a good view"));
    let bound = device.bind(&shader, &bindings).expect("it fits");
    let mut worker = bound.worker().expect("there is memory");
    let dispatch = Dispatch::new([0; 3]);
    let mut session = worker.begin(&dispatch).expect("nothing stops it");
    let lanes = brolga::Width::Sixteen.lanes();
    let (inputs, mut outputs) = (vec![0x3f80_0000; 4 * lanes as usize], vec![0; 4 * lanes as usize]);
    let mut group = c.benchmark_group("batch");
    group.bench_function(format!("{lanes} vertices, on a worker"), |b| {
        b.iter(|| {
            let arrays = &mut [ArrayWords::Read(&inputs), ArrayWords::Write(&mut outputs)];
            session.batch(black_box(lanes), arrays).expect("runs");
        });
    });
    group.finish();
}

criterion_group!(benches, stages, dispatches, bound, batches);
criterion_main!(benches);
