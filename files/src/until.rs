//! Makes work on files stoppable: readers and writers that fail once a token is cancelled, between two pieces.

use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};

use brolga_runtime::CancelToken;

use super::FileProblem;

/// Bytes of a piece: the output for a piece, however compressed, takes some milliseconds at most.
const PIECE: usize = 1 << 14;

/// An error if the token is cancelled.
pub fn go_on(cancel: &CancelToken) -> Result<(), FileProblem> {
    if cancel.is_cancelled() { Err(FileProblem::Stopped) } else { Ok(()) }
}

/// The same for readers and writers. An error of the kind `Interrupted` would only be retried.
pub(super) fn check(cancel: &CancelToken) -> io::Result<()> {
    if cancel.is_cancelled() { Err(io::Error::other("cancelled")) } else { Ok(()) }
}

/// A reader or a writer that works piece by piece until a token is cancelled.
pub(super) struct Until<'a, T> {
    pub inner: T,
    pub cancel: &'a CancelToken,
}

impl<T: Read> Read for Until<'_, T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        check(self.cancel)?;
        let length = bytes.len().min(PIECE);
        self.inner.read(&mut bytes[..length])
    }
}

impl<T: BufRead> BufRead for Until<'_, T> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        check(self.cancel)?;
        let bytes = self.inner.fill_buf()?;
        Ok(&bytes[..bytes.len().min(PIECE)])
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

impl<T: Write> Write for Until<'_, T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        check(self.cancel)?;
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Seek> Seek for Until<'_, T> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.inner.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_or_written_after_the_end() {
        let (cancel, bytes) = (CancelToken::new(), vec![7; 3 * PIECE]);
        let mut reader = Until { inner: &bytes[..], cancel: &cancel };
        let mut read = vec![0; 2 * PIECE];
        assert_eq!((reader.read(&mut read).unwrap(), reader.fill_buf().unwrap().len()), (PIECE, PIECE));
        let mut writer = Until { inner: Vec::new(), cancel: &cancel };
        writer.write_all(&bytes).unwrap();
        cancel.cancel();
        assert!(reader.read(&mut read).is_err() && reader.fill_buf().is_err() && writer.write(&[1]).is_err());
        assert_eq!(writer.inner.len(), bytes.len());
        assert!(matches!(go_on(&cancel), Err(FileProblem::Stopped)));
    }
}
