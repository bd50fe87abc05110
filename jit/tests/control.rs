//! Control flow, barriers, faults and limits of compiled shaders, against plain models and against the interpreter.

mod bound;

use bound::{Bound, Outcome, compare, feature_sets, resource, run};
use brolga_ir::builder::only;
use brolga_ir::entity::{Inst, LocalId, ResourceId, SharedId, Value};
use brolga_ir::function::{Input, MemoryRef, Object, Origin, Sync};
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::interface::{Interface, Local, ResourceClass, ResourceKind, Shared};
use brolga_ir::stage::Stage;
use brolga_ir::verify::verify;
use brolga_ir::{Builder, Function, Op};
use brolga_jit::{CompileError, Options, compile};

const BARRIER: Sync = Sync { threads: true, shared: true, views_group: false, views_global: false };
const FUEL: u64 = 100_000;

/// A function with `u0`, raw, and `g0`, raw.
fn function(group_size: [u32; 3]) -> Function {
    let resources = vec![resource(ResourceClass::UnorderedAccess, ResourceKind::Raw, 1)];
    let shared = vec![Shared { register: 0, raw: true, stride_bytes: 4, count: 256 }];
    let locals = vec![Local { register: 0, registers: 4, components: 4 }];
    Function::new(
        "test",
        Interface { stage: Stage::Compute { group_size }, resources, shared, locals, ..Interface::default() },
    )
}

fn output() -> Object {
    Object::Resource(only(ResourceId::new(0)))
}

fn shared() -> Object {
    Object::Shared(SharedId::new(0))
}

/// The address of a word that each thread has for itself.
fn own_word(b: &mut Builder<'_>, object: Object, index: Value) -> MemoryRef {
    let four = b.i32(4);
    let offset = b.op(Op::IMul, &[index, four]);
    MemoryRef { object, index: None, offset }
}

/// Stores a word at the thread's place in the output.
fn store_own(b: &mut Builder<'_>, value: Value) {
    let index = b.input(Input::ThreadIndex);
    let place = own_word(b, output(), index);
    let always = b.bool(true);
    b.store(place, &[value], always);
}

/// Writes one side of an `if` in its region and ends it with what the closure says.
fn within(b: &mut Builder<'_>, region: brolga_ir::entity::Region, fill: impl FnOnce(&mut Builder<'_>)) {
    let before = b.switch_to(region);
    fill(b);
    b.switch_to(before);
}

/// `if (cond) { fill }` without results; `fill` ends the region.
fn when(b: &mut Builder<'_>, cond: Value, fill: impl FnOnce(&mut Builder<'_>)) -> Inst {
    let (inst, then_region, else_region) = b.if_else(cond, &[]);
    within(b, then_region, fill);
    within(b, else_region, |b| b.yield_(&[]));
    inst
}

fn words(count: usize) -> Vec<Vec<Vec<u32>>> {
    vec![vec![vec![0; count]]]
}

/// Runs one group on both engines; gives the output's words.
#[track_caller]
fn output_of(func: Function, count: usize) -> Vec<u32> {
    let outcome = compare(func, &words(count), &[[0, 0, 0]], FUEL);
    assert_eq!(outcome.ends, [Ok(())]);
    content(&outcome)
}

/// The words between the guards of the output.
fn content(outcome: &Outcome) -> Vec<u32> {
    let all = &outcome.memory[0][0];
    all[bound::GUARD..all.len() - 1].to_vec()
}

#[test]
fn tails_do_nothing() {
    for threads in [1, 5, 8, 13, 16, 31] {
        let mut func = function([threads, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (index, three) = (b.input(Input::ThreadIndex), b.i32(3));
        let value = b.op(Op::IMul, &[index, three]);
        store_own(&mut b, value);
        b.return_();
        let expected: Vec<u32> = (0..40).map(|n| if n < threads { 3 * n } else { 0 }).collect();
        assert_eq!(output_of(func, 40), expected, "{threads} threads");
    }
}

#[test]
fn thread_numbers_follow_the_group_shape() {
    for size in [[5, 3, 2], [8, 2, 2], [1, 1, 9], [16, 1, 1], [3, 8, 1]] {
        let mut func = function(size);
        let mut b = Builder::new(&mut func);
        let mut sum = b.i32(0);
        for n in 0..3 {
            let ten = b.i32(10);
            sum = b.op(Op::IMul, &[sum, ten]);
            for input in [Input::ThreadIdInGroup(n), Input::ThreadId(n), Input::GroupId(n)] {
                let part = b.input(input);
                sum = b.op(Op::IMul, &[sum, ten]);
                sum = b.op(Op::IAdd, &[sum, part]);
            }
        }
        store_own(&mut b, sum);
        b.return_();
        let outcome = compare(func, &words(64), &[[0, 0, 0], [1, 2, 3]], FUEL);
        let threads = size.iter().product::<u32>();
        let group = [1, 2, 3];
        let expected: Vec<u32> = (0..threads)
            .map(|t| {
                let place = [t % size[0], t / size[0] % size[1], t / size[0] / size[1]];
                (0..3).fold(0u32, |sum, n| {
                    let parts = [place[n], group[n] * size[n] + place[n], group[n]];
                    parts.into_iter().fold(sum.wrapping_mul(10), |sum, part| sum.wrapping_mul(10).wrapping_add(part))
                })
            })
            .collect();
        assert_eq!(content(&outcome)[..threads as usize], expected, "{size:?}");
    }
}

/// Steps until a number is 1, with breaks, continues and returns on divergent ways.
#[test]
fn divergent_loops_break_continue_and_return() {
    let mut func = function([24, 1, 1]);
    let mut b = Builder::new(&mut func);
    let (zero, one, two, three) = (b.i32(0), b.i32(1), b.i32(2), b.i32(3));
    let seven = b.i32(7);
    let index = b.input(Input::ThreadIndex);
    let start = b.op(Op::IAdd, &[index, one]);
    let (steps, body) = b.loop_(&[start, zero]);
    let [n, count] = b.func.region(body).params[..].try_into().unwrap();
    within(&mut b, body, |b| {
        let done = b.op(Op::IEq, &[n, one]);
        when(b, done, |b| b.break_(steps, &[n, count]));
        // Threads that come by 16 give up.
        let sixteen = b.i32(16);
        let lost = b.op(Op::IEq, &[n, sixteen]);
        when(b, lost, |b| {
            let marker = b.i32(0xdead);
            store_own(b, marker);
            b.return_();
        });
        let next_count = b.op(Op::IAdd, &[count, one]);
        let odd = b.op(Op::And, &[n, one]);
        let odd = b.op(Op::IEq, &[odd, one]);
        when(b, odd, |b| {
            let tripled = b.op(Op::IMul, &[n, three]);
            let next = b.op(Op::IAdd, &[tripled, one]);
            b.continue_(steps, &[next, next_count]);
        });
        let half = b.op(Op::UDiv, &[n, two]);
        // The count of even steps is kept modulo 7 by way of a nested uniform loop.
        let (inner, inner_body) = b.loop_(&[next_count]);
        let c = b.func.region(inner_body).params[0];
        within(b, inner_body, |b| {
            let small = b.op(Op::ULt, &[c, seven]);
            when(b, small, |b| b.break_(inner, &[c]));
            let less = b.op(Op::ISub, &[c, seven]);
            b.yield_(&[less]);
        });
        let wrapped = b.func.inst(inner).results[0];
        b.yield_(&[half, wrapped]);
    });
    let [last, total] = b.func.inst(steps).results[..].try_into().unwrap();
    let ten = b.i32(10);
    let value = b.op(Op::IMul, &[total, ten]);
    let value = b.op(Op::IAdd, &[value, last]);
    store_own(&mut b, value);
    b.return_();

    let model = |index: u32| {
        let (mut n, mut count) = (index + 1, 0);
        loop {
            match n {
                1 => return count * 10 + n,
                16 => return 0xdead,
                _ => {}
            }
            count += 1;
            if n % 2 == 1 {
                n = 3 * n + 1;
            } else {
                n /= 2;
                count %= 7;
            }
        }
    };
    assert_eq!(output_of(func, 24), (0..24).map(model).collect::<Vec<u32>>());
}

/// A switch with breaks within, in a loop that its arms continue and leave.
#[test]
fn switches_divergent_and_uniform() {
    for uniform in [false, true] {
        let mut func = function([16, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (zero, one) = (b.i32(0), b.i32(1));
        let index = b.input(Input::ThreadIndex);
        let (rounds, body) = b.loop_(&[zero, zero]);
        let [round, sum] = b.func.region(body).params[..].try_into().unwrap();
        within(&mut b, body, |b| {
            let limit = b.i32(6);
            let done = b.op(Op::UGe, &[round, limit]);
            when(b, done, |b| b.break_(rounds, &[round, sum]));
            let next = b.op(Op::IAdd, &[round, one]);
            let mixed = b.op(Op::IAdd, &[round, index]);
            let selector = if uniform { round } else { mixed };
            let i32_type = [brolga_ir::Type::I32];
            let (switch, arms, default) = b.switch(selector, vec![vec![0, 3], vec![1], vec![2, 7]], &i32_type);
            within(b, arms[0], |b| {
                let parity = b.op(Op::And, &[index, one]);
                let odd = b.op(Op::IEq, &[parity, one]);
                when(b, odd, |b| {
                    let hundred = b.i32(100);
                    b.break_(switch, &[hundred]);
                });
                let five = b.i32(5);
                b.yield_(&[five]);
            });
            within(b, arms[1], |b| b.continue_(rounds, &[next, sum]));
            within(b, arms[2], |b| {
                let twelve = b.i32(12);
                let late = b.op(Op::UGe, &[index, twelve]);
                when(b, late, |b| b.break_(rounds, &[round, sum]));
                b.yield_(&[one]);
            });
            within(b, default, |b| b.yield_(&[index]));
            let got = b.func.inst(switch).results[0];
            let sum = b.op(Op::IAdd, &[sum, got]);
            b.yield_(&[next, sum]);
        });
        let [round, sum] = b.func.inst(rounds).results[..].try_into().unwrap();
        let thousand = b.i32(1000);
        let value = b.op(Op::IMul, &[round, thousand]);
        let value = b.op(Op::IAdd, &[value, sum]);
        store_own(&mut b, value);
        b.return_();

        let model = |index: u32| {
            let (mut round, mut sum) = (0, 0);
            while round < 6 {
                sum += match if uniform { round } else { round + index } {
                    0 | 3 if index % 2 == 1 => 100,
                    0 | 3 => 5,
                    1 => 0,
                    2 | 7 if index >= 12 => break,
                    2 | 7 => 1,
                    _ => index,
                };
                round += 1;
            }
            round * 1000 + sum
        };
        assert_eq!(output_of(func, 16), (0..16).map(model).collect::<Vec<u32>>(), "uniform: {uniform}");
    }
}

/// Running sums by doubling distances: barriers in a loop whose counter crosses them.
#[test]
fn barriers_in_a_loop() {
    for threads in [4, 20, 64] {
        let mut func = function([threads, 1, 1]);
        let mut b = Builder::new(&mut func);
        let one = b.i32(1);
        let index = b.input(Input::ThreadIndex);
        let always = b.bool(true);
        let square = b.op(Op::IMul, &[index, index]);
        let own = own_word(&mut b, shared(), index);
        b.store(own, &[square], always);
        b.barrier(BARRIER);
        let (doubling, body) = b.loop_(&[one]);
        let distance = b.func.region(body).params[0];
        within(&mut b, body, |b| {
            let limit = b.i32(threads);
            let done = b.op(Op::UGe, &[distance, limit]);
            when(b, done, |b| b.break_(doubling, &[distance]));
            let there = b.op(Op::ISub, &[index, distance]);
            let other = own_word(b, shared(), there);
            let other = b.load(other, 1)[0];
            let mine = b.load(own, 1)[0];
            let sum = b.op(Op::IAdd, &[mine, other]);
            b.barrier(BARRIER);
            let reaches = b.op(Op::UGe, &[index, distance]);
            b.store(own, &[sum], reaches);
            b.barrier(BARRIER);
            let doubled = b.op(Op::IAdd, &[distance, distance]);
            b.yield_(&[doubled]);
        });
        let sum = b.load(own, 1)[0];
        store_own(&mut b, sum);
        b.return_();
        let expected: Vec<u32> = (0..threads).map(|n| (0..=n).map(|k| k * k).sum()).collect();
        assert_eq!(output_of(func, threads as usize), expected, "{threads} threads");
    }
}

/// Threads that returned count as arrived, and take no part in what follows.
#[test]
fn threads_return_before_a_barrier() {
    let mut func = function([16, 1, 1]);
    let mut b = Builder::new(&mut func);
    let (one, five) = (b.i32(1), b.i32(5));
    let index = b.input(Input::ThreadIndex);
    let early = b.op(Op::ULt, &[index, five]);
    when(&mut b, early, |b| {
        store_own(b, one);
        b.return_();
    });
    let crossing = b.op(Op::IAdd, &[index, five]);
    b.barrier(BARRIER);
    store_own(&mut b, crossing);
    b.return_();
    let expected: Vec<u32> = (0..16).map(|n| if n < 5 { 1 } else { n + 5 }).collect();
    assert_eq!(output_of(func, 16), expected);
}

/// A loop with a barrier and no exit but a return ends when no thread is left.
#[test]
fn groups_end_with_their_last_thread() {
    let mut func = function([12, 1, 1]);
    let mut b = Builder::new(&mut func);
    let (zero, one) = (b.i32(0), b.i32(1));
    let index = b.input(Input::ThreadIndex);
    let (_, body) = b.loop_(&[zero]);
    let round = b.func.region(body).params[0];
    within(&mut b, body, |b| {
        let due = b.op(Op::IEq, &[round, index]);
        when(b, due, |b| {
            store_own(b, round);
            b.return_();
        });
        b.barrier(BARRIER);
        let next = b.op(Op::IAdd, &[round, one]);
        b.yield_(&[next]);
    });
    b.return_();
    assert_eq!(output_of(func, 12), (0..12).collect::<Vec<u32>>());
}

/// A switch and an `if` that hold barriers, agreed in the group; values cross them.
#[test]
fn groups_agree_on_branches_with_barriers() {
    for group in 0..4 {
        let mut func = function([16, 1, 1]);
        let mut b = Builder::new(&mut func);
        let index = b.input(Input::ThreadIndex);
        let id = b.input(Input::GroupId(0));
        let always = b.bool(true);
        let own = own_word(&mut b, shared(), index);
        b.store(own, &[index], always);
        let fifteen = b.i32(15);
        let mirrored = b.op(Op::ISub, &[fifteen, index]);
        let ty = [brolga_ir::Type::I32];
        let (switch, arms, default) = b.switch(id, vec![vec![0], vec![1]], &ty);
        within(&mut b, arms[0], |b| {
            b.barrier(BARRIER);
            let other = own_word(b, shared(), mirrored);
            let other = b.load(other, 1)[0];
            b.yield_(&[other]);
        });
        within(&mut b, arms[1], |b| b.yield_(&[mirrored]));
        within(&mut b, default, |b| {
            let two = b.i32(2);
            let last = b.op(Op::IEq, &[id, two]);
            let (inst, then_region, else_region) = b.if_else(last, &ty);
            within(b, then_region, |b| {
                b.barrier(BARRIER);
                b.break_(switch, &[id]);
            });
            within(b, else_region, |b| b.yield_(&[index]));
            let result = b.func.inst(inst).results[0];
            let sum = b.op(Op::IAdd, &[result, mirrored]);
            b.yield_(&[sum]);
        });
        let result = b.func.inst(switch).results[0];
        store_own(&mut b, result);
        b.return_();
        let outcome = compare(func, &words(16), &[[group, 0, 0]], FUEL);
        let expected: Vec<u32> = (0..16).map(|n| [15 - n, 15 - n, 2, 15][group as usize]).collect();
        assert_eq!(content(&outcome), expected, "group {group}");
    }
}

#[test]
fn disagreement_about_a_barrier_is_a_fault() {
    // Within a packet, and between packets.
    for first_other in [3, 8] {
        let mut func = function([16, 1, 1]);
        let mut b = Builder::new(&mut func);
        let (limit, index) = (b.i32(first_other), b.input(Input::ThreadIndex));
        let low = b.op(Op::ULt, &[index, limit]);
        store_own(&mut b, index);
        b.set_origin(Origin(77));
        when(&mut b, low, |b| {
            b.barrier(BARRIER);
            b.yield_(&[]);
        });
        b.return_();
        let outcome = compare(func, &words(16), &[[0, 0, 0]], FUEL);
        assert_eq!(
            outcome.ends,
            [Err(Fault::new(FaultKind::DivergentBarrier { threads: [0, first_other] }, Origin(77)))]
        );
        assert_eq!(content(&outcome), (0..16).collect::<Vec<u32>>());
    }
}

/// An endless loop, with a barrier in it or not.
fn endless(barrier: bool) -> Function {
    let mut func = function([16, 1, 1]);
    let mut b = Builder::new(&mut func);
    let zero = b.i32(0);
    b.set_origin(Origin(44));
    let (_, body) = b.loop_(&[zero]);
    let round = b.func.region(body).params[0];
    within(&mut b, body, |b| {
        if barrier {
            b.barrier(BARRIER);
        }
        let one = b.i32(1);
        let next = b.op(Op::IAdd, &[round, one]);
        b.yield_(&[next]);
    });
    b.return_();
    func
}

#[test]
fn endless_loops_stop_when_asked() {
    for barrier in [false, true] {
        let func = verify(endless(barrier)).unwrap();
        for features in feature_sets() {
            let compiled = compile(&func, &Options { features, ..Options::host().unwrap() }).unwrap();
            let bound = Bound::new(&func, &words(1));
            let outcome = std::thread::scope(|scope| {
                let running = scope.spawn(|| run(&func, &compiled, &bound, &[[0, 0, 0]], u64::MAX));
                bound.stop.store(1, std::sync::atomic::Ordering::Relaxed);
                running.join().unwrap()
            });
            let [Err(fault)] = outcome.ends[..] else { panic!("{:?}", outcome.ends) };
            assert_eq!(fault.kind, FaultKind::Stopped);
            // Or it was asked before the group began.
            assert!(fault.origin == Origin(44) || outcome.fuel == u64::MAX, "{fault:?}");
        }
    }
}

#[test]
fn endless_loops_run_out_of_fuel() {
    for barrier in [false, true] {
        let outcome = compare(endless(barrier), &words(1), &[[0, 0, 0]], 9);
        assert_eq!(outcome.ends, [Err(Fault::new(FaultKind::OutOfFuel, Origin(44)))]);
        assert_eq!(outcome.fuel, 0);
    }
}

/// Private arrays: indices that are uniform, that differ, that are out of range; kept over a barrier.
#[test]
fn private_arrays() {
    for barrier in [false, true] {
        let mut func = function([16, 1, 1]);
        let mut b = Builder::new(&mut func);
        let index = b.input(Input::ThreadIndex);
        let always = b.bool(true);
        let array = |b: &mut Builder<'_>, index: Value, offset: u32| {
            let offset = b.i32(offset);
            MemoryRef { object: Object::Local(LocalId::new(0)), index: Some(index), offset }
        };
        let two = b.i32(2);
        let at = array(&mut b, two, 4);
        let hundred = b.i32(100);
        let value = b.op(Op::IAdd, &[index, hundred]);
        // The third word is out of the element.
        let near_end = array(&mut b, two, 8);
        b.store(near_end, &[index, value, value], always);
        b.store(at, &[value], always);
        // Elements 0 to 7: half of them are not there.
        let seven = b.i32(7);
        let own = b.op(Op::And, &[index, seven]);
        let odd = b.i32(1);
        let odd = b.op(Op::And, &[index, odd]);
        let one = b.i32(1);
        let odd = b.op(Op::IEq, &[odd, one]);
        let own = array(&mut b, own, 0);
        b.store(own, &[index], odd);
        if barrier {
            b.barrier(BARRIER);
        }
        let four = b.i32(4);
        let missing = array(&mut b, four, 0);
        let a = b.load(own, 4);
        let c = b.load(at, 4);
        let missing = b.load(missing, 1)[0];
        let mut sum = missing;
        for value in a.into_iter().chain(c) {
            let three = b.i32(3);
            sum = b.op(Op::IMul, &[sum, three]);
            sum = b.op(Op::IAdd, &[sum, value]);
        }
        store_own(&mut b, sum);
        b.return_();
        let model = |t: u32| {
            let mut array = [[0u32; 4]; 4];
            array[2] = [0, 100 + t, t, 100 + t];
            let own = t & 7;
            if own < 4 && t % 2 == 1 {
                array[own as usize][0] = t;
            }
            let a = array.get(own as usize).copied().unwrap_or_default();
            let c = [array[2][1], array[2][2], array[2][3], 0];
            a.into_iter().chain(c).fold(0u32, |sum, word| sum * 3 + word)
        };
        assert_eq!(output_of(func, 16), (0..16).map(model).collect::<Vec<u32>>(), "barrier: {barrier}");
    }
}

#[test]
fn limits_are_errors() {
    let mut func = function([1024, 1, 1]);
    func.interface.locals = vec![Local { register: 0, registers: 8192, components: 4 }];
    let mut b = Builder::new(&mut func);
    b.barrier(BARRIER);
    b.return_();
    let func = verify(func).unwrap();
    let options = Options::host().expect("tests run on x86-64 with SSE4.2");
    let error = compile(&func, &options).unwrap_err();
    assert!(matches!(error, CompileError::LocalMemory { bytes, .. } if bytes == 8192 * 16 * 1024), "{error}");
}

/// Deeper than anybody writes, every level divergent.
#[test]
fn deep_nesting_compiles() {
    fn level(b: &mut Builder<'_>, left: u32, carried: Value) -> Value {
        let index = b.input(Input::ThreadIndex);
        let ty = [brolga_ir::Type::I32];
        if left == 0 {
            return b.op(Op::IAdd, &[carried, index]);
        }
        if left.is_multiple_of(2) {
            let limit = b.i32(left);
            let cond = b.op(Op::ULt, &[index, limit]);
            let (inst, then_region, else_region) = b.if_else(cond, &ty);
            within(b, then_region, |b| {
                let inner = level(b, left - 1, carried);
                b.yield_(&[inner]);
            });
            within(b, else_region, |b| b.yield_(&[carried]));
            return b.func.inst(inst).results[0];
        }
        let (inst, body) = b.loop_(&[carried]);
        let param = b.func.region(body).params[0];
        within(b, body, |b| {
            let inner = level(b, left - 1, param);
            let limit = b.i32(left);
            let done = b.op(Op::UGe, &[inner, limit]);
            when(b, done, |b| b.break_(inst, &[inner]));
            let one = b.i32(1);
            let next = b.op(Op::IAdd, &[inner, one]);
            b.yield_(&[next]);
        });
        b.func.inst(inst).results[0]
    }
    let mut func = function([8, 1, 1]);
    let mut b = Builder::new(&mut func);
    let zero = b.i32(0);
    let value = level(&mut b, 64, zero);
    store_own(&mut b, value);
    b.return_();
    // Whether it finishes within this many iterations does not matter.
    compare(func, &words(8), &[[0, 0, 0]], 2000);
}
