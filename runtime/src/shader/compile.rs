//! From bytes to something that runs, in one visible list.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::Instant;

use brolga_bytecode::sm5::{Item, ItemKind, Stage, ValidProgram};
use brolga_bytecode::{LoadOptions, Shader as Loaded};
use brolga_ir::function::Origin;
use brolga_ir::interface::{Interface, ResourceKind};
use brolga_ir::passes;
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::{VerifiedFunction, verify};
use brolga_jit::listing::{Form, Listing, SourceLine};

use super::{CompileOptions, Declared, Emit, Inner, linkage};
use crate::engine::{Code, jit_options, usual_packing};
use crate::error::{Error, Limit, internal};
use crate::limits::Limits;

/// Compiles a container. A panic, which would be a fault of ours, becomes an error.
pub(super) fn compile(container: &[u8], options: &CompileOptions, limits: &Limits) -> Result<Inner, Error> {
    catch_unwind(AssertUnwindSafe(|| compile_unguarded(container, options, limits)))
        .unwrap_or_else(|panic| Err(internal(&*panic)))
}

fn compile_unguarded(container: &[u8], options: &CompileOptions, limits: &Limits) -> Result<Inner, Error> {
    let start = Instant::now();
    let mut load = LoadOptions::default();
    load.limits = limits.file.clone();
    let loaded = Loaded::load(container, &load)?;
    let stage = loaded.program.stage();
    if stage != Stage::Compute {
        return Err(Error::Stage { stage });
    }
    let mut translation = TranslateOptions::default();
    translation.classes = linkage::link(&loaded, &options.instances)?;
    let program = loaded.program;
    let mut function = translate(&program, &translation)?;
    check_limits(&function.interface, limits)?;
    passes::optimise(&mut function, options.level);
    function.width = options.width.unwrap_or(function.width);
    let function = verify(function)?;
    let declared = Declared::of(&function);
    for range in &declared {
        at_most(Limit::RangeRegisters, range.table_len, limits.range_registers)?;
    }
    let code = Code::new(&function, options.engine, usual_packing(&function))?;
    at_most(Limit::ArenaBytes, code.arena_bytes(), limits.arena_bytes)?;
    Ok(Inner {
        code,
        for_short_rows: OnceLock::new(),
        program,
        function,
        declared,
        compile_time: start.elapsed(),
        profiled: None,
    })
}

/// Holds what a shader declares against the device's limits, before memory is taken for it.
fn check_limits(interface: &Interface, limits: &Limits) -> Result<(), Error> {
    let threads: u64 = interface.group_size.map(u64::from).iter().product();
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

/// A form of a shader as text.
pub(super) fn emit(program: &ValidProgram, function: &VerifiedFunction, form: Emit) -> Result<Listing, Error> {
    let code = |form| {
        let options = jit_options(usual_packing(function))?;
        Ok(brolga_jit::listing::list(function, &options, form, &source(program))?)
    };
    let text = || match form {
        Emit::Ir => Ok(Listing::plain(&function.to_string())),
        Emit::Packet => code(Form::Packet),
        Emit::Clif => code(Form::Clif),
        Emit::Asm => code(Form::Asm),
    };
    catch_unwind(AssertUnwindSafe(text)).unwrap_or_else(|panic| Err(internal(&*panic)))
}

/// The instructions of a shader, declarations left out.
fn source(program: &ValidProgram) -> Vec<SourceLine> {
    let line = |item: &Item| match &item.kind {
        ItemKind::Instruction(instruction) => {
            Some(SourceLine { origin: Origin(item.at), text: instruction.to_string() })
        }
        _ => None,
    };
    program.items().iter().filter_map(line).collect()
}
