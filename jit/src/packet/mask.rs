//! Conditions: tests for branches, logic, selects.
//!
//! A condition per lane is I32X4, all ones or zero; a uniform one is an `i8`, 0 or 1. Only `vany_true` looks at a whole
//! mask, so nothing depends on how many lanes a vector has.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::{InstBuilder, Value};

use super::{Emit, Operand, Packet, Uniform};

impl Emit<'_, '_> {
    /// The condition that holds in every lane, or in none.
    pub fn mask_constant(&mut self, holds: bool) -> Packet {
        self.constant_packet(Const::bool(holds))
    }

    /// Lanes where both hold.
    pub fn mask_and(&mut self, a: &Packet, b: &Packet) -> Packet {
        todo!()
    }

    /// Lanes where either holds.
    pub fn mask_or(&mut self, a: &Packet, b: &Packet) -> Packet {
        todo!()
    }

    /// Lanes where the first holds and the second does not.
    pub fn mask_and_not(&mut self, a: &Packet, b: &Packet) -> Packet {
        todo!()
    }

    /// Lanes where it does not hold.
    pub fn mask_not(&mut self, a: &Packet) -> Packet {
        todo!()
    }

    /// Whether a lane holds, as an `i8` to branch on.
    pub fn any(&mut self, mask: &Packet) -> Value {
        todo!()
    }

    /// Whether all lanes hold, as an `i8` to branch on.
    pub fn all(&mut self, mask: &Packet) -> Value {
        todo!()
    }

    /// Whether no lane holds, as an `i8` to branch on.
    pub fn none(&mut self, mask: &Packet) -> Value {
        todo!()
    }

    /// A condition as an `i8` to branch on: a uniform one itself, for a packet whether any lane holds.
    pub fn branch_on(&mut self, condition: &Operand) -> Value {
        match condition {
            Operand::Uniform(Uniform { value, .. }) => *value,
            Operand::Packet(mask) => self.any(mask),
        }
    }

    /// A lane's value from the first where the mask holds, else from the second; any type, bits untouched.
    pub fn select(&mut self, mask: &Packet, a: &Packet, b: &Packet) -> Packet {
        todo!()
    }

    /// The value where the mask holds, else zero; cheaper than a select.
    pub fn keep(&mut self, mask: &Packet, a: &Packet) -> Packet {
        todo!()
    }
}
