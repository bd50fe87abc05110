//! Shader models 4.0 to 5.1: the token stream of the chunks SHDR and SHEX.
//!
//! | file | what |
//! |---|---|
//! | `ops.rs` | the instruction table |
//! | `meaning.rs` | explanations of the instructions |
//! | `codes.rs` | the small enumerations |
//! | `operand.rs` | operands and register files |
//! | `literal.rs` | literals as fxc prints them |
//! | `display.rs` | operands and instructions as fxc lists them |
//! | `declare_text.rs` | declarations and custom data as fxc lists them |
//! | `instruction.rs` | instructions |
//! | `declaration.rs` | declarations |
//! | `example.rs` | an example of each |
//! | `custom.rs` | custom data |
//! | `decode/` | decodes words into a [`Program`] |
//! | `encode.rs` | encodes a [`Program`] to words |
//! | `validate/` | the rules |
//! | `valid.rs` | [`ValidProgram`]: the results of validation |
//!
//! [`decode()`] gives a [`Program`], which holds what the words say, unchecked. Validation turns it into a
//! [`ValidProgram`], the only form that later stages accept.

pub mod codes;
pub mod custom;
pub mod declaration;
pub(crate) mod declare_text;
pub mod decode;
mod display;
pub mod encode;
pub(crate) mod example;
pub mod instruction;
pub mod literal;
mod meaning;
pub mod operand;
pub mod ops;
pub mod valid;
pub mod validate;

pub use custom::{CustomContent, CustomData, Message, MessageKind};
pub use declaration::{Declaration, DeclarationKind, GlobalFlags, RegisterRange, ResourceKind, UavFlags};
pub use declare_text::primitive_text;
pub use decode::{DecodeError, decode};
pub use encode::{EncodeError, encode};
pub use instruction::{Instruction, SyncFlags, Test};
pub use literal::Literals;
pub use operand::{Components, Index, IndexForm, Operand, RegisterFile};
pub use ops::Op;
pub use valid::ValidProgram;
pub use validate::{ValidateError, validate};

/// A shader model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// 4.0
    Sm4_0,
    /// 4.1
    Sm4_1,
    /// 5.0
    Sm5_0,
    /// 5.1
    Sm5_1,
}

impl Model {
    /// Every model, the most common first.
    pub const ALL: [Self; 4] = [Self::Sm5_0, Self::Sm5_1, Self::Sm4_0, Self::Sm4_1];

    /// The text in a profile: `5_0`.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Sm4_0 => "4_0",
            Self::Sm4_1 => "4_1",
            Self::Sm5_0 => "5_0",
            Self::Sm5_1 => "5_1",
        }
    }

    /// Its major and minor number.
    pub const fn numbers(self) -> (u32, u32) {
        match self {
            Self::Sm4_0 => (4, 0),
            Self::Sm4_1 => (4, 1),
            Self::Sm5_0 => (5, 0),
            Self::Sm5_1 => (5, 1),
        }
    }

    /// The model with these numbers.
    pub const fn from_numbers(major: u32, minor: u32) -> Option<Self> {
        match (major, minor) {
            (4, 0) => Some(Self::Sm4_0),
            (4, 1) => Some(Self::Sm4_1),
            (5, 0) => Some(Self::Sm5_0),
            (5, 1) => Some(Self::Sm5_1),
            _ => None,
        }
    }
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

/// A stage of the pipeline. The numbers are those of the version token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// `ps`
    Pixel = 0,
    /// `vs`
    Vertex = 1,
    /// `gs`
    Geometry = 2,
    /// `hs`
    Hull = 3,
    /// `ds`
    Domain = 4,
    /// `cs`
    Compute = 5,
}

impl Stage {
    /// Every stage, the most common first.
    pub const ALL: [Self; 6] = [Self::Compute, Self::Pixel, Self::Vertex, Self::Geometry, Self::Hull, Self::Domain];

    /// The stage with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| *stage as u32 == number)
    }

    /// The text in a profile: `cs`.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Pixel => "ps",
            Self::Vertex => "vs",
            Self::Geometry => "gs",
            Self::Hull => "hs",
            Self::Domain => "ds",
            Self::Compute => "cs",
        }
    }

    /// The name: `compute`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pixel => "pixel",
            Self::Vertex => "vertex",
            Self::Geometry => "geometry",
            Self::Hull => "hull",
            Self::Domain => "domain",
            Self::Compute => "compute",
        }
    }
}

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

/// An instruction, a declaration or a block of data, in the order of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The byte in the file where it begins.
    pub at: u32,
    /// Index of its first word in [`Program::words`].
    pub first_word: u32,
    /// Number of its words.
    pub word_count: u32,
    /// The kind.
    pub kind: ItemKind,
}

/// Kind of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An instruction.
    Instruction(Instruction),
    /// A declaration.
    Declaration(Box<Declaration>),
    /// A block of data.
    CustomData(Box<CustomData>),
}

impl ItemKind {
    /// The name in fxc's listing.
    pub fn text(&self) -> &'static str {
        match self {
            Self::Instruction(instruction) => instruction.op.text(),
            Self::Declaration(declaration) => declaration.op.text(),
            Self::CustomData(data) => data.content.text(),
        }
    }
}

/// A decoded program: what its words say, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The shader model.
    pub model: Model,
    /// The stage.
    pub stage: Stage,
    /// Byte offset in the file of the version token.
    pub at: u32,
    /// All words, including the version and length tokens.
    pub words: Vec<u32>,
    /// The items in the order of the stream.
    pub items: Vec<Item>,
}

impl Program {
    /// The words of an item of this program.
    pub fn words_of(&self, item: &Item) -> &[u32] {
        let first = item.first_word as usize;
        self.words.get(first..first + item.word_count as usize).unwrap_or_default()
    }
}
