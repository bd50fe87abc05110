//! Buffers: bytes that views share.

use std::path::Path;
use std::sync::Arc;

use super::error::ResourceError;
use super::memory::{GuardPages, Memory};

/// How a file is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Shaders may read it.
    Read,
    /// Shaders may read and write it, and what they write goes to the file.
    ReadWrite,
}

/// Bytes in memory or in a mapped file. Clones are the same bytes.
///
/// Reading and writing takes a shared reference, because shaders write too. Each 32-bit word (at a multiple of 4) is read
/// and written whole; nothing else is promised about a buffer that is read while a shader or another thread writes it.
#[derive(Clone, Debug)]
pub struct Buffer {
    memory: Arc<Memory>,
}

impl Buffer {
    /// Zeros.
    pub(crate) fn zeroed(size_bytes: u64, guards: GuardPages) -> Result<Self, ResourceError> {
        Ok(Self { memory: Arc::new(Memory::zeroed(size_bytes, guards)?) })
    }

    /// A buffer whose content is that of a file. With [`Access::ReadWrite`] what is written goes to the file. What
    /// [`Device::map_buffer`](crate::Device::map_buffer), which also holds it against the device's limits, says of the file
    /// applies.
    pub fn map(path: &Path, access: Access) -> Result<Self, ResourceError> {
        let memory =
            Memory::map(path, access).map_err(|source| ResourceError::Map { path: path.to_owned(), source })?;
        Ok(Self { memory: Arc::new(memory) })
    }

    /// Bytes.
    pub fn size_bytes(&self) -> u64 {
        self.memory.size_bytes()
    }

    /// Whether it may be written: not so for a file mapped for reading.
    pub fn is_writable(&self) -> bool {
        self.memory.is_writable()
    }

    /// Copies bytes out.
    pub fn read(&self, offset_bytes: u64, bytes: &mut [u8]) -> Result<(), ResourceError> {
        self.check(offset_bytes, bytes.len() as u64)?;
        self.memory.read(offset_bytes, bytes);
        Ok(())
    }

    /// Copies bytes in.
    pub fn write(&self, offset_bytes: u64, bytes: &[u8]) -> Result<(), ResourceError> {
        if !self.is_writable() {
            return Err(ResourceError::ReadOnly);
        }
        self.check(offset_bytes, bytes.len() as u64)?;
        self.memory.write(offset_bytes, bytes);
        Ok(())
    }

    /// A copy of all bytes.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.size_bytes() as usize];
        self.memory.read(0, &mut bytes);
        bytes
    }

    /// Writes what shaders changed in a mapped file to the disk, and waits. Does nothing for other buffers.
    pub fn flush(&self) -> std::io::Result<()> {
        self.memory.flush(0, self.size_bytes())
    }

    /// The same of some of its bytes, all of which must be there.
    pub fn flush_range(&self, offset_bytes: u64, size_bytes: u64) -> std::io::Result<()> {
        self.check(offset_bytes, size_bytes).map_err(std::io::Error::other)?;
        self.memory.flush(offset_bytes, size_bytes)
    }

    pub(crate) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Holds a range against the size.
    pub(super) fn check(&self, offset_bytes: u64, size_bytes: u64) -> Result<(), ResourceError> {
        let buffer_bytes = self.size_bytes();
        match offset_bytes.checked_add(size_bytes) {
            Some(end) if end <= buffer_bytes => Ok(()),
            _ => Err(ResourceError::OutOfRange { offset_bytes, size_bytes, buffer_bytes }),
        }
    }
}
