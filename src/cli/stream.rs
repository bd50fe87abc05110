//! Files that may be standard input or output, which are written `-`.

use std::io::{self, Read, Write};
use std::path::Path;

use super::style::Style;
use super::{Ending, report};

/// Larger files are no shaders, and no listings of one.
const MOST_BYTES: u64 = 256 << 20;

/// Whether a path stands for standard input or output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a file. Says why it cannot be read.
pub(super) fn read(path: &Path, style: Style) -> Result<Vec<u8>, Ending> {
    let bytes = match is_standard(path) {
        true => read_bounded(io::stdin().lock()),
        false => std::fs::File::open(path).and_then(read_bounded),
    };
    let fail = |text: String| {
        report::print_plain(text, None, style);
        Err(Ending::BadInput)
    };
    match bytes {
        Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
            fail(format!("{} is over the limit of {MOST_BYTES} bytes", path.display()))
        }
        Ok(bytes) => Ok(bytes),
        Err(error) => fail(format!("cannot read {}: {error}", path.display())),
    }
}

fn read_bounded(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file. Says why it cannot be written; only standard output's errors are the caller's.
pub(super) fn write(path: &Path, bytes: &[u8], style: Style) -> io::Result<Ending> {
    if is_standard(path) {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()?;
        return Ok(Ending::Fine);
    }
    match std::fs::write(path, bytes) {
        Ok(()) => Ok(Ending::Fine),
        Err(error) => {
            report::print_plain(format!("cannot write {}: {error}", path.display()), None, style);
            Ok(Ending::BadInput)
        }
    }
}
