//! Types: their scalars, and their layouts in memory.
//!
//! A value of any type is a list of scalars, in the order of its declaration; a matrix is a list of columns.

use brolga_ir::Type;
use naga::proc::TypeResolution;
use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, StructMember, TypeInner, UniqueArena};

/// A type, taken apart by one level.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape<'m> {
    /// A number or condition, also an atomic one.
    Scalar(Scalar),
    /// This many numbers or conditions.
    Vector(u32, Scalar),
    /// Columns, and the rows of each.
    Matrix(u32, u32, Scalar),
    /// Elements, their number, and the bytes between them where the layout is explicit. `None` elements if the buffer
    /// decides.
    Array(Handle<naga::Type>, Option<u32>, u32),
    /// Members.
    Struct(&'m [StructMember]),
    /// A texture, a sampler, or something that Brolga does not run.
    Opaque,
}

/// How values of a type lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One word for each scalar, without gaps: private and workgroup memory.
    Words,
    /// That of WGSL: buffers.
    Explicit,
    /// A vector of 16 bytes for each scalar, vector and column: constant arrays.
    Vectors,
}

/// All types of a module, with the sizes that overrides decide.
#[derive(Debug)]
pub(super) struct Types<'m> {
    arena: &'m UniqueArena<naga::Type>,
    /// Of each type, its scalars; saturated.
    words: Vec<u32>,
    /// Of each type, its bytes in the layout of constant arrays; saturated.
    vector_bytes: Vec<u32>,
    /// Elements of arrays whose sizes are overrides.
    pending: Vec<Option<u32>>,
}

impl<'m> Types<'m> {
    /// The types of a module, given the values of overrides.
    pub fn new(module: &'m Module, size_of: impl Fn(Handle<naga::Override>) -> Option<u32>) -> Self {
        let mut types = Self { arena: &module.types, words: Vec::new(), vector_bytes: Vec::new(), pending: Vec::new() };
        // Types come after those that they are made of.
        for (handle, ty) in module.types.iter() {
            let pending = match ty.inner {
                TypeInner::Array { size: ArraySize::Pending(size), .. } => size_of(size),
                _ => None,
            };
            types.pending.push(pending);
            let shape = types.of(handle);
            types.words.push(types.words(shape));
            types.vector_bytes.push(types.size(shape, Layout::Vectors));
        }
        types
    }

    /// The type with this handle.
    pub fn of(&self, handle: Handle<naga::Type>) -> Shape<'m> {
        let inner = &self.arena[handle].inner;
        match *inner {
            TypeInner::Array { base, size: ArraySize::Pending(_), stride } => {
                Shape::Array(base, Some(self.pending[handle.index()].unwrap_or(0)), stride)
            }
            _ => self.shape(inner),
        }
    }

    /// The type of an expression.
    pub fn resolved(&self, ty: &'m TypeResolution) -> Shape<'m> {
        match *ty {
            TypeResolution::Handle(handle) => self.of(handle),
            TypeResolution::Value(ref inner) => self.shape(inner),
        }
    }

    /// A type that need not have a handle.
    fn shape(&self, inner: &'m TypeInner) -> Shape<'m> {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Shape::Scalar(scalar),
            TypeInner::Vector { size, scalar } => Shape::Vector(u32::from(size), scalar),
            TypeInner::Matrix { columns, rows, scalar } => Shape::Matrix(u32::from(columns), u32::from(rows), scalar),
            TypeInner::Array { base, size, stride } => {
                let count = match size {
                    ArraySize::Constant(count) => Some(count.get()),
                    // Only types with handles have such sizes.
                    ArraySize::Pending(_) => Some(0),
                    ArraySize::Dynamic => None,
                };
                Shape::Array(base, count, stride)
            }
            TypeInner::Struct { ref members, .. } => Shape::Struct(members),
            _ => Shape::Opaque,
        }
    }

    /// Scalars in a value, saturated. An array without a size counts as empty.
    pub fn words(&self, shape: Shape<'_>) -> u32 {
        match shape {
            Shape::Scalar(_) => 1,
            Shape::Vector(count, _) => count,
            Shape::Matrix(columns, rows, _) => columns * rows,
            Shape::Array(base, count, _) => self.words[base.index()].saturating_mul(count.unwrap_or(0)),
            Shape::Struct(members) => {
                members.iter().fold(0, |sum: u32, member| sum.saturating_add(self.words[member.ty.index()]))
            }
            Shape::Opaque => 0,
        }
    }

    /// The type of the element or member with this number.
    pub fn child(&self, shape: Shape<'m>, number: u32) -> Shape<'m> {
        match shape {
            Shape::Vector(_, scalar) => Shape::Scalar(scalar),
            Shape::Matrix(_, rows, scalar) => Shape::Vector(rows, scalar),
            Shape::Array(base, ..) => self.of(base),
            Shape::Struct(members) => members.get(number as usize).map_or(Shape::Opaque, |member| self.of(member.ty)),
            Shape::Scalar(_) | Shape::Opaque => Shape::Opaque,
        }
    }

    /// Elements or members. `None` if the buffer decides.
    pub fn children(&self, shape: Shape<'m>) -> Option<u32> {
        match shape {
            Shape::Vector(count, _) | Shape::Matrix(count, ..) => Some(count),
            Shape::Array(_, count, _) => count,
            Shape::Struct(members) => Some(members.len() as u32),
            Shape::Scalar(_) | Shape::Opaque => Some(0),
        }
    }

    /// Scalars before an element or member.
    pub fn words_before(&self, shape: Shape<'m>, number: u32) -> u32 {
        match shape {
            Shape::Struct(members) => members
                .iter()
                .take(number as usize)
                .fold(0, |sum: u32, member| sum.saturating_add(self.words[member.ty.index()])),
            _ => self.words(self.child(shape, 0)).saturating_mul(number),
        }
    }

    /// Bytes that a value takes, saturated.
    pub fn size(&self, shape: Shape<'m>, layout: Layout) -> u32 {
        match (layout, shape) {
            (Layout::Words, _) => self.words(shape).saturating_mul(4),
            (_, Shape::Opaque) => 0,
            (Layout::Vectors, Shape::Scalar(_) | Shape::Vector(..)) => 16,
            (Layout::Vectors, Shape::Struct(members)) => {
                members.iter().fold(0, |sum: u32, member| sum.saturating_add(self.vector_bytes[member.ty.index()]))
            }
            (Layout::Explicit, Shape::Scalar(_)) => 4,
            (Layout::Explicit, Shape::Struct(members)) => {
                members.last().map_or(0, |last| last.offset.saturating_add(self.size(self.of(last.ty), layout)))
            }
            (_, Shape::Vector(..) | Shape::Matrix(..) | Shape::Array(..)) => {
                self.stride(shape, layout).saturating_mul(self.children(shape).unwrap_or(0))
            }
        }
    }

    /// Bytes between the elements of a vector, matrix or array.
    pub fn stride(&self, shape: Shape<'m>, layout: Layout) -> u32 {
        match (layout, shape) {
            (_, Shape::Vector(..)) => 4,
            (Layout::Explicit, Shape::Matrix(_, rows, _)) => {
                if rows == 2 {
                    8
                } else {
                    16
                }
            }
            (Layout::Explicit, Shape::Array(_, _, stride)) => stride,
            (Layout::Vectors, Shape::Array(base, ..)) => self.vector_bytes[base.index()],
            _ => self.size(self.child(shape, 0), layout),
        }
    }

    /// Bytes before an element or member, saturated.
    pub fn offset(&self, shape: Shape<'m>, layout: Layout, number: u32) -> u32 {
        let Shape::Struct(members) = shape else { return self.stride(shape, layout).saturating_mul(number) };
        match layout {
            Layout::Words => self.words_before(shape, number).saturating_mul(4),
            Layout::Explicit => members.get(number as usize).map_or(0, |member| member.offset),
            Layout::Vectors => {
                let before = members.iter().take(number as usize);
                before.fold(0, |sum: u32, member| sum.saturating_add(self.vector_bytes[member.ty.index()]))
            }
        }
    }

    /// Calls `f` with the scalars of a value in order, until it fails.
    pub fn each_scalar<E>(&self, shape: Shape<'m>, f: &mut impl FnMut(Scalar) -> Result<(), E>) -> Result<(), E> {
        match shape {
            Shape::Scalar(scalar) => f(scalar),
            Shape::Vector(count, scalar) => (0..count).try_for_each(|_| f(scalar)),
            Shape::Matrix(columns, rows, scalar) => (0..columns * rows).try_for_each(|_| f(scalar)),
            Shape::Array(base, count, _) => {
                let base = self.of(base);
                (0..count.unwrap_or(0)).try_for_each(|_| self.each_scalar(base, f))
            }
            Shape::Struct(members) => members.iter().try_for_each(|member| self.each_scalar(self.of(member.ty), f)),
            Shape::Opaque => Ok(()),
        }
    }
}

/// The IR's type for a scalar, or the name of one that it has none for.
pub(super) fn scalar_type(scalar: Scalar) -> Result<Type, &'static str> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ok(Type::Bool),
        (ScalarKind::Sint | ScalarKind::Uint, 4) => Ok(Type::I32),
        (ScalarKind::Float, 4) => Ok(Type::F32),
        (ScalarKind::Float, 2) => Err("f16"),
        (ScalarKind::Float, _) => Err("f64"),
        (ScalarKind::Sint, 2) => Err("i16"),
        (ScalarKind::Sint, _) => Err("i64"),
        (ScalarKind::Uint, 2) => Err("u16"),
        (ScalarKind::Uint, _) => Err("u64"),
        (ScalarKind::AbstractInt | ScalarKind::AbstractFloat, _) => Err("an abstract number"),
    }
}

/// The name of a scalar's type.
pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match (scalar.kind, scalar_type(scalar)) {
        (_, Err(name)) => name,
        (ScalarKind::Bool, _) => "bool",
        (ScalarKind::Sint, _) => "i32",
        (ScalarKind::Uint, _) => "u32",
        _ => "f32",
    }
}
