//! Decodes BC6H: fourteen modes of half floats; functional specification 19.5.13, bit-exact.

use super::partition::{Partition, TWO};
use super::{EXTENTS, bits, indices, weights};
use crate::format::codec::{Codec, Words};
use brolga_ir::float;

/// A mode: the beginning of a block.
struct Mode {
    code: u32,
    code_bits: u32,
    /// Set if all endpoints but the first are differences from it.
    is_transformed: bool,
    /// Number of bits of the first endpoint's components.
    precision: u32,
    /// Numbers of bits of the other endpoints' red, green and blue.
    deltas: [u32; 3],
    /// Reads the fields of the block's header, which are the bits after the code. Fields that a mode lacks are 0.
    read: fn(u128) -> Fields,
    has_two_regions: bool,
}

/// By the numbers in [`field`].
type Fields = [u32; 13];

const ONE_REGION_HEADER: u32 = 65;
const TWO_REGIONS_HEADER: u32 = 82;

impl Mode {
    const fn new(
        [code, precision, bits]: [u32; 3],
        is_transformed: bool,
        deltas: [u32; 3],
        read: fn(u128) -> Fields,
    ) -> Self {
        let code_bits = code_bits(code);
        let header = code_bits + bits;
        assert!(header == ONE_REGION_HEADER || header == TWO_REGIONS_HEADER, "a header is complete");
        Self { code, code_bits, is_transformed, precision, deltas, read, has_two_regions: header == TWO_REGIONS_HEADER }
    }
}

const fn code_bits(code: u32) -> u32 {
    if code < 2 { 2 } else { 5 }
}

/// A range of a field's bits that are adjacent in a header: the numbers of the highest and the lowest of them, or of
/// the only one; of the lowest and the highest if they are stored in reverse.
type BitRange<const N: usize> = [u32; N];

const fn count<const N: usize>(range: BitRange<N>) -> u32 {
    range[0].abs_diff(range[N - 1]) + 1
}

/// Moves the bits of a block from bit `at` up to their positions in a field, and advances `at`.
#[inline(always)]
fn take<const N: usize>(block: u128, at: &mut u32, field: &mut u32, range: BitRange<N>) {
    let (from, to, count) = (range[0], range[N - 1], count(range));
    let found = bits(block, *at, count);
    let found = if from < to { found.reverse_bits() >> (32 - count) } else { found };
    *field |= found << from.min(to);
    *at += count;
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
        &[$(
            // A separate function for each mode, in which all positions are constants.
            Mode::new([$code, $precision, 0 $(+ count([$($bit),+]))+], modes!(@$kind), [$($delta),+], |block| {
                let (mut fields, mut at) = ([0; 13], code_bits($code));
                $(take(block, &mut at, &mut fields[field::$field], [$($bit),+]);)+
                fields
            })
        ),+]
    };
}

/// The rows of the specification's table: code, precision, bits of differences, and the fields from the bit after the
/// code up.
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

/// The index of the mode by the lowest five bits of a block; for reserved ones out of range.
const MODE_OF: [u8; 32] = {
    let mut modes = [u8::MAX; 32];
    let mut number = 0;
    while number < MODES.len() {
        let mode = &MODES[number];
        let mut code = mode.code;
        while code < 32 {
            modes[code as usize] = number as u8;
            code += 1 << mode.code_bits;
        }
        number += 1;
    }
    modes
};

/// The half that is 1.
const OPAQUE: u64 = 0x3c00 << 48;

/// A block's texels, expanded: halves.
pub(in crate::format) struct Bc6h<const SIGNED: bool> {
    texels: [u64; 16],
}

impl<const SIGNED: bool> Codec for Bc6h<SIGNED> {
    const EXTENTS: [u32; 2] = EXTENTS;
    const SIZE_BYTES: u32 = 16;

    #[inline(always)]
    fn read(block: u128) -> Self {
        // Red, green and blue of reserved modes are zero.
        let mut texels = [OPAQUE; 16];
        if let Some(mode) = MODES.get(usize::from(MODE_OF[block as usize % 32])) {
            expand::<SIGNED>(mode, block, &mut texels);
        }
        Self { texels }
    }

    #[inline(always)]
    fn expanded(&self, texel: usize) -> u64 {
        self.texels[texel]
    }

    #[inline(always)]
    fn words(expanded: u64) -> Words {
        let half = |shift: u32| float::from_half((expanded >> shift) as u32 & 0xffff).to_bits();
        [half(0), half(16), half(32), 1f32.to_bits()]
    }
}

fn expand<const SIGNED: bool>(mode: &Mode, block: u128, texels: &mut [u64; 16]) {
    let fields = (mode.read)(block);
    let [w, x, y, z] = read_endpoints::<SIGNED>(mode, &fields);
    let mut palette = [0; 16];
    if mode.has_two_regions {
        let partition = TWO[fields[field::d] as usize];
        let (of_first, of_second) = palette.split_at_mut(8);
        interpolate::<SIGNED, 3>([w, x], of_first);
        interpolate::<SIGNED, 3>([y, z], of_second);
        let indices = indices(block, TWO_REGIONS_HEADER, 3, partition.anchors, 2);
        for (texel, expanded) in texels.iter_mut().enumerate() {
            let (region, index) = (partition.subsets >> (2 * texel) & 1, (indices >> (3 * texel)) as u32 & 7);
            *expanded = palette[(region << 3 | index) as usize];
        }
    } else {
        interpolate::<SIGNED, 4>([w, x], &mut palette);
        let indices = indices(block, ONE_REGION_HEADER, 4, Partition::WHOLE.anchors, 1);
        for (texel, expanded) in texels.iter_mut().enumerate() {
            *expanded = palette[(indices >> (4 * texel) & 15) as usize];
        }
    }
}

#[inline(always)]
fn sign_extend(value: i32, bits: u32) -> i32 {
    value << (32 - bits) >> (32 - bits)
}

/// Expands an endpoint's component to 16 bits, or 15 and a sign. Branch-free, since signs are unpredictable.
#[inline(always)]
fn unquantize<const SIGNED: bool>(value: i32, bits: u32) -> i32 {
    if SIGNED && bits >= 16 {
        return value;
    }
    // Without a sign 16 bits are kept, too.
    let (bits, full_bits) = if SIGNED { (bits - 1, 15) } else { (bits, 16) };
    let sign = if SIGNED { value >> 31 } else { 0 };
    let magnitude = ((value ^ sign) - sign) as u32;
    let expanded = ((magnitude << full_bits) + (1 << (full_bits - 1))) >> bits;
    let expanded = if magnitude == 0 { 0 } else { expanded };
    let expanded = if magnitude >= (1 << bits) - 1 { (1 << full_bits) - 1 } else { expanded };
    (expanded as i32 ^ sign) - sign
}

/// Two endpoints for each region: red, green and blue, with all 16 bits in use.
#[inline(always)]
fn read_endpoints<const SIGNED: bool>(mode: &Mode, fields: &Fields) -> [[i32; 3]; 4] {
    let precision = mode.precision;
    let mut endpoints = [[0; 3]; 4];
    let count = if mode.has_two_regions { 4 } else { 2 };
    for (endpoint, components) in endpoints[..count].iter_mut().enumerate() {
        for (channel, component) in components.iter_mut().enumerate() {
            let raw = fields[3 * endpoint + channel] as i32;
            let is_delta = mode.is_transformed && endpoint > 0;
            let bits = if endpoint > 0 { mode.deltas[channel] } else { precision };
            let mut value = if SIGNED || is_delta { sign_extend(raw, bits) } else { raw };
            if is_delta {
                // The first endpoint's sign does not matter here, only its lowest bits do.
                value = (value + fields[channel] as i32) & ((1 << precision) - 1);
                if SIGNED {
                    value = sign_extend(value, precision);
                }
            }
            *component = unquantize::<SIGNED>(value, precision);
        }
    }
    endpoints
}

/// A one in each of two components, which have 32 bits each, so that products do not overlap.
const PAIR: u64 = 1 << 32 | 1;
/// A one in each half of a texel.
const HALVES: u64 = 0x0001_0001_0001_0001;
/// Offset that makes signed components non-negative.
const BIAS: i32 = 0x8000;

/// The texels between two endpoints, by indices of `WIDTH` bits.
#[inline(always)]
fn interpolate<const SIGNED: bool, const WIDTH: u32>(ends: [[i32; 3]; 2], texels: &mut [u64]) {
    let natural = |component: i32| (component + if SIGNED { BIAS } else { 0 }) as u64;
    let [first, second] = ends.map(|[red, green, blue]| [natural(red) | natural(green) << 32, natural(blue)]);
    for (texel, &weight) in texels.iter_mut().zip(weights(WIDTH)) {
        let between = |n: usize| {
            // All components of the sum are non-negative, whatever those of the difference are.
            let difference = second[n].wrapping_sub(first[n]);
            (first[n] * 64 + 32 * PAIR).wrapping_add(difference.wrapping_mul(weight.into())) >> 6 & (0xffff * PAIR)
        };
        let (red_green, blue) = (between(0), between(1));
        let components = (red_green | red_green >> 16) & 0xffff_ffff | blue << 32;
        *texel = finish::<SIGNED>(components) & (u64::MAX >> 16) | OPAQUE;
    }
}

/// The halves that interpolated components encode: 31/32 of them with a sign, 31/64 without.
#[inline(always)]
fn finish<const SIGNED: bool>(components: u64) -> u64 {
    if !SIGNED {
        let parts =
            (components >> 5 & (0x07ff * HALVES)) + (((components & (31 * HALVES)) + 31 * HALVES) >> 5 & HALVES);
        return (components - parts) >> 1 & (0x7fff * HALVES);
    }
    let is_negative = !components >> 15 & HALVES;
    let magnitudes = (components ^ (0x8000 * HALVES) ^ (is_negative * 0xffff)) + is_negative;
    let magnitudes = magnitudes - ((magnitudes + 31 * HALVES) >> 5 & (0x07ff * HALVES));
    // Minus zero becomes plus zero.
    let is_some = (magnitudes + 0x7fff * HALVES) >> 15;
    magnitudes | (is_negative & is_some) << 15
}
