//! Values that cross region borders, and selected ones, get the type they are used at.
//!
//! Registers are untyped, so after SSA construction a float that lives across a branch or loop is carried as bits: made
//! bits at every end and a float again at every use. This pass carries it as a float. That changes nothing where
//! either all uses read it as a float (bits are looked at by nobody), or all incoming values are canonical bits of
//! floats (then `bits.f32` gives them back). See `bits.f32` in `ops.rs` for why the bits matter at all. The same goes for
//! doubles, once `pairs.rs` has joined their halves.

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, Values};
use crate::ops::Op;
use crate::types::Type;

/// Runs the pass.
pub(super) fn infer(func: &mut Function) {
    for width in [SINGLE, DOUBLE] {
        let mut web = Web::new(func, width);
        web.collect(func, func.body(), None);
        let float = web.choose(func);
        retype(func, &web, &float);
    }
}

/// A type of bits, the floats they may be, and what leads from the one to the other.
#[derive(Clone, Copy)]
struct Width {
    bits: Type,
    float: Type,
    bits_of: Op,
    as_float: Op,
    select_bits: Op,
    select_float: Op,
}

const SINGLE: Width = Width {
    bits: Type::I32,
    float: Type::F32,
    bits_of: Op::BitsF32,
    as_float: Op::AsF32,
    select_bits: Op::SelectI32,
    select_float: Op::SelectF32,
};

const DOUBLE: Width = Width {
    bits: Type::I64,
    float: Type::F64,
    bits_of: Op::BitsF64,
    as_float: Op::AsF64,
    select_bits: Op::SelectI64,
    select_float: Op::SelectF64,
};

/// Values that regions carry, with what flows into them and how they are used.
struct Web {
    width: Width,
    /// For each value: the operands of terminators and loops that flow into it, as (instruction, position).
    incoming: Vec<Vec<(Inst, usize)>>,
    /// For each value: the carried values it flows into.
    flows_to: Vec<Vec<Value>>,
    /// For each value: some use other than reading it as a float or carrying it on.
    used_as_bits: Vec<bool>,
    /// For each value: read as a float somewhere.
    used_as_float: Vec<bool>,
    /// For each value: the other half of the loop variable it is, result or parameter.
    twin: Vec<Option<Value>>,
    carried: Vec<Value>,
}

impl Web {
    fn new(func: &Function, width: Width) -> Self {
        let n = func.value_count();
        Self {
            width,
            incoming: vec![Vec::new(); n],
            flows_to: vec![Vec::new(); n],
            used_as_bits: vec![false; n],
            used_as_float: vec![false; n],
            twin: vec![None; n],
            carried: Vec::new(),
        }
    }

    fn collect(&mut self, func: &Function, region: Region, owner: Option<Inst>) {
        self.carried.extend(func.region(region).params.iter().filter(|&&v| func.ty(v) == self.width.bits));
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            match &data.kind {
                InstKind::Op { op, args } if *op == self.width.as_float => self.used_as_float[args[0].index()] = true,
                InstKind::Yield(args) => {
                    let owner = owner.expect("only owned regions yield");
                    self.flow(func, inst, args, owner, matches!(func.inst(owner).kind, InstKind::Loop { .. }));
                }
                InstKind::Break { target, args } => self.flow(func, inst, args, *target, false),
                InstKind::Continue { target, args } => self.flow(func, inst, args, *target, true),
                InstKind::Loop { inits, body } => {
                    self.flow(func, inst, inits, inst, true);
                    for (&result, &param) in data.results.iter().zip(&func.region(*body).params) {
                        self.twin[result.index()] = Some(param);
                        self.twin[param.index()] = Some(result);
                    }
                }
                // A select carries values as a branch does.
                InstKind::Op { op, args } if *op == self.width.select_bits => {
                    let result = data.results[0];
                    self.carried.push(result);
                    for n in 1..=2 {
                        self.incoming[result.index()].push((inst, n));
                        self.flows_to[args[n].index()].push(result);
                    }
                }
                kind => kind.args().iter().for_each(|value| self.used_as_bits[value.index()] = true),
            }
            let regions = data.kind.regions();
            if !regions.is_empty() {
                self.carried.extend(data.results.iter().filter(|&&v| func.ty(v) == self.width.bits));
            }
            for inner in regions {
                self.collect(func, inner, Some(inst));
            }
        }
    }

    /// Operands flow into a loop's parameters or into results. A loop's parameter and result are one variable, since
    /// engines keep them in one place: each flows into the other.
    fn flow(&mut self, func: &Function, from: Inst, args: &Values, to: Inst, into_params: bool) {
        for (n, &arg) in args.iter().enumerate() {
            let result = func.inst(to).results[n];
            let target = match &func.inst(to).kind {
                InstKind::Loop { body, .. } if into_params => func.region(*body).params[n],
                _ => result,
            };
            self.incoming[target.index()].push((from, n));
            self.flows_to[arg.index()].push(target);
        }
    }

    /// The carried values that become floats.
    fn choose(&self, func: &Function) -> Vec<bool> {
        let n = func.value_count();
        let all = || {
            let mut set = vec![false; n];
            self.carried.iter().for_each(|value| set[value.index()] = true);
            set
        };
        let is_float_use = |set: &[bool], value: Value| {
            !self.used_as_bits[value.index()] && self.flows_to[value.index()].iter().all(|to| set[to.index()])
        };
        let by_use = self.shrink(all(), is_float_use, |value| self.before(func, value));
        let is_float_source = |set: &[bool], value: Value| {
            self.incoming[value.index()].iter().all(|&(inst, n)| {
                let arg = edge_arg(func, inst, n);
                set[arg.index()] || self.is_canonical(func, arg)
            })
        };
        let by_source = self.shrink(all(), is_float_source, |value| self.after(value));
        let mut float: Vec<bool> = by_use.iter().zip(&by_source).map(|(a, b)| *a || *b).collect();
        // Only where it pays: a float goes in or is read somewhere along the web.
        let mut pays: Vec<bool> = (0..n).map(|v| self.used_as_float[v]).collect();
        for &value in &self.carried {
            pays[value.index()] |=
                self.incoming[value.index()].iter().any(|&(inst, n)| self.is_float_bits(func, edge_arg(func, inst, n)));
        }
        // What pays for one value pays for those it flows into and from.
        let mut work: Vec<Value> =
            self.carried.iter().copied().filter(|v| float[v.index()] && pays[v.index()]).collect();
        while let Some(value) = work.pop() {
            for near in self.before(func, value).chain(self.after(value)) {
                if float[near.index()] && !std::mem::replace(&mut pays[near.index()], true) {
                    work.push(near);
                }
            }
        }
        float.iter_mut().zip(&pays).for_each(|(float, pays)| *float &= *pays);
        float
    }

    fn is_float_bits(&self, func: &Function, value: Value) -> bool {
        func.as_op(value).is_some_and(|(op, _)| op == self.width.bits_of)
    }

    /// Bits that a float gives back unchanged.
    fn is_canonical(&self, func: &Function, value: Value) -> bool {
        let bits_of = self.width.bits_of;
        self.is_float_bits(func, value) || func.as_const(value).is_some_and(|c| bits_of.eval(&[c.bits]) == c.bits)
    }

    /// Removes values until all that are left satisfy `holds`; a loop's parameter and result stay or go together. Those
    /// that may have lost what they need when a value goes are looked at again: `dependent` lists them.
    fn shrink<D: Iterator<Item = Value>>(
        &self,
        mut set: Vec<bool>,
        holds: impl Fn(&[bool], Value) -> bool,
        dependent: impl Fn(Value) -> D,
    ) -> Vec<bool> {
        let mut work = self.carried.clone();
        while let Some(value) = work.pop() {
            let twin = self.twin[value.index()];
            let stays = holds(&set, value) && twin.is_none_or(|twin| set[twin.index()]);
            if set[value.index()] && !stays {
                set[value.index()] = false;
                work.extend(dependent(value).chain(twin).filter(|near| set[near.index()]));
            }
        }
        set
    }

    /// What flows into a carried value, and its twin.
    fn before(&self, func: &Function, value: Value) -> impl Iterator<Item = Value> {
        let incoming = self.incoming[value.index()].iter().map(|&(inst, n)| edge_arg(func, inst, n));
        incoming.chain(self.twin[value.index()])
    }

    /// What a carried value flows into.
    fn after(&self, value: Value) -> impl Iterator<Item = Value> {
        self.flows_to[value.index()].iter().copied()
    }
}

fn edge_arg(func: &Function, inst: Inst, n: usize) -> Value {
    match &func.inst(inst).kind {
        InstKind::Yield(args)
        | InstKind::Break { args, .. }
        | InstKind::Continue { args, .. }
        | InstKind::Loop { inits: args, .. }
        | InstKind::Op { args, .. } => args[n],
        _ => unreachable!("values flow through terminators, loop entries and selects"),
    }
}

/// Changes the types, with a conversion at every border between a changed and an unchanged value.
fn retype(func: &mut Function, web: &Web, float: &[bool]) {
    let as_bits = vec![None; func.value_count()];
    Rewrite { width: web.width, float, as_bits }.region(func, func.body(), None);
    for &value in web.carried.iter().filter(|value| float[value.index()]) {
        func.value_mut(value).ty = web.width.float;
    }
}

struct Rewrite<'a> {
    width: Width,
    /// Values that become floats.
    float: &'a [bool],
    /// The bits of each, for those who want them.
    as_bits: Vec<Option<Value>>,
}

impl Rewrite<'_> {
    fn is_float(&self, value: Value) -> bool {
        self.float.get(value.index()).copied().unwrap_or(false)
    }

    fn region(&mut self, func: &mut Function, region: Region, owner: Option<Inst>) {
        let Width { float, as_float, select_bits, select_float, .. } = self.width;
        let mut kept = Vec::new();
        let params = func.region(region).params.clone();
        self.add_bits(func, &params, &mut kept);
        for inst in std::mem::take(&mut func.region_mut(region).insts) {
            let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
            let origin = func.inst(inst).origin;
            let target = match &kind {
                InstKind::Yield(_) => owner,
                InstKind::Break { target, .. } | InstKind::Continue { target, .. } => Some(*target),
                InstKind::Loop { .. } => Some(inst),
                _ => None,
            };
            let into: Option<Vec<Value>> = target.map(|target| func.inst(target).results.to_vec());
            let op = match &kind {
                InstKind::Op { op, .. } => Some(*op),
                _ => None,
            };
            let reads_float = op == Some(as_float);
            let becomes_float = func.inst(inst).results.first().is_some_and(|&result| self.is_float(result));
            let is_select = op == Some(select_bits) && becomes_float;
            let mut position = 0;
            kind.for_each_arg(|arg| {
                // A loop's results and parameters change together, so results tell for both.
                let carries = into.as_ref().is_some_and(|into| self.is_float(into[position]));
                let wants_float = reads_float || carries || (is_select && position > 0);
                position += 1;
                match (self.is_float(*arg), wants_float) {
                    (true, false) => *arg = self.bits_of(*arg),
                    (false, true) if !reads_float => {
                        let args = Values::from_slice(&[*arg]);
                        let made = func.add_inst(InstKind::Op { op: as_float, args }, &[float], origin);
                        kept.push(made);
                        *arg = func.inst(made).results[0];
                    }
                    _ => {}
                }
            });
            if let InstKind::Op { op, args } = &mut kind {
                if reads_float && self.is_float(args[0]) {
                    // Already a float: read it through its bits, which the simplifier takes away.
                    args[0] = self.bits_of(args[0]);
                }
                if is_select {
                    *op = select_float;
                }
            }
            let regions = kind.regions();
            func.inst_mut(inst).kind = kind;
            for inner in regions {
                self.region(func, inner, Some(inst));
            }
            kept.push(inst);
            let results = func.inst(inst).results.to_vec();
            self.add_bits(func, &results, &mut kept);
        }
        func.region_mut(region).insts = kept;
    }

    fn bits_of(&self, value: Value) -> Value {
        self.as_bits[value.index()].expect("made where the value was")
    }

    /// After the definition of each value that becomes a float: its bits.
    fn add_bits(&mut self, func: &mut Function, values: &[Value], kept: &mut Vec<Inst>) {
        for &value in values {
            if self.is_float(value) {
                let kind = InstKind::Op { op: self.width.bits_of, args: Values::from_slice(&[value]) };
                let inst = func.add_inst(kind, &[self.width.bits], Default::default());
                self.as_bits[value.index()] = Some(func.inst(inst).results[0]);
                kept.push(inst);
            }
        }
    }
}
