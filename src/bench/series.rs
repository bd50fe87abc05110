//! One shader of a job on one engine and one device, measured again and again.

use std::time::Duration;

use brolga_runtime::{Bindings, Device, Engine, Report, Shader};

use super::clock::{Sample, Stopwatch};
use super::repeat;
use super::samples::Samples;
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
    compiles: Samples,
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
        let compiled = ready.compile(device, shader, options.engine)?;
        ready.reset(bindings)?;
        let report = ready.dispatch(device, shader, &compiled, bindings, options)?;
        let outcome = ready.outcome(&compiled, report, bindings, options)?;
        let (compiles, runs) = Default::default();
        let options = options.clone();
        let series = Self { ready, device, bindings, shader, options, compiled, report, compiles, runs, failure: None };
        Ok((series, outcome))
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

    /// Times from the shader's bytes to something that runs.
    pub fn compiles(&self) -> &Samples {
        &self.compiles
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

    pub(super) fn was_cancelled(&self) -> bool {
        self.options.cancel.is_cancelled()
    }

    /// Dispatches for a time, or once, without keeping the times. The dispatch of [`Series::begin`] counts.
    pub(super) fn warm_up(&mut self, time: Option<Duration>) {
        if time.is_some_and(|time| self.report.elapsed >= time) {
            return;
        }
        let result = repeat(time, || self.dispatch().map(|sample| sample.wall));
        self.failure = result.err();
    }

    /// Dispatches for a time, or once, and keeps the times.
    pub(super) fn turn(&mut self, time: Option<Duration>) {
        let result = repeat(time, || {
            let sample = self.dispatch()?;
            if self.runs.len() < MOST_SAMPLES {
                self.runs.push(sample);
            }
            Ok(sample.wall)
        });
        self.failure = result.err();
    }

    /// Compiles the shader once more and keeps the time.
    pub(super) fn compile(&mut self) {
        let watch = Stopwatch::start();
        match self.ready.compile(self.device, self.shader, self.options.engine) {
            Ok(compiled) => {
                self.compiles.push(watch.stop());
                drop(compiled);
            }
            Err(error) => self.failure = Some(error),
        }
    }

    fn dispatch(&self) -> Result<Sample, JobError> {
        self.ready.reset(self.bindings)?;
        let watch = Stopwatch::start();
        self.ready.dispatch(self.device, self.shader, &self.compiled, self.bindings, &self.options)?;
        Ok(watch.stop())
    }
}
