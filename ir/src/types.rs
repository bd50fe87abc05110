//! Defines types of values and typed constants.

use std::fmt;

use crate::named::named;

named! {
    /// Type of a value. Every value is one scalar of one thread; packets of threads are left to the engines.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
    pub enum Type {
        /// A condition. Has no bit pattern: `btoi` converts it to Direct3D's 0 or 0xffffffff.
        Bool = "bool",
        /// 32 bits without a fixed interpretation: signed, unsigned or untyped.
        I32 = "i32",
        /// A 32-bit float whose NaN payload is not part of its value (see `bits.f32`).
        F32 = "f32",
        /// 64 bits without a fixed interpretation.
        I64 = "i64",
        /// A 64-bit float whose NaN payload is not part of its value (see `bits.f64`).
        F64 = "f64",
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A constant: a type and its bits in the low end of a word (a bool is 0 or 1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Const {
    /// Type of the constant.
    pub ty: Type,
    /// The bits; those above the type's width are zero.
    pub bits: u64,
}

impl Const {
    /// A condition.
    pub fn bool(value: bool) -> Self {
        Self { ty: Type::Bool, bits: u64::from(value) }
    }

    /// 32 bits.
    pub fn i32(value: u32) -> Self {
        Self { ty: Type::I32, bits: u64::from(value) }
    }

    /// A 32-bit float.
    pub fn f32(value: f32) -> Self {
        Self { ty: Type::F32, bits: u64::from(value.to_bits()) }
    }

    /// 64 bits.
    pub fn i64(value: u64) -> Self {
        Self { ty: Type::I64, bits: value }
    }

    /// A 64-bit float.
    pub fn f64(value: f64) -> Self {
        Self { ty: Type::F64, bits: value.to_bits() }
    }

    /// The zero of a type.
    pub fn zero(ty: Type) -> Self {
        Self { ty, bits: 0 }
    }
}

/// Carries an IR type through `eval` in a Rust type: `i32` is handled as `u32`, `i64` as `u64`.
pub(crate) trait Carrier: Copy {
    fn from_bits64(bits: u64) -> Self;
    fn to_bits64(self) -> u64;
}

impl Carrier for bool {
    fn from_bits64(bits: u64) -> Self {
        bits & 1 != 0
    }
    fn to_bits64(self) -> u64 {
        u64::from(self)
    }
}

impl Carrier for u32 {
    fn from_bits64(bits: u64) -> Self {
        bits as u32
    }
    fn to_bits64(self) -> u64 {
        u64::from(self)
    }
}

impl Carrier for u64 {
    fn from_bits64(bits: u64) -> Self {
        bits
    }
    fn to_bits64(self) -> u64 {
        self
    }
}

impl Carrier for f32 {
    fn from_bits64(bits: u64) -> Self {
        f32::from_bits(bits as u32)
    }
    fn to_bits64(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Carrier for f64 {
    fn from_bits64(bits: u64) -> Self {
        f64::from_bits(bits)
    }
    fn to_bits64(self) -> u64 {
        self.to_bits()
    }
}
