//! Decodes machine code into instructions, basic blocks and jump tables.

use std::collections::BTreeSet;
use std::ops::Range;

use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, OpKind};

use super::Refusal;

/// Decoded machine code.
#[derive(Debug)]
pub(super) struct DecodedCode {
    /// All reachable instructions, in order of address.
    pub insts: Vec<Instruction>,
    /// Basic blocks, in order of address. The first is the entry.
    pub blocks: Vec<CodeBlock>,
    /// Jump tables, in order of address.
    pub tables: Vec<JumpTable>,
}

/// A basic block.
#[derive(Debug)]
pub(super) struct CodeBlock {
    pub insts: Range<usize>,
    /// Indices of the successors.
    pub next: Vec<usize>,
}

/// A jump table: offsets from its own first byte.
#[derive(Debug)]
pub(super) struct JumpTable {
    pub at: u32,
    pub targets: Vec<u32>,
}

impl DecodedCode {
    /// The index of the table at an address.
    pub fn table(&self, at: u64) -> Option<usize> {
        self.tables.binary_search_by_key(&at, |table| table.at.into()).ok()
    }
}

/// Decodes all code that can be reached from the first byte.
pub(super) fn decode(code: &[u8], block_starts: &[u32]) -> Result<DecodedCode, Refusal> {
    let mut scanner = CodeScanner {
        code,
        decoder: Decoder::new(64, code, DecoderOptions::NONE),
        seen: vec![false; code.len()],
        insts: Vec::new(),
        pending: BTreeSet::from([0]),
        tables: Vec::new(),
    };
    let mut leaders = BTreeSet::from([0]);
    while let Some(start) = scanner.pending.pop_first() {
        leaders.insert(start);
        scanner.follow(start, block_starts)?;
    }
    let CodeScanner { mut insts, mut tables, .. } = scanner;
    // Nearly sorted already, since fall-through paths are followed first.
    insts.sort_by_key(Instruction::ip);
    tables.sort_by_key(|table| table.at);
    for pair in insts.windows(2) {
        if pair[0].next_ip() > pair[1].ip() {
            return Err(Refusal::of(&pair[1], "it overlaps the one before it"));
        }
    }
    for table in &tables {
        let end = table.at + 4 * table.targets.len() as u32;
        let first = insts.partition_point(|inst| inst.next_ip() <= u64::from(table.at));
        if insts.get(first).is_some_and(|inst| inst.ip() < u64::from(end)) {
            return Err(Refusal::at(table.at, "a jump table overlaps code"));
        }
    }
    // The fall-through path of a branch is a block of its own: its state differs from that at the branch's target.
    let branches = insts.iter().filter(|inst| inst.flow_control() == FlowControl::ConditionalBranch);
    leaders.extend(branches.map(|inst| inst.next_ip() as u32));
    let mut program = DecodedCode { insts, blocks: Vec::new(), tables };
    program.blocks = blocks(&program, &leaders.into_iter().collect::<Vec<_>>())?;
    Ok(program)
}

struct CodeScanner<'a> {
    code: &'a [u8],
    decoder: Decoder<'a>,
    /// Set for each offset at which an instruction was decoded.
    seen: Vec<bool>,
    insts: Vec<Instruction>,
    /// Offsets at which decoding continues.
    pending: BTreeSet<u32>,
    tables: Vec<JumpTable>,
}

impl CodeScanner<'_> {
    /// Decodes straight-line code up to its end.
    fn follow(&mut self, start: u32, block_starts: &[u32]) -> Result<(), Refusal> {
        let mut at = start;
        let first = self.insts.len();
        let outside = |at| Refusal::at(at, "code goes on where there is none");
        self.decoder.set_position(at as usize).map_err(|_| outside(at))?;
        self.decoder.set_ip(at.into());
        loop {
            match self.seen.get_mut(at as usize) {
                None => return Err(outside(at)),
                Some(true) => return Ok(()),
                Some(seen) => *seen = true,
            }
            let inst = self.decoder.decode();
            if inst.is_invalid() {
                return Err(Refusal::at(at, "it is no instruction"));
            }
            self.insts.push(inst);
            match inst.flow_control() {
                FlowControl::Next => {}
                FlowControl::IndirectCall if inst.op0_kind() == OpKind::Register => {}
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
                    if inst.is_jcc_near() || inst.is_jmp_near() =>
                {
                    let target = u32::try_from(inst.near_branch64()).ok().filter(|&to| (to as usize) < self.code.len());
                    self.pending.insert(target.ok_or_else(|| Refusal::of(&inst, "it jumps out of the code"))?);
                    if inst.flow_control() == FlowControl::UnconditionalBranch {
                        return Ok(());
                    }
                }
                FlowControl::IndirectBranch => {
                    let table = table(self.code, &self.insts[first..], block_starts)
                        .ok_or_else(|| Refusal::of(&inst, "it jumps by no table that is known"))?;
                    self.pending.extend(&table.targets);
                    self.tables.push(table);
                    return Ok(());
                }
                FlowControl::Return if inst.code() == Code::Retnq => return Ok(()),
                _ => return Err(Refusal::of(&inst, "control flow of a kind that is not known")),
            }
            at = inst.next_ip() as u32;
        }
    }
}

/// The jump table of an indirect jump: `lea base, [table]; movsxd offset, [base + 4 * index]; add base, offset; jmp
/// base`, followed by the table itself, up to the next block.
fn table(code: &[u8], line: &[Instruction], block_starts: &[u32]) -> Option<JumpTable> {
    let [.., lea, load, add, jump] = line else { return None };
    let base = lea.op0_register();
    let codes = [lea, load, add, jump].map(|inst| inst.code());
    let is_known = codes == [Code::Lea_r64_m, Code::Movsxd_r64_rm32, Code::Add_r64_rm64, Code::Jmp_rm64]
        && lea.is_ip_rel_memory_operand()
        && load.op1_kind() == OpKind::Memory
        && (load.memory_base(), load.memory_index_scale(), load.memory_displacement64()) == (base, 4, 0)
        && load.op0_register() != base
        && (add.op0_register(), add.op1_register()) == (base, load.op0_register())
        && jump.op0_register() == base
        && lea.ip_rel_memory_address() == jump.next_ip();
    if !is_known {
        return None;
    }
    let at = jump.next_ip() as u32;
    let end = *block_starts.get(block_starts.partition_point(|&start| start <= at))?;
    let words = code.get(at as usize..end as usize)?;
    let target = |word: &[u8]| {
        let offset = i32::from_le_bytes(word.try_into().expect("a word has four bytes"));
        at.checked_add_signed(offset).filter(|&target| (target as usize) < code.len())
    };
    let targets = words.chunks_exact(4).map(target).collect::<Option<Vec<u32>>>()?;
    (words.len().is_multiple_of(4) && !targets.is_empty()).then_some(JumpTable { at, targets })
}

/// Divides the instructions into basic blocks at the leaders.
fn blocks(program: &DecodedCode, leaders: &[u32]) -> Result<Vec<CodeBlock>, Refusal> {
    let insts = &program.insts;
    let find = |at: u32| insts.binary_search_by_key(&u64::from(at), Instruction::ip);
    let leader = |&at: &u32| find(at).map_err(|_| Refusal::at(at, "a jump into an instruction"));
    let starts: Vec<usize> = leaders.iter().map(leader).collect::<Result<_, _>>()?;
    let number = |at: u32| leaders.binary_search(&at).expect("targets are leaders");
    let ends = starts.iter().skip(1).copied().chain([insts.len()]);
    let mut blocks = Vec::with_capacity(starts.len());
    for (start, end) in starts.iter().copied().zip(ends) {
        let mut next = Vec::new();
        for n in start..end {
            let inst = &insts[n];
            let flow = inst.flow_control();
            match flow {
                FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch => {
                    next.push(number(inst.near_branch64() as u32));
                }
                FlowControl::IndirectBranch => {
                    let table = program.table(inst.next_ip()).expect("found with the jump");
                    next.extend(program.tables[table].targets.iter().map(|&to| number(to)));
                }
                _ => {}
            }
            if matches!(flow, FlowControl::UnconditionalBranch | FlowControl::IndirectBranch | FlowControl::Return) {
                if n + 1 != end {
                    return Err(Refusal::of(&insts[n + 1], "nothing leads to it"));
                }
            } else if insts.get(n + 1).is_none_or(|after| after.ip() != inst.next_ip()) {
                return Err(Refusal::of(inst, "nothing comes after it"));
            } else if n + 1 == end {
                next.push(blocks.len() + 1);
            }
        }
        blocks.push(CodeBlock { insts: start..end, next });
    }
    Ok(blocks)
}
