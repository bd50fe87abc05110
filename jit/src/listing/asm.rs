//! Lists machine code below the instructions it was generated from.
//!
//! ```text
//! ;   3 | mad r0.x, r1.x, l(2.000000), r0.x                     <- the shader's instruction, number 3
//! ;       v12: f32 = fmul v9, v11                               <- the operation that it became
//!   0041  c5fc59c1            vmulps xmm0, xmm0, xmm1           <- offset, bytes, machine instruction
//! ;  (7)| ld_structured r2.x, ...                               <- code of an instruction that was moved here
//! ```

use std::collections::BTreeMap;

use brolga_ir::Function;
use brolga_ir::entity::Inst;
use brolga_ir::text::{self, Names};

use super::disassemble::{Piece, PieceContent, Stack, disassemble};
use super::order::in_order;
use super::{Counts, LineKind, Listing, SourceLine};
use crate::codegen::{Machine, Record};
use crate::options::Options;
use crate::site::CodeSite;

/// Bytes of an instruction that fit next to its text.
const SHOWN_BYTES: usize = 10;
/// Bytes of data on a line.
const DATA_BYTES: usize = 16;

/// Writes the listing.
pub(super) fn list(
    func: &Function,
    options: &Options,
    machine: &Machine,
    record: &Record,
    source: &[SourceLine],
) -> Listing {
    let found = disassemble(&machine.bytes, &record.blocks, &record.jumps);
    let pieces = with_sites(&found.pieces, record);
    let mut listing = Listing::default();
    summary(&mut listing, func, options, machine, record, &pieces, source);
    let mut writer = AsmWriter {
        listing,
        source,
        numbers: source.iter().enumerate().map(|(n, line)| (line.origin.0, n)).collect(),
        operations: operations(func),
        func,
        has_code: vec![false; source.len()],
        next: 0,
    };
    let runs: Vec<&[(&Piece, Owner)]> = pieces.chunk_by(|a, b| writer.part(a.1) == writer.part(b.1)).collect();
    let numbered: Vec<(usize, usize)> =
        runs.iter().enumerate().filter_map(|(n, run)| Some((n, writer.number(run[0].1)?))).collect();
    numbered.iter().for_each(|&(_, number)| writer.has_code[number] = true);
    let mut backbone = vec![false; runs.len()];
    let chosen = in_order(&numbered.iter().map(|&(_, number)| number).collect::<Vec<_>>());
    numbered.iter().zip(chosen).for_each(|(&(run, _), chosen)| backbone[run] = chosen);
    let last = runs.len().saturating_sub(1);
    for (n, (run, in_order)) in runs.into_iter().zip(backbone).enumerate() {
        if n == last && run[0].1 == Owner::Data {
            writer.idle_up_to(source.len());
        }
        writer.head(run[0].1, in_order);
        let mut operation = None;
        for (piece, owner) in run {
            if let Owner::Site(CodeSite::Inst { inst, .. }) = owner
                && operation != Some(*inst)
            {
                writer.operation(*inst);
                operation = Some(*inst);
            }
            let label = found.labels.get(&piece.at).map(String::as_str);
            writer.piece(piece, label, found.loops.contains(&piece.at), &machine.bytes);
        }
    }
    writer.idle_up_to(source.len());
    writer.listing
}

/// The part of the function to which a piece belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owner {
    Prologue,
    Site(CodeSite),
    Data,
}

/// Register moves and spills have no site: such code belongs to the piece before it.
fn with_sites<'a>(pieces: &'a [Piece], record: &Record) -> Vec<(&'a Piece, Owner)> {
    let mut sites = record.sites.iter().peekable();
    let mut last = Owner::Prologue;
    let mut placed = Vec::with_capacity(pieces.len());
    for piece in pieces {
        while sites.next_if(|(range, _)| range.end <= piece.at).is_some() {}
        if let Some((_, site)) = sites.peek().filter(|(range, _)| range.contains(&piece.at)) {
            last = Owner::Site(*site);
        }
        let code = matches!(piece.content, PieceContent::Instruction { .. });
        placed.push((piece, if code { last } else { Owner::Data }));
    }
    placed
}

/// The text of every operation.
fn operations(func: &Function) -> BTreeMap<Inst, String> {
    let lines = text::lines(func, Names::Dense);
    let trim = |text: &str| text.trim().trim_end_matches([' ', '{']).to_owned();
    lines.into_iter().filter_map(|line| Some((line.inst?, trim(&line.text)))).collect()
}

/// Counts machine instructions, data, spills and reloads.
pub(super) fn count(machine: &Machine, record: &Record) -> Counts {
    let found = disassemble(&machine.bytes, &record.blocks, &record.jumps);
    count_pieces(&with_sites(&found.pieces, record))
}

fn count_pieces(pieces: &[(&Piece, Owner)]) -> Counts {
    let mut counts = Counts::default();
    for (piece, owner) in pieces {
        match &piece.content {
            PieceContent::Instruction { stack, .. } => {
                counts.instructions += 1;
                // Saving the caller's registers is not a spill.
                if !matches!(owner, Owner::Prologue | Owner::Site(CodeSite::Exit)) {
                    counts.spills += u32::from(*stack == Stack::Writes);
                    counts.reloads += u32::from(*stack == Stack::Reads);
                }
            }
            _ => counts.data_bytes += piece.len,
        }
    }
    counts
}

fn summary(
    listing: &mut Listing,
    func: &Function,
    options: &Options,
    machine: &Machine,
    record: &Record,
    pieces: &[(&Piece, Owner)],
    source: &[SourceLine],
) {
    let Counts { instructions: count, data_bytes, spills, reloads } = count_pieces(pieces);
    let code_bytes = machine.bytes.len() as u32 - data_bytes;
    let operations = text::lines(func, Names::Dense).iter().filter(|line| line.inst.is_some()).count();
    let mut push = |text: String| listing.push(LineKind::Summary, text);
    push(format!("; {}: {} instructions, {operations} operations", func.name, source.len()));
    push(format!(
        "; {count} machine instructions in {code_bytes} bytes, {data_bytes} bytes of data, frame of {} bytes, {spills} spills, {reloads} reloads",
        machine.statistics.frame_bytes
    ));
    let features = options.features.names().join(", ");
    let vectors = machine.statistics.vectors(func);
    let bytes = machine.statistics.vector_bytes;
    push(format!("; packets of {} threads in {vectors} vectors of {bytes} bytes, {features}", func.width.lanes()));
    if let Some(refusal) = &record.refusal {
        push(format!("; not widened: {refusal}"));
    }
}

struct AsmWriter<'a> {
    listing: Listing,
    func: &'a Function,
    source: &'a [SourceLine],
    /// Numbers of the shader's instructions by origin.
    numbers: BTreeMap<u32, usize>,
    operations: BTreeMap<Inst, String>,
    has_code: Vec<bool>,
    /// The first instruction that was not listed in order.
    next: usize,
}

impl AsmWriter<'_> {
    /// The site that a run of pieces shares.
    fn part(&self, owner: Owner) -> (Owner, Option<usize>) {
        match owner {
            Owner::Site(CodeSite::Inst { once, .. }) => {
                // All operations of one instruction.
                let common = CodeSite::Inst { inst: Inst::new(0), once };
                (Owner::Site(common), self.number(owner))
            }
            _ => (owner, None),
        }
    }

    /// The number of the shader's instruction.
    fn number(&self, owner: Owner) -> Option<usize> {
        match owner {
            Owner::Site(CodeSite::Inst { inst, .. }) => self.numbers.get(&self.func.inst(inst).origin.0).copied(),
            _ => None,
        }
    }

    fn head(&mut self, owner: Owner, in_order: bool) {
        let part = match owner {
            Owner::Prologue => "entry",
            Owner::Data => "data",
            Owner::Site(CodeSite::Start) => "for the group: its number, its views",
            Owner::Site(CodeSite::Clear) => "for the group: memory is cleared",
            Owner::Site(CodeSite::Packets) => "loop over packets",
            Owner::Site(CodeSite::Recall) => "inputs, and values from other segments",
            Owner::Site(CodeSite::Tail) => "end of the segment",
            Owner::Site(CodeSite::Exit) => "return",
            Owner::Site(CodeSite::Inst { once, .. }) => {
                let Some(number) = self.number(owner) else {
                    return self.listing.push(LineKind::Part, "; of no instruction");
                };
                let once = if once { "  ; once for the group" } else { "" };
                let text = &self.source[number].text;
                if !in_order {
                    return self
                        .listing
                        .push(LineKind::Shader, format!("; {:>5}| {text}{once}", format!("({number})")));
                }
                self.idle_up_to(number);
                self.next = number + 1;
                return self.listing.push(LineKind::Shader, format!("; {number:>4} | {text}{once}"));
            }
        };
        self.listing.push(LineKind::Part, format!("; {part}"));
    }

    /// Lists instructions up to this one, which have no code here.
    fn idle_up_to(&mut self, number: usize) {
        for n in self.next..number {
            let why = if self.has_code[n] { "moved" } else { "no code of its own" };
            self.listing.push(LineKind::Shader, format!("; {n:>4} | {}  ; {why}", self.source[n].text));
        }
        self.next = self.next.max(number);
    }

    fn operation(&mut self, inst: Inst) {
        let text = self.operations.get(&inst).map_or("", String::as_str);
        self.listing.push(LineKind::Operation, format!(";        {text}"));
    }

    fn piece(&mut self, piece: &Piece, label: Option<&str>, is_loop: bool, bytes: &[u8]) {
        let bytes = &bytes[piece.at as usize..(piece.at + piece.len) as usize];
        match &piece.content {
            PieceContent::Instruction { text, .. } => {
                if let Some(label) = label {
                    let note = if is_loop { "  ; loop" } else { "" };
                    self.listing.push(LineKind::Label, format!("{label}:{note}"));
                }
                self.row(piece.at, bytes, text);
            }
            PieceContent::Constant => self.data(piece.at, bytes, &format!("{}: constant", label.unwrap_or("?"))),
            PieceContent::Table => self.data(piece.at, bytes, &format!("{}: jump table", label.unwrap_or("?"))),
            PieceContent::Padding => self.data(piece.at, bytes, "padding"),
        }
    }

    fn data(&mut self, at: u32, bytes: &[u8], name: &str) {
        for (n, part) in bytes.chunks(DATA_BYTES).enumerate() {
            self.row(at + (n * DATA_BYTES) as u32, part, if n == 0 { name } else { "" });
        }
    }

    fn row(&mut self, at: u32, bytes: &[u8], text: &str) {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let row = format!("  {at:04x}  {hex:<width$}  {text}", width = 2 * SHOWN_BYTES);
        self.listing.push(LineKind::Machine, row.trim_end());
    }
}
