//! Defines the table of pure operations: everything that can be *computed*, one row each.
//!
//! A row gives the variant, its name in the text form, the types of its operands and result, and its meaning on one
//! thread. The builder, printer, parser, verifier, constant folder and interpreter derive everything from the row; the
//! JIT's lowering is tested against it. In a meaning, an `i32` is a Rust `u32` and an `i64` a `u64`.
//!
//! Float rules (Direct3D 11 functional specification, section 3.1): 32-bit float operations read denormals as zeros of
//! their sign and flush denormal results; 64-bit ones honour denormals. NaN payloads are not part of a float value:
//! only `bits.f32` and `bits.f64` make bits of a float, and they give the canonical NaN.

use crate::float;
use crate::types::{Carrier, Type};

/// Maps an IR type name in the table to the Rust type that carries it and to [`Type`].
macro_rules! carrier {
    (bool) => {
        bool
    };
    (i32) => {
        u32
    };
    (f32) => {
        f32
    };
    (i64) => {
        u64
    };
    (f64) => {
        f64
    };
}

macro_rules! ty {
    (bool) => {
        Type::Bool
    };
    (i32) => {
        Type::I32
    };
    (f32) => {
        Type::F32
    };
    (i64) => {
        Type::I64
    };
    (f64) => {
        Type::F64
    };
}

macro_rules! ir_ops {
    ($($(#[doc = $doc:literal])* $name:ident $text:literal ($($arg:ident: $argty:tt),+) -> $result:tt = $body:expr;)*) => {
        /// A pure operation. See the table in `ops.rs`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub enum Op {
            $($(#[doc = $doc])* $name,)*
        }

        impl Op {
            /// Every operation, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$name,)*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self {
                    $(Op::$name => $text,)*
                }
            }

            /// The documentation of the operation, from its row.
            pub fn doc(self) -> &'static str {
                match self {
                    $(Op::$name => concat!($($doc),*).trim_ascii(),)*
                }
            }

            /// Types of the operands.
            pub fn args(self) -> &'static [Type] {
                match self {
                    $(Op::$name => &[$(ty!($argty)),+],)*
                }
            }

            /// Type of the result.
            pub fn result(self) -> Type {
                match self {
                    $(Op::$name => ty!($result),)*
                }
            }

            /// The operation's meaning: the bits of its result from the bits of its operands.
            ///
            /// # Panics
            /// If `args` has fewer operands than [`Op::args`] lists; the verifier prevents that.
            pub fn eval(self, args: &[u64]) -> u64 {
                match self {
                    $(Op::$name => {
                        let mut bits = args.iter().copied();
                        $(let $arg = <carrier!($argty) as Carrier>::from_bits64(bits.next().expect("verified operand count"));)+
                        let result: carrier!($result) = $body;
                        result.to_bits64()
                    })*
                }
            }
        }
    };
}

ir_ops! {
    // Conditions.
    /// Both.
    BAnd "band" (a: bool, b: bool) -> bool = a & b;
    /// Either.
    BOr "bor" (a: bool, b: bool) -> bool = a | b;
    /// Not.
    BNot "bnot" (a: bool) -> bool = !a;
    /// Direct3D's form of a condition: all ones or zero.
    BToI "btoi" (a: bool) -> i32 = if a { u32::MAX } else { 0 };

    // Selects never inspect the bits they move.
    /// The first if the condition holds, else the second.
    SelectBool "select.bool" (c: bool, a: bool, b: bool) -> bool = if c { a } else { b };
    /// The first if the condition holds, else the second.
    SelectI32 "select.i32" (c: bool, a: i32, b: i32) -> i32 = if c { a } else { b };
    /// The first if the condition holds, else the second.
    SelectF32 "select.f32" (c: bool, a: f32, b: f32) -> f32 = if c { a } else { b };
    /// The first if the condition holds, else the second.
    SelectI64 "select.i64" (c: bool, a: i64, b: i64) -> i64 = if c { a } else { b };
    /// The first if the condition holds, else the second.
    SelectF64 "select.f64" (c: bool, a: f64, b: f64) -> f64 = if c { a } else { b };

    // Integers.
    /// Sum, wrapping.
    IAdd "iadd" (a: i32, b: i32) -> i32 = a.wrapping_add(b);
    /// Difference, wrapping.
    ISub "isub" (a: i32, b: i32) -> i32 = a.wrapping_sub(b);
    /// Low half of the product.
    IMul "imul" (a: i32, b: i32) -> i32 = a.wrapping_mul(b);
    /// High half of the unsigned product.
    UMulHi "umulhi" (a: i32, b: i32) -> i32 = ((u64::from(a) * u64::from(b)) >> 32) as u32;
    /// High half of the signed product.
    SMulHi "smulhi" (a: i32, b: i32) -> i32 = ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
    /// Unsigned quotient. Division by zero gives all ones, as Direct3D requires.
    UDiv "udiv" (a: i32, b: i32) -> i32 = a.checked_div(b).unwrap_or(u32::MAX);
    /// Unsigned remainder. Division by zero gives all ones, as Direct3D requires.
    UMod "umod" (a: i32, b: i32) -> i32 = a.checked_rem(b).unwrap_or(u32::MAX);
    /// Bitwise and.
    And "and" (a: i32, b: i32) -> i32 = a & b;
    /// Bitwise or.
    Or "or" (a: i32, b: i32) -> i32 = a | b;
    /// Bitwise exclusive or.
    Xor "xor" (a: i32, b: i32) -> i32 = a ^ b;
    /// Left shift by the low five bits.
    Shl "shl" (a: i32, b: i32) -> i32 = a << (b & 31);
    /// Logical right shift by the low five bits.
    UShr "ushr" (a: i32, b: i32) -> i32 = a >> (b & 31);
    /// Arithmetic right shift by the low five bits.
    SShr "sshr" (a: i32, b: i32) -> i32 = ((a as i32) >> (b & 31)) as u32;
    /// Rotation to the left by the low five bits.
    RotL "rotl" (a: i32, b: i32) -> i32 = a.rotate_left(b & 31);
    /// Signed minimum.
    SMin "smin" (a: i32, b: i32) -> i32 = (a as i32).min(b as i32) as u32;
    /// Signed maximum.
    SMax "smax" (a: i32, b: i32) -> i32 = (a as i32).max(b as i32) as u32;
    /// Unsigned minimum.
    UMin "umin" (a: i32, b: i32) -> i32 = a.min(b);
    /// Unsigned maximum.
    UMax "umax" (a: i32, b: i32) -> i32 = a.max(b);
    /// Equal.
    IEq "ieq" (a: i32, b: i32) -> bool = a == b;
    /// Not equal.
    INe "ine" (a: i32, b: i32) -> bool = a != b;
    /// Less, signed.
    SLt "slt" (a: i32, b: i32) -> bool = (a as i32) < (b as i32);
    /// Greater or equal, signed.
    SGe "sge" (a: i32, b: i32) -> bool = (a as i32) >= (b as i32);
    /// Less, unsigned.
    ULt "ult" (a: i32, b: i32) -> bool = a < b;
    /// Greater or equal, unsigned.
    UGe "uge" (a: i32, b: i32) -> bool = a >= b;
    /// Number of ones.
    CountBits "countbits" (a: i32) -> i32 = a.count_ones();
    /// Position of the first one counted from the top; all ones if there is none.
    FirstBitHi "firstbit_hi" (a: i32) -> i32 = if a == 0 { u32::MAX } else { a.leading_zeros() };
    /// Position of the first one counted from the bottom; all ones if there is none.
    FirstBitLo "firstbit_lo" (a: i32) -> i32 = if a == 0 { u32::MAX } else { a.trailing_zeros() };
    /// Bits in reverse order.
    BitReverse "bitreverse" (a: i32) -> i32 = a.reverse_bits();

    // 32-bit floats: operands and results are flushed.
    /// Sum.
    FAdd "fadd" (a: f32, b: f32) -> f32 = float::flush(float::flush(a) + float::flush(b));
    /// Difference.
    FSub "fsub" (a: f32, b: f32) -> f32 = float::flush(float::flush(a) - float::flush(b));
    /// Product; tiny after rounding to 24 bits with an unbounded exponent means zero.
    FMul "fmul" (a: f32, b: f32) -> f32 = float::mul(a, b);
    /// Product and sum with one rounding.
    FFma "ffma" (a: f32, b: f32, c: f32) -> f32 = float::fma(a, b, c);
    /// Quotient, correctly rounded; x / 0 is an infinity, 0 / 0 a NaN.
    FDiv "fdiv" (a: f32, b: f32) -> f32 = float::div(a, b);
    /// Square root, correctly rounded; -0 stays, negative gives NaN.
    FSqrt "fsqrt" (a: f32) -> f32 = float::flush(a).sqrt();
    /// Smaller; the other operand if one is NaN; the second of two zeros.
    FMin "fmin" (a: f32, b: f32) -> f32 = float::min(float::flush(a), float::flush(b));
    /// Larger; the other operand if one is NaN; the second of two zeros.
    FMax "fmax" (a: f32, b: f32) -> f32 = float::max(float::flush(a), float::flush(b));
    /// Clamp to [0, 1]; NaN and -0 give +0.
    FSat "fsat" (a: f32) -> f32 = float::saturate(float::flush(a));
    /// The sign bit flipped; no arithmetic, does not flush.
    FNeg "fneg" (a: f32) -> f32 = f32::from_bits(a.to_bits() ^ 0x8000_0000);
    /// The sign bit cleared; no arithmetic, does not flush.
    FAbs "fabs" (a: f32) -> f32 = f32::from_bits(a.to_bits() & 0x7fff_ffff);
    /// A denormal becomes the zero of its sign; anything else stays.
    FFlush "fflush" (a: f32) -> f32 = float::flush(a);
    /// Towards minus infinity.
    FFloor "ffloor" (a: f32) -> f32 = float::flush(a).floor();
    /// Towards plus infinity.
    FCeil "fceil" (a: f32) -> f32 = float::flush(a).ceil();
    /// Towards zero.
    FTrunc "ftrunc" (a: f32) -> f32 = float::flush(a).trunc();
    /// To nearest, ties to even.
    FNearest "fnearest" (a: f32) -> f32 = float::flush(a).round_ties_even();
    /// Equal; false with a NaN.
    FEq "feq" (a: f32, b: f32) -> bool = float::flush(a) == float::flush(b);
    /// Not equal; true with a NaN.
    FNe "fne" (a: f32, b: f32) -> bool = float::flush(a) != float::flush(b);
    /// Less; false with a NaN.
    FLt "flt" (a: f32, b: f32) -> bool = float::flush(a) < float::flush(b);
    /// Greater or equal; false with a NaN.
    FGe "fge" (a: f32, b: f32) -> bool = float::flush(a) >= float::flush(b);
    /// To a signed integer: towards zero, clamped, NaN gives 0.
    FToS "ftos" (a: f32) -> i32 = (a as i32) as u32;
    /// To an unsigned integer: towards zero, clamped, NaN gives 0.
    FToU "ftou" (a: f32) -> i32 = a as u32;
    /// From a signed integer, to nearest even.
    SToF "stof" (a: i32) -> f32 = (a as i32) as f32;
    /// From an unsigned integer, to nearest even.
    UToF "utof" (a: i32) -> f32 = a as f32;
    /// To half precision in the low 16 bits, rounded towards zero: a finite value never becomes infinite.
    F32ToF16 "f32tof16" (a: f32) -> i32 = float::to_half(a);
    /// From half precision in the low 16 bits, exact.
    F16ToF32 "f16tof32" (a: i32) -> f32 = float::from_half(a);
    /// The same bits read as a float; they are not inspected.
    AsF32 "as.f32" (a: i32) -> f32 = f32::from_bits(a);
    /// The bits of a float; a NaN gives 0x7fc00000.
    BitsF32 "bits.f32" (a: f32) -> i32 = if a.is_nan() { float::NAN_F32 } else { a.to_bits() };

    // 64-bit values.
    /// Low and high half to one value.
    Pack64 "pack64" (low: i32, high: i32) -> i64 = u64::from(low) | u64::from(high) << 32;
    /// Low half.
    Low64 "low64" (a: i64) -> i32 = a as u32;
    /// High half.
    High64 "high64" (a: i64) -> i32 = (a >> 32) as u32;
    /// The same bits read as a double; they are not inspected.
    AsF64 "as.f64" (a: i64) -> f64 = f64::from_bits(a);
    /// The bits of a double; a NaN gives 0x7ff8000000000000.
    BitsF64 "bits.f64" (a: f64) -> i64 = if a.is_nan() { float::NAN_F64 } else { a.to_bits() };

    // Doubles: denormals count.
    /// Sum.
    DAdd "dadd" (a: f64, b: f64) -> f64 = a + b;
    /// Difference.
    DSub "dsub" (a: f64, b: f64) -> f64 = a - b;
    /// Product.
    DMul "dmul" (a: f64, b: f64) -> f64 = a * b;
    /// Quotient.
    DDiv "ddiv" (a: f64, b: f64) -> f64 = a / b;
    /// Product and sum with one rounding.
    DFma "dfma" (a: f64, b: f64, c: f64) -> f64 = a.mul_add(b, c);
    /// Smaller; the other operand if one is NaN; the second of two zeros.
    DMin "dmin" (a: f64, b: f64) -> f64 = float::min_f64(a, b);
    /// Larger; the other operand if one is NaN; the second of two zeros.
    DMax "dmax" (a: f64, b: f64) -> f64 = float::max_f64(a, b);
    /// Clamp to [0, 1]; NaN and -0 give +0.
    DSat "dsat" (a: f64) -> f64 = float::saturate_f64(a);
    /// The sign bit flipped.
    DNeg "dneg" (a: f64) -> f64 = f64::from_bits(a.to_bits() ^ (1 << 63));
    /// The sign bit cleared.
    DAbs "dabs" (a: f64) -> f64 = f64::from_bits(a.to_bits() & !(1 << 63));
    /// Equal; false with a NaN.
    DEq "deq" (a: f64, b: f64) -> bool = a == b;
    /// Not equal; true with a NaN.
    DNe "dne" (a: f64, b: f64) -> bool = a != b;
    /// Less; false with a NaN.
    DLt "dlt" (a: f64, b: f64) -> bool = a < b;
    /// Greater or equal; false with a NaN.
    DGe "dge" (a: f64, b: f64) -> bool = a >= b;
    /// To 32 bits, to nearest even, flushed.
    DToF "dtof" (a: f64) -> f32 = float::narrow(a);
    /// To 64 bits, exact; a denormal operand is flushed.
    FToD "ftod" (a: f32) -> f64 = f64::from(float::flush(a));
    /// To a signed integer: towards zero, clamped, NaN gives 0.
    DToS "dtos" (a: f64) -> i32 = (a as i32) as u32;
    /// To an unsigned integer: towards zero, clamped, NaN gives 0.
    DToU "dtou" (a: f64) -> i32 = a as u32;
    /// From a signed integer, exact.
    SToD "stod" (a: i32) -> f64 = f64::from(a as i32);
    /// From an unsigned integer, exact.
    UToD "utod" (a: i32) -> f64 = f64::from(a);
}

impl Op {
    /// The operation with this name in the text form.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// The select that moves values of this type.
    pub fn select(ty: Type) -> Op {
        match ty {
            Type::Bool => Op::SelectBool,
            Type::I32 => Op::SelectI32,
            Type::F32 => Op::SelectF32,
            Type::I64 => Op::SelectI64,
            Type::F64 => Op::SelectF64,
        }
    }

    /// `true` if the operation takes longer than a branch, on any processor.
    pub fn takes_long(self) -> bool {
        matches!(self, Op::UDiv | Op::UMod | Op::FDiv | Op::FSqrt | Op::DDiv | Op::DFma)
    }

    /// `true` if the operation only moves floats and their bits, or changes signs: denormals and NaNs stay unchanged.
    pub fn moves_floats(self) -> bool {
        let in_32_bits = matches!(self, Op::SelectF32 | Op::AsF32 | Op::BitsF32 | Op::FNeg | Op::FAbs);
        in_32_bits || matches!(self, Op::SelectF64 | Op::AsF64 | Op::BitsF64 | Op::DNeg | Op::DAbs)
    }

    /// `true` if the operation does arithmetic on 32-bit floats, and so reads their denormals as zeros of their sign.
    pub fn is_f32_arithmetic(self) -> bool {
        self.args().contains(&Type::F32) && !self.moves_floats()
    }

    /// `true` if the operation does 64-bit float arithmetic, which forbids running under flush-to-zero.
    pub fn is_f64_arithmetic(self) -> bool {
        let touches = self.result() == Type::F64 || self.args().contains(&Type::F64);
        touches && !self.moves_floats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for &op in Op::ALL {
            assert_eq!(Op::from_name(op.name()), Some(op));
            assert!(!op.doc().is_empty(), "{op:?} has no line of documentation");
        }
    }

    /// `true` if flushing operands makes a difference to an operation.
    fn sees_denormals(op: Op) -> bool {
        let numbers = [0, 0x1234, 0x007f_ffff, 0x0080_0000, 0x3f80_0000, 0x7f80_0000, 0x7fc0_0000];
        let numbers: Vec<u32> = numbers.into_iter().flat_map(|bits| [bits, bits | 0x8000_0000]).collect();
        let pick = |ty: Type, bits: u32| if ty == Type::F32 { bits } else { bits & 1 };
        let pairs = numbers.iter().flat_map(|&a| numbers.iter().map(move |&b| [a, b, a.wrapping_add(1)]));
        pairs.into_iter().any(|words| {
            let bits: Vec<u64> = op.args().iter().zip(words).map(|(&ty, bits)| pick(ty, bits).into()).collect();
            let flushed = op.args().iter().zip(&bits).map(|(&ty, &bits)| match ty {
                Type::F32 => float::flush(f32::from_bits(bits as u32)).to_bits().into(),
                _ => bits,
            });
            op.eval(&bits) != op.eval(&flushed.collect::<Vec<u64>>())
        })
    }

    #[test]
    fn only_moves_see_32_bit_denormals() {
        for &op in Op::ALL.iter().filter(|op| op.args().contains(&Type::F32)) {
            assert_eq!(sees_denormals(op), !op.is_f32_arithmetic(), "{op:?}");
        }
    }
}
