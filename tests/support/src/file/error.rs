//! What is wrong with a test file, and where.

use brolga_runtime::{Error, Register, ResourceKind};

use super::Kind;

/// Something that keeps a file from being a test.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file does not say what it is about.
    #[error("a test begins with a comment, `# ...`, that says what it shows and where the rule stands")]
    NoComment,
    /// Text where a section should begin.
    #[error("`{found}` stands in no section: before the first one, `[shader PROFILE]`, are only comments, `# ...`")]
    NoSection {
        /// What stands there.
        found: String,
    },
    /// The head of a section has no end.
    #[error("`{head}` is no head of a section: it ends in `]`")]
    OpenHead {
        /// The line.
        head: String,
    },
    /// There is no such section.
    #[error(
        "there is no section `{name}`: expected shader, buffer, texture1d, texture2d, texture2dms, texture3d, texturecube or \
         one of them in layers (texture1darray), dispatch or expect"
    )]
    UnknownSection {
        /// Its name.
        name: String,
    },
    /// A word of a head is not what should stand there.
    #[error("`{found}` in the head of the section: expected {expected}")]
    Head {
        /// What stands there.
        found: String,
        /// What should.
        expected: &'static str,
    },
    /// The head ends too early.
    #[error("the head of the section ends where {expected} should follow")]
    ShortHead {
        /// What should follow.
        expected: &'static str,
    },
    /// A section that has no text has some.
    #[error("`{found}` in a section that has no text: expected the next section")]
    Text {
        /// What stands there.
        found: String,
    },
    /// No number.
    #[error("`{found}` is no {kind}: expected {}", kind.example())]
    Number {
        /// What stands there.
        found: String,
        /// What it should be.
        kind: Kind,
    },
    /// A repetition or a range is not complete.
    #[error("`{found}` behind `{operator}`: expected {expected}")]
    Operand {
        /// What stands there.
        found: String,
        /// `x` or `..`.
        operator: &'static str,
        /// What should stand there.
        expected: &'static str,
    },
    /// Numbers take more memory than a test should.
    #[error("more than {most} bytes: a test that needs them is written in Rust")]
    TooLarge {
        /// The limit.
        most: usize,
    },
    /// A counter has not one value.
    #[error("{count} numbers for a counter: expected one")]
    CounterValue {
        /// Numbers given.
        count: usize,
    },
    /// An expected error has no text.
    #[error("nothing is expected of the message: expected some of its text, each part on a line of its own")]
    NoMessage,
    /// An error is expected of something that cannot fail.
    #[error("`[expect error]` must follow the `[shader]` or `[dispatch]` that fails")]
    MisplacedError,
    /// A step needs one before it.
    #[error("{what} needs {needed} before it")]
    Missing {
        /// The step.
        what: &'static str,
        /// What it needs.
        needed: &'static str,
    },
    /// Nothing can fail.
    #[error("the file expects nothing: it needs an `[expect ...]` section")]
    NoExpectation,
    /// A mark without a reason.
    #[error("`todo:` without a reason: say what is missing")]
    NoReason,
    /// No shader.
    #[error("column {column}: {message}")]
    Assembly {
        /// The column.
        column: u32,
        /// What the assembler says.
        message: String,
    },
    /// No shader uses the memory.
    #[error("no shader of this file declares {register}: expected one of {declared}")]
    NotDeclared {
        /// The register.
        register: Register,
        /// What the shaders declare.
        declared: String,
    },
    /// Memory that is expected to hold something is not there.
    #[error(
        "there is no memory behind {register}: it needs a `[buffer {register}]` or `[texture2d {register} ...]` \
         section before this one"
    )]
    NoMemory {
        /// The register.
        register: Register,
    },
    /// A counter is expected to hold something and is not there.
    #[error("{register} has no counter: expected `counter N` in the head of its section")]
    NoCounter {
        /// The register.
        register: Register,
    },
    /// What a shader declares does not say how memory is laid out.
    #[error("{register} is declared as {kind}: expected {expected}")]
    Layout {
        /// The register.
        register: Register,
        /// What the shader says.
        kind: ResourceKind,
        /// What the head should say.
        expected: &'static str,
    },
    /// Memory or a view that cannot be.
    #[error("{register}: {error}")]
    Resource {
        /// The register.
        register: Register,
        /// Why not.
        error: Error,
    },
    /// The expectation is not about all of the memory.
    #[error("{given} bytes are expected of {register}, which has {size}: expected all, so that nothing changes unseen")]
    Size {
        /// The register.
        register: Register,
        /// Bytes of the expectation.
        given: usize,
        /// Bytes of the memory.
        size: usize,
    },
}
