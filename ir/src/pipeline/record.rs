//! Lays out vertices, quads, primitives and the state of a batch in memory, in words.
//!
//! An invocation of a geometry shader reads a primitive: the numbers of its vertices in the outputs of the stage before.
//! What it emits has room for as many vertices as it declares, in the order of emission, and a count says how many of
//! them are used.
//!
//! A hull shader reads patches in the same form. Control points and values of a patch that it writes are in arrays, from
//! which a domain shader reads them: its invocations are points of patches, in groups of one patch each.
//!
//! A quad names its pixels; its primitive has planes, which are linear over it relative to an origin pixel, and
//! attributes: the leading vertex's value of each register, and the differences of the second and third vertex from
//! that. The state is everything that changes from batch to batch without other code.

use std::mem::offset_of;

use crate::builder::Builder;
use crate::entity::{ArrayId, Value};
use crate::function::{MemoryRef, Object};
use crate::interface::Array;
use crate::ops::Op;
use crate::stage::{DomainStage, HullStage, InputPrimitive};

use super::state::{DomainState, HullState, PixelState};

/// The arrays of a vertex shader, in the order in which they are passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexArray {
    /// The vertices to be shaded.
    Vertices,
    /// One element: the stride of each vertex buffer, in bytes.
    Strides,
    /// The outputs of each vertex.
    Outputs,
}

/// The arrays of a pixel shader, likewise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PixelArray {
    /// One quad for every four invocations.
    Quads,
    /// The primitives of the quads.
    Primitives,
    /// One element: the state of the batch.
    State,
    /// One word per invocation, which it writes: 1 where the pixel is live at the end, else 0. Present only if
    /// [`reports_live`](super::state::PixelState::reports_live) asks for it.
    Live,
}

/// The arrays of a hull shader, likewise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HullArray {
    /// The outputs of each vertex, as the vertex shader wrote them.
    Vertices,
    /// An element for each invocation: its [`BatchInvocation`], then the numbers of the patch's vertices.
    Patches,
    /// The control points that it makes: so many elements for each invocation as it declares, or none if it passes them
    /// through. What it does not write stays.
    ControlPoints,
    /// An element for each invocation: the values of the patch. Likewise.
    Constants,
}

/// The arrays of a domain shader, likewise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DomainArray {
    /// The control points of all patches: so many elements for each as the shader declares.
    ControlPoints,
    /// The values of each patch.
    Constants,
    /// An element for each [group](POINT_GROUP) of invocations: its [`BatchPatch`].
    Patches,
    /// An element for each invocation: its [`BatchPoint`].
    Points,
    /// The outputs of each invocation.
    Outputs,
}

/// Consecutive invocations of a domain shader that are for points of one patch, so that a packet reads control points
/// once.
pub const POINT_GROUP: u32 = 16;

/// An element of a domain shader's third array: the patch of a group of invocations.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchPatch {
    /// Its number in the first and second array.
    pub patch: u32,
    /// Its number in its instance: SV_PrimitiveID.
    pub primitive_id: u32,
}

/// An element of a domain shader's fourth array: a point of the domain.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchPoint {
    /// u, v, and for triangles w: SV_DomainLocation.
    pub location: [f32; 3],
    /// Not 0 if there is such a point; 0 where the invocation fills its group.
    pub is_active: u32,
}

/// The arrays of a geometry shader, likewise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GeometryArray {
    /// The outputs of each vertex, as the stage before wrote them.
    Vertices,
    /// An element for each invocation: its [`BatchInvocation`], then the numbers of the primitive's vertices.
    Primitives,
    /// The vertices that it emits: so many elements for each invocation as it may emit.
    Emitted,
    /// A word for each of those: the stream in the lowest bits, and [`BEGINS_STRIP`].
    Tags,
    /// A word for each invocation: how many vertices it emitted.
    Counts,
}

/// The bit of a tag that a strip begins with the vertex.
pub const BEGINS_STRIP: u32 = 1 << 31;

/// The begin of an element of a hull or geometry shader's second array.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchInvocation {
    /// The number of the primitive in its instance: SV_PrimitiveID.
    pub primitive_id: u32,
    /// Which of the primitive's invocations it is: SV_GSInstanceID.
    pub instance: u32,
}

/// Numbers the arrays of each stage.
macro_rules! ids {
    ($($array:ident)*) => {$(
        impl $array {
            /// Its number.
            pub fn id(self) -> ArrayId {
                ArrayId::new(self as usize)
            }
        }
    )*};
}

ids! { VertexArray HullArray DomainArray GeometryArray PixelArray }

/// Hull and geometry shaders have what they read in the same arrays.
const _: () = assert!(HullArray::Vertices as usize == GeometryArray::Vertices as usize);
const _: () = assert!(HullArray::Patches as usize == GeometryArray::Primitives as usize);

/// Slots of vertex buffers.
pub const SLOTS: u32 = 32;

/// The maximum number of a vertex's registers between stages.
pub const REGISTERS: u32 = 32;

/// An element of a vertex shader's first array: a vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchVertex {
    /// Its index in buffers that advance per vertex.
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
    /// Column and row of its upper left pixel, both even. With several samples that is the lower half of each word, and
    /// the upper halves are another word of coverage: of up to 8 samples, all that the primitive covers, whatever the
    /// sample mask and tests have left of them in `coverage`; of 16, samples 8 to 15. In conservative rasterization it is
    /// the pixels that the primitive touches, and four bits above for those that lie inside.
    pub corner: [u32; 2],
    /// The number of its primitive in the second array. Where the shader runs for each sample, the [upper
    /// bits](SAMPLE_BITS) are the number of the sample.
    pub primitive: u32,
    /// Covered pixels, one bit each: upper left, upper right, lower left, lower right. Those of further samples are the
    /// bits above; with one sample, in conservative rasterization, they are the pixels that lie inside.
    pub coverage: u32,
}

/// Bits of [`BatchQuad::primitive`] for the number of a sample.
pub const SAMPLE_BITS: u32 = 3;

/// An element of a pixel shader's second array: a primitive. Its attributes follow it: for each register of a vertex
/// twelve words, namely four of the leading vertex and, as floats, the differences of the second and third vertex from
/// it.
///
/// The planes are of depth, of 1/w, and of the barycentric weights of the second and third vertex over their w.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchPrimitive {
    /// The pixel at whose centre the planes have their values: column and row.
    pub origin: [u32; 2],
    /// 1 if it is front-facing, else 0.
    pub is_front: u32,
    /// Its number in its instance: SV_PrimitiveID.
    pub id: u32,
    /// The planes' values at the origin.
    pub values: [f32; 4],
    /// The planes' increments per pixel to the right.
    pub along_x: [f32; 4],
    /// The planes' increments per pixel down.
    pub along_y: [f32; 4],
    /// The w of the second and the third vertex.
    pub w: [f32; 2],
    /// Zeros.
    pub reserved: [u32; 2],
}

/// An attribute that follows a [`BatchPrimitive`], one for each register of its vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchAttribute {
    /// The words of the leading vertex.
    pub leading: [u32; 4],
    /// The second vertex's difference from the leading one.
    pub second: [f32; 4],
    /// The third vertex's difference from the leading one.
    pub third: [f32; 4],
}

/// A pixel shader's third array, of one element: the state that changes from batch to batch without other code.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchState {
    /// The blend factor: red, green, blue, alpha.
    pub blend_factor: [f32; 4],
    /// The minimum and maximum depth of the viewport.
    pub depths: [f32; 2],
    /// The number of the one primitive of all quads, plus 1; 0 if there may be several.
    pub primitive: u32,
    /// The stencil reference.
    pub stencil_reference: u32,
    /// The layer of targets and depth buffer to draw to, if they are arrays.
    pub layer: u32,
    /// Read-only parts of the depth buffer, whatever its tests say: 1 for depths, 2 for stencils, or their sum. With
    /// several samples, the [bits above](SAMPLE_MASK) are the sample mask.
    pub read_only: u32,
    /// Zeros, except under Direct3D 9.
    pub reserved: [u32; 6],
}

/// The bit of [`BatchState::read_only`] for depths (functional specification, 17.13).
pub const DEPTHS_STAY: u32 = 1;

/// The bit of [`BatchState::read_only`] for stencils.
pub const STENCILS_STAY: u32 = 2;

/// The lowest bit of [`BatchState::read_only`] for the sample mask, of 16 bits.
pub const SAMPLE_MASK: u32 = 16;

/// The content of [`BatchState::reserved`] under Direct3D 9.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchDirect3D9 {
    /// The reference of the alpha test, as an 8-bit code.
    pub alpha_reference: u32,
    /// The colour of the fog: red, green, blue.
    pub fog_color: [f32; 3],
    /// For linear fog: the distance at which it ends, and 1 / (end - start). For exponential fog, the second one is the
    /// scale of distances, for powers of 2.
    pub fog_range: [f32; 2],
}

/// Lists the fields of records.
macro_rules! records {
    ($($record:ident { $($field:ident)* })*) => {$(
        impl $record {
            /// Number of its words.
            pub const WORDS: usize = size_of::<Self>() / 4;

            /// Its words, as batches hold them.
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
    BatchInvocation { primitive_id instance }
    BatchPatch { patch primitive_id }
    BatchPoint { location is_active }
    BatchQuad { corner primitive coverage }
    BatchPrimitive { origin is_front id values along_x along_y w reserved }
    BatchAttribute { leading second third }
    BatchState { blend_factor depths primitive stencil_reference layer read_only reserved }
    BatchDirect3D9 { alpha_reference fog_color fog_range }
}

/// A type that a field of a record may have.
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

/// The word of a record at which a field begins.
macro_rules! word {
    ($record:ident.$field:ident) => {
        (std::mem::offset_of!($record, $field) / 4) as u32
    };
}
pub(crate) use word;

/// Loads words of an element of an array, from a word on.
pub(super) fn words<const N: usize>(b: &mut Builder<'_>, array: ArrayId, element: Value, word: u32) -> [Value; N] {
    let offset = b.i32(4 * word);
    let words = b.load(MemoryRef { object: Object::Array(array), index: Some(element), offset }, N);
    std::array::from_fn(|n| words[n])
}

/// The same, as floats.
pub(super) fn floats<const N: usize>(b: &mut Builder<'_>, array: ArrayId, element: Value, word: u32) -> [Value; N] {
    words(b, array, element, word).map(|word| b.op(Op::AsF32, &[word]))
}

/// The arrays of a pixel shader.
pub(super) fn arrays(state: &PixelState) -> Vec<Array> {
    let primitive = size_of::<BatchPrimitive>() + state.vertex_rows as usize * size_of::<BatchAttribute>();
    let read = [size_of::<BatchQuad>(), primitive, size_of::<BatchState>()];
    let read = read.map(|bytes| Array { stride_bytes: bytes as u32, is_written: false });
    read.into_iter().chain(state.reports_live.then_some(Array { stride_bytes: 4, is_written: true })).collect()
}

/// The arrays of a geometry shader that reads and emits vertices with so many rows.
pub fn geometry_arrays(input: InputPrimitive, vertex_rows: u32, output_rows: u32) -> Vec<Array> {
    arrays_of([
        (4 * vertex_rows.max(1), false),
        (BatchInvocation::WORDS as u32 + input.vertices(), false),
        (4 * output_rows.max(1), true),
        (1, true),
        (1, true),
    ])
}

/// The arrays of a hull shader that reads vertices with so many rows, and makes control points and values of a patch with
/// at least so many.
pub fn hull_arrays(hull: &HullStage, state: &HullState) -> Vec<Array> {
    let vertex_rows = state.vertex_rows.max(hull.signature.input_rows());
    let point_rows = state.point_rows.max(hull.signature.output_rows());
    let constant_rows = state.constant_rows.max(hull.constant_rows());
    arrays_of([
        (4 * vertex_rows.max(1), false),
        (BatchInvocation::WORDS as u32 + hull.input_points, false),
        (4 * point_rows.max(1), true),
        (4 * constant_rows.max(1), true),
    ])
}

/// The arrays of a domain shader whose control points and values of a patch have so many rows.
pub fn domain_arrays(domain: &DomainStage, state: &DomainState) -> Vec<Array> {
    let point_rows = state.point_rows.max(domain.signature.input_rows());
    let constant_rows = state.constant_rows.max(domain.constant_rows());
    arrays_of([
        (4 * point_rows.max(1), false),
        (4 * constant_rows.max(1), false),
        (BatchPatch::WORDS as u32, false),
        (BatchPoint::WORDS as u32, false),
        (4 * domain.signature.output_rows().max(1), true),
    ])
}

/// The arrays of a vertex shader with this many output rows.
pub(super) fn vertex_arrays(output_rows: u32) -> Vec<Array> {
    arrays_of([(BatchVertex::WORDS as u32, false), (SLOTS, false), (4 * output_rows.max(1), true)])
}

/// Arrays whose elements have so many words, and whether they are written.
fn arrays_of<const N: usize>(arrays: [(u32, bool); N]) -> Vec<Array> {
    arrays.map(|(words, is_written)| Array { stride_bytes: 4 * words, is_written }).into()
}
