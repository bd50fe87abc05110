//! Runs a prepared job: one dispatch, and the results of everything that a shader may write.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga_fenv::in_default_mode;
use brolga_runtime::{
    Access, Bindings, CancelToken, Codegen, CompileOptions, Counter, Deadline, Device, Dispatch, Emit, Engine, Error,
    Limit, Listing, Oversize, Progress, Report, ResourceError, Shader, View,
};

use super::compare::{Comparison, CounterDifference, compare};
use super::error::{JobError, Problem};
use super::model::*;
use super::output;
use super::prepare::Prepared;
use crate::files::{Array, Bytes, Claim};

/// How to run a job.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOptions {
    /// What runs the shader.
    pub engine: Engine,
    /// What becomes of a shader that is too large for machine code.
    pub oversize: Oversize,
    /// Stops a job when compiling and the run have taken so long together; one of both alone where they are asked for one by one.
    pub time_limit: Option<Duration>,
    /// Stops the run when it is cancelled.
    pub cancel: CancelToken,
    /// Tells how far the run is.
    pub progress: Progress,
    /// Whether to give the content of every `u#`, not only of those that the job saves or expects something of. To
    /// compare two outcomes with [`Prepared::disagreement`] takes this.
    pub all_slots: bool,
}

impl RunOptions {
    /// Options for an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            oversize: Oversize::default(),
            time_limit: None,
            cancel: CancelToken::new(),
            progress: Progress::new(),
            all_slots: false,
        }
    }

    /// The same for all that has one time limit together: a token that the limit cancels, in place of a limit for each part.
    pub(crate) fn within(&self, deadline: &Deadline<'_>) -> Self {
        Self { cancel: deadline.token().clone(), time_limit: None, ..self.clone() }
    }

    /// What is left of the time limit for code, after the rest of a shader was compiled.
    #[cfg(feature = "bench")]
    fn left_after(&self, compiled: &Shader) -> Option<Duration> {
        self.time_limit.map(|limit| limit.saturating_sub(compiled.compile_time()))
    }
}

impl Default for RunOptions {
    /// Options for the engine that a device uses by default.
    fn default() -> Self {
        Self::new(Engine::best())
    }
}

/// What a run gave.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What ran the shader.
    pub engine: Engine,
    /// Time from the shader's bytes to something that runs.
    pub compile_time: Duration,
    /// Whether that was read from the device's cache.
    pub is_cached: bool,
    /// What the dispatch did.
    pub report: Report,
    /// The `u#` that the job saves or expects something of, or all of them by [`RunOptions::all_slots`], in the order of
    /// the job's bindings.
    pub slots: Vec<SlotResult>,
    /// The hidden counters, in the order of the job's bindings.
    pub counters: Vec<CounterResult>,
}

/// What a hidden counter is after a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CounterResult {
    /// The register of its view.
    pub register: Register,
    /// Its value.
    pub value: u32,
    /// Elements that the view has: a shader may count further than there is room.
    pub elements: u64,
}

/// What a view holds after a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SlotResult {
    /// The register.
    pub register: Register,
    /// Its bytes.
    pub bytes: Bytes,
    /// Its hidden counter, if it has one.
    pub counter: Option<u32>,
    /// The temporary file of an output that the bytes are in.
    file: Option<PathBuf>,
}

/// A shader that runs in groups: jobs dispatch.
fn in_groups(shader: Shader) -> Result<Shader, crate::Error> {
    shader.check_groups()?;
    Ok(shader)
}

impl Prepared {
    /// Compiles one of the job's shaders, until the run is to stop. Its code is made for what is bound, when that is known.
    pub fn compile(&self, device: &Device, shader: usize, options: &RunOptions) -> Result<Shader, JobError> {
        let (container, how) = (&self.containers[shader], self.compile_options(shader, options));
        let compiled = device.compile_until(container, &how, &options.cancel, options.time_limit);
        compiled.and_then(in_groups).map_err(|error| self.failed(shader, error))
    }

    fn compile_options(&self, shader: usize, options: &RunOptions) -> CompileOptions {
        let name = self.job.shaders[shader].value.to_string_lossy();
        let plain = CompileOptions::new(options.engine)
            .oversize(options.oversize)
            .codegen(Codegen::Deferred)
            .fused_mad(self.job.fused_mad)
            .named(name);
        self.job.instances.iter().fold(plain, |all, choice| all.instance(&choice.variable, choice.instance.clone()))
    }

    /// Compiles one of the job's shaders and runs it on fresh resources.
    pub fn run(&self, device: &Device, shader: usize, options: &RunOptions) -> Result<Outcome, JobError> {
        self.within(device, shader, options, |options| {
            let compiled = self.compile(device, shader, options)?;
            self.run_on(self.bind_until(device, &options.cancel)?, device, shader, &compiled, options)
        })
    }

    /// Does something with options whose token ends it after the time limit, instead of each part.
    fn within<T>(
        &self,
        device: &Device,
        shader: usize,
        options: &RunOptions,
        work: impl FnOnce(&RunOptions) -> Result<T, JobError>,
    ) -> Result<T, JobError> {
        let deadline = device.deadline(&options.cancel, options.time_limit);
        let deadline = deadline.map_err(|error| self.failed(shader, error))?;
        work(&options.within(&deadline))
    }

    /// Runs a shader on bindings of its own: what it leaves in them need not be copied.
    fn run_on(
        &self,
        bindings: Bindings,
        device: &Device,
        shader: usize,
        compiled: &Shader,
        options: &RunOptions,
    ) -> Result<Outcome, JobError> {
        let what = self.what(options);
        let run = || {
            let bound = device.bind(compiled, &bindings)?;
            bound.prepare_until(what.groups, &options.cancel, None)?;
            bound.dispatch(&what)
        };
        let report = run().map_err(|error| self.failed(shader, error))?;
        self.look(compiled, report, &bindings, options, |view| Ok(Bytes::View(view.clone())))
    }

    /// Runs a shader that [`Prepared::compile`] gave on what [`Prepared::bind`] gave.
    pub fn dispatch(
        &self,
        device: &Device,
        shader: usize,
        compiled: &Shader,
        bindings: &Bindings,
        options: &RunOptions,
    ) -> Result<Report, JobError> {
        self.dispatch_often(1, device, shader, compiled, bindings, options)
    }

    /// The same so many times, at least once. The report is that of the last.
    pub(crate) fn dispatch_often(
        &self,
        count: u32,
        device: &Device,
        shader: usize,
        compiled: &Shader,
        bindings: &Bindings,
        options: &RunOptions,
    ) -> Result<Report, JobError> {
        let what = self.what(options);
        let once = || device.dispatch(compiled, bindings, &what).map_err(|error| self.failed(shader, error));
        for _ in 1..count {
            once()?;
        }
        once()
    }

    /// The job's dispatch.
    fn what(&self, options: &RunOptions) -> Dispatch {
        let what = Dispatch::new(self.job.dispatch.value)
            .first_group(self.job.first_group.value)
            .cancel(options.cancel.clone())
            .progress(options.progress.clone());
        match options.time_limit {
            Some(limit) => what.time_limit(limit),
            None => what,
        }
    }

    /// A copy of what [`Prepared::dispatch`] left in the views.
    pub fn outcome(
        &self,
        compiled: &Shader,
        report: Report,
        bindings: &Bindings,
        options: &RunOptions,
    ) -> Result<Outcome, JobError> {
        let copy = |view: &View| Bytes::View(view.clone()).first(u64::MAX, &|| options.cancel.is_cancelled());
        self.look(compiled, report, bindings, options, |view| copy(view).map(Bytes::Owned))
    }

    /// What is in the views that somebody looks at, as `keep` keeps it.
    fn look(
        &self,
        compiled: &Shader,
        report: Report,
        bindings: &Bindings,
        options: &RunOptions,
        keep: impl Fn(&View) -> Result<Bytes, ResourceError>,
    ) -> Result<Outcome, JobError> {
        let expected = |register| self.job.expectations.iter().any(|expectation| expectation.register == register);
        // A view may be as large as the memory.
        let looked_at = |binding: &Binding| options.all_slots || binding.save.is_some() || expected(binding.register);
        let (mut slots, mut counters) = (Vec::new(), Vec::new());
        for binding in
            self.job.bindings.iter().filter(|binding| binding.register.class == ResourceClass::UnorderedAccess)
        {
            let view = bindings.get(binding.register);
            if let Some((view, counter)) = view.and_then(|view| Some((view, view.counter()?))) {
                let elements = self.stride(binding.register).map_or(0, |stride| view.size_bytes() / stride);
                counters.push(CounterResult { register: binding.register, value: counter.get(), elements });
            }
            if let Some(view) = view.filter(|_| looked_at(binding)) {
                let bytes = keep(view).map_err(|error| {
                    self.job.error(&binding.span, Problem::of_memory(error, &options.cancel, binding.register))
                })?;
                let counter = view.counter().map(Counter::get);
                slots.push(SlotResult { register: binding.register, bytes, counter, file: None });
            }
        }
        let compile_time = compiled.compile_time();
        let (engine, is_cached) = (compiled.engine(), compiled.is_cached());
        Ok(Outcome { engine, compile_time, is_cached, report, slots, counters })
    }

    /// The array that the bytes of one of the job's `u#` are, as in an .npy file; none if the job does not bind it.
    pub fn array(&self, register: Register) -> Option<Array> {
        let at = self.job.bindings.iter().position(|binding| binding.register == register)?;
        let kind = &self.views[at].kind;
        let number_type = self.job.bindings[at].save.as_ref().and_then(|save| save.number_type);
        Some(output::array(kind, number_type, self.views[at].content.size_bytes()))
    }

    /// Bytes of an element of a structured view.
    fn stride(&self, register: Register) -> Option<u64> {
        let at = self.job.bindings.iter().position(|binding| binding.register == register)?;
        match self.views[at].kind {
            Kind::Structured { stride, .. } => Some(stride.into()),
            _ => None,
        }
    }

    /// A form of one of the job's shaders as text, made for what the job binds.
    pub fn emit(&self, device: &Device, shader: usize, options: &RunOptions, form: Emit) -> Result<Listing, JobError> {
        let compiled = self.compile(device, shader, options)?;
        let bindings = self.bind(device)?;
        compiled.emit_for(form, &bindings).map_err(|error| self.failed(shader, error))
    }

    /// Points an error of the runtime at what in the job it is about.
    fn failed(&self, shader: usize, error: Error) -> JobError {
        let file = &self.job.shaders[shader];
        let register = match &error {
            Error::Binding(error) => error.register(),
            _ => None,
        };
        let binding = self.job.bindings.iter().find(|binding| Some(binding.register) == register);
        let variable = match &error {
            Error::Instance(error) => error.variable(),
            _ => None,
        };
        let choice = self.job.instances.iter().rfind(|choice| Some(choice.variable.as_str()) == variable);
        let span = match (&error, binding) {
            (_, Some(binding)) => &binding.span,
            (Error::Instance(_), _) => choice.map_or(&file.span, |choice| &choice.span),
            (Error::OverLimit { limit: Limit::DispatchGroups(axis), most, .. }, _) => {
                // The limit is on the sum of both.
                match self.job.dispatch.value.get(usize::from(*axis)) {
                    Some(groups) if u64::from(*groups) <= *most => &self.job.first_group.span,
                    _ => &self.job.dispatch.span,
                }
            }
            _ => &file.span,
        };
        self.job.error(span, self.job.run_problem(shader, error))
    }

    /// Holds an outcome against the job's expectations.
    ///
    /// # Errors
    /// If there is no memory for elements in any order.
    pub fn compare(&self, outcome: &Outcome) -> Result<Vec<Comparison>, JobError> {
        self.compare_until(outcome, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`Problem::Stopped`].
    pub fn compare_until(&self, outcome: &Outcome, cancel: &CancelToken) -> Result<Vec<Comparison>, JobError> {
        in_default_mode(|| self.comparisons(outcome, cancel))
    }

    fn comparisons(&self, outcome: &Outcome, cancel: &CancelToken) -> Result<Vec<Comparison>, JobError> {
        let checks = self.job.expectations.iter().zip(&self.checks);
        checks
            .map(|(expectation, check)| {
                let slot = outcome.slots.iter().find(|slot| slot.register == expectation.register);
                let slot = slot.expect("the reader takes expectations about u# only, and each of those has a result");
                let rules = &expectation.rules;
                let (register, stop) = (expectation.register, || cancel.is_cancelled());
                let found = compare(register, &slot.bytes, &check.segments, rules, check.natural_element, &stop);
                let mut found = found.map_err(|error| {
                    self.job.error(&expectation.span, Problem::of_memory(error, cancel, expectation.register))
                })?;
                found.counter = expectation
                    .counter
                    .filter(|expected| slot.counter != Some(*expected))
                    .map(|expected| CounterDifference { got: slot.counter, expected });
                Ok(found)
            })
            .collect()
    }

    /// The first register that both outcomes have and in which they differ, beside those whose order is said not to matter.
    pub fn disagreement(&self, one: &Outcome, other: &Outcome) -> Option<Register> {
        self.disagreement_until(one, other, &CancelToken::new())
    }

    /// The same, unless the token is cancelled: what was not looked at until then counts as agreeing.
    pub fn disagreement_until(&self, one: &Outcome, other: &Outcome, cancel: &CancelToken) -> Option<Register> {
        let any_order = |register| {
            let about = |expectation: &&Expectation| expectation.register == register;
            self.job.expectations.iter().find(about).is_some_and(|found| found.rules.order == Order::Any)
        };
        let pairs = one.slots.iter().zip(&other.slots);
        let differ = |a: &SlotResult, b: &SlotResult| a.counter != b.counter || a.bytes.differ(&b.bytes, cancel);
        pairs.filter(|(a, _)| !any_order(a.register)).find(|(a, b)| differ(a, b)).map(|(a, _)| a.register)
    }

    /// Claims every output file, which finds those that cannot be written. Relative paths start from `folder`.
    ///
    /// `taken` are the outputs of the jobs before, which no other may replace; it gains those of this job. Errors leave it as
    /// it was.
    pub fn claim_outputs(&self, folder: &Path, taken: &mut BTreeSet<PathBuf>) -> Result<Outputs<'_>, JobError> {
        let mut claims = Vec::new();
        let mut paths = BTreeSet::new();
        for (at, binding) in self.job.bindings.iter().enumerate() {
            let Some(save) = &binding.save else { continue };
            if save.is_standard() {
                let (path, by) = (save.path.value.clone(), "standard output, which something else is written to");
                if taken.contains(&path) || !paths.insert(path.clone()) {
                    return Err(self.job.error(&save.path.span, Problem::OutputTaken { path, by: by.into() }));
                }
                claims.push((at, path, None));
                continue;
            }
            let path = folder.join(&save.path.value);
            let claim = Claim::new(&path).map_err(|error| self.cannot_write(at, path.clone(), error))?;
            if let Some(what) = self.job.inputs().find(|(_, input)| claim.replaces(input)).map(|(what, _)| what) {
                return Err(self.job.error(
                    &save.path.span,
                    Problem::OutputTaken { path, by: format!("the job's own {what}, which `save` would replace") },
                ));
            }
            if taken.contains(claim.path()) {
                return Err(self.job.error(
                    &save.path.span,
                    Problem::OutputTaken { path, by: "already written by an earlier job".into() },
                ));
            }
            if !paths.insert(claim.path().to_owned()) {
                return Err(self
                    .job
                    .error(&save.path.span, Problem::OutputTaken { path, by: "written by two registers".into() }));
            }
            claims.push((at, path, Some(claim)));
        }
        taken.extend(paths);
        Ok(Outputs { prepared: self, claims, ran: false, cancel: CancelToken::new() })
    }

    fn write_stopped(&self, binding: usize, path: PathBuf) -> JobError {
        self.job.error(&self.job.bindings[binding].span, Problem::WriteStopped { path })
    }

    fn cannot_write(&self, binding: usize, path: PathBuf, error: io::Error) -> JobError {
        let binding = &self.job.bindings[binding];
        let span = binding.save.as_ref().map_or(&binding.span, |save| &save.path.span);
        self.job.error(span, Problem::WriteFile { path, error })
    }
}

/// What measuring asks of a job.
#[cfg(feature = "bench")]
impl Prepared {
    /// Compiles one of the job's shaders to the code that runs with these bindings, to be measured.
    pub(crate) fn compile_here(
        &self,
        device: &Device,
        shader: usize,
        bindings: &Bindings,
        options: &RunOptions,
    ) -> Result<Shader, JobError> {
        let how = self.compile_options(shader, options);
        let compile = || {
            let compiled = in_groups(device.compile(&self.containers[shader], &how)?)?;
            device.bind(&compiled, bindings)?.prepare(self.job.dispatch.value)?;
            Ok(compiled)
        };
        compile().map_err(|error| self.failed(shader, error))
    }

    /// Makes the code of a shader that [`Prepared::compile`] gave for what [`Prepared::bind`] gave, until the run is to stop.
    pub(crate) fn prepare_code(
        &self,
        device: &Device,
        shader: usize,
        compiled: &Shader,
        bindings: &Bindings,
        options: &RunOptions,
    ) -> Result<(), JobError> {
        let bound = device.bind(compiled, bindings);
        let made = bound.and_then(|bound| {
            bound.prepare_until(self.job.dispatch.value, &options.cancel, options.left_after(compiled))
        });
        made.map_err(|error| self.failed(shader, error))
    }

    /// What the machine code of a shader that [`Prepared::compile`] gave is made of.
    pub(crate) fn code_figures(
        &self,
        shader: usize,
        compiled: &Shader,
    ) -> Result<Option<crate::CodeFigures>, JobError> {
        compiled.code_figures().map_err(|error| self.failed(shader, error))
    }
}

/// The claimed output files of a job. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Outputs<'a> {
    prepared: &'a Prepared,
    /// Each with its binding and the path as the job has it; standard output without a claim.
    claims: Vec<(usize, PathBuf, Option<Claim>)>,
    /// A run has filled the temporary files of mapped outputs.
    ran: bool,
    /// That of the last run stops writing too.
    cancel: CancelToken,
}

impl Outputs<'_> {
    /// Runs one of the job's shaders as [`Prepared::run`] does, but that it writes the outputs that are mapped to their
    /// temporary files. Only the first run does so.
    pub fn run(&mut self, device: &Device, shader: usize, options: &RunOptions) -> Result<Outcome, JobError> {
        self.cancel = options.cancel.clone();
        self.prepared.within(device, shader, options, |options| self.run_within(device, shader, options))
    }

    fn run_within(&mut self, device: &Device, shader: usize, options: &RunOptions) -> Result<Outcome, JobError> {
        let prepared = self.prepared;
        let compiled = prepared.compile(device, shader, options)?;
        if std::mem::replace(&mut self.ran, true) {
            let bindings = prepared.bind_until(device, &options.cancel)?;
            return prepared.run_on(bindings, device, shader, &compiled, options);
        }
        let claims = self.claims.iter().filter_map(|(at, path, claim)| Some((at, path, claim.as_ref()?)));
        let in_place: Vec<_> = claims.filter(|(at, ..)| prepared.views[**at].in_place).collect();
        let bindings = prepared.bind_over(device, &options.cancel, |at| {
            let Some((_, path, claim)) = in_place.iter().find(|(claimed, ..)| **claimed == at) else { return Ok(None) };
            let size = prepared.views[at].content.size_bytes();
            claim.reserve(size, &options.cancel).map_err(|error| match options.cancel.is_cancelled() {
                true => prepared.write_stopped(at, (*path).clone()),
                false => prepared.cannot_write(at, (*path).clone(), error),
            })?;
            let mapped = device.map_buffer(claim.temporary_path(), Access::ReadWrite);
            mapped.map(Some).map_err(|error| prepared.cannot_write(at, (*path).clone(), io::Error::other(error)))
        })?;
        let mut outcome = prepared.run_on(bindings, device, shader, &compiled, options)?;
        for (at, _, claim) in in_place {
            let register = prepared.job.bindings[*at].register;
            for slot in outcome.slots.iter_mut().filter(|slot| slot.register == register) {
                slot.file = Some(claim.temporary_path().to_owned());
            }
        }
        Ok(outcome)
    }

    /// The temporary files.
    pub fn temporary_paths(&self) -> Vec<PathBuf> {
        let claims = self.claims.iter().filter_map(|(.., claim)| claim.as_ref());
        claims.map(|claim| claim.temporary_path().to_owned()).collect()
    }

    /// Whether one of them is standard output, `-` in a job.
    pub fn has_standard(&self) -> bool {
        self.claims.iter().any(|(.., claim)| claim.is_none())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// Writes the outputs and gives their paths; `-` is standard output. What cancels the run that was before stops this too: the output that is
    /// being written, and those after it, stay as they were.
    pub fn write(self, outcome: &Outcome) -> Result<Vec<PathBuf>, JobError> {
        in_default_mode(|| self.write_all(outcome))
    }

    fn write_all(self, outcome: &Outcome) -> Result<Vec<PathBuf>, JobError> {
        let mut paths = Vec::new();
        for (at, path, claim) in self.claims {
            let binding = &self.prepared.job.bindings[at];
            let slot = outcome.slots.iter().find(|slot| slot.register == binding.register);
            let slot = slot.expect("the reader takes `save` at u# only, and each of those has a result");
            let kind = &self.prepared.views[at].kind;
            let save = binding.save.as_ref().expect("what has no output is not claimed");
            let (number_type, is_counted) = (save.number_type, save.counted.is_some());
            let form = save.form(kind).expect("the form was asked for when the job was prepared");
            let stride = self.prepared.stride(binding.register).unwrap_or(1);
            let size = match slot.counter.filter(|_| is_counted) {
                Some(count) => slot.bytes.size_bytes().min(stride * u64::from(count)),
                None => slot.bytes.size_bytes(),
            };
            let written = match claim {
                None => output::write_to_standard(form, kind, number_type, (&slot.bytes, size), &self.cancel),
                Some(claim) => {
                    let in_place = slot.file.as_deref() == Some(claim.temporary_path());
                    claim.commit_with(&self.cancel, |file| match &slot.bytes {
                        Bytes::View(view) if in_place => file.flush_mapped(view),
                        bytes => output::write(file, form, kind, number_type, (bytes, size), &self.cancel),
                    })
                }
            };
            written.map_err(|error| match self.cancel.is_cancelled() {
                true => self.prepared.write_stopped(at, path.clone()),
                false => self.prepared.cannot_write(at, path.clone(), error),
            })?;
            paths.push(path);
        }
        Ok(paths)
    }
}
