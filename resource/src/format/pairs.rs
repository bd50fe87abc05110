//! Decodes two adjacent texels that share red and blue: functional specification 19.4.

use super::codec::{Codec, Encoding, Words};
use super::convert::decode_component;

/// Red, green of the left texel, blue, green of the right one, a byte each; `GREEN_FIRST` swaps each pair of them.
pub(super) struct Pair<const GREEN_FIRST: bool> {
    bytes: [u8; 4],
}

impl<const GREEN_FIRST: bool> Codec for Pair<GREEN_FIRST> {
    const EXTENTS: [u32; 2] = [2, 1];
    const SIZE_BYTES: u32 = 4;

    #[inline(always)]
    fn read(block: u128) -> Self {
        let [a, b, c, d] = (block as u32).to_le_bytes();
        Self { bytes: if GREEN_FIRST { [b, a, d, c] } else { [a, b, c, d] } }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        let [red, left, blue, right] = self.bytes;
        u32::from_le_bytes([red, [left, right][index], blue, 0]).into()
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        let [red, green, blue, _] =
            (expanded as u32).to_le_bytes().map(|code| decode_component(Encoding::Unorm, code.into(), 8));
        [red, green, blue, 1f32.to_bits()]
    }
}
