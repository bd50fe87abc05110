//! Runs packet code on the processor: functions built directly with Cranelift, for every packet shape and feature
//! level.
//!
//! All unsafe code of the packet tests is here.

use std::collections::HashMap;

use brolga_ir::bound::Bounds;
use brolga_ir::float_class::FloatClasses;
use brolga_ir::flow::Flow;
use brolga_ir::function::{Input, InstKind};
use brolga_ir::{Builder, Function as IrFunction, Op, Type, entity};
use brolga_jit::ops::{Known, lower_op};
use brolga_jit::packet::{Emit, Fma, Packet, PacketContext, PacketOperand, PacketShape, is_wide};
use brolga_jit::widen::widen;
use brolga_jit::{CpuFeatures, FloatGuard, FloatMode};
pub use brolga_testing_base::random::Random;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{AbiParam, Function, InstBuilder, MemFlagsData, Signature, UserFuncName, Value, types};
use cranelift_codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use memmap2::{Mmap, MmapMut, MmapOptions};

/// Most lanes of a tested shape.
pub const MAX_LANES: usize = 32;

/// Most pointers that a tested function gets.
pub const POINTERS: usize = 4;

/// The context record of the tested code.
#[repr(C, align(64))]
pub struct Record {
    lanes: [u32; MAX_LANES],
    /// The words that masked-off lanes wrote.
    pub dump: [u32; 4],
    helpers: *const [usize; 2],
    operands: [[f64; MAX_LANES]; 3],
    result: [f64; MAX_LANES],
}

static HELPERS: std::sync::LazyLock<[usize; 2]> =
    std::sync::LazyLock::new(|| [fused_floats as *const () as usize, fused_doubles as *const () as usize]);

impl Record {
    /// A record as the runtime would make it.
    pub fn new() -> Self {
        Self {
            lanes: std::array::from_fn(|lane| lane as u32),
            dump: [0; 4],
            helpers: &*HELPERS,
            operands: [[0.0; MAX_LANES]; 3],
            result: [0.0; MAX_LANES],
        }
    }
}

/// Stand in for the helpers that the runtime has.
extern "C" fn fused_floats(record: *mut Record, _: u32, _: u32, _: u32) -> u32 {
    let fused = |operands: [f64; 3]| {
        let [a, b, c] = operands.map(|x| x as f32);
        f64::from(brolga_ir::float::fma(a, b, c))
    };
    // SAFETY: compiled code passes the record that `Compiled::run` gave it, which nothing else refers to meanwhile.
    fuse(unsafe { &mut *record }, fused)
}

extern "C" fn fused_doubles(record: *mut Record, _: u32, _: u32, _: u32) -> u32 {
    // SAFETY: likewise.
    fuse(unsafe { &mut *record }, |[a, b, c]| a.mul_add(b, c))
}

fn fuse(record: &mut Record, compute: impl Fn([f64; 3]) -> f64) -> u32 {
    for lane in 0..MAX_LANES {
        record.result[lane] = compute(record.operands.map(|row| row[lane]));
    }
    0
}

/// Flags of memory whose words are aligned.
pub const FLAGS: MemFlagsData = MemFlagsData::new().with_notrap();

/// Instruction sets that the code may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// x86-64-v2.
    Floor,
    /// With AVX2 and FMA. Code for larger vectors than those have is made of the same.
    Avx2,
}

impl Level {
    /// The levels that this processor has.
    pub fn all() -> Vec<Level> {
        let avx = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
        if avx { vec![Level::Floor, Level::Avx2] } else { vec![Level::Floor] }
    }
}

/// Everything that selects code besides the operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Variant {
    pub level: Level,
    pub shape: PacketShape,
}

impl Variant {
    /// Every tested variant.
    pub fn all() -> Vec<Variant> {
        let shapes = |vector_bytes| {
            [1, 2, 4].map(|vectors| PacketShape { vector_bytes, vectors, rotates: false, gathers: false })
        };
        let widest = [(64, 1), (64, 2), (32, 2)].map(|(vector_bytes, vectors)| Variant {
            level: Level::Avx2,
            shape: PacketShape { vector_bytes, vectors, rotates: true, gathers: true },
        });
        let has_widest = CpuFeatures::detect().is_some_and(|features| features.avx512);
        if !has_widest {
            println!("skipped: the processor has no AVX-512");
        }
        let stock = |level| shapes(16).map(|shape| Variant { level, shape });
        let wide = |level| shapes(32).map(|shape| Variant { level, shape });
        let levels = Level::all();
        let widened = levels.iter().filter(|&&level| level == Level::Avx2);
        levels
            .iter()
            .copied()
            .flat_map(stock)
            .chain(widened.copied().flat_map(wide))
            .chain(widest.into_iter().filter(|_| has_widest))
            .collect()
    }
}

/// Compiled test functions, found by number.
pub struct Code {
    isa: OwnedTargetIsa,
    variant: Variant,
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl Code {
    /// No functions yet.
    pub fn new(variant: Variant) -> Self {
        let mut shared = settings::builder();
        for (name, value) in [
            ("opt_level", "none"),
            ("enable_verifier", "true"),
            ("unwind_info", "false"),
            ("enable_probestack", "false"),
            ("machine_code_cfg_info", "true"),
        ] {
            shared.set(name, value).expect("a setting of Cranelift");
        }
        let mut isa = cranelift_codegen::isa::lookup(target_lexicon::Triple::host()).expect("a supported processor");
        let floor = ["has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt"];
        let above = ["has_avx", "has_avx2", "has_fma"];
        for name in floor.iter().chain(above.iter().filter(|_| variant.level == Level::Avx2)) {
            isa.enable(name).expect("a feature of x86-64");
        }
        let isa = isa.finish(settings::Flags::new(shared)).expect("consistent settings");
        Self { isa, variant, bytes: Vec::new(), starts: Vec::new() }
    }

    /// Compiles a function of the record and [`POINTERS`] pointers whose body runs once for each packet: `body` gets
    /// the number of the packet (an `i64`) and the pointers. Gives its number.
    pub fn function(&mut self, body: impl FnOnce(&mut Emit<'_, '_>, Value, &[Value])) -> usize {
        let mut signature = Signature::new(CallConv::SystemV);
        signature.params.extend([types::I64; POINTERS + 2].map(AbiParam::new));
        let mut function = Function::with_name_signature(UserFuncName::default(), signature);
        let mut builder_context = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut function, &mut builder_context);

        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let params = builder.block_params(entry).to_vec();
        let (record, pointers, count) = (params[0], &params[1..=POINTERS], params[POINTERS + 1]);
        let (head, round, exit) = (builder.create_block(), builder.create_block(), builder.create_block());
        let index = builder.append_block_param(head, types::I64);
        let zero = builder.ins().iconst(types::I64, 0);
        builder.ins().jump(head, &[zero.into()]);
        builder.switch_to_block(head);
        let more = builder.ins().icmp(cranelift_codegen::ir::condcodes::IntCC::UnsignedLessThan, index, count);
        builder.ins().brif(more, round, &[], exit, &[]);
        builder.switch_to_block(round);
        let fma = match self.variant.level {
            Level::Avx2 => Fma::Hardware,
            Level::Floor => Fma::Helper {
                table: std::mem::offset_of!(Record, helpers) as i32,
                entries: [0, size_of::<usize>() as i32],
                operands: [0, 1, 2].map(|n| (std::mem::offset_of!(Record, operands) + n * MAX_LANES * 8) as i32),
                result: std::mem::offset_of!(Record, result) as i32,
            },
        };
        let packet_context = PacketContext {
            base: record,
            lane_index: std::mem::offset_of!(Record, lanes) as i32,
            dump: std::mem::offset_of!(Record, dump) as i32,
            fma,
        };
        body(&mut Emit::new(&mut builder, self.variant.shape, packet_context), index, pointers);
        let next = builder.ins().iadd_imm_s(index, 1);
        builder.ins().jump(head, &[next.into()]);
        builder.switch_to_block(exit);
        builder.ins().return_(&[]);
        builder.seal_all_blocks();
        builder.finalize(self.isa.frontend_config());

        assert!(function.sized_stack_slots.is_empty(), "packet code makes no stack slots");
        let mut context = cranelift_codegen::Context::for_function(function);
        if let Err(error) = context.compile(&*self.isa, &mut ControlPlane::default()) {
            panic!("{:?}\n{}", error.inner, context.func);
        }
        let compiled = context.compiled_code().expect("just compiled");
        assert_eq!(compiled.buffer.traps().len(), 0, "packet code cannot trap:\n{}", context.func);
        assert_eq!(compiled.buffer.relocs().len(), 0, "packet code calls no library:\n{}", context.func);
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0xcc);
        self.starts.push(self.bytes.len());
        if self.variant.shape.is_widened() {
            let parts = (self.variant.shape.vector_bytes / 16) as u8;
            match widen(compiled.code_buffer(), &compiled.bb_starts, parts) {
                Ok(wide) => self.bytes.extend_from_slice(&wide.bytes),
                Err(refusal) => panic!("not widened, {refusal}:\n{}", context.func),
            }
        } else {
            self.bytes.extend_from_slice(compiled.code_buffer());
        }
        self.starts.len() - 1
    }

    /// Makes the functions executable.
    pub fn finish(self) -> Compiled {
        let mut memory = MmapMut::map_anon(self.bytes.len()).expect("memory for code");
        memory.copy_from_slice(&self.bytes);
        Compiled { memory: memory.make_exec().expect("executable memory"), starts: self.starts }
    }
}

/// Executable functions.
pub struct Compiled {
    memory: Mmap,
    starts: Vec<usize>,
}

type Entry = extern "C" fn(*mut Record, *mut u8, *mut u8, *mut u8, *mut u8, u64);

impl Compiled {
    /// Runs a function for a number of packets. The buffers must hold all that its body reads and writes.
    pub fn run(
        &self,
        function: usize,
        mode: FloatMode,
        record: &mut Record,
        buffers: [&mut [u8]; POINTERS],
        packets: usize,
    ) {
        let [a, b, c, d] = buffers.map(<[u8]>::as_mut_ptr);
        let start = self.memory[self.starts[function]..].as_ptr();
        // SAFETY: at `start` lies a function of this very signature, in executable memory that `self` keeps. It reads
        // and writes only memory that its body was given: the tests size their buffers for that.
        let entry = unsafe { std::mem::transmute::<*const u8, Entry>(start) };
        let _mode = FloatGuard::new(mode);
        entry(record, a, b, c, d, packets as u64);
    }
}

/// A value that may be anything, as far as a function says.
pub fn unknown(b: &mut Builder<'_>, ty: Type) -> entity::Value {
    let word = b.input(Input::GroupId(0));
    match ty {
        Type::Bool => b.op(Op::IEq, &[word, word]),
        Type::I32 => word,
        Type::F32 => b.op(Op::AsF32, &[word]),
        Type::I64 => b.op(Op::Pack64, &[word, word]),
        Type::F64 => {
            let bits = unknown(b, Type::I64);
            b.op(Op::AsF64, &[bits])
        }
    }
}

/// A packet of values in memory, lane 0 first. Those of 64 bits are read one by one.
pub fn load_lanes(emit: &mut Emit<'_, '_>, ty: Type, address: Value) -> Packet {
    if !is_wide(ty) {
        return emit.load(ty, address, 0, FLAGS);
    }
    let lanes: Vec<Value> =
        (0..emit.shape.lanes() as i32).map(|lane| emit.load_uniform(ty, address, 8 * lane, FLAGS).value).collect();
    emit.from_lanes(ty, &lanes)
}

/// The counterpart of [`load_lanes`].
pub fn store_lanes(emit: &mut Emit<'_, '_>, packet: &Packet, address: Value) {
    if !is_wide(packet.ty) {
        return emit.store(packet, address, 0, FLAGS);
    }
    for (lane, value) in emit.lanes(packet).into_iter().enumerate() {
        emit.builder.ins().store(FLAGS, value, address, 8 * lane as i32);
    }
}

/// Emits the last value of a function that is a list of operations, with the facts about it, from operands for the
/// unknown ones.
pub fn lower_last(
    emit: &mut Emit<'_, '_>,
    func: &IrFunction,
    unknown: &[(entity::Value, PacketOperand)],
    mode: FloatMode,
) -> PacketOperand {
    let (floats, bounds) = (FloatClasses::compute(func, &Flow::new(func)), Bounds::compute(func));
    let mut operands: HashMap<entity::Value, PacketOperand> = unknown.iter().cloned().collect();
    let mut last = None;
    for &inst in &func.region(func.body()).insts {
        let data = func.inst(inst);
        let Some(&result) = data.results.first().filter(|result| !operands.contains_key(result)) else { continue };
        let operand = match &data.kind {
            InstKind::Const(constant) => emit.constant(*constant).into(),
            InstKind::Op { op, args } => {
                // The values that an unknown one is made of have no operands.
                let Some(args_of) = args.iter().map(|arg| operands.get(arg).cloned()).collect::<Option<Vec<_>>>()
                else {
                    continue;
                };
                lower_op(emit, *op, &args_of, &Known::of(func, &floats, &bounds, *op, args), mode)
            }
            _ => continue,
        };
        last = Some(operand.clone());
        operands.insert(result, operand);
    }
    last.expect("an operation")
}

/// Memory that ends where the process's memory ends: reading on raises a signal.
pub struct Cliff {
    map: MmapMut,
    bytes: usize,
}

const PAGE: usize = 4096;

impl Cliff {
    /// Memory with this content, at most a page.
    pub fn new(content: &[u8]) -> Self {
        let file = tempfile::tempfile().expect("a temporary file");
        file.set_len(PAGE as u64).expect("a page of it");
        // SAFETY: the file has no name, so nobody else can change its length. Only its one page is ever touched.
        let mut map = unsafe { MmapOptions::new().len(2 * PAGE).map_mut(&file) }.expect("a mapping");
        map[PAGE - content.len()..PAGE].copy_from_slice(content);
        Self { map, bytes: content.len() }
    }

    /// The content, which the cliff follows.
    pub fn content(&mut self) -> &mut [u8] {
        &mut self.map[PAGE - self.bytes..PAGE]
    }
}
