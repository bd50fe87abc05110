//! Translates every Direct3D 9 shader of the corpus to a function that follows every rule, before and after the passes.

use std::path::{Path, PathBuf};

use brolga_bytecode::Limits;
use brolga_bytecode::sm3::{self, ValidProgram};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::stage::{Stage, SystemValue};
use brolga_ir::translate::sm3::{FloatRules, TranslateOptions, interface, translate};
use brolga_ir::verify;

use crate::translate::corpus::comes_back;

pub fn programs() -> Vec<(PathBuf, ValidProgram)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/d3d9");
    let entries = std::fs::read_dir(folder).expect("the corpus is part of the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "cso"));
    paths.sort();
    let program = |path: PathBuf| {
        let bytes = std::fs::read(&path).expect("a readable file");
        let program = sm3::decode(&bytes, 0, &Limits::default()).expect("the corpus decodes");
        let program = sm3::validate(program, &Limits::default()).expect("the corpus is valid");
        (path, program)
    };
    paths.into_iter().map(program).collect()
}

#[test]
fn shaders_translate_and_verify_and_come_back_from_their_text() {
    let programs = programs();
    assert_eq!(programs.len(), 76);
    for (path, program) in programs {
        let name = path.file_name().expect("a file has a name").to_string_lossy();
        for rules in [FloatRules::Direct3D9, FloatRules::Direct3D9Finite, FloatRules::Ieee] {
            let mut options = TranslateOptions::default();
            options.float_rules = rules;
            let mut func = translate(&program, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
            let declared = interface(&program, &options);
            assert_eq!((&declared.resources, &declared.stage), (&func.interface.resources, &func.interface.stage));
            comes_back(&func, verify::Stage::BeforeSsa, &name);
            optimise(&mut func, Level::Full);
            // Unused ones are not in the text.
            func.list_samples();
            comes_back(&func, verify::Stage::Final, &name);
        }
    }
}

/// Linked parameters have a semantic, all others a system value.
#[test]
fn inputs_and_outputs_have_a_semantic_or_a_system_value() {
    for (path, program) in programs() {
        let interface = interface(&program, &TranslateOptions::default());
        let (Stage::Vertex(signature) | Stage::Pixel(signature)) = &interface.stage else {
            panic!("{} is for another stage", path.display());
        };
        for input in &signature.inputs {
            assert_eq!(input.semantic.is_some(), input.system_value.is_none(), "{}: {input:?}", path.display());
        }
        let links_outputs = matches!(interface.stage, Stage::Vertex(_));
        assert!(
            signature.outputs.iter().all(|output| output.semantic.is_some() == links_outputs),
            "{}",
            path.display()
        );
        if links_outputs {
            let position = signature.outputs.iter().find(|output| output.system_value == Some(SystemValue::Position));
            assert_eq!(position.map(|position| position.mask), Some(0xf), "{}", path.display());
        }
    }
}
