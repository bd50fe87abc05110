//! Tests shaders that are too large for machine code, whichever part of them exceeds the limit, and stopping their
//! compilation.

use std::time::Duration;

use brolga_runtime::{CancelToken, CompileOptions, Device, Engine, Error, Limits, Oversize, StopReason};
use brolga_testing::run::{Devices, Structured};
use brolga_testing::script::Script;
use brolga_testing::shapes::{self, SHAPES};

fn device(code_instructions: u32) -> Device {
    let mut limits = Limits::default();
    limits.code_instructions = code_instructions;
    Device::builder().threads(1).limits(limits).build().unwrap()
}

/// One of each kind of construct, some with barriers in and around them.
fn scripts() -> Vec<Script> {
    let mut scripts: Vec<Script> = SHAPES.iter().map(|shape| (shape.make)(300)).collect();
    scripts.extend([shapes::group(64, 40, 24), shapes::group(40, 8, 0)]);
    for make in [shapes::carried_by_nested_blocks, shapes::carried_by_jumps, shapes::memory] {
        let mut script = make(300);
        script.body.insert(script.body.len() / 2, "sync_g_t".to_owned());
        script.body.insert(script.body.len() - 3, "sync_g_t".to_owned());
        scripts.push(script);
    }
    scripts
}

#[test]
fn the_interpreter_runs_what_is_too_large_or_nothing_does() {
    if brolga_jit::Options::host().is_none() {
        return;
    }
    let devices = Devices::new();
    for script in scripts() {
        let container = script.container();
        let (mut refused, mut compiled) = (0, 0);
        for limit in [1, 60, 200, 500, 1_000, 2_000, 4_000, 8_000, 1_000_000] {
            let device = device(limit);
            let options = CompileOptions::new(Engine::Jit);
            let strict = device.compile(&container, &options.clone().oversize(Oversize::Refuse));
            let shader = device.compile(&container, &options).unwrap();
            match strict {
                Ok(strict) => {
                    assert_eq!([strict.engine(), shader.engine()], [Engine::Jit; 2], "{} {limit}", script.name);
                    compiled += 1;
                }
                Err(Error::Compile(error)) if error.is_size() => {
                    assert!(error.to_string().contains(&limit.to_string()), "{error}");
                    assert_eq!(shader.engine(), Engine::Interpreter, "{} {limit}", script.name);
                    refused += 1;
                }
                Err(error) => panic!("{} with {limit} instructions: {error}", script.name),
            }
            if limit == 1 {
                let (input, before) = (script.input(), vec![0; script.output as usize]);
                let views = [
                    Structured { register: "t0", stride_bytes: 4, words: &input },
                    Structured { register: "u0", stride_bytes: 4, words: &before },
                ];
                assert_eq!(devices.run(&[shader], &views, script.name)[1], script.expected(), "{}", script.name);
            }
        }
        assert!(refused > 0 && compiled > 0, "{}: {refused} refused, {compiled} compiled", script.name);
    }
}

#[test]
fn compiling_stops() {
    let device = device(1_000_000);
    let container = shapes::floats(2_000).container();
    for engine in [Engine::Jit, Engine::Interpreter] {
        let options = CompileOptions::new(engine);
        let compile = |cancel: &CancelToken, limit| device.compile_until(&container, &options, cancel, limit);
        compile(&CancelToken::new(), Some(Duration::from_secs(1 << 20))).unwrap();
        let cancelled = CancelToken::new();
        cancelled.cancel();
        let error = compile(&cancelled, None).unwrap_err();
        assert!(matches!(error, Error::CompileStopped { why: StopReason::Cancelled }), "{error}");
        let limit = Duration::from_nanos(1);
        let error = compile(&CancelToken::new(), Some(limit)).unwrap_err();
        let is_time = matches!(error, Error::CompileStopped { why: StopReason::TimeLimit(said) } if said == limit);
        assert!(is_time, "{error}");
        assert!(error.to_string().contains("while the shader was compiled"), "{error}");
    }
}

/// Another thread cancels while the code generator runs, or just before or after: no one waits forever, and the device
/// remains usable.
#[test]
fn compiling_is_cancelled_by_another_thread() {
    let device = device(1_000_000);
    let (large, small) = (shapes::floats(4_000).container(), shapes::floats(10).container());
    for spins in [0, 1_000, 1_000_000] {
        let cancel = CancelToken::new();
        let token = cancel.clone();
        let result = std::thread::scope(|scope| {
            scope.spawn(move || {
                (0..spins).for_each(|_| std::hint::spin_loop());
                token.cancel();
            });
            device.compile_until(&large, &CompileOptions::default(), &cancel, None)
        });
        match result {
            Ok(_) | Err(Error::CompileStopped { why: StopReason::Cancelled }) => {}
            Err(error) => panic!("{error}"),
        }
        device.compile(&small, &CompileOptions::default()).unwrap();
    }
}
