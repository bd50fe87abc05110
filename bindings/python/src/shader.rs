//! Defines shaders, bound or not, and their dispatches.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use brolga::{BindingRules, Dispatch, ErrorKind, MessageLog};
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::bindings::Program;
use crate::check::{Finding, findings, options};
use crate::error::Failure;
use crate::interrupt::{interruptible, is_main_thread};
use crate::messages::{Message, Printed, printed};
use crate::source::{Source, info};
use crate::view::triple;

/// The maximum expected duration in nanoseconds of a dispatch that runs on Python's main thread itself.
const SHORT: u64 = 1_000_000;

/// A token that stops runs: cancel() stops those that it was given to, and later ones.
#[pyclass(frozen, module = "brolga")]
#[derive(Default)]
pub struct CancelToken {
    pub token: brolga::CancelToken,
}

#[pymethods]
impl CancelToken {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Stops the runs that have this token, from any thread.
    fn cancel(&self) {
        self.token.cancel();
    }

    /// True if it was cancelled.
    #[getter]
    fn cancelled(&self) -> bool {
        self.token.is_cancelled()
    }
}

/// The results of a dispatch.
#[pyclass(frozen, module = "brolga", get_all)]
pub struct Report {
    /// Groups that ran.
    groups: u64,
    /// Threads that ran.
    threads: u64,
    /// The maximum number of this machine's threads that took part.
    workers: usize,
    /// Seconds from the call to the end of the last group.
    elapsed: f64,
    /// Seconds of it spent compiling.
    compile: f64,
    /// What the shader printed, in the order of its threads.
    messages: Vec<Py<Message>>,
    /// How many more messages were not kept.
    lost_messages: u64,
}

impl Report {
    pub fn new(report: brolga::Report, printed: Printed) -> Self {
        Self {
            groups: report.groups,
            threads: report.threads,
            workers: report.workers,
            elapsed: report.elapsed.as_secs_f64(),
            compile: report.compile.as_secs_f64(),
            messages: printed.messages,
            lost_messages: printed.lost,
        }
    }
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let Self { groups, threads, workers, elapsed, .. } = self;
        format!("<brolga.Report {groups} groups, {threads} threads, {workers} workers, {elapsed} s>")
    }
}

/// A compiled shader. `Device.compile` makes it; any thread may use it.
#[pyclass(frozen, module = "brolga")]
pub struct Shader {
    program: Arc<Program>,
}

impl Shader {
    pub fn new(device: brolga::Device, shader: brolga::Shader, source: Source) -> Self {
        Self { program: Arc::new(Program::new(device, shader, source)) }
    }
}

#[pymethods]
impl Shader {
    /// Stage and model, as in "cs_5_0".
    #[getter]
    fn profile(&self) -> Option<String> {
        self.program.shader.profile()
    }

    /// Threads of a group along x, y and z.
    #[getter]
    fn group_size(&self) -> [u32; 3] {
        self.program.shader.group_size()
    }

    /// The engine that runs it: "jit" or "interpreter".
    #[getter]
    fn engine(&self) -> String {
        self.program.shader.engine().to_string()
    }

    /// The registers that it declares, each with a description of its binding.
    #[getter]
    fn registers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let registers = PyDict::new(py);
        for declared in self.program.shader.bindings() {
            registers.set_item(declared.to_string(), declared.kind.to_string())?;
        }
        Ok(registers)
    }

    /// The register that the source calls `name`, as in "u0".
    fn register(&self, name: &str) -> PyResult<String> {
        Ok(self.program.shader.register(name).map_err(Failure::from)?.to_string())
    }

    /// Information about its file: bindings, signatures, constants with their offsets, counts.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        info(py, &self.program.source)
    }

    /// The bytes that it was compiled from.
    #[getter]
    fn container(&self) -> &[u8] {
        &self.program.source.bytes
    }

    /// Runs it over thread groups: a number along x, or a tuple along x, y and z.
    ///
    /// `bindings` has an array, a View, a Texture, a Sampler or a dict of constants for each register, by its name in
    /// the source or in listings ("u0"). Arrays are used in place: what the shader writes is in them. The run may be
    /// ended by `cancel`, by `time_limit` in seconds, by `fuel` (rounds of loops that a group may take) or by Ctrl-C.
    #[pyo3(signature = (groups, bindings, *, first_group=None, time_limit=None, fuel=None, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn dispatch(
        &self,
        py: Python<'_>,
        groups: &Bound<'_, PyAny>,
        bindings: &Bound<'_, PyDict>,
        first_group: Option<&Bound<'_, PyAny>>,
        time_limit: Option<f64>,
        fuel: Option<u64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Report> {
        let log = MessageLog::default();
        let what = dispatch(groups, first_group, time_limit, fuel, cancel)?.messages(log.clone());
        let bindings = self.program.bindings(bindings, BindingRules::COMPLETE)?;
        let Program { device, shader, .. } = &*self.program;
        let run = |token: &brolga::CancelToken| device.dispatch(shader, &bindings, &what.clone().cancel(token.clone()));
        let (report, printed) = printed(py, &log, interruptible(py, &what.cancel, run))?;
        Ok(Report::new(report, printed))
    }

    /// Checks bindings once, for many dispatches.
    fn bind(&self, py: Python<'_>, bindings: &Bound<'_, PyDict>) -> PyResult<BoundShader> {
        let bindings = self.program.bindings(bindings, BindingRules::COMPLETE)?;
        let Program { device, shader, .. } = &*self.program;
        let bound = py.detach(|| device.bind(shader, &bindings)).map_err(Failure::from)?;
        Ok(BoundShader { program: Arc::clone(&self.program), bound: RwLock::new(bound), pace: Pace::default() })
    }

    fn __repr__(&self) -> String {
        let [x, y, z] = self.group_size();
        format!("<brolga.Shader {}, groups of {x} x {y} x {z}>", self.profile().unwrap_or_default())
    }
}

/// A shader with its bindings: bound once, dispatched often, from any thread. It keeps the arrays.
#[pyclass(frozen, module = "brolga")]
pub struct BoundShader {
    program: Arc<Program>,
    /// Locked only without Python's lock, so that nobody waits for one while holding the other.
    bound: RwLock<brolga::BoundShader>,
    pace: Pace,
}

impl BoundShader {
    fn read(&self) -> RwLockReadGuard<'_, brolga::BoundShader> {
        self.bound.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl BoundShader {
    /// Runs it over thread groups, as `Shader.dispatch` does. If the run before was short, the calling thread does the
    /// work itself, and Ctrl-C is handled after it.
    #[pyo3(signature = (groups, *, first_group=None, time_limit=None, fuel=None, cancel=None))]
    fn dispatch(
        &self,
        py: Python<'_>,
        groups: &Bound<'_, PyAny>,
        first_group: Option<&Bound<'_, PyAny>>,
        time_limit: Option<f64>,
        fuel: Option<u64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Report> {
        let log = MessageLog::default();
        let what = dispatch(groups, first_group, time_limit, fuel, cancel)?.messages(log.clone());
        let report = if self.pace.is_short(&what) || !is_main_thread() {
            py.detach(|| self.read().dispatch(&what)).map_err(|error| Failure::from(error).into())
        } else {
            interruptible(py, &what.cancel, |token| self.read().dispatch(&what.clone().cancel(token.clone())))
        };
        let (report, printed) = printed(py, &log, report)?;
        self.pace.note(&report);
        Ok(Report::new(report, printed))
    }

    /// Runs it as `dispatch` does, but group by group on one thread, and checks what it does: races, accesses past an
    /// end, reads of what nothing wrote, divergent barriers. That takes some hundred times as long.
    ///
    /// `kinds` are those of the findings that are asked for, by default all. With `strict` what is defined, but hardly
    /// meant, is reported, too: writes of the same value by several threads, texels outside of a texture. With `group`
    /// only findings in which that group takes part are. Accesses to at most `shadow_words` words of views are remembered,
    /// by default 2 Mi; a RuntimeWarning says how many others were not checked for races.
    #[pyo3(signature = (groups, *, kinds=None, strict=false, group=None, shadow_words=None, first_group=None, time_limit=None,
        fuel=None, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn check(
        &self,
        py: Python<'_>,
        groups: &Bound<'_, PyAny>,
        kinds: Option<Vec<String>>,
        strict: bool,
        group: Option<&Bound<'_, PyAny>>,
        shadow_words: Option<usize>,
        first_group: Option<&Bound<'_, PyAny>>,
        time_limit: Option<f64>,
        fuel: Option<u64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Vec<Finding>> {
        let what = dispatch(groups, first_group, time_limit, fuel, cancel)?;
        let group = group.map(|group| triple("group", group, 0)).transpose()?;
        let options = options(kinds, strict, group, shadow_words)?;
        let check = |token: &brolga::CancelToken| self.read().check(&what.clone().cancel(token.clone()), &options);
        findings(py, interruptible(py, &what.cancel, check)?)
    }

    /// Binds another value to a register. It waits for runs.
    fn set(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let register = self.program.register(name)?;
        let view = self.program.view(register, value)?;
        let set = || {
            let mut bound = self.bound.write().unwrap_or_else(PoisonError::into_inner);
            let replaced = bound.set(register, view);
            // The old binding is dropped after the lock: an array's destructor may call again.
            drop(bound);
            replaced.map(drop)
        };
        Ok(py.detach(set).map_err(Failure::from)?)
    }
}

/// The time that a group took in the last run.
struct Pace(AtomicU64);

impl Default for Pace {
    /// Not known yet.
    fn default() -> Self {
        Self(AtomicU64::new(u64::MAX))
    }
}

impl Pace {
    fn is_short(&self, what: &Dispatch) -> bool {
        let groups = what.groups.iter().fold(1_u64, |all, &count| all.saturating_mul(count.into()));
        self.0.load(Ordering::Relaxed).saturating_mul(groups) < SHORT
    }

    fn note(&self, report: &brolga::Report) {
        let nanos = u64::try_from(report.elapsed.as_nanos()).unwrap_or(u64::MAX);
        self.0.store(nanos.div_ceil(report.groups.max(1)), Ordering::Relaxed);
    }
}

/// Dispatches with the limits given.
fn dispatch(
    groups: &Bound<'_, PyAny>,
    first_group: Option<&Bound<'_, PyAny>>,
    time_limit: Option<f64>,
    fuel: Option<u64>,
    cancel: Option<&CancelToken>,
) -> PyResult<Dispatch> {
    let mut what = Dispatch::new(triple("groups", groups, 1)?);
    if let Some(first) = first_group {
        what = what.first_group(triple("first_group", first, 0)?);
    }
    what.time_limit = time_limit.map(seconds).transpose()?;
    what.fuel = fuel;
    if let Some(cancel) = cancel {
        what = what.cancel(cancel.token.clone());
    }
    Ok(what)
}

/// A time from seconds.
pub fn seconds(time: f64) -> Result<Duration, Failure> {
    let wrong =
        |_| Failure::new(ErrorKind::Call, format!("a time limit is a number of seconds, not negative, but {time:?}"));
    Duration::try_from_secs_f64(time).map_err(wrong)
}

/// Raises an `AssertionError` with what a check finds.
pub fn assert_clean(
    bound: &Bound<'_, BoundShader>,
    groups: &Bound<'_, PyAny>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let found: Vec<Bound<'_, Finding>> = bound.call_method("check", (groups,), options)?.extract()?;
    if found.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = found.iter().map(|finding| finding.get().finding.to_string()).collect();
    Err(PyAssertionError::new_err(texts.join("\n\n")))
}
