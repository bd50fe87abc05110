//! A vector of a packet's lanes, from their operands to their results: what `lane.rs` does for one. There is a function for each shape of
//! what is sampled; it calls the filter of the kind of texel.

#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use brolga_ir::float::NAN_F32;
use brolga_ir::sampling::{LevelSource, Offsets};
use brolga_resource::Tap;

use super::Form;
use super::address::{At, Level, LinearAddresses};
use super::cube::{Hit, OnFace};
use super::each;
use super::filter::{Calls, Place, Results, Take};
use super::kind::Filtered;
use super::level::{self, Adjusted, Chosen, Detail};
use super::line::{Line, Means};
use super::source::Source;
use super::vector::{Array, Lanes, Vector};
use crate::MOST_ANISOTROPY;

/// What kind of texture a function is compiled for, so that none carries what others need.
pub(super) trait Shape {
    const IS_CUBE: bool = false;
    const HAS_LEVELS: bool = true;
    const HAS_LINES: bool = false;
    /// Whether it is worth the code of two vectors at once.
    const IS_COMMON: bool = false;
}

/// A texture of which only the first level can be meant.
pub(super) struct Flat;

/// A texture with levels.
pub(super) struct Pyramid;

/// A texture whose texels are taken along lines.
pub(super) struct Lines;

/// A cube.
pub(super) struct Cube;

impl Shape for Flat {
    const HAS_LEVELS: bool = false;
    const IS_COMMON: bool = true;
}

impl Shape for Pyramid {
    const IS_COMMON: bool = true;
}

impl Shape for Lines {
    const HAS_LINES: bool = true;
}

impl Shape for Cube {
    const IS_CUBE: bool = true;
}

/// A vector of a packet's lanes.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub form: &'a Form,
    /// Its lanes in the first operand. `Sampling::args` lists the rows, which are `results.row_lanes` words apart.
    pub operands: *const u32,
    pub results: Results,
    /// For the kind of texel, and for vectors as these.
    pub calls: Calls,
}

/// Samples for a vector of lanes and writes their results.
///
/// # Safety
///
/// There are as many rows of operands as the instruction has, and four rows for results. The filter is for the same kind of vector, and
/// for texels of the texture's size; the processor has the instruction set that it was compiled for.
#[inline(always)]
pub(super) unsafe fn sample<S: Shape, V: Vector>(source: Source<'_>, part: Part<'_>) -> u32 {
    // SAFETY: as above.
    unsafe { sampled::<S, V>(source, part) & part.results.taking_part }
}

/// Writes the levels of detail of a vector of lanes: the one that is sampled, and the one before all clamping.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
pub(super) unsafe fn query<S: Shape, V: Vector>(source: Source<'_>, part: Part<'_>) -> u32 {
    // SAFETY: as above.
    unsafe { part.results.write(queried::<S, V>(source, part)) & part.results.taking_part }
}

/// The operands of a vector of lanes.
struct Operands<'a, V: Vector> {
    /// As many as the texture has axes.
    at: [Option<&'a Lanes<V, u32>>; 3],
    /// The coordinate of the layer.
    layer: Option<&'a Lanes<V, u32>>,
    /// Along u and v, where they are computed.
    offsets: Option<[&'a Lanes<V, u32>; 2]>,
    reference: Option<&'a Lanes<V, u32>>,
    detail: Detail<'a, V>,
    adjusted: Adjusted<'a, V>,
}

/// Rows of operands, one after the other.
struct Reader<'a, V> {
    vector: PhantomData<(&'a (), V)>,
    next: *const u32,
    row_lanes: usize,
}

impl<'a, V: Vector> Reader<'a, V> {
    #[inline(always)]
    fn read(&mut self) -> &'a Lanes<V, u32> {
        let row = self.next.cast::<Lanes<V, u32>>();
        self.next = self.next.wrapping_add(self.row_lanes);
        // SAFETY: there are as many rows as the instruction has operands (`sample`), and none is read twice.
        unsafe { &*row }
    }

    #[inline(always)]
    fn read_if(&mut self, is_there: bool) -> Option<&'a Lanes<V, u32>> {
        if is_there { Some(self.read()) } else { None }
    }

    /// One to three rows.
    #[inline(always)]
    fn vector(&mut self, axes: usize) -> [Option<&'a Lanes<V, u32>>; 3] {
        [Some(self.read()), self.read_if(axes > 1), self.read_if(axes > 2)]
    }
}

impl<'a, V: Vector> Operands<'a, V> {
    #[inline(always)]
    fn of<S: Shape>(source: Source<'_>, Part { form, operands, results, .. }: Part<'a>) -> Self {
        let axes = if S::IS_CUBE { 3 } else { source.axes };
        let mut reader = Reader::<V> { vector: PhantomData, next: operands, row_lanes: results.row_lanes };
        Self {
            at: reader.vector(axes),
            layer: reader.read_if(source.dimension.is_array()),
            offsets: match form.offsets {
                Offsets::Computed => Some([reader.read(), reader.read()]),
                Offsets::Fixed(_) => None,
            },
            reference: reader.read_if(form.compares),
            detail: match form.level {
                _ if !S::HAS_LEVELS => Detail::Zero,
                LevelSource::Zero => Detail::Zero,
                LevelSource::Given => Detail::Given(reader.read()),
                LevelSource::Derivatives => Detail::Derivatives([reader.vector(axes), reader.vector(axes)]),
            },
            adjusted: Adjusted {
                bias: reader.read_if(S::HAS_LEVELS && form.has_bias),
                clamp: reader.read_if(S::HAS_LEVELS && form.has_clamp),
            },
        }
    }
}

/// The levels that lanes take: one, or two.
#[inline(always)]
fn levels_of<S: Shape, V: Vector>(source: Source<'_>, chosen: &Chosen<V>) -> (Level<V>, Option<Level<V>>) {
    if !S::HAS_LEVELS || !source.needs_level {
        return (Level::first(), None);
    }
    let first = Level::of(chosen.first);
    match chosen.fraction.equal(V::splat(0)).is_ones() {
        true => (first, None),
        false => (first, Some(Level::of(chosen.second))),
    }
}

/// What a filter is done with: room for addresses, and what does not change from one sample of a line to the next.
struct Filtering<'a, V: Vector> {
    source: Source<'a>,
    calls: Calls,
    levels: (Level<V>, Option<Level<V>>),
    fraction: V,
    reference: V,
    gathers: Option<usize>,
    takes_extremes: bool,
    addresses: [MaybeUninit<LinearAddresses<V>>; 2],
}

impl<V: Vector> Filtering<'_, V> {
    /// Samples at a place, and returns the lanes that are left.
    ///
    /// # Safety
    ///
    /// As for [`sample`].
    #[inline(always)]
    unsafe fn at(&mut self, place: &Place<V>, tap: Tap, results: Results) -> u32 {
        let &mut Self { source, calls, ref levels, fraction, reference, gathers, takes_extremes, ref mut addresses } =
            self;
        let (now, [first, second]) = (results.taking_part, addresses);
        let tap = if gathers.is_some() { Tap::Linear } else { tap };
        // SAFETY: as above; the first place has addresses from here on, and so has the second one where it is used.
        unsafe {
            calls.address(source, place, &levels.0, tap, now, first.as_mut_ptr());
            let mut both = [first.assume_init_ref(); 2];
            if let Some(component) = gathers {
                return each::gathered(source, both[0], reference, component, calls, results);
            }
            let take = match (&levels.1, tap) {
                (Some(level), _) => {
                    calls.address(source, place, level, tap, now, second.as_mut_ptr());
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
unsafe fn sampled<S: Shape, V: Vector>(source: Source<'_>, part: Part<'_>) -> u32 {
    let Part { form, results, calls, .. } = part;
    let operands = Operands::<V>::of::<S>(source, part);
    let (place, hit, mut left) = placed::<S, V>(source, form, &operands);
    let mut line = None;
    let chosen = match operands.detail {
        _ if !S::HAS_LEVELS || form.gathers.is_some() => Chosen::first(),
        Detail::Derivatives([x, y]) if S::HAS_LINES => {
            let (level, of_derivatives) = Line::of_derivatives(source, [flushed(x), flushed(y)]);
            line = Some(of_derivatives);
            Chosen::of(source, level, operands.adjusted)
        }
        _ if !source.needs_level && !form.has_clamp => Chosen::first(),
        detail => Chosen::of(source, level_of(source, detail, hit), operands.adjusted),
    };
    left |= chosen.left;
    let mut filtering = Filtering {
        source,
        calls,
        levels: levels_of::<S, V>(source, &chosen),
        fraction: chosen.fraction,
        reference: match operands.reference {
            Some(reference) => V::load_written(reference),
            None => V::splat(0),
        },
        gathers: form.gathers,
        takes_extremes: source.takes_extremes() && !form.compares,
        addresses: [MaybeUninit::uninit(), MaybeUninit::uninit()],
    };
    if S::HAS_LINES
        && let (Some(line), Place::Flat(at)) = (&line, &place)
    {
        let mut means = Means::new(left);
        for index in 0..MOST_ANISOTROPY {
            let [u, v] = line.sample([at.coordinates[0], at.coordinates[1]], index);
            let place = Place::Flat(At { coordinates: [u, v, at.coordinates[2]], ..*at });
            let mut rows = [Lanes::<V, u32>::splat(0); 4];
            let whole = Results { taking_part: results.taking_part, ..Results::whole::<V>(&mut rows) };
            // SAFETY: as above; there are four rows.
            let others = unsafe { filtering.at(&place, Tap::Linear, whole) };
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
        // SAFETY: as above.
        return unsafe { results.write(means.finish(filtering.takes_extremes)) };
    }
    let sampler = source.sampler.filter;
    // Lanes that minify, then those that magnify, where these have another filter.
    let minifies = chosen.minifies & results.taking_part;
    let (mut now, mut later) = match sampler.minify == sampler.magnify || minifies == 0 {
        true => (results.taking_part, 0),
        false => (minifies, results.taking_part & !minifies),
    };
    while now != 0 {
        let tap = if now & minifies != 0 { sampler.minify } else { sampler.magnify };
        // SAFETY: as above.
        left |= now & unsafe { filtering.at(&place, tap, Results { taking_part: now, ..results }) };
        (now, later) = (later, 0);
    }
    left
}

/// Where lanes sample; the face of a cube that they hit, and those that hit none.
#[inline(always)]
fn placed<S: Shape, V: Vector>(
    source: Source<'_>,
    form: &Form,
    operands: &Operands<'_, V>,
) -> (Place<V>, Option<Hit<V>>, u32) {
    let parts = if S::IS_CUBE { 6 } else { 1 };
    let layer = match operands.layer {
        Some(layer) => {
            let layer = level::layer(source.layers / parts, V::load_written(layer).flush());
            Some(if S::IS_CUBE { layer.mul(V::splat(parts)) } else { layer })
        }
        None => None,
    };
    if S::IS_CUBE {
        let hit = Hit::of(flushed(operands.at));
        let place = Place::Cube(OnFace { at: hit.at, face: hit.face, first_layer: layer });
        return (place, Some(hit), hit.left);
    }
    let coordinates = loaded(operands.at);
    let computed = match operands.offsets {
        Some([u, v]) => {
            // Six bits, signed.
            let (u, v) = (V::load_written(u).shift_left::<26>(), V::load_written(v).shift_left::<26>());
            Some([u.shift_signed::<26>(), v.shift_signed::<26>()])
        }
        None => None,
    };
    let fixed = match form.offsets {
        Offsets::Fixed(fixed) => fixed,
        Offsets::Computed => [0; 3],
    };
    (Place::Flat(At { coordinates, layer, fixed, computed }), None, 0)
}

/// The levels of detail of a vector of lanes, as the first two results.
#[inline(always)]
fn queried<S: Shape, V: Vector>(source: Source<'_>, part: Part<'_>) -> Filtered<V> {
    let operands = Operands::<V>::of::<S>(source, part);
    let (level, left) = match operands.detail {
        Detail::Derivatives([x, y]) if S::HAS_LINES => {
            let (level, _) = Line::<V>::of_derivatives(source, [flushed(x), flushed(y)]);
            (level, 0)
        }
        detail if S::IS_CUBE => {
            let hit = Hit::of(flushed(operands.at));
            (level_of(source, detail, Some(hit)), hit.left)
        }
        detail => (level_of(source, detail, None), 0),
    };
    let level = level::biased(source, level, operands.adjusted.bias);
    let (bounded, beyond) = level::bounded(source, level, operands.adjusted.clamp);
    let level = level.where_set(level.ordered(level), V::splat(NAN_F32));
    // Whether a denormal stays depends on the float mode.
    let is_same = level.flush().equal(level);
    let none = V::splat(0);
    Filtered {
        words: [level::existing(source, bounded), level, none, none],
        left: left | beyond | !is_same.signs() & V::ALL,
    }
}

/// The level of detail, before anything is added to it.
#[inline(always)]
fn level_of<V: Vector>(source: Source<'_>, detail: Detail<'_, V>, hit: Option<Hit<V>>) -> V {
    match detail {
        Detail::Zero => V::splat(0),
        Detail::Given(level) => V::load_written(level).flush(),
        Detail::Derivatives([x, y]) => {
            let (x, y) = (flushed(x), flushed(y));
            match hit {
                Some(hit) => {
                    let ([xu, xv], [yu, yv]) = (hit.derivatives(x), hit.derivatives(y));
                    let none = V::splat(0);
                    level::of_derivatives(source, [[xu, xv, none], [yu, yv, none]])
                }
                None => level::of_derivatives(source, [x, y]),
            }
        }
    }
}

/// Up to three operands; those that there are not are 0.
#[inline(always)]
fn loaded<V: Vector>([a, b, c]: [Option<&Lanes<V, u32>>; 3]) -> [V; 3] {
    [load(a), load(b), load(c)]
}

#[inline(always)]
fn load<V: Vector>(lanes: Option<&Lanes<V, u32>>) -> V {
    match lanes {
        Some(lanes) => V::load_written(lanes),
        None => V::splat(0),
    }
}

#[inline(always)]
fn flushed<V: Vector>(lanes: [Option<&Lanes<V, u32>>; 3]) -> [V; 3] {
    let [a, b, c]: [V; 3] = loaded(lanes);
    [a.flush(), b.flush(), c.flush()]
}
