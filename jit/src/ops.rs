//! Lowers the IR's pure operations, one arm per row of the table in `ir/src/ops.rs`.
//!
//! The result has the bits of `Op::eval` in either float mode, for scalars and for packets; only the payload of a NaN
//! that arithmetic produces is unspecified. The recipes are in `packet/`.

use brolga_ir::bound::Bounds;
use brolga_ir::entity::Value;
use brolga_ir::float_class::{ClassSet, FloatClasses};
use brolga_ir::{Function, Op, Type, float_range};
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};

use crate::FloatMode;
use crate::packet::float::Extreme;
use crate::packet::integer::{Division, RightShift};
use crate::packet::{Emit, PacketOperand};

/// Facts about an operation before its code is emitted, valid in all active lanes.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The classes of each operand that is a float.
    pub classes: [ClassSet; 3],
    /// The minimum or maximum that a select computes, if its condition compares its floats.
    pub selects: Option<Extreme>,
    /// Bounds of the first operand, if it is a float and never a NaN.
    pub range: Option<[f32; 2]>,
    /// Set if the first operand, an integer, is the same number signed and unsigned.
    pub is_small: bool,
    /// Lower bound of a shift's amount, at most 16, which the amount exceeds by at most 15: it is 31 at most.
    pub least_amount: Option<u8>,
    /// Set if a select gives zero where its condition does not hold.
    pub selects_zero: bool,
    /// The divisor of a division, if known.
    pub divisor: Option<u32>,
}

impl Known {
    /// No facts.
    pub const NOTHING: Self = Self {
        classes: [ClassSet::ALL; 3],
        range: None,
        is_small: false,
        selects: None,
        selects_zero: false,
        least_amount: None,
        divisor: None,
    };

    /// The facts about an operation of a function.
    pub fn of(func: &Function, floats: &FloatClasses, bounds: &Bounds, op: Op, args: &[Value]) -> Self {
        let mut known = Self::NOTHING;
        for (classes, &arg) in known.classes.iter_mut().zip(args) {
            *classes = floats.of(arg);
        }
        if matches!(op, Op::SelectF32 | Op::SelectF64) {
            known.selects = compared_by(func, args);
        }
        if matches!(op, Op::FSat | Op::FToS | Op::FToU) {
            known.range = float_range::of(func, bounds, args[0]);
        }
        if matches!(op, Op::SelectI32 | Op::SelectF32) {
            known.selects_zero = func.as_const(args[2]).is_some_and(|constant| constant.bits == 0);
        }
        if op == Op::UToF {
            known.is_small = bounds.most(args[0]) <= i32::MAX as u32;
        }
        if op == Op::UShr {
            known.least_amount = least_amount(func, bounds, args[1]);
        }
        if matches!(op, Op::UDiv | Op::UMod) {
            known.divisor = func.as_const(args[1]).map(|divisor| divisor.bits as u32);
        }
        known
    }
}

/// A lower bound of a number, if the number exceeds it by at most 15.
fn least_amount(func: &Function, bounds: &Bounds, amount: Value) -> Option<u8> {
    if bounds.most(amount) <= 15 {
        return Some(0);
    }
    let (Op::IAdd, &[rest, least]) = func.as_op(amount)? else { return None };
    let least = func.as_const(least)?.bits;
    (least <= 16 && bounds.most(rest) <= 15).then_some(least as u8)
}

/// The minimum or maximum that a select computes, if its condition compares its floats.
fn compared_by(func: &Function, args: &[Value]) -> Option<Extreme> {
    let (Op::FLt | Op::DLt, &[less, more]) = func.as_op(args[0])? else { return None };
    let is_same = |a: Value, b: Value| a == b || func.as_const(a).is_some_and(|a| func.as_const(b) == Some(a));
    if is_same(less, args[1]) && is_same(more, args[2]) {
        Some(Extreme::Min)
    } else if is_same(less, args[2]) && is_same(more, args[1]) {
        Some(Extreme::Max)
    } else {
        None
    }
}

/// Emits an operation. Uniform operands give scalar code and a uniform result; otherwise uniform ones are splatted and
/// the result is a packet.
///
/// Arithmetic on doubles needs [`FloatMode::Default`]: see [`Op::is_f64_arithmetic`].
pub fn lower_op(
    emit: &mut Emit<'_, '_>,
    op: Op,
    operands: &[PacketOperand],
    known: &Known,
    mode: FloatMode,
) -> PacketOperand {
    debug_assert_eq!(operands.len(), op.args().len(), "operands of {op:?}");
    debug_assert!(mode == FloatMode::Default || !op.is_f64_arithmetic(), "{op:?} must not run under flush-to-zero");
    let mut args = emit.same_form(operands);
    // The processor does this by itself in the other mode. If the result is an integer, a denormal is as good as a
    // zero.
    if mode == FloatMode::Default && op.is_f32_arithmetic() && op.result() != Type::I32 {
        for (arg, &classes) in args.iter_mut().zip(&known.classes) {
            *arg = emit.flush(mode, arg, classes);
        }
    }
    let classes = known.classes;
    let a = &args[0];
    // Rows with one operand never use this one.
    let b = args.get(1).unwrap_or(a);
    match op {
        Op::BAnd => emit.and(a, b),
        Op::BOr => emit.or(a, b),
        Op::BNot => not(emit, a),
        Op::BToI => emit.condition_bits(a),
        Op::SelectI32 | Op::SelectF32 if known.selects_zero => emit.choose_or_zero(a, b, &args[2]),
        Op::SelectBool | Op::SelectI32 | Op::SelectI64 => emit.choose(a, b, &args[2]),
        Op::SelectF32 | Op::SelectF64 => match known.selects {
            // One instruction, which in turn is a NaN where the select is. It may flush 32-bit floats, and the
            // comparison did.
            Some(which) if op == Op::SelectF64 || classes[1].or(classes[2]).is_flushed() => {
                emit.pick(which, b, &args[2])
            }
            _ => emit.choose(a, b, &args[2]),
        },

        Op::IAdd => emit.add(a, b),
        Op::ISub => emit.sub(a, b),
        Op::IMul => emit.mul(a, b),
        Op::UMulHi => emit.umul_high(a, b),
        Op::SMulHi => emit.smul_high(a, b),
        Op::UDiv => emit.udiv(Division::Quotient, a, b, known.divisor),
        Op::UMod => emit.udiv(Division::Remainder, a, b, known.divisor),
        Op::And => emit.and(a, b),
        Op::Or => emit.or(a, b),
        Op::Xor => emit.xor(a, b),
        // One amount for all lanes stays a scalar: the amounts are not brought to one form.
        Op::Shl => emit.shift_left(a, &operands[1]),
        Op::UShr => emit.shift_right(RightShift::Logical, a, &operands[1], known.least_amount),
        Op::SShr => emit.shift_right(RightShift::Arithmetic, a, &operands[1], None),
        Op::RotL => emit.rotate_left(a, &operands[1]),
        Op::SMin => emit.map2(Type::I32, a, b, |emit, a, b| emit.ins().smin(a, b)),
        Op::SMax => emit.map2(Type::I32, a, b, |emit, a, b| emit.ins().smax(a, b)),
        Op::UMin => emit.map2(Type::I32, a, b, |emit, a, b| emit.ins().umin(a, b)),
        Op::UMax => emit.map2(Type::I32, a, b, |emit, a, b| emit.ins().umax(a, b)),
        Op::IEq => emit.compare(IntCC::Equal, a, b),
        Op::INe => emit.compare(IntCC::NotEqual, a, b),
        Op::SLt => emit.compare(IntCC::SignedLessThan, a, b),
        Op::SGe => emit.compare(IntCC::SignedGreaterThanOrEqual, a, b),
        Op::ULt => emit.compare(IntCC::UnsignedLessThan, a, b),
        Op::UGe => emit.compare(IntCC::UnsignedGreaterThanOrEqual, a, b),
        Op::CountBits => emit.count_bits(a),
        Op::FirstBitHi => emit.first_bit_high(a),
        Op::FirstBitLo => emit.first_bit_low(a),
        Op::BitReverse => emit.bit_reverse(a),

        Op::FAdd => emit.float_sum(mode, a, b, |emit, a, b| emit.ins().fadd(a, b)),
        Op::FSub => emit.float_sum(mode, a, b, |emit, a, b| emit.ins().fsub(a, b)),
        Op::FMul => emit.float_product(mode, a, b, |emit, a, b| emit.ins().fmul(a, b)),
        Op::FFma => emit.float_fused(mode, a, b, &args[2]),
        Op::FDiv => emit.float_product(mode, a, b, |emit, a, b| emit.ins().fdiv(a, b)),
        Op::FSqrt => emit.map1(Type::F32, a, |emit, a| emit.ins().sqrt(a)),
        Op::FMin => emit.float_extreme(mode, Extreme::Min, a, b, [classes[0], classes[1]]),
        Op::FMax => emit.float_extreme(mode, Extreme::Max, a, b, [classes[0], classes[1]]),
        Op::FSat => emit.float_saturate(a, classes[0], known.range),
        Op::FNeg => emit.float_neg(a),
        Op::FAbs => emit.float_abs(a),
        // Done above in the other mode.
        Op::FFlush if mode == FloatMode::Default => a.clone(),
        Op::FFlush => emit.flush(mode, a, classes[0]),
        Op::FFloor => emit.map1(Type::F32, a, |emit, a| emit.ins().floor(a)),
        Op::FCeil => emit.map1(Type::F32, a, |emit, a| emit.ins().ceil(a)),
        Op::FTrunc => emit.map1(Type::F32, a, |emit, a| emit.ins().trunc(a)),
        Op::FNearest => emit.map1(Type::F32, a, |emit, a| emit.ins().nearest(a)),
        Op::FEq => emit.compare_floats(FloatCC::Equal, a, b),
        Op::FNe => emit.compare_floats(FloatCC::NotEqual, a, b),
        Op::FLt => emit.compare_floats(FloatCC::LessThan, a, b),
        Op::FGe => emit.compare_floats(FloatCC::GreaterThanOrEqual, a, b),
        Op::FToS => emit.float_to_signed(a, classes[0], known.range),
        Op::FToU => emit.float_to_unsigned(a, known.range),
        Op::SToF => emit.signed_to_float(a),
        // Without AVX-512 processors convert signed numbers only.
        Op::UToF if known.is_small => emit.signed_to_float(a),
        Op::UToF => emit.unsigned_to_float(a),
        Op::F32ToF16 => emit.float_to_half(a, classes[0]),
        Op::F16ToF32 => emit.half_to_float(a),
        Op::AsF32 => emit.reinterpret(Type::F32, a),
        Op::BitsF32 => emit.float_bits(a, classes[0]),

        Op::Pack64 => emit.pack64(a, b),
        Op::Low64 => emit.low64(a),
        Op::High64 => emit.high64(a),
        Op::AsF64 => emit.reinterpret(Type::F64, a),
        Op::BitsF64 => emit.double_bits(a, classes[0]),

        Op::DAdd => emit.map2(Type::F64, a, b, |emit, a, b| emit.ins().fadd(a, b)),
        Op::DSub => emit.map2(Type::F64, a, b, |emit, a, b| emit.ins().fsub(a, b)),
        Op::DMul => emit.map2(Type::F64, a, b, |emit, a, b| emit.ins().fmul(a, b)),
        Op::DDiv => emit.map2(Type::F64, a, b, |emit, a, b| emit.ins().fdiv(a, b)),
        Op::DFma => emit.double_fused(a, b, &args[2]),
        Op::DMin => emit.number_or_other(Extreme::Min, a, b, [classes[0], classes[1]]),
        Op::DMax => emit.number_or_other(Extreme::Max, a, b, [classes[0], classes[1]]),
        Op::DSat => emit.double_saturate(a),
        Op::DNeg => emit.double_neg(a),
        Op::DAbs => emit.double_abs(a),
        Op::DEq => emit.compare_floats(FloatCC::Equal, a, b),
        Op::DNe => emit.compare_floats(FloatCC::NotEqual, a, b),
        Op::DLt => emit.compare_floats(FloatCC::LessThan, a, b),
        Op::DGe => emit.compare_floats(FloatCC::GreaterThanOrEqual, a, b),
        Op::DToF => emit.double_to_float(a),
        Op::FToD => emit.float_to_double(a),
        Op::DToS => emit.double_to_signed(a, classes[0]),
        Op::DToU => emit.double_to_unsigned(a),
        Op::SToD => emit.signed_to_double(a),
        Op::UToD => emit.unsigned_to_double(a),
    }
}

/// The negation of a condition: a uniform one is 0 or 1, so only its lowest bit is flipped.
fn not(emit: &mut Emit<'_, '_>, a: &PacketOperand) -> PacketOperand {
    match a {
        PacketOperand::Uniform(a) => PacketOperand::scalar(Type::Bool, emit.ins().bxor_imm_u(a.value, 1)),
        PacketOperand::Packet(a) => emit.mask_not(a).into(),
    }
}
