//! Compiles shaders and keeps their code.
//!
//! | file | what |
//! |---|---|
//! | `options.rs` | options of compiling |
//! | `compile.rs` | compiles a module: cache, function, code; prints the forms of `--emit` |
//! | `compiler.rs` | the parts of a device that compiling uses |
//! | `module/` | modules, from which they are compiled: shaders as read |
//! | `source.rs` | makes a module's function, in IR |
//! | `variants.rs` | keeps their code, each variant once |
//! | `instance.rs` | class instances for interface variables |
//! | `apart.rs` | compiles with enough stack, and abandons compilations |
//! | `figures.rs` | statistics of compiling |
//! | `outline.rs` | a summary of a function: the facts that dispatches need |
//! | `stored.rs` | their entries in the disk cache |
//! | `location.rs` | names their instructions |

mod apart;
mod compile;
mod compiler;
mod figures;
pub(crate) mod instance;
pub(crate) mod location;
mod module;
mod options;
mod outline;
mod source;
mod stored;
mod variants;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use brolga_ir::function::Origin;
use brolga_ir::insight;
use brolga_ir::interface::Array;
use brolga_ir::interface::ResourceKind;
use brolga_ir::span::{Grid, Packing};
use brolga_ir::stage::Stage;
use brolga_ir::verify::VerifiedFunction;

pub use brolga_jit::listing::{Line, LineKind, Listing};
pub(crate) use compile::ProbedCode;
pub(crate) use compiler::Compiler;
pub use figures::{CodeFigures, CompileStage, StageTimes};
pub use instance::{ClassInstance, InstanceError, PlacedInstance, Unset};
pub use location::SourceLocation;
pub use module::{Module, Program};
pub use options::{Codegen, CompileOptions, Emit};
pub(crate) use outline::Outline;
pub(crate) use source::{ProbedKey, at_most};

use crate::bindings::{BindingError, Bindings, Declared, Leniency, Register};
use crate::dispatch::Pace;
use crate::engine::{Code, Engine, Variant};
use crate::error::Error;
use crate::host::{BoundViews, TexelFormats, trimmed};
use crate::limits::Limits;
use crate::stop::{CancelToken, StopWord};
pub(crate) use apart::Permits;
use apart::{with_stack, with_stack_until};
use brolga_resource::format::Format;
use compile::Inner;
use figures::StageClock;
use variants::Claim;

/// A compiled compute, vertex or pixel shader. Cheap to clone and usable from any thread.
#[derive(Clone)]
pub struct Shader {
    inner: Arc<Inner>,
}

impl Shader {
    /// Compiles a module, which is read first.
    pub(crate) fn compile(
        module: impl FnOnce(&Limits) -> Result<Module, Error>,
        options: &CompileOptions,
        compiler: &Compiler,
    ) -> Result<Self, Error> {
        let work = || compile::compile(module(&compiler.limits)?, options, compiler, StageClock::start());
        Ok(Self { inner: with_stack(work)? })
    }

    /// The same until the word is set: the work is abandoned then.
    pub(crate) fn compile_until(
        module: impl FnOnce(&Limits) -> Result<Module, Error> + Send + 'static,
        options: &CompileOptions,
        compiler: &Arc<Compiler>,
        stop: &Arc<StopWord>,
    ) -> Result<Self, Error> {
        let permit = compiler.permits.take(stop)?;
        let (options, compiler, word) = (options.clone(), Arc::clone(compiler), Arc::clone(stop));
        let work = move || compile::compile(module(&compiler.limits)?, &options, &compiler, StageClock::until(word));
        Ok(Self { inner: with_stack_until(stop, permit, work)? })
    }

    /// Makes the code for texels of these formats and dispatches of this many groups along x, y and z, so that none is
    /// made at first use. Formats of registers that code does not access directly do not matter.
    ///
    /// If views already exist, [`BoundShader::prepare`](crate::BoundShader::prepare) prepares exactly the code that
    /// they need.
    ///
    /// # Errors
    /// If the code is too large, or needs more private memory than the device allows.
    pub fn compile_for(&self, formats: &[(Register, Format)], groups: &[[u32; 3]]) -> Result<(), Error> {
        self.variants_for(formats, groups).try_for_each(|variant| self.code_here(&variant).map(drop))
    }

    /// The same until a token is cancelled, as [`Device::compile_until`](crate::Device::compile_until) does it.
    ///
    /// # Errors
    /// As [`compile_for`](Self::compile_for), and [`Error::CompileStopped`].
    pub fn compile_for_until(
        &self,
        formats: &[(Register, Format)],
        groups: &[[u32; 3]],
        cancel: &CancelToken,
    ) -> Result<(), Error> {
        self.variants_for(formats, groups).try_for_each(|variant| self.code_until(&variant, cancel.word()).map(drop))
    }

    /// The variants that run with texels of these formats, in dispatches of these group counts: by default a usual one.
    fn variants_for(&self, formats: &[(Register, Format)], groups: &[[u32; 3]]) -> impl Iterator<Item = Variant> {
        let texels = trimmed(self.outline().declared.iter().map(|range| {
            let is_single = range.table_len == 1 && range.count.is_some();
            let format = formats.iter().rfind(|(register, _)| range.contains(*register));
            match (range.kind, format) {
                (ResourceKind::Typed { dimension, .. }, Some((_, format))) if is_single => {
                    format.texel_format().filter(|_| !dimension.is_cube() && !dimension.is_multisampled())
                }
                _ => None,
            }
        }));
        // By default a dispatch of one group.
        let usual = &[[1; 3]][..];
        let groups = if groups.is_empty() { usual } else { groups };
        groups.iter().map(move |&groups| self.variant(self.packing(Grid { groups, first: [0; 3] }), texels.clone()))
    }

    /// The module that it was compiled from.
    pub fn module(&self) -> &Module {
        self.inner.source.module()
    }

    /// The engine that runs it, or is to run it if its code is not made yet.
    pub fn engine(&self) -> Engine {
        match self.inner.variants.usual() {
            Some(code) => code.engine(),
            None => self.inner.variants.foremost().map_or(self.inner.source.target().engine, |(_, code)| code.engine()),
        }
    }

    /// Stage and shader model, as in `cs_5_0`, if it comes from a container.
    pub fn profile(&self) -> Option<String> {
        self.module().profile()
    }

    /// The register that the shader's source calls `name`, for [`Bindings::set`]: of a buffer, a texture, a sampler or
    /// a constant buffer, or an element of an array of them, as in `lights[2]`.
    ///
    /// # Errors
    /// If the file has no such name, as after stripping, or several registers have it.
    pub fn register(&self, name: &str) -> Result<Register, BindingError> {
        self.module().register(name)
    }

    /// The stage, with its inputs and outputs.
    pub fn stage(&self) -> &Stage {
        &self.inner.outline.stage
    }

    /// Fails unless it runs in groups, as only compute shaders do.
    pub fn check_groups(&self) -> Result<(), Error> {
        match self.stage() {
            Stage::Compute { .. } => Ok(()),
            stage => Err(Error::NoGroups { stage: stage.name() }),
        }
    }

    /// The arrays of a batch, in the order of declaration.
    pub fn arrays(&self) -> &[Array] {
        &self.inner.outline.arrays
    }

    /// Threads of a group along x, y and z.
    pub fn group_size(&self) -> [u32; 3] {
        self.inner.outline.stage.group_size()
    }

    /// The declared registers in declaration order.
    pub fn bindings(&self) -> &[Declared] {
        &self.inner.outline.declared
    }

    /// Time of compiling, for all code made so far.
    pub fn compile_time(&self) -> Duration {
        self.compile_times().total()
    }

    /// The same by stage.
    pub fn compile_times(&self) -> StageTimes {
        self.inner.times()
    }

    /// `true` if all of its code so far comes from the device's cache.
    pub fn is_cached(&self) -> bool {
        self.inner.variants.are_cached()
    }

    /// Bytes of its usual machine code, or of the first made if there is none yet; the interpreter has none.
    pub fn code_bytes(&self) -> Option<usize> {
        self.inner.variants.foremost()?.1.bytes().map(<[u8]>::len)
    }

    /// Statistics of the same machine code, gathered by generating it again.
    pub fn code_figures(&self) -> Result<Option<CodeFigures>, Error> {
        match self.inner.variants.foremost() {
            Some((variant, code)) => compile::figures(&self.inner, &variant, &code),
            None => Ok(None),
        }
    }

    /// A textual form of the shader. Cranelift's input and machine code are generated anew, with any engine.
    pub fn emit(&self, form: Emit) -> Result<Listing, Error> {
        compile::emit(&self.inner, form, None)
    }

    /// The same for the code that runs with these bindings: compiled code accesses texels of many formats directly, in
    /// a variant of the shader made for them. Registers may be left unbound.
    pub fn emit_for(&self, form: Emit, bindings: &Bindings) -> Result<Listing, Error> {
        let partial = bindings.clone().allowing(Leniency::Unbound);
        let views = BoundViews::new(&self.outline().declared, &[], (&partial).into(), self.inner.source.limits())?;
        compile::emit(&self.inner, form, Some(&views))
    }

    /// Its function for observers of the interpreter, and how many indexable temporaries are its own.
    pub(crate) fn observed(&self) -> Result<(VerifiedFunction, usize), Error> {
        with_stack(|| self.inner.source.observed(self.outline().width))
    }

    /// Its code with probes for a dispatch; `None` if only the interpreter can check it. Making it is abandoned once the word
    /// is set.
    pub(crate) fn probed(
        &self,
        key: &ProbedKey,
        grid: &Grid,
        stop: &StopWord,
    ) -> Result<Option<Arc<ProbedCode>>, Error> {
        if self.inner.source.target().engine != Engine::Jit {
            return Ok(None);
        }
        if let Some(known) = self.inner.known_probed(key, grid) {
            return Ok(known);
        }
        let permit = self.inner.permits.take(stop)?;
        let (inner, key, grid) = (Arc::clone(&self.inner), key.clone(), *grid);
        with_stack_until(stop, permit, move || inner.make_probed(&key, &grid))
    }

    /// Locates the instruction that an operation comes from.
    pub(crate) fn location(&self, origin: Origin) -> SourceLocation {
        self.inner.source.location(origin)
    }

    /// Locates the barrier that a branch controls.
    pub(crate) fn barrier_of_branch(&self, branch: Origin) -> Option<SourceLocation> {
        let (function, _) = self.observed().ok()?;
        Some(self.location(insight::barrier_of_branch(&function, branch)?))
    }

    /// The outline of its function.
    pub(crate) fn outline(&self) -> &Outline {
        &self.inner.outline
    }

    /// Timing of its groups.
    pub(crate) fn pace(&self) -> &Pace {
        &self.inner.pace
    }

    /// Packing of a dispatch's threads: [`Packing::Grid`], or [`Packing::Row`] for the usual packing.
    #[inline]
    pub(crate) fn packing(&self, grid: Grid) -> Packing {
        let outline = self.outline();
        match outline.packing {
            Packing::Group => Packing::Row,
            _ => Packing::for_grid(grid, outline.threads_per_group(), outline.width.lanes()),
        }
    }

    /// The variant that runs with this packing and texels of these formats.
    pub(crate) fn variant(&self, packing: Packing, texels: TexelFormats) -> Variant {
        // The interpreter is the definition, and calls the host. Textures that are only sampled need no code for their
        // format.
        let texels = match texels.is_empty() || self.engine() == Engine::Interpreter {
            true => TexelFormats::default(),
            false => {
                let used = texels.iter().zip(&self.outline().declared);
                trimmed(used.map(|(format, range)| format.filter(|_| range.uses_texels)))
            }
        };
        Variant { packing, texels }
    }

    /// The code that most dispatches run, if it is made.
    #[inline]
    pub(crate) fn usual_code(&self) -> Option<&Arc<Code>> {
        self.inner.variants.usual()
    }

    /// `true` if the code of a variant exists.
    pub(crate) fn has_code(&self, variant: &Variant) -> bool {
        self.inner.variants.has(variant)
    }

    /// The code of a variant, made if there is none yet.
    pub(crate) fn code_here(&self, variant: &Variant) -> Result<Arc<Code>, Error> {
        match self.inner.variants.claim(variant) {
            Claim::Made(code) => Ok(code),
            Claim::Mine(mark) => with_stack(|| self.inner.make(mark)),
            Claim::Full => self.code_here(&variant.without_texels()),
        }
    }

    /// The same, until the word is set; making the code is abandoned then.
    pub(crate) fn code_until(&self, variant: &Variant, stop: &StopWord) -> Result<Arc<Code>, Error> {
        let variants = &self.inner.variants;
        if let Some(usual) = variants.usual().filter(|_| variant.is_usual()) {
            return Ok(Arc::clone(usual));
        }
        loop {
            if let Some(code) = variants.made(variant, stop)? {
                return Ok(code);
            }
            // The permit comes first: a thread that claims code must make it at once, since others with permits may
            // wait for it.
            let permit = self.inner.permits.take(stop)?;
            match variants.claim_now(variant) {
                Some(Claim::Made(code)) => return Ok(code),
                Some(Claim::Mine(mark)) => {
                    let inner = Arc::clone(&self.inner);
                    return with_stack_until(stop, permit, move || inner.make(mark));
                }
                Some(Claim::Full) => {
                    // The other thread takes a permit of its own: waiting for it while keeping this one could deadlock.
                    drop(permit);
                    return self.code_until(&variant.without_texels(), stop);
                }
                // Another thread has just claimed it.
                None => {}
            }
        }
    }
}

impl fmt::Debug for Shader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shader")
            .field("engine", &self.engine())
            .field("profile", &self.profile())
            .field("group_size", &self.group_size())
            .finish_non_exhaustive()
    }
}
