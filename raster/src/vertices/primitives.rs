//! Holds the output of the stages before the rasterizer: shaded vertices, and primitives that index them.

use crate::state::Kind;
use crate::statistics::Statistics;

/// Words in a register.
pub(crate) const ROW_WORDS: usize = 4;

/// The layout of the outputs of the last stage before the rasterizer.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Number of registers.
    pub rows: usize,
    /// The register of the position.
    pub position: usize,
    /// The words of clip distances: pixels where one is negative are not covered.
    pub clip: Vec<usize>,
    /// The words of cull distances: a primitive is culled if one is negative at all of its vertices.
    pub cull: Vec<usize>,
    /// The interpolation mode of each word; without meaning for words that the next stage does not read.
    pub modes: Vec<Mode>,
    /// Registers that the next stage reads.
    pub is_read: Vec<bool>,
    /// The word of the render target array index; the provoking vertex selects the layer. Without it that is the first.
    pub layer: Option<usize>,
    /// The word of the viewport array index, likewise.
    pub viewport: Option<usize>,
    /// The word of the primitive's number, which the provoking vertex has; without it primitives have their own.
    pub primitive_id: Option<usize>,
}

/// The interpolation of an attribute along a clipped edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The provoking vertex's value.
    Constant,
    /// Linear in clip space.
    Perspective,
    /// Linear on the screen.
    NoPerspective,
}

/// Shaded vertices: the words of their registers.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    pub(super) words: Vec<u32>,
    /// Words per vertex.
    pub(super) stride: usize,
}

impl Vertices {
    /// Removes all vertices; those to come have so many words.
    pub fn begin(&mut self, stride: usize) {
        self.words.clear();
        self.stride = stride;
    }

    /// The same, and adds vertices of zeros.
    pub fn begin_filled(&mut self, stride: usize, count: usize) {
        self.begin(stride);
        self.words.resize(count * stride, 0);
    }

    /// The words of all vertices, to write them.
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Adds vertices with all of their words.
    pub fn extend(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    /// The words of all vertices.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Words per vertex.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Number of vertices; they have registers.
    pub fn count(&self) -> usize {
        self.words.len() / self.stride
    }

    /// All words of a vertex.
    #[inline(always)]
    pub fn row(&self, vertex: u32) -> &[u32] {
        &self.words[vertex as usize * self.stride..][..self.stride]
    }

    /// One word of a vertex.
    #[inline(always)]
    pub fn word(&self, vertex: u32, word: usize) -> u32 {
        self.words[vertex as usize * self.stride + word]
    }

    /// The four floats of a register.
    #[inline(always)]
    pub fn floats(&self, vertex: u32, register: usize) -> [f32; 4] {
        let words = &self.row(vertex)[register * ROW_WORDS..][..ROW_WORDS];
        std::array::from_fn(|n| f32::from_bits(words[n]))
    }

    /// Adds a vertex with the words that `word` returns; returns its index.
    pub fn push(&mut self, word: impl Fn(&Self, usize) -> u32) -> u32 {
        let vertex = self.count() as u32;
        for n in 0..self.stride {
            self.words.push(word(self, n));
        }
        vertex
    }

    /// Keeps only the first `count`.
    pub fn truncate(&mut self, count: usize) {
        self.words.truncate(count * self.stride);
    }
}

/// A primitive of a batch, by vertex indices: the provoking vertex first. A line repeats its first as the third, and a
/// point has three times the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexedPrimitive {
    /// Its vertices.
    pub vertices: [u32; 3],
    /// The primitive's number within the instance, or the patch's; of those that a geometry shader emits, the number
    /// within the batch.
    pub id: u32,
}

/// A batch of assembled and shaded primitives: all that primitive setup gets from the stages before it.
#[derive(Clone, Debug, Default)]
pub struct PrimitiveBatch {
    /// The kind of primitives.
    pub kind: Kind,
    /// The shaded vertices.
    pub vertices: Vertices,
    /// The primitives, in draw order.
    pub primitives: Vec<IndexedPrimitive>,
    /// Statistics so far.
    pub statistics: Statistics,
}

impl PrimitiveBatch {
    /// Bytes that it takes when it is set up, about.
    pub fn bytes(&self) -> u64 {
        const VERTEX: usize = 48;
        const PRIMITIVE: usize = 128;
        (4 * self.vertices.words.len() + VERTEX * self.vertices.count() + PRIMITIVE * self.primitives.len()) as u64
    }
}
