//! What `float_class.rs` claims of the values of random functions holds for what each lane of the interpreter has.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use brolga_ir::builder::only;
use brolga_ir::entity::{Region, ResourceId, Value};
use brolga_ir::float_class::{ClassSet, FloatClasses};
use brolga_ir::function::{AtomicOp, CounterOp, Object, Place, Query};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::{Resource, ResourceClass, ResourceKind};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::sampling::SampleCall;
use brolga_ir::verify::verify;
use brolga_ir::{Builder, Const, Function, Op, Type};
use brolga_testing_base::random::Random;
use brolga_testing_base::{functions, programs};

/// Writes each value where it is defined: one that is no condition, as its bits, to the byte that has its number.
struct Prober {
    output: Object,
}

impl Prober {
    fn probe(func: &mut Function) -> ResourceId {
        let id = ResourceId::new(func.interface.resources.len());
        func.interface.resources.push(Resource {
            class: ResourceClass::UnorderedAccess,
            kind: ResourceKind::Raw,
            space: 77,
            lower: 0,
            count: Some(1),
            uses_counter: false,
            texel_bytes: None,
        });
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
            b.store(Place { object: self.output, index: None, offset }, &words, effect);
        }
    }
}

/// Memory that is different words each time, and looks at what probes write.
struct Wild {
    random: Mutex<Random>,
    output: ResourceId,
    types: Vec<Type>,
    classes: FloatClasses,
    what: String,
    checked: AtomicUsize,
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
        call.results.iter_mut().flatten().for_each(|word| *word = self.word());
    }

    fn query(&self, _: Query, _: ViewSlot, _: u32) -> [u32; 4] {
        [0; 4].map(|_: u32| self.word())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

/// Runs two groups; gives how many values there were of which something is claimed.
fn check(mut func: Function, seed: u64, what: &str) -> usize {
    let what = format!("{what}, seed {seed}\n{func}");
    let classes = FloatClasses::compute(&func);
    let types = (0..func.value_count()).map(|n| func.ty(Value::new(n))).collect();
    let output = Prober::probe(&mut func);
    let func = verify(func).unwrap_or_else(|errors| panic!("{what}: {errors}"));
    let random = Mutex::new(Random(!seed));
    let host = Wild { random, output, types, classes, what, checked: AtomicUsize::new(0) };
    let (interpreter, mut arena) = (Interpreter::new(&func), Arena::default());
    for group in 0..2 {
        // Most random loops do not end, and threads need not agree about barriers.
        let mut fuel = 40;
        let _ = interpreter.run_group(&host, [group, 1, 0], &mut arena, &mut fuel);
    }
    host.checked.into_inner()
}

#[test]
fn classes_of_random_functions_hold() {
    let run = |seed| check(functions::function(seed, 10 + seed as usize % 90), seed, "function");
    let checked: usize = (0..1500).map(run).sum();
    println!("{checked} values");
    assert!(checked > 10_000, "only {checked} values of which something is claimed");
}

#[test]
fn classes_of_random_programs_hold() {
    let run = |seed| {
        let mut func = programs::generate(seed, 1 + (seed % 12) as usize);
        optimise(&mut func, Level::Full);
        check(func, seed, "program")
    };
    let checked: usize = (0..300).map(run).sum();
    println!("{checked} values");
    assert!(checked > 10_000, "only {checked} values of which something is claimed");
}
