//! The front end for shader models 4 and 5: nothing else in this crate names them.
//!
//! Another front end would provide the same for its shaders: a profile, a function, names of registers, and
//! instructions for messages and listings.
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
use super::instance::Instances;
use super::location::SourceLocation;
use crate::bindings::{Declared, Names};
use crate::error::Error;
use crate::limits::Limits;

/// A checked shader and how its function is made.
#[derive(Debug)]
pub(super) struct Program {
    program: ValidProgram,
    options: TranslateOptions,
    /// The names of its registers.
    pub names: Names,
}

impl Program {
    /// Reads and checks a container.
    pub fn load(
        container: &[u8],
        instances: &Instances,
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
        let mut options = TranslateOptions::default();
        options.classes = linkage::link(&loaded, instances)?;
        clock.end(CompileStage::Validate)?;
        let names = Names::new(loaded.resources.as_ref());
        Ok(Self { program: loaded.program, options, names })
    }

    /// Stage and model: `cs_5_0`.
    pub fn profile(&self) -> String {
        format!("{}_{}", self.program.stage(), self.program.model())
    }

    /// Its function.
    pub fn translate(&self) -> Result<Function, TranslateError> {
        sm5::translate(&self.program, &self.options)
    }

    /// Names the instruction that an operation comes from.
    pub fn location(&self, origin: Origin) -> Option<SourceLocation> {
        let (index, line) = self.lines().into_iter().enumerate().find(|(_, line)| line.origin == origin)?;
        Some(SourceLocation { byte: origin.0, index: Some(index as u32), text: line.text })
    }

    /// The instructions, declarations left out.
    pub fn lines(&self) -> Vec<SourceLine> {
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
