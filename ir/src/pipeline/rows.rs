//! Turns a function's inputs and outputs from array accesses into values, for code before and after it.
//!
//! A read at a constant offset becomes a value, and so does a write at one when the invocation ends. Registers that are
//! indexed dynamically live in private arrays.

use crate::builder::Builder;
use crate::entity::{ArrayId, Inst, LocalId, Region, Value};
use crate::function::{Function, InstKind, MemoryRef, Object};
use crate::interface::Local;
use crate::ops::Op;
use crate::replacements::Replacements;
use crate::stage::{ROW_BYTES, Signature};

/// Words of registers, four each; `None` where unused.
pub(super) type RowWords = Vec<[Option<Value>; 4]>;

/// A function without its inputs and outputs.
pub(super) struct Rows {
    input_rows: u32,
    /// The instructions of its body, without the terminator.
    body: Vec<Inst>,
    /// Words that are read, with the row and component of each.
    reads: Vec<(Value, u32, usize)>,
    /// The private array of inputs, if they are indexed dynamically.
    input_local: Option<LocalId>,
    outputs: RowOutputs,
}

/// The outputs of a function.
pub(super) enum RowOutputs {
    /// Each word as a value.
    Words(RowWords),
    /// A private array, which holds them.
    Local(LocalId),
}

impl Rows {
    /// Takes the accesses to a signature's arrays out of a function.
    pub fn take(func: &mut Function, signature: &Signature) -> Self {
        let (input_rows, output_rows) = (signature.input_rows(), signature.output_rows());
        let [computed_inputs, computed_outputs] = [signature.input_array, signature.output_array]
            .map(|array| array.is_some_and(|array| is_computed(func, array)));
        let mut local = |is_needed: bool, rows| is_needed.then(|| add_local(func, rows));
        let input_local = local(computed_inputs, input_rows);
        let output_local = local(computed_outputs, output_rows);
        let mut rows = Self {
            input_rows,
            body: Vec::new(),
            reads: Vec::new(),
            input_local,
            outputs: output_local
                .map_or_else(|| RowOutputs::Words(vec![[None; 4]; output_rows as usize]), RowOutputs::Local),
        };
        for n in 0..func.region_count() {
            let insts = std::mem::take(&mut func.region_mut(Region::new(n)).insts);
            for inst in insts {
                if rows.keep(func, signature, Region::new(n), inst) {
                    func.region_mut(Region::new(n)).insts.push(inst);
                }
            }
        }
        let body = func.body();
        rows.body = std::mem::take(&mut func.region_mut(body).insts);
        rows.body.pop();
        rows
    }

    /// Takes out an instruction if it accesses the arrays; returns `true` if it stays in its region.
    fn keep(&mut self, func: &mut Function, signature: &Signature, region: Region, inst: Inst) -> bool {
        let data = func.inst(inst);
        let (InstKind::Load { place } | InstKind::Store { place, .. }) = data.kind else { return true };
        let Object::Array(array) = place.object else { return true };
        let is_input = Some(array) == signature.input_array;
        if !is_input && Some(array) != signature.output_array {
            return true;
        }
        let local = if is_input {
            self.input_local
        } else {
            match self.outputs {
                RowOutputs::Words(_) => None,
                RowOutputs::Local(local) => Some(local),
            }
        };
        if let Some(local) = local {
            redirect(func, region, inst, local);
            return false;
        }
        let first = func.as_const(place.offset).map_or(0, |offset| offset.bits as u32) / 4;
        match &data.kind {
            InstKind::Store { values, .. } => {
                let RowOutputs::Words(words) = &mut self.outputs else { return true };
                for (word, &value) in (first..).zip(values) {
                    words[word as usize / 4][word as usize % 4] = Some(value);
                }
            }
            _ => {
                let reads = (first..).zip(&data.results);
                self.reads.extend(reads.map(|(word, &value)| (value, word / 4, word as usize % 4)));
            }
        }
        false
    }

    /// Appends the function to what was built so far, with these inputs; returns its outputs.
    pub fn append(self, b: &mut Builder<'_>, inputs: &RowWords) -> RowOutputs {
        let word = |b: &mut Builder<'_>, row: u32, component: usize| {
            inputs.get(row as usize).and_then(|row| row[component]).unwrap_or_else(|| b.i32(0))
        };
        if let Some(local) = self.input_local {
            let effect = b.bool(true);
            for row in 0..self.input_rows {
                let words = [0, 1, 2, 3].map(|component| word(b, row, component));
                let (index, offset) = (b.i32(row), b.i32(0));
                b.store(MemoryRef { object: Object::Local(local), index: Some(index), offset }, &words, effect);
            }
        }
        let mut replacements = Replacements::new(b.func);
        for (value, row, component) in self.reads {
            let by = word(b, row, component);
            replacements.replace(value, by);
        }
        let body = b.func.body();
        b.func.region_mut(body).insts.extend(self.body);
        for n in 0..b.func.region_count() {
            for inst in b.func.region(Region::new(n)).insts.clone() {
                replacements.apply(&mut b.func.inst_mut(inst).kind);
            }
        }
        match self.outputs {
            RowOutputs::Words(mut words) => {
                words.iter_mut().flatten().flatten().for_each(|word| *word = replacements.resolve(*word));
                RowOutputs::Words(words)
            }
            local => local,
        }
    }
}

impl RowOutputs {
    /// A word of a register; 0 if it is never written.
    pub fn word(&self, b: &mut Builder<'_>, row: u32, component: usize) -> Value {
        match self {
            RowOutputs::Words(words) => {
                words.get(row as usize).and_then(|row| row[component]).unwrap_or_else(|| b.i32(0))
            }
            RowOutputs::Local(local) => {
                let (index, offset) = (b.i32(row), b.i32(4 * component as u32));
                b.load(MemoryRef { object: Object::Local(*local), index: Some(index), offset }, 1)[0]
            }
        }
    }
}

/// `true` if an array's registers are indexed dynamically, or written before the end.
fn is_computed(func: &Function, array: ArrayId) -> bool {
    let mut regions = (0..func.region_count()).map(Region::new);
    regions.any(|region| {
        func.region(region).insts.iter().any(|&inst| {
            let kind = &func.inst(inst).kind;
            let (InstKind::Load { place } | InstKind::Store { place, .. }) = kind else { return false };
            let is_early = region != func.body() && matches!(kind, InstKind::Store { .. });
            place.object == Object::Array(array) && (is_early || func.as_const(place.offset).is_none())
        })
    })
}

fn add_local(func: &mut Function, rows: u32) -> LocalId {
    let locals = &mut func.interface.locals;
    let register = locals.iter().map(|local| local.register + 1).max().unwrap_or(0);
    locals.push(Local { register, registers: rows, components: 4 });
    LocalId::new(locals.len() - 1)
}

/// Redirects an access to a private array, whose elements are registers.
fn redirect(func: &mut Function, region: Region, inst: Inst, local: LocalId) {
    let mut kind = func.inst(inst).kind.clone();
    let (InstKind::Load { place } | InstKind::Store { place, .. }) = &mut kind else { return };
    let mut b = Builder::new(func);
    b.switch_to(region);
    let (bits, mask) = (b.i32(ROW_BYTES.trailing_zeros()), b.i32(ROW_BYTES - 1));
    let index = b.op(Op::UShr, &[place.offset, bits]);
    let offset = b.op(Op::And, &[place.offset, mask]);
    *place = MemoryRef { object: Object::Local(local), index: Some(index), offset };
    func.inst_mut(inst).kind = kind;
    func.region_mut(region).insts.push(inst);
}
