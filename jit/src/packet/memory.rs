//! Loads and stores packets of consecutive words, and scalars.
//!
//! Addresses are `i64` scalars that the caller has checked; nothing here checks a bound. Flags are the caller's too:
//! they say `notrap`, and `aligned` only if every address is aligned to a whole vector. A masked store never loads and
//! stores back memory that another thread may write.

use brolga_ir::{Const, Type};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value, types};

use crate::widen::borrowed;

use super::{Emit, Packet, PacketOperand, Uniform, scalar_type, vector_type};

impl Emit<'_, '_> {
    /// Loads a packet from consecutive memory, lane 0 first. A condition is read as `i32`, all ones or zero. Lanes of
    /// 64 bits are in the order of the vectors, as [`Emit::store`] leaves them.
    pub fn load(&mut self, ty: Type, address: Value, offset: i32, flags: MemFlagsData) -> Packet {
        let step = self.shape.vector_bytes as i32;
        let vectors = (0..self.shape.vectors_of(ty) as i32)
            .map(|k| self.ins().load(vector_type(ty), flags, address, offset + k * step))
            .collect();
        Packet { ty, vectors }
    }

    /// Stores a packet to consecutive memory, lane 0 first; lanes of 64 bits are in the order of the vectors.
    pub fn store(&mut self, packet: &Packet, address: Value, offset: i32, flags: MemFlagsData) {
        let step = self.shape.vector_bytes as i32;
        for (k, &vector) in packet.vectors.iter().enumerate() {
            // Vectors of doubles are stored as a part only.
            let vector = if packet.ty == Type::F64 { self.cast(vector, types::I64X2) } else { vector };
            self.ins().store(flags, vector, address, offset + k as i32 * step);
        }
    }

    /// Writes zeros; `bytes` is a multiple of a vector.
    pub fn clear(&mut self, address: Value, bytes: u32, flags: MemFlagsData) {
        let zero = self.constant_packet(Const::i32(0)).vectors[0];
        for offset in (0..bytes).step_by(self.shape.vector_bytes as usize) {
            self.ins().store(flags, zero, address, offset as i32);
        }
    }

    /// Stores the lanes of a mask by load, blend and store: for memory of this worker alone.
    pub fn store_private(&mut self, packet: &Packet, mask: &Packet, address: Value, offset: i32, flags: MemFlagsData) {
        let old = self.load(packet.ty, address, offset, flags);
        let new = self.select(mask, packet, &old);
        self.store(&new, address, offset, flags);
    }

    /// Reads one scalar of memory, the same for all lanes. A condition is a byte, 0 or 1.
    pub fn load_uniform(&mut self, ty: Type, address: Value, offset: i32, flags: MemFlagsData) -> Uniform {
        Uniform { ty, value: self.ins().load(scalar_type(ty), flags, address, offset) }
    }

    /// Reads a scalar or a packet.
    pub fn load_operand(
        &mut self,
        ty: Type,
        uniform: bool,
        address: Value,
        offset: i32,
        flags: MemFlagsData,
    ) -> PacketOperand {
        match uniform {
            true => self.load_uniform(ty, address, offset, flags).into(),
            false => self.load(ty, address, offset, flags).into(),
        }
    }

    /// Writes an operand for [`Emit::load_operand`]: the scalar of a uniform one, or all lanes.
    pub fn store_operand(
        &mut self,
        operand: &PacketOperand,
        uniform: bool,
        address: Value,
        offset: i32,
        flags: MemFlagsData,
    ) {
        if uniform {
            assert!(operand.is_uniform(), "what is uniform is a scalar");
            self.ins().store(flags, operand.values()[0], address, offset);
        } else {
            let packet = self.packet(operand);
            self.store(&packet, address, offset, flags);
        }
    }

    /// Loads a word into every lane of a vector, as I32X4.
    pub(super) fn load_splat(&mut self, address: Value, offset: i32, flags: MemFlagsData) -> Value {
        let vector = match self.shape.vector_bytes {
            16 => {
                // Through a general-purpose register it would be one instruction more.
                let value = self.ins().load(types::F32, flags, address, offset);
                self.ins().splat(types::F32X4, value)
            }
            _ => borrowed::load_splat(self.ins(), flags, address, offset),
        };
        self.cast(vector, types::I32X4)
    }
}
