//! Emits element-wise operations, written once for scalars and vectors.
//!
//! CLIF's arithmetic takes one lane or several, so a recipe built from these functions gives the same bits in uniform
//! and in per-lane code. Only selects, tests against a mask and constants look different; they are here too.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::immediates::Offset32;
use cranelift_codegen::ir::instructions::InstructionData;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Value, ValueDef, types};
use smallvec::SmallVec;

use super::{Emit, Packet, PacketOperand, Uniform, Vectors, is_wide, lane_order, scalar_type, vector_type};

/// Operands of one operation, in one form.
pub type Operands = SmallVec<[PacketOperand; 3]>;

impl Emit<'_, '_> {
    /// Brings operands to one form: all uniform, or all packets.
    pub fn same_form(&mut self, operands: &[PacketOperand]) -> Operands {
        if operands.iter().all(PacketOperand::is_uniform) {
            return operands.iter().cloned().collect();
        }
        operands.iter().map(|operand| PacketOperand::Packet(self.packet(operand))).collect()
    }

    /// A constant in the form of another value.
    pub fn constant_like(&mut self, form: &PacketOperand, constant: Const) -> PacketOperand {
        match form {
            PacketOperand::Uniform(_) => self.constant(constant).into(),
            PacketOperand::Packet(_) => self.constant_packet(constant).into(),
        }
    }

    /// The constant that a CLIF scalar is, if its definition says so.
    pub(crate) fn known_constant(&self, uniform: Uniform) -> Option<Const> {
        let dfg = &self.builder.func.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(uniform.value)) else { return None };
        let bits = match dfg.insts[inst] {
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => imm.bits() as u64,
            InstructionData::UnaryIeee32 { imm, .. } => u64::from(imm.bits()),
            InstructionData::UnaryIeee64 { imm, .. } => imm.bits(),
            _ => return None,
        };
        let bits = match uniform.ty {
            Type::Bool => bits & 1,
            ty if is_wide(ty) => bits,
            _ => u64::from(bits as u32),
        };
        Some(Const { ty: uniform.ty, bits })
    }

    /// Emits one CLIF instruction (or a few) for each vector.
    pub(crate) fn map1(
        &mut self,
        ty: Type,
        a: &PacketOperand,
        mut emit: impl FnMut(&mut Self, Value) -> Value,
    ) -> PacketOperand {
        match a {
            PacketOperand::Uniform(a) => PacketOperand::scalar(ty, emit(self, a.value)),
            PacketOperand::Packet(a) => {
                let vectors = a.vectors.iter().map(|&a| emit(self, a)).collect();
                Packet { ty, vectors }.into()
            }
        }
    }

    /// Emits one CLIF instruction (or a few) for each pair of vectors.
    pub(crate) fn map2(
        &mut self,
        ty: Type,
        a: &PacketOperand,
        b: &PacketOperand,
        mut emit: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> PacketOperand {
        match (a, b) {
            (PacketOperand::Uniform(a), PacketOperand::Uniform(b)) => {
                PacketOperand::scalar(ty, emit(self, a.value, b.value))
            }
            (PacketOperand::Packet(a), PacketOperand::Packet(b)) => self.zip(ty, &a.vectors, &b.vectors, emit).into(),
            _ => unreachable!("operands were brought to one form"),
        }
    }

    /// Emits one CLIF instruction (or a few) for each pair of vectors of two packets.
    pub(crate) fn zip(
        &mut self,
        ty: Type,
        a: &Vectors,
        b: &Vectors,
        mut emit: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> Packet {
        debug_assert_eq!(a.len(), b.len(), "operands of equal width");
        Packet { ty, vectors: a.iter().zip(b).map(|(&a, &b)| emit(self, a, b)).collect() }
    }

    /// The same bits under another type of equal width. A condition and its mask's bits are the same in a packet only.
    pub fn reinterpret(&mut self, ty: Type, a: &PacketOperand) -> PacketOperand {
        match a {
            PacketOperand::Uniform(a) => {
                let to = scalar_type(ty);
                let value = match self.builder.func.dfg.value_type(a.value) {
                    from if from == to => a.value,
                    // A value just loaded is loaded again as a float: a move from general-purpose registers takes
                    // longer.
                    types::I32 if to == types::F32 => match self.constant_load(a.value) {
                        Some((flags, address, offset)) => self.ins().load(to, flags, address, offset),
                        None => self.ins().bitcast(to, lane_order(), a.value),
                    },
                    _ => self.ins().bitcast(to, lane_order(), a.value),
                };
                Uniform { ty, value }.into()
            }
            PacketOperand::Packet(a) => self.reinterpret_packet(ty, a).into(),
        }
    }

    /// The load of a scalar, if from memory that does not change.
    pub(crate) fn constant_load(&self, value: Value) -> Option<(MemFlagsData, Value, Offset32)> {
        let dfg = &self.builder.func.dfg;
        let inst = dfg.value_def(value).inst()?;
        match dfg.insts[inst] {
            InstructionData::Load { opcode: Opcode::Load, arg, flags, offset } => {
                let flags = dfg.mem_flags[flags];
                flags.readonly().then_some((flags, arg, offset))
            }
            _ => None,
        }
    }

    /// The same if it is in the current block: loading it again there runs no more often.
    pub(super) fn constant_load_nearby(&self, value: Value) -> Option<(MemFlagsData, Value, Offset32)> {
        let inst = self.builder.func.dfg.value_def(value).inst()?;
        let is_nearby = self.builder.func.layout.inst_block(inst) == self.builder.current_block();
        if is_nearby && self.shape.vector_bytes > 16 { self.constant_load(value) } else { None }
    }

    /// The same bits under another type of equal width.
    pub(crate) fn reinterpret_packet(&mut self, ty: Type, a: &Packet) -> Packet {
        let vectors = a.vectors.iter().map(|&vector| self.cast(vector, vector_type(ty))).collect();
        Packet { ty, vectors }
    }

    /// A vector's bits under another vector type; no instruction.
    pub(crate) fn cast(&mut self, vector: Value, to: cranelift_codegen::ir::Type) -> Value {
        let dfg = &self.builder.func.dfg;
        // A value that was cast before is cast from the original. Casts are no code, but take time to compile, and
        // chains of shuffles would be full of them.
        let original = match dfg.value_def(vector).inst().map(|inst| dfg.insts[inst]) {
            Some(InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. })
                if dfg.value_type(arg).is_vector() =>
            {
                arg
            }
            _ => vector,
        };
        if dfg.value_type(original) == to {
            return original;
        }
        self.ins().bitcast(to, lane_order(), original)
    }

    /// Moves values between the lanes of each quad.
    pub fn quad_read(&mut self, packet: &Packet, from: [u8; 4]) -> Packet {
        debug_assert!(!is_wide(packet.ty), "32-bit values");
        let vectors = packet.vectors.iter().map(|&vector| {
            let read = self.shuffle(vector, vector, from);
            self.cast(read, vector_type(packet.ty))
        });
        Packet { ty: packet.ty, vectors: vectors.collect() }
    }

    /// Rearranges the eight dwords of two vectors: 0 to 3 are the first's, 4 to 7 the second's. Gives I32X4.
    pub(crate) fn shuffle(&mut self, a: Value, b: Value, dwords: [u8; 4]) -> Value {
        let mut bytes = [0; 16];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = dwords[index / 4] * 4 + index as u8 % 4;
        }
        self.shuffle_bytes(a, b, bytes)
    }

    /// Bytes of two vectors, as I32X4.
    pub(super) fn shuffle_bytes(&mut self, a: Value, b: Value, bytes: [u8; 16]) -> Value {
        let [a, b] = [a, b].map(|vector| self.cast(vector, types::I8X16));
        let mask = self.builder.func.dfg.immediates.push(bytes.as_slice().into());
        let shuffled = self.ins().shuffle(a, b, mask);
        self.cast(shuffled, types::I32X4)
    }

    /// Bitwise and.
    pub fn and(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| emit.ins().band(a, b))
    }

    /// Bitwise or.
    pub fn or(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| emit.ins().bor(a, b))
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| emit.ins().bxor(a, b))
    }

    /// The first without the bits of the second: one instruction for vectors, written so that Cranelift sees it.
    pub fn and_not(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| {
            let not = emit.ins().bnot(b);
            emit.ins().band(a, not)
        })
    }

    /// Sum of integers, wrapping.
    pub fn add(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| emit.ins().iadd(a, b))
    }

    /// Difference of integers, wrapping.
    pub fn sub(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| emit.ins().isub(a, b))
    }

    /// Low half of the product of integers.
    pub fn mul(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(a.ty(), a, b, |emit, a, b| emit.ins().imul(a, b))
    }

    /// With a constant `i32`: and.
    pub fn and_bits(&mut self, a: &PacketOperand, bits: u32) -> PacketOperand {
        let bits = self.constant_like(a, Const::i32(bits));
        self.and(a, &bits)
    }

    /// With a constant `i32`: exclusive or.
    pub fn xor_bits(&mut self, a: &PacketOperand, bits: u32) -> PacketOperand {
        let bits = self.constant_like(a, Const::i32(bits));
        self.xor(a, &bits)
    }

    /// With a constant `i32`: sum.
    pub fn add_bits(&mut self, a: &PacketOperand, bits: u32) -> PacketOperand {
        let bits = self.constant_like(a, Const::i32(bits));
        self.add(a, &bits)
    }

    /// Left shift by a constant below the width.
    pub fn shl_by(&mut self, a: &PacketOperand, amount: u8) -> PacketOperand {
        self.map1(a.ty(), a, |emit, a| {
            let amount = emit.ins().iconst(types::I32, i64::from(amount));
            emit.ins().ishl(a, amount)
        })
    }

    /// Logical right shift by a constant below the width.
    pub fn ushr_by(&mut self, a: &PacketOperand, amount: u8) -> PacketOperand {
        self.map1(a.ty(), a, |emit, a| {
            let amount = emit.ins().iconst(types::I32, i64::from(amount));
            emit.ins().ushr(a, amount)
        })
    }

    /// Arithmetic right shift of 32 bits by a constant below 32.
    pub fn sshr_by(&mut self, a: &PacketOperand, amount: u8) -> PacketOperand {
        self.map1(a.ty(), a, |emit, a| {
            let amount = emit.ins().iconst(types::I32, i64::from(amount));
            emit.ins().sshr(a, amount)
        })
    }

    /// Compares integers of 32 bits.
    pub fn compare(&mut self, cc: IntCC, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.map2(Type::Bool, a, b, |emit, a, b| emit.ins().icmp(cc, a, b))
    }

    /// Compares with a constant `i32`.
    pub fn compare_bits(&mut self, cc: IntCC, a: &PacketOperand, bits: u32) -> PacketOperand {
        let bits = self.constant_like(a, Const::i32(bits));
        self.compare(cc, a, &bits)
    }

    /// Compares floats or doubles. The mask of doubles comes out two vectors wide and is narrowed.
    pub fn compare_floats(&mut self, cc: FloatCC, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        let wide = is_wide(a.ty());
        match self.map2(Type::Bool, a, b, |emit, a, b| emit.ins().fcmp(cc, a, b)) {
            PacketOperand::Packet(mask) if wide => self.narrow_mask(&mask.vectors).into(),
            other => other,
        }
    }

    /// The first where the condition holds, else the second; the condition must have the operands' form. Bits
    /// untouched.
    pub fn choose(&mut self, condition: &PacketOperand, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        match (condition, a, b) {
            (PacketOperand::Uniform(condition), PacketOperand::Uniform(a), PacketOperand::Uniform(b)) => {
                PacketOperand::scalar(a.ty, self.ins().select(condition.value, a.value, b.value))
            }
            (PacketOperand::Packet(mask), PacketOperand::Packet(a), PacketOperand::Packet(b)) => {
                self.select(mask, a, b).into()
            }
            _ => unreachable!("operands were brought to one form"),
        }
    }

    /// The same where the second is zero: for packets, one `pand`.
    pub fn choose_or_zero(
        &mut self,
        condition: &PacketOperand,
        a: &PacketOperand,
        zero: &PacketOperand,
    ) -> PacketOperand {
        match (condition, a) {
            (PacketOperand::Packet(mask), PacketOperand::Packet(a)) => self.keep(mask, a).into(),
            _ => self.choose(condition, a, zero),
        }
    }

    /// A condition in Direct3D's form: all ones or zero.
    pub fn condition_bits(&mut self, condition: &PacketOperand) -> PacketOperand {
        match condition {
            PacketOperand::Uniform(condition) => {
                let word = self.ins().uextend(types::I32, condition.value);
                PacketOperand::scalar(Type::I32, self.ins().ineg(word))
            }
            PacketOperand::Packet(mask) => Packet { ty: Type::I32, vectors: mask.vectors.clone() }.into(),
        }
    }

    /// The `i32` where the condition holds, else zero: cheaper than a select.
    pub fn bits_if(&mut self, condition: &PacketOperand, a: &PacketOperand) -> PacketOperand {
        let mask = self.condition_bits(condition);
        self.and(a, &mask)
    }

    /// The vectors of an operand that is known to be a packet: for recipes that work on CLIF values.
    pub(crate) fn vectors(operand: &PacketOperand) -> &Vectors {
        match operand {
            PacketOperand::Packet(packet) => &packet.vectors,
            PacketOperand::Uniform(_) => unreachable!("only packets have vectors"),
        }
    }
}
