//! Lists the shader as packets run it: the intermediate representation with comments on how each operation was lowered.
//!
//! The text is that of `brolga_ir::text` and parses to the same function. The comments are the notes that
//! `lower/notes.rs` takes during lowering; `docs/emit.md` explains them.

use std::fmt::Write as _;

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Value};
use brolga_ir::function::{InstData, InstKind};
use brolga_ir::text::{self, Line, Names};

use super::{LineKind, Listing, Remarks};
use crate::codegen::Statistics;
use crate::lower::notes::{Kept, Note, Notes, Packets, ValueForm, ValueNote};

/// The column of comments, unless the line is longer.
const COLUMN: usize = 64;

/// Writes the listing.
pub(super) fn list(func: &Function, statistics: Statistics, notes: &Notes, remarks: &Remarks) -> Listing {
    let mut listing = Listing::default();
    let lines = text::lines(func, Names::Dense);
    summary(&mut listing, func, statistics, &lines, notes);
    let mut decisions = vec![Vec::new(); func.inst_count()];
    for &(inst, note) in &notes.insts {
        decisions[inst.index()].push(note);
    }
    for line in lines {
        let Some(inst) = line.inst else {
            listing.push(LineKind::Plain, line.text);
            continue;
        };
        if let Some(n) = notes.segments.iter().position(|&(first, _)| first == inst) {
            let indent = line.text.len() - line.text.trim_start().len();
            let what = match notes.segments[n].1 {
                Packets::Loop(_) if notes.arena.threads.is_none() => {
                    "the span's packets run it, one after the other".to_owned()
                }
                Packets::Loop(1) => "one packet runs it".to_owned(),
                Packets::Loop(packets) => format!("{packets} packets run it, one after the other"),
                Packets::Idle => "done once for the group, nothing is left for packets".to_owned(),
            };
            listing.push(LineKind::Part, format!("{:indent$}# segment {n}: {what}", ""));
        }
        let mut parts = comment(func, inst, notes, &decisions[inst.index()]);
        parts.extend(remarks.get(&inst).cloned());
        let comment = parts.join("; ");
        listing.push(LineKind::Plain, join(line.text, &comment));
    }
    listing
}

fn join(mut line: String, comment: &str) -> String {
    if !comment.is_empty() {
        let padding = COLUMN.saturating_sub(line.chars().count()).max(2);
        write!(line, "{:padding$}# {comment}", "").expect("a string takes everything that is written to it");
    }
    line
}

fn summary(listing: &mut Listing, func: &Function, statistics: Statistics, lines: &[Line], notes: &Notes) {
    let arena = notes.arena;
    let mut push = |text: String| listing.push(LineKind::Summary, text);
    let lanes = func.width.lanes();
    let threads = match arena.threads {
        Some(threads) => format!("threads: {threads}; packets of {lanes} lanes: {}", arena.packets),
        None => format!("groups share packets; packets of {lanes} lanes: at most {} of a span", arena.packets),
    };
    let vectors = statistics.vectors(func);
    push(format!("# {threads}; vectors of a packet: {vectors} for 32 bits, {} for 64", 2 * vectors));
    let locals = match (arena.local_bytes, arena.locals_per_packet) {
        (0, _) => "no private arrays".to_owned(),
        (bytes, true) => format!("{bytes} bytes of private arrays for each packet"),
        (bytes, false) => format!("{bytes} bytes of private arrays for all packets in turn"),
    };
    let alive = if arena.alive { ", with the threads that have not returned" } else { "" };
    push(format!(
        "# arena: {} bytes shared, {} bytes kept for each packet{alive}, {locals}",
        arena.shared_bytes, arena.record_bytes
    ));
    let computed = computed(func, lines);
    let values = forms(&computed, &notes.values, Count::Always).unwrap_or_else(|| "none".into());
    push(format!("# values: {values}; segments: {}", notes.segments.len()));
}

/// All values but constants.
fn computed(func: &Function, lines: &[Line]) -> Vec<Value> {
    let mut values = Vec::new();
    for data in lines.iter().filter_map(|line| line.inst).map(|inst| func.inst(inst)) {
        if let InstKind::Loop { body, .. } = data.kind {
            values.extend(&func.region(body).params);
        }
        values.extend(data.results.iter().filter(|&&result| func.as_const(result).is_none()));
    }
    values
}

/// The comment on an instruction: facts and decisions.
fn comment(func: &Function, inst: Inst, notes: &Notes, decisions: &[Note]) -> Vec<String> {
    let data = func.inst(inst);
    if matches!(data.kind, InstKind::Const(_)) {
        return Vec::new();
    }
    let mut parts = values(func, data, &notes.values);
    for (n, note) in decisions.iter().enumerate() {
        // Said once, however often it was decided.
        if !decisions[..n].contains(note) {
            parts.push(match decisions.iter().filter(|other| *other == note).count() {
                1 => note.to_string(),
                count => format!("{note} ({count}x)"),
            });
        }
    }
    parts
}

/// Facts about an instruction's results.
fn values(func: &Function, data: &InstData, notes: &[ValueNote]) -> Vec<String> {
    let mut parts = Vec::new();
    let mut kept: Vec<Kept> = Vec::new();
    match data.kind {
        InstKind::Loop { body, .. } => {
            let params = &func.region(body).params;
            parts.extend(forms(params, notes, Count::IfMixed).map(|forms| format!("variables {forms}")));
            parts.extend(forms(&data.results, notes, Count::IfMixed).map(|forms| format!("results {forms}")));
            kept.extend(params.iter().filter_map(|param| notes[param.index()].kept));
        }
        _ => parts.extend(forms(&data.results, notes, Count::IfMixed)),
    }
    if let [result] = data.results[..] {
        let ValueNote { step, most, .. } = notes[result.index()];
        parts.extend(step.map(|step| format!("{:+} a lane", step as i32)));
        parts.extend(most.map(|most| format!("at most {most}")));
    }
    kept.extend(data.results.iter().filter_map(|result| notes[result.index()].kept));
    if kept.contains(&Kept::Group) {
        parts.push("kept for the group".into());
    }
    let offsets: Vec<String> = kept.iter().filter_map(|kept| kept.record_offset()).map(|at| at.to_string()).collect();
    if !offsets.is_empty() {
        parts.push(format!("kept at {}", offsets.join(", ")));
    }
    parts
}

/// The condition for stating how many values have a form.
#[derive(Clone, Copy, PartialEq)]
enum Count {
    Always,
    /// Unless all have the same.
    IfMixed,
}

/// The forms of some values.
fn forms(values: &[Value], notes: &[ValueNote], count: Count) -> Option<String> {
    let word = |form: ValueForm| match form {
        ValueForm::Group => "group",
        ValueForm::Uniform => "uniform",
        ValueForm::Packet => "packet",
    };
    let of = |form: ValueForm| values.iter().filter(|value| notes[value.index()].form == form).count();
    let counts = [ValueForm::Group, ValueForm::Uniform, ValueForm::Packet].map(|form| (word(form), of(form)));
    let there: Vec<_> = counts.into_iter().filter(|&(_, count)| count > 0).collect();
    match there[..] {
        [] => None,
        [(word, _)] if count == Count::IfMixed => Some(word.to_owned()),
        _ => Some(there.iter().map(|(word, count)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")),
    }
}
