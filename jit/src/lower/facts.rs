//! Results of the analyses that lowering uses.

use brolga_ir::Function;
use brolga_ir::bound::Bounds;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::float_class::FloatClasses;
use brolga_ir::flow::Flow;
use brolga_ir::function::InstKind;
use brolga_ir::phases::Phases;
use brolga_ir::shape::{Shape, Shapes};
use brolga_ir::span::Packing;
use brolga_ir::uniformity::Uniformity;

/// Results of the analyses of a function.
pub(super) struct Facts {
    flow: Flow,
    /// Which control flow is uniform, and which values are.
    pub uniformity: Uniformity,
    shapes: Shapes,
    /// How large integers can be.
    pub bounds: Bounds,
    /// Which floats can be denormals, infinities, NaNs.
    pub floats: FloatClasses,
    /// Where barriers cut the function into segments.
    pub phases: Phases,
    /// Threads may return in one segment and must not run the next.
    pub keeps_alive: bool,
    /// Packets vote on branches around barriers.
    pub votes: bool,
}

impl Facts {
    pub fn compute(func: &Function, packing: Packing) -> Self {
        let flow = Flow::new(func);
        let uniformity = Uniformity::compute(func, &flow, packing);
        let shapes = Shapes::compute(func, &flow, &uniformity);
        let phases = Phases::compute(func);
        let mut facts = Self {
            uniformity,
            shapes,
            bounds: Bounds::compute(func),
            floats: FloatClasses::compute(func, &flow),
            phases,
            flow,
            keeps_alive: false,
            votes: false,
        };
        facts.visit(func, func.body(), false);
        facts.keeps_alive &= facts.phases.has_cuts();
        facts
    }

    /// Finds branches around barriers, and returns that only some threads of a group may take.
    fn visit(&mut self, func: &Function, region: Region, inside: bool) {
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            self.votes |= self.phases.is_cut(inst) && matches!(kind, InstKind::If { .. } | InstKind::Switch { .. });
            self.keeps_alive |= inside && matches!(kind, InstKind::Return);
            for inner in kind.regions() {
                self.visit(func, inner, inside || !self.phases.is_cut(inst));
            }
        }
    }

    /// How threads are packed.
    pub fn packing(&self) -> Packing {
        self.uniformity.packing()
    }

    /// Whether anything uses the value.
    pub fn is_used(&self, value: Value) -> bool {
        !self.flow.uses(value).is_empty()
    }

    /// Whether the value is the same in all lanes of a packet.
    pub fn is_uniform(&self, value: Value) -> bool {
        self.uniformity.is_packet_uniform(value)
    }

    /// Whether the value is kept in the packet's record between segments.
    pub fn is_kept(&self, value: Value) -> bool {
        self.is_used(value) && self.phases.is_crossing(value)
    }

    /// Whether it is kept once for the group, not packet by packet.
    pub fn is_kept_by_group(&self, value: Value) -> bool {
        self.is_kept(value) && self.uniformity.is_group_uniform(value)
    }

    /// The difference between neighbouring lanes, where it is known and lane 0 determines all others.
    pub fn stride(&self, value: Value, all_lanes_active: bool) -> Option<u32> {
        match self.shapes.shape(value) {
            Shape::Affine { stride } if all_lanes_active || self.shapes.in_all_lanes(value) => Some(stride),
            _ => None,
        }
    }

    /// The same within each octet, where its first lane determines the others.
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

    /// Whether the value is the same in the four lanes of each quad, and the first determines the others.
    pub fn is_equal_in_quads(&self, value: Value, all_lanes_active: bool) -> bool {
        let equal = matches!(
            self.shapes.shape(value),
            Shape::Affine { stride: 0 } | Shape::Octets { stride: 0 } | Shape::Quad { across: 0, down: 0 }
        );
        equal && (all_lanes_active || self.shapes.in_all_lanes(value))
    }

    /// The difference between the two lanes of each row of a quad, where it is known and all lanes take part.
    pub fn step_in_pairs(&self, value: Value) -> Option<u32> {
        match self.shapes.shape(value) {
            Shape::Affine { stride } | Shape::Octets { stride } => Some(stride),
            Shape::Quad { across, .. } | Shape::Pairs { across } => Some(across),
            Shape::Scattered => None,
        }
    }

    /// Whether every break of a loop passes its `n`-th parameter unchanged.
    pub fn breaks_bring_param(&self, func: &Function, loop_inst: Inst, n: usize, param: Value) -> bool {
        let brings = |&edge: &Inst| func.inst(edge).kind.passed().is_some_and(|args| args[n] == param);
        self.flow.result_edges(loop_inst).iter().all(brings)
    }
}
