//! Reads shaders of models 4 and 5: their front end. Nothing else in this crate names these models.
//!
//! | file | what |
//! |---|---|
//! | `linkage.rs` | binds each interface slot to the chosen instance |

mod linkage;

use std::borrow::Cow;

use brolga_bytecode::container::Container;
use brolga_bytecode::debug::DebugInfo;
use brolga_bytecode::sm5::{CustomContent, Item, ItemKind};
use brolga_bytecode::{Decoded, LoadOptions, Shader as Loaded};
use brolga_ir::function::{Function, Origin};
use brolga_ir::interface::Interface;
use brolga_ir::stage::{Parameter, Signature};
use brolga_ir::translate::sm5::{self, TranslateOptions};
use brolga_jit::listing::SourceLine;

use super::program;
use crate::bindings::Register;
use crate::error::Error;
use crate::limits::Limits;
use crate::shader::figures::{CompileStage, StageClock};
use crate::shader::options::CompileOptions;

/// A checked shader.
#[derive(Debug)]
pub(super) struct Sm5Program {
    loaded: Loaded,
    bytes: Vec<u8>,
    limits: brolga_bytecode::Limits,
}

impl Sm5Program {
    /// Reads and checks a container.
    pub fn load(bytes: &[u8], limits: &Limits, clock: &mut StageClock) -> Result<Self, Error> {
        let mut load = LoadOptions::default();
        load.limits = limits.file.clone();
        let decoded = Decoded::new(bytes, &load)?;
        clock.end(CompileStage::Decode)?;
        let loaded = decoded.check()?;
        clock.end(CompileStage::Validate)?;
        Ok(Self { loaded, bytes: bytes.to_vec(), limits: load.limits })
    }
}

impl program::Program for Sm5Program {
    fn interface(&self) -> Result<Interface, Error> {
        Ok(sm5::interface(&self.loaded.program)?)
    }

    fn translate(&self, options: &CompileOptions) -> Result<Function, Error> {
        let mut translate = TranslateOptions::default();
        translate.classes = linkage::link(&self.loaded, &options.instances)?;
        translate.fused_mad = options.fused_mad;
        Ok(sm5::translate(&self.loaded.program, &translate)?)
    }

    fn signature(&self) -> Option<Signature> {
        let Loaded { inputs, outputs, .. } = &self.loaded;
        let [inputs, outputs] = [inputs, outputs].map(|of_file| of_file.as_ref().map_or(Vec::new(), sm5::linked));
        Some(Signature { inputs, outputs, ..Signature::default() })
    }

    fn patch_constants(&self) -> Vec<Parameter> {
        self.loaded.patch_constants.as_ref().map_or(Vec::new(), sm5::linked)
    }

    fn major(&self) -> u32 {
        self.loaded.program.model().numbers().0
    }

    fn profile(&self) -> Option<String> {
        Some(format!("{}_{}", self.loaded.program.stage(), self.loaded.program.model()))
    }

    /// The checksum, which follows the four-character code.
    fn name(&self) -> String {
        self.bytes[4..12].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn registers(&self) -> Vec<(String, Register, Option<u32>)> {
        let rows = self.loaded.resources.iter().flat_map(|definitions| &definitions.bindings);
        rows.map(|row| (row.name.clone(), Register::from(row), row.count())).collect()
    }

    fn lines(&self) -> Vec<SourceLine> {
        let line = |item: &Item| {
            let text = match &item.kind {
                ItemKind::Instruction(instruction) => instruction.to_string(),
                // Messages have a number too.
                ItemKind::CustomData(data) => match &data.content {
                    CustomContent::Message(message) => message.to_string(),
                    _ => return None,
                },
                ItemKind::Declaration(_) => return None,
            };
            Some(SourceLine { origin: Origin(item.at), text })
        };
        self.loaded.program.items().iter().filter_map(line).collect()
    }

    fn debug_info(&self) -> Option<DebugInfo> {
        let container = Container::parse(&self.bytes, &self.limits).ok()?;
        DebugInfo::read(&container, &self.limits)?.ok()
    }

    fn identity(&self) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Borrowed(&self.bytes))
    }
}
