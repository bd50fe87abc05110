//! Converts a function to its flattened form.

use std::cell::Cell;

use super::code::{
    Address, ArenaSlot, Arms, At, BatchArray, Block, Code, End, GroupRegion, GroupStep, Moves, Node, Space, Step,
    TargetNumber, Texel, Update, ViewElement, ViewRef, WordRange,
};
use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{self, Case, Function, InstKind, MemoryRef, Object, Origin, ResourceRef};
use crate::message::MessageKind;
use crate::phases::{self, Phases};
use crate::span::Packing;
use crate::srgb::CURVE;
use crate::uniformity::Uniformity;

/// Flattens a verified function without slots.
pub(super) fn flatten(func: &Function, packing: Packing) -> Code {
    let phases = Phases::compute(func);
    let flow = Flow::new(func);
    let uniformity = Uniformity::compute(func, &flow, packing);
    let mut flattener = Flattener {
        func,
        phases: &phases,
        uniformity: &uniformity,
        flow: &flow,
        slots: vec![0; func.value_count()],
        targets: vec![0; func.inst_count()],
        shared: Vec::new(),
        locals: Vec::new(),
        effort: Cell::default(),
    };
    let mut code = flattener.layout(packing);
    code.body = flattener.group_region(func.body());
    code.slots = flattener.slots;
    code
}

struct Flattener<'a> {
    func: &'a Function,
    phases: &'a Phases,
    uniformity: &'a Uniformity,
    flow: &'a Flow,
    /// Slot of each value.
    slots: Vec<ArenaSlot>,
    /// Target number of each instruction.
    targets: Vec<TargetNumber>,
    /// Extent of each declaration.
    shared: Vec<WordRange>,
    /// Extent of each declaration; the base counts words of one thread.
    locals: Vec<WordRange>,
    effort: Cell<Effort>,
}

/// The work since the last poll of the stop request.
#[derive(Clone, Copy, Default)]
struct Effort {
    /// Worst-case nanoseconds for one lane.
    work: u64,
    /// Number of polls so far.
    looks: u32,
}

/// The most work of a packet between two polls.
const MOST_WORK: u64 = 100_000;

impl Flattener<'_> {
    /// Assigns every value, target and declaration its location.
    fn layout(&mut self, packing: Packing) -> Code {
        let (func, interface) = (self.func, &self.func.interface);
        let (mut frame, mut kept) = (Vec::new(), Vec::new());
        let (mut constants, mut inputs, mut target_count) = (Vec::new(), Vec::new(), 0);
        for &inst in &self.flow.order {
            let data = func.inst(inst);
            match data.kind {
                InstKind::Const(constant) => constants.push((frame.len() as ArenaSlot, constant.bits)),
                InstKind::Input(input) => inputs.push((frame.len() as ArenaSlot, input)),
                InstKind::Loop { .. } | InstKind::Switch { .. } => {
                    self.targets[inst.index()] = target_count;
                    target_count += 1;
                }
                _ => {}
            }
            for &value in self.flow.params(func, inst).iter().chain(&data.results) {
                if self.phases.is_crossing(value) { &mut kept } else { &mut frame }.push(value);
            }
        }
        for (slot, value) in frame.iter().chain(&kept).enumerate() {
            self.slots[value.index()] = slot as ArenaSlot;
        }
        let mut shared_words = 0;
        for shared in &interface.shared {
            self.shared.push(WordRange { base: shared_words, stride_bytes: shared.stride_bytes, count: shared.count });
            shared_words += shared.size_bytes() as usize / 4;
        }
        let mut local_words = 0;
        for local in &interface.locals {
            self.locals.push(WordRange { base: local_words, stride_bytes: 16, count: local.registers });
            local_words += local.registers as usize * 4;
        }
        let threads = interface.threads_per_group();
        let lanes = func.width.lanes();
        let most_groups = packing.most_groups(threads, lanes);
        Code {
            frame_len: frame.len(),
            kept_len: kept.len(),
            constants,
            inputs,
            slots: Vec::new(),
            target_count,
            group_size: interface.group_size(),
            fills_packets: interface.fills_packets,
            lanes: lanes as usize,
            packing,
            most_packets: (threads * most_groups).div_ceil(lanes) as usize,
            shared_words,
            local_words,
            keeps_locals: self.phases.has_cuts(),
            immediate: interface.immediate.iter().flatten().copied().collect(),
            body: GroupRegion { steps: Vec::new(), end: End::Return },
        }
    }

    fn slot(&self, value: Value) -> ArenaSlot {
        self.slots[value.index()]
    }

    fn slots(&self, values: &[Value]) -> Vec<ArenaSlot> {
        values.iter().map(|&value| self.slot(value)).collect()
    }

    fn target(&self, inst: Inst) -> TargetNumber {
        self.targets[inst.index()]
    }

    fn moves(&self, from: &[Value], to: &[Value]) -> Moves {
        Moves::new(from.iter().zip(to).map(|(&from, &to)| (self.slot(from), self.slot(to))).collect())
    }

    fn group_region(&self, region: Region) -> GroupRegion {
        let insts = &self.func.region(region).insts;
        let steps = self.phases.steps(region).expect("regions of the group level have steps");
        let end = match self.func.inst(*insts.last().expect("regions end in a terminator")).kind {
            InstKind::Break { target, .. } => End::Break(self.target(target)),
            InstKind::Continue { target, .. } => End::Continue(self.target(target)),
            InstKind::Return => End::Return,
            _ => End::Yield,
        };
        let steps = steps.iter().map(|step| match *step {
            phases::Step::Segment { start, end } => GroupStep::Segment(self.segment(&insts[start..end])),
            phases::Step::Cut(inst) => self.cut(inst),
        });
        GroupRegion { steps: steps.collect(), end }
    }

    fn cut(&self, inst: Inst) -> GroupStep {
        let at = self.at(inst);
        match &self.func.inst(inst).kind {
            InstKind::If { cond, then_region, else_region } => GroupStep::If {
                cond: self.slot(*cond),
                then_region: self.group_region(*then_region),
                else_region: self.group_region(*else_region),
                at,
            },
            InstKind::Loop { inits, body } => GroupStep::Loop {
                target: self.target(inst),
                inits: self.moves(inits, &self.func.region(*body).params),
                body: self.group_region(*body),
                at,
            },
            InstKind::Switch { selector, cases, default } => GroupStep::Switch {
                target: self.target(inst),
                selector: self.slot(*selector),
                arms: arms(cases, *default, |region| self.group_region(region)),
                at,
            },
            _ => GroupStep::Wait { at },
        }
    }

    /// The code that each packet runs in turn: it polls before it begins.
    fn segment(&self, insts: &[Inst]) -> Block {
        let known = insts.iter().find(|&&inst| self.func.inst(inst).origin != Origin::default());
        let look = self.look(self.at(*known.unwrap_or(&insts[0])));
        [look].into_iter().chain(self.insts(insts)).collect()
    }

    /// Instructions in order. A poll comes after much work, and after a construct that may contain one: so the path
    /// that lanes take does not matter.
    fn insts(&self, insts: &[Inst]) -> Block {
        let mut block = Block::new();
        for &inst in insts {
            let (before, data) = (self.effort.get(), self.func.inst(inst));
            let at = self.at(inst);
            block.extend(self.node(inst).map(|node| Step { node, at }));
            let now = self.effort.get();
            let work = now.work + work_of(&data.kind);
            self.effort.set(Effort { work, ..now });
            let is_due = now.looks != before.looks || work * self.func.width.lanes() as u64 > MOST_WORK;
            if is_due && !data.kind.is_terminator() {
                block.push(self.look(at));
            }
        }
        block
    }

    fn look(&self, at: At) -> Step {
        self.effort.set(Effort { work: 0, looks: self.effort.get().looks + 1 });
        Step { node: Node::Look, at }
    }

    fn at(&self, inst: Inst) -> At {
        At { inst, origin: self.func.inst(inst).origin }
    }

    /// Records that the code that follows is reached from an earlier node too.
    fn comes_from(&self, before: Effort) {
        let now = self.effort.get();
        self.effort.set(Effort { work: now.work.max(before.work), ..now });
    }

    fn node(&self, inst: Inst) -> Option<Node> {
        let (before, data) = (self.effort.get(), self.func.inst(inst));
        let arm = |region| {
            self.comes_from(before);
            self.insts(&self.func.region(region).insts)
        };
        let to = || self.slots(&data.results);
        let result = || self.slot(data.results[0]);
        let same_address = || data.kind.args().iter().all(|&arg| self.uniformity.is_packet_uniform(arg));
        Some(match &data.kind {
            InstKind::Const(_) | InstKind::Input(_) => return None,
            InstKind::Barrier(_) | InstKind::Note(..) => Node::Pass,
            InstKind::SlotGet(_) | InstKind::SlotSet(..) => unreachable!("a verified function has no slots"),
            InstKind::Op { op, args } => {
                let mut slots = [0; 3];
                for (slot, &arg) in slots.iter_mut().zip(args) {
                    *slot = self.slot(arg);
                }
                Node::Op { op: *op, to: result(), args: slots }
            }
            InstKind::Load { place } => {
                let once = same_address() && !matches!(place.object, Object::Local(_));
                Node::Load { from: self.address(place), to: to(), once }
            }
            InstKind::Store { place, values, effect } => {
                Node::Store { to: self.address(place), values: self.slots(values), effect: self.slot(*effect) }
            }
            InstKind::Atomic { op, place, value, compare, effect } => {
                Node::Atomic { at: self.address(place), update: self.update(inst, *op, *value, *compare, *effect) }
            }
            InstKind::Counter { op, resource, effect } => {
                Node::Counter { op: *op, view: self.view(*resource), effect: self.slot(*effect), to: result() }
            }
            InstKind::TexelLoad { resource, coords, level } => Node::TexelLoad {
                view: self.view(*resource),
                texel: self.texel(coords, *level),
                to: to(),
                once: same_address(),
            },
            InstKind::TexelStore { resource, coords, values, effect } => Node::TexelStore {
                view: self.view(*resource),
                texel: self.texel(coords, None),
                values: self.slots(values),
                effect: self.slot(*effect),
            },
            InstKind::TexelAtomic { op, resource, coords, value, compare, effect } => Node::TexelAtomic {
                view: self.view(*resource),
                texel: self.texel(coords, None),
                update: self.update(inst, *op, *value, *compare, *effect),
            },
            InstKind::Sample { sampling, texture, sampler, args } => Node::Sample {
                sampling: *sampling,
                texture: self.view(*texture),
                sampler: self.view(*sampler),
                args: self.slots(args),
                to: to(),
                once: same_address(),
            },
            InstKind::Message { message, values, effect } => Node::Message {
                message: *message,
                aborts: self.func.interface.message(*message).kind == MessageKind::Abort,
                values: self.slots(values),
                effect: self.slot(*effect),
            },
            InstKind::PacketAll(value) => Node::PacketAll { cond: self.slot(*value), to: result() },
            InstKind::QuadRead { from, value } => {
                Node::QuadRead { from: *from, value: self.slot(*value), to: result() }
            }
            InstKind::Query { query, resource, level } => Node::Query {
                query: *query,
                view: self.view(*resource),
                level: level.map(|value| self.slot(value)),
                to: to(),
                once: same_address(),
            },
            InstKind::If { cond, then_region, else_region } => {
                Node::If { cond: self.slot(*cond), then_block: arm(*then_region), else_block: arm(*else_region) }
            }
            InstKind::Loop { inits, body } => Node::Loop {
                target: self.target(inst),
                inits: self.moves(inits, &self.func.region(*body).params),
                body: arm(*body),
            },
            InstKind::Switch { selector, cases, default } => Node::Switch {
                target: self.target(inst),
                selector: self.slot(*selector),
                arms: arms(cases, *default, arm),
            },
            InstKind::Yield(args) => {
                let (_, to) = self.flow.edge(self.func, inst).expect("only owned regions yield");
                Node::End(self.moves(args, to))
            }
            InstKind::Break { target, args } => {
                let moves = self.moves(args, &self.func.inst(*target).results);
                if self.phases.is_cut(*target) {
                    Node::End(moves)
                } else {
                    Node::Break { target: self.target(*target), moves }
                }
            }
            InstKind::Continue { target, args } => {
                let moves = self.moves(args, self.flow.params(self.func, *target));
                if self.phases.is_cut(*target) {
                    Node::End(moves)
                } else {
                    Node::Continue { target: self.target(*target), moves }
                }
            }
            InstKind::Return => Node::Return,
        })
    }

    fn view(&self, resource: ResourceRef) -> ViewRef {
        let element = match resource.element {
            function::Element::Fixed(element) => ViewElement::Fixed(element),
            function::Element::Computed(value) => ViewElement::Computed(self.slot(value)),
        };
        ViewRef { id: resource.id, element }
    }

    fn address(&self, place: &MemoryRef) -> Address {
        let space = match place.object {
            Object::Resource(resource) => Space::View(self.view(resource)),
            Object::Shared(id) => Space::Shared(self.shared[id.index()]),
            Object::Local(id) => Space::Local(self.locals[id.index()]),
            Object::Array(id) => Space::Array(BatchArray {
                number: id.index(),
                stride_bytes: self.func.interface.array(id).stride_bytes,
            }),
            Object::Curve => {
                Space::Curve(WordRange { base: 0, stride_bytes: 4, count: CURVE.as_flattened().len() as u32 })
            }
            Object::Immediate => Space::Immediate(WordRange {
                base: 0,
                stride_bytes: 16,
                count: self.func.interface.immediate.len() as u32,
            }),
        };
        Address { space, index: place.index.map(|value| self.slot(value)), offset: self.slot(place.offset) }
    }

    fn texel(&self, coords: &[Value], level: Option<Value>) -> Texel {
        Texel { coords: self.slots(coords), level: level.map(|value| self.slot(value)) }
    }

    fn update(
        &self,
        inst: Inst,
        op: function::AtomicOp,
        value: Value,
        compare: Option<Value>,
        effect: Value,
    ) -> Update {
        Update {
            op,
            value: self.slot(value),
            compare: compare.map(|value| self.slot(value)),
            effect: self.slot(effect),
            to: self.slot(self.func.inst(inst).results[0]),
        }
    }
}

/// Worst-case nanoseconds that an instruction takes for one lane.
fn work_of(kind: &InstKind) -> u64 {
    match kind {
        InstKind::Const(_) | InstKind::Input(_) => 0,
        InstKind::Sample { .. } => 20_000,
        InstKind::TexelLoad { .. } | InstKind::TexelStore { .. } | InstKind::TexelAtomic { .. } => 500,
        InstKind::Load { .. }
        | InstKind::Store { .. }
        | InstKind::Atomic { .. }
        | InstKind::Counter { .. }
        | InstKind::Query { .. } => 100,
        InstKind::Message { .. } => 2_000,
        _ => 20,
    }
}

fn arms<T>(cases: &[Case], default: Region, mut make: impl FnMut(Region) -> T) -> Arms<T> {
    let mut labels: Vec<(u32, usize)> =
        cases.iter().enumerate().flat_map(|(arm, case)| case.labels.iter().map(move |&label| (label, arm))).collect();
    labels.sort_unstable();
    Arms { labels, arms: cases.iter().map(|case| case.region).chain([default]).map(&mut make).collect() }
}
