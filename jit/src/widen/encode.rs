//! Bytes again: branches to where their targets are now, data behind the code.
//!
//! Instructions that stay the same are copied, which is much cheaper than encoding them. Branches always have four bytes for
//! the way to go, as in stock code, so that nothing moves once it is written.

use iced_x86::{Encoder, IcedError, Instruction};

use super::Wide;
use super::decode::Program;

/// Alignment of the data: a cache line, and a vector of any size.
const ALIGN: usize = 64;

/// Wide code while it is written.
pub(super) struct Output {
    encoder: Encoder,
    /// Bytes of code.
    len: usize,
    /// Where each instruction was, and where it is now.
    offsets: Vec<(u32, u32)>,
    links: Vec<Link>,
    /// Data behind the code; jump tables are written at the end.
    data: Vec<u8>,
}

/// Four bytes of code that say how far it is from the end of an instruction to something else.
struct Link {
    field: usize,
    end: usize,
    to: Target,
}

enum Target {
    /// What was at an offset.
    Code(u32),
    /// An offset in the data.
    Data(usize),
}

impl Output {
    pub fn new(insts: usize) -> Self {
        // An instruction has about six bytes.
        let encoder = Encoder::try_with_capacity(64, 6 * insts).expect("code of 64 bits");
        Self { encoder, len: 0, offsets: Vec::with_capacity(insts + 1), links: Vec::new(), data: Vec::new() }
    }

    /// What follows is for the instruction that was at an offset.
    pub fn begin(&mut self, old: u32) {
        self.offsets.push((old, self.len as u32));
    }

    /// Copies an instruction.
    pub fn copy(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.encoder.write_u8(byte));
        self.len += bytes.len();
    }

    /// Copies a branch, which ends with four bytes for the way.
    pub fn branch(&mut self, bytes: &[u8], old_target: u32) {
        self.copy(bytes);
        self.links.push(Link { field: self.len - 4, end: self.len, to: Target::Code(old_target) });
    }

    /// Encodes an instruction that refers to nothing outside of itself.
    pub fn encode(&mut self, inst: &Instruction) -> Result<(), IcedError> {
        self.len += self.encoder.encode(inst, self.len as u64)?;
        Ok(())
    }

    /// Encodes an instruction that refers to data at an offset.
    pub fn encode_with_data(&mut self, inst: &Instruction, place: usize) -> Result<(), IcedError> {
        let start = self.len;
        // Until it is known where the data are, any place will do.
        let mut inst = *inst;
        inst.set_memory_displacement64(start as u64);
        self.encode(&inst)?;
        let field = start + self.encoder.get_constant_offsets().displacement_offset();
        self.links.push(Link { field, end: self.len, to: Target::Data(place) });
        Ok(())
    }

    /// Adds data, aligned to their size. Gives their place.
    pub fn data(&mut self, bytes: impl ExactSizeIterator<Item = u8>) -> usize {
        let at = self.data.len().next_multiple_of(bytes.len().next_power_of_two().min(ALIGN));
        self.data.resize(at, 0);
        self.data.extend(bytes);
        at
    }

    /// The code with its data; the tables are at these places.
    pub fn finish(self, program: &Program, tables: &[usize], frame_bytes: u32) -> Wide {
        let Self { mut encoder, len, mut offsets, links, mut data } = self;
        let mut bytes = encoder.take_buffer();
        offsets.push((u32::MAX, len as u32));
        let wide = Wide { bytes: Vec::new(), frame_bytes, offsets };
        let data_at = len.next_multiple_of(ALIGN);
        for Link { field, end, to } in links {
            let to = match to {
                Target::Code(old) => wide.offset(old) as usize,
                Target::Data(place) => data_at + place,
            };
            bytes[field..field + 4].copy_from_slice(&way(end, to));
        }
        for (table, &at) in program.tables.iter().zip(tables) {
            for (field, &target) in data[at..].chunks_exact_mut(4).zip(&table.targets) {
                field.copy_from_slice(&way(data_at + at, wide.offset(target) as usize));
            }
        }
        if !data.is_empty() {
            bytes.resize(data_at, 0xcc);
            bytes.append(&mut data);
        }
        Wide { bytes, ..wide }
    }
}

/// How far it is from one offset to another.
fn way(from: usize, to: usize) -> [u8; 4] {
    (to as i32).wrapping_sub(from as i32).to_le_bytes()
}
