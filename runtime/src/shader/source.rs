//! A shader as read, and how its function is made.

use std::fmt::Debug;
use std::sync::Arc;

use brolga_bytecode::sm3::is_program;
use brolga_ir::Width;
use brolga_ir::function::{Function, Origin};
use brolga_ir::interface::{Interface, ResourceKind};
use brolga_ir::passes::{self, Level};
use brolga_ir::pipeline;
use brolga_ir::pipeline::state::StageState;
use brolga_ir::texel::TexelFormat;
use brolga_ir::translate::TranslateError;
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_jit::listing::SourceLine;

use super::compiler::Compiler;
use super::figures::{CompileStage, StageClock};
use super::location::SourceLocation;
use super::options::CompileOptions;
use super::{sm3, sm5};
use crate::bindings::{BindingError, Names, Register};
use crate::engine::Target;
use crate::error::{Error, Limit};
use crate::limits::Limits;
use crate::perf_map::one_line;

/// What a shader is made from.
#[derive(Clone, Copy)]
pub(super) enum Input<'a> {
    /// A container.
    Container(&'a [u8]),
    /// A function built by the caller.
    Function(&'a VerifiedFunction),
}

/// A shader as read, and what its function is made with.
#[derive(Debug)]
pub(super) struct Source {
    front_end: FrontEnd,
    level: Level,
    width: Option<Width>,
    state: StageState,
    /// What profilers call its code.
    name: String,
    target: Target,
    limits: Arc<Limits>,
}

/// A checked shader, whatever its tokens.
pub(super) trait Program: Debug + Send + Sync {
    /// Stage and model: `cs_5_0`.
    fn profile(&self) -> String;

    /// The names of its registers.
    fn names(&self) -> &Names;

    /// Its function.
    fn translate(&self) -> Result<Function, TranslateError>;

    /// The instructions, declarations left out.
    fn lines(&self) -> Vec<SourceLine>;
}

/// Where a shader's function comes from.
#[derive(Debug)]
enum FrontEnd {
    /// A file.
    Program(Box<dyn Program>),
    /// Built by the caller.
    Function(Box<Function>),
}

impl Source {
    /// Reads and checks a container, or a program of Direct3D 9.
    pub fn load(
        container: &[u8],
        options: &CompileOptions,
        compiler: &Compiler,
        clock: &mut StageClock,
    ) -> Result<Self, Error> {
        if is_program(container) {
            let program = sm3::Program::load(container, options, &compiler.limits, clock)?;
            let profile = program.profile();
            return Ok(Self::new(FrontEnd::Program(Box::new(program)), options, compiler, || profile));
        }
        let program = sm5::Program::load(container, options, &compiler.limits, clock)?;
        // A container has its checksum after its four-character code.
        let checksum = || container[4..12].iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self::new(FrontEnd::Program(Box::new(program)), options, compiler, checksum))
    }

    /// Takes a function as it is.
    pub fn of_function(function: Function, options: &CompileOptions, compiler: &Compiler) -> Self {
        let name = if function.name.is_empty() { "function".to_owned() } else { function.name.clone() };
        Self::new(FrontEnd::Function(Box::new(function)), options, compiler, || name)
    }

    fn new(
        front_end: FrontEnd,
        options: &CompileOptions,
        compiler: &Compiler,
        nameless: impl FnOnce() -> String,
    ) -> Self {
        let CompileOptions { engine, oversize, level, width, .. } = *options;
        let Compiler { features, vector_bytes, ref limits, .. } = *compiler;
        let target = Target { engine, features, vector_bytes, most_instructions: limits.code_instructions, oversize };
        let name = format!("brolga:{}:main", options.name.as_deref().map_or_else(nameless, one_line));
        let state = options.state.clone();
        Self { front_end, level, width, state, name, target, limits: Arc::clone(limits) }
    }

    fn program(&self) -> Option<&dyn Program> {
        match &self.front_end {
            FrontEnd::Program(program) => Some(&**program),
            FrontEnd::Function(_) => None,
        }
    }

    /// Stage and model, if it comes from a container.
    pub fn profile(&self) -> Option<String> {
        self.program().map(Program::profile)
    }

    /// The register that the source gives this name.
    pub fn register(&self, name: &str) -> Result<Register, BindingError> {
        self.program().map_or(&Names::default(), Program::names).find(name)
    }

    /// What profilers call its code.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What code is made for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The device's limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The shader's function, accessing texels of these formats directly, in packets of this width: by default the
    /// options' width, or what suits the shader.
    pub fn function(
        &self,
        texels: &[Option<TexelFormat>],
        width: Option<Width>,
        clock: &mut StageClock,
    ) -> Result<VerifiedFunction, Error> {
        let mut function = match &self.front_end {
            FrontEnd::Program(program) => program.translate()?,
            FrontEnd::Function(function) => Function::clone(function),
        };
        check_limits(&function.interface, &self.limits)?;
        let found = function.interface.stage.name();
        if let Some(expected) = self.state.stage().filter(|&stage| stage != found) {
            return Err(Error::StateOfStage { found, expected });
        }
        self.state.check()?;
        pipeline::complete(&mut function, &self.state);
        clock.end(CompileStage::Translate)?;
        passes::optimise_for(&mut function, self.level, texels);
        function.width = width.or(self.width).unwrap_or(function.width);
        clock.end(CompileStage::Passes)?;
        let function = verify(function)?;
        clock.end(CompileStage::Verify)?;
        Ok(function)
    }

    /// Names the instruction that an operation comes from.
    pub fn location(&self, origin: Origin) -> SourceLocation {
        match self.lines().into_iter().enumerate().find(|(_, line)| line.origin == origin) {
            Some((index, line)) => SourceLocation { byte: origin.0, index: Some(index as u32), text: line.text },
            None => SourceLocation { byte: origin.0, index: None, text: String::new() },
        }
    }

    /// The instructions of the shader, declarations left out.
    pub fn lines(&self) -> Vec<SourceLine> {
        self.program().map_or(Vec::new(), Program::lines)
    }
}

/// Checks a shader's declarations against the device's limits, before memory is allocated for it.
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

/// Checks a number against a limit.
pub(super) fn at_most(limit: Limit, value: impl Into<u64>, most: impl Into<u64>) -> Result<(), Error> {
    let (value, most) = (value.into(), most.into());
    if value > most { Err(Error::OverLimit { limit, value, most }) } else { Ok(()) }
}
