//! HLSL compilers: other programs, named on the command line or in the environment.
//!
//! | file | what |
//! |---|---|
//! | `command.rs` | the compiler's command line and its placeholders |
//! | `child.rs` | runs it, with limits on its time and output |
//! | `message.rs` | its messages, and their places in the source |

mod child;
mod command;
mod message;

use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga::CancelToken;
use brolga::files::FileProblem;
use brolga::job::{Job, JobError, Source, SourceError, USUAL_ENTRY, USUAL_PROFILE};
use clap::Args;

use super::interrupt::{self, Temporary};
use super::style::Style;
use super::{Ending, report, stream};
use command::Command;
use message::Message;

/// Names the compiler.
const VARIABLE: &str = "BROLGA_COMPILER";
/// Messages that are shown.
const SHOWN: usize = 20;
/// Characters of a message that are shown.
const LONGEST: usize = 1000;
/// Bytes of a source that messages are shown in.
const MOST_SOURCE: u64 = 16 << 20;

/// The option of commands that run jobs.
#[derive(Args, Clone)]
pub(super) struct CompilerOption {
    /// The command that compiles HLSL shaders: `fxc`, or a whole line such as
    /// `fxc -T {profile} -E {entry} -Fo {output} {input}`; by default the value of BROLGA_COMPILER
    #[arg(long, value_name = "COMMAND")]
    compiler: Option<String>,
}

/// The options of commands that take shaders.
#[derive(Args, Clone)]
pub(super) struct SourceOptions {
    #[command(flatten)]
    compiler: CompilerOption,
    /// The profile that HLSL shaders are compiled for
    #[arg(long, value_name = "PROFILE", default_value = USUAL_PROFILE)]
    profile: String,
    /// The function of HLSL shaders that is compiled
    #[arg(long, value_name = "NAME", default_value = USUAL_ENTRY)]
    entry: String,
}

impl SourceOptions {
    /// Reads the shaders of a command.
    pub fn reader(&self, style: Style) -> Reader<'_> {
        Reader { options: self, compiler: self.compiler.compiler(None, style), cancel: OnceCell::new() }
    }
}

/// Reads shaders, and compiles those that are HLSL.
pub(super) struct Reader<'a> {
    options: &'a SourceOptions,
    compiler: Compiler,
    /// Made for the first source; before that, an interrupt ends the process.
    cancel: OnceCell<CancelToken>,
}

impl Reader<'_> {
    /// The shader in a file, or why there is none. Without a compiler, HLSL is returned as it is.
    pub fn load(&self, path: &Path) -> Result<Vec<u8>, String> {
        if stream::is_standard(path) || !self.compiles(path) {
            return stream::load(path);
        }
        let cancel = self.cancel.get_or_init(|| {
            let cancel = CancelToken::new();
            let _ = interrupt::cancels(&cancel, &Temporary::default());
            cancel
        });
        let source = self.source(path);
        let made = self.compiler.compile(&source, cancel);
        made.map_err(|message| format!("{} is not compiled: {message}", path.display()))
    }

    /// Whether an interrupt came during a compilation. Then no other file should be read.
    pub fn is_interrupted(&self) -> bool {
        self.cancel.get().is_some_and(CancelToken::is_cancelled)
    }

    /// How a command ends if a shader could not be loaded.
    pub fn ending(&self) -> Ending {
        if self.is_interrupted() { Ending::Stopped } else { Ending::BadInput }
    }

    /// Whether a file is HLSL and there is a compiler.
    pub fn compiles(&self, path: &Path) -> bool {
        Source::is_named_by(path) && self.compiler.command.is_some()
    }

    /// What to compile in a file.
    pub fn source(&self, path: &Path) -> Source {
        Source::new(path.to_owned(), &self.options.profile, &self.options.entry)
    }
}

impl CompilerOption {
    /// Whether the command line has it.
    pub fn is_given(&self) -> bool {
        self.compiler.is_some()
    }

    /// The compiler of the option or of the environment. It may take no longer than the command's limit.
    pub fn compiler(&self, limit: Option<Duration>, style: Style) -> Compiler {
        let named = self.compiler.clone().or_else(|| std::env::var(VARIABLE).ok());
        let longest = limit.map_or(child::LONGEST, |limit| limit.min(child::LONGEST));
        Compiler { command: named.filter(|command| !command.trim().is_empty()), longest, style }
    }
}

/// A compiler, if there is one.
pub(super) struct Compiler {
    command: Option<String>,
    /// The longest time that it may take.
    longest: Duration,
    style: Style,
}

impl Compiler {
    /// Compiles the HLSL shaders of a job. Without a compiler they stay, and `prepare` says what to do.
    pub fn compile_job(&self, job: &mut Job, cancel: &CancelToken) -> Result<(), JobError> {
        match self.command {
            Some(_) => job.compile_sources(|source| self.compile(source, cancel)),
            None => Ok(()),
        }
    }

    /// Compiles a source, and shows the compiler's messages. The error is the first of theirs.
    fn compile(&self, source: &Source, cancel: &CancelToken) -> Result<Vec<u8>, SourceError> {
        let command = Command::parse(self.command.as_deref().unwrap_or(""))?;
        // Checked here, because each compiler words it differently.
        fs::metadata(&source.path).map_err(|error| error.to_string())?;
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder can be made: {error}"))?;
        let output = folder.path().join("shader.cso");
        let run = child::run(command.fill(source, &output), folder.path(), self.longest, cancel)?;
        let first = self.show(&run.said, source);
        if !run.status.success() {
            let mut lines = run.said.lines().map(str::trim).filter(|line| !line.is_empty());
            let plain = lines.clone().find(|line| line.contains("error ")).or_else(|| lines.next()).map(short);
            return Err(first.or(plain).unwrap_or_else(|| format!("the compiler ended with {}", run.status)).into());
        }
        let bytes = child::read(&output).map_err(|problem| match &problem {
            FileProblem::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                format!("the compiler wrote no {{output}}: {error}")
            }
            _ => format!("what the compiler wrote to {{output}} is not a shader: {problem}"),
        })?;
        // Otherwise the source would be blamed.
        match bytes.as_slice() {
            [] => Err("what the compiler wrote to {output} is not a shader: it is empty".to_owned().into()),
            text if is_text(text) => {
                Err("what the compiler wrote to {output} is not a shader: it is text".to_owned().into())
            }
            _ => Ok(bytes),
        }
    }

    /// Shows the messages at their places, and returns the first error.
    fn show(&self, said: &str, source: &Source) -> Option<String> {
        let messages: Vec<Message<'_>> = said.lines().filter_map(Message::parse).collect();
        for message in messages.iter().take(SHOWN) {
            let file = file_of(message.file, source);
            let text = child::read_text(&file, MOST_SOURCE).unwrap_or_default();
            let span = message.span(&text);
            report::print_compiler(&file, &text, span, &short(message.text), message.is_error, self.style);
        }
        if messages.len() > SHOWN {
            report::say(&format!("and {} more messages of the compiler\n", messages.len() - SHOWN));
        }
        let error = messages.iter().find(|message| message.is_error)?;
        Some(format!("line {}: {}", error.line, short(error.text)))
    }
}

/// A message, cut to a length that can be shown.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'))
}

/// The file that a message names. Compilers may write the path in their own way, and name included files relative to the
/// source's folder.
fn file_of(named: &str, source: &Source) -> PathBuf {
    let last = |text: &str| text.rsplit(['/', '\\']).next().unwrap_or(text).to_owned();
    if source.path.file_name().is_some_and(|name| name.to_string_lossy() == last(named)) {
        return source.path.clone();
    }
    let beside = source.path.parent().map(|folder| folder.join(named)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| PathBuf::from(named))
}
