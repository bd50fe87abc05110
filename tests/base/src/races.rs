//! Random programs without enough barriers, and a plain model of their races: it compares all pairs of accesses.

use std::collections::BTreeSet;

use brolga_ir::builder::only;
use brolga_ir::entity::{ResourceId, SharedId, Value};
use brolga_ir::function::{AtomicOp, Function, Input, MemoryRef, Object, Origin, Sync};
use brolga_ir::insight::AccessKind;
use brolga_ir::interface::{Interface, Resource, ResourceClass, ResourceKind, Shared};
use brolga_ir::{Builder, Op};

use crate::random::Random;

/// Words of shared memory and of the buffer.
pub const WORDS: u32 = 16;

/// Words of the buffer in which each thread leaves what it reads.
pub const OWN_WORDS: u32 = 1024;

/// A step of a program.
#[derive(Clone, Debug)]
enum Step {
    /// A barrier.
    Barrier(Sync),
    /// An access by some threads.
    Access { is_shared: bool, access: AccessKind, at: Index, by: Condition, word: Stored },
    /// Steps that all threads repeat.
    Loop(u32, Vec<Step>),
}

/// The word that a thread accesses, as a function of its number in the dispatch or in the group.
#[derive(Clone, Copy, Debug)]
struct Index {
    factor: u32,
    addend: u32,
    of_dispatch: bool,
}

/// The threads that take part: those whose number has these bits.
#[derive(Clone, Copy, Debug)]
struct Condition {
    mask: u32,
    bits: u32,
}

/// The word that a thread stores.
#[derive(Clone, Copy, Debug)]
enum Stored {
    Thread,
    Constant,
}

/// A program, and how many threads and groups run it.
#[derive(Debug)]
pub struct Racy {
    /// Threads of a group.
    pub threads: u32,
    /// Groups.
    pub groups: u32,
    steps: Vec<Step>,
}

impl Racy {
    /// A random one, of up to so many groups.
    pub fn random(random: &mut Random, most_groups: usize) -> Self {
        let threads = random.pick(&[1, 3, 8, 20, 33]);
        let count = 2 + random.below(6);
        let steps = (0..count).map(|_| step(random, true)).collect();
        Self { threads, groups: 1 + random.below(most_groups) as u32, steps }
    }

    /// Its function: `u0` and `g0` have [`WORDS`] words, `u1` has [`OWN_WORDS`], and each access an origin of its own.
    pub fn function(&self) -> Function {
        let mut func = Function::new("random", Interface::compute([self.threads, 1, 1]));
        let kind = ResourceKind::Structured { stride_bytes: 4 };
        for register in 0..2 {
            func.interface.resources.push(Resource::new(ResourceClass::UnorderedAccess, kind, register));
        }
        func.interface.shared.push(Shared { register: 0, raw: false, stride_bytes: 4, count: WORDS });
        let mut b = Builder::new(&mut func);
        let mut origin = 0;
        write(&mut b, &self.steps, &mut origin);
        b.return_();
        func
    }

    /// All races: the instructions with their accesses, what they access, and whether between groups.
    pub fn races(&self) -> BTreeSet<Race> {
        let mut made: Vec<Made> = Vec::new();
        for group in 0..self.groups {
            let mut phases = [0; 2];
            let mut origin = 0;
            self.run(&self.steps, group, &mut phases, &mut origin, &mut made);
        }
        let mut races = BTreeSet::new();
        for (n, one) in made.iter().enumerate() {
            for other in &made[n + 1..] {
                let between = one.group != other.group;
                let same_word = one.is_shared == other.is_shared && one.word == other.word;
                let plain = [one.access, other.access].contains(&AccessKind::Write)
                    || one.access != other.access && [one.access, other.access].contains(&AccessKind::Atomic);
                let same_value =
                    one.access == AccessKind::Write && other.access == AccessKind::Write && one.value == other.value;
                let unordered =
                    if between { !one.is_shared } else { one.thread != other.thread && one.phase == other.phase };
                if same_word && plain && !same_value && unordered {
                    let mut sites = [(one.origin, one.access), (other.origin, other.access)];
                    sites.sort_unstable();
                    races.insert((one.is_shared, sites, between));
                }
            }
        }
        races
    }

    fn run(&self, steps: &[Step], group: u32, phases: &mut [u32; 2], origin: &mut u32, made: &mut Vec<Made>) {
        for step in steps {
            *origin += 1;
            match step {
                Step::Barrier(sync) => {
                    if sync.threads {
                        phases[0] += u32::from(sync.shared);
                        phases[1] += u32::from(sync.views_group || sync.views_global);
                    }
                }
                Step::Loop(rounds, inner) => {
                    let start = *origin;
                    for _ in 0..*rounds {
                        *origin = start;
                        self.run(inner, group, phases, origin, made);
                    }
                }
                Step::Access { is_shared, access, at, by, word } => {
                    for thread in (0..self.threads).filter(|thread| thread & by.mask == by.bits) {
                        let number = if at.of_dispatch { group * self.threads + thread } else { thread };
                        let value = match word {
                            Stored::Thread => group * self.threads + thread,
                            Stored::Constant => 7,
                        };
                        made.push(Made {
                            group,
                            thread,
                            origin: *origin,
                            access: *access,
                            is_shared: *is_shared,
                            word: (number * at.factor + at.addend) % WORDS,
                            phase: phases[usize::from(!is_shared)],
                            value,
                        });
                    }
                }
            }
        }
    }
}

/// Shared memory or the buffer, two instructions with their accesses, and whether between groups.
pub type Race = (bool, [(u32, AccessKind); 2], bool);

/// An access that a thread made.
struct Made {
    group: u32,
    thread: u32,
    origin: u32,
    access: AccessKind,
    is_shared: bool,
    word: u32,
    phase: u32,
    value: u32,
}

fn step(random: &mut Random, may_repeat: bool) -> Step {
    match random.below(8) {
        0 | 1 => {
            let mut flag = || random.one_in(2);
            // A fence that orders views would make tickets of atomics.
            Step::Barrier(Sync { threads: true, shared: flag(), views_group: flag(), views_global: false })
        }
        2 if may_repeat => {
            let count = 1 + random.below(3);
            Step::Loop(1 + random.below(3) as u32, (0..count).map(|_| step(random, false)).collect())
        }
        _ => {
            let is_shared = random.one_in(2);
            let access = match random.below(5) {
                0 | 1 => AccessKind::Read,
                2 if is_shared => AccessKind::Atomic,
                _ => AccessKind::Write,
            };
            let factor = random.pick(&[0, 1, 1, 2, 5]);
            let at = Index { factor, addend: random.below(WORDS as usize) as u32, of_dispatch: random.one_in(2) };
            let mask = random.pick(&[0, 0, 1, 3]);
            let by = Condition { mask, bits: random.bits() as u32 & mask };
            let word = if random.one_in(3) { Stored::Constant } else { Stored::Thread };
            Step::Access { is_shared, access, at, by, word }
        }
    }
}

/// Writes steps; each has the origin that counts it.
fn write(b: &mut Builder<'_>, steps: &[Step], origin: &mut u32) {
    for step in steps {
        *origin += 1;
        b.set_origin(Origin(*origin));
        match step {
            Step::Barrier(sync) => b.barrier(*sync),
            Step::Loop(rounds, inner) => {
                let (zero, one, rounds) = (b.i32(0), b.i32(1), b.i32(*rounds));
                let (inst, body) = b.loop_(&[zero]);
                let outer = b.switch_to(body);
                let round = b.func.region(body).params[0];
                let is_over = b.op(Op::UGe, &[round, rounds]);
                b.when(is_over, |b| b.break_(inst, &[round]));
                write(b, inner, origin);
                let next = b.op(Op::IAdd, &[round, one]);
                b.yield_(&[next]);
                b.switch_to(outer);
            }
            Step::Access { is_shared, access, at, by, word } => {
                let (thread, number) = (b.input(Input::ThreadIndex), b.input(Input::ThreadId(0)));
                let mut binary = |op: Op, a: Value, constant: u32| {
                    let constant = b.i32(constant);
                    b.op(op, &[a, constant])
                };
                let scaled = binary(Op::IMul, if at.of_dispatch { number } else { thread }, at.factor);
                let sum = binary(Op::IAdd, scaled, at.addend);
                let index = binary(Op::And, sum, WORDS - 1);
                let masked = binary(Op::And, thread, by.mask);
                let takes_part = binary(Op::IEq, masked, by.bits);
                let value = match word {
                    Stored::Thread => number,
                    Stored::Constant => b.i32(7),
                };
                let object = match is_shared {
                    true => Object::Shared(SharedId::new(0)),
                    false => Object::Resource(only(ResourceId::new(0))),
                };
                let access = *access;
                b.when(takes_part, |b| {
                    let place = MemoryRef { object, index: Some(index), offset: b.i32(0) };
                    let always = b.bool(true);
                    match access {
                        AccessKind::Read => {
                            let read = b.load(place, 1);
                            let own = Object::Resource(only(ResourceId::new(1)));
                            b.store(MemoryRef { object: own, index: Some(number), ..place }, &read, always);
                        }
                        AccessKind::Write => b.store(place, &[value], always),
                        AccessKind::Atomic => drop(b.atomic(AtomicOp::Add, place, value, None, always)),
                    }
                });
            }
        }
    }
}
