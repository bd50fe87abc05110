//! Collects the facts that lowering needs about a function: the packets that run it, and results of analyses.

use brolga_ir::bound::Bounds;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::float_class::FloatClasses;
use brolga_ir::flow::Flow;
use brolga_ir::function::{Input, InstKind};
use brolga_ir::phases::Phases;
use brolga_ir::shape::{Shape, Shapes};
use brolga_ir::span::Packing;
use brolga_ir::uniformity::Uniformity;
use brolga_ir::{Function, Op, Type};

use crate::FloatMode;
use crate::float_mode::float_mode;
use crate::options::Options;
use crate::packet;

/// Facts about a function before its code is written.
pub(super) struct Facts<'a> {
    pub func: &'a Function,
    /// The shape of packets in registers.
    pub shape: packet::PacketShape,
    /// The float mode that its code runs in.
    pub mode: FloatMode,
    flow: Flow,
    /// Uniformity of control flow and of values.
    pub uniformity: Uniformity,
    shapes: Shapes,
    /// Upper bounds of integers.
    pub bounds: Bounds,
    /// Floats that can be denormals, infinities, NaNs.
    pub floats: FloatClasses,
    /// Segments into which barriers cut the function.
    pub phases: Phases,
    /// Set if threads may return in one segment and must not run the next.
    pub keeps_alive: bool,
    /// Set if packets vote on branches around barriers.
    pub votes: bool,
}

impl<'a> Facts<'a> {
    pub fn compute(func: &'a Function, options: &Options) -> Self {
        let flow = Flow::new(func);
        let uniformity = Uniformity::compute(func, &flow, options.packing);
        let shapes = Shapes::compute(func, &flow, &uniformity);
        let phases = Phases::compute(func);
        let mut facts = Self {
            func,
            shape: packet::PacketShape::of(func, options),
            mode: float_mode(func),
            uniformity,
            shapes,
            bounds: Bounds::compute(func),
            floats: FloatClasses::compute(func, &flow),
            phases,
            flow,
            keeps_alive: false,
            votes: false,
        };
        facts.visit(func.body(), false);
        facts.keeps_alive &= facts.phases.has_cuts();
        facts
    }

    /// Finds branches around barriers, and returns that only some threads of a group may take.
    fn visit(&mut self, region: Region, inside: bool) {
        let func = self.func;
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            self.votes |= self.phases.is_cut(inst) && matches!(kind, InstKind::If { .. } | InstKind::Switch { .. });
            self.keeps_alive |= inside && matches!(kind, InstKind::Return);
            for inner in kind.regions() {
                self.visit(inner, inside || !self.phases.is_cut(inst));
            }
        }
    }

    /// The packing of threads into packets.
    pub fn packing(&self) -> Packing {
        self.uniformity.packing()
    }

    /// `true` if anything uses the value.
    pub fn is_used(&self, value: Value) -> bool {
        !self.flow.uses(value).is_empty()
    }

    /// `true` if the value is uniform in a packet.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.uniformity.is_packet_uniform(value)
    }

    /// `true` if the value is kept in the packet's record between segments.
    pub fn is_kept(&self, value: Value) -> bool {
        self.is_used(value) && self.phases.is_crossing(value)
    }

    /// `true` if it is kept once for the group, not packet by packet.
    pub fn is_kept_by_group(&self, value: Value) -> bool {
        self.is_kept(value) && self.uniformity.is_group_uniform(value)
    }

    /// The stride between neighbouring lanes, if it is known and lane 0 determines all others.
    pub fn stride(&self, value: Value, all_lanes_active: bool) -> Option<u32> {
        match self.shapes.shape(value) {
            Shape::Affine { stride } if all_lanes_active || self.shapes.in_all_lanes(value) => Some(stride),
            _ => None,
        }
    }

    /// The stride within each octet, if its first lane determines the others.
    pub fn stride_in_octets(&self, value: Value, all_lanes_active: bool) -> Option<u32> {
        match self.shapes.shape(value) {
            Shape::Affine { stride } | Shape::Octets { stride }
                if all_lanes_active || self.shapes.in_all_lanes(value) =>
            {
                Some(stride)
            }
            _ => None,
        }
    }

    /// The usual stride of a value from lane to lane in each of so many runs, despite clamps, remainders and selects
    /// that may break it. Nobody may rely on it without testing the lanes.
    pub fn usual_stride(&self, value: Value, runs: u32) -> Option<u32> {
        const MOST_STEPS: u32 = 8;
        self.usual_stride_within(value, runs, MOST_STEPS)
    }

    fn usual_stride_within(&self, value: Value, runs: u32, steps: u32) -> Option<u32> {
        let known = match runs {
            _ if self.is_uniform(value) => Some(0),
            1 => self.stride(value, true),
            _ => self.stride_in_octets(value, true),
        };
        if known.is_some() {
            return known;
        }
        let steps = steps.checked_sub(1)?;
        let usual = |value| self.usual_stride_within(value, runs, steps);
        let constant = |value| self.func.as_const(value).map(|constant| constant.bits as u32);
        Some(match self.func.as_op(value)? {
            (Op::SMin | Op::SMax | Op::UMin | Op::UMax | Op::And, &[a, b]) => match [usual(a)?, usual(b)?] {
                [stride, 0] | [0, stride] => stride,
                _ => return None,
            },
            (Op::UMod, &[a, b]) if usual(b)? == 0 => usual(a)?,
            (Op::SelectI32, &[_, a, b]) => match [usual(a)?, usual(b)?] {
                [0, stride] | [stride, 0] => stride,
                [a, b] if a == b => a,
                _ => return None,
            },
            (Op::IAdd, &[a, b]) => usual(a)?.wrapping_add(usual(b)?),
            (Op::ISub, &[a, b]) => usual(a)?.wrapping_sub(usual(b)?),
            (Op::IMul, &[a, b]) => match (usual(a)?, usual(b)?, constant(a), constant(b)) {
                (0, 0, ..) => 0,
                (stride, 0, _, Some(factor)) | (0, stride, Some(factor), _) => stride.wrapping_mul(factor),
                _ => return None,
            },
            (Op::Shl, &[a, count]) => usual(a)?.wrapping_shl(constant(count)?),
            _ => return None,
        })
    }

    /// `true` if the value is the same in the four lanes of each quad, and the first determines the others.
    pub fn is_equal_in_quads(&self, value: Value, all_lanes_active: bool) -> bool {
        let equal = matches!(
            self.shapes.shape(value),
            Shape::Affine { stride: 0 } | Shape::Octets { stride: 0 } | Shape::Quad { across: 0, down: 0 }
        );
        equal && (all_lanes_active || self.shapes.in_all_lanes(value))
    }

    /// The difference between the two lanes of each row of a quad, if it is known and all lanes are active.
    pub fn step_in_pairs(&self, value: Value) -> Option<u32> {
        match self.shapes.shape(value) {
            Shape::Affine { stride } | Shape::Octets { stride } => Some(stride),
            Shape::Quad { across, .. } | Shape::Pairs { across } => Some(across),
            Shape::Scattered => None,
        }
    }

    /// `true` if every break of a loop passes its `n`-th parameter unchanged.
    pub fn breaks_bring_param(&self, loop_inst: Inst, n: usize, param: Value) -> bool {
        let brings = |&edge: &Inst| self.func.inst(edge).kind.passed().is_some_and(|args| args[n] == param);
        self.flow.result_edges(loop_inst).iter().all(brings)
    }

    /// `true` if the threads of a span form a row along x.
    pub fn threads_are_row(&self) -> bool {
        self.packing() == Packing::Row && self.func.interface.group_size()[1..] == [1, 1]
    }

    /// The number of runs of lanes in which a value is affine, if it is: one of all lanes, or one for each octet.
    pub fn runs_of(&self, value: Value) -> Option<u32> {
        if self.stride(value, true).is_some() {
            return Some(1);
        }
        self.stride_in_octets(value, true).and_then(|_| self.octets())
    }

    /// The values of the four lanes of each quad, if they are the same in all quads of all packets: computed from the
    /// position in the quad alone.
    pub fn pattern(&self, value: Value) -> Option<[u32; 4]> {
        const MOST_STEPS: u32 = 4;
        if self.is_uniform(value) {
            return None;
        }
        self.pattern_within(value, MOST_STEPS)
    }

    fn pattern_within(&self, value: Value, steps: u32) -> Option<[u32; 4]> {
        if let Some(constant) = self.func.as_const(value) {
            return (constant.ty == Type::I32).then_some([constant.bits as u32; 4]);
        }
        let steps = steps.checked_sub(1)?;
        let (op, &[a, b]) = self.func.as_op(value)? else { return None };
        if !matches!(op, Op::IAdd | Op::ISub | Op::IMul | Op::And | Op::Or | Op::Xor | Op::Shl | Op::UShr) {
            return None;
        }
        if op == Op::And && self.is_number(a) && self.func.as_const(b).is_some_and(|mask| mask.bits < 4) {
            let mask = self.func.as_const(b).expect("just looked").bits as u32;
            return Some([0, 1, 2, 3].map(|lane| lane & mask));
        }
        let (a, b) = (self.pattern_within(a, steps)?, self.pattern_within(b, steps)?);
        Some([0, 1, 2, 3].map(|lane| op.eval(&[a[lane].into(), b[lane].into()]) as u32))
    }

    /// `true` if it is the number of each lane, counted from a multiple of the packet's lanes.
    pub fn is_number(&self, value: Value) -> bool {
        match self.func.as_input(value) {
            Some(Input::ThreadIndex) => self.packing() == Packing::Group,
            Some(Input::ThreadId(0)) => self.func.interface.fills_packets,
            _ => false,
        }
    }

    /// `true` if every lane of every packet is a thread, though perhaps an inactive one: facts about threads hold
    /// there.
    pub fn are_all_lanes_threads(&self) -> bool {
        let interface = &self.func.interface;
        match self.packing() {
            Packing::Group => interface.threads_per_group().is_multiple_of(self.shape.lanes()),
            _ => interface.fills_packets,
        }
    }

    /// The number of octets per packet, if each has vectors of its own and facts about threads hold in all its lanes.
    pub fn octets(&self) -> Option<u32> {
        self.shape.octets().filter(|_| self.are_all_lanes_threads())
    }
}
