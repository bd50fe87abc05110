//! What lies in memory for each quad and each primitive that pixels are drawn of, in words.
//!
//! A quad says which pixels; its primitive has the planes that change evenly over it, relative to an origin pixel, and its attributes:
//! what the leading vertex has in each register, and how far the second and the third are from that. The state has what changes
//! from batch to batch without other code.

use crate::builder::Builder;
use crate::entity::{ArrayId, Value};
use crate::function::{MemoryRef, Object};
use crate::interface::Array;
use crate::ops::Op;

use super::state::PixelState;

/// The arrays of a vertex shader, in the order in which they are handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexArray {
    /// What each vertex is.
    Vertices,
    /// One element: the bytes from one vertex to the next in each buffer.
    Strides,
    /// What each vertex gives.
    Outputs,
}

/// The arrays of a pixel shader, likewise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PixelArray {
    /// One for every four invocations.
    Quads,
    /// The primitives that quads are of.
    Primitives,
    /// One element: what changes from batch to batch.
    State,
    /// One word for every invocation, which it writes: 1 where the pixel is live at the end, else 0. Only where
    /// [`reports_live`](super::state::PixelState::reports_live) asks for it.
    Live,
}

impl VertexArray {
    /// Its number.
    pub fn id(self) -> ArrayId {
        ArrayId::new(self as usize)
    }
}

impl PixelArray {
    /// Its number.
    pub fn id(self) -> ArrayId {
        ArrayId::new(self as usize)
    }
}

/// Words of a vertex before its shader runs.
pub mod vertex {
    /// Its place in buffers that have an element for each vertex.
    pub const INDEX: u32 = 0;
    /// Its number for the shader.
    pub const ID: u32 = 1;
    /// The instance, from 0 on.
    pub const INSTANCE_ID: u32 = 2;
    /// The first instance of the draw.
    pub const FIRST_INSTANCE: u32 = 3;
    /// All of them.
    pub const WORDS: u32 = 4;
}

/// Slots of vertex buffers.
pub const SLOTS: u32 = 32;

/// The most registers of a vertex between the stages.
pub const REGISTERS: u32 = 32;

/// Words of a quad.
pub mod quad {
    /// The column of its upper left pixel, even. The row follows.
    pub const CORNER: u32 = 0;
    /// The number of its primitive.
    pub const PRIMITIVE: u32 = 2;
    /// Covered pixels, a bit each: upper left, upper right, lower left, lower right.
    pub const COVERAGE: u32 = 3;
    /// All of them.
    pub const WORDS: u32 = 4;
}

/// Words of a primitive.
pub mod primitive {
    /// The pixel at whose center the planes have their values: column and row.
    pub const ORIGIN: u32 = 0;
    /// 1 if it shows its front, else 0.
    pub const IS_FRONT: u32 = 2;
    /// Its number in the draw.
    pub const ID: u32 = 3;
    /// Depth, 1/w, and the weights of the second and third vertex, both over their w, at the origin.
    pub const VALUES: u32 = 4;
    /// What a pixel to the right adds to each.
    pub const ALONG_X: u32 = 8;
    /// What a pixel below adds.
    pub const ALONG_Y: u32 = 12;
    /// The w of the second and third vertex.
    pub const W: u32 = 16;
    /// For each register that the stage before wrote: the four words of the leading vertex, and as floats what the second and the
    /// third vertex have more.
    pub const ATTRIBUTES: u32 = 20;
    /// Words of a register.
    pub const ATTRIBUTE_WORDS: u32 = 12;

    /// All words of a primitive whose vertices have so many registers.
    pub fn words(rows: u32) -> u32 {
        ATTRIBUTES + ATTRIBUTE_WORDS * rows
    }
}

/// Words of the state.
pub mod state {
    /// The blend factor: red, green, blue, alpha.
    pub const BLEND_FACTOR: u32 = 0;
    /// The least depth of the viewport. The greatest follows.
    pub const DEPTHS: u32 = 4;
    /// The number of the primitive that all quads of a batch are of, plus 1; 0 if they may be of several.
    pub const PRIMITIVE: u32 = 6;
    /// The reference that stencils are compared with.
    pub const STENCIL_REFERENCE: u32 = 7;
    /// The layer of the targets and of the depth buffer that is drawn to, where they are arrays.
    pub const LAYER: u32 = 8;
    /// What of the depth buffer is not written, whatever its tests say: [`DEPTHS_STAY`], [`STENCILS_STAY`], or both
    /// (functional specification, 17.13).
    pub const READ_ONLY: u32 = 9;
    /// What the code of an alpha is compared with.
    pub const ALPHA_REFERENCE: u32 = 10;
    /// The colour of the fog: red, green, blue.
    pub const FOG_COLOR: u32 = 11;
    /// Linear fog: the distance at which it is complete, and 1 / how much nearer it begins. Other fog has the scale of distances, for
    /// powers of 2, in the second one.
    pub const FOG_RANGE: u32 = 14;
    /// All of them.
    pub const WORDS: u32 = 16;

    /// The bit of [`READ_ONLY`] for depths.
    pub const DEPTHS_STAY: u32 = 1;
    /// The bit of [`READ_ONLY`] for stencils.
    pub const STENCILS_STAY: u32 = 2;
}

/// Words of an element of an array, from a word on.
pub(super) fn words<const N: usize>(b: &mut Builder<'_>, array: ArrayId, element: Value, word: u32) -> [Value; N] {
    let offset = b.i32(4 * word);
    let words = b.load(MemoryRef { object: Object::Array(array), index: Some(element), offset }, N);
    std::array::from_fn(|n| words[n])
}

/// The same as floats.
pub(super) fn floats<const N: usize>(b: &mut Builder<'_>, array: ArrayId, element: Value, word: u32) -> [Value; N] {
    words(b, array, element, word).map(|word| b.op(Op::AsF32, &[word]))
}

/// The declarations of the arrays.
pub(super) fn arrays(state: &PixelState) -> Vec<Array> {
    let read = [quad::WORDS, primitive::words(state.vertex_rows), state::WORDS];
    let read = read.map(|words| Array { stride_bytes: 4 * words, is_written: false });
    read.into_iter().chain(state.reports_live.then_some(Array { stride_bytes: 4, is_written: true })).collect()
}

/// The same of a vertex shader that gives so many rows.
pub(super) fn vertex_arrays(output_rows: u32) -> Vec<Array> {
    [(vertex::WORDS, false), (SLOTS, false), (4 * output_rows.max(1), true)]
        .map(|(words, is_written)| Array { stride_bytes: 4 * words, is_written })
        .into()
}
