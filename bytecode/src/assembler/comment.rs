//! The header comment of a listing, line by line.

use super::AssembleError;
use super::cursor::Cursor;
use super::error::{Problem, shown};
use super::warning::{Warning, WarningKind};
use std::ops::Range;

/// A line of the comment.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    /// What stands behind the slashes, without the spaces around.
    pub content: &'t str,
    /// Where that begins in the text.
    at: usize,
}

impl Line<'_> {
    fn span(&self) -> Range<usize> {
        self.at..self.at + self.content.len()
    }

    /// Whether it is this title, in large letters or small ones.
    fn is_title(&self, title: &str) -> bool {
        self.content.eq_ignore_ascii_case(title)
    }

    /// Whether it begins with these columns.
    fn has_columns(&self, columns: &[&str]) -> bool {
        columns.iter().copied().eq(self.content.split_whitespace().take(columns.len()))
    }
}

/// Titles of tables with the names of their first columns.
const TABLES: [(&str, [&str; 3]); 6] = [
    ("Input signature:", ["Name", "Index", "Mask"]),
    ("Output signature:", ["Name", "Index", "Mask"]),
    ("Patch Constant signature:", ["Name", "Index", "Mask"]),
    ("Resource Bindings:", ["Name", "Type", "Format"]),
    ("Available Class Types:", ["Name", "ID", "CB"]),
    ("Available Class Instances:", ["Name", "Type", "CB"]),
];
const BUFFERS: &str = "Buffer Definitions:";

/// The lines of a comment.
pub(super) struct Comment<'t> {
    text: &'t str,
    lines: Vec<Line<'t>>,
}

impl<'t> Comment<'t> {
    /// All lines in these bytes of a text that are nothing but comment.
    pub fn of(text: &'t str, bytes: Range<usize>) -> Self {
        let mut at = bytes.start;
        let mut lines = Vec::new();
        for line in text[bytes].split_inclusive('\n') {
            if let Some(comment) = line.trim_start().strip_prefix("//") {
                let content = comment.trim();
                // Both are parts of the line.
                let content_at = at + line.len() - comment.trim_start().len();
                lines.push(Line { content, at: content_at });
            }
            at += line.len();
        }
        Self { text, lines }
    }

    /// The lines behind a title.
    pub fn behind(&self, title: &str) -> &[Line<'t>] {
        let found = self.lines.iter().position(|line| line.is_title(title));
        found.and_then(|at| self.lines.get(at + 1..)).unwrap_or_default()
    }

    /// The line that begins so, and what stands behind that.
    pub fn value(&self, title: &str) -> Option<(&Line<'t>, &'t str)> {
        self.lines.iter().find_map(|line| Some((line, line.content.strip_prefix(title)?)))
    }

    /// The lines behind a title up to the next empty one.
    pub fn list(&self, title: &str) -> impl Iterator<Item = &Line<'t>> {
        self.behind(title).iter().take_while(|line| !line.content.is_empty())
    }

    /// Whether a line says this.
    pub fn says(&self, content: &str) -> bool {
        self.lines.iter().any(|line| line.content == content)
    }

    /// The rows of the table with this title: those from the columns' names, or the rule below them, to the next empty
    /// line. A title with neither close behind it is what somebody wrote.
    pub fn rows(&self, title: &str) -> impl Iterator<Item = Line<'t>> {
        const CLOSE: usize = 3;
        let columns = TABLES.iter().find(|(known, _)| *known == title).map(|(_, columns)| columns);
        let lines = self.behind(title);
        let is_rule = |line: &Line<'_>| line.content.starts_with("----");
        let is_above = |line: &Line<'_>| is_rule(line) || columns.is_some_and(|columns| line.has_columns(columns));
        let first = lines.iter().take(CLOSE).position(is_above).map_or(lines.len(), |above| above + 1);
        let rows = lines[first..].iter().copied().skip_while(move |line| is_rule(line));
        rows.take_while(|line| !line.content.is_empty() && !line.content.starts_with("no "))
    }

    /// The lines of the interface slots.
    pub fn slots(&self) -> &[Line<'t>] {
        let title = self.lines.iter().position(|line| line.content.starts_with("Interface slots,"));
        title.and_then(|at| self.lines.get(at..)).unwrap_or_default()
    }

    /// The lines of the buffers.
    pub fn buffers(&self) -> &[Line<'t>] {
        self.behind(BUFFERS)
    }

    /// A table or a buffer that stands below no title that is known.
    pub fn unread(&self) -> Option<Warning> {
        let has_buffers = !self.buffers().is_empty();
        let mut open: Option<&[&str; 3]> = None;
        for (n, line) in self.lines.iter().enumerate() {
            let warning = |title| Some(Warning { span: line.span(), kind: WarningKind::Table { title } });
            if let Some((_, columns)) = TABLES.iter().find(|(title, _)| line.is_title(title)) {
                open = Some(columns);
            } else if let Some((title, columns)) = TABLES.iter().find(|(_, columns)| line.has_columns(columns)) {
                if open.take() != Some(columns) {
                    return warning(title);
                }
            } else if !has_buffers
                && line.content.starts_with("cbuffer ")
                && self.lines.get(n + 1).is_some_and(|next| next.content == "{")
            {
                return warning(BUFFERS);
            }
        }
        None
    }

    /// The table of the registers that constants of Direct3D 9 lie in.
    pub fn constants(&self) -> Option<Range<usize>> {
        let columns = self.lines.iter().find(|line| line.has_columns(&["Name", "Reg", "Size"]));
        columns.map(Line::span)
    }

    /// Reads a line.
    pub fn cursor(&self, line: &Line<'_>) -> Cursor<'t> {
        let mut cursor = Cursor::new(self.text);
        cursor.seek(line.at);
        cursor
    }

    /// An error about a line.
    pub fn wrong(&self, line: &Line<'_>, expected: &str) -> AssembleError {
        let found = format!("`{}`", shown(line.content));
        AssembleError::new(self.text, line.span(), Problem::Expected { expected: expected.into(), found })
    }

    /// An error about the end of the comment.
    pub fn ends(&self, expected: &str) -> AssembleError {
        let end = self.lines.last().map_or(0..0, Line::span);
        let found = "the end of the comment".into();
        AssembleError::new(self.text, end, Problem::Expected { expected: expected.into(), found })
    }
}
