//! `brolga run`: every job or scene in turn, every shader of it, on one engine or on both.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use brolga::job::{Job, JobError, Outcome, Outputs, Prepared, RunOptions};
use brolga::scene::{Scene, WatchedPixel};
use brolga::{CancelToken, Device, Emit, Engine, Oversize, Progress};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::cache::{self, CacheOptions};
use super::compiler::CompilerOption;
use super::interrupt::{self, INTERRUPTED, Interrupts, Temporary};
use super::options::{DeviceOptions, Format, THREADS, device, seconds};
use super::progress::Watcher;
use super::style::{Style, Styles};
use super::summary::{self, RunLine};
use super::{Ending, pixel, report, stream};

#[derive(Args)]
pub(super) struct Arguments {
    /// Job files (.toml, .json), scenes (.json), or folders with a case.json or a scene.json
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<PathBuf>,
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
    emit: Option<Form>,
    /// The folder for the files of `save`, which is made if need be; by default the current one
    #[arg(long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Tell what each step of a scene did to a pixel, of every texture that has it or of one
    #[arg(long, value_name = "[RESOURCE:]X,Y", value_parser = pixel::parse)]
    pub(super) pixel: Option<WatchedPixel>,
    #[command(flatten)]
    compiler: CompilerOption,
    #[command(flatten)]
    device: DeviceOptions,
    #[command(flatten)]
    cache: CacheOptions,
}

/// What runs the shaders.
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

/// Forms of a shader.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The optimised intermediate representation
    Ir,
    /// The same, annotated with how packets run it
    Packet,
    /// Cranelift's input
    Clif,
    /// Machine code below the shader's instructions
    Asm,
}

impl Arguments {
    /// The engines to run on.
    pub(super) fn engines(&self) -> Vec<Engine> {
        Engines::list(self.engine)
    }

    /// An option that is given and that scenes do not have.
    pub(super) fn only_for_jobs(&self) -> Option<&'static str> {
        let given = [(self.emit.is_some(), "--emit"), (self.compiler.is_given(), "--compiler")];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }
}

/// Runs the jobs. An error is one of writing to stdout.
pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    if let Some((text, help)) = contradiction(arguments) {
        report::print_plain(text.into(), Some(help.into()), styles.err);
        return Ok(Ending::BadInput);
    }
    if let (Some(folder), None) = (&arguments.output, arguments.emit)
        && let Err(error) = fs::create_dir_all(folder)
    {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists => "there is something else of this name".into(),
            _ => error.to_string(),
        };
        report::print_plain(format!("cannot make the folder {}: {why}", folder.display()), None, styles.err);
        return Ok(Ending::BadInput);
    }
    let device = match device(arguments.threads, arguments.device, arguments.cache.open(styles.err)) {
        Ok(device) => device,
        Err(ending) => return Ok(ending),
    };
    let cancel = CancelToken::new();
    let temporary = Temporary::default();
    let interrupts = interrupt::cancels(&cancel, &temporary);
    let mut session = Session {
        arguments,
        styles,
        device,
        cancel,
        interrupts,
        temporary,
        taken: BTreeSet::new(),
        stdout_is_taken: false,
        documents: Vec::new(),
    };
    let mut ending = Ending::Fine;
    for path in &arguments.jobs {
        if session.cancel.is_cancelled() {
            // An interrupt that no run met still means that not everything ran.
            report::say(INTERRUPTED);
            ending = Ending::Stopped;
            break;
        }
        ending = ending.max(match Scene::find(path) {
            Some(file) => session.scene(path, &file)?,
            None if arguments.pixel.is_some() => {
                let text = format!("`--pixel` is for scenes, and {} is a job", path.display());
                report::print_plain(text, Some("leave `--pixel` out".into()), styles.err);
                Ending::BadInput
            }
            None => session.job(path)?,
        });
    }
    if arguments.format == Format::Json {
        let document = json!({
            "passed": ending == Ending::Fine,
            "jobs": session.documents,
            "cache": session.device.cache().map(cache::counters_json),
        });
        writeln!(io::stdout().lock(), "{document:#}")?;
    }
    Ok(ending)
}

/// Options that are mutually exclusive, and what to do about it.
fn contradiction(arguments: &Arguments) -> Option<(&'static str, &'static str)> {
    let form = arguments.emit?;
    if arguments.format == Format::Json {
        return Some(("`--emit` and `--format json` are mutually exclusive: the forms of shaders are text", LEAVE_OUT));
    }
    match arguments.engine {
        Some(Engines::Both) => {
            Some(("`--emit` and `--engine both` are mutually exclusive: nothing runs", "choose one engine, or none"))
        }
        Some(Engines::Interpreter) if form != Form::Ir => {
            Some(("the interpreter has no machine code and no packets to print", "leave `--engine` out"))
        }
        _ => None,
    }
}

const LEAVE_OUT: &str = "leave one of them out";

/// What is the same for all jobs of a command.
pub(super) struct Session<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) styles: &'a Styles,
    pub(super) device: Device,
    pub(super) cancel: CancelToken,
    interrupts: Interrupts,
    temporary: Temporary,
    /// The outputs of all jobs so far.
    taken: BTreeSet<PathBuf>,
    /// Whether results go to stdout, so that what there is to say goes to stderr.
    stdout_is_taken: bool,
    /// The jobs and scenes so far, as JSON.
    pub(super) documents: Vec<Value>,
}

/// What a job gave up to its end or its error.
#[derive(Default)]
struct Done {
    mismatch: bool,
    runs: Vec<Value>,
    warnings: Vec<Value>,
    outputs: Vec<PathBuf>,
}

/// Why a job ended early.
enum Stop {
    Job(JobError),
    Stdout(io::Error),
    /// Between two steps; in a dispatch it is an error of the job.
    Interrupted,
    /// Results cannot go to stdout, and why was said.
    NoStdout,
}

impl From<JobError> for Stop {
    fn from(error: JobError) -> Self {
        Stop::Job(error)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Stdout(error)
    }
}

impl Session<'_> {
    fn job(&mut self, path: &Path) -> io::Result<Ending> {
        let mut done = Done::default();
        let mut interrupted = false;
        let error = match self.steps(path, &mut done) {
            Ok(()) => None,
            Err(Stop::Interrupted) => {
                report::say(INTERRUPTED);
                interrupted = true;
                None
            }
            Err(Stop::NoStdout) => return Ok(Ending::BadInput),
            Err(Stop::Job(error)) => Some(error),
            Err(Stop::Stdout(error)) => return Err(error),
        };
        if let Some(error) = &error {
            report::print(error, self.styles.err);
        }
        self.documents.push(summary::job_json(path, done.runs, done.warnings, &done.outputs, error.as_ref()));
        if interrupted {
            return Ok(Ending::Stopped);
        }
        Ok(match (&error, done.mismatch) {
            (Some(error), _) => report::ending(error),
            (None, true) => Ending::Mismatch,
            (None, false) => Ending::Fine,
        })
    }

    /// Where an interrupt may end a job, beside its dispatches.
    fn go_on(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn steps(&mut self, path: &Path, done: &mut Done) -> Result<(), Stop> {
        // Nothing is there yet that an interrupt could leave behind.
        self.interrupts.end_at_once(true);
        let job = Job::load(path);
        self.interrupts.end_at_once(false);
        let mut job = job?;
        self.go_on()?;
        let compiler = self.arguments.compiler.compiler(self.arguments.timeout, self.styles.err);
        let compiled = compiler.compile_job(&mut job, &self.cancel);
        self.go_on()?;
        compiled?;
        let ready = job.prepare_until(self.device.limits(), &self.cancel)?;
        for warning in ready.warnings() {
            report::warn(warning, self.styles.err);
        }
        done.warnings = ready.warnings().iter().map(summary::error_json).collect();
        self.go_on()?;
        if let Some(form) = self.arguments.emit {
            // Nothing is written that would have to be put in order, and a listing takes seconds that nothing else cuts short.
            self.interrupts.end_at_once(true);
            let shown = self.emit(path, &ready, form);
            self.interrupts.end_at_once(false);
            return shown;
        }
        let outputs = self.claim(|folder, taken| ready.claim_outputs(folder, taken), Outputs::temporary_paths)?;
        if outputs.has_standard() && !self.takes_stdout() {
            return Err(Stop::NoStdout);
        }
        let mut outputs = Some(outputs);
        for shader in 0..ready.shaders() {
            let mut first: Option<Outcome> = None;
            for engine in self.arguments.engines() {
                self.go_on()?;
                let outcome = self.run(&ready, outputs.as_mut(), shader, engine)?;
                self.go_on()?;
                if outcome.engine != engine {
                    let shader = ready.job().shaders[shader].value.display().to_string();
                    report::say(&format!(
                        "{}: too large for machine code, the interpreter runs it\n",
                        report::harmless(&shader)
                    ));
                }
                let disagreement =
                    first.as_ref().and_then(|first| ready.disagreement_until(first, &outcome, &self.cancel));
                let comparisons = ready.compare_until(&outcome, &self.cancel)?;
                // What was not looked at any more would count as alike.
                self.go_on()?;
                let line = RunLine {
                    job: &ready.job().name,
                    shader: &ready.job().shaders[shader].value,
                    engine: outcome.engine,
                    compile_time: outcome.compile_time,
                    is_cached: outcome.is_cached,
                    report: outcome.report,
                    comparisons: &comparisons,
                    counters: &outcome.counters,
                    disagreement,
                };
                done.mismatch |= !line.passed();
                self.show(&line, done)?;
                if let Some(outputs) = outputs.take() {
                    self.go_on()?;
                    done.outputs = outputs.write(&outcome)?;
                    self.show_outputs(&done.outputs)?;
                }
                first.get_or_insert(outcome);
            }
        }
        Ok(())
    }

    /// Runs a shader; the outputs are those of the first run.
    fn run(
        &self,
        ready: &Prepared,
        outputs: Option<&mut Outputs<'_>>,
        shader: usize,
        engine: Engine,
    ) -> Result<Outcome, JobError> {
        let options = self.options(engine);
        let _watcher = Watcher::start(options.progress.clone(), ready.job());
        match outputs {
            Some(outputs) => outputs.run(&self.device, shader, &options),
            None => ready.run(&self.device, shader, &options),
        }
    }

    pub(super) fn options(&self, engine: Engine) -> RunOptions {
        let mut options = RunOptions::new(engine);
        if self.arguments.engine.is_some() {
            // What was asked for, or nothing.
            options.oversize = Oversize::Refuse;
        }
        options.time_limit = self.arguments.timeout;
        options.cancel = self.cancel.clone();
        options.progress = Progress::new();
        options.all_slots = self.arguments.engine == Some(Engines::Both);
        options
    }

    /// Leaves stdout to the results of the only job or scene. Says why where it cannot.
    pub(super) fn takes_stdout(&mut self) -> bool {
        let (text, help) = match (self.arguments.format, self.arguments.jobs.len()) {
            (Format::Json, _) => ("`--format json` and a file `-` would both be written to standard output", LEAVE_OUT),
            (_, 2..) => ("a file `-` is standard output, where lines about the other jobs are", "run this one alone"),
            _ => {
                self.stdout_is_taken = true;
                return true;
            }
        };
        report::print_plain(text.into(), Some(help.into()), self.styles.err);
        false
    }

    /// Where what there is to say is written, and how.
    pub(super) fn out(&self) -> (Box<dyn Write>, Style) {
        match self.stdout_is_taken {
            false => (Box::new(io::stdout().lock()), self.styles.out),
            true => (Box::new(io::stderr().lock()), self.styles.err),
        }
    }

    fn show(&self, line: &RunLine<'_>, done: &mut Done) -> io::Result<()> {
        match self.arguments.format {
            Format::Text => {
                let (mut out, style) = self.out();
                line.write_text(&mut out, style)
            }
            Format::Json => {
                done.runs.push(line.json());
                Ok(())
            }
        }
    }

    /// Claims the files of `save` before anything runs.
    pub(super) fn claim<T, E>(
        &mut self,
        claim: impl FnOnce(&Path, &mut BTreeSet<PathBuf>) -> Result<T, E>,
        temporary_paths: impl FnOnce(&T) -> Vec<PathBuf>,
    ) -> Result<T, E> {
        let folder = self.arguments.output.as_deref().unwrap_or(Path::new(""));
        // Held while the files are made, so that a second interrupt knows all of them.
        let mut temporary = self.temporary.lock().unwrap_or_else(PoisonError::into_inner);
        let claimed = claim(folder, &mut self.taken)?;
        *temporary = temporary_paths(&claimed);
        Ok(claimed)
    }

    pub(super) fn show_outputs(&self, outputs: &[PathBuf]) -> io::Result<()> {
        match self.arguments.format {
            Format::Text => {
                let files = outputs.iter().filter(|path| !stream::is_standard(path));
                files.map(|path| path.as_path()).try_for_each(|path| summary::write_output(&mut self.out().0, path))
            }
            Format::Json => Ok(()),
        }
    }

    fn emit(&self, path: &Path, ready: &Prepared, form: Form) -> Result<(), Stop> {
        let engine = self.arguments.engines()[0];
        // With what a comment begins.
        let (form, mark) = match form {
            Form::Ir => (Emit::Ir, '#'),
            Form::Packet => (Emit::Packet, '#'),
            Form::Clif => (Emit::Clif, ';'),
            Form::Asm => (Emit::Asm, ';'),
        };
        self.go_on()?;
        let mut out = io::stdout().lock();
        let names_job = self.arguments.jobs.len() > 1;
        for shader in 0..ready.shaders() {
            let listing = ready.emit(&self.device, shader, &self.options(engine), form)?;
            if names_job || ready.shaders() > 1 {
                let name = ready.job().shaders[shader].value.to_string_lossy();
                let job = if names_job { format!("{}: ", path.display()) } else { String::new() };
                writeln!(out, "{mark} {}", report::harmless(&format!("{job}{name}")).replace('\n', " "))?;
            }
            for line in &listing.lines {
                writeln!(out, "{}", self.styles.out.listed(line.kind, &line.text))?;
            }
        }
        Ok(())
    }
}
