//! Tests the facts that `float_class.rs` and `float_range.rs` find: each rule by hand, and in random functions against
//! the values of every lane of the interpreter.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use brolga_ir::bound::Bounds;
use brolga_ir::builder::only;
use brolga_ir::entity::{Region, ResourceId, Value};
use brolga_ir::float_class::{ClassSet, FloatClasses};
use brolga_ir::flow::Flow;
use brolga_ir::function::{AtomicOp, CounterOp, Input, MemoryRef, Object, Query};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::sampling::SampleCall;
use brolga_ir::verify::verify;
use brolga_ir::{Builder, Const, Function, Op, Type, float_range};
use brolga_testing_base::programs;
use brolga_testing_base::random::Random;

/// Writes each value at its definition: as its bits, unless it is a condition, to the byte that has its number.
struct Prober {
    output: Object,
}

impl Prober {
    fn probe(func: &mut Function) -> ResourceId {
        let id = ResourceId::new(func.interface.resources.len());
        let output = Resource::new(ResourceClass::UnorderedAccess, ResourceKind::Raw, 0);
        func.interface.resources.push(Resource { space: 77, ..output });
        let body = func.body();
        Self { output: Object::Resource(only(id)) }.region(func, body);
        id
    }

    fn region(&self, func: &mut Function, region: Region) {
        let data = std::mem::take(func.region_mut(region));
        func.region_mut(region).params = data.params.clone();
        let mut b = Builder::new(func);
        b.switch_to(region);
        self.values(&mut b, &data.params);
        for inst in data.insts {
            for inner in b.func.inst(inst).kind.regions() {
                self.region(b.func, inner);
            }
            let results = b.func.inst(inst).results.clone();
            b.func.region_mut(region).insts.push(inst);
            self.values(&mut b, &results);
        }
    }

    fn values(&self, b: &mut Builder<'_>, values: &[Value]) {
        for &value in values {
            let words = match b.func.ty(value) {
                Type::Bool => continue,
                Type::I32 => vec![value],
                Type::F32 => vec![b.op(Op::BitsF32, &[value])],
                Type::I64 => vec![b.op(Op::Low64, &[value]), b.op(Op::High64, &[value])],
                Type::F64 => {
                    let bits = b.op(Op::BitsF64, &[value]);
                    vec![b.op(Op::Low64, &[bits]), b.op(Op::High64, &[bits])]
                }
            };
            let (offset, effect) = (b.i32(4 * value.index() as u32), b.bool(true));
            b.store(MemoryRef { object: self.output, index: None, offset }, &words, effect);
        }
    }
}

/// Memory whose words differ each time, and which checks the values that probes write.
struct Wild {
    random: Mutex<Random>,
    output: ResourceId,
    types: Vec<Type>,
    classes: FloatClasses,
    ranges: Vec<Option<[f32; 2]>>,
    what: String,
    checked: AtomicUsize,
    /// Number of values with a range that is more than one number.
    bounded: AtomicUsize,
}

impl Wild {
    fn word(&self) -> u32 {
        let mut random = self.random.lock().expect("nobody panics here");
        if random.one_in(3) { random.tiny() } else { random.word() }
    }
}

impl Host for Wild {
    fn load(&self, _: Address, words: &mut [u32]) {
        words.fill_with(|| self.word());
    }

    fn store(&self, at: Address, words: &[u32]) {
        if at.view.id != self.output {
            return;
        }
        let value = Value::new(at.offset_bytes as usize / 4);
        let bits = words.iter().rev().fold(0, |bits, &word| bits << 32 | u64::from(word));
        let (ty, claimed) = (self.types[value.index()], self.classes.of(value));
        let class = ClassSet::of(Const { ty, bits });
        assert!(class.is_within(claimed), "{}: {value}, {ty}, is {bits:#x}, claimed {claimed:?}", self.what);
        if let Some([least, most]) = self.ranges[value.index()] {
            let number = f32::from_bits(bits as u32);
            assert!(least <= number && number <= most, "{}: {value} is {number}, not {least} to {most}", self.what);
            self.bounded.fetch_add(usize::from(least < most), Ordering::Relaxed);
        }
        self.checked.fetch_add(usize::from(claimed != ClassSet::ALL), Ordering::Relaxed);
    }

    fn atomic(&self, _: AtomicOp, _: Address, _: u32, _: u32) -> u32 {
        self.word()
    }

    fn counter(&self, _: CounterOp, _: ViewSlot) -> u32 {
        self.word()
    }

    fn texel_load(&self, _: ViewSlot, _: [u32; 3], _: u32) -> [u32; 4] {
        [0; 4].map(|_: u32| self.word())
    }

    fn texel_store(&self, _: ViewSlot, _: [u32; 3], _: [u32; 4]) {}

    fn texel_atomic(&self, _: AtomicOp, _: ViewSlot, _: [u32; 3], _: u32, _: u32) -> u32 {
        self.word()
    }

    fn sample(&self, call: SampleCall<'_>) {
        call.results.iter_mut().for_each(|word| *word = self.word());
    }

    fn query(&self, _: Query, _: ViewSlot, _: u32) -> [u32; 4] {
        [0; 4].map(|_: u32| self.word())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

/// Runs two groups; returns the number of values with a claim, and of those with a range.
fn check(mut func: Function, seed: u64, what: &str) -> [usize; 2] {
    let what = format!("{what}, seed {seed}\n{func}");
    let classes = FloatClasses::compute(&func, &Flow::new(&func));
    let types: Vec<Type> = (0..func.value_count()).map(|n| func.ty(Value::new(n))).collect();
    let bounds = Bounds::compute(&func);
    // A sample of the values, since each check examines many operations.
    let is_looked_at = |n: usize| types[n] == Type::F32 && (n as u64 + seed).is_multiple_of(16);
    let range = |n: usize| is_looked_at(n).then(|| float_range::of(&func, &bounds, Value::new(n))).flatten();
    let ranges = (0..types.len()).map(range).collect();
    let output = Prober::probe(&mut func);
    let func = verify(func).unwrap_or_else(|errors| panic!("{what}: {errors}"));
    let random = Mutex::new(Random(!seed));
    let [checked, bounded] = [0; 2].map(AtomicUsize::new);
    let host = Wild { random, output, types, classes, ranges, what, checked, bounded };
    let (interpreter, mut arena) = (Interpreter::new(&func), Arena::default());
    for group in 0..2 {
        // Most random loops do not end, and threads need not agree about barriers.
        let mut fuel = 40;
        let _ = interpreter.run_group(&host, [group, 1, 0], &mut arena, &mut fuel);
    }
    [host.checked, host.bounded].map(AtomicUsize::into_inner)
}

#[test]
fn classes_of_random_functions_hold() {
    let run = |seed| {
        let mut func = programs::generate_wild(seed, 1 + (seed % 12) as usize);
        optimise(&mut func, Level::None);
        check(func, seed, "function")
    };
    let [checked, bounded] = (0..1500).map(run).reduce(|sum, more| [sum[0] + more[0], sum[1] + more[1]]).unwrap();
    println!("{checked} values, {bounded} with a range");
    assert!(checked > 10_000, "only {checked} values of which something is claimed");
    assert!(bounded > 100, "only {bounded} values with a range");
}

#[test]
fn classes_of_random_programs_hold() {
    let run = |seed| {
        let mut func = programs::generate(seed, 1 + (seed % 12) as usize);
        optimise(&mut func, Level::Full);
        check(func, seed, "program")
    };
    let [checked, bounded] = (0..300).map(run).reduce(|sum, more| [sum[0] + more[0], sum[1] + more[1]]).unwrap();
    println!("{checked} values, {bounded} with a range");
    assert!(checked > 10_000, "only {checked} values of which something is claimed");
    assert!(bounded > 100, "only {bounded} values with a range");
}

fn function() -> Function {
    Function::new("test", Interface::default())
}

/// An `f32` of any class.
fn anything(b: &mut Builder<'_>) -> Value {
    let bits = b.input(Input::ThreadIndex);
    b.op(Op::AsF32, &[bits])
}

fn double(b: &mut Builder<'_>, number: f64) -> Value {
    b.constant(Const::f64(number))
}

/// The classes found for the values that a body makes.
fn classes<const N: usize>(body: impl FnOnce(&mut Builder<'_>) -> [Value; N]) -> [ClassSet; N] {
    let mut func = function();
    let mut b = Builder::new(&mut func);
    let values = body(&mut b);
    b.return_();
    let classes = FloatClasses::compute(&func, &Flow::new(&func));
    values.map(|value| classes.of(value))
}

const FINITE: ClassSet = ClassSet::NEGATIVE_NORMAL.or(ClassSet::MINUS_ZERO).or(ClassSet::ZERO).or(ClassSet::NORMAL);

#[test]
fn arithmetic_is_flushed_and_moves_are_not() {
    let [sum, product, moved, negated, selected, flushed] = classes(|b| {
        let (x, y) = (anything(b), anything(b));
        let cond = b.op(Op::FLt, &[x, y]);
        let sum = b.op(Op::FAdd, &[x, y]);
        let negated = b.op(Op::FNeg, &[x]);
        let flushed = b.op(Op::FFlush, &[negated]);
        [sum, b.op(Op::FMul, &[x, y]), x, negated, b.select(cond, sum, x), b.op(Op::FAbs, &[flushed])]
    });
    assert_eq!([sum, product], [ClassSet::ALL.flushed(); 2]);
    assert_eq!([moved, negated, selected], [ClassSet::ALL; 3]);
    let positive = ClassSet::ZERO.or(ClassSet::NORMAL).or(ClassSet::INFINITY);
    assert_eq!(flushed, positive.or(ClassSet::NAN));
}

#[test]
fn only_infinities_and_zeros_make_nans_of_numbers() {
    let [sum, overflow, product, quotient, root, infinite] = classes(|b| {
        let word = b.input(Input::ThreadIndex);
        let (number, one) = (b.op(Op::SToF, &[word]), b.f32(1.0));
        let sum = b.op(Op::FAdd, &[number, one]);
        let overflow = b.op(Op::FSub, &[sum, sum]);
        let product = b.op(Op::FMul, &[number, number]);
        let (quotient, root) = (b.op(Op::FDiv, &[one, number]), b.op(Op::FSqrt, &[number]));
        [sum, overflow, product, quotient, root, b.op(Op::FMul, &[quotient, number])]
    });
    let infinities = ClassSet::INFINITY.or(ClassSet::MINUS_INFINITY);
    // One is never enough for minus infinity.
    assert_eq!(sum, FINITE.or(ClassSet::INFINITY));
    assert!(!overflow.is_number());
    // A square has no sign.
    assert_eq!(product, ClassSet::ZERO.or(ClassSet::NORMAL).or(ClassSet::INFINITY));
    assert!(quotient.is_number() && quotient.may_be(infinities));
    assert!(!root.is_number());
    assert!(!infinite.is_number());
}

#[test]
fn minima_and_maxima_keep_nans_out() {
    let [one_number, both, at_least, clamped, double_max] = classes(|b| {
        let (x, y, bound, zero) = (anything(b), anything(b), b.f32(2.0), b.f32(0.0));
        let half = double(b, 0.5);
        let bits = b.input(Input::ThreadIndex);
        let bits = b.op(Op::Pack64, &[bits, bits]);
        let wide = b.op(Op::AsF64, &[bits]);
        let at_least = b.op(Op::FMax, &[x, bound]);
        [
            b.op(Op::FMin, &[x, bound]),
            b.op(Op::FMin, &[x, y]),
            at_least,
            b.op(Op::FMax, &[zero, x]),
            b.op(Op::DMax, &[half, wide]),
        ]
    });
    assert_eq!(one_number, FINITE.or(ClassSet::MINUS_INFINITY));
    assert_eq!(both, ClassSet::ALL.flushed());
    let positive = ClassSet::NORMAL.or(ClassSet::INFINITY);
    assert_eq!([at_least, double_max], [positive; 2]);
    // Of two zeros the second.
    assert_eq!(clamped, positive.or(ClassSet::ZERO).or(ClassSet::MINUS_ZERO));
}

#[test]
fn saturation_and_rounding_stay_numbers() {
    let [saturated, floor, doubled, back] = classes(|b| {
        let (x, bound) = (anything(b), b.f32(100.0));
        let saturated = b.op(Op::FSat, &[x]);
        let below = b.op(Op::FMin, &[x, bound]);
        let doubled = b.op(Op::FToD, &[saturated]);
        let tiny = double(b, 1e-300);
        let product = b.op(Op::DMul, &[doubled, tiny]);
        [saturated, b.op(Op::FFloor, &[below]), doubled, b.op(Op::DToF, &[product])]
    });
    let unsigned = ClassSet::ZERO.or(ClassSet::NORMAL);
    assert_eq!([saturated, doubled], [unsigned; 2]);
    // Too small for a float, or too large, for all that classes tell.
    assert_eq!(back, unsigned.or(ClassSet::INFINITY));
    assert!(floor.is_number() && floor.is_flushed());
}

#[test]
fn facts_go_through_bits() {
    let [bits, negative, scale, condition, sum, shifted] = classes(|b| {
        let word = b.input(Input::ThreadIndex);
        let (x, half) = (b.op(Op::UToF, &[word]), b.i32(0x3f00_0000));
        let (sign, places, fewer) = (b.i32(0x8000_0000), b.i32(23), b.i32(22));
        let bits = b.op(Op::BitsF32, &[x]);
        let negative = b.op(Op::Xor, &[bits, sign]);
        let negative = b.op(Op::AsF32, &[negative]);
        let scale = b.op(Op::Shl, &[word, places]);
        let is_zero = b.op(Op::IEq, &[word, places]);
        let condition = b.op(Op::BToI, &[is_zero]);
        let sum = b.op(Op::IAdd, &[bits, half]);
        [bits, negative, b.op(Op::AsF32, &[scale]), condition, sum, b.op(Op::Shl, &[word, fewer])]
    });
    assert_eq!(bits, ClassSet::ZERO.or(ClassSet::NORMAL));
    assert_eq!(negative, ClassSet::MINUS_ZERO.or(ClassSet::NEGATIVE_NORMAL));
    assert_eq!(scale, FINITE.or(ClassSet::INFINITY).or(ClassSet::MINUS_INFINITY));
    assert_eq!(condition, ClassSet::ZERO.or(ClassSet::NAN));
    assert_eq!([sum, shifted], [ClassSet::ALL; 2]);
}

/// A loop that counts in floats: the parameter is a number in every iteration, and so is what a break passes.
#[test]
fn loops_carry_what_all_rounds_have() {
    let mut func = function();
    let mut b = Builder::new(&mut func);
    let wild = anything(&mut b);
    let (zero, end) = (b.f32(0.0), b.f32(8.0));
    let (inst, region) = b.loop_(&[zero, zero, zero]);
    let outer = b.switch_to(region);
    let [count, kept, spoilt] = b.func.region(region).params[..] else { unreachable!("three parameters") };
    let done = b.op(Op::FGe, &[count, end]);
    b.when(done, |b| b.break_(inst, &[kept, count, zero]));
    let next = b.op(Op::FMin, &[wild, count]);
    // The value that one round passes to the last parameter comes to the second in the next one.
    b.yield_(&[next, spoilt, wild]);
    b.switch_to(outer);
    b.return_();
    let classes = FloatClasses::compute(&func, &Flow::new(&func));
    let number = FINITE.or(ClassSet::MINUS_INFINITY);
    let results = &func.inst(inst).results;
    assert!(classes.of(count).is_within(number), "{:?}", classes.of(count));
    assert!(!classes.of(count).may_be(ClassSet::INFINITY.or(ClassSet::NAN)));
    assert_eq!([kept, spoilt, results[0]].map(|value| classes.of(value)), [ClassSet::ALL; 3]);
    assert_eq!(classes.of(results[1]), classes.of(count));
    assert_eq!(classes.of(results[2]), ClassSet::ZERO);
}

#[test]
fn branches_bring_the_classes_of_both_sides() {
    let mut func = function();
    let mut b = Builder::new(&mut func);
    let wild = anything(&mut b);
    let (one, minus) = (b.f32(1.0), b.f32(-0.0));
    let cond = b.op(Op::FLt, &[wild, one]);
    let (inst, then_region, else_region) = b.if_else(cond, &[Type::F32]);
    let outer = b.switch_to(then_region);
    b.yield_(&[one]);
    b.switch_to(else_region);
    b.yield_(&[minus]);
    b.switch_to(outer);
    let merged = b.func.inst(inst).results[0];
    let neighbour = b.quad_read([1, 0, 3, 2], merged);
    b.return_();
    let classes = FloatClasses::compute(&func, &Flow::new(&func));
    assert_eq!([merged, neighbour].map(|value| classes.of(value)), [ClassSet::NORMAL.or(ClassSet::MINUS_ZERO); 2]);
}
