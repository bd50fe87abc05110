//! The table of texel formats: one row each, named as in DXGI without the prefix.
//!
//! A row says what the components are and lists them from the lowest bit up with their widths. Everything else follows:
//! size, order of channels, conversions. A new format is a new row, if its components are of a known encoding.

use std::fmt;
use std::str::FromStr;

/// What the bits of a component mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// A float of 32, 16, 11 or 10 bits; the last two have no sign.
    Float,
    /// Unsigned fixed point: the largest code is 1.
    Unorm,
    /// Signed fixed point: the largest code is 1, the two lowest are -1.
    Snorm,
    /// As [`Encoding::Unorm`], red, green and blue along the sRGB curve.
    Srgb,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
}

impl Encoding {
    /// Whether shaders see integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Encoding::Uint | Encoding::Sint)
    }
}

/// Where a channel is in a texel, taken as one little-endian number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Position of the lowest bit.
    pub shift: u32,
    /// Bits.
    pub bits: u32,
}

/// A row's facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub name: &'static str,
    pub encoding: Encoding,
    /// By channel; `None` where the format has none.
    pub fields: [Option<Field>; 4],
    pub size_bytes: u32,
}

const fn row(name: &'static str, encoding: Encoding, parts: &[(usize, u32)]) -> Row {
    let mut fields = [None; 4];
    let (mut n, mut shift) = (0, 0);
    while n < parts.len() {
        let (channel, bits) = parts[n];
        assert!(fields[channel].is_none(), "a channel stands once in a row");
        fields[channel] = Some(Field { shift, bits });
        shift += bits;
        n += 1;
    }
    assert!(shift % 8 == 0 && shift <= 128, "texels are whole bytes, at most 16");
    Row { name, encoding, fields, size_bytes: shift / 8 }
}

const R: usize = 0;
const G: usize = 1;
const B: usize = 2;
const A: usize = 3;

macro_rules! formats {
    ($($name:ident $encoding:ident $(($channel:ident $bits:literal))+;)+) => {
        /// A texel format.
        #[allow(non_camel_case_types, missing_docs, reason = "the names are Direct3D's and say everything")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($name,)+
        }

        impl Format {
            /// Every format.
            pub const ALL: &[Format] = &[$(Format::$name,)+];

            pub(super) const fn row(self) -> &'static Row {
                match self {
                    $(Format::$name => const { &row(stringify!($name), Encoding::$encoding, &[$(($channel, $bits)),+]) },)+
                }
            }
        }
    };
}

formats! {
    R32G32B32A32_FLOAT  Float (R 32) (G 32) (B 32) (A 32);
    R32G32B32A32_UINT   Uint  (R 32) (G 32) (B 32) (A 32);
    R32G32B32A32_SINT   Sint  (R 32) (G 32) (B 32) (A 32);
    R32G32B32_FLOAT     Float (R 32) (G 32) (B 32);
    R32G32B32_UINT      Uint  (R 32) (G 32) (B 32);
    R32G32B32_SINT      Sint  (R 32) (G 32) (B 32);
    R32G32_FLOAT        Float (R 32) (G 32);
    R32G32_UINT         Uint  (R 32) (G 32);
    R32G32_SINT         Sint  (R 32) (G 32);
    R32_FLOAT           Float (R 32);
    R32_UINT            Uint  (R 32);
    R32_SINT            Sint  (R 32);

    R16G16B16A16_FLOAT  Float (R 16) (G 16) (B 16) (A 16);
    R16G16B16A16_UNORM  Unorm (R 16) (G 16) (B 16) (A 16);
    R16G16B16A16_SNORM  Snorm (R 16) (G 16) (B 16) (A 16);
    R16G16B16A16_UINT   Uint  (R 16) (G 16) (B 16) (A 16);
    R16G16B16A16_SINT   Sint  (R 16) (G 16) (B 16) (A 16);
    R16G16_FLOAT        Float (R 16) (G 16);
    R16G16_UNORM        Unorm (R 16) (G 16);
    R16G16_SNORM        Snorm (R 16) (G 16);
    R16G16_UINT         Uint  (R 16) (G 16);
    R16G16_SINT         Sint  (R 16) (G 16);
    R16_FLOAT           Float (R 16);
    R16_UNORM           Unorm (R 16);
    R16_SNORM           Snorm (R 16);
    R16_UINT            Uint  (R 16);
    R16_SINT            Sint  (R 16);

    R8G8B8A8_UNORM      Unorm (R 8) (G 8) (B 8) (A 8);
    R8G8B8A8_UNORM_SRGB Srgb  (R 8) (G 8) (B 8) (A 8);
    R8G8B8A8_SNORM      Snorm (R 8) (G 8) (B 8) (A 8);
    R8G8B8A8_UINT       Uint  (R 8) (G 8) (B 8) (A 8);
    R8G8B8A8_SINT       Sint  (R 8) (G 8) (B 8) (A 8);
    B8G8R8A8_UNORM      Unorm (B 8) (G 8) (R 8) (A 8);
    B8G8R8A8_UNORM_SRGB Srgb  (B 8) (G 8) (R 8) (A 8);
    R8G8_UNORM          Unorm (R 8) (G 8);
    R8G8_SNORM          Snorm (R 8) (G 8);
    R8G8_UINT           Uint  (R 8) (G 8);
    R8G8_SINT           Sint  (R 8) (G 8);
    R8_UNORM            Unorm (R 8);
    R8_SNORM            Snorm (R 8);
    R8_UINT             Uint  (R 8);
    R8_SINT             Sint  (R 8);
    A8_UNORM            Unorm (A 8);

    R10G10B10A2_UNORM   Unorm (R 10) (G 10) (B 10) (A 2);
    R10G10B10A2_UINT    Uint  (R 10) (G 10) (B 10) (A 2);
    R11G11B10_FLOAT     Float (R 11) (G 11) (B 10);
    B5G6R5_UNORM        Unorm (B 5) (G 6) (R 5);
    B5G5R5A1_UNORM      Unorm (B 5) (G 5) (R 5) (A 1);
    B4G4R4A4_UNORM      Unorm (B 4) (G 4) (R 4) (A 4);
}

impl Format {
    /// The name, as in DXGI without the prefix.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// What the components are.
    pub const fn encoding(self) -> Encoding {
        self.row().encoding
    }

    /// Bytes of a texel: 1, 2, 4, 8, 12 or 16.
    pub const fn size_bytes(self) -> u32 {
        self.row().size_bytes
    }

    /// Texels along x and y that are stored as one: 4 by 4 in block-compressed formats, else mostly one.
    pub const fn block_extents(self) -> [u32; 2] {
        [1, 1]
    }

    /// Where red, green, blue and alpha are; `None` for those that the format lacks.
    pub const fn fields(self) -> [Option<Field>; 4] {
        self.row().fields
    }

    /// Whether a texel is one 32-bit integer, which is what atomics need.
    pub const fn allows_atomics(self) -> bool {
        matches!(self, Format::R32_UINT | Format::R32_SINT)
    }

    /// What the address of a texel is a multiple of: its size, or 4 for larger ones.
    pub(crate) const fn unit_bytes(self) -> u32 {
        if self.size_bytes() < 4 { self.size_bytes() } else { 4 }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no known format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no known format: expected a name as R8G8B8A8_UNORM")]
pub struct UnknownFormat {
    /// The text.
    pub name: String,
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Format::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANNELS: [&str; 4] = ["R", "G", "B", "A"];

    /// A DXGI name says its channels, their widths and their encoding: the rows must say the same.
    #[test]
    fn rows_agree_with_their_names() {
        for &format in Format::ALL {
            let (layout, encoding) = format.name().split_once('_').unwrap();
            assert_eq!(
                format.encoding(),
                match encoding {
                    "FLOAT" => Encoding::Float,
                    "UNORM" => Encoding::Unorm,
                    "SNORM" => Encoding::Snorm,
                    "UNORM_SRGB" => Encoding::Srgb,
                    "UINT" => Encoding::Uint,
                    "SINT" => Encoding::Sint,
                    other => panic!("{other}"),
                }
            );
            let (mut rest, mut shift, mut seen) = (layout, 0, 0);
            while let Some(letter) = rest.get(..1) {
                let digits: String = rest[1..].chars().take_while(char::is_ascii_digit).collect();
                let bits = digits.parse().unwrap();
                let channel = CHANNELS.iter().position(|&name| name == letter).unwrap();
                assert_eq!(format.fields()[channel], Some(Field { shift, bits }), "{format} {letter}");
                (shift, seen, rest) = (shift + bits, seen + 1, &rest[1 + digits.len()..]);
            }
            assert_eq!(format.size_bytes() * 8, shift);
            assert_eq!(format.fields().iter().flatten().count(), seen);
            assert_eq!(format.name().parse(), Ok(format));
        }
        assert!("R8G8B8A8".parse::<Format>().is_err());
    }
}
