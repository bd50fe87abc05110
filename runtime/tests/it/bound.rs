//! Tests shaders that are bound once and dispatched often: by many threads, with other registers, other formats and
//! other constants than before; workers on threads of the caller's own; code made ahead; functions without a container.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use brolga_bytecode::assembler;
use brolga_ir::verify::verify;
use brolga_runtime::{
    BindingRules, Bindings, BoundShader, Buffer, Cache, CancelToken, Codegen, CompileOptions, Counter, Device,
    Dispatch, Emit, Engine, Error, Format, Leniency, Limits, Module, Oversize, Register, ResourceError, Sampler,
    Shader, StopReason, Texture, TextureShape, View,
};

use crate::support::{self, ENGINES};

/// `u0[thread] = t0[thread] * b0.x + b0.y`, of texels, in integers.
const SCALE: &str = "cs_5_0
dcl_constantbuffer CB0[1], immediateIndexed
dcl_resource_buffer (uint,uint,uint,uint) t0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 4, 1, 1
ld r0.x, vThreadID.xxxx, t0.xyzw
imad r0.x, r0.x, cb0[0].x, cb0[0].y
ishl r0.y, vThreadID.x, l(2)
store_raw u0.x, r0.y, r0.x
ret
";

/// Threads of all groups of a dispatch here.
const THREADS: u32 = 64;

fn device(threads: usize) -> Device {
    Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap()
}

fn assemble(text: &str) -> Vec<u8> {
    assembler::assemble(text, &brolga_bytecode::Limits::default()).unwrap().bytes
}

fn scale(device: &Device, engine: Engine) -> Shader {
    device.compile(&assemble(SCALE), &CompileOptions::new(engine)).unwrap()
}

fn register(name: &str) -> Register {
    name.parse().unwrap()
}

fn words(device: &Device, words: &[u32]) -> Buffer {
    device.buffer_from(words).unwrap()
}

fn read(buffer: &Buffer) -> Vec<u32> {
    buffer.to_vec().unwrap()
}

/// The device and the bindings of the shader.
struct Setup {
    device: Device,
    factors: Buffer,
    results: Buffer,
    bindings: Bindings,
}

impl Setup {
    /// Texels 0, 1, 2 and so on.
    fn new(device: Device) -> Self {
        let factors = words(&device, &[3, 100, 0, 0]);
        let results = device.buffer(u64::from(THREADS) * 4).unwrap();
        let mut bindings = Bindings::new();
        bindings.set(register("b0"), View::constant(factors.clone()).unwrap());
        bindings.set(register("t0"), numbers(&device, 0));
        bindings.set(register("u0"), View::raw(results.clone()).unwrap());
        Self { device, factors, results, bindings }
    }

    fn bind(&self, engine: Engine) -> BoundShader {
        self.device.bind(&scale(&self.device, engine), &self.bindings).unwrap()
    }

    fn check(&self, of: impl Fn(u32) -> u32) {
        assert_eq!(read(&self.results), (0..THREADS).map(of).collect::<Vec<_>>());
    }
}

fn numbers(device: &Device, first: u32) -> View {
    let texels = words(device, &(first..first + THREADS).collect::<Vec<_>>());
    View::typed(texels, Format::R32_UINT).unwrap()
}

fn all() -> Dispatch {
    Dispatch::new([THREADS / 4, 1, 1])
}

#[test]
fn a_bound_shader_runs_again_and_again_and_sees_changed_constants() {
    for &engine in ENGINES {
        let setup = Setup::new(device(1));
        let bound = setup.bind(engine);
        for add in [100, 7, 0] {
            setup.factors.write(4, &[add]).unwrap();
            let report = bound.dispatch(&all()).unwrap();
            assert_eq!((report.groups, report.threads), (u64::from(THREADS / 4), u64::from(THREADS)));
            setup.check(|n| 3 * n + add);
        }
    }
}

#[test]
fn a_buffer_says_how_many_groups_there_are() {
    for &engine in ENGINES {
        let setup = Setup::new(device(1));
        let bound = setup.bind(engine);
        let groups = words(&setup.device, &[9, 0, 1, 1]);
        let indirect = Dispatch::indirect(groups.clone(), 4).unwrap();
        assert_eq!(bound.dispatch(&indirect).unwrap().groups, 0);
        setup.check(|_| 0);
        groups.write(4, &[2u32]).unwrap();
        assert_eq!(bound.dispatch(&indirect).unwrap().groups, 2);
        setup.check(|n| if n < 8 { 3 * n + 100 } else { 0 });
        groups.write(4, &[THREADS / 4]).unwrap();
        setup.device.dispatch(bound.shader(), &setup.bindings, &indirect).unwrap();
        setup.check(|n| 3 * n + 100);
        groups.write(8, &[65_536u32]).unwrap();
        let error = bound.dispatch(&indirect).unwrap_err().to_string();
        assert_eq!(error, "the number of groups along y is 65536, the device's limit is 65535");
        assert_eq!(
            Dispatch::indirect(groups.clone(), 2).unwrap_err().to_string(),
            "the numbers of groups begin at byte 2, which is not a multiple of 4"
        );
        assert!(matches!(Dispatch::indirect(groups, 8), Err(ResourceError::OutOfRange { .. })));
    }
}

#[test]
fn threads_dispatch_the_same_object_at_once() {
    fn shared<T: Send + Sync>() {}
    shared::<BoundShader>();
    for &engine in ENGINES {
        for threads in [1, 3] {
            let setup = Setup::new(device(threads));
            let bound = setup.bind(engine);
            std::thread::scope(|scope| {
                for _ in 0..6 {
                    scope.spawn(|| {
                        for _ in 0..50 {
                            bound.dispatch(&all()).unwrap();
                        }
                    });
                }
            });
            setup.check(|n| 3 * n + 100);
        }
    }
}

#[test]
fn one_register_changes_and_the_others_stay() {
    for &engine in ENGINES {
        let setup = Setup::new(device(1));
        let mut bound = setup.bind(engine);
        bound.dispatch(&all()).unwrap();
        bound.set(register("t0"), numbers(&setup.device, 1000)).unwrap();
        bound.dispatch(&all()).unwrap();
        setup.check(|n| 3 * (n + 1000) + 100);
        let other = words(&setup.device, &[1, 2]);
        bound.set(register("b0"), View::constant(other).unwrap()).unwrap();
        bound.dispatch(&all()).unwrap();
        setup.check(|n| n + 1002);
        let elsewhere = setup.device.buffer(u64::from(THREADS) * 4).unwrap();
        bound.set(register("u0"), View::raw(elsewhere.clone()).unwrap()).unwrap();
        setup.results.write(0, &[0u8; 4]).unwrap();
        bound.dispatch(&all()).unwrap();
        assert_eq!(read(&setup.results)[..2], [0, 1003]);
        assert_eq!(read(&elsewhere)[..2], [1002, 1003]);
        assert!(bound.bindings().get(register("t0")).is_some_and(|view| view.size_bytes() == 256));
    }
}

#[test]
fn texels_of_another_format_take_other_code_once() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(folder.path()).unwrap();
    let setup = Setup::new(Device::builder().threads(1).cache(cache.clone()).build().unwrap());
    for &engine in ENGINES {
        let mut bound = setup.bind(engine);
        let made = || cache.counters().stored;
        bound.dispatch(&all()).unwrap();
        let wide = made();
        let bytes: Vec<u8> = (0..THREADS).flat_map(|n| [n as u8, 200, 0, 0]).collect();
        let narrow = View::typed(setup.device.buffer_from(&bytes).unwrap(), Format::R8G8B8A8_UINT).unwrap();
        let wide_view = bound.bindings().get(register("t0")).unwrap().clone();
        for round in 0..3 {
            bound.set(register("t0"), narrow.clone()).unwrap();
            let report = bound.dispatch(&all()).unwrap();
            setup.check(|n| 3 * n + 100);
            assert_eq!(made(), wide + u64::from(engine == Engine::Jit), "{engine}");
            assert!(round == 0 || report.compile < report.elapsed);
            bound.set(register("t0"), wide_view.clone()).unwrap();
            bound.dispatch(&all()).unwrap();
            setup.check(|n| 3 * n + 100);
        }
        assert_eq!(made(), wide + u64::from(engine == Engine::Jit), "{engine}");
    }
}

/// Errors have the same messages, and leave everything as it was.
#[test]
fn errors_are_those_of_a_dispatch() {
    let setup = Setup::new(device(1));
    let shader = scale(&setup.device, Engine::Interpreter);
    let raw = |size| View::raw(setup.device.buffer(size).unwrap()).unwrap();
    let changes: [(&str, Option<View>); 8] = [
        ("b0", None),
        ("t0", None),
        ("u0", None),
        ("u1", Some(raw(64))),
        ("t0", Some(raw(64))),
        ("u0", Some(View::structured(setup.device.buffer(64).unwrap(), 4).unwrap())),
        ("t0", Some(View::typed(setup.device.buffer(64).unwrap(), Format::R32_SINT).unwrap())),
        ("t0", Some(View::typed(setup.results.clone(), Format::R32_UINT).unwrap())),
    ];
    for (name, view) in changes {
        let mut bindings = setup.bindings.clone();
        match &view {
            Some(view) => {
                bindings.set(register(name), view.clone());
            }
            None => drop(bindings.remove(register(name))),
        }
        let expected = setup.device.dispatch(&shader, &bindings, &all()).unwrap_err().to_string();
        assert_eq!(setup.device.bind(&shader, &bindings).unwrap_err().to_string(), expected);
        let mut bound = setup.device.bind(&shader, &setup.bindings).unwrap();
        let error = match view {
            Some(view) => bound.set(register(name), view).unwrap_err(),
            None => bound.remove(register(name)).unwrap_err(),
        };
        assert_eq!(error.to_string(), expected);
        bound.dispatch(&all()).unwrap();
        setup.check(|n| 3 * n + 100);
    }
    // Errors of the dispatch come first.
    let error = setup.device.dispatch(&shader, &Bindings::new(), &Dispatch::new([1, 65536, 1])).unwrap_err();
    let bound = setup.device.bind(&shader, &setup.bindings).unwrap();
    assert_eq!(bound.dispatch(&Dispatch::new([1, 65536, 1])).unwrap_err().to_string(), error.to_string());
}

#[test]
fn registers_are_taken_away_where_they_may_be_missing() {
    for &engine in ENGINES {
        let mut setup = Setup::new(device(1));
        let views: Vec<_> = setup.bindings.iter().map(|(register, view)| (register, view.clone())).collect();
        setup.bindings = Bindings::with_rules(BindingRules::PARTIAL);
        views.into_iter().for_each(|(register, view)| {
            setup.bindings.set(register, view);
        });
        let mut bound = setup.bind(engine);
        bound.dispatch(&all()).unwrap();
        assert!(bound.remove(register("t0")).unwrap().is_some());
        bound.dispatch(&all()).unwrap();
        setup.check(|_| 100);
        let factors = bound.remove(register("b0")).unwrap().unwrap();
        bound.dispatch(&all()).unwrap();
        setup.check(|_| 0);
        bound.set(register("t0"), numbers(&setup.device, 5)).unwrap();
        bound.set(register("b0"), factors).unwrap();
        bound.dispatch(&all()).unwrap();
        setup.check(|n| 3 * (n + 5) + 100);
    }
}

/// Each difference is an error by default, and none where it is allowed.
#[test]
fn rules_are_chosen_one_by_one() {
    let setup = Setup::new(device(1));
    let shader = scale(&setup.device, Engine::best());
    let with = |rules, change: &dyn Fn(&mut Bindings)| {
        let mut bindings = Bindings::with_rules(rules);
        for (register, view) in setup.bindings.iter() {
            bindings.set(register, view.clone());
        }
        change(&mut bindings);
        setup.device.dispatch(&shader, &bindings, &all()).map(|_| read(&setup.results))
    };
    let signed = View::typed(words(&setup.device, &[u32::MAX; THREADS as usize]), Format::R32_SINT).unwrap();
    let other = View::raw(setup.results.clone()).unwrap();
    type Case<'a> = (Leniency, &'a dyn Fn(&mut Bindings), u32);
    let cases: [Case<'_>; 3] = [
        (Leniency::Unbound, &|bindings| drop(bindings.remove(register("t0"))), 100),
        // It is ignored: it may even alias memory that another register writes.
        (
            Leniency::Undeclared,
            &|bindings| {
                bindings.set(register("t9"), other.clone());
            },
            100,
        ),
        (
            Leniency::OtherSign,
            &|bindings| {
                bindings.set(register("t0"), signed.clone());
            },
            97,
        ),
    ];
    for (leniency, change, first) in cases {
        for (other, ..) in &cases {
            let result = with(BindingRules::COMPLETE.allow(*other), change);
            assert_eq!(result.is_ok(), *other == leniency, "{leniency:?} {other:?}");
        }
        assert_eq!(with(BindingRules::DIRECT3D, change).unwrap()[0], first, "{leniency:?}");
    }
}

/// An unbounded range grows with the registers bound.
#[test]
fn registers_beyond_the_table_are_bound_later() {
    const LAST: &str = "cs_5_1
dcl_globalFlags refactoringAllowed
dcl_resource_raw T0[0:*], space=0
dcl_uav_raw U0[0:0], space=0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
ld_raw r0.x, l(0), T0[vThreadID.x + 0].xxxx
ishl r0.y, vThreadID.x, l(2)
store_raw U0[0].x, r0.y, r0.x
ret
";
    for &engine in ENGINES {
        let device = device(1);
        let shader = device.compile(&assemble(LAST), &CompileOptions::new(engine)).unwrap();
        let results = device.buffer(16).unwrap();
        let mut bindings = Bindings::new();
        bindings.set(register("u0"), View::raw(results.clone()).unwrap());
        let mut bound = device.bind(&shader, &bindings).unwrap();
        for n in [0, 3] {
            bound.set(register(&format!("t{n}")), View::raw(words(&device, &[n + 7])).unwrap()).unwrap();
            bound.dispatch(&Dispatch::new([4, 1, 1])).unwrap();
        }
        assert_eq!(read(&results), [7, 0, 0, 10]);
    }
}

#[test]
fn samplers_and_textures_that_change_are_sampled_anew() {
    const SAMPLE: &str = "cs_5_0
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 1, 1, 1
sample_l r0.x, l(0.5, 0.5, 0, 0), t0.xyzw, s0, l(0)
store_raw u0.x, l(0), r0.x
ret
";
    for &engine in ENGINES {
        let device = device(1);
        let shader = device.compile(&assemble(SAMPLE), &CompileOptions::new(engine)).unwrap();
        let (results, linear) = (device.buffer(4).unwrap(), Sampler::default());
        let texture = |texels: [f32; 2]| -> Texture {
            device.texture_from(TextureShape::texture_2d(Format::R32_FLOAT, 2, 1), &texels).unwrap()
        };
        let mut bindings = Bindings::new();
        bindings.set(register("u0"), View::raw(results.clone()).unwrap());
        bindings.set(register("t0"), View::texture(texture([1.0, 2.0])));
        bindings.set(register("s0"), View::sampler(linear).unwrap());
        // The format of a texture that is only sampled selects no code.
        let report = device.dispatch(&shader, &bindings, &Dispatch::new([1, 1, 1])).unwrap();
        assert_eq!(report.compile, Duration::ZERO);
        let mut bound = device.bind(&shader, &bindings).unwrap();
        let run = |bound: &BoundShader| {
            bound.dispatch(&Dispatch::new([1, 1, 1])).unwrap();
            f32::from_bits(read(&results)[0])
        };
        assert_eq!(run(&bound), 1.5);
        bound.set(register("t0"), View::texture(texture([10.0, 20.0]))).unwrap();
        assert_eq!(run(&bound), 15.0);
        let mut point = linear;
        point.filter.minify = brolga_runtime::Tap::Point;
        point.filter.magnify = brolga_runtime::Tap::Point;
        bound.set(register("s0"), View::sampler(point).unwrap()).unwrap();
        assert_eq!(run(&bound), 20.0);
    }
}

#[test]
fn workers_run_groups_on_threads_of_ones_own() {
    fn sent<T: Send>(_: &T) {}
    for &engine in ENGINES {
        let setup = Setup::new(device(1));
        let bound = setup.bind(engine);
        let (what, next) = (all(), AtomicU64::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let mut worker = bound.worker().unwrap();
                sent(&worker);
                let (what, next) = (&what, &next);
                scope.spawn(move || {
                    let mut session = worker.begin(what).unwrap();
                    let step = session.quantum();
                    loop {
                        let first = next.fetch_add(step, Ordering::Relaxed);
                        if first >= 16 {
                            break;
                        }
                        session.run(first..first + step).unwrap();
                    }
                });
            }
        });
        setup.check(|n| 3 * n + 100);

        // Constants are read when a session begins, and groups run as often as they are asked for.
        let mut worker = bound.worker().unwrap();
        setup.factors.write(4, &[5u32]).unwrap();
        let mut session = worker.begin(&what).unwrap();
        setup.factors.write(4, &[6u32]).unwrap();
        for groups in [3..9, 0..16, 2..2] {
            session.run(groups).unwrap();
        }
        setup.check(|n| 3 * n + 5);
        let error = session.run(0..17).unwrap_err().to_string();
        assert_eq!(error, "groups 0 to 17 were requested, the dispatch has 16");
        drop(session);
        worker.begin(&what).unwrap().run(15..16).unwrap();
        assert_eq!(read(&setup.results)[59..61], [3 * 59 + 5, 3 * 60 + 6]);
    }
}

/// A shader whose loop ends after `b0` / 2 iterations, and never if that is odd.
fn endless(device: &Device, engine: Engine, rounds: u32) -> (Shader, Bindings) {
    let shader = support::shader(device, "endless.plain", engine);
    let mut bindings = Bindings::new();
    bindings.set(register("b0"), View::constant(words(device, &[rounds])).unwrap());
    bindings.set(register("u0"), View::raw(device.buffer(160).unwrap()).unwrap());
    (shader, bindings)
}

#[test]
fn workers_stop_as_dispatches_do() {
    for &engine in ENGINES {
        let device = device(1);
        let (shader, bindings) = endless(&device, engine, 7);
        let bound = device.bind(&shader, &bindings).unwrap();
        let mut worker = bound.worker().unwrap();
        let run = |worker: &mut brolga_runtime::Worker<'_>, what: Dispatch| {
            let result = worker.begin(&what).and_then(|mut session| session.run(0..2));
            result.unwrap_err()
        };
        let error = run(&mut worker, Dispatch::new([2, 1, 1]).fuel(100));
        assert!(matches!(error, Error::Stopped { why: StopReason::Fuel(100), group: [0, 0, 0], .. }), "{error}");
        let token = CancelToken::new();
        token.cancel();
        let error = run(&mut worker, Dispatch::new([2, 1, 1]).cancel(token));
        assert_eq!(error.to_string(), "the run was cancelled after 0 of 2 groups");
    }
}

#[test]
fn a_hook_runs_on_the_caller_s_thread_and_cancels_what_it_was_given_for() {
    for &engine in ENGINES {
        for threads in [1, 2] {
            let device = device(threads);
            let (shader, bindings) = endless(&device, engine, 7);
            let mut bound = device.bind(&shader, &bindings).unwrap();
            let (token, here, mut calls) = (CancelToken::new(), std::thread::current().id(), 0);
            let what = Dispatch::new([2, 1, 1]).cancel(token.clone());
            let result = bound.dispatch_hooked(&what, &mut || {
                assert_eq!(std::thread::current().id(), here);
                calls += 1;
                if calls < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            });
            match result {
                Err(Error::Stopped { why: StopReason::Cancelled, .. } | Error::StoppedBetweenGroups { .. }) => {}
                other => panic!("{other:?}"),
            }
            assert!(calls >= 3 && !token.is_cancelled());
            bound.set(register("b0"), View::constant(words(&device, &[10])).unwrap()).unwrap();
            bound.dispatch_hooked(&what, &mut || ControlFlow::Continue(())).unwrap();
            token.cancel();
            let error = bound.dispatch_hooked(&what, &mut || ControlFlow::Continue(())).unwrap_err();
            assert_eq!(error.to_string(), "the run was cancelled after 0 of 2 groups");
        }
    }
}

/// Code is made once, for the bindings, and not before they are known.
#[test]
fn deferred_code_is_made_for_what_is_bound() {
    if Engine::best() != Engine::Jit {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let cache = Cache::open(folder.path()).unwrap();
        let setup = Setup::new(Device::builder().threads(1).cache(cache.clone()).build().unwrap());
        let options = CompileOptions::default().codegen(Codegen::Deferred);
        let shader = setup.device.compile(&assemble(SCALE), &options).unwrap();
        (cache, setup, shader)
    };
    let (cache, setup, shader) = start();
    assert_eq!((shader.code_bytes(), shader.is_cached(), shader.engine()), (None, false, Engine::Jit));
    assert_eq!((cache.counters().misses, cache.counters().stored), (0, 0));
    let bound = setup.device.bind(&shader, &setup.bindings).unwrap();
    bound.prepare(all().groups).unwrap();
    assert!(shader.code_bytes() > Some(100) && shader.code_figures().unwrap().is_some());
    let report = bound.dispatch(&all()).unwrap();
    setup.check(|n| 3 * n + 100);
    assert_eq!(report.compile, std::time::Duration::ZERO);
    assert_eq!((cache.counters().misses, cache.counters().stored, shader.is_cached()), (1, 1, false));
    // Formats that are known without views lead to the same code.
    shader.compile_for(&[(register("t0"), Format::R32_UINT)], &[all().groups]).unwrap();
    assert_eq!(cache.counters().stored, 1);

    let (cache, setup, shader) = start();
    shader.compile_for(&[(register("t0"), Format::R32_UINT)], &[]).unwrap();
    assert!(shader.is_cached());
    setup.device.dispatch(&shader, &setup.bindings, &all()).unwrap();
    setup.check(|n| 3 * n + 100);
    assert_eq!((cache.counters().hits, cache.counters().misses, cache.counters().stored), (1, 0, 0));
    // The usual code, of which so far only the shader's outline is stored.
    shader.compile_for(&[], &[]).unwrap();
    assert!(!shader.is_cached());
    assert_eq!((cache.counters().misses, cache.counters().rejected, cache.counters().stored), (1, 0, 1));
    let (cache, _, shader) = start();
    shader.compile_for(&[], &[]).unwrap();
    assert_eq!((cache.counters().hits, cache.counters().misses, cache.counters().stored), (1, 0, 0));
}

#[test]
fn what_is_wrong_with_deferred_code_is_told_when_it_is_made() {
    let mut limits = Limits::default();
    limits.code_instructions = 10;
    let device = Device::builder().threads(1).limits(limits).build().unwrap();
    let setup = Setup::new(device);
    let options = CompileOptions::new(Engine::Jit).oversize(Oversize::Refuse).codegen(Codegen::Deferred);
    let Ok(shader) = setup.device.compile(&assemble(SCALE), &options) else { return };
    if Engine::best() == Engine::Jit {
        let bound = setup.device.bind(&shader, &setup.bindings).unwrap();
        for error in [bound.prepare([1; 3]), bound.dispatch(&all()).map(|_| ())] {
            assert!(matches!(&error, Err(Error::Compile(error)) if error.is_size()), "{error:?}");
        }
    }
    let oversize = options.oversize(Oversize::Interpret);
    let shader = setup.device.compile(&assemble(SCALE), &oversize).unwrap();
    setup.device.dispatch(&shader, &setup.bindings, &all()).unwrap();
    setup.check(|n| 3 * n + 100);
    assert_eq!(shader.engine(), Engine::Interpreter);
    // Errors that need no code are reported at once.
    let mut limits = Limits::default();
    limits.group_threads = 3;
    let strict = Device::builder().threads(1).limits(limits).build().unwrap();
    assert!(matches!(strict.compile(&assemble(SCALE), &oversize), Err(Error::OverLimit { .. })));
}

/// A shader's own function, written as text and read again, runs as the shader does.
#[test]
fn functions_run_without_a_container() {
    for &engine in ENGINES {
        let folder = tempfile::tempdir().unwrap();
        let run = || {
            let cache = Cache::open(folder.path()).unwrap();
            let setup = Setup::new(Device::builder().threads(1).cache(cache.clone()).build().unwrap());
            let text = scale(&setup.device, Engine::Interpreter).emit(Emit::Ir).unwrap().to_string();
            let function = verify(brolga_ir::text::parse(&text).unwrap()).unwrap();
            let options = CompileOptions::new(engine).named("by hand");
            let shader = setup.device.compile_module(&Module::new(function).unwrap(), &options).unwrap();
            setup.device.dispatch(&shader, &setup.bindings, &all()).unwrap();
            setup.check(|n| 3 * n + 100);
            assert_eq!((shader.profile(), shader.group_size()), (None, [4, 1, 1]));
            assert!(shader.emit(Emit::Packet).unwrap().lines.len() > 5);
            let counters = cache.counters();
            (counters.hits, counters.stored)
        };
        let (first, second) = (run(), run());
        let codes = if engine == Engine::Jit { 2 } else { 0 };
        assert_eq!((first, second), ((0, codes), (codes, 0)), "{engine}");
    }
}

/// A hidden counter belongs to its view.
#[test]
fn counters_follow_their_view() {
    const COUNT: &str = "cs_5_0
dcl_uav_structured_opc u0, 4
dcl_temps 1
dcl_thread_group 1, 1, 1
imm_atomic_alloc r0.x, u0
store_structured u0.x, r0.x, l(0), l(9)
ret
";
    for &engine in ENGINES {
        let device = device(1);
        let shader = device.compile(&assemble(COUNT), &CompileOptions::new(engine)).unwrap();
        let view = |counter: &Counter| {
            let buffer = device.buffer(64).unwrap();
            View::structured(buffer, 4).unwrap().with_counter(counter.clone()).unwrap()
        };
        let [first, second] = [0, 5].map(Counter::new);
        let mut bindings = Bindings::new();
        bindings.set(register("u0"), view(&first));
        let mut bound = device.bind(&shader, &bindings).unwrap();
        bound.dispatch(&Dispatch::new([3, 1, 1])).unwrap();
        bound.set(register("u0"), view(&second)).unwrap();
        bound.dispatch(&Dispatch::new([2, 1, 1])).unwrap();
        assert_eq!([first.get(), second.get()], [3, 7]);
    }
}
