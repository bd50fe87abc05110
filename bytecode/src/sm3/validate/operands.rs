//! Checks the operands of every instruction: registers and their access, modifiers and addresses.

use super::{Declarations, Mask, Rule, ValidateError, instructions};
use crate::faults::Faults;
use crate::sm3::operand::Modifier;
use crate::sm3::ops::{Class, Slot};
use crate::sm3::register::RegisterAccess;
use crate::sm3::{
    Destination, Instruction, Op, Operand, Program, Register, RegisterFile, Relative, Source, Swizzle, Version,
};
use crate::sm5::Stage;

/// Checks the operands of all instructions.
pub fn check(program: &Program, declarations: &Declarations, faults: &mut Faults<ValidateError>) {
    // Loops that are open in the main program. A subroutine may be called from within one.
    let mut loops = 0_u32;
    let mut is_main = true;
    for (at, instruction) in instructions(program) {
        if faults.is_cut() {
            return;
        }
        match instruction.op {
            Op::Loop => loops += 1,
            Op::EndLoop => loops = loops.saturating_sub(1),
            Op::Label => is_main = false,
            _ => {}
        }
        let has_loop_counter = loops > 0 || !is_main;
        let checker = Checker { op: instruction.op, version: program.version, declarations, has_loop_counter };
        checker.instruction(at, instruction, faults);
    }
}

struct Checker<'a> {
    op: Op,
    version: Version,
    declarations: &'a Declarations,
    has_loop_counter: bool,
}

impl Checker<'_> {
    fn instruction(&self, at: u32, instruction: &Instruction, faults: &mut Faults<ValidateError>) {
        if let Some(predicate) = &instruction.predicate {
            faults.note(self.predicate(predicate).map_err(|rule| rule.broken(at, self.op)));
        }
        for (slot, operand) in instruction.slots() {
            let checked = self.exists(operand.register()).and_then(|()| match operand {
                Operand::Destination(destination) => self.destination(slot, destination),
                Operand::Source(source) => self.source(slot, source),
            });
            faults.note(checked.map_err(|rule| rule.broken(at, self.op)));
        }
        faults.note(self.depth(instruction).map_err(|rule| rule.broken(at, self.op)));
    }

    /// A depth is a scalar, and the source selects its component.
    fn depth(&self, instruction: &Instruction) -> Result<(), Rule> {
        match &instruction.operands[..] {
            [Operand::Destination(destination), Operand::Source(source)]
                if self.op == Op::Mov && destination.register.file == RegisterFile::DepthOut =>
            {
                self.one_component(source)
            }
            _ => Ok(()),
        }
    }

    fn exists(&self, register: Register) -> Result<(), Rule> {
        let version = self.version;
        if register.exists_in(version) {
            return Ok(());
        }
        Err(Rule::NoRegister { register, version, count: register.file.count(version) })
    }

    fn predicate(&self, predicate: &Source) -> Result<(), Rule> {
        let op = self.op;
        if op.info().class == Class::Flow || matches!(op, Op::SetP | Op::Nop) {
            return Err(Rule::NotPredicable);
        }
        self.exists(predicate.register)?;
        let is_right = predicate.register.file == RegisterFile::Predicate
            && predicate.relative.is_none()
            && matches!(predicate.modifier, Modifier::None | Modifier::Not)
            && (predicate.swizzle == Swizzle::IDENTITY || predicate.swizzle.repeated().is_some());
        if is_right { Ok(()) } else { Err(Rule::PredicateOperand) }
    }

    fn destination(&self, slot: Slot, destination: &Destination) -> Result<(), Rule> {
        let (op, version) = (self.op, self.version);
        let register = destination.register;
        let is_right = match slot {
            Slot::WriteAddress => register.file == RegisterFile::Address,
            Slot::WritePredicate => register.file == RegisterFile::Predicate,
            Slot::Test => {
                matches!(register.file, RegisterFile::Temp | RegisterFile::Texture | RegisterFile::Input)
            }
            _ => self.is_writable(destination),
        };
        if !is_right && slot == Slot::Test {
            return Err(Rule::NotReadable { register, version });
        }
        if !is_right {
            return Err(Rule::NotWritable { register, version });
        }
        if destination.mask == 0 {
            return Err(Rule::NothingWritten { register });
        }
        let (is_right, expected) = match register.file {
            RegisterFile::ColorOut if version.major() == 2 => (destination.mask == 0xf, ".xyzw"),
            _ => masks(op, version, destination.mask),
        };
        if !is_right {
            return Err(Rule::ResultMask { register, mask: Mask(destination.mask), expected });
        }
        self.result_modifiers(destination)?;
        self.address(register, destination.relative)?;
        match slot {
            Slot::Test => self.declared(register, destination.relative, Mask(destination.mask)),
            _ if register.file == RegisterFile::Output && destination.relative.is_none() => {
                let missing = destination.mask & !self.declarations.mask(register);
                if missing == 0 {
                    return Ok(());
                }
                Err(Rule::Undeclared { register, mask: Mask(missing) })
            }
            _ => Ok(()),
        }
    }

    fn is_writable(&self, destination: &Destination) -> bool {
        match destination.register.file {
            // The address register of vs_1_0 and vs_1_1 is written by mov, and has one component.
            RegisterFile::Address => self.version <= Version::Vs1_1 && self.op == Op::Mov && destination.mask == 1,
            RegisterFile::Texture => matches!(self.version, Version::Ps1_1 | Version::Ps1_2 | Version::Ps1_3),
            file => matches!(file.info().access, RegisterAccess::Write | RegisterAccess::ReadWrite),
        }
    }

    fn result_modifiers(&self, destination: &Destination) -> Result<(), Rule> {
        let (op, version) = (self.op, self.version);
        let is_pixel = version.stage() == Stage::Pixel;
        let is_plain = matches!(op, Op::SetP | Op::MovA | Op::TexKill);
        let checks = [
            (destination.saturate, is_pixel || version.major() >= 3, "_sat"),
            (destination.partial_precision, is_pixel && version.major() >= 2, "_pp"),
            (destination.centroid, false, "_centroid"),
        ];
        for (is_set, exists, modifier) in checks {
            if is_set && (is_plain || !exists) {
                return Err(Rule::ResultModifier { modifier, version });
            }
        }
        let shift = destination.shift;
        let has_shift = match version {
            Version::Ps1_1 | Version::Ps1_2 | Version::Ps1_3 => matches!(shift, -1..=2),
            Version::Ps1_4 => true,
            _ => shift == 0,
        };
        if has_shift { Ok(()) } else { Err(Rule::ResultShift { shift, version }) }
    }

    fn source(&self, slot: Slot, source: &Source) -> Result<(), Rule> {
        let register = source.register;
        let expected = match slot {
            Slot::Sampler => Some((RegisterFile::Sampler, "a sampler s#")),
            Slot::Label => Some((RegisterFile::Label, "a label l#")),
            Slot::Loop => Some((RegisterFile::Loop, "the loop counter aL")),
            Slot::Integer => Some((RegisterFile::ConstInt, "an integer constant i#")),
            Slot::Predicate => Some((RegisterFile::Predicate, "the predicate register p0")),
            Slot::Condition if register.file == RegisterFile::Predicate => None,
            Slot::Condition => Some((RegisterFile::ConstBool, "a boolean constant b# or the predicate register p0")),
            _ => None,
        };
        if let Some((file, expected)) = expected
            && register.file != file
        {
            return Err(Rule::WrongFile { register, expected });
        }
        match slot {
            Slot::Sampler => self.declared(register, source.relative, Mask(0xf))?,
            Slot::Read | Slot::ReadScalar | Slot::Matrix(_) => self.value(slot, source)?,
            Slot::Condition | Slot::Predicate if register.file == RegisterFile::Predicate => {
                self.one_component(source)?;
            }
            _ => {}
        }
        self.source_modifier(slot, source)?;
        self.address(register, source.relative)
    }

    /// Checks a register that arithmetic reads, or that texture instructions read for coordinates.
    fn value(&self, slot: Slot, source: &Source) -> Result<(), Rule> {
        let (op, version) = (self.op, self.version);
        let register = source.register;
        let is_readable = match register.file {
            // ps_1_4 reads texture coordinates in texture instructions only.
            RegisterFile::Texture => version != Version::Ps1_4 || op.info().class == Class::Texture,
            RegisterFile::Misc if register == Register::FACE => {
                matches!(op, Op::Cmp | Op::IfC | Op::BreakC | Op::SetP)
            }
            file => matches!(file.info().access, RegisterAccess::Read | RegisterAccess::ReadWrite),
        };
        if !is_readable {
            return Err(Rule::NotReadable { register, version });
        }
        // The instruction reads one component of one register.
        if (op, slot) == (Op::Cnd, Slot::ReadScalar)
            && (register.file, register.number, source.swizzle) != (RegisterFile::Temp, 0, Swizzle::repeat(3))
        {
            return Err(Rule::CndCondition { version });
        }
        // Constants beyond those of the device read as zero.
        if let Slot::Matrix(rows) = slot
            && register.file != RegisterFile::Const
        {
            let last = Register { number: register.number.saturating_add(u16::from(rows) - 1), ..register };
            self.exists(last)?;
        }
        // vFace is a scalar and has no swizzle; shader model 1 reads x if there is none.
        if slot == Slot::ReadScalar && version.has_lengths() && register != Register::FACE {
            self.one_component(source)?;
        }
        let read = source.swizzle.components().iter().fold(0, |mask, component| mask | 1 << component);
        self.declared(register, source.relative, Mask(read))
    }

    fn one_component(&self, source: &Source) -> Result<(), Rule> {
        match source.swizzle.repeated() {
            Some(_) => Ok(()),
            None => Err(Rule::NotScalar { register: source.register }),
        }
    }

    /// Checks that an input or sampler is declared; an addressed register can be any.
    fn declared(&self, register: Register, relative: Option<Relative>, mask: Mask) -> Result<(), Rule> {
        let version = self.version;
        let must_be_declared = match register.file {
            RegisterFile::Input | RegisterFile::Texture => version.stage() == Stage::Vertex || version.has_lengths(),
            RegisterFile::Misc | RegisterFile::Sampler => true,
            _ => false,
        };
        if must_be_declared && relative.is_none() && self.declarations.mask(register) == 0 {
            return Err(Rule::Undeclared { register, mask });
        }
        Ok(())
    }

    fn source_modifier(&self, slot: Slot, source: &Source) -> Result<(), Rule> {
        let (op, version, register) = (self.op, self.version, source.register);
        let is_ps_1 = version.stage() == Stage::Pixel && version.major() == 1;
        let is_value = matches!(slot, Slot::Read | Slot::ReadScalar | Slot::Matrix(_));
        let exists = match source.modifier {
            Modifier::None => true,
            Modifier::Not => matches!(slot, Slot::Condition | Slot::Predicate),
            Modifier::Negate => is_value,
            Modifier::Absolute | Modifier::NegateAbsolute => is_value && version.major() >= 3,
            Modifier::Bias | Modifier::NegateBias | Modifier::Sign | Modifier::NegateSign | Modifier::Complement => {
                is_value && is_ps_1
            }
            Modifier::Twice | Modifier::NegateTwice => is_value && version == Version::Ps1_4,
            Modifier::DivideZ | Modifier::DivideW => {
                version == Version::Ps1_4 && matches!(op, Op::TexLdStage | Op::TexCrd)
            }
        };
        if exists {
            return Ok(());
        }
        Err(Rule::SourceModifier { register, modifier: source.modifier, version })
    }

    fn address(&self, register: Register, relative: Option<Relative>) -> Result<(), Rule> {
        let Some(relative) = relative else { return Ok(()) };
        let (version, index) = (self.version, relative.register);
        self.exists(index)?;
        let expected = match (version.stage(), register.file) {
            (Stage::Vertex, RegisterFile::Const) if version.major() == 1 => "a0.x",
            (Stage::Vertex, RegisterFile::Const) => "a component of a0 or aL",
            (Stage::Vertex, RegisterFile::Input | RegisterFile::Output) if version.major() >= 3 => "aL",
            (Stage::Pixel, RegisterFile::Input) if version.major() >= 3 => "aL",
            _ => return Err(Rule::NotAddressable { register, version }),
        };
        if index.file == RegisterFile::Loop && !self.has_loop_counter {
            return Err(Rule::LoopCounter);
        }
        let is_right = match index.file {
            RegisterFile::Loop => true,
            RegisterFile::Address => register.file == RegisterFile::Const && relative.swizzle.repeated().is_some(),
            _ => false,
        };
        if is_right { Ok(()) } else { Err(Rule::AddressRegister { register, index, expected }) }
    }
}

/// `true` if an instruction may write these components; and the components that it may write.
fn masks(op: Op, version: Version, mask: u8) -> (bool, &'static str) {
    match op {
        Op::M4x4 | Op::M3x4 => (mask == 0xf, ".xyzw"),
        Op::M4x3 | Op::M3x3 => (mask == 7, ".xyz"),
        Op::M3x2 => (mask == 3, ".xy"),
        Op::Nrm => (matches!(mask, 7 | 0xf), ".xyz or .xyzw"),
        Op::Crs => (mask & 8 == 0, "of .xyz"),
        Op::SinCos | Op::SinCosTaylor => (mask & 12 == 0, ".x, .y or .xy"),
        Op::TexLd | Op::TexLdP | Op::TexLdB | Op::TexLdD | Op::TexKill if version.major() == 2 => {
            (mask == 0xf, ".xyzw")
        }
        _ => (true, "any"),
    }
}
