//! Errors as a person reads them: the message, the lines of the job, what to do.

use std::io::IsTerminal;

use brolga::job::{JobError, Problem};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

use super::Ending;
use super::style::Style;

/// Off a terminal lines are not broken, so that a log can be searched.
const UNBROKEN: usize = 1000;

/// Writes an error to stderr.
pub(super) fn print(error: &JobError, style: Style) {
    eprint!("{}", render(error, style));
}

fn render(error: &JobError, style: Style) -> String {
    let theme = if style.coloured { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    if !std::io::stderr().is_terminal() {
        handler = handler.with_width(UNBROKEN);
    }
    let mut diagnostic = MietteDiagnostic::new(error.problem().to_string());
    if let Some(help) = error.problem().help() {
        diagnostic = diagnostic.with_help(help);
    }
    let report = if error.text().is_empty() {
        diagnostic.message = error.to_string();
        Report::new(diagnostic)
    } else {
        let path = error.path().to_string_lossy();
        let source = NamedSource::new(path, error.text().to_owned());
        Report::new(diagnostic.with_label(LabeledSpan::underline(error.span()))).with_source_code(source)
    };
    let mut text = String::new();
    match handler.render_report(&mut text, report.as_ref()) {
        Ok(()) => text,
        // A place outside the text cannot be shown; the message still can.
        Err(_) => format!("error: {error}\n"),
    }
}

/// The exit code for an error.
pub(super) fn ending(error: &JobError) -> Ending {
    use brolga::Error;
    match error.problem() {
        Problem::TooLarge { .. } => Ending::Stopped,
        Problem::Run {
            error:
                Error::OverLimit { .. }
                | Error::Stopped { .. }
                | Error::StoppedBetweenGroups { .. }
                | Error::DivergentBarrier { .. }
                | Error::Internal { .. }
                | Error::Verify(_)
                | Error::Pool { .. }
                | Error::Timer { .. },
            ..
        } => Ending::Stopped,
        _ => Ending::BadInput,
    }
}
