//! Random declarations of stream output, and a plain model of what they write.

use brolga::Semantic;
use brolga::raster::{StreamOutput, StreamOutputEntry};
use brolga_testing::random::Random;

use super::program::{Program, ROWS};

/// A primitive: its stream, and the rows of its vertices.
pub type Primitive = (u32, Vec<[[u32; 4]; ROWS as usize]>);

/// A declaration for the outputs of a program, whose components are gaps or whole or parts of outputs.
pub fn declaration(random: &mut Random, program: &Program) -> StreamOutput {
    let buffers: Vec<u32> = (0..4).map(|_| random.pick(&program.streams).0).collect();
    let mut entries = Vec::new();
    for _ in 0..random.below(8) {
        let buffer = random.below(4) as u32;
        let stream = buffers[buffer as usize];
        let rows: Vec<(u32, u8)> = (0..).zip(program.masks[stream as usize]).filter(|(_, mask)| *mask != 0).collect();
        let (row, mask) = random.pick(&rows);
        let all = mask.count_ones();
        let (semantic, first_component, components) = match random.one_in(4) {
            true => (None, 0, 1 + random.below(5) as u32),
            false => {
                let first = random.below(all as usize) as u32;
                (Some(Semantic::new("OUT", row)), first, 1 + random.below((all - first) as usize) as u32)
            }
        };
        entries.push(StreamOutputEntry { stream, semantic, first_component, components, buffer });
    }
    let mut output = StreamOutput { entries, strides: Vec::new(), rasterized_stream: None };
    if !random.one_in(4) {
        output.strides = (0..4).map(|buffer| size(&output, buffer) + 4 * random.below(4) as u32).collect();
    }
    output
}

/// Bytes that the entries of a buffer take.
fn size(output: &StreamOutput, buffer: u32) -> u32 {
    output.entries.iter().filter(|entry| entry.buffer == buffer).map(|entry| 4 * entry.components).sum()
}

/// Buffers as a plain model has them: words, and where writing goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffers {
    pub words: Vec<Vec<u32>>,
    pub filled: Vec<usize>,
}

impl Buffers {
    /// Writes the primitives of a draw to the buffers that are bound, each from a word on; returns for each stream how
    /// many were written, and how many would have been with enough room.
    pub fn draw(
        &mut self,
        program: &Program,
        output: &StreamOutput,
        bound: &[Option<Option<usize>>],
        primitives: &[Primitive],
    ) -> [[u64; 2]; 4] {
        for (n, offset) in bound.iter().enumerate() {
            if let Some(Some(offset)) = offset {
                self.filled[n] = *offset;
            }
        }
        let mut counts = [[0; 2]; 4];
        let mut has_ended = [false; 4];
        for (stream, vertices) in primitives {
            let is_its = |entry: &&StreamOutputEntry| entry.stream == *stream && entry.semantic.is_some();
            let mut buffers: Vec<u32> = output.entries.iter().filter(is_its).map(|entry| entry.buffer).collect();
            buffers.sort_unstable();
            buffers.dedup();
            if buffers.is_empty() {
                continue;
            }
            let stride = |buffer: u32| {
                output.strides.get(buffer as usize).copied().unwrap_or_else(|| size(output, buffer)) as usize / 4
            };
            let fits = |buffer: &u32| {
                let n = *buffer as usize;
                bound.get(n).is_some_and(Option::is_some)
                    && self.filled[n] + vertices.len() * stride(*buffer) <= self.words[n].len()
            };
            counts[*stream as usize][1] += 1;
            if has_ended[*stream as usize] || !buffers.iter().all(fits) {
                has_ended[*stream as usize] = true;
                continue;
            }
            counts[*stream as usize][0] += 1;
            for &buffer in &buffers {
                for vertex in vertices {
                    let mut at = self.filled[buffer as usize];
                    for entry in output.entries.iter().filter(|entry| entry.buffer == buffer) {
                        if let Some(semantic) = &entry.semantic {
                            let mask = program.masks[*stream as usize][semantic.index as usize];
                            let components: Vec<usize> = (0..4).filter(|n| mask >> n & 1 != 0).collect();
                            for n in 0..entry.components {
                                let component = components[(entry.first_component + n) as usize];
                                self.words[buffer as usize][at + n as usize] =
                                    vertex[semantic.index as usize][component];
                            }
                        }
                        at += entry.components as usize;
                    }
                    self.filled[buffer as usize] += stride(buffer);
                }
            }
        }
        counts
    }
}

/// The primitives of what an invocation emitted, in the order in which they are complete.
pub fn primitives(program: &Program, emitted: &super::program::Emitted) -> Vec<Primitive> {
    let mut strips: [Vec<[[u32; 4]; ROWS as usize]>; 4] = Default::default();
    let mut found = Vec::new();
    for &(stream, begins, vertex) in emitted {
        let strip = &mut strips[stream as usize];
        if begins {
            strip.clear();
        }
        strip.push(vertex);
        let whole =
            program.streams.iter().find(|(number, _)| *number == stream).map_or(1, |(_, count)| *count) as usize;
        if let Some(first) = strip.len().checked_sub(whole) {
            let mut vertices = strip[first..].to_vec();
            if whole == 3 && first % 2 == 1 {
                vertices.swap(1, 2);
            }
            found.push((stream, vertices));
        }
    }
    found
}
