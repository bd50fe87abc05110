//! BC6H: fourteen modes of half floats; functional specification 19.5.13, bit-exact.

use super::partition::{Partition, TWO};
use super::{EXTENTS, bits, index, interpolate, weight};
use crate::format::codec::{Codec, Words};
use brolga_ir::float;

/// Where some bits of a block's header belong: bits `low` up of field `field`.
struct Piece {
    field: usize,
    low: u32,
    count: u32,
    is_reversed: bool,
}

impl Piece {
    /// From the numbers of the highest and the lowest bit, or of the only one; of the lowest and the highest if they are
    /// stored in reverse.
    const fn new(field: usize, range: &[u32]) -> Self {
        let (from, to) = (range[0], range[range.len() - 1]);
        let is_reversed = from < to;
        let (low, high) = if is_reversed { (from, to) } else { (to, from) };
        Self { field, low, count: high - low + 1, is_reversed }
    }
}

/// How a block begins.
struct Mode {
    code: u32,
    code_bits: u32,
    /// Whether all endpoints but the first are differences from it.
    is_transformed: bool,
    /// Bits of the first endpoint's components.
    precision: u32,
    /// Bits of the other endpoints' red, green and blue.
    deltas: [u32; 3],
    /// From the bit after the code up.
    pieces: &'static [Piece],
    has_two_regions: bool,
}

const ONE_REGION_HEADER: u32 = 65;
const TWO_REGIONS_HEADER: u32 = 82;

impl Mode {
    const fn new(code: u32, is_transformed: bool, precision: u32, deltas: [u32; 3], pieces: &'static [Piece]) -> Self {
        let code_bits = if code < 2 { 2 } else { 5 };
        let (mut at, mut n) = (code_bits, 0);
        while n < pieces.len() {
            at += pieces[n].count;
            n += 1;
        }
        assert!(at == ONE_REGION_HEADER || at == TWO_REGIONS_HEADER, "a header is complete");
        let has_two_regions = at == TWO_REGIONS_HEADER;
        Self { code, code_bits, is_transformed, precision, deltas, pieces, has_two_regions }
    }
}

/// Numbers of fields as the specification names them: red, green and blue of endpoints w to z, then the partition.
#[rustfmt::skip]
#[allow(non_upper_case_globals, reason = "named as in the specification")]
mod field {
    pub const rw: usize = 0; pub const gw: usize = 1;  pub const bw: usize = 2;
    pub const rx: usize = 3; pub const gx: usize = 4;  pub const bx: usize = 5;
    pub const ry: usize = 6; pub const gy: usize = 7;  pub const by: usize = 8;
    pub const rz: usize = 9; pub const gz: usize = 10; pub const bz: usize = 11;
    pub const d: usize = 12;
}

macro_rules! modes {
    (@transformed) => { true };
    (@direct) => { false };
    ($($code:literal $kind:ident $precision:literal [$($delta:literal)+]: $($field:ident [$($bit:literal):+])+;)+) => {
        &[$(Mode::new($code, modes!(@$kind), $precision, [$($delta),+], &[$(Piece::new(field::$field, &[$($bit),+])),+])),+]
    };
}

/// The rows of the specification's table: code, precision, bits of differences, and the fields from the bit after the code
/// up.
#[rustfmt::skip]
const MODES: &[Mode] = modes! {
    0b00 transformed 10 [5 5 5]:
        gy[4] by[4] bz[4] rw[9:0] gw[9:0] bw[9:0] rx[4:0] gz[4] gy[3:0] gx[4:0] bz[0] gz[3:0] bx[4:0] bz[1]
        by[3:0] ry[4:0] bz[2] rz[4:0] bz[3] d[4:0];
    0b01 transformed 7 [6 6 6]:
        gy[5] gz[4] gz[5] rw[6:0] bz[0] bz[1] by[4] gw[6:0] by[5] bz[2] gy[4] bw[6:0] bz[3] bz[5] bz[4] rx[5:0]
        gy[3:0] gx[5:0] gz[3:0] bx[5:0] by[3:0] ry[5:0] rz[5:0] d[4:0];
    0b00010 transformed 11 [5 4 4]:
        rw[9:0] gw[9:0] bw[9:0] rx[4:0] rw[10] gy[3:0] gx[3:0] gw[10] bz[0] gz[3:0] bx[3:0] bw[10] bz[1] by[3:0]
        ry[4:0] bz[2] rz[4:0] bz[3] d[4:0];
    0b00110 transformed 11 [4 5 4]:
        rw[9:0] gw[9:0] bw[9:0] rx[3:0] rw[10] gz[4] gy[3:0] gx[4:0] gw[10] gz[3:0] bx[3:0] bw[10] bz[1] by[3:0]
        ry[3:0] bz[0] bz[2] rz[3:0] gy[4] bz[3] d[4:0];
    0b01010 transformed 11 [4 4 5]:
        rw[9:0] gw[9:0] bw[9:0] rx[3:0] rw[10] by[4] gy[3:0] gx[3:0] gw[10] bz[0] gz[3:0] bx[4:0] bw[10] by[3:0]
        ry[3:0] bz[1] bz[2] rz[3:0] bz[4] bz[3] d[4:0];
    0b01110 transformed 9 [5 5 5]:
        rw[8:0] by[4] gw[8:0] gy[4] bw[8:0] bz[4] rx[4:0] gz[4] gy[3:0] gx[4:0] bz[0] gz[3:0] bx[4:0] bz[1]
        by[3:0] ry[4:0] bz[2] rz[4:0] bz[3] d[4:0];
    0b10010 transformed 8 [6 5 5]:
        rw[7:0] gz[4] by[4] gw[7:0] bz[2] gy[4] bw[7:0] bz[3] bz[4] rx[5:0] gy[3:0] gx[4:0] bz[0] gz[3:0]
        bx[4:0] bz[1] by[3:0] ry[5:0] rz[5:0] d[4:0];
    0b10110 transformed 8 [5 6 5]:
        rw[7:0] bz[0] by[4] gw[7:0] gy[5] gy[4] bw[7:0] gz[5] bz[4] rx[4:0] gz[4] gy[3:0] gx[5:0] gz[3:0]
        bx[4:0] bz[1] by[3:0] ry[4:0] bz[2] rz[4:0] bz[3] d[4:0];
    0b11010 transformed 8 [5 5 6]:
        rw[7:0] bz[1] by[4] gw[7:0] by[5] gy[4] bw[7:0] bz[5] bz[4] rx[4:0] gz[4] gy[3:0] gx[4:0] bz[0] gz[3:0]
        bx[5:0] by[3:0] ry[4:0] bz[2] rz[4:0] bz[3] d[4:0];
    0b11110 direct 6 [6 6 6]:
        rw[5:0] gz[4] bz[0] bz[1] by[4] gw[5:0] gy[5] by[5] bz[2] gy[4] bw[5:0] gz[5] bz[3] bz[5] bz[4] rx[5:0]
        gy[3:0] gx[5:0] gz[3:0] bx[5:0] by[3:0] ry[5:0] rz[5:0] d[4:0];
    0b00011 direct 10 [10 10 10]:
        rw[9:0] gw[9:0] bw[9:0] rx[9:0] gx[9:0] bx[9:0];
    0b00111 transformed 11 [9 9 9]:
        rw[9:0] gw[9:0] bw[9:0] rx[8:0] rw[10] gx[8:0] gw[10] bx[8:0] bw[10];
    0b01011 transformed 12 [8 8 8]:
        rw[9:0] gw[9:0] bw[9:0] rx[7:0] rw[10:11] gx[7:0] gw[10:11] bx[7:0] bw[10:11];
    0b01111 transformed 16 [4 4 4]:
        rw[9:0] gw[9:0] bw[9:0] rx[3:0] rw[10:15] gx[3:0] gw[10:15] bx[3:0] bw[10:15];
};

/// A block's endpoints and where its indices are.
pub(in crate::format) struct Bc6h<const SIGNED: bool> {
    block: u128,
    partition: Partition,
    start: u32,
    width: u32,
    /// Two for each region; red, green and blue, with all 16 bits in use.
    endpoints: [[i32; 3]; 4],
}

fn sign_extend(value: i32, bits: u32) -> i32 {
    value << (32 - bits) >> (32 - bits)
}

/// Expands an endpoint's component to 16 bits, or 15 and a sign.
fn unquantize<const SIGNED: bool>(value: i32, bits: u32) -> i32 {
    if !SIGNED {
        return match value {
            _ if bits >= 15 => value,
            0 => 0,
            _ if value == (1 << bits) - 1 => 0xffff,
            _ => ((value << 16) + 0x8000) >> bits,
        };
    }
    let magnitude = match value.abs() {
        magnitude if bits >= 16 => magnitude,
        0 => 0,
        magnitude if magnitude >= (1 << (bits - 1)) - 1 => 0x7fff,
        magnitude => ((magnitude << 15) + 0x4000) >> (bits - 1),
    };
    magnitude * value.signum()
}

/// The bits of the half that an interpolated component encodes.
fn finish<const SIGNED: bool>(value: i32) -> u32 {
    if SIGNED {
        let magnitude = (value.abs() * 31) >> 5;
        // Minus zero becomes plus zero.
        magnitude as u32 | if value < 0 && magnitude > 0 { 0x8000 } else { 0 }
    } else {
        ((value * 31) >> 6) as u32
    }
}

fn read_endpoints<const SIGNED: bool>(mode: &Mode, fields: &[u32; 13]) -> [[i32; 3]; 4] {
    let component = |endpoint: usize, channel: usize| {
        let raw = fields[3 * endpoint + channel] as i32;
        let precision = mode.precision;
        let is_signed = SIGNED || (mode.is_transformed && endpoint > 0);
        let bits = if endpoint > 0 { mode.deltas[channel] } else { precision };
        let mut value = if is_signed { sign_extend(raw, bits) } else { raw };
        if mode.is_transformed && endpoint > 0 {
            // The first endpoint's sign does not matter here, only its lowest bits do.
            value = (value + fields[channel] as i32) & ((1 << precision) - 1);
            if SIGNED {
                value = sign_extend(value, precision);
            }
        }
        unquantize::<SIGNED>(value, precision)
    };
    std::array::from_fn(|endpoint| std::array::from_fn(|channel| component(endpoint, channel)))
}

impl<const SIGNED: bool> Codec for Bc6h<SIGNED> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    fn read(block: u128) -> Self {
        let mode = MODES.iter().find(|mode| bits(block, 0, mode.code_bits) == mode.code);
        let Some(mode) = mode else {
            // Reserved: red, green and blue are zero.
            let endpoints = [[0; 3]; 4];
            return Self { block: 0, partition: Partition::WHOLE, start: ONE_REGION_HEADER, width: 4, endpoints };
        };
        let (mut fields, mut at) = ([0; 13], mode.code_bits);
        for piece in mode.pieces {
            let found = bits(block, at, piece.count);
            let found = if piece.is_reversed { found.reverse_bits() >> (32 - piece.count) } else { found };
            fields[piece.field] |= found << piece.low;
            at += piece.count;
        }
        let (partition, width) =
            if mode.has_two_regions { (TWO[fields[field::d] as usize], 3) } else { (Partition::WHOLE, 4) };
        Self { block, partition, start: at, width, endpoints: read_endpoints::<SIGNED>(mode, &fields) }
    }

    fn texel(&self, texel: usize) -> Words {
        let [red, green, blue] = self.halves(texel).map(|half| float::from_half(half).to_bits());
        [red, green, blue, 1f32.to_bits()]
    }

    fn expanded(&self, texel: usize) -> u64 {
        let [red, green, blue] = self.halves(texel).map(u64::from);
        // The half of 1.
        red | green << 16 | blue << 32 | 0x3c00 << 48
    }
}

impl<const SIGNED: bool> Bc6h<SIGNED> {
    /// A texel's halves.
    fn halves(&self, texel: usize) -> [u32; 3] {
        let region = self.partition.subset(texel);
        let (first, second) = (self.endpoints[2 * region], self.endpoints[2 * region + 1]);
        let weight = weight(index(self.block, self.start, self.width, self.partition.anchors, texel), self.width);
        std::array::from_fn(|channel| finish::<SIGNED>(interpolate(first[channel], second[channel], weight)))
    }
}
