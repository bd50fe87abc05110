//! Reads and writes registers.
//!
//! A *lane* here is a component position of the destination: lane 0 is x. A source's swizzle says which component each
//! lane reads. Components are read once, however often the swizzle names them.

use brolga_bytecode::sm5::{Index, Model, Operand, RegisterFile};

use super::super::vector::{Vector, lanes};
use super::super::words::{self, Start};
use super::{Result, Translator};
use crate::entity::{Slot, Value};
use crate::function::{Element, Input, Object, ResourceRef};
use crate::interface::ResourceClass;
use crate::ops::Op;
use crate::passes::undone;

/// The type under which a source's bits and modifiers are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SourceType {
    /// The values are `f32`; absolute and negate act on the sign bit.
    Float,
    /// The values are `i32`; negate is two's complement.
    Int,
}

/// The components that an operand's swizzle names for these lanes.
pub(super) fn components_read(operand: &Operand, mask: u8) -> u8 {
    lanes(mask).fold(0, |components, lane| components | 1 << (operand.component(lane) & 3))
}

/// Rearranges values from component order to lane order.
pub(super) fn swizzle(operand: &Operand, mask: u8, components: &Vector) -> Vector {
    let mut result = Vector::default();
    for lane in lanes(mask) {
        result.set(lane, components.at(operand.component(lane) as usize));
    }
    result
}

/// The location of a destination; its address is computed before anything is written.
pub(super) enum Destination {
    Null,
    /// Four slots from this one on.
    Slots(usize),
    Local {
        object: Object,
        index: Value,
    },
    /// A row of the outputs.
    Output(Start),
}

impl Translator<'_, '_> {
    /// The operand's bits for the lanes of a mask, modifiers ignored.
    pub(super) fn bits(&mut self, operand: &Operand, mask: u8) -> Result<Vector> {
        let components = self.components(operand, components_read(operand, mask))?;
        Ok(swizzle(operand, mask, &components))
    }

    /// The operand's values for the lanes of a mask, modifiers applied.
    pub(super) fn read(&mut self, operand: &Operand, mask: u8, kind: SourceType) -> Result<Vector> {
        let read = components_read(operand, mask);
        let mut components = self.components(operand, read)?;
        for component in lanes(read) {
            let value = self.modified(operand, components.at(component), kind);
            components.set(component, value);
        }
        Ok(swizzle(operand, mask, &components))
    }

    /// The value of a scalar operand.
    pub(super) fn read_one(&mut self, operand: &Operand, kind: SourceType) -> Result<Value> {
        Ok(self.read(operand, 1, kind)?.at(0))
    }

    fn modified(&mut self, operand: &Operand, bits: Value, kind: SourceType) -> Value {
        match kind {
            SourceType::Float => {
                let value = self.convert(Op::AsF32, &[bits]);
                self.sign_modified(operand, value)
            }
            SourceType::Int if operand.negate => {
                let zero = self.b.i32(0);
                self.b.op(Op::ISub, &[zero, bits])
            }
            SourceType::Int => bits,
        }
    }

    /// Converts a value, or returns the original if it was made by the opposite conversion.
    pub(super) fn convert(&mut self, op: Op, args: &[Value]) -> Value {
        undone(self.b.func, op, args).unwrap_or_else(|| self.b.op(op, args))
    }

    /// Absolute, then negate, of a float.
    pub(super) fn sign_modified(&mut self, operand: &Operand, mut value: Value) -> Value {
        if operand.absolute {
            value = self.b.op(Op::FAbs, &[value]);
        }
        if operand.negate {
            value = self.b.op(Op::FNeg, &[value]);
        }
        value
    }

    /// Components of a register, in component order.
    fn components(&mut self, operand: &Operand, components: u8) -> Result<Vector> {
        let mut result = Vector::default();
        match operand.file {
            RegisterFile::Temp => {
                let register = self.number(operand, 0)?;
                for component in lanes(components) {
                    let slot = self.slot(register, component)?;
                    let value = match self.classes.known(slot) {
                        Some(known) => self.b.i32(known),
                        None => self.registers.get(&mut self.b, slot),
                    };
                    result.set(component, value);
                }
            }
            RegisterFile::Immediate32 | RegisterFile::Immediate64 => {
                for component in lanes(components) {
                    // One word, or one double, is replicated to all components.
                    let words = operand.immediate.as_slice();
                    let word = match words.len() {
                        0 => return Err(self.bad_operand(operand.file.text())),
                        count => words[component % count],
                    };
                    result.set(component, self.b.i32(word));
                }
            }
            RegisterFile::ConstantBuffer if self.computes_number(operand) => {
                if components != 0 {
                    result = self.instance_data(operand, components)?;
                }
            }
            RegisterFile::IndexableTemp | RegisterFile::ConstantBuffer | RegisterFile::ImmediateConstantBuffer => {
                if components != 0 {
                    let (object, index) = self.vector_address(operand)?;
                    result = self.load_vector(object, index, components);
                }
            }
            RegisterFile::ThreadId => return Ok(self.inputs(components, Input::ThreadId)),
            RegisterFile::GroupId => return Ok(self.inputs(components, Input::GroupId)),
            RegisterFile::ThreadIdInGroup => return Ok(self.inputs(components, Input::ThreadIdInGroup)),
            RegisterFile::ThreadIndexInGroup => return Ok(Vector::splat(self.b.input(Input::ThreadIndex))),
            RegisterFile::This => return self.this(operand, components),
            // A real clock would give other results each time; one that stands still is as good as a fast computer.
            RegisterFile::CycleCounter => return Ok(Vector::splat(self.b.i32(0))),
            RegisterFile::Input
            | RegisterFile::InputPrimitiveId
            | RegisterFile::GsInstanceId
            | RegisterFile::OutputControlPointId
            | RegisterFile::ForkInstanceId
            | RegisterFile::JoinInstanceId
            | RegisterFile::InputControlPoint
            | RegisterFile::OutputControlPoint
            | RegisterFile::PatchConstant
            | RegisterFile::DomainPoint
            | RegisterFile::InputCoverage
            | RegisterFile::InnerCoverage => return self.input(operand, components),
            RegisterFile::Output
            | RegisterFile::Sampler
            | RegisterFile::Resource
            | RegisterFile::Label
            | RegisterFile::OutputDepth
            | RegisterFile::Null
            | RegisterFile::Rasterizer
            | RegisterFile::OutputCoverageMask
            | RegisterFile::Stream
            | RegisterFile::FunctionBody
            | RegisterFile::FunctionTable
            | RegisterFile::Interface
            | RegisterFile::FunctionInput
            | RegisterFile::FunctionOutput
            | RegisterFile::Uav
            | RegisterFile::SharedMemory
            | RegisterFile::OutputDepthGreaterEqual
            | RegisterFile::OutputDepthLessEqual
            | RegisterFile::OutputStencilRef => return Err(self.bad_operand(operand.file.text())),
        }
        Ok(result)
    }

    fn inputs(&mut self, components: u8, input: impl Fn(u8) -> Input) -> Vector {
        let mut result = Vector::default();
        for component in lanes(components) {
            // There is no fourth dimension; such a component is never declared.
            let value = if component < 3 { self.b.input(input(component as u8)) } else { self.b.i32(0) };
            result.set(component, value);
        }
        result
    }

    /// Loads the words of a vector that span the wanted components, in one load.
    pub(super) fn load_vector(&mut self, object: Object, index: Value, components: u8) -> Vector {
        words::load(&mut self.b, object, index, Start::Known(0), components)
    }

    /// The object and vector index of an operand in an array of vectors.
    fn vector_address(&mut self, operand: &Operand) -> Result<(Object, Value)> {
        let object = match operand.file {
            RegisterFile::ConstantBuffer => Object::Resource(self.resource(operand)?),
            RegisterFile::ImmediateConstantBuffer => Object::Immediate,
            _ => {
                let register = self.number(operand, 0)?;
                match self.names.local(register) {
                    Some(local) => Object::Local(local),
                    None => return Err(self.bad_operand(format!("x{register}"))),
                }
            }
        };
        // The vector is the last index in every model.
        let Some(index) = operand.indices.last() else { return Err(self.bad_operand(operand.file.text())) };
        Ok((object, self.index(index)?))
    }

    /// The value of an index. Indices are 32 bits wide; sums wrap.
    pub(super) fn index(&mut self, index: &Index) -> Result<Value> {
        self.sum(index.relative.as_deref(), index.immediate as u32)
    }

    fn sum(&mut self, relative: Option<&Operand>, immediate: u32) -> Result<Value> {
        let Some(relative) = relative else { return Ok(self.b.i32(immediate)) };
        let relative = self.read_one(relative, SourceType::Int)?;
        if immediate == 0 {
            return Ok(relative);
        }
        let immediate = self.b.i32(immediate);
        Ok(self.b.op(Op::IAdd, &[relative, immediate]))
    }

    /// Index `n` of an operand that must be a number.
    pub(super) fn number(&self, operand: &Operand, n: usize) -> Result<u32> {
        operand.index_u32(n).ok_or_else(|| self.bad_operand(operand.file.text()))
    }

    pub(super) fn slot(&self, register: u32, component: usize) -> Result<Slot> {
        match register < self.program.declarations().temps {
            true => Ok(Slot::new(register as usize * 4 + component)),
            false => Err(self.bad_operand(format!("r{register}"))),
        }
    }

    /// The resource that an operand of `cb#`, `t#`, `u#` or `s#` names.
    pub(super) fn resource(&mut self, operand: &Operand) -> Result<ResourceRef> {
        let class = match operand.file {
            RegisterFile::ConstantBuffer => ResourceClass::Constant,
            RegisterFile::Resource => ResourceClass::ShaderResource,
            RegisterFile::Uav => ResourceClass::UnorderedAccess,
            RegisterFile::Sampler => ResourceClass::Sampler,
            _ => return Err(self.bad_operand(operand.file.text())),
        };
        let number = self.number(operand, 0)?;
        let Some(id) = self.names.resource(class, number) else {
            return Err(self.bad_operand(format!("{}{number}", operand.file.text())));
        };
        if self.program.model() < Model::Sm5_1 {
            return Ok(ResourceRef { id, element: Element::Fixed(0) });
        }
        let Some(register) = operand.indices.get(1) else { return Err(self.bad_operand(operand.file.text())) };
        let declared = self.b.func.interface.resource(id);
        let (lower, count) = (declared.lower, declared.count);
        let fixed = register.as_u32().and_then(|register| register.checked_sub(lower));
        if let Some(element) = fixed.filter(|&element| count.is_none_or(|count| element < count)) {
            return Ok(ResourceRef { id, element: Element::Fixed(element) });
        }
        // A computed number, or one out of range: an unbound register, detected when it is used.
        let from_first = (register.immediate as u32).wrapping_sub(lower);
        let element = self.sum(register.relative.as_deref(), from_first)?;
        Ok(ResourceRef { id, element: Element::Computed(element) })
    }

    /// Writes words to the destination's components.
    pub(super) fn write(&mut self, destination: &Operand, words: &Vector) -> Result {
        self.write_all(&[(destination, words)])
    }

    /// Writes several destinations, the later ones last. All addresses are computed before anything is written.
    pub(super) fn write_all(&mut self, results: &[(&Operand, &Vector)]) -> Result {
        let targets: Vec<Destination> =
            results.iter().map(|(destination, _)| self.target(destination)).collect::<Result<_>>()?;
        for ((destination, words), target) in results.iter().zip(targets) {
            let mask = destination.mask();
            match target {
                Destination::Null => {}
                Destination::Slots(first) => {
                    for lane in lanes(mask) {
                        self.registers.set(&mut self.b, Slot::new(first + lane), words.at(lane));
                    }
                }
                Destination::Local { object, index } => {
                    words::store(&mut self.b, object, index, Start::Known(0), mask, words)
                }
                Destination::Output(start) => self.store_output(start, mask, words),
            }
        }
        Ok(())
    }

    fn target(&mut self, destination: &Operand) -> Result<Destination> {
        match destination.file {
            RegisterFile::Null => Ok(Destination::Null),
            RegisterFile::Temp => {
                let register = self.number(destination, 0)?;
                Ok(Destination::Slots(self.slot(register, 0)?.index()))
            }
            RegisterFile::Output
            | RegisterFile::OutputDepth
            | RegisterFile::OutputDepthGreaterEqual
            | RegisterFile::OutputDepthLessEqual
            | RegisterFile::OutputCoverageMask
            | RegisterFile::OutputStencilRef => self.output(destination),
            RegisterFile::IndexableTemp => {
                let (object, index) = self.vector_address(destination)?;
                Ok(Destination::Local { object, index })
            }
            _ => Err(self.bad_operand(destination.file.text())),
        }
    }
}
