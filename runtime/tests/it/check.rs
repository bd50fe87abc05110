//! Tests checks with probes, on random programs without enough barriers: what is found is what a plain model finds, which
//! compares all pairs of accesses. Where all groups are looked at it is exactly that; else nothing else is found, and
//! groups that are not looked at are counted.

use std::collections::BTreeSet;

use brolga_ir::text::parse;
use brolga_ir::verify::verify;
use brolga_runtime::insight::{AccessKind, CheckOptions, FindingKind};
use brolga_runtime::{
    Bindings, BoundShader, Buffer, CompileOptions, Device, Dispatch, Engine, Module, Register, Shader, View,
};
use brolga_testing_base::races::{OWN_WORDS, Race, Racy, WORDS};
use brolga_testing_base::random::{Random, seeds};

fn shader(device: &Device, function: &str) -> Shader {
    let module = Module::new(verify(parse(function).unwrap()).unwrap()).unwrap();
    device.compile_module(&module, &CompileOptions::new(Engine::Jit)).unwrap()
}

/// Binds buffers of words to `u0` and those after it.
fn bind(device: &Device, shader: &Shader, buffers: &[Buffer]) -> BoundShader {
    let mut bindings = Bindings::new();
    for (register, buffer) in (0..).zip(buffers) {
        bindings.set(Register::u(register), View::structured(buffer.clone(), 4).unwrap());
    }
    device.bind(shader, &bindings).unwrap()
}

fn words(buffer: &Buffer) -> Vec<u32> {
    buffer.to_vec().unwrap()
}

#[test]
fn probes_suspect_all_races() {
    let device = Device::builder().threads(1).build().unwrap();
    let options = CompileOptions::new(Engine::Jit);
    let (mut racy, mut sampled) = ([0; 2], 0);
    for seed in seeds(0..400) {
        let mut random = Random(seed);
        let most_groups = random.pick(&[3, 24, 80]);
        let program = Racy::random(&mut random, most_groups);
        let expected = program.races();
        let function = verify(program.function()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let shader = device.compile_module(&Module::new(function).unwrap(), &options).unwrap();
        let buffers =
            || [WORDS, OWN_WORDS].map(|words| device.buffer_from(&vec![seed as u32; words as usize]).unwrap());
        let dispatch = Dispatch::new([program.groups, 1, 1]);
        let [plain, changed] = [buffers(), buffers()];
        bind(&device, &shader, &plain).dispatch(&dispatch).unwrap();
        let checked = bind(&device, &shader, &changed).check(&dispatch, &CheckOptions::default()).unwrap();
        assert_eq!(
            changed.map(|buffer| words(&buffer)),
            plain.map(|buffer| words(&buffer)),
            "seed {seed}, {program:?}"
        );
        let races = checked.findings.iter().filter(|finding| finding.kind == FindingKind::Race);
        let found: BTreeSet<Race> = races
            .map(|finding| {
                let mut sites = [0, 1].map(|n| (finding.parties[n].location.byte, finding.parties[n].access));
                sites.sort_unstable();
                (finding.subject.unwrap().to_string() == "g0", sites, finding.between_groups)
            })
            .collect();
        assert!(found.is_subset(&expected), "seed {seed}, {program:?}: {found:?}, not {expected:?}");
        let is_sampled = checked.summary.alike > 0;
        assert!(found == expected || is_sampled, "seed {seed}, {program:?}: {found:?}, not {expected:?}");
        sampled += usize::from(is_sampled);
        racy[usize::from(found.is_empty())] += 1;
    }
    assert!(racy[0] > 100 && racy[1] > 50 && sampled > 10, "{racy:?}, {sampled}");
}

/// What the shader adds to is not what it begins with when groups are looked at, and is put back.
#[test]
fn what_it_leaves_is_what_a_plain_run_leaves() {
    let function = r#"function "f" {
  group 8 1 1
  res0 = u0 structured stride 4
  res1 = u1 structured stride 4
  body {
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: bool = const true
    v3: i32 = load res0[v0 + v1]
    v4: i32 = load res1[v0 + v1]
    v5: i32 = iadd v3, v4
    v6: i32 = const 1
    v7: i32 = iadd v5, v6
    store res0[v0 + v1], v7 where v2
    return
  }
}"#;
    let device = Device::builder().threads(1).build().unwrap();
    let shader = shader(&device, function);
    let dispatch = Dispatch::new([20, 1, 1]);
    let mut only_bounds = CheckOptions::default();
    only_bounds.kinds = vec![FindingKind::Bounds];
    for options in [CheckOptions::default(), only_bounds] {
        let buffers = [160, 100].map(|count| device.buffer_from(&Vec::from_iter(1..=count)).unwrap());
        let bound = bind(&device, &shader, &buffers);
        for run in 1..=3 {
            let checked = bound.check(&dispatch, &options).unwrap();
            let [outside] = &checked.findings[..] else { panic!("{:?}", checked.findings) };
            let of_u1 = outside.subject.unwrap().to_string() == "u1";
            assert_eq!((outside.kind, of_u1, checked.summary.groups), (FindingKind::Bounds, true, 20));
            let expected = |n: u32| n + run * (1 + if n <= 100 { n } else { 0 });
            assert_eq!(words(&buffers[0]), Vec::from_iter((1..=160).map(expected)));
        }
    }
}

/// Shared memory that all threads fill, so that nothing else is suspected, and that they change by atomics and read in one
/// phase.
#[test]
fn a_read_beside_an_atomic_is_suspected() {
    let function = r#"function "f" {
  group 8 1 1
  res0 = u0 structured stride 4
  g0 = g0 structured stride 4 count 8
  body {
    v0: i32 = input thread_index
    v1: i32 = const 0
    v2: i32 = const 7
    v3: i32 = const 1
    v4: bool = const true
    store g0[v0 + v1], v1 where v4
    barrier threads shared
    v5: i32 = atomic add g0[v0 + v1], v3 where v4
    v6: i32 = iadd v0, v3
    v7: i32 = and v6, v2
    v8: i32 = load g0[v7 + v1]
    store res0[v0 + v1], v8 where v4
    return
  }
}"#;
    let device = Device::builder().threads(1).build().unwrap();
    let bound = bind(&device, &shader(&device, function), &[device.buffer(256).unwrap()]);
    let checked = bound.check(&Dispatch::new([1; 3]), &CheckOptions::default());
    let findings = checked.unwrap().findings;
    let [race] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((race.kind, race.parties[0].access), (FindingKind::Race, AccessKind::Atomic));
}

/// Threads that read each other's words of a buffer after a barrier that orders them: nothing is suspected, wherever groups
/// have words of their own. Without the barrier all are.
#[test]
fn a_barrier_orders_a_group_s_words_of_a_buffer() {
    let function = |barrier: &str| {
        format!(
            r#"function "f" {{
  group 8 1 1
  res0 = u0 structured stride 4
  body {{
    v0: i32 = input thread_id.x
    v1: i32 = const 0
    v2: i32 = const 7
    v3: bool = const true
    store res0[v0 + v1], v0 where v3
    {barrier}
    v4: i32 = xor v0, v2
    v5: i32 = load res0[v4 + v1]
    {barrier}
    store res0[v0 + v1], v5 where v3
    return
  }}
}}"#
        )
    };
    let device = Device::builder().threads(1).build().unwrap();
    for (barrier, found) in [("barrier threads views_group", 0), ("barrier threads shared", 1)] {
        let buffer = device.buffer_from(&vec![0; 1600]).unwrap();
        let bound = bind(&device, &shader(&device, &function(barrier)), std::slice::from_ref(&buffer));
        let checked = bound.check(&Dispatch::new([200, 1, 1]), &CheckOptions::default()).unwrap();
        assert_eq!(checked.findings.len(), found, "{:?}", checked.findings);
        // Of six in 200 groups each is looked at, if any is suspected.
        assert_eq!(checked.summary.alike, if found > 0 { 194 } else { 0 });
        assert_eq!(words(&buffer), Vec::from_iter((0..1600).map(|n| n ^ 7)));
    }
}
