//! Streams vertices out to buffers (functional specification, 14).
//!
//! A primitive is written whole, to all buffers of its stream, or not at all. With the first that has no room a stream
//! ends for the draw, and only counts what it would need.

use std::sync::Mutex;
use std::sync::PoisonError;

use brolga_ir::stage::STREAMS;
use brolga_runtime::{Buffer, ResourceError};

use crate::statistics::{Statistics, StreamStatistics};
use crate::vertices::primitives::{IndexedPrimitive, Vertices};

/// Buffers that vertices are streamed out to.
pub const BUFFERS: usize = 4;

/// What is streamed out to which buffer.
#[derive(Clone, Debug, Default)]
pub struct StreamLayout {
    /// The elements of each buffer, if anything is written to it.
    pub buffers: [Option<BufferLayout>; BUFFERS],
    /// Vertices of a primitive of each stream.
    pub primitive_vertices: [u32; STREAMS],
}

/// What is written to a buffer for each vertex.
#[derive(Clone, Debug)]
pub struct BufferLayout {
    /// The stream.
    pub stream: usize,
    /// Bytes from one vertex to the next.
    pub stride_bytes: u32,
    /// The words that are written, in the order of their places.
    pub runs: Vec<Run>,
    /// Their number.
    pub words: usize,
}

/// Words of a vertex that stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first word in the vertex's rows.
    pub word: usize,
    /// Number of words.
    pub count: usize,
    /// Where they go, from the begin of the vertex in the buffer.
    pub offset_bytes: u32,
}

impl StreamLayout {
    /// `true` if a stream is written to a buffer.
    fn has(&self, stream: usize) -> bool {
        self.of(stream).next().is_some()
    }

    /// The buffers of a stream.
    fn of(&self, stream: usize) -> impl Iterator<Item = (usize, &BufferLayout)> {
        let all = self.buffers.iter().enumerate();
        all.filter_map(move |(slot, buffer)| Some((slot, buffer.as_ref().filter(|buffer| buffer.stream == stream)?)))
    }
}

/// What a batch streams out: the words of its primitives' vertices without gaps, for each buffer.
#[derive(Debug, Default)]
pub struct Streamed {
    words: [Vec<u32>; BUFFERS],
    primitives: [u64; STREAMS],
}

impl Streamed {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.words.iter_mut().for_each(Vec::clear);
        self.primitives = [0; STREAMS];
    }

    /// Adds a primitive of a stream with its vertices.
    pub fn add<'v>(&mut self, layout: &StreamLayout, stream: usize, vertices: impl Iterator<Item = &'v [u32]>) {
        if !layout.has(stream) {
            return;
        }
        self.primitives[stream] += 1;
        for vertex in vertices {
            for (slot, buffer) in layout.of(stream) {
                for run in &buffer.runs {
                    self.words[slot].extend_from_slice(&vertex[run.word..][..run.count]);
                }
            }
        }
    }

    /// Adds primitives that no geometry shader made.
    pub fn add_all(&mut self, layout: &StreamLayout, vertices: &Vertices, primitives: &[IndexedPrimitive]) {
        let count = layout.primitive_vertices[0] as usize;
        for primitive in primitives {
            self.add(layout, 0, primitive.vertices[..count].iter().map(|&vertex| vertices.row(vertex)));
        }
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> u64 {
        self.words.iter().map(|words| 4 * words.len() as u64).sum()
    }
}

/// A buffer that vertices are streamed out to.
#[derive(Clone, Debug)]
pub struct StreamTarget {
    /// Its bytes.
    pub buffer: Buffer,
    /// Where writing begins, a multiple of 4; `None` to go on behind what was streamed out before.
    pub offset_bytes: Option<u64>,
}

/// The buffers of a draw, and how far they are written.
#[derive(Debug)]
pub struct StreamBuffers {
    layout: StreamLayout,
    buffers: [Option<Buffer>; BUFFERS],
    places: Mutex<Places>,
}

#[derive(Debug)]
struct Places {
    next: [u64; BUFFERS],
    has_ended: [bool; STREAMS],
}

impl StreamBuffers {
    /// Takes the buffers of a draw, which may lack some.
    pub fn new(layout: &StreamLayout, targets: &[Option<StreamTarget>]) -> Self {
        let target = |slot: usize| targets.get(slot).and_then(Option::as_ref);
        let next = std::array::from_fn(|slot| {
            target(slot).map_or(0, |target| target.offset_bytes.unwrap_or_else(|| target.buffer.filled_bytes()))
        });
        let buffers: [Option<Buffer>; BUFFERS] = std::array::from_fn(|slot| target(slot).map(|own| own.buffer.clone()));
        for (buffer, next) in buffers.iter().zip(next) {
            if let Some(buffer) = buffer {
                buffer.set_filled_bytes(next);
            }
        }
        let places = Mutex::new(Places { next, has_ended: [false; STREAMS] });
        Self { layout: layout.clone(), buffers, places }
    }

    /// Writes what the next batch of the draw streams out, and counts it.
    ///
    /// # Errors
    /// If a buffer cannot be written.
    pub fn write(&self, streamed: &Streamed, statistics: &mut Statistics) -> Result<(), ResourceError> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        let Places { next, has_ended } = &mut *places;
        for (stream, &needed) in streamed.primitives.iter().enumerate() {
            let vertices = u64::from(self.layout.primitive_vertices[stream]);
            let room = |(slot, layout): (usize, &BufferLayout)| {
                let bytes =
                    self.buffers[slot].as_ref().map_or(0, |buffer| buffer.size_bytes().saturating_sub(next[slot]));
                bytes / (vertices * u64::from(layout.stride_bytes)).max(1)
            };
            let room = self.layout.of(stream).map(room).min().unwrap_or(0);
            let written = if has_ended[stream] { 0 } else { needed.min(room) };
            has_ended[stream] |= written < needed;
            statistics.streams[stream] += StreamStatistics { written, needed };
            for (slot, layout) in self.layout.of(stream).filter(|_| written > 0) {
                let Some(buffer) = &self.buffers[slot] else { continue };
                let words = &streamed.words[slot][..(written * vertices) as usize * layout.words];
                write(buffer, next[slot], layout, words)?;
                next[slot] += written * vertices * u64::from(layout.stride_bytes);
                buffer.set_filled_bytes(next[slot]);
            }
        }
        Ok(())
    }
}

/// Writes vertices to a buffer, from an offset on. What lies between their words stays as it is.
fn write(buffer: &Buffer, start: u64, layout: &BufferLayout, words: &[u32]) -> Result<(), ResourceError> {
    if layout.words * 4 == layout.stride_bytes as usize {
        return buffer.write(start, words);
    }
    for (at, vertex) in (0..).zip(words.chunks_exact(layout.words)) {
        let start = start + at * u64::from(layout.stride_bytes);
        let mut rest = vertex;
        for run in &layout.runs {
            let (own, behind) = rest.split_at(run.count);
            buffer.write(start + u64::from(run.offset_bytes), own)?;
            rest = behind;
        }
    }
    Ok(())
}
