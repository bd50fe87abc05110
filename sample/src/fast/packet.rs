//! Samples for a vector of a packet's lanes, from operands to results, as `../lane.rs` does for one. There is one
//! function for each shape of texture; it calls the filter of the kind of texel.

#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use brolga_ir::float::NAN_F32;
use brolga_ir::sampling::LevelSource;
use brolga_resource::Tap;

use super::SampleSpec;
use super::address::{FlatPosition, LevelIndex, LinearAddresses};
use super::cube::{FacePosition, Hit};
use super::each;
use super::filter::{Calls, Results, SamplePosition, Take};
use super::kind::Filtered;
use super::level::{self, Adjusted, Chosen};
use super::line::{Means, SampleLines};
use super::source::TexelSource;
use super::vector::{LaneArray, Lanes, Vector};
use crate::MOST_ANISOTROPY;

/// The shape of texture that a function is compiled for, so that none carries code for the others.
pub(super) trait SamplingShape {
    const IS_CUBE: bool = false;
    const HAS_LEVELS: bool = true;
    const HAS_LINES: bool = false;
}

/// A texture whose first level is the only one sampled.
pub(super) struct Flat;

/// A texture with mip levels.
pub(super) struct Pyramid;

/// A texture with anisotropic filtering.
pub(super) struct Lines;

/// A cube.
pub(super) struct Cube;

impl SamplingShape for Flat {
    const HAS_LEVELS: bool = false;
}

impl SamplingShape for Pyramid {}

impl SamplingShape for Lines {
    const HAS_LINES: bool = true;
}

impl SamplingShape for Cube {
    const IS_CUBE: bool = true;
}

/// A vector of a packet's lanes.
#[derive(Clone, Copy)]
pub(super) struct PacketPart<'a> {
    pub form: &'a SampleSpec,
    /// The lanes in the first operand's row. `Sampling::args` lists the rows, which are `results.row_lanes` words
    /// apart.
    pub operands: *const u32,
    pub results: Results,
    /// For this kind of texel, and this kind of vector.
    pub calls: Calls,
}

/// Samples for a vector of lanes and writes their results.
///
/// # Safety
///
/// There are as many rows of operands as the instruction has, and four rows for results. The filter is for the same
/// kind of vector, and for texels of the texture's size; the processor has the instruction set that it was compiled
/// for.
#[inline(always)]
pub(super) unsafe fn sample<S: SamplingShape, V: Vector>(source: TexelSource<'_>, part: PacketPart<'_>) -> u32 {
    // SAFETY: the caller promises the same.
    unsafe { sampled::<S, V>(source, part) & part.results.taking_part }
}

/// Writes the levels of detail of a vector of lanes: the one that is sampled, and the one before all clamping.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
pub(super) unsafe fn query<S: SamplingShape, V: Vector>(source: TexelSource<'_>, part: PacketPart<'_>) -> u32 {
    // SAFETY: the caller promises the same.
    unsafe { part.results.write(queried::<S, V>(source, part)) & part.results.taking_part }
}

impl<'a> PacketPart<'a> {
    /// A row of operands.
    #[inline(always)]
    fn row<V: Vector>(&self, index: usize) -> &'a Lanes<V, u32> {
        let row = self.operands.wrapping_add(index * self.results.row_lanes).cast::<Lanes<V, u32>>();
        // SAFETY: there are as many rows as the instruction has operands (`sample`), and the index is of one of them.
        unsafe { &*row }
    }

    /// The first row of an operand, if there is one.
    #[inline(always)]
    fn row_if<V: Vector>(&self, index: u8) -> Option<&'a Lanes<V, u32>> {
        if index != 0 { Some(self.row::<V>(index.into())) } else { None }
    }

    /// One to three rows; missing ones are 0.
    #[inline(always)]
    fn vector<V: Vector>(&self, index: u8, axes: usize) -> [V; 3] {
        let index = usize::from(index);
        [
            V::load_written(self.row::<V>(index)),
            if axes > 1 { V::load_written(self.row::<V>(index + 1)) } else { V::splat(0) },
            if axes > 2 { V::load_written(self.row::<V>(index + 2)) } else { V::splat(0) },
        ]
    }

    /// The derivatives along the screen's axes.
    #[inline(always)]
    fn derivatives<V: Vector>(&self, axes: usize) -> [[V; 3]; 2] {
        let rows = &self.form.rows;
        [flushed(self.vector::<V>(rows.along_x, axes)), flushed(self.vector::<V>(rows.along_y, axes))]
    }

    /// The bias of the level of detail, and its clamp.
    #[inline(always)]
    fn adjusted<V: Vector>(&self) -> Adjusted<'a, V> {
        Adjusted { bias: self.row_if::<V>(self.form.rows.bias), clamp: self.row_if::<V>(self.form.rows.clamp) }
    }

    /// The level of detail before any bias.
    #[inline(always)]
    fn level<V: Vector>(&self, source: TexelSource<'_>, hit: Option<&Hit<V>>) -> V {
        match (self.form.level, hit) {
            (LevelSource::Zero, _) => V::splat(0),
            (LevelSource::Given, _) => V::load_written(self.row::<V>(self.form.rows.level.into())).flush(),
            (LevelSource::Derivatives, Some(hit)) => {
                let [x, y] = self.derivatives::<V>(3);
                let ([xu, xv], [yu, yv]) = (hit.derivatives(x), hit.derivatives(y));
                let none = V::splat(0);
                level::of_derivatives(source, [[xu, xv, none], [yu, yv, none]])
            }
            (LevelSource::Derivatives, None) => level::of_derivatives(source, self.derivatives::<V>(source.axes)),
        }
    }

    /// The position of the samples; the point of a cube that they hit, and the lanes that hit none.
    #[inline(always)]
    fn position<S: SamplingShape, V: Vector>(
        &self,
        source: TexelSource<'_>,
    ) -> (SamplePosition<V>, Option<Hit<V>>, u32) {
        let layer = match self.row_if::<V>(self.form.rows.layer) {
            Some(layer) => {
                let layers = if S::IS_CUBE { source.layers / 6 } else { source.layers };
                let layer = level::layer(layers, V::load_written(layer).flush());
                Some(if S::IS_CUBE { layer.mul(V::splat(6)) } else { layer })
            }
            None => None,
        };
        if S::IS_CUBE {
            let hit = Hit::of(flushed(self.vector::<V>(0, 3)));
            let position = SamplePosition::Cube(FacePosition { at: hit.at, face: hit.face, first_layer: layer });
            return (position, Some(hit), hit.left);
        }
        let coordinates = self.vector::<V>(0, source.axes);
        let computed = match self.form.rows.offsets {
            0 => None,
            index => {
                // Six bits, signed.
                let [u, v, _] = self.vector::<V>(index, 2);
                Some([u.shift_left::<26>().shift_signed::<26>(), v.shift_left::<26>().shift_signed::<26>()])
            }
        };
        (SamplePosition::Flat(FlatPosition { coordinates, layer, fixed: self.form.offsets, computed }), None, 0)
    }
}

/// Flushes denormals to zero.
#[inline(always)]
fn flushed<V: Vector>([a, b, c]: [V; 3]) -> [V; 3] {
    [a.flush(), b.flush(), c.flush()]
}

/// The mip levels of the lanes: one, or two.
#[inline(always)]
fn levels_of<S: SamplingShape, V: Vector>(
    source: TexelSource<'_>,
    chosen: &Chosen<V>,
) -> (LevelIndex<V>, Option<LevelIndex<V>>) {
    if !S::HAS_LEVELS || !source.needs_level {
        return (LevelIndex::first(), None);
    }
    let first = LevelIndex::of(chosen.first);
    match chosen.fraction.equal(V::splat(0)).is_ones() {
        true => (first, None),
        false => (first, Some(LevelIndex::of(chosen.second))),
    }
}

/// The state of a filter: room for addresses, and all that the samples of a line share.
struct Filtering<'a, V: Vector> {
    source: TexelSource<'a>,
    calls: Calls,
    levels: (LevelIndex<V>, Option<LevelIndex<V>>),
    fraction: V,
    reference: V,
    gathers: Option<usize>,
    takes_extremes: bool,
    addresses: [MaybeUninit<LinearAddresses<V>>; 2],
}

impl<V: Vector> Filtering<'_, V> {
    /// Samples at a position for the lanes in `now`, and returns the lanes that are left.
    ///
    /// # Safety
    ///
    /// As for [`sample`].
    #[inline(always)]
    unsafe fn at(&mut self, position: &SamplePosition<V>, tap: Tap, now: u32, results: Results) -> u32 {
        let &mut Self { source, calls, ref levels, fraction, reference, gathers, takes_extremes, ref mut addresses } =
            self;
        let [first, second] = addresses;
        let tap = if gathers.is_some() { Tap::Linear } else { tap };
        // SAFETY: the caller promises what the functions require (`sample`); the first slot is initialised from here
        // on, and so is the second one where it is used.
        unsafe {
            calls.address(source, position, &levels.0, tap, now, first.as_mut_ptr());
            let mut both = [first.assume_init_ref(); 2];
            if let Some(component) = gathers {
                return each::gathered(source, both[0], reference, component, calls, results);
            }
            let take = match (&levels.1, tap) {
                (Some(level), _) => {
                    calls.address(source, position, level, tap, now, second.as_mut_ptr());
                    both[1] = second.assume_init_ref();
                    Take::Two { fraction }
                }
                (None, Tap::Point) => Take::One { index: 0, slice: 0 },
                (None, Tap::Linear) => Take::Linear,
            };
            match takes_extremes {
                true => each::extremes(source, both, take, calls, results),
                false => calls.filter(source, both, take, reference, results),
            }
        }
    }
}

/// Samples, and returns the lanes that are left.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
unsafe fn sampled<S: SamplingShape, V: Vector>(source: TexelSource<'_>, part: PacketPart<'_>) -> u32 {
    let PacketPart { form, results, calls, .. } = part;
    let (mut position, hit, mut left) = part.position::<S, V>(source);
    let mut line = None;
    let chosen = match form.level {
        _ if !S::HAS_LEVELS || form.gathers.is_some() => Chosen::first(),
        LevelSource::Derivatives if S::HAS_LINES => {
            let (level, of_derivatives) = SampleLines::of_derivatives(source, part.derivatives::<V>(2));
            line = Some(of_derivatives);
            Chosen::of(source, level, part.adjusted::<V>())
        }
        _ if !source.needs_level && form.rows.clamp == 0 => Chosen::first(),
        _ => Chosen::of(source, part.level::<V>(source, hit.as_ref()), part.adjusted::<V>()),
    };
    left |= chosen.left;
    let mut filtering = Filtering {
        source,
        calls,
        levels: levels_of::<S, V>(source, &chosen),
        fraction: chosen.fraction,
        reference: match part.row_if::<V>(form.rows.reference) {
            Some(reference) => V::load_written(reference),
            None => V::splat(0),
        },
        gathers: form.gathers,
        takes_extremes: source.takes_extremes() && !form.compares,
        addresses: [MaybeUninit::uninit(), MaybeUninit::uninit()],
    };
    if S::HAS_LINES
        && let Some(line) = &line
    {
        let centre = position.coordinates();
        let mut means = Means::new(left);
        let mut rows = [Lanes::<V, u32>::splat(0); 4];
        for index in 0..MOST_ANISOTROPY {
            position.set_coordinates(line.sample(centre, index));
            // All lanes: their results are cheaper to write than those of some.
            let whole = Results::whole::<V>(&mut rows);
            // SAFETY: the caller promises what filters require (`sample`); there are four rows.
            let others = unsafe { filtering.at(&position, Tap::Linear, results.taking_part, whole) };
            let words = [V::load(&rows[0]), V::load(&rows[1]), V::load(&rows[2]), V::load(&rows[3])];
            let sample = Filtered { words, left: others };
            match filtering.takes_extremes {
                true => means.take_extreme(source, index, line.count, sample),
                false => means.take(index, line.count, sample),
            }
            if line.count.more_floats(V::splat_float((index + 1) as f32)).signs() & results.taking_part == 0 {
                break;
            }
        }
        // SAFETY: the caller promises the same.
        return unsafe { results.write(means.finish(filtering.takes_extremes)) };
    }
    let sampler = source.sampler.filter;
    // Lanes that minify, then those that magnify, where the filters differ.
    let minifies = chosen.minifies & results.taking_part;
    let (mut now, mut later) = match sampler.minify == sampler.magnify || minifies == 0 {
        true => (results.taking_part, 0),
        false => (minifies, results.taking_part & !minifies),
    };
    while now != 0 {
        let tap = if now & minifies != 0 { sampler.minify } else { sampler.magnify };
        // SAFETY: the caller promises the same.
        left |= now & unsafe { filtering.at(&position, tap, now, Results { taking_part: now, ..results }) };
        (now, later) = (later, 0);
    }
    left
}

/// The levels of detail of a vector of lanes, as the first two results.
#[inline(always)]
fn queried<S: SamplingShape, V: Vector>(source: TexelSource<'_>, part: PacketPart<'_>) -> Filtered<V> {
    let (level, left) = if S::IS_CUBE {
        let hit = Hit::of(flushed(part.vector::<V>(0, 3)));
        (part.level::<V>(source, Some(&hit)), hit.left)
    } else if S::HAS_LINES && part.form.level == LevelSource::Derivatives {
        (SampleLines::<V>::of_derivatives(source, part.derivatives::<V>(2)).0, 0)
    } else {
        (part.level::<V>(source, None), 0)
    };
    let adjusted = part.adjusted::<V>();
    let level = level::biased(source, level, adjusted.bias);
    let (bounded, beyond) = level::bounded(source, level, adjusted.clamp);
    let level = level.where_set(level.ordered(level), V::splat(NAN_F32));
    // Denormals depend on the float mode.
    let is_same = level.flush().equal(level);
    let none = V::splat(0);
    Filtered {
        words: [level::existing(source, bounded), level, none, none],
        left: left | beyond | !is_same.signs() & V::ALL,
    }
}
