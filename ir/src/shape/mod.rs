//! Analyses how integers, above all addresses, vary across the lanes of a packet.
//!
//! A value is *affine* if it grows by the same stride from each lane to the next, modulo 2^32; stride 0 is a
//! packet-uniform value. Engines turn affine addresses into vector loads and stores. The sum may wrap between two
//! lanes: users that need a contiguous range must check that it does not.
//!
//! Eight consecutive lanes are an *octet*: a row of threads, in groups with eight along x. In each octet a value may be
//! affine though it is not from one to the next. Four consecutive lanes are a *quad* of pixels. Values that are not
//! affine may still be known within each quad: the second lane of a row differs from the first by one number, the lower
//! row from the upper one by another, as for pixel coordinates. If both are 0, all four lanes are equal, as for
//! per-primitive values. Anything else is *scattered*.
//!
//! Inactive lanes have no value, and lane 0 is no exception. So affine means: for any two active lanes the values
//! differ by the stride times the distance of the lanes. See [`Shapes::in_all_lanes`] for when an engine may read a
//! fixed lane.
//!
//! | file | content |
//! |---|---|
//! | `mod.rs` | the shapes, and the flow of facts |
//! | `affine.rs` | arithmetic on affine values |
//! | `input.rs` | the numbers of threads and groups |
//!
//! Like uniformity the analysis is optimistic around loops; each value descends a short lattice, so it is linear.

mod affine;
mod input;

use smallvec::SmallVec;

use crate::entity::{Inst, Value};
use crate::flow::Flow;
use crate::function::{Function, Input, InstKind};
use crate::ops::Op;
use crate::types::Type;
use crate::uniformity::Uniformity;
use affine::{Affine, MAX_ALIGN, Quad, bit_length};
use input::input_affine;

/// Lanes of an octet.
pub const OCTET_LANES: u32 = 8;

/// The variation of an `i32` across the lanes of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Grows by `stride` per lane, modulo 2^32.
    Affine {
        /// Difference between neighbouring lanes; 0 if all are equal.
        stride: u32,
    },
    /// Grows by `stride` per lane within each octet, modulo 2^32. Values of any type have stride 0 if they are equal in
    /// octets.
    Octets {
        /// Difference between neighbouring lanes of an octet.
        stride: u32,
    },
    /// In each quad, lanes 1 and 3 are `across` more than those before them, lanes 2 and 3 `down` more than 0 and 1,
    /// modulo 2^32. Values of any type have both 0 if they are equal in quads.
    Quad {
        /// The difference to the pixel on the right.
        across: u32,
        /// The difference to the pixel below.
        down: u32,
    },
    /// In each quad, lanes 1 and 3 are `across` more than those before them, modulo 2^32. The distance between the rows
    /// is the same in all quads, or not even that.
    Pairs {
        /// The difference to the pixel on the right.
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
        // A value that is never reached has every shape.
        self.facts[value.index()].map_or(Shape::Affine { stride: 0 }, |fact| match fact {
            Fact { affine: Some(affine), .. } => Shape::Affine { stride: affine.stride },
            Fact { octet: Some(octet), .. } => Shape::Octets { stride: octet.stride },
            Fact { quad: Some(Quad { across, down: Some(down), .. }), .. } => Shape::Quad { across, down },
            Fact { quad: Some(Quad { across, down: None, .. }), .. } => Shape::Pairs { across },
            Fact { .. } => Shape::Scattered,
        })
    }

    /// `true` if the shape holds in inactive lanes too, in an engine that computes pure operations in all lanes and
    /// where [`Uniformity::params_need_masks`] and [`Uniformity::results_need_masks`] do not hold moves values in all
    /// lanes. If so, lane 0 may represent all; if not, the first active lane must.
    pub fn in_all_lanes(&self, value: Value) -> bool {
        self.facts[value.index()].is_none_or(|fact| fact.in_all_lanes)
    }
}

/// The facts about a value; `None` in the table means that nothing has reached it yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fact {
    affine: Option<Affine>,
    /// The affine form in octets, whether or not there is one for all lanes.
    octet: Option<Affine>,
    /// The pattern in quads, whether or not the value is affine.
    quad: Option<Quad>,
    in_all_lanes: bool,
}

impl Fact {
    /// The fact for a value with this affine form, if any.
    fn of(affine: Option<Affine>, in_all_lanes: bool) -> Self {
        Self { affine, octet: affine.map(Affine::of_octet), quad: affine.map(Quad::of), in_all_lanes }
    }

    /// The fact for lanes without a known pattern.
    fn scattered() -> Self {
        Self::of(None, false)
    }
}

/// The way in which edges meet in a merged value.
#[derive(Clone, Copy)]
struct Merge {
    /// Set if lanes that come along different edges cannot be told apart by the shape.
    keeps_shape: bool,
    /// Set if all lanes are written.
    whole: bool,
}

/// Merges of the results of constructs and parameters of loops; for other values it does not matter.
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
    /// Visits an instruction, or only the results that depend on one of its operands.
    fn visit(&mut self, inst: Inst, position: Option<usize>) {
        let data = self.func.inst(inst);
        if let Some((from, to)) = self.flow.edge(self.func, inst) {
            for n in position.map_or(0..from.len(), |n| n..n + 1) {
                self.propagate(from[n], to[n]);
            }
            return;
        }
        match &data.kind {
            InstKind::If { .. } | InstKind::Switch { .. } => {}
            InstKind::Const(constant) => {
                let affine = (constant.ty == Type::I32).then(|| Affine::constant(constant.bits as u32));
                self.lower(data.results[0], Fact::of(affine, true));
            }
            InstKind::Input(input) => {
                let fact = Fact::of(self.input_affine(*input, self.lanes), true);
                let octet = fact.octet.or_else(|| self.input_affine(*input, OCTET_LANES));
                self.lower(data.results[0], Fact { octet, quad: octet.map(Quad::of), ..fact });
            }
            InstKind::Op { op, args } => {
                let facts = args.iter().map(|&arg| self.facts[arg.index()]);
                // An operand that nothing has reached yet will bring the operation here again.
                if let Some(facts) = facts.collect::<Option<SmallVec<[Fact; 4]>>>() {
                    let affine = self.affine_of(*op, args, self.lanes, |n| facts[n].affine);
                    let octet = self.affine_of(*op, args, OCTET_LANES, |n| facts[n].octet);
                    let octet = octet.or_else(|| self.all_equal_in_octets(args).then_some(Affine::uniform(0)));
                    let quad = self.quad_of(*op, args);
                    let in_all_lanes = facts.iter().all(|fact| fact.in_all_lanes);
                    self.lower(data.results[0], Fact { affine, octet, quad, in_all_lanes });
                }
            }
            InstKind::Load { place } if self.func.is_read_only(&place.object) => {
                let operands = data.kind.args();
                let octet = self.all_equal_in_octets(&operands).then_some(Affine::uniform(0));
                let quad = self.all_equal_in_quads(&operands).then_some(Quad::EQUAL);
                for &result in &data.results {
                    self.lower(result, Fact { octet, quad, ..Fact::scattered() });
                }
            }
            _ => {
                for &result in &data.results {
                    self.lower(result, Fact::scattered());
                }
            }
        }
    }

    /// Passes `from` along an edge to the merged value `to`.
    fn propagate(&mut self, from: Value, to: Value) {
        let Merge { keeps_shape, whole } = self.merges[to.index()];
        if let Some(fact) = self.facts[from.index()] {
            let shape = if keeps_shape { fact } else { Fact::scattered() };
            self.lower(to, Fact { in_all_lanes: fact.in_all_lanes && whole, ..shape });
        }
    }

    /// Lowers the fact about a value so that it holds no more than `fact`.
    fn lower(&mut self, value: Value, mut fact: Fact) {
        if self.uniformity.is_packet_uniform(value) {
            fact = Fact::of(Some(Affine::uniform(fact.affine.map_or(0, |affine| affine.align))), true);
        } else if self.func.ty(value) != Type::I32 {
            fact.affine = None;
            fact.octet = fact.octet.filter(|octet| octet.stride == 0);
            fact.quad = fact.quad.filter(|quad| quad.is_equal());
        }
        let entry = &mut self.facts[value.index()];
        let met = entry.map_or(fact, |old| Fact {
            affine: old.affine.zip(fact.affine).and_then(|(a, b)| a.meet(b)),
            octet: old.octet.zip(fact.octet).and_then(|(a, b)| a.meet(b)),
            quad: old.quad.zip(fact.quad).and_then(|(a, b)| a.meet(b)),
            in_all_lanes: old.in_all_lanes && fact.in_all_lanes,
        });
        if *entry != Some(met) {
            *entry = Some(met);
            self.changed.push(value);
        }
    }

    /// The affine form of an operation's result over this many lanes.
    fn affine_of(
        &self,
        op: Op,
        args: &[Value],
        lanes: u32,
        affine: impl Fn(usize) -> Option<Affine>,
    ) -> Option<Affine> {
        let constant = |n: usize| self.func.as_const(args[n]).map(|c| c.bits as u32);
        match op {
            Op::IAdd => Some(affine(0)?.add(affine(1)?)),
            Op::ISub => Some(affine(0)?.sub(affine(1)?)),
            Op::IMul => match (constant(0), constant(1)) {
                (_, Some(factor)) => Some(affine(0)?.times(factor)),
                (Some(factor), None) => Some(affine(1)?.times(factor)),
                (None, None) => {
                    let (a, b) = (affine(0)?, affine(1)?);
                    (a.stride == 0 && b.stride == 0).then(|| Affine::uniform((a.align + b.align).min(MAX_ALIGN)))
                }
            },
            Op::Shl => Some(affine(0)?.times(1 << (constant(1)? & 31))),
            Op::UShr => affine(0)?.shift_right(constant(1)? & 31, lanes),
            Op::UDiv => {
                let divisor = constant(1).filter(|n| n.is_power_of_two())?;
                affine(0)?.shift_right(divisor.trailing_zeros(), lanes)
            }
            Op::UMod => {
                let divisor = constant(1).filter(|n| n.is_power_of_two())?;
                affine(0)?.and(divisor - 1, lanes)
            }
            Op::And => match (constant(0), constant(1)) {
                (_, Some(mask)) => affine(0)?.and(mask, lanes),
                (Some(mask), None) => affine(1)?.and(mask, lanes),
                (None, None) => None,
            },
            Op::Or | Op::Xor => {
                let (a, b) = (affine(0)?, affine(1)?);
                (self.disjoint(a, args[1], lanes) || self.disjoint(b, args[0], lanes)).then(|| a.add(b))
            }
            // The condition is a bool: an affine one is uniform.
            Op::SelectI32 if affine(0).is_some() || args[1] == args[2] => affine(1)?.meet(affine(2)?),
            _ => None,
        }
    }

    /// The pattern of an operation's result in quads; its operands are known.
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

    fn all_equal_in_octets(&self, values: &[Value]) -> bool {
        let is_equal = |value: &Value| {
            self.facts[value.index()].is_none_or(|fact| fact.octet.is_some_and(|octet| octet.stride == 0))
        };
        values.iter().all(is_equal)
    }

    /// The affine form of an input over this many lanes, which begin at a multiple of their number.
    fn input_affine(&self, input: Input, lanes: u32) -> Option<Affine> {
        match (&self.func.interface.stage, input) {
            // Packets of a batch begin at multiples of their lanes.
            (stage, Input::ThreadId(0) | Input::GroupId(0)) if stage.signature().is_some() => {
                Some(Affine { stride: 1, align: lanes.trailing_zeros() })
            }
            _ => input_affine(input, self.func.interface.group_size(), lanes, self.uniformity.packing()),
        }
    }

    /// `true` if an affine value has no bit in common with the other one, so that `or` and `xor` add.
    fn disjoint(&self, affine: Affine, other: Value, lanes: u32) -> bool {
        let most = match (self.func.as_const(other), self.func.as_op(other)) {
            (Some(constant), _) => {
                let bits = constant.bits as u32;
                // Above the lanes' bits a constant may meet the base's bits, but then every lane's in the same way.
                if affine.stride != 0 && affine.lane_bits(lanes).is_some_and(|lane_bits| lane_bits & bits == 0) {
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
        bit_length(most) <= affine.zero_bits()
    }
}

#[cfg(test)]
mod tests;
