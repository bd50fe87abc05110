//! Finds the values that are the same in all threads, and the control flow that threads take together.
//!
//! A *packet* is a fixed number of consecutive threads of one group, run in lockstep. A value is *packet-uniform* if,
//! each time its definition runs, it is the same in all lanes of the packet that are active there: it may stay a
//! scalar. It is *group-uniform* if that holds for all active threads of the group (packets are compared in the same
//! iteration of every loop around the definition). Inactive threads have no value. Where packets hold threads of
//! several groups (see [`Packing`]) the span of groups that run together takes the group's role.
//!
//! The analysis is optimistic: everything is uniform until a reason to the contrary turns up. The reasons spread along
//! uses and along *divergence*. An `if`, `switch` or `loop` diverges when threads that enter it together may take
//! different paths through it. For an `if` and a `switch` that is so if the condition varies. It is also so for a
//! `switch` or `loop` with a jump to it, a break or continue, that sits inside something divergent within it: some
//! threads jump and others stay, or they jump from different iterations of an inner loop. Then everything in it is run
//! by only some of them, so jumps from it to outer constructs are divergent too. Threads that leave to an outer
//! construct, or return, are simply gone: that does not make those that stay differ.
//!
//! Where threads reconverge after a divergent construct, the merged value is uniform only if all edges pass the very
//! same value, from one evaluation of it.
//!
//! Every value and every construct is lowered from uniform to varying at most once in each analysis, so the cost is
//! linear apart from the nesting depth.

use crate::entity::{Inst, Region, Value};
use crate::flow::Flow;
use crate::function::{Effect, Function, Input, InstKind, Object};
use crate::span::Packing;

/// Uniformity of the values and control flow of one function. See the module's head.
#[derive(Clone, Debug)]
pub struct Uniformity {
    packing: Packing,
    packet: Facts,
    group: Facts,
    /// Per instruction: set if lanes may leave within it while others pass.
    loses_lanes: Vec<bool>,
    region_loses_lanes: Vec<bool>,
    region_returns: Vec<bool>,
    /// Per instruction: set if results arrive along at most one edge.
    one_way: Vec<bool>,
}

impl Uniformity {
    /// Analyses a function without slots, for this packing.
    pub fn compute(func: &Function, flow: &Flow, packing: Packing) -> Self {
        let packet = DivergenceAnalysis::run(func, flow, Scope::Packet { lanes: func.width.lanes() }, packing);
        let group = DivergenceAnalysis::run(func, flow, Scope::Group, packing);
        let mut uniformity = Self {
            packing,
            packet,
            group,
            loses_lanes: vec![false; func.inst_count()],
            region_loses_lanes: vec![false; func.region_count()],
            region_returns: vec![false; func.region_count()],
            one_way: (0..func.inst_count()).map(|n| flow.result_edges(Inst::new(n)).len() <= 1).collect(),
        };
        uniformity.find_lost_lanes(func, flow);
        uniformity
    }

    /// The packing of threads.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// `true` if a value is the same in all active lanes of a packet.
    pub fn is_packet_uniform(&self, value: Value) -> bool {
        !self.packet.varying[value.index()]
    }

    /// `true` if a value is the same in all active threads of a group.
    pub fn is_group_uniform(&self, value: Value) -> bool {
        !self.group.varying[value.index()]
    }

    /// `true` if lanes of a packet that enter this `if`, `switch` or `loop` together may take different paths through
    /// it. An `if` or `switch`: its condition is not packet-uniform, or (`switch`)
    /// [`jumps_diverge`](Self::jumps_diverge). A `loop`: `jumps_diverge`. False for everything else.
    pub fn divergent_control(&self, inst: Inst) -> bool {
        self.packet.diverges[inst.index()]
    }

    /// The same for the threads of a group.
    pub fn divergent_control_in_group(&self, inst: Inst) -> bool {
        self.group.diverges[inst.index()]
    }

    /// `true` if some break or continue that targets this `loop` or `switch` is taken by only some of the lanes that
    /// could take it together. If not, all active lanes leave a loop in the same iteration by the same break (except
    /// those that leave to an outer construct or return).
    pub fn jumps_diverge(&self, inst: Inst) -> bool {
        self.packet.jumps_diverge[inst.index()]
    }

    /// `true` if lanes in the same iteration of this loop may reach the next one by different continues (the end of the
    /// body counts as one) or at different times. If not, its parameters can be overwritten in all lanes at once.
    pub fn params_need_masks(&self, loop_inst: Inst) -> bool {
        self.packet.continues_diverge[loop_inst.index()]
    }

    /// `true` if results of this `if`, `switch` or `loop` reach different lanes along different edges or at different
    /// times. If not, they can be written in all lanes at once.
    pub fn results_need_masks(&self, func: &Function, inst: Inst) -> bool {
        let one_way = matches!(func.inst(inst).kind, InstKind::If { .. }) && self.one_way[inst.index()];
        self.packet.diverges[inst.index()] && !one_way
    }

    /// `true` if lanes of a packet may leave within this instruction, by a return or a jump to an outer construct,
    /// while others reach its end. If not, the lanes active after it are those active before it, or none.
    pub fn may_lose_lanes(&self, inst: Inst) -> bool {
        self.loses_lanes[inst.index()]
    }

    /// `true` if some lanes of a packet may return within this region while others that entered it with them do not.
    pub fn region_may_return_divergently(&self, region: Region) -> bool {
        self.region_returns[region.index()] && self.region_loses_lanes[region.index()]
    }

    fn find_lost_lanes(&mut self, func: &Function, flow: &Flow) {
        for &jump in &flow.order {
            let kind = &func.inst(jump).kind;
            let target = kind.jump_target();
            if target.is_none() && !matches!(kind, InstKind::Return) {
                continue;
            }
            let mut divergent = false;
            let mut at = Some(flow.region_of(jump));
            while let Some(region) = at {
                self.region_loses_lanes[region.index()] |= divergent;
                self.region_returns[region.index()] |= target.is_none();
                at = None;
                if let Some(owner) = flow.owner(region).filter(|&owner| Some(owner) != target) {
                    divergent |= self.packet.diverges[owner.index()];
                    self.loses_lanes[owner.index()] |= divergent;
                    at = Some(flow.region_of(owner));
                }
            }
        }
    }
}

/// The set of threads that are compared.
#[derive(Clone, Copy)]
enum Scope {
    Packet { lanes: u32 },
    Group,
}

#[derive(Clone, Debug)]
struct Facts {
    /// Per value: set if it varies.
    varying: Vec<bool>,
    /// Per instruction: set if its condition varies or jumps to it diverge.
    diverges: Vec<bool>,
    jumps_diverge: Vec<bool>,
    continues_diverge: Vec<bool>,
}

struct DivergenceAnalysis<'a> {
    func: &'a Function,
    flow: &'a Flow,
    scope: Scope,
    packing: Packing,
    facts: Facts,
    /// Values found varying whose uses are still to be visited.
    values: Vec<Value>,
    /// Constructs found divergent whose merges and jumps are still to be visited.
    constructs: Vec<Inst>,
}

impl<'a> DivergenceAnalysis<'a> {
    fn run(func: &'a Function, flow: &'a Flow, scope: Scope, packing: Packing) -> Facts {
        let facts = Facts {
            varying: vec![false; func.value_count()],
            diverges: vec![false; func.inst_count()],
            jumps_diverge: vec![false; func.inst_count()],
            continues_diverge: vec![false; func.inst_count()],
        };
        let mut analysis = Self { func, flow, scope, packing, facts, values: Vec::new(), constructs: Vec::new() };
        for &inst in &flow.order {
            if analysis.varies_by_itself(inst) {
                analysis.demote_results(inst);
            }
        }
        loop {
            if let Some(value) = analysis.values.pop() {
                for &(user, position) in flow.uses(value) {
                    analysis.operand_varies(user, position as usize);
                }
            } else if let Some(inst) = analysis.constructs.pop() {
                analysis.construct_diverges(inst);
            } else {
                return analysis.facts;
            }
        }
    }

    fn demote(&mut self, value: Value) {
        if !std::mem::replace(&mut self.facts.varying[value.index()], true) {
            self.values.push(value);
        }
    }

    fn demote_results(&mut self, inst: Inst) {
        for &result in &self.func.inst(inst).results {
            self.demote(result);
        }
    }

    fn demote_construct(&mut self, inst: Inst) {
        if !std::mem::replace(&mut self.facts.diverges[inst.index()], true) {
            self.constructs.push(inst);
        }
    }

    /// `true` if results differ between threads even if all operands are the same.
    fn varies_by_itself(&self, inst: Inst) -> bool {
        let group = matches!(self.scope, Scope::Group);
        let kind = &self.func.inst(inst).kind;
        match (kind.effect(), kind) {
            (_, InstKind::Input(input)) => {
                input_varies(*input, self.func.interface.group_size(), self.scope, self.packing)
            }
            (_, InstKind::PacketAll(_)) => group,
            (_, InstKind::QuadRead { .. }) => false,
            (Effect::Read(Object::Local(_)) | Effect::Write | Effect::Context, _) => true,
            // Engines read a uniform address once per packet, so that other threads' writes cannot make lanes differ.
            // Packets read at different times.
            (Effect::Read(object), _) => group && !self.func.is_read_only(&object),
            (Effect::None | Effect::Barrier(_) | Effect::Control | Effect::Terminator, _) => false,
        }
    }

    fn operand_varies(&mut self, user: Inst, position: usize) {
        if let Some((_, merged)) = self.flow.edge(self.func, user) {
            return self.demote(merged[position]);
        }
        match self.func.inst(user).kind {
            InstKind::If { .. } | InstKind::Switch { .. } => self.demote_construct(user),
            // One answer for the packet, whatever differs between its threads.
            InstKind::PacketAll(_) if !matches!(self.scope, Scope::Group) => {}
            _ => self.demote_results(user),
        }
    }

    /// Visits the merges of a divergent construct, and the jumps that leave it for an outer construct.
    fn construct_diverges(&mut self, inst: Inst) {
        for (n, &result) in self.func.inst(inst).results.iter().enumerate() {
            if !self.flow.same_evaluation(self.func, self.flow.result_edges(inst), n, self.flow.loop_depth(result)) {
                self.demote(result);
            }
        }
        let depth = self.flow.depth(inst);
        let mut regions = self.func.inst(inst).kind.regions();
        while let Some(region) = regions.pop() {
            for &inner in &self.func.region(region).insts {
                let kind = &self.func.inst(inner).kind;
                regions.extend(kind.regions());
                if let InstKind::Break { target, .. } | InstKind::Continue { target, .. } = kind
                    && self.flow.depth(*target) < depth
                {
                    self.facts.jumps_diverge[target.index()] = true;
                    self.demote_construct(*target);
                    if matches!(kind, InstKind::Continue { .. }) {
                        self.continue_diverges(*target);
                    }
                }
            }
        }
    }

    fn continue_diverges(&mut self, loop_inst: Inst) {
        if std::mem::replace(&mut self.facts.continues_diverge[loop_inst.index()], true) {
            return;
        }
        for (n, &param) in self.flow.params(self.func, loop_inst).iter().enumerate() {
            if !self.flow.same_evaluation(self.func, self.flow.param_edges(loop_inst), n, self.flow.loop_depth(param)) {
                self.demote(param);
            }
        }
    }
}

fn input_varies(input: Input, size: [u32; 3], scope: Scope, packing: Packing) -> bool {
    let component = match input {
        Input::GroupId(component) => return packing.varies(component.into()),
        Input::ThreadId(component) if packing.varies(component.into()) => return true,
        Input::GroupCount(_) => return false,
        Input::ThreadIndex => return size.iter().any(|&n| n != 1),
        Input::ThreadId(component) | Input::ThreadIdInGroup(component) => usize::from(component),
    };
    let below: u32 = size[..component].iter().fold(1, |a, &b| a.wrapping_mul(b));
    match scope {
        // A packet starts at a multiple of its lanes, so it stays within one run of equal components.
        Scope::Packet { lanes } if packing == Packing::Group && below.is_multiple_of(lanes) => false,
        _ => size[component] != 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, only};
    use crate::entity::ResourceId;
    use crate::function::MemoryRef;
    use crate::interface::{Interface, Resource, ResourceClass, ResourceKind};
    use crate::ops::Op;
    use crate::types::Type;

    const LANES: u32 = 8;

    fn function(group_size: [u32; 3]) -> Function {
        let raw = |class| Resource::new(class, ResourceKind::Raw, 0);
        let resources = vec![raw(ResourceClass::ShaderResource), raw(ResourceClass::UnorderedAccess)];
        Function::new("test", Interface { resources, ..Interface::compute(group_size) })
    }

    #[test]
    fn inputs_by_group_shape() {
        let varies_in = |packing, input, size| {
            [Scope::Packet { lanes: LANES }, Scope::Group].map(|scope| input_varies(input, size, scope, packing))
        };
        let varies = |input, size| <(bool, bool)>::from(varies_in(Packing::Group, input, size));
        assert_eq!(varies(Input::GroupId(0), [64, 1, 1]), (false, false));
        assert_eq!(varies(Input::ThreadIdInGroup(0), [64, 1, 1]), (true, true));
        assert_eq!(varies(Input::ThreadIdInGroup(1), [64, 1, 1]), (false, false));
        assert_eq!(varies(Input::ThreadId(1), [8, 8, 1]), (false, true));
        assert_eq!(varies(Input::ThreadId(1), [4, 8, 1]), (true, true));
        assert_eq!(varies(Input::ThreadIdInGroup(2), [4, 2, 8]), (false, true));
        assert_eq!(varies(Input::ThreadIdInGroup(2), [3, 2, 8]), (true, true));
        assert_eq!(varies(Input::ThreadIndex, [1, 1, 1]), (false, false));
        let in_row = |input, size| varies_in(Packing::Row, input, size);
        assert_eq!([0, 1].map(|n| in_row(Input::GroupId(n), [1, 1, 1])), [[true; 2], [false; 2]]);
        assert_eq!([0, 1].map(|n| in_row(Input::ThreadId(n), [1, 1, 1])), [[true; 2], [false; 2]]);
        assert_eq!([0, 1].map(|n| in_row(Input::ThreadIdInGroup(n), [1, 4, 1])), [[false; 2], [true; 2]]);
        assert_eq!([[1, 1, 1], [2, 1, 1]].map(|size| in_row(Input::ThreadIndex, size)), [[false; 2], [true; 2]]);
        assert_eq!(varies_in(Packing::Grid, Input::GroupId(2), [4, 1, 1]), [true; 2]);
        assert_eq!(varies_in(Packing::Grid, Input::ThreadId(2), [4, 1, 1]), [true; 2]);
        for packing in [Packing::Group, Packing::Row, Packing::Grid] {
            assert_eq!(varies_in(packing, Input::GroupCount(0), [1, 1, 1]), [false; 2]);
        }
    }

    #[test]
    fn loads_follow_their_address() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (zero, tid) = (b.i32(0), b.input(Input::ThreadIndex));
        let mut load = |id, offset| {
            let object = Object::Resource(only(ResourceId::new(id)));
            b.load(MemoryRef { object, index: None, offset }, 1)[0]
        };
        let loads = [load(0, zero), load(1, zero), load(0, tid), load(1, tid)];
        b.return_();
        let facts = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        assert_eq!(loads.map(|v| facts.is_packet_uniform(v)), [true, true, false, false]);
        assert_eq!(loads.map(|v| facts.is_group_uniform(v)), [true, false, false, false]);
    }

    #[test]
    fn merge_of_a_divergent_if_varies_unless_both_sides_agree() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (one, two, tid) = (b.i32(1), b.i32(2), b.input(Input::ThreadIndex));
        let cond = b.op(Op::ULt, &[tid, two]);
        let (inst, then_region, else_region) = b.if_else(cond, &[Type::I32, Type::I32]);
        let body = b.switch_to(then_region);
        b.yield_(&[one, one]);
        b.switch_to(else_region);
        let other_one = b.i32(1);
        b.yield_(&[two, other_one]);
        b.switch_to(body);
        b.return_();
        let facts = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        assert!(facts.divergent_control(inst) && facts.results_need_masks(&func, inst) && !facts.may_lose_lanes(inst));
        let results = &func.inst(inst).results;
        assert!(!facts.is_packet_uniform(results[0]) && facts.is_packet_uniform(results[1]));
    }

    /// Counts up from 0; leaves if `exit(counter)` holds. Gives the loop, the counter and the counter's final value.
    fn counting_loop(b: &mut Builder<'_>, exit: impl FnOnce(&mut Builder<'_>, Value) -> Value) -> (Inst, Value, Value) {
        let (zero, one) = (b.i32(0), b.i32(1));
        let (inst, body) = b.loop_(&[zero]);
        let outer = b.switch_to(body);
        let counter = b.func.region(body).params[0];
        let leave = exit(b, counter);
        b.when(leave, |b| b.break_(inst, &[counter]));
        let next = b.op(Op::IAdd, &[counter, one]);
        b.yield_(&[next]);
        b.switch_to(outer);
        (inst, counter, b.func.inst(inst).results[0])
    }

    #[test]
    fn loop_counter_stays_uniform_but_not_what_divergent_exits_bring() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let tid = b.input(Input::ThreadIndex);
        let (same_inst, same, same_end) = counting_loop(&mut b, |b, counter| {
            let limit = b.i32(10);
            b.op(Op::UGe, &[counter, limit])
        });
        let (div_inst, div, div_end) = counting_loop(&mut b, |b, counter| b.op(Op::UGe, &[counter, tid]));
        b.return_();
        let facts = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        assert!(facts.is_packet_uniform(same) && facts.is_packet_uniform(same_end) && facts.is_group_uniform(same_end));
        assert!(!facts.jumps_diverge(same_inst));
        assert!(facts.is_packet_uniform(div), "all lanes still there are in the same round");
        assert!(!facts.is_packet_uniform(div_end));
        assert!(facts.divergent_control(div_inst) && !facts.params_need_masks(div_inst));
        assert!(!facts.may_lose_lanes(div_inst));
    }

    #[test]
    fn divergent_continue_makes_parameters_vary() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (zero, one, tid) = (b.i32(0), b.i32(1), b.input(Input::ThreadIndex));
        let odd = b.op(Op::And, &[tid, one]);
        let odd = b.op(Op::IEq, &[odd, one]);
        let (inst, body) = b.loop_(&[zero, zero]);
        let outer = b.switch_to(body);
        let params = b.func.region(body).params.clone();
        b.when(odd, |b| b.continue_(inst, &[params[0], params[1]]));
        let next = b.op(Op::IAdd, &[params[0], one]);
        b.yield_(&[next, params[1]]);
        b.switch_to(outer);
        b.return_();
        let facts = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        assert!(facts.params_need_masks(inst));
        assert!(!facts.is_packet_uniform(params[0]) && facts.is_packet_uniform(params[1]));
    }

    #[test]
    fn divergent_inner_exit_makes_an_outer_jump_divergent() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let tid = b.input(Input::ThreadIndex);
        let zero = b.i32(0);
        let at_start = b.op(Op::IEq, &[tid, zero]);
        let (outer_loop, outer_body) = b.loop_(&[zero]);
        let body = b.switch_to(outer_body);
        let (inner_loop, inner_body) = b.loop_(&[]);
        b.switch_to(inner_body);
        b.when(at_start, |b| b.break_(inner_loop, &[]));
        let seven = b.i32(7);
        b.break_(outer_loop, &[seven]);
        b.switch_to(outer_body);
        let eight = b.i32(8);
        b.break_(outer_loop, &[eight]);
        b.switch_to(body);
        b.return_();
        let facts = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        assert!(facts.jumps_diverge(inner_loop) && facts.jumps_diverge(outer_loop) && facts.may_lose_lanes(inner_loop));
        assert!(!facts.is_packet_uniform(func.inst(outer_loop).results[0]));
        assert!(!facts.region_may_return_divergently(func.body()));
    }

    #[test]
    fn divergent_return_loses_lanes_but_keeps_others_uniform() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (five, tid) = (b.i32(5), b.input(Input::ThreadIndex));
        let cond = b.op(Op::ULt, &[tid, five]);
        let (inst, then_region, else_region) = b.if_else(cond, &[Type::I32]);
        let body = b.switch_to(then_region);
        b.return_();
        b.switch_to(else_region);
        b.yield_(&[five]);
        b.switch_to(body);
        b.return_();
        let facts = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
        assert!(facts.may_lose_lanes(inst) && facts.region_may_return_divergently(func.body()));
        assert!(!facts.region_may_return_divergently(then_region));
        assert!(facts.is_packet_uniform(func.inst(inst).results[0]) && !facts.results_need_masks(&func, inst));
    }
}
