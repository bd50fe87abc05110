//! Translates every shader of the corpus that the real compiler wrote, and checks the results against their listings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use brolga_bytecode::Shader;

use brolga_ir::Function;
use brolga_ir::function::{Element, InstKind, Object};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::text::parse;
use brolga_ir::translate::sm5::{BoundClass, TranslateOptions, translate};
use brolga_ir::verify::{self, check};
use brolga_testing_base::same::assert_same;

/// Containers below these folders, in order.
pub(crate) fn containers() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    let mut folders: Vec<PathBuf> =
        ["compute", "exec", "interfaces", "patched", "graphics"].map(|name| data.join(name)).into();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the corpus is part of the repository") {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cso") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Options that give each interface slot a class: the allowed ones in turn.
pub(crate) fn options(shader: &Shader) -> TranslateOptions {
    let interfaces = &shader.program.declarations().interfaces;
    let mut classes = Vec::new();
    for interface in interfaces {
        for slot in interface.interface..interface.interface + interface.array_length {
            classes.resize(slot as usize + 1, None);
            let table = interface.tables.iter().cycle().nth(slot as usize);
            classes[slot as usize] = table.map(|&table| BoundClass { table, this: [0, slot, u32::MAX, u32::MAX] });
        }
    }
    let mut options = TranslateOptions::default();
    options.classes = classes;
    options
}

/// A function follows every rule, and so does the function parsed from its text, which has the same text.
pub(crate) fn comes_back(func: &Function, stage: verify::Stage, name: &str) {
    check(func, stage).unwrap_or_else(|errors| panic!("{name}, {stage:?}: {errors}\n{func}"));
    let again = parse(&func.to_string()).unwrap_or_else(|error| panic!("{name}, {stage:?}: {error}\n{func}"));
    assert_same(func, &again);
    check(&again, stage).unwrap_or_else(|errors| panic!("{name}, {stage:?}: {errors}\n{func}"));
}

/// Before and after the passes too.
#[test]
fn shaders_translate_and_verify_and_come_back_from_their_text() {
    let mut translated = 0;
    for path in containers() {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("a readable file");
        let shader = Shader::load(&bytes, &Default::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut func = translate(&shader.program, &options(&shader)).unwrap_or_else(|error| panic!("{name}: {error}"));
        comes_back(&func, verify::Stage::BeforeSsa, &name);
        optimise(&mut func, Level::Full);
        comes_back(&func, verify::Stage::Final, &name);
        translated += 1;
    }
    assert!(translated > 330, "{translated}");
}

#[test]
fn registers_of_a_range_count_from_its_first() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    let bytes = std::fs::read(data.join("compute/sm51.cbs.cs_5_1.cso")).expect("part of the corpus");
    let shader = Shader::load(&bytes, &Default::default()).expect("a valid shader");
    let func = translate(&shader.program, &TranslateOptions::default()).expect("a plain compute shader");
    // Its listing: CB0[0:0], CB1[2:7], T0[3:3], U0[2:5], all in other spaces than the numbers suggest.
    let declared: Vec<_> = func.interface.resources.iter().map(|r| (r.register(), r.count, r.space)).collect();
    assert_eq!(declared[1], ("b2".to_owned(), Some(6), 1));
    assert_eq!(declared[3], ("u2".to_owned(), Some(4), 0));

    let mut fixed = BTreeSet::new();
    let mut computed = 0;
    let insts = &func.region(func.body()).insts;
    for &inst in insts {
        let (InstKind::Load { place } | InstKind::Store { place, .. }) = &func.inst(inst).kind else { continue };
        let Object::Resource(resource) = place.object else { continue };
        match resource.element {
            Element::Fixed(element) => _ = fixed.insert((resource.id.index(), element)),
            Element::Computed(value) => {
                // CB1[r0.x + 2]: the two is the range's first register, so that r0.x itself counts.
                assert_eq!(resource.id.index(), 1);
                let is_r0 =
                    |kind: &InstKind| matches!(*kind, InstKind::SlotSet(slot, x) if slot.index() == 0 && x == value);
                assert!(insts.iter().any(|&inst| is_r0(&func.inst(inst).kind)));
                computed += 1;
            }
        }
    }
    // CB0[0], CB1[4], T0[3] and U0[2].
    assert_eq!(fixed, BTreeSet::from([(0, 0), (1, 2), (2, 0), (3, 0)]));
    assert_eq!(computed, 8);
}
