//! Rewrites expectations to the actual results.

use std::ops::Range;

use super::{Expect, Item, NumberType};

/// Equal numbers from which on a new text has them as one repetition.
const RUN: usize = 8;
/// Lines of a difference that are shown.
const MOST_LINES: usize = 40;

/// A range of bytes of a file, and the text that replaces it.
pub(super) struct Edit {
    at: Range<usize>,
    text: String,
}

/// A text after edits that do not overlap.
pub(super) fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| edit.at.start);
    let mut text = text.to_owned();
    for edit in edits.into_iter().rev() {
        text.replace_range(edit.at, &edit.text);
    }
    text
}

/// Changes only the numbers that differ from the results, so that lines and comments stay.
pub(super) fn some(text: &str, items: &[Item], kind: NumberType, got: &[u8]) -> Vec<Edit> {
    let (mut edits, mut at) = (Vec::new(), 0);
    for item in items {
        let new = &got[at..at + item.bytes.len()];
        at += item.bytes.len();
        if *new != item.bytes[..] {
            let hexadecimal = text[item.at.clone()].contains("0x");
            edits.push(Edit { at: item.at.clone(), text: numbers(kind, new, hexadecimal).join(" ") });
        }
    }
    edits
}

/// Replaces all numbers of an expectation.
pub(super) fn all(text: &str, expect: &Expect, items: &[Item], kind: NumberType, got: &[u8]) -> Edit {
    let numbers = numbers(kind, got, false);
    let lines: Vec<String> = numbers.chunks(16 / kind.size_bytes()).map(|line| line.join(" ")).collect();
    match (items.first(), items.last()) {
        (Some(first), Some(last)) => Edit { at: first.at.start..last.at.end, text: lines.join("\n") },
        _ => insertion(text, expect, &lines.join("\n"), expect.body.start..expect.body.start),
    }
}

/// Replaces an expected message.
pub(super) fn message(text: &str, expect: &Expect, message: &str) -> Edit {
    let end = if expect.body.end < text.len() { "\n" } else { "" };
    insertion(text, expect, &format!("{message}{end}"), expect.body.clone())
}

/// Replaces some lines of an expectation.
fn insertion(text: &str, expect: &Expect, lines: &str, at: Range<usize>) -> Edit {
    let start = if text[..expect.body.start].ends_with('\n') { "" } else { "\n" };
    Edit { at, text: format!("{start}{lines}\n") }
}

/// Numbers as they are written in a file.
fn numbers(kind: NumberType, bytes: &[u8], hexadecimal: bool) -> Vec<String> {
    let bits: Vec<u64> = kind.split(bytes).collect();
    let mut texts = Vec::new();
    for run in bits.chunk_by(|a, b| a == b) {
        let text = kind.write(run[0], hexadecimal);
        match run.len() {
            RUN.. => texts.push(format!("{text} x {}", run.len())),
            few => texts.extend(std::iter::repeat_n(text, few)),
        }
    }
    texts
}

/// The lines that differ between two texts.
pub(super) fn diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[same..], &new[same..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - same], &new[..new.len() - same]);
    let mut lines: Vec<String> = Vec::new();
    if old.len() == new.len() {
        for (old, new) in old.iter().zip(new).filter(|(old, new)| old != new) {
            lines.extend([format!("-{old}"), format!("+{new}")]);
        }
    } else {
        lines.extend(old.iter().map(|line| format!("-{line}")));
        lines.extend(new.iter().map(|line| format!("+{line}")));
    }
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("({more} more lines)"));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
