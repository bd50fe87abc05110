//! The lines of a text.

use crate::error::{Error, Position};
use crate::translate::FaultAt;

/// The starts of the lines of a text.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// The lines of a text, which limits keep short.
    pub fn new(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self { starts: std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1)).collect() }
    }

    /// The position of a byte.
    pub fn position(&self, byte: u32) -> Position {
        let line = self.starts.partition_point(|&start| start <= byte);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        Position { line: line.max(1) as u32, column: byte - start + 1 }
    }

    /// An error at the position of a fault.
    pub fn error(&self, FaultAt { at, fault }: FaultAt) -> Error {
        Error { at: at.map(|byte| self.position(byte)), fault }
    }

    /// The line that a byte is in.
    pub fn text<'t>(&self, text: &'t str, byte: u32) -> &'t str {
        let line = self.starts.partition_point(|&start| start <= byte);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or(0) as usize;
        let rest = text.get(start..).unwrap_or_default();
        rest.lines().next().unwrap_or_default().trim()
    }
}
