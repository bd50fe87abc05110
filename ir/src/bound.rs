//! Computes upper bounds of integers, so that accesses that are always in range need no check, and small numbers get
//! shorter code.
//!
//! A bound holds in all lanes of a packet, active or not: inputs include the threads that pad the last packet, and
//! values that move under masks (parameters and results of control flow) have no bound.

use crate::entity::{Region, Value};
use crate::function::{Function, Input, InstKind, ValueDef};
use crate::ops::Op;
use crate::types::Type;

/// The largest number that each value can be, unsigned.
#[derive(Debug)]
pub struct Bounds {
    most: Vec<u32>,
}

impl Bounds {
    /// The bounds of a function's values.
    pub fn compute(func: &Function) -> Self {
        let mut bounds = Self { most: vec![u32::MAX; func.value_count()] };
        bounds.visit(func, func.body());
        bounds
    }

    /// The largest number that an `i32` can be.
    pub fn most(&self, value: Value) -> u32 {
        self.most[value.index()]
    }

    /// Definitions come before uses in this order, so that one walk is enough.
    fn visit(&mut self, func: &Function, region: Region) {
        for &inst in &func.region(region).insts {
            let data = func.inst(inst);
            for inner in data.kind.regions() {
                self.visit(func, inner);
            }
            if let [result] = data.results[..]
                && func.value(result).ty == Type::I32
                && matches!(func.value(result).def, ValueDef::Result(..))
            {
                self.most[result.index()] = self.bound(func, &data.kind);
            }
        }
    }

    fn bound(&self, func: &Function, kind: &InstKind) -> u32 {
        match kind {
            InstKind::Const(constant) => constant.bits as u32,
            InstKind::Input(input) => input_bound(func, *input),
            InstKind::Op { op, args } => {
                let most = |n: usize| self.most[args[n].index()];
                let constant = |n: usize| func.as_const(args[n]).map(|constant| constant.bits as u32);
                self.op_bound(*op, most, constant)
            }
            _ => u32::MAX,
        }
    }

    fn op_bound(&self, op: Op, most: impl Fn(usize) -> u32, constant: impl Fn(usize) -> Option<u32>) -> u32 {
        let bound = match op {
            Op::IAdd => most(0).checked_add(most(1)),
            Op::IMul => most(0).checked_mul(most(1)),
            Op::Shl => constant(1).and_then(|count| most(0).checked_mul(1 << (count & 31))),
            Op::UShr => constant(1).map(|count| most(0) >> (count & 31)),
            Op::And | Op::UMin => Some(most(0).min(most(1))),
            Op::Or | Op::Xor => Some(all_ones(most(0) | most(1))),
            Op::UMax => Some(most(0).max(most(1))),
            Op::UDiv => constant(1).and_then(|divisor| most(0).checked_div(divisor)),
            Op::UMod => constant(1).filter(|&divisor| divisor > 0).map(|divisor| most(0).min(divisor - 1)),
            Op::SelectI32 => Some(most(1).max(most(2))),
            Op::CountBits => Some(32),
            _ => None,
        };
        bound.unwrap_or(u32::MAX)
    }
}

/// The smallest number of the form 2^n - 1 that is not below this one.
pub(crate) fn all_ones(number: u32) -> u32 {
    u32::MAX.checked_shr(number.leading_zeros()).unwrap_or(0)
}

fn input_bound(func: &Function, input: Input) -> u32 {
    let [x, y, _] = func.interface.group_size();
    let last = func.interface.threads_per_group().next_multiple_of(func.width.lanes()).saturating_sub(1);
    match input {
        Input::ThreadIndex => last,
        Input::ThreadIdInGroup(0) => last.min(x.saturating_sub(1)),
        Input::ThreadIdInGroup(1) => last.min(y.saturating_sub(1)),
        Input::ThreadIdInGroup(_) => last / x.max(1) / y.max(1),
        Input::ThreadId(_) | Input::GroupId(_) | Input::GroupCount(_) => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::interface::Interface;
    use crate::stage::Stage;

    #[test]
    fn addresses_of_a_tile_are_bounded() {
        let mut func = Function::new(
            "test",
            Interface { stage: Stage::Compute { group_size: [16, 16, 1] }, ..Interface::default() },
        );
        let mut b = Builder::new(&mut func);
        let (x, y) = (b.input(Input::ThreadIdInGroup(0)), b.input(Input::ThreadIdInGroup(1)));
        let (four, three, two) = (b.i32(4), b.i32(3), b.i32(2));
        let row = b.op(Op::Shl, &[y, four]);
        let place = b.op(Op::IAdd, &[row, x]);
        let wrapped = b.op(Op::ISub, &[x, y]);
        let masked = b.op(Op::And, &[wrapped, three]);
        let either = b.op(Op::Or, &[masked, four]);
        let half = b.op(Op::UDiv, &[place, two]);
        b.return_();
        let bounds = Bounds::compute(&func);
        assert_eq!([row, place, masked, either, half].map(|v| bounds.most(v)), [240, 255, 3, 7, 127]);
        assert_eq!(bounds.most(wrapped), u32::MAX);
        assert_eq!([0, 1, 2, 255, 256].map(all_ones), [0, 1, 3, 255, 511]);
    }

    #[test]
    fn lanes_beyond_the_group_count() {
        let func = Function::new(
            "test",
            Interface { stage: Stage::Compute { group_size: [3, 2, 2] }, ..Interface::default() },
        );
        let inputs = [Input::ThreadIndex, Input::ThreadIdInGroup(0), Input::ThreadIdInGroup(2), Input::GroupId(0)];
        assert_eq!(inputs.map(|input| input_bound(&func, input)), [15, 2, 2, u32::MAX]);
    }
}
