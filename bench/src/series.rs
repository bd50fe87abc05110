//! Measures one subject on one engine and one device repeatedly: a variant of a document, or somebody else's drawing.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use brolga_document::{DocumentError, Outcome, Prepared, Ready, RunOptions};
use brolga_raster::statistics::Statistics as DrawStatistics;
use brolga_runtime::{CancelToken, CodeFigures, CompileStage, Device, Engine, Report, StageTimes};

use super::clock::{Sample, Stopwatch};
use super::repeat;
use super::samples::{Samples, Statistics};

/// The maximum number of samples of one series, which bounds the memory for them.
const MOST_SAMPLES: usize = 1 << 20;

/// A subject of measurements other than a document.
pub trait Measured: fmt::Debug {
    /// Does it once.
    ///
    /// # Errors
    /// If it cannot be done.
    fn frame(&self) -> Result<DrawStatistics, DocumentError>;
}

/// The subject of a series.
#[derive(Debug)]
enum Subject<'a> {
    Document(Box<Ready<'a>>),
    Other(Box<dyn Measured + 'a>),
}

/// A variant of a document, or another subject, on one engine and one device.
#[derive(Debug)]
pub struct Series<'a> {
    subject: Subject<'a>,
    device: &'a Device,
    engine: Engine,
    cancel: CancelToken,
    /// The report of one dispatch, if the document is a single one.
    report: Option<Report>,
    statistics: DrawStatistics,
    /// The number of runs measured together, without restoring the initial content between them; `None` for one run
    /// with it.
    batch: Option<NonZeroU32>,
    /// The time from the shaders' bytes to executable code.
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
    /// Compiles a variant of a document and does its steps once, unmeasured. The outcome is compared with the
    /// document's expectations.
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

    /// Does another subject once, unmeasured; `compiling` is the time that compiling it took.
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

    /// Measures `runs` runs, one right after the other, as one sample of the time of each. Their output stays: no run,
    /// not even the first, begins with the initial content. It is for shaders whose work does not depend on the content
    /// of memory, and above all for short ones, which take less time than reading the clock.
    pub fn measure_together(&mut self, runs: NonZeroU32) {
        self.batch = Some(runs);
    }

    /// The compiled document; `None` for another subject.
    pub fn ready(&self) -> Option<&Ready<'a>> {
        match &self.subject {
            Subject::Document(ready) => Some(ready),
            Subject::Other(_) => None,
        }
    }

    /// The engine that runs it.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The device that it runs on.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// The report of one dispatch, if the document is a single one; its time is that of the first one.
    pub fn report(&self) -> Option<Report> {
        self.report
    }

    /// The statistics of all draws of a run together.
    pub fn statistics(&self) -> DrawStatistics {
        self.statistics
    }

    /// Figures about the machine code of a document's only compute shader; the interpreter has none.
    ///
    /// # Errors
    /// If the code cannot be read.
    pub fn code_figures(&self) -> Result<Option<CodeFigures>, DocumentError> {
        self.ready().map_or(Ok(None), Ready::code_figures)
    }

    /// The time of the first compilation, before anything was measured.
    pub fn first_compile(&self) -> Sample {
        self.first_compile
    }

    /// The time from the shaders' bytes to the end of the first run.
    pub fn first(&self) -> Sample {
        self.first
    }

    /// The part of it in which a document's steps became actions.
    pub fn plan_time(&self) -> Duration {
        self.ready().map_or(Duration::ZERO, Ready::plan_time)
    }

    /// Times from the shaders' bytes to executable code.
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

    /// Takes the error that ended the measurements.
    pub fn take_failure(&mut self) -> Option<DocumentError> {
        self.failure.take()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// `true` if it can be compiled repeatedly.
    pub(super) fn compiles_again(&self) -> bool {
        matches!(self.subject, Subject::Document(_))
    }

    /// `true` if runs begin with the initial content.
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
