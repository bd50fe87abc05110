//! `brolga bench`: checks every job once, then measures all of them in turns.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use brolga::bench::{Amount, Series, measure};
use brolga::job::{Comparison, Job, JobError, Prepared, RunOptions};
use brolga::{Bindings, CancelToken, Device, Engine};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::interrupt::{self, INTERRUPTED, Temporary};
use super::options::{DeviceOptions, Format, THREADS, device, seconds};
use super::progress::{MeasureBar, Watcher};
use super::style::Styles;
use super::summary::{self, RunLine};
use super::{Ending, bench_result, report};

#[derive(Args)]
pub(super) struct Arguments {
    /// Job files (.toml, .json), or folders with a case.json
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<PathBuf>,
    /// What runs the shaders, side by side; by default machine code where this processor can run it
    #[arg(long, value_enum, value_name = "ENGINE,…", value_delimiter = ',')]
    engine: Vec<OneEngine>,
    /// Numbers of threads, side by side, each at most 1024; 0, the default, means one for each processor
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "0", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(THREADS))]
    threads: Vec<u16>,
    /// About how long to measure each
    #[arg(long, value_name = "SECONDS", default_value = "1", allow_negative_numbers = true, value_parser = seconds)]
    seconds: Duration,
    /// Dispatch each so often, in place of for a time
    #[arg(long, value_name = "N", conflicts_with = "seconds", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: Option<u32>,
    /// Stop a shader that runs longer
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// What stdout gets: a table for people, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    device: DeviceOptions,
}

/// What runs the shaders.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OneEngine {
    /// Machine code
    Jit,
    /// The interpreter
    Interpreter,
}

/// Measures the jobs. An error is one of writing to stdout.
pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let twice = [
        has_repetition(&arguments.engine).then_some("`--engine` names an engine twice"),
        has_repetition(&arguments.threads).then_some("`--threads` has a number twice"),
    ];
    if let Some(text) = twice.into_iter().flatten().next() {
        report::print_plain(text.into(), Some("each is measured once".into()), styles.err);
        return Ok(Ending::BadInput);
    }
    let cancel = CancelToken::new();
    interrupt::cancels(&cancel, &Temporary::default());
    let mut devices = Vec::new();
    for &threads in &arguments.threads {
        // Without a cache: compiling is measured too.
        match device(threads, arguments.device, None) {
            Ok(device) => devices.push(device),
            Err(ending) => return Ok(ending),
        }
    }
    let count = arguments.jobs.len();
    let (failures, ending) = ((0..count).map(|_| None).collect(), Ending::Fine);
    Session { arguments, styles, devices: &devices, cancel, failures, ending }.run()
}

fn has_repetition<T: PartialEq>(values: &[T]) -> bool {
    values.iter().enumerate().any(|(n, value)| values[..n].contains(value))
}

/// What is the same for all jobs of a command, and what became of them.
struct Session<'a> {
    arguments: &'a Arguments,
    styles: &'a Styles,
    devices: &'a [Device],
    cancel: CancelToken,
    /// Why a job has no results, for each job.
    failures: Vec<Option<JobError>>,
    /// The worst so far.
    ending: Ending,
}

/// A job that can run, and what it runs on.
struct Ready {
    prepared: Prepared,
    bindings: Bindings,
}

/// One shader of a job on one engine and device, after its first run.
pub(super) struct Checked<'a> {
    /// Which job it is of.
    job: usize,
    compile_time: Duration,
    /// What the job expects, and what it got.
    pub comparisons: Vec<Comparison>,
    /// Its times.
    pub series: Series<'a>,
}

impl Checked<'_> {
    /// Whether everything is as expected.
    fn passed(&self) -> bool {
        self.comparisons.iter().all(Comparison::passed)
    }

    /// The same for JSON, and whether anything was expected.
    pub fn verdict(&self) -> &'static str {
        match (self.passed(), self.comparisons.is_empty()) {
            (false, _) => "fail",
            (true, false) => "pass",
            (true, true) => "done",
        }
    }

    /// The shader as the job names it.
    pub fn shader_name(&self) -> String {
        self.series.job().shaders[self.series.shader()].value.to_string_lossy().into_owned()
    }
}

impl<'a> Session<'a> {
    fn run(mut self) -> io::Result<Ending> {
        let ready: Vec<Option<Ready>> = (0..self.arguments.jobs.len()).map(|job| self.ready(job)).collect();
        let mut checked = Vec::new();
        for (job, ready) in ready.iter().enumerate() {
            if let Some(ready) = ready {
                checked.extend(self.check_all(job, ready)?);
            }
        }
        let right = checked.iter_mut().filter(|checked: &&mut Checked<'_>| checked.passed());
        let mut series: Vec<_> = right.map(|checked| &mut checked.series).collect();
        if !series.is_empty() {
            let bar = MeasureBar::new();
            measure(&mut series, self.amount(), &mut |done| bar.show(done));
        }
        let interrupted = self.cancel.is_cancelled();
        if interrupted {
            report::say(INTERRUPTED);
            self.ending = self.ending.max(Ending::Stopped);
        }
        for checked in &mut checked {
            // One that the interrupt stopped has no fault.
            if let Some(error) = checked.series.take_failure().filter(|_| !interrupted) {
                self.fail(checked.job, error);
            }
        }
        checked.retain(|checked| self.failures[checked.job].is_none());
        self.show(&checked, interrupted)?;
        Ok(self.ending)
    }

    fn amount(&self) -> Amount {
        match self.arguments.rounds {
            Some(rounds) => Amount::Rounds(rounds),
            None => Amount::Time(self.arguments.seconds),
        }
    }

    fn engines(&self) -> Vec<Engine> {
        let engine = |engine: &OneEngine| match engine {
            OneEngine::Jit => Engine::Jit,
            OneEngine::Interpreter => Engine::Interpreter,
        };
        match self.arguments.engine.as_slice() {
            [] => vec![Engine::best()],
            engines => engines.iter().map(engine).collect(),
        }
    }

    /// Keeps the error of a job and says it.
    fn fail(&mut self, job: usize, error: JobError) {
        report::print(&error, self.styles.err);
        self.ending = self.ending.max(report::ending(&error));
        self.failures[job].get_or_insert(error);
    }

    /// Reads a job and binds its views.
    fn ready(&mut self, job: usize) -> Option<Ready> {
        if self.cancel.is_cancelled() {
            return None;
        }
        let device = &self.devices[0];
        let ready = || {
            let prepared = Job::load(&self.arguments.jobs[job])?.prepare(device.limits())?;
            let bindings = prepared.bind(device)?;
            Ok(Ready { prepared, bindings })
        };
        ready().map_err(|error| self.fail(job, error)).ok()
    }

    /// Runs each shader of a job once on each engine and device. None counts if one cannot run.
    fn check_all<'r>(&mut self, job: usize, ready: &'r Ready) -> io::Result<Vec<Checked<'r>>>
    where
        'a: 'r,
    {
        let mut all = Vec::new();
        for shader in 0..ready.prepared.shaders() {
            for engine in self.engines() {
                for device in self.devices {
                    if self.cancel.is_cancelled() {
                        return Ok(all);
                    }
                    match self.check(job, ready, shader, engine, device) {
                        Ok(checked) => {
                            self.say_mismatch(ready, &checked)?;
                            all.push(checked);
                        }
                        Err(error) => {
                            self.fail(job, error);
                            return Ok(Vec::new());
                        }
                    }
                }
            }
        }
        Ok(all)
    }

    fn check<'r>(
        &self,
        job: usize,
        ready: &'r Ready,
        shader: usize,
        engine: Engine,
        device: &'r Device,
    ) -> Result<Checked<'r>, JobError> {
        let mut options = RunOptions::new(engine);
        options.time_limit = self.arguments.timeout;
        options.cancel = self.cancel.clone();
        let Ready { prepared, bindings } = ready;
        let watcher = Watcher::start(options.progress.clone(), prepared.job());
        let (series, outcome) = Series::begin(prepared, device, bindings, shader, &options)?;
        drop(watcher);
        let (comparisons, compile_time) = (prepared.compare(&outcome), outcome.compile_time);
        Ok(Checked { job, comparisons, compile_time, series })
    }

    /// Says what is wrong with the results of the first run, as `brolga run` does.
    fn say_mismatch(&mut self, ready: &Ready, checked: &Checked<'_>) -> io::Result<()> {
        if checked.passed() {
            return Ok(());
        }
        self.ending = self.ending.max(Ending::Mismatch);
        let job = ready.prepared.job();
        let line = RunLine {
            job: &job.name,
            shader: &job.shaders[checked.series.shader()].value,
            engine: checked.series.engine(),
            compile_time: checked.compile_time,
            is_cached: false,
            report: checked.series.report(),
            comparisons: &checked.comparisons,
            disagreement: None,
        };
        match self.arguments.format {
            Format::Text => line.write_text(&mut io::stdout().lock(), self.styles.out),
            Format::Json => Ok(()),
        }
    }

    fn show(&self, checked: &[Checked<'_>], interrupted: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self.arguments.format {
            Format::Text => bench_result::write_table(&mut out, checked, self.styles.out),
            Format::Json => {
                let jobs = self.arguments.jobs.iter().zip(&self.failures).enumerate().map(|(job, (path, error))| {
                    let results = checked.iter().filter(|checked| checked.job == job).map(bench_result::json);
                    json!({
                        "job": path.to_string_lossy(),
                        "results": results.collect::<Vec<_>>(),
                        "error": error.as_ref().map(summary::error_json),
                    })
                });
                let document = json!({
                    "passed": self.ending == Ending::Fine,
                    "interrupted": interrupted,
                    "jobs": jobs.collect::<Vec<_>>(),
                });
                writeln!(out, "{document:#}")
            }
        }
    }
}
