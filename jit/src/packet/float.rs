//! Emits recipes for 32-bit floats and halves.
//!
//! Direct3D reads 32-bit denormals as zeros and flushes denormal results. Under [`FloatMode::Flush`] the processor does
//! that by itself, except where bits are merely moved (selects, and so the NaN case of min and max). Under
//! [`FloatMode::Default`] `ops.rs` flushes the operands of arithmetic and the recipes flush their results, with the
//! same bits.
//!
//! Recipes know the classes their operands belong to and omit code that no such operand needs.
//!
//! CLIF's own fmin, fmax, fneg and fabs are not used for vectors: each is three to seven instructions.

use brolga_ir::float_class::ClassSet;
use brolga_ir::{Const, Type};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::{Emit, PacketOperand};
use crate::FloatMode;

/// Minimum or maximum.
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
/// The least number above all signed integers.
const TOO_HIGH: f32 = -(i32::MIN as f32);
/// Products and quotients are checked for being tiny at 2^24 times their size, where the end of the exponent range does
/// not affect rounding yet.
const SCALE: f32 = (1u32 << 24) as f32;
const SCALED_MIN: f32 = f32::MIN_POSITIVE * SCALE;

impl Emit<'_, '_> {
    /// The float constant in the form of another value.
    pub(crate) fn float_like(&mut self, form: &PacketOperand, value: f32) -> PacketOperand {
        self.constant_like(form, Const::f32(value))
    }

    /// A denormal becomes the zero of its sign; anything else stays.
    pub fn flush(&mut self, mode: FloatMode, a: &PacketOperand, classes: ClassSet) -> PacketOperand {
        match mode {
            _ if classes.is_flushed() => a.clone(),
            // The processor flushes operands of arithmetic, and multiplying by one does nothing else.
            FloatMode::Flush => {
                let one = self.float_like(a, 1.0);
                self.map2(Type::F32, a, &one, |emit, a, b| emit.ins().fmul(a, b))
            }
            FloatMode::Default => self.flush_bits(a),
        }
    }

    /// Flushes with integer operations, whatever the processor's mode.
    fn flush_bits(&mut self, a: &PacketOperand) -> PacketOperand {
        let bits = self.reinterpret(Type::I32, a);
        let exponent = self.and_bits(&bits, EXPONENT);
        let is_small = self.compare_bits(IntCC::Equal, &exponent, 0);
        let flushed = self.clear_magnitude_if(&is_small, &bits);
        self.reinterpret(Type::F32, &flushed)
    }

    /// Float bits of which only the sign is kept where the condition holds.
    pub(crate) fn clear_magnitude_if(&mut self, condition: &PacketOperand, bits: &PacketOperand) -> PacketOperand {
        let ones = self.condition_bits(condition);
        let magnitude = self.ushr_by(&ones, 1);
        self.and_not(bits, &magnitude)
    }

    /// Sum, difference and the like of flushed operands: a denormal result is exact, so it can be flushed afterwards.
    pub fn float_sum(
        &mut self,
        mode: FloatMode,
        a: &PacketOperand,
        b: &PacketOperand,
        emit: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> PacketOperand {
        let sum = self.map2(Type::F32, a, b, emit);
        match mode {
            FloatMode::Flush => sum,
            FloatMode::Default => self.flush_bits(&sum),
        }
    }

    /// Product or quotient of flushed operands.
    pub fn float_product(
        &mut self,
        mode: FloatMode,
        a: &PacketOperand,
        b: &PacketOperand,
        mut emit: impl FnMut(&mut Self, Value, Value) -> Value,
    ) -> PacketOperand {
        self.float_rounded(mode, a, |packets, a, _| packets.map2(Type::F32, a, b, &mut emit))
    }

    /// An operation that rounds its result, on flushed operands. A result that is tiny after rounding to 24 bits must
    /// become zero, although rounding it as a denormal may give the smallest normal number. So the operation is done
    /// again with the first operand scaled up, and told by how much: there the rounding is that of a normal number.
    /// Where scaling overflows, the result is far from tiny, or zero.
    pub(super) fn float_rounded(
        &mut self,
        mode: FloatMode,
        a: &PacketOperand,
        mut emit: impl FnMut(&mut Self, &PacketOperand, Option<&PacketOperand>) -> PacketOperand,
    ) -> PacketOperand {
        let result = emit(self, a, None);
        if mode == FloatMode::Flush {
            return result;
        }
        let scale = self.float_like(a, SCALE);
        let scaled = self.map2(Type::F32, a, &scale, |emit, a, b| emit.ins().fmul(a, b));
        let check = emit(self, &scaled, Some(&scale));
        let check = self.float_abs(&check);
        let limit = self.float_like(a, SCALED_MIN);
        let is_tiny = self.compare_floats(FloatCC::LessThan, &check, &limit);
        let bits = self.reinterpret(Type::I32, &result);
        let bits = self.clear_magnitude_if(&is_tiny, &bits);
        self.reinterpret(Type::F32, &bits)
    }

    /// Minimum or maximum; the other operand if one is NaN; the second of two equal ones. `minps` gives its second
    /// operand for any NaN, so only a NaN there needs care.
    pub fn float_extreme(
        &mut self,
        mode: FloatMode,
        which: Extreme,
        a: &PacketOperand,
        b: &PacketOperand,
        classes: [ClassSet; 2],
    ) -> PacketOperand {
        // To the processor a denormal is a zero here, or none is left.
        let result = self.number_or_other(which, a, b, classes.map(ClassSet::flushed));
        let is_flushed = match mode {
            FloatMode::Default => true,
            FloatMode::Flush => {
                // A bound may keep the result away from denormals. If not, the operand that a select moved has not been
                // flushed.
                let beyond = match which {
                    Extreme::Min => ClassSet::NEGATIVE_NORMAL.or(ClassSet::MINUS_INFINITY),
                    Extreme::Max => ClassSet::NORMAL.or(ClassSet::INFINITY),
                };
                classes.iter().any(|of| of.is_within(beyond)) || classes.iter().all(|of| of.is_flushed())
            }
        };
        if is_flushed { result } else { self.flush(mode, &result, ClassSet::ALL) }
    }

    /// Min or max of floats or doubles without flushing.
    pub(crate) fn number_or_other(
        &mut self,
        which: Extreme,
        a: &PacketOperand,
        b: &PacketOperand,
        classes: [ClassSet; 2],
    ) -> PacketOperand {
        // If the second operand is never NaN, `minps` is right as it is. A first operand that is never NaN may become
        // the second, unless two zeros of different sign can meet.
        if classes[1].is_number() {
            return self.pick(which, a, b);
        }
        let zeros = [ClassSet::MINUS_ZERO, ClassSet::ZERO];
        let differ = |[x, y]: [ClassSet; 2]| classes[0].may_be(x) && classes[1].may_be(y);
        if classes[0].is_number() && !differ(zeros) && !differ([zeros[1], zeros[0]]) {
            return self.pick(which, b, a);
        }
        let picked = self.pick(which, a, b);
        let is_nan = self.compare_floats(FloatCC::Unordered, b, b);
        self.choose(&is_nan, a, &picked)
    }

    /// `a < b ? a : b` or `a > b ? a : b`: the second operand unless the comparison holds. For vectors Cranelift makes
    /// one `minps` or `maxps` of this very pattern.
    pub(crate) fn pick(&mut self, which: Extreme, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        let uniform = a.is_uniform();
        self.map2(a.ty(), a, b, |emit, a, b| {
            let (less, more) = match which {
                Extreme::Min => (a, b),
                Extreme::Max => (b, a),
            };
            let holds = emit.ins().fcmp(FloatCC::LessThan, less, more);
            if uniform {
                return emit.ins().select(holds, a, b);
            }
            let ty = emit.builder.func.dfg.value_type(a);
            let mask = emit.ins().bitcast(ty, super::lane_order(), holds);
            emit.ins().bitselect(mask, a, b)
        })
    }

    /// Clamps to [0, 1]; NaN and -0 give +0: the constants are second operands, which win against NaN and equals.
    pub fn float_saturate(&mut self, a: &PacketOperand, classes: ClassSet, range: Option<[f32; 2]>) -> PacketOperand {
        let is_positive = range.is_some_and(|[least, _]| least >= 0.0);
        let mut number = a.clone();
        if !is_positive || classes.may_be(ClassSet::MINUS_ZERO) || !classes.is_flushed() {
            let zero = self.constant_like(a, Const::zero(a.ty()));
            number = self.pick(Extreme::Max, a, &zero);
        }
        if range.is_some_and(|[_, most]| most <= 1.0) {
            return number;
        }
        let one = self.float_like(a, 1.0);
        self.pick(Extreme::Min, &number, &one)
    }

    /// Flips the sign bit.
    pub fn float_neg(&mut self, a: &PacketOperand) -> PacketOperand {
        let sign = self.constant_like(a, Const { ty: Type::F32, bits: u64::from(SIGN) });
        self.xor(a, &sign)
    }

    /// Clears the sign bit.
    pub fn float_abs(&mut self, a: &PacketOperand) -> PacketOperand {
        let magnitude = self.constant_like(a, Const { ty: Type::F32, bits: u64::from(!SIGN) });
        self.and(a, &magnitude)
    }

    /// Converts a signed integer.
    pub fn signed_to_float(&mut self, a: &PacketOperand) -> PacketOperand {
        let to = if a.is_uniform() { types::F32 } else { types::F32X4 };
        self.map1(Type::F32, a, |emit, a| emit.ins().fcvt_from_sint(to, a))
    }

    /// Converts an unsigned integer.
    pub fn unsigned_to_float(&mut self, a: &PacketOperand) -> PacketOperand {
        let to = if a.is_uniform() { types::F32 } else { types::F32X4 };
        self.map1(Type::F32, a, |emit, a| emit.ins().fcvt_from_uint(to, a))
    }

    /// Converts to a signed integer: towards zero, clamped, NaN gives 0. Denormals give 0 in either mode.
    pub fn float_to_signed(&mut self, a: &PacketOperand, classes: ClassSet, range: Option<[f32; 2]>) -> PacketOperand {
        if a.is_uniform() {
            return self.map1(Type::I32, a, |emit, a| emit.ins().fcvt_to_sint_sat(types::I32, a));
        }
        if range.is_some_and(|[least, most]| -TOO_HIGH <= least && most < TOO_HIGH) {
            return self.truncate_small(a);
        }
        // The instruction gives 0x80000000 for all that does not fit, which is right below the range; above it, all
        // bits are inverted.
        let end = self.float_like(a, TOO_HIGH);
        let too_high = self.compare_floats(FloatCC::GreaterThanOrEqual, a, &end);
        let too_high = self.condition_bits(&too_high);
        let whole = self.truncate_small(a);
        let clamped = self.xor(&whole, &too_high);
        if classes.is_number() {
            return clamped;
        }
        let is_number = self.compare_floats(FloatCC::Equal, a, a);
        self.bits_if(&is_number, &clamped)
    }

    /// Converts to an unsigned integer: towards zero, clamped, NaN gives 0.
    pub fn float_to_unsigned(&mut self, a: &PacketOperand, range: Option<[f32; 2]>) -> PacketOperand {
        // Anything above -1 gives 0.
        if range.is_some_and(|[least, most]| -1.0 < least && most < TOO_HIGH) {
            return self.truncate_small(a);
        }
        let to = if a.is_uniform() { types::I32 } else { types::I32X4 };
        self.map1(Type::I32, a, |emit, a| emit.ins().fcvt_to_uint_sat(to, a))
    }

    /// The bits of a float; a NaN gives the canonical one.
    pub fn float_bits(&mut self, a: &PacketOperand, classes: ClassSet) -> PacketOperand {
        if classes.is_number() {
            return self.reinterpret(Type::I32, a);
        }
        let is_nan = self.compare_floats(FloatCC::Unordered, a, a);
        let bits = self.reinterpret(Type::I32, a);
        let nan = self.constant_like(a, Const::i32(brolga_ir::float::NAN_F32));
        self.choose(&is_nan, &nan, &bits)
    }

    /// Converts to half precision, rounded towards zero, in integers except for denormal halves: those are the float's
    /// value in units of 2^-24, by a truncating conversion.
    pub fn float_to_half(&mut self, a: &PacketOperand, classes: ClassSet) -> PacketOperand {
        let bits = self.reinterpret(Type::I32, a);
        let magnitude = self.and_bits(&bits, !SIGN);
        let sign = self.ushr_by(&bits, 16);
        let sign = self.and_bits(&sign, 0x8000);

        // Rounding goes towards zero, so finite values stop at the largest half; infinity is the one after it.
        let largest = self.constant_like(a, Const::i32(0x477f_ffff));
        let finite = self.map2(Type::I32, &magnitude, &largest, |emit, a, b| emit.ins().smin(a, b));
        let rebased = self.add_bits(&finite, 0x3800_0000u32.wrapping_neg());
        let normal = self.ushr_by(&rebased, 13);
        let is_infinite = self.compare_bits(IntCC::SignedGreaterThan, &magnitude, EXPONENT - 1);
        let minus_one = self.condition_bits(&is_infinite);
        let normal = self.sub(&normal, &minus_one);

        let positive = self.reinterpret(Type::F32, &magnitude);
        let scale = self.float_like(a, SCALE);
        let units = self.map2(Type::F32, &positive, &scale, |emit, a, b| emit.ins().fmul(a, b));
        let denormal = self.truncate_small(&units);

        let is_small = self.compare_bits(IntCC::SignedLessThan, &magnitude, 0x3880_0000);
        let half = self.choose(&is_small, &denormal, &normal);
        let half = self.or(&half, &sign);
        if classes.is_number() {
            return half;
        }
        // Every NaN gives the same bits: its sign is not part of a float value.
        let is_nan = self.compare_bits(IntCC::SignedGreaterThan, &magnitude, EXPONENT);
        let nan = self.constant_like(a, Const::i32(0x7e00));
        self.choose(&is_nan, &nan, &half)
    }

    /// The integer part of a float below 2^31; anything for others.
    fn truncate_small(&mut self, a: &PacketOperand) -> PacketOperand {
        if a.is_uniform() {
            return self.float_to_signed(a, ClassSet::ALL, None);
        }
        self.map1(Type::I32, a, |emit, a| emit.ins().x86_cvtt2dq(types::I32X4, a))
    }

    /// Converts from half precision in the low 16 bits, exactly: the bits moved and the exponent rebased, once more for
    /// infinities and NaNs; denormal halves are integers times 2^-24.
    pub fn half_to_float(&mut self, a: &PacketOperand) -> PacketOperand {
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
        let denormal = self.map2(Type::F32, &integer, &unit, |emit, a, b| emit.ins().fmul(a, b));
        let denormal = self.reinterpret(Type::I32, &denormal);

        let is_small = self.compare_bits(IntCC::SignedLessThan, &magnitude, 0x0400);
        let bits = self.choose(&is_small, &denormal, &normal);
        let bits = self.or(&bits, &sign);
        self.reinterpret(Type::F32, &bits)
    }
}
