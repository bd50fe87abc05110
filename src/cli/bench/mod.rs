//! `brolga bench`: checks every document once, then measures all of them in turns.
//!
//! | file | what |
//! |---|---|
//! | `record.rs` | measurements and comparisons, as a document |
//! | `table.rs` | the tables on a terminal |
//! | `baseline.rs` | earlier figures, of this program and of others |
//! | `compare.rs` | comparisons with earlier figures |
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

use brolga::bench::{Amount, Samples, Series, Work, measure, reference};
use brolga::document::{Document, DocumentError, Outcome, Prepared, RunOptions};
use brolga::files::Claim;
use brolga::{CancelToken, CodeFigures, Device, Engine};
use brolga_suite as suite;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::compiler::CompilerOption;
use super::interrupt::{self, INTERRUPTED, Temporary};
use super::options::{DeviceOptions, THREADS, device, seconds};
use super::progress::{MeasureBar, Watcher};
use super::style::Styles;
use super::summary::RunLine;
use super::{Ending, documents, report};
use baseline::Baseline;
use record::{Account, DocumentRecord, Figures, Machine, ResultRecord};

#[derive(Args)]
pub(super) struct Arguments {
    /// Documents (.toml, .json), or folders with one or with many; without any the suite is measured
    #[arg(value_name = "DOCUMENT")]
    documents: Vec<PathBuf>,
    /// Measure the suite in addition to the named documents
    #[arg(long)]
    suite: bool,
    /// Measure only these cases of the suite
    #[arg(long, value_name = "CASE,…", value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(suite::NAMES.into_iter().chain(suite::DRAWINGS)))]
    only: Vec<String>,
    /// Write the cases of the suite to folders below this one, as documents with all their files, instead of measuring
    /// them
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["documents", "suite", "save", "compare"])]
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

/// The output on stdout.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people
    Text,
    /// One document
    Json,
    /// A line of JSON for each, as other runtimes' harnesses write them
    Peers,
}

/// The engine for the shaders.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OneEngine {
    /// Machine code
    Jit,
    /// The interpreter
    Interpreter,
}

/// Measures the documents. An error is one of writing to stdout.
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
            // Checked to be writable before anything runs.
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
            // The number that 0 stands for may also be given.
            Ok(device) if devices.iter().any(|other| other.pool().threads() == device.pool().threads()) => {}
            Ok(device) => devices.push(device),
            Err(ending) => return Ok(ending),
        }
    }
    let sources = match sources(arguments) {
        Ok(sources) => sources,
        Err(text) => {
            report::print_plain(text, None, styles.err);
            return Ok(Ending::BadInput);
        }
    };
    let failures = sources.iter().map(|_| None).collect();
    let session =
        Session { arguments, styles, devices: &devices, sources, baselines, cancel, failures, ending: Ending::Fine };
    session.run(save)
}

fn has_repetition<T: PartialEq>(values: &[T]) -> bool {
    values.iter().enumerate().any(|(n, value)| values[..n].contains(value))
}

/// Writes the selected cases as documents. Drawings cannot be exported.
fn export(arguments: &Arguments, folder: &Path, styles: &Styles) -> Ending {
    for source in sources(arguments).unwrap_or_default() {
        let DocumentSource::Case(name) = source else { continue };
        let folder = folder.join(name);
        if let Err(error) = suite::export(name, &folder).expect("the command line takes names of cases only") {
            say_unwritten(&folder, &error, styles);
            return Ending::BadInput;
        }
    }
    Ending::Fine
}

/// The origin of a document.
enum DocumentSource {
    File(PathBuf),
    /// A case of the suite.
    Case(&'static str),
    /// A drawing of the suite.
    Drawing(&'static str),
}

impl DocumentSource {
    /// The name on the command line.
    fn name(&self) -> String {
        match self {
            DocumentSource::File(path) => path.to_string_lossy().into_owned(),
            DocumentSource::Case(name) | DocumentSource::Drawing(name) => (*name).to_owned(),
        }
    }
}

/// The documents that are named, then the selected cases.
fn sources(arguments: &Arguments) -> Result<Vec<DocumentSource>, String> {
    let Arguments { documents, suite, only, .. } = arguments;
    let is_wanted = |name: &str| match only.as_slice() {
        [] => *suite || documents.is_empty(),
        only => only.iter().any(|only| only == name),
    };
    let mut sources: Vec<_> = documents::find_all(documents)?.into_iter().map(DocumentSource::File).collect();
    sources.extend(suite::NAMES.into_iter().filter(|name| is_wanted(name)).map(DocumentSource::Case));
    sources.extend(suite::DRAWINGS.into_iter().filter(|name| is_wanted(name)).map(DocumentSource::Drawing));
    Ok(sources)
}

/// Reads the baselines, or reports an error.
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

/// The settings and the results common to all documents of a command.
struct Session<'a> {
    arguments: &'a Arguments,
    styles: &'a Styles,
    devices: &'a [Device],
    sources: Vec<DocumentSource>,
    baselines: Vec<Baseline>,
    cancel: CancelToken,
    /// The reason why a document has no results, for each source.
    failures: Vec<Option<Value>>,
    /// The worst so far.
    ending: Ending,
}

/// A document that can run.
struct BenchDocument {
    prepared: Prepared,
    /// For a case of the suite: the work of a run, and the number of runs measured together.
    case: Option<(Work, NonZeroU32)>,
}

/// A variant of a document, or a drawing, on one engine and device, after its first run.
struct Checked<'a> {
    /// The index of its source.
    source: usize,
    /// The outcome of the first run; `None` for a drawing.
    outcome: Option<Outcome>,
    /// The work of a run, if known.
    work: Option<Work>,
    /// Figures about its code, if it has any.
    code: Option<CodeFigures>,
    /// The measurements.
    series: Series<'a>,
}

impl Checked<'_> {
    /// `true` if everything is as expected.
    fn passed(&self) -> bool {
        self.outcome.as_ref().is_none_or(Outcome::passed)
    }

    /// The variant of the document.
    fn variant(&self) -> usize {
        self.series.ready().map_or(0, |ready| ready.variant())
    }

    /// `true` if the same is wrong with another number of threads.
    fn fails_as(&self, other: &Self) -> bool {
        let is_same_code = self.variant() == other.variant() && self.series.engine() == other.series.engine();
        let checks = |checked: &Self| checked.outcome.as_ref().map(|outcome| outcome.checks.clone());
        !self.passed() && is_same_code && checks(self) == checks(other)
    }

    /// The shader as the document names it, if there is only one.
    fn shader_name(&self) -> String {
        let file = self.series.ready().and_then(|ready| ready.prepared().shader_file(ready.variant()));
        file.map_or(String::new(), |file| file.to_string_lossy().into_owned())
    }
}

impl<'a> Session<'a> {
    fn run(mut self, save: Option<(&Path, Claim)>) -> io::Result<Ending> {
        let ready: Vec<Option<BenchDocument>> = (0..self.sources.len()).map(|source| self.ready(source)).collect();
        let mut checked = Vec::new();
        for (source, ready) in ready.iter().enumerate() {
            checked.extend(self.check_all(source, ready.as_ref())?);
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
            // A series stopped by an interrupt has not failed.
            if let Some(error) = checked.series.take_failure().filter(|_| !interrupted) {
                self.fail(checked.source, &error);
            }
        }
        checked.retain(|checked| self.failures[checked.source].is_none());
        let name = |source: usize| ready[source].as_ref().map(|ready| ready.prepared.document().name().to_owned());
        let figures = self.figures(name, &checked, machine, interrupted);
        self.show(&figures)?;
        if let Some((path, claim)) = save
            && let Err(error) = claim.commit((as_text(&figures) + "\n").as_bytes())
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

    /// Keeps and reports the error of a document.
    fn fail(&mut self, source: usize, error: &DocumentError) {
        report::print(error, self.styles.err);
        self.ending = self.ending.max(report::ending(error));
        self.failures[source].get_or_insert_with(|| report::error_json(error));
    }

    fn options(&self, engine: Engine) -> RunOptions {
        let mut options = RunOptions::new(engine);
        options.time_limit = self.arguments.timeout;
        options.cancel = self.cancel.clone();
        options
    }

    /// Reads a document; `None` for drawings of the suite.
    fn ready(&mut self, source: usize) -> Option<BenchDocument> {
        if self.cancel.is_cancelled() {
            return None;
        }
        let ready = || {
            let (prepared, case) = match &self.sources[source] {
                DocumentSource::File(path) => {
                    let mut document = Document::load(path)?;
                    let compiler = self.arguments.compiler.compiler(self.arguments.timeout, self.styles.err);
                    compiler.compile_document(&mut document, &self.cancel)?;
                    (document.prepare_until(self.devices[0].limits(), &self.cancel)?, None)
                }
                DocumentSource::Case(name) => {
                    let ready = suite::prepare(name).expect("the command line takes names of cases only");
                    (ready.document, Some((ready.work, ready.batch)))
                }
                DocumentSource::Drawing(_) => return Ok(None),
            };
            prepared.warnings().iter().for_each(|warning| report::warn(warning, self.styles.err));
            Ok(Some(BenchDocument { prepared, case }))
        };
        match ready() {
            Ok(ready) => ready,
            Err(error) => {
                self.fail(source, &error);
                None
            }
        }
    }

    /// Runs each variant of a document, or a drawing of the suite, once on each engine and device. Returns none if one
    /// cannot run.
    fn check_all<'r>(&mut self, source: usize, ready: Option<&'r BenchDocument>) -> io::Result<Vec<Checked<'r>>>
    where
        'a: 'r,
    {
        let mut all: Vec<Checked<'r>> = Vec::new();
        for variant in 0..ready.map_or(1, |ready| ready.prepared.variants()) {
            for engine in self.engines() {
                for device in self.devices {
                    if self.cancel.is_cancelled() {
                        return Ok(all);
                    }
                    let options = self.options(engine);
                    let begun = match (ready, &self.sources[source]) {
                        (Some(ready), _) => self.check(source, ready, variant, &options, device),
                        (None, DocumentSource::Drawing(name)) => {
                            let series = suite::drawing_series(name, device, &options);
                            let series = series.expect("the command line takes names of drawings only");
                            series.map(|series| Checked { source, outcome: None, work: None, code: None, series })
                        }
                        _ => return Ok(all),
                    };
                    match begun {
                        Ok(checked) => {
                            if !all.iter().any(|other| checked.fails_as(other)) {
                                self.say_mismatch(&checked)?;
                            }
                            all.push(checked);
                        }
                        Err(error) => {
                            self.fail(source, &error);
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
        source: usize,
        ready: &'r BenchDocument,
        variant: usize,
        options: &RunOptions,
        device: &'r Device,
    ) -> Result<Checked<'r>, DocumentError> {
        let BenchDocument { prepared, case } = ready;
        let watcher = Watcher::start(options.progress.clone(), prepared.document());
        let (mut series, outcome) = Series::begin(prepared, device, variant, options)?;
        drop(watcher);
        let code = series.code_figures()?;
        let work = case.map(|(work, batch)| {
            series.measure_together(batch);
            work
        });
        Ok(Checked { source, outcome: Some(outcome), work, code, series })
    }

    /// Reports mismatches in the results of the first run, as `brolga run` does.
    fn say_mismatch(&mut self, checked: &Checked<'_>) -> io::Result<()> {
        let (Some(outcome), Some(ready)) = (&checked.outcome, checked.series.ready()) else { return Ok(()) };
        if outcome.passed() {
            return Ok(());
        }
        self.ending = self.ending.max(Ending::Mismatch);
        let prepared = ready.prepared();
        let shader = prepared.shader_file(ready.variant());
        let line = RunLine { name: prepared.document().name(), shader, outcome, disagreement: None };
        match self.arguments.format {
            Format::Text => line.write_text(&mut io::stdout().lock(), self.styles.out),
            Format::Json | Format::Peers => Ok(()),
        }
    }

    /// The measurements and their comparisons.
    fn figures(
        &self,
        name: impl Fn(usize) -> Option<String>,
        checked: &[Checked<'_>],
        machine: Machine,
        interrupted: bool,
    ) -> Figures {
        let record = |source: usize| {
            let path = self.sources[source].name();
            let name = name(source).unwrap_or_else(|| path.clone());
            let results = checked.iter().filter(|checked| checked.source == source).map(ResultRecord::new).collect();
            DocumentRecord::new(path, name, results, self.failures[source].clone())
        };
        let documents = (0..self.sources.len()).map(record).collect();
        let mut figures = Figures { passed: self.ending == Ending::Fine, interrupted, machine, documents };
        compare::compare(&mut figures, &self.baselines);
        figures
    }

    /// Prints the results.
    fn show(&self, figures: &Figures) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match self.arguments.format {
            Format::Text => {
                table::write(&mut out, figures, self.styles.out)?;
                compare::write(&mut out, figures, &self.baselines, self.styles.out)?;
            }
            Format::Json => writeln!(out, "{}", as_text(figures))?,
            Format::Peers => peers::write(&mut out, figures, &self.arguments.label)?,
        }
        for name in compare::unused(figures, &self.baselines) {
            report::say(&format!(
                "warning: {} has no figures for anything that was measured\n",
                report::harmless(name)
            ));
        }
        Ok(())
    }
}

fn as_text(figures: &Figures) -> String {
    serde_json::to_string_pretty(figures).expect("a document has only keys that are text")
}
