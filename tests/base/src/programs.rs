//! Generates random programs in the IR, as the translator would leave them: registers in slots, nested control flow
//! that diverges, every kind of memory.
//!
//! Programs end, never fault, and do not depend on the order of threads: a thread writes only its own memory, reads of
//! others' data stand between barriers, atomics shared between threads commute and their results go unused. *Wild*
//! programs (`wild.rs`) keep none of this: they access every kind of memory and view, and are for tests that compare
//! engines of one order, or run nothing.

mod wild;

use brolga_ir::builder::only;
use brolga_ir::entity::{ArrayId, Inst, LocalId, ResourceId, SharedId, Slot, Value};
use brolga_ir::function::{AtomicOp, Input, MemoryRef, Object, Origin, Sync};
use brolga_ir::interface::{Array, Interface, Local, Resource, ResourceClass, ResourceKind, Shared};
use brolga_ir::stage::{Signature, Stage};
use brolga_ir::{Builder, Const, Function, Op, Type};

use crate::random::Random;

/// Words of each thread's record in `u0`.
const RECORD_WORDS: u32 = 16;
/// Words of `u1`, which collect atomics.
const TOTALS_WORDS: usize = 16;
/// Vectors of `b0`.
const CONSTANT_VECTORS: u32 = 4;
/// Words of `t0`.
const INPUT_WORDS: usize = 50;
/// Groups along x that tests run.
pub const GROUPS: u32 = 2;
/// Invocations of the batches that tests run: whole packets and a rest.
pub const INVOCATIONS: u32 = 37;

const OUT: usize = 0;
const TOTALS: usize = 1;
const CONSTANTS: usize = 2;
const INPUT: usize = 3;
const READ_ARRAY: usize = 0;
const WRITTEN_ARRAY: usize = 1;
const SLOTS: usize = 7;

/// Operations that simplification looks for below others.
const PAIRED: [Op; 13] = [
    Op::FNeg,
    Op::FAbs,
    Op::SelectF32,
    Op::BNot,
    Op::DNeg,
    Op::AsF64,
    Op::BToI,
    Op::BitsF32,
    Op::Low64,
    Op::SelectI32,
    Op::Pack64,
    Op::BitsF64,
    Op::SelectI64,
];

/// A program for the seed. `size` bounds the number of statements of a block.
pub fn generate(seed: u64, size: usize) -> Function {
    let mut random = Random(seed);
    let group = [[1, 1, 1], [8, 1, 1], [5, 1, 1], [20, 1, 1], [4, 3, 1], [16, 2, 1], [8, 2, 2]][random.below(7)];
    let barriers = random.one_in(2);
    program(format!("seed {seed}"), interface(group), random, size, barriers, false)
}

/// A program that may race, fault and run for ever, over declarations of every kind.
pub fn generate_wild(seed: u64, size: usize) -> Function {
    let mut random = Random(seed);
    let mut interface = interface([1 + random.below(9) as u32, 2, 1]);
    wild::declare(&mut interface, &mut random);
    let barriers = random.one_in(2);
    program(format!("wild seed {seed}"), interface, random, size, barriers, true)
}

/// A program for batches: one array is read anywhere, an element of another is each invocation's own record.
pub fn generate_batch(seed: u64, size: usize) -> Function {
    let mut random = Random(seed);
    let mut interface = interface([1; 3]);
    interface.stage = Stage::Vertex(Signature::default());
    interface.shared.clear();
    let input = Array { stride_bytes: 4 + 4 * random.below(12) as u32, is_written: false };
    interface.arrays = vec![input, Array { stride_bytes: RECORD_WORDS * 4, is_written: true }];
    program(format!("batch of seed {seed}"), interface, random, size, false, false)
}

fn program(name: String, interface: Interface, random: Random, size: usize, barriers: bool, wild: bool) -> Function {
    let mut func = Function::new(name, interface);
    let slots = (0..SLOTS).map(|_| func.add_slot(Type::I32)).collect();
    let typed = Type::ALL.map(|ty| func.add_slot(ty));
    let b = Builder::new(&mut func);
    let mut generator = Generator { b, random, slots, typed, size, targets: Vec::new(), barriers, wild, nested: 0 };
    generator.program();
    func
}

/// Words of each array before a batch. They may have fewer elements than the batch has invocations.
pub fn arrays(interface: &Interface, random: &mut Random) -> Vec<Vec<u32>> {
    let mut words = |array: &Array| {
        let elements = INVOCATIONS as usize - if random.one_in(3) { random.below(20) } else { 0 };
        (0..elements * array.stride_bytes as usize / 4).map(|_| random.word()).collect()
    };
    interface.arrays.iter().map(&mut words).collect()
}

/// Words behind each resource before a run, in declaration order.
pub fn contents(interface: &Interface, random: &mut Random) -> Vec<Vec<u32>> {
    let records = GROUPS * interface.threads_per_group() * RECORD_WORDS;
    let mut words = |count: usize| (0..count).map(|_| random.word()).collect();
    vec![words(records as usize), words(TOTALS_WORDS), words(CONSTANT_VECTORS as usize * 4), words(INPUT_WORDS)]
}

fn interface(group_size: [u32; 3]) -> Interface {
    let threads: u32 = group_size.iter().product();
    let records = ResourceKind::Structured { stride_bytes: RECORD_WORDS * 4 };
    Interface {
        resources: vec![
            Resource::new(ResourceClass::UnorderedAccess, records, 0),
            Resource::new(ResourceClass::UnorderedAccess, ResourceKind::Raw, 1),
            Resource::new(ResourceClass::Constant, ResourceKind::Constant { vectors: CONSTANT_VECTORS }, 0),
            Resource::new(ResourceClass::ShaderResource, ResourceKind::Raw, 0),
        ],
        shared: vec![Shared { register: 0, raw: false, stride_bytes: 8, count: threads }],
        locals: vec![Local { register: 0, registers: 5, components: 4 }],
        immediate: vec![[1, 2, 3, 4], [0x3f80_0000, 0xbf00_0000, 0x7fc0_0001, 0]],
        ..Interface::compute(group_size)
    }
}

struct Generator<'a> {
    b: Builder<'a>,
    random: Random,
    slots: Vec<Slot>,
    /// One more slot of each type, in the order of [`Type::ALL`].
    typed: [Slot; 5],
    size: usize,
    /// Enclosing loops (true) and switches (false).
    targets: Vec<(Inst, bool)>,
    barriers: bool,
    wild: bool,
    /// Operations around the operand that is being made.
    nested: u32,
}

impl Generator<'_> {
    fn program(&mut self) {
        for n in 0..SLOTS {
            let value = if self.random.one_in(2) { self.leaf() } else { self.constant_read() };
            self.b.slot_set(self.slots[n], value);
        }
        for _ in 0..self.size {
            if self.barriers && self.random.one_in(5) {
                self.exchange()
            } else {
                self.statement(3)
            }
            if self.b.is_terminated() {
                return;
            }
        }
        if self.barriers {
            self.group_loop();
        }
        self.write_record();
        self.b.return_();
    }

    /// One thread's registers to its own record.
    fn write_record(&mut self) {
        let index = self.thread_number();
        let effect = self.b.bool(true);
        let values: Vec<Value> = self.slots.clone().into_iter().map(|slot| self.b.slot_get(slot)).collect();
        for (n, part) in values.chunks(4).enumerate() {
            let offset = self.b.i32(n as u32 * 16);
            self.b.store(MemoryRef { object: self.records(), index: Some(index), offset }, part, effect);
        }
    }

    /// Group number times threads plus number in the group; the tests' groups lie along x.
    fn thread_number(&mut self) -> Value {
        let threads = self.b.func.interface.threads_per_group();
        let group = self.b.input(Input::GroupId(0));
        let threads = self.b.i32(threads);
        let base = self.b.op(Op::IMul, &[group, threads]);
        let index = self.b.input(Input::ThreadIndex);
        self.b.op(Op::IAdd, &[base, index])
    }

    /// The memory in which threads have a record each.
    fn records(&self) -> Object {
        match self.b.func.interface.arrays.is_empty() {
            true => Object::Resource(only(ResourceId::new(OUT))),
            false => Object::Array(ArrayId::new(WRITTEN_ARRAY)),
        }
    }

    fn statement(&mut self, depth: usize) {
        self.b.set_origin(Origin(self.random.below(0x1000) as u32));
        self.b.set_precise(self.random.one_in(5));
        match self.random.below(if depth == 0 { 10 } else { 16 }) {
            0..=2 if self.wild => self.access(),
            0..=5 => self.expression(),
            6 => self.own_memory(),
            7 => self.local(),
            8 => self.total(),
            9 => {
                let value = self.constant_read();
                self.set(value);
            }
            10..=12 => self.branch(depth),
            13 | 14 => self.repeat(depth),
            _ => self.select_case(depth),
        }
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(self.size.min(4)) {
            self.statement(depth);
        }
        if self.random.one_in(4) {
            self.jump();
        }
    }

    /// Ends the region with some jump.
    fn jump(&mut self) {
        let Some(&(target, is_loop)) = self.targets.get(self.random.below(self.targets.len().max(1))) else {
            if self.random.one_in(6) && (self.wild || !self.barriers) {
                self.write_record();
                self.b.return_();
            }
            return;
        };
        if is_loop && self.random.one_in(2) { self.b.continue_(target, &[]) } else { self.b.break_(target, &[]) }
    }

    fn end(&mut self) {
        if !self.b.is_terminated() {
            self.b.yield_(&[]);
        }
    }

    fn branch(&mut self, depth: usize) {
        let cond = self.condition();
        let (_, then_region, else_region) = self.b.if_else(cond, &[]);
        let outer = self.b.switch_to(then_region);
        self.block(depth - 1);
        self.end();
        self.b.switch_to(else_region);
        if self.random.one_in(2) {
            self.block(depth - 1);
        }
        self.end();
        self.b.switch_to(outer);
    }

    /// A loop with a counter of its own, tested before anything else in each iteration.
    fn repeat(&mut self, depth: usize) {
        let counter = self.b.func.add_slot(Type::I32);
        let zero = self.b.i32(0);
        self.b.slot_set(counter, zero);
        let rounds = if self.random.one_in(2) {
            self.b.i32(1 + self.random.below(4) as u32)
        } else {
            let any = self.leaf();
            let mask = self.b.i32(3);
            self.b.op(Op::And, &[any, mask])
        };
        let (inst, body) = self.b.loop_(&[]);
        let outer = self.b.switch_to(body);
        if !self.wild || !self.random.one_in(6) {
            self.count_round(inst, counter, rounds);
        }
        self.targets.push((inst, true));
        self.block(depth - 1);
        self.targets.pop();
        self.end();
        self.b.switch_to(outer);
    }

    fn count_round(&mut self, inst: Inst, counter: Slot, rounds: Value) {
        let count = self.b.slot_get(counter);
        let done = self.b.op(Op::UGe, &[count, rounds]);
        self.b.when(done, |b| b.break_(inst, &[]));
        let one = self.b.i32(1);
        let next = self.b.op(Op::IAdd, &[count, one]);
        self.b.slot_set(counter, next);
    }

    fn select_case(&mut self, depth: usize) {
        let value = self.get();
        let mask = self.b.i32(3);
        let selector = self.b.op(Op::And, &[value, mask]);
        let labels = match self.random.below(3) {
            0 => vec![vec![0], vec![1, 2]],
            1 => vec![vec![3], vec![0], vec![7]],
            _ => vec![vec![2, 0x8000_0000, u32::MAX], vec![1]],
        };
        let (inst, cases, default) = self.b.switch(selector, labels, &[]);
        let outer = self.b.region();
        self.targets.push((inst, false));
        for region in cases.into_iter().chain([default]) {
            self.b.switch_to(region);
            self.block(depth - 1);
            self.end();
        }
        self.targets.pop();
        self.b.switch_to(outer);
    }

    /// Writes to shared memory, a barrier, a read of a neighbour's words, a barrier.
    fn exchange(&mut self) {
        let threads = self.b.func.interface.threads_per_group();
        let effect = self.b.bool(true);
        let index = self.b.input(Input::ThreadIndex);
        let zero = self.b.i32(0);
        let values = [self.get(), self.get()];
        let shared = Object::Shared(SharedId::new(0));
        self.b.store(MemoryRef { object: shared, index: Some(index), offset: zero }, &values, effect);
        let sync = Sync { threads: true, shared: true, ..Sync::default() };
        self.b.barrier(sync);
        let step = self.b.i32(1 + self.random.below(7) as u32);
        let far = self.b.op(Op::IAdd, &[index, step]);
        let count = self.b.i32(threads);
        let neighbour = self.b.op(Op::UMod, &[far, count]);
        let words = self.b.load(MemoryRef { object: shared, index: Some(neighbour), offset: zero }, 2);
        self.set(words[0]);
        self.set(words[1]);
        self.b.barrier(sync);
    }

    /// A loop that all threads of the group run together, with exchanges inside.
    fn group_loop(&mut self) {
        let counter = self.b.func.add_slot(Type::I32);
        let zero = self.b.i32(0);
        self.b.slot_set(counter, zero);
        let rounds = self.b.i32(1 + self.random.below(3) as u32);
        let (inst, body) = self.b.loop_(&[]);
        let outer = self.b.switch_to(body);
        self.count_round(inst, counter, rounds);
        let barriers = std::mem::replace(&mut self.barriers, true);
        self.statement(2);
        if !self.b.is_terminated() {
            self.exchange();
            self.statement(1);
        }
        self.barriers = barriers;
        self.end();
        self.b.switch_to(outer);
    }

    fn own_memory(&mut self) {
        let index = self.thread_number();
        // Words past the registers' part of the record; 60 is the last word, 64 is outside.
        let offset = self.b.i32([32, 40, 48, 56, 60, 64][self.random.below(6)]);
        let count = 1 + self.random.below(4);
        let place = MemoryRef { object: self.records(), index: Some(index), offset };
        if self.random.one_in(2) {
            let words = self.b.load(place, count);
            self.set(words[count - 1]);
        } else {
            let values = self.registers(count);
            let effect = if self.random.one_in(3) { self.condition() } else { self.b.bool(true) };
            self.b.store(place, &values, effect);
        }
    }

    fn local(&mut self) {
        let index = if self.random.one_in(2) {
            self.b.i32(self.random.below(6) as u32)
        } else {
            let any = self.get();
            let mask = self.b.i32(7);
            self.b.op(Op::And, &[any, mask])
        };
        let offset = self.b.i32(4 * self.random.below(4) as u32);
        let place = MemoryRef { object: Object::Local(LocalId::new(0)), index: Some(index), offset };
        if self.random.one_in(2) {
            let words = self.b.load(place, 1);
            self.set(words[0]);
        } else {
            let value = self.get();
            let effect = self.b.bool(true);
            self.b.store(place, &[value], effect);
        }
    }

    /// A commuting atomic on a word that all threads share.
    fn total(&mut self) {
        // One operation a word, since two different ones would not commute.
        let ops = [AtomicOp::Add, AtomicOp::UMax, AtomicOp::SMin, AtomicOp::Xor, AtomicOp::Or];
        let n = self.random.below(ops.len());
        let offset = self.b.i32([0, 4, 8, 12, 16][n]);
        let value = self.get();
        let effect = self.condition();
        let object = Object::Resource(only(ResourceId::new(TOTALS)));
        self.b.atomic(ops[n], MemoryRef { object, index: None, offset }, value, None, effect);
    }

    fn registers(&mut self, count: usize) -> Vec<Value> {
        (0..count).map(|_| self.get()).collect()
    }

    fn constant_read(&mut self) -> Value {
        let index = if self.random.one_in(2) { self.b.i32(self.random.below(6) as u32) } else { self.leaf() };
        let offset = self.b.i32(4 * self.random.below(4) as u32);
        match self.random.below(if self.b.func.interface.arrays.is_empty() { 3 } else { 6 }) {
            3.. => {
                // Mostly its own element.
                let index = if self.random.one_in(3) { index } else { self.b.input(Input::ThreadId(0)) };
                let count = 1 + self.random.below(4);
                let object = Object::Array(ArrayId::new(READ_ARRAY));
                self.b.load(MemoryRef { object, index: Some(index), offset }, count)[count - 1]
            }
            0 => {
                let object = Object::Resource(only(ResourceId::new(CONSTANTS)));
                self.b.load(MemoryRef { object, index: Some(index), offset }, 1)[0]
            }
            1 => self.b.load(MemoryRef { object: Object::Immediate, index: Some(index), offset }, 1)[0],
            _ => {
                let object = Object::Resource(only(ResourceId::new(INPUT)));
                let count = 1 + self.random.below(4);
                let sixteen = self.b.i32([1, 4, 8, 16][self.random.below(4)]);
                let offset = self.b.op(Op::IMul, &[index, sixteen]);
                self.b.load(MemoryRef { object, index: None, offset }, count)[count - 1]
            }
        }
    }

    fn leaf(&mut self) -> Value {
        match self.random.below(6) {
            0 => self.b.input(Input::ThreadIndex),
            1 => self.b.input(Input::ThreadIdInGroup(self.random.below(3) as u8)),
            2 => self.b.input(Input::ThreadId(0)),
            3 => self.b.input(Input::GroupId(0)),
            4 => {
                let word = self.random.word();
                self.b.constant(Const::i32(word))
            }
            _ => self.get(),
        }
    }

    fn get(&mut self) -> Value {
        let n = self.random.below(SLOTS);
        self.b.slot_get(self.slots[n])
    }

    fn set(&mut self, value: Value) {
        let n = self.random.below(SLOTS);
        self.b.slot_set(self.slots[n], value);
    }

    fn condition(&mut self) -> Value {
        let ops = [Op::IEq, Op::INe, Op::SLt, Op::ULt, Op::UGe, Op::FLt, Op::FGe, Op::FNe];
        let op = ops[self.random.below(ops.len())];
        self.typed(op)
    }

    /// Any operation on registers, its result in a slot of its type or, as a word, in a register.
    fn expression(&mut self) {
        let op = self.random.pick(Op::ALL);
        let value = self.typed(op);
        if self.random.one_in(3) {
            return self.b.slot_set(self.typed[op.result() as usize], value);
        }
        let word = self.word_of(value);
        self.set(word);
    }

    fn typed(&mut self, op: Op) -> Value {
        let args: Vec<Value> = op.args().iter().map(|&ty| self.operand(ty)).collect();
        self.b.op(op, &args)
    }

    /// Now and then the result of another operation, so that rules about pairs of operations are met.
    fn operand(&mut self, ty: Type) -> Value {
        if self.nested < 3 && self.random.one_in(3) {
            let choice = if self.random.one_in(2) { &PAIRED } else { Op::ALL };
            let makers: Vec<Op> = choice.iter().copied().filter(|op| op.result() == ty).collect();
            let maker = makers[self.random.below(makers.len())];
            self.nested += 1;
            let value = self.typed(maker);
            self.nested -= 1;
            return value;
        }
        if self.random.one_in(4) {
            return self.b.slot_get(self.typed[ty as usize]);
        }
        match ty {
            Type::I32 => self.leaf(),
            Type::Bool => {
                let (a, b) = (self.leaf(), self.leaf());
                self.b.op(Op::ULt, &[a, b])
            }
            Type::F32 => {
                let word = self.leaf();
                self.b.op(Op::AsF32, &[word])
            }
            Type::I64 => {
                let (low, high) = (self.leaf(), self.leaf());
                self.b.op(Op::Pack64, &[low, high])
            }
            Type::F64 => {
                let word = self.operand(Type::I64);
                self.b.op(Op::AsF64, &[word])
            }
        }
    }

    fn word_of(&mut self, value: Value) -> Value {
        match self.b.func.ty(value) {
            Type::I32 => value,
            Type::Bool => self.b.op(Op::BToI, &[value]),
            Type::F32 => self.b.op(Op::BitsF32, &[value]),
            Type::I64 => {
                let half = if self.random.one_in(2) { Op::Low64 } else { Op::High64 };
                self.b.op(half, &[value])
            }
            Type::F64 => {
                let bits = self.b.op(Op::BitsF64, &[value]);
                self.word_of(bits)
            }
        }
    }
}
