//! Texels of floats, and of codes along the sRGB curve: sums in doubles, lane by lane, the channels side by side.

use std::marker::PhantomData;

use brolga_ir::float::{self, NAN_F32};

use super::place::{Place, Places};
use super::vector::Vector;
use super::{Fast, Kind, LANES, Lanes, Texel, Words};
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
            fn nearest<V: Vector>(fast: &Fast<'_>, place: Place<V>) -> Words {
                nearest::<$reader, $channels, V>(fast, place)
            }

            #[inline(always)]
            fn linear<V: Vector>(fast: &Fast<'_>, first: Places<V>, second: Option<(Places<V>, V)>) -> Words {
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
fn nearest<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(fast: &Fast<'_>, place: Place<V>) -> Words {
    let place = Single::of(place);
    let mut words = R::MISSING.map(|word| [word; LANES]);
    for lane in 0..LANES {
        for (channel, word) in R::words(fast, place.read(fast, lane)).into_iter().enumerate() {
            words[channel][lane] = word;
        }
    }
    words
}

/// A place in each lane, to be read lane by lane.
#[derive(Clone, Copy)]
struct Single {
    offset_bytes: Lanes<u32>,
    is_border: Lanes<u32>,
}

impl Single {
    #[inline(always)]
    fn of<V: Vector>(place: Place<V>) -> Self {
        Self { offset_bytes: place.offset_bytes.store(), is_border: place.is_border.store() }
    }

    #[inline(always)]
    fn read<T: Texel>(&self, fast: &Fast<'_>, lane: usize) -> T {
        match &fast.border {
            Some(border) if self.is_border[lane] != 0 => T::of(border),
            _ => fast.read(self.offset_bytes[lane]),
        }
    }
}

/// The texels of a level with their weights.
#[derive(Clone, Copy)]
struct Level {
    texels: [Single; 4],
    right: Lanes<u32>,
    lower: Lanes<u32>,
}

impl Level {
    #[inline(always)]
    fn of<V: Vector>(places: Places<V>) -> Self {
        let [a, b, c, d] = places.texels;
        let texels = [Single::of(a), Single::of(b), Single::of(c), Single::of(d)];
        Self { texels, right: places.fractions[0].store(), lower: places.fractions[1].store() }
    }

    /// Adds the texels of a lane, `weight` 256ths of each. Those without weight do not count.
    #[inline(always)]
    fn add<R: Reader<CHANNELS>, const CHANNELS: usize>(
        &self,
        fast: &Fast<'_>,
        lane: usize,
        weight: u32,
        sums: &mut [f64; CHANNELS],
    ) {
        let (right, lower) = (self.right[lane], self.lower[lane]);
        let weights = [(256 - right) * (256 - lower), right * (256 - lower), (256 - right) * lower, right * lower];
        for (place, part) in self.texels.iter().zip(weights) {
            let weight = f64::from((part * weight) as i32);
            let values = R::values(fast, place.read(fast, lane));
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += if weight == 0.0 { -0.0 } else { f64::from(value) * weight };
            }
        }
    }
}

#[inline(always)]
fn linear<R: Reader<CHANNELS>, const CHANNELS: usize, V: Vector>(
    fast: &Fast<'_>,
    first: Places<V>,
    second: Option<(Places<V>, V)>,
) -> Words {
    let first = Level::of(first);
    let second = match second {
        Some((places, fraction)) => Some((Level::of(places), fraction.store())),
        None => None,
    };
    let mut words = R::MISSING.map(|word| [word; LANES]);
    for lane in 0..LANES {
        // Adding to this gives what is added, even a zero's sign.
        let mut sums = [-0.0; CHANNELS];
        let fraction = second.map_or(0, |(_, fractions)| fractions[lane]);
        first.add::<R, CHANNELS>(fast, lane, 256 - fraction, &mut sums);
        if let Some((level, _)) = &second {
            level.add::<R, CHANNELS>(fast, lane, fraction, &mut sums);
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
