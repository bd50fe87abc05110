//! Errors of decoding.

use crate::faults::errors;
use crate::sm5::Model;
use crate::sm5::ops::Op;

errors! {
    /// Error in words that are not a program.
    DecodeError:

    /// Fewer bytes than a token sequence needs.
    #[error("token at byte {at}: needs {need} more bytes, {have} are left")]
    Truncated { need: u32, have: u32 },
    /// The program's length does not fit its chunk.
    #[error("program length at byte {at}: {words} words are stated, it must be 2 to {have}")]
    ProgramLength { words: u32, have: u32 },
    /// A shader model other than 4.0, 4.1, 5.0 and 5.1.
    #[error("version token at byte {at}: unknown shader model {major}.{minor}, only 4.0 to 5.1 are known")]
    UnknownModel { major: u32, minor: u32 },
    /// An unknown program type.
    #[error("version token at byte {at}: unknown program type {code}")]
    UnknownStage { code: u32 },
    /// An opcode that does not exist.
    #[error("token at byte {at}: opcode {code} does not exist in {model}")]
    UnknownOpcode { code: u16, model: Model },
    /// An instruction's length is zero, or exceeds the program.
    #[error("{op} at byte {at}: a length of {words} words, it must be 1 to {have}")]
    InstructionLength { op: Op, words: u32, have: u32 },
    /// An instruction is longer than its operands.
    #[error("{op} at byte {at}: {words} words are left after its operands")]
    TrailingWords { op: Op, words: u32 },
    /// An unknown number in a field.
    #[error("token at byte {at}: unknown {what} {code}")]
    UnknownCode { what: &'static str, code: u32 },
    /// Indices are nested too deeply.
    #[error("operand at byte {at}: indices are nested deeper than the limit of {limit}")]
    IndexDepth { limit: u32 },
    /// The operand of a declaration has a wrong form.
    #[error("{op} at byte {at}: its operand must be {expected}")]
    DeclarationOperand { op: Op, expected: &'static str },
    /// The immediate constant buffer does not hold whole vectors, or too many.
    #[error("immediate constant buffer at byte {at}: {words} words, it must be a multiple of 4 up to 16384")]
    ImmediateConstants { words: u32 },
    /// A count is over its limit.
    #[error("{what} at byte {at}: {count} are over the limit of {limit}")]
    Limit { what: &'static str, count: u32, limit: u32 },
}
