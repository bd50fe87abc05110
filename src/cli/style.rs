//! Chooses colours, once for stdout and once for stderr.

use std::io::IsTerminal;

use brolga::LineKind;

use super::Color;

/// The style of each stream.
pub(super) struct Styles {
    /// Stdout.
    pub out: Style,
    /// Stderr.
    pub err: Style,
}

impl Styles {
    /// Follows `--color`, then NO_COLOR, then the capabilities of the terminal.
    pub fn choose(color: Color) -> Self {
        let allowed = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let style = |is_capable: bool| Style {
            coloured: match color {
                Color::Auto => allowed && is_capable,
                Color::Always => true,
                Color::Never => false,
            },
        };
        Self { out: style(is_capable(&std::io::stdout())), err: style(is_capable(&std::io::stderr())) }
    }
}

/// `true` if a stream is a terminal with colours and cursor movement, which those called `dumb` lack.
pub(super) fn is_capable(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && !is_dumb()
}

/// `true` if the terminal, if there is one, has neither colours nor cursor movement.
pub(super) fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|name| name == "dumb")
}

/// The style of output on one stream.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Set to use colours.
    pub coloured: bool,
}

impl Style {
    /// The style for success.
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// The style for failure.
    pub fn bad(self, text: &str) -> String {
        self.wrap("1;31", text)
    }

    /// A line of a listing: the shader's own text stands out, annotations are dim.
    pub fn listed(self, kind: LineKind, line: &str) -> String {
        match kind {
            LineKind::Shader => self.wrap("1", line),
            LineKind::Operation => self.wrap("32", line),
            LineKind::Summary | LineKind::Part => self.wrap("36", line),
            LineKind::Label => self.wrap("33", line),
            _ => line.to_owned(),
        }
    }

    /// The name of an instruction.
    pub fn named(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// The name of a declaration or directive.
    pub fn declared(self, text: &str) -> String {
        self.wrap("36", text)
    }

    /// The style for secondary text.
    pub fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
