//! The front end for shader models 1.1 to 3.0, which Direct3D 9 has.

use brolga_bytecode::sm3::constants::{Constant, RegisterSet};
use brolga_bytecode::sm3::{ItemKind, ValidProgram, decode, line, validate};
use brolga_ir::function::{Function, Origin};
use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm3::{self, TranslateOptions};
use brolga_jit::listing::SourceLine;

use super::figures::{CompileStage, StageClock};
use super::options::CompileOptions;
use super::source;
use crate::bindings::{Names, Register};
use crate::error::Error;
use crate::limits::Limits;

/// A checked shader and how its function is made.
#[derive(Debug)]
pub(super) struct Program {
    program: ValidProgram,
    options: TranslateOptions,
    names: Names,
}

impl Program {
    /// Reads and checks a program.
    pub fn load(
        bytes: &[u8],
        options: &CompileOptions,
        limits: &Limits,
        clock: &mut StageClock,
    ) -> Result<Self, Error> {
        let file = |error: brolga_bytecode::Error| Error::File(error);
        let program = decode(bytes, 0, &limits.file).map_err(|error| file(error.into()))?;
        clock.end(CompileStage::Decode)?;
        let constants = program.constants(&limits.file).map_err(|error| file(error.into()))?;
        let program = validate(program, &limits.file).map_err(|error| file(error.into()))?;
        clock.end(CompileStage::Validate)?;
        let samplers =
            constants.iter().flat_map(|table| &table.constants).filter(|row| row.set == RegisterSet::Sampler);
        // A sampler of Direct3D 9 is a texture and a sampler.
        let rows = samplers.flat_map(|row: &Constant| {
            [Register::t(row.register.into()), Register::s(row.register.into())]
                .map(|register| (row.name.clone(), register, Some(row.count.into())))
        });
        let names = Names::of_rows(rows.collect());
        let mut translate = TranslateOptions::default();
        translate.float_rules = options.float_rules;
        translate.textures = options.stage_textures;
        translate.compared = options.compared;
        translate.divisors = options.divisors;
        Ok(Self { program, options: translate, names })
    }
}

impl source::Program for Program {
    fn profile(&self) -> String {
        self.program.program().version.to_string()
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn translate(&self) -> Result<Function, TranslateError> {
        sm3::translate(&self.program, &self.options)
    }

    fn lines(&self) -> Vec<SourceLine> {
        let program = self.program.program();
        let items = program.items.iter().filter(|item| matches!(item.kind, ItemKind::Instruction(_)));
        items.filter_map(|item| Some(SourceLine { origin: Origin(item.at), text: line(program, item)? })).collect()
    }
}
