//! Lowers the IR to CLIF: one function that runs one group, or one span of small groups.
//!
//! | file | what |
//! |---|---|
//! | `address.rs` | addresses: memory, bounds, layout over the lanes |
//! | `anchor.rs` | base addresses that code everywhere uses |
//! | `facts.rs` | results of the analyses |
//! | `check.rs` | bounds checks, and hoisting them |
//! | `coalesce.rs` | values that share a slot in the arena |
//! | `helper.rs` | calls of helpers: texels, samples, queries, counters |
//! | `layout.rs` | the layout of the arena |
//! | `group.rs` | the group level: control flow around barriers |
//! | `segment.rs` | segments: what is computed for the group, loops over packets, votes |
//! | `flow.rs`, `flow/` | `if`, `loop`, `switch` and jumps within a segment |
//! | `mask.rs` | active lanes, variables across branches |
//! | `value.rs` | constants, inputs, operands, values kept between segments |
//! | `memory.rs` | loads and stores of views and shared memory |
//! | `lanes.rs` | accesses lane by lane: atomics, and packets that fail their check |
//! | `local.rs` | private arrays |
//! | `notes.rs` | lowering decisions, for listings |
//! | `pressure.rs` | which values are kept in memory |
//! | `scratch.rs` | the memory that holds them |
//! | `stop.rs` | stopping: budgets of loop iterations, and when code looks at the stop word |
//! | `unused.rs` | removes unused loads |
//!
//! Invariants:
//! * Code runs only where at least one lane is active, except for pure operations. Whatever may deactivate the last lane
//!   (see `flow.rs`) branches around what follows.
//! * Pure operations are computed in all lanes; what an inactive lane computes is never seen.
//! * A value that `Uniformity` calls packet-uniform is an [`Operand::Uniform`] everywhere.
//! * [`Lowering::mask`] is `None` if and only if the current block has its terminator.

mod address;
mod anchor;
mod check;
mod coalesce;
mod facts;
mod flow;
mod group;
mod helper;
mod lanes;
mod layout;
mod local;
mod mask;
mod memory;
pub(crate) mod notes;

mod pressure;
mod scratch;
mod segment;
mod stop;
mod unused;
mod value;

use std::collections::{HashMap, HashSet};

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Value};
use brolga_ir::function::{InstKind, Origin};
use cranelift_codegen::ir::SigRef;
use cranelift_codegen::ir::{self, Block, InstBuilder, MemFlagsData, types};
use cranelift_codegen::isa::{CallConv, TargetIsa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};

use self::address::{Outside, QuadElements, ViewBounds};
use self::anchor::Anchors;
use self::check::Proof;
use self::facts::Facts;
use self::flow::Frame;
use self::group::GroupFrame;
use self::layout::Layout;
use self::mask::{Home, Mask};
use self::notes::Notes;
use self::pressure::Pressure;
use self::scratch::{Near, Scratch};
use self::segment::{Position, Votes};
use self::stop::{DIVISION_WORK, Effort};
use crate::FloatMode;
use crate::abi::{self, ArenaLayout, CallRow, VoteRows, offsets};
use crate::error::CompileError;
use crate::float_mode::float_mode;
use crate::ops::{Known, lower_op};
use crate::options::Options;
use crate::packet::{self, Emit, Fma, Operand, Packet, Shape};
use crate::site::Site;
use value::Firsts;

pub(crate) use self::anchor::is_large;

/// What running the code requires.
pub(crate) struct Needs {
    pub arena: ArenaLayout,
    pub votes: Option<VoteRows>,
}

/// Emits the Cranelift function for a shader and returns what it needs of an arena. With notes, every instruction
/// records its purpose.
pub(crate) fn lower(
    func: &Function,
    options: &Options,
    isa: &dyn TargetIsa,
    clif: &mut ir::Function,
    mut notes: Option<&mut Notes>,
) -> Result<Needs, CompileError> {
    let facts = Facts::compute(func, options.packing);
    let shape = Shape::of(func, options);
    let pressure = Pressure::compute(func, shape, &facts);
    let layout = Layout::compute(func, shape, &facts, &pressure)?;
    let mut builder_context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(clif, &mut builder_context);
    let entry = builder.create_block();
    let exit = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let base = builder.block_params(entry)[0];
    if notes.is_some() {
        builder.set_srcloc(Site::Start.to_location());
    }
    let arena = builder.ins().load(types::I64, constant_flags(), base, offsets::ARENA);
    let scratch = builder.ins().iadd_imm_s(arena, layout.scratch() as i64);
    let kept_anchors = Anchors::of(func, &mut builder, base);
    let rounds_left = builder.declare_var(types::I64);
    let mut lowering = Lowering {
        func,
        shape,
        facts: &facts,
        layout: &layout,
        scratch: Scratch::new(scratch, pressure.bytes),
        pressure: &pressure,
        builder,
        notes: notes.as_deref_mut(),
        mode: float_mode(func),
        packet_context: packet_context(base, options, shape),
        base,
        arena,
        exit,
        values: vec![None; func.value_count()],
        firsts: vec![None; func.value_count()],
        quad_elements: Vec::new(),
        outside: Vec::new(),
        defined: Vec::new(),
        near: HashMap::new(),
        written: 0,
        variable_vectors: 0,
        free_variables: HashMap::new(),
        views: vec![None; func.interface.resources.len()],
        group_id: [base; 3],
        group_starts: [None; 3],
        most_instructions: options.most_instructions as usize,
        is_cut: false,
        is_unskipped: false,
        is_crowded: lanes::is_crowded(func),
        kept_anchors,
        frames: Vec::new(),
        group_frames: Vec::new(),
        mask: Some(Mask::Full),
        position: Position::start(arena),
        rest: exit,
        origin: Origin::default(),
        votes: None,
        decision: None,
        moved_by_group: HashSet::new(),
        group_homes: HashMap::new(),
        any_left: None,
        proofs: Vec::new(),
        again: false,
        seen: vec![0; func.value_count()],
        segments: 0,
        rounds_left,
        takes_rounds: false,
        effort: Effort::default(),
        splats: vec![None; func.value_count()],
        call_conv: isa.default_call_conv(),
        helper_signature: None,
        sample_signature: None,
    };
    let none = lowering.builder.ins().iconst(types::I64, 0);
    lowering.set_rounds_left(none);
    lowering.function();
    if lowering.is_cut {
        return Err(CompileError::TooLarge { limit: options.most_instructions });
    }
    lowering.stand(Site::Exit);
    lowering.switch_to(exit);
    if lowering.takes_rounds {
        lowering.give_back_rounds();
    }
    lowering.unpin();
    let Lowering { mut builder, scratch, .. } = lowering;
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
    unused::remove_loads(clif);
    if let Some(notes) = notes {
        notes.finish(&facts, &layout, func.value_count());
    }
    Ok(Needs { arena: layout.arena(scratch.bytes), votes: layout.vote_rows() })
}

/// Where packet operations find things in the context.
fn packet_context(base: ir::Value, options: &Options, shape: Shape) -> packet::PacketContext {
    let fma = if options.features.fma {
        Fma::Hardware
    } else {
        Fma::Helper {
            table: offsets::HELPERS,
            entries: [abi::HelperId::Ffma, abi::HelperId::Dfma].map(abi::HelperId::offset),
            operands: [0, 1, 2].map(|n| CallRow::Wide(n).offset(shape.row_bytes())),
            result: CallRow::WideResult.offset(shape.row_bytes()),
        }
    };
    packet::PacketContext { base, lane_index: offsets::LANES, dump: offsets::DUMP, fma }
}

/// Flags of memory that does not change while a group runs and is aligned.
fn constant_flags() -> MemFlagsData {
    let mut flags = MemFlagsData::trusted();
    flags.set_readonly();
    flags
}

/// Flags of this worker's own memory, aligned to the access.
fn own_flags() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Flags of memory whose words are aligned and whose vectors need not be.
fn word_flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

/// The state of writing one function.
struct Lowering<'a, 'f> {
    func: &'a Function,
    shape: Shape,
    facts: &'a Facts,
    layout: &'a Layout,
    pressure: &'a Pressure,
    scratch: Scratch,
    builder: FunctionBuilder<'f>,
    /// Lowering decisions; if they are recorded, code carries source locations.
    notes: Option<&'a mut Notes>,
    mode: FloatMode,
    packet_context: packet::PacketContext,
    /// The context record.
    base: ir::Value,
    arena: ir::Value,
    /// Returns from the function.
    exit: Block,
    /// Values that are available at the builder's position.
    values: Vec<Option<Operand>>,
    /// The first lane of values that are known to be affine, or of each octet of those that are so there.
    firsts: Vec<Option<Firsts>>,
    /// For each quad the address of an element, where it is available at the builder's position.
    quad_elements: Vec<QuadElements>,
    /// What was found of words of all lanes, likewise.
    outside: Vec<Outside>,
    /// Values to forget at the end of the segment.
    defined: Vec<Value>,
    /// Where remote values were last in registers.
    near: HashMap<Value, Near>,
    /// Instructions of the shader written so far.
    written: u32,
    /// Vectors and scalars of all variables in registers so far.
    variable_vectors: usize,
    /// CLIF variables that can be reused.
    free_variables: HashMap<ir::Type, Vec<Variable>>,
    /// Views that were looked up at the function's start, for ranges with one register.
    views: Vec<Option<ViewBounds>>,
    /// Of the first group of a span. `i32`s, there from the function's start.
    group_id: [ir::Value; 3],
    /// The first thread of that group, where it was computed at the function's start.
    group_starts: [Option<ir::Value>; 3],
    /// How many instructions may be emitted.
    most_instructions: usize,
    /// The limit was reached.
    is_cut: bool,
    /// The code runs even where no lane is active.
    is_unskipped: bool,
    /// Helpers perform accesses whose inline code would be long.
    is_crowded: bool,
    /// In a large function, base addresses and the position are kept in memory.
    kept_anchors: Option<Anchors>,
    /// Constructs of the segment enclosing the builder's position, outermost first.
    frames: Vec<Frame>,
    /// Cut constructs around it.
    group_frames: Vec<GroupFrame>,
    /// Lanes that are active; `None` if the current block is finished.
    mask: Option<Mask>,
    /// The packet that runs.
    position: Position,
    /// Where control goes when a packet has no lanes left.
    rest: Block,
    origin: Origin,
    /// The packets' votes at the end of the segment.
    votes: Option<Votes>,
    /// The condition or selector after the segment, where it is known to be the same for all threads.
    decision: Option<Operand>,
    /// What the tail moves before the loop over packets.
    moved_by_group: HashSet<Value>,
    /// Values of the group that are kept between segments.
    group_homes: HashMap<Value, Home>,
    /// Non-zero once a packet of the segment has threads left, if that is not certain.
    any_left: Option<Variable>,
    /// Accesses that were checked at the running packet's start.
    proofs: Vec<Proof>,
    /// The segment's code is being emitted again, for packets that failed those checks.
    again: bool,
    /// The last segment that defines each value.
    seen: Vec<u32>,
    segments: u32,
    /// Loop iterations that were taken from the budget and not used yet.
    rounds_left: Variable,
    /// The function has loops.
    takes_rounds: bool,
    /// What the code does between two looks at the stop word.
    effort: Effort,
    /// Splatted uniform values from before the enclosing loops.
    splats: Vec<Option<Packet>>,
    call_conv: CallConv,
    helper_signature: Option<SigRef>,
    /// The same of samples that are ready.
    sample_signature: Option<SigRef>,
}

impl<'f> Lowering<'_, 'f> {
    fn emit(&mut self) -> Emit<'_, 'f> {
        Emit::new(&mut self.builder, self.shape, self.packet_context)
    }

    /// Sets the source location of the code from here on.
    fn stand(&mut self, site: Site) {
        if self.notes.is_some() {
            self.builder.set_srcloc(site.to_location());
        }
    }

    /// The active lanes.
    fn active(&self) -> Mask {
        self.mask.clone().expect("code is written only where lanes are active")
    }

    /// Writes an instruction that is neither control flow nor a terminator, unless it was done before the packets.
    #[inline(never)]
    fn simple(&mut self, inst: Inst) {
        let func = self.func;
        let data = func.inst(inst);
        self.written += 1;
        if data.results.first().is_some_and(|result| self.values[result.index()].is_some()) {
            return;
        }
        match &data.kind {
            InstKind::Const(_) => {}
            InstKind::Input(input) => {
                let operand = self.input(*input, self.facts.is_uniform(data.results[0]));
                self.define(data.results[0], operand);
                if !self.pressure.is_remote(data.results[0]) {
                    self.firsts[data.results[0].index()] = self.firsts_of_input(data.results[0], *input);
                }
            }
            InstKind::Op { op, args } => {
                if let Some(lanes) = self.pattern(data.results[0]) {
                    let packet = self.emit().quad_constant(lanes);
                    return self.define(data.results[0], packet.into());
                }
                let firsts = self.firsts_of_op(data.results[0], *op, args);
                if op.takes_long() {
                    self.spend_in_lanes(DIVISION_WORK, self.facts.is_uniform(data.results[0]));
                }
                let operands: Vec<Operand> = match self.facts.is_uniform(data.results[0]) {
                    true => args.iter().map(|&arg| self.operand(arg)).collect(),
                    false => args.iter().enumerate().map(|(n, &arg)| self.splat_operand(*op, n, arg)).collect(),
                };
                let (op, operands) = self.signed_if_same(*op, args, operands);
                let (known, mode) = (Known::of(func, &self.facts.floats, &self.facts.bounds, op, args), self.mode);
                let result = lower_op(&mut self.emit(), op, &operands, &known, mode);
                self.define(data.results[0], result);
                self.firsts[data.results[0].index()] = firsts.filter(|_| !self.pressure.is_remote(data.results[0]));
            }
            InstKind::Load { place } => self.load(*place, &data.results),
            InstKind::Store { place, values, effect } => self.store(*place, values, *effect),
            InstKind::Atomic { op, place, value, compare, effect } => {
                let result = self.atomic(*op, *place, *value, *compare, *effect);
                self.define(data.results[0], result);
            }
            InstKind::Query { query, resource, .. } if func.is_known_of_view(&data.kind) => {
                for (&result, number) in data.results.iter().zip(self.known_of_view(*query, *resource)) {
                    self.define(result, number);
                }
            }
            InstKind::Counter { .. }
            | InstKind::TexelLoad { .. }
            | InstKind::TexelStore { .. }
            | InstKind::TexelAtomic { .. }
            | InstKind::Query { .. } => self.call_for(inst),
            InstKind::Sample { sampling, texture, sampler, args } => {
                self.sample(*sampling, *texture, *sampler, args, &data.results);
            }
            InstKind::PacketAll(value) => {
                let (operand, active) = (self.operand(*value), self.active());
                let all = match (operand, active) {
                    (Operand::Packet(holds), Mask::Full) => self.emit().all(&holds),
                    (Operand::Packet(holds), Mask::Lanes(lanes)) => {
                        let fails = self.emit().mask_and_not(&lanes, &holds);
                        self.emit().none(&fails)
                    }
                    (uniform, _) => uniform.values()[0],
                };
                let all = packet::Uniform { ty: brolga_ir::Type::Bool, value: all };
                self.define(data.results[0], all.into());
            }
            InstKind::QuadRead { from, value } => {
                let (operand, active) = (self.operand(*value), self.active());
                let result = match (operand, active) {
                    (Operand::Packet(own), Mask::Full) => self.emit().quad_read(&own, *from).into(),
                    (Operand::Packet(own), Mask::Lanes(lanes)) => {
                        let other = self.emit().quad_read(&own, *from);
                        let runs = self.emit().quad_read(&lanes, *from);
                        self.emit().select(&runs, &other, &own).into()
                    }
                    (uniform, _) => uniform,
                };
                self.define(data.results[0], result);
            }
            InstKind::Barrier(sync) => {
                if sync.views_global {
                    self.builder.ins().fence();
                }
            }
            InstKind::Note(..) => {}
            InstKind::SlotGet(_) | InstKind::SlotSet(..) => {
                unreachable!("a verified function has no slots")
            }
            InstKind::If { .. }
            | InstKind::Loop { .. }
            | InstKind::Switch { .. }
            | InstKind::Yield(_)
            | InstKind::Break { .. }
            | InstKind::Continue { .. }
            | InstKind::Return => unreachable!("control flow is written in flow.rs"),
        }
    }

    /// Continues in a block all of whose predecessors are emitted; anchors stay valid.
    fn begin(&mut self, block: Block) {
        self.builder.seal_block(block);
        self.builder.switch_to_block(block);
    }

    /// Branches to a block if the condition (an `i8`) holds, and continues in another.
    fn branch_away(&mut self, condition: ir::Value, target: Block) {
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, target, &[], next, &[]);
        self.begin(next);
    }

    /// Branches to a block unless the condition (an `i8`) holds, and continues in another.
    fn branch_away_unless(&mut self, condition: ir::Value, target: Block) {
        let next = self.builder.create_block();
        self.builder.ins().brif(condition, next, &[], target, &[]);
        self.begin(next);
    }

    /// Marks the current block as cold.
    fn set_cold(&mut self) {
        let block = self.builder.current_block().expect("code is being written");
        self.builder.set_cold_block(block);
    }

    /// Marks all blocks from the n-th on as cold.
    fn set_cold_from(&mut self, n: usize) {
        for n in n..self.builder.func.dfg.num_blocks() {
            self.builder.set_cold_block(Block::from_u32(n as u32));
        }
    }
}
