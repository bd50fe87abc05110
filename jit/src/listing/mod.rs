//! Lists a shader's code as text: the annotated IR, CLIF, or machine code.
//!
//! | file | contents |
//! |---|---|
//! | `asm.rs` | machine code below its instructions |
//! | `disassemble.rs` | tells code from data and disassembles it |
//! | `order.rs` | finds the instructions listed in program order |
//! | `packet.rs` | the IR with lowering decisions as comments |
//!
//! Listing a shader compiles it as for execution: the bytes are the same.

mod asm;
mod disassemble;
mod order;
mod packet;

use std::collections::BTreeMap;
use std::fmt;

use brolga_ir::entity::Inst;
use brolga_ir::function::Origin;
use brolga_ir::verify::VerifiedFunction;

use crate::codegen;
use crate::error::CompileError;
use crate::options::Options;

/// A form of a shader's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// The operations as packets run them.
    Packet,
    /// Cranelift's input.
    Clif,
    /// Machine code, interleaved with the shader's instructions.
    Asm,
}

/// An instruction of the shader as in the shader's own listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Its location in the file.
    pub origin: Origin,
    /// Its text.
    pub text: String,
}

/// Lines of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The lines in order.
    pub lines: Vec<Line>,
}

/// A line of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The kind of line.
    pub kind: LineKind,
    /// The line, without its end.
    pub text: String,
}

/// The kind of a listing's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineKind {
    /// Figures of the whole.
    Summary,
    /// An instruction of the shader.
    Shader,
    /// An operation of the intermediate representation.
    Operation,
    /// A heading for lines that belong to no instruction, or to many.
    Part,
    /// A label of a jump target or of data.
    Label,
    /// A machine instruction, or data between them.
    Machine,
    /// Anything else.
    Plain,
}

/// Counts of the constituents of machine code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Machine instructions.
    pub instructions: u32,
    /// Bytes of constants among them.
    pub data_bytes: u32,
    /// Instructions that spill a value to the stack.
    pub spills: u32,
    /// Instructions that reload a spilled value.
    pub reloads: u32,
}

impl Listing {
    /// Text whose lines are all plain.
    pub fn plain(text: &str) -> Self {
        let mut listing = Self::default();
        text.lines().for_each(|line| listing.push(LineKind::Plain, line));
        listing
    }

    fn push(&mut self, kind: LineKind, text: impl Into<String>) {
        self.lines.push(Line { kind, text: text.into() });
    }
}

impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{}", line.text))
    }
}

/// Facts about operations beyond their code, which [`Form::Packet`] has among its comments.
pub type Remarks = BTreeMap<Inst, String>;

/// Compiles a shader and lists its code. `source` has the shader's instructions in order.
///
/// # Errors
/// As [`compile`](crate::compile).
pub fn list(
    func: &VerifiedFunction,
    options: &Options,
    form: Form,
    source: &[SourceLine],
    remarks: &Remarks,
) -> Result<Listing, CompileError> {
    let (machine, record) = codegen::generate_recorded(func, options)?;
    Ok(match form {
        Form::Packet => packet::list(func, machine.statistics, &record.notes, remarks),
        Form::Clif => Listing::plain(&record.clif),
        Form::Asm => asm::list(func, options, &machine, &record, source),
    })
}

/// Compiles a shader and counts the constituents of its code.
///
/// # Errors
/// As [`compile`](crate::compile).
pub fn count(func: &VerifiedFunction, options: &Options) -> Result<Counts, CompileError> {
    let (machine, record) = codegen::generate_recorded(func, options)?;
    Ok(asm::count(&machine, &record))
}
