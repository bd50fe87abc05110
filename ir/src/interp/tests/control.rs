//! Tests masks in divergent control flow.

use super::*;
use crate::function::{Input, Origin};
use crate::host::FaultKind;

/// Threads of the group; not a multiple of the lanes.
const THREADS: u32 = 20;

#[test]
fn loop_parameters_change_places_at_once() {
    let mut func = function([THREADS, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one) = (b.i32(0), b.i32(1));
    // Fibonacci: (a, b) becomes (b, a + b), and the first two arguments feed each other.
    let (inst, body) = b.loop_(&[zero, one, zero]);
    let outer = b.switch_to(body);
    let [p, q, i] = b.func.region(body).params[..] else { unreachable!() };
    let end = b.op(Op::UGe, &[i, tid]);
    b.when(end, |b| b.break_(inst, &[q, p, i]));
    let sum = b.op(Op::IAdd, &[p, q]);
    let next = b.op(Op::IAdd, &[i, one]);
    b.yield_(&[q, sum, next]);
    b.switch_to(outer);
    let fibonacci = b.func.inst(inst).results[1];
    store_word(&mut b, tid, fibonacci);
    b.return_();

    let expected = (0..THREADS).map(|tid| (0..tid).fold((0, 1), |(p, q), _| (q, p + q)).0);
    assert_eq!(output(func, THREADS as usize), expected.collect::<Vec<u32>>());
}

#[test]
fn first_side_runs_first_and_lanes_in_order() {
    let mut func = function([10, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one, hundred, all) = (b.i32(0), b.i32(1), b.i32(100), b.bool(true));
    let odd = b.op(Op::And, &[tid, one]);
    let odd = b.op(Op::IEq, &[odd, one]);
    let (_, then_region, else_region) = b.if_else(odd, &[]);
    b.return_();
    b.switch_to(then_region);
    b.store(raw(OUTPUT, zero), &[tid], all);
    b.yield_(&[]);
    b.switch_to(else_region);
    let tag = b.op(Op::IAdd, &[tid, hundred]);
    b.store(raw(OUTPUT, zero), &[tag], all);
    b.yield_(&[]);
    let host = TestHost::new(1);
    run_group(func, &host, [0; 3], 0).unwrap();
    let order: Vec<u32> = host.stores.lock().unwrap().iter().map(|(.., words)| words[0]).collect();
    assert_eq!(order, [1, 3, 5, 7, 100, 102, 104, 106, 9, 108]);
    assert_eq!(host.words(), [108], "the last one stays");
}

#[test]
fn inputs_of_a_box_of_threads() {
    let size = [3, 2, 2];
    let mut func = function(size);
    let mut b = Builder::new(&mut func);
    let index = b.input(Input::ThreadIndex);
    let (all, bytes) = (b.bool(true), b.i32(48));
    let offset = b.op(Op::IMul, &[index, bytes]);
    let rows = [Input::ThreadId as fn(u8) -> Input, Input::GroupId, Input::ThreadIdInGroup, Input::GroupCount];
    for (row, input) in rows.iter().enumerate() {
        let values: Vec<Value> = (0..3).map(|n| b.input(input(n))).collect();
        let skip = b.i32(12 * row as u32);
        let at = b.op(Op::IAdd, &[offset, skip]);
        b.store(raw(OUTPUT, at), &values, all);
    }
    b.return_();
    let host = TestHost::new(12 * 12);
    let group = [7, 0x8000_0000, 1];
    run_group(func, &host, group, 0).unwrap();
    let mut expected = Vec::new();
    for z in 0..size[2] {
        for y in 0..size[1] {
            for x in 0..size[0] {
                // 2 times 0x80000000 wraps to 0.
                expected.extend([7 * 3 + x, y, 2 + z]);
                expected.extend(group);
                expected.extend([x, y, z]);
                // It runs alone.
                expected.extend([1, 1, 1]);
            }
        }
    }
    assert_eq!(host.words(), expected);
}

/// Each thread iterates `tid` times; the loop's origin is 44.
fn counting() -> Function {
    let mut func = function([THREADS, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one) = (b.i32(0), b.i32(1));
    b.set_origin(Origin(44));
    let (inst, body) = b.loop_(&[zero]);
    let outer = b.switch_to(body);
    let i = b.func.region(body).params[0];
    let end = b.op(Op::UGe, &[i, tid]);
    b.when(end, |b| b.break_(inst, &[i]));
    let next = b.op(Op::IAdd, &[i, one]);
    b.yield_(&[next]);
    b.switch_to(outer);
    b.return_();
    func
}

#[test]
fn fuel_is_one_per_packet_and_way_back() {
    // Packets iterate 7, 15 and 19 times.
    let host = TestHost::new(0);
    assert_eq!(run_group(counting(), &host, [0; 3], 7 + 15 + 19), Ok(()));
    let fault = run_group(counting(), &host, [0; 3], 7 + 15 + 18).unwrap_err();
    assert_eq!(fault, Fault::new(FaultKind::OutOfFuel, Origin(44)));
}

#[test]
fn stop_is_seen_at_start_and_on_every_way_back() {
    // Besides, each of the three packets polls before it begins.
    let host = TestHost::new(0);
    let faults = [(0, Origin(0)), (1, Origin(44)), (44, Origin(44))];
    for (patience, origin) in faults {
        host.patience.store(patience, Ordering::Relaxed);
        let fault = run_group(counting(), &host, [0; 3], 1000).unwrap_err();
        assert_eq!(fault, Fault::new(FaultKind::Stopped, origin), "after {patience} questions");
    }
    host.patience.store(45, Ordering::Relaxed);
    assert_eq!(run_group(counting(), &host, [0; 3], 1000), Ok(()));
}
