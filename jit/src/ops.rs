//! Lowering of the IR's pure operations, one arm per row of the table in `ir/src/ops.rs`.
//!
//! The result has the bits of `Op::eval` in either float mode, for scalars and for packets; only the payload of a NaN
//! that arithmetic makes is free. The recipes are in `packet/`.

use brolga_ir::{Op, Type};
use cranelift_codegen::ir::InstBuilder;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};

use crate::FloatMode;
use crate::packet::float::Extreme;
use crate::packet::integer::{Division, RightShift};
use crate::packet::{Emit, Operand, Uniform};

/// Emits an operation. Uniform operands give scalar code and a uniform result; otherwise uniform ones are splatted and
/// the result is a packet.
///
/// Arithmetic on doubles needs [`FloatMode::Default`]: see [`Op::is_f64_arithmetic`].
pub fn lower_op(emit: &mut Emit<'_, '_>, op: Op, operands: &[Operand], mode: FloatMode) -> Operand {
    debug_assert_eq!(operands.len(), op.args().len(), "operands of {op:?}");
    debug_assert!(mode == FloatMode::Default || !op.is_f64_arithmetic(), "{op:?} must not run under flush-to-zero");
    let args = emit.same_form(operands);
    let a = &args[0];
    // Rows with one operand never look at this one.
    let b = args.get(1).unwrap_or(a);
    match op {
        Op::BAnd => emit.and(a, b),
        Op::BOr => emit.or(a, b),
        Op::BNot => not(emit, a),
        Op::BToI => emit.condition_bits(a),
        Op::SelectBool | Op::SelectI32 | Op::SelectI64 | Op::SelectF64 => emit.choose(a, b, &args[2]),
        Op::SelectF32 => emit.float_select(mode, a, b, &args[2]),

        Op::IAdd => emit.add(a, b),
        Op::ISub => emit.sub(a, b),
        Op::IMul => emit.mul(a, b),
        Op::UMulHi => emit.umul_high(a, b),
        Op::SMulHi => emit.smul_high(a, b),
        Op::UDiv => emit.udiv(Division::Quotient, a, b),
        Op::UMod => emit.udiv(Division::Remainder, a, b),
        Op::And => emit.and(a, b),
        Op::Or => emit.or(a, b),
        Op::Xor => emit.xor(a, b),
        // One amount for all lanes stays a scalar: the amounts are not brought to one form.
        Op::Shl => emit.shift_left(a, &operands[1]),
        Op::UShr => emit.shift_right(RightShift::Logical, a, &operands[1]),
        Op::SShr => emit.shift_right(RightShift::Arithmetic, a, &operands[1]),
        Op::SMin => emit.map2(Type::I32, a, b, |builder, a, b| builder.ins().smin(a, b)),
        Op::SMax => emit.map2(Type::I32, a, b, |builder, a, b| builder.ins().smax(a, b)),
        Op::UMin => emit.map2(Type::I32, a, b, |builder, a, b| builder.ins().umin(a, b)),
        Op::UMax => emit.map2(Type::I32, a, b, |builder, a, b| builder.ins().umax(a, b)),
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

        Op::FAdd => emit.float_sum(mode, a, b, |builder, a, b| builder.ins().fadd(a, b)),
        Op::FSub => emit.float_sum(mode, a, b, |builder, a, b| builder.ins().fsub(a, b)),
        Op::FMul => emit.float_product(mode, a, b, |builder, a, b| builder.ins().fmul(a, b)),
        Op::FDiv => emit.float_product(mode, a, b, |builder, a, b| builder.ins().fdiv(a, b)),
        Op::FSqrt => emit.float_unary(mode, a, |builder, a| builder.ins().sqrt(a)),
        Op::FMin => emit.float_extreme(mode, Extreme::Min, a, b),
        Op::FMax => emit.float_extreme(mode, Extreme::Max, a, b),
        Op::FSat => emit.float_saturate(mode, a),
        Op::FNeg => emit.float_neg(a),
        Op::FAbs => emit.float_abs(a),
        Op::FFlush => emit.flush(a, mode),
        Op::FFloor => emit.float_unary(mode, a, |builder, a| builder.ins().floor(a)),
        Op::FCeil => emit.float_unary(mode, a, |builder, a| builder.ins().ceil(a)),
        Op::FTrunc => emit.float_unary(mode, a, |builder, a| builder.ins().trunc(a)),
        Op::FNearest => emit.float_unary(mode, a, |builder, a| builder.ins().nearest(a)),
        Op::FEq => emit.float_compare(mode, FloatCC::Equal, a, b),
        Op::FNe => emit.float_compare(mode, FloatCC::NotEqual, a, b),
        Op::FLt => emit.float_compare(mode, FloatCC::LessThan, a, b),
        Op::FGe => emit.float_compare(mode, FloatCC::GreaterThanOrEqual, a, b),
        Op::FToS => emit.float_to_signed(a),
        Op::FToU => emit.float_to_unsigned(a),
        Op::SToF => emit.signed_to_float(a),
        Op::UToF => emit.unsigned_to_float(a),
        Op::F32ToF16 => emit.float_to_half(a),
        Op::F16ToF32 => emit.half_to_float(a),
        Op::AsF32 => emit.reinterpret(Type::F32, a),
        Op::BitsF32 => emit.float_bits(a),

        Op::Pack64 => emit.pack64(a, b),
        Op::Low64 => emit.low64(a),
        Op::High64 => emit.high64(a),
        Op::AsF64 => emit.reinterpret(Type::F64, a),
        Op::BitsF64 => emit.double_bits(a),

        Op::DAdd => emit.map2(Type::F64, a, b, |builder, a, b| builder.ins().fadd(a, b)),
        Op::DSub => emit.map2(Type::F64, a, b, |builder, a, b| builder.ins().fsub(a, b)),
        Op::DMul => emit.map2(Type::F64, a, b, |builder, a, b| builder.ins().fmul(a, b)),
        Op::DDiv => emit.map2(Type::F64, a, b, |builder, a, b| builder.ins().fdiv(a, b)),
        Op::DFma => emit.fused_multiply_add(a, b, &args[2]),
        Op::DMin => emit.number_or_other(Extreme::Min, a, b),
        Op::DMax => emit.number_or_other(Extreme::Max, a, b),
        Op::DSat => emit.double_saturate(a),
        Op::DNeg => emit.double_neg(a),
        Op::DAbs => emit.double_abs(a),
        Op::DEq => emit.compare_floats(FloatCC::Equal, a, b),
        Op::DNe => emit.compare_floats(FloatCC::NotEqual, a, b),
        Op::DLt => emit.compare_floats(FloatCC::LessThan, a, b),
        Op::DGe => emit.compare_floats(FloatCC::GreaterThanOrEqual, a, b),
        Op::DToF => emit.double_to_float(a),
        Op::FToD => emit.float_to_double(mode, a),
        Op::DToS => emit.double_to_signed(a),
        Op::DToU => emit.double_to_unsigned(a),
        Op::SToD => emit.signed_to_double(a),
        Op::UToD => emit.unsigned_to_double(a),
    }
}

/// A condition that does not hold: a uniform one is 0 or 1, so only its lowest bit turns.
fn not(emit: &mut Emit<'_, '_>, a: &Operand) -> Operand {
    match a {
        Operand::Uniform(a) => Uniform { ty: Type::Bool, value: emit.builder.ins().bxor_imm_u(a.value, 1) }.into(),
        Operand::Packet(a) => emit.mask_not(a).into(),
    }
}
