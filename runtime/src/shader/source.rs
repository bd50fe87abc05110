//! Makes the IR of a module, in four steps: translates it, adds the fixed functions around it
//! ([`pipeline::complete`]), runs the passes, and verifies the result.

use std::sync::Arc;

use brolga_ir::Width;
use brolga_ir::function::{Function, Origin};
use brolga_ir::insight::{self, OwnWords, ProbeOptions, Probed};
use brolga_ir::interface::{Interface, ResourceKind};
use brolga_ir::passes::{self, Level};
use brolga_ir::pipeline;
use brolga_ir::span::Grid;
use brolga_ir::texel::TexelFormat;
use brolga_ir::verify::{VerifiedFunction, verify};

use super::compiler::Compiler;
use super::figures::{CompileStage, StageClock};
use super::location::SourceLocation;
use super::module::Module;
use super::options::CompileOptions;
use crate::engine::CodeTarget;
use crate::error::{Error, Limit};
use crate::host::TexelFormats;
use crate::limits::Limits;
use crate::perf_map::one_line;

/// Identifies code with probes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProbedKey {
    /// Formats of texels.
    pub texels: TexelFormats,
    /// Set if memory has shadows.
    pub watches: bool,
}

/// A function with probes.
pub(super) struct ProbedFunction {
    pub function: VerifiedFunction,
    /// See [`insight::needs_first_content`].
    pub needs_first_content: bool,
    /// What must hold of a dispatch.
    pub conditions: Vec<OwnWords>,
}

/// A module, and the options that its functions are made with.
#[derive(Debug)]
pub(super) struct FunctionSource {
    module: Module,
    options: CompileOptions,
    /// Name of its code for profilers.
    name: String,
    target: CodeTarget,
    limits: Arc<Limits>,
    copy_bytes: u64,
}

impl FunctionSource {
    /// Takes from the options and the device all that its functions are made with.
    pub fn new(module: Module, options: &CompileOptions, compiler: &Compiler) -> Self {
        let CompileOptions { engine, oversize, .. } = *options;
        let Compiler { features, vector_bytes, copy_bytes, ref limits, .. } = *compiler;
        let target =
            CodeTarget { engine, features, vector_bytes, most_instructions: limits.code_instructions, oversize };
        let name = options.name.as_deref().map_or_else(|| module.program().name(), one_line);
        Self {
            module,
            options: options.clone(),
            name: format!("brolga:{name}:main"),
            target,
            limits: Arc::clone(limits),
            copy_bytes,
        }
    }

    /// The shader.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Name of its code for profilers.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The target that code is made for.
    pub fn target(&self) -> CodeTarget {
        self.target
    }

    /// The device's limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The most bytes of copies of textures on the device.
    pub fn copy_bytes(&self) -> u64 {
        self.copy_bytes
    }

    /// The module's function before anything is done with it, within the limits.
    fn translated(&self) -> Result<Function, Error> {
        self.within_limits(self.module.program().translate(&self.options)?)
    }

    /// The same to be checked.
    fn translated_to_check(&self) -> Result<Function, Error> {
        self.within_limits(self.module.program().translate_to_check(&self.options)?)
    }

    fn within_limits(&self, function: Function) -> Result<Function, Error> {
        check_limits(&function.interface, &self.limits)?;
        Ok(function)
    }

    /// Makes the shader's function, accessing texels of these formats directly, in packets of this width: by default
    /// the options' width, or one that suits the shader.
    pub fn function(
        &self,
        texels: &[Option<TexelFormat>],
        width: Option<Width>,
        clock: &mut StageClock,
    ) -> Result<VerifiedFunction, Error> {
        let CompileOptions { level, state, .. } = &self.options;
        let mut function = self.translated()?;
        let found = function.interface.stage.name();
        if let Some(expected) = state.stage().filter(|&stage| stage != found) {
            return Err(Error::StateOfStage { found, expected });
        }
        state.check()?;
        pipeline::complete(&mut function, state);
        clock.end(CompileStage::Translate)?;
        passes::optimise_for(&mut function, *level, texels);
        function.width = width.or(self.options.width).unwrap_or(function.width);
        clock.end(CompileStage::Passes)?;
        let function = verify(function)?;
        clock.end(CompileStage::Verify)?;
        Ok(function)
    }

    /// Makes the shader's function for observers of the interpreter; also returns how many indexable temporaries are the
    /// shader's own.
    pub fn observed(&self, width: Width) -> Result<(VerifiedFunction, usize), Error> {
        let CompileOptions { state, .. } = &self.options;
        let mut function = self.translated_to_check()?;
        let own_locals = function.interface.locals.len();
        pipeline::complete(&mut function, state);
        passes::optimise(&mut function, Level::Observed);
        // Threads that race do so in the same order.
        function.width = width;
        Ok((verify(function)?, own_locals))
    }

    /// Makes the shader's function with [probes](insight::optimise_with_probes), accessing texels of these formats
    /// directly, in packets of this width, for a dispatch. `None` if only the interpreter can check it.
    pub fn probed(&self, key: &ProbedKey, width: Width, grid: &Grid) -> Result<Option<ProbedFunction>, Error> {
        let level = self.options.level;
        let function = self.translated_to_check()?;
        let own_locals = function.interface.locals.len();
        let mut observed = function.clone();
        passes::optimise(&mut observed, Level::Observed);
        if key.watches && insight::may_use_unwritten(&observed) {
            return Ok(None);
        }
        let probe = |function, may_depend| {
            let options = ProbeOptions { watches: key.watches, may_depend };
            insight::optimise_with_probes(function, level, &key.texels, own_locals, options)
        };
        let mut probed = probe(function.clone(), true);
        if probed.as_ref().is_some_and(|probed| !hold(&probed.conditions, grid)) {
            probed = probe(function, false);
        }
        let Some(Probed { mut function, watches_views, conditions }) = probed else { return Ok(None) };
        // Atomics happen in the same order, and races end alike.
        function.width = width;
        // Where threads race for words of a view, it matters whether they store the same.
        let needs_first_content = insight::needs_first_content(&observed, watches_views);
        Ok(Some(ProbedFunction { function: verify(function)?, needs_first_content, conditions }))
    }

    /// Locates the instruction that an operation comes from.
    pub fn location(&self, origin: Origin) -> SourceLocation {
        let source = self.module.debug_info().and_then(|debug| debug.line_at(origin.0)).map(Box::new);
        match self.module.lines().into_iter().enumerate().find(|(_, line)| line.origin == origin) {
            Some((index, line)) => {
                SourceLocation { byte: origin.0, index: Some(index as u32), text: line.text, source }
            }
            None => SourceLocation { byte: origin.0, index: None, text: String::new(), source },
        }
    }
}

/// `true` if conditions hold of a dispatch.
pub(super) fn hold(conditions: &[OwnWords], grid: &Grid) -> bool {
    conditions.iter().all(|own| own.holds(grid))
}

/// Checks a shader's declarations against the device's limits, before memory is allocated for it.
fn check_limits(interface: &Interface, limits: &Limits) -> Result<(), Error> {
    let threads = interface.group_size().map(u64::from).into_iter().fold(1, u64::saturating_mul);
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
pub(crate) fn at_most(limit: Limit, value: impl Into<u64>, most: impl Into<u64>) -> Result<(), Error> {
    let (value, most) = (value.into(), most.into());
    if value > most { Err(Error::OverLimit { limit, value, most }) } else { Ok(()) }
}
