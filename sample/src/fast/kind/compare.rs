//! Compares texels of one channel, as of shadow maps, with a reference. The result is the weight of the texels that
//! pass.

use std::marker::PhantomData;

use brolga_resource::Comparison;

use super::{Filtered, TexelKind};
use crate::fast::address::{LinearAddresses, TexelAddress};
use crate::fast::source::TexelSource;
use crate::fast::vector::{LaneArray, Lanes, Vector};

/// Comparisons with texels of a format of depths.
#[derive(Debug)]
pub(in crate::fast) struct Compared<D>(PhantomData<D>);

/// A format of depths.
pub(in crate::fast) trait Depth {
    /// True if the depth is in the first two bytes of a texel, false if it is in four.
    const IS_SHORT: bool = false;

    /// Converts the words of texels to depths.
    fn number<V: Vector>(words: V) -> V;

    /// Converts a reference to the same units, clamped to the range of the format.
    fn reference<V: Vector>(reference: V) -> V;
}

/// Depths as floats; denormals are zero.
#[derive(Debug)]
pub(in crate::fast) struct Depth32;

/// Depths as codes of [`R16_UNORM`](brolga_resource::Format::R16_UNORM).
#[derive(Debug)]
pub(in crate::fast) struct Depth16;

/// Depths as codes of [`R24_UNORM_X8_TYPELESS`](brolga_resource::Format::R24_UNORM_X8_TYPELESS).
#[derive(Debug)]
pub(in crate::fast) struct Depth24;

impl Depth for Depth32 {
    #[inline(always)]
    fn number<V: Vector>(words: V) -> V {
        words.flush()
    }

    #[inline(always)]
    fn reference<V: Vector>(reference: V) -> V {
        reference.flush()
    }
}

impl Depth for Depth16 {
    const IS_SHORT: bool = true;

    #[inline(always)]
    fn number<V: Vector>(words: V) -> V {
        words.to_float()
    }

    #[inline(always)]
    fn reference<V: Vector>(reference: V) -> V {
        code(reference, 65535.0)
    }
}

impl Depth for Depth24 {
    #[inline(always)]
    fn number<V: Vector>(words: V) -> V {
        words.and(V::splat(0x00ff_ffff)).to_float()
    }

    #[inline(always)]
    fn reference<V: Vector>(reference: V) -> V {
        // Products have 48 bits.
        let numbers = reference.max_floats(V::splat(0)).min_floats(V::splat_float(1.0)).store();
        let mut codes = Lanes::<V, u32>::splat(0);
        for lane in 0..V::LANES {
            let scaled = f64::from(f32::from_bits(numbers[lane])) * 16_777_215.0 + 0.5;
            codes[lane] = (scaled as i32) as u32;
        }
        V::load(&codes).to_float()
    }
}

impl<D: Depth> TexelKind for Compared<D> {
    #[inline(always)]
    fn nearest<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, reference: V) -> [V; 4] {
        let [is_passed] = passes(source, [depth::<D, V>(source, address)], D::reference(reference));
        [is_passed.and(V::splat_float(1.0)); 4]
    }

    #[inline(always)]
    fn linear<V: Vector>(
        source: TexelSource<'_>,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        reference: V,
    ) -> Filtered<V> {
        let reference = D::reference(reference);
        let passed = weight_passed::<D, V>(source, first, reference);
        let share = match second {
            None => passed.to_float().mul_floats(V::splat_float(1.0 / (1 << 16) as f32)),
            Some((second, fraction)) => {
                let others = weight_passed::<D, V>(source, second, reference);
                let sum = passed.mul(V::splat(256).sub(fraction)).add(others.mul(fraction));
                sum.to_float().mul_floats(V::splat_float(1.0 / (1 << 24) as f32))
            }
        };
        // Beyond a cube's corner there are three texels to compare with.
        let left = match second {
            None => first.corners(),
            Some((second, fraction)) => first.corners() | second.corners() & !fraction.equal(V::splat(0)).signs(),
        };
        Filtered { words: [share; 4], left }
    }
}

/// Converts to fixed point with this largest code, of at most 16 bits; NaN is 0.
#[inline(always)]
fn code<V: Vector>(number: V, most: f32) -> V {
    let number = number.max_floats(V::splat(0)).min_floats(V::splat_float(1.0));
    number.mul_floats(V::splat_float(most)).add_floats(V::splat_float(0.5)).floor()
}

/// The weights of the texels that the reference passes, in units of 2^-16.
#[inline(always)]
fn weight_passed<D: Depth, V: Vector>(source: TexelSource<'_>, addresses: &LinearAddresses<V>, reference: V) -> V {
    let all = V::splat(256);
    let [right, lower, _] = addresses.fractions();
    let (left, upper) = (all.sub(right), all.sub(lower));
    if addresses.axes() == 0 {
        let [is_passed] = passes(source, [depth::<D, V>(source, &addresses.texel(0, 0))], reference);
        return is_passed.and(V::splat(1 << 16));
    }
    let [texel, beside] = row::<D, V>(source, addresses, 0);
    if addresses.axes() == 1 {
        let [is_passed, next] = passes(source, [texel, beside], reference);
        return left.and(is_passed).add(right.and(next)).shift_left::<8>();
    }
    let [below, last] = row::<D, V>(source, addresses, 2);
    let [upper_left, upper_right, lower_left, lower_right] = passes(source, [texel, beside, below, last], reference);
    let upper_row = left.and(upper_left).add(right.and(upper_right));
    let lower_row = left.and(lower_left).add(right.and(lower_right));
    upper_row.mul(upper).add(lower_row.mul(lower))
}

/// The depths of two neighbouring texels, by the index of the left one: read at once where they are adjacent in memory.
#[inline(always)]
fn row<D: Depth, V: Vector>(source: TexelSource<'_>, addresses: &LinearAddresses<V>, index: usize) -> [V; 2] {
    let (left, right) = (addresses.texel(index, 0), addresses.texel(index + 1, 0));
    if D::IS_SHORT || source.texel_bytes != 4 || !addresses.are_neighbours() {
        return [depth::<D, V>(source, &left), depth::<D, V>(source, &right)];
    }
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(&left, &mut expanded);
    // SAFETY: texels of 4 bytes are there (`TexelSource::locate`), and the right ones follow the left ones.
    let [one, two] = unsafe { V::pairs_at(base, &offsets) };
    [or_border(source, &left, D::number(one)), or_border(source, &right, D::number(two))]
}

/// The depth of a texel of each lane.
#[inline(always)]
fn depth<D: Depth, V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>) -> V {
    let mut expanded = [0; 16];
    let (base, offsets) = source.locate(address, &mut expanded);
    // SAFETY: texels of at least so many bytes are there (`TexelSource::locate`).
    let words = unsafe {
        match D::IS_SHORT {
            true if source.has_whole_words => V::around_at(base, &offsets).and(V::splat(0xffff)),
            true => V::shorts_at(base, &offsets),
            false => V::words_at(base, &offsets),
        }
    };
    or_border(source, address, D::number(words))
}

/// The depth, or the border in the lanes that take it.
#[inline(always)]
fn or_border<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, depth: V) -> V {
    match (&source.border, address.is_border) {
        (Some(border), Some(is_border)) => V::splat(border.values[0]).flush().where_set(is_border, depth),
        _ => depth,
    }
}

/// Mask of the lanes in which the comparison with a texel holds.
#[inline(always)]
fn passes<V: Vector, const COUNT: usize>(source: TexelSource<'_>, mut texels: [V; COUNT], reference: V) -> [V; COUNT] {
    let ones = V::splat(u32::MAX);
    match source.comparison() {
        Comparison::Never => return [V::splat(0); COUNT],
        Comparison::Always => return [ones; COUNT],
        Comparison::Less => {
            for texel in &mut texels {
                *texel = texel.more_floats(reference);
            }
        }
        Comparison::Equal => {
            for texel in &mut texels {
                *texel = texel.equal_floats(reference);
            }
        }
        Comparison::LessEqual => {
            for texel in &mut texels {
                *texel = texel.more_floats(reference).or(texel.equal_floats(reference));
            }
        }
        Comparison::Greater => {
            for texel in &mut texels {
                *texel = reference.more_floats(*texel);
            }
        }
        Comparison::NotEqual => {
            for texel in &mut texels {
                *texel = texel.equal_floats(reference).xor(ones);
            }
        }
        Comparison::GreaterEqual => {
            for texel in &mut texels {
                *texel = reference.more_floats(*texel).or(texel.equal_floats(reference));
            }
        }
    }
    texels
}
