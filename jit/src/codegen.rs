//! Runs Cranelift: target settings, code generation, and the checks on its result.

use std::ops::Range;
use std::time::{Duration, Instant};

use brolga_ir::Function;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::{self, OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{CompiledCode, Context, Final, MachSrcLoc, ir};
use serde::{Deserialize, Serialize};
use target_lexicon::{Architecture, Triple};

use crate::abi::{ArenaLayout, VoteRows};
use crate::code::ExecutableCode;
use crate::error::CompileError;
use crate::lower::notes::Notes;
use crate::lower::{self, Needs};
use crate::options::{CpuFeatures, Options, VectorBytes};
use crate::packet::PacketShape;
use crate::site::CodeSite;
use crate::widen::{Refusal, Wide, widen};

/// Makes machine code that was generated earlier with these options executable.
pub(crate) fn load(bytes: &[u8], options: &Options, name: &str) -> Result<ExecutableCode, CompileError> {
    let isa = host(options, TargetSettings::default())?;
    let signature = signature(&*isa);
    let code = ExecutableCode::new(isa, &signature, bytes, name);
    code.map_err(|source| CompileError::Memory { bytes: bytes.len(), source })
}

/// Target settings that depend on the function.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TargetSettings {
    /// Set if the code generator reports the starts of basic blocks.
    pub blocks: bool,
    /// Set if a pinned register is reserved for `lower/anchor.rs`.
    pub pinned: bool,
    /// Set if the code will be widened, frames included.
    pub widened: bool,
}

/// The target for this processor.
pub(crate) fn host(options: &Options, target: TargetSettings) -> Result<OwnedTargetIsa, CompileError> {
    let host = Triple::host();
    if host.architecture != Architecture::X86_64 {
        return Err(CompileError::Unsupported);
    }
    x86_64(host, options.features, target)
}

/// The signature of [`EntryFn`](crate::code::EntryFn).
fn signature(isa: &dyn TargetIsa) -> ir::Signature {
    let mut signature = ir::Signature::new(isa.default_call_conv());
    signature.params.push(ir::AbiParam::new(ir::types::I64));
    signature
}

/// Statistics of a compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Bytes of machine code with its constants.
    pub code_bytes: usize,
    /// Bytes of the stack frame.
    pub frame_bytes: u32,
    /// Instructions given to Cranelift.
    pub clif_insts: usize,
    /// Bytes of the vectors that hold packets.
    pub vector_bytes: u32,
    /// Set if vectors are smaller than asked for: the code could not be widened.
    pub is_refused: bool,
    /// Time to lower the IR; none if it was read.
    #[serde(skip)]
    pub lower_time: Duration,
    /// Time Cranelift took; none if it was read.
    #[serde(skip)]
    pub codegen_time: Duration,
    /// Time to widen its code; none if it was read.
    #[serde(skip)]
    pub widen_time: Duration,
}

impl Statistics {
    /// Vectors of a packet of 32-bit values.
    pub(crate) fn vectors(self, func: &Function) -> u32 {
        func.width.lanes() * 4 / self.vector_bytes
    }
}

/// Machine code before it is made executable.
#[derive(Debug)]
pub(crate) struct Machine {
    pub bytes: Vec<u8>,
    pub arena: ArenaLayout,
    pub votes: Option<VoteRows>,
    pub suspected: Box<[u32]>,
    pub statistics: Statistics,
}

/// The data that a listing needs besides the code.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Cranelift's input.
    pub clif: String,
    /// Sites of ranges of code, in order; a gap belongs to the range before it.
    pub sites: Vec<(Range<u32>, CodeSite)>,
    /// Offsets of basic blocks.
    pub blocks: Vec<u32>,
    /// Offsets of the blocks that are jump targets.
    pub jumps: Vec<u32>,
    /// Lowering decisions.
    pub notes: Notes,
    /// The reason why vectors are smaller than the options ask for.
    pub refusal: Option<Refusal>,
}

/// Generates code for this processor.
pub(crate) fn generate(func: &Function, options: &Options) -> Result<Machine, CompileError> {
    generate_with(func, options, None)
}

/// Generates the same code, and the record for a listing.
pub(crate) fn generate_recorded(func: &Function, options: &Options) -> Result<(Machine, Record), CompileError> {
    let mut record = Record::default();
    let machine = generate_with(func, options, Some(&mut record))?;
    Ok((machine, record))
}

/// Generates wide code if the options ask for it, or 128-bit code if that is refused.
fn generate_with(func: &Function, options: &Options, mut record: Option<&mut Record>) -> Result<Machine, CompileError> {
    let settings = TargetSettings { blocks: record.is_some(), pinned: lower::is_large(func), widened: false };
    let mut refusal = None;
    if PacketShape::of(func, options).is_widened() {
        let isa = host(options, TargetSettings { blocks: true, widened: true, ..settings })?;
        match run(func, options, &*isa, record.as_deref_mut()) {
            Ok(machine) => return Ok(machine),
            Err(Failure::Refused(found)) => refusal = Some(found),
            Err(Failure::Error(error)) => return Err(error),
        }
    }
    let stock = Options { vector_bytes: VectorBytes::Sixteen, ..*options };
    let isa = host(options, settings)?;
    if let Some(record) = &mut record {
        **record = Record::default();
    }
    let mut machine = run(func, &stock, &*isa, record.as_deref_mut()).map_err(|failure| match failure {
        Failure::Error(error) => error,
        Failure::Refused(refusal) => unreachable!("stock code is not widened: {refusal}"),
    })?;
    machine.statistics.is_refused = refusal.is_some();
    if let Some(record) = record {
        record.refusal = refusal;
    }
    Ok(machine)
}

/// The reason why there is no code.
enum Failure {
    Error(CompileError),
    Refused(Refusal),
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Self {
        Failure::Error(error)
    }
}

/// Machine code as Cranelift makes it.
pub(crate) struct Stock {
    pub bytes: Vec<u8>,
    /// Offsets of basic blocks, if the target reports them.
    pub block_starts: Vec<u32>,
    frame_bytes: u32,
    needs: lower::Needs,
    clif_insts: usize,
    lower_time: Duration,
    codegen_time: Duration,
}

/// Lowers a function and runs Cranelift.
pub(crate) fn stock(
    func: &Function,
    options: &Options,
    isa: &dyn TargetIsa,
    mut record: Option<&mut Record>,
) -> Result<Stock, CompileError> {
    let start = Instant::now();
    let mut context = Context::new();
    context.func.signature = signature(isa);
    let needs =
        lower::lower(func, options, isa, &mut context.func, record.as_deref_mut().map(|record| &mut record.notes))?;
    let lower_time = start.elapsed();
    if let Some(record) = &mut record {
        record.clif = context.func.display().to_string();
    }

    let start = Instant::now();
    let clif_insts = context.func.dfg.num_insts();
    if let Err(error) = context.compile(isa, &mut ControlPlane::default()) {
        let message = cranelift_codegen::print_errors::pretty_error(error.func, error.inner);
        return Err(CompileError::Codegen { message });
    }
    let code = context.compiled_code().expect("compilation succeeded");
    assert!(code.buffer.relocs().is_empty(), "compiled code reaches everything through its context");
    if let Some(record) = record {
        record.read(code);
    }
    Ok(Stock {
        bytes: code.code_buffer().to_vec(),
        block_starts: code.bb_starts.clone(),
        frame_bytes: code.buffer.frame_layout().map_or(0, |frame| frame.frame_to_fp_offset),
        needs,
        clif_insts,
        lower_time,
        codegen_time: start.elapsed(),
    })
}

/// Makes code with vectors of the size that the options ask for.
fn run(
    func: &Function,
    options: &Options,
    isa: &dyn TargetIsa,
    mut record: Option<&mut Record>,
) -> Result<Machine, Failure> {
    let Stock { mut bytes, block_starts, mut frame_bytes, needs, clif_insts, lower_time, codegen_time } =
        stock(func, options, isa, record.as_deref_mut())?;
    let start = Instant::now();
    let PacketShape { vector_bytes, .. } = PacketShape::of(func, options);
    if vector_bytes > 16 {
        let wide = widen(&bytes, &block_starts, (vector_bytes / 16) as u8).map_err(Failure::Refused)?;
        if let Some(record) = record {
            record.follow(&wide);
        }
        (bytes, frame_bytes) = (wide.bytes, wide.frame_bytes);
    }
    let widen_time = start.elapsed();
    if frame_bytes > crate::MAX_FRAME_BYTES {
        return Err(CompileError::Frame { bytes: frame_bytes, limit: crate::MAX_FRAME_BYTES }.into());
    }
    let (code_bytes, is_refused) = (bytes.len(), false);
    let statistics = Statistics {
        code_bytes,
        frame_bytes,
        clif_insts,
        vector_bytes,
        is_refused,
        lower_time,
        codegen_time,
        widen_time,
    };
    let Needs { arena, votes, suspected } = needs;
    Ok(Machine { bytes, arena, votes, suspected, statistics })
}

impl Record {
    fn read(&mut self, code: &CompiledCode) {
        let site = |found: &MachSrcLoc<Final>| Some((found.start..found.end, CodeSite::from_location(found.loc)?));
        self.sites = code.buffer.get_srclocs_sorted().iter().filter_map(site).collect();
        // An empty block at the end is the start of the data, once the jump in it is gone.
        let end = self.sites.last().map_or(0, |(range, _)| range.end);
        self.blocks = code.bb_starts.iter().copied().filter(|&start| start < end).collect();
        let next = |from: u32| self.blocks.get(self.blocks.partition_point(|&start| start <= from)).copied();
        self.jumps = code.bb_edges.iter().filter(|&&(from, to)| next(from) != Some(to)).map(|&(_, to)| to).collect();
    }
}

impl Record {
    /// Moves all offsets to those in widened code.
    fn follow(&mut self, wide: &Wide) {
        for (range, _) in &mut self.sites {
            *range = wide.offset(range.start)..wide.offset(range.end);
        }
        let starts = self.blocks.iter_mut().chain(&mut self.jumps);
        starts.for_each(|at| *at = wide.offset(*at));
    }
}

/// The x86-64 target with these features and nothing above them: Cranelift's AVX-512 forms would only get in the way of
/// a later widening, and results do not depend on features.
fn x86_64(triple: Triple, features: CpuFeatures, target: TargetSettings) -> Result<OwnedTargetIsa, CompileError> {
    let mut builder = isa::lookup(triple).map_err(|_| CompileError::Unsupported)?;
    let floor = ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt", "has_cmpxchg16b"];
    let above = [("has_avx", features.avx), ("has_avx2", features.avx2), ("has_fma", features.fma)];
    for (name, on) in floor.map(|name| (name, true)).into_iter().chain(above) {
        let value = if on { "true" } else { "false" };
        builder.set(name, value).expect("Cranelift knows these features");
    }
    builder.finish(flags(target)).map_err(codegen_error)
}

/// Settings for every target. No optimisation: Cranelift's would undo the order in which packets are written. Frames of
/// more than a page touch each of their pages in order, so that a thread whose stack is too small hits the guard page
/// and never the memory beyond it.
pub(crate) fn flags(target: TargetSettings) -> settings::Flags {
    let mut builder = settings::builder();
    let on = |on: bool| if on { "true" } else { "false" };
    for (name, value) in [
        ("opt_level", "none"),
        ("enable_verifier", on(cfg!(debug_assertions))),
        ("unwind_info", "false"),
        ("is_pic", "false"),
        // Widening enlarges frames, and has probes of its own.
        ("enable_probestack", on(!target.widened)),
        ("probestack_strategy", "inline"),
        ("probestack_size_log2", "12"),
        ("enable_alias_analysis", "false"),
        ("machine_code_cfg_info", on(target.blocks)),
        ("enable_pinned_reg", on(target.pinned)),
    ] {
        builder.set(name, value).expect("Cranelift knows these settings");
    }
    settings::Flags::new(builder)
}

fn codegen_error(error: cranelift_codegen::CodegenError) -> CompileError {
    CompileError::Codegen { message: error.to_string() }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use brolga_ir::builder::only;
    use brolga_ir::entity::ResourceId;
    use brolga_ir::function::{Input, MemoryRef, Object};
    use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind};
    use brolga_ir::stage::Stage;
    use brolga_ir::{Builder, Op};
    use cranelift_codegen::ir::InstBuilder;
    use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

    /// A listing must show the code that runs.
    #[test]
    fn recording_does_not_change_the_code() {
        let func = numbered();
        let Some(options) = Options::host() else { return };
        for vector_bytes in VectorBytes::ALL {
            let options = Options { vector_bytes, ..options };
            let plain = generate(&func, &options).unwrap();
            let (recorded, record) = generate_recorded(&func, &options).unwrap();
            assert_eq!(plain.bytes, recorded.bytes);
            assert!(record.sites.iter().any(|(_, site)| matches!(site, CodeSite::Inst { .. })));
            assert!(record.sites.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
        }
    }

    #[test]
    fn large_frames_touch_every_page_of_the_stack() {
        let Some(options) = Options::host() else { return };
        let isa = host(&options, TargetSettings::default()).unwrap();
        // `mov dword [rsp], 0`, in a loop if there are more than four pages.
        let probe = [0xc7, 0x04, 0x24, 0, 0, 0, 0];
        for (frame_bytes, probes) in [(64, 0), (4000, 0), (4096, 1), (12_300, 3), (100_000, 1)] {
            let mut context = Context::new();
            context.func.signature = signature(&*isa);
            let kind = ir::StackSlotKind::ExplicitSlot;
            context.func.create_sized_stack_slot(ir::StackSlotData::new(kind, frame_bytes, 4));
            let mut builder_context = FunctionBuilderContext::new();
            let mut builder = FunctionBuilder::new(&mut context.func, &mut builder_context);
            let block = builder.create_block();
            builder.append_block_params_for_function_params(block);
            builder.switch_to_block(block);
            builder.ins().return_(&[]);
            builder.seal_all_blocks();
            builder.finalize(isa.frontend_config());
            context.compile(&*isa, &mut ControlPlane::default()).unwrap();
            let bytes = context.compiled_code().unwrap().code_buffer();
            assert_eq!(bytes.windows(probe.len()).filter(|bytes| *bytes == probe).count(), probes, "{frame_bytes}");
        }
    }

    /// Nothing in the lowering's own code is bound to x86-64; operations in `packet/` may be.
    #[cfg(feature = "arm64")]
    #[test]
    fn code_for_another_processor_is_generated() {
        let func = numbered();
        let isa = isa::lookup("aarch64-unknown-linux-gnu".parse().unwrap())
            .unwrap()
            .finish(flags(TargetSettings::default()))
            .unwrap();
        let options = Options {
            features: CpuFeatures::default(),
            vector_bytes: VectorBytes::default(),
            packing: brolga_ir::span::Packing::Group,
            most_instructions: u32::MAX,
        };
        let Ok(machine) = run(&func, &options, &*isa, None) else { panic!("no code") };
        // Instructions of AArch64 are words, and this is how its functions return.
        assert!(machine.bytes.len().is_multiple_of(4));
        assert!(machine.bytes.chunks(4).any(|word| word == 0xd65f_03c0_u32.to_le_bytes()));
    }

    /// Adds to each word of a buffer the number of its thread.
    pub fn numbered() -> Function {
        let resources = vec![Resource {
            class: ResourceClass::UnorderedAccess,
            kind: ResourceKind::Raw,
            space: 0,
            lower: 0,
            count: Some(1),
            uses_counter: false,
            is_ordered: false,
            element_bytes: None,
        }];
        let mut func = Function::new(
            "test",
            Interface { stage: Stage::Compute { group_size: [64, 1, 1] }, resources, ..Interface::default() },
        );
        let mut b = Builder::new(&mut func);
        let (index, four, always) = (b.input(Input::ThreadIndex), b.i32(4), b.bool(true));
        let offset = b.op(Op::IMul, &[index, four]);
        let place = MemoryRef { object: Object::Resource(only(ResourceId::new(0))), index: None, offset };
        let old = b.load(place, 1)[0];
        let sum = b.op(Op::IAdd, &[old, index]);
        b.store(place, &[sum], always);
        b.return_();
        func
    }
}
