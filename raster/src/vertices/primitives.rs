//! What the stages before the rasterizer give and take: shaded vertices, and the primitives that they make.

use crate::state::Kind;
use crate::statistics::Statistics;

/// Words of a row.
pub(crate) const ROW_WORDS: usize = 4;

/// What a vertex shader gives.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Registers.
    pub rows: usize,
    /// The register of the position.
    pub position: usize,
    /// The words of clip distances: pixels where one is below 0 are not covered.
    pub clip: Vec<usize>,
    /// The words of cull distances: triangles of which all corners have one below 0 are not drawn.
    pub cull: Vec<usize>,
    /// How each word of the registers is interpolated by the stage after; what it does not read counts for nothing.
    pub modes: Vec<Mode>,
    /// Which registers the stage after reads.
    pub is_read: Vec<bool>,
    /// The word of the layer that a primitive is drawn to: its leading vertex has it. Without it that is the first one.
    pub layer: Option<usize>,
    /// The word of its viewport, likewise.
    pub viewport: Option<usize>,
}

/// How an attribute of a cut edge comes of its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The leading vertex has it.
    Constant,
    /// Linear in clip space.
    Perspective,
    /// Linear on the screen.
    NoPerspective,
}

/// Shaded vertices: the words of each one's registers.
#[derive(Clone, Debug, Default)]
pub struct Vertices {
    pub(super) words: Vec<u32>,
    /// Words from a vertex to the next one.
    pub(super) stride: usize,
}

impl Vertices {
    /// How many there are; they have registers.
    pub fn count(&self) -> usize {
        self.words.len() / self.stride
    }

    /// The words of a vertex.
    #[inline(always)]
    pub fn row(&self, vertex: u32) -> &[u32] {
        &self.words[vertex as usize * self.stride..][..self.stride]
    }

    /// One of them.
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

    /// Adds a vertex with such words; returns its place.
    pub fn push(&mut self, word: impl Fn(&Self, usize) -> u32) -> u32 {
        let place = self.count() as u32;
        for n in 0..self.stride {
            self.words.push(word(self, n));
        }
        place
    }

    /// Leaves only so many.
    pub fn truncate(&mut self, count: usize) {
        self.words.truncate(count * self.stride);
    }
}

/// A primitive, by the places of its vertices in a batch: the leading one first. A line's third is its first again, and all of a point's
/// are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexedPrimitive {
    /// Its vertices.
    pub vertices: [u32; 3],
    /// Its number within the instance.
    pub id: u32,
}

/// The border between the stages that make vertices and the set-up of primitives: what goes over it is all that the latter knows of a batch.
#[derive(Clone, Debug, Default)]
pub struct PrimitiveBatch {
    /// What the primitives are.
    pub kind: Kind,
    /// The vertices, each of which is shaded.
    pub vertices: Vertices,
    /// The primitives, in the order of the draw.
    pub primitives: Vec<IndexedPrimitive>,
    /// What was done until now.
    pub statistics: Statistics,
}
