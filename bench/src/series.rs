//! One thing on one engine and one device, measured again and again: a form of a document, or what somebody else draws.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use brolga_document::{DocumentError, Outcome, Prepared, Ready, RunOptions};
use brolga_raster::statistics::Statistics as DrawStatistics;
use brolga_runtime::{CancelToken, CodeFigures, CompileStage, Device, Engine, Report, StageTimes};

use super::clock::{Sample, Stopwatch};
use super::repeat;
use super::samples::{Samples, Statistics};

/// Samples of one series at most, which bounds the memory for them.
const MOST_SAMPLES: usize = 1 << 20;

/// What can be measured beside documents.
pub trait Measured: fmt::Debug {
    /// Does it once.
    ///
    /// # Errors
    /// If it cannot be done.
    fn frame(&self) -> Result<DrawStatistics, DocumentError>;
}

/// What is measured.
#[derive(Debug)]
enum Subject<'a> {
    Document(Box<Ready<'a>>),
    Other(Box<dyn Measured + 'a>),
}

/// A form of a document, or something else, on one engine and one device.
#[derive(Debug)]
pub struct Series<'a> {
    subject: Subject<'a>,
    device: &'a Device,
    engine: Engine,
    cancel: CancelToken,
    /// What one dispatch does, of a document that is one.
    report: Option<Report>,
    statistics: DrawStatistics,
    /// Runs that are measured together, without the first content between them; `None` for one with it.
    batch: Option<NonZeroU32>,
    /// From the shaders' bytes to something that runs.
    first_compile: Sample,
    /// The same, and the first run.
    first: Sample,
    compiles: Samples,
    /// As many as `compiles`: those of each compute shader.
    stages: Vec<Vec<StageTimes>>,
    runs: Samples,
    failure: Option<DocumentError>,
}

impl<'a> Series<'a> {
    /// Compiles a form of a document and does its steps once, unmeasured. The outcome is held against what the document expects.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn begin(
        prepared: &'a Prepared,
        device: &'a Device,
        variant: usize,
        options: &RunOptions,
    ) -> Result<(Self, Outcome), DocumentError> {
        let watch = Stopwatch::start();
        let ready = prepared.ready(device, variant, options)?;
        let first_compile = watch.stop();
        let watch = Stopwatch::start();
        let outcome = ready.outcome()?;
        let first = watch.stop().after(first_compile);
        let (report, statistics) = (outcome.report, outcome.statistics);
        let subject = Subject::Document(Box::new(ready));
        Ok((Self { report, ..Self::new(subject, device, options, first_compile, first, statistics) }, outcome))
    }

    /// Does something else once, unmeasured, that took so long to compile.
    ///
    /// # Errors
    /// If it cannot be done.
    pub fn of(
        other: impl Measured + 'a,
        device: &'a Device,
        options: &RunOptions,
        compiling: Sample,
    ) -> Result<Self, DocumentError> {
        let watch = Stopwatch::start();
        let statistics = other.frame()?;
        let first = watch.stop().after(compiling);
        Ok(Self::new(Subject::Other(Box::new(other)), device, options, compiling, first, statistics))
    }

    fn new(
        subject: Subject<'a>,
        device: &'a Device,
        options: &RunOptions,
        first_compile: Sample,
        first: Sample,
        statistics: DrawStatistics,
    ) -> Self {
        Self {
            subject,
            device,
            engine: options.engine,
            cancel: options.cancel.clone(),
            report: None,
            statistics,
            batch: None,
            first_compile,
            first,
            compiles: Samples::default(),
            stages: Vec::new(),
            runs: Samples::default(),
            failure: None,
        }
    }

    /// Measures so many runs, one right after the other, as one sample of the time of each. What they wrote stays: no run, not even the
    /// first of them, begins with the first content. It is for shaders whose work is the same whatever they find, and short ones above
    /// all, which take less time than looking at the clock.
    pub fn measure_together(&mut self, runs: NonZeroU32) {
        self.batch = Some(runs);
    }

    /// The document, compiled; none of something else.
    pub fn ready(&self) -> Option<&Ready<'a>> {
        match &self.subject {
            Subject::Document(ready) => Some(ready),
            Subject::Other(_) => None,
        }
    }

    /// What runs it.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// What it runs on.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// What one dispatch does, of a document that is one; its time is that of the first one.
    pub fn report(&self) -> Option<Report> {
        self.report
    }

    /// What the draws of a run did together.
    pub fn statistics(&self) -> DrawStatistics {
        self.statistics
    }

    /// What the machine code of a document's only compute shader is made of; the interpreter has none.
    ///
    /// # Errors
    /// If the code cannot be read.
    pub fn code_figures(&self) -> Result<Option<CodeFigures>, DocumentError> {
        self.ready().map_or(Ok(None), Ready::code_figures)
    }

    /// How long it took to compile the first time, before anything was measured.
    pub fn first_compile(&self) -> Sample {
        self.first_compile
    }

    /// From the shaders' bytes to the end of the first run.
    pub fn first(&self) -> Sample {
        self.first
    }

    /// The part of it in which a document's steps became actions.
    pub fn plan_time(&self) -> Duration {
        self.ready().map_or(Duration::ZERO, Ready::plan_time)
    }

    /// Times from the shaders' bytes to something that runs.
    pub fn compiles(&self) -> &Samples {
        &self.compiles
    }

    /// Wall times of one stage of these.
    pub fn stage(&self, stage: CompileStage) -> Option<Statistics> {
        let sum = |times: &Vec<StageTimes>| times.iter().map(|times| times.of(stage)).sum();
        let times: Vec<Duration> = self.stages.iter().filter(|times| !times.is_empty()).map(sum).collect();
        Statistics::of(&times)
    }

    /// Times of runs.
    pub fn runs(&self) -> &Samples {
        &self.runs
    }

    /// Takes out why it is not measured further.
    pub fn take_failure(&mut self) -> Option<DocumentError> {
        self.failure.take()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether it can be compiled again and again.
    pub(super) fn compiles_again(&self) -> bool {
        matches!(self.subject, Subject::Document(_))
    }

    /// Whether runs begin with the first content.
    fn resets(&self) -> bool {
        self.batch.is_none() && self.ready().is_some_and(Ready::only_dispatches)
    }

    /// Runs for a time, or once, without keeping the times. The first run counts.
    pub(super) fn warm_up(&mut self, time: Option<Duration>) {
        if time.is_some_and(|time| self.report.is_some_and(|report| report.elapsed >= time)) {
            return;
        }
        self.failure = repeat(time, || self.run().map(|(_, spent)| spent)).err();
    }

    /// Runs for a time, or once, and keeps the times.
    pub(super) fn turn(&mut self, time: Option<Duration>) {
        let result = repeat(time, || {
            let (sample, spent) = self.run()?;
            if self.runs.len() < MOST_SAMPLES {
                self.runs.push(sample);
            }
            Ok(spent)
        });
        self.failure = result.err();
    }

    /// Compiles once more, to the code that runs, and keeps the time.
    pub(super) fn compile(&mut self) {
        let Subject::Document(ready) = &self.subject else { return };
        let watch = Stopwatch::start();
        match ready.compile() {
            Ok((_, stages)) => {
                self.compiles.push(watch.stop());
                self.stages.push(stages);
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// One sample, and the wall time it took to get.
    fn run(&self) -> Result<(Sample, Duration), DocumentError> {
        let count = self.batch.map_or(1, NonZeroU32::get);
        let sample = match &self.subject {
            Subject::Document(ready) => {
                if self.resets() {
                    ready.reset()?;
                }
                let watch = Stopwatch::start();
                ready.frames(count)?;
                watch.stop()
            }
            Subject::Other(other) => {
                let watch = Stopwatch::start();
                for _ in 0..count {
                    other.frame()?;
                }
                watch.stop()
            }
        };
        Ok((sample.of_one(count), sample.wall))
    }
}
