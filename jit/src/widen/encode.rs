//! Bytes again: branches to where their targets are now, data behind the code.

use iced_x86::{BlockEncoder, BlockEncoderOptions, InstructionBlock};

use super::decode::Program;
use super::rewrite::{DATA, Rewritten};
use super::{Refusal, Wide};

/// Alignment of the data: a cache line, and a vector of any size.
const ALIGN: usize = 64;

/// Encodes rewritten code.
pub(super) fn encode(program: &Program, rewritten: Rewritten) -> Result<Wide, Refusal> {
    let Rewritten { insts, firsts, mut data, frame_bytes } = rewritten;
    let options = BlockEncoderOptions::RETURN_NEW_INSTRUCTION_OFFSETS | BlockEncoderOptions::RETURN_CONSTANT_OFFSETS;
    let block = InstructionBlock::new(&insts, 0);
    let encoded = BlockEncoder::encode(64, block, options).map_err(|_| Refusal::at(0, "it cannot be encoded"))?;
    let mut bytes = encoded.code_buffer;
    let starts = encoded.new_instruction_offsets;
    if starts.contains(&u32::MAX) {
        return Err(Refusal::at(0, "a branch that is too far"));
    }
    let offsets: Vec<(u32, u32)> =
        program.insts.iter().zip(&firsts).map(|(inst, &first)| (inst.ip() as u32, starts[first])).collect();

    let data_at = bytes.len().next_multiple_of(ALIGN);
    for ((inst, &start), constants) in insts.iter().zip(&starts).zip(&encoded.constant_offsets) {
        if inst.is_ip_rel_memory_operand() {
            let at = start as usize + constants.displacement_offset();
            let field = bytes.get_mut(at..at + 4).filter(|_| constants.displacement_size() == 4);
            let field = field.ok_or_else(|| Refusal::of(inst, "it cannot be encoded"))?;
            let old = i32::from_le_bytes((&*field).try_into().expect("four bytes"));
            let moved = i64::from(old) - DATA as i64 + data_at as i64;
            field.copy_from_slice(&(moved as i32).to_le_bytes());
        }
    }
    let end = bytes.len() as u32;
    let mut wide = Wide { bytes: Vec::new(), frame_bytes, offsets };
    for (table, &at) in program.tables.iter().zip(&data.tables) {
        for (n, &target) in table.targets.iter().enumerate() {
            let offset = i64::from(wide.offset(target)) - (data_at + at) as i64;
            data.bytes[at + 4 * n..][..4].copy_from_slice(&(offset as i32).to_le_bytes());
        }
    }
    if !data.bytes.is_empty() {
        bytes.resize(data_at, 0xcc);
        bytes.extend_from_slice(&data.bytes);
    }
    wide.offsets.push((u32::MAX, end));
    wide.bytes = bytes;
    Ok(wide)
}
