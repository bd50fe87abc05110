//! Tests checks with probes, on random programs without enough barriers: what is found is what a plain model finds, which
//! compares all pairs of accesses. Where all groups are looked at it is exactly that; of more groups some race is found
//! wherever there is one, and nothing else.

use std::collections::BTreeSet;

use brolga_ir::verify::verify;
use brolga_runtime::insight::{CheckOptions, FindingKind};
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
