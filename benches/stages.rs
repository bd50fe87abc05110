//! What each stage of a shader's way costs: decoding and checking, translation and passes, machine code, and a dispatch
//! of one group. Unit: time per shader, or per dispatch. Read ratios within one run.
//!
//! `cargo bench` runs all; `cargo bench -- dispatch` those with that name.

use std::hint::black_box;
use std::path::Path;

use brolga::{Bindings, CompileOptions, Device, Dispatch, Engine, View};
use criterion::{Criterion, criterion_group, criterion_main};

/// A small, a middling and a large shader of the corpus.
const SHADERS: [&str; 3] = [
    "exec/vec_add_raw/shader.main.cs_5_0.cso",
    "exec/nbody_step/shader.main.cs_5_0.cso",
    "compute/big.march.cs_5_0.cso",
];

fn read(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    std::fs::read(path).expect("the corpus is part of the repository")
}

fn stages(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("a small pool");
    for name in SHADERS {
        let container = read(name);
        let loading = brolga_bytecode::LoadOptions::default();
        c.bench_function(&format!("decode {name}"), |b| {
            b.iter(|| brolga_bytecode::Shader::load(black_box(&container), &loading).expect("a good shader"));
        });
        let shader = brolga_bytecode::Shader::load(&container, &loading).expect("a good shader");
        c.bench_function(&format!("translate {name}"), |b| {
            b.iter(|| {
                let options = brolga_ir::translate::sm5::TranslateOptions::default();
                let mut func = brolga_ir::translate::sm5::translate(&shader.program, &options).expect("supported");
                brolga_ir::passes::optimise(&mut func, brolga_ir::passes::Level::Full);
                func
            });
        });
        c.bench_function(&format!("compile, all stages, {name}"), |b| {
            b.iter(|| device.compile(&container, &CompileOptions::new(Engine::Jit)).expect("a good shader"));
        });
    }
}

/// The price of a dispatch that does almost nothing: one group of one raw copy.
fn dispatch(c: &mut Criterion) {
    let device = Device::builder().threads(1).build().expect("a small pool");
    let container = read(SHADERS[0]);
    let shader = device.compile(&container, &CompileOptions::new(Engine::Jit)).expect("a good shader");
    let mut bindings = Bindings::new();
    for declared in shader.bindings() {
        let buffer = device.buffer(1 << 16).expect("a small buffer");
        let view = match declared.register.class {
            brolga::ResourceClass::Constant => View::constant(buffer),
            _ => View::raw(buffer),
        };
        bindings.set(declared.register, view.expect("a good view"));
    }
    c.bench_function("dispatch of one group", |b| {
        b.iter(|| device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1])).expect("runs"));
    });
}

criterion_group!(benches, stages, dispatch);
criterion_main!(benches);
