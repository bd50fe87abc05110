//! Reading files: regular ones up to a size, so that a device or a pipe can neither block the reader nor fill the memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Why a file was not read.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It has so many bytes.
    TooLarge(u64),
    /// Anything else.
    Io(io::Error),
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Refusal::Io(error)
    }
}

impl Refusal {
    /// The same as an input error, where the limit is `most` bytes.
    pub fn into_io(self, most: u64) -> io::Error {
        match self {
            Refusal::TooLarge(found) => {
                io::Error::new(io::ErrorKind::FileTooLarge, format!("it has {found} bytes, the limit is {most}"))
            }
            Refusal::Io(error) => error,
        }
    }
}

/// The content of a regular file of at most `most` bytes.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, Refusal> {
    // Looked at before it is opened: opening a pipe waits for its writer.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    if metadata.len() > most {
        return Err(Refusal::TooLarge(metadata.len()));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize).map_err(io::Error::from)?;
    // One more than allowed shows that it grew meanwhile, or that it is one of those without a size.
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        found if found > most => Err(Refusal::TooLarge(found)),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_bound_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("six.bin");
        fs::write(&path, [7; 6]).unwrap();
        assert_eq!(read(&path, 6).unwrap(), [7; 6]);
        assert!(matches!(read(&path, 5), Err(Refusal::TooLarge(6))));
        assert!(matches!(read(folder.path(), 6), Err(Refusal::Io(_))));
        assert!(matches!(read(&folder.path().join("missing"), 6), Err(Refusal::Io(_))));
        #[cfg(unix)]
        assert!(matches!(read(Path::new("/dev/zero"), 6), Err(Refusal::Io(_))));
    }
}
