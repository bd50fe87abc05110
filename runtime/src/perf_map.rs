//! Writes a perf map, which tells Linux profilers which shader a piece of machine code belongs to.
//!
//! `perf report` and others read `/tmp/perf-PID.map`, a text file with a line for each piece of generated code: its
//! address and size in hexadecimal, and its name. Other code generators in the process may write to the same file, so
//! lines are appended, each with one write. Lines stay when a shader is dropped, since profiles are read later; code
//! that takes the same addresses afterwards has a later line.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::Error;
#[cfg(unix)]
use crate::file_owner;

/// A file in which devices record the machine code of their shaders for profilers. Cheap to clone; clones share the
/// file.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let device = brolga_runtime::Device::builder().perf_map(brolga_runtime::PerfMap::of_process()?).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct PerfMap {
    path: Arc<Path>,
    file: Arc<Mutex<File>>,
}

impl PerfMap {
    /// The file that profilers look for, `/tmp/perf-PID.map`.
    ///
    /// # Errors
    /// If it cannot be written, or is not a file of this user: anyone may write to `/tmp`, and a link there could point
    /// anywhere.
    pub fn of_process() -> io::Result<Self> {
        Self::at(PathBuf::from(format!("/tmp/perf-{}.map", std::process::id())))
    }

    /// A file elsewhere, for tools that are told its path.
    ///
    /// # Errors
    /// As [`Self::of_process`].
    pub fn at(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path: PathBuf = path.into();
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        check_owner(&path, &file)?;
        Ok(Self { path: path.into(), file: Arc::new(Mutex::new(file)) })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A recorder for code of one name.
    pub(crate) fn named(&self, name: String) -> NamedCode {
        NamedCode { map: self.clone(), name }
    }

    /// Appends a line for a piece of code.
    fn add(&self, code: &[u8], name: &str) -> io::Result<()> {
        let line = format!("{:x} {:x} {}\n", code.as_ptr() as usize, code.len(), one_line(name));
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes())
    }
}

/// Records the code of one shader.
#[derive(Debug)]
pub(crate) struct NamedCode {
    map: PerfMap,
    name: String,
}

impl NamedCode {
    /// Records a piece of code.
    pub fn add(&self, code: &[u8]) -> Result<(), Error> {
        let failed = |source| Error::PerfMap { path: self.map.path().to_owned(), source };
        self.map.add(code, &self.name).map_err(failed)
    }
}

/// A name without line breaks.
pub(crate) fn one_line(name: &str) -> String {
    name.chars().map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter }).collect()
}

/// Refuses a file that another user may have put there. Checked after opening, so that it cannot be swapped in between.
#[cfg(unix)]
fn check_owner(path: &Path, file: &File) -> io::Result<()> {
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    let (opened, named) = (file.metadata()?, fs::symlink_metadata(path)?);
    let same = (opened.dev(), opened.ino()) == (named.dev(), named.ino());
    if named.is_file() && same && file_owner::is_own(&opened) {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a file of this user"))
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn lines_are_appended_and_names_stay_on_theirs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("perf.map");
        let code = [0u8; 0x1f];
        PerfMap::at(&path).unwrap().add(&code, "a b").unwrap();
        PerfMap::at(&path).unwrap().add(&code[..1], "c\nd").unwrap();
        let at = code.as_ptr() as usize;
        assert_eq!(fs::read_to_string(path).unwrap(), format!("{at:x} 1f a b\n{at:x} 1 c\u{fffd}d\n"));
    }

    #[test]
    fn links_are_refused_and_their_targets_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert_eq!(PerfMap::at(&link).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read_to_string(target).unwrap(), "precious");
        assert!(PerfMap::at(folder.path()).is_err());
    }
}
