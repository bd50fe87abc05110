//! Texels of floats, and of codes along the sRGB curve: sums in doubles, lane by lane, all channels in parallel.

use std::marker::PhantomData;

use brolga_ir::float::NAN_F32;
use brolga_ir::srgb::LINEAR;

use super::address::{LinearAddresses, TexelAddress};
use super::vector::Vector;
use super::{Fast, Kind, LANES, Lanes, Texel, Words};

/// The kind of texels that a reader reads.
#[derive(Debug)]
pub(super) struct Numbers<R>(PhantomData<R>);

/// How texels are converted to numbers.
pub(super) trait Reader<const CHANNELS: usize> {
    type Bytes: Texel;

    /// Divisor of the last channel's sums, besides weights.
    const LAST_SCALE: f32 = 1.0;

    /// The values that filters sum: the bits of floats.
    fn values<V: Vector>(fast: &Fast, texels: &Lanes<Self::Bytes>) -> Lanes<[u32; CHANNELS]>;
}

/// The words of channels that a format lacks.
const MISSING: Words = [[0; LANES], [0; LANES], [0; LANES], [0x3f80_0000; LANES]];

/// Four halves.
#[derive(Debug)]
pub(super) struct Halves;

/// Floats.
#[derive(Debug)]
pub(super) struct Floats<const CHANNELS: usize>;

/// Codes along the sRGB curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve;

impl Reader<4> for Halves {
    type Bytes = [u32; 2];

    #[inline(always)]
    fn values<V: Vector>(_: &Fast, texels: &Lanes<[u32; 2]>) -> Lanes<[u32; 4]> {
        let mut values = [[0; 4]; LANES];
        for (values, texels) in values.chunks_exact_mut(2).zip(texels.chunks_exact(2)) {
            let ([a, b], [c, d]) = (texels[0], texels[1]);
            let halves = V::load(&[a, a >> 16, b, b >> 16, c, c >> 16, d, d >> 16]);
            let [a, b, c, d, e, f, g, h] = from_halves(halves).store();
            (values[0], values[1]) = ([a, b, c, d], [e, f, g, h]);
        }
        values
    }
}

/// [`float::from_half`](brolga_ir::float::from_half) of the low 16 bits of each lane.
#[inline(always)]
fn from_halves<V: Vector>(halves: V) -> V {
    let magnitude = halves.and(V::splat(0x7fff));
    let normal = magnitude.shift_left::<13>().add(V::splat(0x3800_0000));
    // A multiple of 2^-24, exact.
    let denormal = magnitude.to_float().mul_floats(V::splat_float(1.0 / (1 << 24) as f32));
    let finite = denormal.where_set(V::splat(0x0400).more(magnitude), normal);
    let infinity = V::splat(0x7c00);
    let number = finite.where_set(infinity.more(magnitude), V::splat(0x7f80_0000));
    let signed = number.or(halves.and(V::splat(0x8000)).shift_left::<16>());
    V::splat(NAN_F32).where_set(magnitude.more(infinity), signed)
}

impl Reader<4> for Floats<4> {
    type Bytes = [u32; 4];

    #[inline(always)]
    fn values<V: Vector>(_: &Fast, texels: &Lanes<[u32; 4]>) -> Lanes<[u32; 4]> {
        *texels
    }
}

impl Reader<1> for Floats<1> {
    type Bytes = u32;

    #[inline(always)]
    fn values<V: Vector>(_: &Fast, &[a, b, c, d, e, f, g, h]: &Lanes<u32>) -> Lanes<[u32; 1]> {
        [[a], [b], [c], [d], [e], [f], [g], [h]]
    }
}

impl Reader<4> for Curve {
    type Bytes = u32;

    const LAST_SCALE: f32 = 255.0;

    #[inline(always)]
    fn values<V: Vector>(fast: &Fast, texels: &Lanes<u32>) -> Lanes<[u32; 4]> {
        let mut values = [[0; 4]; LANES];
        for lane in 0..LANES {
            let [one, two, three, alpha] = texels[lane].to_le_bytes();
            let (red, blue) = if fast.swaps_red_and_blue { (three, one) } else { (one, three) };
            let alpha = (i32::from(alpha) as f32).to_bits();
            values[lane] = [LINEAR[usize::from(red)], LINEAR[usize::from(two)], LINEAR[usize::from(blue)], alpha];
        }
        values
    }
}

macro_rules! kinds {
    ($($reader:ty, $channels:literal;)+) => {
        $(impl Kind for Numbers<$reader> {
            const TEXEL_BYTES: u32 = size_of::<<$reader as Reader<$channels>>::Bytes>() as u32;

            #[inline(always)]
            fn nearest<V: Vector>(fast: &Fast, address: TexelAddress<V>) -> Words {
                nearest::<$reader, $channels, V>(fast, address)
            }

            #[inline(always)]
            fn linear<V: Vector>(fast: &Fast, first: LinearAddresses<V>, second: Option<(LinearAddresses<V>, V)>) -> Words {
                linear::<$reader, $channels, V>(fast, first, second)
            }
        })+
    };
}

kinds! {
    Halves, 4;
    Floats<4>, 4;
    Floats<1>, 1;
    Curve, 4;
}

#[inline(always)]
fn nearest<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(fast: &Fast, address: TexelAddress<V>) -> Words {
    let values = R::values::<V>(fast, &read(fast, address));
    let mut words = MISSING;
    for lane in 0..LANES {
        for channel in 0..CHANNELS {
            words[channel][lane] = values[lane][channel];
        }
    }
    if R::LAST_SCALE != 1.0 {
        let last = V::load(&words[CHANNELS - 1]).div_floats(V::splat_float(R::LAST_SCALE));
        words[CHANNELS - 1] = last.store();
    }
    words
}

/// A texel of each lane.
#[inline(always)]
fn read<T: Texel, V: Vector>(fast: &Fast, address: TexelAddress<V>) -> Lanes<T> {
    let offset_bytes = address.offset_bytes.store();
    let mut texels = [T::default(); LANES];
    for lane in 0..LANES {
        texels[lane] = fast.read(offset_bytes[lane]);
    }
    if let Some(border) = &fast.border {
        let is_border = address.is_border.signs();
        for (lane, texel) in texels.iter_mut().enumerate() {
            if is_border >> lane & 1 == 1 {
                *texel = T::of(border);
            }
        }
    }
    texels
}

/// Adds the texels of a level, each times `weights` in 256ths. Those of weight zero are ignored.
#[inline(always)]
fn add<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    fast: &Fast,
    addresses: LinearAddresses<V>,
    weights: V,
    sums: &mut Lanes<[f64; CHANNELS]>,
) {
    let all = V::splat(256);
    let [right, lower] = addresses.fractions;
    let (left, upper) = (all.sub(right), all.sub(lower));
    let parts = [left.mul(upper), right.mul(upper), left.mul(lower), right.mul(lower)];
    for (address, part) in addresses.texels.into_iter().zip(parts) {
        // Below 2^25.
        let weights = part.mul(weights).store();
        let values = R::values::<V>(fast, &read(fast, address));
        for lane in 0..LANES {
            let weight = f64::from(weights[lane] as i32);
            for channel in 0..CHANNELS {
                let product = f64::from(f32::from_bits(values[lane][channel])) * weight;
                sums[lane][channel] += if weights[lane] == 0 { -0.0 } else { product };
            }
        }
    }
}

#[inline(always)]
fn linear<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    fast: &Fast,
    first: LinearAddresses<V>,
    second: Option<(LinearAddresses<V>, V)>,
) -> Words {
    // The identity of addition, which preserves even a zero's sign.
    let mut sums = [[-0.0; CHANNELS]; LANES];
    let all = V::splat(256);
    match second {
        None => add::<R, CHANNELS, V>(fast, first, all, &mut sums),
        Some((second, fraction)) => {
            add::<R, CHANNELS, V>(fast, first, all.sub(fraction), &mut sums);
            add::<R, CHANNELS, V>(fast, second, fraction, &mut sums);
        }
    }
    let mut words = MISSING;
    for lane in 0..LANES {
        for channel in 0..CHANNELS {
            // Weights sum up to 256 along both axes and between levels.
            let mean = sums[lane][channel] * (1.0 / f64::from(1 << 24));
            let last = channel == CHANNELS - 1 && R::LAST_SCALE != 1.0;
            let number = if last { mean / f64::from(R::LAST_SCALE) } else { mean } as f32;
            words[channel][lane] = if number.is_nan() { NAN_F32 } else { number.to_bits() };
        }
    }
    words
}
