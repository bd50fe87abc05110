//! Binds shaders once, for many dispatches.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use brolga_fenv::in_default_mode;
use brolga_ir::span::Grid;
use brolga_resource::View;

use super::insight::ProbedKit;
use super::resolved::Resolved;
use super::run::{Begun, run};
use super::{Dispatch, Report, Runner, Worker, grid};
use crate::bindings::{Bindings, Register};
use crate::error::Error;
use crate::host::TexelFormats;
use crate::shader::Shader;
use crate::stop::{CancelToken, Watch};

/// A shader with its bindings. Binding determines once what each dispatch would otherwise determine anew: that the
/// bindings fit, the addresses of their memory, and the code that accesses their texels.
///
/// Any number of threads may dispatch it at once. Constant buffers are read when a dispatch begins, so that writes to
/// them between two dispatches are seen, and writes during one are not; everything else is accessed in place.
///
/// ```no_run
/// # use brolga_runtime::{Bindings, BoundShader, Device, Dispatch, Error, Shader, View};
/// # fn frames(device: &Device, shader: &Shader, bindings: &Bindings, outputs: &[View]) -> Result<(), Error> {
/// let mut bound = device.bind(shader, bindings)?;
/// let dispatch = Dispatch::new([4, 1, 1]);
/// for output in outputs {
///     bound.set("u0".parse()?, output.clone())?;
///     bound.dispatch(&dispatch)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct BoundShader {
    runner: Arc<Runner>,
    shader: Shader,
    bindings: Bindings,
    resolved: Resolved,
    /// What checks leave for the next one.
    probed: Mutex<Option<ProbedKit>>,
}

impl BoundShader {
    pub(crate) fn new(runner: &Arc<Runner>, shader: &Shader, bindings: &Bindings) -> Result<Self, Error> {
        in_default_mode(|| {
            let resolved = Resolved::new(shader, bindings, runner)?;
            Ok(Self {
                runner: Arc::clone(runner),
                shader: shader.clone(),
                bindings: bindings.clone(),
                resolved,
                probed: Mutex::default(),
            })
        })
    }

    /// The shader.
    pub fn shader(&self) -> &Shader {
        &self.shader
    }

    /// The parts of its device that dispatches use.
    pub(super) fn runner(&self) -> &Runner {
        &self.runner
    }

    /// What checks leave for the next one.
    pub(super) fn probed(&self) -> MutexGuard<'_, Option<ProbedKit>> {
        self.probed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The formats of its texels that code accesses directly.
    pub(super) fn texel_formats(&self) -> TexelFormats {
        self.resolved.views().texel_formats()
    }

    /// The bindings.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// Binds a view and returns the one that it replaces. Texels of another format may need other code.
    ///
    /// # Errors
    /// If the view does not fit. Nothing changes then.
    pub fn set(&mut self, register: Register, view: View) -> Result<Option<View>, Error> {
        in_default_mode(|| {
            self.probed = Mutex::default();
            self.resolved.set(&self.shader, &self.bindings, &self.runner, register, &view)?;
            Ok(self.bindings.replace(register, view))
        })
    }

    /// Unbinds a register.
    ///
    /// # Errors
    /// If the bindings' rules require something there. Nothing changes then.
    pub fn remove(&mut self, register: Register) -> Result<Option<View>, Error> {
        self.probed = Mutex::default();
        self.resolved.remove(&self.shader, &self.bindings, register)?;
        Ok(self.bindings.remove(register))
    }

    /// Makes the code for dispatches of this many groups along x, y and z, so that the first one need not.
    ///
    /// # Errors
    /// If there are too many groups, the code is too large, or it needs more private memory than the device allows.
    pub fn prepare(&self, groups: [u32; 3]) -> Result<(), Error> {
        self.resolved.code_here(&self.shader, self.grid(groups)?)
    }

    /// The same, until a token is cancelled or the time is over. Work that cannot be stopped at once is abandoned and
    /// ends by itself, as with [`Device::compile_until`](crate::Device::compile_until).
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), and [`Error::CompileStopped`].
    pub fn prepare_until(
        &self,
        groups: [u32; 3],
        cancel: &CancelToken,
        time_limit: Option<Duration>,
    ) -> Result<(), Error> {
        let grid = self.grid(groups)?;
        let watch = Watch::new(cancel, &self.runner.timer, Instant::now(), time_limit).map_err(Error::timer)?;
        self.resolved.code(&self.shader, grid, watch.stop()).map(|_| ())
    }

    fn grid(&self, groups: [u32; 3]) -> Result<Grid, Error> {
        grid(&Dispatch::new(groups), &self.runner.limits)
    }

    /// Runs it over thread groups and waits for all of them. The thread needs 512 KiB of stack.
    pub fn dispatch(&self, what: &Dispatch) -> Result<Report, Error> {
        self.shader.check_groups()?;
        let begun = Begun::new(&self.runner, what)?;
        let (code, compile) = self.resolved.code(&self.shader, begun.grid, begun.watch.stop())?;
        self.resolved.with_kit(&self.runner, |kit| {
            run(&self.shader, &self.runner, &begun, self.resolved.views(), (code, compile), kit)
        })
    }

    /// The same, calling a hook on the caller's thread every few milliseconds until it is over, as
    /// [`CancelToken::hooked`] does; [`ControlFlow::Break`] cancels this dispatch and no other.
    ///
    /// # Errors
    /// As [`dispatch`](Self::dispatch), and [`Error::Pool`] if that thread cannot be started.
    pub fn dispatch_hooked(&self, what: &Dispatch, hook: &mut dyn FnMut() -> ControlFlow<()>) -> Result<Report, Error> {
        let run = |cancel: &CancelToken| self.dispatch(&Dispatch { cancel: cancel.clone(), ..what.clone() });
        what.cancel.hooked(hook, run)?
    }

    /// Runs groups on the calling thread, whichever that is, without involving others. It needs 512 KiB of stack.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn worker(&self) -> Result<Worker<'_>, Error> {
        Worker::new(&self.runner, &self.shader, &self.resolved)
    }
}
