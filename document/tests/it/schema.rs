//! Checks that the JSON schema accepts every document of the repository. Those that it rejects are in `mistakes.rs`.

use std::fs;
use std::path::{Path, PathBuf};

use boon::{Compiler, SchemaIndex, Schemas};
use serde_json::Value;

/// The compiled schema.
pub struct Schema {
    schemas: Schemas,
    index: SchemaIndex,
}

impl Schema {
    /// The schema of the repository.
    pub fn new() -> Self {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("document.schema.json")).unwrap();
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource("schema.json", serde_json::from_str(&text).unwrap()).unwrap();
        let index = compiler.compile("schema.json", &mut schemas).unwrap();
        Self { schemas, index }
    }

    /// The reason why a document is rejected.
    pub fn refusal(&self, document: &Value) -> Option<String> {
        self.schemas.validate(document, self.index).err().map(|error| error.to_string())
    }
}

/// The files below a folder that editors would take for documents.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            documents(&entry, found);
        } else if brolga_document::Document::is_likely(&entry) {
            found.push(entry);
        }
    }
}

#[test]
fn the_schema_accepts_every_document_of_the_repository() {
    let schema = Schema::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    for folder in ["examples", "tests/data"] {
        documents(&root.join(folder), &mut found);
    }
    let mut accepted = 0;
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        let Ok(document) =
            (if is_toml { toml::from_str(&text).map_err(drop) } else { serde_json::from_str(&text).map_err(drop) })
        else {
            continue;
        };
        let refusal = schema.refusal(&document);
        assert!(refusal.is_none(), "{}: {}", path.display(), refusal.unwrap_or_default());
        accepted += 1;
    }
    assert!(accepted > 60, "{accepted}");
}
