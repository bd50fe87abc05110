//! Tests barriers under computed conditions: they run if all threads agree, whatever the condition was computed from,
//! and otherwise stop the run with the two threads and the instruction.
//!
//! Threads *exchange*: each puts its number into shared memory, waits, adds its neighbour's, and waits. The expected
//! result is computed by a loop over the threads. Each program is written in assembly language, since the compiler
//! rejects most of these conditions; `barriers/computed.hlsl` has those that it accepts.

use std::time::Duration;

use brolga::{Bindings, Buffer, CompileOptions, Device, Dispatch, Engine, Error, Shader, View};
use brolga_testing::run::assemble;

/// Threads of a group: two whole packets and a part of one.
const THREADS: u32 = 20;
const GROUPS: u32 = 3;

/// The orders for a thread: rounds of a loop, a condition, a selector, a flag to return at once.
type Orders = [u32; 4];

/// The source of orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// Each thread reads its own from a buffer.
    Buffer,
    /// All threads of a group read one record of a buffer, of the group's number.
    GroupRecord,
    /// One thread puts them into shared memory, all read them there.
    Shared,
    /// Each thread atomically adds nothing to a counter of its own and uses the result.
    Atomic,
}

const EVERY_SOURCE: [Source; 4] = [Source::Buffer, Source::GroupRecord, Source::Shared, Source::Atomic];

impl Source {
    /// Reads the orders into `r1`.
    fn read(self) -> String {
        let own = "ld_structured r1.xyzw, vThreadID.x, l(0), t0.xyzw\n";
        match self {
            Self::Buffer => own.to_owned(),
            Self::GroupRecord => format!(
                "imul null, r0.x, vThreadGroupID.x, l({THREADS})
                ld_structured r1.xyzw, r0.x, l(0), t0.xyzw\n"
            ),
            Self::Shared => format!(
                "ieq r0.x, vThreadIDInGroupFlattened.x, l({})
                if_nz r0.x
                {own}store_structured g1.xyzw, l(0), l(0), r1.xyzw
                endif
                sync_g_t
                ld_structured r1.xyzw, l(0), l(0), g1.xyzw\n",
                THREADS - 1
            ),
            Self::Atomic => {
                let through_counter = |(n, letter): (usize, char)| {
                    format!(
                        "mov r0.x, vThreadID.x
                        mov r0.y, l({})
                        imm_atomic_iadd r2.{letter}, u1, r0.xyxx, r1.{letter}
                        imm_atomic_iadd r1.{letter}, u1, r0.xyxx, l(0)\n",
                        4 * n
                    )
                };
                "xyzw".chars().enumerate().map(through_counter).fold(own.to_owned(), |text, more| text + &more)
            }
        }
    }
}

/// The replacement of `exchange` in the text of a case.
const EXCHANGE: &str = "store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r0.x
sync_g_t
ld_structured r0.z, r0.y, l(0), g0.xxxx
sync_g_t
iadd r0.x, r0.x, r0.z";

/// The group's threads by the rule: the value each exchanges, the content of shared memory, the threads that have not
/// returned.
struct Model {
    values: Vec<u32>,
    shared: Vec<u32>,
    alive: Vec<bool>,
}

impl Model {
    fn new(group: u32) -> Self {
        let first = group * THREADS;
        let all = THREADS as usize;
        Self {
            values: (0..THREADS).map(|n| 3 * (first + n) + 1).collect(),
            shared: vec![0; all],
            alive: vec![true; all],
        }
    }

    fn exchange(&mut self) {
        let all = THREADS as usize;
        let living: Vec<usize> = (0..all).filter(|&n| self.alive[n]).collect();
        living.iter().for_each(|&n| self.shared[n] = self.values[n]);
        living.iter().for_each(|&n| self.values[n] = self.values[n].wrapping_add(self.shared[(n + 1) % all]));
    }
}

/// The effect of a program on a group whose threads agree.
type Effect = fn(&mut Model, Orders);

/// A program with its effect, and the instruction that threads with different orders of one kind disagree at.
struct Case {
    name: &'static str,
    /// `r0`: exchanged value, neighbour's number, scratch. `r1`: orders. `r2`: loop counter, conditions.
    text: &'static str,
    effect: Effect,
    /// Position of the order that counts.
    order: usize,
    /// Two orders that are not the same to the program.
    different: [u32; 2],
    place: &'static str,
}

const CASES: [Case; 7] = [
    Case {
        name: "if",
        text: "if_nz r1.y
              exchange
            endif",
        effect: |model, orders| {
            if orders[1] != 0 {
                model.exchange();
            }
        },
        order: 1,
        different: [1, 0],
        place: "if_nz r1.y",
    },
    Case {
        name: "loop left before the barrier",
        text: "loop
              uge r2.y, r2.x, r1.x
              breakc_nz r2.y
              exchange
              iadd r2.x, r2.x, l(1)
            endloop",
        effect: |model, orders| (0..orders[0]).for_each(|_| model.exchange()),
        order: 0,
        different: [3, 2],
        place: "breakc_nz r2.y",
    },
    Case {
        name: "loop left after the barrier",
        text: "loop
              exchange
              iadd r2.x, r2.x, l(1)
              uge r2.y, r2.x, r1.x
              breakc_nz r2.y
            endloop",
        effect: |model, orders| (0..orders[0].max(1)).for_each(|_| model.exchange()),
        order: 0,
        different: [2, 5],
        place: "breakc_nz r2.y",
    },
    Case {
        name: "loop that continues before the barrier",
        text: "loop
              uge r2.y, r2.x, r1.x
              breakc_nz r2.y
              iadd r2.x, r2.x, l(1)
              // Odd rounds are skipped; so are all rounds if the condition does not hold.
              and r2.z, r2.x, l(1)
              continuec_nz r2.z
              continuec_z r1.y
              exchange
            endloop",
        effect: |model, orders| {
            (1..=orders[0]).filter(|round| round % 2 == 0 && orders[1] != 0).for_each(|_| model.exchange());
        },
        order: 1,
        different: [7, 0],
        place: "continuec_z r1.y",
    },
    Case {
        name: "switch",
        text: "switch r1.z
              case l(0)
              exchange
              break
              case l(1)
              case l(2)
              exchange
              exchange
              break
              default
              iadd r0.x, r0.x, l(5)
              break
            endswitch",
        effect: |model, orders| match orders[2] {
            0 => model.exchange(),
            1 | 2 => (0..2).for_each(|_| model.exchange()),
            _ => model.values.iter_mut().for_each(|value| *value += 5),
        },
        order: 2,
        different: [2, 9],
        place: "switch r1.z",
    },
    Case {
        name: "barriers in an if in a switch in a loop",
        text: "loop
              uge r2.y, r2.x, r1.x
              breakc_nz r2.y
              iadd r2.x, r2.x, l(1)
              switch r1.z
                case l(4)
                uge r2.z, r2.x, r1.y
                if_nz r2.z
                  exchange
                endif
                break
                default
                exchange
                break
              endswitch
            endloop",
        effect: |model, orders| {
            let rounds = (1..=orders[0]).filter(|&round| orders[2] != 4 || round >= orders[1]);
            rounds.for_each(|_| model.exchange());
        },
        order: 2,
        different: [4, 3],
        place: "switch r1.z",
    },
    Case {
        name: "barrier after returns",
        text: "retc_nz r1.w
            if_z r1.y
              exchange
            else
              iadd r0.x, r0.x, l(1)
            endif",
        effect: |model, orders| match orders[1] {
            0 => model.exchange(),
            _ => model.values.iter_mut().for_each(|value| *value += 1),
        },
        order: 1,
        different: [0, 2],
        place: "if_z r1.y",
    },
];

const ENGINES: [Engine; 2] = [Engine::Interpreter, Engine::Jit];

struct Bench {
    device: Device,
    results: Buffer,
}

impl Bench {
    fn new(workers: usize) -> Self {
        let device = Device::builder().threads(workers).wakes_threads_from(Duration::ZERO).build().unwrap();
        let results = device.buffer(u64::from(GROUPS * THREADS) * 4).unwrap();
        Self { device, results }
    }

    fn compile(&self, container: &[u8], engine: Engine) -> Shader {
        self.device.compile(container, &CompileOptions::new(engine)).unwrap()
    }

    /// Runs all groups on orders for every thread; returns the words that the threads stored (all ones where they did
    /// not).
    fn run(&self, shader: &Shader, orders: &[Orders]) -> Result<Vec<u32>, Error> {
        self.run_on(shader, &orders.concat(), 16)
    }

    /// The same with `t0` of another stride.
    fn run_on(&self, shader: &Shader, words: &[u32], stride: u32) -> Result<Vec<u32>, Error> {
        self.results.write(0, &vec![0xffu8; self.results.size_bytes() as usize]).unwrap();
        let mut bindings = Bindings::new();
        let orders = self.device.buffer_from(words).unwrap();
        bindings.set("t0".parse().unwrap(), View::structured(orders, stride).unwrap());
        bindings.set("u0".parse().unwrap(), View::structured(self.results.clone(), 4).unwrap());
        if shader.bindings().iter().any(|declared| declared.to_string() == "u1") {
            let counters = self.device.buffer(4 * words.len() as u64).unwrap();
            bindings.set("u1".parse().unwrap(), View::structured(counters, 16).unwrap());
        }
        self.device.dispatch(shader, &bindings, &Dispatch::new([GROUPS, 1, 1]))?;
        Ok(self.results.to_vec().unwrap())
    }
}

/// Every engine, with one and with two workers.
fn each(check: impl Fn(&str, &Bench, Engine)) {
    for workers in [1, 2] {
        let bench = Bench::new(workers);
        for engine in ENGINES {
            check(&format!("{engine}, {workers} workers"), &bench, engine);
        }
    }
}

/// Orders that all threads of a group have in common.
fn common_orders() -> Vec<[Orders; GROUPS as usize]> {
    vec![
        [[0, 0, 0, 0], [1, 1, 1, 0], [2, 3, 2, 0]],
        [[5, 1, 4, 0], [4, 2, 4, 0], [3, 0, 77, 0]],
        [[1, 0xffff_ffff, 3, 0], [0, 9, 0, 0], [6, 4, 4, 0]],
    ]
}

fn container(case: &Case, source: Source) -> Vec<u8> {
    // The exchanged value begins as 3 * number + 1.
    assemble(&format!(
        "cs_5_0
        dcl_resource_structured t0, 16
        dcl_uav_structured u0, 4
        dcl_uav_structured u1, 16
        dcl_input vThreadID.x
        dcl_input vThreadGroupID.x
        dcl_input vThreadIDInGroupFlattened
        dcl_temps 3
        dcl_tgsm_structured g0, 4, {THREADS}
        dcl_tgsm_structured g1, 16, 1
        dcl_thread_group {THREADS}, 1, 1
        {}imad r0.x, vThreadID.x, l(3), l(1)
        iadd r0.y, vThreadIDInGroupFlattened.x, l(1)
        uge r0.z, r0.y, l({THREADS})
        imad r0.y, r0.z, l({THREADS}), r0.y
        mov r2.x, l(0)
        {}
        store_structured u0.x, vThreadID.x, l(0), r0.x
        ret",
        source.read(),
        case.text.replace("exchange", EXCHANGE)
    ))
}

#[test]
fn threads_that_agree_pass() {
    each(|what, bench, engine| {
        for case in &CASES {
            for source in EVERY_SOURCE {
                let shader = bench.compile(&container(case, source), engine);
                for orders in common_orders() {
                    let words = bench.run(&shader, &orders.map(|orders| [orders; THREADS as usize]).concat());
                    let words = words.unwrap_or_else(|error| panic!("{what}, {}, {source:?}: {error}", case.name));
                    for (group, orders) in (0..).zip(orders) {
                        let mut model = Model::new(group);
                        (case.effect)(&mut model, orders);
                        let got = &words[(group * THREADS) as usize..][..THREADS as usize];
                        assert_eq!(got, model.values, "{what}, {}, {source:?}, {orders:?}", case.name);
                    }
                }
            }
        }
    });
}

/// One thread of the second group has other orders: the run stops there, and names it.
#[test]
fn one_thread_that_disagrees_is_named() {
    each(|what, bench, engine| {
        for case in &CASES {
            for source in [Source::Buffer, Source::Atomic] {
                let shader = bench.compile(&container(case, source), engine);
                for odd_one in [0, 5, 8, THREADS - 1] {
                    let mut usual = [4, 1, 1, 0];
                    usual[case.order] = case.different[0];
                    let mut orders = vec![usual; (GROUPS * THREADS) as usize];
                    orders[(THREADS + odd_one) as usize][case.order] = case.different[1];
                    let what = format!("{what}, {}, {source:?}, thread {odd_one}", case.name);
                    let Err(error) = bench.run(&shader, &orders) else { panic!("{what}: no error") };
                    let text = error.to_string();
                    let Error::DivergentBarrier { location, barrier, group, threads } = error else {
                        panic!("{what}: {text}")
                    };
                    assert_eq!((location.text.as_str(), group), (case.place, [1, 0, 0]), "{what}");
                    let other = if odd_one == 0 { 1 } else { odd_one };
                    assert_eq!(threads, [[0; 3], [other, 0, 0]], "{what}");
                    let barrier = barrier.unwrap_or_else(|| panic!("{what}: {text}"));
                    assert!(barrier.text.starts_with("sync") && barrier.text.ends_with("_t"), "{what}: {text}");
                    let expected = format!(
                        "threads (0, 0, 0) and ({other}, 0, 0) of group (1, 0, 0) disagree at instruction {} `{}` (byte {}), \
                         which controls the barrier at {barrier}: all threads of a group that have not returned must \
                         go the same way there",
                        location.index.unwrap(),
                        case.place,
                        location.byte
                    );
                    assert_eq!(text, expected, "{what}");
                }
            }
        }
    });
}

/// Selectors that differ but lead to one arm, and conditions that differ but hold, do not count as disagreement.
#[test]
fn threads_may_agree_for_different_reasons() {
    each(|what, bench, engine| {
        for (case, values) in [(&CASES[0], [1, 2, 0x8000_0000]), (&CASES[4], [1, 2, 1]), (&CASES[4], [3, 4, 9])] {
            let shader = bench.compile(&container(case, Source::Buffer), engine);
            let mut orders = vec![[0; 4]; (GROUPS * THREADS) as usize];
            for (n, orders) in orders.iter_mut().enumerate() {
                orders[case.order] = values[n % 3];
            }
            let words = bench.run(&shader, &orders).unwrap_or_else(|error| panic!("{what}, {}: {error}", case.name));
            for group in 0..GROUPS {
                let mut model = Model::new(group);
                (case.effect)(&mut model, orders[0]);
                assert_eq!(
                    &words[(group * THREADS) as usize..][..THREADS as usize],
                    model.values,
                    "{what}, {}",
                    case.name
                );
            }
        }
    });
}

/// Threads that returned count as arrived, whatever their orders; those that are left must agree.
#[test]
fn threads_that_returned_do_not_vote() {
    let case = CASES.last().unwrap();
    let leavers: [fn(u32) -> bool; 5] = [|n| n < 8, |n| n % 3 == 1, |n| n != 11, |_| true, |n| (4..19).contains(&n)];
    each(|what, bench, engine| {
        let shader = bench.compile(&container(case, Source::Buffer), engine);
        for (n, leaves) in leavers.into_iter().enumerate() {
            for common in [0, 1] {
                let orders = |thread: u32| match leaves(thread) {
                    true => [0, 1 - common, 0, 1],
                    false => [0, common, 0, 0],
                };
                let all: Vec<Orders> = (0..GROUPS * THREADS).map(|thread| orders(thread % THREADS)).collect();
                let words = bench.run(&shader, &all).unwrap_or_else(|error| panic!("{what}, leavers {n}: {error}"));
                for group in 0..GROUPS {
                    let mut model = Model::new(group);
                    model.alive = (0..THREADS).map(|thread| !leaves(thread)).collect();
                    (case.effect)(&mut model, [0, common, 0, 0]);
                    for thread in 0..THREADS {
                        let got = words[(group * THREADS + thread) as usize];
                        let expected = if leaves(thread) { 0xffff_ffff } else { model.values[thread as usize] };
                        assert_eq!(got, expected, "{what}, leavers {n}, group {group}, thread {thread}");
                    }
                }
            }
            // Of those that are left the last two disagree.
            let left: Vec<u32> = (0..THREADS).filter(|&thread| !leaves(thread)).collect();
            if let [first, .., last] = left[..] {
                let orders = |thread| [0, u32::from(thread == last), 0, leaves(thread).into()];
                let all: Vec<Orders> = (0..GROUPS * THREADS).map(|thread| orders(thread % THREADS)).collect();
                match bench.run(&shader, &all) {
                    Err(Error::DivergentBarrier { threads, .. }) => {
                        assert_eq!(threads, [[first, 0, 0], [last, 0, 0]], "{what}, leavers {n}");
                    }
                    other => panic!("{what}, leavers {n}: {other:?}"),
                }
            }
        }
    });
}

/// The compiler's output for `barriers/computed.hlsl`; with `patched` each thread has a plan of its own.
fn compiled(patched: bool) -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/barriers/computed.cso");
    let mut bytes = std::fs::read(path).unwrap();
    if patched {
        // The index of the first load: vThreadGroupID.x becomes vThreadID.x.
        let [from, to] = [33u32, 32].map(|file| (0x0000_000a | file << 12).to_le_bytes());
        let at = bytes.windows(4).position(|word| word == from).expect("the shader reads its group's number");
        bytes[at..at + 4].copy_from_slice(&to);
    }
    bytes
}

/// The words that `computed.hlsl` stores for a group.
fn computed(group: u32, [rounds, way]: [u32; 2]) -> Vec<u32> {
    let mut model = Model::new(group);
    let rounds_before = if way == 3 { rounds.min(2) } else { rounds };
    (0..rounds_before).for_each(|_| model.exchange());
    let last = THREADS as usize - 1;
    let before = model.values.clone();
    match way {
        0 => (0..=last).for_each(|n| model.values[n] = before[n].wrapping_add(before[last - n])),
        1 => {
            for _ in 0..rounds {
                let before = model.values.clone();
                (0..=last).for_each(|n| model.values[n] = before[n] ^ before[n ^ 1]);
            }
        }
        _ => model.values.iter_mut().for_each(|value| *value += 1000),
    }
    model.values
}

#[test]
fn compiled_conditions_from_buffers_and_shared_memory() {
    let plans = [[3, 0], [5, 1], [4, 3], [2, 2], [0, 1], [1, 3]];
    each(|what, bench, engine| {
        for patched in [false, true] {
            let shader = bench.compile(&compiled(patched), engine);
            for plans in plans.chunks(GROUPS as usize) {
                let each_group = if patched { THREADS as usize } else { 1 };
                let all: Vec<u32> = plans.iter().flat_map(|plan| [*plan].repeat(each_group).concat()).collect();
                let words = bench.run_on(&shader, &all, 8).unwrap_or_else(|error| panic!("{what}: {error}"));
                let expected: Vec<u32> = (0..).zip(plans).flat_map(|(group, &plan)| computed(group, plan)).collect();
                assert_eq!(words, expected, "{what}, patched: {patched}, {plans:?}");
            }
        }
    });
}

#[test]
fn compiled_conditions_that_differ_are_named() {
    each(|what, bench, engine| {
        let shader = bench.compile(&compiled(true), engine);
        for (usual, odd, place) in
            [([2, 1], [2, 0], "if_z r0.y"), ([3, 3], [3, 2], "if_nz r2.x"), ([2, 1], [5, 1], "breakc_nz r1.x")]
        {
            let mut all = [usual].repeat((GROUPS * THREADS) as usize);
            all[THREADS as usize + 13] = odd;
            match bench.run_on(&shader, &all.concat(), 8) {
                Err(Error::DivergentBarrier { location: found, group, threads, .. }) => {
                    assert_eq!((found.text.as_str(), group), (place, [1, 0, 0]), "{what}");
                    assert_eq!(threads, [[0; 3], [13, 0, 0]], "{what}, {place}");
                }
                other => panic!("{what}, {place}: {other:?}"),
            }
        }
    });
}
