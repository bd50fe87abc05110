//! Memory: contiguous packets, rows of words per lane, gathers and scatters.
//!
//! Addresses are `i64` scalars that the caller has checked; nothing here checks a bound. Flags are the caller's too and must not say
//! `aligned` unless addresses are aligned to the access. A masked store never loads and stores back memory that another
//! thread may write.

use brolga_ir::Type;
use cranelift_codegen::ir::{MemFlagsData, Value};

use super::{Emit, Packet};

/// Where each lane of a gather or scatter points.
#[derive(Clone, Copy, Debug)]
pub enum Addresses<'a> {
    /// A base and a byte offset per lane (`i32`, unsigned). The four bytes at the base itself must be readable.
    Offsets {
        /// An `i64` scalar.
        base: Value,
        /// Byte offsets, an `i32` packet.
        offsets: &'a Packet,
    },
    /// An address per lane, an `i64` packet.
    Absolute(&'a Packet),
}

impl Emit<'_, '_> {
    /// A packet from consecutive memory, lane 0 first. A condition is read as `i32`, all ones or zero.
    pub fn load(&mut self, ty: Type, address: Value, offset: i32, flags: MemFlagsData) -> Packet {
        todo!()
    }

    /// A packet to consecutive memory, lane 0 first.
    pub fn store(&mut self, packet: &Packet, address: Value, offset: i32, flags: MemFlagsData) {
        todo!()
    }

    /// Stores the lanes of a mask by load, blend and store: for memory of this worker alone.
    pub fn store_private(&mut self, packet: &Packet, mask: &Packet, address: Value, offset: i32, flags: MemFlagsData) {
        todo!()
    }

    /// Reads one scalar of memory, the same for all lanes.
    pub fn load_uniform(&mut self, ty: Type, address: Value, offset: i32, flags: MemFlagsData) -> super::Uniform {
        todo!()
    }

    /// Reads `words` (1 to 4) consecutive words per lane; lane n's begin at `address + offset + n * stride_bytes`. Nothing
    /// but these words is read. Strides 4, 8, 12 and 16 that are filled by their words become vector loads and transposes.
    pub fn load_rows(
        &mut self,
        address: Value,
        offset: i32,
        stride_bytes: u32,
        words: usize,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        todo!()
    }

    /// Writes consecutive words per lane, the counterpart of [`Emit::load_rows`]; all lanes take part. Nothing but these
    /// words is written.
    pub fn store_rows(
        &mut self,
        values: &[Packet],
        address: Value,
        offset: i32,
        stride_bytes: u32,
        flags: MemFlagsData,
    ) {
        todo!()
    }

    /// Reads `words` (1 to 4) consecutive words per lane, branch-free; a lane that is masked off reads somewhere safe and gives 0.
    pub fn gather(
        &mut self,
        at: Addresses<'_>,
        words: usize,
        mask: Option<&Packet>,
        flags: MemFlagsData,
    ) -> Vec<Packet> {
        todo!()
    }

    /// Writes consecutive words per lane, branch-free, lane 0 first; a lane that is masked off writes to the context's dummy.
    pub fn scatter(&mut self, values: &[Packet], at: Addresses<'_>, mask: Option<&Packet>, flags: MemFlagsData) {
        todo!()
    }

    /// The address per lane of base + offset, an `i64` packet.
    pub fn addresses(&mut self, base: Value, offsets: &Packet) -> Packet {
        todo!()
    }
}
