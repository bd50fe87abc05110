//! Texels of floats, and of codes along the sRGB curve: sums in doubles, lane by lane, the channels side by side.

use std::marker::PhantomData;

use brolga_ir::float::{self, NAN_F32};

use super::{Fast, Kind, LANES, Lanes, Place, Places, Texel, Words};
use crate::format::{Encoding, Format};

/// The kind of texels that a reader reads.
#[derive(Debug)]
pub(super) struct Numbers<R>(PhantomData<R>);

/// How texels become numbers.
pub(super) trait Reader<const CHANNELS: usize> {
    type Bytes: Texel;

    /// What words hold of channels that the format lacks.
    const MISSING: [u32; 4] = [0, 0, 0, 0x3f80_0000];

    /// What a load gives.
    fn words(fast: &Fast<'_>, texel: Self::Bytes) -> [u32; CHANNELS];

    /// What filters sum up.
    fn values(fast: &Fast<'_>, texel: Self::Bytes) -> [f32; CHANNELS] {
        Self::words(fast, texel).map(f32::from_bits)
    }

    /// What the sums of the last channel are divided by, besides weights.
    const LAST_SCALE: f64 = 1.0;
}

/// Four halves.
#[derive(Debug)]
pub(super) struct Halves;

/// Floats.
#[derive(Debug)]
pub(super) struct Floats<const CHANNELS: usize>;

/// Codes along the sRGB curve: the number of each.
#[derive(Clone, Debug)]
pub(super) struct Curve(Vec<f32>);

impl Curve {
    /// The curve if a format needs it.
    pub fn of(format: Format) -> Self {
        let codes = if format.encoding() == Encoding::Srgb { 0..256 } else { 0..0 };
        Self(codes.map(|code| f32::from_bits(Format::R8G8B8A8_UNORM_SRGB.decode(code)[0])).collect())
    }
}

impl Reader<4> for Halves {
    type Bytes = [u32; 2];

    #[inline(always)]
    fn words(_: &Fast<'_>, [low, high]: [u32; 2]) -> [u32; 4] {
        [low & 0xffff, low >> 16, high & 0xffff, high >> 16].map(|half| float::from_half(half).to_bits())
    }
}

impl Reader<4> for Floats<4> {
    type Bytes = [u32; 4];

    #[inline(always)]
    fn words(_: &Fast<'_>, texel: [u32; 4]) -> [u32; 4] {
        texel
    }
}

impl Reader<1> for Floats<1> {
    type Bytes = u32;

    #[inline(always)]
    fn words(_: &Fast<'_>, texel: u32) -> [u32; 1] {
        [texel]
    }
}

impl Reader<4> for Curve {
    type Bytes = u32;

    #[inline(always)]
    fn words(fast: &Fast<'_>, texel: u32) -> [u32; 4] {
        let [r, g, b, alpha] = Self::values(fast, texel);
        [r, g, b, alpha / 255.0].map(f32::to_bits)
    }

    #[inline(always)]
    fn values(fast: &Fast<'_>, texel: u32) -> [f32; 4] {
        let [one, two, three, alpha] = texel.to_le_bytes();
        let [one, two, three] = [one, two, three].map(|code| fast.curve.0[usize::from(code)]);
        let alpha = f32::from(alpha);
        if fast.swaps_red_and_blue { [three, two, one, alpha] } else { [one, two, three, alpha] }
    }

    const LAST_SCALE: f64 = 255.0;
}

macro_rules! kinds {
    ($($reader:ty, $channels:literal;)+) => {
        $(impl Kind for Numbers<$reader> {
            #[inline(always)]
            fn nearest(fast: &Fast<'_>, places: &Lanes<Place>) -> Words {
                nearest::<$reader, $channels>(fast, places)
            }

            #[inline(always)]
            fn linear(fast: &Fast<'_>, first: &Places, second: Option<(&Places, &Lanes<u32>)>) -> Words {
                linear::<$reader, $channels>(fast, first, second)
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
fn nearest<R: Reader<CHANNELS>, const CHANNELS: usize>(fast: &Fast<'_>, places: &Lanes<Place>) -> Words {
    let mut words = R::MISSING.map(|word| [word; LANES]);
    for (lane, &place) in places.iter().enumerate() {
        for (channel, word) in R::words(fast, fast.read(place)).into_iter().enumerate() {
            words[channel][lane] = word;
        }
    }
    words
}

#[inline(always)]
fn linear<R: Reader<CHANNELS>, const CHANNELS: usize>(
    fast: &Fast<'_>,
    first: &Places,
    second: Option<(&Places, &Lanes<u32>)>,
) -> Words {
    let mut words = R::MISSING.map(|word| [word; LANES]);
    for lane in 0..LANES {
        // Adding to this gives what is added, even a zero's sign.
        let mut sums = [-0.0; CHANNELS];
        let fraction = second.map_or(0, |(_, fractions)| fractions[lane]);
        add::<R, CHANNELS>(fast, first, lane, 256 - fraction, &mut sums);
        if let Some((places, _)) = second {
            add::<R, CHANNELS>(fast, places, lane, fraction, &mut sums);
        }
        // Weights sum up to 256 along both axes and between levels.
        sums = sums.map(|sum| sum * (1.0 / f64::from(1 << 24)));
        sums[CHANNELS - 1] /= R::LAST_SCALE;
        for channel in 0..CHANNELS {
            let number = sums[channel] as f32;
            words[channel][lane] = if number.is_nan() { NAN_F32 } else { number.to_bits() };
        }
    }
    words
}

/// Adds the texels of a lane on one level, `weight` 256ths of each. Those without weight do not count.
#[inline(always)]
fn add<R: Reader<CHANNELS>, const CHANNELS: usize>(
    fast: &Fast<'_>,
    places: &Places,
    lane: usize,
    weight: u32,
    sums: &mut [f64; CHANNELS],
) {
    let [right, lower] = places.fractions.map(|fractions| fractions[lane]);
    let weights = [(256 - right) * (256 - lower), right * (256 - lower), (256 - right) * lower, right * lower];
    for (places, part) in places.texels.iter().zip(weights) {
        let weight = f64::from((part * weight) as i32);
        let values = R::values(fast, fast.read(places[lane]));
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum += if weight == 0.0 { -0.0 } else { f64::from(value) * weight };
        }
    }
}
