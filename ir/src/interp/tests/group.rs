//! Tests barriers and the control flow around them.

use super::*;
use crate::entity::SharedId;
use crate::function::{Input, Origin, Sync};
use crate::host::FaultKind;
use crate::interface::{Local, Shared};

const THREADS: u32 = 20;
const WAIT: Sync = Sync { threads: true, shared: true, views_group: false, views_global: false };

fn with_shared() -> Function {
    let mut func = function([THREADS, 1, 1]);
    func.interface.shared = vec![Shared { register: 0, raw: false, stride_bytes: 4, count: THREADS }];
    func.interface.locals = vec![Local { register: 0, registers: 2, components: 4 }];
    func
}

fn shared(index: Value, offset: Value) -> MemoryRef {
    MemoryRef { object: Object::Shared(SharedId::new(0)), index: Some(index), offset }
}

#[test]
fn values_and_arrays_live_across_barriers() {
    let mut func = with_shared();
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one, all) = (b.i32(0), b.i32(1), b.bool(true));
    let local =
        |index| MemoryRef { object: Object::Local(crate::entity::LocalId::new(0)), index: Some(index), offset: zero };
    let tripled = b.i32(3);
    let tripled = b.op(Op::IMul, &[tid, tripled]);
    b.store(local(one), &[tripled], all);
    b.store(shared(tid, zero), &[tid], all);
    b.barrier(WAIT);
    let last = b.i32(THREADS - 1);
    let mirror = b.op(Op::ISub, &[last, tid]);
    let theirs = b.load(shared(mirror, zero), 1)[0];
    let mine = b.load(local(one), 1)[0];
    let sum = b.op(Op::IAdd, &[theirs, mine]);
    let sum = b.op(Op::IAdd, &[sum, tripled]);
    store_word(&mut b, tid, sum);
    b.return_();
    let expected: Vec<u32> = (0..THREADS).map(|tid| THREADS - 1 - tid + 6 * tid).collect();
    assert_eq!(output(func, THREADS as usize), expected);
}

#[test]
fn shared_memory_and_arrays_start_as_zero_in_every_group() {
    let mut func = with_shared();
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, all) = (b.i32(0), b.bool(true));
    let local = MemoryRef { object: Object::Local(crate::entity::LocalId::new(0)), index: Some(zero), offset: zero };
    let one = b.i32(1);
    let mut sum = zero;
    for place in [shared(tid, zero), local] {
        let old = b.load(place, 1)[0];
        sum = b.op(Op::IAdd, &[sum, old]);
        b.store(place, &[one], all);
    }
    store_word(&mut b, tid, sum);
    b.return_();
    let interpreter = Interpreter::new(&verify(func).unwrap());
    let (host, mut arena, mut fuel) = (TestHost::new(THREADS as usize), Arena::new(), 0);
    for group in 0..2 {
        interpreter.run_group(&host, [group, 0, 0], &mut arena, &mut fuel).unwrap();
        assert_eq!(host.words(), vec![0; THREADS as usize]);
    }
}

/// A barrier in an `if` on `tid < limit`, after threads from `keep` on have returned.
fn guarded_barrier(limit: u32, keep: u32) -> Function {
    let mut func = with_shared();
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (limit, keep) = (b.i32(limit), b.i32(keep));
    let gone = b.op(Op::UGe, &[tid, keep]);
    b.when(gone, |b| b.return_());
    let cond = b.op(Op::ULt, &[tid, limit]);
    b.set_origin(Origin(77));
    b.when(cond, |b| b.barrier(WAIT));
    let one = b.i32(1);
    store_word(&mut b, tid, one);
    b.return_();
    func
}

#[test]
fn disagreement_about_a_barrier_stops_the_group() {
    let run = |limit, keep| run_group(guarded_barrier(limit, keep), &TestHost::new(THREADS as usize), [0; 3], 0);
    let fault = |threads| Err(Fault::new(FaultKind::DivergentBarrier { threads }, Origin(77)));
    assert_eq!(run(8, THREADS), fault([0, 8]), "between packets");
    assert_eq!(run(3, 8), fault([0, 3]), "within a packet");
    assert_eq!(run(THREADS, THREADS), Ok(()));
    assert_eq!(run(0, THREADS), Ok(()));
    assert_eq!(run(5, 5), Ok(()), "threads that returned do not count");
    assert_eq!(run(5, 0), Ok(()), "nobody is left");
}

#[test]
fn group_without_threads_left_ends_even_in_a_loop() {
    let mut func = with_shared();
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one) = (b.i32(0), b.i32(1));
    let (_, body) = b.loop_(&[zero]);
    let outer = b.switch_to(body);
    let i = b.func.region(body).params[0];
    b.barrier(WAIT);
    // In each iteration the next thread leaves.
    let mine = b.op(Op::IEq, &[i, tid]);
    b.when(mine, |b| {
        store_word(b, tid, i);
        b.return_();
    });
    let next = b.op(Op::IAdd, &[i, one]);
    b.yield_(&[next]);
    b.switch_to(outer);
    b.return_();
    let host = TestHost::new(THREADS as usize);
    let func = verify(func).unwrap();
    let mut fuel = 100;
    Interpreter::new(&func).run_group(&host, [0; 3], &mut Arena::new(), &mut fuel).unwrap();
    assert_eq!(host.words(), (0..THREADS).collect::<Vec<_>>());
    assert_eq!(100 - fuel, u64::from(THREADS) - 1, "one for the group in each round but the first");
}

#[test]
fn group_of_no_threads_does_nothing() {
    let mut func = function([4, 0, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    store_word(&mut b, tid, tid);
    b.barrier(WAIT);
    b.return_();
    assert_eq!(output(func, 1), [0]);
}
