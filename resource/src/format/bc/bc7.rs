//! Decodes BC7: eight modes of colours and alphas; functional specification 19.5.14, bit-exact.

use std::marker::PhantomData;

use super::partition::{Partition, THREE, TWO};
use super::{EXTENTS, bits, colour_words, indices, weights};
use crate::format::codec::{Codec, Described, Words};

/// Lowest bits of endpoints, shared by all components (p-bits).
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedBits {
    None,
    PerSubset,
    PerEndpoint,
}

/// A mode: the parts of a block, in this order after the mode's code, which is as many zeros as its number and a one.
/// All numbers but the first are bits.
struct BlockMode {
    subsets: usize,
    partition: u32,
    rotation: u32,
    selector: u32,
    colour: u32,
    /// 0: alpha is 1.
    alpha: u32,
    shared: SharedBits,
    index: u32,
    /// 0: colour and alpha have the same indices.
    second_index: u32,
}

/// A row of the specification's table of modes.
const fn mode(
    subsets: usize,
    before: [u32; 3],
    endpoint: [u32; 2],
    shared: SharedBits,
    indices: [u32; 2],
) -> BlockMode {
    let ([partition, rotation, selector], [colour, alpha], [index, second_index]) = (before, endpoint, indices);
    BlockMode { subsets, partition, rotation, selector, colour, alpha, shared, index, second_index }
}

#[rustfmt::skip]
const MODES: [BlockMode; 8] = [
    mode(3, [4, 0, 0], [4, 0], SharedBits::PerEndpoint, [3, 0]),
    mode(2, [6, 0, 0], [6, 0], SharedBits::PerSubset,   [3, 0]),
    mode(3, [6, 0, 0], [5, 0], SharedBits::None,        [2, 0]),
    mode(2, [6, 0, 0], [7, 0], SharedBits::PerEndpoint, [2, 0]),
    mode(1, [0, 2, 1], [5, 6], SharedBits::None,        [2, 3]),
    mode(1, [0, 2, 0], [7, 8], SharedBits::None,        [2, 2]),
    mode(1, [0, 0, 0], [7, 7], SharedBits::PerEndpoint, [4, 0]),
    mode(2, [6, 0, 0], [5, 5], SharedBits::PerEndpoint, [2, 0]),
];

/// A block's texels, expanded: red, green, blue and alpha as UNORM8 codes.
pub(in crate::format) struct Bc7<D> {
    texels: [u64; 16],
    row: PhantomData<D>,
}

impl<D: Described> Codec for Bc7<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    #[inline(always)]
    fn read(block: u128) -> Self {
        let mut texels = [0; 16];
        expand(block, &mut texels);
        Self { texels, row: PhantomData }
    }

    #[inline(always)]
    fn expanded(&self, index: usize) -> u64 {
        self.texels[index]
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        colour_words::<D>(expanded)
    }
}

/// The texels must be zeros before: in a block without a mode all of them are, alpha too.
fn expand(block: u128, texels: &mut [u64; 16]) {
    match (block as u8).trailing_zeros() {
        0 => expand_mode::<0>(block, texels),
        1 => expand_mode::<1>(block, texels),
        2 => expand_mode::<2>(block, texels),
        3 => expand_mode::<3>(block, texels),
        4 => expand_mode::<4>(block, texels),
        5 => expand_mode::<5>(block, texels),
        6 => expand_mode::<6>(block, texels),
        7 => expand_mode::<7>(block, texels),
        _ => {}
    }
}

/// Compiled for each mode, so that all positions are constants.
fn expand_mode<const MODE: usize>(block: u128, texels: &mut [u64; 16]) {
    let mode = const { &MODES[MODE] };
    let mut reader = Reader { block, at: MODE as u32 + 1 };
    let partition = reader.take(mode.partition) as usize;
    let partition = match mode.subsets {
        1 => Partition::WHOLE,
        2 => TWO[partition],
        _ => THREE[partition],
    };
    let rotation = reader.take(mode.rotation);
    let has_longer_colours = reader.take(mode.selector) == 1;
    let ends = read_endpoints(mode, &mut reader);
    let first = indices(block, reader.at, mode.index, partition.anchors, mode.subsets);
    let mut palette = [0; 32];
    for (subset, entries) in palette.chunks_exact_mut(1 << mode.index).take(mode.subsets).enumerate() {
        interpolate(ends[subset], entries);
    }
    if mode.second_index == 0 {
        // Colour and alpha have the same indices.
        for (texel, expanded) in texels.iter_mut().enumerate() {
            let subset = partition.subsets >> (2 * texel) & 3;
            *expanded = entry(&palette, subset << mode.index, first, mode.index, texel);
        }
        return;
    }
    // Only blocks of one subset have second indices. The first ones are one bit short in total.
    let second = indices(block, reader.at + 16 * mode.index - 1, mode.second_index, partition.anchors, 1);
    let mut second_palette = [0; 32];
    let second_entries = &mut second_palette[..1 << mode.second_index];
    interpolate(ends[0], second_entries);
    let of_first = if has_longer_colours { ALPHA } else { !ALPHA };
    for (entries, channels) in [(&mut palette[..1 << mode.index], of_first), (second_entries, !of_first)] {
        for entry in entries {
            *entry = rotate(*entry & channels, rotation);
        }
    }
    for (texel, expanded) in texels.iter_mut().enumerate() {
        *expanded =
            entry(&palette, 0, first, mode.index, texel) | entry(&second_palette, 0, second, mode.second_index, texel);
    }
}

/// Reads a block from its lowest bit up.
struct Reader {
    block: u128,
    at: u32,
}

impl Reader {
    #[inline(always)]
    fn take(&mut self, count: u32) -> u32 {
        let value = bits(self.block, self.at, count);
        self.at += count;
        value
    }
}

/// A one in each channel of an endpoint: 16 bits for each, so that products do not overlap.
const ONES: u64 = 0x0001_0001_0001_0001;

/// Two endpoints for each subset, as UNORM8 codes.
#[inline(always)]
fn read_endpoints(mode: &BlockMode, reader: &mut Reader) -> [[u64; 2]; 3] {
    let count = 2 * mode.subsets;
    let mut codes = [0; 6];
    for channel in 0..4 {
        let width = if channel == 3 { mode.alpha } else { mode.colour };
        let mut run = reader.take(width * count as u32);
        for endpoint in &mut codes[..count] {
            *endpoint |= u64::from(run & ((1 << width) - 1)) << (16 * channel);
            run >>= width;
        }
    }
    let (shared_width, endpoints_each) = match mode.shared {
        SharedBits::None => (0, 1),
        SharedBits::PerSubset => (1, 2),
        SharedBits::PerEndpoint => (1, 1),
    };
    let shared = reader.take(shared_width * (count / endpoints_each) as u32);
    for (n, endpoint) in codes[..count].iter_mut().enumerate() {
        let shared_bit = u64::from(shared >> (n / endpoints_each) & shared_width);
        *endpoint = *endpoint << shared_width | (shared_bit * ONES);
        let colour = promote(*endpoint & (u64::MAX >> 16), mode.colour + shared_width);
        let alpha = match mode.alpha {
            0 => 255 << 48,
            width => promote(*endpoint & (0xffff << 48), width + shared_width),
        };
        *endpoint = colour | alpha;
    }
    let [a, b, c, d, e, f] = codes;
    [[a, b], [c, d], [e, f]]
}

/// The 8-bit codes of an endpoint's components of `width` bits, at least 4: the upper bits are replicated below.
#[inline(always)]
fn promote(codes: u64, width: u32) -> u64 {
    let shifted = codes << (8 - width);
    shifted | shifted >> width & (255 * ONES)
}

/// The colours between two endpoints, by index; as many as there are weights.
#[inline(always)]
fn interpolate([first, second]: [u64; 2], colours: &mut [u32]) {
    let weights = weights(colours.len().trailing_zeros());
    for (colour, &weight) in colours.iter_mut().zip(weights) {
        // All components of the sum are non-negative, whatever those of the difference are.
        let sums = (first * 64 + 32 * ONES).wrapping_add(second.wrapping_sub(first).wrapping_mul(weight.into()));
        let codes = sums >> 6 & (255 * ONES);
        let pairs = (codes | codes >> 8) & 0x0000_ffff_0000_ffff;
        *colour = (pairs | pairs >> 16) as u32;
    }
}

const ALPHA: u32 = 0xff << 24;

/// Swaps alpha with a channel of 8 bits: none, red, green or blue by number.
#[inline(always)]
fn rotate(colour: u32, rotation: u32) -> u32 {
    let shift = [24, 0, 8, 16][rotation as usize];
    let differing = (colour >> 24 ^ colour >> shift) & 0xff;
    colour ^ differing << 24 ^ differing << shift
}

/// The colour of a texel's index among those from `base` on.
#[inline(always)]
fn entry(palette: &[u32; 32], base: u32, indices: u64, width: u32, texel: usize) -> u64 {
    let index = (indices >> (width * texel as u32)) as u32 & ((1 << width) - 1);
    u64::from(palette[((base | index) % 32) as usize])
}
