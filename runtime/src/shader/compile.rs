//! From bytes to something that runs, in one visible list.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock, RwLock};

use brolga_bytecode::sm5::{Item, ItemKind, Stage, ValidProgram};
use brolga_bytecode::{Decoded, LoadOptions};
use brolga_ir::Width;
use brolga_ir::function::Origin;
use brolga_ir::interface::{Interface, ResourceKind};
use brolga_ir::passes::{self, Level};
use brolga_ir::texel::TexelFormat;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_jit::Statistics;
use brolga_jit::listing::{self, Counts, Form, Listing, SourceLine};

use super::figures::{CodeFigures, CompileStage, StageClock};
use super::{CompileOptions, Emit, Inner, Outline, Stored, Variant, linkage};
use crate::device::Device;
use crate::engine::{Code, Target, usual_packing};
use crate::error::{Error, Limit, internal};
use crate::limits::Limits;
use crate::perf_map::one_line;

/// A shader as it was read, and what its function is made with.
#[derive(Debug)]
pub(super) struct Source {
    program: ValidProgram,
    translation: TranslateOptions,
    level: Level,
    width: Option<Width>,
    /// What profilers call its code.
    name: String,
    target: Target,
    limits: Limits,
}

impl Source {
    /// Reads and checks a container.
    fn load(
        container: &[u8],
        options: &CompileOptions,
        device: &Device,
        clock: &mut StageClock,
    ) -> Result<Self, Error> {
        let limits = device.limits();
        let mut load = LoadOptions::default();
        load.limits = limits.file.clone();
        let decoded = Decoded::new(container, &load)?;
        clock.end(CompileStage::Decode)?;
        let loaded = decoded.check()?;
        let stage = loaded.program.stage();
        if stage != Stage::Compute {
            return Err(Error::Stage { stage });
        }
        let mut translation = TranslateOptions::default();
        translation.classes = linkage::link(&loaded, &options.instances)?;
        let CompileOptions { engine, oversize, level, width, .. } = *options;
        let (features, most_instructions) = (device.features(), limits.code_instructions);
        let target = Target { engine, features, most_instructions, oversize };
        clock.end(CompileStage::Validate)?;
        let (name, limits) = (profiled_name(container, options), limits.clone());
        Ok(Self { program: loaded.program, translation, level, width, name, target, limits })
    }

    pub fn program(&self) -> &ValidProgram {
        &self.program
    }

    /// What profilers call its code.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What code is made for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// What the shader means.
    pub fn function(&self, clock: &mut StageClock) -> Result<VerifiedFunction, Error> {
        self.make_function(&[], self.width, clock)
    }

    /// The same, going to texels of these formats by itself. Packets are as wide as those of the usual code.
    pub fn function_for(&self, texels: &[Option<TexelFormat>], width: Width) -> Result<VerifiedFunction, Error> {
        self.make_function(texels, Some(width), &mut StageClock::start())
    }

    fn make_function(
        &self,
        texels: &[Option<TexelFormat>],
        width: Option<Width>,
        clock: &mut StageClock,
    ) -> Result<VerifiedFunction, Error> {
        let mut function = translate(&self.program, &self.translation)?;
        check_limits(&function.interface, &self.limits)?;
        clock.end(CompileStage::Translate)?;
        passes::optimise_for(&mut function, self.level, texels);
        function.width = width.unwrap_or(function.width);
        clock.end(CompileStage::Passes)?;
        let function = verify(function)?;
        clock.end(CompileStage::Verify)?;
        Ok(function)
    }
}

/// What profilers call a shader's code.
fn profiled_name(container: &[u8], options: &CompileOptions) -> String {
    // A container has its checksum behind its four letters.
    let checksum = || container[4..12].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("brolga:{}:main", options.name.as_deref().map_or_else(checksum, one_line))
}

/// Compiles a container, or takes its code from the cache. A panic, which would be a fault of ours, becomes an error.
pub(super) fn compile(
    container: &[u8],
    options: &CompileOptions,
    device: &Device,
    clock: StageClock,
) -> Result<Inner, Error> {
    catch_unwind(AssertUnwindSafe(|| compile_unguarded(container, options, device, clock)))
        .unwrap_or_else(|panic| Err(internal(&*panic)))
}

fn compile_unguarded(
    container: &[u8],
    options: &CompileOptions,
    device: &Device,
    mut clock: StageClock,
) -> Result<Inner, Error> {
    let source = Source::load(container, options, device, &mut clock)?;
    let profile = || format!("{}_{}", source.program.stage(), source.program.model());
    let stored = device
        .cache()
        .and_then(|cache| Stored::new(cache, container, options, device.limits(), source.target, profile()));
    let cached = stored.as_ref().and_then(|stored| stored.load(&Variant::usual(), &source.name));
    let is_cached = cached.is_some();
    clock.end(CompileStage::Link)?;
    let (function, outline, code) = match cached {
        Some((outline, code)) => (OnceLock::new(), outline, code),
        None => {
            let function = source.function(&mut clock)?;
            let (outline, code) = generate(&function, &source, device.limits())?;
            if let Some(stored) = &stored {
                stored.store(&Variant::usual(), &outline, &code);
            }
            end_code(&mut clock, &code)?;
            (OnceLock::from(function), outline, code)
        }
    };
    clock.end(CompileStage::Link)?;
    Ok(Inner {
        code: Arc::new(code),
        others: RwLock::default(),
        source,
        function,
        outline,
        stored,
        is_cached,
        compile_times: clock.times(),
        profiled: None,
    })
}

/// Makes the code for the usual dispatch. What is within these limits may be stored: they are in its key.
fn generate(function: &VerifiedFunction, source: &Source, limits: &Limits) -> Result<(Outline, Code), Error> {
    let outline = Outline::of(function);
    for range in &outline.declared {
        at_most(Limit::RangeRegisters, range.table_len, limits.range_registers)?;
    }
    let code = Code::new(function, source.target, usual_packing(function), &source.name)?;
    at_most(Limit::ArenaBytes, code.arena_bytes(), limits.arena_bytes)?;
    Ok((outline, code))
}

/// Ends the stages that code goes through together.
fn end_code(clock: &mut StageClock, code: &Code) -> Result<(), Error> {
    match code {
        Code::Jit(compiled) => {
            let Statistics { lower_time, codegen_time, .. } = compiled.statistics();
            clock.end_with(
                CompileStage::Link,
                &[(CompileStage::Lower, lower_time), (CompileStage::Codegen, codegen_time)],
            )
        }
        Code::Interpreter(_) => clock.end(CompileStage::Lower),
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

fn at_most(limit: Limit, value: impl Into<u64>, most: impl Into<u64>) -> Result<(), Error> {
    let (value, most) = (value.into(), most.into());
    if value > most { Err(Error::OverLimit { limit, value, most }) } else { Ok(()) }
}

/// What machine code is made of.
pub(super) fn figures(shader: &Inner) -> Result<Option<CodeFigures>, Error> {
    let Code::Jit(compiled) = &*shader.code else { return Ok(None) };
    let count = || Ok(listing::count(shader.function()?, &shader.source.target.jit_options(compiled.packing())?)?);
    let counts: Counts = catch_unwind(AssertUnwindSafe(count)).unwrap_or_else(|panic| Err(internal(&*panic)))?;
    let Statistics { code_bytes, frame_bytes, .. } = compiled.statistics();
    let Counts { instructions, spills, reloads, .. } = counts;
    Ok(Some(CodeFigures { bytes: code_bytes, instructions, frame_bytes, spills, reloads }))
}

/// A form of a shader as text, made for these formats of texels.
pub(super) fn emit(shader: &Inner, form: Emit, texels: &[Option<TexelFormat>]) -> Result<Listing, Error> {
    let code = |function: &VerifiedFunction, form| {
        let options = shader.source.target.jit_options(usual_packing(function))?;
        Ok(listing::list(function, &options, form, &lines(shader.source.program()))?)
    };
    let text = || {
        let special;
        let function = match texels {
            [] => shader.function()?,
            texels => {
                special = shader.source.function_for(texels, shader.outline.width)?;
                &special
            }
        };
        match form {
            Emit::Ir => Ok(Listing::plain(&function.to_string())),
            Emit::Packet => code(function, Form::Packet),
            Emit::Clif => code(function, Form::Clif),
            Emit::Asm => code(function, Form::Asm),
        }
    };
    catch_unwind(AssertUnwindSafe(text)).unwrap_or_else(|panic| Err(internal(&*panic)))
}

/// The instructions of a shader, declarations left out.
fn lines(program: &ValidProgram) -> Vec<SourceLine> {
    let line = |item: &Item| match &item.kind {
        ItemKind::Instruction(instruction) => {
            Some(SourceLine { origin: Origin(item.at), text: instruction.to_string() })
        }
        _ => None,
    };
    program.items().iter().filter_map(line).collect()
}
