//! Defines the device.

use std::ffi::c_char;
use std::ops::Deref;
use std::time::Instant;

use brolga::{Cache, Limits, VectorBytes};

use crate::arguments::{growing, init, options, put, text_if_any};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};

/// A device, which runs shaders. It owns threads, limits and a cache, and must not outlive the folder that its options
/// name. The objects that it made live on after it is destroyed.
pub struct Device(());

impl HandleKind for Device {
    type Value = MadeDevice;
    const NAME: &'static str = "a device";
}

/// A device, with the time from which its timestamps count.
pub(crate) struct MadeDevice {
    device: brolga::Device,
    pub made: Instant,
}

impl Deref for MadeDevice {
    type Target = brolga::Device;

    fn deref(&self) -> &brolga::Device {
        &self.device
    }
}

/// Options of a device. Limits of 0 are the usual ones, which are Direct3D's where it has one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Number of threads, including those that call, at most 1024; 0 means one for each processor.
    pub threads: u32,
    /// Largest size of vectors in machine code, in bytes: 16, 32 or 64; 0 means the usual size. Results are the same.
    pub vector_bytes: u32,
    /// A folder in which machine code is stored, so that the next process need not compile it; NULL for none. It is
    /// created when something is stored. An existing one must belong to this user, and nobody else may write to it.
    pub cache_folder: *const c_char,
    /// Largest size of that folder in bytes; 0 means 256 MiB.
    pub cache_bytes: u64,
    /// Largest size of a buffer or texture in bytes; 0 means 32 GiB.
    pub buffer_bytes: u64,
    /// Largest private memory of a thread that runs a shader, in bytes; 0 means 192 MiB.
    pub arena_bytes: u64,
    /// Most groups of a dispatch along an axis; 0 means 65,535.
    pub dispatch_groups: u32,
    /// Most threads of a group; 0 means 1,024.
    pub group_threads: u32,
    /// Largest shared memory of a group in bytes; 0 means 32 KiB.
    pub shared_bytes: u32,
    /// Most instructions for which machine code is made; 0 means 900,000. Larger shaders are interpreted.
    pub code_instructions: u32,
    /// Largest size of copies of compressed textures, which make sampling faster, in bytes; 0 means 256 MiB, 1 none.
    /// Results are the same.
    pub copy_bytes: u64,
}

impl Default for DeviceOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            threads: 0,
            vector_bytes: 0,
            cache_folder: std::ptr::null(),
            cache_bytes: 0,
            buffer_bytes: 0,
            arena_bytes: 0,
            dispatch_groups: 0,
            group_threads: 0,
            shared_bytes: 0,
            code_instructions: 0,
            copy_bytes: 0,
        }
    }
}

/// Counts of a device's cache.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct CacheCounters {
    /// Code that was found.
    pub hits: u64,
    /// Code that was not found.
    pub misses: u64,
    /// Code that was found, but damaged, or in a file that another user could have written.
    pub rejected: u64,
    /// Code that was stored.
    pub stored: u64,
    /// Code that could not be stored.
    pub failed: u64,
}

growing! {
    DeviceOptions as "BrolgaDeviceOptions";
}

impl DeviceOptions {
    fn limits(&self) -> Limits {
        fn set<T: Default + PartialEq>(limit: &mut T, asked: T) {
            if asked != T::default() {
                *limit = asked;
            }
        }
        let mut limits = Limits::default();
        set(&mut limits.buffer_bytes, self.buffer_bytes);
        set(&mut limits.arena_bytes, self.arena_bytes);
        set(&mut limits.dispatch_groups, self.dispatch_groups);
        set(&mut limits.group_threads, self.group_threads);
        set(&mut limits.shared_bytes, self.shared_bytes);
        set(&mut limits.code_instructions, self.code_instructions);
        limits
    }

    /// # Safety
    /// Its pointers are null or point to texts.
    unsafe fn build(&self) -> Result<brolga::Device, Failure> {
        let mut builder = brolga::Device::builder().threads(self.threads as usize).limits(self.limits());
        builder = match self.copy_bytes {
            0 => builder,
            // No part of a copy is as small as one byte.
            bytes => builder.copy_bytes(bytes),
        };
        builder = match self.vector_bytes {
            0 => builder,
            16 => builder.vector_bytes(VectorBytes::Sixteen),
            32 => builder.vector_bytes(VectorBytes::ThirtyTwo),
            64 => builder.vector_bytes(VectorBytes::SixtyFour),
            other => {
                let text = format!("BrolgaDeviceOptions.vector_bytes is {other}, not 0, 16, 32 or 64");
                return Err(Failure::argument(text));
            }
        };
        // SAFETY: promised to this function.
        if let Some(folder) = unsafe { text_if_any(self.cache_folder, "BrolgaDeviceOptions.cache_folder") }? {
            let cap = if self.cache_bytes == 0 { Cache::CAP_BYTES } else { self.cache_bytes };
            builder = builder.cache(Cache::with_cap(folder, cap)?);
        }
        Ok(builder.build()?)
    }
}

/// Returns the library's version: "0.1.0". It lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn brolga_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Fills options with the defaults. `size` is sizeof(BrolgaDeviceOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_device_options_init(device_options: *mut DeviceOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(device_options, size) }
}

/// Makes a device. `device_options` may be NULL. Fails if threads do not start (BROLGA_CODE_SYSTEM), or the cache's
/// folder is not private.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_device_create(
    device_options: *const DeviceOptions,
    device: *mut *mut Device,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let handle = NewHandle::new(device)?;
            handle.put(MadeDevice { device: options(device_options)?.build()?, made: Instant::now() });
            Ok(())
        })
    }
}

/// Destroys a device. The objects that it made live on, and its threads until the last of them is destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_device_destroy(device: *mut Device) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(device) }
}

/// Returns the number of threads that work on a dispatch, the caller's included.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_device_threads(device: *const Device, threads: *mut u32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(threads, get(device)?.pool().threads() as u32, "the number of threads")) }
}

/// Returns the counts of the cache; zeros if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_device_cache_counters(
    device: *const Device,
    counters: *mut CacheCounters,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let known = get(device)?.cache().map(Cache::counters).unwrap_or_default();
            let brolga::CacheCounters { hits, misses, rejected, stored, failed, .. } = known;
            put(counters, CacheCounters { hits, misses, rejected, stored, failed }, "the counters")
        })
    }
}
