//! The header comment of a listing, line by line.

use super::AssembleError;
use super::error::Problem;
use std::ops::Range;

/// A line of the comment.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// What stands behind the slashes.
    pub text: &'t str,
    /// Where the line begins in the text.
    at: usize,
}

impl<'t> Line<'t> {
    /// What stands in it, without the spaces around.
    pub fn content(&self) -> &'t str {
        self.text.trim()
    }

    /// Its bytes in the text.
    fn span(&self) -> Range<usize> {
        self.at..self.at + 2 + self.text.len()
    }
}

/// The lines of a comment.
pub(super) struct Comment<'t> {
    text: &'t str,
    lines: Vec<Line<'t>>,
}

impl<'t> Comment<'t> {
    /// All lines of a text that are nothing but comment.
    pub fn of(text: &'t str) -> Self {
        let mut at = 0;
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(comment) = line.strip_prefix("//") {
                lines.push(Line { text: comment.trim_end_matches(['\n', '\r']), at });
            }
            at += line.len();
        }
        Self { text, lines }
    }

    /// The lines behind a title, which may be given by its beginning.
    pub fn behind(&self, title: &str) -> &[Line<'t>] {
        let found = self.lines.iter().position(|line| line.content().starts_with(title));
        found.and_then(|at| self.lines.get(at + 1..)).unwrap_or_default()
    }

    /// What stands behind a title on its own line.
    pub fn value(&self, title: &str) -> Option<&'t str> {
        self.lines.iter().find_map(|line| line.content().strip_prefix(title))
    }

    /// Whether a line says this.
    pub fn says(&self, content: &str) -> bool {
        self.lines.iter().any(|line| line.content() == content)
    }

    /// The rows of the table with this title: those from the rule to the next empty line.
    pub fn rows(&self, title: &str) -> impl Iterator<Item = Line<'t>> {
        let behind = self.behind(title).iter().copied();
        let from_rule = behind.skip_while(|line| !line.content().starts_with("----")).skip(1);
        from_rule.take_while(|line| !line.content().is_empty() && !line.content().starts_with("no "))
    }

    /// An error about a line.
    pub fn wrong(&self, line: &Line<'_>, expected: &str) -> AssembleError {
        let found = format!("`{}`", line.content());
        AssembleError::new(self.text, line.span(), Problem::Expected { expected: expected.into(), found })
    }

    /// An error about the end of the comment.
    pub fn ends(&self, expected: &str) -> AssembleError {
        let end = self.lines.last().map_or(0..0, Line::span);
        let found = "the end of the comment".into();
        AssembleError::new(self.text, end, Problem::Expected { expected: expected.into(), found })
    }
}
