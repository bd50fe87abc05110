//! BC7: eight modes of colours and alphas; functional specification 19.5.14, bit-exact.

use std::marker::PhantomData;

use super::partition::{Partition, THREE, TWO};
use super::{EXTENTS, bits, index, interpolate, weight};
use crate::format::codec::{Codec, Described, Encoding, Words};
use crate::format::convert::decode_component;

/// Lowest bits of endpoints, shared by all components (p-bits).
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedBits {
    None,
    PerSubset,
    PerEndpoint,
}

/// What a block consists of, in this order after the mode, which is as many zeros as its number and a one. All numbers but
/// the first are bits.
struct Mode {
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
const fn mode(subsets: usize, before: [u32; 3], endpoint: [u32; 2], shared: SharedBits, indices: [u32; 2]) -> Mode {
    let ([partition, rotation, selector], [colour, alpha], [index, second_index]) = (before, endpoint, indices);
    Mode { subsets, partition, rotation, selector, colour, alpha, shared, index, second_index }
}

#[rustfmt::skip]
const MODES: [Mode; 8] = [
    mode(3, [4, 0, 0], [4, 0], SharedBits::PerEndpoint, [3, 0]),
    mode(2, [6, 0, 0], [6, 0], SharedBits::PerSubset,   [3, 0]),
    mode(3, [6, 0, 0], [5, 0], SharedBits::None,        [2, 0]),
    mode(2, [6, 0, 0], [7, 0], SharedBits::PerEndpoint, [2, 0]),
    mode(1, [0, 2, 1], [5, 6], SharedBits::None,        [2, 3]),
    mode(1, [0, 2, 0], [7, 8], SharedBits::None,        [2, 2]),
    mode(1, [0, 0, 0], [7, 7], SharedBits::PerEndpoint, [4, 0]),
    mode(2, [6, 0, 0], [5, 5], SharedBits::PerEndpoint, [2, 0]),
];

/// A block's endpoints and where its indices are.
pub(in crate::format) struct Bc7<D> {
    block: u128,
    partition: Partition,
    /// Two for each subset; red, green, blue and alpha as UNORM8 codes.
    endpoints: [[i32; 4]; 6],
    colour_indices: Indices,
    alpha_indices: Indices,
    /// 0, or the channel that takes alpha's place and gives alpha its own, plus one.
    rotation: usize,
    row: PhantomData<D>,
}

/// Where indices begin, and the bits of one.
#[derive(Clone, Copy)]
struct Indices {
    start: u32,
    width: u32,
}

/// Reads a block from its lowest bit up.
struct Reader {
    block: u128,
    at: u32,
}

impl Reader {
    fn take(&mut self, count: u32) -> u32 {
        let value = bits(self.block, self.at, count);
        self.at += count;
        value
    }
}

/// The 8-bit code of an endpoint's component: the upper bits are replicated below.
fn promote(code: u32, width: u32) -> i32 {
    let shifted = code << (8 - width);
    (shifted | shifted >> width) as i32
}

fn read_endpoints(mode: &Mode, reader: &mut Reader) -> [[i32; 4]; 6] {
    let count = 2 * mode.subsets;
    let mut codes = [[0; 4]; 6];
    for channel in 0..4 {
        let width = if channel == 3 { mode.alpha } else { mode.colour };
        for endpoint in &mut codes[..count] {
            endpoint[channel] = reader.take(width);
        }
    }
    let mut shared_bits = [0; 6];
    for endpoint in 0..count {
        shared_bits[endpoint] = match mode.shared {
            SharedBits::None => 0,
            SharedBits::PerSubset if endpoint % 2 == 1 => shared_bits[endpoint - 1],
            SharedBits::PerSubset | SharedBits::PerEndpoint => reader.take(1),
        };
    }
    let shared_width = u32::from(mode.shared != SharedBits::None);
    let component = |code: u32, shared_bit: u32, width: u32| match width {
        0 => 255,
        _ => promote(code << shared_width | shared_bit, width + shared_width),
    };
    std::array::from_fn(|endpoint| {
        let ([red, green, blue, alpha], shared_bit) = (codes[endpoint], shared_bits[endpoint]);
        let [red, green, blue] = [red, green, blue].map(|code| component(code, shared_bit, mode.colour));
        [red, green, blue, component(alpha, shared_bit, mode.alpha)]
    })
}

impl<D: Described> Codec for Bc7<D> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    fn read(block: u128) -> Self {
        // A block without a mode is all zeros, alpha too, which is what mode 6 makes of zeros.
        let (number, block) = match (block as u8).trailing_zeros() {
            8 => (6, 0),
            number => (number, block),
        };
        let mode = &MODES[number as usize];
        let mut reader = Reader { block, at: number + 1 };
        let partition = reader.take(mode.partition) as usize;
        let partition = match mode.subsets {
            1 => Partition::WHOLE,
            2 => TWO[partition],
            _ => THREE[partition],
        };
        let rotation = reader.take(mode.rotation) as usize;
        let has_longer_colours = reader.take(mode.selector) == 1;
        let endpoints = read_endpoints(mode, &mut reader);
        let first = Indices { start: reader.at, width: mode.index };
        // The first indices are one bit short in total, since only blocks of one subset have second ones after them.
        let second = Indices { start: reader.at + 16 * mode.index - 1, width: mode.second_index };
        let (colour_indices, alpha_indices) = match (mode.second_index, has_longer_colours) {
            (0, _) => (first, first),
            (_, false) => (first, second),
            (_, true) => (second, first),
        };
        Self { block, partition, endpoints, colour_indices, alpha_indices, rotation, row: PhantomData }
    }

    fn texel(&self, texel: usize) -> Words {
        let [red, green, blue, alpha] = self.codes(texel);
        let [red, green, blue] = [red, green, blue].map(|code| decode_component(D::PARTS.encoding, code, 8));
        [red, green, blue, decode_component(Encoding::Unorm, alpha, 8)]
    }
    fn expanded(&self, texel: usize) -> u64 {
        u32::from_le_bytes(self.codes(texel).map(|code| code as u8)).into()
    }
}

impl<D> Bc7<D> {
    /// A texel's UNORM8 codes.
    fn codes(&self, texel: usize) -> [u32; 4] {
        let subset = self.partition.subset(texel);
        let (first, second) = (self.endpoints[2 * subset], self.endpoints[2 * subset + 1]);
        let weight_of =
            |Indices { start, width }| weight(index(self.block, start, width, self.partition.anchors, texel), width);
        let (colour, alpha) = (weight_of(self.colour_indices), weight_of(self.alpha_indices));
        let mut codes: [u32; 4] = std::array::from_fn(|channel| {
            let weight = if channel == 3 { alpha } else { colour };
            interpolate(first[channel], second[channel], weight) as u32
        });
        if self.rotation > 0 {
            codes.swap(self.rotation - 1, 3);
        }
        codes
    }
}
