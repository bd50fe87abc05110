//! Collects the registers that a program uses.
//!
//! Constants beyond the last one that is read need no memory, outputs that are never written need no row, and shader
//! model 1 declares neither inputs nor samplers.

use std::collections::{BTreeMap, BTreeSet};

use brolga_bytecode::sm3::ops::Slot;
use brolga_bytecode::sm3::{
    Declaration, Instruction, ItemKind, Op, Operand, Register, RegisterFile, TextureType, ValidProgram, Version,
};
use brolga_bytecode::sm5::Stage;

use super::TranslateOptions;

/// The registers and effects of a program.
#[derive(Default)]
pub(super) struct Survey {
    /// Registers that instructions write, and temporary ones that they read.
    pub registers: BTreeSet<Register>,
    /// Inputs that pixel shaders 1.x read, which they do not declare.
    pub inputs: BTreeSet<Register>,
    /// Vectors of `c#` up to the last one that is read and not defined.
    pub floats: u32,
    /// Set if `c#` is indexed dynamically.
    pub addresses_floats: bool,
    /// `i#` up to the last one that is read and not defined.
    pub integers: u32,
    /// `b#`, likewise.
    pub booleans: u32,
    /// Texture stages up to the last one whose bump mapping matrix is read.
    pub bumps: u32,
    /// The types of the textures that are sampled.
    pub textures: BTreeMap<u16, TextureType>,
    /// Set if pixels may be discarded.
    pub discards: bool,
    /// Set if the shader outputs the pixel's depth.
    pub writes_depth: bool,
}

/// Number of a device's float constants, if no instruction names one beyond them.
fn float_constants(version: Version) -> u32 {
    match version {
        Version::Vs2Sw | Version::Vs3Sw => 8192,
        _ => 256,
    }
}

/// The input with the texture coordinates of a stage.
pub(super) fn coordinates(stage: u16) -> Register {
    Register { file: RegisterFile::Texture, number: stage }
}

/// `true` if `t#` are coordinates and, once written, the sampled texel.
pub(super) fn has_texture_registers(version: Version) -> bool {
    matches!(version, Version::Ps1_1 | Version::Ps1_2 | Version::Ps1_3)
}

impl Survey {
    pub(super) fn new(program: &ValidProgram, options: &TranslateOptions) -> Self {
        let (version, declarations) = (program.program().version, program.declarations());
        let mut survey = Self::default();
        let mut surveyor = Surveyor { program, version, options, survey: &mut survey };
        for item in &program.program().items {
            if let ItemKind::Instruction(instruction) = &item.kind {
                surveyor.instruction(instruction);
            }
        }
        for (&number, &texture) in &declarations.samplers {
            survey.textures.insert(number, texture);
        }
        let output = Register { file: RegisterFile::Temp, number: 0 };
        if version.stage() == Stage::Pixel && version.major() == 1 {
            survey.registers.insert(output);
        }
        survey.registers.extend(declarations.outputs.iter().map(|output: &Declaration| output.register.register));
        if survey.addresses_floats {
            survey.floats = survey.floats.max(float_constants(version));
        }
        survey
    }
}

struct Surveyor<'a> {
    program: &'a ValidProgram,
    version: Version,
    options: &'a TranslateOptions,
    survey: &'a mut Survey,
}

impl Surveyor<'_> {
    fn instruction(&mut self, instruction: &Instruction) {
        if let Some(predicate) = &instruction.predicate {
            self.survey.registers.insert(predicate.register);
        }
        for (slot, operand) in instruction.slots() {
            if let Some(relative) = operand.relative() {
                self.survey.registers.insert(relative.register);
            }
            self.operand(slot, operand);
        }
        match (instruction.op, instruction.operands.first()) {
            (Op::TexKill, _) => self.survey.discards = true,
            (Op::TexM3x2Depth | Op::TexDepth, _) => self.survey.writes_depth = true,
            (Op::Bem, Some(to)) => self.bump(to.register().number),
            _ => {}
        }
        if self.version.major() == 1
            && let Some(to) = instruction.operands.first()
        {
            self.stage(instruction.op, to.register().number);
        }
    }

    fn operand(&mut self, slot: Slot, operand: &Operand) {
        let register = operand.register();
        match register.file {
            RegisterFile::Const => {
                let rows = if let Slot::Matrix(rows) = slot { u16::from(rows) } else { 1 };
                self.survey.addresses_floats |= operand.relative().is_some();
                for number in register.number..register.number.saturating_add(rows) {
                    let is_defined = self.is_defined(Register { number, ..register });
                    self.survey.floats = self.survey.floats.max(after(number, is_defined));
                }
            }
            RegisterFile::ConstInt => {
                let is_defined = self.is_defined(register);
                self.survey.integers = self.survey.integers.max(after(register.number, is_defined));
            }
            RegisterFile::ConstBool => {
                let is_defined = self.is_defined(register);
                self.survey.booleans = self.survey.booleans.max(after(register.number, is_defined));
            }
            RegisterFile::Temp => {
                let rows = if let Slot::Matrix(rows) = slot { u16::from(rows) } else { 1 };
                for number in register.number..register.number.saturating_add(rows) {
                    self.survey.registers.insert(Register { number, ..register });
                }
            }
            RegisterFile::DepthOut => {
                self.survey.writes_depth = true;
                self.survey.registers.insert(register);
            }
            RegisterFile::Texture if has_texture_registers(self.version) => {
                if slot == Slot::Test {
                    self.survey.inputs.insert(register);
                } else {
                    self.survey.registers.insert(register);
                }
            }
            RegisterFile::Input | RegisterFile::Texture if self.version.stage() == Stage::Pixel => {
                self.survey.inputs.insert(register);
            }
            RegisterFile::Address
            | RegisterFile::Predicate
            | RegisterFile::Rasterizer
            | RegisterFile::Color
            | RegisterFile::TexCoord
            | RegisterFile::Output
            | RegisterFile::ColorOut => {
                self.survey.registers.insert(register);
            }
            RegisterFile::Input
            | RegisterFile::Texture
            | RegisterFile::Sampler
            | RegisterFile::Loop
            | RegisterFile::Misc
            | RegisterFile::Label => {}
        }
    }

    fn is_defined(&self, register: Register) -> bool {
        self.program.declarations().constants.contains_key(&register)
    }

    /// Records what an instruction of shader model 1 uses of its destination's texture stage.
    fn stage(&mut self, op: Op, stage: u16) {
        let (coordinates_of, samples) = match op {
            Op::TexCoord | Op::TexM3x2Pad | Op::TexM3x3Pad | Op::TexM3x3 | Op::TexM3x2Depth | Op::TexDp3 => {
                (true, false)
            }
            Op::Tex
            | Op::TexBem
            | Op::TexBemL
            | Op::TexM3x2Tex
            | Op::TexM3x3Tex
            | Op::TexM3x3Spec
            | Op::TexM3x3VSpec
            | Op::TexDp3Tex => (true, true),
            Op::TexReg2Ar | Op::TexReg2Gb | Op::TexReg2Rgb | Op::TexLdStage => (false, true),
            _ => (false, false),
        };
        if coordinates_of {
            self.survey.inputs.insert(coordinates(stage));
        }
        if samples {
            let texture = self.options.textures.get(usize::from(stage)).copied();
            self.survey.textures.insert(stage, texture.unwrap_or(TextureType::Texture2D));
        }
        if matches!(op, Op::TexBem | Op::TexBemL) {
            self.bump(stage);
        }
    }

    fn bump(&mut self, stage: u16) {
        self.survey.bumps = self.survey.bumps.max(u32::from(stage) + 1);
    }
}

/// Number of constants up to one that must be in memory.
fn after(number: u16, is_defined: bool) -> u32 {
    if is_defined { 0 } else { u32::from(number) + 1 }
}
