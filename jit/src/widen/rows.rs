//! What each instruction reads, writes and demands, whatever comes before it: a row for each.
//!
//! Rows name registers and spill slots of vectors by numbers, so that data flow (`meaning.rs`) looks at no instruction
//! twice.

use std::ops::Range;

use iced_x86::{Code, ConditionCode, Instruction, Mnemonic, OpKind, Register};

use super::borrowed::GATHERED_WORDS;
use super::decode::Program;
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
    /// A test of 512 bits whose carry says whether the second operand has no bits outside of the first.
    TestOutside,
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
    /// A gather of the words with this number.
    Gather(u8),
    /// Makes room on the stack.
    Enter,
    /// Gives it back, right before the stack pointer is set from the frame pointer.
    Leave,
    Call,
    Return,
}

/// What an instruction demands of its sources, and how much of its result means something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// It has nothing to do with vectors.
    Nothing,
    /// It leaves nothing in vector registers.
    Call,
    /// As much as of the sources.
    Each,
    /// The same, and all parts must mean something.
    Whole,
    /// As much as of the first; the second must be a scalar.
    Counted,
    /// All must be scalars, and so is the result.
    Scalar,
    /// All must be scalars; the same in every part.
    Splat,
    /// A splat of a scalar; as much as of the sources if they are more.
    SplatPair,
    /// The first must have this part; a scalar.
    Take(u8),
    /// The first must have all before this part, the second must be a scalar; the first with that part.
    Insert(u8),
}

/// A vector register, a spill slot, or something that stands for other operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place(u32);

impl Place {
    /// The indices of registers.
    pub const REGISTERS: Range<usize> = 0..16;
    /// What is the same for all parts: constants, immediates, general registers; also an operand that is not there.
    pub const UNIFORM: Self = Self(16);
    /// A vector in memory.
    pub const MEMORY: Self = Self(17);
    /// Where results go that are no vectors.
    pub const NOWHERE: Self = Self(18);
    /// The first spill slot.
    const SLOTS: usize = 19;

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub rule: Rule,
    pub step: Step,
    pub to: Place,
    pub from: [Place; 3],
}

impl Row {
    /// Results that are no vectors go nowhere, and operands that are not there are uniform.
    fn new(rule: Rule, step: Step, to: Place, from: &[Place]) -> Self {
        let from = std::array::from_fn(|n| from.get(n).copied().unwrap_or(Place::UNIFORM));
        let is_vector = Place::REGISTERS.contains(&to.index()) || to.index() >= Place::SLOTS;
        Self { rule, step, to: if is_vector { to } else { Place::NOWHERE }, from }
    }

    /// Of an instruction without vectors.
    fn general(step: Step) -> Self {
        Self::new(Rule::Nothing, step, Place::NOWHERE, &[])
    }
}

/// The rows of a function.
#[derive(Debug)]
pub(super) struct Rows {
    /// In the order of the instructions.
    pub rows: Vec<Row>,
    /// How many places there are.
    pub places: usize,
}

impl Rows {
    pub fn of(program: &Program, parts: u8) -> Result<Self, Refusal> {
        let reader = Reader { program, parts, frame: Frame::of(program)? };
        let row = |(n, inst)| match touches_vectors(inst) {
            true => reader.vector(inst, &program.insts[n + 1..]),
            false => reader.general(inst, program.insts.get(n + 1)),
        };
        let rows = program.insts.iter().enumerate().map(row).collect::<Result<_, _>>()?;
        Ok(Self { rows, places: Place::SLOTS + reader.frame.slots.len() })
    }
}

/// The stack frame.
#[derive(Debug, Default)]
struct Frame {
    /// The room that the function has.
    bytes: Option<u64>,
    /// Where spill slots of vectors are, ascending.
    slots: Vec<u64>,
}

impl Frame {
    fn of(program: &Program) -> Result<Self, Refusal> {
        let mut frame = Self::default();
        // Scalars have slots of their own.
        let mut scalars = Vec::new();
        for inst in &program.insts {
            if is_on_stack(inst)? {
                let places = if touches_vectors(inst) { &mut frame.slots } else { &mut scalars };
                places.push(inst.memory_displacement64());
            }
            if is_of_stack_pointer(inst, [Code::Sub_rm64_imm8, Code::Sub_rm64_imm32])
                && frame.bytes.replace(inst.immediate(1)).is_some()
            {
                return Err(Refusal::of(inst, "a second stack frame"));
            }
        }
        for places in [&mut frame.slots, &mut scalars] {
            places.sort_unstable();
            places.dedup();
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

struct Reader<'a> {
    program: &'a Program,
    parts: u8,
    frame: Frame,
}

impl Reader<'_> {
    /// An instruction with vector registers; one that comes after it may look at its flags.
    fn vector(&self, inst: &Instruction, after: &[Instruction]) -> Result<Row, Refusal> {
        let no = |reason| Err(Refusal::of(inst, reason));
        let Some(form) = form(inst.code(), self.parts) else { return no("not an instruction that is known") };
        if inst.op0_kind() == OpKind::Memory && inst.is_ip_rel_memory_operand() {
            return no("it writes to constants");
        }
        let count = inst.op_count();
        let places: [Place; 4] = std::array::from_fn(|n| self.place(inst, n as u32, count));
        let (to, from) = (places[0], &places[1..]);
        let from = if is_zero(inst) { &[] } else { from };
        let on_stack = inst.memory_base() == Register::RSP;
        let in_registers = (0..count).all(|n| inst.op_kind(n) == OpKind::Register);
        Ok(match form {
            Form::Each(code) => Row::new(Rule::Each, Step::Widen(code), to, from),
            Form::Fused(code) => Row::new(Rule::Each, Step::Widen(code), to, &places[..3]),
            Form::Counted(code) => {
                if inst.op_kind(count - 1) != OpKind::Register {
                    return no("the count is not a scalar");
                }
                Row::new(Rule::Counted, Step::WidenButLast(code), to, from)
            }
            Form::Shift(_) if !in_registers => return no("it shifts what is in memory"),
            Form::Shift(code) => Row::new(Rule::Each, Step::Widen(code), to, from),
            Form::Store(code) if on_stack => Row::new(Rule::Each, Step::Widen(code), to, from),
            Form::Store(code) => Row::new(Rule::Whole, Step::Widen(code), to, from),
            Form::Broadcast(_) | Form::Narrow | Form::NarrowCompare if on_stack => {
                return no("it takes a scalar out of a vector");
            }
            Form::Broadcast(code) => Row::new(Rule::Splat, Step::WidenFirst(code), to, &scalars(from)),
            Form::Paired(code) => {
                let is_splat = match inst.mnemonic() {
                    Mnemonic::Vpshufd => in_low_half(inst),
                    _ => inst.op2_kind() == OpKind::Register && inst.op1_register() == inst.op2_register(),
                };
                let rule = if is_splat { Rule::SplatPair } else { Rule::Each };
                Row::new(rule, Step::Widen(code), to, from)
            }
            Form::Look(code) if inst.mnemonic() == Mnemonic::Vptest => {
                let step = match asked(after) {
                    _ if self.parts == 2 => Step::Widen(code),
                    // Tests of 512 bits have no flags of both kinds.
                    Some(ConditionCode::e) => Step::Widen(code),
                    Some(ConditionCode::b) => Step::TestOutside,
                    _ => return no("its flags are asked for in a way that is not known"),
                };
                Row::new(Rule::Whole, step, Place::NOWHERE, &places[..2])
            }
            Form::Look(code) => Row::new(Rule::Whole, Step::Widen(code), Place::NOWHERE, from),
            Form::Promote | Form::Demote => {
                if inst.op1_kind() != OpKind::Register {
                    return no("it converts from memory");
                }
                let step = if form == Form::Promote { Step::Promote } else { Step::Demote };
                Row::new(Rule::Each, step, to, from)
            }
            Form::Narrow => Row::new(Rule::Scalar, Step::Keep, to, &scalars(from)),
            Form::NarrowCompare => Row::new(Rule::Scalar, Step::Keep, Place::NOWHERE, &scalars(&places[..2])),
            Form::Borrowed(Borrowed::Take(part) | Borrowed::Insert(part)) if !in_registers || part >= self.parts => {
                return no("not a part");
            }
            // The second operand is the same vector, perhaps in another register.
            Form::Borrowed(Borrowed::Take(part)) => Row::new(Rule::Take(part), Step::Take(part), to, &from[..1]),
            Form::Borrowed(Borrowed::Insert(part)) => Row::new(Rule::Insert(part), Step::Insert(part), to, from),
            Form::LoadSplat(_) | Form::Borrowed(Borrowed::LoadPart)
                if in_registers || inst.is_ip_rel_memory_operand() || on_stack =>
            {
                return no("it loads from something other than memory");
            }
            Form::Borrowed(Borrowed::LoadPart) => Row::new(Rule::Scalar, Step::LoadPart, to, &[]),
            Form::LoadSplat(code) => Row::new(Rule::Splat, Step::WidenFirst(code), to, &[]),
            Form::Borrowed(Borrowed::Gather) => {
                let word = inst.immediate8().checked_sub(16 - GATHERED_WORDS);
                let is_address = inst.op2_kind() == OpKind::Register && !is_fixed(inst.op2_register());
                match word {
                    Some(word) if word < GATHERED_WORDS && is_address => {
                        Row::new(Rule::Whole, Step::Gather(word), to, &from[..1])
                    }
                    _ => return no("not a gather"),
                }
            }
            Form::Borrowed(Borrowed::StorePart) => {
                if in_registers || on_stack {
                    return no("not 128 bits to memory");
                }
                Row::new(Rule::Scalar, Step::StorePart, to, from)
            }
        })
    }

    /// An instruction without vector registers; the next one may say what it means.
    fn general(&self, inst: &Instruction, next: Option<&Instruction>) -> Result<Row, Refusal> {
        use Register::{RBP, RSP};
        let no = |reason| Err(Refusal::of(inst, reason));
        let step = match inst.code() {
            Code::Push_r64 | Code::Pop_r64 if inst.op0_register() == RBP => Some(Step::Keep),
            Code::Mov_r64_rm64 | Code::Mov_rm64_r64 if is_move(inst, RBP, RSP) || is_move(inst, RSP, RBP) => {
                Some(Step::Keep)
            }
            Code::Jmp_rm64 => Some(Step::Keep),
            Code::Call_rm64 if inst.op0_kind() == OpKind::Register => {
                return Ok(Row::new(Rule::Call, Step::Call, Place::NOWHERE, &[]));
            }
            Code::Retnq => Some(Step::Return),
            _ if is_of_stack_pointer(inst, [Code::Sub_rm64_imm8, Code::Sub_rm64_imm32]) => Some(Step::Enter),
            _ if is_of_stack_pointer(inst, [Code::Add_rm64_imm8, Code::Add_rm64_imm32]) => {
                if self.frame.bytes != Some(inst.immediate(1)) || !next.is_some_and(|next| is_move(next, RSP, RBP)) {
                    return no("not the frame that was made");
                }
                Some(Step::Leave)
            }
            _ if inst.is_jcc_near() || inst.is_jmp_near() => Some(Step::Keep),
            _ => None,
        };
        if let Some(step) = step {
            return Ok(Row::general(step));
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
        Ok(Row::general(Step::Keep))
    }

    /// Where an operand is.
    fn place(&self, inst: &Instruction, n: u32, count: u32) -> Place {
        if n >= count {
            return Place::UNIFORM;
        }
        match inst.op_kind(n) {
            OpKind::Register => {
                vector_number(inst.op_register(n)).map_or(Place::UNIFORM, |number| Place(number.into()))
            }
            OpKind::Memory if inst.is_ip_rel_memory_operand() => Place::UNIFORM,
            OpKind::Memory if inst.memory_base() == Register::RSP => {
                let slot = self.frame.slots.partition_point(|&at| at < inst.memory_displacement64());
                Place((Place::SLOTS + slot) as u32)
            }
            OpKind::Memory => Place::MEMORY,
            _ => Place::UNIFORM,
        }
    }
}

/// Whether a register belongs to the stack.
fn is_fixed(register: Register) -> bool {
    matches!(register.full_register(), Register::RSP | Register::RBP)
}

/// Operands as scalars: those in memory are.
fn scalars(from: &[Place]) -> [Place; 3] {
    let scalar = |place| if place == Place::MEMORY { Place::UNIFORM } else { place };
    std::array::from_fn(|n| from.get(n).map_or(Place::UNIFORM, |&place| scalar(place)))
}

/// Whether an instruction accesses the stack; an error if in a way that is not known.
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

/// Whether an operand is in memory.
pub(super) fn has_memory(inst: &Instruction) -> bool {
    (0..inst.op_count()).any(|n| inst.op_kind(n) == OpKind::Memory)
}

/// Whether vector registers of any size are among the operands.
fn touches_vectors(inst: &Instruction) -> bool {
    let is_vector = |register| (Register::XMM0..=Register::ZMM31).contains(&register);
    (0..inst.op_count()).any(|n| inst.op_kind(n) == OpKind::Register && is_vector(inst.op_register(n)))
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
    let last =
        |n| (inst.op_kind(inst.op_count() - n) == OpKind::Register).then(|| inst.op_register(inst.op_count() - n));
    is_idiom && last(1).is_some() && last(1) == last(2)
}

/// The condition, or its opposite, that the instructions after a test ask for; `None` if there are several.
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

/// Whether a shuffle of doublewords gives the lower half twice.
fn in_low_half(inst: &Instruction) -> bool {
    inst.op1_kind() == OpKind::Register && inst.immediate(2) == 0b01_00_01_00
}

fn is_move(inst: &Instruction, to: Register, from: Register) -> bool {
    matches!(inst.code(), Code::Mov_r64_rm64 | Code::Mov_rm64_r64)
        && inst.op0_kind() == OpKind::Register
        && inst.op1_kind() == OpKind::Register
        && (inst.op0_register(), inst.op1_register()) == (to, from)
}

/// Whether an instruction is one of these, of the stack pointer.
fn is_of_stack_pointer(inst: &Instruction, codes: [Code; 2]) -> bool {
    codes.contains(&inst.code()) && inst.op0_kind() == OpKind::Register && inst.op0_register() == Register::RSP
}
