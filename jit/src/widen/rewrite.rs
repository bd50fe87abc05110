//! Instructions, constants and frame for wider registers.
//!
//! | stock code | wide code |
//! |---|---|
//! | a place on the stack | as many times as far from the frame's end as there are parts |
//! | `sub rsp, n` | the same of the larger frame, page by page, then aligned to a vector |
//! | `add rsp, n` | `mov rsp, rbp` |
//! | a constant of 16 bytes | the same in each part, in data of its own |
//! | `call`, `ret` | after a `vzeroupper`: others may use instructions that are slow without |

use std::collections::HashMap;

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, OpKind, Register};

use super::decode::Program;
use super::meaning::Step;
use super::{Refusal, vector_number};

/// Where data seem to be until it is known how long the code is.
pub(super) const DATA: u64 = 1 << 30;

/// Rewritten code.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    /// Each with the address of the instruction that it is for as its own, if it is the first one for it.
    pub insts: Vec<Instruction>,
    /// For each stock instruction, the number of the first one for it.
    pub firsts: Vec<usize>,
    pub data: Data,
    /// Bytes of the stack frame.
    pub frame_bytes: u32,
}

/// Data behind the code.
#[derive(Debug, Default)]
pub(super) struct Data {
    pub bytes: Vec<u8>,
    /// Places of constants by what they are.
    places: HashMap<Vec<u8>, usize>,
    /// Places of jump tables, in the order of the tables.
    pub tables: Vec<usize>,
}

impl Data {
    /// Where a constant is, which is added if it is new.
    fn constant(&mut self, bytes: Vec<u8>) -> usize {
        if let Some(&at) = self.places.get(&bytes) {
            return at;
        }
        let at = self.bytes.len().next_multiple_of(bytes.len().next_power_of_two());
        self.bytes.resize(at, 0);
        self.bytes.extend_from_slice(&bytes);
        self.places.insert(bytes, at);
        at
    }
}

/// Carries out the steps.
pub(super) fn rewrite(code: &[u8], program: &Program, steps: &[Step], parts: u8) -> Result<Rewritten, Refusal> {
    let mut writer = Writer { code, program, parts, has_frame_pointer: false, out: Rewritten::default() };
    for table in &program.tables {
        let at = writer.out.data.bytes.len();
        writer.out.data.bytes.resize(at + 4 * table.targets.len(), 0);
        writer.out.data.tables.push(at);
    }
    for (inst, &step) in program.insts.iter().zip(steps) {
        let first = writer.out.insts.len();
        writer.out.firsts.push(first);
        writer.step(inst, step)?;
        for (n, written) in writer.out.insts[first..].iter_mut().enumerate() {
            // Nothing jumps to the others.
            written.set_ip(if n == 0 { inst.ip() } else { 0 });
        }
    }
    Ok(writer.out)
}

struct Writer<'a> {
    code: &'a [u8],
    program: &'a Program,
    parts: u8,
    /// The frame pointer was set.
    has_frame_pointer: bool,
    out: Rewritten,
}

impl Writer<'_> {
    fn step(&mut self, inst: &Instruction, step: Step) -> Result<(), Refusal> {
        let impossible = |_: IcedError| Refusal::of(inst, "it has no other form");
        match step {
            Step::Keep => {
                self.has_frame_pointer |= (inst.op0_register(), inst.op1_register()) == (Register::RBP, Register::RSP);
                let kept = self.moved(inst, false)?;
                self.push(kept);
            }
            Step::Widen(code) | Step::WidenButLast(code) | Step::WidenFirst(code) => {
                let (wide, constants) = match step {
                    Step::Widen(_) => (0..inst.op_count(), true),
                    Step::WidenButLast(_) => (0..inst.op_count() - 1, true),
                    _ => (0..1, false),
                };
                let mut widened = self.moved(inst, constants)?;
                widened.set_code(code);
                for n in wide.filter(|&n| inst.op_kind(n) == OpKind::Register) {
                    if let Some(number) = vector_number(inst.op_register(n)) {
                        widened.set_op_register(n, self.wide(number));
                    }
                }
                self.push(widened);
            }
            Step::SplatPair => {
                let [to, from] = self.numbers(inst)?;
                let code = Code::VEX_Vpbroadcastq_ymm_xmmm64;
                let made = Instruction::with2(code, self.wide(to), narrow(from)).map_err(impossible)?;
                self.push(made);
            }
            Step::Promote | Step::Demote => {
                // The lower halves of both parts side by side, or back.
                const LOWER_HALVES: u32 = 0b11_01_10_00;
                let [to, from] = self.numbers(inst)?;
                let order = Code::VEX_Vpermq_ymm_ymmm256_imm8;
                let pair = match step {
                    Step::Promote => [
                        Instruction::with3(order, self.wide(to), self.wide(from), LOWER_HALVES),
                        Instruction::with2(Code::VEX_Vcvtps2pd_ymm_xmmm128, self.wide(to), narrow(to)),
                    ],
                    _ => [
                        Instruction::with2(Code::VEX_Vcvtpd2ps_xmm_ymmm256, narrow(to), self.wide(from)),
                        Instruction::with3(order, self.wide(to), self.wide(to), LOWER_HALVES),
                    ],
                };
                for made in pair {
                    self.push(made.map_err(impossible)?);
                }
            }
            Step::Take(part) => {
                let [to, from] = self.numbers(inst)?;
                let made = match part {
                    0 => Instruction::with2(Code::VEX_Vmovdqa_xmm_xmmm128, narrow(to), narrow(from)),
                    _ => Instruction::with3(
                        Code::VEX_Vextracti128_xmmm128_ymm_imm8,
                        narrow(to),
                        self.wide(from),
                        u32::from(part),
                    ),
                };
                self.push(made.map_err(impossible)?);
            }
            Step::Insert(part) => {
                let [to, from] = self.numbers(inst)?;
                let added = vector_number(inst.op2_register()).ok_or_else(|| Refusal::of(inst, "not a vector"))?;
                let code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                let made = Instruction::with4(code, self.wide(to), self.wide(from), narrow(added), u32::from(part));
                self.push(made.map_err(impossible)?);
            }
            Step::LoadPart | Step::StorePart => {
                let mut made = self.moved(inst, false)?;
                made.set_code(match step {
                    Step::LoadPart => Code::VEX_Vmovdqu_xmm_xmmm128,
                    _ => Code::VEX_Vmovdqu_xmmm128_xmm,
                });
                self.push(made);
            }
            Step::Enter => {
                if !self.has_frame_pointer {
                    return Err(Refusal::of(inst, "a frame without a pointer to it"));
                }
                self.enter(inst).map_err(impossible)?;
            }
            Step::Leave => {
                let made = Instruction::with2(Code::Mov_r64_rm64, Register::RSP, Register::RBP).map_err(impossible)?;
                self.push(made);
            }
            Step::Call | Step::Return => {
                self.push(Instruction::with(Code::VEX_Vzeroupper));
                self.push(*inst);
            }
        }
        Ok(())
    }

    /// Makes room on the stack. Each page is touched in order, so that a thread whose stack is too small meets the stack's
    /// guard page and never what lies beyond it.
    fn enter(&mut self, inst: &Instruction) -> Result<(), IcedError> {
        const PAGE: u64 = 4096;
        let bytes = inst.immediate(1) * u64::from(self.parts);
        self.out.frame_bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let down = |bytes: u64| Instruction::with2(Code::Sub_rm64_imm32, Register::RSP, bytes as i32);
        let pages = if self.out.frame_bytes > crate::MAX_FRAME_BYTES { 0 } else { bytes / PAGE };
        for _ in 0..pages {
            self.push(down(PAGE)?);
            let top = MemoryOperand::with_base(Register::RSP);
            self.push(Instruction::with2(Code::Mov_rm32_imm32, top, 0)?);
        }
        self.push(down(bytes - pages * PAGE)?);
        let vector = -16 * i32::from(self.parts);
        self.push(Instruction::with2(Code::And_rm64_imm8, Register::RSP, vector)?);
        Ok(())
    }

    /// The instruction with its places on the stack and in data where they are now.
    fn moved(&mut self, inst: &Instruction, repeats: bool) -> Result<Instruction, Refusal> {
        let mut moved = *inst;
        if !inst.op_kinds().any(|kind| kind == OpKind::Memory) {
            return Ok(moved);
        }
        if inst.memory_base() == Register::RSP {
            let at = inst.memory_displacement64() * u64::from(self.parts);
            moved.set_memory_displacement64(at);
            moved.set_memory_displ_size(if at < 128 { 1 } else { 8 });
        } else if inst.is_ip_rel_memory_operand() {
            let at = inst.ip_rel_memory_address();
            let place = match self.program.tables.iter().position(|table| u64::from(table.at) == at) {
                Some(table) => self.out.data.tables[table],
                None => self.constant(inst, at, repeats)?,
            };
            moved.set_memory_displacement64(DATA + place as u64);
        }
        Ok(moved)
    }

    /// Where the constant is that an instruction reads, in each part if it is for all.
    fn constant(&mut self, inst: &Instruction, at: u64, repeats: bool) -> Result<usize, Refusal> {
        let bytes = inst.memory_size().size();
        let start = usize::try_from(at).ok();
        let constant = start.and_then(|at| self.code.get(at..at.checked_add(bytes)?)).filter(|bytes| !bytes.is_empty());
        let constant = constant.ok_or_else(|| Refusal::of(inst, "a constant that is not there"))?;
        match (repeats, bytes) {
            (true, 16) => Ok(self.out.data.constant(constant.repeat(self.parts.into()))),
            (false, 1 | 2 | 4 | 8) => Ok(self.out.data.constant(constant.to_vec())),
            _ => Err(Refusal::of(inst, "a constant of a size that is not known")),
        }
    }

    fn push(&mut self, inst: Instruction) {
        self.out.insts.push(inst);
    }

    /// The numbers of the first two operands' registers.
    fn numbers(&self, inst: &Instruction) -> Result<[u8; 2], Refusal> {
        let numbers = [inst.op0_register(), inst.op1_register()].map(vector_number);
        let [Some(to), Some(from)] = numbers else { return Err(Refusal::of(inst, "not vectors")) };
        Ok([to, from])
    }

    /// A register with all its parts.
    fn wide(&self, number: u8) -> Register {
        debug_assert_eq!(self.parts, 2, "registers of 256 bits");
        Register::YMM0 + u32::from(number)
    }
}

/// The first part of a register.
fn narrow(number: u8) -> Register {
    Register::XMM0 + u32::from(number)
}
