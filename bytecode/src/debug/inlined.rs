//! Reads the lines of inlined functions, and finds the innermost position of each instruction.
//!
//! The symbol of an inlined function says where its instructions are by *annotations*: codes with operands, each in 1, 2
//! or 4 bytes, that move a position in the source and an offset in the program. A code that moves the offset makes a
//! row. microsoft-pdb has the codes in `include/cvinfo.h` (`BinaryAnnotationOpcode`), and how numbers are compressed
//! (`CVUncompressData`).
//!
//! Which bytes an offset counts from, and that a row's length does not move it, is fxc's own: lines agree with the
//! `#line` lines of its listing.

use super::error::{Budget, DebugError, DebugFault};
use super::lines::{LineTable, Position, Row};
use crate::reader::Reader;
use std::collections::BTreeSet;

type Result<T> = std::result::Result<T, DebugError>;

/// A call that was inlined, or the program itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Site {
    /// The site that it is called in; `None` for the program.
    pub parent: Option<u32>,
    /// How many calls it is in.
    pub depth: u32,
    /// Its rows for statements, by their beginnings.
    pub statements: Vec<(u32, u32, Position)>,
}

impl Site {
    /// Takes its statements from its rows.
    pub fn set_statements(&mut self, rows: &[Row]) {
        let statements = rows.iter().filter(|row| row.is_statement);
        self.statements = statements.map(|row| (row.start, row.end, row.position)).collect();
        self.statements.sort_by_key(|&(start, ..)| start);
    }

    /// The position of a byte's statement.
    pub fn statement(&self, byte: u32) -> Option<Position> {
        let behind = self.statements.partition_point(|&(start, ..)| start <= byte);
        let (_, end, position) = *self.statements.get(behind.checked_sub(1)?)?;
        (byte < end).then_some(position)
    }
}

/// Makes rows of the annotations of an inlined function.
///
/// `function` is its file and line; `code` has the first byte of the function that it is inlined in, and the byte behind
/// the last.
pub(super) fn rows(
    mut reader: Reader<'_>,
    function: Position,
    code: (u32, u32),
    table: &LineTable,
    budget: &mut Budget<'_>,
) -> Result<Vec<Row>> {
    let (mut position, mut offset, mut is_statement) = (function, code.0, true);
    let mut rows: Vec<Row> = Vec::new();
    // The row whose end is not known yet.
    let mut is_open = false;
    while reader.left() > 0 {
        let at = reader.at();
        let code_number = number(&mut reader)?;
        let mut operand = || number(&mut reader);
        let mut length = None;
        let makes_row = match code_number {
            // Padding.
            0 => break,
            1 => {
                offset = operand()?;
                false
            }
            // Of code in several parts, which fxc does not write.
            2 => {
                operand()?;
                false
            }
            3 => {
                offset = offset.saturating_add(operand()?);
                true
            }
            4 => {
                length = Some(operand()?);
                false
            }
            5 => {
                position.file = table.file(at, operand()?)?;
                false
            }
            6 => {
                position.line = position.line.wrapping_add_signed(signed(operand()?));
                false
            }
            // How many lines a row has, and where its columns end.
            7 | 10 | 13 => {
                operand()?;
                false
            }
            8 => {
                is_statement = operand()? != 0;
                false
            }
            9 => {
                position.column = operand()? as u16;
                false
            }
            11 => {
                let both = operand()?;
                position.line = position.line.wrapping_add_signed(signed(both >> 4));
                offset = offset.saturating_add(both & 15);
                true
            }
            12 => {
                length = Some(operand()?);
                offset = offset.saturating_add(operand()?);
                true
            }
            code => return Err(DebugFault::Annotation { code }.at(at)),
        };
        if makes_row {
            budget.record(at)?;
            if let Some(row) = rows.last_mut().filter(|_| is_open) {
                row.end = row.end.min(offset.max(row.start));
            }
            rows.push(Row { start: offset, end: code.1, position, is_statement });
            is_open = true;
        }
        if let (Some(row), Some(length)) = (rows.last_mut().filter(|_| is_open), length) {
            row.end = row.end.min(row.start.saturating_add(length));
            is_open = false;
        }
    }
    Ok(rows)
}

/// An operand: 7 bits in one byte, 14 in two, 29 in four, the high ones first.
fn number(reader: &mut Reader<'_>) -> Result<u32> {
    let first = u32::from(reader.u8()?);
    let (mut number, more) = match first {
        0..0x80 => (first, 0),
        0x80..0xc0 => (first & 0x3f, 1),
        _ => (first & 0x1f, 3),
    };
    for _ in 0..more {
        number = number << 8 | u32::from(reader.u8()?);
    }
    Ok(number)
}

/// An operand with a sign, which is its lowest bit.
fn signed(number: u32) -> i32 {
    let magnitude = (number >> 1) as i32;
    if number & 1 != 0 { -magnitude } else { magnitude }
}

/// Positions by the bytes where they begin, each up to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Positions(Vec<(u32, Option<(u32, Position)>)>);

impl Positions {
    /// The innermost of some rows at every byte. Each row comes with its site and with that site's depth. Of one site's
    /// rows those for expressions are the inner ones.
    pub fn new(rows: &[(u32, u32, Row)]) -> Self {
        let mut ends: Vec<(u32, bool, u32)> = Vec::new();
        for (n, (.., row)) in rows.iter().enumerate().filter(|(_, (.., row))| row.start < row.end) {
            ends.push((row.start, true, n as u32));
            ends.push((row.end, false, n as u32));
        }
        ends.sort_unstable();
        // The rows at a byte, the innermost last.
        let mut open: BTreeSet<(u32, bool, u32)> = BTreeSet::new();
        let mut positions: Vec<(u32, Option<(u32, Position)>)> = Vec::new();
        for group in ends.chunk_by(|a, b| a.0 == b.0) {
            for &(_, begins, n) in group {
                let Some((_, depth, row)) = rows.get(n as usize) else { continue };
                let key = (*depth, !row.is_statement, n);
                if begins {
                    open.insert(key)
                } else {
                    open.remove(&key)
                };
            }
            let innermost = open.last().and_then(|&(.., n)| rows.get(n as usize));
            let position = innermost.map(|(site, _, row)| (*site, row.position));
            if let (Some(&(byte, ..)), true) = (group.first(), positions.last().is_none_or(|last| last.1 != position)) {
                positions.push((byte, position));
            }
        }
        Self(positions)
    }

    /// The site and the position of a byte.
    pub fn get(&self, byte: u32) -> Option<(u32, Position)> {
        let behind = self.0.partition_point(|&(start, _)| start <= byte);
        self.0.get(behind.checked_sub(1)?)?.1
    }
}
