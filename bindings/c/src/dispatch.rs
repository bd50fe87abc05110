//! Runs compute shaders over groups of threads, bound for each dispatch or once for many.

use std::ffi::c_char;
use std::sync::{Arc, PoisonError, RwLock};

use brolga::{BoundShader, Dispatch};

use crate::arguments::{growing, init, options, put, time_limit};
use crate::bindings::{Bindings, lock, register};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get, get_if_any};
use crate::messages::{Messages, log};
use crate::shader::Shader;
use crate::stop::{CancelToken, Progress, token};
use crate::view::View;

/// A shader with its bindings: bound once, run often. Any number of threads may dispatch it at once, and make workers
/// of it.
///
/// Constant buffers are read when a dispatch begins, so that writes to them between two dispatches take effect.
pub struct Bound(());

impl HandleKind for Bound {
    type Value = RwLock<Arc<BoundShader>>;
    const NAME: &'static str = "a bound shader";
}

/// The groups of a dispatch, and its limits.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DispatchOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Number of groups along x, y and z; 1 each by default.
    pub groups: [u32; 3],
    /// The first group's position. Threads see the positions of the whole dispatch.
    pub first_group: [u32; 3],
    /// A buffer with the numbers of groups, three words, which replace `groups`; NULL by default.
    pub indirect: *const Buffer,
    /// Offset of those words in the buffer, a multiple of 4.
    pub indirect_offset_bytes: u64,
    /// Stops the run when cancelled; may be NULL.
    pub cancel: *const CancelToken,
    /// Receives the progress of the run; may be NULL.
    pub progress: *const Progress,
    /// Stops the run after this many nanoseconds; 0, the default, for no limit.
    pub time_limit_ns: u64,
    /// Number of loop iterations after which a group stops the run, counted for each packet of threads; 0, the default,
    /// for no limit.
    pub fuel: u64,
    /// Collects what the shader prints; may be NULL.
    pub messages: *const Messages,
}

impl Default for DispatchOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            groups: [1; 3],
            first_group: [0; 3],
            indirect: std::ptr::null(),
            indirect_offset_bytes: 0,
            cancel: std::ptr::null(),
            progress: std::ptr::null(),
            time_limit_ns: 0,
            fuel: 0,
            messages: std::ptr::null(),
        }
    }
}

/// Measurements of a dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Number of groups that ran.
    pub groups: u64,
    /// Number of threads that ran.
    pub threads: u64,
    /// The most threads of this machine that took part.
    pub workers: u64,
    /// Nanoseconds from the call to the end of the last group.
    pub elapsed_ns: u64,
    /// Nanoseconds of that time spent on compiling code that no dispatch of the shader had needed before.
    pub compile_ns: u64,
    /// Zeros.
    pub reserved: [u64; 3],
}

impl From<brolga::Report> for Report {
    fn from(report: brolga::Report) -> Self {
        let brolga::Report { groups, threads, workers, elapsed, compile, .. } = report;
        let [elapsed_ns, compile_ns] = [elapsed, compile].map(|time| time.as_nanos().try_into().unwrap_or(u64::MAX));
        Self { groups, threads, workers: workers as u64, elapsed_ns, compile_ns, reserved: [0; 3] }
    }
}

growing! {
    DispatchOptions as "BrolgaDispatchOptions" before messages;
}

impl DispatchOptions {
    /// # Safety
    /// Its pointers are null or objects.
    pub(crate) unsafe fn native(&self) -> Result<Dispatch, Failure> {
        // SAFETY: promised to this function.
        let (indirect, cancel, progress) =
            unsafe { (get_if_any(self.indirect)?, token(self.cancel)?, get_if_any(self.progress)?) };
        let native = match indirect {
            Some(buffer) => Dispatch::indirect(buffer.clone(), self.indirect_offset_bytes)?,
            None => Dispatch::new(self.groups),
        };
        let mut native = native.first_group(self.first_group).cancel(cancel);
        if let Some(progress) = progress {
            native = native.progress(progress.clone());
        }
        native.time_limit = time_limit(self.time_limit_ns);
        native.fuel = (self.fuel != 0).then_some(self.fuel);
        // SAFETY: promised to this function.
        native.messages = unsafe { log(self.messages) }?;
        Ok(native)
    }
}

/// The current bound shader.
pub(crate) fn current(bound: &RwLock<Arc<BoundShader>>) -> Arc<BoundShader> {
    Arc::clone(&bound.read().unwrap_or_else(PoisonError::into_inner))
}

/// # Safety
/// `report` is null or may be written.
unsafe fn put_report(report: *mut Report, done: brolga::Report) -> Result<(), Failure> {
    // SAFETY: promised to this function.
    if report.is_null() { Ok(()) } else { unsafe { put(report, done.into(), "the report") } }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaDispatchOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_dispatch_options_init(dispatch_options: *mut DispatchOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(dispatch_options, size) }
}

/// Runs a compute shader over groups of threads, once, and waits. `dispatch_options` may be NULL, for one group, and
/// `report` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_dispatch(
    device: *const Device,
    shader: *const Shader,
    bindings: *const Bindings,
    dispatch_options: *const DispatchOptions,
    report: *mut Report,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (device, shader) = (get(device)?, get(shader)?);
            let bindings = lock(get(bindings)?).clone();
            put_report(report, device.dispatch(shader, &bindings, &options(dispatch_options)?.native()?)?)
        })
    }
}

/// Binds the views of `bindings` to a shader, to run it often. Later changes of `bindings` have no effect here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bound_create(
    device: *const Device,
    shader: *const Shader,
    bindings: *const Bindings,
    bound: *mut *mut Bound,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device, shader) = (NewHandle::new(bound)?, get(device)?, get(shader)?);
            let bindings = lock(get(bindings)?).clone();
            handle.put(RwLock::new(Arc::new(device.bind(shader, &bindings)?)));
            Ok(())
        })
    }
}

/// Destroys a bound shader. Its workers remain usable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bound_destroy(bound: *mut Bound) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(bound) }
}

/// Changes a bound shader that nobody uses. The result of the change is dropped after the lock is released: the owner
/// of a view's memory may call again.
fn change<T>(
    bound: &RwLock<Arc<BoundShader>>,
    change: impl FnOnce(&mut BoundShader) -> Result<T, Failure>,
) -> Result<(), Failure> {
    let mut bound = bound.write().unwrap_or_else(PoisonError::into_inner);
    let in_use = || Failure::order("a bound shader cannot be changed while it runs, or has workers");
    let replaced = change(Arc::get_mut(&mut bound).ok_or_else(in_use)?)?;
    drop(bound);
    drop(replaced);
    Ok(())
}

/// Binds another view to a register. `place` is a register or a name, as for brolga_bindings_set with a shader. If the
/// view does not fit, nothing changes. Fails while the shader runs, and while it has workers
/// (BROLGA_CODE_OUT_OF_ORDER).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bound_set(
    bound: *const Bound,
    place: *const c_char,
    view: *const View,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (bound, view) = (get(bound)?, get(view)?);
            change(bound, |bound| {
                // Under the lock, so that another change does not find the shader in use.
                let register = register(Some(bound.shader()), place)?;
                Ok(bound.set(register, view.clone())?)
            })
        })
    }
}

/// Compiles code for dispatches of so many groups along x, y and z (three numbers), so that the first one need not.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bound_prepare(bound: *const Bound, groups: *const u32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let groups = crate::arguments::slice(groups, 3, "the numbers of groups")?;
            Ok(current(get(bound)?).prepare([groups[0], groups[1], groups[2]])?)
        })
    }
}

/// Runs a bound compute shader over groups of threads, and waits. `dispatch_options` may be NULL, for one group, and
/// `report` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_bound_dispatch(
    bound: *const Bound,
    dispatch_options: *const DispatchOptions,
    report: *mut Report,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let bound = current(get(bound)?);
            put_report(report, bound.dispatch(&options(dispatch_options)?.native()?)?)
        })
    }
}
