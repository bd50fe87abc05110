//! How integers, above all addresses, vary across the lanes of a packet.
//!
//! A value is *affine* if it grows by the same stride from each lane to the next, modulo 2^32; stride 0 is a
//! packet-uniform value. Engines turn affine addresses into vector loads and stores. The sum may wrap between two
//! lanes: users that need a contiguous range must check that it does not.
//!
//! Four consecutive lanes are a *quad* of pixels. Values that are not affine may still be known within each quad: the
//! second lane of a row differs from the first by one number, the lower row from the upper one by another, as for pixel
//! coordinates. If both are 0, all four lanes are equal, as for per-primitive values. Anything else is *scattered*.
//!
//! Inactive lanes have no value, and lane 0 is no exception. So affine means: for any two active lanes the values
//! differ by the stride times the distance of the lanes. See [`Shapes::in_all_lanes`] for when an engine may look at a
//! fixed lane.
//!
//! Like uniformity the analysis is optimistic around loops; each value descends a short lattice, so it is linear.

use crate::entity::{Inst, Value};
use crate::flow::Flow;
use crate::function::{Function, Input, InstKind};
use crate::ops::Op;
use crate::span::Packing;
use crate::stage::Stage;
use crate::types::Type;
use crate::uniformity::Uniformity;

/// How an `i32` varies across the lanes of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Grows by `stride` per lane, modulo 2^32.
    Affine {
        /// Difference between neighbouring lanes; 0 if all are equal.
        stride: u32,
    },
    /// In each quad, lanes 1 and 3 are `across` more than those before them, lanes 2 and 3 `down` more than 0 and 1, modulo
    /// 2^32. Values of any type have both 0 if they are equal in quads.
    Quad {
        /// From a pixel to the one on its right.
        across: u32,
        /// From a pixel to the one below.
        down: u32,
    },
    /// In each quad, lanes 1 and 3 are `across` more than those before them, modulo 2^32. How far one row is from the other is the
    /// same in all quads, or not even that.
    Pairs {
        /// From a pixel to the one on its right.
        across: u32,
    },
    /// No known pattern.
    Scattered,
}

/// Shapes of the values of one function.
#[derive(Clone, Debug)]
pub struct Shapes {
    facts: Vec<Option<Fact>>,
}

impl Shapes {
    /// Analyses a function without slots.
    pub fn compute(func: &Function, flow: &Flow, uniformity: &Uniformity) -> Self {
        let mut analysis = Analysis {
            func,
            flow,
            uniformity,
            lanes: func.width.lanes(),
            merges: merges(func, flow, uniformity),
            facts: vec![None; func.value_count()],
            changed: Vec::new(),
        };
        for &inst in &flow.order {
            analysis.visit(inst, None);
        }
        while let Some(value) = analysis.changed.pop() {
            for &(user, position) in flow.uses(value) {
                analysis.visit(user, Some(position as usize));
            }
        }
        Self { facts: analysis.facts }
    }

    /// The shape of a value. Packet-uniform values of any type have stride 0, other values that are not `i32` are
    /// scattered.
    pub fn shape(&self, value: Value) -> Shape {
        // What nothing ever reaches has every shape.
        self.facts[value.index()].map_or(Shape::Affine { stride: 0 }, |fact| match (fact.line, fact.quad) {
            (Some(line), _) => Shape::Affine { stride: line.stride },
            (None, Some(Quad { across, down: Some(down), .. })) => Shape::Quad { across, down },
            (None, Some(Quad { across, down: None, .. })) => Shape::Pairs { across },
            (None, None) => Shape::Scattered,
        })
    }

    /// Whether the shape holds in inactive lanes too, in an engine that computes pure operations in all lanes and where
    /// [`Uniformity::params_need_masks`] and [`Uniformity::results_need_masks`] do not hold moves values in all lanes.
    /// If so, lane 0 may represent all; if not, the first active lane must.
    pub fn in_all_lanes(&self, value: Value) -> bool {
        self.facts[value.index()].is_none_or(|fact| fact.in_all_lanes)
    }
}

/// What is known about a value; `None` in the table means that nothing has reached it yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fact {
    line: Option<Line>,
    /// What holds in quads, whether or not there is a line.
    quad: Option<Quad>,
    in_all_lanes: bool,
}

impl Fact {
    /// What holds of lanes on a line.
    fn on(line: Option<Line>, in_all_lanes: bool) -> Self {
        Self { line, quad: line.map(Quad::of), in_all_lanes }
    }
}

/// In each quad `base`, `base + across`, `base + down`, `base + across + down`, where `base` is a multiple of `2^align`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Quad {
    across: u32,
    /// `None` if it is not known.
    down: Option<u32>,
    align: u32,
}

impl Quad {
    /// All four lanes are equal.
    const EQUAL: Self = Self { across: 0, down: Some(0), align: 0 };

    /// What a line is in each quad.
    fn of(line: Line) -> Self {
        let align = line.align.min((line.stride.wrapping_mul(4)).trailing_zeros()).min(MAX_ALIGN);
        Self { across: line.stride, down: Some(line.stride.wrapping_mul(2)), align }
    }

    fn is_equal(self) -> bool {
        (self.across, self.down) == (0, Some(0))
    }

    /// What holds for both.
    fn meet(self, other: Self) -> Option<Self> {
        let down = if self.down == other.down { self.down } else { None };
        (self.across == other.across).then(|| Self { across: self.across, down, align: self.align.min(other.align) })
    }

    fn add(self, other: Self) -> Self {
        let down = self.down.zip(other.down).map(|(one, other)| one.wrapping_add(other));
        Self { across: self.across.wrapping_add(other.across), down, align: self.align.min(other.align) }
    }

    fn times(self, factor: u32) -> Self {
        let align = (self.align + factor.trailing_zeros()).min(MAX_ALIGN);
        let down = self.down.map(|down| down.wrapping_mul(factor));
        Self { across: self.across.wrapping_mul(factor), down, align }
    }

    /// The product with a number that is the same in each row of a quad: known if this one is too.
    fn times_row(self, other: Self) -> Option<Self> {
        ((self.across, other.across) == (0, 0)).then_some(Self { across: 0, down: None, align: 0 })
    }

    /// How far the lower row is, if lanes differ in bits of their own, so that sums are bitwise ors.
    fn down_in_own_bits(self) -> Option<u32> {
        let down = self.down?;
        (self.across & down == 0 && u64::from(self.across | down) < 1 << self.align).then_some(down)
    }

    fn and(self, mask: u32) -> Option<Self> {
        let align = self.align.max(mask.trailing_zeros()).min(MAX_ALIGN);
        let down = self.down_in_own_bits()?;
        Some(Self { across: self.across & mask, down: Some(down & mask), align })
    }

    fn shift_right(self, count: u32) -> Option<Self> {
        let down = self.down_in_own_bits()?;
        Some(Self { across: self.across >> count, down: Some(down >> count), align: self.align.saturating_sub(count) })
    }
}

/// `base + lane * stride` where `base`, the value lane 0 has or would have, is a multiple of `2^align`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    stride: u32,
    align: u32,
}

impl Line {
    fn uniform(align: u32) -> Self {
        Self { stride: 0, align }
    }

    fn constant(value: u32) -> Self {
        Self::uniform(value.trailing_zeros().min(MAX_ALIGN))
    }

    /// What holds for both.
    fn meet(self, other: Line) -> Option<Line> {
        (self.stride == other.stride).then(|| Line { stride: self.stride, align: self.align.min(other.align) })
    }

    fn add(self, other: Line) -> Line {
        Line { stride: self.stride.wrapping_add(other.stride), align: self.align.min(other.align) }
    }

    fn sub(self, other: Line) -> Line {
        Line { stride: self.stride.wrapping_sub(other.stride), align: self.align.min(other.align) }
    }

    fn times(self, factor: u32) -> Line {
        let align = (self.align + factor.trailing_zeros()).min(MAX_ALIGN);
        Line { stride: self.stride.wrapping_mul(factor), align }
    }

    /// The bits in which lanes may differ from the base, if adding the lanes' offsets to the base never carries: the
    /// base has zeros there, so that the sum is a bitwise or.
    fn lane_bits(self, lanes: u32) -> Option<u32> {
        let most = u64::from(self.stride) * u64::from(lanes.saturating_sub(1));
        (most < 1 << self.align).then(|| u32::MAX.checked_shr(32 - bit_length(most as u32)).unwrap_or(0))
    }

    /// How many low bits are zero in every lane.
    fn zero_bits(self) -> u32 {
        self.align.min(self.stride.trailing_zeros())
    }

    fn and(self, mask: u32, lanes: u32) -> Option<Line> {
        if u32::MAX.checked_shl(self.zero_bits()).unwrap_or(0) & !mask == 0 {
            return Some(self);
        }
        let bits = self.lane_bits(lanes)?;
        match bits & mask {
            0 => Some(Line { stride: 0, align: self.align.max(mask.trailing_zeros()).min(MAX_ALIGN) }),
            kept if kept == bits => Some(self),
            _ => None,
        }
    }

    fn shift_right(self, count: u32, lanes: u32) -> Option<Line> {
        let bits = self.lane_bits(lanes)?;
        let align = self.align.saturating_sub(count);
        if bits >> count == 0 {
            Some(Line::uniform(align))
        } else if self.zero_bits() >= count {
            Some(Line { stride: self.stride >> count, align })
        } else {
            None
        }
    }
}

/// Zero is a multiple of everything; more alignment than this is useless.
const MAX_ALIGN: u32 = 31;

fn bit_length(value: u32) -> u32 {
    32 - value.leading_zeros()
}

/// How edges meet in a merged value.
#[derive(Clone, Copy)]
struct Merge {
    /// Lanes that come different ways cannot be told apart by the shape.
    keeps_shape: bool,
    /// All lanes are written.
    whole: bool,
}

/// How results of constructs and parameters of loops are merged; for other values it does not matter.
fn merges(func: &Function, flow: &Flow, uniformity: &Uniformity) -> Vec<Merge> {
    let mut merges = vec![Merge { keeps_shape: true, whole: true }; func.value_count()];
    for &inst in &flow.order {
        let mut set = |values: &[Value], edges: &[Inst], masked: bool| {
            for (n, &value) in values.iter().enumerate().filter(|_| masked) {
                let keeps_shape = flow.same_evaluation(func, edges, n, flow.loop_depth(value));
                merges[value.index()] = Merge { keeps_shape, whole: false };
            }
        };
        set(flow.params(func, inst), flow.param_edges(inst), uniformity.params_need_masks(inst));
        set(&func.inst(inst).results, flow.result_edges(inst), uniformity.results_need_masks(func, inst));
    }
    merges
}

struct Analysis<'a> {
    func: &'a Function,
    flow: &'a Flow,
    uniformity: &'a Uniformity,
    lanes: u32,
    merges: Vec<Merge>,
    facts: Vec<Option<Fact>>,
    changed: Vec<Value>,
}

impl Analysis<'_> {
    /// Visits an instruction, or only what depends on one of its operands.
    fn visit(&mut self, inst: Inst, position: Option<usize>) {
        let data = self.func.inst(inst);
        if let Some((from, to)) = self.flow.edge(self.func, inst) {
            for n in position.map_or(0..from.len(), |n| n..n + 1) {
                self.bring(from[n], to[n]);
            }
            return;
        }
        match &data.kind {
            InstKind::If { .. } | InstKind::Switch { .. } => {}
            InstKind::Const(constant) => {
                let line = (constant.ty == Type::I32).then(|| Line::constant(constant.bits as u32));
                self.lower(data.results[0], Fact::on(line, true));
            }
            InstKind::Input(input) => self.lower(data.results[0], Fact::on(self.input_line(*input), true)),
            InstKind::Op { op, args } => {
                if let Some(line) = self.op_line(*op, args) {
                    let quad = self.quad_of(*op, args);
                    let in_all_lanes = args.iter().all(|&arg| self.facts[arg.index()].is_none_or(|f| f.in_all_lanes));
                    self.lower(data.results[0], Fact { line, quad, in_all_lanes });
                }
            }
            InstKind::Load { place } if self.func.is_read_only(&place.object) => {
                let operands = data.kind.args();
                let quad = self.all_equal_in_quads(&operands).then_some(Quad::EQUAL);
                for &result in &data.results {
                    self.lower(result, Fact { line: None, quad, in_all_lanes: false });
                }
            }
            _ => {
                for &result in &data.results {
                    self.lower(result, Fact { line: None, quad: None, in_all_lanes: false });
                }
            }
        }
    }

    /// An edge passes `from` to the merged value `to`.
    fn bring(&mut self, from: Value, to: Value) {
        let Merge { keeps_shape, whole } = self.merges[to.index()];
        if let Some(fact) = self.facts[from.index()] {
            let (line, quad) = if keeps_shape { (fact.line, fact.quad) } else { (None, None) };
            self.lower(to, Fact { line, quad, in_all_lanes: fact.in_all_lanes && whole });
        }
    }

    /// Takes in that `fact` is all that holds for a value.
    fn lower(&mut self, value: Value, mut fact: Fact) {
        if self.uniformity.is_packet_uniform(value) {
            fact = Fact::on(Some(Line::uniform(fact.line.map_or(0, |line| line.align))), true);
        } else if self.func.ty(value) != Type::I32 {
            fact.line = None;
            fact.quad = fact.quad.filter(|quad| quad.is_equal());
        }
        let entry = &mut self.facts[value.index()];
        let met = entry.map_or(fact, |old| Fact {
            line: old.line.zip(fact.line).and_then(|(a, b)| a.meet(b)),
            quad: old.quad.zip(fact.quad).and_then(|(a, b)| a.meet(b)),
            in_all_lanes: old.in_all_lanes && fact.in_all_lanes,
        });
        if *entry != Some(met) {
            *entry = Some(met);
            self.changed.push(value);
        }
    }

    /// The line of an operation's result; `None` while an operand is still unknown.
    fn op_line(&self, op: Op, args: &[Value]) -> Option<Option<Line>> {
        let mut lines = [None; 3];
        for (line, arg) in lines.iter_mut().zip(args) {
            *line = self.facts[arg.index()]?.line;
        }
        Some(self.line_of(op, args, lines))
    }

    fn line_of(&self, op: Op, args: &[Value], lines: [Option<Line>; 3]) -> Option<Line> {
        let constant = |n: usize| self.func.as_const(args[n]).map(|c| c.bits as u32);
        match op {
            Op::IAdd => Some(lines[0]?.add(lines[1]?)),
            Op::ISub => Some(lines[0]?.sub(lines[1]?)),
            Op::IMul => match (constant(0), constant(1)) {
                (_, Some(factor)) => Some(lines[0]?.times(factor)),
                (Some(factor), None) => Some(lines[1]?.times(factor)),
                (None, None) => {
                    let (a, b) = (lines[0]?, lines[1]?);
                    (a.stride == 0 && b.stride == 0).then(|| Line::uniform((a.align + b.align).min(MAX_ALIGN)))
                }
            },
            Op::Shl => Some(lines[0]?.times(1 << (constant(1)? & 31))),
            Op::UShr => lines[0]?.shift_right(constant(1)? & 31, self.lanes),
            Op::UDiv => {
                let divisor = constant(1).filter(|n| n.is_power_of_two())?;
                lines[0]?.shift_right(divisor.trailing_zeros(), self.lanes)
            }
            Op::UMod => {
                let divisor = constant(1).filter(|n| n.is_power_of_two())?;
                lines[0]?.and(divisor - 1, self.lanes)
            }
            Op::And => match (constant(0), constant(1)) {
                (_, Some(mask)) => lines[0]?.and(mask, self.lanes),
                (Some(mask), None) => lines[1]?.and(mask, self.lanes),
                (None, None) => None,
            },
            Op::Or | Op::Xor => {
                let (a, b) = (lines[0]?, lines[1]?);
                (self.disjoint(a, args[1]) || self.disjoint(b, args[0])).then(|| a.add(b))
            }
            // The condition is a bool: a line means that it is uniform.
            Op::SelectI32 if lines[0].is_some() || args[1] == args[2] => lines[1]?.meet(lines[2]?),
            _ => None,
        }
    }

    /// What an operation's result is in quads; its operands are known.
    fn quad_of(&self, op: Op, args: &[Value]) -> Option<Quad> {
        if self.all_equal_in_quads(args) {
            return Some(Quad::EQUAL);
        }
        let quad = |n: usize| self.facts[args[n].index()].and_then(|fact| fact.quad);
        let constant = |n: usize| self.func.as_const(args[n]).map(|constant| constant.bits as u32);
        match op {
            Op::IAdd => Some(quad(0)?.add(quad(1)?)),
            Op::ISub => Some(quad(0)?.add(quad(1)?.times(u32::MAX))),
            Op::IMul => match (constant(0), constant(1)) {
                (_, Some(factor)) => Some(quad(0)?.times(factor)),
                (Some(factor), None) => Some(quad(1)?.times(factor)),
                (None, None) => quad(0)?.times_row(quad(1)?),
            },
            Op::Shl => Some(quad(0)?.times(1 << (constant(1)? & 31))),
            Op::UShr => quad(0)?.shift_right(constant(1)? & 31),
            Op::And => match (constant(0), constant(1)) {
                (_, Some(mask)) => quad(0)?.and(mask),
                (Some(mask), None) => quad(1)?.and(mask),
                (None, None) => None,
            },
            _ => None,
        }
    }

    fn all_equal_in_quads(&self, values: &[Value]) -> bool {
        let is_equal =
            |value: &Value| self.facts[value.index()].is_none_or(|fact| fact.quad.is_some_and(|quad| quad.is_equal()));
        values.iter().all(is_equal)
    }

    fn input_line(&self, input: Input) -> Option<Line> {
        match (&self.func.interface.stage, input) {
            // Packets of a batch begin at multiples of their lanes.
            (Stage::Vertex(_) | Stage::Pixel(_), Input::ThreadId(0) | Input::GroupId(0)) => {
                Some(Line { stride: 1, align: self.lanes.trailing_zeros() })
            }
            _ => input_line(input, self.func.interface.group_size(), self.lanes, self.uniformity.packing()),
        }
    }

    /// Whether a value on this line has no bit in common with the other one, so that `or` and `xor` add.
    fn disjoint(&self, line: Line, other: Value) -> bool {
        let most = match (self.func.as_const(other), self.func.as_op(other)) {
            (Some(constant), _) => {
                let bits = constant.bits as u32;
                // Above the lanes' bits a constant may meet the base's bits, but then every lane's in the same way.
                if line.stride != 0 && line.lane_bits(self.lanes).is_some_and(|lane_bits| lane_bits & bits == 0) {
                    return true;
                }
                bits
            }
            (None, Some((op, args))) => {
                let constant = args.get(1).and_then(|&arg| self.func.as_const(arg)).map(|c| c.bits as u32);
                match (op, constant) {
                    (Op::And, Some(mask)) => mask,
                    (Op::UMod, Some(divisor)) if divisor != 0 => divisor - 1,
                    (Op::UShr, Some(count)) => u32::MAX >> (count & 31),
                    _ => return false,
                }
            }
            (None, None) => return false,
        };
        bit_length(most) <= line.zero_bits()
    }
}

fn input_line(input: Input, size: [u32; 3], lanes: u32, packing: Packing) -> Option<Line> {
    let packet = lanes.trailing_zeros();
    if packing != Packing::Group {
        return line_in_span(input, size, packing);
    }
    match input {
        Input::GroupId(_) => Some(Line::uniform(0)),
        Input::ThreadIndex => Some(Line { stride: 1, align: packet }),
        Input::ThreadId(n) | Input::ThreadIdInGroup(n) => {
            let n = usize::from(n);
            // The component counts with the flattened index if those before it do not count, and if it starts anew
            // only between packets or never.
            let counts = size[..n].iter().all(|&s| s == 1);
            let whole = size[n].is_multiple_of(lanes) || size[n + 1..].iter().all(|&s| s == 1);
            let group_align = if matches!(input, Input::ThreadId(_)) { size[n].trailing_zeros() } else { MAX_ALIGN };
            if size[n] == 1 {
                Some(Line::uniform(0))
            } else {
                (counts && whole).then(|| Line { stride: 1, align: packet.min(group_align) })
            }
        }
    }
}

/// The same where packets hold threads of several groups.
fn line_in_span(input: Input, size: [u32; 3], packing: Packing) -> Option<Line> {
    match input {
        // Threads of groups that lie in a row along x are such a row themselves. It may begin anywhere in the dispatch.
        Input::ThreadId(0) if packing == Packing::Row && size[1] == 1 && size[2] == 1 => {
            Some(Line { stride: 1, align: size[0].trailing_zeros() })
        }
        Input::GroupId(0) if packing == Packing::Row && size == [1; 3] => Some(Line { stride: 1, align: 0 }),
        Input::GroupId(n) => (!packing.varies(n.into())).then(|| Line::uniform(0)),
        Input::ThreadId(n) => (!packing.varies(n.into()) && size[usize::from(n)] == 1).then(|| Line::uniform(0)),
        Input::ThreadIdInGroup(n) => (size[usize::from(n)] == 1).then(|| Line::uniform(0)),
        Input::ThreadIndex => (size == [1; 3]).then(|| Line::uniform(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::entity::ArrayId;
    use crate::function::{MemoryRef, Object};
    use crate::interface::{Array, Interface};

    const LANES: u32 = 8;

    fn function(group_size: [u32; 3]) -> Function {
        Function::new("test", Interface::compute(group_size))
    }

    fn shapes_of(func: &Function, packing: Packing) -> Shapes {
        let flow = Flow::new(func);
        Shapes::compute(func, &flow, &Uniformity::compute(func, &flow, packing))
    }

    #[test]
    fn inputs_by_group_shape() {
        let stride_in =
            |packing, input, size| input_line(input, size, LANES, packing).map(|line| (line.stride, line.align));
        let stride = |input, size| stride_in(Packing::Group, input, size);
        assert_eq!(stride(Input::ThreadIndex, [3, 3, 3]), Some((1, 3)));
        assert_eq!(stride(Input::ThreadId(0), [64, 2, 1]), Some((1, 3)));
        assert_eq!(stride(Input::ThreadId(0), [20, 1, 1]), Some((1, 2)));
        assert_eq!(stride(Input::ThreadIdInGroup(0), [20, 1, 1]), Some((1, 3)));
        assert_eq!(stride(Input::ThreadId(0), [20, 2, 1]), None);
        assert_eq!(stride(Input::ThreadIdInGroup(1), [1, 16, 1]), Some((1, 3)));
        assert_eq!(stride(Input::ThreadIdInGroup(1), [2, 16, 1]), None);
        let in_row = |input, size| stride_in(Packing::Row, input, size);
        assert_eq!(in_row(Input::ThreadId(0), [12, 1, 1]), Some((1, 2)));
        assert_eq!(in_row(Input::ThreadId(0), [6, 2, 1]), None);
        assert_eq!(in_row(Input::ThreadId(1), [6, 2, 1]), None);
        assert_eq!(in_row(Input::ThreadId(1), [12, 1, 1]), Some((0, 0)));
        assert_eq!([[1, 1, 1], [2, 1, 1]].map(|size| in_row(Input::GroupId(0), size)), [Some((1, 0)), None]);
        assert_eq!([[1, 1, 1], [2, 1, 1]].map(|size| in_row(Input::ThreadIndex, size)), [Some((0, 0)), None]);
        let in_grid = |input, size| stride_in(Packing::Grid, input, size);
        assert_eq!([0, 2].map(|n| in_grid(Input::ThreadId(n), [12, 1, 1])), [None; 2]);
        assert_eq!([0, 2].map(|n| in_grid(Input::ThreadIdInGroup(n), [12, 1, 1])), [None, Some((0, 0))]);
    }

    #[test]
    fn operations_hold_for_every_lane() {
        // Each operation of two operands, on lines whose values are known lane by lane.
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let mut values: Vec<(Value, [u32; LANES as usize])> = Vec::new();
        // The second packet of the group, so that the base is not zero.
        values.push((b.input(Input::ThreadIndex), std::array::from_fn(|lane| 8 + lane as u32)));
        for constant in [0, 1, 2, 3, 4, 7, 8, 16, 63, 0xffff_fff0, 0xffff_fff8, 0xffff_ffff] {
            values.push((b.i32(constant), [constant; LANES as usize]));
        }
        let ops = [Op::IAdd, Op::ISub, Op::IMul, Op::Shl, Op::UShr, Op::UDiv, Op::UMod, Op::And, Op::Or, Op::Xor];
        for step in [1, 13] {
            for (a, lanes_a) in values.clone().into_iter().step_by(step) {
                for &(c, lanes_c) in &values.clone()[..13] {
                    for op in ops {
                        let eval = |lane: usize| op.eval(&[lanes_a[lane].into(), lanes_c[lane].into()]) as u32;
                        values.push((b.op(op, &[a, c]), std::array::from_fn(eval)));
                    }
                }
            }
        }
        b.return_();
        let shapes = shapes_of(&func, Packing::Group);
        let mut affine = 0;
        for (value, lanes) in values {
            if let Shape::Affine { stride } = shapes.shape(value) {
                let expected = std::array::from_fn(|lane| lanes[0].wrapping_add(stride.wrapping_mul(lane as u32)));
                assert_eq!(lanes, expected, "{value} by {:?}", func.as_op(value));
                affine += u32::from(stride != 0);
            }
        }
        assert!(affine > 500, "only {affine} values with a stride");
    }

    #[test]
    fn typical_addresses_are_found() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (two, three, seven, twelve) = (b.i32(2), b.i32(3), b.i32(7), b.i32(12));
        let index = b.input(Input::ThreadIndex);
        let group = b.input(Input::GroupId(0));
        let bytes = b.op(Op::Shl, &[index, two]);
        let field = b.op(Op::Or, &[bytes, three]);
        let element = b.op(Op::IMul, &[index, twelve]);
        let packet = b.op(Op::UShr, &[index, three]);
        let lane = b.op(Op::And, &[index, seven]);
        let quad = b.op(Op::And, &[index, three]);
        let base = b.op(Op::IMul, &[group, twelve]);
        let moved = b.op(Op::ISub, &[base, element]);
        b.return_();
        let shapes = shapes_of(&func, Packing::Group);
        let affine = |stride| Shape::Affine { stride };
        let found = [bytes, field, element, packet, lane, quad, moved].map(|value| shapes.shape(value));
        let minus_twelve = 12u32.wrapping_neg();
        let pixels = Shape::Quad { across: 1, down: 2 };
        assert_eq!(found, [affine(4), affine(4), affine(12), affine(0), affine(1), pixels, affine(minus_twelve)]);
    }

    /// Operations on the numbers of a batch, over quads whose values are known lane by lane.
    #[test]
    fn quads_hold_for_every_lane() {
        let stage = Stage::Pixel(Default::default());
        let mut func = Function::new("test", Interface { stage, ..Interface::default() });
        let mut b = Builder::new(&mut func);
        // The third packet of a batch, so that the base is not zero.
        let mut values: Vec<(Value, [u32; LANES as usize])> =
            vec![(b.input(Input::ThreadId(0)), std::array::from_fn(|lane| 16 + lane as u32))];
        for constant in [0, 1, 2, 3, 4, 5, 8, 0xffff_fffc, 0xffff_fffe, 0xffff_ffff] {
            values.push((b.i32(constant), [constant; LANES as usize]));
        }
        // What is the same in all lanes, but not known.
        const UNKNOWN: u32 = 0x1235;
        values.push((b.input(Input::ThreadId(1)), [UNKNOWN; LANES as usize]));
        // The lower row, times that.
        let (number, one, unknown) = (values[0].0, values[2].0, values[11].0);
        let pair = b.op(Op::UShr, &[number, one]);
        let row = b.op(Op::And, &[pair, one]);
        let start = b.op(Op::IMul, &[row, unknown]);
        values.push((start, std::array::from_fn(|lane| (lane as u32 >> 1 & 1) * UNKNOWN)));
        let ops = [Op::IAdd, Op::ISub, Op::IMul, Op::Shl, Op::UShr, Op::And, Op::Or, Op::UMax];
        for _ in 0..3 {
            for (a, lanes_a) in values.clone().into_iter().rev().take(250) {
                for &(c, lanes_c) in &values.clone()[..13] {
                    for op in ops {
                        let eval = |lane: usize| op.eval(&[lanes_a[lane].into(), lanes_c[lane].into()]) as u32;
                        values.push((b.op(op, &[a, c]), std::array::from_fn(eval)));
                    }
                }
            }
        }
        b.return_();
        let shapes = shapes_of(&func, Packing::Row);
        let mut found = [0; 4];
        for (value, lanes) in values {
            let (across, down) = match shapes.shape(value) {
                Shape::Quad { across, down } => (across, down),
                Shape::Pairs { across } => {
                    let steps = lanes.chunks_exact(2).map(|pair| pair[1].wrapping_sub(pair[0]));
                    assert!(steps.eq([across; LANES as usize / 2]), "{value} by {:?}", func.as_op(value));
                    found[3] += 1;
                    continue;
                }
                _ => continue,
            };
            for quad in lanes.chunks_exact(4) {
                let [a, b, c, d] = [0, across, down, across.wrapping_add(down)].map(|step| quad[0].wrapping_add(step));
                assert_eq!(quad, [a, b, c, d], "{value} by {:?}", func.as_op(value));
            }
            found[usize::from(across != 0) + usize::from(down != 0)] += 1;
        }
        assert!(found.iter().all(|&count| count > 20), "{found:?}");
    }

    #[test]
    fn pixels_of_a_quad_and_what_they_share() {
        let stage = Stage::Pixel(Default::default());
        let arrays = [false, true].map(|is_written| Array { stride_bytes: 8, is_written }).to_vec();
        let mut func = Function::new("test", Interface { stage, arrays, ..Interface::default() });
        let mut b = Builder::new(&mut func);
        let (zero, one, two, three) = (b.i32(0), b.i32(1), b.i32(2), b.i32(3));
        let pixel = b.input(Input::ThreadId(0));
        let quad = b.op(Op::UShr, &[pixel, two]);
        let load = |b: &mut Builder<'_>, array: usize, index: Value| {
            let object = Object::Array(ArrayId::new(array));
            b.load(MemoryRef { object, index: Some(index), offset: zero }, 1)[0]
        };
        let shared = load(&mut b, 0, quad);
        let plane = b.op(Op::AsF32, &[shared]);
        let own = load(&mut b, 0, pixel);
        let written = load(&mut b, 1, quad);
        let across = b.op(Op::And, &[pixel, one]);
        let row = b.op(Op::UShr, &[pixel, one]);
        let down = b.op(Op::And, &[row, one]);
        let x = b.op(Op::IAdd, &[shared, across]);
        let pitch = b.i32(640);
        let y = b.op(Op::IMul, &[down, pitch]);
        let texel = b.op(Op::IAdd, &[x, y]);
        let both = b.op(Op::And, &[pixel, three]);
        let unknown = b.input(Input::ThreadId(1));
        let y = b.op(Op::IMul, &[unknown, down]);
        let target = b.op(Op::IAdd, &[y, x]);
        b.return_();
        let shapes = shapes_of(&func, Packing::Row);
        let of = |across, down| Shape::Quad { across, down };
        let found = [quad, shared, plane, across, down, x, texel, both].map(|value| shapes.shape(value));
        let expected = [of(0, 0), of(0, 0), of(0, 0), of(1, 0), of(0, 1), of(1, 0), of(1, 640), of(1, 2)];
        assert_eq!(found, expected);
        assert_eq!(shapes.shape(target), Shape::Pairs { across: 1 });
        assert_eq!([own, written].map(|value| shapes.shape(value)), [Shape::Scattered; 2]);
    }

    #[test]
    fn strided_loop_keeps_its_stride_inside_only() {
        let mut func = function([64, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (step, end, start) = (b.i32(64), b.i32(1000), b.input(Input::ThreadIndex));
        let (inst, region) = b.loop_(&[start]);
        let outer = b.switch_to(region);
        let at = b.func.region(region).params[0];
        let done = b.op(Op::UGe, &[at, end]);
        b.when(done, |b| b.break_(inst, &[at]));
        let next = b.op(Op::IAdd, &[at, step]);
        b.yield_(&[next]);
        b.switch_to(outer);
        b.return_();
        let shapes = shapes_of(&func, Packing::Group);
        assert_eq!(shapes.shape(at), Shape::Affine { stride: 1 });
        assert!(shapes.in_all_lanes(at));
        assert_eq!(shapes.shape(func.inst(inst).results[0]), Shape::Scattered);
    }
}
