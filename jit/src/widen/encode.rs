//! Encodes the rewritten instructions, fixes up branches to their targets' new offsets, and appends the data.
//!
//! Unchanged instructions are copied, which is much cheaper than encoding them. Branches always have a displacement of
//! four bytes, as in stock code, so nothing moves once it is written.

use iced_x86::{Encoder, IcedError, Instruction};

use super::Wide;
use super::decode::DecodedCode;

/// Alignment of the data: a cache line, which suits vectors of any size.
const ALIGN: usize = 64;

/// Wide code while it is being written.
pub(super) struct Output {
    encoder: Encoder,
    /// Bytes of code.
    len: usize,
    /// The old and the new offset of each instruction.
    offsets: Vec<(u32, u32)>,
    fixups: Vec<Fixup>,
    /// Data that follows the code; jump tables are filled in at the end.
    data: Vec<u8>,
}

/// A displacement of four bytes, from the end of an instruction to its target.
struct Fixup {
    field: usize,
    end: usize,
    to: FixupTarget,
}

enum FixupTarget {
    /// The instruction that was at an offset in the stock code.
    Code(u32),
    /// An offset in the data.
    Data(usize),
}

impl Output {
    pub fn new(insts: usize) -> Self {
        // An average instruction has about six bytes.
        let encoder = Encoder::try_with_capacity(64, 6 * insts).expect("code of 64 bits");
        Self { encoder, len: 0, offsets: Vec::with_capacity(insts + 1), fixups: Vec::new(), data: Vec::new() }
    }

    /// Starts the code for the instruction that was at this offset.
    pub fn begin(&mut self, old: u32) {
        self.offsets.push((old, self.len as u32));
    }

    /// Copies an instruction.
    pub fn copy(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.encoder.write_u8(byte));
        self.len += bytes.len();
    }

    /// Copies a branch, which ends with a displacement of four bytes.
    pub fn branch(&mut self, bytes: &[u8], old_target: u32) {
        self.copy(bytes);
        self.fixups.push(Fixup { field: self.len - 4, end: self.len, to: FixupTarget::Code(old_target) });
    }

    /// Encodes an instruction that refers to nothing outside itself.
    pub fn encode(&mut self, inst: &Instruction) -> Result<(), IcedError> {
        self.len += self.encoder.encode(inst, self.len as u64)?;
        Ok(())
    }

    /// Encodes an instruction that refers to data at an offset.
    pub fn encode_with_data(&mut self, inst: &Instruction, offset: usize) -> Result<(), IcedError> {
        let start = self.len;
        // Any address will do until that of the data is known.
        let mut inst = *inst;
        inst.set_memory_displacement64(start as u64);
        self.encode(&inst)?;
        let field = start + self.encoder.get_constant_offsets().displacement_offset();
        self.fixups.push(Fixup { field, end: self.len, to: FixupTarget::Data(offset) });
        Ok(())
    }

    /// Appends data, aligned to its size, and returns its offset.
    pub fn data(&mut self, bytes: impl ExactSizeIterator<Item = u8>) -> usize {
        let at = self.data.len().next_multiple_of(bytes.len().next_power_of_two().min(ALIGN));
        self.data.resize(at, 0);
        self.data.extend(bytes);
        at
    }

    /// Returns the code with its data; the jump tables are at these offsets.
    pub fn finish(self, program: &DecodedCode, tables: &[usize], frame_bytes: u32) -> Wide {
        let Self { mut encoder, len, mut offsets, fixups, mut data } = self;
        let mut bytes = encoder.take_buffer();
        offsets.push((u32::MAX, len as u32));
        let wide = Wide { bytes: Vec::new(), frame_bytes, offsets };
        let data_at = len.next_multiple_of(ALIGN);
        for Fixup { field, end, to } in fixups {
            let to = match to {
                FixupTarget::Code(old) => wide.offset(old) as usize,
                FixupTarget::Data(offset) => data_at + offset,
            };
            bytes[field..field + 4].copy_from_slice(&displacement(end, to));
        }
        for (table, &at) in program.tables.iter().zip(tables) {
            for (field, &target) in data[at..].chunks_exact_mut(4).zip(&table.targets) {
                field.copy_from_slice(&displacement(data_at + at, wide.offset(target) as usize));
            }
        }
        if !data.is_empty() {
            bytes.resize(data_at, 0xcc);
            bytes.append(&mut data);
        }
        Wide { bytes, ..wide }
    }
}

/// The displacement between two offsets.
fn displacement(from: usize, to: usize) -> [u8; 4] {
    (to as i32).wrapping_sub(from as i32).to_le_bytes()
}
