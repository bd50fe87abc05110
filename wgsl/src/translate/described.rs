//! What callers are told of a shader's declarations: the types of resources, and overrides.

use brolga_ir::Const;
use naga::{Expression, Handle, ImageClass, Module, Scalar, StorageFormat, TypeInner};

use super::Translator;
use super::constant::Overrides;
use super::types::{Layout, Shape, Types, scalar_name};

/// The most types and members that one resource is described by.
const MOST_PARTS: usize = 4096;
/// Types within types at most.
const DEPTH: usize = 16;

/// A type as callers are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeInfo {
    /// Its name, as `vec2<f32>`.
    pub name: String,
    /// Bytes from its first to its last; 0 if it has none, or the buffer decides.
    pub size_bytes: u32,
    /// What it is made of.
    pub kind: TypeKind,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TypeKind {
    /// Numbers one after the other.
    Numbers {
        /// Their type: `f32`, `i32` or `u32`.
        of: &'static str,
        /// Their number.
        count: u32,
    },
    /// Columns of a matrix of floats.
    Matrix {
        /// Their number.
        columns: u32,
        /// Numbers in each.
        rows: u32,
        /// Bytes from one to the next.
        stride_bytes: u32,
    },
    /// Elements.
    Array {
        /// The type of each.
        element: Box<TypeInfo>,
        /// Their number; `None` if the buffer decides.
        count: Option<u32>,
        /// Bytes from one to the next.
        stride_bytes: u32,
    },
    /// Members, in order.
    Struct(Vec<MemberInfo>),
    /// Texels, with their format in DXGI's words without its prefix, if the text gives it.
    Texture(Option<String>),
    /// A sampler, or what is too long to describe.
    Other,
}

/// A member of a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberInfo {
    /// Its name.
    pub name: String,
    /// Bytes before it.
    pub offset_bytes: u32,
    /// Its type.
    pub ty: TypeInfo,
}

/// An override of a text, and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideInfo {
    /// The key by which values are given: its number if it has an `@id`, else its name.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Its type: `f32`, `i32`, `u32` or `bool`.
    pub ty: &'static str,
    /// Its value; `None` if it has none.
    pub value: Option<f64>,
    /// Set if its value is computed of others, unless one is given.
    pub is_computed: bool,
}

/// The overrides of a module.
pub(super) fn overrides(module: &Module, values: &Overrides) -> Vec<OverrideInfo> {
    let one = |(handle, of): (Handle<naga::Override>, &naga::Override)| {
        let ty = match module.types[of.ty].inner {
            TypeInner::Scalar(scalar) => scalar_name(scalar),
            _ => "",
        };
        let number = |value: Const| match ty {
            "f32" => f32::from_bits(value.bits as u32).into(),
            "i32" => (value.bits as u32).cast_signed().into(),
            _ => (value.bits as u32).into(),
        };
        let value = values.constant(handle).ok().map(number);
        let is_known =
            |init| matches!(module.global_expressions[init], Expression::Literal(_) | Expression::Constant(_));
        let is_computed = of.init.is_some_and(|init| !is_known(init));
        let (key, name) = (super::constant::name(of), of.name.clone().unwrap_or_default());
        OverrideInfo { key, name, ty, value, is_computed }
    };
    // Sizes that are computed of others have none of their own.
    module.overrides.iter().map(one).filter(|told| !told.key.is_empty()).collect()
}

impl Translator<'_, '_> {
    /// The type of a resource.
    pub(super) fn described(&self, ty: Handle<naga::Type>) -> TypeInfo {
        Describer { module: self.module, types: &self.types, left: MOST_PARTS }.describe(ty, DEPTH)
    }
}

struct Describer<'a, 'm> {
    module: &'m Module,
    types: &'a Types<'m>,
    /// Parts that may still be described.
    left: usize,
}

impl Describer<'_, '_> {
    fn describe(&mut self, handle: Handle<naga::Type>, depth: usize) -> TypeInfo {
        let ty = &self.module.types[handle];
        let shape = self.types.of(handle);
        let size_bytes = self.types.size(shape, Layout::Explicit);
        let named = |default: String| ty.name.clone().unwrap_or(default);
        if depth == 0 || self.left == 0 {
            return TypeInfo { name: named("...".to_owned()), size_bytes, kind: TypeKind::Other };
        }
        self.left -= 1;
        let (name, kind) = match shape {
            Shape::Scalar(scalar) => {
                let name = scalar_name(scalar);
                let atomic = matches!(ty.inner, TypeInner::Atomic(_));
                let full = if atomic { format!("atomic<{name}>") } else { name.to_owned() };
                (full, TypeKind::Numbers { of: name, count: 1 })
            }
            Shape::Vector(count, scalar) => {
                let of = scalar_name(scalar);
                (format!("vec{count}<{of}>"), TypeKind::Numbers { of, count })
            }
            Shape::Matrix(columns, rows, Scalar { .. }) => {
                let stride_bytes = self.types.stride(shape, Layout::Explicit);
                (format!("mat{columns}x{rows}<f32>"), TypeKind::Matrix { columns, rows, stride_bytes })
            }
            Shape::Array(base, count, stride_bytes) => {
                let element = self.describe(base, depth - 1);
                let many = count.map_or(String::new(), |count| format!(", {count}"));
                let name = format!("array<{}{many}>", element.name);
                (name, TypeKind::Array { element: Box::new(element), count, stride_bytes })
            }
            Shape::Struct(members) => {
                let mut all = Vec::new();
                for member in members {
                    if self.left == 0 {
                        let name = named("struct".to_owned());
                        return TypeInfo { name, size_bytes, kind: TypeKind::Other };
                    }
                    let name = member.name.clone().unwrap_or_default();
                    let ty = self.describe(member.ty, depth - 1);
                    all.push(MemberInfo { name, offset_bytes: member.offset, ty });
                }
                ("struct".to_owned(), TypeKind::Struct(all))
            }
            Shape::Opaque => match ty.inner {
                TypeInner::Image { class: ImageClass::Storage { format, .. }, .. } => {
                    ("texture_storage".to_owned(), TypeKind::Texture(texel_format(format)))
                }
                TypeInner::Image { class: ImageClass::Depth { .. }, .. } => {
                    ("texture_depth".to_owned(), TypeKind::Texture(None))
                }
                TypeInner::Image { .. } => ("texture".to_owned(), TypeKind::Texture(None)),
                TypeInner::Sampler { .. } => ("sampler".to_owned(), TypeKind::Other),
                _ => (String::new(), TypeKind::Other),
            },
        };
        TypeInfo { name: named(name), size_bytes, kind }
    }
}

/// DXGI's name of a format without its prefix: `R8G8B8A8_UNORM` for `rgba8unorm`.
fn texel_format(format: StorageFormat) -> Option<String> {
    match format {
        StorageFormat::Bgra8Unorm => return Some("B8G8R8A8_UNORM".to_owned()),
        StorageFormat::Rgb10a2Unorm => return Some("R10G10B10A2_UNORM".to_owned()),
        StorageFormat::Rgb10a2Uint => return Some("R10G10B10A2_UINT".to_owned()),
        StorageFormat::Rg11b10Ufloat => return Some("R11G11B10_FLOAT".to_owned()),
        StorageFormat::R64Uint => return None,
        _ => {}
    }
    // All others are channels, bits and a kind: `Rg16Float`.
    let name = format!("{format:?}");
    let (channels, rest) = name.split_at(name.find(|letter: char| letter.is_ascii_digit())?);
    let (bits, kind) = rest.split_at(rest.find(|letter: char| letter.is_ascii_uppercase())?);
    let channels: String = channels.to_uppercase().chars().map(|channel| format!("{channel}{bits}")).collect();
    Some(format!("{channels}_{}", kind.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_the_names_of_dxgi() {
        for (format, name) in [
            (StorageFormat::R8Unorm, "R8_UNORM"),
            (StorageFormat::Rgba8Snorm, "R8G8B8A8_SNORM"),
            (StorageFormat::Rg16Float, "R16G16_FLOAT"),
            (StorageFormat::Rgba32Sint, "R32G32B32A32_SINT"),
            (StorageFormat::Rg11b10Ufloat, "R11G11B10_FLOAT"),
            (StorageFormat::Bgra8Unorm, "B8G8R8A8_UNORM"),
        ] {
            assert_eq!(texel_format(format).as_deref(), Some(name));
        }
    }
}
