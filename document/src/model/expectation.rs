//! What must come out of a document's steps, and what of it is saved.

use std::path::PathBuf;

use brolga_files::{FileForm, Held, form_to_write};

use super::number::NumberType;
use super::resource::{Kind, Run};
use crate::text::{Located, Span};

/// What must come out of a resource or a query.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    /// What reports call it.
    pub id: String,
    pub subject: Subject,
    pub content: Option<Expected>,
    /// How numbers are compared.
    pub rules: Rules,
    /// Which part of a texture is compared.
    pub part: Part,
    /// The hidden counter's final value.
    pub counter: Option<u32>,
    pub span: Span,
}

/// What an expectation is about.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    Resource(Located<String>),
    Query { name: Located<String>, values: Vec<(String, f64)> },
}

impl Subject {
    /// The name of the resource or the query.
    pub fn name(&self) -> &str {
        match self {
            Subject::Resource(name) | Subject::Query { name, .. } => &name.value,
        }
    }
}

/// The content that a resource must have.
#[derive(Clone, Debug)]
pub(crate) enum Expected {
    /// All of it, in a file.
    File(Located<PathBuf>),
    /// Values in the document; what is not named is not compared.
    Values(Vec<Run>),
}

/// A part of a texture; all of it where nothing is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub mip: Option<u32>,
    pub layer: Option<u32>,
    pub plane: Option<Plane>,
}

/// Depths, or the stencils beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plane {
    Depth,
    Stencil,
}

/// How the numbers of a resource are compared with the expected ones.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Rules {
    /// The types of the numbers, repeated to the end. Empty: the types that the expected values are written with.
    pub pattern: Vec<NumberType>,
    /// Whether the pattern is of 32-bit words of mixed types: then its integers are always exact.
    pub mixed: bool,
    pub tolerance: Tolerance,
    /// Bytes of an element, if the document says.
    pub element: Option<u64>,
    /// Only this many elements are compared.
    pub elements: Option<u64>,
    /// Elements that are not compared, in increasing order.
    pub skip_elements: Vec<u64>,
    pub order: Order,
}

impl Rules {
    /// Whether they are about numbers in memory, and not about texels.
    pub fn are_of_numbers(&self) -> bool {
        let texels = Self { tolerance: self.tolerance, ..Self::default() };
        *self != texels
    }
}

/// Whether the order of elements matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Order {
    #[default]
    Fixed,
    /// The elements are a multiset.
    Any,
}

/// How far a number may be off. It passes if it meets any of the bounds; without a bound it must be equal.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Absolute difference.
    pub abs: Option<f64>,
    /// Difference relative to the expected value.
    pub rel: Option<f64>,
    /// Difference in units of the last place.
    pub ulp: Option<u64>,
    /// Difference in codes, of channels that are integers or normalised numbers.
    pub codes: Option<f64>,
    /// The share of the pixels that may lie between their expected neighbours instead.
    pub edge_share: f64,
    /// The share of the pixels that may be anything.
    pub wrong_share: f64,
}

impl Tolerance {
    /// Equality.
    pub const EXACT: Self = Self { abs: None, rel: None, ulp: None, codes: None, edge_share: 0.0, wrong_share: 0.0 };
}

/// An output file.
#[derive(Clone, Debug)]
pub(crate) struct Save {
    pub resource: Located<String>,
    /// The file; a relative path starts from the folder that the caller chooses.
    pub path: Located<PathBuf>,
    /// The type of the numbers in an .npy file; by default the format's, else the shader's, else `u32`.
    pub number_type: Option<NumberType>,
    /// The key that says that only the elements before the hidden counter's last value are written.
    pub counted: Option<Span>,
    /// Whether it is raw bytes, whatever its name is.
    pub raw: bool,
}

impl Save {
    /// Whether it goes to standard output, which is written `-`, and not to a file.
    pub fn is_standard(&self) -> bool {
        self.path.value.as_os_str() == "-"
    }

    /// The form of the file of a resource of this kind; else what names can be asked for.
    pub fn form<T>(&self, kind: &Kind<T>) -> Result<FileForm, &'static str> {
        match kind {
            _ if self.raw || self.is_standard() => Ok(FileForm::Raw),
            Kind::Texture(_) => form_to_write(&self.path.value, Held::Texture),
            _ => form_to_write(&self.path.value, Held::Numbers),
        }
    }
}
