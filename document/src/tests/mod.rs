//! Tests documents, right and wrong: how they are read, and the text and the position of error messages.
//!
//! | file | what |
//! |---|---|
//! | `keys.rs` | keys and their values, before any file is opened |
//! | `sizes.rs` | sizes, whose sources must agree |
//! | `files.rs` | outputs, expected files, and files that are mapped |
//! | `textures.rs` | textures and their files |
//! | `samplers.rs` | samplers |
//! | `damage.rs` | damaged documents, and damaged shaders under right ones |

mod damage;
mod files;
mod keys;
mod samplers;
mod sizes;
mod textures;

use std::fs;
use std::io::Cursor;
use std::path::Path;

use brolga_files::{Bytes, FileForm};
use brolga_runtime::{CancelToken, Limits, TextureShape};

use crate::{Document, DocumentError, Prepared, Syntax};

/// The beginning of every document in the short form, here with an invalid shader: no test needs its declarations.
const HEAD: &str = "shader = \"s.cso\"\ndispatch = [1, 1, 1]\n";

fn parse(text: &str) -> Result<Document, DocumentError> {
    Document::parse("folder/document.toml".into(), text, Syntax::Toml)
}

/// The message, and the text that it points at.
fn complaint(text: &str) -> (String, String) {
    let error = parse(text).unwrap_err();
    (error.problem().to_string(), error.text()[error.span()].to_owned())
}

/// A folder with the files of documents.
struct Folder(tempfile::TempDir);

impl Folder {
    /// One with the shader, and a file of six bytes.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("s.cso", b"bytes");
        folder.write("six.bin", &[0; 6]);
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path().join(name), bytes).unwrap();
    }

    /// A whole document in this folder, prepared.
    fn document(&self, text: &str) -> Result<Prepared, DocumentError> {
        let document = Document::parse(self.path().join("document.toml"), text, Syntax::Toml)?;
        document.prepare(&Limits::default())
    }

    /// The same with [`HEAD`] before the text.
    fn prepare(&self, text: &str) -> Result<Prepared, String> {
        self.document(&format!("{HEAD}{text}\n")).map_err(|error| error.problem().to_string())
    }
}

pub(crate) fn prepared(text: &str) -> Result<Prepared, DocumentError> {
    Folder::new().document(&format!("{HEAD}{text}"))
}

fn unprepared(text: &str) -> String {
    prepared(text).unwrap_err().problem().to_string()
}

/// A texture in the file of a name.
fn file(name: &str, shape: &TextureShape, texels: &[u8]) -> Vec<u8> {
    let (mut file, bytes) = (Cursor::new(Vec::new()), Bytes::Owned(texels.to_vec()));
    FileForm::of(Path::new(name)).write(&mut file, shape, &bytes, &CancelToken::new()).unwrap();
    file.into_inner()
}
