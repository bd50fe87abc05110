//! Converts shaders to text, and text to shaders.

use std::ffi::{c_char, c_void};

use brolga::bytecode::assembler::assemble;
use brolga::bytecode::info::Info;
use brolga::bytecode::{Limits, listing};

use crate::arguments::{bytes, put, text};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};

/// Bytes that a call made: a text or a container. A zero follows the last one, so that a text is a C string.
pub struct Blob(());

impl HandleKind for Blob {
    type Value = Vec<u8>;
    const NAME: &'static str = "a blob";
}

fn blob(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(0);
    bytes
}

/// Destroys a blob.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_blob_destroy(blob: *mut Blob) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(blob) }
}

/// Returns the bytes of a blob and their number, without the zero after them; `size_bytes` may be NULL. They stay until
/// it is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_blob_bytes(
    blob: *const Blob,
    data: *mut *const c_char,
    size_bytes: *mut usize,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let blob = get(blob)?;
            if !size_bytes.is_null() {
                put(size_bytes, blob.len() - 1, "the size")?;
            }
            put(data, blob.as_ptr().cast(), "the pointer to the bytes")
        })
    }
}

/// Makes a blob from a shader's bytes.
///
/// # Safety
/// The pointers are the caller's.
unsafe fn of_container(
    (container, size_bytes): (*const c_void, usize),
    made: *mut *mut Blob,
    error: *mut Error,
    work: impl FnOnce(&[u8]) -> Result<String, Failure>,
) -> Code {
    // SAFETY: promised to this function.
    unsafe {
        guard(error, || {
            let (handle, container) = (NewHandle::new(made)?, bytes(container, size_bytes, "the shader's container")?);
            handle.put(blob(work(container)?.into_bytes()));
            Ok(())
        })
    }
}

/// Lists the shader in a container, or a program of Direct3D 9: as fxc lists it, or exactly, so that brolga_assemble
/// makes the same bytes of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_disassemble(
    container: *const c_void,
    size_bytes: usize,
    is_exact: bool,
    listing: *mut *mut Blob,
    error: *mut Error,
) -> Code {
    let limits = Limits::default();
    // SAFETY: the caller's promises.
    unsafe {
        of_container((container, size_bytes), listing, error, |bytes| match is_exact {
            true => Ok(listing::exact(bytes, &limits).map_err(brolga::FileError::from)?),
            false => Ok(listing::listing(bytes, &limits)?),
        })
    }
}

/// Describes a shader like `brolga info`: its bindings, its inputs and outputs, its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_describe(
    container: *const c_void,
    size_bytes: usize,
    description: *mut *mut Blob,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        of_container((container, size_bytes), description, error, |bytes| {
            Ok(Info::read(bytes, &Limits::default())?.to_string())
        })
    }
}

/// Assembles a listing, a text in UTF-8, to a container, or a program of Direct3D 9.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_assemble(listing: *const c_char, container: *mut *mut Blob, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, listing) = (NewHandle::new(container)?, text(listing, "the listing")?);
            handle.put(blob(assemble(listing, &Limits::default())?.bytes));
            Ok(())
        })
    }
}
