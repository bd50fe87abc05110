//! Which vertices are a primitive: topologies, restarts, batches (functional specification, 8.10 and 8.12).
//!
//! A draw reads a row of *positions*: places of the index buffer, or the vertices themselves. Batches cut it into pieces that any
//! worker can take on its own.

use std::ops::Range;

use brolga_ir::pipeline::record::SLOTS;

use crate::state::{Kind, Topology};
use crate::vertices::indices::Indices;

/// The most primitives of a batch.
pub const BATCH_PRIMITIVES: u32 = 1024;

/// Positions that a batch reads for each primitive that it may have, before it ends at a restart: more than any primitive takes.
const RESTARTED: u32 = 8;

/// Consecutive primitives of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batch {
    /// The first position that is read.
    pub first: u32,
    /// Positions that are read, restarts among them.
    pub count: u32,
    /// Whether the first triangle is an odd one of its strip.
    pub is_odd: bool,
    /// The number of the first primitive within the instance.
    pub primitive: u32,
    /// Vertices at its beginning that the batch before it reads, too.
    pub shared: u32,
}

impl Batch {
    /// Vertices that it reads and the batches before it do not.
    pub fn vertices(self, is_restart: Option<impl Fn(u32) -> bool>) -> u64 {
        let positions = self.first..self.first + self.count;
        let restarts = is_restart.map_or(0, |is_restart| positions.filter(|&position| is_restart(position)).count());
        u64::from(self.count) - restarts as u64 - u64::from(self.shared)
    }
}

/// A primitive by the positions of its vertices: the leading one first, and triangles wound as the list or strip is. A line's third
/// position is its first again, and all of a point's are one.
pub type Positions = [u32; 3];

impl Topology {
    /// Whether primitives share no vertices.
    fn is_list(self) -> bool {
        match self {
            Topology::PointList | Topology::LineList | Topology::TriangleList => true,
            Topology::LineStrip | Topology::TriangleStrip | Topology::TriangleFan => false,
        }
    }

    /// Cuts `count` positions into batches of at most `most` primitives. Where there may be restarts, `is_restart` says which positions
    /// hold one: the primitive before is dropped if it is not whole. A batch has no more than a few times as many positions, so that it
    /// may have no primitive where there are restarts. Ends early where `take` says so.
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
        // Vertices since the last restart, and primitives of the batch.
        let (mut vertices, mut primitives) = (0_u32, 0);
        for position in 0..count {
            let begins_anew = restarts(position);
            vertices = if begins_anew { 0 } else { vertices + 1 };
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
                // The next primitive of a strip shares all vertices but one with this one.
                let first = if is_list { position + 1 } else { position + 2 - whole };
                let is_odd = self == Topology::TriangleStrip && vertices % 2 == 1;
                let shared = position + 1 - first;
                batch = Batch { first, count: 0, is_odd, primitive: batch.primitive + most, shared };
                primitives = 0;
            } else if begins_anew && position - batch.first >= most_positions {
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

    /// Calls a function for each primitive of a batch, in order.
    pub fn primitives(self, batch: Batch, is_restart: Option<impl Fn(u32) -> bool>, mut visit: impl FnMut(Positions)) {
        let end = batch.first + batch.count;
        let (is_list, whole) = (self.is_list(), self.kind().vertices());
        // From its first position on.
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

/// What a draw reads vertices from, and how they make primitives.
#[derive(Debug)]
pub struct InputAssembler {
    /// How vertices make primitives.
    pub topology: Topology,
    /// Positions that are read for each instance.
    pub count: u32,
    /// Indices, if there are any.
    pub indices: Option<Indices>,
    /// The index that begins a strip anew.
    pub restart: Option<u32>,
    /// What is added to an index, or the first vertex.
    pub base_vertex: u32,
    /// Instances.
    pub instances: u32,
    /// The first of them.
    pub first_instance: u32,
    /// Bytes from a vertex to the next in each buffer.
    pub strides: [u32; SLOTS as usize],
}

impl InputAssembler {
    /// The index at a position.
    pub fn index(&self, position: u32) -> u32 {
        self.indices.as_ref().map_or(position, |indices| indices.get(position))
    }

    /// Which positions begin a strip anew.
    pub fn is_restart(&self) -> Option<impl Fn(u32) -> bool + '_> {
        self.restart.map(|restart| move |position| self.index(position) == restart)
    }

    /// How many instances a batch may have: more than one where it has all of their primitives.
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

    /// Calls a function for each batch of so many instances, with their numbers, in order. Its first error ends that.
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
                // So are all other instances.
                break;
            }
        }
        Ok(())
    }
}
