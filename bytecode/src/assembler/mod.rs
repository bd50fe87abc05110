//! Text to a shader: fxc's own listings, and the exact ones that lose nothing.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | what is wrong with a text, and where |
//! | `cursor.rs` | where reading has got to |
//! | `container.rs` | chunks |
//! | `header.rs` | what fxc's header comment says |
//! | `program.rs` | programs |
//! | `declaration.rs` | declarations |
//! | `instruction.rs` | instructions |
//! | `operand.rs` | operands and literals |
//!
//! A text is a program as fxc lists it: a profile, then an item of the token stream on each line. `//` begins a
//! comment. Where the text has no directives, the signatures are those of fxc's header comment.
//!
//! An exact listing ([`crate::listing::exact`]) has directives, each on a line of its own, for what a listing does not
//! say. They make comments mean nothing:
//!
//! | directive | what |
//! |---|---|
//! | `.dxbc` | a container begins; before anything else |
//! | `.checksum 0011..ff` | its checksum, where that is not the content's |
//! | `.chunk NAME` | a chunk begins; a name of other than letters and digits stands in quotes |
//! | `.data 0x01234567 ...` | words of the chunk |
//! | `.bytes 0x01 ...` | bytes of the chunk |
//! | `.element "NAME" key=value ...` | an element of a signature |
//! | `.words 0x01234567 ...` | an item of a program, word for word |
//! | `.file` | instead of `.dxbc`: bytes that are no container in the usual order |
//!
//! In a chunk, a profile begins a program. A literal in hexadecimal is its bits; `l(...)` has one word or four, and
//! `d(...)` has doubles, in hexadecimal as their low and their high word. `{trailing 0x00002000}` behind an instruction
//! is a word that nothing reads.

mod container;
mod cursor;
mod declaration;
mod error;
mod header;
mod instruction;
mod operand;
pub(crate) mod program;

pub(crate) use cursor::Cursor;
pub use error::{AssembleError, Problem};

use crate::limits::Limits;

/// Assembles a text into the bytes of a container, with its checksum.
///
/// ```
/// use brolga_bytecode::{Limits, LoadOptions, Shader, assembler};
///
/// let text = "
///     cs_5_0
///     dcl_uav_raw u0
///     dcl_thread_group 1, 1, 1
///     store_raw u0.x, l(0), l(7)
///     ret
/// ";
/// let bytes = assembler::assemble(text, &Limits::default()).unwrap();
/// assert!(Shader::load(&bytes, &LoadOptions::default()).unwrap().checksum_matches);
///
/// let error = assembler::assemble("cs_5_0\nstore_row u0.x, l(0), l(7)", &Limits::default()).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 1));
/// assert_eq!(error.hint().unwrap(), "did you mean `store_raw`?");
/// ```
pub fn assemble(text: &str, limits: &Limits) -> Result<Vec<u8>, AssembleError> {
    container::file(text, limits)
}
