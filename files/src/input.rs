//! Reads regular files up to a size, so that a device or a pipe can neither block the reader nor fill the memory.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use brolga_runtime::{Buffer, CancelToken, ResourceError, room};

use super::until::go_on;
use super::{Array, FileProblem};

/// Bytes that are read at once: few enough to stop soon.
const PIECE: u64 = 1 << 20;

/// The maximum size of an array's header at the beginning of a file.
const ARRAY_HEAD: u64 = 1 << 17;

/// The content of a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, FileProblem> {
    read_until(path, most, &CancelToken::new())
}

/// The same, unless the token is cancelled before the end.
///
/// # Errors
/// As there, or [`FileProblem::Stopped`].
pub fn read_until(path: &Path, most: u64, cancel: &CancelToken) -> Result<Vec<u8>, FileProblem> {
    let too_large = |bytes| FileProblem::TooLarge { what: "it has", bytes, limit: most };
    let (mut file, size) = open(path)?;
    if size > most {
        return Err(too_large(size));
    }
    let mut bytes = room::room(size)?;
    // It may have grown meanwhile, or be one of those without a size.
    loop {
        go_on(cancel)?;
        let found = (&mut file).take(PIECE).read_to_end(&mut bytes)?;
        match bytes.len() as u64 {
            length if length > most => return Err(too_large(length)),
            _ if found == 0 => return Ok(bytes),
            _ => {}
        }
    }
}

/// Opens a regular file, and returns it with its size.
fn open(path: &Path) -> io::Result<(File, u64)> {
    // Checked before it is opened: opening a pipe waits for its writer.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((File::open(path)?, metadata.len()))
}

/// Bytes of a file that are not read until they are needed: all of them, or those after a header.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// The file.
    pub path: PathBuf,
    /// The offset of the first byte.
    pub offset_bytes: u64,
    /// The number of bytes.
    pub size_bytes: u64,
}

impl FilePart {
    /// All bytes of a regular file.
    pub fn whole(path: &Path) -> io::Result<Self> {
        let (_, size_bytes) = open(path)?;
        Ok(Self { path: path.to_owned(), offset_bytes: 0, size_bytes })
    }

    /// The elements of an `.npy` file.
    pub fn elements(path: &Path) -> Result<(Array, Self), FileProblem> {
        let (file, size) = open(path)?;
        let mut head = Vec::new();
        file.take(ARRAY_HEAD).read_to_end(&mut head)?;
        let (array, offset_bytes) = Array::parse(&head, size)?;
        Ok((array, Self { path: path.to_owned(), offset_bytes, size_bytes: size - offset_bytes }))
    }

    /// `true` if their offset is aligned for memory.
    pub fn can_be_mapped(&self) -> bool {
        self.offset_bytes.is_multiple_of(4)
    }

    /// Maps the file as read-only memory.
    pub fn map(&self) -> Result<Buffer, ResourceError> {
        Buffer::map_from(&self.path, brolga_runtime::Access::Read, self.offset_bytes)
    }

    /// Copies them to the beginning of a buffer that is as large, unless the token is cancelled.
    pub fn copy_to(&self, buffer: &Buffer, to_bytes: u64, cancel: &CancelToken) -> Result<(), FileProblem> {
        let (mut file, _) = open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset_bytes))?;
        let mut piece = room::zeros::<u8>(PIECE.min(self.size_bytes))?;
        for at in (0..self.size_bytes).step_by(PIECE as usize) {
            go_on(cancel)?;
            let piece = &mut piece[..PIECE.min(self.size_bytes - at) as usize];
            file.read_exact(piece)?;
            buffer.write(to_bytes + at, piece)?;
        }
        Ok(())
    }
}

/// Writes bytes to an offset in a buffer, unless the token is cancelled between two pieces.
pub fn write(buffer: &Buffer, to_bytes: u64, bytes: &[u8], cancel: &CancelToken) -> Result<(), FileProblem> {
    for (at, piece) in (0..).step_by(PIECE as usize).zip(bytes.chunks(PIECE as usize)) {
        if at > 0 {
            go_on(cancel)?;
        }
        buffer.write(to_bytes + at, piece)?;
    }
    Ok(())
}

/// Removes the first `head` bytes, unless the token is cancelled.
pub(super) fn cut_head(bytes: &mut Vec<u8>, head: usize, cancel: &CancelToken) -> Result<(), FileProblem> {
    let length = bytes.len() - head;
    for at in (0..length).step_by(PIECE as usize) {
        go_on(cancel)?;
        let end = (at + PIECE as usize).min(length);
        bytes.copy_within(head + at..head + end, at);
    }
    bytes.truncate(length);
    Ok(())
}

impl From<ResourceError> for FileProblem {
    fn from(error: ResourceError) -> Self {
        match error {
            ResourceError::Stopped => FileProblem::Stopped,
            error => FileProblem::Runtime(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use brolga_runtime::Device;

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

    #[test]
    fn bytes_of_several_pieces_are_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long.bin");
        let pattern: Vec<u8> = (0..2 * PIECE + 11).map(|n| (n % 251) as u8).collect();
        fs::write(&path, &pattern).unwrap();
        let (going, cancelled) = (CancelToken::new(), CancelToken::new());
        cancelled.cancel();
        assert!(read(&path, u64::MAX).unwrap() == pattern);
        assert!(matches!(read_until(&path, u64::MAX, &cancelled), Err(FileProblem::Stopped)));
        let device = Device::builder().threads(1).build().unwrap();
        let part =
            FilePart { offset_bytes: 5, size_bytes: pattern.len() as u64 - 5, ..FilePart::whole(&path).unwrap() };
        let buffer = device.buffer(part.size_bytes + 3).unwrap();
        part.copy_to(&buffer, 3, &going).unwrap();
        assert!(buffer.to_vec::<u8>().unwrap() == [&[0; 3], &pattern[5..]].concat());
        assert!(matches!(part.copy_to(&buffer, 0, &cancelled), Err(FileProblem::Stopped)));
        let buffer = device.buffer(pattern.len() as u64 + 3).unwrap();
        write(&buffer, 3, &pattern, &going).unwrap();
        assert!(buffer.to_vec::<u8>().unwrap() == [&[0; 3], &pattern[..]].concat());
        assert!(matches!(write(&buffer, 0, &pattern, &cancelled), Err(FileProblem::Stopped)));
        let mut cut = pattern.clone();
        cut_head(&mut cut, 7, &going).unwrap();
        assert!(cut == pattern[7..]);
    }
}
