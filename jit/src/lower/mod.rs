//! Lowers the IR to CLIF: one function that runs one group, or one span of small groups.
//!
//! | file | contents |
//! |---|---|
//! | `address.rs` | addresses: memory, bounds, distribution over the lanes |
//! | `anchor.rs` | base addresses that code everywhere uses |
//! | `facts.rs` | facts about the function |
//! | `check.rs` | bounds checks, and hoisting them |
//! | `coalesce.rs` | values that share a slot in the arena |
//! | `helper.rs` | calls of helpers: texels, samples, queries, counters |
//! | `layout.rs` | the layout of the arena |
//! | `group.rs` | the group level: control flow around barriers |
//! | `segment.rs` | segments: values computed for the group, loops over packets, votes |
//! | `flow.rs`, `flow/` | `if`, `loop`, `switch` and jumps within a segment |
//! | `mask.rs` | lane masks |
//! | `value.rs` | constants, inputs, operands, values kept between segments |
//! | `memory.rs` | loads and stores of views and shared memory |
//! | `lanes.rs` | accesses lane by lane: atomics, and packets that fail their check |
//! | `local.rs` | private arrays |
//! | `notes.rs` | lowering decisions, for listings |
//! | `pressure.rs` | register pressure: values to keep in memory |
//! | `stop.rs` | stopping: budgets of loop iterations, and polls of the stop word |
//! | `unused.rs` | removes unused loads |
//! | `variable.rs` | variables across branches, and spills to memory |
//!
//! Invariants:
//! * Code runs only where at least one lane is active, except for pure operations. Whatever may deactivate the last
//!   lane (see `flow.rs`) branches around the code that follows.
//! * Pure operations are computed in all lanes; the results of an inactive lane are never seen.
//! * A value that `Uniformity` calls packet-uniform is a [`PacketOperand::Uniform`] everywhere.
//! * [`Control::mask`] is `None` if and only if the current block has its terminator.

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
mod segment;
mod stop;
mod unused;
mod value;
mod variable;

use brolga_ir::Function;
use brolga_ir::entity::Inst;
use brolga_ir::function::{InstKind, Origin};
use cranelift_codegen::ir::{self, Block, InstBuilder, MemFlagsData, types};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};

use self::address::AddressFacts;
use self::anchor::Anchors;
use self::facts::Facts;
use self::flow::{CodeLimit, Control};
use self::helper::Calls;
use self::layout::ArenaOffsets;
use self::mask::LaneMask;
use self::notes::Notes;
use self::pressure::Pressure;
use self::segment::SegmentState;
use self::stop::{DIVISION_WORK, Effort, Stopping};
use self::value::Available;
use self::variable::Variables;
use crate::abi::{ArenaLayout, CallRow, HelperId, VoteRows, offsets};
use crate::error::CompileError;
use crate::ops::{Known, lower_op};
use crate::options::Options;
use crate::packet::{self, Emit, Fma, PacketOperand};
use crate::site::CodeSite;

pub(crate) use self::anchor::is_large;

/// The requirements for running the code.
pub(crate) struct Needs {
    pub arena: ArenaLayout,
    pub votes: Option<VoteRows>,
    /// The origins of what notes suspicions, in the order of their bits.
    pub suspected: Box<[u32]>,
}

/// Emits the Cranelift function for a shader and returns its needs of an arena. With notes, every instruction
/// records its purpose.
pub(crate) fn lower(
    func: &Function,
    options: &Options,
    isa: &dyn TargetIsa,
    clif: &mut ir::Function,
    mut notes: Option<&mut Notes>,
) -> Result<Needs, CompileError> {
    let facts = Facts::compute(func, options);
    let pressure = Pressure::compute(&facts);
    let layout = ArenaOffsets::compute(&facts, &pressure)?;
    let mut builder_context = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(clif, &mut builder_context);
    let entry = builder.create_block();
    let exit = builder.create_block();
    builder.append_block_params_for_function_params(entry);
    builder.switch_to_block(entry);
    let base = builder.block_params(entry)[0];
    if notes.is_some() {
        builder.set_srcloc(CodeSite::Start.to_location());
    }
    let arena = builder.ins().load(types::I64, constant_flags(), base, offsets::ARENA);
    let scratch = builder.ins().iadd_imm_s(arena, layout.scratch() as i64);
    let anchors = Anchors::new(func, &mut builder, [base, arena, scratch]);
    let iterations_left = builder.declare_var(types::I64);
    let mut lowering = Lowering {
        func,
        facts: &facts,
        pressure: &pressure,
        layout: &layout,
        builder,
        notes: notes.as_deref_mut(),
        anchors,
        available: Available::new(func.value_count()),
        addresses: AddressFacts::new(func.interface.resources.len()),
        variables: Variables::new(pressure.bytes, facts.shape),
        control: Control::new(exit),
        segment: SegmentState::new(func.value_count()),
        stopping: Stopping { effort: Effort::default(), iterations_left, takes_iterations: false },
        limit: CodeLimit { most: options.most_instructions as usize, is_reached: false },
        calls: Calls::new(isa.default_call_conv(), fused(options, &facts), func),
        origin: Origin::default(),
        written: 0,
    };
    let none = lowering.builder.ins().iconst(types::I64, 0);
    lowering.set_iterations_left(none);
    lowering.function();
    if lowering.limit.is_reached {
        return Err(CompileError::TooLarge { limit: options.most_instructions });
    }
    lowering.set_site(CodeSite::Exit);
    lowering.switch_to(exit);
    if lowering.stopping.takes_iterations {
        lowering.return_iterations();
    }
    let Lowering { mut builder, anchors, variables, calls, .. } = lowering;
    let suspected = calls.suspected.unwrap_or_default().into();
    anchors.unpin(&mut builder);
    builder.ins().return_(&[]);
    builder.seal_all_blocks();
    builder.finalize(isa.frontend_config());
    unused::remove_loads(clif);
    if let Some(notes) = notes {
        notes.finish(&facts, &layout);
    }
    Ok(Needs { arena: layout.arena(variables.scratch_bytes), votes: layout.vote_rows(), suspected })
}

/// The fusing of multiplication and addition in packet operations.
fn fused(options: &Options, facts: &Facts<'_>) -> Fma {
    if options.features.fma {
        return Fma::Hardware;
    }
    let row_bytes = facts.shape.row_bytes();
    Fma::Helper {
        table: offsets::HELPERS,
        entries: [HelperId::Ffma, HelperId::Dfma].map(HelperId::offset),
        operands: [0, 1, 2].map(|n| CallRow::Wide(n).offset(row_bytes)),
        result: CallRow::WideResult.offset(row_bytes),
    }
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

/// The state of writing one function: facts, decisions, and the position in its code. Fields that belong together, with
/// their own rules, form a structure, next to the code that uses it most.
struct Lowering<'a, 'f> {
    func: &'a Function,
    facts: &'a Facts<'a>,
    pressure: &'a Pressure,
    layout: &'a ArenaOffsets,
    builder: FunctionBuilder<'f>,
    /// Lowering decisions; if they are recorded, code carries source locations.
    notes: Option<&'a mut Notes>,
    anchors: Anchors,
    available: Available,
    addresses: AddressFacts,
    variables: Variables,
    control: Control,
    segment: SegmentState,
    stopping: Stopping,
    limit: CodeLimit,
    calls: Calls,
    /// The origin of the instruction whose code is being written.
    origin: Origin,
    /// Number of the shader's instructions written so far.
    written: u32,
}

impl<'f> Lowering<'_, 'f> {
    fn emit(&mut self) -> Emit<'_, 'f> {
        let (base, fma) = (self.anchors.base, self.calls.fma);
        let context = packet::PacketContext { base, lane_index: offsets::LANES, dump: offsets::DUMP, fma };
        Emit::new(&mut self.builder, self.facts.shape, context)
    }

    /// Sets the source location of the code from here on.
    fn set_site(&mut self, site: CodeSite) {
        if self.notes.is_some() {
            self.builder.set_srcloc(site.to_location());
        }
    }

    /// Writes an instruction that is neither control flow nor a terminator, unless it was done before the packets.
    #[inline(never)]
    fn simple(&mut self, inst: Inst) {
        let func = self.func;
        let data = func.inst(inst);
        self.written += 1;
        if data.results.first().is_some_and(|&result| self.available.has(result)) {
            return;
        }
        match &data.kind {
            InstKind::Const(_) => {}
            InstKind::Input(input) => {
                let operand = self.input(*input, self.facts.is_uniform(data.results[0]));
                self.define(data.results[0], operand);
                self.keep_firsts_of_input(data.results[0], *input);
            }
            InstKind::Op { op, args } => {
                if let Some(lanes) = self.facts.pattern(data.results[0]) {
                    let packet = self.emit().quad_constant(lanes);
                    return self.define(data.results[0], packet.into());
                }
                let firsts = self.firsts_of_op(data.results[0], *op, args);
                if op.takes_long() {
                    self.spend_in_lanes(DIVISION_WORK, self.facts.is_uniform(data.results[0]));
                }
                let operands: Vec<PacketOperand> = match self.facts.is_uniform(data.results[0]) {
                    true => args.iter().map(|&arg| self.operand(arg)).collect(),
                    false => args.iter().enumerate().map(|(n, &arg)| self.splat_operand(*op, n, arg)).collect(),
                };
                let (op, operands) = self.signed_if_same(*op, args, operands);
                let (known, mode) =
                    (Known::of(func, &self.facts.floats, &self.facts.bounds, op, args), self.facts.mode);
                let result = lower_op(&mut self.emit(), op, &operands, &known, mode);
                self.define(data.results[0], result);
                let firsts = firsts.filter(|_| !self.pressure.is_remote(data.results[0]));
                self.available.set_firsts(data.results[0], firsts);
            }
            InstKind::Load { place } if data.is_quiet => {
                let suspected = self.calls.suspected.take();
                self.load(*place, &data.results);
                self.calls.suspected = suspected;
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
            InstKind::Message { message, values, effect } => self.send(*message, values, *effect),
            InstKind::Sample { sampling, texture, sampler, args } => {
                self.sample(*sampling, [*texture, *sampler], args, &data.results);
            }
            InstKind::PacketAll(value) => {
                let (operand, active) = (self.operand(*value), self.control.active());
                let all = match (operand, active) {
                    (PacketOperand::Packet(holds), LaneMask::Full) => self.emit().all(&holds),
                    (PacketOperand::Packet(holds), LaneMask::Lanes(lanes)) => {
                        let fails = self.emit().mask_and_not(&lanes, &holds);
                        self.emit().none(&fails)
                    }
                    (uniform, _) => uniform.values()[0],
                };
                self.define(data.results[0], PacketOperand::scalar(brolga_ir::Type::Bool, all));
            }
            InstKind::QuadRead { from, value } => {
                let (operand, active) = (self.operand(*value), self.control.active());
                let result = match (operand, active) {
                    (PacketOperand::Packet(own), LaneMask::Full) => self.emit().quad_read(&own, *from).into(),
                    (PacketOperand::Packet(own), LaneMask::Lanes(lanes)) => {
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

    /// Goes to a block all of whose other predecessors are emitted, and continues there; anchors stay valid.
    fn join(&mut self, block: Block) {
        self.builder.ins().jump(block, &[]);
        self.begin(block);
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
