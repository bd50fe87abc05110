//! Checks that registers are written before they are read, and outputs before the end, in the versions without flow
//! control: vs_1_x, ps_1_x and ps_2_0.
//!
//! Direct3D's assembler checks just these versions; in the others, unwritten registers read as 0. Unlike it, this
//! accepts reading the alpha of a register that was written before `phase`, which keeps its value.

use super::{Declarations, Mask, Rule, ValidateError, instructions};
use crate::faults::Faults;
use crate::sm3::ops::{Class, Slot};
use crate::sm3::{Instruction, Op, Operand, Program, Register, RegisterFile, Source, TextureType, Version};
use crate::sm5::Stage;
use std::collections::BTreeMap;

const X: u8 = 1;
const Y: u8 = 2;
const Z: u8 = 4;
const W: u8 = 8;
const XYZ: u8 = X | Y | Z;
const ALL: u8 = 0xf;

/// Checks that registers are written before they are read, and outputs at all.
pub fn check(program: &Program, declarations: &Declarations, faults: &mut Faults<ValidateError>) {
    let version = program.version;
    if version.stage() == Stage::Vertex && version.major() > 1 || version > Version::Ps2_0 {
        return;
    }
    let mut written = Written::default();
    // Registers written before the first instruction of a co-issued pair.
    let mut before = Written::default();
    let mut last = (0, Op::Nop);
    for (at, instruction) in instructions(program) {
        if faults.is_cut() {
            return;
        }
        let seen = if instruction.coissue { &before } else { &written };
        for (register, mask) in reads(version, declarations, instruction) {
            let missing = mask & !seen.mask(register);
            if missing != 0 {
                faults.push(Rule::ReadUnwritten { register, mask: Mask(missing) }.broken(at, instruction.op));
            }
        }
        before = written.clone();
        written.add(instruction);
        last = (at, instruction.op);
    }
    let file = match version.stage() {
        Stage::Vertex => RegisterFile::Rasterizer,
        _ if version.major() == 1 => RegisterFile::Temp,
        _ => RegisterFile::ColorOut,
    };
    let output = Register { file, number: 0 };
    let missing = ALL & !written.mask(output);
    if missing != 0 {
        faults.push(Rule::NeverWritten { register: output, mask: Mask(missing), version }.broken(last.0, last.1));
    }
}

/// The components of registers that are written.
#[derive(Clone, Default)]
struct Written(BTreeMap<Register, u8>);

impl Written {
    fn mask(&self, register: Register) -> u8 {
        self.0.get(&register).copied().unwrap_or(0)
    }

    fn add(&mut self, instruction: &Instruction) {
        for (slot, operand) in instruction.slots() {
            if let (Slot::Write | Slot::WriteAddress, Operand::Destination(destination)) = (slot, operand) {
                *self.0.entry(destination.register).or_default() |= destination.mask;
            }
        }
    }
}

/// The registers that an instruction reads and that must have been written, with their components.
fn reads(version: Version, declarations: &Declarations, instruction: &Instruction) -> Vec<(Register, u8)> {
    let mut found = Vec::new();
    let op = instruction.op;
    let written = instruction.written().unwrap_or(ALL);
    for (position, (slot, operand)) in instruction.slots().enumerate() {
        let register = operand.register();
        if let Some(relative) = operand.relative() {
            found.push((relative.register, X));
        }
        match (slot, operand) {
            // It reads its destination.
            (Slot::Write, _) if op == Op::TexDepth => found.push((register, X | Y)),
            (Slot::Test, _) => found.push((register, XYZ)),
            (Slot::Read | Slot::ReadScalar, Operand::Source(source)) => {
                let kind = || {
                    let sampler = instruction.operands.get(2)?.register();
                    declarations.samplers.get(&sampler.number).copied()
                };
                let wanted = if slot == Slot::ReadScalar { X } else { wanted(op, position, written, kind) };
                found.push((register, components(source, wanted)));
            }
            (Slot::Matrix(rows), Operand::Source(_)) => {
                let columns = if matches!(op, Op::M4x4 | Op::M4x3) { ALL } else { XYZ };
                let row = |row| (Register { number: register.number.saturating_add(row), ..register }, columns);
                found.extend((0..u16::from(rows)).map(row));
            }
            _ => {}
        }
    }
    // Texture registers hold values only before ps_1_4; instructions that read coordinates name a stage by them.
    let is_held = |register: Register| match register.file {
        RegisterFile::Temp | RegisterFile::Address => true,
        RegisterFile::Texture => version < Version::Ps1_4 && op != Op::TexKill,
        _ => false,
    };
    found.retain(|(register, _)| is_held(*register));
    found
}

/// Components that an instruction needs of the source at a position, before its swizzle.
fn wanted(op: Op, position: usize, written: u8, kind: impl Fn() -> Option<TextureType>) -> u8 {
    match op {
        Op::Dp3 | Op::M3x4 | Op::M3x3 | Op::M3x2 | Op::Nrm | Op::Crs => XYZ,
        Op::Dp4 | Op::M4x4 | Op::M4x3 => ALL,
        Op::Dp2Add | Op::Bem => X | Y,
        Op::Lit if written & (Y | Z) == 0 => 0,
        Op::Lit => X | Y | W,
        Op::Dst if position == 1 => Y | Z,
        Op::Dst => Y | W,
        Op::TexLd | Op::TexLdP | Op::TexLdB => {
            let coordinates = if kind() == Some(TextureType::Texture2D) { X | Y } else { XYZ };
            if op == Op::TexLd { coordinates } else { coordinates | W }
        }
        Op::TexLdStage | Op::TexCrd | Op::TexBem | Op::TexBemL => XYZ,
        _ if op.info().class == Class::Texture => ALL,
        _ => written,
    }
}

/// The components of the register that a source reads for these.
fn components(source: &Source, wanted: u8) -> u8 {
    let read = source.swizzle.components().into_iter().enumerate().filter(|(n, _)| wanted >> n & 1 == 1);
    read.fold(0, |mask, (_, component)| mask | 1 << component)
}
