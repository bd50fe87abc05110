//! Assembles text into shaders: fxc's own listings, and exact ones that lose nothing.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | errors with their positions |
//! | `hint.rs` | suggested remedies |
//! | `warning.rs` | warnings about doubtful text |
//! | `cursor.rs` | the current position in a text |
//! | `container.rs` | chunks |
//! | `comment.rs` | the header comment, line by line |
//! | `header.rs` | signatures in it |
//! | `program.rs` | programs |
//! | `declaration.rs` | declarations |
//! | `instruction.rs` | instructions |
//! | `operand.rs` | operands |
//! | `literal.rs` | literals |
//!
//! A text is a program as fxc lists it: a profile, then an item of the token stream on each line. `//` begins a
//! comment. Where the text has no directives, signatures are read from fxc's header comment; nothing else in it gets
//! into the shader.
//!
//! An exact listing ([`crate::listing::exact`]) has directives, each on a line of its own, for content that a listing
//! leaves out. Comments are then ignored:
//!
//! | directive | what |
//! |---|---|
//! | `.dxbc` | a container begins; before anything else |
//! | `.checksum 0011..ff` | its checksum, where that is not the content's |
//! | `.chunk NAME` | a chunk begins; a name that has other characters than letters and digits is quoted |
//! | `.data 0x01234567 ...` | words of the chunk |
//! | `.bytes 0x01 ...` | bytes of the chunk |
//! | `.element "NAME" key=value ...` | an element of a signature |
//! | `.words 0x01234567 ...` | an item of a program, word for word |
//! | `.file` | instead of `.dxbc`: bytes that are no container in the usual order |
//!
//! In a chunk, a profile begins a program. A literal in hexadecimal is its bits; `l(...)` has one word or four, and
//! `d(...)` has doubles, in hexadecimal as their low and their high word. `{trailing 0x00002000}` after an instruction
//! is a word that nothing reads.

mod comment;
mod container;
mod cursor;
mod declaration;
mod error;
mod header;
mod hint;
mod instruction;
mod literal;
mod operand;
pub(crate) mod program;
mod warning;

pub(crate) use cursor::{Cursor, Read};
pub(crate) use error::shown;
pub use error::{AssembleError, Problem, nearest};
pub use warning::{Warning, WarningKind};

use crate::limits::Limits;
use crate::shader::{self, LoadOptions};
use brolga_fenv::in_default_mode;
use std::borrow::Cow;
use std::ops::Range;

/// An assembled shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assembly {
    /// The container, with its checksum, or the program of Direct3D 9.
    pub bytes: Vec<u8>,
    /// Position in the text of each item of its programs, in the order of the bytes.
    pub spans: Vec<ItemSpan>,
    /// Warnings about the text, in its order.
    pub warnings: Vec<Warning>,
}

/// Position of a program's item in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemSpan {
    /// Its bytes in the shader.
    pub bytes: Range<u32>,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

impl ItemSpan {
    /// The same items in a file with the program at byte `at`.
    fn moved(spans: Vec<Self>, at: u32) -> impl Iterator<Item = Self> {
        spans.into_iter().map(move |item| Self { bytes: item.bytes.start + at..item.bytes.end + at, ..item })
    }
}

impl Assembly {
    /// Checks the shader as one to be run. The error points into the source text.
    pub fn check(&self, text: &str, options: &LoadOptions) -> Result<(), AssembleError> {
        shader::check(&self.bytes, options).map_err(|error| {
            let at = error.at();
            // An error at the end refers to the last item.
            let is_before = |item: &&ItemSpan| item.bytes.end == at;
            let item = self.spans.iter().find(|item| item.bytes.contains(&at));
            let item = item.or_else(|| self.spans.iter().find(is_before));
            let problem = Problem::Rejected(error);
            match item {
                Some(item) => AssembleError::new(&with_line_feeds(text), item.span.clone(), problem),
                None => AssembleError::nowhere(problem),
            }
        })
    }
}

/// Assembles a text into a container, or into a program of Direct3D 9.
///
/// ```
/// use brolga_bytecode::{Limits, LoadOptions, assembler};
///
/// let text = "
///     cs_5_0
///     dcl_uav_raw u0
///     dcl_thread_group 1, 1, 1
///     store_raw u0.x, l(0), l(7)
///     ret
/// ";
/// let assembly = assembler::assemble(text, &Limits::default()).unwrap();
/// assembly.check(text, &LoadOptions::default()).unwrap();
///
/// let error = assembler::assemble("cs_5_0\nstore_row u0.x, l(0), l(7)", &Limits::default()).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 1));
/// assert_eq!(error.hint().unwrap(), "did you mean `store_raw`?");
/// ```
pub fn assemble(text: &str, limits: &Limits) -> Result<Assembly, AssembleError> {
    in_default_mode(|| container::file(&with_line_feeds(text), limits))
}

/// A text whose lines end in carriage returns alone, with line feeds instead.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    match text.contains('\n') || !text.contains('\r') {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.replace('\r', "\n")),
    }
}
