//! Re-encodes machine code for wider vectors.
//!
//! Cranelift knows vectors of 128 bits. In a packet, each 128 bits are four lanes that are independent of the others,
//! so the same instructions on registers two or four times as wide compute two or four times as many lanes. The 128-bit
//! machine code is decoded, checked and encoded again, with its own frame, constants and jump tables. `packet/` writes
//! code to be widened: a 16-byte access in its code accesses a whole vector here.
//!
//! | file | contents |
//! |---|---|
//! | `forms.rs` | the list of instructions, a row for each |
//! | `borrowed.rs` | operations that Cranelift has no instruction for |
//! | `decode.rs` | finds instructions, basic blocks, jump tables |
//! | `transfer.rs` | transfer functions: sources, results and demands of each instruction |
//! | `defined.rs` | data flow: how many parts of each register and spill slot are defined |
//! | `rewrite.rs` | instructions, constants and frame for wider registers |
//! | `encode.rs` | encodes the result, with its data after the code |
//!
//! Nothing is guessed. An instruction that is not on the list, or reads undefined parts of a register, is a
//! [`Refusal`]; the shader then runs 128-bit code. The method is described in `docs/wide.md`.

pub(crate) mod borrowed;
mod decode;
mod defined;
mod encode;
mod forms;
mod rewrite;
#[cfg(test)]
mod tests;
mod transfer;

use iced_x86::{Formatter, Instruction, IntelFormatter, Register};

/// Machine code for wider vectors.
#[derive(Debug)]
pub struct Wide {
    /// Position-independent; the entry is the first byte.
    pub bytes: Vec<u8>,
    /// Bytes of the stack frame.
    pub frame_bytes: u32,
    /// The old offset of each instruction, and the new one of its successor; ascending.
    offsets: Vec<(u32, u32)>,
}

impl Wide {
    /// The new offset of what was at this offset.
    pub fn offset(&self, old: u32) -> u32 {
        let next = self.offsets.partition_point(|&(from, _)| from < old);
        self.offsets.get(next).map_or(self.code_bytes(), |&(_, to)| to)
    }

    /// Bytes of code, which the data follows.
    fn code_bytes(&self) -> u32 {
        self.offsets.last().map_or(0, |&(_, to)| to)
    }
}

/// The reason why code cannot be widened.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at {offset:#x}, `{text}`: {reason}")]
pub struct Refusal {
    /// Offset of the instruction in the stock code.
    pub offset: u32,
    /// The instruction.
    pub text: String,
    /// The property that rules it out.
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

/// Widens the code of one function to vectors of `parts` times 128 bits, where `parts` is 2 or 4. `block_starts` are
/// those that the code generator reports.
///
/// # Errors
/// If anything in the code is not known to mean the same on wider vectors.
pub fn widen(code: &[u8], block_starts: &[u32], parts: u8) -> Result<Wide, Refusal> {
    let program = decode::decode(code, block_starts)?;
    let steps = defined::steps(&program, parts)?;
    rewrite::rewrite(code, &program, &steps, parts)
}

/// The number of a vector register of 128 bits.
fn vector_number(register: Register) -> Option<u8> {
    let number = (register as u32).checked_sub(Register::XMM0 as u32)?;
    (number < 16).then_some(number as u8)
}
