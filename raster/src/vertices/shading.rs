//! Runs the vertex shader: a vertex that primitives of a batch share is shaded once.

use std::ops::Range;

use brolga_ir::pipeline::record::{BatchInvocation, BatchVertex};
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
    /// The vertex at a position, in an instance whose vertices begin with `from`.
    #[inline(always)]
    fn vertex(&mut self, input: &InputAssembler, position: u32, instance: u32, from: u32) -> u32 {
        let Self { cache, ids } = self;
        let index = input.index(position);
        cache.find(index, from, || {
            let read = BatchVertex {
                index: index.wrapping_add(input.base_vertex),
                id: index,
                instance_id: instance,
                first_instance: input.first_instance,
            };
            ids.extend_from_slice(&read.words());
            (ids.len() / BatchVertex::WORDS - 1) as u32
        })
    }

    /// Assembles the primitives of a batch in each of its instances; returns the number of vertices to shade.
    fn assemble(
        &mut self,
        input: &InputAssembler,
        (batch, instances): (Batch, Range<u32>),
        assembled: &mut Assembled<'_>,
    ) -> usize {
        const WORDS: usize = BatchVertex::WORDS;
        self.ids.clear();
        let (topology, count, kind) = (input.topology, input.count, input.topology.kind());
        for instance in instances {
            let (from, mut id) = ((self.ids.len() / WORDS) as u32, batch.primitive);
            let mut vertex = |position: u32| self.vertex(input, position, instance, from);
            match assembled {
                Assembled::Primitives(primitives) if topology.has_adjacent() => {
                    topology.whole_primitives(batch, count, input.is_restart(), |positions| {
                        // Adjacent vertices are shaded, though nothing reads them: that may have effects.
                        let mut all = [0; 6];
                        all.iter_mut().zip(positions).for_each(|(number, &position)| *number = vertex(position));
                        let vertices = match kind {
                            Kind::Line => [all[1], all[2], all[1]],
                            _ => [all[0], all[2], all[4]],
                        };
                        primitives.push(IndexedPrimitive { vertices, id });
                        id += 1;
                    });
                }
                Assembled::Primitives(primitives) => {
                    topology.primitives(batch, count, input.is_restart(), |positions| {
                        let [first, second, third] = positions;
                        let first = vertex(first);
                        // A repeated vertex of a line or a point must be the same vertex, not a copy of it.
                        let second = if kind == Kind::Point { first } else { vertex(second) };
                        let third = if kind == Kind::Triangle { vertex(third) } else { first };
                        primitives.push(IndexedPrimitive { vertices: [first, second, third], id });
                        id += 1;
                    });
                }
                Assembled::Whole { words, invocations } => {
                    topology.whole_primitives(batch, count, input.is_restart(), |positions| {
                        let begin = words.len();
                        words.extend_from_slice(&BatchInvocation { primitive_id: id, instance: 0 }.words());
                        words.extend(positions.iter().map(|&position| vertex(position)));
                        let end = words.len();
                        for instance in 1..*invocations {
                            let copy = words.len();
                            words.extend_from_within(begin..end);
                            words[copy + 1] = instance;
                        }
                        id += 1;
                    });
                }
            }
        }
        let count = self.ids.len() / WORDS;
        self.cache.forget(count as u32);
        if let Some(last) = self.ids.last_chunk::<WORDS>().copied() {
            let copies = count.next_multiple_of(MAX_LANES) - count;
            self.ids.extend_from_slice([last; MAX_LANES][..copies].as_flattened());
        }
        count
    }

    /// Shades each vertex of a part of a draw once, with `registers` outputs. Replaces the contents of `made`; its
    /// primitives go to `whole`, if a hull or geometry shader takes them.
    pub fn shade(
        &mut self,
        input: &InputAssembler,
        (batch, instances): (Batch, Range<u32>),
        registers: usize,
        made: &mut PrimitiveBatch,
        whole: Option<(&mut Vec<u32>, u32)>,
        session: &mut StageSession<'_>,
    ) -> Result<(), Error> {
        let PrimitiveBatch { kind, vertices, primitives, statistics } = made;
        let read = batch.vertices(input.is_restart()) * instances.len() as u64;
        primitives.clear();
        let mut assembled = match whole {
            None => Assembled::Primitives(primitives),
            Some((words, invocations)) => {
                words.clear();
                Assembled::Whole { words, invocations }
            }
        };
        let count = self.assemble(input, (batch, instances), &mut assembled);
        let assembled = match assembled {
            Assembled::Primitives(primitives) => primitives.len(),
            Assembled::Whole { words, invocations } => {
                let element = BatchInvocation::WORDS + input.topology.primitive().vertices() as usize;
                words.len() / (element * invocations as usize)
            }
        };
        *kind = input.topology.kind();
        vertices.begin_filled(registers * ROW_WORDS, count);
        let words = ArrayWords::Write(&mut vertices.words);
        // A batch of nothing but restarts has no vertices.
        if count > 0 {
            session.batch(count as u32, &mut [ArrayWords::Read(&self.ids), ArrayWords::Read(&input.strides), words])?;
        }
        *statistics = Statistics {
            vertices: read,
            primitives: assembled as u64,
            vertex_invocations: count as u64,
            ..Statistics::default()
        };
        Ok(())
    }
}

/// What vertices are assembled to.
enum Assembled<'a> {
    /// Points, lines and triangles.
    Primitives(&'a mut Vec<IndexedPrimitive>),
    /// The primitives of a geometry shader with so many invocations for each, as its batches have them.
    Whole { words: &'a mut Vec<u32>, invocations: u32 },
}
