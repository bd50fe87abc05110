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

    /// Whether a 32-bit float cannot be a NaN, as far as its definition shows.
    fn is_number(&self, value: Value, depth: u32) -> bool {
        let dfg = &self.builder.func.dfg;
        let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(value)) else { return false };
        let Some(depth) = depth.checked_sub(1) else { return false };
        let is_number = |value: Value| self.is_number(value, depth);
        let is_finite = |value: Value| self.every_word_is(value, |bits| bits & EXPONENT != EXPONENT);
        let args = dfg.inst_args(inst);
        match dfg.insts[inst].opcode() {
            Opcode::F32const | Opcode::Vconst => self.every_word_is(value, |bits| bits & !SIGN <= EXPONENT),
            Opcode::FcvtFromSint | Opcode::FcvtFromUint => true,
            // Only infinities can make one of numbers.
            Opcode::Fadd | Opcode::Fsub => {
                (is_number(args[0]) && is_finite(args[1])) || (is_finite(args[0]) && is_number(args[1]))
            }
            Opcode::Floor | Opcode::Ceil | Opcode::Trunc | Opcode::Nearest => is_number(args[0]),
            // The second operand of `pick` is the result if there is a NaN.
            Opcode::Bitselect | Opcode::Select => is_number(args[2]) && self.picks(args[0], args[1], args[2]),
            _ => false,
        }
    }

    /// Whether this condition of a select is that of [`Emit::pick`].
    fn picks(&self, condition: Value, a: Value, b: Value) -> bool {
        let dfg = &self.builder.func.dfg;
        let definition = |value: Value| match dfg.value_def(dfg.resolve_aliases(value)) {
            ValueDef::Result(inst, _) => Some(dfg.insts[inst]),
            _ => None,
        };
        let compare = match definition(condition) {
            Some(InstructionData::LoadNoOffset { opcode: Opcode::Bitcast, arg, .. }) => definition(arg),
            other => other,
        };
        match compare {
            Some(InstructionData::FloatCompare { cond: FloatCC::LessThan, args: [p, q], .. }) => {
                (p, q) == (a, b) || (p, q) == (b, a)
            }
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
        if self.excludes_denormals(which, &a) || self.excludes_denormals(which, &b) {
            return result;
        }
        match mode {
            // What a select moved has not been flushed.
            FloatMode::Flush if self.is_flushed(&a, mode) && self.is_flushed(&b, mode) => result,
            FloatMode::Flush => self.flush(&result, mode),
            FloatMode::Default => result,
        }
    }

    /// Whether a bound keeps the result of min or max away from denormals.
    fn excludes_denormals(&self, which: Extreme, bound: &Operand) -> bool {
        self.constant_of(bound).is_some_and(|bound| match which {
            Extreme::Min => f32::from_bits(bound.bits as u32) <= -f32::MIN_POSITIVE,
            Extreme::Max => f32::from_bits(bound.bits as u32) >= f32::MIN_POSITIVE,
        })
    }

    /// Min or max of floats or doubles without flushing.
    pub(crate) fn number_or_other(&mut self, which: Extreme, a: &Operand, b: &Operand) -> Operand {
        // With a number as the second operand, `minps` is right as it is. As the first one it may change places, if it
        // is no zero, whose sign would be lost against another.
        if self.constant_number(b).is_some() {
            return self.pick(which, a, b);
        }
        if self.constant_number(a).is_some_and(|a| a != 0.0) {
            return self.pick(which, b, a);
        }
        let picked = self.pick(which, a, b);
        let is_nan = self.compare_floats(FloatCC::Unordered, b, b);
        self.choose(&is_nan, a, &picked)
    }

    /// The float or double that an operand is known to be, as arithmetic reads it, unless it is a NaN.
    fn constant_number(&self, operand: &Operand) -> Option<f64> {
        let constant = self.constant_of(operand)?;
        let value = match constant.ty {
            // A denormal is a zero.
            Type::F32 => f64::from(brolga_ir::float::flush(f32::from_bits(constant.bits as u32))),
            _ => f64::from_bits(constant.bits),
        };
        (!value.is_nan()).then_some(value)
    }

    /// A select of floats. One that picks the smaller or larger of the very operands that its condition compares is a
    /// single instruction, which in turn is a NaN where the select is; it may flush, so both must be flushed already.
    pub fn float_select(&mut self, mode: FloatMode, condition: &Operand, a: &Operand, b: &Operand) -> Operand {
        match self.compared_by(condition, a, b) {
            Some(which) if self.is_flushed(a, mode) && self.is_flushed(b, mode) => self.pick(which, a, b),
            _ => self.choose(condition, a, b),
        }
    }

    /// What `condition ? a : b` picks if the condition says which of the two is less.
    fn compared_by(&self, condition: &Operand, a: &Operand, b: &Operand) -> Option<Extreme> {
        let dfg = &self.builder.func.dfg;
        let mut found = None;
        for ((&condition, &a), &b) in condition.values().iter().zip(a.values()).zip(b.values()) {
            let ValueDef::Result(inst, _) = dfg.value_def(dfg.resolve_aliases(condition)) else { return None };
            let InstructionData::FloatCompare { cond: FloatCC::LessThan, args: [less, more], .. } = dfg.insts[inst]
            else {
                return None;
            };
            let which = if self.is_same(less, a) && self.is_same(more, b) {
                Extreme::Min
            } else if self.is_same(less, b) && self.is_same(more, a) {
                Extreme::Max
            } else {
                return None;
            };
            if found.is_some_and(|found| found != which) {
                return None;
            }
            found = Some(which);
        }
        found
    }

    /// Whether two values are one, or equal constants: those are made anew at each use.
    fn is_same(&self, a: Value, b: Value) -> bool {
        let dfg = &self.builder.func.dfg;
        let [a, b] = [a, b].map(|value| dfg.resolve_aliases(value));
        let constant = |value: Value| match dfg.value_def(value) {
            ValueDef::Result(inst, _) => match dfg.insts[inst] {
                InstructionData::UnaryConst { opcode: Opcode::Vconst, constant_handle } => Some(constant_handle),
                _ => None,
            },
            _ => None,
        };
        a == b || constant(a).is_some_and(|handle| constant(b) == Some(handle))
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
        if a.is_uniform() {
            return self.map1(Type::I32, a, |builder, a| builder.ins().fcvt_to_sint_sat(types::I32, a));
        }
        // The instruction gives 0x80000000 for whatever does not fit, which is right below: above, all bits turn.
        let end = self.float_like(a, -(i32::MIN as f32));
        let too_high = self.compare_floats(FloatCC::GreaterThanOrEqual, a, &end);
        let too_high = self.condition_bits(&too_high);
        let whole = self.truncate_small(a);
        let clamped = self.xor(&whole, &too_high);
        if a.values().iter().all(|&value| self.is_number(value, DEFINITIONS)) {
            return clamped;
        }
        let is_number = self.compare_floats(FloatCC::Equal, a, a);
        self.bits_if(&is_number, &clamped)
    }

    /// To an unsigned integer: towards zero, clamped, NaN gives 0.
    pub fn float_to_unsigned(&mut self, a: &Operand) -> Operand {
        let to = if a.is_uniform() { types::I32 } else { types::I32X4 };
        self.map1(Type::I32, a, |builder, a| builder.ins().fcvt_to_uint_sat(to, a))
    }

    /// The bits of a float; a NaN gives the canonical one.
    pub fn float_bits(&mut self, a: &Operand) -> Operand {
        if a.values().iter().all(|&value| self.is_number(value, DEFINITIONS)) {
            return self.reinterpret(Type::I32, a);
        }
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
