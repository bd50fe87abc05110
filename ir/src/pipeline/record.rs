//! What lies in memory for each vertex, each quad and each primitive that pixels are drawn of, and for a batch of them, in words.
//!
//! A quad says which pixels; its primitive has the planes that change evenly over it, relative to an origin pixel, and its attributes:
//! what the leading vertex has in each register, and how far the second and the third are from that. The state has what changes
//! from batch to batch without other code.

use std::mem::offset_of;

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

/// Slots of vertex buffers.
pub const SLOTS: u32 = 32;

/// The most registers of a vertex between the stages.
pub const REGISTERS: u32 = 32;

/// An element of a vertex shader's first array: a vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchVertex {
    /// Its place in buffers that have an element for each vertex.
    pub index: u32,
    /// Its number for the shader: SV_VertexID.
    pub id: u32,
    /// Its instance, from 0 on: SV_InstanceID.
    pub instance_id: u32,
    /// The first instance of the draw.
    pub first_instance: u32,
}

/// An element of a pixel shader's first array: a quad of 2 x 2 pixels.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchQuad {
    /// Column and row of its upper left pixel, both even.
    pub corner: [u32; 2],
    /// The number of its primitive in the second array.
    pub primitive: u32,
    /// Covered pixels, a bit each: upper left, upper right, lower left, lower right.
    pub coverage: u32,
}

/// An element of a pixel shader's second array: a primitive. Its attributes follow it: for each register of a vertex twelve words, namely
/// four of the leading vertex, and, as floats, what the second vertex and the third have more.
///
/// The planes are of depth, of 1/w, and of the weights of the second and the third vertex over their w.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchPrimitive {
    /// The pixel at whose centre the planes have their values: column and row.
    pub origin: [u32; 2],
    /// 1 if it shows its front, else 0.
    pub is_front: u32,
    /// Its number in its instance: SV_PrimitiveID.
    pub id: u32,
    /// The planes' values at the origin.
    pub values: [f32; 4],
    /// What a pixel to the right adds to each.
    pub along_x: [f32; 4],
    /// What a pixel below adds.
    pub along_y: [f32; 4],
    /// The w of the second and the third vertex.
    pub w: [f32; 2],
    /// Zeros.
    pub reserved: [u32; 2],
}

/// What a [`BatchPrimitive`] is followed by for each register of its vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchAttribute {
    /// The words of the leading vertex.
    pub leading: [u32; 4],
    /// What the second vertex has more.
    pub second: [f32; 4],
    /// What the third has more.
    pub third: [f32; 4],
}

/// A pixel shader's third array, of one element: what changes from batch to batch without other code.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchState {
    /// The blend factor: red, green, blue, alpha.
    pub blend_factor: [f32; 4],
    /// The least depth of the viewport, and the greatest.
    pub depths: [f32; 2],
    /// The number of the primitive that all quads are of, plus 1; 0 if they may be of several.
    pub primitive: u32,
    /// What stencils are compared with.
    pub stencil_reference: u32,
    /// The layer of targets and depth buffer that is drawn to, where they are arrays.
    pub layer: u32,
    /// What of the depth buffer stays, whatever its tests say: 1 for depths, 2 for stencils, or their sum.
    pub read_only: u32,
    /// Zeros, but for Direct3D 9.
    pub reserved: [u32; 6],
}

/// The bit of [`BatchState::read_only`] for depths (functional specification, 17.13).
pub const DEPTHS_STAY: u32 = 1;

/// The bit of [`BatchState::read_only`] for stencils.
pub const STENCILS_STAY: u32 = 2;

/// What Direct3D 9 has in [`BatchState::reserved`].
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchDirect3D9 {
    /// What the code of an alpha is compared with.
    pub alpha_reference: u32,
    /// The colour of the fog: red, green, blue.
    pub fog_color: [f32; 3],
    /// Linear fog: the distance at which it is complete, and 1 / how much nearer it begins. Other fog has the scale of distances, for
    /// powers of 2, in the second one.
    pub fog_range: [f32; 2],
}

/// Says of records what their fields are.
macro_rules! records {
    ($($record:ident { $($field:ident)* })*) => {$(
        impl $record {
            /// How many words it has.
            pub const WORDS: usize = size_of::<Self>() / 4;

            /// Its words, as batches take them.
            #[inline]
            pub fn words(self) -> [u32; Self::WORDS] {
                let (Self { $($field),* }, mut words) = (self, [0; Self::WORDS]);
                $($field.put(&mut words[offset_of!(Self, $field) / 4..]);)*
                words
            }
        }
    )*};
}

records! {
    BatchVertex { index id instance_id first_instance }
    BatchQuad { corner primitive coverage }
    BatchPrimitive { origin is_front id values along_x along_y w reserved }
    BatchAttribute { leading second third }
    BatchState { blend_factor depths primitive stencil_reference layer read_only reserved }
    BatchDirect3D9 { alpha_reference fog_color fog_range }
}

/// What a field of a record is.
trait Field {
    /// Writes its words.
    fn put(self, words: &mut [u32]);
}

impl Field for u32 {
    #[inline]
    fn put(self, words: &mut [u32]) {
        words[0] = self;
    }
}

impl Field for f32 {
    #[inline]
    fn put(self, words: &mut [u32]) {
        words[0] = self.to_bits();
    }
}

impl<T: Field, const N: usize> Field for [T; N] {
    #[inline]
    fn put(self, words: &mut [u32]) {
        self.into_iter().enumerate().for_each(|(n, field)| field.put(&mut words[n..]));
    }
}

/// The word of a record that a field begins with.
macro_rules! word {
    ($record:ident.$field:ident) => {
        (std::mem::offset_of!($record, $field) / 4) as u32
    };
}
pub(super) use word;

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
    let primitive = size_of::<BatchPrimitive>() + state.vertex_rows as usize * size_of::<BatchAttribute>();
    let read = [size_of::<BatchQuad>(), primitive, size_of::<BatchState>()];
    let read = read.map(|bytes| Array { stride_bytes: bytes as u32, is_written: false });
    read.into_iter().chain(state.reports_live.then_some(Array { stride_bytes: 4, is_written: true })).collect()
}

/// The same of a vertex shader that gives so many rows.
pub(super) fn vertex_arrays(output_rows: u32) -> Vec<Array> {
    [(BatchVertex::WORDS as u32, false), (SLOTS, false), (4 * output_rows.max(1), true)]
        .map(|(words, is_written)| Array { stride_bytes: 4 * words, is_written })
        .into()
}
