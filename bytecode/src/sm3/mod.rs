//! Shader models 1.1 to 3.0: the token stream of Direct3D 9.
//!
//! | file | what |
//! |---|---|
//! | `version.rs` | vs_1_0 to ps_3_sw |
//! | `ops.rs` | the instruction table |
//! | `meaning.rs` | explanations of the instructions |
//! | `register.rs` | register files, and their sizes in each version |
//! | `operand.rs` | operands |
//! | `instruction.rs` | instructions, declarations, definitions, comments |
//! | `decode.rs` | decodes words into a [`Program`] |
//! | `encode.rs` | encodes a [`Program`] to the same words |
//! | `constants.rs` | the constant table in a comment |
//! | `values.rs` | values of constants: defaults, and values set by name |
//! | `display.rs` | instructions as fxc prints them |
//! | `listing.rs` | a whole program as fxc prints it |
//! | `assemble/` | assembles text into a [`Program`] |
//! | `validate/` | the rules |
//!
//! [`decode()`] gives a [`Program`], which holds what the words say, unchecked. Validation turns it into a
//! [`ValidProgram`].

mod assemble;
pub mod constants;
pub mod decode;
mod display;
mod encode;
pub mod instruction;
mod listing;
mod meaning;
pub mod operand;
pub mod ops;
pub mod register;
pub mod validate;
mod values;
pub mod version;

pub use assemble::assemble;
pub(crate) use assemble::{assemble_with_spans, is_program as is_program_text};
pub use constants::ConstantTable;
pub use decode::{DecodeError, decode};
pub use encode::encode;
pub use instruction::{Comment, Comparison, Declaration, Definition, Instruction, TextureType, Usage, Value};
pub use listing::{Style, line, list, slots};
pub use operand::{Destination, Modifier, Operand, Relative, Source, Swizzle};
pub use ops::Op;
pub use register::{Register, RegisterFile};
pub use validate::{ValidProgram, ValidateError, validate};
pub use values::{ConstantError, ConstantValues};
pub use version::Version;

/// `true` if bytes begin like a program of any version. No container does.
pub fn is_program(bytes: &[u8]) -> bool {
    matches!(bytes, [_, _, 0xfe | 0xff, 0xff, ..])
}

/// An item of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The byte in the file where it begins.
    pub at: u32,
    /// The kind.
    pub kind: ItemKind,
}

/// Kind of an item.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An instruction.
    Instruction(Instruction),
    /// A declaration.
    Declaration(Declaration),
    /// The value of a constant.
    Definition(Definition),
    /// Data that no instruction reads.
    Comment(Comment),
}

/// A decoded program: what its words say, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The version.
    pub version: Version,
    /// Byte offset in the file of the version token.
    pub at: u32,
    /// The items in the order of the stream.
    pub items: Vec<Item>,
}

impl Program {
    /// The comments, each with the byte in the file where it begins.
    pub fn comments(&self) -> impl Iterator<Item = (u32, &Comment)> {
        self.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Comment(comment) => Some((item.at, comment)),
            ItemKind::Instruction(_) | ItemKind::Declaration(_) | ItemKind::Definition(_) => None,
        })
    }

    /// The constant table; `None` if there is none.
    pub fn constants(&self, limits: &crate::Limits) -> Result<Option<ConstantTable>, constants::ConstantsError> {
        let comment = self.comments().find(|(_, comment)| comment.name() == Some(*b"CTAB"));
        comment.map(|(at, comment)| ConstantTable::parse(comment, at, limits)).transpose()
    }
}
