//! Runs a function on a plain model: one operating system thread for each thread of the group, one scalar at a time,
//! straight from the definition of the instructions, slots included.
//!
//! It shares `Op::eval` with the interpreter and nothing else: no packets, no masks, no phases, no SSA. Without
//! barriers the threads run one after the other. Texels are words here.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex};

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::{AtomicOp, CounterOp, Input, InstKind, MemoryRef, Object, Query, ResourceRef};
use brolga_ir::host::{Address, Host, ViewSlot};
use brolga_ir::interface::{Interface, Resource};
use brolga_ir::sampling::SampleCall;

/// Words behind each resource, in declaration order. Every resource is one register; one without words is unbound.
pub struct Memory {
    /// The words.
    pub resources: Vec<Vec<AtomicU32>>,
    /// Arrays of a batch, by declaration.
    pub arrays: Vec<Vec<AtomicU32>>,
    /// Hidden counters.
    counters: Vec<AtomicU32>,
    /// Bytes from one element to the next; raw views have none.
    strides: Vec<Option<u64>>,
}

impl Memory {
    /// Memory with these contents.
    pub fn new(interface: &Interface, resources: &[Vec<u32>]) -> Self {
        let words = |words: &Vec<u32>| words.iter().map(|&word| AtomicU32::new(word)).collect();
        let stride = |resource: &Resource| resource.kind.stride_bytes().map(u64::from);
        Self {
            resources: resources.iter().map(words).collect(),
            arrays: Vec::new(),
            counters: resources.iter().map(|_| AtomicU32::new(3)).collect(),
            strides: interface.resources.iter().map(stride).collect(),
        }
    }

    /// Sets the arrays of a batch.
    pub fn set_arrays(&mut self, arrays: &[Vec<u32>]) {
        let words = |words: &Vec<u32>| words.iter().map(|&word| AtomicU32::new(word)).collect();
        self.arrays = arrays.iter().map(words).collect();
    }

    /// The hidden counters now.
    pub fn counters(&self) -> Vec<u32> {
        self.counters.iter().map(|counter| counter.load(Ordering::Relaxed)).collect()
    }

    fn texel(&self, view: ViewSlot, [x, y, z]: [u32; 3]) -> Option<&AtomicU32> {
        self.resources[view.id.index()].get((x ^ y.rotate_left(9) ^ z.rotate_left(19)) as usize)
    }

    /// The contents now.
    pub fn words(&self) -> Vec<Vec<u32>> {
        let words = |words: &Vec<AtomicU32>| words.iter().map(|word| word.load(Ordering::Relaxed)).collect();
        self.resources.iter().map(words).collect()
    }
}

/// A value that a thread computed: which, in which iterations of the loops around it, the bits.
pub type Event = (Value, Vec<u32>, u64);

/// Runs one group.
pub fn run_group(func: &Function, memory: &Memory, group: [u32; 3]) {
    run(func, memory, group, false);
}

/// Runs one group and returns every value that each of its threads computed, in order.
pub fn trace_group(func: &Function, memory: &Memory, group: [u32; 3]) -> Vec<Vec<Event>> {
    run(func, memory, group, true)
}

fn run(func: &Function, memory: &Memory, group: [u32; 3], is_traced: bool) -> Vec<Vec<Event>> {
    let [x, y, z] = func.interface.group_size();
    let shared: Vec<Vec<AtomicU32>> = func
        .interface
        .shared
        .iter()
        .map(|shared| (0..shared.size_bytes() / 4).map(|_| AtomicU32::new(0)).collect())
        .collect();
    let barrier = Meeting::new(x * y * z);
    let run = |index: u32| {
        let mut thread = Thread::new(func, memory, &shared, &barrier, group, index);
        thread.trace = is_traced.then(Vec::new);
        thread.region(func.body());
        barrier.leave();
        thread.trace.unwrap_or_default()
    };
    if !func.waits() {
        return (0..x * y * z).map(run).collect();
    }
    std::thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..x * y * z).map(|index| scope.spawn(move || run(index))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no member panics here")).collect()
    })
}

/// Runs one thread that touches no memory but private arrays, with these words in its slots; gives the words
/// afterwards.
pub fn run_thread(func: &Function, slots: &[u32]) -> Vec<u32> {
    let (memory, barrier) = (Memory::new(&func.interface, &[]), Meeting::new(1));
    let mut thread = Thread::new(func, &memory, &[], &barrier, [0; 3], 0);
    thread.slots = slots.iter().map(|&word| word.into()).collect();
    thread.region(func.body());
    thread.slots.into_iter().map(|bits| bits as u32).collect()
}

/// A barrier that is complete without the threads that have left.
struct Meeting {
    state: Mutex<MeetingState>,
    complete: Condvar,
}

struct MeetingState {
    members: u32,
    waiting: u32,
    round: u64,
}

impl Meeting {
    fn new(members: u32) -> Self {
        Self { state: Mutex::new(MeetingState { members, waiting: 0, round: 0 }), complete: Condvar::new() }
    }

    fn wait(&self) {
        let mut state = self.state.lock().expect("no member panics here");
        let round = state.round;
        state.waiting += 1;
        self.finish_round(&mut state);
        while state.round == round {
            state = self.complete.wait(state).expect("no member panics here");
        }
    }

    fn leave(&self) {
        let mut state = self.state.lock().expect("no member panics here");
        state.members -= 1;
        self.finish_round(&mut state);
    }

    fn finish_round(&self, state: &mut MeetingState) {
        if state.waiting > 0 && state.waiting == state.members {
            state.waiting = 0;
            state.round += 1;
            self.complete.notify_all();
        }
    }
}

/// The way a region ended.
enum End {
    Yield(Vec<u64>),
    Break(Inst, Vec<u64>),
    Continue(Inst, Vec<u64>),
    Return,
}

struct Thread<'a> {
    func: &'a Function,
    memory: &'a Memory,
    shared: &'a [Vec<AtomicU32>],
    barrier: &'a Meeting,
    group: [u32; 3],
    in_group: [u32; 3],
    index: u32,
    locals: Vec<Vec<u32>>,
    values: Vec<u64>,
    slots: Vec<u64>,
    /// Iteration of each loop around the instruction.
    rounds: Vec<u32>,
    trace: Option<Vec<Event>>,
}

impl<'a> Thread<'a> {
    fn new(
        func: &'a Function,
        memory: &'a Memory,
        shared: &'a [Vec<AtomicU32>],
        barrier: &'a Meeting,
        group: [u32; 3],
        index: u32,
    ) -> Self {
        let [x, y, _] = func.interface.group_size();
        let in_group = [index % x, index / x % y, index / (x * y)];
        let locals = func.interface.locals.iter().map(|local| vec![0; local.registers as usize * 4]).collect();
        let (values, slots) = (vec![0; func.value_count()], vec![0; func.slot_count()]);
        let rounds = Vec::new();
        Self { func, memory, shared, barrier, group, in_group, index, locals, values, slots, rounds, trace: None }
    }

    fn get(&self, value: Value) -> u64 {
        self.values[value.index()]
    }

    fn word(&self, value: Value) -> u32 {
        self.get(value) as u32
    }

    fn all(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|&value| self.get(value)).collect()
    }

    fn set_all(&mut self, targets: &[Value], values: Vec<u64>) {
        for (&target, value) in targets.iter().zip(values) {
            self.values[target.index()] = value;
            if let Some(trace) = &mut self.trace {
                trace.push((target, self.rounds.clone(), value));
            }
        }
    }

    fn region(&mut self, region: Region) -> End {
        for &inst in &self.func.region(region).insts {
            if let Some(end) = self.inst(inst) {
                return end;
            }
        }
        unreachable!("a region ends in a terminator")
    }

    fn inst(&mut self, inst: Inst) -> Option<End> {
        let data = self.func.inst(inst);
        match &data.kind {
            InstKind::Const(value) => self.set_all(&data.results, vec![value.bits]),
            InstKind::Input(input) => {
                let size = self.func.interface.group_size();
                let word = match *input {
                    Input::ThreadId(n) => self.group[n as usize] * size[n as usize] + self.in_group[n as usize],
                    Input::GroupId(n) => self.group[n as usize],
                    Input::ThreadIdInGroup(n) => self.in_group[n as usize],
                    Input::ThreadIndex => self.index,
                    // Groups run one by one.
                    Input::GroupCount(_) => 1,
                };
                self.set_all(&data.results, vec![word.into()]);
            }
            InstKind::Op { op, args } => {
                let result = op.eval(&self.all(args));
                self.set_all(&data.results, vec![result]);
            }
            InstKind::SlotGet(slot) => {
                self.set_all(&data.results, vec![self.slots[slot.index()]]);
            }
            InstKind::SlotSet(slot, value) => {
                self.slots[slot.index()] = self.get(*value);
            }
            InstKind::Note(..) => {}
            InstKind::Load { place } => {
                let words = (0..data.results.len()).map(|n| self.load(place, n as u64).into()).collect();
                self.set_all(&data.results, words);
            }
            InstKind::Store { place, values, effect } => {
                if self.get(*effect) != 0 {
                    for (n, &value) in values.iter().enumerate() {
                        self.store(place, n as u64, self.word(value));
                    }
                }
            }
            InstKind::Atomic { op, place, value, compare, effect } => {
                let old = if self.get(*effect) != 0 {
                    self.atomic(*op, place, self.word(*value), compare.map_or(0, |c| self.word(c)))
                } else {
                    0
                };
                self.set_all(&data.results, vec![old.into()]);
            }
            InstKind::Barrier(sync) => {
                if sync.threads {
                    self.barrier.wait();
                }
            }
            InstKind::If { cond, then_region, else_region } => {
                let taken = if self.get(*cond) != 0 { *then_region } else { *else_region };
                match self.region(taken) {
                    End::Yield(values) => self.set_all(&data.results, values),
                    end => return Some(end),
                }
            }
            InstKind::Switch { selector, cases, default } => {
                let selector = self.word(*selector);
                let case = cases.iter().find(|case| case.labels.contains(&selector));
                match self.region(case.map_or(*default, |case| case.region)) {
                    End::Yield(values) => self.set_all(&data.results, values),
                    End::Break(target, values) if target == inst => self.set_all(&data.results, values),
                    end => return Some(end),
                }
            }
            InstKind::Loop { inits, body } => {
                let mut round = self.all(inits);
                self.rounds.push(0);
                let end = loop {
                    self.set_all(&self.func.region(*body).params, round);
                    match self.region(*body) {
                        End::Yield(next) => round = next,
                        End::Continue(target, next) if target == inst => round = next,
                        end => break end,
                    }
                    *self.rounds.last_mut().expect("this loop's") += 1;
                };
                self.rounds.pop();
                match end {
                    End::Break(target, values) if target == inst => self.set_all(&data.results, values),
                    end => return Some(end),
                }
            }
            InstKind::Yield(args) => return Some(End::Yield(self.all(args))),
            InstKind::Break { target, args } => return Some(End::Break(*target, self.all(args))),
            InstKind::Continue { target, args } => return Some(End::Continue(*target, self.all(args))),
            InstKind::Return => return Some(End::Return),
            InstKind::Counter { op, resource, effect } => {
                let word = if self.get(*effect) != 0 { self.memory.counter(*op, self.slot(resource)) } else { 0 };
                self.set_all(&data.results, vec![word.into()]);
            }
            // Nobody listens.
            InstKind::Message { .. } => {}
            InstKind::TexelLoad { resource, coords, level } => {
                let level = level.map_or(0, |level| self.word(level));
                let texel = self.memory.texel_load(self.slot(resource), self.coords(coords), level);
                self.set_all(&data.results, texel.map(u64::from).to_vec());
            }
            InstKind::TexelStore { resource, coords, values, effect } => {
                if self.get(*effect) != 0 {
                    let words = std::array::from_fn(|n| self.word(values[n]));
                    self.memory.texel_store(self.slot(resource), self.coords(coords), words);
                }
            }
            InstKind::TexelAtomic { op, resource, coords, value, compare, effect } => {
                let old = if self.get(*effect) != 0 {
                    let (value, compare) = (self.word(*value), compare.map_or(0, |compare| self.word(compare)));
                    self.memory.texel_atomic(*op, self.slot(resource), self.coords(coords), value, compare)
                } else {
                    0
                };
                self.set_all(&data.results, vec![old.into()]);
            }
            InstKind::Sample { .. } | InstKind::QuadRead { .. } | InstKind::PacketAll(_) => {
                unreachable!("generated programs have none")
            }
            InstKind::Query { query, resource, level } => {
                let level = level.map_or(0, |level| self.word(level));
                let answer = self.memory.query(*query, self.slot(resource), level);
                self.set_all(&data.results, answer.map(u64::from).to_vec());
            }
        }
        None
    }

    /// Generated programs name every register by its number.
    fn slot(&self, resource: &ResourceRef) -> ViewSlot {
        ViewSlot { id: resource.id, element: 0 }
    }

    fn coords(&self, coords: &[Value]) -> [u32; 3] {
        std::array::from_fn(|axis| coords.get(axis).map_or(0, |&coord| self.word(coord)))
    }

    /// Bytes of an element (of the whole, where there is no index) and how many there are. Views are the memory's.
    fn extent(&self, object: &Object) -> (u64, u64) {
        match object {
            Object::Resource(_) => unreachable!("the memory finds words of views"),
            Object::Shared(id) => {
                let shared = self.func.interface.shared(*id);
                if shared.raw {
                    (shared.size_bytes().into(), 1)
                } else {
                    (shared.stride_bytes.into(), shared.count.into())
                }
            }
            Object::Local(id) => (16, self.func.interface.local(*id).registers.into()),
            Object::Array(id) => {
                let stride = u64::from(self.func.interface.array(*id).stride_bytes);
                (stride, 4 * self.memory.arrays[id.index()].len() as u64 / stride)
            }
            Object::Immediate => (16, self.func.interface.immediate.len() as u64),
            Object::Curve => (4, 512),
        }
    }

    /// The word's number in its object, if it is in range.
    fn locate(&self, place: &MemoryRef, n: u64) -> Option<usize> {
        let (stride, count) = self.extent(&place.object);
        let index = place.index.map_or(0, |index| self.get(index));
        let offset = (self.get(place.offset) & !3) + 4 * n;
        (index < count && offset + 4 <= stride).then(|| ((index * stride + offset) / 4) as usize)
    }

    /// A word that other threads see, if it is in range.
    fn seen_word(&self, place: &MemoryRef, n: u64) -> Option<&AtomicU32> {
        match &place.object {
            Object::Resource(resource) => {
                let index = place.index.map(|index| self.word(index));
                self.memory.word(Address { view: self.slot(resource), index, offset_bytes: self.word(place.offset) }, n)
            }
            Object::Shared(id) => Some(&self.shared[id.index()][self.locate(place, n)?]),
            Object::Array(id) => Some(&self.memory.arrays[id.index()][self.locate(place, n)?]),
            Object::Local(_) | Object::Immediate | Object::Curve => unreachable!("each thread has its own"),
        }
    }

    fn load(&self, place: &MemoryRef, n: u64) -> u32 {
        let own = |word: &dyn Fn(usize) -> u32| self.locate(place, n).map_or(0, word);
        match &place.object {
            Object::Local(id) => own(&|at| self.locals[id.index()][at]),
            Object::Immediate => own(&|at| self.func.interface.immediate[at / 4][at % 4]),
            Object::Curve => own(&|at| brolga_ir::srgb::CURVE.as_flattened()[at]),
            _ => self.seen_word(place, n).map_or(0, |word| word.load(Ordering::Relaxed)),
        }
    }

    fn store(&mut self, place: &MemoryRef, n: u64, word: u32) {
        if let Object::Local(id) = &place.object {
            if let Some(at) = self.locate(place, n) {
                self.locals[id.index()][at] = word;
            }
        } else if let Some(seen) = self.seen_word(place, n) {
            seen.store(word, Ordering::Relaxed);
        }
    }

    fn atomic(&self, op: AtomicOp, place: &MemoryRef, value: u32, compare: u32) -> u32 {
        self.seen_word(place, 0).map_or(0, |word| apply(word, op, value, compare))
    }
}

/// Performs an atomic on a word; returns its previous value.
fn apply(word: &AtomicU32, op: AtomicOp, value: u32, compare: u32) -> u32 {
    let change = |old| Some(op.apply(old, value, compare));
    word.fetch_update(Ordering::Relaxed, Ordering::Relaxed, change).expect("always changes")
}

/// The same memory for engines: every resource is one register, none is typed.
impl Host for Memory {
    fn load(&self, at: Address, words: &mut [u32]) {
        for (n, word) in words.iter_mut().enumerate() {
            *word = self.word(at, n as u64).map_or(0, |word| word.load(Ordering::Relaxed));
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        for (n, &value) in words.iter().enumerate() {
            if let Some(word) = self.word(at, n as u64) {
                word.store(value, Ordering::Relaxed);
            }
        }
    }

    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32 {
        self.word(at, 0).map_or(0, |word| apply(word, op, value, compare))
    }

    fn counter(&self, op: CounterOp, view: ViewSlot) -> u32 {
        if self.resources[view.id.index()].is_empty() {
            return 0;
        }
        let counter = &self.counters[view.id.index()];
        match op {
            CounterOp::Alloc => counter.fetch_add(1, Ordering::Relaxed),
            CounterOp::Consume => counter.fetch_sub(1, Ordering::Relaxed).wrapping_sub(1),
        }
    }

    fn texel_load(&self, view: ViewSlot, coords: [u32; 3], level: u32) -> [u32; 4] {
        self.texel(view, coords).map_or([0; 4], |word| [word.load(Ordering::Relaxed), coords[0], level, 1])
    }

    fn texel_store(&self, view: ViewSlot, coords: [u32; 3], words: [u32; 4]) {
        if let Some(word) = self.texel(view, coords) {
            let mixed = words.into_iter().fold(7u32, |mixed, word| mixed.rotate_left(5) ^ word);
            word.store(mixed, Ordering::Relaxed);
        }
    }

    fn texel_atomic(&self, op: AtomicOp, view: ViewSlot, coords: [u32; 3], value: u32, compare: u32) -> u32 {
        self.texel(view, coords).map_or(0, |word| apply(word, op, value, compare))
    }

    fn sample(&self, _: SampleCall<'_>) {
        unreachable!("generated programs have none")
    }

    fn query(&self, query: Query, view: ViewSlot, level: u32) -> [u32; 4] {
        [self.resources[view.id.index()].len() as u32, query as u32, level, 0]
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

impl Memory {
    fn word(&self, at: Address, n: u64) -> Option<&AtomicU32> {
        let words = &self.resources[at.view.id.index()];
        let stride = self.strides[at.view.id.index()].unwrap_or(4 * words.len() as u64);
        let offset = u64::from(at.offset_bytes & !3) + 4 * n;
        let index = u64::from(at.index.unwrap_or(0));
        (stride > 0 && index < 4 * words.len() as u64 / stride && offset + 4 <= stride)
            .then(|| &words[((index * stride + offset) / 4) as usize])
    }
}
