//! Compiles a module: looks in the disk cache, makes the function (`source.rs`) and its code (`engine/code.rs`), and
//! prints the forms of a shader for `--emit` (`jit/src/listing/`).

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use brolga_ir::insight::OwnWords;
use brolga_ir::interface::Sampled;
use brolga_ir::span::Grid;
use brolga_ir::texel::TexelFormat;
use brolga_ir::verify::VerifiedFunction;
use brolga_jit::Statistics;
use brolga_jit::listing::{self, Counts, Form, Listing};

use super::apart::{Permits, with_stack};
use super::compiler::Compiler;
use super::figures::{CodeFigures, CompileStage, StageClock, StageTimes};
use super::module::Module;
use super::options::{Codegen, CompileOptions, Emit};
use super::outline::Outline;
use super::source::{FunctionSource, ProbedFunction, ProbedKey, at_most, hold};
use super::stored::Stored;
use super::variants::{Claim, Made, Mark, Variants};
use crate::bindings::Declared;
use crate::dispatch::Pace;
use crate::engine::{Code, Oversize, Variant, usual_packing};
use crate::error::{Error, Limit};
use crate::host::{BoundViews, unbound_remarks};
use crate::perf_map::NamedCode;

/// The most formats of texels for which code with probes is kept.
const MOST_PROBED: usize = 8;

/// A compiled shader.
pub(super) struct Inner {
    pub source: FunctionSource,
    /// Made from the source when first needed.
    function: OnceLock<VerifiedFunction>,
    pub outline: Outline,
    pub variants: Arc<Variants>,
    /// Its entries in the cache, if there is one.
    stored: Option<Stored>,
    times: Mutex<StageTimes>,
    pub pace: Pace,
    /// Permits of its device.
    pub permits: Arc<Permits>,
    /// Recorder of its code for profilers.
    profiled: Option<NamedCode>,
    /// Code with probes; `None` if only the interpreter can check the shader.
    probed: Mutex<Vec<(ProbedKey, Option<Arc<ProbedCode>>)>>,
}

/// Code that finds which groups a check has to look at.
#[derive(Debug)]
pub(crate) struct ProbedCode {
    pub code: Code,
    pub declared: Vec<Declared>,
    pub sampled: Vec<Sampled>,
    /// Threads of a packet.
    pub lanes: u32,
    /// Set if groups can only run again in memory with the content of before.
    pub needs_first_content: bool,
    /// What must hold of dispatches.
    conditions: Vec<OwnWords>,
}

impl ProbedCode {
    /// `true` if it is for a dispatch.
    pub fn is_for(&self, grid: &Grid) -> bool {
        hold(&self.conditions, grid)
    }
}

/// Makes a shader, or takes its code from the cache.
pub(super) fn compile(
    module: Module,
    options: &CompileOptions,
    compiler: &Compiler,
    mut clock: StageClock,
) -> Result<Arc<Inner>, Error> {
    let source = FunctionSource::new(module, options, compiler);
    let stored = compiler
        .cache
        .as_ref()
        .and_then(|cache| Stored::new(cache, source.module().program(), options, source.limits(), source.target()));
    let is_eager = options.codegen == Codegen::Eager;
    let found = stored.as_ref().and_then(|stored| match is_eager {
        true => stored.load(&Variant::usual(), source.name()).map(|(outline, code)| (outline, Some(code))),
        false => stored.outline().map(|outline| (outline, None)),
    });
    clock.end(CompileStage::Link)?;
    let (function, outline, code) = match found {
        Some((outline, code)) => (OnceLock::new(), outline, code),
        None => {
            let function = source.function(&[], None, &mut clock)?;
            let outline = Outline::of(&function);
            for range in &outline.declared {
                at_most(Limit::RangeRegisters, range.table_len, source.limits().range_registers)?;
            }
            (OnceLock::from(function), outline, None)
        }
    };
    let profiled = compiler.perf_map.as_ref().map(|map| map.named(source.name().to_owned()));
    let (variants, times) = (Arc::<Variants>::default(), Mutex::default());
    let permits = Arc::clone(&compiler.permits);
    let (pace, probed) = (Pace::default(), Mutex::default());
    let inner = Inner { source, function, outline, variants, stored, times, pace, permits, profiled, probed };
    if is_eager {
        let Claim::Mine(mark) = inner.variants.claim(&Variant::usual()) else {
            unreachable!("nobody else has the shader yet")
        };
        let is_cached = code.is_some();
        let code = match code {
            Some(code) => code,
            None => inner.generate(&Variant::usual(), &mut clock)?.expect("the usual code has no formats"),
        };
        inner.note_for_profilers(&code)?;
        mark.keep(Made { code: Arc::new(code), is_cached });
    }
    clock.end(CompileStage::Link)?;
    inner.add_times(inner.source.module().times());
    inner.add_times(clock.times());
    Ok(Arc::new(inner))
}

impl Inner {
    /// The function that accesses texels of these formats directly. The one for no formats is kept.
    fn function_for(
        &self,
        texels: &[Option<TexelFormat>],
        clock: &mut StageClock,
    ) -> Result<Cow<'_, VerifiedFunction>, Error> {
        if !texels.is_empty() {
            return Ok(Cow::Owned(self.source.function(texels, Some(self.outline.width), clock)?));
        }
        if self.function.get().is_none() {
            // If another thread was faster, its function is the same.
            let _ = self.function.set(self.source.function(&[], None, clock)?);
        }
        Ok(Cow::Borrowed(self.function.get().expect("set above")))
    }

    /// The times of compiling it so far.
    pub fn times(&self) -> StageTimes {
        *self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_times(&self, times: StageTimes) {
        self.times.lock().unwrap_or_else(PoisonError::into_inner).add(times);
    }

    /// Makes the code of a marked variant, or takes it from the cache, and keeps it for all later dispatches.
    pub fn make(&self, mark: Mark) -> Result<Arc<Code>, Error> {
        let mut clock = StageClock::start();
        let code = self.make_by(mark, &mut clock);
        self.add_times(clock.times());
        code
    }

    /// The same with a clock. If code for given texel formats would be too large, the code without them is used.
    fn make_by(&self, mark: Mark, clock: &mut StageClock) -> Result<Arc<Code>, Error> {
        let variant = mark.variant();
        let cached = self.stored.as_ref().and_then(|stored| stored.load(variant, self.source.name()));
        let is_cached = cached.is_some();
        clock.end(CompileStage::Link)?;
        let code = match cached {
            Some((_, code)) => Some(code),
            None => self.generate(variant, clock)?,
        };
        let Some(code) = code else {
            let code = match self.variants.claim(&variant.without_texels()) {
                Claim::Made(code) => code,
                Claim::Mine(mark) => self.make_by(mark, clock)?,
                Claim::Full => unreachable!("there is always room for code without formats"),
            };
            return Ok(mark.keep(Made { code, is_cached }));
        };
        self.note_for_profilers(&code)?;
        Ok(mark.keep(Made { code: Arc::new(code), is_cached }))
    }

    /// Makes the code of a variant and stores it; `None` if code that accesses texels directly would be too large.
    fn generate(&self, variant: &Variant, clock: &mut StageClock) -> Result<Option<Code>, Error> {
        let (mut target, limits) = (self.source.target(), self.source.limits());
        if !variant.texels.is_empty() {
            // Only machine code has such variants.
            target.oversize = Oversize::Refuse;
        }
        let function = self.function_for(&variant.texels, clock)?;
        let code = match Code::new(&function, target, variant, self.source.name()) {
            Err(error) if error.is_size() && !variant.texels.is_empty() => return Ok(None),
            code => code?,
        };
        at_most(Limit::ArenaBytes, code.arena_bytes(), limits.arena_bytes)?;
        if let Some(stored) = &self.stored {
            stored.store(variant, &self.outline, &code);
        }
        end_code(clock, &code)?;
        Ok(Some(code))
    }

    /// The code with probes for a dispatch, if it is known, or known not to be.
    pub fn known_probed(&self, key: &ProbedKey, grid: &Grid) -> Option<Option<Arc<ProbedCode>>> {
        let probed = self.probed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(known, code): &&(ProbedKey, Option<Arc<ProbedCode>>)| {
            known == key && code.as_ref().is_none_or(|code| code.is_for(grid))
        };
        probed.iter().find(is_it).map(|(_, code)| code.clone())
    }

    /// Makes it, and keeps it; `None` if only the interpreter can check the shader.
    pub fn make_probed(&self, key: &ProbedKey, grid: &Grid) -> Result<Option<Arc<ProbedCode>>, Error> {
        let mut clock = StageClock::start();
        let made = self.generate_probed(key, grid, &mut clock);
        self.add_times(clock.times());
        let made = made?.map(Arc::new);
        let mut probed = self.probed.lock().unwrap_or_else(PoisonError::into_inner);
        if probed.len() < MOST_PROBED {
            probed.push((key.clone(), made.clone()));
        }
        Ok(made)
    }

    fn generate_probed(
        &self,
        key: &ProbedKey,
        grid: &Grid,
        clock: &mut StageClock,
    ) -> Result<Option<ProbedCode>, Error> {
        let mut target = self.source.target();
        target.oversize = Oversize::Refuse;
        let probed = self.source.probed(key, self.outline.width, grid)?;
        clock.end(CompileStage::Passes)?;
        let Some(probed) = probed else { return Ok(None) };
        let ProbedFunction { function, needs_first_content, conditions } = probed;
        let code = match Code::new(&function, target, &Variant::usual(), self.source.name()) {
            Err(error) if error.is_size() => return Ok(None),
            code => code?,
        };
        if code.arena_bytes() > self.source.limits().arena_bytes {
            return Ok(None);
        }
        end_code(clock, &code)?;
        let (declared, lanes) = (Declared::to_check(&function, &self.outline.declared), function.width.lanes());
        let sampled = function.interface.sampled.clone();
        Ok(Some(ProbedCode { code, declared, sampled, lanes, needs_first_content, conditions }))
    }

    fn note_for_profilers(&self, code: &Code) -> Result<(), Error> {
        match (&self.profiled, code.bytes()) {
            (Some(named), Some(bytes)) => named.add(bytes),
            _ => Ok(()),
        }
    }
}

/// Ends the stages of making code, whose times the code reports.
fn end_code(clock: &mut StageClock, code: &Code) -> Result<(), Error> {
    match code {
        Code::Jit(compiled) => {
            let Statistics { lower_time, codegen_time, widen_time, .. } = compiled.statistics();
            let others = [
                (CompileStage::Lower, lower_time),
                (CompileStage::Codegen, codegen_time),
                (CompileStage::Widen, widen_time),
            ];
            clock.end_with(CompileStage::Link, &others)
        }
        Code::Interpreter(_) => clock.end(CompileStage::Lower),
    }
}

/// Statistics of a shader's machine code: of its foremost variant.
pub(super) fn figures(shader: &Inner, variant: &Variant, code: &Code) -> Result<Option<CodeFigures>, Error> {
    let Code::Jit(compiled) = code else { return Ok(None) };
    let counts: Counts = with_stack(|| {
        let function = shader.function_for(&variant.texels, &mut StageClock::start())?;
        Ok(listing::count(&function, &shader.source.target().options_for(&function, compiled.packing())?)?)
    })?;
    let Statistics { code_bytes, frame_bytes, vector_bytes, is_refused, .. } = compiled.statistics();
    let Counts { instructions, spills, reloads, .. } = counts;
    Ok(Some(CodeFigures { bytes: code_bytes, instructions, frame_bytes, vector_bytes, is_refused, spills, reloads }))
}

/// A textual form of a shader, made for the bound views if they are known.
pub(super) fn emit(shader: &Inner, form: Emit, views: Option<&BoundViews>) -> Result<Listing, Error> {
    let code = |function: &VerifiedFunction, form| {
        let Inner { source, outline, .. } = shader;
        let options = source.target().options_for(function, usual_packing(function))?;
        let remarks = match views {
            Some(views) => views.sample_remarks(function, &outline.declared, source.copy_bytes()),
            None => unbound_remarks(function, &outline.declared),
        };
        Ok(listing::list(function, &options, form, &source.module().lines(), &remarks)?)
    };
    let texels = views.map(BoundViews::texel_formats).unwrap_or_default();
    with_stack(|| {
        let function = &shader.function_for(&texels, &mut StageClock::start())?;
        match form {
            Emit::Ir => Ok(Listing::plain(&function.to_string())),
            Emit::Packet => code(function, Form::Packet),
            Emit::Clif => code(function, Form::Clif),
            Emit::Asm => code(function, Form::Asm),
        }
    })
}
