//! `brolga bench`: checks every job once, then measures all of them in turns.
//!
//! | file | what |
//! |---|---|
//! | `record.rs` | what was measured, as a document |
//! | `machine.rs` | what is measured on |
//! | `table.rs` | the tables on a terminal |
//! | `baseline.rs` | earlier figures, of this program and of others |
//! | `compare.rs` | figures beside earlier ones |
//! | `peers.rs` | lines of JSON as the harnesses of other runtimes write them |

mod baseline;
mod compare;
mod machine;
mod peers;
mod record;
mod table;

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use brolga::bench::{Amount, Samples, Series, Work, measure, reference, suite};
use brolga::files::Claim;
use brolga::job::{Comparison, Job, JobError, Prepared, RunOptions};
use brolga::{Bindings, CancelToken, CodeFigures, Device, Engine};
use clap::{Args, ValueEnum};

use super::compiler::CompilerOption;
use super::interrupt::{self, INTERRUPTED, Temporary};
use super::options::{DeviceOptions, THREADS, device, seconds};
use super::progress::{MeasureBar, Watcher};
use super::style::Styles;
use super::summary::RunLine;
use super::{Ending, report};
use baseline::Baseline;
use machine::{Account, Machine};
use record::{Document, JobRecord};

#[derive(Args)]
pub(super) struct Arguments {
    /// Job files (.toml, .json), or folders with a case.json; without any the suite is measured
    #[arg(value_name = "JOB")]
    jobs: Vec<PathBuf>,
    /// Measure the suite in addition to the named jobs
    #[arg(long)]
    suite: bool,
    /// Measure only these cases of the suite
    #[arg(long, value_name = "CASE,…", value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(suite::NAMES))]
    only: Vec<String>,
    /// Engines to measure side by side; by default machine code if this processor can run it
    #[arg(long, value_enum, value_name = "ENGINE,…", value_delimiter = ',')]
    engine: Vec<OneEngine>,
    /// Thread counts to measure side by side, each at most 1024; 0 means one for each processor
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,0", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(THREADS))]
    threads: Vec<u16>,
    /// Approximate time to spend on each measurement
    #[arg(long, value_name = "SECONDS", default_value = "1", allow_negative_numbers = true, value_parser = seconds)]
    seconds: Duration,
    /// Take this many samples of each, instead of measuring for a given time
    #[arg(long, value_name = "N", conflicts_with = "seconds", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rounds: Option<u32>,
    /// Stop an HLSL compiler, the compilation of a shader, or a run that takes longer
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// Output format: tables for people, one JSON document, or lines of JSON as other runtimes' harnesses write them
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The name of this program in the lines of `--format peers`
    #[arg(long, value_name = "NAME", default_value = "brolga")]
    label: String,
    /// Also write the JSON document to a file, for a later `--compare`
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Show ratios to the figures in files from `--save` or `--format peers`
    #[arg(long, value_name = "FILE,…", value_delimiter = ',')]
    compare: Vec<PathBuf>,
    #[command(flatten)]
    compiler: CompilerOption,
    #[command(flatten)]
    device: DeviceOptions,
}

/// What stdout gets.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Text,
    /// One document
    Json,
    /// A line of JSON for each, as other runtimes' harnesses write them
    Peers,
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
        has_repetition(&arguments.only).then_some("`--only` names a case twice"),
    ];
    if let Some(text) = twice.into_iter().flatten().next() {
        report::print_plain(text.into(), Some("each is measured once".into()), styles.err);
        return Ok(Ending::BadInput);
    }
    let Some(baselines) = read_baselines(arguments, styles) else { return Ok(Ending::BadInput) };
    let mut save = None;
    if let Some(path) = &arguments.save {
        match Claim::new(path) {
            // Found to be writable before anything runs.
            Ok(claim) => save = Some((path.as_path(), claim)),
            Err(error) => {
                say_unwritten(path, &error, styles);
                return Ok(Ending::BadInput);
            }
        }
    }
    let temporary = Temporary::default();
    *temporary.lock().unwrap_or_else(PoisonError::into_inner) =
        save.iter().map(|(_, claim)| claim.temporary_path().to_owned()).collect();
    let cancel = CancelToken::new();
    let _ = interrupt::cancels(&cancel, &temporary);
    let mut devices: Vec<Device> = Vec::new();
    for &threads in &arguments.threads {
        // Without a cache: compiling is measured too.
        match device(threads, arguments.device, None) {
            // What 0 means may be named beside it.
            Ok(device) if devices.iter().any(|other| other.pool().threads() == device.pool().threads()) => {}
            Ok(device) => devices.push(device),
            Err(ending) => return Ok(ending),
        }
    }
    let sources = sources(arguments);
    let failures = sources.iter().map(|_| None).collect();
    let session =
        Session { arguments, styles, devices: &devices, sources, baselines, cancel, failures, ending: Ending::Fine };
    session.run(save)
}

fn has_repetition<T: PartialEq>(values: &[T]) -> bool {
    values.iter().enumerate().any(|(n, value)| values[..n].contains(value))
}

/// Where a job comes from.
enum Source {
    File(PathBuf),
    /// A case of the suite.
    Case(&'static str),
}

impl Source {
    /// As the command line names it.
    fn name(&self) -> String {
        match self {
            Source::File(path) => path.to_string_lossy().into_owned(),
            Source::Case(name) => (*name).to_owned(),
        }
    }
}

/// The jobs that are named, then the cases that are asked for.
fn sources(arguments: &Arguments) -> Vec<Source> {
    let Arguments { jobs, suite, only, .. } = arguments;
    let is_wanted = |name: &str| match only.as_slice() {
        [] => *suite || jobs.is_empty(),
        only => only.iter().any(|only| only == name),
    };
    let cases = suite::NAMES.into_iter().filter(|name| is_wanted(name)).map(Source::Case);
    jobs.iter().cloned().map(Source::File).chain(cases).collect()
}

/// Reads what to compare with, or says why it cannot be.
fn read_baselines(arguments: &Arguments, styles: &Styles) -> Option<Vec<Baseline>> {
    let mut all = Vec::new();
    for path in &arguments.compare {
        match baseline::read(path) {
            Ok(baselines) => all.extend(baselines),
            Err(text) => {
                let help = "`brolga bench --save FILE` and `--format peers` write what can be compared with";
                report::print_plain(text, Some(help.into()), styles.err);
                return None;
            }
        }
    }
    Some(all)
}

fn say_unwritten(path: &Path, error: &io::Error, styles: &Styles) {
    report::print_plain(format!("cannot write {}: {error}", path.display()), None, styles.err);
}

/// What is the same for all jobs of a command, and what became of them.
struct Session<'a> {
    arguments: &'a Arguments,
    styles: &'a Styles,
    devices: &'a [Device],
    sources: Vec<Source>,
    baselines: Vec<Baseline>,
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
    /// Of a case of the suite: what a dispatch does, and how many are measured together.
    case: Option<(Work, NonZeroU32)>,
}

/// One shader of a job on one engine and device, after its first run.
struct Checked<'a> {
    /// Which job it is of.
    job: usize,
    compile_time: Duration,
    /// What the job expects, and what it got.
    comparisons: Vec<Comparison>,
    /// What a dispatch does, if that is known.
    work: Option<Work>,
    /// What its code is made of, if it has any.
    code: Option<CodeFigures>,
    /// Its times.
    series: Series<'a>,
}

impl Checked<'_> {
    /// Whether everything is as expected.
    fn passed(&self) -> bool {
        self.comparisons.iter().all(Comparison::passed)
    }

    /// Whether the same is wrong with another number of threads.
    fn fails_as(&self, other: &Self) -> bool {
        let is_same_code =
            self.series.shader() == other.series.shader() && self.series.engine() == other.series.engine();
        !self.passed() && is_same_code && self.comparisons == other.comparisons
    }

    /// The shader as the job names it.
    fn shader_name(&self) -> String {
        self.series.job().shaders[self.series.shader()].value.to_string_lossy().into_owned()
    }
}

impl<'a> Session<'a> {
    fn run(mut self, save: Option<(&Path, Claim)>) -> io::Result<Ending> {
        let ready: Vec<Option<Ready>> = (0..self.sources.len()).map(|job| self.ready(job)).collect();
        let mut checked = Vec::new();
        for (job, ready) in ready.iter().enumerate() {
            if let Some(ready) = ready {
                checked.extend(self.check_all(job, ready)?);
            }
        }
        let right = checked.iter_mut().filter(|checked: &&mut Checked<'_>| checked.passed());
        let mut series: Vec<_> = right.map(|checked| &mut checked.series).collect();
        let (mut work, account) = (Samples::default(), Account::begin());
        if !series.is_empty() {
            let bar = MeasureBar::new();
            measure(&mut series, self.amount(), &mut |done| {
                bar.show(done);
                work.push(reference());
            });
        }
        let machine = Machine::here(&work, &account);
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
        let document = self.document(&ready, &checked, machine, interrupted);
        self.show(&document)?;
        if let Some((path, claim)) = save
            && let Err(error) = claim.commit((as_text(&document) + "\n").as_bytes())
        {
            say_unwritten(path, &error, self.styles);
            self.ending = self.ending.max(Ending::BadInput);
        }
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
            let (prepared, case) = match &self.sources[job] {
                Source::File(path) => {
                    let mut job = Job::load(path)?;
                    let compiler = self.arguments.compiler.compiler(self.arguments.timeout, self.styles.err);
                    compiler.compile_job(&mut job, &self.cancel)?;
                    (job.prepare(device.limits())?, None)
                }
                Source::Case(name) => {
                    let ready = suite::prepare(name).expect("the command line takes names of cases only");
                    (ready.job, Some((ready.work, ready.batch)))
                }
            };
            for warning in prepared.warnings() {
                report::warn(warning, self.styles.err);
            }
            let bindings = prepared.bind(device)?;
            Ok(Ready { prepared, bindings, case })
        };
        ready().map_err(|error| self.fail(job, error)).ok()
    }

    /// Runs each shader of a job once on each engine and device. None counts if one cannot run.
    fn check_all<'r>(&mut self, job: usize, ready: &'r Ready) -> io::Result<Vec<Checked<'r>>>
    where
        'a: 'r,
    {
        let mut all: Vec<Checked<'r>> = Vec::new();
        for shader in 0..ready.prepared.shaders() {
            for engine in self.engines() {
                for device in self.devices {
                    if self.cancel.is_cancelled() {
                        return Ok(all);
                    }
                    match self.check(job, ready, shader, engine, device) {
                        Ok(checked) => {
                            if !all.iter().any(|other| checked.fails_as(other)) {
                                self.say_mismatch(ready, &checked)?;
                            }
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
        let Ready { prepared, bindings, case } = ready;
        let watcher = Watcher::start(options.progress.clone(), prepared.job());
        let (mut series, outcome) = Series::begin(prepared, device, bindings, shader, &options)?;
        drop(watcher);
        let (comparisons, compile_time) = (prepared.compare(&outcome), outcome.compile_time);
        let code = series.code_figures()?;
        let work = case.map(|(work, batch)| {
            series.measure_together(batch);
            work
        });
        Ok(Checked { job, comparisons, compile_time, work, code, series })
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
            counters: &[],
            disagreement: None,
        };
        match self.arguments.format {
            Format::Text => line.write_text(&mut io::stdout().lock(), self.styles.out),
            Format::Json | Format::Peers => Ok(()),
        }
    }

    /// What was measured, and beside what.
    fn document(
        &self,
        ready: &[Option<Ready>],
        checked: &[Checked<'_>],
        machine: Machine,
        interrupted: bool,
    ) -> Document {
        let job = |job: usize| {
            let path = self.sources[job].name();
            let name = ready[job].as_ref().map_or_else(|| path.clone(), |ready| ready.prepared.job().name.clone());
            let checked: Vec<&Checked<'_>> = checked.iter().filter(|checked| checked.job == job).collect();
            JobRecord::new(path, name, &checked, self.failures[job].as_ref())
        };
        let jobs = (0..self.sources.len()).map(job).collect();
        let mut document = Document { passed: self.ending == Ending::Fine, interrupted, machine, jobs };
        compare::compare(&mut document, &self.baselines);
        document
    }

    /// Prints the results.
    fn show(&self, document: &Document) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self.arguments.format {
            Format::Text => {
                table::write(&mut out, document, self.styles.out)?;
                compare::write(&mut out, document, &self.baselines, self.styles.out)?;
            }
            Format::Json => writeln!(out, "{}", as_text(document))?,
            Format::Peers => peers::write(&mut out, document, &self.arguments.label)?,
        }
        for name in compare::unused(document, &self.baselines) {
            report::say(&format!(
                "warning: {} has no figures for anything that was measured\n",
                report::harmless(name)
            ));
        }
        Ok(())
    }
}

fn as_text(document: &Document) -> String {
    serde_json::to_string_pretty(document).expect("a document has only keys that are text")
}
