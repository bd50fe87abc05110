//! `brolga run`: runs every document in turn, every variant of its shaders, on one engine or on both. With `--emit` it
//! prints a form of the shaders instead, which `runtime/src/shader/compile.rs` and `jit/src/listing/` make.
//!
//! | file | what |
//! |---|---|
//! | `print.rs` | the content of resources after a run |
//! | `messages.rs` | what shaders print |
//! | `difference.rs` | pictures of mismatches |

mod difference;
mod messages;
mod print;

pub(super) use messages::sender_json;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use brolga::document::{Document, DocumentError, Outcome, Outputs, Prepared, RunOptions, WatchedPixel};
use brolga::files::Claim;
use brolga::{CancelToken, Device, Emit, Engine, MessageLog, Oversize, Progress};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::messages::Printed;
use super::cache::{self, CacheOptions};
use super::compiler::CompilerOption;
use super::interrupt::{self, INTERRUPTED, Interrupts, Temporary};
use super::options::{DeviceOptions, Format, THREADS, device, seconds};
use super::progress::Watcher;
use super::style::{Style, Styles};
use super::summary::{self, RunLine, Tally};
use super::{Ending, documents, junit, pixel, report, stream};

#[derive(Args)]
pub(super) struct RunArguments {
    /// Documents (.toml, .json), folders with a document.toml, scene.json or case.json, or folders with any number of
    /// these
    #[arg(required = true, value_name = "DOCUMENT")]
    documents: Vec<PathBuf>,
    /// The engine that runs the shaders; by default machine code if this processor can run it
    #[arg(long, value_enum)]
    engine: Option<Engines>,
    /// Threads to use, at most 1024; 0 means one for each processor
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(THREADS))]
    threads: u16,
    /// Stop an HLSL compiler, or a run with the compilation of its shaders, that takes longer
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    timeout: Option<Duration>,
    /// Output format: lines for people, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Print a form of the shaders instead of running them
    #[arg(long, value_enum)]
    emit: Option<EmittedForm>,
    /// The folder for the files of `save`, which is made if need be; by default the current one
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Let documents write outside of the folder for outputs too
    #[arg(long)]
    anywhere: bool,
    /// Print what a resource holds after the run: a register or a name, or one with the first elements, as `u0:16`
    #[arg(long, value_name = "RESOURCE[:COUNT]", value_parser = print::parse)]
    print: Vec<print::PrintRequest>,
    /// Tell what each step did to a pixel, of every texture that has it or of one
    #[arg(long, value_name = "[RESOURCE:]X,Y", value_parser = pixel::parse)]
    pixel: Option<WatchedPixel>,
    /// Write the results to a file, as JUnit's XML, which systems for continuous integration read
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    #[command(flatten)]
    compiler: CompilerOption,
    #[command(flatten)]
    device: DeviceOptions,
    #[command(flatten)]
    cache: CacheOptions,
}

/// The engine for the shaders.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engines {
    /// Machine code
    Jit,
    /// The interpreter
    Interpreter,
    /// Both in turn; their results must agree bit for bit
    Both,
}

impl Engines {
    fn list(chosen: Option<Self>) -> Vec<Engine> {
        match chosen {
            None => vec![Engine::best()],
            Some(Engines::Jit) => vec![Engine::Jit],
            Some(Engines::Interpreter) => vec![Engine::Interpreter],
            Some(Engines::Both) => vec![Engine::Jit, Engine::Interpreter],
        }
    }
}

/// Textual forms of a shader.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EmittedForm {
    /// The optimised intermediate representation
    Ir,
    /// The same, annotated with how packets run it
    Packet,
    /// Cranelift's input
    Clif,
    /// Machine code below the shader's instructions
    Asm,
}

/// Runs the documents. An error is one of writing to stdout.
pub(super) fn run(arguments: &RunArguments, styles: &Styles) -> io::Result<Ending> {
    let fail = |text: String, help: Option<String>| {
        report::print_plain(text, help, styles.err);
        Ok(Ending::BadInput)
    };
    if let Some((text, help)) = contradiction(arguments) {
        return fail(text.into(), Some(help.into()));
    }
    if let (Some(folder), None) = (&arguments.output, arguments.emit)
        && let Err(error) = fs::create_dir_all(folder)
    {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists => "there is something else of this name".into(),
            _ => error.to_string(),
        };
        return fail(format!("cannot make the folder {}: {why}", folder.display()), None);
    }
    let paths = match documents::find_all(&arguments.documents) {
        Ok(paths) => paths,
        Err(text) => return fail(text, None),
    };
    let device = match device(arguments.threads, arguments.device, arguments.cache.open(styles.err)) {
        Ok(device) => device,
        Err(ending) => return Ok(ending),
    };
    let files: Vec<PathBuf> = paths.iter().filter_map(|path| Document::find(path)).collect();
    let junit = match arguments.junit.as_deref().map(Claim::new).transpose() {
        Ok(claim) => claim,
        Err(error) => return fail(format!("cannot write the file of `--junit`: {error}"), None),
    };
    if let Some(file) = junit.as_ref().and_then(|claim| files.iter().find(|file| claim.replaces(file))) {
        let text = format!("{} is a document of this command, which `--junit` would replace", file.display());
        return fail(text, Some("choose another name".into()));
    }
    let cancel = CancelToken::new();
    let temporary = Temporary::default();
    let interrupts = interrupt::cancels(&cancel, &temporary);
    let mut session = RunSession {
        arguments,
        styles,
        device,
        cancel,
        interrupts,
        temporary,
        is_alone: paths.len() == 1,
        taken: junit.iter().map(|claim| claim.path().to_owned()).collect(),
        files,
        junit,
        stdout_is_taken: false,
        entries: Vec::new(),
    };
    let (mut ending, began, mut tally) = (Ending::Fine, Instant::now(), Tally::default());
    for path in &paths {
        if session.cancel.is_cancelled() {
            // If an interrupt came outside of a run, not everything ran either.
            report::say(INTERRUPTED);
            ending = Ending::Stopped;
            break;
        }
        let one = session.document(path)?;
        tally.count(one);
        ending = ending.max(one);
    }
    if let Some(claim) = session.junit.take()
        && let Err(error) = junit::write(claim, &session.entries)
    {
        report::print_plain(format!("cannot write the file of `--junit`: {error}"), None, styles.err);
        ending = ending.max(Ending::BadInput);
    }
    if arguments.format == Format::Json {
        let document = json!({
            "passed": ending == Ending::Fine,
            "documents": session.entries,
            "cache": session.device.cache().map(cache::counters_json),
        });
        writeln!(io::stdout().lock(), "{document:#}")?;
    } else if paths.len() > 1 && arguments.emit.is_none() {
        let (mut out, style) = session.out();
        tally.write(&mut out, style, began.elapsed())?;
    }
    Ok(ending)
}

/// Options that are mutually exclusive, and advice.
fn contradiction(arguments: &RunArguments) -> Option<(&'static str, &'static str)> {
    if arguments.junit.as_ref().is_some_and(|path| stream::is_standard(path)) {
        return Some(("`--junit` names a file, and `-` is none", "choose a name such as `results.xml`"));
    }
    let form = arguments.emit?;
    if arguments.junit.is_some() {
        return Some(("`--emit` and `--junit` are mutually exclusive: nothing runs", LEAVE_OUT));
    }
    if arguments.format == Format::Json {
        return Some(("`--emit` and `--format json` are mutually exclusive: the forms of shaders are text", LEAVE_OUT));
    }
    match arguments.engine {
        Some(Engines::Both) => {
            Some(("`--emit` and `--engine both` are mutually exclusive: nothing runs", "choose one engine, or none"))
        }
        Some(Engines::Interpreter) if form != EmittedForm::Ir => {
            Some(("the interpreter has no machine code and no packets to print", "leave `--engine` out"))
        }
        _ => None,
    }
}

const LEAVE_OUT: &str = "leave one of them out";

/// The settings and the results common to all documents of a command.
struct RunSession<'a> {
    arguments: &'a RunArguments,
    styles: &'a Styles,
    device: Device,
    cancel: CancelToken,
    interrupts: Interrupts,
    temporary: Temporary,
    /// Set if there is only one document.
    is_alone: bool,
    /// The outputs of all documents so far.
    taken: BTreeSet<PathBuf>,
    /// The files of all documents of the command.
    files: Vec<PathBuf>,
    /// The file of `--junit`.
    junit: Option<Claim>,
    /// Set if results go to stdout, so that messages go to stderr.
    stdout_is_taken: bool,
    /// The documents so far, as JSON.
    entries: Vec<Value>,
}

/// The results of a document up to its end or its error.
#[derive(Default)]
struct Done {
    name: String,
    mismatch: bool,
    runs: Vec<Value>,
    messages: Vec<Value>,
    lost_messages: u64,
    warnings: Vec<Value>,
    outputs: Vec<PathBuf>,
}

/// The reason why a document ended early.
enum Stop {
    Document(DocumentError),
    Stdout(io::Error),
    /// Between two parts of the work; in a step it is an error of the document.
    Interrupted,
    /// A problem with the command line, which was reported.
    Said,
}

impl From<DocumentError> for Stop {
    fn from(error: DocumentError) -> Self {
        Stop::Document(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Stdout(error)
    }
}

impl RunSession<'_> {
    fn document(&mut self, path: &Path) -> io::Result<Ending> {
        let mut done = Done::default();
        let mut interrupted = false;
        let error = match self.parts(path, &mut done) {
            Ok(()) => None,
            Err(Stop::Interrupted) => {
                report::say(INTERRUPTED);
                interrupted = true;
                None
            }
            Err(Stop::Said) => return Ok(Ending::BadInput),
            Err(Stop::Document(error)) => Some(error),
            Err(Stop::Stdout(error)) => return Err(error),
        };
        if let Some(error) = &error {
            report::print(error, self.styles.err);
        }
        let Done { name, mismatch, runs, messages, lost_messages, warnings, outputs } = done;
        // A path need not be UTF-8, and JSON must be.
        self.entries.push(json!({
            "document": path.to_string_lossy(),
            "name": name,
            "runs": runs,
            "messages": messages,
            "lost_messages": lost_messages,
            "warnings": warnings,
            "outputs": outputs.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
            "error": error.as_ref().map(report::error_json),
        }));
        if interrupted {
            return Ok(Ending::Stopped);
        }
        Ok(match (&error, mismatch) {
            (Some(error), _) => report::ending(error),
            (None, true) => Ending::Mismatch,
            (None, false) => Ending::Fine,
        })
    }

    /// Ends a document between its steps if there was an interrupt.
    fn go_on(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn parts(&mut self, path: &Path, done: &mut Done) -> Result<(), Stop> {
        // There is nothing yet that an interrupt could leave behind.
        self.interrupts.end_at_once(true);
        let document = Document::load(path);
        self.interrupts.end_at_once(false);
        let mut document = document?;
        if self.arguments.anywhere {
            document = document.anywhere();
        }
        done.name = document.name().to_owned();
        self.go_on()?;
        let compiler = self.arguments.compiler.compiler(self.arguments.timeout, self.styles.err);
        let compiled = compiler.compile_document(&mut document, &self.cancel);
        self.go_on()?;
        compiled?;
        let ready = document.prepare_until(self.device.limits(), &self.cancel)?;
        self.warn(ready.warnings(), done);
        self.go_on()?;
        if let Some(form) = self.arguments.emit {
            // Nothing written needs cleaning up, and a listing takes seconds that nothing else would interrupt.
            self.interrupts.end_at_once(true);
            let shown = self.emit(path, &ready, form);
            self.interrupts.end_at_once(false);
            return shown;
        }
        let outputs = self.claim(&ready)?;
        let written = outputs.replaces(self.files.iter().map(PathBuf::as_path));
        if let Some((output, _)) = written {
            let text = format!("{} is another document of this command, which `save` would replace", output.display());
            return Err(self.said(text, "choose another name"));
        }
        if let Some(what) = self.junit.as_ref().and_then(|claim| ready.replaced_by(claim)) {
            // The results are for nobody now.
            self.junit = None;
            let text = format!("`--junit` would replace the {what} of {}", path.display());
            return Err(self.said(text, "choose another name"));
        }
        for wanted in &self.arguments.print {
            if !ready.written().any(|name| name == wanted.resource()) {
                let help = format!("written are {}", ready.written().collect::<Vec<_>>().join(", "));
                return Err(self.said(print::absent(wanted), &help));
            }
        }
        if outputs.has_standard() && !self.takes_stdout() {
            return Err(Stop::Said);
        }
        let mut outputs = Some(outputs);
        for variant in 0..ready.variants() {
            let mut first: Option<(Outcome, Printed)> = None;
            for engine in Engines::list(self.arguments.engine) {
                self.go_on()?;
                let log = MessageLog::default();
                let outcome = self.run(&ready, outputs.as_mut(), variant, (engine, &log));
                let printed = Printed::take(&log);
                if outcome.is_err() {
                    // What was printed before may say why.
                    self.show_messages(&printed, done)?;
                }
                let mut outcome = outcome?;
                self.go_on()?;
                if first.is_none() && variant == 0 {
                    let warnings = std::mem::take(&mut outcome.warnings);
                    self.warn(&warnings, done);
                }
                if outcome.engine != engine {
                    let shader =
                        ready.shader_file(variant).map_or(done.name.clone(), |file| file.display().to_string());
                    report::say(&format!(
                        "{}: too large for machine code, the interpreter runs it\n",
                        report::harmless(&shader)
                    ));
                }
                let disagreement = first.as_ref().and_then(|(first, said)| {
                    let messages = (!said.is_same(&printed)).then_some("messages");
                    first.disagreement_until(&outcome, &self.cancel).or(messages)
                });
                // Anything not compared yet would count as equal.
                self.go_on()?;
                let line = RunLine {
                    name: ready.document().name(),
                    shader: ready.shader_file(variant),
                    outcome: &outcome,
                    disagreement,
                };
                done.mismatch |= !line.passed();
                self.show(&line, done)?;
                if first.is_none() {
                    self.show_messages(&printed, done)?;
                }
                if first.is_none() && variant == 0 {
                    self.show_more(&ready, &outcome)?;
                }
                if let Some(outputs) = outputs.take() {
                    self.go_on()?;
                    done.outputs = outputs.write(&outcome)?;
                    self.show_outputs(&done.outputs)?;
                }
                first.get_or_insert((outcome, printed));
            }
        }
        Ok(())
    }

    fn warn(&self, warnings: &[DocumentError], done: &mut Done) {
        warnings.iter().for_each(|warning| report::warn(warning, self.styles.err));
        done.warnings.extend(warnings.iter().map(report::error_json));
    }

    /// Runs a variant of the document; the outputs are those of the first run.
    fn run(
        &self,
        ready: &Prepared,
        outputs: Option<&mut Outputs<'_>>,
        variant: usize,
        (engine, log): (Engine, &MessageLog),
    ) -> Result<Outcome, DocumentError> {
        let mut options = self.options(engine);
        options.messages = Some(log.clone());
        let pixel = self.arguments.pixel.as_ref();
        let _watcher = Watcher::start(options.progress.clone(), ready.document());
        match (outputs, pixel) {
            (Some(outputs), pixel) => outputs.run(&self.device, variant, &options, pixel),
            (None, Some(pixel)) => ready.run_watching(&self.device, variant, &options, pixel),
            (None, None) => ready.run(&self.device, variant, &options),
        }
    }

    fn options(&self, engine: Engine) -> RunOptions {
        let mut options = RunOptions::new(engine);
        if self.arguments.engine.is_some() {
            // The engine asked for, or none.
            options.oversize = Oversize::Refuse;
        }
        options.time_limit = self.arguments.timeout;
        options.cancel = self.cancel.clone();
        options.progress = Progress::new();
        options.keep_all = self.arguments.engine == Some(Engines::Both) || !self.arguments.print.is_empty();
        options
    }

    /// Reserves stdout for the results of the only document. Reports why if it cannot.
    fn takes_stdout(&mut self) -> bool {
        let (text, help) = match (self.arguments.format, self.is_alone) {
            (Format::Json, _) => ("`--format json` and a file `-` would both be written to standard output", LEAVE_OUT),
            (_, false) => {
                ("a file `-` is standard output, where lines about the other documents are", "run this one alone")
            }
            _ => {
                self.stdout_is_taken = true;
                return true;
            }
        };
        report::print_plain(text.into(), Some(help.into()), self.styles.err);
        false
    }

    /// The stream for messages, and its style.
    fn out(&self) -> (Box<dyn Write>, Style) {
        match self.stdout_is_taken {
            false => (Box::new(io::stdout().lock()), self.styles.out),
            true => (Box::new(io::stderr().lock()), self.styles.err),
        }
    }

    fn show(&self, line: &RunLine<'_>, done: &mut Done) -> io::Result<()> {
        done.runs.push(line.json());
        match self.arguments.format {
            Format::Text => {
                let (mut out, style) = self.out();
                line.write_text(&mut out, style)
            }
            Format::Json => Ok(()),
        }
    }

    /// Shows what shaders printed.
    fn show_messages(&self, printed: &Printed, done: &mut Done) -> io::Result<()> {
        if self.arguments.format == Format::Text {
            let (mut out, _) = self.out();
            printed.write(&mut out, self.styles.err)?;
        }
        done.messages.extend(printed.json());
        done.lost_messages += printed.lost();
        Ok(())
    }

    /// Shows additional output: a pixel, numbers, and pictures of mismatches.
    fn show_more(&mut self, ready: &Prepared, outcome: &Outcome) -> Result<(), Stop> {
        let folder = self.folder().to_owned();
        for written in difference::write(ready, outcome, &folder, &mut self.taken) {
            match written {
                Ok(path) => self.show_outputs(&[path])?,
                Err(text) => report::print_plain(text, None, self.styles.err),
            }
        }
        if self.arguments.format == Format::Json {
            return Ok(());
        }
        let (mut out, style) = self.out();
        if self.arguments.pixel.is_some() {
            pixel::write(&mut out, &outcome.pixel, style)?;
        }
        for wanted in &self.arguments.print {
            print::write(&mut out, wanted, outcome)?;
        }
        Ok(())
    }

    /// Reports a problem with the command line.
    fn said(&self, text: String, help: &str) -> Stop {
        report::print_plain(text, Some(help.to_owned()), self.styles.err);
        Stop::Said
    }

    fn folder(&self) -> &Path {
        self.arguments.output.as_deref().unwrap_or(Path::new(""))
    }

    /// Claims the files of `save` before anything runs.
    fn claim<'p>(&mut self, ready: &'p Prepared) -> Result<Outputs<'p>, DocumentError> {
        let folder = self.folder().to_owned();
        // Held while the files are made, so that a second interrupt knows all of them.
        let mut temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        let claimed = ready.claim_outputs(&folder, &mut self.taken)?;
        *temporary = claimed.temporary_paths();
        temporary.extend(self.junit.iter().map(|claim| claim.temporary_path().to_owned()));
        Ok(claimed)
    }

    fn show_outputs(&self, outputs: &[PathBuf]) -> io::Result<()> {
        match self.arguments.format {
            Format::Text => {
                let files = outputs.iter().filter(|path| !stream::is_standard(path));
                files.map(|path| path.as_path()).try_for_each(|path| summary::write_output(&mut self.out().0, path))
            }
            Format::Json => Ok(()),
        }
    }

    fn emit(&self, path: &Path, ready: &Prepared, form: EmittedForm) -> Result<(), Stop> {
        let engine = Engines::list(self.arguments.engine)[0];
        // The beginning of a comment.
        let (form, mark) = match form {
            EmittedForm::Ir => (Emit::Ir, '#'),
            EmittedForm::Packet => (Emit::Packet, '#'),
            EmittedForm::Clif => (Emit::Clif, ';'),
            EmittedForm::Asm => (Emit::Asm, ';'),
        };
        self.go_on()?;
        let mut out = io::stdout().lock();
        for variant in 0..ready.variants() {
            let listings = ready.emit(&self.device, variant, &self.options(engine), form)?;
            let has_several = !self.is_alone || ready.variants() > 1 || listings.len() > 1;
            for (name, listing) in listings {
                if has_several {
                    let name = ready.shader_file(variant).map_or(name, |file| file.to_string_lossy().into_owned());
                    let document = if self.is_alone { String::new() } else { format!("{}: ", path.display()) };
                    let head = report::harmless(&format!("{document}{name}")).replace('\n', " ");
                    writeln!(out, "{mark} {head}")?;
                }
                for line in &listing.lines {
                    writeln!(out, "{}", self.styles.out.listed(line.kind, &line.text))?;
                }
            }
        }
        Ok(())
    }
}
