//! Finds the classes that each float may belong to: zeros, denormals, normal numbers, infinities, NaNs.
//!
//! Engines need not flush values that cannot be denormals, nor handle NaNs where there can be none. The classes are
//! IEEE 754's, except that there is one for all NaNs, whose sign and payload are not part of a float. Integers have the
//! classes of their bits read as floats of the same width, so that facts survive bit casts.
//!
//! No rule here repeats the definition of an arithmetic operation: it is evaluated, by its row in the table, at the
//! ends of its operands' classes. All of them are monotonic in each operand within a class, so the result is in
//! between.
//!
//! Inactive lanes have no value. Like uniformity the analysis is optimistic around loops; the set of a value only ever
//! grows, at most nine times.

use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::entity::{Inst, Value};
use crate::flow::Flow;
use crate::function::{Effect, Function, InstKind};
use crate::ops::Op;
use crate::types::{Const, Type};

/// A set of classes that a float may belong to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ClassSet(u16);

impl ClassSet {
    /// No class: unreachable.
    pub const NONE: Self = Self(0);
    /// Minus infinity.
    pub const MINUS_INFINITY: Self = Self(1);
    /// Negative normal numbers.
    pub const NEGATIVE_NORMAL: Self = Self(1 << 1);
    /// Negative denormals.
    pub const NEGATIVE_DENORMAL: Self = Self(1 << 2);
    /// Negative zero.
    pub const MINUS_ZERO: Self = Self(1 << 3);
    /// Positive zero.
    pub const ZERO: Self = Self(1 << 4);
    /// Positive denormals.
    pub const DENORMAL: Self = Self(1 << 5);
    /// Positive normal numbers.
    pub const NORMAL: Self = Self(1 << 6);
    /// Infinity.
    pub const INFINITY: Self = Self(1 << 7);
    /// Every NaN.
    pub const NAN: Self = Self(1 << NAN_CLASS);
    /// Every class.
    pub const ALL: Self = Self((1 << CLASSES) - 1);

    /// The class of a constant; every class for a condition, which has none.
    pub fn of(constant: Const) -> Self {
        match constant.ty {
            Type::Bool => Self::ALL,
            ty => Self(1 << class_of(ty, constant.bits)),
        }
    }

    /// `true` if a number of these classes may also belong to one of the others.
    pub fn may_be(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// `true` if a number of these classes always belongs to one of the others.
    pub fn is_within(self, others: Self) -> bool {
        self.0 & !others.0 == 0
    }

    /// `true` if there is no denormal, so that flushing does nothing.
    pub fn is_flushed(self) -> bool {
        !self.may_be(Self::DENORMAL.or(Self::NEGATIVE_DENORMAL))
    }

    /// `true` if there is no NaN.
    pub fn is_number(self) -> bool {
        !self.may_be(Self::NAN)
    }

    /// The union with other classes.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The classes except for others.
    const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The classes after flushing denormals to zeros of their sign.
    pub fn flushed(self) -> Self {
        let zeros = (self.0 & Self::DENORMAL.0) >> 1 | (self.0 & Self::NEGATIVE_DENORMAL.0) << 1;
        Self(self.0 | zeros).without(Self::DENORMAL.or(Self::NEGATIVE_DENORMAL))
    }

    /// The classes after the sign bit was flipped.
    fn negated(self) -> Self {
        Self(self.0 & Self::NAN.0 | u16::from((self.0 as u8).reverse_bits()))
    }

    /// The classes after the sign bit was cleared.
    fn magnitude(self) -> Self {
        const NEGATIVE: ClassSet = ClassSet(0xf);
        self.or(self.negated()).without(NEGATIVE)
    }

    /// The numbers of the classes.
    fn classes(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let class = left.trailing_zeros() as usize;
            left &= left.checked_sub(1)?;
            Some(class)
        })
    }
}

/// Number of classes.
const CLASSES: usize = 9;
/// The only unordered one.
const NAN_CLASS: usize = 8;

/// The sign bit and the exponent's bits of floats of a width.
fn layout(ty: Type) -> (u64, u64) {
    match ty {
        Type::I64 | Type::F64 => (1 << 63, 0x7ff0_0000_0000_0000),
        Type::Bool | Type::I32 | Type::F32 => (1 << 31, 0x7f80_0000),
    }
}

/// The class of the float that has these bits.
fn class_of(ty: Type, bits: u64) -> usize {
    let (sign, exponent) = layout(ty);
    let magnitude = bits & (sign - 1);
    let distance = match magnitude {
        0 => 0,
        _ if magnitude > exponent => return NAN_CLASS,
        _ if magnitude == exponent => 3,
        _ if magnitude & exponent != 0 => 2,
        _ => 1,
    };
    if bits & sign == 0 { 4 + distance } else { 3 - distance }
}

/// The bits of the two end points of a class.
fn ends_of(ty: Type, class: usize) -> [u64; 2] {
    let (sign, exponent) = layout(ty);
    let least_normal = exponent & exponent.wrapping_neg();
    let ends = |distance: usize| match distance {
        0 => [0; 2],
        1 => [1, least_normal - 1],
        2 => [least_normal, exponent - 1],
        _ => [exponent; 2],
    };
    match class {
        NAN_CLASS => [exponent + 1; 2],
        4.. => ends(class - 4),
        _ => ends(3 - class).map(|bits| bits | sign),
    }
}

/// The classes of a function's values.
#[derive(Clone, Debug)]
pub struct FloatClasses {
    sets: Vec<ClassSet>,
}

impl FloatClasses {
    /// Analyses a function without slots.
    pub fn compute(func: &Function, flow: &Flow) -> Self {
        let has_floats = (0..func.value_count()).any(|n| matches!(func.ty(Value::new(n)), Type::F32 | Type::F64));
        if !has_floats {
            return Self { sets: Vec::new() };
        }
        let sets = vec![ClassSet::NONE; func.value_count()];
        let mut analysis = Analysis { func, flow, sets, changed: Vec::new() };
        for &inst in &flow.order {
            let known = analysis.changed.len();
            analysis.visit(inst, None);
            // Uses come later in this order, except along back edges.
            if !matches!(func.inst(inst).kind, InstKind::Yield(_) | InstKind::Continue { .. }) {
                analysis.changed.truncate(known);
            }
        }
        while let Some(value) = analysis.changed.pop() {
            for &(user, position) in flow.uses(value) {
                analysis.visit(user, Some(position as usize));
            }
        }
        Self { sets: analysis.sets }
    }

    /// The classes that a value may belong to in any active lane: a float, or an integer read as the float of its
    /// width.
    pub fn of(&self, value: Value) -> ClassSet {
        self.sets.get(value.index()).copied().unwrap_or(ClassSet::ALL)
    }
}

struct Analysis<'a> {
    func: &'a Function,
    flow: &'a Flow,
    sets: Vec<ClassSet>,
    /// The worklist: values whose uses are still to be visited.
    changed: Vec<Value>,
}

impl Analysis<'_> {
    /// Propagates the classes of an instruction's operands: of one of them, or of all and the instruction itself.
    fn visit(&mut self, inst: Inst, position: Option<usize>) {
        let data = self.func.inst(inst);
        if let Some((from, to)) = self.flow.edge(self.func, inst) {
            for n in position.map_or(0..from.len(), |n| n..n + 1) {
                self.propagate(from[n], to[n]);
            }
            return;
        }
        match &data.kind {
            InstKind::Const(constant) => self.grow(data.results[0], ClassSet::of(*constant)),
            InstKind::Op { op, args } => {
                let set = self.of_op(*op, args);
                self.grow(data.results[0], set);
            }
            // Another thread's value of the same instruction, or the thread's own.
            InstKind::QuadRead { value, .. } => self.grow(data.results[0], self.sets[value.index()]),
            // Bits of unknown origin; results of control flow arrive along its edges.
            kind => {
                if kind.effect() != Effect::Control {
                    data.results.iter().for_each(|&result| self.grow(result, ClassSet::ALL));
                }
            }
        }
    }

    /// Passes `from` along an edge to the merged value `to`.
    fn propagate(&mut self, from: Value, to: Value) {
        self.grow(to, self.sets[from.index()]);
    }

    /// Adds classes that a value may belong to.
    fn grow(&mut self, value: Value, by: ClassSet) {
        let set = &mut self.sets[value.index()];
        if !by.is_within(*set) {
            *set = set.or(by);
            self.changed.push(value);
        }
    }

    /// The classes of an operation's result.
    fn of_op(&self, op: Op, args: &[Value]) -> ClassSet {
        let set = |n: usize| self.sets[args[n].index()];
        match op {
            // Bits that are moved.
            Op::SelectI32 | Op::SelectF32 | Op::SelectI64 | Op::SelectF64 => set(1).or(set(2)),
            Op::AsF32 | Op::BitsF32 | Op::AsF64 | Op::BitsF64 => set(0),
            Op::FNeg | Op::DNeg => set(0).negated(),
            Op::FAbs | Op::DAbs => set(0).magnitude(),

            Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FFma
            | Op::FDiv
            | Op::FSqrt
            | Op::FMin
            | Op::FMax
            | Op::FSat
            | Op::FFlush
            | Op::FFloor
            | Op::FCeil
            | Op::FTrunc
            | Op::FNearest
            | Op::DAdd
            | Op::DSub
            | Op::DMul
            | Op::DDiv
            | Op::DFma
            | Op::DMin
            | Op::DMax
            | Op::DSat
            | Op::DToF
            | Op::FToD => self.of_arithmetic(op, args),

            Op::SToF | Op::SToD => ClassSet::NEGATIVE_NORMAL.or(ClassSet::ZERO).or(ClassSet::NORMAL),
            Op::UToF | Op::UToD => ClassSet::ZERO.or(ClassSet::NORMAL),
            // The denormals among halves are normal floats.
            Op::F16ToF32 => ClassSet::ALL.flushed(),

            // All ones are a NaN.
            Op::BToI => ClassSet::ZERO.or(ClassSet::NAN),
            Op::And | Op::Or | Op::Xor | Op::Shl => self.of_bits(op, args),

            Op::BAnd
            | Op::BOr
            | Op::BNot
            | Op::SelectBool
            | Op::IAdd
            | Op::ISub
            | Op::IMul
            | Op::UMulHi
            | Op::SMulHi
            | Op::UDiv
            | Op::UMod
            | Op::UShr
            | Op::RotL
            | Op::SShr
            | Op::SMin
            | Op::SMax
            | Op::UMin
            | Op::UMax
            | Op::IEq
            | Op::INe
            | Op::SLt
            | Op::SGe
            | Op::ULt
            | Op::UGe
            | Op::CountBits
            | Op::FirstBitHi
            | Op::FirstBitLo
            | Op::BitReverse
            | Op::FEq
            | Op::FNe
            | Op::FLt
            | Op::FGe
            | Op::FToS
            | Op::FToU
            | Op::F32ToF16
            | Op::Pack64
            | Op::Low64
            | Op::High64
            | Op::DEq
            | Op::DNe
            | Op::DLt
            | Op::DGe
            | Op::DToS
            | Op::DToU => ClassSet::ALL,
        }
    }

    /// The classes of float bits that integer operations change: setting exponents and changing signs.
    fn of_bits(&self, op: Op, args: &[Value]) -> ClassSet {
        const SIGN: u32 = 0x8000_0000;
        const MANTISSA_BITS: u32 = 23;
        let set = self.sets[args[0].index()];
        let Some(constant) = self.func.as_const(args[1]).map(|constant| constant.bits as u32) else {
            return ClassSet::ALL;
        };
        match (op, constant) {
            (Op::And, 0x7fff_ffff) => set.magnitude(),
            (Op::Or, SIGN) => set.magnitude().negated(),
            (Op::Xor, SIGN) => set.negated(),
            // Nothing is left of the mantissa.
            (Op::Shl, count) if count & 31 >= MANTISSA_BITS => ClassSet::ALL.flushed().without(ClassSet::NAN),
            _ => ClassSet::ALL,
        }
    }

    /// The classes of results of float arithmetic.
    fn of_arithmetic(&self, op: Op, args: &[Value]) -> ClassSet {
        let sets = |n: usize| args.get(n).map_or(ClassSet(1), |arg| self.sets[arg.index()]);
        let same = args.len() == 2 && args[0] == args[1];
        let most = if op.result() == Type::F32 { ClassSet::ALL.flushed() } else { ClassSet::ALL };
        let images = images(op);
        let mut found = ClassSet::NONE;
        for a in sets(0).classes() {
            // A number and itself are of one class.
            for b in sets(1).classes().filter(|&b| !same || a == b) {
                for c in sets(2).classes() {
                    let at = [a, b, c][..args.len()].iter().fold(0, |at, class| at * CLASSES + class);
                    found = found.or(images[at]);
                    if found == most {
                        return found;
                    }
                }
            }
        }
        found
    }
}

/// The classes of an arithmetic operation's results for operands of one class each, the last operand's varying fastest.
/// Computed once.
fn images(op: Op) -> &'static [ClassSet] {
    static IMAGES: [OnceLock<Vec<ClassSet>>; Op::ALL.len()] = [const { OnceLock::new() }; Op::ALL.len()];
    IMAGES[op as usize].get_or_init(|| {
        let count = op.args().len() as u32;
        let classes = |n: usize| (0..count).rev().map(move |place| n / CLASSES.pow(place) % CLASSES);
        (0..CLASSES.pow(count)).map(|n| image(op, &classes(n).collect::<SmallVec<[usize; 3]>>())).collect()
    })
}

/// The classes between the results at the ends of the operands' classes.
fn image(op: Op, classes: &[usize]) -> ClassSet {
    let mut found = 0u16;
    for corner in 0..1usize << classes.len() {
        let mut operands = [0; 3];
        for (n, (&class, &ty)) in classes.iter().zip(op.args()).enumerate() {
            operands[n] = ends_of(ty, class)[corner >> n & 1];
        }
        found |= 1 << class_of(op.result(), op.eval(&operands[..classes.len()]));
    }
    let numbers = found as u8;
    if numbers != 0 {
        found |= u16::from(u8::MAX << numbers.trailing_zeros() & u8::MAX >> numbers.leading_zeros());
    }
    // A denormal between two results was flushed.
    if op.result() == Type::F32 { ClassSet(found).flushed() } else { ClassSet(found) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::function::Input;
    use crate::interface::Interface;

    /// Numbers by bits: the ends of all classes, their neighbours, and some of the middle.
    fn numbers(ty: Type) -> Vec<u64> {
        let mask = if layout(ty).0 == 1 << 63 { u64::MAX } else { u64::from(u32::MAX) };
        let ends = (0..CLASSES).flat_map(|class| ends_of(ty, class));
        let near = ends.flat_map(|bits| [bits.wrapping_sub(1) & mask, bits, bits.wrapping_add(1) & mask]);
        let middle = [1.0, -1.0, 0.5, -0.75, 1e-20, -1e-20, 3e30, -1e30, 8_388_609.0].map(|number: f32| match ty {
            Type::F64 => f64::from(number).to_bits(),
            _ => number.to_bits().into(),
        });
        near.chain(middle).collect()
    }

    fn function() -> Function {
        Function::new("test", Interface::default())
    }

    /// An `f32` of any class.
    fn anything(b: &mut Builder<'_>) -> Value {
        let bits = b.input(Input::ThreadIndex);
        b.op(Op::AsF32, &[bits])
    }

    #[test]
    fn numbers_are_of_the_classes_that_rust_says() {
        for ty in [Type::F32, Type::F64] {
            for bits in numbers(ty) {
                let (category, is_negative) = match ty {
                    Type::F64 => (f64::from_bits(bits).classify(), f64::from_bits(bits).is_sign_negative()),
                    _ => (f32::from_bits(bits as u32).classify(), f32::from_bits(bits as u32).is_sign_negative()),
                };
                use std::num::FpCategory;
                let expected = match (category, is_negative) {
                    (FpCategory::Nan, _) => ClassSet::NAN,
                    (FpCategory::Infinite, true) => ClassSet::MINUS_INFINITY,
                    (FpCategory::Normal, true) => ClassSet::NEGATIVE_NORMAL,
                    (FpCategory::Subnormal, true) => ClassSet::NEGATIVE_DENORMAL,
                    (FpCategory::Zero, true) => ClassSet::MINUS_ZERO,
                    (FpCategory::Zero, false) => ClassSet::ZERO,
                    (FpCategory::Subnormal, false) => ClassSet::DENORMAL,
                    (FpCategory::Normal, false) => ClassSet::NORMAL,
                    (FpCategory::Infinite, false) => ClassSet::INFINITY,
                };
                assert_eq!(ClassSet::of(Const { ty, bits }), expected, "{ty} {bits:#x}");
            }
        }
    }

    /// Every operation on constants, unfolded: the class of its result is among the classes found.
    #[test]
    fn results_of_every_operation_are_of_the_classes_found() {
        for &op in Op::ALL.iter().filter(|op| op.result() != Type::Bool) {
            let values: Vec<Vec<u64>> = op
                .args()
                .iter()
                .map(|&ty| match ty {
                    Type::Bool => vec![0, 1],
                    // Three operands with all numbers would be too many.
                    ty => numbers(ty).into_iter().step_by(op.args().len()).collect(),
                })
                .collect();
            let mut tuples = vec![vec![]];
            for column in &values {
                tuples =
                    tuples.iter().flat_map(|tuple| column.iter().map(|&bits| [&tuple[..], &[bits]].concat())).collect();
            }
            let mut func = function();
            let mut b = Builder::new(&mut func);
            let mut made = Vec::new();
            for tuple in tuples {
                let args: Vec<Value> =
                    tuple.iter().zip(op.args()).map(|(&bits, &ty)| b.constant(Const { ty, bits })).collect();
                made.push((b.op(op, &args), tuple));
            }
            // So that integers are analysed too.
            anything(&mut b);
            b.return_();
            let classes = FloatClasses::compute(&func, &Flow::new(&func));
            for (value, tuple) in made {
                let result = ClassSet::of(Const { ty: op.result(), bits: op.eval(&tuple) });
                let found = classes.of(value);
                assert!(result.is_within(found), "{op:?}({tuple:#x?}) is of {result:?}, found {found:?}");
            }
        }
    }
}
