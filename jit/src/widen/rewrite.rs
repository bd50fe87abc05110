//! Instructions, constants and frame for wider registers.
//!
//! | stock code | wide code |
//! |---|---|
//! | a place on the stack | as many times as far from the frame's end as there are parts |
//! | `sub rsp, n` | the same of the larger frame, page by page, then aligned to a vector |
//! | `add rsp, n` | nothing: `mov rsp, rbp` comes next |
//! | a constant of 16 bytes | the same in each part, in data of its own |
//! | `call`, `ret` | after a `vzeroupper`: others may use instructions that are slow without |

use std::collections::BTreeMap;

use iced_x86::{Code, IcedError, Instruction, MemoryOperand, OpKind, Register};

use super::decode::Program;
use super::encode::Output;
use super::rows::{Step, has_memory};
use super::{Refusal, Wide, vector_number};

/// Carries out the steps.
pub(super) fn rewrite(code: &[u8], program: &Program, steps: &[Step], parts: u8) -> Result<Wide, Refusal> {
    let mut out = Output::new(program.insts.len());
    let tables = program.tables.iter().map(|table| out.data(vec![0; 4 * table.targets.len()].into_iter())).collect();
    let mut writer = Writer {
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
        writer.out.begin(inst.ip() as u32);
        writer.step(inst, step)?;
    }
    let Writer { tables, frame_bytes, out, .. } = writer;
    Ok(out.finish(program, &tables, frame_bytes))
}

struct Writer<'a> {
    code: &'a [u8],
    program: &'a Program,
    parts: u8,
    /// The frame pointer was set.
    has_frame_pointer: bool,
    /// Bytes of the stack frame.
    frame_bytes: u32,
    /// Places of jump tables in the data, in the order of the tables.
    tables: Vec<usize>,
    /// Places of constants in the data, by where and how long they were.
    constants: BTreeMap<(u64, usize), usize>,
    out: Output,
}

impl Writer<'_> {
    fn step(&mut self, inst: &Instruction, step: Step) -> Result<(), Refusal> {
        match step {
            Step::Keep => {
                self.has_frame_pointer |= (inst.op0_register(), inst.op1_register()) == (Register::RBP, Register::RSP);
                self.keep(inst)?;
            }
            Step::Widen(code) => self.widen(inst, code, inst.op_count())?,
            Step::WidenButLast(code) => self.widen(inst, code, inst.op_count() - 1)?,
            Step::WidenFirst(code) => self.widen(inst, code, 1)?,
            Step::SplatPair => {
                let [to, from] = self.numbers(inst)?;
                let code = Code::VEX_Vpbroadcastq_ymm_xmmm64;
                self.push(inst, Instruction::with2(code, self.wide(to), narrow(from)))?;
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
                    self.push(inst, made)?;
                }
            }
            Step::Take(part) => {
                let [to, from] = self.numbers(inst)?;
                let code = Code::VEX_Vextracti128_xmmm128_ymm_imm8;
                let made = match part {
                    0 => Instruction::with2(Code::VEX_Vmovdqa_xmm_xmmm128, narrow(to), narrow(from)),
                    _ => Instruction::with3(code, narrow(to), self.wide(from), u32::from(part)),
                };
                self.push(inst, made)?;
            }
            Step::Insert(part) => {
                let [to, from] = self.numbers(inst)?;
                let added = vector_number(inst.op2_register()).ok_or_else(|| Refusal::of(inst, "not a vector"))?;
                let code = Code::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
                let made = Instruction::with4(code, self.wide(to), self.wide(from), narrow(added), u32::from(part));
                self.push(inst, made)?;
            }
            Step::LoadPart | Step::StorePart => {
                let mut made = *inst;
                made.set_code(match step {
                    Step::LoadPart => Code::VEX_Vmovdqu_xmm_xmmm128,
                    _ => Code::VEX_Vmovdqu_xmmm128_xmm,
                });
                self.push(inst, Ok(made))?;
            }
            Step::Enter if !self.has_frame_pointer => return Err(Refusal::of(inst, "a frame without a pointer to it")),
            Step::Enter => self.enter(inst)?,
            Step::Leave => {}
            Step::Call | Step::Return => {
                self.push(inst, Ok(Instruction::with(Code::VEX_Vzeroupper)))?;
                self.keep(inst)?;
            }
        }
        Ok(())
    }

    /// The same instruction.
    fn keep(&mut self, inst: &Instruction) -> Result<(), Refusal> {
        let bytes = &self.code[inst.ip() as usize..inst.next_ip() as usize];
        if inst.op0_kind() == OpKind::NearBranch64 {
            self.out.branch(bytes, inst.near_branch64() as u32);
        } else if has_memory(inst) && (inst.memory_base() == Register::RSP || inst.is_ip_rel_memory_operand()) {
            self.place(inst, *inst, 1)?;
        } else {
            self.out.copy(bytes);
        }
        Ok(())
    }

    /// Another instruction whose first vector registers are wide.
    fn widen(&mut self, inst: &Instruction, code: Code, wide: u32) -> Result<(), Refusal> {
        let mut widened = *inst;
        widened.set_code(code);
        for n in (0..wide).filter(|&n| inst.op_kind(n) == OpKind::Register) {
            if let Some(number) = vector_number(inst.op_register(n)) {
                widened.set_op_register(n, self.wide(number));
            }
        }
        // A constant for one register alone is not repeated.
        self.place(inst, widened, if wide > 1 { self.parts } else { 1 })
    }

    /// An instruction that stands for another, with its place on the stack or in data where that is now.
    fn place(&mut self, inst: &Instruction, mut made: Instruction, repeats: u8) -> Result<(), Refusal> {
        if !has_memory(inst) {
            return self.push(inst, Ok(made));
        }
        if inst.is_ip_rel_memory_operand() {
            let at = inst.ip_rel_memory_address();
            let place = match self.program.table(at) {
                Some(table) => self.tables[table],
                None => self.constant(inst, at, repeats)?,
            };
            return self.out.encode_with_data(&made, place).map_err(|_| impossible(inst));
        }
        if inst.memory_base() == Register::RSP {
            let at = inst.memory_displacement64().saturating_mul(self.parts.into());
            made.set_memory_displacement64(at);
            made.set_memory_displ_size(if at < 128 { 1 } else { 8 });
        }
        self.push(inst, Ok(made))
    }

    /// Makes room on the stack. Each page is touched in order, so that a thread whose stack is too small meets the stack's
    /// guard page and never what lies beyond it.
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

    /// Where the constant is that an instruction reads, so many times if it is for all parts.
    fn constant(&mut self, inst: &Instruction, at: u64, repeats: u8) -> Result<usize, Refusal> {
        let bytes = inst.memory_size().size();
        let repeats = match bytes {
            16 if repeats > 1 => repeats.into(),
            1 | 2 | 4 | 8 if repeats == 1 => 1,
            _ => return Err(Refusal::of(inst, "a constant of a size that is not known")),
        };
        if let Some(&place) = self.constants.get(&(at, bytes)) {
            return Ok(place);
        }
        let start = usize::try_from(at).ok();
        let constant = start.and_then(|at| self.code.get(at..at.checked_add(bytes)?));
        let constant = constant.ok_or_else(|| Refusal::of(inst, "a constant that is not there"))?;
        let place = self.out.data(constant.repeat(repeats).into_iter());
        self.constants.insert((at, bytes), place);
        Ok(place)
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

    /// A register with all its parts.
    fn wide(&self, number: u8) -> Register {
        debug_assert_eq!(self.parts, 2, "registers of 256 bits");
        Register::YMM0 + u32::from(number)
    }
}

fn impossible(inst: &Instruction) -> Refusal {
    Refusal::of(inst, "it has no other form")
}

/// The first part of a register.
fn narrow(number: u8) -> Register {
    Register::XMM0 + u32::from(number)
}
