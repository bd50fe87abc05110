//! Runs the geometry shader of a batch's primitives, and assembles what it emits (functional specification, 13).

use brolga_ir::pipeline::record::{BEGINS_STRIP, BatchInvocation};
use brolga_ir::stage::{GeometryStage, OutputTopology, STREAMS};
use brolga_ir::width::MAX_LANES;
use brolga_runtime::{ArrayWords, Error, StageSession};

use super::stream::{StreamLayout, Streamed};
use crate::state::Kind;
use crate::vertices::primitives::{IndexedPrimitive, PrimitiveBatch, ROW_WORDS, Vertices};

/// Words of emitted vertices for which there is room at a time, if that is enough for some packets.
const EMITTED_WORDS: usize = 64 << 10;

/// A geometry shader as a draw runs it.
#[derive(Clone, Debug)]
pub struct GeometryLayout {
    /// Its declarations.
    pub stage: GeometryStage,
    /// The stream whose primitives are rasterized, if any.
    pub rasterized: Option<usize>,
}

impl GeometryLayout {
    /// The most vertices that are emitted for a primitive.
    pub fn most_vertices(&self) -> u32 {
        self.stage.most_vertices * self.stage.instances
    }

    /// Words of a primitive as the shader reads it.
    pub fn primitive_words(&self) -> usize {
        BatchInvocation::WORDS + self.stage.input.vertices() as usize
    }

    /// The only stream, if there is just one.
    fn single(&self) -> Option<usize> {
        let streams = &self.stage.streams;
        let first = streams.iter().position(Option::is_some);
        first.filter(|_| streams.iter().flatten().count() == 1)
    }

    /// The kind of primitives that are rasterized.
    pub fn kind(&self) -> Kind {
        match self.rasterized.and_then(|stream| self.stage.streams[stream]) {
            Some(OutputTopology::PointList) | None => Kind::Point,
            Some(OutputTopology::LineStrip) => Kind::Line,
            Some(OutputTopology::TriangleStrip) => Kind::Triangle,
        }
    }
}

/// The working memory for geometry shaders of one batch after the other.
#[derive(Default)]
pub struct GeometryUnit {
    /// The primitives of a batch, as the shader reads them: one for each invocation.
    pub primitives: Vec<u32>,
    /// Number of primitives that are rasterized, up to the end of each invocation.
    pub ends: Vec<u32>,
    emitted: Vec<u32>,
    tags: Vec<u32>,
    counts: Vec<u32>,
}

/// Vertices of a strip so far: each by its number in its invocation, and among those that are rasterized.
#[derive(Clone, Copy, Default)]
struct Strip {
    count: u32,
    last: [[u32; 2]; 2],
}

impl Strip {
    /// Adds a vertex; returns the vertices of the primitive that it completes, the leading one first.
    fn add(&mut self, topology: OutputTopology, vertex: [u32; 2]) -> Option<[[u32; 2]; 3]> {
        let [first, second] = self.last;
        self.last = [second, vertex];
        self.count += 1;
        match topology {
            OutputTopology::PointList => Some([vertex; 3]),
            OutputTopology::LineStrip => (self.count >= 2).then_some([second, vertex, second]),
            // As in strips of the input assembler, every other triangle is turned.
            OutputTopology::TriangleStrip if self.count < 3 => None,
            OutputTopology::TriangleStrip if self.count % 2 == 1 => Some([first, second, vertex]),
            OutputTopology::TriangleStrip => Some([first, vertex, second]),
        }
    }
}

impl GeometryUnit {
    /// Runs the shader for [`Self::primitives`], which have these vertices, and replaces the contents of `made` by what it
    /// emits.
    pub fn run(
        &mut self,
        (layout, stream_out): (&GeometryLayout, Option<&StreamLayout>),
        vertices: &Vertices,
        made: &mut PrimitiveBatch,
        streamed: &mut Streamed,
        session: &mut StageSession<'_>,
    ) -> Result<(), Error> {
        let stage = &layout.stage;
        let element = layout.primitive_words();
        let invocations = self.primitives.len() / element;
        let most = stage.most_vertices as usize;
        let stride = stage.signature.output_rows().max(1) as usize * ROW_WORDS;
        made.vertices.begin(stride);
        self.ends.clear();
        made.primitives.clear();
        // Lanes past the end of the last packet repeat the last invocation.
        if let Some(last) = invocations.checked_sub(1) {
            let copies = invocations.next_multiple_of(MAX_LANES) - invocations;
            let last = last * element..(last + 1) * element;
            (0..copies).for_each(|_| self.primitives.extend_from_within(last.clone()));
        }
        let at_once = (EMITTED_WORDS / (most * stride) / MAX_LANES).max(1) * MAX_LANES;
        let room = at_once.min(invocations.next_multiple_of(MAX_LANES));
        grow(&mut self.emitted, room * most * stride);
        grow(&mut self.tags, if stage.is_tagged { room * most } else { 0 });
        grow(&mut self.counts, room);
        for first in (0..invocations).step_by(at_once) {
            let count = at_once.min(invocations - first);
            let mut arrays = [
                ArrayWords::Read(vertices.words()),
                ArrayWords::Read(&self.primitives[first * element..]),
                ArrayWords::Write(&mut self.emitted),
                ArrayWords::Write(&mut self.tags),
                ArrayWords::Write(&mut self.counts),
            ];
            session.batch(count as u32, &mut arrays)?;
            for invocation in 0..count {
                self.collect(layout, stream_out, invocation, made, streamed);
                self.ends.push(made.primitives.len() as u32);
            }
        }
        made.kind = layout.kind();
        made.statistics.geometry_invocations = invocations as u64;
        Ok(())
    }

    /// Takes what an invocation emitted.
    #[inline]
    fn collect(
        &mut self,
        layout: &GeometryLayout,
        stream_out: Option<&StreamLayout>,
        invocation: usize,
        made: &mut PrimitiveBatch,
        streamed: &mut Streamed,
    ) {
        let Self { emitted, tags, counts, .. } = self;
        let (stage, vertices) = (&layout.stage, &mut made.vertices);
        let (most, stride) = (stage.most_vertices as usize, vertices.stride());
        let first = invocation * most;
        let count = (counts[invocation] as usize).min(most);
        let tags = if stage.is_tagged { &tags[first..][..count] } else { &[] };
        let emitted = &emitted[first * stride..][..count * stride];
        let single = layout.single();
        let before = vertices.count() as u32;
        if single.is_some() && single == layout.rasterized {
            vertices.extend(emitted);
        }
        if let (None, Some(OutputTopology::TriangleStrip)) = (stream_out, single.and_then(|n| stage.streams[n])) {
            return add_strips(tags, before, count as u32, layout.rasterized.is_some(), made);
        }
        let row = |n: usize| &emitted[n * stride..][..stride];
        let mut strips = [Strip::default(); STREAMS];
        for n in 0..count {
            let tag = tags.get(n).copied().unwrap_or(single.unwrap_or(0) as u32);
            let stream = (tag & !BEGINS_STRIP) as usize % STREAMS;
            let Some(topology) = stage.streams[stream] else { continue };
            let is_rasterized = layout.rasterized == Some(stream);
            let mut vertex = before + n as u32;
            if single.is_none() && is_rasterized {
                vertex = vertices.count() as u32;
                vertices.extend(row(n));
            }
            let strip = &mut strips[stream];
            if tag & BEGINS_STRIP != 0 {
                strip.count = 0;
            }
            let Some(primitive) = strip.add(topology, [n as u32, vertex]) else { continue };
            made.statistics.geometry_primitives += 1;
            if is_rasterized {
                let id = made.primitives.len() as u32;
                made.primitives.push(IndexedPrimitive { vertices: primitive.map(|[_, vertex]| vertex), id });
            }
            if let Some(layout) = stream_out {
                let rows = primitive[..topology.vertices() as usize].iter().map(|&[n, _]| row(n as usize));
                streamed.add(layout, stream, rows);
            }
        }
    }
}

/// Adds the triangles of an invocation's only stream, whose vertices have numbers from `before` on: what most shaders
/// emit.
fn add_strips(tags: &[u32], before: u32, count: u32, is_rasterized: bool, made: &mut PrimitiveBatch) {
    let mut start = 0;
    for n in 0..count {
        if tags.get(n as usize).is_some_and(|tag| tag & BEGINS_STRIP != 0) {
            start = n;
        }
        if n - start >= 2 {
            made.statistics.geometry_primitives += 1;
            if is_rasterized {
                let [a, b, c] = [n - 2, n - 1, n].map(|n| before + n);
                // Every other one is turned.
                let vertices = if (n - start) % 2 == 0 { [a, b, c] } else { [a, c, b] };
                made.primitives.push(IndexedPrimitive { vertices, id: made.primitives.len() as u32 });
            }
        }
    }
}

/// Makes room for so many words, whatever they are.
fn grow(words: &mut Vec<u32>, count: usize) {
    if words.len() < count {
        words.resize(count, 0);
    }
}
