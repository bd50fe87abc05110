//! Rewrites instructions, constants and the stack frame for wider registers.
//!
//! | stock code | wide code |
//! |---|---|
//! | a stack slot | its offset from the end of the frame times the number of parts |
//! | `sub rsp, n` | the same for the larger frame, page by page, then aligned to a vector |
//! | `add rsp, n` | nothing: `mov rsp, rbp` comes next |
//! | a constant of 16 bytes | the same in each part, in data of its own |
//! | a comparison, blend or test of 512 bits | the same through a mask register |
//! | `call`, `ret` | the same after a `vzeroupper`: other code may use instructions that are slow without it |

use std::collections::BTreeMap;

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, OpKind, Register};

use super::decode::DecodedCode;
use super::encode::Output;
use super::forms::{Masked, masked};
use super::transfer::{RewriteStep, has_memory};
use super::{Refusal, Wide, vector_number};

/// The mask register of comparisons, blends and tests of 512 bits. Stock code uses none.
const MASK: Register = Register::K1;

/// A register that stock code never uses.
const SCRATCH: Register = Register::ZMM31;

/// Permutes the quadwords of each 256 bits.
const ORDER_QUADWORDS: [Code; 2] = [Code::VEX_Vpermq_ymm_ymmm256_imm8, Code::EVEX_Vpermq_zmm_k1z_zmmm512b64_imm8];
/// Permutes the parts of 512 bits.
const ORDER_PARTS: Code = Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8;
/// The permutation of four that swaps the two in the middle.
const MIDDLE_SWAPPED: u32 = 0b11_01_10_00;

/// Rewrites each instruction by its step.
pub(super) fn rewrite(code: &[u8], program: &DecodedCode, steps: &[RewriteStep], parts: u8) -> Result<Wide, Refusal> {
    let mut out = Output::new(program.insts.len());
    let tables = program.tables.iter().map(|table| out.data(vec![0; 4 * table.targets.len()].into_iter())).collect();
    let mut rewriter = Rewriter {
        code,
        program,
        parts,
        has_frame_pointer: false,
        frame_bytes: 0,
        tables,
        constants: BTreeMap::new(),
        out,
    };
    for (inst, &step) in program.insts.iter().zip(steps) {
        rewriter.out.begin(inst.ip() as u32);
        rewriter.step(inst, step)?;
    }
    let Rewriter { tables, frame_bytes, out, .. } = rewriter;
    Ok(out.finish(program, &tables, frame_bytes))
}

struct Rewriter<'a> {
    code: &'a [u8],
    program: &'a DecodedCode,
    parts: u8,
    /// Set once the frame pointer has been established.
    has_frame_pointer: bool,
    /// Bytes of the stack frame.
    frame_bytes: u32,
    /// Offsets of the jump tables in the data, in the order of the tables.
    tables: Vec<usize>,
    /// Offsets of constants in the data, by their old address and length.
    constants: BTreeMap<(u64, usize), usize>,
    out: Output,
}

impl Rewriter<'_> {
    fn step(&mut self, inst: &Instruction, step: RewriteStep) -> Result<(), Refusal> {
        match step {
            RewriteStep::Keep => {
                self.has_frame_pointer |= (inst.op0_register(), inst.op1_register()) == (Register::RBP, Register::RSP);
                self.keep(inst)?;
            }
            RewriteStep::Widen(code) => self.widen(inst, code, inst.op_count())?,
            RewriteStep::WidenButLast(code) => self.widen(inst, code, inst.op_count() - 1)?,
            RewriteStep::WidenFirst(code) => self.widen(inst, code, 1)?,
            RewriteStep::TestOutside => {
                let mut outside = *inst;
                outside.set_code(Code::EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32);
                for n in (0..2).filter(|&n| inst.op_kind(n) == OpKind::Register) {
                    outside.set_op_register(n, vector_number(inst.op_register(n)).map_or(SCRATCH, |n| self.wide(n)));
                }
                self.relocate(inst, moved_up(&outside, SCRATCH), self.parts)?;
                // The carry flag is set if all lanes are zero.
                let none = Instruction::with3(Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, MASK, SCRATCH, SCRATCH);
                self.push(inst, none)?;
                self.push(inst, Instruction::with2(Code::VEX_Kortestw_kr_kr, MASK, MASK))?;
            }
            RewriteStep::SplatPair => {
                let [to, from] = self.numbers(inst)?;
                let code = self.of([Code::VEX_Vpbroadcastq_ymm_xmmm64, Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64]);
                self.push(inst, Instruction::with2(code, self.wide(to), narrow(from)))?;
            }
            RewriteStep::Promote => {
                let [to, from] = self.numbers(inst)?;
                let code = self.of([Code::VEX_Vcvtps2pd_ymm_xmmm128, Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae]);
                self.gather_halves(inst, to, from)?;
                self.push(inst, Instruction::with2(code, self.wide(to), self.half(to)))?;
            }
            RewriteStep::Demote => {
                let [to, from] = self.numbers(inst)?;
                let code = self.of([Code::VEX_Vcvtpd2ps_xmm_ymmm256, Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er]);
                self.push(inst, Instruction::with2(code, self.half(to), self.wide(from)))?;
                self.spread_halves(inst, to)?;
            }
            RewriteStep::Take(part) => {
                let [to, from] = self.numbers(inst)?;
                let codes = [Code::VEX_Vextracti128_xmmm128_ymm_imm8, Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8];
                let made = match part {
                    0 => Instruction::with2(Code::VEX_Vmovdqa_xmm_xmmm128, narrow(to), narrow(from)),
                    _ => Instruction::with3(self.of(codes), narrow(to), self.wide(from), u32::from(part)),
                };
                self.push(inst, made)?;
            }
            RewriteStep::Insert(part) => {
                let [to, from] = self.numbers(inst)?;
                let added = vector_number(inst.op2_register()).ok_or_else(|| Refusal::of(inst, "not a vector"))?;
                let codes =
                    [Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8, Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8];
                let (to, from) = (self.wide(to), self.wide(from));
                self.push(inst, Instruction::with4(self.of(codes), to, from, narrow(added), u32::from(part)))?;
            }
            RewriteStep::LoadPart | RewriteStep::StorePart => {
                let mut made = *inst;
                made.set_code(match step {
                    RewriteStep::LoadPart => Code::VEX_Vmovdqu_xmm_xmmm128,
                    _ => Code::VEX_Vmovdqu_xmmm128_xmm,
                });
                self.push(inst, Ok(made))?;
            }
            RewriteStep::Gather(word) => self.gather(inst, word)?,
            RewriteStep::Enter if !self.has_frame_pointer => {
                return Err(Refusal::of(inst, "a frame without a pointer to it"));
            }
            RewriteStep::Enter => self.enter(inst)?,
            RewriteStep::Leave => {}
            RewriteStep::Call | RewriteStep::Return => {
                self.push(inst, Ok(Instruction::with(Code::VEX_Vzeroupper)))?;
                self.keep(inst)?;
            }
        }
        Ok(())
    }

    /// Keeps the instruction.
    fn keep(&mut self, inst: &Instruction) -> Result<(), Refusal> {
        let bytes = &self.code[inst.ip() as usize..inst.next_ip() as usize];
        if inst.op0_kind() == OpKind::NearBranch64 {
            self.out.branch(bytes, inst.near_branch64() as u32);
        } else if has_memory(inst) && (inst.memory_base() == Register::RSP || inst.is_ip_rel_memory_operand()) {
            self.relocate(inst, *inst, 1)?;
        } else {
            self.out.copy(bytes);
        }
        Ok(())
    }

    /// Replaces the instruction by another whose first vector registers are wide.
    fn widen(&mut self, inst: &Instruction, code: Code, wide: u32) -> Result<(), Refusal> {
        let mut widened = *inst;
        widened.set_code(code);
        for n in (0..wide).filter(|&n| inst.op_kind(n) == OpKind::Register) {
            if let Some(number) = vector_number(inst.op_register(n)) {
                widened.set_op_register(n, self.wide(number));
            }
        }
        // A constant of a single narrow register is not repeated.
        let repeats = if wide > 1 { self.parts } else { 1 };
        match masked(code) {
            None => self.relocate(inst, widened, repeats),
            Some(Masked::Made(vector)) => {
                let to = widened.op0_register();
                widened.set_op0_register(MASK);
                self.relocate(inst, widened, repeats)?;
                self.push(inst, Instruction::with2(vector, to, MASK))
            }
            Some(Masked::Read(mask)) => {
                self.push(inst, Instruction::with2(mask, MASK, widened.op3_register()))?;
                widened.set_op_mask(MASK);
                self.relocate(inst, widened, repeats)
            }
            Some(Masked::Tested) => {
                self.relocate(inst, moved_up(&widened, MASK), repeats)?;
                self.push(inst, Instruction::with2(Code::VEX_Kortestw_kr_kr, MASK, MASK))
            }
            Some(Masked::Bits) => {
                self.push(inst, Instruction::with2(code, MASK, widened.op1_register()))?;
                let to = inst.op0_register().full_register32();
                self.push(inst, Instruction::with2(Code::VEX_Kmovw_r32_kr, to, MASK))
            }
        }
    }

    /// Gathers a word into every lane. The destination must not be the register of offsets, and is cleared first, since
    /// processors would wait for its old value.
    fn gather(&mut self, inst: &Instruction, word: u8) -> Result<(), Refusal> {
        let [to, from] = self.numbers(inst)?;
        let code = self.of([Code::EVEX_Vpgatherdd_ymm_k1_vm32y, Code::EVEX_Vpgatherdd_zmm_k1_vm32z]);
        let pointer = inst.op2_register().full_register();
        let memory = MemoryOperand::new(pointer, self.wide(from), 1, 4 * i64::from(word), 1, false, Register::None);
        let into = if to == from { self.scratch() } else { self.wide(to) };
        let clear = match to == from {
            true => Instruction::with3(
                Code::EVEX_Vpxord_xmm_k1z_xmm_xmmm128b32,
                Register::XMM31,
                Register::XMM31,
                Register::XMM31,
            ),
            false => Instruction::with3(Code::VEX_Vpxor_xmm_xmm_xmmm128, narrow(to), narrow(to), narrow(to)),
        };
        self.push(inst, clear)?;
        self.push(inst, Instruction::with3(Code::VEX_Kxnorw_kr_kr_kr, MASK, MASK, MASK))?;
        let mut gather = Instruction::with2(code, into, memory).map_err(|_| impossible(inst))?;
        gather.set_op_mask(MASK);
        self.push(inst, Ok(gather))?;
        if to == from {
            let code = self.of([Code::EVEX_Vmovdqa32_ymm_k1z_ymmm256, Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512]);
            self.push(inst, Instruction::with2(code, self.wide(to), into))?;
        }
        Ok(())
    }

    /// Moves the lower halves of all parts next to each other, into the lower half of a register.
    fn gather_halves(&mut self, inst: &Instruction, to: u8, from: u8) -> Result<(), Refusal> {
        let (to, from) = (self.wide(to), self.wide(from));
        self.push(inst, Instruction::with3(self.of(ORDER_QUADWORDS), to, from, MIDDLE_SWAPPED))?;
        match self.parts {
            2 => Ok(()),
            _ => self.push(inst, Instruction::with4(ORDER_PARTS, to, to, to, MIDDLE_SWAPPED)),
        }
    }

    /// The inverse.
    fn spread_halves(&mut self, inst: &Instruction, to: u8) -> Result<(), Refusal> {
        let to = self.wide(to);
        if self.parts > 2 {
            self.push(inst, Instruction::with4(ORDER_PARTS, to, to, to, MIDDLE_SWAPPED))?;
        }
        self.push(inst, Instruction::with3(self.of(ORDER_QUADWORDS), to, to, MIDDLE_SWAPPED))
    }

    /// Emits an instruction that replaces another, with its stack slot or constant relocated.
    fn relocate(&mut self, inst: &Instruction, mut made: Instruction, repeats: u8) -> Result<(), Refusal> {
        if !has_memory(inst) {
            return self.push(inst, Ok(made));
        }
        if inst.is_ip_rel_memory_operand() {
            let at = inst.ip_rel_memory_address();
            let offset = match self.program.table(at) {
                Some(table) => self.tables[table],
                None => self.constant(inst, at, repeats)?,
            };
            return self.out.encode_with_data(&made, offset).map_err(|_| impossible(inst));
        }
        if inst.memory_base() == Register::RSP {
            let at = inst.memory_displacement64().saturating_mul(self.parts.into());
            made.set_memory_displacement64(at);
            made.set_memory_displ_size(if at < 128 { 1 } else { 8 });
        }
        self.push(inst, Ok(made))
    }

    /// Makes room on the stack. Each page is touched in order, so that a thread whose stack is too small hits the guard
    /// page and never the memory beyond it.
    fn enter(&mut self, inst: &Instruction) -> Result<(), Refusal> {
        const PAGE: u64 = 4096;
        let bytes = inst.immediate(1).saturating_mul(self.parts.into());
        self.frame_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let down = |bytes: u64| Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, bytes as i32);
        let pages = if self.frame_bytes > crate::MAX_FRAME_BYTES { 0 } else { bytes / PAGE };
        for _ in 0..pages {
            self.push(inst, down(PAGE))?;
            let top = MemoryOperand::with_base(Register::RSP);
            self.push(inst, Instruction::with2(Code::Mov_rm32_imm32, top, 0))?;
        }
        self.push(inst, down(bytes - pages * PAGE))?;
        let vector = -16 * i32::from(self.parts);
        self.push(inst, Instruction::with2(Code::And_rm64_imm8, Register::RSP, vector))
    }

    /// The offset in the data of the constant that an instruction reads, repeated so many times if it is for all parts.
    fn constant(&mut self, inst: &Instruction, at: u64, repeats: u8) -> Result<usize, Refusal> {
        let bytes = inst.memory_size().size();
        let repeats = match bytes {
            16 if repeats > 1 => repeats.into(),
            1 | 2 | 4 | 8 if repeats == 1 => 1,
            _ => return Err(Refusal::of(inst, "a constant of a size that is not known")),
        };
        if let Some(&offset) = self.constants.get(&(at, bytes)) {
            return Ok(offset);
        }
        let start = usize::try_from(at).ok();
        let constant = start.and_then(|at| self.code.get(at..at.checked_add(bytes)?));
        let constant = constant.ok_or_else(|| Refusal::of(inst, "a constant that is not there"))?;
        let offset = self.out.data(constant.repeat(repeats).into_iter());
        self.constants.insert((at, bytes), offset);
        Ok(offset)
    }

    fn push(&mut self, inst: &Instruction, made: Result<Instruction, IcedError>) -> Result<(), Refusal> {
        made.and_then(|made| self.out.encode(&made)).map_err(|_| impossible(inst))
    }

    /// The numbers of the first two operands' registers.
    fn numbers(&self, inst: &Instruction) -> Result<[u8; 2], Refusal> {
        let numbers = [inst.op0_register(), inst.op1_register()].map(vector_number);
        let [Some(to), Some(from)] = numbers else { return Err(Refusal::of(inst, "not vectors")) };
        Ok([to, from])
    }

    /// Selects the opcode for registers of 256 or 512 bits.
    fn of(&self, [wide, widest]: [Code; 2]) -> Code {
        if self.parts == 2 { wide } else { widest }
    }

    /// A register with all its parts.
    fn wide(&self, number: u8) -> Register {
        let first = if self.parts == 2 { Register::YMM0 } else { Register::ZMM0 };
        first + u32::from(number)
    }

    /// The register that stock code never uses.
    fn scratch(&self) -> Register {
        if self.parts == 2 { Register::YMM31 } else { SCRATCH }
    }

    /// A register with half of its parts.
    fn half(&self, number: u8) -> Register {
        let first = if self.parts == 2 { Register::XMM0 } else { Register::YMM0 };
        first + u32::from(number)
    }
}

/// Turns an instruction with two operands into one with three, of which this register is the first.
fn moved_up(inst: &Instruction, first: Register) -> Instruction {
    let mut moved = *inst;
    moved.set_op2_kind(inst.op1_kind());
    moved.set_op2_register(inst.op1_register());
    moved.set_op1_kind(OpKind::Register);
    moved.set_op1_register(inst.op0_register());
    moved.set_op0_register(first);
    moved
}

fn impossible(inst: &Instruction) -> Refusal {
    Refusal::of(inst, "it has no other form")
}

/// The first part of a register.
fn narrow(number: u8) -> Register {
    Register::XMM0 + u32::from(number)
}
