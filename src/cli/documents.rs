//! Finds the documents that a command line names: files, and folders with one or with many.

use std::path::{Path, PathBuf};
use std::{fs, io};

use brolga::document::Document;

/// The maximum depth of nested folders that are searched.
const MAX_DEPTH: usize = 16;

/// The documents for each of some paths, or why one cannot be read.
pub(super) fn find_all(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(find(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?);
    }
    Ok(all)
}

/// The documents for a path: a file, that of a folder, or else all below the folder, sorted by name.
fn find(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() || Document::find(path).is_some() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    below(path, 0, &mut found)?;
    match found.is_empty() {
        // Reading it reports what is missing.
        true => Ok(vec![path.to_owned()]),
        false => Ok(found),
    }
}

fn below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut paths =
        fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    for path in paths {
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".")) {
            continue;
        }
        if path.is_dir() {
            match Document::find(&path) {
                Some(_) => found.push(path),
                None if depth < MAX_DEPTH && !path.is_symlink() => below(&path, depth + 1, found)?,
                None => {}
            }
        } else if Document::is_likely(&path) {
            found.push(path);
        }
    }
    Ok(())
}
