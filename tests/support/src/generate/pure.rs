//! Generates instructions on registers. Operands follow from the row of the instruction table, so that a new row is
//! covered at once.

use brolga_bytecode::sm5::ops::{Carries, Form, Slot, Type, Width};
use brolga_bytecode::sm5::{Model, Op, Stage};

use super::Generator;
use crate::program::{Block, Index, Instr, Modifier, Node, Operand, Parts, Register};

/// Opcodes that come often, so that values flow.
const COMMON: [Op; 24] = [
    Op::Mov,
    Op::MovC,
    Op::Add,
    Op::Mul,
    Op::Mad,
    Op::Min,
    Op::Max,
    Op::IAdd,
    Op::IMad,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Not,
    Op::INeg,
    Op::IShl,
    Op::UShr,
    Op::IShr,
    Op::ULt,
    Op::IEq,
    Op::Lt,
    Op::Ge,
    Op::ItoF,
    Op::FtoI,
    Op::UDiv,
];

/// Opcodes that come often if floats are tiny.
const FLOATS: [Op; 8] = [Op::Add, Op::Add, Op::Mul, Op::Mad, Op::Div, Op::Dp2, Op::Min, Op::Max];

/// Opcodes that come often if there are doubles.
const DOUBLES: [Op; 12] = [
    Op::DAdd,
    Op::DMul,
    Op::DFma,
    Op::DMax,
    Op::DMin,
    Op::DMovC,
    Op::DMov,
    Op::FtoD,
    Op::DtoF,
    Op::ItoD,
    Op::DLt,
    Op::DDiv,
];

/// The sources that an instruction may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Any.
    Any,
    /// Group-uniform ones.
    Uniform,
}

/// The opcodes of compute shaders that have registers for operands and write one.
pub fn pure_ops() -> impl Iterator<Item = Op> {
    Op::ALL.iter().copied().filter(|op| {
        let info = op.info();
        let on_registers = |slot: &Slot| matches!(slot, Slot::Write { .. } | Slot::Read { .. });
        info.form == Form::Instruction
            && info.exists_in(Model::Sm5_0, Stage::Compute, true)
            && info.slots.first().is_some_and(|slot| slot.is_destination())
            && info.slots.iter().all(on_registers)
    })
}

fn has_doubles(op: Op) -> bool {
    op.info()
        .slots
        .iter()
        .any(|slot| matches!(slot, Slot::Write { ty: Type::Double, .. } | Slot::Read { ty: Type::Double, .. }))
}

impl Generator {
    /// An instruction that writes general registers.
    pub(super) fn pure(&mut self) -> Instr {
        let op = self.pure_op();
        self.pure_of(op, Scope::Any)
    }

    /// Several instructions whose general registers have just been read from memory, so that they meet words of all
    /// kinds. All results are gathered.
    pub(super) fn pure_on_input(&mut self, block: &mut Block) {
        if self.program.temps < 4 {
            return block.push(Node::Plain(self.pure()));
        }
        let (result, inputs) = (Register::Temp(1), [2, 3]);
        for input in inputs {
            block.push(Node::Group(self.read_input_to(Operand::to(Register::Temp(input), 0xf))));
        }
        for _ in 0..3 + self.random.below(5) {
            let mut instr = self.pure();
            let mut written = Vec::new();
            if instr.op == Op::SwapC {
                // Swapped values go to two registers, and there is one for results.
                instr.operands[1] = Operand::new(Register::Null, Parts::None);
            }
            for (slot, operand) in instr.op.info().slots.iter().zip(&mut instr.operands) {
                match (slot, &operand.register) {
                    (Slot::Write { .. }, Register::Temp(_) | Register::Array(..)) => {
                        operand.register = result.clone();
                        written.push(operand.parts);
                    }
                    (Slot::Read { .. }, Register::Temp(_)) => {
                        operand.register = Register::Temp(self.random.pick(&inputs));
                    }
                    _ => {}
                }
            }
            block.push(Node::Plain(instr));
            for parts in written {
                self.gather(result.clone(), parts, block);
            }
        }
    }

    /// Mixes components of a register into `r0`, which is seen in the end.
    pub(super) fn gather(&mut self, from: Register, parts: Parts, block: &mut Block) {
        let [to, before] = [Operand::new(Register::Temp(0), parts), Operand::whole(Register::Temp(0))];
        block.push(Node::Plain(Instr::new(Op::Xor, vec![to, before, Operand::whole(from)])));
    }

    /// An instruction on uniform sources.
    pub(super) fn uniform(&mut self) -> Instr {
        loop {
            let op = self.pure_op();
            let is_wide = has_doubles(op);
            if !is_wide {
                return self.pure_of(op, Scope::Uniform);
            }
        }
    }

    fn pure_op(&mut self) -> Op {
        loop {
            let is_tiny = self.program.is_tiny() && self.random.one_in(2);
            let op = match self.random.below(8) {
                _ if is_tiny => self.random.pick(&FLOATS),
                0..=2 => self.random.pick(&COMMON),
                3 | 4 if self.doubles => self.random.pick(&DOUBLES),
                _ => {
                    let ops: Vec<Op> = pure_ops().collect();
                    self.random.pick(&ops)
                }
            };
            // These are dozens of operations each.
            let is_long = matches!(op, Op::Exp | Op::Log | Op::SinCos | Op::Msad);
            if (self.doubles || !has_doubles(op)) && (!is_long || self.random.one_in(3)) {
                return op;
            }
        }
    }

    /// An instruction of the opcode.
    pub(super) fn pure_of(&mut self, op: Op, scope: Scope) -> Instr {
        let info = op.info();
        let narrow = info.slots.iter().any(|slot| matches!(slot, Slot::Write { width: Width::PerDouble, .. }));
        let mut operands = Vec::new();
        for slot in info.slots {
            operands.push(match *slot {
                Slot::Write { null: true, .. } if self.random.one_in(5) => Operand::new(Register::Null, Parts::None),
                Slot::Write { ty, width, .. } => self.destination(ty, width, scope),
                Slot::Read { ty, width, .. } => self.source(ty, width, scope),
                _ => unreachable!("no register"),
            });
        }
        if matches!(op, Op::IShl | Op::UShr | Op::IShr) && scope == Scope::Any && self.random.one_in(3) {
            // An amount with a known bound.
            let parts = self.source_parts(&Register::Small, Type::Uint, Width::Each);
            operands[2] = Operand::new(Register::Small, parts);
        }
        if matches!(op, Op::Exp | Op::Log | Op::SinCos | Op::Msad) {
            for operand in &mut operands {
                if let Parts::Mask(mask) = operand.parts {
                    operand.parts = Parts::Mask(1 << mask.trailing_zeros());
                }
            }
        }
        debug_assert!(
            !narrow || operands.iter().all(|o| !matches!(o.parts, Parts::Mask(mask) if mask.count_ones() > 2))
        );
        if op == Op::SwapC && operands[0].register == operands[1].register {
            operands[1] = Operand::new(Register::Null, Parts::None);
        }
        let mut suffix = String::new();
        if info.carries.has(Carries::SAT) && self.random.one_in(6) {
            suffix += "_sat";
        }
        if self.random.one_in(10) {
            let mask = self.random.below(16);
            let letters: String = (0..4).filter(|n| mask >> n & 1 != 0).map(|n| ["x", "y", "z", "w"][n]).collect();
            suffix += &if letters.is_empty() { letters } else { format!(" [precise({letters})]") };
        }
        Instr { op, suffix, operands }
    }

    fn destination(&mut self, ty: Type, width: Width, scope: Scope) -> Operand {
        let mask = match (ty, width) {
            (Type::Double, _) => self.random.pick(&[0b0011, 0b1100, 0b1111]),
            (_, Width::One) => 1 << self.random.below(4),
            (_, Width::PerDouble) => self.random.pick(&[1, 2, 4, 8, 3, 5, 9, 6, 10, 12]),
            _ => match self.random.below(4) {
                0 => 0xf,
                1 | 2 => 1 << self.random.below(4),
                _ => 1 + self.random.below(15) as u8,
            },
        };
        let register = match scope {
            Scope::Uniform => Register::Uniform,
            Scope::Any if !self.program.arrays.is_empty() && self.random.one_in(6) => self.array(),
            Scope::Any => self.temp(),
        };
        Operand::to(register, mask)
    }

    /// A source of the kind.
    pub(super) fn source(&mut self, ty: Type, width: Width, scope: Scope) -> Operand {
        let register = match scope {
            Scope::Any => self.source_register(ty, width),
            Scope::Uniform => self.uniform_register(ty, width),
        };
        let parts = self.source_parts(&register, ty, width);
        let is_literal = matches!(register, Register::Literal(_) | Register::Doubles(_));
        let modifier = match ty {
            _ if is_literal => Modifier::None,
            Type::Float | Type::Double | Type::Any if self.random.one_in(5) => self.random.pick(&Modifier::ALL),
            Type::Int if self.random.one_in(8) => Modifier::Negate,
            _ => Modifier::None,
        };
        Operand { register, parts, modifier }
    }

    fn source_parts(&mut self, register: &Register, ty: Type, width: Width) -> Parts {
        let components = match register {
            Register::Literal(_) | Register::Doubles(_) | Register::IndexInGroup => return Parts::None,
            Register::ThreadId | Register::GroupId | Register::IdInGroup => 3,
            Register::Own => 1,
            _ => 4,
        };
        let mut any = || self.random.below(components) as u8;
        match (ty, width) {
            (Type::Double, _) => {
                let [low, high] = [any(), any()].map(|pair| pair & 2);
                Parts::Swizzle([low, low + 1, high, high + 1])
            }
            (_, Width::One) => Parts::Select(any()),
            _ => {
                let swizzle = [any(), any(), any(), any()];
                match self.random.below(3) {
                    0 if components == 4 => Parts::Swizzle([0, 1, 2, 3]),
                    1 => Parts::Swizzle([swizzle[0]; 4]),
                    _ => Parts::Swizzle(swizzle),
                }
            }
        }
    }

    fn source_register(&mut self, ty: Type, width: Width) -> Register {
        let double = ty == Type::Double;
        match self.random.below(14) {
            0..=6 => self.temp(),
            7 => Register::Small,
            8 | 9 => self.literal(ty, width),
            10 => self.constant(),
            11 if !self.program.arrays.is_empty() => self.array(),
            12 if !self.program.immediate.is_empty() => {
                let index = self.index(self.program.immediate.len() as u32);
                Register::Immediate(index)
            }
            13 if !double => match self.random.below(6) {
                0 => Register::ThreadId,
                1 => Register::GroupId,
                2 => Register::IdInGroup,
                3 => Register::IndexInGroup,
                4 => Register::Own,
                _ => Register::Uniform,
            },
            _ => self.temp(),
        }
    }

    fn uniform_register(&mut self, ty: Type, width: Width) -> Register {
        match self.random.below(8) {
            0..=2 => Register::Uniform,
            3 | 4 => self.literal(ty, width),
            5 => Register::GroupId,
            6 if !self.program.immediate.is_empty() => {
                Register::Immediate(Index::fixed(self.random.below(self.program.immediate.len()) as u32))
            }
            _ => {
                let relative = self.random.one_in(3).then(|| (Box::new(Register::Uniform), self.random.below(4) as u8));
                Register::Constant(0, Index { base: self.random.below(3) as u32, relative })
            }
        }
    }

    fn literal(&mut self, ty: Type, width: Width) -> Register {
        if ty == Type::Double && self.random.one_in(2) {
            return Register::Doubles([self.double(), self.double()]);
        }
        let words = if width == Width::One || (ty != Type::Double && self.random.one_in(2)) { 1 } else { 4 };
        Register::Literal((0..words).map(|_| self.word_of(ty)).collect())
    }

    fn word_of(&mut self, ty: Type) -> u32 {
        match (ty, self.random.below(3)) {
            (Type::Float, 0 | 1) => self.random.float(),
            (Type::Int | Type::Uint | Type::Bool, 0) => self.random.below(40) as u32,
            _ => self.random.word(),
        }
    }

    fn double(&mut self) -> u64 {
        const EDGES: [u64; 10] = [
            0,
            1 << 63,
            0x3ff0_0000_0000_0000,
            0xbff8_0000_0000_0000,
            0x0000_0000_0000_0001,
            0x000f_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff4_0000_0000_1234,
            0x380f_ffff_f000_0000,
            0x41e0_0000_0010_0000,
        ];
        if self.random.one_in(2) {
            self.random.pick(&EDGES)
        } else {
            (self.random.bits() as i32 as f64 / 65536.0).to_bits()
        }
    }

    /// A general register.
    pub(super) fn temp(&mut self) -> Register {
        Register::Temp(self.random.below(self.program.temps as usize) as u32)
    }

    fn constant(&mut self) -> Register {
        let n = self.random.below(2);
        let index = self.index(self.program.layout.constants[n]);
        Register::Constant(n as u32, index)
    }

    fn array(&mut self) -> Register {
        let n = self.random.below(self.program.arrays.len());
        let index = self.index(self.program.arrays[n]);
        Register::Array(n as u32, index)
    }

    /// An index, mostly below the count.
    fn index(&mut self, count: u32) -> Index {
        let base = self.random.below(count as usize) as u32;
        let component = self.random.below(4) as u8;
        let relative = match self.random.below(20) {
            0..=7 => return Index::fixed(base),
            8..=15 => Register::Small,
            16 => Register::Uniform,
            17 if !self.program.arrays.is_empty() => {
                let n = self.random.below(self.program.arrays.len());
                Register::Array(n as u32, Index::fixed(self.random.below(self.program.arrays[n] as usize) as u32))
            }
            _ => self.temp(),
        };
        let base = if self.random.one_in(2) { 0 } else { base };
        Index { base, relative: Some((Box::new(relative), component)) }
    }
}
