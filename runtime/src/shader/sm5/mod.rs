//! The front end for shader models 4 and 5: nothing else in this crate names them.
//!
//! | file | what |
//! |---|---|
//! | `linkage.rs` | what the chosen instances bind each interface slot to |

mod linkage;

use brolga_bytecode::sm5::{Item, ItemKind, Stage, ValidProgram};
use brolga_bytecode::{Decoded, LoadOptions};
use brolga_ir::function::{Function, Origin};
use brolga_ir::translate::TranslateError;
use brolga_ir::translate::sm5::{self, TranslateOptions};
use brolga_jit::listing::SourceLine;

use super::figures::{CompileStage, StageClock};
use super::options::CompileOptions;
use super::source;
use crate::bindings::{Declared, Names};
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
    /// Reads and checks a container.
    pub fn load(
        container: &[u8],
        options: &CompileOptions,
        limits: &Limits,
        clock: &mut StageClock,
    ) -> Result<Self, Error> {
        let mut load = LoadOptions::default();
        load.limits = limits.file.clone();
        let decoded = Decoded::new(container, &load)?;
        clock.end(CompileStage::Decode)?;
        let loaded = decoded.check()?;
        let stage = loaded.program.stage();
        if !matches!(stage, Stage::Compute | Stage::Vertex | Stage::Pixel) {
            return Err(Error::Stage { stage: stage.name() });
        }
        let mut translate = TranslateOptions::default();
        translate.classes = linkage::link(&loaded, &options.instances)?;
        translate.fused_mad = options.fused_mad;
        clock.end(CompileStage::Validate)?;
        let names = Names::new(loaded.resources.as_ref());
        Ok(Self { program: loaded.program, options: translate, names })
    }
}

impl source::Program for Program {
    fn profile(&self) -> String {
        format!("{}_{}", self.program.stage(), self.program.model())
    }

    fn names(&self) -> &Names {
        &self.names
    }

    fn translate(&self) -> Result<Function, TranslateError> {
        sm5::translate(&self.program, &self.options)
    }

    fn lines(&self) -> Vec<SourceLine> {
        let line = |item: &Item| match &item.kind {
            ItemKind::Instruction(instruction) => {
                Some(SourceLine { origin: Origin(item.at), text: instruction.to_string() })
            }
            _ => None,
        };
        self.program.items().iter().filter_map(line).collect()
    }
}

impl Declared {
    /// The declarations of an uncompiled program. What only instructions reveal is not known: which atomics are used on
    /// texels, and counters whose declarations lack the flag.
    ///
    /// # Errors
    /// If the program has something that cannot be run.
    pub fn of_program(program: &ValidProgram) -> Result<Vec<Self>, Error> {
        Ok(Self::of_interface(&sm5::interface(program)?))
    }
}
