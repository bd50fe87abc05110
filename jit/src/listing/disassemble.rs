//! Disassembles machine code.
//!
//! Jump tables and constants lie within the code and after it. Code is found by following control flow from the starts
//! of blocks through every branch to each instruction that does not fall through. The rest is data.

use std::collections::{BTreeMap, BTreeSet};

use iced_x86::{
    Decoder, DecoderOptions, Formatter, FormatterTextKind, Instruction, IntelFormatter, Mnemonic, OpKind, Register,
    SymbolResolver, SymbolResult,
};

/// A piece of machine code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Offset of its first byte.
    pub at: u32,
    /// Number of its bytes.
    pub len: u32,
    pub content: PieceContent,
}

/// The content of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PieceContent {
    /// A machine instruction.
    Instruction { text: String, stack: Stack },
    /// Numbers that code reads.
    Constant,
    /// Offsets that a jump chooses from.
    Table,
    /// Bytes that nothing refers to.
    Padding,
}

/// The effect of an instruction on the stack frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stack {
    Nothing,
    Writes,
    Reads,
}

/// Disassembled machine code. The pieces cover every byte once, in order.
#[derive(Debug)]
pub(super) struct Disassembly {
    pub pieces: Vec<Piece>,
    /// Labels of jump targets and of the data that code reads.
    pub labels: BTreeMap<u32, String>,
    /// Targets of backward jumps.
    pub loops: BTreeSet<u32>,
}

/// Disassembles machine code. `blocks` are starts of basic blocks, and `jumps` those that are jump targets.
pub(super) fn disassemble(bytes: &[u8], blocks: &[u32], jumps: &[u32]) -> Disassembly {
    let code = find_code(bytes, blocks);
    let targets: BTreeSet<u32> = code.values().filter_map(branch_target).chain(jumps.iter().copied()).collect();
    let loops = code.iter().filter_map(|(&at, found)| branch_target(found).filter(|&target| target <= at)).collect();
    let data = find_data(bytes, &code);
    let mut labels: BTreeMap<u32, String> = BTreeMap::new();
    labels.extend(targets.iter().filter(|at| code.contains_key(at)).enumerate().map(|(n, &at)| (at, format!("b{n}"))));
    let read = data.iter().filter(|piece| piece.content != PieceContent::Padding);
    labels.extend(read.enumerate().map(|(n, piece)| (piece.at, format!("c{n}"))));
    let mut pieces = write(&code, &labels);
    pieces.extend(data);
    pieces.sort_by_key(|piece| piece.at);
    Disassembly { pieces, labels, loops }
}

/// Every instruction that can be reached.
fn find_code(bytes: &[u8], blocks: &[u32]) -> BTreeMap<u32, Instruction> {
    let mut code = BTreeMap::new();
    follow(bytes, 0, &mut code);
    // Some blocks are reached through tables only. The reported start of a block is that before the code generator
    // removed a jump in front of it, so it may lie within an instruction.
    for &block in blocks {
        let before = code.range(..=block).next_back();
        if before.is_none_or(|(_, found)| found.next_ip() as u32 <= block) {
            follow(bytes, block, &mut code);
        }
    }
    code
}

/// Adds the code that can be reached from an offset.
fn follow(bytes: &[u8], start: u32, code: &mut BTreeMap<u32, Instruction>) {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    let mut ways = vec![start];
    while let Some(mut at) = ways.pop() {
        while (at as usize) < bytes.len() && !code.contains_key(&at) {
            decoder.set_position(at as usize).expect("just held against the length");
            decoder.set_ip(at.into());
            let found = decoder.decode();
            if found.is_invalid() {
                break;
            }
            code.insert(at, found);
            ways.extend(branch_target(&found));
            at = found.next_ip() as u32;
            if matches!(found.mnemonic(), Mnemonic::Ret | Mnemonic::Jmp | Mnemonic::Ud2) {
                break;
            }
        }
    }
}

fn branch_target(found: &Instruction) -> Option<u32> {
    let near = matches!(found.op0_kind(), OpKind::NearBranch64);
    near.then(|| found.near_branch64() as u32)
}

/// The bytes between instructions, split where something refers to them.
fn find_data(bytes: &[u8], code: &BTreeMap<u32, Instruction>) -> Vec<Piece> {
    let mut references: BTreeMap<u32, PieceContent> = BTreeMap::new();
    for found in code.values().filter(|found| found.is_ip_rel_memory_operand()) {
        let content = if found.mnemonic() == Mnemonic::Lea { PieceContent::Table } else { PieceContent::Constant };
        references.insert(found.ip_rel_memory_address() as u32, content);
    }
    let end = bytes.len() as u32;
    let mut pieces = Vec::new();
    let mut at = 0;
    let starts = code.values().map(|found| (found.ip() as u32, found.next_ip() as u32)).chain([(end, end)]);
    for (start, next) in starts {
        let mut from = at;
        while from < start {
            let to = references.range(from + 1..start).next().map_or(start, |(&to, _)| to);
            let content = references.get(&from).cloned().unwrap_or(PieceContent::Padding);
            pieces.push(Piece { at: from, len: to - from, content });
            from = to;
        }
        at = next;
    }
    pieces
}

fn write(code: &BTreeMap<u32, Instruction>, labels: &BTreeMap<u32, String>) -> Vec<Piece> {
    let mut formatter = IntelFormatter::with_options(Some(Box::new(LabelNames(labels.clone()))), None);
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    options.set_rip_relative_addresses(false);
    options.set_branch_leading_zeros(false);
    options.set_show_branch_size(false);
    let piece = |found: &Instruction| {
        let mut text = String::new();
        formatter.format(found, &mut text);
        let content = PieceContent::Instruction { text, stack: stack(found) };
        Piece { at: found.ip() as u32, len: found.len() as u32, content }
    };
    code.values().map(piece).collect()
}

/// Only spilled values are on the stack: code has no other variables and no arguments there.
fn stack(found: &Instruction) -> Stack {
    let frame = matches!(found.memory_base(), Register::RSP | Register::RBP);
    let memory = (0..found.op_count()).any(|n| found.op_kind(n) == OpKind::Memory);
    match (frame && memory && found.mnemonic() != Mnemonic::Lea, found.op0_kind(), found.mnemonic()) {
        (false, ..) => Stack::Nothing,
        (true, OpKind::Memory, Mnemonic::Cmp | Mnemonic::Test) => Stack::Reads,
        (true, OpKind::Memory, _) => Stack::Writes,
        (true, ..) => Stack::Reads,
    }
}

/// Replaces numbers by labels.
struct LabelNames(BTreeMap<u32, String>);

impl SymbolResolver for LabelNames {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _operand: u32,
        _instruction_operand: Option<u32>,
        address: u64,
        _address_size: u32,
    ) -> Option<SymbolResult<'_>> {
        let is_label = branch_target(instruction).is_some() || instruction.is_ip_rel_memory_operand();
        let name = self.0.get(&u32::try_from(address).ok()?).filter(|_| is_label)?;
        Some(SymbolResult::with_str_kind(address, name, FormatterTextKind::Label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code, as an assembler would list it: `xor eax, eax`, a jump over 16 bytes of data, a load of 8 of them, a
    /// jump back, a return.
    #[test]
    fn data_is_told_from_code() {
        let mut bytes = vec![0x31, 0xc0, 0xeb, 0x10];
        bytes.extend([0xcc; 16]);
        bytes.extend([0xf3, 0x0f, 0x7e, 0x05, 0xf0, 0xff, 0xff, 0xff]);
        bytes.extend([0x75, 0xe2, 0xc3]);
        let found = disassemble(&bytes, &[], &[]);
        let ends: Vec<u32> = found.pieces.iter().map(|piece| piece.at + piece.len).collect();
        let starts: Vec<u32> = found.pieces.iter().map(|piece| piece.at).collect();
        assert_eq!(starts, [0, 2, 4, 12, 20, 28, 30]);
        assert_eq!(ends[..6], starts[1..]);
        assert_eq!(ends[6] as usize, bytes.len());
        assert_eq!(
            (&found.pieces[2].content, &found.pieces[3].content),
            (&PieceContent::Padding, &PieceContent::Constant)
        );
        assert_eq!(found.loops.into_iter().collect::<Vec<_>>(), [0]);
        let texts: Vec<&str> = found
            .pieces
            .iter()
            .filter_map(|piece| match &piece.content {
                PieceContent::Instruction { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(texts, ["xor eax, eax", "jmp b1", "movq xmm0, [c0]", "jne b0", "ret"]);
    }

    #[test]
    fn accesses_to_the_frame_are_told_apart() {
        let stack = |bytes: &[u8]| match &disassemble(bytes, &[], &[]).pieces[0].content {
            PieceContent::Instruction { stack, .. } => *stack,
            other => panic!("{other:?}"),
        };
        assert_eq!(stack(&[0x48, 0x89, 0x44, 0x24, 0x08]), Stack::Writes, "mov [rsp+8], rax");
        assert_eq!(stack(&[0x48, 0x8b, 0x44, 0x24, 0x08]), Stack::Reads, "mov rax, [rsp+8]");
        assert_eq!(stack(&[0x48, 0x89, 0xe5]), Stack::Nothing, "mov rbp, rsp");
        assert_eq!(stack(&[0x48, 0x8b, 0x07]), Stack::Nothing, "mov rax, [rdi]");
    }
}
