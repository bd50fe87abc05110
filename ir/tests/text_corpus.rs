//! Real shaders in the text form: what the translation and the passes make of fxc's output follows every rule and comes
//! back from its text as it was.

use brolga_testing_base::same;
use std::path::{Path, PathBuf};

use brolga_bytecode::{LoadOptions, Shader};
use brolga_ir::Function;
use brolga_ir::passes::{Level, optimise};
use brolga_ir::text::parse;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::{Stage, check};

fn containers(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus is part of the repository") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            containers(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cso") {
            found.push(path);
        }
    }
}

fn comes_back(func: &Function, stage: Stage, name: &str) {
    check(func, stage).unwrap_or_else(|errors| panic!("{name}, {stage:?}: {errors}\n{func}"));
    let again = parse(&func.to_string()).unwrap_or_else(|error| panic!("{name}, {stage:?}: {error}\n{func}"));
    same::assert_same(func, &again);
    check(&again, stage).unwrap_or_else(|errors| panic!("{name}, {stage:?}: {errors}\n{func}"));
}

#[test]
fn translated_shaders_come_back_as_they_were() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    let mut paths = Vec::new();
    for folder in ["compute", "exec", "graphics", "patched"] {
        containers(&data.join(folder), &mut paths);
    }
    let mut translated = 0;
    for path in paths {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).expect("listed a moment ago");
        // Other stages, and instructions that are not supported yet, are the translation's own tests.
        let Ok(shader) = Shader::load(&bytes, &LoadOptions::default()) else { continue };
        let Ok(mut func) = translate(&shader.program, &TranslateOptions::default()) else { continue };
        comes_back(&func, Stage::BeforeSsa, &name);
        optimise(&mut func, Level::Full);
        comes_back(&func, Stage::Final, &name);
        translated += 1;
    }
    assert!(translated > 245, "the corpus has that many compute, vertex and pixel shaders, found {translated}");
}
