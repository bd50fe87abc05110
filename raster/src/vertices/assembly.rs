//! Assembles primitives from vertices: topologies, primitive restart, batches (functional specification, 8.10 and
//! 8.12).
//!
//! A draw reads a sequence of *positions*: slots of the index buffer, or the vertices themselves. Batches cut it into
//! pieces that any worker can process by itself.

use std::ops::Range;

use brolga_ir::pipeline::record::SLOTS;

use crate::state::{Kind, Topology};
use crate::vertices::indices::Indices;

/// The most primitives in a batch.
pub const BATCH_PRIMITIVES: u32 = 1024;

/// Positions that a batch may read per primitive before it ends at a restart: more than any primitive needs.
const RESTARTED: u32 = 8;

/// Consecutive primitives of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// The first position to read.
    pub first: u32,
    /// Positions to read, restarts included.
    pub count: u32,
    /// `true` if its first triangle is an odd one of the strip.
    pub is_odd: bool,
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

impl Topology {
    /// `true` if primitives share no vertices.
    fn is_list(self) -> bool {
        match self {
            Topology::PointList | Topology::LineList | Topology::TriangleList => true,
            Topology::LineStrip | Topology::TriangleStrip | Topology::TriangleFan => false,
        }
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
        let (is_list, whole) = (self.is_list(), self.kind().vertices());
        if is_list && is_restart.is_none() {
            let primitives = count / whole;
            for primitive in (0..primitives).step_by(most as usize) {
                let batch = Batch {
                    first: primitive * whole,
                    count: most.min(primitives - primitive) * whole,
                    is_odd: false,
                    primitive,
                    shared: 0,
                };
                if !take(batch) {
                    return;
                }
            }
            return;
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let most_positions = most.saturating_mul(RESTARTED);
        let mut batch = Batch { first: 0, count: 0, is_odd: false, primitive: 0, shared: 0 };
        // Vertices since the last restart, and primitives in the batch.
        let (mut vertices, mut primitives) = (0_u32, 0);
        for position in 0..count {
            let is_restarted = restarts(position);
            vertices = if is_restarted { 0 } else { vertices + 1 };
            let is_whole = vertices >= whole;
            primitives += u32::from(is_whole);
            if is_list && is_whole {
                vertices = 0;
            }
            if primitives == most {
                batch.count = position + 1 - batch.first;
                if !take(batch) {
                    return;
                }
                // The next primitive of a strip shares all but one of its vertices with this one.
                let first = if is_list { position + 1 } else { position + 2 - whole };
                let is_odd = self == Topology::TriangleStrip && vertices % 2 == 1;
                let shared = position + 1 - first;
                batch = Batch { first, count: 0, is_odd, primitive: batch.primitive + most, shared };
                primitives = 0;
            } else if is_restarted && position - batch.first >= most_positions {
                batch.count = position + 1 - batch.first;
                if !take(batch) {
                    return;
                }
                let primitive = batch.primitive + primitives;
                batch = Batch { first: position + 1, count: 0, is_odd: false, primitive, shared: 0 };
                primitives = 0;
            }
        }
        if primitives > 0 {
            take(Batch { count: count - batch.first, ..batch });
        }
    }

    /// Calls `visit` for each primitive of a batch, in order.
    pub fn primitives(self, batch: Batch, is_restart: Option<impl Fn(u32) -> bool>, mut visit: impl FnMut(Positions)) {
        let end = batch.first + batch.count;
        let (is_list, whole) = (self.is_list(), self.kind().vertices());
        // Those of the primitive that starts at a position.
        let positions = |first: u32| match self.kind() {
            Kind::Point => [first; 3],
            Kind::Line => [first, first + 1, first],
            Kind::Triangle => [first, first + 1, first + 2],
        };
        if is_list && is_restart.is_none() {
            return (batch.first..end).step_by(whole as usize).for_each(|first| visit(positions(first)));
        }
        let restarts = |position| is_restart.as_ref().is_some_and(|is_restart| is_restart(position));
        let (mut vertices, mut is_odd) = (0, batch.is_odd);
        for position in batch.first..end {
            if restarts(position) {
                (vertices, is_odd) = (0, false);
                continue;
            }
            vertices += 1;
            if vertices >= whole {
                let [a, b, c] = positions(position + 1 - whole);
                visit(match self {
                    Topology::TriangleFan => [b, c, 0],
                    _ if is_odd => [a, c, b],
                    _ => [a, b, c],
                });
                vertices = if is_list { 0 } else { vertices };
                is_odd = self == Topology::TriangleStrip && !is_odd;
            }
        }
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
            let primitives = self.count / self.topology.kind().vertices();
            return BATCH_PRIMITIVES.checked_div(primitives).map_or(1, |instances| instances.max(1));
        }
        let mut batches = Vec::new();
        self.topology.batches(self.count, BATCH_PRIMITIVES, self.is_restart(), |batch| {
            batches.push(batch);
            batches.len() == 1
        });
        let [only] = batches[..] else { return 1 };
        let mut primitives = 0;
        self.topology.primitives(only, self.is_restart(), |_| primitives += 1);
        BATCH_PRIMITIVES / primitives.max(1)
    }

    /// Calls `take` for each batch of `of_batch` instances with the range of these, in order, until it fails.
    pub fn batches<E>(&self, of_batch: u32, mut take: impl FnMut(Batch, Range<u32>) -> Result<(), E>) -> Result<(), E> {
        for first in (0..self.instances).step_by(of_batch as usize) {
            let instances = first..self.instances.min(first.saturating_add(of_batch));
            let (mut is_empty, mut result) = (true, Ok(()));
            self.topology.batches(self.count, BATCH_PRIMITIVES, self.is_restart(), |batch| {
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
