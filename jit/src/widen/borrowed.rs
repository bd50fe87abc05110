//! Borrows CLIF operations that no shader needs, to stand for operations on whole vectors that Cranelift lacks.
//!
//! `packet/` writes the operation on the left for the meaning on the right. Only widened code has that meaning; as it
//! stands the instruction computes something else, so code with borrowed operations never runs as Cranelift made it.
//! Cranelift's optimiser is off, and its selection has a single rule for each of these operations, which a test
//! verifies.
//!
//! | CLIF | instruction | stands for |
//! |---|---|---|
//! | `ssub_sat.i8x16 x, x` | `vpsubsb` | the first 128 bits of x |
//! | `ssub_sat.i16x8 x, x` | `vpsubsw` | the second |
//! | `usub_sat.i8x16 x, x` | `vpsubusb` | the third |
//! | `usub_sat.i16x8 x, x` | `vpsubusw` | the fourth |
//! | `uadd_sat.i8x16 x, part` | `vpaddusb` | x with its second 128 bits replaced |
//! | `uadd_sat.i16x8 x, part` | `vpaddusw` | with its third ones replaced |
//! | `sadd_sat.i8x16 x, part` | `vpaddsb` | with its fourth ones replaced |
//! | `sload8x8` | `vpmovsxbw` | a load of 128 bits |
//! | `store.f64x2` | `vmovupd` | a store of 128 bits |
//! | `sload32x2` | `vpmovsxdq` | a load of 32 bits into every lane |
//! | `insertlane.i8x16 x, p, 12 + n` | `vpinsrb` | a gather: in each lane 32 bits from p + 4 n + x, signed: AVX-512 |
//! | `avg_round.i8x16 x, n` | `vpavgb` | each lane of x shifted left by that of n; 0 for 32 and above |
//! | `avg_round.i16x8 x, n` | `vpavgw` | shifted right, likewise |
//! | `x86_pmulhrsw x, n` | `vpmulhrsw` | shifted right with sign extension |
//! | `sadd_sat.i16x8 x, n` | `vpaddsw` | each lane of x rotated left by that of n: AVX-512 |

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Type, Value, types};
use cranelift_frontend::FuncInstBuilder;

/// Extracts 128 bits of a vector, which must have the type that [`type_to_take`] gives.
pub(crate) fn take(ins: FuncInstBuilder<'_, '_>, vector: Value, part: usize) -> Value {
    match part {
        0 | 1 => ins.ssub_sat(vector, vector),
        _ => ins.usub_sat(vector, vector),
    }
}

/// The type that selects the part to extract.
pub(crate) fn type_to_take(part: usize) -> Type {
    [types::I8X16, types::I16X8][part % 2]
}

/// Replaces 128 bits of a vector, except its first; both must have the type that [`type_to_insert`] gives.
pub(crate) fn insert(ins: FuncInstBuilder<'_, '_>, vector: Value, part: Value, position: usize) -> Value {
    match position {
        1 | 2 => ins.uadd_sat(vector, part),
        _ => ins.sadd_sat(vector, part),
    }
}

/// The type that selects the part to replace.
pub(crate) fn type_to_insert(position: usize) -> Type {
    [types::I8X16, types::I16X8, types::I8X16][position - 1]
}

/// The part that an operation replaces, if it is an [`insert`] with a result of this type.
pub(crate) fn inserted(operation: Opcode, ty: Type) -> Option<usize> {
    match (operation, ty) {
        (Opcode::UaddSat, types::I8X16) => Some(1),
        (Opcode::UaddSat, types::I16X8) => Some(2),
        (Opcode::SaddSat, types::I8X16) => Some(3),
        _ => None,
    }
}

/// Loads 128 bits, as I16X8.
pub(crate) fn load_part(ins: FuncInstBuilder<'_, '_>, flags: MemFlagsData, address: Value, offset: i32) -> Value {
    ins.sload8x8(flags, address, offset)
}

/// Loads 32 bits into every lane, as I64X2. Cranelift folds a load into a splat only where neither of them, nor
/// anything computed from them, is used twice.
pub(crate) fn load_splat(ins: FuncInstBuilder<'_, '_>, flags: MemFlagsData, address: Value, offset: i32) -> Value {
    ins.sload32x2(flags, address, offset)
}

/// Number of words that [`gather`] can reach from one address.
pub(crate) const GATHERED_WORDS: u8 = 4;

/// Gathers 32 bits into each lane, from this word after the lane's offset; offsets have the type I8X16, are added as
/// signed numbers of 32 bits, and must lead to readable words in every lane. The 64-bit address is reduced to 8 bits,
/// which is no instruction: the whole register is used. The code generator takes this for a pure operation and does not
/// move it. Needs AVX-512.
pub(crate) fn gather(ins: FuncInstBuilder<'_, '_>, address: Value, offsets: Value, word: u8) -> Value {
    ins.insertlane(offsets, address, 16 - GATHERED_WORDS + word)
}

/// The type that stores of 128 bits have.
pub(crate) const STORED_PART: Type = types::F64X2;

/// The type of operands of [`rotate_left`].
pub(crate) const ROTATED: Type = types::I16X8;

/// Rotates each lane of 32 bits left by its own count; both must have the type [`ROTATED`]. Needs AVX-512.
pub(crate) fn rotate_left(ins: FuncInstBuilder<'_, '_>, vector: Value, amount: Value) -> Value {
    ins.sadd_sat(vector, amount)
}

/// The direction of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shift {
    Left,
    Right,
    SignedRight,
}

impl Shift {
    /// The type of the operands.
    pub fn ty(self) -> Type {
        match self {
            Shift::Left => types::I8X16,
            Shift::Right | Shift::SignedRight => types::I16X8,
        }
    }

    /// Shifts each lane of 32 bits by its own count.
    pub fn emit(self, ins: FuncInstBuilder<'_, '_>, vector: Value, amount: Value) -> Value {
        match self {
            Shift::Left | Shift::Right => ins.avg_round(vector, amount),
            Shift::SignedRight => ins.x86_pmulhrsw(vector, amount),
        }
    }
}
