//! A vector of a packet's lanes, from their operands to their results: what `lane.rs` does for one. There is a function for each shape of
//! what is sampled; it calls the filter of the kind of texel.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use brolga_ir::float::NAN_F32;
use brolga_ir::sampling::LevelSource;
use brolga_resource::Tap;

use super::address::{Levels, LinearAddresses, TexelAddress};
use super::cube::Hit;
use super::filter::{FilterFn, Results, Selection};
use super::level::{self, Adjusted, Chosen, Detail};
use super::line::{Line, Means};
use super::vector::{Array, Lanes, Vector};
use super::{Fast, Filtered, Form};
use crate::MOST_ANISOTROPY;

/// What kind of texture a function is compiled for, so that none carries what others need.
pub(super) trait Shape {
    const IS_CUBE: bool;
    const HAS_LEVELS: bool;
    const HAS_LINES: bool = false;
    /// Whether it is worth the code of two vectors at once.
    const IS_COMMON: bool = false;
}

/// A 2D texture of which only the first level can be meant.
pub(super) struct Flat;

/// A 2D texture with levels.
pub(super) struct Pyramid;

/// A 2D texture whose texels are taken along lines.
pub(super) struct Lines;

/// A cube.
pub(super) struct Cube;

impl Shape for Flat {
    const IS_CUBE: bool = false;
    const HAS_LEVELS: bool = false;
    const IS_COMMON: bool = true;
}

impl Shape for Pyramid {
    const IS_CUBE: bool = false;
    const HAS_LEVELS: bool = true;
    const IS_COMMON: bool = true;
}

impl Shape for Lines {
    const IS_CUBE: bool = false;
    const HAS_LEVELS: bool = true;
    const HAS_LINES: bool = true;
}

impl Shape for Cube {
    const IS_CUBE: bool = true;
    const HAS_LEVELS: bool = true;
}

/// A vector of a packet's lanes.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    pub form: &'a Form,
    /// Its lanes in the first operand. `Sampling::args` lists the rows, which are `results.row_lanes` words apart.
    pub operands: *const u32,
    pub results: Results,
    /// For the kind of texel, and for vectors as these.
    pub filter: FilterFn,
}

/// Samples for a vector of lanes and writes their results.
///
/// # Safety
///
/// There are as many rows of operands as the instruction has, and four rows for results. The filter is for the same kind of vector, and
/// for texels of the texture's size; the processor has the instruction set that it was compiled for.
#[inline(always)]
pub(super) unsafe fn sample<S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> u32 {
    // SAFETY: as above.
    unsafe { sampled::<S, V>(fast, part) & part.results.taking_part }
}

/// Writes the levels of detail of a vector of lanes: the one that is sampled, and the one before all clamping.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
pub(super) unsafe fn query<S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> u32 {
    // SAFETY: as above.
    unsafe { part.results.write(queried::<S, V>(fast, part)) & part.results.taking_part }
}

/// The operands of a vector of lanes.
struct Operands<'a, V: Vector> {
    /// As many as the texture has axes.
    at: [&'a Lanes<V, u32>; 3],
    /// The coordinate of the layer.
    layer: Option<&'a Lanes<V, u32>>,
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

    /// Two rows, or three.
    #[inline(always)]
    fn vector(&mut self, axes: usize) -> [&'a Lanes<V, u32>; 3] {
        let (u, v) = (self.read(), self.read());
        [u, v, if axes == 3 { self.read() } else { v }]
    }
}

impl<'a, V: Vector> Operands<'a, V> {
    #[inline(always)]
    fn of<S: Shape>(fast: &Fast, Part { form, operands, results, .. }: Part<'a>) -> Self {
        let axes = if S::IS_CUBE { 3 } else { 2 };
        let mut reader = Reader::<V> { vector: PhantomData, next: operands, row_lanes: results.row_lanes };
        Self {
            at: reader.vector(axes),
            layer: reader.read_if(fast.dimension.is_array()),
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

/// Where a vector of lanes samples.
#[derive(Clone, Copy)]
struct Place<V> {
    /// On the face of a cube.
    at: [V; 2],
    face: Option<V>,
    layer: Option<V>,
    offsets: [u32; 2],
}

impl<V: Vector> Place<V> {
    #[inline(always)]
    fn nearest(&self, fast: &Fast, level: Levels<V>) -> TexelAddress<V> {
        let level = level.in_layer(fast, self.layer);
        match self.face {
            Some(_) => TexelAddress::nearest_on_face(self.at, level),
            None => TexelAddress::nearest(fast, self.at, self.offsets, level),
        }
    }

    #[inline(always)]
    fn linear(&self, fast: &Fast, level: Levels<V>) -> LinearAddresses<V> {
        let level = level.in_layer(fast, self.layer);
        match self.face {
            Some(face) => LinearAddresses::on_face(fast, face, self.at, level),
            None => LinearAddresses::linear(fast, self.at, self.offsets, level),
        }
    }

    /// What a filter takes there from the levels that were chosen, and the lanes that need another filter.
    #[inline(always)]
    fn selection<S: Shape>(&self, fast: &Fast, chosen: Chosen<V>) -> (Selection<V>, u32) {
        let first = match S::HAS_LEVELS && fast.needs_level {
            true => Levels::of(fast, chosen.first),
            false => Levels::first(fast),
        };
        let one_level = if S::HAS_LEVELS { chosen.fraction.equal(V::splat(0)) } else { V::splat(u32::MAX) };
        if chosen.tap == Tap::Point {
            return (Selection::Nearest(self.nearest(fast, first)), chosen.left | !one_level.signs());
        }
        let first = self.linear(fast, first);
        let selection = match S::HAS_LEVELS && !one_level.is_ones() {
            true => {
                let second = self.linear(fast, Levels::of(fast, chosen.second));
                Selection::Two { first, second, fraction: chosen.fraction }
            }
            false => Selection::Linear(first),
        };
        (selection, chosen.left)
    }
}

/// Samples, and returns the lanes that are left.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
unsafe fn sampled<S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> u32 {
    let Part { form, results, filter, .. } = part;
    let operands = Operands::<V>::of::<S>(fast, part);
    let [u, v, w] = operands.at;
    let mut place =
        Place { at: [V::load_written(u), V::load_written(v)], face: None, layer: None, offsets: form.offsets };
    if let Some(layer) = operands.layer {
        let parts = if S::IS_CUBE { 6 } else { 1 };
        place.layer = Some(level::layer(fast.layers / parts, V::load_written(layer).flush()).mul(V::splat(parts)));
    }
    let (mut hit, mut left) = (None, 0);
    if S::IS_CUBE {
        let on_face = Hit::of([place.at[0].flush(), place.at[1].flush(), V::load_written(w).flush()]);
        place.at = on_face.at;
        place.face = Some(on_face.face);
        place.layer = Some(match place.layer {
            Some(layer) => layer.add(on_face.face),
            None => on_face.face,
        });
        left = on_face.left;
        hit = Some(on_face);
    }
    let reference = match operands.reference {
        Some(reference) => V::load_written(reference),
        None => V::splat(0),
    };
    if S::HAS_LINES
        && let Detail::Derivatives([x, y]) = operands.detail
    {
        let (x, y) = (flushed(x), flushed(y));
        let (level, line, left) = Line::of_derivatives(fast, [[x[0], x[1]], [y[0], y[1]]]);
        let chosen = Chosen::of(fast, level, operands.adjusted, results.taking_part);
        let mut means = Means::new(left);
        let centre = place.at;
        for index in 0..MOST_ANISOTROPY {
            place.at = line.sample(centre, index);
            let (selection, others) = place.selection::<S>(fast, chosen);
            let mut rows = [Lanes::<V, u32>::splat(0); 4];
            // SAFETY: as above; there are four rows.
            let others = unsafe { others | selection.filter(fast, reference, filter, Results::whole::<V>(&mut rows)) };
            let words = [V::load(&rows[0]), V::load(&rows[1]), V::load(&rows[2]), V::load(&rows[3])];
            means.take(index, line.count, Filtered { words, left: others });
            if line.count.more_floats(V::splat_float((index + 1) as f32)).signs() & results.taking_part & !left == 0 {
                break;
            }
        }
        // SAFETY: as above.
        return unsafe { results.write(means.finish()) };
    }
    let chosen = match S::HAS_LEVELS && (fast.needs_level || form.has_clamp) {
        false => Chosen::first(fast),
        true => {
            let level = level_of(fast, operands.detail, hit);
            Chosen::of(fast, level, operands.adjusted, results.taking_part)
        }
    };
    let (selection, others) = place.selection::<S>(fast, chosen);
    // SAFETY: as above.
    unsafe { left | others | selection.filter(fast, reference, filter, results) }
}

/// The levels of detail of a vector of lanes, as the first two results.
#[inline(always)]
fn queried<S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> Filtered<V> {
    let operands = Operands::<V>::of::<S>(fast, part);
    let [u, v, w] = operands.at;
    let (level, left) = match operands.detail {
        Detail::Derivatives([x, y]) if S::HAS_LINES => {
            let (x, y) = (flushed(x), flushed(y));
            let (level, _, left) = Line::<V>::of_derivatives(fast, [[x[0], x[1]], [y[0], y[1]]]);
            (level, left)
        }
        detail if S::IS_CUBE => {
            let hit = Hit::of(flushed([u, v, w]));
            (level_of(fast, detail, Some(hit)), hit.left)
        }
        detail => (level_of(fast, detail, None), 0),
    };
    let level = level::biased(fast, level, operands.adjusted.bias);
    let (bounded, beyond) = level::bounded(fast, level, operands.adjusted.clamp);
    let level = level.where_set(level.ordered(level), V::splat(NAN_F32));
    // Whether a denormal stays depends on the float mode.
    let is_same = level.flush().equal(level);
    let none = V::splat(0);
    Filtered {
        words: [level::existing(fast, bounded), level, none, none],
        left: left | beyond | !is_same.signs() & V::ALL,
    }
}

/// The level of detail, before anything is added to it.
#[inline(always)]
fn level_of<V: Vector>(fast: &Fast, detail: Detail<'_, V>, hit: Option<Hit<V>>) -> V {
    match detail {
        Detail::Zero => V::splat(0),
        Detail::Given(level) => V::load_written(level).flush(),
        Detail::Derivatives([x, y]) => {
            let (x, y) = (flushed(x), flushed(y));
            match hit {
                Some(hit) => level::of_derivatives(fast, [hit.derivatives(x), hit.derivatives(y)]),
                None => level::of_derivatives(fast, [[x[0], x[1]], [y[0], y[1]]]),
            }
        }
    }
}

#[inline(always)]
fn flushed<V: Vector>([a, b, c]: [&Lanes<V, u32>; 3]) -> [V; 3] {
    [V::load_written(a).flush(), V::load_written(b).flush(), V::load_written(c).flush()]
}
