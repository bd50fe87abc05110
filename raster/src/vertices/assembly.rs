//! Assembles primitives from vertices: topologies, primitive restart, batches (functional specification, 8.10 and
//! 8.12).
//!
//! A draw reads a sequence of *positions*: slots of the index buffer, or the vertices themselves. Batches cut it into
//! pieces that any worker can process by itself.

use std::ops::Range;

use brolga_ir::pipeline::record::SLOTS;
use brolga_ir::stage::InputPrimitive;

use crate::state::Topology;
use crate::vertices::indices::Indices;

/// The most primitives in a batch.
pub const BATCH_PRIMITIVES: u32 = 1024;

/// The most vertices that a geometry shader may emit for a batch, if there is more than one primitive.
const BATCH_EMITTED: u32 = 16_384;

/// Positions that a batch may read per primitive before it ends at a restart: more than any primitive needs.
const RESTARTED: u32 = 8;

/// Consecutive primitives of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// The first position to read.
    pub first: u32,
    /// Positions to read, restarts included.
    pub count: u32,
    /// Primitives of its first strip that come before it.
    pub strip: u32,
    /// The index of its first primitive within the instance.
    pub primitive: u32,
    /// Vertices at its start that the batch before reads too.
    pub shared: u32,
}

impl Batch {
    /// Number of vertices that it reads and the batches before it do not.
    pub fn vertices(self, is_restart: Option<impl Fn(u32) -> bool>) -> u64 {
        let positions = self.first..self.first + self.count;
        let restarts = is_restart.map_or(0, |is_restart| positions.filter(|&position| is_restart(position)).count());
        u64::from(self.count) - restarts as u64 - u64::from(self.shared)
    }
}

/// The positions of a primitive's vertices: the provoking vertex first, with the winding of the list or strip. A line
/// repeats its first as the third, and a point has three times the same.
pub type Positions = [u32; 3];

/// A primitive among the positions of a batch.
#[derive(Clone, Copy)]
struct Window {
    /// The first of the positions that it begins with.
    start: u32,
    /// Its number in its strip.
    number: u32,
    /// `true` if no primitive of its strip follows.
    is_last: bool,
}

impl Topology {
    /// `true` if primitives share no vertices.
    fn is_list(self) -> bool {
        self.step() == self.whole()
    }

    /// `true` if primitives have adjacent vertices.
    pub(super) fn has_adjacent(self) -> bool {
        matches!(self.primitive(), InputPrimitive::LineAdjacent | InputPrimitive::TriangleAdjacent)
    }

    /// Positions of a primitive.
    fn whole(self) -> u32 {
        self.primitive().vertices()
    }

    /// Positions from one primitive to the next.
    fn step(self) -> u32 {
        match self {
            Topology::LineStrip | Topology::TriangleStrip | Topology::TriangleFan | Topology::LineStripAdjacent => 1,
            Topology::TriangleStripAdjacent => 2,
            _ => self.whole(),
        }
    }

    /// Positions before a primitive that it looks at, too, if it is not the first of its strip.
    fn before(self) -> u32 {
        if self == Topology::TriangleStripAdjacent { 2 } else { 0 }
    }

    /// Cuts `count` positions into batches of at most `most` primitives. With primitive restart, `is_restart` tells the
    /// positions that hold one: an incomplete primitive before it is dropped. A batch has no more than a few times as
    /// many positions, so with restarts it may have no primitive at all. Ends early once `take` returns `false`.
    pub fn batches(
        self,
        count: u32,
        most: u32,
        is_restart: Option<impl Fn(u32) -> bool>,
        mut take: impl FnMut(Batch) -> bool,
    ) {
        let (whole, step) = (self.whole(), self.step());
        if self.is_list() && is_restart.is_none() {
            let primitives = count / whole;
            for primitive in (0..primitives).step_by(most as usize) {
                let count = most.min(primitives - primitive) * whole;
                if !take(Batch { first: primitive * whole, count, strip: 0, primitive, shared: 0 }) {
                    return;
                }
            }
            return;
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let most_positions = most.saturating_mul(RESTARTED.max(2 * whole));
        let mut batch = Batch { first: 0, count: 0, strip: 0, primitive: 0, shared: 0 };
        // Where the next primitive begins, its number in its strip, and primitives in the batch.
        let (mut start, mut number, mut primitives) = (0, 0, 0);
        for position in 0..count {
            let is_restarted = restarts(position);
            if is_restarted {
                (start, number) = (position + 1, 0);
            } else if position + 1 - start == whole {
                (start, number) = (start + step, number + 1);
                primitives += 1;
            }
            let end = position + 1;
            if primitives == most {
                batch.count = end - batch.first;
                if !take(batch) {
                    return;
                }
                // The next primitive of a strip shares all but a few of its vertices with this one.
                let is_strip = !self.is_list();
                let first = if is_strip { start - self.before() } else { start };
                let strip = if is_strip { number } else { 0 };
                batch = Batch { first, count: 0, strip, primitive: batch.primitive + most, shared: end - first };
                primitives = 0;
            } else if is_restarted && position - batch.first >= most_positions {
                batch.count = end - batch.first;
                if !take(batch) {
                    return;
                }
                let primitive = batch.primitive + primitives;
                batch = Batch { first: end, count: 0, strip: 0, primitive, shared: 0 };
                primitives = 0;
            }
        }
        if primitives > 0 {
            take(Batch { count: count - batch.first, ..batch });
        }
    }

    /// Calls `visit` for each primitive of a batch, in order; `count` is the number of all positions.
    #[inline]
    fn windows(
        self,
        batch: Batch,
        count: u32,
        is_restart: Option<impl Fn(u32) -> bool>,
        mut visit: impl FnMut(Window),
    ) {
        let (whole, step) = (self.whole(), self.step());
        let end = batch.first + batch.count;
        if self.is_list() && is_restart.is_none() {
            let window = |start| Window { start, number: 0, is_last: true };
            return (batch.first..end).step_by(whole as usize).for_each(|start| visit(window(start)));
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let before = if batch.strip > 0 { self.before() } else { 0 };
        let (mut start, mut number) = (batch.first + before, batch.strip);
        for position in batch.first + before..end {
            if restarts(position) {
                (start, number) = (position + 1, 0);
            } else if position + 1 - start == whole {
                let mut next = position + 1..(position + 1).saturating_add(step);
                // Only strips that look beyond a primitive ask.
                let is_last = self.before() > 0 && (next.end > count || next.any(restarts));
                visit(Window { start, number, is_last });
                (start, number) = (start + step, number + 1);
            }
        }
    }

    /// Calls `visit` for each primitive of a batch, in order, with its own vertices, without adjacent ones. Patches have
    /// a primitive for each control point.
    #[inline]
    pub fn primitives(
        self,
        batch: Batch,
        count: u32,
        is_restart: Option<impl Fn(u32) -> bool>,
        mut visit: impl FnMut(Positions),
    ) {
        self.windows(batch, count, is_restart, |Window { start: a, number, .. }| {
            let is_odd = number % 2 == 1;
            visit(match self {
                Topology::PointList => [a; 3],
                Topology::LineList | Topology::LineStrip => [a, a + 1, a],
                Topology::TriangleFan => [a + 1, a + 2, 0],
                Topology::TriangleStrip if is_odd => [a, a + 2, a + 1],
                Topology::TriangleList | Topology::TriangleStrip => [a, a + 1, a + 2],
                Topology::LineListAdjacent | Topology::LineStripAdjacent => [a + 1, a + 2, a + 1],
                Topology::TriangleStripAdjacent if is_odd => [a, a + 4, a + 2],
                Topology::TriangleListAdjacent | Topology::TriangleStripAdjacent => [a, a + 2, a + 4],
                patches => return (a..a + patches.whole()).for_each(|point| visit([point; 3])),
            });
        });
    }

    /// The same with all vertices of a primitive, in the order in which a geometry shader has them.
    pub fn whole_primitives(
        self,
        batch: Batch,
        count: u32,
        is_restart: Option<impl Fn(u32) -> bool>,
        mut visit: impl FnMut(&[u32]),
    ) {
        let whole = self.whole() as usize;
        self.windows(batch, count, is_restart, |Window { start: a, number, is_last }| {
            let mut all: [u32; InputPrimitive::MOST_VERTICES as usize] = std::array::from_fn(|n| a + n as u32);
            match self {
                Topology::TriangleStrip if number % 2 == 1 => all.swap(1, 2),
                Topology::TriangleFan => all[..3].copy_from_slice(&[a + 1, a + 2, 0]),
                // Vertices opposite to the edges to the triangles before and after it.
                Topology::TriangleStripAdjacent => {
                    let before = if number == 0 { a + 1 } else { a - 2 };
                    let after = if is_last { a + 5 } else { a + 6 };
                    let whole = match number % 2 {
                        0 => [a, before, a + 2, after, a + 4, a + 3],
                        _ => [a, a + 3, a + 4, after, a + 2, before],
                    };
                    all[..6].copy_from_slice(&whole);
                }
                _ => {}
            }
            visit(&all[..whole]);
        });
    }
}

/// The input assembler's state: the vertices that a draw reads, and the primitives that they form.
#[derive(Debug)]
pub struct InputAssembler {
    /// The primitive topology.
    pub topology: Topology,
    /// Positions to read per instance.
    pub count: u32,
    /// The indices of an indexed draw.
    pub indices: Option<Indices>,
    /// The restart index, if primitive restart is possible.
    pub restart: Option<u32>,
    /// The offset that is added to each index, or the first vertex.
    pub base_vertex: u32,
    /// Number of instances.
    pub instances: u32,
    /// The first instance.
    pub first_instance: u32,
    /// Stride of each vertex buffer in bytes.
    pub strides: [u32; SLOTS as usize],
    /// The most primitives of a batch: see [`batch_primitives`].
    pub batch_primitives: u32,
}

/// The most primitives of a batch, for each of which a geometry shader may emit so many vertices; 0 without one.
pub fn batch_primitives(emitted: u32) -> u32 {
    BATCH_EMITTED.checked_div(emitted).map_or(BATCH_PRIMITIVES, |most| most.clamp(1, BATCH_PRIMITIVES))
}

impl InputAssembler {
    /// The index at a position.
    pub fn index(&self, position: u32) -> u32 {
        self.indices.as_ref().map_or(position, |indices| indices.get(position))
    }

    /// A predicate for the positions of restarts; `None` without them.
    pub fn is_restart(&self) -> Option<impl Fn(u32) -> bool + '_> {
        self.restart.map(|restart| move |position| self.index(position) == restart)
    }

    /// The most instances in a batch: more than one if a batch has room for all of their primitives.
    pub fn instances_of_batch(&self) -> u32 {
        if self.topology.is_list() && self.restart.is_none() {
            let primitives = self.count / self.topology.whole();
            return self.batch_primitives.checked_div(primitives).map_or(1, |instances| instances.max(1));
        }
        let mut batches = Vec::new();
        self.topology.batches(self.count, self.batch_primitives, self.is_restart(), |batch| {
            batches.push(batch);
            batches.len() == 1
        });
        let [only] = batches[..] else { return 1 };
        let mut primitives = 0;
        self.topology.primitives(only, self.count, self.is_restart(), |_| primitives += 1);
        (self.batch_primitives / primitives.max(1)).max(1)
    }

    /// Calls `take` for each batch of `of_batch` instances with the range of these, in order, until it fails.
    pub fn batches<E>(&self, of_batch: u32, mut take: impl FnMut(Batch, Range<u32>) -> Result<(), E>) -> Result<(), E> {
        for first in (0..self.instances).step_by(of_batch as usize) {
            let instances = first..self.instances.min(first.saturating_add(of_batch));
            let (mut is_empty, mut result) = (true, Ok(()));
            self.topology.batches(self.count, self.batch_primitives, self.is_restart(), |batch| {
                is_empty = false;
                result = take(batch, instances.clone());
                result.is_ok()
            });
            result?;
            if is_empty {
                // The same holds for all other instances.
                break;
            }
        }
        Ok(())
    }
}
