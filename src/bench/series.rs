//! One shader of a job on one engine and one device, measured again and again.

use std::num::NonZeroU32;
use std::time::Duration;

use brolga_runtime::{Bindings, CodeFigures, CompileStage, Device, Engine, Report, Shader, StageTimes};

use super::clock::{Sample, Stopwatch};
use super::samples::{Samples, Statistics};
use super::{Measured, repeat};
use crate::job::{Job, JobError, Outcome, Prepared, RunOptions};

/// Samples of one series at most, which bounds the memory for them.
const MOST_SAMPLES: usize = 1 << 20;

/// One shader of a prepared job on one engine and one device.
#[derive(Debug)]
pub struct Series<'a> {
    ready: &'a Prepared,
    device: &'a Device,
    bindings: &'a Bindings,
    shader: usize,
    options: RunOptions,
    compiled: Shader,
    report: Report,
    /// Dispatches that are measured together, without the first content between them; `None` for one with it.
    batch: Option<NonZeroU32>,
    first_compile: Sample,
    compiles: Samples,
    /// As many as `compiles`.
    stages: Vec<StageTimes>,
    runs: Samples,
    failure: Option<JobError>,
}

impl<'a> Series<'a> {
    /// Compiles a shader of the job and runs it once, unmeasured, on what [`Prepared::bind`] gave. The outcome can be held
    /// against the job's expectations.
    ///
    /// Series may share bindings: each puts their content back before it runs.
    pub fn begin(
        ready: &'a Prepared,
        device: &'a Device,
        bindings: &'a Bindings,
        shader: usize,
        options: &RunOptions,
    ) -> Result<(Self, Outcome), JobError> {
        let watch = Stopwatch::start();
        let compiled = ready.compile(device, shader, options)?;
        ready.prepare_code(device, shader, &compiled, bindings, options)?;
        let first_compile = watch.stop();
        ready.reset(bindings)?;
        let report = ready.dispatch(device, shader, &compiled, bindings, options)?;
        let outcome = ready.outcome(&compiled, report, bindings, options)?;
        let series = Self {
            ready,
            device,
            bindings,
            shader,
            options: options.clone(),
            compiled,
            report,
            batch: None,
            first_compile,
            compiles: Samples::default(),
            stages: Vec::new(),
            runs: Samples::default(),
            failure: None,
        };
        Ok((series, outcome))
    }

    /// Measures so many dispatches, one right after the other, as one sample of the time of each. What they wrote stays:
    /// no dispatch, not even the first of them, begins with the first content. It is for shaders whose work is the same
    /// whatever they find, and short ones above all, which take less time than looking at the clock.
    pub fn measure_together(&mut self, dispatches: NonZeroU32) {
        self.batch = Some(dispatches);
    }

    /// The job.
    pub fn job(&self) -> &'a Job {
        self.ready.job()
    }

    /// Which of the job's shaders this is.
    pub fn shader(&self) -> usize {
        self.shader
    }

    /// What runs it.
    pub fn engine(&self) -> Engine {
        self.options.engine
    }

    /// What it runs on.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// What one dispatch does; its time is that of the first one.
    pub fn report(&self) -> Report {
        self.report
    }

    /// What the machine code is made of; the interpreter has none.
    pub fn code_figures(&self) -> Result<Option<CodeFigures>, JobError> {
        self.ready.code_figures(self.shader, &self.compiled)
    }

    /// How long it took to compile the shader the first time, before anything was measured.
    pub fn first_compile(&self) -> Sample {
        self.first_compile
    }

    /// Times from the shader's bytes to something that runs.
    pub fn compiles(&self) -> &Samples {
        &self.compiles
    }

    /// Wall times of one stage of these.
    pub fn stage(&self, stage: CompileStage) -> Option<Statistics> {
        let times: Vec<Duration> = self.stages.iter().map(|times| times.of(stage)).collect();
        Statistics::of(&times)
    }

    /// Times of dispatches.
    pub fn runs(&self) -> &Samples {
        &self.runs
    }

    /// What the last dispatch on its bindings left. Every dispatch does the same.
    pub fn outcome(&self) -> Result<Outcome, JobError> {
        self.ready.outcome(&self.compiled, self.report, self.bindings, &self.options)
    }

    /// Why it is not measured further.
    pub fn failure(&self) -> Option<&JobError> {
        self.failure.as_ref()
    }

    /// Takes out why it is not measured further.
    pub fn take_failure(&mut self) -> Option<JobError> {
        self.failure.take()
    }

    /// Dispatches for a time, or once, without keeping the times. The dispatch of [`Series::begin`] counts.
    pub(super) fn warm_up(&mut self, time: Option<Duration>) {
        if time.is_some_and(|time| self.report.elapsed >= time) {
            return;
        }
        let result = repeat(time, || self.dispatch().map(|(_, spent)| spent));
        self.failure = result.err();
    }

    /// Dispatches for a time, or once, and keeps the times.
    pub(super) fn turn(&mut self, time: Option<Duration>) {
        let result = repeat(time, || {
            let (sample, spent) = self.dispatch()?;
            if self.runs.len() < MOST_SAMPLES {
                self.runs.push(sample);
            }
            Ok(spent)
        });
        self.failure = result.err();
    }

    /// Compiles the shader once more, to the code that runs, and keeps the time.
    pub(super) fn compile(&mut self) {
        let watch = Stopwatch::start();
        match self.ready.compile_here(self.device, self.shader, self.bindings, &self.options) {
            Ok(compiled) => {
                self.compiles.push(watch.stop());
                self.stages.push(compiled.compile_times());
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// One sample, and the wall time it took to get.
    fn dispatch(&self) -> Result<(Sample, Duration), JobError> {
        if self.batch.is_none() {
            self.ready.reset(self.bindings)?;
        }
        let count = self.batch.map_or(1, NonZeroU32::get);
        let watch = Stopwatch::start();
        let Self { ready, device, shader, compiled, bindings, options, .. } = self;
        ready.dispatch_often(count, device, *shader, compiled, bindings, options)?;
        let sample = watch.stop();
        Ok((sample.of_one(count), sample.wall))
    }
}

impl Measured for Series<'_> {
    fn is_cancelled(&self) -> bool {
        self.options.cancel.is_cancelled()
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some()
    }
}
