//! Folds constants and simplifies algebraically, bit for bit.
//!
//! Constants are folded with the operations' own `eval`, the same that the interpreter uses. Float identities are
//! limited to those that hold for every operand under Direct3D's rules (x * 1 is not x: it flushes). A branch on a
//! constant is replaced by the arm it takes.

use smallvec::SmallVec;

use crate::entity::{Inst, Region, Value};
use crate::function::{Function, InstKind, Origin, ValueDef, Values};
use crate::ops::Op;
use crate::passes::bits::may_be_ones;
use crate::replacements::Replacements;
use crate::types::{Const, Type};

/// Runs the pass; returns `true` if anything changed.
pub(super) fn run(func: &mut Function) -> bool {
    let mut simplify = Simplify { replacements: Replacements::new(func), changed: false };
    simplify.region(func, func.body());
    simplify.changed
}

/// The simplified form of an operation.
enum Simplified {
    /// An existing value.
    Value(Value),
    /// A constant.
    Const(Const),
    /// Another operation.
    Op(Op, Values),
}

struct Simplify {
    replacements: Replacements,
    changed: bool,
}

impl Simplify {
    fn region(&mut self, func: &mut Function, region: Region) {
        let insts = std::mem::take(&mut func.region_mut(region).insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            self.inst(func, inst, &mut kept);
        }
        func.region_mut(region).insts = kept;
    }

    fn inst(&mut self, func: &mut Function, inst: Inst, kept: &mut Vec<Inst>) {
        let mut kind = std::mem::replace(&mut func.inst_mut(inst).kind, InstKind::Return);
        self.replacements.apply(&mut kind);
        if let InstKind::If { cond, then_region, else_region } = &kind
            && let Some(known) = func.as_const(*cond)
        {
            let taken = if known.bits != 0 { *then_region } else { *else_region };
            if self.splice(func, inst, taken, kept) {
                return;
            }
        }
        if let InstKind::If { cond, then_region, else_region } = &mut kind
            && let Some(opposite) = operand_of(func, *cond, Op::BNot)
        {
            *cond = opposite;
            std::mem::swap(then_region, else_region);
            self.changed = true;
        }
        let regions = kind.regions();
        func.inst_mut(inst).kind = kind;
        for inner in regions {
            self.region(func, inner);
        }
        if let InstKind::Op { op, args } = &func.inst(inst).kind {
            let (op, args) = (*op, args.clone());
            self.op(func, inst, op, args, kept);
        } else {
            kept.push(inst);
        }
    }

    /// Replaces an `if` by one of its regions, unless that jumps away instead of yielding.
    fn splice(&mut self, func: &mut Function, inst: Inst, region: Region, kept: &mut Vec<Inst>) -> bool {
        let mut insts = std::mem::take(&mut func.region_mut(region).insts);
        let last = *insts.last().expect("a region ends in a terminator");
        if !matches!(func.inst(last).kind, InstKind::Yield(_)) {
            func.region_mut(region).insts = insts;
            return false;
        }
        insts.pop();
        for inner in insts {
            self.inst(func, inner, kept);
        }
        let mut end = func.inst(last).kind.clone();
        self.replacements.apply(&mut end);
        let InstKind::Yield(values) = end else { unreachable!("checked above") };
        for (result, by) in func.inst(inst).results.clone().into_iter().zip(values) {
            self.replacements.replace(result, by);
        }
        self.changed = true;
        true
    }

    fn op(&mut self, func: &mut Function, inst: Inst, op: Op, args: Values, kept: &mut Vec<Inst>) {
        let Some(outcome) = simpler(func, op, &args, kept) else {
            kept.push(inst);
            return;
        };
        self.changed = true;
        match outcome {
            Simplified::Value(value) => self.replacements.replace(func.inst(inst).results[0], value),
            Simplified::Const(value) => {
                func.inst_mut(inst).kind = InstKind::Const(value);
                kept.push(inst);
            }
            Simplified::Op(op, args) => {
                func.inst_mut(inst).kind = InstKind::Op { op, args };
                kept.push(inst);
            }
        }
    }
}

/// Appends an operation on existing values.
fn emit(func: &mut Function, kept: &mut Vec<Inst>, origin: Origin, op: Op, args: &[Value]) -> Value {
    let inst = func.add_inst(InstKind::Op { op, args: Values::from_slice(args) }, &[op.result()], origin);
    kept.push(inst);
    func.inst(inst).results[0]
}

fn constant(func: &mut Function, kept: &mut Vec<Inst>, value: Const) -> Value {
    let inst = func.add_inst(InstKind::Const(value), &[value.ty], Origin::default());
    kept.push(inst);
    func.inst(inst).results[0]
}

fn i32_const(func: &Function, value: Value) -> Option<u32> {
    func.as_const(value).filter(|c| c.ty == Type::I32).map(|c| c.bits as u32)
}

/// The operand of an operation that makes `value`.
fn operand_of(func: &Function, value: Value, op: Op) -> Option<Value> {
    func.as_op(value).filter(|(made_by, _)| *made_by == op).map(|(_, args)| args[0])
}

fn simpler(func: &mut Function, op: Op, args: &[Value], kept: &mut Vec<Inst>) -> Option<Simplified> {
    let consts: SmallVec<[Option<Const>; 4]> = args.iter().map(|&value| func.as_const(value)).collect();
    if consts.iter().all(Option::is_some) {
        let bits: SmallVec<[u64; 4]> = consts.iter().flatten().map(|c| c.bits).collect();
        return Some(Simplified::Const(Const { ty: op.result(), bits: op.eval(&bits) }));
    }
    // Constants move to the right of commutative operations, so that the rules below need one form only.
    if is_commutative(op) && consts[0].is_some() {
        return Some(Simplified::Op(op, Values::from_slice(&[args[1], args[0]])));
    }
    conversion(func, op, args, kept)
        .or_else(|| condition(func, op, args, kept))
        .or_else(|| integer(func, op, args, kept))
}

fn is_commutative(op: Op) -> bool {
    matches!(
        op,
        Op::IAdd
            | Op::IMul
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::IEq
            | Op::INe
            | Op::BAnd
            | Op::BOr
            | Op::UMulHi
            | Op::SMulHi
            | Op::SMin
            | Op::SMax
            | Op::UMin
            | Op::UMax
    )
}

/// The original value that an operation restores because its operands were made by the opposite one.
pub(crate) fn undone(func: &Function, op: Op, args: &[Value]) -> Option<Value> {
    let a = args[0];
    match op {
        // NaN payloads are no part of a float, so the way through bits changes nothing.
        Op::AsF32 => operand_of(func, a, Op::BitsF32),
        Op::AsF64 => operand_of(func, a, Op::BitsF64),
        Op::Pack64 => {
            let low = operand_of(func, a, Op::Low64)?;
            (operand_of(func, args[1], Op::High64) == Some(low)).then_some(low)
        }
        Op::Low64 | Op::High64 => {
            let (made_by, halves) = func.as_op(a)?;
            (made_by == Op::Pack64).then(|| halves[usize::from(op == Op::High64)])
        }
        Op::FNeg | Op::DNeg | Op::BNot => operand_of(func, a, op),
        _ => None,
    }
}

/// Conversions there and back, and signs.
fn conversion(func: &mut Function, op: Op, args: &[Value], kept: &mut Vec<Inst>) -> Option<Simplified> {
    if let Some(value) = undone(func, op, args) {
        return Some(Simplified::Value(value));
    }
    let a = args[0];
    match op {
        Op::AsF32 => select_of_bits(func, a, Op::SelectI32, Op::BitsF32, Op::AsF32, Op::SelectF32, kept),
        Op::AsF64 => select_of_bits(func, a, Op::SelectI64, Op::BitsF64, Op::AsF64, Op::SelectF64, kept),
        Op::FAbs => {
            let x = operand_of(func, a, Op::FNeg).or_else(|| operand_of(func, a, Op::FAbs))?;
            Some(Simplified::Op(op, Values::from_slice(&[x])))
        }
        // a + -b is a - b to the bit, flushing and signs of zeros included.
        Op::FAdd => subtraction(func, args, Op::FNeg, Op::FSub),
        Op::DAdd => subtraction(func, args, Op::DNeg, Op::DSub),
        _ => None,
    }
}

fn subtraction(func: &Function, args: &[Value], negate: Op, subtract: Op) -> Option<Simplified> {
    if let Some(b) = operand_of(func, args[1], negate) {
        return Some(Simplified::Op(subtract, Values::from_slice(&[args[0], b])));
    }
    let a = operand_of(func, args[0], negate)?;
    Some(Simplified::Op(subtract, Values::from_slice(&[args[1], a])))
}

/// A float read of selected bits is a selected float, if at least one operand was a float before.
fn select_of_bits(
    func: &mut Function,
    value: Value,
    select: Op,
    to_bits: Op,
    from_bits: Op,
    float_select: Op,
    kept: &mut Vec<Inst>,
) -> Option<Simplified> {
    let ValueDef::Result(inst, _) = func.value(value).def else { return None };
    let (made_by, parts) = func.as_op(value)?;
    let (cond, sides) = (parts[0], [*parts.get(1)?, *parts.get(2)?]);
    let is_float = |func: &Function, side| operand_of(func, side, to_bits).is_some();
    let known = |func: &Function, side| is_float(func, side) || func.as_const(side).is_some();
    if made_by != select || !sides.iter().any(|&s| is_float(func, s)) || !sides.iter().all(|&s| known(func, s)) {
        return None;
    }
    let origin = func.inst(inst).origin;
    let [a, b] = sides.map(|side| emit(func, kept, origin, from_bits, &[side]));
    Some(Simplified::Op(float_select, Values::from_slice(&[cond, a, b])))
}

/// Conditions and selects.
fn condition(func: &mut Function, op: Op, args: &[Value], kept: &mut Vec<Inst>) -> Option<Simplified> {
    let value = |v| Some(Simplified::Value(v));
    match op {
        Op::SelectBool | Op::SelectI32 | Op::SelectF32 | Op::SelectI64 | Op::SelectF64 => {
            if args[1] == args[2] {
                return value(args[1]);
            }
            if let Some(cond) = func.as_const(args[0]) {
                return value(if cond.bits != 0 { args[1] } else { args[2] });
            }
            if let Some(cond) = operand_of(func, args[0], Op::BNot) {
                return Some(Simplified::Op(op, Values::from_slice(&[cond, args[2], args[1]])));
            }
            // Comparisons whose operands vector code would have to swap are swapped here, at no cost.
            let (made_by, parts) = func.as_op(args[0])?;
            if !matches!(made_by, Op::INe | Op::SGe | Op::ULt) {
                return None;
            }
            let opposite = opposite(made_by)?;
            let parts = Values::from_slice(parts);
            let ValueDef::Result(inst, _) = func.value(args[0]).def else { return None };
            let origin = func.inst(inst).origin;
            let cond = emit(func, kept, origin, opposite, &parts);
            Some(Simplified::Op(op, Values::from_slice(&[cond, args[2], args[1]])))
        }
        Op::BAnd | Op::BOr => {
            if args[0] == args[1] {
                return value(args[0]);
            }
            let known = func.as_const(args[1])?.bits != 0;
            value(if known == (op == Op::BAnd) { args[0] } else { args[1] })
        }
        Op::BNot => {
            let (made_by, parts) = func.as_op(args[0])?;
            let parts = Values::from_slice(parts);
            if let Some(opposite) = opposite(made_by) {
                return Some(Simplified::Op(opposite, parts));
            }
            let dual = match made_by {
                Op::BAnd => Op::BOr,
                Op::BOr => Op::BAnd,
                _ => return None,
            };
            let has_opposite = |&part: &Value| func.as_op(part).is_some_and(|(op, _)| opposite(op).is_some());
            if !parts.iter().all(has_opposite) {
                return None;
            }
            let ValueDef::Result(inst, _) = func.value(args[0]).def else { return None };
            let origin = func.inst(inst).origin;
            let parts = parts.into_iter().map(|part| emit(func, kept, origin, Op::BNot, &[part])).collect();
            Some(Simplified::Op(dual, parts))
        }
        Op::INe | Op::IEq => {
            let zero = i32_const(func, args[1])? == 0;
            let cond = operand_of(func, args[0], Op::BToI)?;
            match (zero, op) {
                (true, Op::INe) => value(cond),
                (true, _) => Some(Simplified::Op(Op::BNot, Values::from_slice(&[cond]))),
                (false, _) => None,
            }
        }
        // Direct3D combines conditions as words of all ones or zeros.
        _ => None,
    }
}

/// The comparison that holds where this one does not.
fn opposite(comparison: Op) -> Option<Op> {
    // Not so for the order of floats: the opposite of less is not greater-or-equal for a NaN.
    Some(match comparison {
        Op::IEq => Op::INe,
        Op::INe => Op::IEq,
        Op::SLt => Op::SGe,
        Op::SGe => Op::SLt,
        Op::ULt => Op::UGe,
        Op::UGe => Op::ULt,
        Op::FEq => Op::FNe,
        Op::FNe => Op::FEq,
        Op::DEq => Op::DNe,
        Op::DNe => Op::DEq,
        _ => return None,
    })
}

fn integer(func: &mut Function, op: Op, args: &[Value], kept: &mut Vec<Inst>) -> Option<Simplified> {
    let a = args[0];
    let value = |v| Some(Simplified::Value(v));
    if let (Some(&b), Op::And | Op::Or) = (args.get(1), op)
        && let (Some(p), Some(q)) = (operand_of(func, a, Op::BToI), operand_of(func, b, Op::BToI))
    {
        let ValueDef::Result(inst, _) = func.value(a).def else { return None };
        let origin = func.inst(inst).origin;
        let joined = emit(func, kept, origin, if op == Op::And { Op::BAnd } else { Op::BOr }, &[p, q]);
        return Some(Simplified::Op(Op::BToI, Values::from_slice(&[joined])));
    }
    if op == Op::BToI {
        return None;
    }
    let b = *args.get(1)?;
    if a == b && matches!(op, Op::And | Op::Or | Op::SMin | Op::SMax | Op::UMin | Op::UMax) {
        return value(a);
    }
    if a == b && matches!(op, Op::ISub | Op::Xor) {
        return Some(Simplified::Const(Const::i32(0)));
    }
    if let (Op::Or | Op::Xor | Op::IAdd, Some((value, count))) = (op, rotation(func, a, b)) {
        return with_const(func, kept, Op::RotL, value, count);
    }
    let c = i32_const(func, b)?;
    match (op, c) {
        (Op::IAdd | Op::ISub | Op::Or | Op::Xor | Op::Shl | Op::UShr | Op::SShr, 0) => value(a),
        (Op::IMul | Op::UDiv, 1) | (Op::And, u32::MAX) => value(a),
        (Op::IMul | Op::And | Op::UMulHi | Op::SMulHi, 0) => value(b),
        (Op::UMod, 1) => Some(Simplified::Const(Const::i32(0))),
        (Op::Or, u32::MAX) => value(b),
        (Op::Xor, u32::MAX) => {
            let (made_by, parts) = func.as_op(a)?;
            if made_by == Op::BToI {
                let cond = parts[0];
                let not = emit(func, kept, Origin::default(), Op::BNot, &[cond]);
                return Some(Simplified::Op(Op::BToI, Values::from_slice(&[not])));
            }
            None
        }
        (Op::IMul, c) if c.is_power_of_two() => with_const(func, kept, Op::Shl, a, c.trailing_zeros()),
        (Op::UDiv, c) if c.is_power_of_two() => with_const(func, kept, Op::UShr, a, c.trailing_zeros()),
        (Op::UMod, c) if c.is_power_of_two() => with_const(func, kept, Op::And, a, c - 1),
        (Op::ISub, c) => with_const(func, kept, Op::IAdd, a, c.wrapping_neg()),
        (Op::IAdd, c) => {
            let (inner, first) = with_inner_const(func, a, Op::IAdd)?;
            with_const(func, kept, Op::IAdd, inner, first.wrapping_add(c))
        }
        (Op::And, c) => {
            if let Some(cond) = operand_of(func, a, Op::BToI) {
                // A condition as a mask over a constant: Direct3D's way to say 1.0 or 0.
                let zero = constant(func, kept, Const::i32(0));
                return Some(Simplified::Op(Op::SelectI32, Values::from_slice(&[cond, b, zero])));
            }
            match may_be_ones(func, a) {
                ones if ones & c == 0 => return Some(Simplified::Const(Const::i32(0))),
                ones if ones & !c == 0 => return value(a),
                _ => {}
            }
            let (inner, first) = with_inner_const(func, a, Op::And)?;
            with_const(func, kept, Op::And, inner, first & c)
        }
        _ => None,
    }
}

/// The value whose halves these are, shifted so that together they are the value rotated to the left, and the shift.
fn rotation(func: &Function, a: Value, b: Value) -> Option<(Value, u32)> {
    let [left, right] = [[a, b], [b, a]].into_iter().find_map(|[left, right]| {
        Some([with_inner_const(func, left, Op::Shl)?, with_inner_const(func, right, Op::UShr)?])
    })?;
    (left.0 == right.0 && left.1 < 32 && right.1 < 32 && left.1 + right.1 == 32).then_some(left)
}

fn with_const(func: &mut Function, kept: &mut Vec<Inst>, op: Op, a: Value, c: u32) -> Option<Simplified> {
    let c = constant(func, kept, Const::i32(c));
    Some(Simplified::Op(op, Values::from_slice(&[a, c])))
}

/// The other operand and the constant of an operation with a constant on the right.
fn with_inner_const(func: &Function, value: Value, op: Op) -> Option<(Value, u32)> {
    let (made_by, parts) = func.as_op(value)?;
    if made_by != op {
        return None;
    }
    Some((parts[0], i32_const(func, parts[1])?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::function::Input;
    use crate::interface::Interface;

    /// The simplified join of the halves of a number, shifted by these amounts.
    fn joined(join: Op, left: u32, right: u32) -> Option<(Op, u32)> {
        let mut func = Function::new("test", Interface::default());
        let mut b = Builder::new(&mut func);
        let (number, left, right) = (b.input(Input::ThreadIndex), b.i32(left), b.i32(right));
        let halves = [b.op(Op::Shl, &[number, left]), b.op(Op::UShr, &[number, right])];
        let result = b.op(join, &halves);
        b.return_();
        run(&mut func);
        let (op, args) = func.as_op(result)?;
        Some((op, i32_const(&func, args[1])?))
    }

    #[test]
    fn halves_that_meet_are_a_rotation() {
        for join in [Op::Or, Op::Xor, Op::IAdd] {
            assert_eq!(joined(join, 7, 25), Some((Op::RotL, 7)));
            assert_eq!(joined(join, 7, 24), None, "they overlap");
            assert_eq!(joined(join, 0, 32), None, "both counts are 0");
            assert_eq!(joined(join, 39, 25), None, "a count of 39 is one of 7");
        }
    }

    #[test]
    fn what_is_not_both_is_one_of_the_opposites() {
        let mut func = Function::new("test", Interface::default());
        let mut b = Builder::new(&mut func);
        let (number, limit) = (b.input(Input::ThreadIndex), b.i32(9));
        let parts = [b.op(Op::INe, &[number, limit]), b.op(Op::ULt, &[number, limit])];
        let both = b.op(Op::BAnd, &parts);
        let result = b.op(Op::BNot, &[both]);
        b.return_();
        while run(&mut func) {}
        let (op, args) = func.as_op(result).unwrap();
        let made_by = |value: Value| func.as_op(value).unwrap().0;
        assert_eq!((op, [args[0], args[1]].map(made_by)), (Op::BOr, [Op::IEq, Op::UGe]));
    }

    #[test]
    fn a_branch_on_the_opposite_has_its_sides_swapped() {
        let mut func = Function::new("test", Interface::default());
        let mut b = Builder::new(&mut func);
        let (number, limit) = (b.input(Input::ThreadIndex), b.f32(9.0));
        let number = b.op(Op::UToF, &[number]);
        let less = b.op(Op::FLt, &[number, limit]);
        let not = b.op(Op::BNot, &[less]);
        let (branch, then, otherwise) = b.if_else(not, &[]);
        b.return_();
        run(&mut func);
        let InstKind::If { cond, then_region, else_region } = func.inst(branch).kind else { unreachable!() };
        assert_eq!((cond, then_region, else_region), (less, otherwise, then));
    }
}
