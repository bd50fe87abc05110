//! Addresses as sums of multiples of the numbers of a thread and its group, modulo 2^32; and when different threads have
//! different ones. Whether two accesses compute one address, as those of `count[key] = count[key] + 1` do.

use smallvec::SmallVec;

use crate::bound::all_ones;
use crate::entity::{Inst, Value};
use crate::function::{Function, Input, InstKind, MemoryRef, ValueDef};
use crate::ops::Op;
use crate::passes::may_be_ones;

/// The axes of a thread in its group, then those of the group in its dispatch.
pub(super) const AXES: usize = 6;

/// The most operations that are followed back.
const MOST_STEPS: u32 = 12;

/// The most values in a sum.
const MOST_OTHERS: usize = 4;

/// A sum, modulo 2^32.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Linear {
    /// The factor of each axis.
    pub axes: [u32; AXES],
    pub constant: u32,
    /// Values of which nothing is known, with their factors, in order.
    pub others: SmallVec<[(Value, u32); 2]>,
}

impl Linear {
    pub fn constant(constant: u32) -> Self {
        Self { constant, ..Self::default() }
    }

    /// The sum that a value is.
    pub fn of(func: &Function, value: Value) -> Self {
        Self::within(func, value, MOST_STEPS)
            .filter(|sum| sum.others.len() <= MOST_OTHERS)
            .unwrap_or(Self::other(value))
    }

    fn other(value: Value) -> Self {
        Self { others: SmallVec::from_slice(&[(value, 1)]), ..Self::default() }
    }

    fn axis(axis: usize, factor: u32) -> Self {
        let mut sum = Self::default();
        sum.axes[axis] = factor;
        sum
    }

    /// `None` for what is no sum.
    fn within(func: &Function, value: Value, steps: u32) -> Option<Self> {
        if let Some(constant) = func.as_const(value) {
            return Some(Self::constant(constant.bits as u32));
        }
        if let Some(input) = func.as_input(value) {
            return Self::of_input(func, input);
        }
        let (op, args) = func.as_op(value)?;
        let steps = steps.checked_sub(1)?;
        let of = |n: usize| Self::within(func, args[n], steps).unwrap_or(Self::other(args[n]));
        let constant = |n: usize| func.as_const(args[n]).map(|constant| constant.bits as u32);
        match op {
            Op::IAdd => Some(of(0).plus(&of(1), 1)),
            Op::ISub => Some(of(0).plus(&of(1), u32::MAX)),
            Op::IMul => match (constant(0), constant(1)) {
                (_, Some(factor)) => Some(of(0).times(factor)),
                (Some(factor), _) => Some(of(1).times(factor)),
                _ => None,
            },
            Op::Shl => Some(of(0).times(1 << (constant(1)? & 31))),
            // Without carries these are sums.
            Op::Or | Op::Xor if ones(func, args[0]) & ones(func, args[1]) == 0 => Some(of(0).plus(&of(1), 1)),
            Op::And if ones(func, args[0]) & !constant(1)? == 0 => Some(of(0)),
            _ => None,
        }
    }

    fn of_input(func: &Function, input: Input) -> Option<Self> {
        let size = func.interface.group_size();
        Some(match input {
            Input::ThreadIdInGroup(axis) => Self::axis(usize::from(axis), 1),
            Input::GroupId(axis) => Self::axis(3 + usize::from(axis), 1),
            Input::ThreadId(axis) => {
                let axis = usize::from(axis);
                Self::axis(axis, 1).plus(&Self::axis(3 + axis, 1), size[axis])
            }
            Input::ThreadIndex => {
                let row = Self::axis(0, 1).plus(&Self::axis(1, 1), size[0]);
                row.plus(&Self::axis(2, 1), size[0].wrapping_mul(size[1]))
            }
            Input::GroupCount(_) => return None,
        })
    }

    /// The sum with a multiple of another one.
    pub fn plus(mut self, other: &Self, factor: u32) -> Self {
        for (own, other) in self.axes.iter_mut().zip(other.axes) {
            *own = own.wrapping_add(other.wrapping_mul(factor));
        }
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
        for &(value, times) in &other.others {
            let times = times.wrapping_mul(factor);
            match self.others.iter_mut().find(|(known, _)| *known == value) {
                Some((_, known)) => *known = known.wrapping_add(times),
                None => self.others.push((value, times)),
            }
        }
        self.others.retain(|(_, times)| *times != 0);
        self.others.sort_unstable();
        self
    }

    pub fn times(self, factor: u32) -> Self {
        Self::default().plus(&self, factor)
    }

    /// The number of low bits of the product of each value that are zero for certain.
    pub fn zero_bits(&self, func: &Function) -> impl Iterator<Item = u32> {
        let zeros = |number: u32| number.trailing_zeros();
        self.others.iter().map(move |&(value, factor)| (zeros(may_be_ones(func, value)) + zeros(factor)).min(32))
    }
}

/// The bits of a value that may be ones in threads that exist.
fn ones(func: &Function, value: Value) -> u32 {
    let size = func.interface.group_size();
    let most = match func.as_input(value) {
        Some(Input::ThreadIndex) => func.interface.threads_per_group(),
        Some(Input::ThreadIdInGroup(axis)) => size[usize::from(axis)],
        _ => match func.as_op(value) {
            Some((Op::And, args)) => return ones(func, args[0]) & may_be_ones(func, args[1]),
            _ => return may_be_ones(func, value),
        },
    };
    all_ones(most.saturating_sub(1))
}

/// A number that a thread has in several accesses: a sum of its axes, and more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Digits {
    /// The factor of each axis.
    pub factors: [u32; AXES],
    /// The length of the range that begins at the sum and has all that the thread accesses.
    pub length: u32,
    /// What is added to the sum is a multiple of two to this power: 32 if nothing is.
    pub align: u32,
}

impl Digits {
    /// Looks for the axes whose number this tells, with these many positions along each: `true` for those, and `None` if
    /// threads that differ in one of them may have a range in common. An axis whose factor is 0 it does not tell.
    pub fn told(&self, extents: [u64; AXES]) -> Option<[bool; AXES]> {
        let mut digits: SmallVec<[(u64, u64); AXES]> = SmallVec::new();
        let mut told = [false; AXES];
        for axis in 0..AXES {
            let factor = self.factors[axis];
            if extents[axis] > 1 && factor != 0 {
                // A negative one counts down, from another start.
                digits.push((u64::from((factor as i32).unsigned_abs()), extents[axis]));
                told[axis] = true;
            }
        }
        digits.sort_unstable();
        let mut length = u64::from(self.length);
        for (factor, extent) in digits {
            if factor < length {
                return None;
            }
            length = length.checked_add(factor.checked_mul(extent - 1)?)?;
        }
        (length <= 1 << self.align).then_some(told)
    }
}

/// `true` if two accesses have one address, wherever what they load for it stays the same.
pub(super) fn have_one_address(func: &Function, first: Inst, second: Inst) -> bool {
    let [one, other] = [first, second].map(|inst| &func.inst(inst).kind);
    if let Some(((one, coords), (other, of_other))) = one.texel().zip(other.texel()) {
        let mut pairs = coords.iter().zip(of_other);
        return one == other && pairs.all(|(&one, &other)| are_alike(func, one, other, MOST_STEPS));
    }
    one.memory().zip(other.memory()).is_some_and(|(one, other)| are_places_alike(func, *one, *other, MOST_STEPS))
}

fn are_places_alike(func: &Function, first: MemoryRef, second: MemoryRef, steps: u32) -> bool {
    first.object == second.object
        && first.index.is_some() == second.index.is_some()
        && first.index.zip(second.index).is_none_or(|(first, second)| are_alike(func, first, second, steps))
        && are_alike(func, first.offset, second.offset, steps)
}

fn are_alike(func: &Function, first: Value, second: Value, steps: u32) -> bool {
    if first == second {
        return true;
    }
    let Some(steps) = steps.checked_sub(1) else { return false };
    let [(one, n), (other, m)] = match [first, second].map(|value| func.value(value).def) {
        [ValueDef::Result(one, n), ValueDef::Result(other, m)] => [(one, n), (other, m)],
        _ => return false,
    };
    n == m
        && match (&func.inst(one).kind, &func.inst(other).kind) {
            (InstKind::Const(one), InstKind::Const(other)) => one == other,
            (InstKind::Input(one), InstKind::Input(other)) => one == other,
            (InstKind::Load { place: one }, InstKind::Load { place: other }) => {
                are_places_alike(func, *one, *other, steps)
            }
            (InstKind::Op { op: one, args: of_one }, InstKind::Op { op: other, args: of_other }) => {
                one == other && of_one.iter().zip(of_other).all(|(&one, &other)| are_alike(func, one, other, steps))
            }
            _ => false,
        }
}
