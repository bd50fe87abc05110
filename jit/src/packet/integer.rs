//! Emits integer recipes for which neither SSE4 nor AVX2-level Cranelift has one good instruction.
//!
//! All operands are 32 bits wide and in one form (see [`Emit::same_form`]).

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::division::Divisor;
use super::{Emit, PacketOperand};
use crate::widen::borrowed::{self, Shift};

/// The kind of right shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RightShift {
    /// Shifts in zeros.
    Logical,
    /// Shifts in the sign.
    Arithmetic,
}

/// The result of an unsigned division that is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Division {
    /// The quotient.
    Quotient,
    /// The remainder.
    Remainder,
}

impl Emit<'_, '_> {
    /// Left shift by the low five bits of the amount. One amount for all lanes is one instruction. An amount per lane
    /// is a multiplication by a power of two, made by writing the exponent of a float (2^31 converts to the sign bit).
    pub fn shift_left(&mut self, a: &PacketOperand, amount: &PacketOperand) -> PacketOperand {
        if let Some(shifted) = self.shift_by_uniform(a, amount, |emit, a, amount| emit.ins().ishl(a, amount)) {
            return shifted;
        }
        let [a, amount] = self.two_packets(a, amount);
        let amount = self.and_bits(&amount, 31);
        if self.shape.is_widened() {
            return self.shift_lanes(Shift::Left, &a, &amount);
        }
        let exponent = self.add_bits(&amount, 127);
        let power = self.power_of_two(&exponent);
        self.mul(&a, &power)
    }

    /// Right shift by the low five bits of the amount, which may be known to exceed a number up to 16 by at most 15.
    pub fn shift_right(
        &mut self,
        kind: RightShift,
        a: &PacketOperand,
        amount: &PacketOperand,
        least: Option<u8>,
    ) -> PacketOperand {
        let direct = self.shift_by_uniform(a, amount, |emit, a, amount| match kind {
            RightShift::Logical => emit.ins().ushr(a, amount),
            RightShift::Arithmetic => emit.ins().sshr(a, amount),
        });
        if let Some(shifted) = direct {
            return shifted;
        }
        let [a, amount] = self.two_packets(a, amount);
        if self.shape.is_widened() {
            let amount = if least.is_some() { amount } else { self.and_bits(&amount, 31) };
            let shift = match kind {
                RightShift::Logical => Shift::Right,
                RightShift::Arithmetic => Shift::SignedRight,
            };
            return self.shift_lanes(shift, &a, &amount);
        }
        match (kind, least) {
            (RightShift::Logical, Some(least)) => self.ushr_small(&a, least, &amount),
            (RightShift::Logical, None) => self.ushr_lanes(&a, &amount),
            (RightShift::Arithmetic, _) => {
                // Of a negative number, the complement is shifted.
                let sign = self.sshr_by(&a, 31);
                let positive = self.xor(&a, &sign);
                let shifted = self.ushr_lanes(&positive, &amount);
                self.xor(&shifted, &sign)
            }
        }
    }

    /// Rotates left by the low five bits of the amount: by whole bytes a shuffle, else one instruction of AVX-512's or
    /// two shifts.
    pub fn rotate_left(&mut self, a: &PacketOperand, amount: &PacketOperand) -> PacketOperand {
        let known = match amount {
            PacketOperand::Uniform(amount) => self.known_constant(*amount).map(|amount| amount.bits as u8 & 31),
            PacketOperand::Packet(_) => None,
        };
        if let (PacketOperand::Uniform(a), PacketOperand::Uniform(amount)) = (a, amount) {
            return PacketOperand::scalar(Type::I32, self.ins().rotl(a.value, amount.value));
        }
        if known == Some(0) {
            return a.clone();
        }
        if let Some(amount) = known.filter(|amount| amount.is_multiple_of(8)) {
            return self.map1(Type::I32, a, |emit, a| emit.rotate_bytes(a, amount / 8));
        }
        if self.shape.rotates {
            let [a, amount] = self.two_packets(a, amount);
            return self.map2(Type::I32, &a, &amount, |emit, a, amount| {
                let [a, amount] = [a, amount].map(|vector| emit.cast(vector, borrowed::ROTATED));
                let rotated = borrowed::rotate_left(emit.ins(), a, amount);
                emit.cast(rotated, types::I32X4)
            });
        }
        let left = self.shift_left(a, amount);
        let rest = self.map1(Type::I32, amount, |emit, amount| emit.ins().ineg(amount));
        let right = self.shift_right(RightShift::Logical, a, &rest, None);
        self.or(&left, &right)
    }

    /// Each lane rotated to the left by whole bytes.
    fn rotate_bytes(&mut self, vector: Value, count: u8) -> Value {
        let bytes: [u8; 16] = std::array::from_fn(|n| n as u8 / 4 * 4 + (n as u8 + 4 - count) % 4);
        self.shuffle_bytes(vector, vector, bytes)
    }

    /// Scalar by scalar, or packet by one amount: CLIF masks the amount itself.
    fn shift_by_uniform(
        &mut self,
        a: &PacketOperand,
        amount: &PacketOperand,
        shift: impl Fn(&mut Self, Value, Value) -> Value,
    ) -> Option<PacketOperand> {
        let PacketOperand::Uniform(amount) = amount else { return None };
        Some(self.map1(Type::I32, a, |emit, a| shift(emit, a, amount.value)))
    }

    /// Lane by lane, by amounts below 32: one instruction, which Cranelift does not know.
    fn shift_lanes(&mut self, shift: Shift, a: &PacketOperand, amount: &PacketOperand) -> PacketOperand {
        self.map2(Type::I32, a, amount, |emit, a, amount| {
            let [a, amount] = [a, amount].map(|vector| emit.cast(vector, shift.ty()));
            let shifted = shift.emit(emit.ins(), a, amount);
            emit.cast(shifted, types::I32X4)
        })
    }

    fn two_packets(&mut self, a: &PacketOperand, b: &PacketOperand) -> [PacketOperand; 2] {
        [PacketOperand::Packet(self.packet(a)), PacketOperand::Packet(self.packet(b))]
    }

    /// x >> (least + s) for s up to 15: both halves of x >> least, each shifted left by 16 - s in a product, and then
    /// right by 16. The lower half of a product never exceeds its 32 bits; the overflow of the upper one is discarded
    /// anyway.
    fn ushr_small(&mut self, a: &PacketOperand, least: u8, amount: &PacketOperand) -> PacketOperand {
        let bias = self.constant_packet(Const::i32(127 + 16 + u32::from(least))).into();
        let exponent = self.sub(&bias, amount);
        let power = self.power_of_two(&exponent);
        let high = match least {
            16.. => self.constant_packet(Const::i32(0)).into(),
            _ => self.ushr_by(a, least + 16),
        };
        let shifted = if least == 0 { a.clone() } else { self.ushr_by(a, least) };
        let low = self.and_bits(&shifted, 0xffff);
        let high = self.mul(&high, &power);
        let low = self.mul(&low, &power);
        let low = self.ushr_by(&low, 16);
        self.or(&high, &low)
    }

    /// x >> s is bits 31 and up of the 64-bit product of x and 2^(31 - s).
    fn ushr_lanes(&mut self, a: &PacketOperand, amount: &PacketOperand) -> PacketOperand {
        let amount = self.and_bits(amount, 31);
        let bias = self.constant_like(&amount, Const::i32(127 + 31));
        let exponent = self.sub(&bias, &amount);
        let power = self.power_of_two(&exponent);
        self.map2(Type::I32, a, &power, |emit, a, power| {
            let [low, high] = emit.products(a, power, Signedness::Unsigned).map(|product| {
                let amount = emit.ins().iconst(types::I32, 31);
                emit.ins().ushr(product, amount)
            });
            emit.shuffle(low, high, [0, 2, 4, 6])
        })
    }

    /// 2^(exponent - 127) of biased exponents up to 158, as integers: a float's bits, converted back. 2^31 is out of
    /// the conversion's range and gives 0x80000000, which is right when read unsigned.
    fn power_of_two(&mut self, exponent: &PacketOperand) -> PacketOperand {
        let bits = self.shl_by(exponent, 23);
        let float = self.reinterpret(Type::F32, &bits);
        self.map1(Type::I32, &float, |emit, float| emit.ins().x86_cvtt2dq(types::I32X4, float))
    }

    /// The four 64-bit products of two vectors' lanes, two at a time; Cranelift makes it `pmuludq` or `pmuldq`.
    fn products(&mut self, a: Value, b: Value, sign: Signedness) -> [Value; 2] {
        let ins = |emit: &mut Self, value, high| match (sign, high) {
            (Signedness::Unsigned, false) => emit.ins().uwiden_low(value),
            (Signedness::Unsigned, true) => emit.ins().uwiden_high(value),
            (Signedness::Signed, false) => emit.ins().swiden_low(value),
            (Signedness::Signed, true) => emit.ins().swiden_high(value),
        };
        [false, true].map(|high| {
            let a = ins(self, a, high);
            let b = ins(self, b, high);
            self.ins().imul(a, b)
        })
    }

    /// High half of the unsigned product.
    pub fn umul_high(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.mul_high(a, b, Signedness::Unsigned)
    }

    /// High half of the signed product.
    pub fn smul_high(&mut self, a: &PacketOperand, b: &PacketOperand) -> PacketOperand {
        self.mul_high(a, b, Signedness::Signed)
    }

    fn mul_high(&mut self, a: &PacketOperand, b: &PacketOperand, sign: Signedness) -> PacketOperand {
        let is_uniform = a.is_uniform();
        self.map2(Type::I32, a, b, |emit, a, b| match (is_uniform, sign) {
            (true, Signedness::Unsigned) => emit.ins().umulhi(a, b),
            (true, Signedness::Signed) => emit.ins().smulhi(a, b),
            (false, sign) => {
                let [low, high] = emit.products(a, b, sign);
                emit.shuffle(low, high, [1, 3, 5, 7])
            }
        })
    }

    /// Unsigned division; by zero gives all ones. By a known number it is a multiplication (`division.rs`), else it is
    /// done in doubles, which cannot trap: the quotient of two 32-bit integers, if it is not an integer itself, is at
    /// least 1/b below the next one, and rounding to 53 bits moves it by less than 2^-20 of that. So its integer part
    /// is exact. Dividing by zero gives an infinity or a NaN that the last step hides.
    pub fn udiv(&mut self, half: Division, a: &PacketOperand, b: &PacketOperand, known: Option<u32>) -> PacketOperand {
        if let Some(divisor) = known.and_then(Divisor::new) {
            let quotient = self.quotient(a, divisor);
            return match half {
                Division::Quotient => quotient,
                Division::Remainder => {
                    let product = self.mul(&quotient, b);
                    self.sub(a, &product)
                }
            };
        }
        let dividend = self.unsigned_to_double(a);
        let divisor = self.unsigned_to_double(b);
        let quotient = self.map2(Type::F64, &dividend, &divisor, |emit, a, b| emit.ins().fdiv(a, b));
        let quotient = self.double_to_low_word(&quotient);
        let result = match half {
            Division::Quotient => quotient,
            Division::Remainder => {
                let product = self.mul(&quotient, b);
                self.sub(a, &product)
            }
        };
        let by_zero = self.compare_bits(IntCC::Equal, b, 0);
        let ones = self.condition_bits(&by_zero);
        self.or(&result, &ones)
    }

    /// The integer part of doubles in [0, 2^32) as `i32`; anything for others. Adding 2^52 brings the integer to the
    /// low end of the significand.
    fn double_to_low_word(&mut self, a: &PacketOperand) -> PacketOperand {
        match a {
            PacketOperand::Uniform(a) => {
                let wide = self.ins().fcvt_to_sint_sat(types::I64, a.value);
                PacketOperand::scalar(Type::I32, self.ins().ireduce(types::I32, wide))
            }
            PacketOperand::Packet(_) => {
                let whole = self.map1(Type::F64, a, |emit, a| emit.ins().trunc(a));
                self.low_word_of_integral(&whole).into()
            }
        }
    }

    /// Number of ones. Bytes are counted by a table, then added up within each word.
    pub fn count_bits(&mut self, a: &PacketOperand) -> PacketOperand {
        if let PacketOperand::Uniform(a) = a {
            return PacketOperand::scalar(Type::I32, self.ins().popcnt(a.value));
        }
        let mut sum = self.map1(Type::I32, a, |emit, vector| {
            let bytes = emit.cast(vector, types::I8X16);
            let counts = emit.ins().popcnt(bytes);
            emit.cast(counts, types::I32X4)
        });
        for amount in [16, 8] {
            let upper = self.ushr_by(&sum, amount);
            sum = self.add(&sum, &upper);
        }
        self.and_bits(&sum, 0xff)
    }

    /// Position of the first one counted from the top; all ones if there is none. The exponent of the number as a float
    /// tells; clearing each bit below a one keeps the conversion from rounding up to the next power of two. Numbers
    /// with the top bit convert to negative floats, whose result clamps to zero.
    pub fn first_bit_high(&mut self, a: &PacketOperand) -> PacketOperand {
        let shifted = self.ushr_by(a, 1);
        let isolated = self.and_not(a, &shifted);
        let exponent = self.float_exponent(&isolated);
        let top = self.constant_like(a, Const::i32(127 + 31));
        let zeros = self.sub(&top, &exponent);
        let none = self.constant_like(a, Const::i32(0));
        let zeros = self.map2(Type::I32, &zeros, &none, |emit, a, b| emit.ins().smax(a, b));
        self.all_ones_if_zero(a, &zeros)
    }

    /// Position of the first one counted from the bottom; all ones if there is none. The lowest one alone is a power of
    /// two, whose exponent as a float tells.
    pub fn first_bit_low(&mut self, a: &PacketOperand) -> PacketOperand {
        let zero = self.constant_like(a, Const::i32(0));
        let negated = self.sub(&zero, a);
        let lowest = self.and(a, &negated);
        let exponent = self.float_exponent(&lowest);
        // Without the sign that 2^31 has as a float.
        let exponent = self.and_bits(&exponent, 0xff);
        let position = self.add_bits(&exponent, 127u32.wrapping_neg());
        self.all_ones_if_zero(a, &position)
    }

    /// Sign and biased exponent of the signed integer as a float.
    fn float_exponent(&mut self, a: &PacketOperand) -> PacketOperand {
        let float = self.signed_to_float(a);
        let bits = self.reinterpret(Type::I32, &float);
        self.ushr_by(&bits, 23)
    }

    fn all_ones_if_zero(&mut self, a: &PacketOperand, otherwise: &PacketOperand) -> PacketOperand {
        let is_zero = self.compare_bits(IntCC::Equal, a, 0);
        let ones = self.condition_bits(&is_zero);
        self.or(otherwise, &ones)
    }

    /// Bits in reverse order: each nibble through a table, nibbles and bytes swapped.
    pub fn bit_reverse(&mut self, a: &PacketOperand) -> PacketOperand {
        if let PacketOperand::Uniform(a) = a {
            return PacketOperand::scalar(Type::I32, self.ins().bitrev(a.value));
        }
        let low_nibbles = self.and_bits(a, 0x0f0f_0f0f);
        let shifted = self.ushr_by(a, 4);
        let high_nibbles = self.and_bits(&shifted, 0x0f0f_0f0f);
        let reversed = std::array::from_fn(|nibble| (nibble as u8).reverse_bits() >> 4);
        let raised = std::array::from_fn(|nibble| (nibble as u8).reverse_bits());
        let low = self.table_lookup(raised, &low_nibbles);
        let high = self.table_lookup(reversed, &high_nibbles);
        let bytes = self.or(&low, &high);
        let order = std::array::from_fn(|byte| byte as u8 ^ 3);
        self.map1(Type::I32, &bytes, |emit, vector| {
            let order = emit.byte_constant(order);
            let bytes = emit.cast(vector, types::I8X16);
            let swapped = emit.ins().x86_pshufb(bytes, order);
            emit.cast(swapped, types::I32X4)
        })
    }

    /// Each byte, 0 to 15, replaced by its entry of a table.
    fn table_lookup(&mut self, table: [u8; 16], indices: &PacketOperand) -> PacketOperand {
        let table = self.byte_constant(table);
        self.map1(Type::I32, indices, |emit, vector| {
            let bytes = emit.cast(vector, types::I8X16);
            let entries = emit.ins().x86_pshufb(table, bytes);
            emit.cast(entries, types::I32X4)
        })
    }

    /// The same sixteen bytes in each 128 bits.
    fn byte_constant(&mut self, bytes: [u8; 16]) -> Value {
        let handle = self.builder.func.dfg.constants.insert(bytes.as_slice().into());
        self.ins().vconst(types::I8X16, handle)
    }
}

/// The signedness of a product's operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Signedness {
    Unsigned,
    Signed,
}
