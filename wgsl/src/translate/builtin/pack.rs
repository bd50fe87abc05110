//! Numbers packed in words.

use brolga_ir::Op;
use brolga_ir::entity::Value;
use naga::MathFunction;
use smallvec::smallvec;

use super::super::{Result, Translator, Words};

impl Translator<'_, '_> {
    /// A function that packs or unpacks; `None` for others.
    pub(super) fn packing(&mut self, fun: MathFunction, arguments: &[Words]) -> Result<Option<Words>> {
        use MathFunction as F;
        let [a] = arguments else { return Ok(None) };
        let packed = match fun {
            F::Pack4x8snorm => self.pack_norm(a, 8, true),
            F::Pack4x8unorm => self.pack_norm(a, 8, false),
            F::Pack2x16snorm => self.pack_norm(a, 16, true),
            F::Pack2x16unorm => self.pack_norm(a, 16, false),
            F::Pack2x16float => {
                let halves: Words = a.iter().map(|&component| self.half_of(component)).collect();
                self.join(halves, 16)
            }
            F::Pack4xI8 | F::Pack4xU8 => self.join(a.clone(), 8),
            F::Pack4xI8Clamp => {
                let clamped = self.clamped(a, Op::SMax, -128, Op::SMin, 127);
                self.join(clamped, 8)
            }
            F::Pack4xU8Clamp => {
                let clamped = self.clamped(a, Op::UMax, 0, Op::UMin, 255);
                self.join(clamped, 8)
            }
            _ => {
                let &[word] = &a[..] else { return Ok(None) };
                return Ok(self.unpacking(fun, word));
            }
        };
        Ok(Some(smallvec![packed]))
    }

    fn unpacking(&mut self, fun: MathFunction, word: Value) -> Option<Words> {
        use MathFunction as F;
        Some(match fun {
            F::Unpack4x8snorm => self.unpack_norm(word, 8, true),
            F::Unpack4x8unorm => self.unpack_norm(word, 8, false),
            F::Unpack2x16snorm => self.unpack_norm(word, 16, true),
            F::Unpack2x16unorm => self.unpack_norm(word, 16, false),
            F::Unpack2x16float => {
                let halves = self.fields(word, 16, false);
                halves.into_iter().map(|half| self.b.op(Op::F16ToF32, &[half])).collect()
            }
            F::Unpack4xI8 => self.fields(word, 8, true),
            F::Unpack4xU8 => self.fields(word, 8, false),
            _ => return None,
        })
    }

    /// The dot product of four bytes each.
    pub(super) fn dot_packed(&mut self, a: &[Value], b: &[Value], is_signed: bool) -> Result<Value> {
        let (&[a], &[b]) = (a, b) else { return Err(self.internal("packed vectors are words")) };
        let [a, b] = [a, b].map(|word| self.fields(word, 8, is_signed));
        Ok(self.int_dot(&a, &b))
    }

    fn clamped(&mut self, a: &[Value], raise: Op, least: i32, lower: Op, most: i32) -> Words {
        let (least, most) = (self.b.i32(least as u32), self.b.i32(most as u32));
        let clamp = |&component: &Value| {
            let raised = self.b.op(raise, &[component, least]);
            self.b.op(lower, &[raised, most])
        };
        a.iter().map(clamp).collect()
    }

    /// floor(0.5 + most * clamp(x)), each in as many bits.
    fn pack_norm(&mut self, a: &[Value], bits: u32, is_signed: bool) -> Value {
        let most = most_of(bits, is_signed);
        let (least, one) = (self.b.f32(if is_signed { -1.0 } else { 0.0 }), self.b.f32(1.0));
        let (most, half) = (self.b.f32(most), self.b.f32(0.5));
        let fields: Words = a
            .iter()
            .map(|&component| {
                let raised = self.b.op(Op::FMax, &[component, least]);
                let clamped = self.b.op(Op::FMin, &[raised, one]);
                let scaled = self.b.op(Op::FMul, &[clamped, most]);
                let shifted = self.b.op(Op::FAdd, &[scaled, half]);
                let floor = self.b.op(Op::FFloor, &[shifted]);
                self.b.op(Op::FToS, &[floor])
            })
            .collect();
        self.join(fields, bits)
    }

    /// Integers divided by the largest one, at least -1.
    fn unpack_norm(&mut self, word: Value, bits: u32, is_signed: bool) -> Words {
        let most = self.b.f32(most_of(bits, is_signed));
        let least = self.b.f32(-1.0);
        let fields = self.fields(word, bits, is_signed);
        let unpack = |field| {
            let number = self.b.op(if is_signed { Op::SToF } else { Op::UToF }, &[field]);
            let quotient = self.b.op(Op::FDiv, &[number, most]);
            if is_signed { self.b.op(Op::FMax, &[quotient, least]) } else { quotient }
        };
        fields.into_iter().map(unpack).collect()
    }

    /// The fields of a word, the lowest first.
    fn fields(&mut self, word: Value, bits: u32, is_signed: bool) -> Words {
        let down = self.b.i32(32 - bits);
        (0..32 / bits)
            .map(|n| {
                let up = self.b.i32(32 - bits * (n + 1));
                let high = self.b.op(Op::Shl, &[word, up]);
                self.b.op(if is_signed { Op::SShr } else { Op::UShr }, &[high, down])
            })
            .collect()
    }

    /// The low bits of numbers in one word, the first lowest.
    fn join(&mut self, fields: Words, bits: u32) -> Value {
        let mask = self.b.i32((1 << bits) - 1);
        let mut word = self.b.i32(0);
        for (n, field) in fields.into_iter().enumerate() {
            let shift = self.b.i32(bits * n as u32);
            let low = self.b.op(Op::And, &[field, mask]);
            let placed = self.b.op(Op::Shl, &[low, shift]);
            word = self.b.op(Op::Or, &[word, placed]);
        }
        word
    }
}

/// The integer that 1 is packed as.
fn most_of(bits: u32, is_signed: bool) -> f32 {
    ((1u32 << (bits - u32::from(is_signed))) - 1) as f32
}
