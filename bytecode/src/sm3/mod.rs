//! Shader models 1.1 to 3.0: the token stream of Direct3D 9.
//!
//! | file | what |
//! |---|---|
//! | `version.rs` | vs_1_0 to ps_3_sw |
//! | `ops.rs` | the instruction table |
//! | `meaning.rs` | what each instruction does, in words |
//! | `register.rs` | register files, and how many each version has |
//! | `operand.rs` | operands |
//! | `instruction.rs` | instructions, declarations, definitions, comments |
//! | `decode.rs` | words to [`Program`] |
//! | `encode.rs` | [`Program`] to the same words |
//! | `constants.rs` | the table of constants in a comment |
//! | `values.rs` | what constants hold: defaults, and what is set by name |
//! | `display.rs` | instructions as fxc prints them |
//! | `listing.rs` | a whole program as fxc prints it |
//! | `assemble/` | text to [`Program`] |
//! | `validate/` | the rules |
//!
//! [`decode()`] gives a [`Program`], which says what the words say. Checking it gives a [`ValidProgram`].

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

/// Whether bytes begin like a program, of whatever version. No container does.
pub fn is_program(bytes: &[u8]) -> bool {
    matches!(bytes, [_, _, 0xfe | 0xff, 0xff, ..])
}

/// Something in a program, in the order of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// The byte in the file where it begins.
    pub at: u32,
    /// What it is.
    pub kind: ItemKind,
}

/// What an item is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An instruction.
    Instruction(Instruction),
    /// A declaration.
    Declaration(Declaration),
    /// The value of a constant.
    Definition(Definition),
    /// Data that no instruction looks at.
    Comment(Comment),
}

/// A decoded program: what its words say, unchecked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The version.
    pub version: Version,
    /// The byte in the file where the version token lies.
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

    /// The table of constants; `None` if there is none.
    pub fn constants(&self, limits: &crate::Limits) -> Result<Option<ConstantTable>, constants::ConstantsError> {
        let comment = self.comments().find(|(_, comment)| comment.name() == Some(*b"CTAB"));
        comment.map(|(at, comment)| ConstantTable::parse(comment, at, limits)).transpose()
    }
}
