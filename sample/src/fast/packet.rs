//! A vector of a packet's lanes, from their operands to their results: what `lane.rs` does for one.

#![allow(unsafe_code)]

use std::marker::PhantomData;

use brolga_ir::float::NAN_F32;
use brolga_ir::sampling::LevelSource;
use brolga_resource::Tap;

use super::address::{Levels, LinearAddresses, TexelAddress};
use super::cube::Hit;
use super::level::{self, Adjusted, Chosen, Detail};
use super::line::{Line, Means};
use super::vector::{Lanes, Vector};
use super::{Fast, Filtered, Form, Kind};
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
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub form: &'a Form,
    /// Its lanes in the first operand, whose rows `Sampling::args` lists, and in the first result. The next rows are so many words on.
    pub operands: *const u32,
    pub results: *mut u32,
    pub row_lanes: usize,
    /// Mask of the active lanes, not empty.
    pub taking_part: u32,
}

/// Samples for a vector of lanes and writes their results.
///
/// # Safety
///
/// There are as many rows of operands as the instruction has, and four rows for results.
#[inline(always)]
pub(super) unsafe fn sample<K: Kind, S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> u32 {
    // SAFETY: as above.
    unsafe { write(sampled::<K, S, V>(fast, part), part) }
}

/// Writes the levels of detail of a vector of lanes: the one that is sampled, and the one before all clamping.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
pub(super) unsafe fn query<S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> u32 {
    // SAFETY: as above.
    unsafe { write(queried::<S, V>(fast, part), part) }
}

/// Writes the results of lanes that take part, and returns those of them that are left.
///
/// # Safety
///
/// As for [`sample`].
#[inline(always)]
unsafe fn write<V: Vector>(Filtered { words, left }: Filtered<V>, part: Part<'_>) -> u32 {
    let taking_part = V::of_signs(part.taking_part);
    for (n, words) in words.into_iter().enumerate() {
        // SAFETY: there is a row for each.
        let row = unsafe { &mut *part.results.add(n * part.row_lanes).cast::<Lanes<V, u32>>() };
        let words = if part.taking_part == V::ALL { words } else { words.where_set(taking_part, V::load(row)) };
        *row = words.store();
    }
    left & part.taking_part
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
    fn of<S: Shape>(fast: &Fast, Part { form, operands, row_lanes, .. }: Part<'a>) -> Self {
        let axes = if S::IS_CUBE { 3 } else { 2 };
        let mut reader = Reader::<V> { vector: PhantomData, next: operands, row_lanes };
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
    fn nearest(&self, fast: &Fast, level: Levels<V>, texel_bytes: u32) -> TexelAddress<V> {
        let level = level.in_layer(fast, self.layer);
        match self.face {
            Some(_) => TexelAddress::nearest_on_face(self.at, level, texel_bytes),
            None => TexelAddress::nearest(fast, self.at, self.offsets, level, texel_bytes),
        }
    }

    #[inline(always)]
    fn linear(&self, fast: &Fast, level: Levels<V>, texel_bytes: u32) -> LinearAddresses<V> {
        let level = level.in_layer(fast, self.layer);
        match self.face {
            Some(face) => LinearAddresses::on_face(fast, face, self.at, level, texel_bytes),
            None => LinearAddresses::linear(fast, self.at, self.offsets, level, texel_bytes),
        }
    }

    /// What a filter takes there from the levels that were chosen.
    #[inline(always)]
    fn filtered<K: Kind, S: Shape>(&self, fast: &Fast, chosen: Chosen<V>, reference: V) -> Filtered<V> {
        let first = match S::HAS_LEVELS && fast.needs_level {
            true => Levels::of(fast, chosen.first),
            false => Levels::first(fast),
        };
        let one_level = if S::HAS_LEVELS { chosen.fraction.equal(V::splat(0)) } else { V::splat(u32::MAX) };
        if chosen.tap == Tap::Point {
            let words = K::nearest(fast, self.nearest(fast, first, K::TEXEL_BYTES), reference);
            return Filtered { words, left: chosen.left | !one_level.signs() };
        }
        let addresses = self.linear(fast, first, K::TEXEL_BYTES);
        let mut corners = addresses.corners();
        let mut second = None;
        if S::HAS_LEVELS && !one_level.is_ones() {
            let addresses = self.linear(fast, Levels::of(fast, chosen.second), K::TEXEL_BYTES);
            corners |= addresses.corners() & !one_level.signs();
            second = Some((addresses, chosen.fraction));
        }
        let left = if K::HAS_CORNERS { chosen.left } else { chosen.left | corners };
        let filtered = K::linear(fast, addresses, second, reference);
        Filtered { left: left | filtered.left, ..filtered }
    }
}

/// What a vector of lanes samples.
#[inline(always)]
fn sampled<K: Kind, S: Shape, V: Vector>(fast: &Fast, part: Part<'_>) -> Filtered<V> {
    let operands = Operands::<V>::of::<S>(fast, part);
    let form = part.form;
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
        let chosen = Chosen::of(fast, level, operands.adjusted, part.taking_part);
        let mut means = Means::new(left);
        let centre = place.at;
        for index in 0..MOST_ANISOTROPY {
            place.at = line.sample(centre, index);
            means.take(index, line.count, place.filtered::<K, S>(fast, chosen, reference));
            if line.count.more_floats(V::splat_float((index + 1) as f32)).signs() & part.taking_part & !left == 0 {
                break;
            }
        }
        return means.finish();
    }
    let chosen = match S::HAS_LEVELS && (fast.needs_level || form.has_clamp) {
        false => Chosen::first(fast),
        true => {
            let level = level_of(fast, operands.detail, hit);
            Chosen::of(fast, level, operands.adjusted, part.taking_part)
        }
    };
    let filtered = place.filtered::<K, S>(fast, chosen, reference);
    Filtered { left: left | filtered.left, ..filtered }
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
