//! Tests bounds, effects and orders of accesses.

use super::*;
use crate::entity::{LocalId, SharedId};
use crate::function::Input;
use crate::interface::{Local, Shared};

/// Loads up to four words at (index, offset) of an object that was filled before, in a group of one thread.
fn loaded(
    prepare: impl Fn(&mut Function),
    object: Object,
    fill: &[(Option<u32>, u32, u32)],
    at: (Option<u32>, u32),
) -> Vec<u32> {
    let mut func = function([1, 1, 1]);
    prepare(&mut func);
    let mut b = Builder::new(&mut func);
    let (zero, all) = (b.i32(0), b.bool(true));
    let place = |b: &mut Builder<'_>, index: Option<u32>, offset| MemoryRef {
        object,
        index: index.map(|index| b.i32(index)),
        offset: b.i32(offset),
    };
    for &(index, offset, word) in fill {
        let place = place(&mut b, index, offset);
        let word = b.i32(word);
        b.store(place, &[word, word, word], all);
    }
    let place = place(&mut b, at.0, at.1);
    let words = b.load(place, 4);
    b.store(raw(OUTPUT, zero), &words, all);
    b.return_();
    output(func, 4)
}

#[test]
fn bounds_of_structured_shared_memory() {
    let prepare = |func: &mut Function| {
        func.interface.shared = vec![
            Shared { register: 0, raw: false, stride_bytes: 8, count: 3 },
            Shared { register: 1, raw: false, stride_bytes: 12, count: 2 },
        ];
    };
    let first = Object::Shared(SharedId::new(0));
    let fill = [(Some(2), 0, 5), (Some(1), 4, 6), (Some(3), 0, 7), (Some(0), 0xffff_fffc, 8)];
    let load = |index, offset| loaded(prepare, first, &fill, (Some(index), offset));
    assert_eq!(load(2, 0), [5, 5, 0, 0], "words beyond the element read zero and drop writes");
    assert_eq!(load(1, 0), [0, 6, 0, 0]);
    assert_eq!(load(1, 6), [6, 0, 0, 0], "the low bits of the offset do not count");
    assert_eq!(load(0, 0), [0; 4], "offsets do not wrap");
    assert_eq!(load(0, 0xffff_fff8), [0; 4]);
    assert_eq!(load(3, 0), [0; 4]);
    assert_eq!(load(0x2000_0002, 0), [0; 4], "nor do indices");
    let second = Object::Shared(SharedId::new(1));
    assert_eq!(loaded(prepare, second, &fill, (Some(0), 0)), [0; 4]);
    assert_eq!(loaded(prepare, second, &fill, (Some(1), 0)), [0, 6, 6, 0]);
}

#[test]
fn bounds_of_raw_shared_memory() {
    let prepare = |func: &mut Function| {
        func.interface.shared = vec![Shared { register: 0, raw: true, stride_bytes: 4, count: 5 }];
    };
    let object = Object::Shared(SharedId::new(0));
    let fill = [(None, 12, 9), (None, 0xffff_fff8, 3)];
    assert_eq!(loaded(prepare, object, &fill, (None, 8)), [0, 9, 9, 0]);
    assert_eq!(loaded(prepare, object, &fill, (None, 0)), [0, 0, 0, 9]);
    assert_eq!(loaded(prepare, object, &fill, (None, 0xffff_fffc)), [0; 4]);
}

#[test]
fn bounds_of_private_arrays_and_immediate_constants() {
    let prepare = |func: &mut Function| {
        func.interface.locals = vec![
            Local { register: 0, registers: 1, components: 4 },
            Local { register: 1, registers: 2, components: 4 },
        ];
        func.interface.immediate = vec![[1, 2, 3, 4], [5, 6, 7, 8]];
    };
    let local = Object::Local(LocalId::new(1));
    let fill = [(Some(1), 8, 5), (Some(2), 0, 6), (Some(0), 0, 7)];
    assert_eq!(loaded(prepare, local, &fill, (Some(1), 0)), [0, 0, 5, 5]);
    assert_eq!(loaded(prepare, local, &fill, (Some(0), 4)), [7, 7, 0, 0]);
    assert_eq!(loaded(prepare, local, &fill, (Some(2), 0)), [0; 4]);
    assert_eq!(loaded(prepare, Object::Local(LocalId::new(0)), &fill, (Some(0), 0)), [7, 7, 7, 0]);
    assert_eq!(loaded(prepare, Object::Immediate, &[], (Some(1), 4)), [6, 7, 8, 0]);
    assert_eq!(loaded(prepare, Object::Immediate, &[], (Some(2), 0)), [0; 4]);
}

#[test]
fn lanes_without_effect_do_nothing_and_get_zero() {
    let mut func = function([10, 1, 1]);
    func.interface.shared = vec![Shared { register: 0, raw: true, stride_bytes: 4, count: 1 }];
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one, thousand, base) = (b.i32(0), b.i32(1), b.i32(1000), b.i32(40));
    let odd = b.op(Op::And, &[tid, one]);
    let odd = b.op(Op::IEq, &[odd, one]);
    let cell = MemoryRef { object: Object::Shared(SharedId::new(0)), index: None, offset: zero };
    let mine = b.atomic(AtomicOp::Add, cell, thousand, None, odd);
    let theirs = b.atomic(AtomicOp::Add, raw(OUTPUT, base), one, None, odd);
    let appended = b.counter(CounterOp::Alloc, only(ResourceId::new(COUNTED)), odd);
    let texel = b.texel_atomic(AtomicOp::UMax, only(ResourceId::new(TEXTURE)), &[base, zero], tid, None, odd);
    let sum = [theirs, appended, texel].into_iter().fold(mine, |sum, v| b.op(Op::IAdd, &[sum, v]));
    store_word(&mut b, tid, sum);
    let last = b.i32(44);
    b.store(raw(OUTPUT, last), &[tid], odd);
    b.return_();
    // The n-th odd thread finds n additions of each kind; the maximum so far is the odd thread before it.
    let before = |tid: u32| if tid > 1 { tid - 2 } else { 0 };
    let model = |tid: u32| if tid % 2 == 1 { tid / 2 * 1000 + 2 * (tid / 2) + before(tid) } else { 0 };
    let words = output(func, 41);
    assert_eq!(words[..10], (0..10).map(model).collect::<Vec<_>>()[..]);
    assert_eq!(words[11], 9);
}

#[test]
fn compare_exchange_and_consume() {
    let mut func = function([4, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, one, all, base) = (b.i32(0), b.i32(1), b.bool(true), b.i32(64));
    let next = b.op(Op::IAdd, &[tid, one]);
    // Thread n replaces n by n + 1, in sequence.
    let old = b.atomic(AtomicOp::CompareExchange, raw(OUTPUT, base), next, Some(tid), all);
    let view = only(ResourceId::new(COUNTED));
    let pushed = b.counter(CounterOp::Alloc, view, all);
    let popped = b.counter(CounterOp::Consume, view, all);
    let ten = b.i32(10);
    let tens = b.op(Op::IMul, &[popped, ten]);
    let sum = b.op(Op::IAdd, &[tens, old]);
    let sum = b.op(Op::IAdd, &[sum, pushed]);
    store_word(&mut b, tid, sum);
    let element = MemoryRef { object: Object::Resource(view), index: Some(tid), offset: zero };
    b.store(element, &[one], all);
    b.return_();
    let host = TestHost::new(17);
    run_group(func, &host, [0; 3], 0).unwrap();
    // Popped 3, 2, 1, 0 in the order of lanes; pushed 0, 1, 2, 3.
    assert_eq!(host.words()[1..4], [20 + 1 + 1, 10 + 2 + 2, 3 + 3]);
    assert_eq!(host.words()[16], 4);
    let stores = host.stores.lock().unwrap();
    let elements: Vec<_> = stores.iter().filter(|store| store.0 == COUNTED).map(|store| store.1).collect();
    assert_eq!(elements, [Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn uniform_addresses_are_read_once_per_packet() {
    let mut func = function([20, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (zero, two, five) = (b.i32(0), b.i32(2), b.i32(5));
    let same = b.load(raw(INPUT, zero), 2)[1];
    let bytes = b.op(Op::Shl, &[tid, two]);
    let own = b.load(raw(INPUT, bytes), 1)[0];
    let [x, ..] = b.texel_load(only(ResourceId::new(TEXTURE)), &[five, zero], None);
    let [_, height, level, _] = b.query(Query::TextureSize, only(ResourceId::new(TEXTURE)), Some(two));
    let sum = [own, x, height, level].into_iter().fold(same, |sum, v| b.op(Op::IAdd, &[sum, v]));
    store_word(&mut b, tid, sum);
    b.return_();
    let host = TestHost::new(20);
    run_group(func, &host, [0; 3], 0).unwrap();
    let model = |tid: u32| input_word(4).wrapping_add(input_word(4 * tid)).wrapping_add(5 + 32 + 2);
    assert_eq!(host.words(), (0..20).map(model).collect::<Vec<_>>());
    assert_eq!(host.loads.load(Ordering::Relaxed), 3 + 20 + 3 + 3);
}

#[test]
fn texels_are_written_lane_by_lane() {
    let mut func = function([3, 1, 1]);
    let mut b = Builder::new(&mut func);
    let tid = b.input(Input::ThreadIndex);
    let (seven, one) = (b.i32(7), b.i32(1));
    let not_one = b.op(Op::INe, &[tid, one]);
    b.texel_store(only(ResourceId::new(TEXTURE)), &[tid, seven], [tid, seven, one, one], not_one);
    b.return_();
    let host = TestHost::new(0);
    run_group(func, &host, [0; 3], 0).unwrap();
    let stored = [0, 2].map(|tid| (TEXTURE, Some(tid), 7, vec![tid, 7, 1, 1]));
    assert_eq!(*host.stores.lock().unwrap(), stored);
}
