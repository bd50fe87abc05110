//! Emits vector CLIF, as the only module to do so, in packets.
//!
//! A [`Packet`] holds one value of every lane in vectors of [`PacketShape::vector_bytes`] bytes. Each operation emits
//! its vectors in lockstep, in program order: that keeps as many independent chains in flight as there are vectors.
//!
//! Three kinds of values, and nothing else:
//!
//! | kind | CLIF | source |
//! |---|---|---|
//! | [`Uniform`] | one scalar, the same for all lanes; a condition is an `i8` 0 or 1 | anything scalar |
//! | [`Packet`] | `vectors` I32X4 or F32X4; twice as many I64X2, F64X2; conditions I32X4, all ones or 0 | operations |
//! | [`Part`] | 128 bits of a packet: four lanes of 32 bits or two of 64 | [`Emit::part`]; back: [`Emit::join`] |
//!
//! For 64-bit types, vectors 2k and 2k + 1 hold the lanes (0, 1) and (2, 3) of each 128 bits of vector k of a 32-bit
//! type.
//!
//! A CLIF vector has 16 bytes and stands for one of [`PacketShape::vector_bytes`], which `widen/` makes of it.
//! Invariants that this needs: every shuffle stays within its 128 bits; single lanes are accessed through parts only;
//! vector constants differ from lane to lane within 128 bits only (lane numbers come from the context); an access of 16
//! bytes means a whole vector (a part has accesses of its own); no stack slots, no traps, no library calls.
//!
//! This is the only module that knows how many bytes a vector has; others see [`PacketShape`].
//!
//! | file | contents |
//! |---|---|
//! | `mod.rs` | shapes, the three kinds, constants, splats, parts |
//! | `element.rs` | element-wise arithmetic that is written once for scalars and vectors |
//! | `mask.rs` | conditions: logic, tests for branches, selects |
//! | `float.rs` | recipes for 32-bit floats and halves |
//! | `integer.rs` | recipes for integers that CLIF has no good vector instruction for |
//! | `division.rs` | division by constants as multiplication |
//! | `double.rs` | 64-bit values: halves, conversions, fused multiply-add |
//! | `memory.rs` | loads and stores of consecutive words |
//! | `rows.rs` | rows of words for each lane, and their transposes |
//! | `scattered.rs` | gathers and scatters, and loads that quads or pairs share |

mod division;
pub mod double;
pub mod element;
pub mod float;
pub mod integer;
pub mod mask;
pub mod memory;
mod rows;
mod scattered;

use brolga_ir::shape::OCTET_LANES;
use brolga_ir::{Const, Function, Type};
use cranelift_codegen::entity::packed_option::ReservedValue;
use cranelift_codegen::ir::{self, Endianness, InstBuilder, MemFlagsData, Opcode, Value, types};
use cranelift_frontend::{FuncInstBuilder, FunctionBuilder};
use smallvec::{SmallVec, smallvec};

use crate::options::{Options, VectorBytes};
use crate::widen::borrowed;

/// CLIF values of one packet.
pub type Vectors = SmallVec<[Value; 8]>;

/// The number of a packet's lanes, and the registers that hold them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PacketShape {
    /// Bytes of one vector.
    pub vector_bytes: u32,
    /// Vectors of a packet of 32-bit values.
    pub vectors: u32,
    /// Set if there is an instruction that rotates lanes.
    pub rotates: bool,
    /// Set if there is one that reads a word for each lane, and it is fast.
    pub gathers: bool,
}

impl PacketShape {
    /// The shape for a function. Vectors are no larger than those of the processor, and the lanes fill them.
    pub fn of(func: &Function, options: &Options) -> Self {
        let row_bytes = func.width.lanes() * 4;
        let vector_bytes = options.vector_bytes.min(VectorBytes::most(options.features)).count().min(row_bytes);
        let [rotates, gathers] =
            [options.features.avx512, options.features.gathers].map(|has| vector_bytes > 16 && has);
        PacketShape { vector_bytes, vectors: row_bytes / vector_bytes, rotates, gathers }
    }

    /// `true` if vectors have more than the 128 bits that Cranelift knows.
    pub fn is_widened(self) -> bool {
        self.vector_bytes > 16
    }

    /// Threads in a packet.
    pub fn lanes(self) -> u32 {
        self.vector_bytes / 4 * self.vectors
    }

    /// The number of octets per packet, if each has vectors of its own.
    pub fn octets(self) -> Option<u32> {
        (self.vector_bytes <= OCTET_LANES * 4).then(|| self.lanes() / OCTET_LANES)
    }

    /// Vectors of a packet of this type.
    pub fn vectors_of(self, ty: Type) -> usize {
        self.vectors as usize * if is_wide(ty) { 2 } else { 1 }
    }

    /// Parts of a packet of this type.
    pub fn parts_of(self, ty: Type) -> usize {
        self.vectors_of(ty) * (self.vector_bytes / 16) as usize
    }

    /// The vector with the part of this index, in the order of the lanes, and the part's position in it.
    fn position_of_part(self, ty: Type, index: usize) -> (usize, usize) {
        let parts = (self.vector_bytes / 16) as usize;
        match is_wide(ty) {
            false => (index / parts, index % parts),
            true => {
                let (quad, half) = (index / 2, index % 2);
                (quad / parts * 2 + half, quad % parts)
            }
        }
    }

    /// Bytes of a row: a word for each lane.
    pub fn row_bytes(self) -> u32 {
        self.bytes_of(Type::I32)
    }

    /// Bytes of a packet of this type in memory.
    pub fn bytes_of(self, ty: Type) -> u32 {
        self.lanes() * if is_wide(ty) { 8 } else { 4 }
    }
}

/// `true` if a value of the type has 64 bits.
pub fn is_wide(ty: Type) -> bool {
    matches!(ty, Type::I64 | Type::F64)
}

/// CLIF type of one vector of a packet, as block parameters and variables need it.
pub fn vector_type(ty: Type) -> ir::Type {
    match ty {
        Type::Bool | Type::I32 => types::I32X4,
        Type::F32 => types::F32X4,
        Type::I64 => types::I64X2,
        Type::F64 => types::F64X2,
    }
}

/// CLIF type of a uniform value. A condition is an `i8`, 0 or 1.
pub fn scalar_type(ty: Type) -> ir::Type {
    match ty {
        Type::Bool => types::I8,
        Type::I32 => types::I32,
        Type::F32 => types::F32,
        Type::I64 => types::I64,
        Type::F64 => types::F64,
    }
}

/// A value that is the same in all lanes: one scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Type of the value.
    pub ty: Type,
    /// The scalar, of CLIF type [`scalar_type`].
    pub value: Value,
}

/// A value per lane.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packet {
    /// Type of the values.
    pub ty: Type,
    /// The vectors, [`PacketShape::vectors_of`] many, each of CLIF type [`vector_type`].
    pub vectors: Vectors,
}

impl Packet {
    /// The lanes of one of so many runs.
    fn run(&self, run: usize, runs: usize) -> Self {
        let count = self.vectors.len() / runs;
        Self { ty: self.ty, vectors: Vectors::from_slice(&self.vectors[run * count..][..count]) }
    }
}

/// 128 bits of a packet. Made by [`Emit::part`], consumed by [`Emit::join`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    ty: Type,
    value: Value,
}

/// A value of the shader as the machine code holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PacketOperand {
    /// The same in all lanes.
    Uniform(Uniform),
    /// One per lane.
    Packet(Packet),
}

impl PacketOperand {
    /// A scalar that represents all lanes.
    pub fn scalar(ty: Type, value: Value) -> Self {
        PacketOperand::Uniform(Uniform { ty, value })
    }

    /// Type of the value.
    pub fn ty(&self) -> Type {
        match self {
            PacketOperand::Uniform(uniform) => uniform.ty,
            PacketOperand::Packet(packet) => packet.ty,
        }
    }

    /// The CLIF values, one for a uniform.
    pub fn values(&self) -> &[Value] {
        match self {
            PacketOperand::Uniform(uniform) => std::slice::from_ref(&uniform.value),
            PacketOperand::Packet(packet) => &packet.vectors,
        }
    }

    /// `true` if one scalar represents all lanes.
    pub fn is_uniform(&self) -> bool {
        matches!(self, PacketOperand::Uniform(_))
    }
}

impl From<Uniform> for PacketOperand {
    fn from(uniform: Uniform) -> Self {
        PacketOperand::Uniform(uniform)
    }
}

impl From<Packet> for PacketOperand {
    fn from(packet: Packet) -> Self {
        PacketOperand::Packet(packet)
    }
}

/// Offsets in the context record of the data that packets need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PacketContext {
    /// Address of the record, an `i64` scalar that dominates all code that is emitted.
    pub base: Value,
    /// Byte offset of the lane numbers: `u32` 0, 1, 2 ... for at least [`PacketShape::lanes`] lanes.
    pub lane_index: i32,
    /// Byte offset of 16 bytes that masked-off lanes write and that are never read.
    pub dump: i32,
    /// The implementation of fused multiply-add.
    pub fma: Fma,
}

/// The implementation of fused multiply-add.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fma {
    /// The processor: Cranelift has `has_fma`.
    Hardware,
    /// A helper of type `abi::Helper`, on records in the context.
    Helper {
        /// Byte offset in the context of the helper table's address.
        table: i32,
        /// Byte offsets in the table of the helpers' addresses: for floats, which are handed over as doubles, and for
        /// doubles.
        entries: [i32; 2],
        /// Byte offsets in the context of the three operands, a double per lane.
        operands: [i32; 3],
        /// Byte offset in the context of the result, a double per lane.
        result: i32,
    },
}

/// Emits packet operations at the position of a function builder. Cheap to create: one per instruction is fine.
pub struct Emit<'a, 'f> {
    /// The function being written.
    pub builder: &'a mut FunctionBuilder<'f>,
    /// Lanes and registers.
    pub shape: PacketShape,
    /// The running code's record.
    pub context: PacketContext,
}

/// Flags of a bitcast between vectors with different lane counts: lanes are little-endian.
pub(crate) fn lane_order() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl<'a, 'f> Emit<'a, 'f> {
    /// An emitter at the builder's position.
    pub fn new(builder: &'a mut FunctionBuilder<'f>, shape: PacketShape, context: PacketContext) -> Self {
        Self { builder, shape, context }
    }

    /// Appends an instruction.
    pub(crate) fn ins(&mut self) -> FuncInstBuilder<'_, 'f> {
        self.builder.ins()
    }

    /// A constant as a scalar.
    pub fn constant(&mut self, constant: Const) -> Uniform {
        let ins = self.ins();
        let value = match constant.ty {
            Type::Bool => ins.iconst(types::I8, constant.bits as i64),
            Type::I32 => ins.iconst(types::I32, constant.bits as i64),
            Type::F32 => ins.f32const(f32::from_bits(constant.bits as u32)),
            Type::I64 => ins.iconst(types::I64, constant.bits as i64),
            Type::F64 => ins.f64const(f64::from_bits(constant.bits)),
        };
        Uniform { ty: constant.ty, value }
    }

    /// A constant in every lane: one vector, loaded from the constant pool, serves as all vectors of the packet.
    pub fn constant_packet(&mut self, constant: Const) -> Packet {
        let bytes: [u8; 16] = match constant.ty {
            Type::Bool => [if constant.bits != 0 { 0xff } else { 0 }; 16],
            Type::I32 | Type::F32 => repeat((constant.bits as u32).to_le_bytes()),
            Type::I64 | Type::F64 => repeat(constant.bits.to_le_bytes()),
        };
        let handle = self.builder.func.dfg.constants.insert(bytes.as_slice().into());
        let value = self.ins().vconst(vector_type(constant.ty), handle);
        Packet { ty: constant.ty, vectors: smallvec![value; self.shape.vectors_of(constant.ty)] }
    }

    /// Numbers that repeat from quad to quad.
    pub fn quad_constant(&mut self, lanes: [u32; 4]) -> Packet {
        let handle = self.builder.func.dfg.constants.insert(lanes.map(u32::to_le_bytes).as_flattened().into());
        let value = self.ins().vconst(types::I32X4, handle);
        Packet { ty: Type::I32, vectors: smallvec![value; self.shape.vectors_of(Type::I32)] }
    }

    /// A scalar in every lane.
    pub fn splat(&mut self, uniform: Uniform) -> Packet {
        let count = self.shape.vectors_of(uniform.ty);
        let vector = match uniform.ty {
            Type::Bool => {
                // 0 or 1 to zero or all ones.
                let word = self.ins().uextend(types::I32, uniform.value);
                let word = self.ins().ineg(word);
                self.ins().splat(types::I32X4, word)
            }
            Type::I32 | Type::F32 => match self.constant_load_nearby(uniform.value) {
                Some((flags, address, offset)) => {
                    let vector = self.load_splat(address, offset.into(), flags);
                    self.cast(vector, vector_type(uniform.ty))
                }
                None => self.ins().splat(vector_type(uniform.ty), uniform.value),
            },
            ty => self.ins().splat(vector_type(ty), uniform.value),
        };
        Packet { ty: uniform.ty, vectors: smallvec![vector; count] }
    }

    /// The value per lane, splatted if it is uniform. A constant is loaded as a vector instead.
    pub fn packet(&mut self, operand: &PacketOperand) -> Packet {
        match operand {
            PacketOperand::Uniform(uniform) => match self.known_constant(*uniform) {
                Some(constant) => self.constant_packet(constant),
                None => self.splat(*uniform),
            },
            PacketOperand::Packet(packet) => packet.clone(),
        }
    }

    /// The number of each lane within its packet, from the context (a constant must not differ from lane to lane).
    pub fn lane_index(&mut self) -> Packet {
        let (base, offset) = (self.context.base, self.context.lane_index);
        let flags = MemFlagsData::new().with_notrap().with_readonly();
        self.load(Type::I32, base, offset, flags)
    }

    /// 128 bits of a packet, in the order of the lanes.
    pub fn part(&mut self, packet: &Packet, index: usize) -> Part {
        let (vector, position) = self.shape.position_of_part(packet.ty, index);
        let vector = packet.vectors[vector];
        let value = match self.part_as_joined(vector, position) {
            Some(part) => part,
            None => {
                let vector = self.cast(vector, borrowed::type_to_take(position));
                borrowed::take(self.ins(), vector, position)
            }
        };
        Part { ty: packet.ty, value: self.cast(value, vector_type(packet.ty)) }
    }

    /// 128 bits of a vector that the code already has: the vector has no others, or was just joined from them.
    fn part_as_joined(&self, mut vector: Value, position: usize) -> Option<Value> {
        if self.shape.vector_bytes == 16 {
            return Some(vector);
        }
        let dfg = &self.builder.func.dfg;
        loop {
            let inst = dfg.value_def(vector).inst()?;
            let args = dfg.inst_args(inst);
            let operation = dfg.insts[inst].opcode();
            match borrowed::inserted(operation, dfg.value_type(vector)) {
                Some(1) if position == 0 => return Some(args[0]),
                Some(inserted) if inserted == position => return Some(args[1]),
                None if operation != Opcode::Bitcast => return None,
                _ => vector = args[0],
            }
        }
    }

    /// The packet of these parts, [`PacketShape::parts_of`] many.
    pub fn join(&mut self, ty: Type, parts: &[Part]) -> Packet {
        debug_assert!(parts.iter().all(|part| part.ty == ty), "parts of one type");
        debug_assert_eq!(parts.len(), self.shape.parts_of(ty), "parts of a packet");
        let mut vectors: Vectors = smallvec![Value::reserved_value(); self.shape.vectors_of(ty)];
        for (index, part) in parts.iter().enumerate() {
            let (vector, position) = self.shape.position_of_part(ty, index);
            vectors[vector] = match position {
                0 => part.value,
                _ => {
                    let ty = borrowed::type_to_insert(position);
                    let [before, part] = [vectors[vector], part.value].map(|value| self.cast(value, ty));
                    borrowed::insert(self.ins(), before, part, position)
                }
            };
        }
        for vector in &mut vectors {
            *vector = self.cast(*vector, vector_type(ty));
        }
        Packet { ty, vectors }
    }

    /// One scalar per lane, in lane order. A condition gives an `i32`, all ones or zero.
    pub fn lanes(&mut self, packet: &Packet) -> Vec<Value> {
        let mut scalars = Vec::new();
        for index in 0..self.shape.parts_of(packet.ty) {
            let part = self.part(packet, index);
            self.part_lanes(part, &mut scalars);
        }
        scalars
    }

    /// The lanes of one part of a 32-bit operand; all of them are the scalar itself if it is uniform.
    pub fn lanes_of_part(&mut self, operand: &PacketOperand, part: usize) -> [Value; 4] {
        match operand {
            PacketOperand::Uniform(uniform) => [uniform.value; 4],
            PacketOperand::Packet(packet) => {
                let part = self.part(packet, part);
                let mut scalars = Vec::with_capacity(4);
                self.part_lanes(part, &mut scalars);
                scalars.try_into().expect("a part has four lanes of 32 bits")
            }
        }
    }

    /// The lanes of one part of an `i32` packet, taken as unsigned, as `i64` scalars.
    pub fn lanes_of_part_as_offsets(&mut self, packet: &Packet, part: usize) -> [Value; 4] {
        debug_assert_eq!(packet.ty, Type::I32, "offsets are integers");
        let part = self.part(packet, part);
        let [[a, b], [c, d]] = [0, 1].map(|index| {
            let pair = self.pair(part.value, index);
            let low = self.ins().ireduce(types::I32, pair);
            [self.ins().uextend(types::I64, low), self.ins().ushr_imm_u(pair, 32)]
        });
        [a, b, c, d]
    }

    /// Appends the lanes of a part. Two lanes of 32 bits leave the vector together: a 64-bit move and a shift are
    /// cheaper than two extractions.
    fn part_lanes(&mut self, part: Part, scalars: &mut Vec<Value>) {
        match part.ty {
            Type::Bool | Type::I32 => {
                for index in 0..2 {
                    let pair = self.pair(part.value, index);
                    scalars.push(self.ins().ireduce(types::I32, pair));
                    let high = self.ins().ushr_imm_u(pair, 32);
                    scalars.push(self.ins().ireduce(types::I32, high));
                }
            }
            Type::F32 => scalars.extend((0..4u8).map(|lane| self.ins().extractlane(part.value, lane))),
            Type::I64 | Type::F64 => {
                scalars.extend((0..2u8).map(|lane| self.ins().extractlane(part.value, lane)));
            }
        }
    }

    /// 64 bits of 128. The first leave the vector as a double: that takes half as long as an integer.
    pub(crate) fn pair(&mut self, part: Value, index: u8) -> Value {
        if index == 0 {
            let doubles = self.cast(part, types::F64X2);
            let low = self.ins().extractlane(doubles, 0);
            return self.ins().bitcast(types::I64, lane_order(), low);
        }
        let pairs = self.cast(part, types::I64X2);
        self.ins().extractlane(pairs, index)
    }

    /// A packet of one scalar per lane, in lane order. For conditions the scalars are `i32`, all ones or zero.
    pub fn from_lanes(&mut self, ty: Type, scalars: &[Value]) -> Packet {
        let per_part = if is_wide(ty) { 2 } else { 4 };
        debug_assert_eq!(scalars.len(), self.shape.lanes() as usize, "one scalar per lane");
        let parts: SmallVec<[Part; 8]> = scalars.chunks(per_part).map(|lanes| self.part_of_lanes(ty, lanes)).collect();
        self.join(ty, &parts)
    }

    /// A part of two or four scalars.
    fn part_of_lanes(&mut self, ty: Type, scalars: &[Value]) -> Part {
        let mut value = self.ins().scalar_to_vector(vector_type(ty), scalars[0]);
        for (lane, &scalar) in scalars.iter().enumerate().skip(1) {
            value = self.ins().insertlane(value, scalar, lane as u8);
        }
        Part { ty, value }
    }
}

/// A constant's bytes over a whole vector.
fn repeat<const N: usize>(bytes: [u8; N]) -> [u8; 16] {
    std::array::from_fn(|index| bytes[index % N])
}
