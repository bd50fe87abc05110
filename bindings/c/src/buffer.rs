//! Defines buffers.

use std::ffi::{c_char, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use brolga::Access;

use crate::arguments::{bytes, bytes_mut, put, text};
use crate::device::Device;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};

/// Bytes in memory, Brolga's or the caller's, or in a mapped file. Views and textures of a buffer share its bytes, and
/// keep them alive.
///
/// Any thread may read and write it at any time. Each 32-bit word, at a multiple of 4, is read and written whole;
/// nothing else is promised about a buffer that a shader or another thread writes meanwhile.
pub struct Buffer(());

impl HandleKind for Buffer {
    type Value = brolga::Buffer;
    const NAME: &'static str = "a buffer";
}

/// A function that is called once when nothing uses the caller's memory any more, from any thread. It must return: no
/// exception may leave it.
pub type Release = Option<unsafe extern "C" fn(context: *mut c_void)>;

/// Memory of the caller's, released when dropped.
struct Lent {
    release: Release,
    context: *mut c_void,
}

// SAFETY: the context is only passed back, which the caller allows from any thread.
unsafe impl Send for Lent {}
// SAFETY: nothing is done with a reference to it.
unsafe impl Sync for Lent {}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it is the caller's function with the caller's argument, and called once.
            unsafe { release(self.context) }
        }
    }
}

/// Makes a buffer of `size_bytes` bytes: a copy of those at `data`, or zeros if that is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_create(
    device: *const Device,
    size_bytes: u64,
    data: *const c_void,
    buffer: *mut *mut Buffer,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device) = (NewHandle::new(buffer)?, get(device)?);
            let made = device.buffer(size_bytes)?;
            if !data.is_null() {
                made.write(0, bytes(data, size_bytes as usize, "the buffer's data")?)?;
            }
            handle.put(made);
            Ok(())
        })
    }
}

/// Makes a buffer over memory of the caller's, which is not copied. `data` must be a multiple of 4. Unless
/// `is_writable` is set, shaders may only read it.
///
/// The memory must stay valid until `release` is called with `context`: when the buffer, all views and textures of it,
/// and everything that they are bound to, are destroyed. If the call fails, `release` is not called. Shaders change the
/// memory while they run; whoever reads it meanwhile gets old or new words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_wrap(
    data: *mut c_void,
    size_bytes: usize,
    is_writable: bool,
    release: Release,
    context: *mut c_void,
    buffer: *mut *mut Buffer,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let handle = NewHandle::new(buffer)?;
            if size_bytes > isize::MAX as usize {
                return Err(Failure::argument(format!(
                    "the memory to wrap: {size_bytes} bytes are more than there can be"
                )));
            }
            let null = || Failure::argument("the memory to wrap: the pointer is NULL");
            let base = NonNull::new(data.cast::<u8>()).ok_or_else(null)?;
            let access = if is_writable { Access::ReadWrite } else { Access::Read };
            // Nothing is released if the buffer cannot be made.
            let owner = Arc::new(OnceLock::new());
            let made = brolga::Buffer::wrap(base, size_bytes, access, Arc::clone(&owner))?;
            let _ = owner.set(Lent { release, context });
            handle.put(made);
            Ok(())
        })
    }
}

/// Makes a buffer that maps a file. If `is_writable` is set, writes of shaders reach the file.
///
/// The file must not be shortened while the buffer is used: the system ends a process that accesses a page that is
/// gone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_map(
    device: *const Device,
    path: *const c_char,
    is_writable: bool,
    buffer: *mut *mut Buffer,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device) = (NewHandle::new(buffer)?, get(device)?);
            let access = if is_writable { Access::ReadWrite } else { Access::Read };
            handle.put(device.map_buffer(Path::new(text(path, "the path of the file to map")?), access)?);
            Ok(())
        })
    }
}

/// Destroys a buffer. Its bytes stay while anything uses them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_destroy(buffer: *mut Buffer) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(buffer) }
}

/// Returns the size of a buffer in bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_size(buffer: *const Buffer, size_bytes: *mut u64, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(size_bytes, get(buffer)?.size_bytes(), "the size")) }
}

/// Returns the byte of a buffer at which the last stream output to it ended; 0 if there was none. Draws that are queued
/// are not counted: stream output goes on there, and brolga_pass_draw_auto ends there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_filled_bytes(
    buffer: *const Buffer,
    filled_bytes: *mut u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(filled_bytes, get(buffer)?.filled_bytes(), "the number of bytes")) }
}

/// Reads `size_bytes` bytes from byte `offset_bytes` of the buffer on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_read(
    buffer: *const Buffer,
    offset_bytes: u64,
    to: *mut c_void,
    size_bytes: usize,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || Ok(get(buffer)?.read(offset_bytes, bytes_mut(to, size_bytes, "the memory to read to")?)?))
    }
}

/// Writes `size_bytes` bytes from byte `offset_bytes` of the buffer on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_write(
    buffer: *const Buffer,
    offset_bytes: u64,
    from: *const c_void,
    size_bytes: usize,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || Ok(get(buffer)?.write(offset_bytes, bytes(from, size_bytes, "the memory to write from")?)?))
    }
}

/// Writes changes of a mapped file to disk, and waits. It does nothing for other buffers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_flush(buffer: *const Buffer, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let failed = |error: std::io::Error| {
                Failure::new(Code::System, format!("the mapped file could not be written: {error}"))
            };
            get(buffer)?.flush().map_err(failed)
        })
    }
}
