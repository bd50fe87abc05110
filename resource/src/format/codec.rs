//! Defines the interface of codecs, which convert a block's texels to words and back, and the properties of texels that
//! a row lists. Texels of fields are converted in `convert.rs`, blocks of compressed texels in `bc/`.
//!
//! A block is one little-endian number of [`Codec::SIZE_BYTES`] bytes with [`Codec::EXTENTS`] texels; in most
//! formats it is a single texel. The functions of a row are compiled for that row alone: its encodings, shifts and
//! widths are constants in them.

/// The four words of a texel as shaders see it.
pub(super) type Words = [u32; 4];

/// The meaning of the bits of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// A float of 32, 16, 11 or 10 bits, the last two without sign; or one that shares its exponent.
    Float,
    /// Unsigned fixed point: the largest code is 1.
    Unorm,
    /// Signed fixed point: the largest code is 1, the two lowest are -1. Codes of 5 bits are widened to 8.
    Snorm,
    /// [`Encoding::Unorm`], with red, green and blue along the sRGB curve.
    Srgb,
    /// Unsigned integer.
    Uint,
    /// Signed integer.
    Sint,
}

impl Encoding {
    /// True if shaders see integers.
    pub const fn is_integer(self) -> bool {
        matches!(self, Encoding::Uint | Encoding::Sint)
    }
}

/// The position of a channel in a texel, taken as one little-endian number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Position of the lowest bit.
    pub shift: u32,
    /// Number of bits.
    pub bits: u32,
}

/// The properties of a texel that a row lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub encoding: Encoding,
    /// By channel; `None` where the format lacks the channel.
    pub encodings: [Option<Encoding>; 4],
    /// By channel; `None` where the channel is not a field of its own.
    pub fields: [Option<Field>; 4],
    pub bits: u32,
    /// Set if all components that the format lacks are 1, not only alpha.
    missing_are_one: bool,
}

/// A part of a row: its channels, its bits (0 if it is not a field), and its encoding if it differs.
pub(super) type Part = (&'static [usize], u32, Option<Encoding>);

impl Parts {
    pub const fn new(encoding: Encoding, parts: &[Part], missing_are_one: bool) -> Self {
        let (mut encodings, mut fields) = ([None; 4], [None; 4]);
        let (mut n, mut shift) = (0, 0);
        while n < parts.len() {
            let (channels, bits, own) = parts[n];
            let mut of_part = 0;
            while of_part < channels.len() {
                let channel = channels[of_part];
                assert!(encodings[channel].is_none(), "a channel stands once in a row");
                encodings[channel] = match (own, encoding) {
                    (Some(own), _) => Some(own),
                    // Alpha is never along the sRGB curve.
                    (None, Encoding::Srgb) if channel == 3 => Some(Encoding::Unorm),
                    (None, encoding) => Some(encoding),
                };
                if bits > 0 {
                    fields[channel] = Some(Field { shift, bits });
                }
                of_part += 1;
            }
            shift += bits;
            n += 1;
        }
        Self { encoding, encodings, fields, bits: shift, missing_are_one }
    }

    /// The encoding and the field of a channel, if the format has it and if it is a field.
    #[inline(always)]
    pub const fn channel(&self, channel: usize) -> (Option<Encoding>, Option<Field>) {
        (self.encodings[channel], self.fields[channel])
    }

    /// True if a channel is the first of its field: luminance is stored once.
    #[inline(always)]
    pub fn is_first(&self, channel: usize) -> bool {
        !self.fields[..channel].contains(&self.fields[channel])
    }

    /// Zeros, but 1 in an alpha that the format lacks; in Direct3D 9's formats, 1 in all that they lack.
    #[inline(always)]
    pub const fn zero(&self) -> Words {
        let one = if self.encoding.is_integer() { 1 } else { 1f32.to_bits() };
        let mut words = [0; 4];
        let mut channel = if self.missing_are_one { 0 } else { 3 };
        while channel < 4 {
            if self.encodings[channel].is_none() {
                words[channel] = one;
            }
            channel += 1;
        }
        words
    }
}

/// A block whose parts have been read.
pub(super) trait Codec: Sized {
    /// Texels along x and y in a block.
    const EXTENTS: [u32; 2];
    /// Bytes of a block.
    const SIZE_BYTES: u32;
    /// Encodes a block of one texel, in writable formats.
    const ENCODE: Option<fn(Words) -> u128> = None;

    /// Decodes the parts that the block's texels share.
    fn read(block: u128) -> Self;

    /// The words of the texel at `index`, which is x + y * width and within the block.
    #[inline(always)]
    fn texel(&self, index: usize) -> Words {
        Self::words(self.expanded(index))
    }

    /// The texel as a number of its own, in the form of [`Layout`](super::Layout). Only blocks of several texels are
    /// expanded.
    fn expanded(&self, _: usize) -> u64 {
        unreachable!("only asked of blocks of several texels")
    }

    /// The words of an expanded texel.
    fn words(_: u64) -> Words {
        unreachable!("only asked of blocks of several texels")
    }
}

/// A row's functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    pub decode: fn(u128) -> Words,
    pub decode_texel: fn(u128, usize) -> Words,
    pub decode_block: fn(u128, &mut [Words; 16]),
    pub expand_block: fn(u128, &mut [u64; 16]),
    pub expanded_words: fn(u64) -> Words,
    pub encode: Option<fn(Words) -> u128>,
}

impl Functions {
    pub const fn of<C: Codec>() -> Self {
        Self {
            decode: |block| C::read(block).texel(0),
            decode_texel: |block, index| C::read(block).texel(index),
            decode_block: |block, texels| {
                let block = C::read(block);
                let count = C::EXTENTS[0] * C::EXTENTS[1];
                for (index, texel) in texels[..count as usize].iter_mut().enumerate() {
                    *texel = block.texel(index);
                }
            },
            expand_block: |block, texels| {
                let block = C::read(block);
                let count = C::EXTENTS[0] * C::EXTENTS[1];
                for (index, texel) in texels[..count as usize].iter_mut().enumerate() {
                    *texel = block.expanded(index);
                }
            },
            expanded_words: C::words,
            encode: C::ENCODE,
        }
    }
}

/// A row as a type, so that its codec can be compiled for it alone.
pub(super) trait Described {
    const PARTS: Parts;
    type Codec: Codec;
}
