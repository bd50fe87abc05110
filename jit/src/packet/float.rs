//! Recipes for 32-bit floats and halves.
//!
//! Direct3D reads 32-bit denormals as zeros and flushes denormal results. Under [`FloatMode::Flush`] the processor does
//! that by itself, but for what merely moves bits (selects, and so the NaN case of min and max). Under
//! [`FloatMode::Default`] the recipes flush operands and results explicitly, with the same bits.
//!
//! CLIF's own fmin, fmax, fneg and fabs are not used for vectors: each is three to seven instructions.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::instructions::InstructionData;
use cranelift_codegen::ir::{InstBuilder, Opcode, Value, ValueDef, types};
use cranelift_frontend::FunctionBuilder;

use super::{Emit, Operand};
use crate::FloatMode;

/// Which of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extreme {
    /// The smaller.
    Min,
    /// The larger.
    Max,
}

/// Exponent bits of a float; all clear in zeros and denormals.
const EXPONENT: u32 = 0x7f80_0000;
const SIGN: u32 = 0x8000_0000;
/// Products and quotients are checked for being tiny at 2^24 times their size, where rounding is not yet disturbed by
/// the end of the exponent range.
const SCALE: f32 = (1u32 << 24) as f32;
const SCALED_MIN: f32 = f32::MIN_POSITIVE * SCALE;
/// How many definitions are looked through for a flush that is already there.
const DEFINITIONS: u32 = 4;

impl Emit<'_, '_> {
    /// The float constant in the form of another value.
    pub(crate) fn float_like(&mut self, form: &Operand, value: f32) -> Operand {
        self.constant_like(form, Const::f32(value))
    }

    /// A denormal becomes the zero of its sign; anything else stays.
    pub fn flush(&mut self, a: &Operand, mode: FloatMode) -> Operand {
        match mode {
            _ if self.is_flushed(a, mode) => a.clone(),
            // The processor flushes operands of arithmetic, and multiplying by one does nothing else.
            FloatMode::Flush => {
                let one = self.float_like(a, 1.0);
                self.map2(Type::F32, a, &one, |builder, a, b| builder.ins().fmul(a, b))
            }
            FloatMode::Default => self.flush_bits(a),
        }
    }

    /// What arithmetic reads: flushed, where the processor does not do it.
    fn operand(&mut self, a: &Operand, mode: FloatMode) -> Operand {
        match mode {
            FloatMode::Flush => a.clone(),
            FloatMode::Default => self.flush(a, mode),
        }
    }

    /// Flushes with integer operations, whatever the processor's mode.
    fn flush_bits(&mut self, a: &Operand) -> Operand {
        let bits = self.reinterpret(Type::I32, a);
        let exponent = self.and_bits(&bits, EXPONENT);
        let is_small = self.compare_bits(IntCC::Equal, &exponent, 0);
        let flushed = self.clear_magnitude_if(&is_small, &bits);
        self.reinterpret(Type::F32, &flushed)
    }

    /// Float bits of which only the sign is kept where the condition holds.
    pub(crate) fn clear_magnitude_if(&mut self, condition: &Operand, bits: &Operand) -> Operand {
        let ones = self.condition_bits(condition);
        let magnitude = self.ushr_by(&ones, 1);
        self.and_not(bits, &magnitude)
    }

    /// Whether no value can be a denormal, as far as its definition shows.
    fn is_flushed(&self, a: &Operand, mode: FloatMode) -> bool {
        a.values().iter().all(|&value| self.is_flushed_value(value, mode, DEFINITIONS))
    }

    /// Looks through a few definitions: what comes out of arithmetic is flushed, and moves keep it so.
    fn is_flushed_value(&self, value: Value, mode: FloatMode, depth: u32) -> bool {
        let dfg = &self.builder.func.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(value)) else { return false };
        let Some(depth) = depth.checked_sub(1) else { return false };
        let all = |values: &[Value]| values.iter().all(|&value| self.is_flushed_value(value, mode, depth));
        let args = dfg.inst_args(inst);
        match dfg.insts[inst].opcode() {
            Opcode::F32const | Opcode::Iconst | Opcode::Vconst => {
                self.every_word_is(value, |bits| bits & EXPONENT != 0 || bits & !SIGN == 0)
            }
            Opcode::Sqrt | Opcode::Ceil | Opcode::Floor | Opcode::Trunc | Opcode::Nearest => true,
            Opcode::FcvtFromSint | Opcode::FcvtFromUint => true,
            // Explicitly flushed results end in `clear_magnitude_if` instead.
            Opcode::Fadd | Opcode::Fsub | Opcode::Fmul | Opcode::Fdiv => mode == FloatMode::Flush,
            Opcode::Bitcast | Opcode::Splat => all(args),
            Opcode::Blendv | Opcode::Bitselect | Opcode::Select => all(&args[1..]),
            Opcode::Band => {
                self.is_cleared_magnitude(args[1])
                    || (self.every_word_is(args[1], |bits| bits == !SIGN) && all(&args[..1]))
            }
            Opcode::Bxor => self.every_word_is(args[1], |bits| bits == SIGN) && all(&args[..1]),
            _ => false,
        }
    }

    /// Whether a value is a constant of words that pass a test.
    fn every_word_is(&self, value: Value, test: impl Fn(u32) -> bool) -> bool {
        let dfg = &self.builder.func.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(value)) else { return false };
        match dfg.insts[inst] {
            InstructionData::UnaryIeee32 { imm, .. } => test(imm.bits()),
            InstructionData::UnaryImm { opcode: Opcode::Iconst, imm } => test(imm.bits() as u32),
            InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => {
                let bytes = dfg.constants.get(constant_handle).as_slice();
                bytes.chunks_exact(4).all(|word| test(u32::from_le_bytes([word[0], word[1], word[2], word[3]])))
            }
            _ => false,
        }
    }

    /// Whether a value is the second operand of the `and` that [`Emit::clear_magnitude_if`] ends in: the complement of a
    /// condition shifted right by one. Nothing else makes one that is then read as a float.
    fn is_cleared_magnitude(&self, value: Value) -> bool {
        let dfg = &self.builder.func.dfg;
        let operand_of = |value: Value, opcode: Opcode| match dfg.value_def(dfg.resolve_aliases(value)) {
            ValueDef::Result(inst, _) if dfg.insts[inst].opcode() == opcode => Some(dfg.inst_args(inst)[0]),
            _ => None,
        };
        operand_of(value, Opcode::Bnot).and_then(|shifted| operand_of(shifted, Opcode::Ushr)).is_some()
    }

    /// Sum, difference and the like of flushed operands: a denormal result is exact, so it can be flushed afterwards.
    pub fn float_sum(
        &mut self,
        mode: FloatMode,
        a: &Operand,
        b: &Operand,
        emit: impl FnMut(&mut FunctionBuilder<'_>, Value, Value) -> Value,
    ) -> Operand {
        let a = self.operand(a, mode);
        let b = self.operand(b, mode);
        let sum = self.map2(Type::F32, &a, &b, emit);
        self.operand(&sum, mode)
    }

    /// Product or quotient. A result that is tiny after rounding to 24 bits must become zero, although rounding it as a
    /// denormal may give the smallest normal number. So the operation is done again with the first operand scaled up:
    /// there the rounding is that of a normal number. Where scaling overflows, the result is far from tiny, or zero.
    pub fn float_product(
        &mut self,
        mode: FloatMode,
        a: &Operand,
        b: &Operand,
        mut emit: impl FnMut(&mut FunctionBuilder<'_>, Value, Value) -> Value,
    ) -> Operand {
        let a = self.operand(a, mode);
        let b = self.operand(b, mode);
        let result = self.map2(Type::F32, &a, &b, &mut emit);
        if mode == FloatMode::Flush {
            return result;
        }
        let scale = self.float_like(&a, SCALE);
        let scaled = self.map2(Type::F32, &a, &scale, |builder, a, b| builder.ins().fmul(a, b));
        let check = self.map2(Type::F32, &scaled, &b, &mut emit);
        let check = self.float_abs(&check);
        let limit = self.float_like(&a, SCALED_MIN);
        let is_tiny = self.compare_floats(FloatCC::LessThan, &check, &limit);
        let bits = self.reinterpret(Type::I32, &result);
        let bits = self.clear_magnitude_if(&is_tiny, &bits);
        self.reinterpret(Type::F32, &bits)
    }

    /// An operation on one operand that never makes a denormal of anything else: square root, rounding.
    pub fn float_unary(
        &mut self,
        mode: FloatMode,
        a: &Operand,
        emit: impl FnMut(&mut FunctionBuilder<'_>, Value) -> Value,
    ) -> Operand {
        let a = self.operand(a, mode);
        self.map1(Type::F32, &a, emit)
    }

    /// Compares flushed floats.
    pub fn float_compare(&mut self, mode: FloatMode, cc: FloatCC, a: &Operand, b: &Operand) -> Operand {
        let a = self.operand(a, mode);
        let b = self.operand(b, mode);
        self.compare_floats(cc, &a, &b)
    }

    /// Smaller or larger; the other operand if one is NaN; the second of two equal ones. `minps` gives its second
    /// operand for any NaN, so only a NaN there needs care.
    pub fn float_extreme(&mut self, mode: FloatMode, which: Extreme, a: &Operand, b: &Operand) -> Operand {
        let a = self.operand(a, mode);
        let b = self.operand(b, mode);
        let result = self.number_or_other(which, &a, &b);
        match mode {
            // What a select moved has not been flushed.
            FloatMode::Flush if self.is_flushed(&a, mode) && self.is_flushed(&b, mode) => result,
            FloatMode::Flush => self.flush(&result, mode),
            FloatMode::Default => result,
        }
    }

    /// Min or max of floats or doubles without flushing.
    pub(crate) fn number_or_other(&mut self, which: Extreme, a: &Operand, b: &Operand) -> Operand {
        let picked = self.pick(which, a, b);
        let is_nan = self.compare_floats(FloatCC::Unordered, b, b);
        self.choose(&is_nan, a, &picked)
    }

    /// `a < b ? a : b` or `a > b ? a : b`: the second operand unless the comparison holds. For vectors Cranelift makes
    /// one `minps` or `maxps` of this very pattern.
    pub(crate) fn pick(&mut self, which: Extreme, a: &Operand, b: &Operand) -> Operand {
        let uniform = a.is_uniform();
        self.map2(a.ty(), a, b, |builder, a, b| {
            let (less, more) = match which {
                Extreme::Min => (a, b),
                Extreme::Max => (b, a),
            };
            let holds = builder.ins().fcmp(FloatCC::LessThan, less, more);
            if uniform {
                return builder.ins().select(holds, a, b);
            }
            let ty = builder.func.dfg.value_type(a);
            let mask = builder.ins().bitcast(ty, super::lane_order(), holds);
            builder.ins().bitselect(mask, a, b)
        })
    }

    /// Clamp to [0, 1]; NaN and -0 give +0: the constants stand second, where they win against NaN and equals.
    pub fn float_saturate(&mut self, mode: FloatMode, a: &Operand) -> Operand {
        let a = self.operand(a, mode);
        let zero = self.constant_like(&a, Const::zero(a.ty()));
        let positive = self.pick(Extreme::Max, &a, &zero);
        let one = self.float_like(&a, 1.0);
        self.pick(Extreme::Min, &positive, &one)
    }

    /// The sign bit flipped.
    pub fn float_neg(&mut self, a: &Operand) -> Operand {
        let sign = self.constant_like(a, Const { ty: Type::F32, bits: u64::from(SIGN) });
        self.xor(a, &sign)
    }

    /// The sign bit cleared.
    pub fn float_abs(&mut self, a: &Operand) -> Operand {
        let magnitude = self.constant_like(a, Const { ty: Type::F32, bits: u64::from(!SIGN) });
        self.and(a, &magnitude)
    }

    /// From a signed integer.
    pub fn signed_to_float(&mut self, a: &Operand) -> Operand {
        let to = if a.is_uniform() { types::F32 } else { types::F32X4 };
        self.map1(Type::F32, a, |builder, a| builder.ins().fcvt_from_sint(to, a))
    }

    /// From an unsigned integer.
    pub fn unsigned_to_float(&mut self, a: &Operand) -> Operand {
        let to = if a.is_uniform() { types::F32 } else { types::F32X4 };
        self.map1(Type::F32, a, |builder, a| builder.ins().fcvt_from_uint(to, a))
    }

    /// To a signed integer: towards zero, clamped, NaN gives 0. Denormals give 0 in either mode.
    pub fn float_to_signed(&mut self, a: &Operand) -> Operand {
        let to = if a.is_uniform() { types::I32 } else { types::I32X4 };
        self.map1(Type::I32, a, |builder, a| builder.ins().fcvt_to_sint_sat(to, a))
    }

    /// To an unsigned integer: towards zero, clamped, NaN gives 0.
    pub fn float_to_unsigned(&mut self, a: &Operand) -> Operand {
        let to = if a.is_uniform() { types::I32 } else { types::I32X4 };
        self.map1(Type::I32, a, |builder, a| builder.ins().fcvt_to_uint_sat(to, a))
    }

    /// The bits of a float; a NaN gives the canonical one.
    pub fn float_bits(&mut self, a: &Operand) -> Operand {
        let is_nan = self.compare_floats(FloatCC::Unordered, a, a);
        let bits = self.reinterpret(Type::I32, a);
        let nan = self.constant_like(a, Const::i32(brolga_ir::float::NAN_F32));
        self.choose(&is_nan, &nan, &bits)
    }

    /// To half precision, rounded towards zero, in integers but for denormal halves: those are the float's value in
    /// units of 2^-24, which a conversion that cuts off gives.
    pub fn float_to_half(&mut self, a: &Operand) -> Operand {
        let bits = self.reinterpret(Type::I32, a);
        let magnitude = self.and_bits(&bits, !SIGN);
        let sign = self.ushr_by(&bits, 16);
        let sign = self.and_bits(&sign, 0x8000);

        // Rounding goes towards zero, so finite values stop at the largest half; infinity is the one after it.
        let largest = self.constant_like(a, Const::i32(0x477f_ffff));
        let finite = self.map2(Type::I32, &magnitude, &largest, |builder, a, b| builder.ins().smin(a, b));
        let rebased = self.add_bits(&finite, 0x3800_0000u32.wrapping_neg());
        let normal = self.ushr_by(&rebased, 13);
        let is_infinite = self.compare_bits(IntCC::SignedGreaterThan, &magnitude, EXPONENT - 1);
        let minus_one = self.condition_bits(&is_infinite);
        let normal = self.sub(&normal, &minus_one);

        let positive = self.reinterpret(Type::F32, &magnitude);
        let scale = self.float_like(a, SCALE);
        let units = self.map2(Type::F32, &positive, &scale, |builder, a, b| builder.ins().fmul(a, b));
        let denormal = self.truncate_small(&units);

        let is_small = self.compare_bits(IntCC::SignedLessThan, &magnitude, 0x3880_0000);
        let half = self.choose(&is_small, &denormal, &normal);
        let half = self.or(&half, &sign);
        // Every NaN gives the same bits: its sign is not part of a float value.
        let is_nan = self.compare_bits(IntCC::SignedGreaterThan, &magnitude, EXPONENT);
        let nan = self.constant_like(a, Const::i32(0x7e00));
        self.choose(&is_nan, &nan, &half)
    }

    /// The integer part of a float below 2^31; anything for others.
    fn truncate_small(&mut self, a: &Operand) -> Operand {
        if a.is_uniform() {
            return self.float_to_signed(a);
        }
        self.map1(Type::I32, a, |builder, a| builder.ins().x86_cvtt2dq(types::I32X4, a))
    }

    /// From half precision in the low 16 bits, exact: the bits moved and the exponent rebased, once more for infinities
    /// and NaNs; denormal halves are integers times 2^-24.
    pub fn half_to_float(&mut self, a: &Operand) -> Operand {
        let sign = self.and_bits(a, 0x8000);
        let sign = self.shl_by(&sign, 16);
        let magnitude = self.and_bits(a, 0x7fff);

        let moved = self.shl_by(&magnitude, 13);
        let normal = self.add_bits(&moved, 0x3800_0000);
        let is_special = self.compare_bits(IntCC::SignedGreaterThan, &magnitude, 0x7bff);
        let rebase = self.constant_like(a, Const::i32(0x3800_0000));
        let rebase = self.bits_if(&is_special, &rebase);
        let normal = self.add(&normal, &rebase);

        let integer = self.signed_to_float(&magnitude);
        let unit = self.float_like(a, 1.0 / SCALE);
        let denormal = self.map2(Type::F32, &integer, &unit, |builder, a, b| builder.ins().fmul(a, b));
        let denormal = self.reinterpret(Type::I32, &denormal);

        let is_small = self.compare_bits(IntCC::SignedLessThan, &magnitude, 0x0400);
        let bits = self.choose(&is_small, &denormal, &normal);
        let bits = self.or(&bits, &sign);
        self.reinterpret(Type::F32, &bits)
    }
}
