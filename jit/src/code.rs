//! Manages executable memory: one private mapping for each variant of a shader, given to Cranelift's JIT module as its
//! memory provider.
//!
//! Machine code is written into pages that are then made read-only and executable; no page is ever both writable and
//! executable. The pages belong to the code ([`ExecutableCode`]), not to Cranelift's module, which is gone once the
//! code is loaded; they go back to the system when the code is dropped. Code is position-independent and has no
//! relocations, so that bytes from a cache take the same path as fresh ones, and no symbol is ever looked up.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_jit::{BranchProtection, JITBuilder, JITMemoryKind, JITMemoryProvider, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError, ModuleResult};
use memmap2::{Mmap, MmapMut};

use crate::abi::Context;

/// The compiled function: runs the group that the context names.
pub(crate) type EntryFn = unsafe extern "C" fn(*mut Context);

/// Alignment of the entry, a cache line.
const ALIGN: u64 = 64;

/// Machine code that can run.
#[derive(Debug)]
pub(crate) struct ExecutableCode {
    pages: Mmap,
    len: usize,
}

impl ExecutableCode {
    /// Makes code without relocations executable. Its entry is its first byte. The module reports the name to a running
    /// `perf record`.
    pub fn new(isa: OwnedTargetIsa, signature: &Signature, bytes: &[u8], name: &str) -> io::Result<Self> {
        let provider = Provider::default();
        let mut builder = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
        builder.memory_provider(Box::new(provider.clone()));
        let mut module = JITModule::new(builder);
        let id = place(&mut module, signature, bytes, name)?;
        debug_assert_eq!(module.get_finalized_function(id), provider.start(), "the entry is the mapping's first byte");
        drop(module);
        match provider.take() {
            Pages::Executable(pages) => Ok(Self { pages, len: bytes.len() }),
            Pages::None | Pages::Writable(_) => unreachable!("finalizing makes the pages executable"),
        }
    }

    /// The machine code.
    pub fn bytes(&self) -> &[u8] {
        &self.pages[..self.len]
    }

    /// Runs the code.
    ///
    /// # Safety
    /// The bytes are a function of type [`EntryFn`] without relocations, compiled for the features of this processor,
    /// and the context is as [`crate::abi`] says.
    pub unsafe fn call(&self, context: &mut Context) {
        // SAFETY: the pages are mapped readable and executable while `self` lives, and start with a function of this
        // type (the caller, which made them from the compiler's output).
        let entry = unsafe { std::mem::transmute::<*const u8, EntryFn>(self.pages.as_ptr()) };
        // SAFETY: the caller vouches for the context.
        unsafe { entry(context) }
    }
}

fn place(module: &mut JITModule, signature: &Signature, bytes: &[u8], name: &str) -> io::Result<FuncId> {
    let id = module.declare_function(name, Linkage::Local, signature).map_err(into_io)?;
    module.define_function_bytes(id, ALIGN, bytes, &[]).map_err(into_io)?;
    module.finalize_definitions().map_err(into_io)?;
    Ok(id)
}

fn into_io(error: ModuleError) -> io::Error {
    match error {
        ModuleError::Allocation { err } => err,
        other => io::Error::other(other),
    }
}

/// The pages of one shader, before they are executable.
#[derive(Debug, Default)]
enum Pages {
    #[default]
    None,
    Writable(MmapMut),
    Executable(Mmap),
}

/// Gives a module one mapping for one function. Shared with [`ExecutableCode::new`], which takes the pages out.
#[derive(Clone, Debug, Default)]
struct Provider(Arc<Mutex<Pages>>);

impl Provider {
    fn with<R>(&self, f: impl FnOnce(&mut Pages) -> R) -> R {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&self) -> Pages {
        self.with(std::mem::take)
    }

    fn start(&self) -> *const u8 {
        self.with(|pages| match pages {
            Pages::None => std::ptr::null(),
            Pages::Writable(pages) => pages.as_ptr(),
            Pages::Executable(pages) => pages.as_ptr(),
        })
    }
}

impl JITMemoryProvider for Provider {
    fn allocate(&mut self, size: usize, _align: u64, kind: JITMemoryKind) -> io::Result<*mut u8> {
        // Pages are aligned to more than any function asks for.
        self.with(|pages| match (kind, &pages) {
            (JITMemoryKind::Executable, Pages::None) => {
                let mut fresh = MmapMut::map_anon(size.max(1))?;
                let start = fresh.as_mut_ptr();
                *pages = Pages::Writable(fresh);
                Ok(start)
            }
            _ => Err(io::Error::other("a shader is one function without data")),
        })
    }

    // SAFETY: the module is never asked to free its memory; doing so would leave no address in use, since only the
    // owner of the pages hands out calls.
    unsafe fn free_memory(&mut self) {
        self.take();
    }

    fn finalize(&mut self, _protection: BranchProtection) -> ModuleResult<()> {
        let executable = match self.take() {
            Pages::Writable(pages) => pages.make_exec().map_err(|err| ModuleError::Allocation { err })?,
            Pages::Executable(pages) => pages,
            Pages::None => return Ok(()),
        };
        self.with(|pages| *pages = Pages::Executable(executable));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_kept_as_it_was_given() {
        let flags = crate::codegen::flags(Default::default());
        let isa = cranelift_codegen::isa::lookup(target_lexicon::Triple::host()).unwrap().finish(flags).unwrap();
        let signature = Signature::new(isa.default_call_conv());
        let code = ExecutableCode::new(isa, &signature, &[0xc3, 1, 2], "shader").unwrap();
        assert_eq!(code.bytes(), [0xc3, 1, 2]);
        fn shared<T: Send + Sync>(_: &T) {}
        shared(&code);
    }
}
