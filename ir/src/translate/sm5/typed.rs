//! Translates access to texels of typed buffers and textures, and queries about views.

use brolga_bytecode::sm5::codes::ResinfoReturn;
use brolga_bytecode::sm5::{Instruction, Operand, RegisterFile};
use smallvec::SmallVec;

use super::super::vector::{Vector, lanes};
use super::super::words::Start;
use super::memory::Memory;
use super::operand::{SourceType, components_read, swizzle};
use super::{Result, Translator};
use crate::entity::Value;
use crate::function::{Query, ResourceRef};
use crate::interface::Dimension;
use crate::ops::Op;

/// The number of coordinates that count texels, which offsets move. A layer does not; buffers take no offsets.
fn texel_axes(dimension: Dimension) -> usize {
    match dimension {
        Dimension::Buffer => 0,
        Dimension::Texture1d | Dimension::Texture1dArray => 1,
        Dimension::Texture2d
        | Dimension::Texture2dArray
        | Dimension::Texture2dMs
        | Dimension::Texture2dMsArray
        | Dimension::TextureCube
        | Dimension::TextureCubeArray => 2,
        Dimension::Texture3d => 3,
    }
}

impl Translator<'_, '_> {
    /// The resource and dimension of typed memory.
    pub(super) fn typed(&mut self, operand: &Operand) -> Result<(ResourceRef, Dimension)> {
        match self.memory(operand)? {
            Memory::Typed(resource, dimension) => Ok((resource, dimension)),
            Memory::Raw(_) | Memory::Structured(_) => Err(self.bad_operand(operand.file.text())),
        }
    }

    /// The coordinates of a texel. They are unsigned; one that an offset takes below zero wraps, far out of range.
    pub(super) fn coordinates(
        &mut self,
        address: &Operand,
        dimension: Dimension,
        offsets: Option<[i8; 3]>,
    ) -> Result<SmallVec<[Value; 3]>> {
        let count = dimension.coordinates();
        let address = self.read(address, (1 << count) - 1, SourceType::Int)?;
        let mut coords: SmallVec<[Value; 3]> = (0..count).map(|axis| address.at(axis)).collect();
        let offsets = offsets.unwrap_or_default();
        for (coord, offset) in coords.iter_mut().zip(offsets).take(texel_axes(dimension)) {
            if offset != 0 {
                let offset = self.b.i32(i32::from(offset) as u32);
                *coord = self.b.op(Op::IAdd, &[*coord, offset]);
            }
        }
        Ok(coords)
    }

    /// `ld`: the mip level is the address's fourth component, except for buffers.
    pub(super) fn ld(&mut self, instruction: &Instruction) -> Result {
        let ([destination, address, memory], status) = self.load_operands(instruction)?;
        let (resource, dimension) = self.typed(memory)?;
        let level = match dimension {
            Dimension::Buffer => None,
            _ => Some(self.read(address, 0b1000, SourceType::Int)?.at(3)),
        };
        let coords = self.coordinates(address, dimension, instruction.offsets)?;
        self.load_texel(destination, status, memory, resource, &coords, level)
    }

    pub(super) fn ldms(&mut self, instruction: &Instruction) -> Result {
        let ([destination, address, memory, sample], status) = self.load_operands(instruction)?;
        let (resource, dimension) = self.typed(memory)?;
        let sample = self.read_one(sample, SourceType::Int)?;
        let coords = self.coordinates(address, dimension, instruction.offsets)?;
        self.load_texel(destination, status, memory, resource, &coords, Some(sample))
    }

    pub(super) fn ld_uav_typed(&mut self, instruction: &Instruction) -> Result {
        let ([destination, address, memory], status) = self.load_operands(instruction)?;
        let (resource, dimension) = self.typed(memory)?;
        let coords = self.coordinates(address, dimension, None)?;
        self.load_texel(destination, status, memory, resource, &coords, None)
    }

    fn load_texel(
        &mut self,
        destination: &Operand,
        status: Option<&Operand>,
        memory: &Operand,
        resource: ResourceRef,
        coords: &[Value],
        level: Option<Value>,
    ) -> Result {
        let texel = Vector::from(self.b.texel_load(resource, coords, level));
        let words = swizzle(memory, destination.mask(), &texel);
        self.write_with_status(destination, &words, status)
    }

    pub(super) fn store_uav_typed(&mut self, instruction: &Instruction) -> Result {
        let [memory, address, source] = self.operands(instruction)?;
        let (resource, dimension) = self.typed(memory)?;
        let coords = self.coordinates(address, dimension, None)?;
        let words = self.moved(instruction, source, 0b1111)?;
        let effect = self.effect();
        self.b.texel_store(resource, &coords, std::array::from_fn(|lane| words.at(lane)), effect);
        Ok(())
    }

    pub(super) fn bufinfo(&mut self, instruction: &Instruction) -> Result {
        let [destination, memory] = self.operands(instruction)?;
        let resource = self.resource(memory)?;
        let answer = Vector::from(self.b.query(Query::BufferSize, resource, None));
        let words = swizzle(memory, destination.mask(), &answer);
        self.write(destination, &words)
    }

    pub(super) fn resinfo(&mut self, instruction: &Instruction) -> Result {
        let [destination, level, memory] = self.operands(instruction)?;
        let level = self.read_one(level, SourceType::Int)?;
        let (resource, dimension) = self.typed(memory)?;
        let answer = Vector::from(self.b.query(Query::TextureSize, resource, Some(level)));
        self.write_answer(instruction, destination, memory, answer, texel_axes(dimension))
    }

    pub(super) fn sampleinfo(&mut self, instruction: &Instruction) -> Result {
        let [destination, memory] = self.operands(instruction)?;
        let answer = match memory.file {
            RegisterFile::Rasterizer => {
                let (count, zero) = (self.sample_count()?, self.b.i32(0));
                Vector::from([count, zero, zero, zero])
            }
            _ => {
                let (resource, _) = self.typed(memory)?;
                Vector::from(self.b.query(Query::SampleCount, resource, None))
            }
        };
        self.write_answer(instruction, destination, memory, answer, 0)
    }

    pub(super) fn samplepos(&mut self, instruction: &Instruction) -> Result {
        let [destination, memory, sample] = self.operands(instruction)?;
        let answer = match memory.file {
            RegisterFile::Rasterizer => {
                let sample = self.read_one(sample, SourceType::Int)?;
                let position = self.position_of_sample(sample)?;
                let zero = self.b.i32(0);
                let (count, [x, y]) = (self.sample_count()?, position.map(|offset| self.b.op(Op::BitsF32, &[offset])));
                let is_one = self.b.op(Op::ULt, &[sample, count]);
                let [x, y] = [x, y].map(|offset| self.b.select(is_one, offset, zero));
                Vector::from([x, y, zero, zero])
            }
            _ => {
                let (resource, _) = self.typed(memory)?;
                let sample = self.read_one(sample, SourceType::Int)?;
                Vector::from(self.b.query(Query::SamplePosition, resource, Some(sample)))
            }
        };
        let words = swizzle(memory, destination.mask(), &answer);
        self.write(destination, &words)
    }

    /// The number of samples of a pixel; 1 in other stages than that of pixels.
    fn sample_count(&mut self) -> Result<Value> {
        let Some(row) = self.stage.sample_count else { return Ok(self.b.i32(1)) };
        Ok(self.input_row(Start::Known(row), 1)?.at(0))
    }

    /// Converts a query's result to what the instruction returns. The first `sizes` components have reciprocals; layers
    /// and counts never do.
    fn write_answer(
        &mut self,
        instruction: &Instruction,
        destination: &Operand,
        memory: &Operand,
        mut answer: Vector,
        sizes: usize,
    ) -> Result {
        let mask = destination.mask();
        for component in lanes(components_read(memory, mask)) {
            let is_reciprocal = match instruction.resinfo {
                ResinfoReturn::Uint => continue,
                ResinfoReturn::RcpFloat => component < sizes,
                _ => false,
            };
            let mut value = self.b.op(Op::UToF, &[answer.at(component)]);
            if is_reciprocal {
                let one = self.b.f32(1.0);
                value = self.b.op(Op::FDiv, &[one, value]);
            }
            answer.set(component, self.b.op(Op::BitsF32, &[value]));
        }
        let words = swizzle(memory, mask, &answer);
        self.write(destination, &words)
    }
}
