//! Decodes the layout of each declaration.

use super::error::DecodeError;
use super::operand::{operand, return_types};
use crate::limits::Limits;
use crate::reader::Reader;
use crate::sm5::Model;
use crate::sm5::codes::{
    Interpolation, ResourceDimension, SamplerMode, SystemValue, TessellatorDomain, TessellatorOutput,
    TessellatorPartitioning, Topology,
};
use crate::sm5::declaration::{Declaration, DeclarationKind, GlobalFlags, RegisterRange, ResourceKind, UavFlags};
use crate::sm5::operand::{Operand, RegisterFile};
use crate::sm5::ops::Op;

/// Decodes the declaration whose words `reader` holds.
pub(super) fn declaration(
    op: Op,
    model: Model,
    limits: &Limits,
    reader: &mut Reader<'_>,
) -> Result<Declaration, DecodeError> {
    let at = reader.at();
    let token = reader.u32()?;
    let kind = Declaring { at, op, token, model, limits, reader }.kind()?;
    Ok(Declaration { at, op, kind })
}

/// A declaration that is being decoded.
struct Declaring<'r, 'a, 'l> {
    at: u32,
    op: Op,
    token: u32,
    model: Model,
    limits: &'l Limits,
    reader: &'r mut Reader<'a>,
}

impl Declaring<'_, '_, '_> {
    fn kind(&mut self) -> Result<DeclarationKind, DecodeError> {
        Ok(match self.op {
            Op::DclGlobalFlags => DeclarationKind::GlobalFlags(GlobalFlags(self.token & 0x00ff_f800)),
            Op::DclResource => {
                let samples = (self.token >> 16 & 0x7f) as u8;
                self.resource(|this| this.typed(samples))?
            }
            Op::DclResourceRaw => self.resource(|_| Ok(ResourceKind::Raw))?,
            Op::DclResourceStructured => self.resource(Self::structured)?,
            Op::DclUavTyped => self.uav(|this| this.typed(0))?,
            Op::DclUavRaw => self.uav(|_| Ok(ResourceKind::Raw))?,
            Op::DclUavStructured => self.uav(Self::structured)?,
            Op::DclSampler => {
                let mode = self.code("sampler mode", self.token >> 11 & 0xf, SamplerMode::from_code)?;
                let operand = self.operand()?;
                let range = self.range(&operand, RegisterFile::Sampler)?;
                DeclarationKind::Sampler { range: RegisterRange { space: self.space()?, ..range }, mode }
            }
            Op::DclConstantBuffer => self.constant_buffer()?,
            Op::DclInput => self.input(None, false)?,
            Op::DclInputSgv | Op::DclInputSiv => self.input(None, true)?,
            Op::DclInputPs => self.input(Some(self.interpolation()?), false)?,
            Op::DclInputPsSgv | Op::DclInputPsSiv => self.input(Some(self.interpolation()?), true)?,
            Op::DclOutput => self.output(false)?,
            Op::DclOutputSgv | Op::DclOutputSiv => self.output(true)?,
            Op::DclIndexRange => {
                let operand = self.operand()?;
                DeclarationKind::IndexRange { operand, count: self.reader.u32()? }
            }
            Op::DclTemps => DeclarationKind::Temps { count: self.reader.u32()? },
            Op::DclIndexableTemp => DeclarationKind::IndexableTemp {
                register: self.reader.u32()?,
                count: self.reader.u32()?,
                components: self.reader.u32()?,
            },
            Op::DclInputPrimitive => DeclarationKind::InputPrimitive { primitive: self.token >> 11 & 0x3f },
            Op::DclOutputTopology => DeclarationKind::OutputTopology(self.code(
                "primitive topology",
                self.token >> 11 & 0x3f,
                Topology::from_code,
            )?),
            Op::DclMaxOutputVertexCount => DeclarationKind::MaxOutputVertexCount(self.reader.u32()?),
            Op::DclGsInstances => DeclarationKind::GsInstances(self.reader.u32()?),
            Op::DclStream => DeclarationKind::Stream { register: self.register(RegisterFile::Stream)? },
            Op::DclInputControlPointCount => DeclarationKind::InputControlPointCount(self.token >> 11 & 0x3f),
            Op::DclOutputControlPointCount => DeclarationKind::OutputControlPointCount(self.token >> 11 & 0x3f),
            Op::DclTessellatorDomain => DeclarationKind::TessellatorDomain(self.code(
                "tessellator domain",
                self.token >> 11 & 3,
                TessellatorDomain::from_code,
            )?),
            Op::DclTessellatorPartitioning => DeclarationKind::TessellatorPartitioning(self.code(
                "tessellator partitioning",
                self.token >> 11 & 7,
                TessellatorPartitioning::from_code,
            )?),
            Op::DclTessellatorOutputPrimitive => DeclarationKind::TessellatorOutput(self.code(
                "tessellator output",
                self.token >> 11 & 7,
                TessellatorOutput::from_code,
            )?),
            Op::DclHsMaxTessFactor => DeclarationKind::HsMaxTessFactor(self.reader.u32()?),
            Op::DclHsForkPhaseInstanceCount => DeclarationKind::ForkInstanceCount(self.reader.u32()?),
            Op::DclHsJoinPhaseInstanceCount => DeclarationKind::JoinInstanceCount(self.reader.u32()?),
            Op::DclThreadGroup => {
                DeclarationKind::ThreadGroup { size: [self.reader.u32()?, self.reader.u32()?, self.reader.u32()?] }
            }
            Op::DclTgsmRaw => DeclarationKind::TgsmRaw {
                register: self.register(RegisterFile::SharedMemory)?,
                bytes: self.reader.u32()?,
            },
            Op::DclTgsmStructured => DeclarationKind::TgsmStructured {
                register: self.register(RegisterFile::SharedMemory)?,
                stride_bytes: self.reader.u32()?,
                count: self.reader.u32()?,
            },
            Op::DclFunctionBody => {
                self.skip_length_word()?;
                DeclarationKind::FunctionBody { body: self.reader.u32()? }
            }
            Op::DclFunctionTable => {
                self.skip_length_word()?;
                let table = self.reader.u32()?;
                let count = self.reader.u32()?;
                DeclarationKind::FunctionTable { table, bodies: self.numbers(count)? }
            }
            Op::DclInterface => {
                self.skip_length_word()?;
                let interface = self.reader.u32()?;
                let call_sites = self.reader.u32()?;
                let lengths = self.reader.u32()?;
                DeclarationKind::Interface {
                    interface,
                    dynamic: self.token >> 11 & 1 != 0,
                    call_sites,
                    array_length: lengths >> 16,
                    tables: self.numbers(lengths & 0xffff)?,
                }
            }
            op => unreachable!("{op} has the form of a declaration in the table and no layout here"),
        })
    }

    fn code<T>(&self, what: &'static str, code: u32, from: fn(u32) -> Option<T>) -> Result<T, DecodeError> {
        from(code).ok_or(DecodeError::UnknownCode { at: self.at, what, code })
    }

    fn operand(&mut self) -> Result<Operand, DecodeError> {
        operand(self.reader, self.limits)
    }

    fn expected(&self, expected: &'static str) -> DecodeError {
        DecodeError::DeclarationOperand { at: self.at, op: self.op, expected }
    }

    /// A register with one number: m# or g#.
    fn register(&mut self, file: RegisterFile) -> Result<u32, DecodeError> {
        let operand = self.operand()?;
        let register = operand.index_u32(0).filter(|_| operand.file == file && operand.indices.len() == 1);
        register.ok_or_else(|| self.expected(file.description()))
    }

    /// The range an operand declares: id, lower and upper bound in 5.1, one number before.
    fn range(&mut self, operand: &Operand, file: RegisterFile) -> Result<RegisterRange, DecodeError> {
        if operand.file != file {
            return Err(self.expected(file.description()));
        }
        let has_size = file == RegisterFile::ConstantBuffer;
        let numbers = operand.indices.iter().map(|index| index.as_u32()).collect::<Option<Vec<_>>>();
        let wrong_form = self.expected("a register number, or in 5.1 an id and two bounds");
        match (self.model, numbers.as_deref()) {
            (Model::Sm5_1, Some(&[id, lower, upper])) if lower <= upper => {
                Ok(RegisterRange { id, lower, upper: (upper != u32::MAX).then_some(upper), space: 0 })
            }
            (Model::Sm5_1, _) => Err(wrong_form),
            (_, Some(&[id])) if !has_size => Ok(RegisterRange { id, lower: id, upper: Some(id), space: 0 }),
            (_, Some(&[id, _])) if has_size => Ok(RegisterRange { id, lower: id, upper: Some(id), space: 0 }),
            _ => Err(wrong_form),
        }
    }

    /// The space word that ends the declarations of 5.1.
    fn space(&mut self) -> Result<u32, DecodeError> {
        if self.model == Model::Sm5_1 { Ok(self.reader.u32()?) } else { Ok(0) }
    }

    fn typed(&mut self, samples: u8) -> Result<ResourceKind, DecodeError> {
        let dimension = self.code("resource dimension", self.token >> 11 & 0x1f, ResourceDimension::from_code)?;
        let at = self.reader.at();
        let returns = return_types(at, self.reader.u32()?)?;
        Ok(ResourceKind::Typed { dimension, samples, returns })
    }

    fn structured(&mut self) -> Result<ResourceKind, DecodeError> {
        Ok(ResourceKind::Structured { stride_bytes: self.reader.u32()? })
    }

    fn resource(
        &mut self,
        kind: impl FnOnce(&mut Self) -> Result<ResourceKind, DecodeError>,
    ) -> Result<DeclarationKind, DecodeError> {
        let operand = self.operand()?;
        let range = self.range(&operand, RegisterFile::Resource)?;
        let kind = kind(self)?;
        Ok(DeclarationKind::Resource { range: RegisterRange { space: self.space()?, ..range }, kind })
    }

    fn uav(
        &mut self,
        kind: impl FnOnce(&mut Self) -> Result<ResourceKind, DecodeError>,
    ) -> Result<DeclarationKind, DecodeError> {
        let operand = self.operand()?;
        let range = self.range(&operand, RegisterFile::Uav)?;
        let kind = kind(self)?;
        let flags = UavFlags {
            globally_coherent: self.token >> 16 & 1 != 0,
            rasterizer_ordered: self.token >> 17 & 1 != 0,
            counter: self.token >> 23 & 1 != 0,
        };
        Ok(DeclarationKind::Uav { range: RegisterRange { space: self.space()?, ..range }, kind, flags })
    }

    fn constant_buffer(&mut self) -> Result<DeclarationKind, DecodeError> {
        let operand = self.operand()?;
        let range = self.range(&operand, RegisterFile::ConstantBuffer)?;
        let vectors = match self.model {
            Model::Sm5_1 => self.reader.u32()?,
            Model::Sm4_0 | Model::Sm4_1 | Model::Sm5_0 => {
                operand.index_u32(1).ok_or_else(|| self.expected("cb#[size]"))?
            }
        };
        let range = RegisterRange { space: self.space()?, ..range };
        Ok(DeclarationKind::ConstantBuffer { range, vectors, dynamic: self.token >> 11 & 1 != 0 })
    }

    fn interpolation(&self) -> Result<Interpolation, DecodeError> {
        self.code("interpolation mode", self.token >> 11 & 0xf, Interpolation::from_code)
    }

    fn system_value(&mut self) -> Result<SystemValue, DecodeError> {
        let code = self.reader.u32()? & 0xffff;
        self.code("system value", code, SystemValue::from_code)
    }

    fn input(&mut self, interpolation: Option<Interpolation>, named: bool) -> Result<DeclarationKind, DecodeError> {
        let operand = self.operand()?;
        let system_value = if named { Some(self.system_value()?) } else { None };
        Ok(DeclarationKind::Input { operand, system_value, interpolation })
    }

    fn output(&mut self, named: bool) -> Result<DeclarationKind, DecodeError> {
        let operand = self.operand()?;
        let system_value = if named { Some(self.system_value()?) } else { None };
        Ok(DeclarationKind::Output { operand, system_value })
    }

    /// The long form of function declarations keeps its length in a word of its own.
    fn skip_length_word(&mut self) -> Result<(), DecodeError> {
        if self.token >> 31 != 0 {
            self.reader.u32()?;
        }
        Ok(())
    }

    /// Reads `count` numbers; checks that they exist before allocating memory for them.
    fn numbers(&mut self, count: u32) -> Result<Vec<u32>, DecodeError> {
        let bytes = self.reader.take((count as usize).saturating_mul(4))?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sm5::ops::Form;

    #[test]
    fn every_declaration_of_the_table_has_a_layout() {
        for op in Op::ALL.iter().filter(|op| op.info().form == Form::Declaration) {
            let words = [u32::from(op.info().code) | 8 << 24, 0, 0, 0, 0, 0, 0, 0];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            // The result does not matter: an opcode without a layout would panic.
            let _ = declaration(*op, Model::Sm5_0, &Limits::default(), &mut Reader::new(&bytes, 0));
        }
    }
}
