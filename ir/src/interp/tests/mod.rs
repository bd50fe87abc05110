//! Tests the interpreter against plain models computed thread by thread.

mod control;
mod group;
mod memory;
mod observe;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{Arena, Interpreter, lanes_of};
use crate::builder::{Builder, only};
use crate::entity::{ResourceId, Value};
use crate::function::{AtomicOp, CounterOp, Function, MemoryRef, Object, Query};
use crate::host::{Address, Fault, Host, ViewSlot};
use crate::interface::{Component, Dimension, Interface, Resource, ResourceClass, ResourceKind};
use crate::ops::Op;
use crate::sampling::SampleCall;
use crate::verify::verify;

/// `t0`, raw: its word at byte `n` is [`input_word`] of `n`.
pub(super) const INPUT: usize = 0;
/// `u0`, raw: words of [`TestHost::words`].
pub(super) const OUTPUT: usize = 1;
/// `u1`, structured with a counter, of stride 8.
pub(super) const COUNTED: usize = 2;
/// `u2`, a 2D texture that only records accesses.
pub(super) const TEXTURE: usize = 3;

pub(super) fn input_word(byte: u32) -> u32 {
    (byte / 4).wrapping_mul(0x9e37_79b9).rotate_left(13)
}

/// A function that declares the resources above.
pub(super) fn function(group_size: [u32; 3]) -> Function {
    let texture = ResourceKind::Typed { dimension: Dimension::Texture2d, component: Component::Uint };
    let resources = vec![
        Resource::new(ResourceClass::ShaderResource, ResourceKind::Raw, 0),
        Resource::new(ResourceClass::UnorderedAccess, ResourceKind::Raw, 0),
        Resource {
            uses_counter: true,
            ..Resource::new(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 8 }, 1)
        },
        Resource::new(ResourceClass::UnorderedAccess, texture, 2),
    ];
    Function::new("test", Interface { resources, ..Interface::compute(group_size) })
}

/// A store: resource, index, byte (for texels x and y), words.
pub(super) type Stored = (usize, Option<u32>, u32, Vec<u32>);

/// Memory that a test examines afterwards.
pub(super) struct TestHost {
    pub(super) words: Mutex<Vec<u32>>,
    /// Every store in order.
    pub(super) stores: Mutex<Vec<Stored>>,
    /// Number of loads.
    pub(super) loads: AtomicU32,
    counter: AtomicU32,
    /// Number of polls of the stop request before it is true.
    pub(super) patience: AtomicU32,
}

impl TestHost {
    pub(super) fn new(words: usize) -> Self {
        Self {
            words: Mutex::new(vec![0; words]),
            stores: Mutex::default(),
            loads: AtomicU32::new(0),
            counter: AtomicU32::new(0),
            patience: AtomicU32::new(u32::MAX),
        }
    }

    pub(super) fn words(&self) -> Vec<u32> {
        self.words.lock().unwrap().clone()
    }
}

impl Host for TestHost {
    fn load(&self, at: Address, words: &mut [u32]) {
        self.loads.fetch_add(1, Ordering::Relaxed);
        for (n, word) in words.iter_mut().enumerate() {
            let byte = (at.offset_bytes & !3) + 4 * n as u32;
            *word = match at.view.id.index() {
                INPUT => input_word(byte),
                _ => self.words.lock().unwrap().get(byte as usize / 4).copied().unwrap_or(0),
            };
        }
    }

    fn store(&self, at: Address, words: &[u32]) {
        self.stores.lock().unwrap().push((at.view.id.index(), at.index, at.offset_bytes, words.to_vec()));
        let start = at.offset_bytes as usize / 4;
        for (to, from) in self.words.lock().unwrap().iter_mut().skip(start).zip(words) {
            *to = *from;
        }
    }

    fn atomic(&self, op: AtomicOp, at: Address, value: u32, compare: u32) -> u32 {
        let mut words = self.words.lock().unwrap();
        let word = &mut words[at.offset_bytes as usize / 4];
        std::mem::replace(word, op.apply(*word, value, compare))
    }

    fn counter(&self, op: CounterOp, view: ViewSlot) -> u32 {
        assert_eq!(view.id.index(), COUNTED);
        match op {
            CounterOp::Alloc => self.counter.fetch_add(1, Ordering::Relaxed),
            CounterOp::Consume => self.counter.fetch_sub(1, Ordering::Relaxed) - 1,
        }
    }

    fn texel_load(&self, view: ViewSlot, [x, y, z]: [u32; 3], level: u32) -> [u32; 4] {
        assert_eq!(view.id.index(), TEXTURE);
        self.loads.fetch_add(1, Ordering::Relaxed);
        [x, y, z, level]
    }

    fn sample(&self, call: SampleCall<'_>) {
        self.loads.fetch_add(1, Ordering::Relaxed);
        let SampleCall { sampling, lanes, args, results, .. } = call;
        for lane in lanes_of(lanes) {
            let words = [args.get(0).unwrap()[lane], args.get(1).unwrap()[lane], sampling.encode(), lanes as u32];
            for (row, word) in results.chunks_exact_mut(results.len() / 4).zip(words) {
                row[lane] = word;
            }
        }
    }

    fn texel_store(&self, view: ViewSlot, [x, y, z]: [u32; 3], words: [u32; 4]) {
        assert_eq!(z, 0);
        self.stores.lock().unwrap().push((view.id.index(), Some(x), y, words.to_vec()));
    }

    fn texel_atomic(&self, op: AtomicOp, _: ViewSlot, [x, ..]: [u32; 3], value: u32, compare: u32) -> u32 {
        let mut words = self.words.lock().unwrap();
        let word = &mut words[x as usize];
        std::mem::replace(word, op.apply(*word, value, compare))
    }

    fn query(&self, _: Query, _: ViewSlot, level: u32) -> [u32; 4] {
        self.loads.fetch_add(1, Ordering::Relaxed);
        [64, 32, level, 7]
    }

    fn stop_requested(&self) -> bool {
        self.patience.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

/// Runs one group of a function that must be right.
pub(super) fn run_group(func: Function, host: &TestHost, group_id: [u32; 3], fuel: u64) -> Result<(), Fault> {
    let func = verify(func).unwrap();
    let mut fuel = fuel;
    Interpreter::new(&func).run_group(host, group_id, &mut Arena::new(), &mut fuel)
}

/// Runs group 0 and gives the words of `u0`.
pub(super) fn output(func: Function, words: usize) -> Vec<u32> {
    let host = TestHost::new(words);
    run_group(func, &host, [0; 3], 1_000_000).unwrap();
    host.words()
}

/// A byte address in a raw view.
pub(super) fn raw(id: usize, offset: Value) -> MemoryRef {
    MemoryRef { object: Object::Resource(only(ResourceId::new(id))), index: None, offset }
}

/// Writes a value to the thread's word of `u0`, all threads.
pub(super) fn store_word(b: &mut Builder<'_>, thread: Value, value: Value) {
    let (two, all) = (b.i32(2), b.bool(true));
    let offset = b.op(Op::Shl, &[thread, two]);
    b.store(raw(OUTPUT, offset), &[value], all);
}
