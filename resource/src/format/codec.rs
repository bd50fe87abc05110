//! What a row's codec does: converts a block's texels to words, and back.
//!
//! A block is one little-endian number of [`Format::size_bytes`] bytes with [`Format::block_extents`] texels; in most
//! formats it is a single texel. The functions of a row are compiled for that row alone: its encodings, shifts and
//! widths are constants in them.

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
    pub decode: fn(u128) -> Words,
    pub decode_texel: fn(u128, usize) -> Words,
    pub decode_block: fn(u128, &mut [Words; 16]),
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
            encode: C::ENCODE,
        }
    }
}
