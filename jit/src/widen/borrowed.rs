//! Operations that Cranelift has no instruction for, as instructions that shaders never need.
//!
//! `packet/` writes the operation on the left for what is on the right. Only widened code means that; as it stands the
//! instruction computes something else, so code with borrowed operations is never run as Cranelift made it. Cranelift's
//! optimiser is off, and its selection knows one rule for each of these operations, which a test holds it to.
//!
//! | CLIF | instruction | stands for |
//! |---|---|---|
//! | `ssub_sat.i8x16 x, x` | `vpsubsb` | the first 128 bits of x |
//! | `ssub_sat.i16x8 x, x` | `vpsubsw` | the second |
//! | `usub_sat.i8x16 x, x` | `vpsubusb` | the third |
//! | `usub_sat.i16x8 x, x` | `vpsubusw` | the fourth |
//! | `uadd_sat.i8x16 x, part` | `vpaddusb` | x with other second 128 bits |
//! | `uadd_sat.i16x8 x, part` | `vpaddusw` | with other third ones |
//! | `sadd_sat.i8x16 x, part` | `vpaddsb` | with other fourth ones |
//! | `sload8x8` | `vpmovsxbw` | a load of 128 bits |
//! | `store.f64x2` | `vmovupd` | a store of 128 bits |
//! | `sload32x2` | `vpmovsxdq` | a load of 32 bits into every lane |
//! | `insertlane.i8x16 x, p, 12 + n` | `vpinsrb` | a gather: in each lane 32 bits from p + 4 n + x, signed: AVX-512 |
//! | `avg_round.i8x16 x, n` | `vpavgb` | each lane of x shifted left by that of n; 0 for 32 and above |
//! | `avg_round.i16x8 x, n` | `vpavgw` | the same to the right |
//! | `x86_pmulhrsw x, n` | `vpmulhrsw` | the same to the right, with the sign coming in |
//! | `sadd_sat.i16x8 x, n` | `vpaddsw` | each lane of x rotated to the left by that of n: AVX-512 |

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Opcode, Type, Value, types};
use cranelift_frontend::FuncInstBuilder;

/// 128 bits of a vector, which must have the type that [`type_to_take`] gives.
pub(crate) fn take(ins: FuncInstBuilder<'_, '_>, vector: Value, part: usize) -> Value {
    match part {
        0 | 1 => ins.ssub_sat(vector, vector),
        _ => ins.usub_sat(vector, vector),
    }
}

/// The type that selects which 128 bits are taken.
pub(crate) fn type_to_take(part: usize) -> Type {
    [types::I8X16, types::I16X8][part % 2]
}

/// A vector with other 128 bits, not its first; both must have the type that [`type_to_insert`] gives.
pub(crate) fn insert(ins: FuncInstBuilder<'_, '_>, vector: Value, part: Value, place: usize) -> Value {
    match place {
        1 | 2 => ins.uadd_sat(vector, part),
        _ => ins.sadd_sat(vector, part),
    }
}

/// The type that selects which 128 bits are inserted.
pub(crate) fn type_to_insert(place: usize) -> Type {
    [types::I8X16, types::I16X8, types::I8X16][place - 1]
}

/// Which 128 bits an operation inserts, if it is an [`insert`] with a result of a type.
pub(crate) fn inserted(operation: Opcode, ty: Type) -> Option<usize> {
    match (operation, ty) {
        (Opcode::UaddSat, types::I8X16) => Some(1),
        (Opcode::UaddSat, types::I16X8) => Some(2),
        (Opcode::SaddSat, types::I8X16) => Some(3),
        _ => None,
    }
}

/// 128 bits from memory, as I16X8.
pub(crate) fn load_part(ins: FuncInstBuilder<'_, '_>, flags: MemFlagsData, address: Value, offset: i32) -> Value {
    ins.sload8x8(flags, address, offset)
}

/// 32 bits from memory in every lane, as I64X2. Cranelift folds a load into a splat only where neither of them, nor anything
/// computed from them, is used twice.
pub(crate) fn load_splat(ins: FuncInstBuilder<'_, '_>, flags: MemFlagsData, address: Value, offset: i32) -> Value {
    ins.sload32x2(flags, address, offset)
}

/// Words that [`gather`] can reach from one address.
pub(crate) const GATHERED_WORDS: u8 = 4;

/// 32 bits from memory in each lane, of the word with this number from where a lane's offset leads; offsets have the type I8X16, are
/// added as signed numbers of 32 bits, and must lead to readable words in every lane. The address is one of 64 bits reduced to 8, which
/// is no instruction: the whole register is used. The code generator takes this for a pure operation, and leaves those where they
/// are. For processors with AVX-512.
pub(crate) fn gather(ins: FuncInstBuilder<'_, '_>, address: Value, offsets: Value, word: u8) -> Value {
    ins.insertlane(offsets, address, 16 - GATHERED_WORDS + word)
}

/// The type as which 128 bits are stored.
pub(crate) const STORED_PART: Type = types::F64X2;

/// The type of what is rotated.
pub(crate) const ROTATED: Type = types::I16X8;

/// Lanes of 32 bits, each rotated to the left by an amount of its own; both must have the type [`ROTATED`]. For processors with AVX-512.
pub(crate) fn rotate_left(ins: FuncInstBuilder<'_, '_>, vector: Value, amount: Value) -> Value {
    ins.sadd_sat(vector, amount)
}

/// Which way lanes are shifted.
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

    /// Lanes of 32 bits, each shifted by an amount of its own.
    pub fn emit(self, ins: FuncInstBuilder<'_, '_>, vector: Value, amount: Value) -> Value {
        match self {
            Shift::Left | Shift::Right => ins.avg_round(vector, amount),
            Shift::SignedRight => ins.x86_pmulhrsw(vector, amount),
        }
    }
}
