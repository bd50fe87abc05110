//! Tests the order in which things may be dropped: devices, shaders, views, tokens and threads in every order, and from
//! many threads at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use brolga_runtime::{
    Bindings, Buffer, CancelToken, CompileOptions, Device, Dispatch, Engine, Error, Pool, Progress, Shader, StopReason,
    Task, View,
};

use crate::support::case::compute_shaders;
use crate::support::content::bind;
use crate::support::random::{Random, contents};
use crate::support::{self, ENGINES};

const GROUPS: u32 = 300;

fn shader(device: &Device, entry: &str, engine: Engine) -> Shader {
    support::shader(device, &format!("endless.{entry}"), engine)
}

/// Bindings for the shaders of `endless.hlsl`, and the buffer that they write.
fn bindings(device: &Device, rounds: u32) -> (Bindings, Buffer) {
    let result = device.buffer(u64::from(GROUPS) * 20 * 4).unwrap();
    let mut bindings = Bindings::new();
    let rounds = device.buffer_from(&[rounds]).unwrap();
    bindings.set("b0".parse().unwrap(), View::constant(rounds).unwrap());
    bindings.set("u0".parse().unwrap(), View::raw(result.clone()).unwrap());
    (bindings, result)
}

/// Checks the words that the shader `sum` writes.
fn check_sums(result: &Buffer, rounds: u32) {
    for (thread, sum) in (0..).zip(result.to_vec::<u32>().unwrap()) {
        let group: u32 = thread / 20;
        let expected = (20 * group..20 * group + 20).sum::<u32>() + rounds;
        assert_eq!(sum, expected, "thread {thread}");
    }
}

#[test]
fn shaders_and_buffers_outlive_their_device() {
    for &engine in ENGINES {
        let first = Device::builder().threads(3).wakes_threads_from(Duration::ZERO).build().unwrap();
        let sum = shader(&first, "sum", engine);
        let (bindings, result) = bindings(&first, 4);
        drop(first);
        let second = Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().unwrap();
        second.dispatch(&sum, &bindings, &Dispatch::new([GROUPS, 1, 1])).unwrap();
        drop((second, sum, bindings));
        check_sums(&result, 4);
    }
}

/// A dispatch keeps alive everything that it needs.
#[test]
fn everything_may_be_dropped_while_a_dispatch_runs() {
    for &engine in ENGINES {
        let device = Device::builder().threads(3).wakes_threads_from(Duration::ZERO).build().unwrap();
        let endless = shader(&device, "plain", engine);
        let (bindings, result) = bindings(&device, 7);
        let (token, progress) = (CancelToken::new(), Progress::new());
        let dispatch = Dispatch::new([GROUPS, 1, 1]).cancel(token.clone()).progress(progress.clone());
        let started = Arc::new(Barrier::new(2));
        let run = {
            let (device, endless, bindings, started) =
                (device.clone(), endless.clone(), bindings.clone(), started.clone());
            std::thread::spawn(move || {
                started.wait();
                device.dispatch(&endless, &bindings, &dispatch).unwrap_err()
            })
        };
        started.wait();
        drop((device, endless, bindings, result, progress));
        token.cancel();
        let why = match run.join().unwrap() {
            Error::Stopped { why, .. } | Error::StoppedBetweenGroups { why, .. } => why,
            other => panic!("{other}"),
        };
        assert_eq!(why, StopReason::Cancelled);
    }
}

#[test]
fn a_panic_while_threads_are_borrowed_is_passed_on_when_the_others_are_done() {
    let tasks = Arc::new(AtomicUsize::new(0));
    let spawn = {
        let tasks = tasks.clone();
        move |task: Task| {
            if tasks.fetch_add(1, Ordering::Relaxed) == 1 {
                panic!("no second thread");
            }
            std::thread::spawn(task);
        }
    };
    let device = Device::builder().pool(Pool::borrowed(3, spawn)).wakes_threads_from(Duration::ZERO).build().unwrap();
    let sum = shader(&device, "sum", Engine::best());
    let (bindings, result) = bindings(&device, 4);
    let dispatch = Dispatch::new([GROUPS, 1, 1]);
    let run = || device.dispatch(&sum, &bindings, &dispatch);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no second thread"));
    // No thread writes any more: all that were inside have left.
    let after: Vec<u32> = result.to_vec().unwrap();
    device.dispatch(&sum, &bindings, &dispatch).unwrap();
    check_sums(&result, 4);
    for (now, then) in result.to_vec::<u32>().unwrap().into_iter().zip(after) {
        assert!(now == then || then == 0);
    }
}

/// A task that is run long after its dispatch does nothing and keeps nothing.
#[test]
fn late_tasks_do_nothing() {
    let kept: Arc<Mutex<Vec<Task>>> = Arc::default();
    let spawn = {
        let kept = kept.clone();
        move |task| kept.lock().unwrap().push(task)
    };
    let device = Device::builder().pool(Pool::borrowed(4, spawn)).wakes_threads_from(Duration::ZERO).build().unwrap();
    let sum = shader(&device, "sum", Engine::best());
    let (bindings, result) = bindings(&device, 4);
    device.dispatch(&sum, &bindings, &Dispatch::new([GROUPS, 1, 1])).unwrap();
    drop((sum, bindings));
    let zeros = vec![0u8; result.size_bytes() as usize];
    result.write(0, &zeros).unwrap();
    let tasks = std::mem::take(&mut *kept.lock().unwrap());
    assert_eq!(tasks.len(), 3);
    tasks.into_iter().for_each(|task| task());
    assert_eq!(result.to_vec::<u8>().unwrap(), zeros);
}

#[test]
fn sixteen_threads_may_use_one_device() {
    let device = Device::builder().threads(3).wakes_threads_from(Duration::ZERO).build().unwrap();
    let sum = shader(&device, "sum", Engine::best());
    let start = Barrier::new(16);
    std::thread::scope(|scope| {
        for caller in 0..16 {
            let (device, sum, start) = (&device, &sum, &start);
            scope.spawn(move || {
                let (bindings, result) = bindings(device, caller);
                start.wait();
                for _ in 0..10 {
                    result.write(0, &vec![0u8; result.size_bytes() as usize]).unwrap();
                    device.dispatch(sum, &bindings, &Dispatch::new([GROUPS, 1, 1])).unwrap();
                    check_sums(&result, caller);
                }
            });
        }
    });
}

#[test]
fn shaders_compiled_at_the_same_time_are_the_same() {
    let device = Device::builder().threads(1).build().unwrap();
    let files: Vec<Vec<u8>> = compute_shaders().iter().step_by(23).map(|path| std::fs::read(path).unwrap()).collect();
    let run = |file: &[u8]| {
        let shader = device.compile(file, &CompileOptions::default()).ok()?;
        let contents = contents(&shader, &mut Random::tame(5));
        let bindings = bind(&contents, &device);
        let dispatch = Dispatch::new([2, 1, 1]).fuel(2_000);
        let end = device.dispatch(&shader, &bindings, &dispatch).map(|_| ()).map_err(|error| error.to_string());
        let views: Vec<Vec<u8>> = bindings.iter().map(|(_, view)| view.to_vec().unwrap()).collect();
        Some((shader.code_bytes(), end, views))
    };
    let expected: Vec<_> = files.iter().map(|file| run(file)).collect();
    assert!(expected.iter().flatten().count() > 5);
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for first in 0..8 {
            let (files, expected, start) = (&files, &expected, &start);
            scope.spawn(move || {
                start.wait();
                for n in (first..first + files.len()).map(|n| n % files.len()) {
                    assert_eq!(run(&files[n]), expected[n], "shader {n}");
                }
            });
        }
    });
}

#[test]
fn a_token_serves_many_runs_until_it_is_cancelled() {
    let device = Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().unwrap();
    let sum = shader(&device, "sum", Engine::best());
    let (bindings, result) = bindings(&device, 4);
    let token = CancelToken::new();
    let dispatch = Dispatch::new([GROUPS, 1, 1]).cancel(token.clone());
    for _ in 0..20 {
        device.dispatch(&sum, &bindings, &dispatch).unwrap();
    }
    check_sums(&result, 4);
    token.cancel();
    for _ in 0..3 {
        token.cancel();
        let error = device.dispatch(&sum, &bindings, &dispatch).unwrap_err();
        assert_eq!(error.to_string(), format!("the run was cancelled after 0 of {GROUPS} groups"));
    }
}

#[test]
fn without_time_nothing_runs() {
    for &engine in ENGINES {
        let device = Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().unwrap();
        let sum = shader(&device, "sum", engine);
        let (bindings, result) = bindings(&device, 4);
        let dispatch = Dispatch::new([GROUPS, 1, 1]).time_limit(Duration::ZERO);
        let error = device.dispatch(&sum, &bindings, &dispatch).unwrap_err();
        assert_eq!(error.to_string(), format!("the time limit of 0ns stopped the run after 0 of {GROUPS} groups"));
        assert!(result.to_vec::<u32>().unwrap().iter().all(|&sum| sum == 0));
        // A cancelled token says more than a time limit that was not waited for.
        let token = CancelToken::new();
        token.cancel();
        let error = device.dispatch(&sum, &bindings, &dispatch.cancel(token)).unwrap_err();
        assert_eq!(error.to_string(), format!("the run was cancelled after 0 of {GROUPS} groups"));
    }
}
