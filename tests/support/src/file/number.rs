//! Reads and writes the numbers of test files.

use std::fmt;
use std::str::FromStr;

/// The type of a section's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberType {
    /// Unsigned integers.
    U32,
    /// Signed integers.
    I32,
    /// Words, written in hexadecimal.
    Hex,
    /// Floats.
    F32,
    /// Doubles.
    F64,
}

impl NumberType {
    /// Every kind with its name.
    pub const ALL: [(&'static str, NumberType); 5] = [
        ("u32", NumberType::U32),
        ("i32", NumberType::I32),
        ("hex", NumberType::Hex),
        ("f32", NumberType::F32),
        ("f64", NumberType::F64),
    ];

    /// Bytes of a number.
    pub fn size_bytes(self) -> usize {
        if self == NumberType::F64 { 8 } else { 4 }
    }

    /// An example of a number of this kind, for messages.
    pub fn example(self) -> &'static str {
        match self {
            NumberType::U32 => "an unsigned integer of 32 bits, such as 7 or 0xffffffff",
            NumberType::I32 => "a signed integer of 32 bits, such as -7 or 0xffffffff",
            NumberType::Hex => "a word, such as 0xffffffff",
            NumberType::F32 => "a float, such as -1.5, nan, inf, or its bits such as 0x3f800000",
            NumberType::F64 => "a double, such as -1.5, nan, inf, or its bits such as 0x3ff0000000000000",
        }
    }

    /// The bits of a number; none if it is not of this kind, or does not fit.
    pub fn read(self, text: &str) -> Option<u64> {
        if let Some(digits) = text.strip_prefix("0x") {
            let fits = digits.len() <= 2 * self.size_bytes() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            return if fits { u64::from_str_radix(digits, 16).ok() } else { None };
        }
        match self {
            NumberType::U32 | NumberType::Hex => text.parse::<u32>().ok().map(u64::from),
            NumberType::I32 => text.parse::<i32>().ok().map(|value| u64::from(value as u32)),
            NumberType::F32 => match text {
                "nan" => Some(0x7fc0_0000),
                "inf" => Some(f32::INFINITY.to_bits().into()),
                "-inf" => Some(f32::NEG_INFINITY.to_bits().into()),
                _ => float::<f32>(text).filter(|value| value.is_finite()).map(|value| value.to_bits().into()),
            },
            NumberType::F64 => match text {
                "nan" => Some(0x7ff8_0000_0000_0000),
                "inf" => Some(f64::INFINITY.to_bits()),
                "-inf" => Some(f64::NEG_INFINITY.to_bits()),
                _ => float::<f64>(text).filter(|value| value.is_finite()).map(f64::to_bits),
            },
        }
    }

    /// The number as it would be written in a file: its bits in hexadecimal on request, or if other digits would not be
    /// read back as them.
    pub fn write(self, bits: u64, hexadecimal: bool) -> String {
        let digits = 2 * self.size_bytes();
        let text = match self {
            _ if hexadecimal => None,
            NumberType::Hex => None,
            NumberType::U32 => Some(bits.to_string()),
            NumberType::I32 => Some((bits as u32 as i32).to_string()),
            NumberType::F32 => Some(format!("{:?}", f32::from_bits(bits as u32)).to_lowercase()),
            NumberType::F64 => Some(format!("{:?}", f64::from_bits(bits)).to_lowercase()),
        };
        let text = text.filter(|text| self.read(text) == Some(bits));
        text.unwrap_or_else(|| format!("{bits:#0width$x}", width = digits + 2))
    }

    /// The numbers in some bytes; an incomplete number at the end counts as one.
    pub fn split(self, bytes: &[u8]) -> impl Iterator<Item = u64> {
        bytes
            .chunks(self.size_bytes())
            .map(|chunk| chunk.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
    }

    /// The bytes of a number.
    pub fn bytes(self, bits: u64) -> impl Iterator<Item = u8> {
        bits.to_le_bytes().into_iter().take(self.size_bytes())
    }
}

/// A decimal number; the names of NaN and infinity are not taken.
fn float<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|letter| matches!(letter, b'0'..=b'9' | b'.' | b'-' | b'e')).then(|| text.parse().ok())?
}

impl fmt::Display for NumberType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, kind)| kind == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let words = [0, 1, 0xffff_ffff, 0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xff80_0000, 0x3fc0_0000, 0x0000_0001];
        for kind in [NumberType::U32, NumberType::I32, NumberType::Hex, NumberType::F32] {
            for bits in words {
                for hexadecimal in [false, true] {
                    assert_eq!(kind.read(&kind.write(bits, hexadecimal)), Some(bits), "{kind} {bits:#x}");
                }
            }
        }
        for bits in [0, 1, 1 << 63, 0x7ff8 << 48, 0xfff8 << 48, 0x7ff0 << 48, 0x3fb9_9999_9999_999a, u64::MAX] {
            assert_eq!(NumberType::F64.read(&NumberType::F64.write(bits, false)), Some(bits), "{bits:#x}");
        }
        assert_eq!(NumberType::I32.write(0xffff_fff9, false), "-7");
        assert_eq!(NumberType::F32.write(0x3fc0_0000, false), "1.5");
        assert_eq!(NumberType::F32.write(0x7fc0_0000, false), "nan");
        assert_eq!(NumberType::F32.write(0xffc0_0000, false), "0xffc00000");
    }

    #[test]
    fn what_does_not_fit_is_no_number() {
        let cases = [
            (NumberType::U32, "4294967296"),
            (NumberType::U32, "-1"),
            (NumberType::I32, "2147483648"),
            (NumberType::Hex, "0x100000000"),
            (NumberType::Hex, "0x"),
            (NumberType::Hex, "0x+1"),
            (NumberType::F32, "1e39"),
            (NumberType::F32, "infinity"),
            (NumberType::F32, "0x1ffffffff"),
            (NumberType::F64, "1e309"),
            (NumberType::F64, "one"),
        ];
        for (kind, text) in cases {
            assert_eq!(kind.read(text), None, "{kind} {text}");
        }
    }
}
