//! From Cranelift's input to machine code: target settings, the code generator's run, what is asserted of its result.

use std::time::Instant;

use brolga_ir::Function;
use brolga_ir::verify::VerifiedFunction;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, ir};
use target_lexicon::{Architecture, Triple};

use crate::code::ExecutableCode;
use crate::compiled::{Compiled, Listings, Statistics};
use crate::error::CompileError;
use crate::lower::{self, LANES};
use crate::mxcsr::FloatMode;
use crate::options::{CpuFeatures, Options};

/// Compiles a shader for groups of threads.
///
/// # Errors
/// If the processor has no code generator, or the shader goes over a limit.
pub fn compile(func: &VerifiedFunction, options: &Options) -> Result<Compiled, CompileError> {
    if options.vectors != 2 {
        return Err(CompileError::PacketShape { vectors: options.vectors });
    }
    let host = Triple::host();
    if host.architecture != Architecture::X86_64 {
        return Err(CompileError::Unsupported);
    }
    let isa = x86_64(host, options.features)?;
    let machine = generate(func, options, &*isa)?;
    let bytes = machine.bytes.len();
    let code = ExecutableCode::new(isa.clone(), &signature(&*isa), &machine.bytes)
        .map_err(|source| CompileError::Memory { bytes, source })?;
    Ok(Compiled {
        code,
        float_mode: FloatMode::of(func),
        arena: machine.arena,
        threads: thread_table(func),
        immediate: func.interface.immediate.iter().flatten().copied().collect(),
        listings: machine.listings,
        statistics: machine.statistics,
    })
}

/// The signature of [`Entry`](crate::code::Entry).
fn signature(isa: &dyn TargetIsa) -> ir::Signature {
    let mut signature = ir::Signature::new(isa.default_call_conv());
    signature.params.push(ir::AbiParam::new(ir::types::I64));
    signature
}

/// Machine code before it is made executable.
pub(crate) struct Machine {
    pub bytes: Vec<u8>,
    pub arena: crate::ArenaLayout,
    pub listings: Listings,
    pub statistics: Statistics,
}

/// Generates code for any target that Cranelift knows.
pub(crate) fn generate(func: &Function, options: &Options, isa: &dyn TargetIsa) -> Result<Machine, CompileError> {
    let start = Instant::now();
    let mut context = Context::new();
    context.func.signature = signature(isa);
    let arena = lower::lower(func, options, isa, &mut context.func)?;
    let lower_time = start.elapsed();
    let clif = if options.listings { context.func.display().to_string() } else { String::new() };
    context.set_disasm(options.listings);

    let start = Instant::now();
    let clif_insts = context.func.dfg.num_insts();
    if let Err(error) = context.compile(isa, &mut ControlPlane::default()) {
        let message = cranelift_codegen::print_errors::pretty_error(error.func, error.inner);
        return Err(CompileError::Codegen { message });
    }
    let code = context.compiled_code().expect("compilation succeeded");
    assert!(code.buffer.relocs().is_empty(), "compiled code reaches everything through its context");
    let frame_bytes = code.buffer.frame_layout().map_or(0, |frame| frame.frame_to_fp_offset);
    if frame_bytes > crate::MAX_FRAME_BYTES {
        return Err(CompileError::Frame { bytes: frame_bytes, limit: crate::MAX_FRAME_BYTES });
    }
    let bytes = code.code_buffer().to_vec();
    let statistics =
        Statistics { code_bytes: bytes.len(), frame_bytes, clif_insts, lower_time, codegen_time: start.elapsed() };
    let listings = Listings { clif, asm: code.vcode.clone().unwrap_or_default() };
    Ok(Machine { bytes, arena, listings, statistics })
}

/// The x86-64 target with these features and nothing above them: Cranelift's AVX-512 forms would only get in the way of
/// a later widening, and results do not depend on features.
fn x86_64(triple: Triple, features: CpuFeatures) -> Result<OwnedTargetIsa, CompileError> {
    let mut builder = isa::lookup(triple).map_err(|_| CompileError::Unsupported)?;
    let floor = ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt", "has_cmpxchg16b"];
    let above = [("has_avx", features.avx), ("has_avx2", features.avx2), ("has_fma", features.fma)];
    for (name, on) in floor.map(|name| (name, true)).into_iter().chain(above) {
        let value = if on { "true" } else { "false" };
        builder.set(name, value).expect("Cranelift knows these features");
    }
    builder.finish(flags()).map_err(codegen_error)
}

/// Settings for every target. No optimisation: Cranelift's would undo the order in which packets are written.
pub(crate) fn flags() -> settings::Flags {
    let mut builder = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", "none"),
        ("enable_verifier", verify),
        ("unwind_info", "false"),
        ("is_pic", "false"),
        ("enable_probestack", "false"),
        ("enable_alias_analysis", "false"),
    ] {
        builder.set(name, value).expect("Cranelift knows these settings");
    }
    settings::Flags::new(builder)
}

fn codegen_error(error: cranelift_codegen::CodegenError) -> CompileError {
    CompileError::Codegen { message: error.to_string() }
}

/// `vThreadIDInGroup` of every thread, component by component, padded to whole packets.
fn thread_table(func: &Function) -> Box<[u32]> {
    let [width, height, _] = func.interface.group_size;
    let threads = func.interface.threads_per_group().next_multiple_of(LANES);
    let component = |n: u32| {
        move |thread: u32| match n {
            0 => thread % width,
            1 => thread / width % height,
            _ => thread / width / height,
        }
    };
    (0..3).flat_map(|n| (0..threads).map(component(n))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use brolga_ir::builder::only;
    use brolga_ir::entity::ResourceId;
    use brolga_ir::function::{Input, Object, Place};
    use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind};
    use brolga_ir::{Builder, Op};

    /// Nothing in the lowering's own code is bound to x86-64; operations in `packet/` may be.
    #[test]
    fn code_for_another_processor_is_generated() {
        let resources = vec![Resource {
            class: ResourceClass::UnorderedAccess,
            kind: ResourceKind::Raw,
            space: 0,
            lower: 0,
            count: Some(1),
            uses_counter: false,
        }];
        let mut func = Function::new("test", Interface { group_size: [64, 1, 1], resources, ..Interface::default() });
        let mut b = Builder::new(&mut func);
        let (index, four, always) = (b.input(Input::ThreadIndex), b.i32(4), b.bool(true));
        let offset = b.op(Op::IMul, &[index, four]);
        let place = Place { object: Object::Resource(only(ResourceId::new(0))), index: None, offset };
        let old = b.load(place, 1)[0];
        let sum = b.op(Op::IAdd, &[old, index]);
        b.store(place, &[sum], always);
        b.return_();
        let isa = isa::lookup("aarch64-unknown-linux-gnu".parse().unwrap()).unwrap().finish(flags()).unwrap();
        let options = Options { features: CpuFeatures::default(), vectors: 2, listings: true };
        let machine = generate(&func, &options, &*isa).unwrap();
        assert!(!machine.bytes.is_empty() && machine.listings.asm.contains("ldr"));
    }
}
