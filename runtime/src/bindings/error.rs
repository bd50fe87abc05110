//! Errors of bindings. Each names the register, the bound view and the declaration.

use brolga_ir::interface::{Component, Dimension, ResourceKind};
use brolga_resource::format::Format;

use super::{ParseRegisterError, Register};

/// A register whose binding does not fit the shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindingError {
    /// A string that names no register.
    #[error(transparent)]
    Name(#[from] ParseRegisterError),
    /// No register has this name in the source.
    #[error("the shader has nothing named `{name}`, {}", known_names(known, nearest))]
    UnknownName {
        /// The name.
        name: String,
        /// The names in the file; none if it was stripped of them.
        known: Vec<String>,
        /// The most similar name, if any is similar.
        nearest: Option<String>,
    },
    /// Several registers have this name in the source, such as a texture and its sampler in Direct3D 9 style.
    #[error("`{name}` is the name of {}: specify one of these", joined(registers))]
    AmbiguousName {
        /// The name.
        name: String,
        /// The registers.
        registers: Vec<Register>,
    },
    /// A declared register with nothing bound to it.
    #[error("{register} is declared as {declared} but nothing is bound to it")]
    Unbound {
        /// The register.
        register: Register,
        /// The declared kind.
        declared: ResourceKind,
    },
    /// A view bound to a register that the shader does not declare.
    #[error("{register} is bound to a {bound}, the shader declares {}", list(declared))]
    NotDeclared {
        /// The register.
        register: Register,
        /// The bound view.
        bound: String,
        /// The registers that the shader declares.
        declared: Vec<String>,
    },
    /// A view of another kind than declared.
    #[error("{register} is declared as {declared} but bound to a {bound}")]
    Kind {
        /// The register.
        register: Register,
        /// The declared kind.
        declared: ResourceKind,
        /// The bound view.
        bound: String,
    },
    /// A structured view of another stride than declared.
    #[error("{register} is declared with a stride of {declared} bytes but bound to a view with one of {bound}")]
    Stride {
        /// The register.
        register: Register,
        /// Stride that the shader declares.
        declared: u32,
        /// Stride of the view.
        bound: u32,
    },
    /// A typed view of another dimension than declared.
    #[error("{register} is declared as a {declared} but bound to a {bound}")]
    Dimension {
        /// The register.
        register: Register,
        /// Declared dimension.
        declared: Dimension,
        /// Dimension of the view.
        bound: Dimension,
    },
    /// A view whose dimension cannot be written, bound to a register that the shader writes.
    #[error("{register} can be written but is bound to a {bound}: {}", unwritable(*bound))]
    WrittenDimension {
        /// The register.
        register: Register,
        /// Dimension of the view.
        bound: Dimension,
    },
    /// A view whose format cannot be written, bound to a register that the shader writes.
    #[error("{register} can be written but is bound to a view of format {bound}, which cannot be written")]
    WrittenFormat {
        /// The register.
        register: Register,
        /// Format of the view.
        bound: Format,
    },
    /// A view whose format is for UAVs alone, bound to a register that the shader only reads.
    #[error("{register} views a texture of format {texture} as {bound}, which can only be written, by a u#")]
    WordFormat {
        /// The register.
        register: Register,
        /// Format of the texture.
        texture: Format,
        /// Format of the view.
        bound: Format,
    },
    /// A view of a subset of a 3D texture's slices, bound to a register that the shader only reads.
    #[error("{register} is bound to a {bound}: only a u# can see some slices of a 3D texture, a t# sees all of them")]
    Slices {
        /// The register.
        register: Register,
        /// The bound view.
        bound: String,
    },
    /// The component type of the view's format is not the declared one.
    #[error("{register} is declared with components {declared} but bound to a view of format {bound}")]
    Component {
        /// The register.
        register: Register,
        /// Declared type of a component.
        declared: Component,
        /// Format of the view.
        bound: Format,
    },
    /// Atomics on texels that are not single 32-bit integers.
    #[error(
        "{register} is used for atomics, which need R32_UINT or R32_SINT (exchanges also R32_FLOAT), but bound to a view of format {bound}"
    )]
    AtomicFormat {
        /// The register.
        register: Register,
        /// Format of the view.
        bound: Format,
    },
    /// A view without the hidden counter that the shader uses.
    #[error("{register} is declared with a hidden counter but bound to a view without one")]
    NoCounter {
        /// The register.
        register: Register,
    },
    /// A view of read-only memory, bound to a register that the shader writes.
    #[error("{register} can be written but is bound to memory that may only be read")]
    ReadOnly {
        /// The register.
        register: Register,
    },
    /// Two registers alias: one can write memory that the other assumes constant.
    #[error("{read} and {written} are bound to the same memory, which one reads and the other can write")]
    Aliased {
        /// The register that is only read.
        read: Register,
        /// The register that can be written.
        written: Register,
    },
}

impl BindingError {
    /// The register concerned: the first one that the message names.
    pub fn register(&self) -> Option<Register> {
        match self {
            Self::Name(_) | Self::UnknownName { .. } | Self::AmbiguousName { .. } => None,
            Self::Unbound { register, .. }
            | Self::NotDeclared { register, .. }
            | Self::Kind { register, .. }
            | Self::Stride { register, .. }
            | Self::Dimension { register, .. }
            | Self::WrittenDimension { register, .. }
            | Self::WrittenFormat { register, .. }
            | Self::WordFormat { register, .. }
            | Self::Slices { register, .. }
            | Self::Component { register, .. }
            | Self::AtomicFormat { register, .. }
            | Self::NoCounter { register }
            | Self::ReadOnly { register }
            | Self::Aliased { read: register, .. } => Some(*register),
        }
    }
}

fn unwritable(bound: Dimension) -> &'static str {
    if bound.is_cube() { "faces are written as layers of a texture2darray" } else { "samples can only be read" }
}

/// The first few of some strings, for a message.
pub(crate) fn first_of(items: &[String], separator: &str) -> String {
    const SHOWN: usize = 8;
    match items.split_at_checked(SHOWN) {
        Some((shown, rest)) if !rest.is_empty() => format!("{} and others", shown.join(separator)),
        _ => items.join(separator),
    }
}

fn joined(registers: &[Register]) -> String {
    registers.iter().map(Register::to_string).collect::<Vec<_>>().join(" and ")
}

fn known_names(known: &[String], nearest: &Option<String>) -> String {
    match (known.is_empty(), nearest) {
        (true, _) => "as its file has no names".to_owned(),
        (false, None) => format!("only {}", first_of(known, ", ")),
        (false, Some(nearest)) => format!("only {}; did you mean `{nearest}`?", first_of(known, ", ")),
    }
}

fn list(declared: &[String]) -> String {
    match declared {
        [] => "no register".to_owned(),
        names => format!("only {}", first_of(names, ", ")),
    }
}
