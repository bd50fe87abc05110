//! Formats tables as text.

use std::io::{self, Write};

use super::style::Style;

/// A table as text.
pub(crate) struct Sheet<'a> {
    /// Each with a flag for columns of numbers.
    pub headings: Vec<(&'a str, bool)>,
    /// Row by row.
    pub cells: Vec<Vec<String>>,
}

impl Sheet<'_> {
    /// Writes it, with numbers aligned to the right.
    pub fn write(&self, out: &mut impl Write, style: Style) -> io::Result<()> {
        let Self { headings, cells } = self;
        let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..headings.len()).map(|at| headings[at].0.len().max(width(at))).collect();
        let line = |cells: Vec<&str>| {
            let padded = cells.iter().zip(&widths).zip(headings).map(|((cell, &width), (_, number))| match number {
                true => format!("{cell:>width$}"),
                false => format!("{cell:<width$}"),
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        writeln!(out, "{}", style.dim(&line(headings.iter().map(|(name, _)| *name).collect())))?;
        cells.iter().try_for_each(|row| writeln!(out, "{}", line(row.iter().map(String::as_str).collect())))
    }
}
