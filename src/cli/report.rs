//! Errors as a person reads them: the message, the lines of the job, what to do.

use std::io::{IsTerminal, Write};

use brolga::job::{JobError, Problem};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

use super::Ending;
use super::style::Style;

/// Off a terminal lines are not broken, so that a log can be searched.
const UNBROKEN: usize = 1000;
/// Bytes of the job that are shown at most; generated jobs may be one line of megabytes.
const SHOWN: usize = 2000;

/// Text without the control characters that would steer a terminal; lines and tabs stay.
pub(super) fn harmless(text: &str) -> String {
    let shown = |letter: char| match letter {
        '\n' | '\t' => letter,
        letter if letter.is_control() => char::REPLACEMENT_CHARACTER,
        letter => letter,
    };
    text.chars().map(shown).collect()
}

/// Writes an error to stderr.
pub(super) fn print(error: &JobError, style: Style) {
    say(&render(error, style));
}

/// Writes to stderr. If nobody can read it there is nobody to tell.
pub(super) fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

fn render(error: &JobError, style: Style) -> String {
    let theme = if style.coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    if !std::io::stderr().is_terminal() {
        handler = handler.with_width(UNBROKEN);
    }
    let mut diagnostic = MietteDiagnostic::new(harmless(&error.problem().to_string()));
    if let Some(help) = error.problem().help() {
        diagnostic = diagnostic.with_help(harmless(&help));
    }
    let report = if error.text().is_empty() || shown_bytes(error) > SHOWN {
        diagnostic.message = harmless(&error.to_string());
        Report::new(diagnostic)
    } else {
        let path = harmless(&error.path().to_string_lossy());
        let source = NamedSource::new(path, same_length(error.text()));
        Report::new(diagnostic.with_label(LabeledSpan::underline(error.span()))).with_source_code(source)
    };
    let mut text = String::new();
    match handler.render_report(&mut text, report.as_ref()) {
        Ok(()) => text,
        // A place outside the text cannot be shown; the message still can.
        Err(_) => format!("error: {}\n", harmless(&error.to_string())),
    }
}

/// The job's text without control characters, every byte at its place, so that spans still fit.
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

/// Bytes of the lines that an error is about, and of one line on either side.
fn shown_bytes(error: &JobError) -> usize {
    let (text, span) = (error.text(), error.span());
    let before = text.get(..span.start).unwrap_or("").rsplitn(3, '\n').take(2);
    let after = text.get(span.end..).unwrap_or("").splitn(3, '\n').take(2);
    span.len() + before.chain(after).map(str::len).sum::<usize>()
}

/// The exit code for an error.
pub(super) fn ending(error: &JobError) -> Ending {
    use brolga::{Error, ResourceError};
    match error.problem() {
        Problem::TooLarge { .. }
        | Problem::TogetherTooLarge { .. }
        | Problem::Resource { error: ResourceError::OutOfMemory { .. }, .. } => Ending::Stopped,
        Problem::Run {
            error:
                Error::OverLimit { .. }
                | Error::Stopped { .. }
                | Error::StoppedBetweenGroups { .. }
                | Error::DivergentBarrier { .. }
                | Error::Internal { .. }
                | Error::Verify(_)
                | Error::Pool { .. }
                | Error::Timer { .. }
                | Error::Resource(ResourceError::OutOfMemory { .. }),
            ..
        } => Ending::Stopped,
        _ => Ending::BadInput,
    }
}
