//! Reads and writes registers.
//!
//! A *lane* here is a component position of the destination: lane 0 is x. A source's swizzle says which component each
//! lane reads. Components are read once, however often the swizzle names them. A value read is a float or its bits,
//! whichever is at hand.

use std::collections::BTreeMap;

use brolga_bytecode::sm3::{Destination, Modifier, Operand, Register, RegisterFile, Relative, Source};
use brolga_bytecode::sm5::Stage;

use super::super::vector::{Vector, lanes};
use super::stage::StageLayout;
use super::survey::{Survey, has_texture_registers};
use super::{Result, TranslateError, Translator};
use crate::Type;
use crate::entity::{Slot, Value};
use crate::function::{Function, RegisterName};
use crate::ops::Op;
use crate::passes::undone;
use crate::types::Const;

/// The slots of registers, four for each.
pub(super) struct Slots {
    first: BTreeMap<Register, usize>,
    /// The flag of a discarded pixel.
    pub discarded: Option<Slot>,
}

impl Slots {
    pub(super) fn new(func: &mut Function, survey: &Survey, layout: &StageLayout) -> Self {
        let mut first = BTreeMap::new();
        let is_held = |register: &Register| !matches!(register.file, RegisterFile::Loop);
        for register in survey.registers.iter().copied().filter(is_held).chain(layout.output_registers()) {
            first.entry(register).or_insert_with(|| {
                let ty = if register.file == RegisterFile::Predicate { Type::Bool } else { Type::I32 };
                func.add_register(RegisterName::Sm3(register), ty).index()
            });
        }
        let discarded = layout.discarded.map(|_| func.add_slot(Type::Bool));
        Self { first, discarded }
    }

    /// A component of a register.
    pub(super) fn of(&self, register: Register, component: usize) -> Slot {
        Slot::new(self.first.get(&register).expect("the survey saw every register") + component)
    }
}

/// The components that a source's swizzle names for these lanes.
pub(super) fn components_read(source: &Source, mask: u8) -> u8 {
    lanes(mask).fold(0, |components, lane| components | 1 << source.swizzle.component(lane as u32))
}

/// Rearranges values from component order to lane order.
fn swizzled(source: &Source, mask: u8, components: &Vector) -> Vector {
    let mut result = Vector::default();
    for lane in lanes(mask) {
        result.set(lane, components.at(source.swizzle.component(lane as u32).into()));
    }
    result
}

impl Translator<'_, '_> {
    pub(super) fn is_ps_1(&self) -> bool {
        self.version.stage() == Stage::Pixel && self.version.major() == 1
    }

    /// The source in an operand.
    pub(super) fn source<'o>(&self, operand: &'o Operand) -> Result<&'o Source> {
        match operand {
            Operand::Source(source) => Ok(source),
            Operand::Destination(destination) => Err(self.bad_operand(destination.register)),
        }
    }

    /// The destination in an operand.
    pub(super) fn destination<'o>(&self, operand: &'o Operand) -> Result<&'o Destination> {
        match operand {
            Operand::Destination(destination) => Ok(destination),
            Operand::Source(source) => Err(self.bad_operand(source.register)),
        }
    }

    /// A source's bits or floats for the lanes of a mask, modifiers ignored.
    pub(super) fn unmodified(&mut self, source: &Source, mask: u8) -> Result<Vector> {
        let components = self.components(source, components_read(source, mask))?;
        Ok(swizzled(source, mask, &components))
    }

    /// A source's floats for the lanes of a mask, modifiers applied.
    pub(super) fn read(&mut self, source: &Source, mask: u8) -> Result<Vector> {
        let components = self.read_components(source, components_read(source, mask))?;
        Ok(swizzled(source, mask, &components))
    }

    /// The float of a scalar source.
    pub(super) fn read_one(&mut self, operand: &Operand) -> Result<Value> {
        let source = self.source(operand)?;
        Ok(self.read(source, 1)?.at(0))
    }

    /// Floats in component order, modifiers applied.
    fn read_components(&mut self, source: &Source, wanted: u8) -> Result<Vector> {
        let divisor = match source.modifier {
            Modifier::DivideZ => Some(2),
            Modifier::DivideW => Some(3),
            _ => None,
        };
        let all = wanted | divisor.map_or(0, |component| 1 << component);
        let mut values = self.components(source, all)?;
        for component in lanes(all) {
            let value = self.float(values.at(component));
            values.set(component, value);
        }
        if let Some(divisor) = divisor.filter(|_| wanted & 0b11 != 0) {
            let divisor = values.at(divisor);
            for component in lanes(wanted & 0b11) {
                let quotient = self.divided(values.at(component), divisor);
                values.set(component, quotient);
            }
            return Ok(values);
        }
        for component in lanes(wanted) {
            let value = self.modified(source.modifier, values.at(component));
            values.set(component, value);
        }
        Ok(values)
    }

    /// `_dz` and `_dw`: 1 where the divisor is 0.
    pub(super) fn divided(&mut self, value: Value, divisor: Value) -> Value {
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        let is_zero = self.b.op(Op::FEq, &[divisor, zero]);
        let quotient = self.b.op(Op::FDiv, &[value, divisor]);
        self.b.select(is_zero, one, quotient)
    }

    fn modified(&mut self, modifier: Modifier, value: Value) -> Value {
        let (half, two) = (0.5, 2.0);
        match modifier {
            Modifier::None | Modifier::Not | Modifier::DivideZ | Modifier::DivideW => value,
            Modifier::Negate => self.fold(Op::FNeg, &[value]),
            Modifier::Bias => self.with_number(Op::FSub, value, half),
            Modifier::Sign => {
                let biased = self.with_number(Op::FSub, value, half);
                self.with_number(Op::FMul, biased, two)
            }
            Modifier::Complement => {
                let one = self.b.f32(1.0);
                self.fold(Op::FSub, &[one, value])
            }
            Modifier::Twice => self.with_number(Op::FMul, value, two),
            Modifier::Absolute => self.fold(Op::FAbs, &[value]),
            Modifier::NegateBias => self.negated(Modifier::Bias, value),
            Modifier::NegateSign => self.negated(Modifier::Sign, value),
            Modifier::NegateTwice => self.negated(Modifier::Twice, value),
            Modifier::NegateAbsolute => self.negated(Modifier::Absolute, value),
        }
    }

    fn negated(&mut self, modifier: Modifier, value: Value) -> Value {
        let value = self.modified(modifier, value);
        self.fold(Op::FNeg, &[value])
    }

    fn with_number(&mut self, op: Op, value: Value, number: f32) -> Value {
        let number = self.b.f32(number);
        self.fold(op, &[value, number])
    }

    /// An operation, folded if its operands are constants, so that known factors stay known.
    pub(super) fn fold(&mut self, op: Op, args: &[Value]) -> Value {
        let known: Option<Vec<u64>> = args.iter().map(|&arg| Some(self.b.func.as_const(arg)?.bits)).collect();
        match known {
            Some(known) => self.b.constant(Const { ty: op.result(), bits: op.eval(&known) }),
            None => self.b.op(op, args),
        }
    }

    /// The float of a value that was read.
    pub(super) fn float(&mut self, value: Value) -> Value {
        match self.b.func.ty(value) {
            Type::I32 => self.convert(Op::AsF32, value),
            _ => value,
        }
    }

    /// The bits of a value that was read or computed.
    pub(super) fn word(&mut self, value: Value) -> Value {
        match self.b.func.ty(value) {
            Type::F32 => self.convert(Op::BitsF32, value),
            _ => value,
        }
    }

    /// Converts a value, or returns the original if it was made by the opposite conversion.
    fn convert(&mut self, op: Op, value: Value) -> Value {
        undone(self.b.func, op, &[value]).unwrap_or_else(|| self.fold(op, &[value]))
    }

    /// Components of a register, in component order.
    fn components(&mut self, source: &Source, components: u8) -> Result<Vector> {
        let register = source.register;
        match register.file {
            RegisterFile::Texture if has_texture_registers(self.version) => Ok(self.held(register, components)),
            RegisterFile::Temp => Ok(self.held(register, components)),
            RegisterFile::Input | RegisterFile::Texture | RegisterFile::Misc => self.input(source, components),
            RegisterFile::Const => self.constant(source, components),
            RegisterFile::Address
            | RegisterFile::Rasterizer
            | RegisterFile::Color
            | RegisterFile::TexCoord
            | RegisterFile::Output
            | RegisterFile::ConstInt
            | RegisterFile::ColorOut
            | RegisterFile::DepthOut
            | RegisterFile::Sampler
            | RegisterFile::ConstBool
            | RegisterFile::Loop
            | RegisterFile::Label
            | RegisterFile::Predicate => Err(self.bad_operand(register)),
        }
    }

    /// Components of a register that lives in slots.
    pub(super) fn held(&mut self, register: Register, components: u8) -> Vector {
        let mut result = Vector::default();
        for component in lanes(components) {
            let slot = self.slots.of(register, component);
            result.set(component, self.registers.get(&mut self.b, slot));
        }
        result
    }

    /// The register number that a relative operand selects.
    pub(super) fn number(&mut self, register: Register, relative: Relative) -> Result<Value> {
        let address = match relative.register.file {
            RegisterFile::Loop => match self.flow.counter() {
                Some(counter) => counter,
                // A subroutine that is called from outside of any loop.
                None => self.b.i32(0),
            },
            RegisterFile::Address => {
                let component = usize::from(relative.swizzle.component(0));
                self.held(relative.register, 1 << component).at(component)
            }
            _ => return Err(self.bad_operand(relative.register)),
        };
        if register.number == 0 {
            return Ok(address);
        }
        let number = self.b.i32(register.number.into());
        Ok(self.b.op(Op::IAdd, &[address, number]))
    }

    /// Writes floats or bits to a destination, by lane: shifted, clamped, where the predicate holds.
    pub(super) fn write(&mut self, destination: &Destination, values: &Vector) -> Result {
        let number = match destination.relative {
            Some(relative) => Some(self.number(destination.register, relative)?),
            None => None,
        };
        for lane in lanes(destination.mask) {
            let word = self.result(destination, values.at(lane));
            match number {
                None => self.assign(destination.register, lane, word)?,
                Some(number) => self.assign_at(destination.register.file, number, lane, word)?,
            }
        }
        Ok(())
    }

    /// The bits of a result for a register.
    fn result(&mut self, destination: &Destination, mut value: Value) -> Value {
        if destination.shift != 0 {
            value = self.float(value);
            let factor = 2f32.powi(destination.shift.into());
            value = self.with_number(Op::FMul, value, factor);
        }
        if destination.saturate {
            value = self.float(value);
            value = self.fold(Op::FSat, &[value]);
        }
        self.word(value)
    }

    /// Writes a component of a register, where the predicate holds.
    pub(super) fn assign(&mut self, register: Register, lane: usize, value: Value) -> Result {
        let slot = self.slots.of(register, lane);
        let value = match self.predicate(lane)? {
            Some(holds) => {
                let before = self.registers.get(&mut self.b, slot);
                self.b.select(holds, value, before)
            }
            None => value,
        };
        match &mut self.paired {
            Some(writes) => writes.push((slot, value)),
            None => self.registers.set(&mut self.b, slot, value),
        }
        Ok(())
    }

    /// Writes a component of the output with a computed number. Undeclared ones are not written.
    fn assign_at(&mut self, file: RegisterFile, number: Value, lane: usize, word: Value) -> Result {
        let outputs = self.layout.outputs.iter();
        let outputs = outputs.filter(|output| output.register.file == file && output.mask >> lane & 1 != 0);
        let registers: Vec<Register> = outputs.map(|output| output.register).collect();
        for register in registers {
            let this = self.b.i32(register.number.into());
            let is_meant = self.b.op(Op::IEq, &[number, this]);
            let slot = self.slots.of(register, lane);
            let before = self.registers.get(&mut self.b, slot);
            let word = self.b.select(is_meant, word, before);
            self.assign(register, lane, word)?;
        }
        Ok(())
    }

    /// The current instruction's predicate for a lane, if it has one.
    pub(super) fn predicate(&mut self, lane: usize) -> Result<Option<Value>> {
        match self.predicate {
            Some(predicate) => Ok(Some(self.predicate_component(&predicate, lane)?)),
            None => Ok(None),
        }
    }

    /// A lane of an operand that is `p0` or `!p0`.
    pub(super) fn predicate_component(&mut self, source: &Source, lane: usize) -> Result<Value> {
        if source.register.file != RegisterFile::Predicate {
            return Err(self.bad_operand(source.register));
        }
        let component = usize::from(source.swizzle.component(lane as u32));
        let value = self.held(source.register, 1 << component).at(component);
        Ok(self.negated_condition(source, value))
    }

    /// A condition, inverted if the source says so.
    pub(super) fn negated_condition(&mut self, source: &Source, value: Value) -> Value {
        if source.modifier == Modifier::Not { self.b.op(Op::BNot, &[value]) } else { value }
    }

    /// The error for an operand count that differs from the table row's.
    pub(super) fn wrong_count(&self) -> TranslateError {
        self.bad_operand("count")
    }
}
