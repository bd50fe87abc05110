//! What a row's codec does: converts a block's texels to words, and back.
//!
//! A block is one little-endian number of [`Format::size_bytes`] bytes with [`Format::block_extents`] texels; in most
//! formats it is a single texel. The functions of a row are compiled for that row alone: its encodings, shifts and
//! widths are constants in them.

use super::table::Format;

/// The four words of a texel that shaders see.
pub(super) type Words = [u32; 4];

/// A block whose parts have been read.
pub(super) trait Codec: Sized {
    /// Texels along x and y in a block.
    const EXTENTS: [u32; 2];
    /// Bytes of a block.
    const SIZE_BYTES: u32;
    /// Encodes a block of one texel, in writable formats.
    const ENCODE: Option<fn(Words) -> u128> = None;

    /// Reads what the block's texels share.
    fn read(block: u128) -> Self;

    /// The words of the texel at `index`, which is x + y * width and within the block.
    fn texel(&self, index: usize) -> Words;
}

/// A row's functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    decode: fn(u128) -> Words,
    decode_texel: fn(u128, usize) -> Words,
    decode_block: fn(u128, &mut [Words; 16]),
    encode: Option<fn(Words) -> u128>,
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
            encode: C::ENCODE,
        }
    }
}

/// Conversions round as the calling thread does: they set no float mode of their own, since callers convert many texels. Brolga calls them
/// in the default one.
impl Format {
    /// The four words of a texel; in a block of several texels, of the first one.
    pub fn decode(self, texel: u128) -> [u32; 4] {
        self.decoder()(texel)
    }

    /// The function behind [`decode`](Self::decode), for callers that read many texels.
    pub const fn decoder(self) -> fn(u128) -> [u32; 4] {
        self.row().functions.decode
    }

    /// The four words of the texel in column `x` and row `y` of a block; coordinates outside wrap around.
    pub fn decode_texel(self, block: u128, x: u32, y: u32) -> [u32; 4] {
        let [width, height] = self.block_extents();
        (self.row().functions.decode_texel)(block, (x % width + y % height * width) as usize)
    }

    /// The four words of each texel of a block: texel (x, y) is stored at x + y * width, with the width from
    /// [`block_extents`](Self::block_extents). Elements beyond the block's texels are unchanged.
    pub fn decode_block(self, block: u128, texels: &mut [[u32; 4]; 16]) {
        (self.row().functions.decode_block)(block, texels);
    }

    /// The texel of four words. Words of channels that the format lacks are ignored. In formats without
    /// [`encoder`](Self::encoder) it is 0.
    pub fn encode(self, words: [u32; 4]) -> u128 {
        self.encoder().map_or(0, |encode| encode(words))
    }

    /// The function behind [`encode`](Self::encode); `None` where a block has several texels, since nothing in Direct3D
    /// writes such blocks texel by texel.
    pub const fn encoder(self) -> Option<fn([u32; 4]) -> u128> {
        self.row().functions.encode
    }
}
