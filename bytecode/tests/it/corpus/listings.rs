//! Tests that the listing is fxc's own, byte for byte except for line ends.

use super::data;
use brolga_bytecode::{Limits, assembler, listing};
use std::collections::BTreeMap;

/// The first line at which two texts differ, with both versions.
fn first_difference(ours: &str, theirs: &str) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let number = ours.lines().zip(theirs.lines()).position(|(ours, theirs)| ours != theirs);
    let number = number.unwrap_or_else(|| ours.lines().count().min(theirs.lines().count()));
    let [ours, theirs] = [ours, theirs].map(|text| text.lines().nth(number).unwrap_or("<end>"));
    Some(format!("line {}:\n  ours {ours:?}\n  fxc  {theirs:?}", number + 1))
}

/// Shaders whose listing has more than ours, and what it has.
const INCOMPLETE: [(&str, &str); 2] = [
    ("compute/debug.dbg.cs_5_0.cso", "source lines and names from debug information"),
    ("compute/debug.ps.ps_4_0.cso", "source lines and names from debug information"),
];

/// The lines of the program without what comes from debug information.
fn program_lines<'a>(listing: &'a str, profile: &str) -> Vec<&'a str> {
    let lines = listing.lines().skip_while(|line| *line != profile);
    let is_code = |line: &&str| !(line.is_empty() || line.starts_with("//") || line.starts_with("#line"));
    lines.filter(is_code).map(|line| line.split("  //").next().unwrap_or(line)).collect()
}

#[test]
fn listings_are_those_of_the_compiler() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    for shader in data::containers() {
        let family = shader.name.split('/').next().unwrap_or_default().to_owned();
        let count = counts.entry(family).or_default();
        count.1 += 1;
        let theirs = shader.listing.replace('\r', "");
        match listing::listing(&shader.bytes, &limits) {
            Ok(ours) => match first_difference(&ours, &theirs) {
                None => count.0 += 1,
                Some(_) if INCOMPLETE.iter().any(|(name, _)| *name == shader.name) => {
                    let profile = &shader.profile[..6];
                    assert_eq!(program_lines(&ours, profile), program_lines(&theirs, profile), "{}", shader.name);
                }
                Some(difference) => failures.push(format!("{}: {difference}", shader.name)),
            },
            Err(error) => failures.push(format!("{}: {error}", shader.name)),
        }
    }
    println!("identical, and all: {counts:?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// Shaders with the compiler's listing beside them: cases that decide the text of a listing, interfaces, the examples,
/// and the suite of measurements.
#[test]
fn listings_beside_shaders_are_those_of_the_compiler() {
    let limits = Limits::default();
    let data = data::data();
    let examples = data.join("../../examples");
    let scenes = [("still_life", 5), ("field", 8), ("lamps", 6), ("bridge", 4), ("meadow", 5), ("moon", 5)]
        .map(|(name, count)| (examples.join(name), count));
    let suite = data.join("../../bench/suite/src/shaders");
    let others = [(data.join("listing"), 15), (data.join("interfaces"), 7), (examples, 10), (suite, 42)];
    for (folder, least) in others.into_iter().chain(scenes) {
        let mut seen = 0;
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "cso") {
                continue;
            }
            let bytes = data::read(&path);
            let theirs = String::from_utf8(data::read(&path.with_extension("asm"))).unwrap().replace('\r', "");
            let ours = listing::listing(&bytes, &limits).unwrap();
            if let Some(difference) = first_difference(&ours, &theirs) {
                panic!("{}: {difference}", path.display());
            }
            let exact = listing::exact(&bytes, &limits).unwrap();
            let assembly =
                assembler::assemble(&exact, &limits).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(assembly.bytes == bytes, "{}", path.display());
            seen += 1;
        }
        assert!(seen >= least, "only {seen} shaders were seen in {}", folder.display());
    }
}
