//! A shader as it was read, and how its function is made.

use std::sync::Arc;

use brolga_bytecode::sm5::{Item, ItemKind, Model, Stage, ValidProgram};
use brolga_bytecode::{Decoded, LoadOptions};
use brolga_ir::Width;
use brolga_ir::function::{Function, Origin};
use brolga_ir::interface::{Interface, ResourceKind};
use brolga_ir::passes::{self, Level};
use brolga_ir::texel::TexelFormat;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_jit::listing::SourceLine;

use super::compiler::Compiler;
use super::figures::{CompileStage, StageClock};
use super::linkage;
use super::location::SourceLocation;
use super::options::CompileOptions;
use crate::engine::Target;
use crate::error::{Error, Limit};
use crate::limits::Limits;
use crate::perf_map::one_line;

/// What a shader is made from.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    /// A container.
    Container(&'a [u8]),
    /// A function that somebody built.
    Function(&'a VerifiedFunction),
}

/// A shader as it was read, and what its function is made with.
#[derive(Debug)]
pub(super) struct Source {
    origin: Origins,
    level: Level,
    width: Option<Width>,
    /// What profilers call its code.
    name: String,
    target: Target,
    limits: Arc<Limits>,
}

/// Where a shader comes from.
#[derive(Debug)]
enum Origins {
    /// A container.
    Program(Box<(ValidProgram, TranslateOptions)>),
    /// Somebody built its function.
    Function(Box<Function>),
}

impl Source {
    /// Reads and checks a container.
    pub fn load(
        container: &[u8],
        options: &CompileOptions,
        compiler: &Compiler,
        clock: &mut StageClock,
    ) -> Result<Self, Error> {
        let mut load = LoadOptions::default();
        load.limits = compiler.limits.file.clone();
        let decoded = Decoded::new(container, &load)?;
        clock.end(CompileStage::Decode)?;
        let loaded = decoded.check()?;
        let stage = loaded.program.stage();
        if !matches!(stage, Stage::Compute | Stage::Vertex | Stage::Pixel) {
            return Err(Error::Stage { stage });
        }
        let mut translation = TranslateOptions::default();
        translation.classes = linkage::link(&loaded, &options.instances)?;
        clock.end(CompileStage::Validate)?;
        // A container has its checksum behind its four letters.
        let checksum = || container[4..12].iter().map(|byte| format!("{byte:02x}")).collect();
        let origin = Origins::Program(Box::new((loaded.program, translation)));
        Ok(Self::new(origin, options, compiler, checksum))
    }

    /// Takes a function as it is.
    pub fn of_function(function: Function, options: &CompileOptions, compiler: &Compiler) -> Self {
        let name = if function.name.is_empty() { "function".to_owned() } else { function.name.clone() };
        Self::new(Origins::Function(Box::new(function)), options, compiler, || name)
    }

    fn new(origin: Origins, options: &CompileOptions, compiler: &Compiler, nameless: impl FnOnce() -> String) -> Self {
        let CompileOptions { engine, oversize, level, width, .. } = *options;
        let (features, most_instructions) = (compiler.features, compiler.limits.code_instructions);
        let target = Target { engine, features, most_instructions, oversize };
        let name = format!("brolga:{}:main", options.name.as_deref().map_or_else(nameless, one_line));
        Self { origin, level, width, name, target, limits: Arc::clone(&compiler.limits) }
    }

    /// The program, if it comes from a container.
    pub fn program(&self) -> Option<&ValidProgram> {
        match &self.origin {
            Origins::Program(program) => Some(&program.0),
            Origins::Function(_) => None,
        }
    }

    /// The shader model, if it comes from a container.
    pub fn model(&self) -> Option<Model> {
        self.program().map(ValidProgram::model)
    }

    /// What profilers call its code.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What code is made for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What it is held against.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What the shader means.
    pub fn function(&self, clock: &mut StageClock) -> Result<VerifiedFunction, Error> {
        self.make_function(&[], self.width, clock)
    }

    /// The same, going to texels of these formats by itself. Packets are as wide as those of the usual code.
    pub fn function_for(
        &self,
        texels: &[Option<TexelFormat>],
        width: Width,
        clock: &mut StageClock,
    ) -> Result<VerifiedFunction, Error> {
        self.make_function(texels, Some(width), clock)
    }

    fn make_function(
        &self,
        texels: &[Option<TexelFormat>],
        width: Option<Width>,
        clock: &mut StageClock,
    ) -> Result<VerifiedFunction, Error> {
        let mut function = match &self.origin {
            Origins::Program(program) => translate(&program.0, &program.1)?,
            Origins::Function(function) => Function::clone(function),
        };
        check_limits(&function.interface, &self.limits)?;
        clock.end(CompileStage::Translate)?;
        passes::optimise_for(&mut function, self.level, texels);
        function.width = width.unwrap_or(function.width);
        clock.end(CompileStage::Passes)?;
        let function = verify(function)?;
        clock.end(CompileStage::Verify)?;
        Ok(function)
    }

    /// Names the instruction that an operation comes from.
    pub fn location(&self, origin: Origin) -> SourceLocation {
        self.program().map_or(SourceLocation::unknown(origin), |program| SourceLocation::find(program, origin))
    }

    /// The instructions of the shader, declarations left out.
    pub fn lines(&self) -> Vec<SourceLine> {
        let line = |item: &Item| match &item.kind {
            ItemKind::Instruction(instruction) => {
                Some(SourceLine { origin: Origin(item.at), text: instruction.to_string() })
            }
            _ => None,
        };
        self.program().map_or(Vec::new(), |program| program.items().iter().filter_map(line).collect())
    }
}

/// Holds what a shader declares against the device's limits, before memory is taken for it.
fn check_limits(interface: &Interface, limits: &Limits) -> Result<(), Error> {
    let threads: u64 = interface.group_size().map(u64::from).iter().product();
    at_most(Limit::GroupThreads, threads, limits.group_threads)?;
    let shared: u64 = interface.shared.iter().map(|g| u64::from(g.stride_bytes) * u64::from(g.count)).sum();
    at_most(Limit::SharedBytes, shared, limits.shared_bytes)?;
    for resource in &interface.resources {
        if let ResourceKind::Constant { vectors } = resource.kind {
            at_most(Limit::ConstantVectors, vectors, limits.constant_vectors)?;
        }
    }
    Ok(())
}

/// Holds a number against a limit.
pub(super) fn at_most(limit: Limit, value: impl Into<u64>, most: impl Into<u64>) -> Result<(), Error> {
    let (value, most) = (value.into(), most.into());
    if value > most { Err(Error::OverLimit { limit, value, most }) } else { Ok(()) }
}
