//! Runs the vertex shader: a vertex that primitives of a batch share is shaded once.

use std::ops::Range;

use brolga_ir::pipeline::record::BatchVertex;
use brolga_ir::width::MAX_LANES;
use brolga_runtime::{ArrayWords, Error, StageSession};

use crate::state::Kind;
use crate::statistics::Statistics;
use crate::vertices::assembly::{Batch, InputAssembler};
use crate::vertices::primitives::{IndexedPrimitive, PrimitiveBatch, ROW_WORDS};

/// The vertex cache of a batch. Of indices that hash to the same slot it knows the last: the others are shaded again.
struct VertexCache {
    /// Indices and the numbers of their vertices. Numbers grow from batch to batch, so small batches clear nothing.
    known: Box<[(u32, u32); Self::SLOTS]>,
    /// The number of the batch's first vertex. The very first is 1.
    first: u32,
}

impl Default for VertexCache {
    fn default() -> Self {
        Self { known: Box::new([(0, 0); Self::SLOTS]), first: 1 }
    }
}

impl VertexCache {
    const SLOTS: usize = 1024;

    /// Forgets a batch of `count` vertices.
    fn forget(&mut self, count: u32) {
        self.first = self.first.saturating_add(count);
        // Long before numbers overflow: a batch has some thousand vertices.
        if self.first > u32::MAX / 2 {
            *self = Self::default();
        }
    }

    /// The vertex of an index if it is cached and not before `from`; otherwise the one that `make` returns.
    fn find(&mut self, index: u32, from: u32, make: impl FnOnce() -> u32) -> u32 {
        let known = &mut self.known[index as usize % Self::SLOTS];
        if known.0 != index || known.1 < self.first + from {
            *known = (index, self.first + make());
        }
        known.1 - self.first
    }
}

/// Shades the vertices of batches, one batch after the other.
#[derive(Default)]
pub struct VertexStage {
    cache: VertexCache,
    /// The ids of each vertex, in words. The last vertex is repeated to fill its packet, so lanes past the end of a
    /// batch take no longer than the batch itself.
    ids: Vec<u32>,
}

impl VertexStage {
    /// Assembles the primitives of a batch in each of its instances; returns the number of vertices to shade.
    fn assemble(
        &mut self,
        input: &InputAssembler,
        (batch, instances): (Batch, Range<u32>),
        primitives: &mut Vec<IndexedPrimitive>,
    ) -> usize {
        const WORDS: usize = BatchVertex::WORDS;
        let Self { cache, ids } = self;
        let kind = input.topology.kind();
        ids.clear();
        primitives.clear();
        for number in instances {
            let (from, mut id) = ((ids.len() / WORDS) as u32, batch.primitive);
            input.topology.primitives(batch, input.is_restart(), |positions| {
                let mut vertex = |position: u32| {
                    let index = input.index(position);
                    cache.find(index, from, || {
                        let read = BatchVertex {
                            index: index.wrapping_add(input.base_vertex),
                            id: index,
                            instance_id: number,
                            first_instance: input.first_instance,
                        };
                        ids.extend_from_slice(&read.words());
                        (ids.len() / WORDS - 1) as u32
                    })
                };
                let [first, second, third] = positions;
                let first = vertex(first);
                // A repeated vertex of a line or a point must be the same vertex, not a copy of it.
                let second = if kind == Kind::Point { first } else { vertex(second) };
                let third = if kind == Kind::Triangle { vertex(third) } else { first };
                primitives.push(IndexedPrimitive { vertices: [first, second, third], id });
                id += 1;
            });
        }
        let count = ids.len() / WORDS;
        cache.forget(count as u32);
        if let Some(last) = ids.last_chunk::<WORDS>().copied() {
            let copies = count.next_multiple_of(MAX_LANES) - count;
            ids.extend_from_slice([last; MAX_LANES][..copies].as_flattened());
        }
        count
    }

    /// Shades each vertex of a part of a draw once, with `registers` outputs. Replaces the contents of `made`.
    pub fn shade(
        &mut self,
        input: &InputAssembler,
        (batch, instances): (Batch, Range<u32>),
        registers: usize,
        made: &mut PrimitiveBatch,
        session: &mut StageSession<'_>,
    ) -> Result<(), Error> {
        let PrimitiveBatch { kind, vertices, primitives, statistics } = made;
        let read = batch.vertices(input.is_restart()) * instances.len() as u64;
        let count = self.assemble(input, (batch, instances), primitives);
        *kind = input.topology.kind();
        vertices.stride = registers * ROW_WORDS;
        vertices.words.clear();
        vertices.words.resize(count * vertices.stride, 0);
        let words = ArrayWords::Write(&mut vertices.words);
        // A batch of nothing but restarts has no vertices.
        if count > 0 {
            session.batch(count as u32, &mut [ArrayWords::Read(&self.ids), ArrayWords::Read(&input.strides), words])?;
        }
        *statistics = Statistics {
            vertices: read,
            primitives: primitives.len() as u64,
            vertex_invocations: count as u64,
            ..Statistics::default()
        };
        Ok(())
    }
}
