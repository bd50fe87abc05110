//! Re-encodes machine code for wider vectors.
//!
//! Cranelift knows vectors of 128 bits. In a packet each 128 bits are four lanes that have nothing to do with the others,
//! so the same instructions on registers of two or four times that size compute as many times the lanes. Here stock machine code is decoded,
//! checked and encoded again, with a frame, constants and jump tables of its own. `packet/` writes code that can be widened,
//! and means it to be: a 16-byte access in its code is one of a whole vector here.
//!
//! | file | what |
//! |---|---|
//! | `forms.rs` | the list of instructions, a row for each |
//! | `borrowed.rs` | what Cranelift has no instruction for |
//! | `decode.rs` | finds instructions, basic blocks, jump tables |
//! | `rows.rs` | what each instruction reads, writes and demands |
//! | `meaning.rs` | how many parts of each register and spill slot mean something: data flow |
//! | `rewrite.rs` | instructions, constants and frame for wider registers |
//! | `encode.rs` | bytes again, with data behind the code |
//!
//! Nothing is guessed. What is not on the list, or reads parts of a register that mean nothing, is a [`Refusal`]; then the
//! shader gets stock code. The method is described in `docs/wide.md`.

pub(crate) mod borrowed;
mod decode;
mod encode;
mod forms;
mod meaning;
mod rewrite;
mod rows;
#[cfg(test)]
mod tests;

use iced_x86::{Formatter, Instruction, IntelFormatter, Register};

/// Machine code for wider vectors.
#[derive(Debug)]
pub struct Wide {
    /// Position independent, its entry is the first byte.
    pub bytes: Vec<u8>,
    /// Bytes of the stack frame.
    pub frame_bytes: u32,
    /// Where each instruction was, and where its successor is; ascending.
    offsets: Vec<(u32, u32)>,
}

impl Wide {
    /// Where what was at an offset is now.
    pub fn offset(&self, old: u32) -> u32 {
        let next = self.offsets.partition_point(|&(from, _)| from < old);
        self.offsets.get(next).map_or(self.code_bytes(), |&(_, to)| to)
    }

    /// Where the code ends and its data begin.
    fn code_bytes(&self) -> u32 {
        self.offsets.last().map_or(0, |&(_, to)| to)
    }
}

/// Why code cannot be widened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at {offset:#x}, `{text}`: {reason}")]
pub struct Refusal {
    /// Of the instruction in the stock code.
    pub offset: u32,
    /// The instruction.
    pub text: String,
    /// What is not known about it.
    pub reason: &'static str,
}

impl Refusal {
    fn of(inst: &Instruction, reason: &'static str) -> Self {
        let mut text = String::new();
        IntelFormatter::new().format(inst, &mut text);
        Self { offset: inst.ip() as u32, text, reason }
    }

    fn at(offset: u32, reason: &'static str) -> Self {
        Self { offset, text: "?".to_string(), reason }
    }
}

/// Widens the code of one function, whose vectors get `parts` times 128 bits: 2 or 4. Blocks start where the code generator says.
///
/// # Errors
/// If the code has anything that is not known to mean the same on wider vectors.
pub fn widen(code: &[u8], block_starts: &[u32], parts: u8) -> Result<Wide, Refusal> {
    let program = decode::decode(code, block_starts)?;
    let steps = meaning::steps(&program, parts)?;
    rewrite::rewrite(code, &program, &steps, parts)
}

/// The number of a vector register of 128 bits.
fn vector_number(register: Register) -> Option<u8> {
    let number = (register as u32).checked_sub(Register::XMM0 as u32)?;
    (number < 16).then_some(number as u8)
}
