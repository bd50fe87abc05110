//! Resolves the files that a document names.
//!
//! One rule: it reads any regular file that its user may read, by a path from its own folder, and writes in the folder
//! for outputs or below it, wherever links lead. Whoever runs a document may lift the second half
//! ([`Document::anywhere`](crate::Document::anywhere)).

use std::cell::RefCell;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use brolga_files::{self as files, FileForm, FileProblem, HEADER, go_on, leads_out};
use brolga_runtime::{CancelToken, room};

use crate::error::{Fault, Problem};
use crate::text::Span;

/// The files that a document may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Those in the folder for outputs or below it.
    #[default]
    Folder,
    /// All that the user may write.
    Anywhere,
}

impl Reach {
    /// The path of an output, if it may be written: relative names start from a folder.
    pub fn output(self, folder: &Path, name: &Path) -> Result<PathBuf, FileProblem> {
        let path = folder.join(name);
        if self == Reach::Anywhere {
            return Ok(path);
        }
        let is_inside = name.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        match is_inside && !name.as_os_str().is_empty() {
            false => Err(OUTSIDE.into()),
            true if leads_out(folder, &path)? => Err(LEADS_OUT.into()),
            true => Ok(path),
        }
    }
}

const OUTSIDE: &str =
    "a document writes in the folder for outputs or below it: `--output` names another, and `--anywhere` allows all";
const LEADS_OUT: &str =
    "a link leads out of the folder for outputs, in which a document writes: `--anywhere` allows others";

/// The extension of compressed files.
const PACKED: &str = ".zst";

/// The format of a file, which may be compressed.
pub(crate) fn form_of(file: &Path) -> FileForm {
    match is_packed(file) {
        true => FileForm::of(&file.with_extension("")),
        false => FileForm::of(file),
    }
}

fn is_packed(file: &Path) -> bool {
    file.as_os_str().as_encoded_bytes().ends_with(PACKED.as_bytes())
}

/// The folder of a document.
pub(crate) struct Folder<'a> {
    path: PathBuf,
    /// Stops long operations.
    pub cancel: &'a CancelToken,
    /// The files named so far, and their descriptions in messages.
    named: RefCell<Vec<(&'static str, PathBuf)>>,
}

impl<'a> Folder<'a> {
    /// The folder that a document's file is in.
    pub fn of(document: &Path, cancel: &'a CancelToken) -> Self {
        let path = document.parent().map_or_else(PathBuf::new, Path::to_owned);
        Self { path, cancel, named: RefCell::default() }
    }

    /// The files that were named.
    pub fn into_named(self) -> Vec<(&'static str, PathBuf)> {
        self.named.into_inner()
    }

    /// The fault for a problem with the file named at a span, or `Stopped` if the token was cancelled.
    pub fn failed(&self, span: &Span, file: PathBuf, problem: FileProblem) -> Fault {
        (Problem::of_file(file, problem, self.cancel), span.clone())
    }

    /// The path of an input. Notes it, with its use, as a file that the document reads.
    pub fn file(&self, what: &'static str, name: &Path) -> PathBuf {
        let path = self.path.join(name);
        self.named.borrow_mut().push((what, path.clone()));
        path
    }

    /// Reads a file of at most `most` bytes. One that ends in .zst is decompressed.
    pub fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>, FileProblem> {
        match is_packed(path) {
            false => files::read_until(path, most, self.cancel),
            true => {
                let packed = files::read_until(path, most.saturating_add(HEADER), self.cancel)?;
                unpack(&packed, most, self.cancel)
            }
        }
    }

    /// `true` if a file can be used without decompressing it.
    pub fn is_plain(path: &Path) -> bool {
        !is_packed(path)
    }
}

/// Bytes decompressed at once.
const PIECE: u64 = 1 << 20;

/// The content of a file compressed with Zstandard.
fn unpack(packed: &[u8], most: u64, cancel: &CancelToken) -> Result<Vec<u8>, FileProblem> {
    let damaged = |error: &dyn std::fmt::Display| FileProblem::from(format!("the file is damaged: {error}"));
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| damaged(&error))?;
    let (mut bytes, mut piece) = (Vec::new(), Vec::new());
    loop {
        go_on(cancel)?;
        piece.clear();
        (&mut decoder).take(PIECE).read_to_end(&mut piece).map_err(|error| damaged(&error))?;
        match bytes.len() as u64 + piece.len() as u64 {
            found if found > most => {
                return Err(FileProblem::TooLarge { what: "it unpacks to more than", bytes: most, limit: most });
            }
            _ if piece.is_empty() => return Ok(bytes),
            _ => {}
        }
        if bytes.capacity() - bytes.len() < piece.len() {
            // Doubles each time, as vectors grow.
            let count = bytes.len().max(piece.len());
            room::more(&mut bytes, count as u64)?;
        }
        bytes.extend_from_slice(&piece);
    }
}
