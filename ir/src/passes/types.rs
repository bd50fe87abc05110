//! Infers types: values that cross region borders, and selected ones, get the type of their uses.
//!
//! Registers are untyped, so after SSA construction a float that lives across a branch or loop is carried as bits: made
//! bits at every end and a float again at every use. This pass carries it as a float. That changes nothing where either
//! all uses read it as a float (nothing depends on the bits), or all incoming values are canonical bits of floats (then
//! `bits.f32` gives them back). See `bits.f32` in `ops.rs` for why the bits matter at all. The same goes for doubles,
//! once `pairs.rs` has joined their halves.

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, Values};
use crate::ops::Op;
use crate::types::Type;

/// Runs the pass; returns `true` if a type changed.
pub(super) fn infer(func: &mut Function) -> bool {
    let mut changed = false;
    for precision in [SINGLE, DOUBLE] {
        let mut web = Web::new(func, precision);
        web.collect(func, func.body(), None);
        if web.carried.is_empty() {
            continue;
        }
        let float = web.choose(func);
        if float.contains(&true) {
            retype(func, &web, &float);
            changed = true;
        }
    }
    changed
}

/// A type of bits, the floats they may be, and the conversions between them.
#[derive(Clone, Copy)]
struct Precision {
    bits: Type,
    float: Type,
    bits_of: Op,
    as_float: Op,
    select_bits: Op,
    select_float: Op,
}

const SINGLE: Precision = Precision {
    bits: Type::I32,
    float: Type::F32,
    bits_of: Op::BitsF32,
    as_float: Op::AsF32,
    select_bits: Op::SelectI32,
    select_float: Op::SelectF32,
};

const DOUBLE: Precision = Precision {
    bits: Type::I64,
    float: Type::F64,
    bits_of: Op::BitsF64,
    as_float: Op::AsF64,
    select_bits: Op::SelectI64,
    select_float: Op::SelectF64,
};

/// Values that regions carry, with their sources and uses.
struct Web {
    precision: Precision,
    carried: Vec<Carried>,
    /// For each value: its position in `carried`.
    position: Vec<Option<u32>>,
    /// For each value: set if some use is other than reading it as a float or carrying it on.
    used_as_bits: Vec<bool>,
    /// For each value: set if it is read as a float somewhere.
    used_as_float: Vec<bool>,
}

/// One of them.
struct Carried {
    value: Value,
    /// The operands of terminators and loops that flow into it, as (instruction, position).
    incoming: Vec<(Inst, usize)>,
    /// The carried values it flows into.
    flows_to: Vec<Value>,
    /// The other half of the loop variable it is, result or parameter.
    twin: Option<Value>,
}

impl Web {
    fn new(func: &Function, precision: Precision) -> Self {
        let n = func.value_count();
        Self {
            precision,
            carried: Vec::new(),
            position: vec![None; n],
            used_as_bits: vec![false; n],
            used_as_float: vec![false; n],
        }
    }

    /// Adds values of the type of bits that a construct or a select makes.
    fn carry(&mut self, func: &Function, values: &[Value]) {
        for &value in values.iter().filter(|&&value| func.ty(value) == self.precision.bits) {
            self.position[value.index()] = Some(self.carried.len() as u32);
            self.carried.push(Carried { value, incoming: Vec::new(), flows_to: Vec::new(), twin: None });
        }
    }

    fn carried(&self, value: Value) -> Option<&Carried> {
        self.position[value.index()].map(|n| &self.carried[n as usize])
    }

    fn carried_mut(&mut self, value: Value) -> Option<&mut Carried> {
        self.position[value.index()].map(|n| &mut self.carried[n as usize])
    }

    /// Adds an edge into a carried value.
    fn edge(&mut self, from: Inst, n: usize, arg: Value, to: Value) {
        if let Some(to) = self.carried_mut(to) {
            to.incoming.push((from, n));
        }
        if let Some(arg) = self.carried_mut(arg) {
            arg.flows_to.push(to);
        }
    }

    fn collect(&mut self, func: &Function, region: Region, owner: Option<Inst>) {
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            let regions = data.kind.regions();
            if !regions.is_empty() {
                self.carry(func, &data.results);
            }
            if let InstKind::Loop { body, .. } = data.kind {
                // A loop's parameter and result are one variable, since engines keep them in one location.
                let params = &func.region(body).params;
                self.carry(func, params);
                for (&result, &param) in data.results.iter().zip(params) {
                    for (half, other) in [(result, param), (param, result)] {
                        if let Some(half) = self.carried_mut(half) {
                            half.twin = Some(other);
                        }
                    }
                }
            }
            match &data.kind {
                InstKind::Op { op, args } if *op == self.precision.as_float => {
                    self.used_as_float[args[0].index()] = true
                }
                // A select carries values as a branch does.
                InstKind::Op { op, args } if *op == self.precision.select_bits => {
                    self.carry(func, &data.results);
                    (1..=2).for_each(|n| self.edge(inst, n, args[n], data.results[0]));
                }
                kind => match func.edge(inst, owner) {
                    Some((from, to)) => {
                        from.iter().zip(to).enumerate().for_each(|(n, (&a, &b))| self.edge(inst, n, a, b))
                    }
                    None => kind.args().iter().for_each(|value| self.used_as_bits[value.index()] = true),
                },
            }
            for inner in regions {
                self.collect(func, inner, Some(inst));
            }
        }
    }

    /// The carried values that become floats.
    fn choose(&self, func: &Function) -> Vec<bool> {
        let n = func.value_count();
        let all = || {
            let mut set = vec![false; n];
            self.carried.iter().for_each(|carried| set[carried.value.index()] = true);
            set
        };
        let is_float_use = |set: &[bool], value: Value| {
            !self.used_as_bits[value.index()] && self.after(value).all(|to| set[to.index()])
        };
        let by_use = self.shrink(all(), is_float_use, |value| self.before(func, value));
        let is_float_source = |set: &[bool], value: Value| {
            self.incoming(func, value).all(|arg| set[arg.index()] || self.is_canonical(func, arg))
        };
        let by_source = self.shrink(all(), is_float_source, |value| self.after(value));
        let mut float: Vec<bool> = by_use.iter().zip(&by_source).map(|(a, b)| *a || *b).collect();
        // Only where it pays: a float goes in or is read somewhere along the web.
        let mut pays: Vec<bool> = (0..n).map(|v| self.used_as_float[v]).collect();
        for &Carried { value, .. } in &self.carried {
            pays[value.index()] |= self.incoming(func, value).any(|arg| self.is_float_bits(func, arg));
        }
        // A value that pays makes its sources and destinations pay.
        let mut work: Vec<Value> =
            self.carried.iter().map(|c| c.value).filter(|v| float[v.index()] && pays[v.index()]).collect();
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
        func.as_op(value).is_some_and(|(op, _)| op == self.precision.bits_of)
    }

    /// Bits that a float gives back unchanged.
    fn is_canonical(&self, func: &Function, value: Value) -> bool {
        let bits_of = self.precision.bits_of;
        self.is_float_bits(func, value) || func.as_const(value).is_some_and(|c| bits_of.eval(&[c.bits]) == c.bits)
    }

    /// Removes values until all that are left satisfy `holds`; a loop's parameter and result stay or go together. Those
    /// whose condition may fail when a value is removed are revisited: `dependent` lists them.
    fn shrink<D: Iterator<Item = Value>>(
        &self,
        mut set: Vec<bool>,
        holds: impl Fn(&[bool], Value) -> bool,
        dependent: impl Fn(Value) -> D,
    ) -> Vec<bool> {
        let mut work: Vec<Value> = self.carried.iter().map(|carried| carried.value).collect();
        while let Some(value) = work.pop() {
            let twin = self.twin(value);
            let stays = holds(&set, value) && twin.is_none_or(|twin| set[twin.index()]);
            if set[value.index()] && !stays {
                set[value.index()] = false;
                work.extend(dependent(value).chain(twin).filter(|near| set[near.index()]));
            }
        }
        set
    }

    /// The values that flow into a carried value.
    fn incoming(&self, func: &Function, value: Value) -> impl Iterator<Item = Value> {
        let edges = self.carried(value).into_iter().flat_map(|carried| &carried.incoming);
        edges.map(|&(inst, n)| match &func.inst(inst).kind {
            InstKind::Op { args, .. } => args[n],
            kind => kind.passed().expect("values flow through selects and edges")[n],
        })
    }

    fn twin(&self, value: Value) -> Option<Value> {
        self.carried(value).and_then(|carried| carried.twin)
    }

    /// The sources of a carried value, and its twin.
    fn before(&self, func: &Function, value: Value) -> impl Iterator<Item = Value> {
        self.incoming(func, value).chain(self.twin(value))
    }

    /// The destinations of a carried value.
    fn after(&self, value: Value) -> impl Iterator<Item = Value> {
        self.carried(value).into_iter().flat_map(|carried| carried.flows_to.iter().copied())
    }
}

/// Changes the types, with a conversion at every border between a changed and an unchanged value.
fn retype(func: &mut Function, web: &Web, float: &[bool]) {
    let as_bits = vec![None; func.value_count()];
    Rewrite { precision: web.precision, float, as_bits }.region(func, func.body(), None);
    for &Carried { value, .. } in web.carried.iter().filter(|carried| float[carried.value.index()]) {
        func.value_mut(value).ty = web.precision.float;
    }
}

struct Rewrite<'a> {
    precision: Precision,
    /// Values that become floats.
    float: &'a [bool],
    /// The bits of each, for uses as bits.
    as_bits: Vec<Option<Value>>,
}

impl Rewrite<'_> {
    fn is_float(&self, value: Value) -> bool {
        self.float.get(value.index()).copied().unwrap_or(false)
    }

    fn region(&mut self, func: &mut Function, region: Region, owner: Option<Inst>) {
        let Precision { float, as_float, select_bits, select_float, .. } = self.precision;
        let mut kept = Vec::new();
        let params = func.region(region).params.clone();
        self.add_bits(func, &params, &mut kept);
        for inst in std::mem::take(&mut func.region_mut(region).insts) {
            let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
            let origin = func.inst(inst).origin;
            let into = kind.receiver(inst, owner).map(|receiver| func.inst(receiver).results.to_vec());
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
                let kind = InstKind::Op { op: self.precision.bits_of, args: Values::from_slice(&[value]) };
                let inst = func.add_inst(kind, &[self.precision.bits], Default::default());
                self.as_bits[value.index()] = Some(func.inst(inst).results[0]);
                kept.push(inst);
            }
        }
    }
}
