//! `brolga bench`: checks every job and scene once, then measures all of them in turns.
//!
//! | file | what |
//! |---|---|
//! | `record.rs` | what was measured on what, and compared, as a document |
//! | `table.rs` | the tables on a terminal |
//! | `baseline.rs` | earlier figures, of this program and of others |
//! | `compare.rs` | figures beside earlier ones |
//! | `peers.rs` | lines of JSON as the harnesses of other runtimes write them |

mod baseline;
mod compare;
mod peers;
mod record;
mod table;

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use brolga::bench::{Amount, Frames, Samples, Series, Work, measure, measure_frames, reference, suite};
use brolga::files::Claim;
use brolga::job::{Comparison, Job, JobError, Prepared, RunOptions};
use brolga::scene::{Scene, SceneError};
use brolga::{Bindings, CancelToken, CodeFigures, Device, Engine};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::compiler::CompilerOption;
use super::interrupt::{self, INTERRUPTED, Temporary};
use super::options::{DeviceOptions, THREADS, device, seconds};
use super::progress::{MeasureBar, Watcher};
use super::style::Styles;
use super::summary::{RunLine, error_json};
use super::{Ending, report, scene};
use baseline::Baseline;
use record::{Account, Document, JobRecord, Machine, Record};

#[derive(Args)]
pub(super) struct Arguments {
    /// Job files (.toml, .json), scenes (.json), or folders with a case.json or a scene.json; without any the suite is measured
    #[arg(value_name = "JOB")]
    jobs: Vec<PathBuf>,
    /// Measure the suite in addition to the named jobs
    #[arg(long)]
    suite: bool,
    /// Measure only these cases of the suite
    #[arg(long, value_name = "CASE,…", value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(suite::NAMES.into_iter().chain(suite::DRAWINGS)))]
    only: Vec<String>,
    /// Write the cases of the suite to folders below this one, as jobs with all their files, instead of measuring them
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["jobs", "suite", "save", "compare"])]
    export: Option<PathBuf>,
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
    if let Some(folder) = &arguments.export {
        return Ok(export(arguments, folder, styles));
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

/// Writes the cases that are asked for as jobs. Drawings are none.
fn export(arguments: &Arguments, folder: &Path, styles: &Styles) -> Ending {
    for source in sources(arguments) {
        let Source::Case(name) = source else { continue };
        let folder = folder.join(name);
        if let Err(error) = suite::export(name, &folder).expect("the command line takes names of cases only") {
            say_unwritten(&folder, &error, styles);
            return Ending::BadInput;
        }
    }
    Ending::Fine
}

/// Where a job comes from.
enum Source {
    File(PathBuf),
    /// A case of the suite.
    Case(&'static str),
    /// A drawing of the suite.
    Drawing(&'static str),
}

impl Source {
    /// As the command line names it.
    fn name(&self) -> String {
        match self {
            Source::File(path) => path.to_string_lossy().into_owned(),
            Source::Case(name) | Source::Drawing(name) => (*name).to_owned(),
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
    let drawings = suite::DRAWINGS.into_iter().filter(|name| is_wanted(name)).map(Source::Drawing);
    jobs.iter().cloned().map(Source::File).chain(cases).chain(drawings).collect()
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
    failures: Vec<Option<Value>>,
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

/// The frames of a scene on one engine and device.
struct Drawn<'a> {
    /// Which job it is.
    job: usize,
    /// What came of its expectations.
    verdict: &'static str,
    frames: Frames<'a>,
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
        let scenes: Vec<Option<Scene>> = (0..self.sources.len()).map(|job| self.scene(job)).collect();
        let ready: Vec<Option<Ready>> = (0..self.sources.len()).map(|job| self.ready(job)).collect();
        let mut checked = Vec::new();
        for (job, ready) in ready.iter().enumerate() {
            if let Some(ready) = ready {
                checked.extend(self.check_all(job, ready)?);
            }
        }
        let mut drawn = Vec::new();
        for (job, scene) in scenes.iter().enumerate() {
            drawn.extend(self.draw_all(job, scene.as_ref()));
        }
        let right = checked.iter_mut().filter(|checked: &&mut Checked<'_>| checked.passed());
        let mut series: Vec<_> = right.map(|checked| &mut checked.series).collect();
        let (mut work, account) = (Samples::default(), Account::begin());
        let right = drawn.iter_mut().filter(|drawn: &&mut Drawn<'_>| drawn.verdict != "fail");
        let mut frames: Vec<_> = right.map(|drawn| &mut drawn.frames).collect();
        let all = (series.len() + frames.len()).max(1) as f64;
        if series.len() + frames.len() > 0 {
            let bar = MeasureBar::new();
            let part = series.len() as f64 / all;
            let mut tell = |done: f64| {
                bar.show(done);
                work.push(reference());
            };
            measure(&mut series, self.amount(), &mut |done| tell(done * part));
            measure_frames(&mut frames, self.amount(), &mut |done| tell(part + done * (1.0 - part)));
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
        for drawn in &mut drawn {
            if let Some(error) = drawn.frames.take_failure().filter(|_| !interrupted) {
                self.fail_scene(drawn.job, &error);
            }
        }
        checked.retain(|checked| self.failures[checked.job].is_none());
        drawn.retain(|drawn| self.failures[drawn.job].is_none());
        let name = |job: usize| {
            let of_job = ready[job].as_ref().map(|ready: &Ready| ready.prepared.job().name.clone());
            of_job.or_else(|| scenes[job].as_ref().map(|scene| scene.name().to_owned()))
        };
        let document = self.document(name, &checked, &drawn, machine, interrupted);
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
        self.failures[job].get_or_insert_with(|| error_json(&error));
    }

    /// The same of a scene.
    fn fail_scene(&mut self, job: usize, error: &SceneError) {
        report::print_plain(error.to_string(), error.help(), self.styles.err);
        self.ending = self.ending.max(scene::ending(error));
        self.failures[job].get_or_insert_with(|| scene::error_json(error));
    }

    /// Reads a scene; none if it is something else.
    fn scene(&mut self, job: usize) -> Option<Scene> {
        let Source::File(path) = &self.sources[job] else { return None };
        let file = Scene::find(path)?;
        Scene::load(&file, self.devices[0].limits()).map_err(|error| self.fail_scene(job, &error)).ok()
    }

    /// Draws the first frame of a scene, or of a drawing of the suite, on each engine and device. None counts if one cannot.
    fn draw_all<'r>(&mut self, job: usize, scene: Option<&'r Scene>) -> Vec<Drawn<'r>>
    where
        'a: 'r,
    {
        let mut all = Vec::new();
        for engine in self.engines() {
            for device in self.devices {
                if self.cancel.is_cancelled() {
                    return all;
                }
                let options = self.options(engine);
                let begun = match (&self.sources[job], scene) {
                    (_, Some(scene)) => self.check_scene(scene, device, &options),
                    (Source::Drawing(name), _) => {
                        let frames = Frames::of_drawing(name, device, &options);
                        frames.expect("the command line takes names of drawings only").map(|frames| ("done", frames))
                    }
                    _ => return all,
                };
                match begun {
                    Ok((verdict, frames)) => all.push(Drawn { job, verdict, frames }),
                    Err(error) => {
                        self.fail_scene(job, &error);
                        return Vec::new();
                    }
                }
            }
        }
        all
    }

    /// Holds what a scene draws against what it expects, and draws its first frame.
    fn check_scene<'r>(
        &mut self,
        scene: &'r Scene,
        device: &'r Device,
        options: &RunOptions,
    ) -> Result<(&'static str, Frames<'r>), SceneError> {
        let outcome = scene.run(device, options)?;
        if !outcome.passed() {
            self.ending = self.ending.max(Ending::Mismatch);
            let text = format!("{} does not draw what it expects", scene.name());
            report::print_plain(text, Some("`brolga run` says what differs".into()), self.styles.err);
        }
        let verdict = match (outcome.passed(), outcome.checks.is_empty()) {
            (false, _) => "fail",
            (true, true) => "done",
            (true, false) => "pass",
        };
        Ok((verdict, Frames::of_scene(scene, device, options)?))
    }

    fn options(&self, engine: Engine) -> RunOptions {
        let mut options = RunOptions::new(engine);
        options.time_limit = self.arguments.timeout;
        options.cancel = self.cancel.clone();
        options
    }

    /// Reads a job and binds its views.
    fn ready(&mut self, job: usize) -> Option<Ready> {
        let is_job = match &self.sources[job] {
            Source::File(path) => Scene::find(path).is_none(),
            Source::Case(_) => true,
            Source::Drawing(_) => false,
        };
        if self.cancel.is_cancelled() || !is_job {
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
                Source::Drawing(_) => unreachable!("drawings are no jobs"),
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
        let options = self.options(engine);
        let Ready { prepared, bindings, case } = ready;
        let watcher = Watcher::start(options.progress.clone(), prepared.job());
        let (mut series, outcome) = Series::begin(prepared, device, bindings, shader, &options)?;
        drop(watcher);
        let (comparisons, compile_time) = (prepared.compare_until(&outcome, &options.cancel)?, outcome.compile_time);
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
        name: impl Fn(usize) -> Option<String>,
        checked: &[Checked<'_>],
        drawn: &[Drawn<'_>],
        machine: Machine,
        interrupted: bool,
    ) -> Document {
        let job = |job: usize| {
            let path = self.sources[job].name();
            let name = name(job).unwrap_or_else(|| path.clone());
            let of_job = checked.iter().filter(|checked| checked.job == job).map(Record::new);
            let of_scene = drawn.iter().filter(|drawn| drawn.job == job);
            let results = of_job.chain(of_scene.map(|drawn| Record::of_frames(&drawn.frames, drawn.verdict))).collect();
            JobRecord::new(path, name, results, self.failures[job].clone())
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
