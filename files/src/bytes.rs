//! Reads bytes that may be too many for a copy, piece by piece.

use std::io::{self, Write};

use brolga_runtime::{Buffer, CancelToken, ResourceError, View, room};

/// Bytes of a piece: enough that the overhead of one is negligible, few enough that it stays in a cache. A multiple of
/// any number's size.
const PIECE: u64 = 1 << 18;

/// Bytes in any kind of memory. Clones of those that are not in vectors are the same bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Bytes {
    /// A vector.
    Owned(Vec<u8>),
    /// The content of a view.
    View(View),
    /// The content of a buffer, such as a mapped file.
    Buffer(Buffer),
}

impl Bytes {
    /// The number of bytes.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Bytes::Owned(bytes) => bytes.len() as u64,
            Bytes::View(view) => view.size_bytes(),
            Bytes::Buffer(buffer) => buffer.size_bytes(),
        }
    }

    /// A copy of all.
    ///
    /// # Errors
    /// [`ResourceError::OutOfMemory`].
    pub fn to_vec(&self) -> Result<Vec<u8>, ResourceError> {
        self.part(0, self.size_bytes())
    }

    /// A copy of bytes, all of which must be there.
    pub fn part(&self, at: u64, length: u64) -> Result<Vec<u8>, ResourceError> {
        let mut bytes = room::zeros(length)?;
        self.read(at, &mut bytes);
        Ok(bytes)
    }

    /// A copy of the first bytes, as many as there are up to `most`, unless `stop` returns `true`.
    pub fn first(&self, most: u64, stop: &dyn Fn() -> bool) -> Result<Vec<u8>, ResourceError> {
        let size = most.min(self.size_bytes());
        let (mut bytes, mut piece) = (room::room(size)?, room::zeros::<u8>(PIECE.min(size))?);
        for (at, length) in pieces(size) {
            if stop() {
                return Err(ResourceError::Stopped);
            }
            self.read(at, &mut piece[..length]);
            bytes.extend_from_slice(&piece[..length]);
        }
        Ok(bytes)
    }

    /// Copies bytes out. All of them must be there.
    pub(super) fn read(&self, at: u64, bytes: &mut [u8]) {
        let inside = "callers keep to the size";
        match self {
            Bytes::Owned(all) => bytes.copy_from_slice(&all[at as usize..at as usize + bytes.len()]),
            Bytes::View(view) => view.read(at, bytes).expect(inside),
            Bytes::Buffer(buffer) => buffer.read(at, bytes).expect(inside),
        }
    }

    /// Writes the first `most` of them, or all.
    pub fn write_to(&self, file: &mut impl Write, most: u64) -> io::Result<()> {
        let size = self.size_bytes().min(most);
        if let Bytes::Owned(bytes) = self {
            return file.write_all(&bytes[..size as usize]);
        }
        let mut piece = vec![0; PIECE.min(size) as usize];
        for (at, length) in pieces(size) {
            self.read(at, &mut piece[..length]);
            file.write_all(&piece[..length])?;
        }
        Ok(())
    }

    /// `true` if others are known to differ once all were compared, or the token was cancelled.
    pub fn differ(&self, other: &Bytes, cancel: &CancelToken) -> bool {
        if self.size_bytes() != other.size_bytes() {
            return true;
        }
        let mut differ = false;
        self.beside(other, 0, |_, ours, theirs| {
            differ = ours != theirs;
            !differ && !cancel.is_cancelled()
        });
        differ
    }

    /// Calls `visit` for each piece of these bytes, with its offset and the bytes of `other` that begin `other_start`
    /// later, until it returns `false`. `other` must have them.
    pub fn beside(&self, other: &Bytes, other_start: u64, mut visit: impl FnMut(u64, &[u8], &[u8]) -> bool) {
        let most = PIECE.min(self.size_bytes()) as usize;
        let (mut ours, mut theirs) = (vec![0; most], vec![0; most]);
        for (at, length) in pieces(self.size_bytes()) {
            let (ours, theirs) = (&mut ours[..length], &mut theirs[..length]);
            self.read(at, ours);
            other.read(other_start + at, theirs);
            if !visit(at, ours, theirs) {
                return;
            }
        }
    }
}

/// The offset and the length of each piece of this many bytes.
pub(super) fn pieces(size_bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..size_bytes).step_by(PIECE as usize).map(move |at| (at, PIECE.min(size_bytes - at) as usize))
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        !self.differ(other, &CancelToken::new())
    }
}

impl Eq for Bytes {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_several_pieces_are_written_and_compared() {
        let device = brolga_runtime::Device::builder().threads(1).build().unwrap();
        let pattern: Vec<u8> = (0..2 * PIECE + 12).map(|n| (n % 251) as u8).collect();
        let buffer = device.buffer_from(&pattern).unwrap();
        let view = View::raw(buffer.clone()).unwrap();
        let all = [Bytes::Owned(pattern.clone()), Bytes::View(view), Bytes::Buffer(buffer.clone())];
        for one in &all {
            let mut written = Vec::new();
            one.write_to(&mut written, u64::MAX).unwrap();
            assert!(written == pattern && one.to_vec().unwrap() == pattern);
            assert!(one.first(PIECE + 1, &|| false).unwrap() == pattern[..PIECE as usize + 1]);
            assert!(matches!(one.first(1, &|| true), Err(ResourceError::Stopped)));
            assert!(all.iter().all(|other| one == other));
            assert!(*one != Bytes::Owned(pattern[1..].to_vec()));
        }
        for at in [0, PIECE - 1, PIECE, 2 * PIECE + 11] {
            buffer.write(at, &[255u8]).unwrap();
            assert!(all[0] != all[1] && all[2] != all[0] && all[1] == all[2]);
            buffer.write(at, &pattern[at as usize..][..1]).unwrap();
        }
    }
}
