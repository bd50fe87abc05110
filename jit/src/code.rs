//! Executable memory: one private mapping for each shader.
//!
//! Machine code is written into pages that are then made read-only and executable; no page is ever both writable and
//! executable. They go back to the system when the shader is dropped. Code is position independent and has no
//! relocations, so that bytes from a cache take the same way as fresh ones, and no symbol is ever looked up.

use std::io;

use memmap2::{Mmap, MmapMut};

use crate::abi::Context;

/// The compiled function: runs the group that the context names.
pub(crate) type Entry = unsafe extern "C" fn(*mut Context);

/// Machine code that can run.
#[derive(Debug)]
pub(crate) struct ExecutableCode {
    pages: Mmap,
    len: usize,
}

impl ExecutableCode {
    /// Places code that has no relocations and makes it executable. Its entry is its first byte. Processors that must be
    /// told of new code have no code generator here.
    pub fn new(bytes: &[u8]) -> io::Result<Self> {
        let mut pages = MmapMut::map_anon(bytes.len().max(1))?;
        pages[..bytes.len()].copy_from_slice(bytes);
        Ok(Self { pages: pages.make_exec()?, len: bytes.len() })
    }

    /// The machine code.
    pub fn bytes(&self) -> &[u8] {
        &self.pages[..self.len]
    }

    /// Runs the code.
    ///
    /// # Safety
    /// The bytes are a function of type [`Entry`] without relocations, compiled for the features of this processor, and
    /// the context is as [`crate::abi`] says.
    pub unsafe fn call(&self, context: &mut Context) {
        // SAFETY: the pages are mapped readable and executable while `self` lives, and start with a function of this
        // type (the caller, which made them from the compiler's output).
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(self.pages.as_ptr()) };
        // SAFETY: the caller vouches for the context.
        unsafe { entry(context) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_kept_as_it_was_given() {
        let code = ExecutableCode::new(&[0xc3, 1, 2]).unwrap();
        assert_eq!(code.bytes(), [0xc3, 1, 2]);
        fn shared<T: Send + Sync>(_: &T) {}
        shared(&code);
    }
}
