//! Prints errors for people: the message, the lines of the text that it is about, and advice.

use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::path::Path;

use brolga::bytecode::assembler::{self, AssembleError, Warning};
use brolga::document::{DocumentError, Problem, SourceError, WrongText, advice};
use brolga::raster::DrawError;
use brolga::{Limits, files};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity};
use serde_json::{Value, json};

use super::Ending;
use super::style::Style;

/// Off a terminal lines are not broken, so that a log can be searched.
const UNBROKEN: usize = 1000;
/// The most bytes of the text that are shown; generated documents may be one line of megabytes.
const SHOWN: usize = 2000;

/// Text without the control characters that would steer a terminal; lines and tabs stay.
pub(super) fn harmless(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\n' | '\t' => letter,
        // Those that turn the direction of text, too.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    text.chars().map(shown).collect()
}

/// An error as JSON.
pub(super) fn error_json(error: &DocumentError) -> Value {
    let (line, column) = error.line_and_column();
    json!({
        "message": error.problem().to_string(),
        "path": error.path().to_string_lossy(),
        "line": line,
        "column": column,
        "place": error.place(),
        "help": help(error),
    })
}

/// Writes an error to stderr.
pub(super) fn print(error: &DocumentError, style: Style) {
    print_document(error, Severity::Error, style);
}

/// Writes a warning about a document to stderr.
pub(super) fn warn(warning: &DocumentError, style: Style) {
    print_document(warning, Severity::Warning, style);
}

fn print_document(error: &DocumentError, severity: Severity, style: Style) {
    print_placed(error.problem(), None, style);
    let source = (!error.text().is_empty()).then(|| ReportedText {
        path: error.path().to_string_lossy().into_owned(),
        text: error.text(),
        span: error.span(),
    });
    let message = ErrorText::error(error.problem().to_string(), error.to_string(), help(error));
    say(&render(&ErrorText { severity, ..message }, source, style));
}

/// Advice on an error in a document. If a file is not a shader, its content may indicate its type.
pub(super) fn help(error: &DocumentError) -> Option<String> {
    if let Problem::Run { shader: Some(shader), error: brolga::Error::File(refused) } = error.problem()
        && let Ok(bytes) = files::read(shader, Limits::default().file.blob_bytes.into())
    {
        return advice(refused, shader, &bytes);
    }
    let help = error.help()?;
    let named = matches!(error.problem(), Problem::NotCompiled { .. }).then(super::compiler::on_path).flatten();
    Some(named.map_or(help.clone(), |named| format!("{help}; {named}")))
}

/// Writes an error in a text to stderr.
pub(super) fn print_assemble(path: &Path, text: &str, error: &AssembleError, style: Style) {
    let help = match &error.problem {
        assembler::Problem::Rejected(rule) => {
            let repair = rule.help().map_or(String::new(), |help| format!("{help}\n"));
            Some(format!("{repair}`--unchecked` writes it nevertheless"))
        }
        _ => error.hint(),
    };
    let path = path.to_string_lossy().into_owned();
    let message = ErrorText::error(error.problem.to_string(), format!("{path}: {error}"), help);
    let source = (error.line > 0).then(|| ReportedText { path, text, span: error.span.clone() });
    say(&render(&message, source, style));
}

/// Writes a warning about a text to stderr.
pub(super) fn print_assemble_warning(path: &Path, text: &str, warning: &Warning, style: Style) {
    let path = path.to_string_lossy().into_owned();
    let (text_of_kind, help) = (warning.kind.to_string(), warning.kind.hint());
    let message = ErrorText::error(text_of_kind.clone(), format!("{path}: {text_of_kind}"), help);
    let message = ErrorText { severity: Severity::Warning, ..message };
    say(&render(&message, Some(ReportedText { path, text, span: warning.span.clone() }), style));
}

/// Writes a compiler's message about a span of a source to stderr.
pub(super) fn print_compiler(path: &Path, source: &str, span: Range<usize>, text: &str, is_error: bool, style: Style) {
    let path = path.to_string_lossy().into_owned();
    let severity = if is_error { Severity::Error } else { Severity::Warning };
    let message = ErrorText { severity, ..ErrorText::error(text.to_owned(), format!("{path}: {text}"), None) };
    say(&render(&message, Some(ReportedText { path, text: source, span }), style));
}

/// Writes a problem with a shader in WGSL to stderr, in its text.
pub(super) fn print_shader(problem: &Problem, style: Style) {
    if !print_placed(problem, problem.help(), style) {
        print_plain(problem.to_string(), problem.help(), style);
    }
}

/// Shows the place of a problem in a shader's text, if it has one.
fn print_placed(problem: &Problem, help: Option<String>, style: Style) -> bool {
    let Problem::Text(wrong) = problem else { return false };
    let WrongText { shader, place: Some((line, column)), message, text, .. } = &**wrong else { return false };
    let start: usize = text.split_inclusive('\n').take(*line as usize - 1).map(str::len).sum();
    let start = (start + *column as usize - 1).min(text.len());
    let rest = text.get(start..).unwrap_or_default();
    // The word there, or the sign.
    let word = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
    let message = ErrorText::error(message.clone(), problem.to_string(), help);
    let path = shader.to_string_lossy().into_owned();
    say(&render(&message, Some(ReportedText { path, text, span: start..start + length }), style));
    true
}

/// Writes an error about a file to stderr, with advice.
pub(super) fn print_plain(text: String, help: Option<String>, style: Style) {
    say(&render(&ErrorText::error(text.clone(), text, help), None, style));
}

/// Writes a warning to stderr, with advice.
pub(super) fn warn_plain(text: String, help: Option<String>, style: Style) {
    let message = ErrorText { severity: Severity::Warning, ..ErrorText::error(text.clone(), text, help) };
    say(&render(&message, None, style));
}

/// The texts of an error.
struct ErrorText {
    /// The message below its source.
    text: String,
    /// The message without its source.
    alone: String,
    /// Advice.
    help: Option<String>,
    severity: Severity,
}

impl ErrorText {
    fn error(text: String, alone: String, help: Option<String>) -> Self {
        Self { text, alone, help, severity: Severity::Error }
    }
}

/// The text that an error is about.
struct ReportedText<'a> {
    path: String,
    text: &'a str,
    span: Range<usize>,
}

/// Writes to stderr. If that fails there is no way to report it.
pub(super) fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn render(message: &ErrorText, source: Option<ReportedText<'_>>, style: Style) -> String {
    let theme = if style.coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    if !std::io::stderr().is_terminal() {
        handler = handler.with_width(UNBROKEN);
    }
    let mut diagnostic = MietteDiagnostic::new(harmless(&message.text)).with_severity(message.severity);
    if let Some(help) = &message.help {
        diagnostic = diagnostic.with_help(harmless(help));
    }
    let report = match source.filter(|source| source.shown_bytes() <= SHOWN) {
        None => {
            diagnostic.message = harmless(&message.alone);
            Report::new(diagnostic)
        }
        Some(ReportedText { path, text, span }) => {
            let source = NamedSource::new(harmless(&path), same_length(text));
            Report::new(diagnostic.with_label(LabeledSpan::underline(span))).with_source_code(source)
        }
    };
    let mut text = String::new();
    match handler.render_report(&mut text, report.as_ref()) {
        Ok(()) => text,
        // A position outside the text cannot be shown; the message still can.
        Err(_) => format!("error: {}\n", harmless(&message.alone)),
    }
}

/// The text without control characters, with every byte at the same offset, so that spans stay valid.
fn same_length(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' | '\t' => shown.push(letter),
            letter if letter.is_control() => shown.extend(std::iter::repeat_n('?', letter.len_utf8())),
            letter => shown.push(letter),
        }
    }
    shown
}

impl ReportedText<'_> {
    /// Bytes of the lines that the error is about, and of one line before and after.
    fn shown_bytes(&self) -> usize {
        let before = self.text.get(..self.span.start).unwrap_or("").rsplitn(3, '\n').take(2);
        let after = self.text.get(self.span.end..).unwrap_or("").splitn(3, '\n').take(2);
        self.span.len() + before.chain(after).map(str::len).sum::<usize>()
    }
}

/// The exit code for an error.
pub(super) fn ending(error: &DocumentError) -> Ending {
    let stops = match error.problem() {
        Problem::WriteStopped { .. }
        | Problem::Stopped { .. }
        | Problem::Compile { error: SourceError::Stopped(_), .. }
        | Problem::TooLarge { .. }
        | Problem::Draw(DrawError::Stopped { .. })
        | Problem::Resource { error: brolga::ResourceError::OutOfMemory { .. }, .. } => true,
        problem => problem.runtime().is_some_and(stops),
    };
    if stops { Ending::Stopped } else { Ending::BadInput }
}

/// `true` if an error is that of a run stopped by the shader, a limit or the system.
pub(super) fn stops(error: &brolga::Error) -> bool {
    use brolga::{Error, ResourceError};
    match error {
        Error::OverLimit { .. }
        | Error::Stopped { .. }
        | Error::StoppedBetweenGroups { .. }
        | Error::CompileStopped { .. }
        | Error::DivergentBarrier { .. }
        | Error::Aborted { .. }
        | Error::Internal { .. }
        | Error::Verify(_)
        | Error::Pool { .. }
        | Error::Timer { .. }
        | Error::CompileThread { .. }
        | Error::Resource(ResourceError::OutOfMemory { .. }) => true,
        Error::Compile(error) => error.is_size(),
        _ => false,
    }
}
