//! Reads the header comment of a listing, line by line.

use super::cursor::Cursor;
use super::warning::{Warning, WarningKind};
use std::ops::Range;

/// A line of the comment.
#[derive(Clone, Copy)]
pub(super) struct CommentLine<'t> {
    /// The text after the slashes, without the spaces around it.
    pub content: &'t str,
    /// Byte offset in the text.
    at: usize,
}

impl CommentLine<'_> {
    fn span(&self) -> Range<usize> {
        self.at..self.at + self.content.len()
    }

    /// `true` if it is this title, in upper or lower case.
    fn is_title(&self, title: &str) -> bool {
        self.content.eq_ignore_ascii_case(title)
    }

    /// `true` if it begins with these columns.
    fn has_columns(&self, columns: &[&str]) -> bool {
        columns.iter().copied().eq(self.content.split_whitespace().take(columns.len()))
    }
}

/// Titles of the signatures.
const SIGNATURES: [&str; 3] = ["Input signature:", "Output signature:", "Patch Constant signature:"];
/// The first columns of a signature.
const COLUMNS: [&str; 3] = ["Name", "Index", "Mask"];
/// Titles of parts that do not get into a shader.
const UNREAD: [&str; 3] = ["Resource Bindings:", "Buffer Definitions:", "Available Class Types:"];
/// The line before a second program, for feature levels 9.x.
pub(super) const LEVEL9: &str = "// Level9 shader bytecode:";

/// The lines of a comment.
pub(super) struct Comment<'t> {
    text: &'t str,
    lines: Vec<CommentLine<'t>>,
}

impl<'t> Comment<'t> {
    /// All lines in these bytes of a text that are only comment.
    pub fn of(text: &'t str, bytes: Range<usize>) -> Self {
        let mut at = bytes.start;
        let mut lines = Vec::new();
        for line in text[bytes].split_inclusive('\n') {
            if let Some(comment) = line.trim_start().strip_prefix("//") {
                let content = comment.trim();
                // Both are parts of the line.
                let content_at = at + line.len() - comment.trim_start().len();
                lines.push(CommentLine { content, at: content_at });
            }
            at += line.len();
        }
        Self { text, lines }
    }

    /// The lines after a title.
    fn after(&self, title: &str) -> &[CommentLine<'t>] {
        let found = self.lines.iter().position(|line| line.is_title(title));
        found.and_then(|at| self.lines.get(at + 1..)).unwrap_or_default()
    }

    /// The lines after a title up to the next empty one.
    pub fn list(&self, title: &str) -> impl Iterator<Item = &'t str> {
        self.after(title).iter().map(|line| line.content).take_while(|content| !content.is_empty())
    }

    /// The rows of the signature with this title: those from the columns' names, or the rule below them, to the next
    /// empty line. A title without either close after it is just a comment.
    pub fn rows(&self, title: &str) -> impl Iterator<Item = CommentLine<'t>> {
        const CLOSE: usize = 3;
        let lines = self.after(title);
        let is_rule = |line: &CommentLine<'_>| line.content.starts_with("----");
        let first = lines.iter().take(CLOSE).position(|line| is_rule(line) || line.has_columns(&COLUMNS));
        let rows = first.map_or(&[][..], |above| &lines[above + 1..]).iter().copied().skip_while(is_rule);
        rows.take_while(|line| !line.content.is_empty() && !line.content.starts_with("no "))
    }

    /// Warnings about parts of the comment that do not get into the shader.
    pub fn unread(&self) -> impl Iterator<Item = Warning> {
        let reflection = self.lines.iter().find(|line| UNREAD.iter().any(|title| line.is_title(title)));
        let level9 = self.lines.iter().find(|line| LEVEL9.strip_prefix("// ") == Some(line.content));
        let found = [
            (reflection, "the names of buffers, bindings and classes are"),
            (level9, "the second program, for feature levels 9.x, is"),
        ];
        let unread = found
            .into_iter()
            .filter_map(|(line, what)| Some(Warning { span: line?.span(), kind: WarningKind::Unread { what } }));
        unread.chain(self.untitled())
    }

    /// A signature without a title that is known.
    fn untitled(&self) -> Option<Warning> {
        let mut is_open = false;
        for line in &self.lines {
            if SIGNATURES.iter().any(|title| line.is_title(title)) {
                is_open = true;
            } else if line.has_columns(&COLUMNS) && !std::mem::take(&mut is_open) {
                return Some(Warning { span: line.span(), kind: WarningKind::Table { title: SIGNATURES[0] } });
            }
        }
        None
    }

    /// The table of the registers of Direct3D 9 constants.
    pub fn constants(&self) -> Option<Range<usize>> {
        let columns = self.lines.iter().find(|line| line.has_columns(&["Name", "Reg", "Size"]));
        columns.map(CommentLine::span)
    }

    /// Reads a line.
    pub fn cursor(&self, line: &CommentLine<'_>) -> Cursor<'t> {
        let mut cursor = Cursor::new(self.text);
        cursor.seek(line.at);
        cursor
    }
}
