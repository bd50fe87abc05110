//! Handles 64-bit values: halves, conversions, doubles.
//!
//! A packet of 64-bit values has two vectors for each vector of 32-bit ones: its lanes (0, 1) and (2, 3). Shuffles
//! between the two stay within 128 bits. Conversions between integers and doubles go through the significand instead of
//! through instructions that read half a vector.
//!
//! Doubles honour denormals, so arithmetic on them needs [`FloatMode::Default`].

use brolga_ir::float_class::ClassSet;
use brolga_ir::{Const, Type};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, Value, types};
use cranelift_codegen::isa::CallConv;

use super::float::Extreme;
use super::{Emit, Fma, Packet, PacketOperand, Vectors, vector_type};
use crate::FloatMode;

/// Upper half of 2^52 as a double: an integer in the lower half is added to it.
const HIGH_OF_2_POW_52: u32 = 0x4330_0000;
const TWO_POW_52: f64 = (1u64 << 52) as f64;
const TWO_POW_31: f64 = (1u64 << 31) as f64;
/// Half an ulp below the smallest normal float: anything smaller rounds to a tiny result (see
/// `brolga_ir::float::narrow`).
const TINY: f64 = f32::MIN_POSITIVE as f64 * (1.0 - 1.0 / (1u64 << 25) as f64);

impl Emit<'_, '_> {
    /// Combines low and high halves to 64-bit values.
    pub fn pack64(&mut self, low: &PacketOperand, high: &PacketOperand) -> PacketOperand {
        match (low, high) {
            (PacketOperand::Uniform(low), PacketOperand::Uniform(high)) => {
                let low = self.ins().uextend(types::I64, low.value);
                let high = self.ins().uextend(types::I64, high.value);
                let high = self.ins().ishl_imm_u(high, 32);
                PacketOperand::scalar(Type::I64, self.ins().bor(high, low))
            }
            (low, high) => self.interleave(Type::I64, Self::vectors(low), Self::vectors(high)).into(),
        }
    }

    fn interleave(&mut self, ty: Type, low: &Vectors, high: &Vectors) -> Packet {
        let mut vectors = Vectors::new();
        for (&low, &high) in low.iter().zip(high) {
            for dwords in [[0, 4, 1, 5], [2, 6, 3, 7]] {
                let pair = self.shuffle(low, high, dwords);
                vectors.push(self.cast(pair, vector_type(ty)));
            }
        }
        Packet { ty, vectors }
    }

    /// Low halves of 64-bit values.
    pub fn low64(&mut self, a: &PacketOperand) -> PacketOperand {
        match a {
            PacketOperand::Uniform(a) => PacketOperand::scalar(Type::I32, self.ins().ireduce(types::I32, a.value)),
            PacketOperand::Packet(a) => self.halves(a, [0, 2, 4, 6]).into(),
        }
    }

    /// High halves of 64-bit values.
    pub fn high64(&mut self, a: &PacketOperand) -> PacketOperand {
        match a {
            PacketOperand::Uniform(a) => {
                let high = self.ins().ushr_imm_u(a.value, 32);
                PacketOperand::scalar(Type::I32, self.ins().ireduce(types::I32, high))
            }
            PacketOperand::Packet(a) => self.halves(a, [1, 3, 5, 7]).into(),
        }
    }

    fn halves(&mut self, a: &Packet, dwords: [u8; 4]) -> Packet {
        let vectors = a.vectors.chunks(2).map(|pair| self.shuffle(pair[0], pair[1], dwords)).collect();
        Packet { ty: Type::I32, vectors }
    }

    /// Zero-extends 32-bit values to an `i64` packet: for addresses.
    pub fn widen(&mut self, a: &Packet) -> Packet {
        let zero = self.constant_packet(Const::i32(0));
        self.interleave(Type::I64, &a.vectors, &zero.vectors)
    }

    /// Converts an unsigned 32-bit integer, exactly: written into the significand of 2^52, which is then subtracted.
    pub fn unsigned_to_double(&mut self, a: &PacketOperand) -> PacketOperand {
        if let PacketOperand::Uniform(a) = a {
            return PacketOperand::scalar(Type::F64, self.ins().fcvt_from_uint(types::F64, a.value));
        }
        self.integer_above_2_pow_52(a, TWO_POW_52)
    }

    /// Converts a signed 32-bit integer, exactly: as for an unsigned one that is 2^31 too big.
    pub fn signed_to_double(&mut self, a: &PacketOperand) -> PacketOperand {
        if let PacketOperand::Uniform(a) = a {
            return PacketOperand::scalar(Type::F64, self.ins().fcvt_from_sint(types::F64, a.value));
        }
        let biased = self.xor_bits(a, 0x8000_0000);
        self.integer_above_2_pow_52(&biased, TWO_POW_52 + TWO_POW_31)
    }

    fn integer_above_2_pow_52(&mut self, a: &PacketOperand, excess: f64) -> PacketOperand {
        let high = self.constant_packet(Const::i32(HIGH_OF_2_POW_52));
        let biased = self.interleave(Type::F64, Self::vectors(a), &high.vectors).into();
        let excess = self.constant_like(&biased, Const::f64(excess));
        self.map2(Type::F64, &biased, &excess, |emit, a, b| emit.ins().fsub(a, b))
    }

    /// The low 32 bits of doubles that are integers below 2^51 in magnitude; anything for others.
    pub(crate) fn low_word_of_integral(&mut self, a: &PacketOperand) -> Packet {
        let shift = self.constant_like(a, Const::f64(TWO_POW_52 * 1.5));
        let shifted = self.map2(Type::F64, a, &shift, |emit, a, b| emit.ins().fadd(a, b));
        let PacketOperand::Packet(shifted) = shifted else { unreachable!("only packets are converted this way") };
        self.halves(&shifted, [0, 2, 4, 6])
    }

    /// Converts to a signed integer: towards zero, clamped, NaN gives 0.
    pub fn double_to_signed(&mut self, a: &PacketOperand, classes: ClassSet) -> PacketOperand {
        if let PacketOperand::Uniform(a) = a {
            return PacketOperand::scalar(Type::I32, self.ins().fcvt_to_sint_sat(types::I32, a.value));
        }
        // A NaN loses all its bits; everything else is equal to itself and keeps them.
        let number = match classes.is_number() {
            true => a.clone(),
            false => self.map1(Type::F64, a, |emit, a| {
                let ordered = emit.ins().fcmp(FloatCC::Equal, a, a);
                let mask = emit.ins().bitcast(types::F64X2, super::lane_order(), ordered);
                emit.ins().band(a, mask)
            }),
        };
        self.clamp_to_integer(&number, f64::from(i32::MIN), f64::from(i32::MAX))
    }

    /// Converts to an unsigned integer: towards zero, clamped, NaN gives 0 (the lower bound is the second operand,
    /// which is returned for a NaN).
    pub fn double_to_unsigned(&mut self, a: &PacketOperand) -> PacketOperand {
        if let PacketOperand::Uniform(a) = a {
            return PacketOperand::scalar(Type::I32, self.ins().fcvt_to_uint_sat(types::I32, a.value));
        }
        self.clamp_to_integer(a, 0.0, f64::from(u32::MAX))
    }

    fn clamp_to_integer(&mut self, a: &PacketOperand, low: f64, high: f64) -> PacketOperand {
        let low = self.constant_like(a, Const::f64(low));
        let high = self.constant_like(a, Const::f64(high));
        let clamped = self.pick(Extreme::Max, a, &low);
        let clamped = self.pick(Extreme::Min, &clamped, &high);
        let whole = self.map1(Type::F64, &clamped, |emit, a| emit.ins().trunc(a));
        self.low_word_of_integral(&whole).into()
    }

    /// Converts to 32 bits, flushed: results that are tiny after rounding to 24 bits become zeros of their sign.
    pub fn double_to_float(&mut self, a: &PacketOperand) -> PacketOperand {
        let float: PacketOperand = match a {
            PacketOperand::Uniform(a) => PacketOperand::scalar(Type::F32, self.ins().fdemote(types::F32, a.value)),
            PacketOperand::Packet(a) => {
                let mut vectors = Vectors::new();
                for pair in a.vectors.chunks(2) {
                    let low = self.ins().fvdemote(pair[0]);
                    let high = self.ins().fvdemote(pair[1]);
                    let both = self.shuffle(low, high, [0, 1, 4, 5]);
                    vectors.push(self.cast(both, types::F32X4));
                }
                Packet { ty: Type::F32, vectors }.into()
            }
        };
        let magnitude = self.double_abs(a);
        let limit = self.constant_like(a, Const::f64(TINY));
        let is_tiny = self.compare_floats(FloatCC::LessThan, &magnitude, &limit);
        let bits = self.reinterpret(Type::I32, &float);
        let bits = self.clear_magnitude_if(&is_tiny, &bits);
        self.reinterpret(Type::F32, &bits)
    }

    /// Converts a flushed operand to 64 bits, exactly.
    pub fn float_to_double(&mut self, a: &PacketOperand) -> PacketOperand {
        match a {
            PacketOperand::Uniform(a) => PacketOperand::scalar(Type::F64, self.ins().fpromote(types::F64, a.value)),
            PacketOperand::Packet(a) => {
                let mut vectors = Vectors::new();
                for &vector in &a.vectors {
                    vectors.push(self.ins().fvpromote_low(vector));
                    let upper = self.shuffle(vector, vector, [2, 3, 2, 3]);
                    let upper = self.cast(upper, types::F32X4);
                    vectors.push(self.ins().fvpromote_low(upper));
                }
                Packet { ty: Type::F64, vectors }.into()
            }
        }
    }

    /// Clamps to [0, 1]; NaN and -0 give +0.
    pub fn double_saturate(&mut self, a: &PacketOperand) -> PacketOperand {
        let zero = self.constant_like(a, Const::zero(Type::F64));
        let positive = self.pick(Extreme::Max, a, &zero);
        let one = self.constant_like(a, Const::f64(1.0));
        self.pick(Extreme::Min, &positive, &one)
    }

    /// Flips the sign bit.
    pub fn double_neg(&mut self, a: &PacketOperand) -> PacketOperand {
        let sign = self.constant_like(a, Const { ty: Type::F64, bits: 1 << 63 });
        self.xor(a, &sign)
    }

    /// Clears the sign bit.
    pub fn double_abs(&mut self, a: &PacketOperand) -> PacketOperand {
        let magnitude = self.constant_like(a, Const { ty: Type::F64, bits: !(1 << 63) });
        self.and(a, &magnitude)
    }

    /// The bits of a double; a NaN gives the canonical one.
    pub fn double_bits(&mut self, a: &PacketOperand, classes: ClassSet) -> PacketOperand {
        if classes.is_number() {
            return self.reinterpret(Type::I64, a);
        }
        let is_nan = self.map1(Type::Bool, a, |emit, a| emit.ins().fcmp(FloatCC::Unordered, a, a));
        let bits = self.reinterpret(Type::I64, a);
        let nan = self.constant_like(a, Const::i64(brolga_ir::float::NAN_F64));
        match (&is_nan, &nan, &bits) {
            (PacketOperand::Packet(is_nan), PacketOperand::Packet(nan), PacketOperand::Packet(bits)) => {
                // The masks have the doubles' width already.
                let lanes = is_nan.vectors.iter().zip(&nan.vectors).zip(&bits.vectors);
                let vectors = lanes.map(|((&mask, &nan), &bits)| self.ins().blendv(mask, nan, bits)).collect();
                Packet { ty: Type::I64, vectors }.into()
            }
            _ => self.choose(&is_nan, &nan, &bits),
        }
    }

    /// Product and sum of doubles with one rounding.
    pub fn double_fused(&mut self, a: &PacketOperand, b: &PacketOperand, c: &PacketOperand) -> PacketOperand {
        match self.context.fma {
            Fma::Hardware => self.fused(Type::F64, a, b, c),
            Fma::Helper { entries: [_, entry], .. } => self.call_fused(entry, [a, b, c]),
        }
    }

    /// Product and sum of floats with one rounding; a helper gets them as doubles.
    pub fn float_fused(
        &mut self,
        mode: FloatMode,
        a: &PacketOperand,
        b: &PacketOperand,
        c: &PacketOperand,
    ) -> PacketOperand {
        match self.context.fma {
            Fma::Hardware => self.float_rounded(mode, a, |emit, a, scale| match scale {
                None => emit.fused(Type::F32, a, b, c),
                Some(scale) => {
                    let c = emit.map2(Type::F32, c, scale, |emit, c, scale| emit.ins().fmul(c, scale));
                    emit.fused(Type::F32, a, b, &c)
                }
            }),
            Fma::Helper { entries: [entry, _], .. } => {
                let [a, b, c] = [a, b, c].map(|operand| self.float_to_double(operand));
                let result = self.call_fused(entry, [&a, &b, &c]);
                self.double_to_float(&result)
            }
        }
    }

    fn fused(&mut self, ty: Type, a: &PacketOperand, b: &PacketOperand, c: &PacketOperand) -> PacketOperand {
        let mut addends = c.values().iter();
        self.map2(ty, a, b, |emit, a, b| {
            let &c = addends.next().expect("operands of equal width");
            emit.ins().fma(a, b, c)
        })
    }

    /// Calls a helper that has only the context to read and write.
    fn call_fused(&mut self, entry: i32, values: [&PacketOperand; 3]) -> PacketOperand {
        let Fma::Helper { table, operands, result, .. } = self.context.fma else {
            unreachable!("the processor computes it")
        };
        for (operand, offset) in values.into_iter().zip(operands) {
            self.store_to_context(operand, offset);
        }
        self.call_helper(table, entry);
        self.load_from_context(values[0], result)
    }

    /// Stores a helper's operand: a packet, or a scalar in the first lane's word.
    fn store_to_context(&mut self, operand: &PacketOperand, offset: i32) {
        let base = self.context.base;
        match operand {
            PacketOperand::Uniform(uniform) => {
                self.ins().store(MemFlagsData::trusted(), uniform.value, base, offset);
            }
            PacketOperand::Packet(packet) => {
                self.store(packet, base, offset, CONTEXT_VECTOR);
            }
        }
    }

    fn load_from_context(&mut self, form: &PacketOperand, offset: i32) -> PacketOperand {
        let base = self.context.base;
        match form {
            PacketOperand::Uniform(_) => self.load_uniform(Type::F64, base, offset, MemFlagsData::trusted()).into(),
            PacketOperand::Packet(_) => self.load(Type::F64, base, offset, CONTEXT_VECTOR).into(),
        }
    }

    fn call_helper(&mut self, table: i32, entry: i32) {
        let base = self.context.base;
        let table = self.ins().load(types::I64, MemFlagsData::trusted(), base, table);
        let address = self.ins().load(types::I64, MemFlagsData::trusted(), table, entry);
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params.extend([types::I64, types::I32, types::I32, types::I32].map(AbiParam::new));
        signature.returns.push(AbiParam::new(types::I32));
        let signature = self.builder.import_signature(signature);
        let zero: Value = self.ins().iconst(types::I32, 0);
        self.ins().call_indirect(signature, address, &[base, zero, zero, zero]);
    }
}

/// Vectors in the context may have any address, so there is no `aligned`.
const CONTEXT_VECTOR: MemFlagsData = MemFlagsData::new().with_notrap();
