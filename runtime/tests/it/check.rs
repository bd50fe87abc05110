//! Tests checks with probes, on random programs without enough barriers: what is found is what a plain model finds, which
//! compares all pairs of accesses. Where all groups are looked at it is exactly that; of more groups some race is found
//! wherever there is one, and nothing else.

use std::collections::BTreeSet;

use brolga_ir::text::parse;
use brolga_ir::verify::verify;
use brolga_runtime::insight::{AccessKind, CheckOptions, FindingKind};
use brolga_runtime::{Bindings, CompileOptions, Device, Dispatch, Engine, Module, Register, View};
use brolga_testing_base::races::{OWN_WORDS, Race, Racy, WORDS};
use brolga_testing_base::random::{Random, seeds};

/// Up to so many groups are looked at together.
const FEW: u32 = 8;

#[test]
fn probes_suspect_all_races() {
    let device = Device::builder().threads(1).build().unwrap();
    let options = CompileOptions::new(Engine::Jit);
    let mut racy = [0; 2];
    for seed in seeds(0..400) {
        let mut random = Random(seed);
        let most_groups = random.pick(&[3, 24]);
        let program = Racy::random(&mut random, most_groups);
        let expected = program.races();
        let function = verify(program.function()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let shader = device.compile_module(&Module::new(function).unwrap(), &options).unwrap();
        let mut bindings = Bindings::new();
        for (register, words) in (0..).zip([WORDS, OWN_WORDS]) {
            let buffer = device.buffer(4 * u64::from(words)).unwrap();
            bindings.set(Register::u(register), View::structured(buffer, 4).unwrap());
        }
        let bound = device.bind(&shader, &bindings).unwrap();
        let dispatch = Dispatch::new([program.groups, 1, 1]);
        let checked = bound.check(&dispatch, &CheckOptions::default()).unwrap();
        let races = checked.findings.iter().filter(|finding| finding.kind == FindingKind::Race);
        let found: BTreeSet<Race> = races
            .map(|finding| {
                let mut sites = [0, 1].map(|n| (finding.parties[n].location.byte, finding.parties[n].access));
                sites.sort_unstable();
                (finding.subject.unwrap().to_string() == "g0", sites, finding.between_groups)
            })
            .collect();
        assert_eq!(found.is_empty(), expected.is_empty(), "seed {seed}, {program:?}: {expected:?}");
        assert!(found.is_subset(&expected), "seed {seed}, {program:?}: {found:?}, not {expected:?}");
        assert!(found == expected || program.groups > FEW, "seed {seed}, {program:?}: {found:?}, not {expected:?}");
        racy[usize::from(found.is_empty())] += 1;
    }
    assert!(racy[0] > 100 && racy[1] > 50, "{racy:?}");
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
    let module = Module::new(verify(parse(function).unwrap()).unwrap()).unwrap();
    let shader = device.compile_module(&module, &CompileOptions::new(Engine::Jit)).unwrap();
    let mut bindings = Bindings::new();
    bindings.set(Register::u(0), View::structured(device.buffer(256).unwrap(), 4).unwrap());
    let checked = device.bind(&shader, &bindings).unwrap().check(&Dispatch::new([1; 3]), &CheckOptions::default());
    let findings = checked.unwrap().findings;
    let [race] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((race.kind, race.parties[0].access), (FindingKind::Race, AccessKind::Atomic));
}
