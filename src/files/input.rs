//! Reading files: regular ones up to a size, so that a device or a pipe can neither block the reader nor fill the memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use super::FileProblem;

/// The content of a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, FileProblem> {
    let too_large = |bytes| FileProblem::TooLarge { what: "it has", bytes, limit: most };
    // Looked at before it is opened: opening a pipe waits for its writer.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file").into());
    }
    if metadata.len() > most {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(metadata.len() as usize).map_err(io::Error::from)?;
    // One more than allowed shows that it grew meanwhile, or that it is one of those without a size.
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 {
        found if found > most => Err(too_large(found)),
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
        assert!(matches!(read(&path, 5), Err(FileProblem::TooLarge { bytes: 6, limit: 5, .. })));
        assert!(matches!(read(folder.path(), 6), Err(FileProblem::Io(_))));
        assert!(matches!(read(&folder.path().join("missing"), 6), Err(FileProblem::Io(_))));
        #[cfg(unix)]
        assert!(matches!(read(Path::new("/dev/zero"), 6), Err(FileProblem::Io(_))));
    }
}
