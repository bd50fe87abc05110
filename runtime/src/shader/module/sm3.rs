//! Reads shaders of models 1.1 to 3.0, of Direct3D 9: their front end.

use std::borrow::Cow;

use brolga_bytecode::Error as FileError;
use brolga_bytecode::sm3::constants::{Constant, RegisterSet};
use brolga_bytecode::sm3::{ItemKind, ValidProgram, decode, line, validate};
use brolga_ir::function::{Function, Origin};
use brolga_ir::interface::Interface;
use brolga_ir::translate::sm3::{self, TranslateOptions};
use brolga_jit::listing::SourceLine;

use super::program;
use crate::bindings::Register;
use crate::error::Error;
use crate::limits::Limits;
use crate::shader::figures::{CompileStage, StageClock};
use crate::shader::options::CompileOptions;

/// A checked shader.
#[derive(Debug)]
pub(super) struct Sm3Program {
    program: ValidProgram,
    registers: Vec<(String, Register, Option<u32>)>,
    bytes: Vec<u8>,
}

impl Sm3Program {
    /// Reads and checks a program.
    pub fn load(bytes: &[u8], limits: &Limits, clock: &mut StageClock) -> Result<Self, Error> {
        let program = decode(bytes, 0, &limits.file).map_err(FileError::from)?;
        clock.end(CompileStage::Decode)?;
        let constants = program.constants(&limits.file).map_err(FileError::from)?;
        let program = validate(program, &limits.file).map_err(FileError::from)?;
        clock.end(CompileStage::Validate)?;
        let samplers =
            constants.iter().flat_map(|table| &table.constants).filter(|row| row.set == RegisterSet::Sampler);
        // A Direct3D 9 sampler is both a texture and a sampler.
        let rows = samplers.flat_map(|row: &Constant| {
            [Register::t(row.register.into()), Register::s(row.register.into())]
                .map(|register| (row.name.clone(), register, Some(row.count.into())))
        });
        Ok(Self { program, registers: rows.collect(), bytes: bytes.to_vec() })
    }
}

impl program::Program for Sm3Program {
    fn interface(&self) -> Result<Interface, Error> {
        // Options do not move inputs or outputs.
        Ok(sm3::interface(&self.program, &TranslateOptions::default()))
    }

    fn translate(&self, options: &CompileOptions) -> Result<Function, Error> {
        let mut translate = TranslateOptions::default();
        translate.float_rules = options.float_rules;
        translate.textures = options.stage_textures;
        translate.compared = options.compared;
        translate.divisors = options.divisors;
        Ok(sm3::translate(&self.program, &translate)?)
    }

    fn major(&self) -> u32 {
        self.program.program().version.major()
    }

    fn profile(&self) -> Option<String> {
        Some(self.program.program().version.to_string())
    }

    fn registers(&self) -> Vec<(String, Register, Option<u32>)> {
        self.registers.clone()
    }

    fn lines(&self) -> Vec<SourceLine> {
        let program = self.program.program();
        let items = program.items.iter().filter(|item| matches!(item.kind, ItemKind::Instruction(_)));
        items.filter_map(|item| Some(SourceLine { origin: Origin(item.at), text: line(program, item)? })).collect()
    }

    fn identity(&self) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Borrowed(&self.bytes))
    }
}
