//! Random structured functions against the plain model. Each *probe* stores the thread's index, then the index and a
//! value, to the probe's own address, so that the host sees which lanes were together: that also puts what
//! `uniformity.rs` and `shape.rs` claim about the value to the test.

use std::collections::HashMap;

use super::model::{Event, events};
use super::*;
use crate::entity::{Inst, LocalId};
use crate::flow::Flow;
use crate::function::{Input, InstKind, Sync};
use crate::host::FaultKind;
use crate::interface::Local;
use crate::phases::Phases;
use crate::shape::{Shape, Shapes};
use crate::span::Packing;
use crate::uniformity::Uniformity;
use crate::width::Width;

const GROUP_SIZES: [[u32; 3]; 5] = [[20, 1, 1], [16, 2, 1], [5, 3, 2], [1, 1, 1], [1, 8, 3]];

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A loop or switch around the cursor.
struct Open {
    inst: Inst,
    results: usize,
    /// A loop's next counter.
    next: Option<Value>,
}

struct Generator<'a> {
    b: Builder<'a>,
    random: Random,
    /// Visible `i32`, the first ones uniform.
    ints: Vec<Value>,
    first_varying: usize,
    open: Vec<Open>,
    /// What the probes look at.
    probes: Vec<Value>,
    barriers: bool,
    /// Conditions come from uniform values more often than not.
    calm: bool,
}

/// A function and the values its probes look at; the n-th is at byte `4 n`.
fn generate(seed: u64) -> (Function, Vec<Value>) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (barriers, calm) = (random.one_in(2), random.one_in(2));
    let mut func = function(random.pick(&GROUP_SIZES));
    func.interface.locals = vec![Local { register: 0, registers: 4, components: 4 }];
    let mut b = Builder::new(&mut func);
    let mut ints: Vec<Value> = [0, 1, 2, 3, 8, 0xffff_fff0].map(|n| b.i32(n)).into();
    ints.push(b.input(Input::GroupId(0)));
    let first_varying = ints.len();
    ints.push(b.input(Input::ThreadIndex));
    ints.extend((0..3).flat_map(|n| [b.input(Input::ThreadId(n)), b.input(Input::ThreadIdInGroup(n))]));
    let mut generator =
        Generator { b, random, ints, first_varying, open: Vec::new(), probes: Vec::new(), barriers, calm };
    generator.statements(0);
    generator.statements(0);
    generator.b.return_();
    let probes = generator.probes;
    (func, probes)
}

impl Generator<'_> {
    fn int(&mut self) -> Value {
        match self.random.below(4) {
            0 => self.ints[self.random.below(self.first_varying)],
            1 => self.random.pick(&self.ints),
            _ => {
                let recent = self.ints.len().saturating_sub(8);
                self.ints[recent + self.random.below(self.ints.len() - recent)]
            }
        }
    }

    /// Values for a merge, each uniform more often than not: only then do the ways in matter.
    fn ints(&mut self, count: usize) -> Vec<Value> {
        let uniform = self.first_varying;
        (0..count)
            .map(|_| if self.random.one_in(3) { self.int() } else { self.ints[self.random.below(uniform)] })
            .collect()
    }

    /// A small number, often uniform.
    fn small(&mut self) -> Value {
        let value = if self.calm && !self.random.one_in(8) {
            // Loop counters are in the same iteration for all.
            let counters: Vec<Value> = self.open.iter().filter_map(|open| open.next).collect();
            let uniform = self.ints[self.random.below(self.first_varying)];
            if counters.is_empty() { uniform } else { self.random.pick(&counters) }
        } else {
            self.int()
        };
        let three = self.ints[3];
        self.b.op(Op::And, &[value, three])
    }

    fn cond(&mut self) -> Value {
        let (value, limit) = (self.small(), self.random.below(4));
        let op = self.random.pick(&[Op::ULt, Op::UGe, Op::IEq, Op::INe]);
        let limit = self.ints[limit];
        self.b.op(op, &[value, limit])
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(5) {
            match self.random.below(if depth < 4 { 16 } else { 9 }) {
                0..=2 => {
                    let ops = [Op::IAdd, Op::ISub, Op::IMul, Op::Xor, Op::UMod, Op::And, Op::Or, Op::Shl, Op::UShr];
                    let (op, a, b) = (self.random.pick(&ops), self.int(), self.int());
                    let value = self.b.op(op, &[a, b]);
                    self.ints.push(value);
                }
                3 => {
                    let (cond, a, b) = (self.cond(), self.int(), self.int());
                    let value = self.b.select(cond, a, b);
                    self.ints.push(value);
                }
                4 => {
                    let offset = self.small();
                    let value = self.b.load(raw(INPUT, offset), 1)[0];
                    self.ints.push(value);
                }
                5 => {
                    let place = self.local();
                    let (value, effect) = (self.int(), self.cond());
                    self.b.store(place, &[value], effect);
                }
                6 => {
                    let place = self.local();
                    let value = self.b.load(place, 1)[0];
                    self.ints.push(value);
                }
                7 | 8 => self.probe(),
                9..=11 => self.if_else(depth),
                12 | 13 => self.loop_(depth),
                14 => self.switch(depth),
                _ if self.barriers => {
                    self.b.barrier(Sync { threads: true, ..Sync::default() });
                }
                _ => {}
            }
        }
    }

    fn local(&mut self) -> MemoryRef {
        let index = self.small();
        MemoryRef { object: Object::Local(LocalId::new(0)), index: Some(index), offset: self.ints[0] }
    }

    fn probe(&mut self) {
        let value = self.int();
        self.probe_value(value);
    }

    fn probe_value(&mut self, value: Value) {
        let thread = self.ints[self.first_varying];
        let (at, all) = (self.b.i32(4 * self.probes.len() as u32), self.b.bool(true));
        self.b.store(raw(OUTPUT, at), &[thread], all);
        self.b.store(raw(OUTPUT, at), &[thread, value], all);
        self.probes.push(value);
    }

    /// Fills a region, which ends in a yield of `results` values more often than not.
    fn fill(&mut self, region: crate::entity::Region, results: usize, depth: usize) {
        let (outer, visible) = (self.b.switch_to(region), self.ints.len());
        self.statements(depth + 1);
        self.end(results);
        self.ints.truncate(visible);
        self.b.switch_to(outer);
    }

    fn end(&mut self, results: usize) {
        if self.open.is_empty() || !self.random.one_in(3) {
            if self.random.one_in(12) {
                self.b.return_();
            } else {
                let args = self.ints(results);
                self.b.yield_(&args);
            }
            return;
        }
        let at = self.random.below(self.open.len());
        let Open { inst, results, next } = self.open[at];
        match next.filter(|_| self.random.one_in(2)) {
            Some(next) => {
                let mut args = self.ints(results);
                args[0] = next;
                self.b.continue_(inst, &args);
            }
            None => {
                let args = self.ints(results);
                self.b.break_(inst, &args);
            }
        }
    }

    fn results(&mut self, inst: Inst) {
        self.ints.extend(self.b.func.inst(inst).results.iter().copied());
        if !self.b.func.inst(inst).results.is_empty() {
            self.probe();
        }
    }

    fn if_else(&mut self, depth: usize) {
        let (cond, results) = (self.cond(), self.random.below(3));
        let (inst, then_region, else_region) = self.b.if_else(cond, &[Type::I32; 3][..results]);
        self.fill(then_region, results, depth);
        self.fill(else_region, results, depth);
        self.results(inst);
    }

    fn switch(&mut self, depth: usize) {
        let (selector, results) = (self.small(), self.random.below(3));
        let labels = vec![vec![2], vec![0, 3]];
        let (inst, arms, default) = self.b.switch(selector, labels, &[Type::I32; 3][..results]);
        self.open.push(Open { inst, results, next: None });
        for region in arms.into_iter().chain([default]) {
            self.fill(region, results, depth);
        }
        self.open.pop();
        self.results(inst);
    }

    /// A loop whose first variable counts the iterations up to a small limit.
    fn loop_(&mut self, depth: usize) {
        let limit = self.small();
        let results = 1 + self.random.below(3);
        let mut inits = self.ints(results);
        inits[0] = self.ints[0];
        let (inst, body) = self.b.loop_(&inits);
        let (outer, visible) = (self.b.switch_to(body), self.ints.len());
        self.ints.extend(self.b.func.region(body).params.iter().copied());
        let (counter, one) = (self.ints[visible], self.ints[1]);
        let done = self.b.op(Op::UGe, &[counter, limit]);
        let args = self.ints(results);
        when(&mut self.b, done, |b| b.break_(inst, &args));
        let next = self.b.op(Op::IAdd, &[counter, one]);
        let param = visible + self.random.below(results);
        self.probe_value(self.ints[param]);
        self.open.push(Open { inst, results, next: Some(next) });
        self.statements(depth + 1);
        let mut args = self.ints(results);
        args[0] = next;
        self.b.yield_(&args);
        self.open.pop();
        self.ints.truncate(visible);
        self.b.switch_to(outer);
        self.results(inst);
    }
}

/// What the host saw of one probe at one time: threads with their values.
type Sighting = (usize, Vec<(u32, u32)>);

/// The events of one thread, without rounds.
type Log = Vec<(u32, Option<u32>)>;

/// Takes the stores apart: per thread the events without rounds, and the sightings.
fn seen(stores: &[Stored], threads: u32) -> (Vec<Log>, Vec<Sighting>) {
    let mut logs = vec![Vec::new(); threads as usize];
    let mut sightings: Vec<Sighting> = Vec::new();
    let mut between = true;
    for (_, _, byte, words) in stores {
        logs[words[0] as usize].push((*byte, words.get(1).copied()));
        match words[..] {
            [thread, value] => {
                if between {
                    sightings.push((*byte as usize / 4, Vec::new()));
                }
                sightings.last_mut().unwrap().1.push((thread, value));
                between = false;
            }
            _ => between = true,
        }
    }
    (logs, sightings)
}

fn check_claims(func: &Function, probes: &[Value], sightings: &[Sighting], all_events: &[Vec<Event>]) {
    let flow = Flow::new(func);
    let uniformity = Uniformity::compute(func, &flow, Packing::Group);
    let shapes = Shapes::compute(func, &flow, &uniformity);
    let lanes = func.width.lanes();
    for (probe, threads) in sightings {
        let value = probes[*probe];
        let (thread, first) = threads[0];
        assert!(threads.iter().all(|(other, _)| other / lanes == thread / lanes), "a sighting is of one packet");
        for &(other, word) in threads {
            if uniformity.is_packet_uniform(value) {
                assert_eq!(word, first, "{value} differs in thread {other}");
            }
            if let Shape::Affine { stride } = shapes.shape(value) {
                let expected = first.wrapping_add(stride.wrapping_mul(other - thread));
                assert_eq!(word, expected, "{value} in thread {other} with stride {stride}");
            }
        }
    }
    let mut same = HashMap::new();
    for (byte, rounds, word) in all_events.iter().flatten() {
        let value = probes[*byte as usize / 4];
        if uniformity.is_group_uniform(value) && word.is_some() {
            assert_eq!(same.entry((byte, rounds)).or_insert(word), &word, "{value} differs in the group");
        }
    }
}

#[test]
fn random_functions_do_what_each_thread_does() {
    let (mut disagreed, mut agreed, mut sighted) = (0, 0, 0);
    for seed in 0..800 {
        let (mut func, probes) = generate(seed);
        func.width = Width::ALL[(seed % 4) as usize];
        let func = verify(func).unwrap_or_else(|errors| panic!("seed {seed}: {errors}"));
        let group_id = [3, 1, 0];
        let (host, mut fuel) = (TestHost::new(0), u64::MAX);
        let outcome = Interpreter::new(&func).run_group(&host, group_id, &mut Arena::new(), &mut fuel);
        let phases = Phases::compute(&func);
        if let Err(fault) = outcome {
            assert!(matches!(fault.kind, FaultKind::DivergentBarrier { .. }), "seed {seed}: {:?}", fault.kind);
            let uniformity = Uniformity::compute(&func, &Flow::new(&func), Packing::Group);
            let may = (0..func.inst_count()).map(Inst::new).any(|inst| {
                let control = matches!(func.inst(inst).kind, InstKind::If { .. } | InstKind::Switch { .. });
                control && phases.is_cut(inst) && uniformity.divergent_control_in_group(inst)
            });
            assert!(may, "seed {seed}: disagreement although all conditions are uniform");
            disagreed += 1;
            continue;
        }
        agreed += u32::from(phases.has_cuts());
        let threads = func.interface.threads_per_group();
        let stores = host.stores.lock().unwrap();
        let (logs, sightings) = seen(&stores, threads);
        let expected: Vec<Vec<Event>> = (0..threads).map(|thread| events(&func, group_id, thread)).collect();
        for (thread, (log, events)) in logs.iter().zip(&expected).enumerate() {
            let events: Vec<_> = events.iter().map(|(byte, _, word)| (*byte, *word)).collect();
            assert_eq!(log, &events, "seed {seed}, thread {thread}");
        }
        sighted += sightings.len();
        check_claims(&func, &probes, &sightings, &expected);
    }
    assert!(disagreed > 50 && agreed > 50 && sighted > 10_000, "{disagreed} {agreed} {sighted}");
}
