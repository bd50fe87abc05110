//! Every shader of the corpus that the real compiler wrote: what its listing names decides what must happen.

use std::path::{Path, PathBuf};

use brolga_bytecode::Shader;
use brolga_bytecode::sm5::Stage;

use crate::translate::sm5::{TranslateError, TranslateOptions, translate};
use crate::verify::{self, check};

/// Containers below these folders, in order.
pub(super) fn containers() -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data");
    let mut folders: Vec<PathBuf> = ["compute", "exec", "patched", "graphics"].map(|name| data.join(name)).into();
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

/// The first instruction of a listing that waits for a later version.
fn unsupported(listing: &str) -> Option<&str> {
    listing.lines().filter(|line| !line.starts_with("//")).filter_map(|line| line.split_whitespace().next()).find(
        |word| {
            let sampling = ["sample_", "samplepos", "gather4", "lod"].iter().any(|name| word.starts_with(name));
            let interface = ["dcl_interface", "fcall"].iter().any(|name| word.starts_with(name));
            (sampling || *word == "sample" || interface) && !word.starts_with("sampleinfo")
        },
    )
}

#[test]
fn compute_shaders_translate_and_verify_unless_they_sample() {
    let (mut translated, mut refused, mut other_stages) = (0, 0, 0);
    for path in containers() {
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("a readable file");
        let shader = Shader::load(&bytes, &Default::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let listing = std::fs::read_to_string(path.with_extension("asm")).expect("each container has a listing");
        let result = translate(&shader.program, &TranslateOptions::default());
        let stage = shader.program.stage();
        match (result, unsupported(&listing)) {
            (Err(TranslateError::Stage { stage: found }), _) => {
                assert_ne!(stage, Stage::Compute, "{name}");
                assert_eq!(found, stage, "{name}");
                other_stages += 1;
            }
            (Err(TranslateError::NotSupported { name: found, at }), Some(expected)) => {
                assert!(expected.starts_with(found), "{name}: {expected}, {found}");
                assert!((at as usize) < bytes.len(), "{name}");
                refused += 1;
            }
            (Ok(func), None) => {
                assert_eq!(stage, Stage::Compute, "{name}");
                check(&func, verify::Stage::BeforeSsa).unwrap_or_else(|problems| panic!("{name}: {problems}"));
                translated += 1;
            }
            (result, expected) => panic!("{name}: {:?} but the listing has {expected:?}", result.map(|_| ())),
        }
    }
    assert!(translated > 190 && refused > 20 && other_stages > 90, "{translated} {refused} {other_stages}");
}
