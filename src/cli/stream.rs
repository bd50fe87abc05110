//! Reads and writes files that may be standard input or output, which are written `-`.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use brolga::files::Claim;

use super::style::Style;
use super::{Ending, report};

/// Larger files are neither shaders nor listings.
const MOST_BYTES: u64 = 256 << 20;

/// `true` if a path stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file, or reports why it cannot be read.
pub(super) fn read(path: &Path, style: Style) -> Result<Vec<u8>, Ending> {
    load(path).map_err(|text| {
        report::print_plain(text, None, style);
        Ending::BadInput
    })
}

/// Reads a file, or returns a message about why it cannot be read.
pub(super) fn load(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = match is_standard(path) {
        true => read_bounded(io::stdin().lock()),
        false => fs::File::open(path).and_then(read_bounded),
    };
    match bytes {
        Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
            Err(format!("{} is over the limit of {MOST_BYTES} bytes", path.display()))
        }
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    }
}

/// Reports if standard input, which can be read once, is named more than once, and returns `true` then.
pub(super) fn names_input_twice(paths: &[PathBuf], style: Style) -> bool {
    let is_twice = paths.iter().filter(|path| is_standard(path)).count() > 1;
    if is_twice {
        let text = "`-` is standard input, which can be read only once";
        report::print_plain(text.into(), Some("name it once".into()), style);
    }
    is_twice
}

fn read_bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes the result for `input`, all of it or nothing. Reports why it cannot be written; only standard output's errors
/// are the caller's.
pub(super) fn write(path: &Path, input: &Path, bytes: &[u8], style: Style) -> io::Result<Ending> {
    if is_standard(path) {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()?;
        return Ok(Ending::Fine);
    }
    let fail = |text: String, help: Option<&str>| {
        report::print_plain(text, help.map(str::to_owned), style);
        Ok(Ending::BadInput)
    };
    if !is_standard(input) && is_same(path, input) {
        return fail(format!("{} is the input as well as the output", path.display()), Some("choose another name"));
    }
    match put(path, bytes) {
        Ok(()) => Ok(Ending::Fine),
        Err(error) => fail(format!("cannot write {}: {error}", path.display()), None),
    }
}

fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Pipes and devices are written to directly; no file may replace them.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return fs::write(path, bytes);
    }
    Claim::new(path)?.commit(bytes)
}

/// `true` if both lead to one name. Of a second name for one file (a hard link) only the output's is replaced.
fn is_same(path: &Path, other: &Path) -> bool {
    matches!([path, other].map(fs::canonicalize), [Ok(path), Ok(other)] if path == other && path.is_file())
}
