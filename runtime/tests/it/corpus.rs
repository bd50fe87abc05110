//! Tests that every compute shader of the corpus compiles on every engine, for vectors of every size, and gives the
//! same bits on random data, in one thread: the order of threads is part of what the engines agree on. The interpreter
//! runs in the default float mode, machine code in that of a host.
//!
//! Each runs on wild data, with which some loops never end, and on tame data, with which they do.

use brolga_runtime::{BindingRules, Bindings, CpuFeatures, Device, Dispatch, Engine, Shader, VectorBytes};

use brolga_testing::modes::as_host;

use crate::support::case::{compute_shaders, data};
use crate::support::random::{Random, bind};
use crate::support::{self, ENGINES};

/// Loop iterations for a group: random data make some loops endless.
const FUEL: u64 = 20_000;

/// State after a run: its outcome, and the content of every view with its counter.
type After = (String, Vec<(String, Vec<u8>, Option<u32>)>);

/// Does something with an engine in the float mode that is its own.
fn held<T>(engine: Engine, entry: impl FnOnce() -> T) -> T {
    match engine {
        Engine::Interpreter => entry(),
        _ => as_host(entry),
    }
}

fn run(device: &Device, shader: &Shader, mut random: Random) -> After {
    let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
    bind(device, shader, &mut random, &mut bindings);
    let dispatch = Dispatch::new([2, 2, 1]).fuel(FUEL);
    let end = match held(shader.engine(), || device.dispatch(shader, &bindings, &dispatch)) {
        Ok(_) => "done".to_owned(),
        Err(error) => error.to_string(),
    };
    let views = bindings.iter().map(|(register, view)| {
        (register.to_string(), view.to_vec().unwrap(), view.counter().map(|counter| counter.get()))
    });
    (end, views.collect())
}

/// Each engine, machine code for vectors of each size that the processor has: its name and a device.
fn ways() -> Vec<(Engine, String, Device)> {
    let mut ways = Vec::new();
    for &engine in ENGINES {
        let features = CpuFeatures::detect().filter(|_| engine == Engine::Jit);
        let sizes = features.map_or(vec![VectorBytes::Sixteen], |features| VectorBytes::of(features).collect());
        for size in sizes {
            let device = Device::builder().threads(1).vector_bytes(size).build().unwrap();
            ways.push((engine, format!("{engine}, vectors of {} bytes", size.count()), device));
        }
    }
    ways
}

#[test]
fn engines_agree_on_random_data() {
    let ways = ways();
    let (mut failures, mut ran, mut stopped) = (Vec::new(), 0, Vec::new());
    for (seed, path) in (1..).zip(compute_shaders()) {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.strip_prefix(data()).unwrap_or(&path).display().to_string();
        let mut first: Option<[After; 2]> = None;
        for (engine, what, device) in &ways {
            let shader = match held(*engine, || support::compile(device, &bytes, *engine)) {
                Ok(shader) => shader,
                Err(error) => {
                    failures.push(format!("{name}, {what}: {error}"));
                    continue;
                }
            };
            let after = [Random::wild(seed), Random::tame(seed)].map(|random| run(device, &shader, random));
            let first = first.get_or_insert_with(|| after.clone());
            for ((kind, expected), actual) in ["wild", "tame"].into_iter().zip(first).zip(&after) {
                if let Some(difference) = difference(expected, actual) {
                    failures.push(format!("{name}, {what}, {kind} data of seed {seed}: {difference}"));
                }
            }
        }
        if let Some([_, (end, _)]) = first {
            ran += 1;
            if end != "done" {
                stopped.push(format!("{name}: {end}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} of {ran} differ or fail\n{}", failures.len(), failures.join("\n"));
    assert!(ran > 215 && stopped.len() < 10, "{ran} shaders ran; not to their end\n{}", stopped.join("\n"));
}

fn difference(first: &After, second: &After) -> Option<String> {
    if second.0.contains("internal") {
        return Some(second.0.clone());
    }
    if first.0 != second.0 {
        return Some(format!("ended with `{}`, the first engine with `{}`", second.0, first.0));
    }
    for ((register, expected, counter), (_, actual, other_counter)) in first.1.iter().zip(&second.1) {
        if counter != other_counter {
            return Some(format!("{register}: counter {other_counter:?}, the first engine's {counter:?}"));
        }
        if let Some(at) = (0..expected.len()).find(|&at| expected[at] != actual[at]) {
            let word = at / 4 * 4..(at / 4 * 4 + 4).min(expected.len());
            let [actual, expected] = [&actual[word.clone()], &expected[word.clone()]];
            return Some(format!("{register}: byte {at}: word {actual:02x?}, the first engine's {expected:02x?}"));
        }
    }
    None
}
