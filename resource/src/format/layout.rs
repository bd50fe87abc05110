//! Describes the channels of a texel for filters: their positions, and how to decode them.
//!
//! Formats with several texels in a block are *expanded* for that: each texel becomes a number of its own, in a layout
//! that is wide enough to be exact. For BC3 to BC5, whose steps are sevenths and fifths of codes of 8 bits, these are
//! codes of 16 bits with a largest one that both divide.

use brolga_ir::float;

use super::codec::{Encoding, Field};
use super::convert::mask;
use super::table::Format;
use super::{shared_exponent, srgb};

/// The coding of a channel's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// An unsigned code; the largest one is 1.
    Unorm {
        /// The largest code.
        most: u32,
    },
    /// A signed code; codes below the negative of the largest one count as that.
    Snorm {
        /// The code that is 1.
        most: u32,
    },
    /// Five signed bits, widened to eight by repeating those below the sign.
    WidenedSnorm,
    /// A code of 8 bits along the sRGB curve.
    Srgb,
    /// A half, or the bits of one without its sign and lowest bits.
    Half,
    /// A float.
    Float,
    /// Nine bits of a fraction, whose exponent is in the five highest bits of the texel.
    SharedExponent,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
}

/// A channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The position of its bits, which are within a word of 32 bits.
    pub field: Field,
    /// Their coding.
    pub coding: Coding,
}

/// The channels of a texel, taken as one little-endian number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size of a texel in bytes: 1, 2, 4, 8, 12 or 16.
    pub size_bytes: u32,
    /// Red, green, blue and alpha; `None` where the format lacks the channel.
    pub channels: [Option<Channel>; 4],
}

/// The largest code of an expanded texel of BC4: sevenths and fifths of 255.
const MOST_STEP: u32 = 255 * 35;
/// The largest code of a signed one.
const MOST_SIGNED_STEP: u32 = 127 * 35;

impl Layout {
    /// The layout of a format's texels; of expanded ones where a block has several.
    pub fn of(format: Format) -> Self {
        let encodings = format.channels();
        if format.block_extents() != [1, 1] {
            return Self::expanded(format);
        }
        let channel = |n: usize| {
            let (encoding, field) = (encodings[n]?, format.fields()[n]);
            Some(match field {
                Some(field) => Channel { field, coding: Coding::of(encoding, field.bits) },
                None => Channel { field: Field { shift: 9 * n as u32, bits: 9 }, coding: Coding::SharedExponent },
            })
        };
        Self { size_bytes: format.size_bytes(), channels: [channel(0), channel(1), channel(2), channel(3)] }
    }

    fn expanded(format: Format) -> Self {
        let encodings = format.channels();
        // Number of bits of a channel, and the largest code of each.
        let (bits, colour, alpha) = match format.family() {
            "BC3" => (16, 255, MOST_STEP),
            "BC4" | "BC5" if format.encoding() == Encoding::Snorm => (16, MOST_SIGNED_STEP, 0),
            "BC4" | "BC5" => (16, MOST_STEP, 0),
            "BC6H" => (16, 0, 0),
            _ => (8, 255, 255),
        };
        let channel = |n: usize| {
            let most = if n == 3 { alpha } else { colour };
            let coding = match encodings[n]? {
                Encoding::Snorm => Coding::Snorm { most },
                Encoding::Srgb => Coding::Srgb,
                Encoding::Float => Coding::Half,
                _ => Coding::Unorm { most },
            };
            Some(Channel { field: Field { shift: bits * n as u32, bits }, coding })
        };
        let channels = [channel(0), channel(1), channel(2), channel(3)];
        let size_bytes = match (format.family(), bits) {
            ("BC4", _) => 2,
            ("BC5", _) => 4,
            (_, 16) => 8,
            _ => 4,
        };
        Self { size_bytes, channels }
    }
}

impl Channel {
    /// The value that filters combine: the bits of a float in units of [`Coding::unit`]; for integers the integer.
    #[inline(always)]
    pub fn value(self, texel: u128) -> u32 {
        let Field { shift, bits } = self.field;
        let code = (texel >> shift) as u32 & mask(bits);
        let signed = (code << (32 - bits)) as i32 >> (32 - bits);
        match self.coding {
            Coding::Unorm { .. } => (code as f32).to_bits(),
            Coding::Snorm { most } => (signed.max(-(most as i32)) as f32).to_bits(),
            Coding::WidenedSnorm => ((signed << 3 | signed >> 1 & 7).max(-127) as f32).to_bits(),
            Coding::Srgb => srgb::to_linear(code).to_bits(),
            // Halves without a sign and the lowest bits are shorter.
            Coding::Half => float::from_half(if bits == 16 { code } else { code << (15 - bits) }).to_bits(),
            Coding::Float => code,
            Coding::SharedExponent => (code as f32 * shared_exponent::scale(texel as u32)).to_bits(),
            Coding::Uint => code,
            Coding::Sint => signed as u32,
        }
    }
}

impl Coding {
    fn of(encoding: Encoding, bits: u32) -> Self {
        match encoding {
            Encoding::Unorm => Coding::Unorm { most: u32::MAX >> (32 - bits) },
            Encoding::Snorm if bits == 5 => Coding::WidenedSnorm,
            Encoding::Snorm => Coding::Snorm { most: u32::MAX >> (33 - bits) },
            Encoding::Srgb => Coding::Srgb,
            Encoding::Float if bits == 32 => Coding::Float,
            Encoding::Float => Coding::Half,
            Encoding::Uint => Coding::Uint,
            Encoding::Sint => Coding::Sint,
        }
    }

    /// The unit of the values of such a channel: the code that is 1, or 1.
    pub fn unit(self) -> f32 {
        match self {
            Coding::Unorm { most } | Coding::Snorm { most } => most as f32,
            Coding::WidenedSnorm => 127.0,
            _ => 1.0,
        }
    }
}
