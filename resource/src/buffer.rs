//! Holds buffers: bytes that views share.

use std::any::Any;
use std::ops::Range;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::{NoUninit, Pod};

use crate::error::ResourceError;
use crate::memory::{Access, GuardPages, Memory};
use crate::room::zeros;

/// Number of bytes copied at once: few enough to stop soon, and to stay in a cache.
const PIECE: u64 = 1 << 16;

/// The offset and the length of each piece of so many bytes.
fn pieces(size_bytes: u64) -> impl Iterator<Item = (u64, usize)> {
    (0..size_bytes).step_by(PIECE as usize).map(move |at| (at, PIECE.min(size_bytes - at) as usize))
}

/// Returns an error if the caller asks to stop.
pub(super) fn go_on(stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
    if stop() { Err(ResourceError::Stopped) } else { Ok(()) }
}

/// Bytes in memory, Brolga's or the caller's, or in a mapped file. Clones share the bytes.
///
/// Reading and writing take a shared reference, because shaders write too. Each 32-bit word (at a multiple of 4) is
/// read and written whole; nothing else is promised about a buffer that is read while a shader or another thread writes
/// it.
#[derive(Clone, Debug)]
pub struct Buffer {
    memory: Arc<Memory>,
}

impl Buffer {
    /// A buffer of zeros.
    pub fn zeroed(size_bytes: u64, guards: GuardPages) -> Result<Self, ResourceError> {
        Ok(Memory::zeroed(size_bytes, guards)?.into())
    }

    /// Maps a file as a buffer. With [`Access::ReadWrite`] writes reach the file. The conditions of
    /// `Device::map_buffer`, which also checks the device's limits, apply to the file.
    pub fn map(path: &Path, access: Access) -> Result<Self, ResourceError> {
        Self::map_from(path, access, 0)
    }

    /// Maps a file from an offset on, which is a multiple of 4: the part after a header.
    pub fn map_from(path: &Path, access: Access, offset_bytes: u64) -> Result<Self, ResourceError> {
        let memory = Memory::map(path, access, offset_bytes);
        Ok(memory.map_err(|source| ResourceError::Map { path: path.to_owned(), source })?.into())
    }

    /// Wraps the caller's memory as a buffer, without a copy. `owner` is dropped with the last clone of the buffer and
    /// the last use of it: it may be the owner of the memory, or `()`.
    ///
    /// # Safety
    /// Until `owner` is dropped, `size_bytes` bytes from `base` on stay valid for reads, with [`Access::ReadWrite`] for
    /// writes too, and no reference to them exists: shaders may change them at any time during a dispatch.
    ///
    /// # Errors
    /// If `base` is not a multiple of 4.
    #[allow(unsafe_code)]
    pub unsafe fn wrap(
        base: NonNull<u8>,
        size_bytes: usize,
        access: Access,
        owner: impl Any + Send + Sync,
    ) -> Result<Self, ResourceError> {
        // SAFETY: the caller keeps the same promise.
        Ok(unsafe { Memory::wrap(base, size_bytes, access, owner) }?.into())
    }

    /// Size in bytes.
    pub fn size_bytes(&self) -> u64 {
        self.memory.size_bytes()
    }

    /// True if it may be written: not for files mapped, or memory wrapped, for reading.
    pub fn is_writable(&self) -> bool {
        self.memory.is_writable()
    }

    /// The address of the first byte, for callers that hand the memory on, as to another language. It is valid for
    /// [`Self::size_bytes`] while a clone of the buffer lives, and not to be written unless the buffer [is
    /// writable](Self::is_writable). Shaders may change it at any time. Writes through the pointer are taken into
    /// account: from now on Brolga keeps no copy of a texture in this memory.
    pub fn as_ptr(&self) -> *mut u8 {
        self.memory.lend();
        self.memory.base()
    }

    /// Reads elements from any byte offset on.
    ///
    /// # Errors
    /// If some of them are outside the buffer.
    pub fn read<T: Pod>(&self, offset_bytes: u64, elements: &mut [T]) -> Result<(), ResourceError> {
        self.check(offset_bytes, size_of_val(elements) as u64)?;
        self.memory.read(offset_bytes, bytemuck::cast_slice_mut(elements));
        Ok(())
    }

    /// Writes elements from any byte offset on.
    ///
    /// # Errors
    /// If some of them would be outside the buffer, or it is read-only. Nothing is written then.
    pub fn write<T: NoUninit>(&self, offset_bytes: u64, elements: &[T]) -> Result<(), ResourceError> {
        let put = self.put(offset_bytes, bytemuck::cast_slice(elements));
        self.memory.written();
        put
    }

    /// Writes bytes without counting the change, which the caller does when it is done.
    pub(super) fn put(&self, offset_bytes: u64, bytes: &[u8]) -> Result<(), ResourceError> {
        if !self.is_writable() {
            return Err(ResourceError::ReadOnly);
        }
        self.check(offset_bytes, bytes.len() as u64)?;
        self.memory.put(offset_bytes, bytes);
        Ok(())
    }

    /// Copies the whole buffer to elements: `to_vec::<f32>()`, `to_vec::<u8>()`.
    ///
    /// # Errors
    /// If the last element would be incomplete, or there is no memory for the copy.
    pub fn to_vec<T: Pod>(&self) -> Result<Vec<T>, ResourceError> {
        self.elements(0..self.size_bytes())
    }

    /// Copies a range of bytes, all of which must exist, to elements.
    pub(super) fn elements<T: Pod>(&self, range: Range<u64>) -> Result<Vec<T>, ResourceError> {
        let (size_bytes, element_bytes) = (range.end - range.start, size_of::<T>());
        if element_bytes == 0 || !size_bytes.is_multiple_of(element_bytes as u64) {
            return Err(ResourceError::Elements { size_bytes, element_bytes });
        }
        let mut elements = zeros(size_bytes / element_bytes as u64)?;
        self.read(range.start, &mut elements)?;
        Ok(elements)
    }

    /// Writes changes in a mapped file to disk, and waits. Does nothing for other buffers.
    pub fn flush(&self) -> std::io::Result<()> {
        self.memory.flush(0, self.size_bytes())
    }

    /// Writes changes of some bytes, all of which must exist, to disk, and waits.
    pub fn flush_range(&self, offset_bytes: u64, size_bytes: u64) -> std::io::Result<()> {
        self.check(offset_bytes, size_bytes).map_err(std::io::Error::other)?;
        self.memory.flush(offset_bytes, size_bytes)
    }

    /// Copies bytes to an offset in a buffer, piece by piece, until `stop` returns true. The two ranges must not
    /// overlap.
    ///
    /// # Errors
    /// If bytes are outside of a buffer, the destination is read-only, or [`ResourceError::Stopped`].
    pub fn copy_until(
        &self,
        range: Range<u64>,
        to: &Buffer,
        to_bytes: u64,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ResourceError> {
        let size_bytes = range.end.saturating_sub(range.start);
        self.check(range.start, size_bytes)?;
        to.check(to_bytes, size_bytes)?;
        let mut bytes = [0_u8; PIECE as usize];
        pieces(size_bytes).try_for_each(|(at, length)| {
            go_on(stop)?;
            self.read(range.start + at, &mut bytes[..length])?;
            to.write(to_bytes + at, &bytes[..length])
        })
    }

    /// Fills a range with a repeated pattern of bytes, until `stop` returns true. An empty pattern leaves the range
    /// unchanged.
    ///
    /// # Errors
    /// If the range is not in the buffer, the buffer is read-only, or [`ResourceError::Stopped`].
    pub fn fill_until(&self, range: Range<u64>, bytes: &[u8], stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
        let size_bytes = range.end.saturating_sub(range.start);
        self.check(range.start, size_bytes)?;
        // Pieces begin where the pattern does.
        let whole = bytes.repeat((PIECE as usize / bytes.len().max(1)).max(1));
        (0..size_bytes).step_by(whole.len().max(1)).take_while(|_| !whole.is_empty()).try_for_each(|at| {
            go_on(stop)?;
            let length = (size_bytes - at).min(whole.len() as u64);
            self.write(range.start + at, &whole[..length as usize])
        })
    }

    /// Where the last stream output to the buffer ended, which is where the next one may go on: 0 at first.
    pub fn filled_bytes(&self) -> u64 {
        self.memory.filled_bytes()
    }

    /// Sets where stream output may go on.
    pub fn set_filled_bytes(&self, filled_bytes: u64) {
        self.memory.set_filled_bytes(filled_bytes);
    }

    /// The memory that holds the bytes.
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Checks that a range is inside the buffer.
    pub fn check(&self, offset_bytes: u64, size_bytes: u64) -> Result<(), ResourceError> {
        let buffer_bytes = self.size_bytes();
        match offset_bytes.checked_add(size_bytes) {
            Some(end) if end <= buffer_bytes => Ok(()),
            _ => Err(ResourceError::OutOfRange { offset_bytes, size_bytes, buffer_bytes }),
        }
    }
}

impl From<Memory> for Buffer {
    fn from(memory: Memory) -> Self {
        Self { memory: Arc::new(memory) }
    }
}
