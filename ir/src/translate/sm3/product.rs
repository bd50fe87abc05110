//! Multiplies under either set of float rules.
//!
//! Under Direct3D 9's rules a product is zero where a factor is zero. IEEE 754's product differs only where the other
//! factor is an infinity or a NaN, so that nothing is needed where both are known to be finite, and less where one is.

use brolga_bytecode::sm3::Source;

use super::super::vector::Vector;
use super::{FloatRules, Result, Translator};
use crate::entity::Value;
use crate::function::{InstKind, ValueDef};
use crate::ops::Op;

/// Limit on following the definitions of factors.
const DEPTH: usize = 4;

impl Translator<'_, '_> {
    /// `true` if zero times anything is zero.
    pub(super) fn zero_wins(&self) -> bool {
        self.options.float_rules != FloatRules::Ieee
    }

    pub(super) fn product(&mut self, a: Value, b: Value) -> Value {
        let product = self.fold(Op::FMul, &[a, b]);
        if !self.zero_wins() || a == b {
            return product;
        }
        // A factor counts if it may be zero while the other one is not finite.
        let (a_counts, b_counts) =
            (self.may_be_zero(a) && !self.is_finite(b), self.may_be_zero(b) && !self.is_finite(a));
        // The zero is the last operand: machine code then masks the product.
        let zero = self.b.f32(0.0);
        let is_not_zero = |t: &mut Self, factor| t.b.op(Op::FNe, &[factor, zero]);
        let stays = match (a_counts, b_counts) {
            (false, false) => return product,
            (true, false) => is_not_zero(self, a),
            (false, true) => is_not_zero(self, b),
            (true, true) => {
                let both = [is_not_zero(self, a), is_not_zero(self, b)];
                self.b.op(Op::BAnd, &both)
            }
        };
        self.b.select(stays, product, zero)
    }

    /// The floats of two factors. An operand used twice gives the same values twice, so that their products are
    /// recognised as squares.
    pub(super) fn factors(&mut self, left: &Source, right: &Source, mask: u8) -> Result<[Vector; 2]> {
        let first = self.read(left, mask)?;
        let second = if left == right { first } else { self.read(right, mask)? };
        Ok([first, second])
    }

    fn may_be_zero(&self, value: Value) -> bool {
        self.b.func.as_const(value).is_none_or(|known| f32::from_bits(known.bits as u32).abs() < f32::MIN_POSITIVE)
    }

    /// `true` if a float is known to be neither an infinity nor a NaN.
    fn is_finite(&self, value: Value) -> bool {
        self.is_finite_from(value, DEPTH)
    }

    fn is_finite_from(&self, value: Value, depth: usize) -> bool {
        let func = &self.b.func;
        let ValueDef::Result(inst, _) = func.value(value).def else { return false };
        let Some(depth) = depth.checked_sub(1) else { return false };
        match &func.inst(inst).kind {
            InstKind::Const(known) => f32::from_bits(known.bits as u32).is_finite(),
            InstKind::Op { op: Op::FSat | Op::SToF | Op::UToF, .. } => true,
            InstKind::Op { op: Op::FNeg | Op::FAbs, args } => self.is_finite_from(args[0], depth),
            InstKind::Op { op: Op::SelectF32, args } => {
                self.is_finite_from(args[1], depth) && self.is_finite_from(args[2], depth)
            }
            // The other operand if one is NaN: at most the bound, and at least that of the maximum within.
            InstKind::Op { op: Op::FMin, args } => {
                self.is_finite_from(args[1], depth) && self.has_lower_bound(args[0], depth)
            }
            _ => false,
        }
    }

    fn has_lower_bound(&self, value: Value, depth: usize) -> bool {
        let func = &self.b.func;
        let ValueDef::Result(inst, _) = func.value(value).def else { return false };
        match &func.inst(inst).kind {
            InstKind::Op { op: Op::FMax, args } => self.is_finite_from(args[1], depth),
            _ => false,
        }
    }
}
