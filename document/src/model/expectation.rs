//! Models the expected results of a document's steps, and the outputs to save.

use std::path::PathBuf;

use brolga_files::{FileForm, Held, form_to_write};

use super::number::NumberType;
use super::resource::{Kind, ValueRun};
use crate::text::{Located, Span};

/// The expected content of a resource, or the expected values of a query.
#[derive(Clone, Debug)]
pub(crate) struct Expectation {
    /// The name in reports.
    pub id: String,
    pub subject: Subject,
    pub content: Option<Expected>,
    /// The rules for comparing numbers.
    pub rules: Rules,
    /// The part of a texture to compare.
    pub part: TexturePart,
    /// The hidden counter's final value.
    pub counter: Option<u32>,
    pub span: Span,
}

/// The subject of an expectation.
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
    /// Values in the document; the rest of the resource is not compared.
    Values(Vec<ValueRun>),
}

/// A part of a texture; by default all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TexturePart {
    pub mip: Option<u32>,
    pub layer: Option<u32>,
    pub plane: Option<Plane>,
}

/// Depths, or the stencils stored with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Plane {
    Depth,
    Stencil,
}

/// The rules for comparing the numbers of a resource with the expected ones.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Rules {
    /// The types of the numbers, repeated to the end. Empty: the types that the expected values are written with.
    pub pattern: Vec<NumberType>,
    /// Set if the pattern is of 32-bit words of mixed types: then its integers are always exact.
    pub mixed: bool,
    pub tolerance: Tolerance,
    /// Bytes of an element, if given.
    pub element: Option<u64>,
    /// The number of elements compared, if limited.
    pub elements: Option<u64>,
    /// Elements that are not compared, in increasing order.
    pub skip_elements: Vec<u64>,
    pub order: Order,
}

impl Rules {
    /// `true` if they are about numbers in memory, `false` if about texels.
    pub fn are_of_numbers(&self) -> bool {
        let texels = Self { tolerance: self.tolerance, ..Self::default() };
        *self != texels
    }
}

/// The significance of the order of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Order {
    #[default]
    Fixed,
    /// The elements are a multiset.
    Any,
}

/// The maximum deviation of a number. It passes if it meets any of the bounds; without a bound it must be equal.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Absolute difference.
    pub abs: Option<f64>,
    /// Difference relative to the expected value.
    pub rel: Option<f64>,
    /// Difference in units of the last place.
    pub ulp: Option<u64>,
    /// Difference in integer codes, for channels that are integers or normalised.
    pub codes: Option<f64>,
    /// The share of the pixels that may lie between their expected neighbours instead.
    pub edge_share: f64,
    /// The share of the pixels that may have any value.
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
    /// The key that limits the output to the elements below the hidden counter's last value.
    pub counted: Option<Span>,
    /// Set if it is raw bytes, whatever its name is.
    pub raw: bool,
}

impl Save {
    /// `true` if it goes to standard output, which is written `-`, and not to a file.
    pub fn is_standard(&self) -> bool {
        self.path.value.as_os_str() == "-"
    }

    /// The file format for a resource of this kind, or else the supported extensions.
    pub fn form<T>(&self, kind: &Kind<T>) -> Result<FileForm, &'static str> {
        match kind {
            _ if self.raw || self.is_standard() => Ok(FileForm::Raw),
            Kind::Texture(_) => form_to_write(&self.path.value, Held::Texture),
            _ => form_to_write(&self.path.value, Held::Numbers),
        }
    }
}
