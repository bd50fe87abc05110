//! Runs HLSL compilers: other programs, named on the command line or in the environment.
//!
//! | file | what |
//! |---|---|
//! | `program.rs` | compilers on the PATH |
//! | `command.rs` | the compiler's command line and its placeholders |
//! | `vkd3d.rs` | vkd3d-compiler: its arguments, its versions |
//! | `defines.rs` | macros that a source is compiled with |
//! | `child.rs` | runs it, with limits on its time and output |
//! | `message.rs` | its messages, and their positions in the source |
//! | `preprocessed.rs` | positions in the text that vkd3d-compiler counts lines and columns in |
//! | `groupshared.rs` | arrays that vkd3d-compiler compiles wrongly |

mod child;
mod command;
mod defines;
mod groupshared;
mod message;
mod preprocessed;
mod program;
mod vkd3d;

use std::cell::{Cell, OnceCell};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga::document::{Document, DocumentError, Source, SourceError, USUAL_ENTRY, USUAL_PROFILE, WgslOptions, advice};
use brolga::files::FileProblem;
use brolga::{CancelToken, bytecode};
use clap::Args;

use super::interrupt::{self, Temporary};
use super::style::Style;
use super::{Ending, report, stream};
use child::Call;
use command::Command;
use defines::Define;
use message::{Message, MessagePosition};
use preprocessed::Preprocessed;
pub(super) use program::on_path;
use vkd3d::Vkd3d;

/// The environment variable that names the compiler.
const VARIABLE: &str = "BROLGA_COMPILER";
/// Messages that are shown.
const SHOWN: usize = 20;
/// Characters of a message that are shown.
const LONGEST: usize = 1000;
/// Bytes of a source that messages are shown in.
const MOST_SOURCE: u64 = 16 << 20;

/// The option of commands that run documents.
#[derive(Args, Clone)]
pub(super) struct CompilerOption {
    /// The command that compiles HLSL shaders: `fxc`, `vkd3d`, or a whole line such as
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
    /// The function of the shader: of HLSL, `main` by default; of WGSL, the only entry point by default
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The value of an override of WGSL shaders, by name, or by number where it has an `@id`
    #[arg(long = "override", value_name = "NAME=VALUE", value_parser = override_value)]
    overrides: Vec<(String, f64)>,
}

/// Reads the value of an override.
pub(super) fn override_value(text: &str) -> Result<(String, f64), String> {
    let wrong = || format!("`{text}` gives no override a value: expected `NAME=VALUE`, as `rings=40`");
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let value = match value.trim() {
        "true" => 1.0,
        "false" => 0.0,
        number => number.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(wrong)?,
    };
    if name.trim().is_empty() { Err(wrong()) } else { Ok((name.trim().to_owned(), value)) }
}

impl SourceOptions {
    /// Reads the shaders of a command.
    pub fn reader(&self, style: Style) -> ShaderReader<'_> {
        ShaderReader { options: self, compiler: self.compiler.compiler(None, style), cancel: OnceCell::new() }
    }
}

/// Reads shaders, and compiles those that are HLSL.
pub(super) struct ShaderReader<'a> {
    options: &'a SourceOptions,
    compiler: HlslCompiler,
    /// Made for the first source; before that, an interrupt ends the process.
    cancel: OnceCell<CancelToken>,
}

impl ShaderReader<'_> {
    /// The shader in a file, or a message about why there is none. Without a compiler, HLSL is returned as it is.
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

    /// `true` if an interrupt came during a compilation. Then no other file should be read.
    pub fn is_interrupted(&self) -> bool {
        self.cancel.get().is_some_and(CancelToken::is_cancelled)
    }

    /// The exit code of a command if a shader could not be loaded.
    pub fn ending(&self) -> Ending {
        if self.is_interrupted() { Ending::Stopped } else { Ending::BadInput }
    }

    /// Advice on an error in reading a shader. For HLSL, it is to name a compiler, preferably one that is installed.
    pub fn advice(&self, error: &bytecode::Error, path: &Path, bytes: &[u8]) -> Option<String> {
        let help = advice(error, path, bytes)?;
        let named = (Source::is_named_by(path) && self.compiler.command.is_none()).then(on_path).flatten();
        Some(named.map_or(help.clone(), |named| format!("{help}; {named}")))
    }

    /// `true` if a file is HLSL and there is a compiler.
    pub fn compiles(&self, path: &Path) -> bool {
        Source::is_named_by(path) && self.compiler.command.is_some()
    }

    /// The source in a file.
    pub fn source(&self, path: &Path) -> Source {
        let entry = self.options.entry.as_deref().unwrap_or(USUAL_ENTRY);
        Source::new(path.to_owned(), &self.options.profile, entry)
    }

    /// What to read from shaders in WGSL.
    pub fn wgsl(&self) -> WgslOptions {
        WgslOptions::new(self.options.entry.clone(), self.options.overrides.clone())
    }
}

impl CompilerOption {
    /// The compiler of the option or of the environment. It may take no longer than the command's limit.
    pub fn compiler(&self, limit: Option<Duration>, style: Style) -> HlslCompiler {
        let named = self.compiler.clone().or_else(|| std::env::var(VARIABLE).ok());
        let longest = limit.map_or(child::LONGEST, |limit| limit.min(child::LONGEST));
        let command = named.filter(|command| !command.trim().is_empty());
        HlslCompiler { command, longest, is_checked: Cell::new(false), style }
    }
}

/// A compiler, if there is one.
pub(super) struct HlslCompiler {
    command: Option<String>,
    /// The longest time that it may take.
    longest: Duration,
    /// Set once its version is known to be supported.
    is_checked: Cell<bool>,
    style: Style,
}

impl HlslCompiler {
    /// Compiles the HLSL shaders of a document. Without a compiler they stay, and `prepare` gives advice.
    pub fn compile_document(&self, document: &mut Document, cancel: &CancelToken) -> Result<(), DocumentError> {
        match self.command {
            Some(_) => document.compile_sources(|source| self.compile(source, cancel)),
            None => Ok(()),
        }
    }

    /// Compiles a source, and shows the compiler's messages. Returns the first of their errors.
    fn compile(&self, source: &Source, cancel: &CancelToken) -> Result<Vec<u8>, SourceError> {
        let defines = &source.defines[..];
        let command = Command::parse(self.command.as_deref().unwrap_or(""))?;
        // Checked here, because each compiler words it differently.
        fs::metadata(&source.path).map_err(|error| error.to_string())?;
        let folder = tempfile::tempdir().map_err(|error| format!("no temporary folder can be made: {error}"))?;
        // The compiler may run in another folder.
        let work_folder =
            std::path::absolute(folder.path()).map_err(|error| format!("there is no current folder: {error}"))?;
        let output = work_folder.join("shader.cso");
        let call = match &command {
            Command::Line(line) => Call { words: line.fill(source, defines, &output)?, within: None },
            Command::Vkd3d(vkd3d) => {
                let call = vkd3d.compiles(source, defines, &output, &work_folder)?;
                if !self.is_checked.get() {
                    vkd3d.check(&work_folder, self.longest, cancel)?;
                    self.is_checked.set(true);
                }
                call
            }
        };
        if command.is_vkd3d() {
            self.warn_of_lost_indices(source);
        }
        let run = child::run(call, &work_folder, self.longest, cancel)?;
        let messages: Vec<Message<'_>> = run.said.lines().filter_map(Message::parse).collect();
        let preprocessed = match &command {
            Command::Vkd3d(vkd3d)
                if messages
                    .iter()
                    .any(|message| matches!(message.position, Some(MessagePosition::Preprocessed(..)))) =>
            {
                self.preprocess(vkd3d, source, defines, &work_folder, cancel)?
            }
            _ => None,
        };
        let first = self.show(&messages, source, preprocessed.as_ref());
        if !run.status.success() {
            // vkd3d's libraries print lines for their own developers.
            let is_said = |line: &&str| !line.is_empty() && !line.starts_with("vkd3d:");
            let mut lines = run.said.lines().map(str::trim).filter(is_said);
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

    /// The text in which vkd3d-compiler counted lines and columns; `None` if it does not give that. It fails only on an
    /// interrupt.
    fn preprocess(
        &self,
        vkd3d: &Vkd3d,
        source: &Source,
        defines: &[Define],
        folder: &Path,
        cancel: &CancelToken,
    ) -> Result<Option<Preprocessed>, SourceError> {
        let output = folder.join("preprocessed.hlsl");
        let call = vkd3d.preprocesses(source, defines, &output, folder)?;
        match child::run(call, folder, self.longest, cancel) {
            Ok(run) if run.status.success() => Ok(Preprocessed::read(&output, &source.path)),
            Err(stopped) if cancel.is_cancelled() => Err(stopped),
            _ => Ok(None),
        }
    }

    /// Shows the messages at their positions, and returns the first error.
    fn show(&self, messages: &[Message<'_>], source: &Source, preprocessed: Option<&Preprocessed>) -> Option<String> {
        let mut first = None;
        for (n, message) in messages.iter().enumerate() {
            let is_first = message.is_error && first.is_none();
            // The positions of messages that are not shown are not needed.
            if n >= SHOWN && !is_first {
                continue;
            }
            let words = short(message.text);
            let placed = match (message.position, preprocessed) {
                (Some(MessagePosition::Preprocessed(line, column)), Some(preprocessed)) => preprocessed
                    .position(line, column, message.quoted())
                    .map(|position| (position.file.to_owned(), position.text.to_owned(), position.span)),
                _ => {
                    let file = file_of(message.file, source);
                    let text =
                        message.position.and_then(|_| child::read_text(&file, MOST_SOURCE).ok()).unwrap_or_default();
                    message.span(&text).map(|span| (file, text, span))
                }
            };
            if is_first {
                let line = match (message.position, &placed) {
                    (Some(MessagePosition::Source(line, _)), _) => Some(line),
                    (_, Some((_, text, span))) => Some(text[..span.start].matches('\n').count() + 1),
                    _ => None,
                };
                let included = placed.as_ref().filter(|(file, ..)| *file != source.path);
                let file = included.map_or(String::new(), |(file, ..)| format!("{}, ", file.display()));
                first = Some(line.map_or(words.clone(), |line| format!("{file}line {line}: {words}")));
            }
            match placed {
                _ if n >= SHOWN => {}
                Some((file, text, span)) => {
                    report::print_compiler(&file, &text, span, &words, message.is_error, self.style);
                }
                // It becomes the command's error.
                None if is_first => {}
                None if message.is_error => report::print_plain(words, None, self.style),
                None => report::warn_plain(words, None, self.style),
            }
        }
        if messages.len() > SHOWN {
            report::say(&format!("and {} more messages of the compiler\n", messages.len() - SHOWN));
        }
        first
    }

    /// Warns of code that vkd3d-compiler will compile wrongly without a message.
    fn warn_of_lost_indices(&self, source: &Source) {
        let Ok(text) = child::read_text(&source.path, MOST_SOURCE) else { return };
        let lost = groupshared::lost_indices(&text);
        for lost in lost.iter().take(SHOWN) {
            report::print_compiler(&source.path, &text, lost.span.clone(), &lost.text, false, self.style);
        }
        if lost.len() > SHOWN {
            report::say(&format!("and {} more arrays like these\n", lost.len() - SHOWN));
        }
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

/// The file that a message names. Compilers may write the path in their own way, and name included files relative to
/// the source's folder.
fn file_of(named: &str, source: &Source) -> PathBuf {
    let beside = source.path.parent().map(|folder| folder.join(named));
    if let Some(path) = beside.filter(|path| Path::new(named).is_relative() && path.is_file()) {
        return path;
    }
    let last = |text: &str| text.rsplit(['/', '\\']).next().unwrap_or(text).to_owned();
    if named.is_empty() || source.path.file_name().is_some_and(|name| name.to_string_lossy() == last(named)) {
        return source.path.clone();
    }
    PathBuf::from(named)
}
