//! Tests which dispatches are accepted and what they cover: boxes of groups, limits, shaders that cannot be dispatched,
//! memory around views.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use brolga_runtime::{
    BindingRules, Bindings, CancelToken, Codegen, CompileOptions, Device, Dispatch, Emit, Engine, Error, Limit, Limits,
    Pool, Register, Shader, View,
};

use crate::support::case::data;
use crate::support::{self, ENGINES};

fn device() -> Device {
    Device::builder().threads(2).wakes_threads_from(Duration::ZERO).build().unwrap()
}

/// The shader `sum` of `endless.hlsl`: groups of 20 threads, each writes the sum of its group's thread numbers to
/// `u0[thread]`, plus the constant in `b0`.
fn sum(device: &Device, engine: Engine) -> Shader {
    support::shader(device, "endless.sum", engine)
}

fn sum_of_group(group: u32) -> u32 {
    (20 * group..20 * group + 20).sum()
}

#[test]
fn any_box_of_groups_is_covered_once() {
    for &engine in ENGINES {
        let device = device();
        let shader = sum(&device, engine);
        for (first, groups) in [(0, 16), (3, 5), (15, 1), (4, 0)] {
            let buffer = device.buffer(16 * 20 * 4).unwrap();
            let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
            bindings.set("u0".parse().unwrap(), View::raw(buffer.clone()).unwrap());
            let dispatch = Dispatch::new([groups, 1, 1]).first_group([first, 0, 0]);
            let report = device.dispatch(&shader, &bindings, &dispatch).unwrap();
            assert_eq!((report.groups, report.threads), (groups.into(), u64::from(groups) * 20));
            for (thread, sum) in (0..).zip(buffer.to_vec::<u32>().unwrap()) {
                let group = thread / 20;
                let expected = if (first..first + groups).contains(&group) { sum_of_group(group) } else { 0 };
                assert_eq!(sum, expected, "{engine} {thread}");
            }
        }
    }
}

#[test]
fn memory_around_a_view_stays_as_it_was() {
    for &engine in ENGINES {
        let device = device();
        let shader = sum(&device, engine);
        // 53 words, so that the last groups are outside, between guards that are no multiples of a vector.
        let (before, size) = (20, 53 * 4);
        let buffer = device.buffer_from(&[0xa5u8; 300]).unwrap();
        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        bindings.set("u0".parse().unwrap(), View::raw(buffer.clone()).unwrap().with_range(before, size).unwrap());
        let dispatch = Dispatch::new([16, 1, 1]);
        device.dispatch(&shader, &bindings, &dispatch).unwrap();
        let bytes: Vec<u8> = buffer.to_vec().unwrap();
        let inside = before as usize..(before + size) as usize;
        assert!(bytes[..inside.start].iter().chain(&bytes[inside.end..]).all(|&byte| byte == 0xa5), "{engine}");
        for (thread, word) in (0..).zip(bytes[inside].chunks(4)) {
            assert_eq!(u32::from_le_bytes(word.try_into().unwrap()), sum_of_group(thread / 20), "{engine} {thread}");
        }
    }
}

#[test]
fn dispatches_over_the_limit_are_refused() {
    let device = device();
    let shader = sum(&device, Engine::Interpreter);
    let run = |groups, first| {
        let dispatch = Dispatch::new(groups).first_group(first);
        device.dispatch(&shader, &Bindings::with_rules(BindingRules::PARTIAL), &dispatch)
    };
    let error = run([1, 65536, 1], [0; 3]).unwrap_err();
    assert_eq!(error.to_string(), "the number of groups along y is 65536, the device's limit is 65535");
    assert!(matches!(run([1, 1, 2], [0, 0, 65534]), Err(Error::OverLimit { limit: Limit::DispatchGroups(2), .. })));
    assert!(matches!(run([1; 3], [u32::MAX; 3]), Err(Error::OverLimit { .. })));
    run([1, 1, 1], [65534; 3]).unwrap();

    // However many a device allows along an axis, all of them can be counted.
    let mut limits = Limits::default();
    limits.dispatch_groups = u32::MAX;
    let device = Device::builder().threads(1).limits(limits).build().unwrap();
    let shader = sum(&device, Engine::Interpreter);
    let dispatch = Dispatch::new([1 << 22, 1 << 21, 1 << 21]);
    let error = device.dispatch(&shader, &Bindings::with_rules(BindingRules::PARTIAL), &dispatch).unwrap_err();
    assert_eq!(error.to_string(), "the number of groups along z is 2097152, the device's limit is 31");
}

#[test]
fn shaders_over_the_device_s_limits_are_refused() {
    let shader = support::file("endless.sum");
    let refused = |change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let device = Device::builder().threads(1).limits(limits).build().unwrap();
        match device.compile(&shader, &CompileOptions::new(Engine::Interpreter)) {
            Err(Error::OverLimit { limit, .. }) => Some(limit),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        }
    };
    assert_eq!(refused(|_| ()), None);
    assert_eq!(refused(|limits| limits.group_threads = 19), Some(Limit::GroupThreads));
    assert_eq!(refused(|limits| limits.shared_bytes = 3), Some(Limit::SharedBytes));
    assert_eq!(refused(|limits| limits.constant_vectors = 0), Some(Limit::ConstantVectors));
    assert_eq!(refused(|limits| limits.arena_bytes = 3), Some(Limit::ArenaBytes));
}

#[test]
fn buffers_over_the_limit_are_refused() {
    let mut limits = Limits::default();
    limits.buffer_bytes = 64;
    let device = Device::builder().threads(1).limits(limits).build().unwrap();
    assert!(device.buffer(64).is_ok());
    let error = device.buffer(65).unwrap_err();
    assert_eq!(error.to_string(), "the size of a buffer or texture in bytes is 65, the device's limit is 64");
    assert!(device.buffer_from(&[0u8; 65]).is_err());
}

#[test]
fn what_is_no_compute_shader_is_not_dispatched() {
    let device = device();
    let compile = |bytes: &[u8]| {
        let shader = device.compile(bytes, &CompileOptions::default().codegen(Codegen::Deferred))?;
        let bindings = Bindings::with_rules(BindingRules::PARTIAL);
        let results = [
            device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1])),
            device.bind(&shader, &bindings)?.dispatch(&Dispatch::new([1, 1, 1])),
        ];
        assert!(results[0].is_err() && shader.code_bytes().is_none(), "refused before any code is made");
        results.into_iter().collect::<Result<Vec<_>, _>>()
    };
    let compile = |bytes: &[u8]| compile(bytes).unwrap_err();
    assert!(matches!(compile(b"not a shader"), Error::File(_)));
    assert!(matches!(compile(&[]), Error::File(_)));
    let graphics = data().join("graphics");
    let mut stages = 0;
    for entry in std::fs::read_dir(graphics).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cso") {
            let error = compile(&std::fs::read(&path).unwrap());
            assert!(matches!(error, Error::NoGroups { .. }), "{}: {error}", path.display());
            stages += 1;
        }
    }
    assert!(stages > 50);
}

#[test]
fn broken_files_are_errors_and_never_a_fault_of_ours() {
    let device = device();
    let mut files = 0;
    for entry in std::fs::read_dir(data().join("malformed")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        for &engine in ENGINES {
            match device.compile(&bytes, &CompileOptions::new(engine)) {
                Ok(_) => {}
                Err(error @ (Error::Internal { .. } | Error::Verify(_))) => panic!("{}: {error}", path.display()),
                Err(_) => {}
            }
        }
        files += 1;
    }
    assert!(files > 100);
}

#[test]
fn a_dispatch_does_not_wait_for_another_one_in_the_same_pool() {
    let pool = Pool::new(2).unwrap();
    let device = Device::builder().pool(pool).wakes_threads_from(Duration::ZERO).build().unwrap();
    let endless = support::shader(&device, "endless.plain", Engine::best());
    let sum = sum(&device, Engine::best());
    let odd = device.buffer_from(&[7u32]).unwrap();
    let mut bindings = Bindings::new();
    bindings.set("b0".parse().unwrap(), View::constant(odd).unwrap());
    bindings.set("u0".parse().unwrap(), View::raw(device.buffer(64).unwrap()).unwrap());
    let token = CancelToken::new();
    // Enough groups that every thread of the pool has an endless one, sooner or later.
    let dispatch = Dispatch::new([4096, 1, 1]).cancel(token.clone());
    std::thread::scope(|scope| {
        let busy = scope.spawn(|| device.dispatch(&endless, &bindings, &dispatch).unwrap_err());
        for _ in 0..50 {
            device.dispatch(&sum, &bindings, &Dispatch::new([4096, 1, 1])).unwrap();
        }
        token.cancel();
        busy.join().unwrap();
    });
}

#[test]
fn missing_and_wrong_bindings_stop_a_dispatch_before_it_begins() {
    let device = device();
    let shader = sum(&device, Engine::Interpreter);
    let mut bindings = Bindings::new();
    let run = |bindings: &Bindings| device.dispatch(&shader, bindings, &Dispatch::new([1; 3])).unwrap_err().to_string();
    assert_eq!(run(&bindings), "b0 is declared as constant buffer of 1 vector but nothing is bound to it");
    let buffer = device.buffer(64).unwrap();
    bindings.set("b0".parse().unwrap(), View::constant(buffer.clone()).unwrap());
    bindings.set("u0".parse().unwrap(), View::structured(buffer.clone(), 4).unwrap());
    assert_eq!(run(&bindings), "u0 is declared as raw buffer but bound to a structured view of stride 4");
    bindings.set("u0".parse().unwrap(), View::raw(buffer.clone()).unwrap());
    bindings.set("u1".parse().unwrap(), View::raw(buffer).unwrap());
    assert_eq!(run(&bindings), "u1 is bound to a raw view of 64 bytes, the shader declares only b0, u0");
}

#[test]
fn devices_may_share_a_pool_and_shaders_may_move_between_devices() {
    let pool = Pool::new(2).unwrap();
    let devices =
        [(); 2].map(|()| Device::builder().pool(pool.clone()).wakes_threads_from(Duration::ZERO).build().unwrap());
    let shader = sum(&devices[0], Engine::best());
    std::thread::scope(|scope| {
        for device in devices.iter().cycle().take(6) {
            scope.spawn(|| {
                for _ in 0..20 {
                    let buffer = device.buffer(64 * 20 * 4).unwrap();
                    let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
                    bindings.set("u0".parse().unwrap(), View::raw(buffer.clone()).unwrap());
                    let dispatch = Dispatch::new([64, 1, 1]);
                    assert_eq!(device.dispatch(&shader, &bindings, &dispatch).unwrap().groups, 64);
                    assert_eq!(buffer.to_vec::<u32>().unwrap()[63 * 20], sum_of_group(63));
                }
            });
        }
    });
}

#[test]
fn a_shader_tells_what_it_is() {
    let device = device();
    let shader = sum(&device, Engine::Interpreter);
    assert_eq!(
        (shader.stage().name(), shader.profile().as_deref(), shader.group_size()),
        ("compute", Some("cs_5_0"), [20, 1, 1])
    );
    let names: Vec<_> = shader.bindings().iter().map(|range| format!("{range}: {}", range.kind)).collect();
    assert_eq!(names, ["b0: constant buffer of 1 vector", "u0: raw buffer"]);
    let named = ["Rounds", "result"].map(|name| shader.register(name).unwrap());
    assert_eq!(named, [Register::b(0), Register::u(0)]);
    assert_eq!(
        shader.register("Result").unwrap_err().to_string(),
        "the shader has nothing named `Result`, only Rounds, result; did you mean `result`?"
    );
    let text = shader.emit(Emit::Ir).unwrap().to_string();
    for form in [Emit::Clif, Emit::Asm] {
        assert!(shader.emit(form).unwrap().lines.len() > 10);
    }
    let compiled = sum(&device, Engine::Jit);
    assert!(compiled.code_bytes() > Some(100) && shader.code_bytes().is_none());
    assert!(text.contains("atomic") && brolga_ir::text::parse(&text).is_ok(), "{text}");
}

/// Threads that are not ours: a pool of another library, a dispatch from inside one of its threads, a pool that drops
/// its tasks, one that runs them at once.
#[test]
fn a_device_may_borrow_threads() {
    let theirs = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let pools = [
        {
            let theirs = theirs.clone();
            Pool::borrowed(3, move |task| theirs.spawn(task))
        },
        Pool::borrowed(3, drop),
        Pool::borrowed(3, |task| task()),
    ];
    for pool in pools {
        for &engine in ENGINES {
            let device = Device::builder().pool(pool.clone()).wakes_threads_from(Duration::ZERO).build().unwrap();
            let run = || {
                let shader = sum(&device, engine);
                let buffer = device.buffer(300 * 20 * 4).unwrap();
                let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
                bindings.set("u0".parse().unwrap(), View::raw(buffer.clone()).unwrap());
                let dispatch = Dispatch::new([300, 1, 1]);
                device.dispatch(&shader, &bindings, &dispatch).unwrap();
                buffer.to_vec::<u32>().unwrap()
            };
            let outside = run();
            for (thread, &sum) in (0..).zip(&outside) {
                assert_eq!(sum, sum_of_group(thread / 20));
            }
            assert_eq!(theirs.install(run), outside);
        }
    }
}

/// Four threads of the program's own and as many tasks of its pool dispatch at once, on a device that borrows the same
/// pool. `BROLGA_ROUNDS` sets how often each.
#[test]
fn threads_and_tasks_that_share_a_pool_with_a_device_do_not_wait_for_each_other() {
    let rounds: u32 = std::env::var("BROLGA_ROUNDS").map_or(100, |text| text.parse().expect("a number"));
    let theirs = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap());
    let pool = {
        let theirs = theirs.clone();
        Pool::borrowed(3, move |task| theirs.spawn(task))
    };
    let device = Device::builder().pool(pool).wakes_threads_from(Duration::ZERO).build().unwrap();
    let shader = sum(&device, Engine::best());
    let work = || {
        let buffer = device.buffer(300 * 20 * 4).unwrap();
        let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
        bindings.set("u0".parse().unwrap(), View::raw(buffer.clone()).unwrap());
        let bound = device.bind(&shader, &bindings).unwrap();
        for _ in 0..rounds {
            bound.dispatch(&Dispatch::new([300, 1, 1])).unwrap();
        }
        assert_eq!(buffer.to_vec::<u32>().unwrap()[299 * 20], sum_of_group(299));
    };
    let inside = || theirs.scope(|tasks| (0..4).for_each(|_| tasks.spawn(|_| work())));
    std::thread::scope(|threads| {
        (0..4).for_each(|_| drop(threads.spawn(work)));
        threads.spawn(inside);
    });
}

/// Other threads are woken for long work, in the midst of the first dispatch and at the beginning of the next, but not
/// for short work.
#[test]
fn threads_are_woken_for_dispatches_that_take_long() {
    let called = Arc::new(AtomicUsize::new(0));
    let pool = {
        let called = called.clone();
        // None ever comes: all the time is the caller's.
        Pool::borrowed(3, move |_| {
            called.fetch_add(1, Ordering::Relaxed);
        })
    };
    let device = Device::builder().pool(pool).wakes_threads_from(Duration::from_millis(20)).build().unwrap();
    let shader = sum(&device, Engine::Interpreter);
    let buffer = device.buffer(60_000 * 20 * 4).unwrap();
    let mut bindings = Bindings::with_rules(BindingRules::PARTIAL);
    bindings.set("u0".parse().unwrap(), View::raw(buffer).unwrap());
    let run = |groups| {
        let report = device.dispatch(&shader, &bindings, &Dispatch::new([groups, 1, 1])).unwrap();
        let called = called.swap(0, Ordering::Relaxed);
        assert_eq!(report.workers, if called == 0 { 1 } else { 3 });
        assert!(called == 0 || called == 2);
        (called > 0, report.elapsed)
    };
    // A machine may be interrupted for so long at any time, but not always.
    assert!((0..20).any(|_| !run(300).0), "a short dispatch always woke threads");
    let (is_woken, elapsed) = run(60_000);
    assert!(is_woken || elapsed < Duration::from_millis(40), "{elapsed:?}");
}
