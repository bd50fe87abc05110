//! Gives the transfer function of each instruction: its sources, results and demands, independent of other
//! instructions.
//!
//! Registers and spill slots of vectors are numbered, so that data flow (`defined.rs`) looks at no instruction twice.

use std::ops::Range;

use iced_x86::{Code, ConditionCode, Instruction, Mnemonic, OpKind, Register};

use super::borrowed::GATHERED_WORDS;
use super::decode::DecodedCode;
use super::forms::{Borrowed, WideForm, form, is_general};
use super::{Refusal, vector_number};

/// The way an instruction is rewritten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RewriteStep {
    /// Kept, with stack slots relocated.
    Keep,
    /// Replaced by another instruction, with wide registers for all vector operands.
    Widen(Code),
    /// The same, except for the last operand.
    WidenButLast(Code),
    /// Replaced by another instruction, with a wide first operand.
    WidenFirst(Code),
    /// A test of 512 bits that sets the carry flag if the second operand has no bits outside the first.
    TestOutside,
    /// Broadcasts the quadword of a part to every part.
    SplatPair,
    /// [`WideForm::Promote`].
    Promote,
    /// [`WideForm::Demote`].
    Demote,
    Take(u8),
    Insert(u8),
    LoadPart,
    StorePart,
    /// Gathers words with this number.
    Gather(u8),
    /// Makes room on the stack.
    Enter,
    /// Releases it, right before the stack pointer is set from the frame pointer.
    Leave,
    Call,
    Return,
}

/// The demands of an instruction on its sources, and how many parts of its result are defined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// It does not touch vectors.
    Nothing,
    /// It leaves all vector registers undefined.
    Call,
    /// The result has as many parts as all sources have.
    Each,
    /// The same, and all parts of the sources must be defined.
    Whole,
    /// The result has as many parts as the first source; the second must be a scalar.
    Counted,
    /// All sources must be scalars, and so is the result.
    Scalar,
    /// All sources must be scalars; the result is the same in every part.
    Splat,
    /// Broadcasts a scalar; of a vector, as many parts as the sources have.
    SplatPair,
    /// The first source must have this part; the result is a scalar.
    Take(u8),
    /// The first source must have all parts before this one, the second must be a scalar; the result adds this part.
    Insert(u8),
}

/// A vector register, a spill slot, or a stand-in for other operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct VectorLocation(u32);

impl VectorLocation {
    /// The indices of registers.
    pub const REGISTERS: Range<usize> = 0..16;
    /// Operands equal in all parts: constants, immediates, general-purpose registers; also those that do not exist.
    pub const UNIFORM: Self = Self(16);
    /// A vector in memory.
    pub const MEMORY: Self = Self(17);
    /// The destination of results that are not vectors.
    pub const NOWHERE: Self = Self(18);
    /// The first spill slot.
    const SLOTS: usize = 19;

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The transfer function of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer {
    pub rule: Rule,
    pub step: RewriteStep,
    pub to: VectorLocation,
    pub from: [VectorLocation; 3],
}

impl Transfer {
    /// Results that are not vectors go nowhere, and missing operands are uniform.
    fn new(rule: Rule, step: RewriteStep, to: VectorLocation, from: &[VectorLocation]) -> Self {
        let from = std::array::from_fn(|n| from.get(n).copied().unwrap_or(VectorLocation::UNIFORM));
        let is_vector = VectorLocation::REGISTERS.contains(&to.index()) || to.index() >= VectorLocation::SLOTS;
        Self { rule, step, to: if is_vector { to } else { VectorLocation::NOWHERE }, from }
    }

    /// The transfer function of an instruction without vectors.
    fn general(step: RewriteStep) -> Self {
        Self::new(Rule::Nothing, step, VectorLocation::NOWHERE, &[])
    }
}

/// The transfer functions of a function's instructions.
#[derive(Debug)]
pub(super) struct Transfers {
    /// One for each instruction, in order.
    pub transfers: Vec<Transfer>,
    /// Number of locations.
    pub locations: usize,
}

impl Transfers {
    pub fn of(program: &DecodedCode, parts: u8) -> Result<Self, Refusal> {
        let builder = TransferBuilder { program, parts, frame: StackFrame::of(program)? };
        let transfer = |(n, inst)| match touches_vectors(inst) {
            true => builder.vector(inst, &program.insts[n + 1..]),
            false => builder.general(inst, program.insts.get(n + 1)),
        };
        let transfers = program.insts.iter().enumerate().map(transfer).collect::<Result<_, _>>()?;
        Ok(Self { transfers, locations: VectorLocation::SLOTS + builder.frame.slots.len() })
    }
}

/// The stack frame.
#[derive(Debug, Default)]
struct StackFrame {
    /// Bytes that the function reserves.
    bytes: Option<u64>,
    /// Offsets of the spill slots of vectors, ascending.
    slots: Vec<u64>,
}

impl StackFrame {
    fn of(program: &DecodedCode) -> Result<Self, Refusal> {
        let mut frame = Self::default();
        // Scalars have slots of their own.
        let mut scalars = Vec::new();
        for inst in &program.insts {
            if is_on_stack(inst)? {
                let locations = if touches_vectors(inst) { &mut frame.slots } else { &mut scalars };
                locations.push(inst.memory_displacement64());
            }
            if is_of_stack_pointer(inst, [Code::Sub_rm64_imm8, Code::Sub_rm64_imm32])
                && frame.bytes.replace(inst.immediate(1)).is_some()
            {
                return Err(Refusal::of(inst, "a second stack frame"));
            }
        }
        for locations in [&mut frame.slots, &mut scalars] {
            locations.sort_unstable();
            locations.dedup();
        }
        let bytes = frame.bytes.unwrap_or(0);
        let is_within = |at: u64, size| at.checked_add(size).is_some_and(|end| end <= bytes);
        if scalars.iter().any(|&at| !is_within(at, 8)) {
            return Err(Refusal::at(0, "a place on the stack that is not in the frame"));
        }
        let first_after = |at: u64| scalars.get(scalars.partition_point(|&scalar| scalar + 8 <= at));
        let is_shared = |at: u64| first_after(at).is_some_and(|&scalar| scalar < at + 16);
        let is_apart = |at: u64| at.is_multiple_of(16) && is_within(at, 16);
        match frame.slots.iter().find(|&&at| !is_apart(at) || is_shared(at)) {
            Some(&at) => Err(Refusal::at(at as u32, "a spill slot that is not apart from others")),
            None => Ok(frame),
        }
    }
}

struct TransferBuilder<'a> {
    program: &'a DecodedCode,
    parts: u8,
    frame: StackFrame,
}

impl TransferBuilder<'_> {
    /// Describes an instruction with vector registers; one after it may test its flags.
    fn vector(&self, inst: &Instruction, after: &[Instruction]) -> Result<Transfer, Refusal> {
        let no = |reason| Err(Refusal::of(inst, reason));
        let Some(form) = form(inst.code(), self.parts) else { return no("not an instruction that is known") };
        if inst.op0_kind() == OpKind::Memory && inst.is_ip_rel_memory_operand() {
            return no("it writes to constants");
        }
        let count = inst.op_count();
        let locations: [VectorLocation; 4] = std::array::from_fn(|n| self.location(inst, n as u32, count));
        let (to, from) = (locations[0], &locations[1..]);
        let from = if is_zero(inst) { &[] } else { from };
        let on_stack = inst.memory_base() == Register::RSP;
        let in_registers = (0..count).all(|n| inst.op_kind(n) == OpKind::Register);
        Ok(match form {
            WideForm::Each(code) => Transfer::new(Rule::Each, RewriteStep::Widen(code), to, from),
            WideForm::Fused(code) => Transfer::new(Rule::Each, RewriteStep::Widen(code), to, &locations[..3]),
            WideForm::Counted(code) => {
                if inst.op_kind(count - 1) != OpKind::Register {
                    return no("the count is not a scalar");
                }
                Transfer::new(Rule::Counted, RewriteStep::WidenButLast(code), to, from)
            }
            WideForm::Shift(_) if !in_registers => return no("it shifts what is in memory"),
            WideForm::Shift(code) => Transfer::new(Rule::Each, RewriteStep::Widen(code), to, from),
            WideForm::Store(code) if on_stack => Transfer::new(Rule::Each, RewriteStep::Widen(code), to, from),
            WideForm::Store(code) => Transfer::new(Rule::Whole, RewriteStep::Widen(code), to, from),
            WideForm::Broadcast(_) | WideForm::Narrow | WideForm::NarrowCompare if on_stack => {
                return no("it takes a scalar out of a vector");
            }
            WideForm::Broadcast(code) => Transfer::new(Rule::Splat, RewriteStep::WidenFirst(code), to, &scalars(from)),
            WideForm::Paired(code) => {
                let is_splat = match inst.mnemonic() {
                    Mnemonic::Vpshufd => in_low_half(inst),
                    _ => inst.op2_kind() == OpKind::Register && inst.op1_register() == inst.op2_register(),
                };
                let rule = if is_splat { Rule::SplatPair } else { Rule::Each };
                Transfer::new(rule, RewriteStep::Widen(code), to, from)
            }
            WideForm::Look(code) if inst.mnemonic() == Mnemonic::Vptest => {
                let step = match asked(after) {
                    _ if self.parts == 2 => RewriteStep::Widen(code),
                    // Tests of 512 bits do not set both kinds of flags.
                    Some(ConditionCode::e) => RewriteStep::Widen(code),
                    Some(ConditionCode::b) => RewriteStep::TestOutside,
                    _ => return no("its flags are asked for in a way that is not known"),
                };
                Transfer::new(Rule::Whole, step, VectorLocation::NOWHERE, &locations[..2])
            }
            WideForm::Look(code) => Transfer::new(Rule::Whole, RewriteStep::Widen(code), VectorLocation::NOWHERE, from),
            WideForm::Promote | WideForm::Demote => {
                if inst.op1_kind() != OpKind::Register {
                    return no("it converts from memory");
                }
                let step = if form == WideForm::Promote { RewriteStep::Promote } else { RewriteStep::Demote };
                Transfer::new(Rule::Each, step, to, from)
            }
            WideForm::Narrow => Transfer::new(Rule::Scalar, RewriteStep::Keep, to, &scalars(from)),
            WideForm::NarrowCompare => {
                Transfer::new(Rule::Scalar, RewriteStep::Keep, VectorLocation::NOWHERE, &scalars(&locations[..2]))
            }
            WideForm::Borrowed(Borrowed::Take(part) | Borrowed::Insert(part))
                if !in_registers || part >= self.parts =>
            {
                return no("not a part");
            }
            // The second operand is the same vector, perhaps in another register.
            WideForm::Borrowed(Borrowed::Take(part)) => {
                Transfer::new(Rule::Take(part), RewriteStep::Take(part), to, &from[..1])
            }
            WideForm::Borrowed(Borrowed::Insert(part)) => {
                Transfer::new(Rule::Insert(part), RewriteStep::Insert(part), to, from)
            }
            WideForm::LoadSplat(_) | WideForm::Borrowed(Borrowed::LoadPart)
                if in_registers || inst.is_ip_rel_memory_operand() || on_stack =>
            {
                return no("it loads from something other than memory");
            }
            WideForm::Borrowed(Borrowed::LoadPart) => Transfer::new(Rule::Scalar, RewriteStep::LoadPart, to, &[]),
            WideForm::LoadSplat(code) => Transfer::new(Rule::Splat, RewriteStep::WidenFirst(code), to, &[]),
            WideForm::Borrowed(Borrowed::Gather) => {
                let word = inst.immediate8().checked_sub(16 - GATHERED_WORDS);
                let is_address = inst.op2_kind() == OpKind::Register && !is_fixed(inst.op2_register());
                match word {
                    Some(word) if word < GATHERED_WORDS && is_address => {
                        Transfer::new(Rule::Whole, RewriteStep::Gather(word), to, &from[..1])
                    }
                    _ => return no("not a gather"),
                }
            }
            WideForm::Borrowed(Borrowed::StorePart) => {
                if in_registers || on_stack {
                    return no("not 128 bits to memory");
                }
                Transfer::new(Rule::Scalar, RewriteStep::StorePart, to, from)
            }
        })
    }

    /// Describes an instruction without vector registers; the next one may determine its meaning.
    fn general(&self, inst: &Instruction, next: Option<&Instruction>) -> Result<Transfer, Refusal> {
        use Register::{RBP, RSP};
        let no = |reason| Err(Refusal::of(inst, reason));
        let step = match inst.code() {
            Code::Push_r64 | Code::Pop_r64 if inst.op0_register() == RBP => Some(RewriteStep::Keep),
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64 if is_move(inst, RBP, RSP) || is_move(inst, RSP, RBP) => {
                Some(RewriteStep::Keep)
            }
            Code::Jmp_rm64 => Some(RewriteStep::Keep),
            Code::Call_rm64 if inst.op0_kind() == OpKind::Register => {
                return Ok(Transfer::new(Rule::Call, RewriteStep::Call, VectorLocation::NOWHERE, &[]));
            }
            Code::Retnq => Some(RewriteStep::Return),
            _ if is_of_stack_pointer(inst, [Code::Sub_rm64_imm8, Code::Sub_rm64_imm32]) => Some(RewriteStep::Enter),
            _ if is_of_stack_pointer(inst, [Code::Add_rm64_imm8, Code::Add_rm64_imm32]) => {
                if self.frame.bytes != Some(inst.immediate(1)) || !next.is_some_and(|next| is_move(next, RSP, RBP)) {
                    return no("not the frame that was made");
                }
                Some(RewriteStep::Leave)
            }
            _ if inst.is_jcc_near() || inst.is_jmp_near() => Some(RewriteStep::Keep),
            _ => None,
        };
        if let Some(step) = step {
            return Ok(Transfer::general(step));
        }
        let fixed = (0..inst.op_count()).any(|n| inst.op_kind(n) == OpKind::Register && is_fixed(inst.op_register(n)));
        if fixed || !is_general(inst.mnemonic()) {
            return no("not an instruction that is known");
        }
        if inst.is_ip_rel_memory_operand() {
            let is_table = self.program.table(inst.ip_rel_memory_address()).is_some();
            let is_read = matches!(inst.mnemonic(), Mnemonic::Mul | Mnemonic::Imul | Mnemonic::Cmp | Mnemonic::Test);
            let is_written = inst.op0_kind() == OpKind::Memory && !is_read;
            if is_table != (inst.mnemonic() == Mnemonic::Lea) || is_written {
                return no("it refers to something other than constants and tables");
            }
        }
        if inst.mnemonic() == Mnemonic::Lea && inst.memory_base() == RSP {
            return no("an address on the stack");
        }
        Ok(Transfer::general(RewriteStep::Keep))
    }

    /// The location of an operand.
    fn location(&self, inst: &Instruction, n: u32, count: u32) -> VectorLocation {
        if n >= count {
            return VectorLocation::UNIFORM;
        }
        match inst.op_kind(n) {
            OpKind::Register => vector_number(inst.op_register(n))
                .map_or(VectorLocation::UNIFORM, |number| VectorLocation(number.into())),
            OpKind::Memory if inst.is_ip_rel_memory_operand() => VectorLocation::UNIFORM,
            OpKind::Memory if inst.memory_base() == Register::RSP => {
                let slot = self.frame.slots.partition_point(|&at| at < inst.memory_displacement64());
                VectorLocation((VectorLocation::SLOTS + slot) as u32)
            }
            OpKind::Memory => VectorLocation::MEMORY,
            _ => VectorLocation::UNIFORM,
        }
    }
}

/// `true` for the stack and frame pointers.
fn is_fixed(register: Register) -> bool {
    matches!(register.full_register(), Register::RSP | Register::RBP)
}

/// The operands as scalars: memory operands count as such.
fn scalars(from: &[VectorLocation]) -> [VectorLocation; 3] {
    let scalar = |location| if location == VectorLocation::MEMORY { VectorLocation::UNIFORM } else { location };
    std::array::from_fn(|n| from.get(n).map_or(VectorLocation::UNIFORM, |&location| scalar(location)))
}

/// `true` if an instruction accesses the stack; an error if in an unknown way.
fn is_on_stack(inst: &Instruction) -> Result<bool, Refusal> {
    let fixed = |register| matches!(register, Register::RSP | Register::ESP | Register::RBP | Register::EBP);
    let (base, index) = (inst.memory_base(), inst.memory_index());
    if !(fixed(base) || fixed(index) || inst.has_segment_prefix()) || !has_memory(inst) {
        return Ok(false);
    }
    match base {
        Register::RSP if index == Register::None && !inst.has_segment_prefix() => Ok(true),
        _ => Err(Refusal::of(inst, "a way to memory that is not known")),
    }
}

/// `true` if an operand is in memory.
pub(super) fn has_memory(inst: &Instruction) -> bool {
    (0..inst.op_count()).any(|n| inst.op_kind(n) == OpKind::Memory)
}

/// `true` if vector registers of any size are among the operands.
fn touches_vectors(inst: &Instruction) -> bool {
    let is_vector = |register| (Register::XMM0..=Register::ZMM31).contains(&register);
    (0..inst.op_count()).any(|n| inst.op_kind(n) == OpKind::Register && is_vector(inst.op_register(n)))
}

/// `true` if the result does not depend on the registers' values.
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
    let last =
        |n| (inst.op_kind(inst.op_count() - n) == OpKind::Register).then(|| inst.op_register(inst.op_count() - n));
    is_idiom && last(1).is_some() && last(1) == last(2)
}

/// The condition, or its inverse, that the instructions after a test read; `None` if there are several.
fn asked(after: &[Instruction]) -> Option<ConditionCode> {
    let mut found = None;
    for inst in after.iter().take_while(|inst| inst.rflags_modified() == 0) {
        let condition = match inst.condition_code() {
            ConditionCode::None if inst.rflags_read() == 0 => continue,
            ConditionCode::ne => ConditionCode::e,
            ConditionCode::ae => ConditionCode::b,
            condition => condition,
        };
        if found.replace(condition).is_some_and(|before| before != condition) {
            return None;
        }
    }
    found
}

/// `true` if a shuffle of doublewords duplicates the lower half.
fn in_low_half(inst: &Instruction) -> bool {
    inst.op1_kind() == OpKind::Register && inst.immediate(2) == 0b01_00_01_00
}

fn is_move(inst: &Instruction, to: Register, from: Register) -> bool {
    matches!(inst.code(), Code::Mov_r64_rm64 | Code::Mov_rm64_r64)
        && inst.op0_kind() == OpKind::Register
        && inst.op1_kind() == OpKind::Register
        && (inst.op0_register(), inst.op1_register()) == (to, from)
}

/// `true` if an instruction is one of these, on the stack pointer.
fn is_of_stack_pointer(inst: &Instruction, codes: [Code; 2]) -> bool {
    codes.contains(&inst.code()) && inst.op0_kind() == OpKind::Register && inst.op0_register() == Register::RSP
}
