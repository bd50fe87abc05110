//! Defines numbers in the memory of a view: their types, their notation in a document, and their display in reports.

use std::fmt;

use brolga_files::ElementType;

use crate::text::Value;

/// Types of numbers in views.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NumberType {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Signed, 32 bits.
    I32,
    /// Float, 32 bits.
    F32,
    /// Float, 64 bits.
    F64,
}

impl NumberType {
    /// All of them, in the order of the documentation.
    pub const ALL: [Self; 6] = [Self::U32, Self::I32, Self::F32, Self::F64, Self::U8, Self::U16];

    /// The names of [`NumberType::ALL`].
    pub const NAMES: [&'static str; 6] = ["u32", "i32", "f32", "f64", "u8", "u16"];

    /// The type for a name in a document.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|number_type| number_type.name() == name)
    }

    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            NumberType::U8 => "u8",
            NumberType::U16 => "u16",
            NumberType::U32 => "u32",
            NumberType::I32 => "i32",
            NumberType::F32 => "f32",
            NumberType::F64 => "f64",
        }
    }

    /// Bytes that a number occupies.
    pub fn size_bytes(self) -> usize {
        match self {
            NumberType::U8 => 1,
            NumberType::U16 => 2,
            NumberType::U32 | NumberType::I32 | NumberType::F32 => 4,
            NumberType::F64 => 8,
        }
    }

    /// The array element type for such numbers.
    pub(crate) fn element(self) -> ElementType {
        let letter = match self {
            NumberType::U8 | NumberType::U16 | NumberType::U32 => 'u',
            NumberType::I32 => 'i',
            NumberType::F32 | NumberType::F64 => 'f',
        };
        ElementType { letter, size_bytes: self.size_bytes() }
    }

    /// The number type for an array element type, if documents have it.
    pub(crate) fn of_element(element: ElementType) -> Option<Self> {
        Self::ALL.into_iter().find(|number_type| number_type.element() == element)
    }

    /// `true` for floating-point types.
    pub fn is_float(self) -> bool {
        matches!(self, NumberType::F32 | NumberType::F64)
    }

    /// The range of values of this type, for messages.
    pub fn range(self) -> &'static str {
        match self {
            NumberType::U8 => "integers from 0 to 255",
            NumberType::U16 => "integers from 0 to 65535",
            NumberType::U32 => "integers from 0 to 4294967295",
            NumberType::I32 => "integers from -2147483648 to 2147483647",
            NumberType::F32 => "numbers from -3.4028235e38 to 3.4028235e38, or \"nan\", \"inf\", \"-inf\"",
            NumberType::F64 => "numbers, or \"nan\", \"inf\", \"-inf\"",
        }
    }

    /// Reads a number from the front of `bytes`, which must hold one.
    pub(crate) fn read(self, bytes: &[u8]) -> Number {
        let mut wide = [0; 8];
        wide[..self.size_bytes()].copy_from_slice(&bytes[..self.size_bytes()]);
        Number { number_type: self, bits: u64::from_le_bytes(wide) }
    }

    /// The number that a document writes as `value`, if it is valid for this type.
    pub(crate) fn number(self, value: &Value) -> Option<Number> {
        let bits = match (self, value) {
            (NumberType::F32, _) => {
                let wide = value.number()?;
                let number = wide as f32;
                if number.is_infinite() && wide.is_finite() {
                    return None;
                }
                number.to_bits().into()
            }
            (NumberType::F64, _) => value.number()?.to_bits(),
            (NumberType::U8, &Value::Integer(number)) => u64::from(u8::try_from(number).ok()?),
            (NumberType::U16, &Value::Integer(number)) => u64::from(u16::try_from(number).ok()?),
            (NumberType::U32, &Value::Integer(number)) => u64::from(u32::try_from(number).ok()?),
            (NumberType::I32, &Value::Integer(number)) => u64::from(i32::try_from(number).ok()?.cast_unsigned()),
            _ => return None,
        };
        Some(Number { number_type: self, bits })
    }
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One number by its bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Number {
    /// Its type.
    pub number_type: NumberType,
    /// Its bits, zero-extended.
    pub bits: u64,
}

impl Number {
    /// Zero.
    pub const ZERO: Self = Self { number_type: NumberType::U32, bits: 0 };

    /// The bytes as they lie in memory.
    pub(crate) fn append_to(self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.bits.to_le_bytes()[..self.number_type.size_bytes()]);
    }

    /// Its value; exact for every type.
    pub fn as_f64(self) -> f64 {
        match self.number_type {
            NumberType::U8 | NumberType::U16 | NumberType::U32 => self.bits as f64,
            NumberType::I32 => f64::from((self.bits as u32).cast_signed()),
            NumberType::F32 => f64::from(f32::from_bits(self.bits as u32)),
            NumberType::F64 => f64::from_bits(self.bits),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = 2 * self.number_type.size_bytes();
        match self.number_type {
            NumberType::F32 => write!(f, "{:?}", f32::from_bits(self.bits as u32))?,
            NumberType::F64 => write!(f, "{:?}", f64::from_bits(self.bits))?,
            NumberType::I32 => write!(f, "{}", (self.bits as u32).cast_signed())?,
            NumberType::U8 | NumberType::U16 | NumberType::U32 => write!(f, "{}", self.bits)?,
        }
        write!(f, " (0x{:0digits$x})", self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_their_type_are_refused() {
        assert!(NumberType::U8.number(&Value::Integer(256)).is_none());
        assert!(NumberType::U32.number(&Value::Integer(-1)).is_none());
        assert!(NumberType::I32.number(&Value::Integer(1 << 31)).is_none());
        assert!(NumberType::U32.number(&Value::Float(1.0)).is_none());
        assert!(NumberType::F32.number(&Value::Text("x".into())).is_none());
    }

    #[test]
    fn numbers_show_value_and_bits() {
        let shown = |number_type: NumberType, value| number_type.number(&value).unwrap().to_string();
        assert_eq!(shown(NumberType::I32, Value::Integer(-2)), "-2 (0xfffffffe)");
        assert_eq!(shown(NumberType::F32, Value::Float(0.1)), "0.1 (0x3dcccccd)");
        assert_eq!(shown(NumberType::U8, Value::Integer(7)), "7 (0x07)");
    }
}
