//! Defines the errors of front ends. Byte offsets are from the start of the file.

/// The reason why a program could not be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    /// An instruction or declaration that Brolga cannot run yet.
    #[error("not supported yet: `{name}` at byte {at}")]
    NotSupported {
        /// Its name in fxc's listing.
        name: &'static str,
        /// The byte offset at which it begins.
        at: u32,
    },
    /// A declaration that is missing, or that no shader can have.
    #[error("`{name}`: {what}")]
    Declaration {
        /// Its name in fxc's listing.
        name: &'static str,
        /// What is wrong.
        what: String,
    },
    /// An operand that its instruction cannot have, in a shader of this stage.
    #[error("`{name}` at byte {at}: operand {register} is not allowed here")]
    Operand {
        /// The instruction's name in fxc's listing.
        name: &'static str,
        /// The byte offset at which it begins.
        at: u32,
        /// The register, as far as it is known.
        register: String,
    },
    /// A flow instruction outside of the construct that it belongs to.
    #[error("`{name}` at byte {at}: it is outside of any construct that it could belong to")]
    Flow {
        /// The instruction's name in fxc's listing.
        name: &'static str,
        /// The byte offset at which it begins.
        at: u32,
    },
    /// An interface slot that is not bound.
    #[error("no class instance is bound to the interface slot fp{slot}")]
    Unbound {
        /// The slot.
        slot: u32,
    },
    /// A class that the interface slot does not take.
    #[error("the interface slot fp{slot} does not take the function table ft{table}")]
    Table {
        /// The slot.
        slot: u32,
        /// The number of the class's function table.
        table: u32,
    },
    /// The program grows beyond the limit.
    #[error("at byte {at} the shader is larger than the limit of {limit} instructions, with calls inlined")]
    TooLarge {
        /// The byte offset of the instruction that no longer fits.
        at: u32,
        /// The limit.
        limit: usize,
    },
    /// Control flow is nested deeper than the limit.
    #[error("at byte {at} control flow is nested deeper than the limit of {limit}, with calls inlined")]
    TooDeep {
        /// The byte offset of the instruction that opens the innermost construct.
        at: u32,
        /// The limit.
        limit: usize,
    },
}

/// The result of a step of a translation.
pub(super) type Result<T = (), E = TranslateError> = std::result::Result<T, E>;
