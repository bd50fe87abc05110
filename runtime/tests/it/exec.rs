//! Runs the executions of the corpus: every compiled form, on both engines, with vectors of every size, with one and
//! two threads. The expected results were calculated from their source, without us. The engines must agree bit for bit
//! where the order of threads does not matter.

use std::time::Duration;

use brolga_runtime::{CpuFeatures, Device, Engine, VectorBytes};

use crate::support::case::Case;
use crate::support::{self, ENGINES};

/// Numbers of threads and sizes of vectors to run code of an engine with.
fn devices(engine: Engine) -> Vec<(usize, VectorBytes)> {
    let features = CpuFeatures::detect().filter(|_| engine == Engine::Jit);
    let sizes = features.map_or(vec![VectorBytes::Sixteen], |features| VectorBytes::of(features).collect());
    sizes.into_iter().flat_map(|size| [(1, size), (2, size)]).collect()
}

fn run(name: &str) {
    let case = Case::read(name);
    let mut failures = Vec::new();
    for (form, shader) in case.shaders() {
        let mut first: Option<support::case::Outputs> = None;
        for &engine in ENGINES {
            for (threads, size) in devices(engine) {
                let device = Device::builder()
                    .threads(threads)
                    .wakes_threads_from(Duration::ZERO)
                    .vector_bytes(size)
                    .build()
                    .unwrap();
                let outputs = match case.run(&device, &shader, engine) {
                    Ok(outputs) => outputs,
                    Err(what) => {
                        failures.push(format!("{form}, {engine}, {threads} threads, {size:?}: {what}"));
                        continue;
                    }
                };
                for (slot, bytes) in first.get_or_insert_with(|| outputs.clone()) {
                    if !case.is_unordered(slot) && *bytes != outputs[slot] {
                        failures.push(format!("{form}, {engine}, {threads} threads, {size:?}: {slot} has other bits"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

macro_rules! cases {
    ($($name:ident)+) => {
        $(
            #[test]
            fn $name() {
                run(stringify!($name));
            }
        )+
    };
}

cases! {
    append_consume atomic_ops atomic_returns bit_ops bitonic_sort bvh_trace collatz_switch crc32_table double_arith
    double_mandelbrot f16_convert fft256 float_special int_alu matmul_tiled nbody_step particles pcg_hash prefix_scan
    sha256_block stack_machine typed_formats udiv_zero vec_add_raw

    mandelbrot_precise dimensions histogram out_of_bounds tonemap_unorm blur_separable
}
