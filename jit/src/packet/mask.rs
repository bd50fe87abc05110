//! Handles conditions: tests for branches, logic, selects.
//!
//! A condition per lane is I32X4, all ones or zero; a uniform one is an `i8`, 0 or 1. Only whole-vector tests read a
//! mask, so nothing depends on how many lanes a vector has.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value, types};

use super::{Emit, Packet, PacketOperand, Vectors, is_wide, vector_type};

impl Emit<'_, '_> {
    /// The condition that holds in every lane, or in none.
    pub fn mask_constant(&mut self, holds: bool) -> Packet {
        self.constant_packet(Const::bool(holds))
    }

    /// Lanes where both hold.
    pub fn mask_and(&mut self, a: &Packet, b: &Packet) -> Packet {
        self.combine(a, b, |emit, a, b| emit.ins().band(a, b))
    }

    /// Lanes where either holds.
    pub fn mask_or(&mut self, a: &Packet, b: &Packet) -> Packet {
        self.combine(a, b, |emit, a, b| emit.ins().bor(a, b))
    }

    /// Lanes where the first holds and the second does not: one `pandn`.
    pub fn mask_and_not(&mut self, a: &Packet, b: &Packet) -> Packet {
        self.combine(a, b, |emit, a, b| {
            let not = emit.ins().bnot(b);
            emit.ins().band(a, not)
        })
    }

    /// Lanes where it does not hold.
    pub fn mask_not(&mut self, a: &Packet) -> Packet {
        let vectors = a.vectors.iter().map(|&vector| self.ins().bnot(vector)).collect();
        Packet { ty: Type::Bool, vectors }
    }

    fn combine(&mut self, a: &Packet, b: &Packet, emit: impl FnMut(&mut Self, Value, Value) -> Value) -> Packet {
        debug_assert!(a.ty == Type::Bool && b.ty == Type::Bool, "masks");
        self.zip(Type::Bool, &a.vectors, &b.vectors, emit)
    }

    /// Tests for any lane that holds, as an `i8` to branch on: the vectors or-ed, then one `ptest` that the branch
    /// takes over.
    pub fn any(&mut self, mask: &Packet) -> Value {
        let folded = self.fold(mask, |emit, a, b| emit.ins().bor(a, b));
        self.ins().vany_true(folded)
    }

    /// Tests for any lane of any of these numbers that is at least its limit, which is uniform; unsigned, as an `i8` to
    /// branch on. The largest lanes of a packet's vectors are compared, not each of them.
    pub fn any_at_least(&mut self, checks: &[(PacketOperand, PacketOperand)]) -> Value {
        let mut vectors = None;
        let mut scalars = None;
        for (number, limit) in checks {
            let found = match number {
                PacketOperand::Uniform(_) => &mut scalars,
                PacketOperand::Packet(_) => &mut vectors,
            };
            let [number, limit] = match number {
                PacketOperand::Uniform(number) => [number.value, limit.values()[0]],
                PacketOperand::Packet(number) => {
                    let (&first, rest) = number.vectors.split_first().expect("a packet has vectors");
                    let most = rest.iter().fold(first, |most, &vector| self.ins().umax(most, vector));
                    [most, self.packet(limit).vectors[0]]
                }
            };
            let is_outside = self.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, number, limit);
            *found = Some(found.map_or(is_outside, |before| self.ins().bor(before, is_outside)));
        }
        let vectors = vectors.map(|vectors| self.ins().vany_true(vectors));
        match (vectors, scalars) {
            (Some(vectors), Some(scalars)) => self.ins().bor(vectors, scalars),
            (found, other) => found.or(other).expect("there is something to check"),
        }
    }

    /// Tests that all lanes hold, as an `i8` to branch on.
    pub fn all(&mut self, mask: &Packet) -> Value {
        let folded = self.fold(mask, |emit, a, b| emit.ins().band(a, b));
        self.ins().vall_true(folded)
    }

    /// Tests that no lane holds, as an `i8` to branch on.
    pub fn none(&mut self, mask: &Packet) -> Value {
        let any = self.any(mask);
        self.ins().bxor_imm_u(any, 1)
    }

    /// A bit for each lane, the first one lowest, as an `i64`.
    pub fn bits(&mut self, mask: &Packet) -> Value {
        debug_assert_eq!(mask.ty, Type::Bool, "a mask");
        let mut bits = None;
        let lanes = i64::from(self.shape.vector_bytes / 4);
        for (n, &vector) in mask.vectors.iter().enumerate() {
            let some = self.ins().vhigh_bits(types::I64, vector);
            bits = Some(match bits {
                None => some,
                Some(before) => {
                    let some = self.ins().ishl_imm_u(some, lanes * n as i64);
                    self.ins().bor(before, some)
                }
            });
        }
        bits.expect("a packet has vectors")
    }

    fn fold(&mut self, mask: &Packet, mut emit: impl FnMut(&mut Self, Value, Value) -> Value) -> Value {
        debug_assert_eq!(mask.ty, Type::Bool, "a mask");
        let (&first, rest) = mask.vectors.split_first().expect("a packet has vectors");
        rest.iter().fold(first, |folded, &vector| emit(self, folded, vector))
    }

    /// A lane's value from the first where the mask holds, else from the second; any type, bits untouched. `blendv`
    /// looks at one bit of each lane and is one instruction; `bitselect` would be three.
    pub fn select(&mut self, mask: &Packet, a: &Packet, b: &Packet) -> Packet {
        debug_assert_eq!(a.ty, b.ty, "both sides of a select");
        let (masks, lanes) =
            if is_wide(a.ty) { (self.widen_mask(mask), types::I64X2) } else { (mask.vectors.clone(), types::I32X4) };
        let mut vectors = Vectors::new();
        for ((&mask, &a_vector), &b_vector) in masks.iter().zip(&a.vectors).zip(&b.vectors) {
            let first = self.cast(a_vector, lanes);
            let second = self.cast(b_vector, lanes);
            let chosen = self.ins().blendv(mask, first, second);
            vectors.push(self.cast(chosen, vector_type(a.ty)));
        }
        Packet { ty: a.ty, vectors }
    }

    /// The value where the mask holds, else zero: one `pand`.
    pub fn keep(&mut self, mask: &Packet, a: &Packet) -> Packet {
        let masks = if is_wide(a.ty) { self.widen_mask(mask) } else { mask.vectors.clone() };
        self.zip(a.ty, &masks, &a.vectors, |emit, mask, vector| {
            let mask = emit.cast(mask, vector_type(a.ty));
            emit.ins().band(vector, mask)
        })
    }

    /// A mask for 64-bit lanes: each dword twice. Gives I64X2 vectors.
    pub(crate) fn widen_mask(&mut self, mask: &Packet) -> Vectors {
        debug_assert_eq!(mask.ty, Type::Bool, "a mask");
        let mut wide = Vectors::new();
        for &vector in &mask.vectors {
            for dwords in [[0, 0, 1, 1], [2, 2, 3, 3]] {
                let pair = self.shuffle(vector, vector, dwords);
                wide.push(self.cast(pair, types::I64X2));
            }
        }
        wide
    }

    /// A mask from the I64X2 results of comparing doubles: every other dword.
    pub(crate) fn narrow_mask(&mut self, wide: &[Value]) -> Packet {
        let vectors = wide.chunks(2).map(|pair| self.shuffle(pair[0], pair[1], [0, 2, 4, 6])).collect();
        Packet { ty: Type::Bool, vectors }
    }
}
