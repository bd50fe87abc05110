//! Comments of a listing that come from debug information: the source of instructions, and the variables in registers.

use crate::debug::{DebugInfo, Place, SourceLine, Variable};
use crate::sm5::{Item, ItemKind};
use std::fmt::{self, Write};

/// Letters of a comment, calls and variables that it names, beyond which it is cut: long lines may be the source of
/// many instructions.
const MOST: usize = 200;
const MOST_CALLS: usize = 4;
const MOST_VARIABLES: usize = 64;

/// The comments of a program, in the order of its items.
pub(super) struct SourceComments<'d> {
    debug: &'d DebugInfo,
    /// The places of variables by the bytes from which they hold, and the first that has no comment yet.
    places: Vec<(&'d Variable, &'d Place)>,
    next: usize,
    last: Option<SourceLine>,
}

impl<'d> SourceComments<'d> {
    pub fn new(debug: &'d DebugInfo) -> Self {
        let locals = debug.variables().iter().filter(|variable| !variable.is_global());
        let places = locals.flat_map(|variable| variable.places.iter().map(move |place| (variable, place)));
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|(_, place)| place.code.start);
        Self { debug, places, next: 0, last: None }
    }

    /// Writes the lines before an item: the source, if it is another than that of the item before.
    pub fn before(&mut self, out: &mut String, item: &Item, indent: usize) -> fmt::Result {
        if !matches!(item.kind, ItemKind::Instruction(_)) {
            return Ok(());
        }
        // What holds from the first instruction on are the parameters.
        for held in self.held(item.at) {
            writeln!(out, "{:indent$}// {}", "", one_line(&held))?;
        }
        let Some(line) = self.debug.line_at(item.at) else { return Ok(()) };
        let is_same = |last: &SourceLine| (&last.file, last.line) == (&line.file, line.line);
        if self.last.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        let mut comment = line.to_string();
        let callers: Vec<String> =
            self.debug.callers(item.at).take(MOST_CALLS).map(|caller| caller.to_string()).collect();
        if !callers.is_empty() {
            write!(comment, " (called at {})", callers.join(", "))?;
        }
        if let Some(text) = self.debug.text_of(&line) {
            let text = text.get(..text.floor_char_boundary(2 * MOST)).unwrap_or_default();
            write!(comment, ": {}", text.trim())?;
        }
        writeln!(out, "{:indent$}// {}", "", one_line(&comment))?;
        self.last = Some(line);
        Ok(())
    }

    /// Writes the variables that registers hold after an instruction, at the end of its line.
    pub fn after(&mut self, out: &mut String, item: &Item) -> fmt::Result {
        if !matches!(item.kind, ItemKind::Instruction(_)) {
            return Ok(());
        }
        let held = self.held(item.at.saturating_add(item.word_count.saturating_mul(4)));
        if held.is_empty() {
            return Ok(());
        }
        out.truncate(out.trim_end().len());
        writeln!(out, "  // {}", one_line(&held.join("; ")))
    }

    /// What registers hold from a byte on, for each variable: `r0.x <- sum.x; r0.y <- sum.y`.
    fn held(&mut self, byte: u32) -> Vec<String> {
        let (mut texts, mut last): (Vec<String>, Option<&Variable>) = (Vec::new(), None);
        while let Some(&(variable, place)) = self.places.get(self.next).filter(|(_, place)| place.code.start <= byte) {
            self.next += 1;
            if place.code.start < byte || texts.len() > MOST_VARIABLES {
                continue;
            }
            match texts.last_mut() {
                Some(text) if last.is_some_and(|last| std::ptr::eq(last, variable)) => {
                    if text.len() < MOST {
                        let _ = write!(text, "; {place} <- {}", self.debug.part_of(variable, place));
                    }
                }
                _ => texts.push(format!("{place} <- {}", self.debug.part_of(variable, place))),
            }
            last = Some(variable);
        }
        texts
    }
}

/// A text without characters that would end or steer a line, cut where it is too long.
fn one_line(text: &str) -> String {
    let plain = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut cut: String = plain.take(MOST).collect();
    if text.chars().nth(MOST).is_some() {
        cut.push('…');
    }
    cut
}
