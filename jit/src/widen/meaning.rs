//! How many parts of each register and spill slot mean something, found by data flow.
//!
//! Where stock code has a vector of four lanes, wide code has one of several parts of four lanes each. Where it has a scalar, or
//! 128 bits that were taken out of a vector, only the first part means anything, and an instruction that would
//! look at the others must not exist. This pass proves that it does not, and decides at the same time how each instruction is
//! rewritten, so that nothing is rewritten that was not looked at.

use std::collections::BTreeMap;

use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};

use super::decode::{Block, Program};
use super::forms::{Borrowed, Form, form, is_general};
use super::{Refusal, vector_number};

/// What to do with an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// It stays, apart from places on the stack.
    Keep,
    /// Another instruction, with wide registers for all operands that are vectors.
    Widen(Code),
    /// The same, except for the last operand.
    WidenButLast(Code),
    /// Another instruction with a wide first operand.
    WidenFirst(Code),
    /// The quadword of a part in every part.
    SplatPair,
    /// [`Form::Promote`].
    Promote,
    /// [`Form::Demote`].
    Demote,
    Take(u8),
    Insert(u8),
    LoadPart,
    StorePart,
    /// Makes room on the stack.
    Enter,
    /// Gives it back.
    Leave,
    Call,
    Return,
}

/// How much of a register means something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    /// Nothing was written on any way here.
    Unset,
    /// The same in every part.
    Uniform,
    /// This many parts, from the first.
    Parts(u8),
}

impl Meaning {
    /// What is certain where either may come.
    fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Meaning::Unset, other) | (other, Meaning::Unset) => other,
            (Meaning::Uniform, other) | (other, Meaning::Uniform) => other,
            (Meaning::Parts(a), Meaning::Parts(b)) => Meaning::Parts(a.min(b)),
        }
    }

    /// What is computed from it part by part.
    fn used(self) -> Self {
        if self == Meaning::Unset { Meaning::Parts(1) } else { self }
    }

    /// Whether this many parts mean something.
    fn has(self, parts: u8) -> bool {
        match self {
            Meaning::Uniform => true,
            Meaning::Parts(have) => have >= parts,
            Meaning::Unset => false,
        }
    }

    /// Whether the first part alone may be looked at. In a vector the first lane is one of many, and whoever wants it takes the
    /// part first.
    fn is_narrow(self) -> bool {
        !matches!(self, Meaning::Parts(2..))
    }
}

/// Registers and spill slots.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    registers: [Meaning; 16],
    /// By number.
    slots: Vec<Meaning>,
}

impl State {
    fn meet(&mut self, other: &Self) -> bool {
        let mut changed = false;
        let pairs = self.registers.iter_mut().zip(&other.registers);
        for (mine, other) in pairs.chain(self.slots.iter_mut().zip(&other.slots)) {
            let met = mine.meet(*other);
            changed |= met != *mine;
            *mine = met;
        }
        changed
    }
}

/// What is known of a function as a whole.
struct Flow<'a> {
    program: &'a Program,
    parts: u8,
    /// Spill slots of vectors: their numbers by their places.
    slots: BTreeMap<u64, usize>,
    /// The room that the function has on the stack.
    frame: Option<u64>,
}

/// The step for each instruction.
pub(super) fn steps(program: &Program, parts: u8) -> Result<Vec<Step>, Refusal> {
    let flow = Flow::new(program, parts)?;
    let mut before: Vec<Option<State>> = vec![None; program.blocks.len()];
    before[0] = Some(State { registers: [Meaning::Unset; 16], slots: vec![Meaning::Unset; flow.slots.len()] });
    let mut waiting: std::collections::BTreeSet<usize> = [0].into();
    while let Some(number) = waiting.pop_first() {
        let mut state = before[number].clone().expect("blocks wait once they are reached");
        let block = &program.blocks[number];
        flow.block(block, &mut state, |_| ())?;
        for &next in &block.next {
            let changed = match &mut before[next] {
                Some(known) => known.meet(&state),
                empty => {
                    *empty = Some(state.clone());
                    true
                }
            };
            if changed {
                waiting.insert(next);
            }
        }
    }
    let mut steps = Vec::with_capacity(program.insts.len());
    for (block, before) in program.blocks.iter().zip(before) {
        let mut state = before.ok_or_else(|| Refusal::of(&program.insts[block.insts.start], "nothing leads to it"))?;
        flow.block(block, &mut state, |step| steps.push(step))?;
    }
    Ok(steps)
}

impl<'a> Flow<'a> {
    fn new(program: &'a Program, parts: u8) -> Result<Self, Refusal> {
        let mut flow = Self { program, parts, slots: BTreeMap::new(), frame: None };
        // Scalars have slots of their own.
        let mut scalars = Vec::new();
        for inst in &program.insts {
            if stack_access(inst)? {
                let at = inst.memory_displacement64();
                if touches_vectors(inst) {
                    let number = flow.slots.len();
                    flow.slots.entry(at).or_insert(number);
                } else {
                    scalars.push(at);
                }
            }
            if is_enter(inst) {
                if flow.frame.is_some() {
                    return Err(Refusal::of(inst, "a second stack frame"));
                }
                flow.frame = Some(inst.immediate(1));
            }
        }
        let frame = flow.frame.unwrap_or(0);
        let apart = |at: u64| at.is_multiple_of(16) && at.checked_add(16).is_some_and(|end| end <= frame);
        let shared = |at: u64| scalars.iter().any(|&scalar| scalar.saturating_add(8) > at && scalar < at + 16);
        if let Some(&at) = flow.slots.keys().find(|&&at| !apart(at) || shared(at)) {
            return Err(Refusal::at(at as u32, "a spill slot that is not apart from others"));
        }
        if scalars.iter().any(|&at| at.checked_add(8).is_none_or(|end| end > frame)) {
            return Err(Refusal::at(0, "a place on the stack that is not in the frame"));
        }
        Ok(flow)
    }

    fn block(&self, block: &Block, state: &mut State, mut decided: impl FnMut(Step)) -> Result<(), Refusal> {
        for inst in &self.program.insts[block.insts.clone()] {
            decided(self.step(inst, state)?);
        }
        Ok(())
    }

    /// Decides on an instruction and follows what it writes.
    fn step(&self, inst: &Instruction, state: &mut State) -> Result<Step, Refusal> {
        if !touches_vectors(inst) {
            return self.general(inst, state);
        }
        let no = |reason| Err(Refusal::of(inst, reason));
        let Some(form) = form(inst.code()) else { return no("not an instruction that is known") };
        let first = operand_register(inst, 0);
        if inst.op0_kind() == OpKind::Memory && inst.is_ip_rel_memory_operand() {
            return no("it writes to constants");
        }
        let sources = 1..inst.op_count();
        let count = inst.op_count();
        let (meaning, step) = match form {
            Form::Each(code) | Form::Fused(code) => {
                let mut meaning = self.all(inst, sources, state);
                if matches!(form, Form::Fused(_)) {
                    meaning = meaning.meet(self.operand(inst, 0, state));
                }
                (meaning, Step::Widen(code))
            }
            Form::Counted(code) => {
                if inst.op_kind(count - 1) != OpKind::Register || !self.operand(inst, count - 1, state).is_narrow() {
                    return no("the count is not a scalar");
                }
                (self.all(inst, 1..count - 1, state), Step::WidenButLast(code))
            }
            Form::Store(code) => {
                let stored = self.operand(inst, 1, state);
                match self.slot(inst) {
                    Some(slot) => state.slots[slot] = stored,
                    None if stored.has(self.parts) => {}
                    None => return no("it stores parts that mean nothing"),
                }
                return Ok(Step::Widen(code));
            }
            Form::Broadcast(code) => {
                if self.slot(inst).is_some() || !self.scalar_source(inst, 1, state) {
                    return no("it splats something other than a scalar");
                }
                (Meaning::Uniform, Step::WidenFirst(code))
            }
            Form::Paired(code) => {
                let meaning = self.all(inst, sources, state);
                let is_splat = match inst.mnemonic() {
                    Mnemonic::Vpshufd => inst.op1_kind() == OpKind::Register && inst.immediate(2) == 0x44,
                    _ => inst.op2_kind() == OpKind::Register && inst.op1_register() == inst.op2_register(),
                };
                match meaning {
                    Meaning::Parts(1) if is_splat => (Meaning::Uniform, Step::SplatPair),
                    _ => (meaning, Step::Widen(code)),
                }
            }
            Form::Look(code) => {
                let last = if inst.mnemonic() == Mnemonic::Vptest { 0..count } else { 1..count };
                if !self.all(inst, last, state).has(self.parts) {
                    return no("it looks at parts that mean nothing");
                }
                return Ok(Step::Widen(code));
            }
            Form::Promote | Form::Demote => {
                if inst.op1_kind() != OpKind::Register {
                    return no("it converts from memory");
                }
                let step = if form == Form::Promote { Step::Promote } else { Step::Demote };
                (self.operand(inst, 1, state), step)
            }
            Form::Narrow | Form::NarrowCompare => {
                let read = if form == Form::NarrowCompare { 0..count } else { 1..count };
                let are_scalars = || read.into_iter().all(|n| self.scalar_source(inst, n, state));
                if self.slot(inst).is_some() || !(is_zero(inst) || are_scalars()) {
                    return no("it takes a scalar out of a vector");
                }
                (Meaning::Parts(1), Step::Keep)
            }
            Form::Borrowed(borrowed) => self.borrowed(inst, borrowed, state)?,
        };
        if let Some(register) = first.filter(|_| form != Form::NarrowCompare) {
            state.registers[usize::from(register)] = meaning;
        }
        Ok(step)
    }

    fn borrowed(&self, inst: &Instruction, borrowed: Borrowed, state: &mut State) -> Result<(Meaning, Step), Refusal> {
        let no = |reason| Err(Refusal::of(inst, reason));
        let in_registers = |count| (0..count).all(|n| operand_register(inst, n).is_some());
        Ok(match borrowed {
            Borrowed::Take(part) => {
                if !in_registers(3) || part >= self.parts {
                    return no("not a part");
                }
                // The second operand is the same vector, perhaps in another register.
                if !self.operand(inst, 1, state).has(part + 1) {
                    return no("it takes a part that means nothing");
                }
                (Meaning::Parts(1), Step::Take(part))
            }
            Borrowed::Insert(part) => {
                if !in_registers(3) || part >= self.parts {
                    return no("not a part");
                }
                let (before, added) = (self.operand(inst, 1, state), self.operand(inst, 2, state));
                if !before.has(part) || !added.is_narrow() {
                    return no("it inserts after parts that mean nothing");
                }
                let meaning = match before {
                    Meaning::Parts(have) => Meaning::Parts(have.max(part + 1)),
                    _ => Meaning::Parts(self.parts),
                };
                (meaning, Step::Insert(part))
            }
            Borrowed::LoadPart | Borrowed::LoadSplat(_) => {
                if inst.op1_kind() != OpKind::Memory || inst.is_ip_rel_memory_operand() || self.slot(inst).is_some() {
                    return no("it loads from something other than memory");
                }
                match borrowed {
                    Borrowed::LoadSplat(code) => (Meaning::Uniform, Step::WidenFirst(code)),
                    _ => (Meaning::Parts(1), Step::LoadPart),
                }
            }
            Borrowed::StorePart => {
                if self.slot(inst).is_some() || !self.operand(inst, 1, state).is_narrow() {
                    return no("not 128 bits to memory");
                }
                (Meaning::Parts(1), Step::StorePart)
            }
            Borrowed::Shift(code) => {
                if !in_registers(3) {
                    return no("it shifts what is in memory");
                }
                (self.all(inst, 1..3, state), Step::Widen(code))
            }
        })
    }

    /// An instruction without vector registers.
    fn general(&self, inst: &Instruction, state: &mut State) -> Result<Step, Refusal> {
        use Register::{RBP, RSP};
        match inst.code() {
            Code::Push_r64 | Code::Pop_r64 if inst.op0_register() == RBP => return Ok(Step::Keep),
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64
                if inst.op_kinds().all(|kind| kind == OpKind::Register)
                    && matches!((inst.op0_register(), inst.op1_register()), (RBP, RSP) | (RSP, RBP)) =>
            {
                return Ok(Step::Keep);
            }
            Code::Jmp_rm64 => return Ok(Step::Keep),
            Code::Call_rm64 if inst.op0_kind() == OpKind::Register => {
                state.registers = [Meaning::Unset; 16];
                return Ok(Step::Call);
            }
            Code::Retnq => return Ok(Step::Return),
            _ if is_enter(inst) => return Ok(Step::Enter),
            _ if is_leave(inst) => {
                let same = self.frame == Some(inst.immediate(1));
                return if same { Ok(Step::Leave) } else { Err(Refusal::of(inst, "not the frame that was made")) };
            }
            _ => {}
        }
        if inst.is_jcc_short_or_near() || inst.is_jmp_short_or_near() {
            return Ok(Step::Keep);
        }
        let fixed = (0..inst.op_count())
            .any(|n| inst.op_kind(n) == OpKind::Register && matches!(inst.op_register(n).full_register(), RSP | RBP));
        if fixed || !is_general(inst.mnemonic()) {
            return Err(Refusal::of(inst, "not an instruction that is known"));
        }
        if inst.is_ip_rel_memory_operand() {
            let is_table = self.program.table(inst.ip_rel_memory_address()).is_some();
            let is_read = matches!(inst.mnemonic(), Mnemonic::Mul | Mnemonic::Imul | Mnemonic::Cmp | Mnemonic::Test);
            let is_written = inst.op0_kind() == OpKind::Memory && !is_read;
            if is_table != (inst.mnemonic() == Mnemonic::Lea) || is_written {
                return Err(Refusal::of(inst, "it refers to something other than constants and tables"));
            }
        }
        if inst.mnemonic() == Mnemonic::Lea && inst.memory_base() == RSP {
            return Err(Refusal::of(inst, "an address on the stack"));
        }
        Ok(Step::Keep)
    }

    /// The least of several operands.
    fn all(&self, inst: &Instruction, operands: std::ops::Range<u32>, state: &State) -> Meaning {
        if is_zero(inst) {
            return Meaning::Uniform;
        }
        let of = |n| self.operand(inst, n, state);
        operands.map(of).fold(Meaning::Uniform, Meaning::meet)
    }

    /// How much of an operand means something. Immediates are the same for all.
    fn operand(&self, inst: &Instruction, n: u32, state: &State) -> Meaning {
        match inst.op_kind(n) {
            OpKind::Register => match vector_number(inst.op_register(n)) {
                Some(number) => state.registers[usize::from(number)].used(),
                None => Meaning::Uniform,
            },
            OpKind::Memory if inst.is_ip_rel_memory_operand() => Meaning::Uniform,
            OpKind::Memory => match self.slot(inst) {
                Some(slot) => state.slots[slot].used(),
                None => Meaning::Parts(self.parts),
            },
            _ => Meaning::Uniform,
        }
    }

    /// Whether an operand is a scalar: in memory, in a general register, or in a register of which nothing else means anything.
    fn scalar_source(&self, inst: &Instruction, n: u32, state: &State) -> bool {
        inst.op_kind(n) != OpKind::Register || self.operand(inst, n, state).is_narrow()
    }

    /// The spill slot of a vector that an instruction accesses.
    fn slot(&self, inst: &Instruction) -> Option<usize> {
        let is_stack = inst.op_kinds().any(|kind| kind == OpKind::Memory) && inst.memory_base() == Register::RSP;
        is_stack.then(|| self.slots[&inst.memory_displacement64()])
    }
}

/// Whether an instruction accesses the stack; an error if in a way that is not known.
fn stack_access(inst: &Instruction) -> Result<bool, Refusal> {
    let in_memory = inst.op_kinds().any(|kind| kind == OpKind::Memory);
    if !in_memory {
        return Ok(false);
    }
    let fixed = |register| matches!(register, Register::RSP | Register::ESP | Register::RBP | Register::EBP);
    let is_plain = inst.memory_index() == Register::None && !inst.has_segment_prefix();
    match inst.memory_base() {
        Register::RSP if is_plain => Ok(true),
        base if fixed(base) || fixed(inst.memory_index()) || inst.has_segment_prefix() => {
            Err(Refusal::of(inst, "a way to memory that is not known"))
        }
        _ => Ok(false),
    }
}

/// Whether vector registers of any size are among the operands.
fn touches_vectors(inst: &Instruction) -> bool {
    (0..inst.op_count()).any(|n| {
        inst.op_kind(n) == OpKind::Register
            && (inst.op_register(n) as u32) >= Register::XMM0 as u32
            && (inst.op_register(n) as u32) <= Register::ZMM31 as u32
    })
}

fn operand_register(inst: &Instruction, n: u32) -> Option<u8> {
    (inst.op_kind(n) == OpKind::Register).then(|| vector_number(inst.op_register(n))).flatten()
}

/// Whether the result is the same whatever the registers hold.
fn is_zero(inst: &Instruction) -> bool {
    let is_idiom = matches!(
        inst.mnemonic(),
        Mnemonic::Vpxor
            | Mnemonic::Vxorps
            | Mnemonic::Vxorpd
            | Mnemonic::Vpcmpeqd
            | Mnemonic::Vpcmpeqb
            | Mnemonic::Vpcmpeqq
            | Mnemonic::Xorps
            | Mnemonic::Xorpd
    );
    let [a, b] = [2, 1].map(|from_last| operand_register(inst, inst.op_count() - from_last));
    is_idiom && a.is_some() && a == b
}

fn is_enter(inst: &Instruction) -> bool {
    matches!(inst.code(), Code::Sub_rm64_imm8 | Code::Sub_rm64_imm32)
        && inst.op0_kind() == OpKind::Register
        && inst.op0_register() == Register::RSP
}

fn is_leave(inst: &Instruction) -> bool {
    matches!(inst.code(), Code::Add_rm64_imm8 | Code::Add_rm64_imm32)
        && inst.op0_kind() == OpKind::Register
        && inst.op0_register() == Register::RSP
}
