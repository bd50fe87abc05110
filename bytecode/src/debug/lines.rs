//! Reads the line table of a module, CodeView's C13: subsections for files, for lines, and for inlined functions.
//!
//! | subsection | what |
//! |---|---|
//! | F4 | the files: each an offset in the strings of `/names`. Lines name a file by its place here |
//! | F2 | rows of the program: the offset of an instruction, its line and column |
//! | F6 | the inlined functions: file and line of each |
//!
//! fxc writes two rows for an instruction: for the statement, and for the expression in it. An instruction of an
//! inlined function has the row of the outermost call here; where it is in the function is said by the function's
//! symbol ([`super::inlined`]). Offsets are bytes from the beginning of the chunk with the program.
//!
//! microsoft-pdb has the records in `include/cvinfo.h` (`CV_DebugSLinesHeader_t`, `CV_Line_t`, `CV_Column_t`).

use super::error::{Budget, DebugError, DebugFault};
use crate::reader::Reader;
use std::collections::BTreeMap;

type Result<T> = std::result::Result<T, DebugError>;

const LINES: u32 = 0xf2;
const FILES: u32 = 0xf4;
const INLINED: u32 = 0xf6;

/// Flag of lines: they have columns.
const HAS_COLUMNS: u16 = 1;
/// Lines that stand for code without a source.
const NO_LINES: [u32; 2] = [0xfe_efee, 0xf0_0f00];

/// A position in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// Index of the file.
    pub file: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u16,
}

/// The bytes of code that a position is the source of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The first byte, from the beginning of the program's chunk.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
    pub position: Position,
    /// `true` for the statement, `false` for the expression in it.
    pub is_statement: bool,
}

/// The line table of a module.
#[derive(Default)]
pub(super) struct LineTable {
    /// For each file the offset of its name in the strings.
    pub names: Vec<u32>,
    /// Files by their offsets in their subsection.
    files: BTreeMap<u32, u32>,
    pub rows: Vec<Row>,
    /// File and line of each inlined function, by its number.
    pub inlined: BTreeMap<u32, Position>,
}

impl LineTable {
    pub fn read(reader: Reader<'_>, budget: &mut Budget<'_>) -> Result<Self> {
        let mut table = Self::default();
        // The files come first, wherever they are.
        for kinds in [&[FILES][..], &[LINES, INLINED]] {
            let mut reader = reader;
            while reader.left() > 0 {
                let [kind, size] = [reader.u32()?, reader.u32()?];
                let part = reader.part(size)?;
                reader.align();
                match kind {
                    FILES if kinds.contains(&FILES) => table.read_files(part, budget)?,
                    LINES if kinds.contains(&LINES) => table.read_lines(part, budget)?,
                    INLINED if kinds.contains(&INLINED) => table.read_inlined(part, budget)?,
                    _ => {}
                }
            }
        }
        Ok(table)
    }

    fn read_files(&mut self, mut reader: Reader<'_>, budget: &mut Budget<'_>) -> Result<()> {
        let start = reader.at();
        while reader.left() > 0 {
            let at = reader.at();
            budget.record(at)?;
            let name = reader.u32()?;
            let checksum_bytes = reader.u8()?;
            let _checksum_kind = reader.u8()?;
            reader.part(checksum_bytes.into())?;
            reader.align();
            self.files.insert(at - start, self.names.len() as u32);
            self.names.push(name);
        }
        Ok(())
    }

    /// The index of the file that is described at an offset of the files.
    pub fn file(&self, at: u32, file: u32) -> Result<u32> {
        self.files.get(&file).copied().ok_or_else(|| DebugFault::File { file }.at(at))
    }

    fn read_lines(&mut self, mut reader: Reader<'_>, budget: &mut Budget<'_>) -> Result<()> {
        let base = reader.u32()?;
        let _section = reader.u16()?;
        let has_columns = reader.u16()? & HAS_COLUMNS != 0;
        let code_end = base.saturating_add(reader.u32()?);
        let first = self.rows.len();
        while reader.left() > 0 {
            let at = reader.at();
            let file = reader.u32()?;
            let file = self.file(at, file)?;
            let count = reader.u32()?;
            let _block_bytes = reader.u32()?;
            let mut lines = reader.part(count.saturating_mul(8))?;
            let mut columns = match has_columns {
                true => Some(reader.part(count.saturating_mul(4))?),
                false => None,
            };
            for _ in 0..count {
                budget.record(lines.at())?;
                let [offset, word] = [lines.u32()?, lines.u32()?];
                let column = match &mut columns {
                    Some(columns) => {
                        let column = columns.u16()?;
                        columns.u16()?;
                        column
                    }
                    None => 0,
                };
                let position = Position { file, line: word & 0xff_ffff, column };
                let (start, is_statement) = (base.saturating_add(offset), word >> 31 != 0);
                self.rows.push(Row { start, end: code_end, position, is_statement });
            }
        }
        let rows = self.rows.get_mut(first..).unwrap_or_default();
        close(rows);
        self.rows.retain(|row| !NO_LINES.contains(&row.position.line));
        Ok(())
    }

    fn read_inlined(&mut self, mut reader: Reader<'_>, budget: &mut Budget<'_>) -> Result<()> {
        // 1 if functions have more files than one.
        let has_more_files = reader.u32()? != 0;
        while reader.left() > 0 {
            let at = reader.at();
            budget.record(at)?;
            let [function, file, line] = [reader.u32()?, reader.u32()?, reader.u32()?];
            if has_more_files {
                let more = reader.u32()?;
                reader.part(more.saturating_mul(4))?;
            }
            let file = self.file(at, file)?;
            self.inlined.insert(function, Position { file, line, column: 0 });
        }
        Ok(())
    }
}

/// Ends each row where the next one of its kind begins.
fn close(rows: &mut [Row]) {
    rows.sort_by_key(|row| (row.is_statement, row.start));
    let mut next: Option<Row> = None;
    for row in rows.iter_mut().rev() {
        if let Some(next) = next.filter(|next| next.is_statement == row.is_statement) {
            row.end = row.end.min(next.start);
        }
        next = Some(*row);
    }
}
