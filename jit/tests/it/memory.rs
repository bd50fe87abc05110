//! Tests every kind of memory at every layout of addresses over the lanes, with bounds met, missed and wrapped around.
//!
//! The interpreter is the reference: it goes through the memory of `bound`, which checks each word by itself.

use std::sync::atomic::Ordering;

use brolga_ir::builder::only;
use brolga_ir::entity::{Inst, LocalId, MessageId, ResourceId, SharedId, Value};
use brolga_ir::function::{
    AtomicOp, CounterOp, Element, Input, InstKind, MemoryRef, Object, Origin, Query, ResourceRef,
};
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::interface::{Component, Dimension, Interface, Local, ResourceClass, ResourceKind, Shared};
use brolga_ir::message::{Message, MessageKind};
use brolga_ir::verify::verify;
use brolga_ir::{Builder, Function, Op, Type};
use brolga_jit::{Options, compile};
use brolga_testing_base::assemble::in_ssa;
use brolga_testing_base::random::Random;

use crate::bound::{self, Variants, compare, resource};

const OUT: usize = 0;
const TARGET: usize = 1;

/// The memory that is addressed.
#[derive(Clone, Copy, Debug)]
enum Memory {
    Raw,
    Structured(u32),
    Constant,
    Immediate,
    SharedRaw,
    Shared(u32),
    /// A register of a range that each lane chooses.
    Range(u32),
}

impl Memory {
    const ALL: [Memory; 13] = [
        Memory::Raw,
        Memory::Structured(4),
        Memory::Structured(8),
        Memory::Structured(12),
        Memory::Structured(16),
        Memory::Structured(20),
        Memory::Constant,
        Memory::Immediate,
        Memory::SharedRaw,
        Memory::Shared(4),
        Memory::Shared(16),
        Memory::Shared(20),
        Memory::Range(8),
    ];

    fn writable(self) -> bool {
        !matches!(self, Memory::Constant | Memory::Immediate)
    }

    fn has_index(self) -> bool {
        !matches!(self, Memory::Raw | Memory::SharedRaw)
    }
}

/// The variation of addresses from lane to lane. The group ID is added to each, so that a run tries many starts.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Layout {
    Uniform,
    Growing(u32),
    /// Growing in each eight threads; the next eight begin one step after these.
    Octets(u32),
    Scattered,
}

fn function(memory: Memory) -> Function {
    function_of(memory, 8)
}

/// A function for groups of so many threads.
fn function_of(memory: Memory, threads: u32) -> Function {
    let target = match memory {
        Memory::Constant => resource(ResourceClass::Constant, ResourceKind::Constant { vectors: 7 }, 1),
        Memory::Structured(stride_bytes) => {
            resource(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes }, 1)
        }
        Memory::Range(stride_bytes) => {
            resource(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes }, 4)
        }
        _ => resource(ResourceClass::UnorderedAccess, ResourceKind::Raw, 1),
    };
    let shared = match memory {
        Memory::SharedRaw => vec![Shared { register: 0, raw: true, stride_bytes: 4, count: 21 }],
        Memory::Shared(stride_bytes) => vec![
            Shared { register: 0, raw: false, stride_bytes, count: 11 },
            Shared { register: 1, raw: false, stride_bytes, count: 11 },
        ],
        _ => Vec::new(),
    };
    let resources =
        vec![resource(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 64 }, 1), target];
    let immediate = (0..9).map(|n| [n, n + 100, n + 200, n + 300]).collect();
    let interface = Interface { resources, shared, immediate, ..Interface::compute([threads, 1, 1]) };
    Function::new(format!("{memory:?}"), interface)
}

fn object(b: &mut Builder<'_>, memory: Memory) -> Object {
    match memory {
        Memory::Raw | Memory::Structured(_) | Memory::Constant => Object::Resource(only(ResourceId::new(TARGET))),
        Memory::Immediate => Object::Immediate,
        Memory::SharedRaw | Memory::Shared(_) => Object::Shared(SharedId::new(0)),
        Memory::Range(_) => {
            let (index, three) = (b.input(Input::ThreadIndex), b.i32(3));
            let element = b.op(Op::IMul, &[index, three]);
            let seven = b.i32(7);
            let element = b.op(Op::And, &[element, seven]);
            Object::Resource(ResourceRef { id: ResourceId::new(TARGET), element: Element::Computed(element) })
        }
    }
}

/// A number per lane, starting at a component of the group ID.
fn number(b: &mut Builder<'_>, layout: Layout, component: u8) -> Value {
    let start = b.input(Input::GroupId(component));
    let index = b.input(Input::ThreadIndex);
    let own = match layout {
        Layout::Uniform => return start,
        Layout::Growing(step) => {
            let step = b.i32(step);
            b.op(Op::IMul, &[index, step])
        }
        Layout::Octets(step) => {
            let (seven, three, step) = (b.i32(7), b.i32(3), b.i32(step));
            let (lane, octet) = (b.op(Op::And, &[index, seven]), b.op(Op::UShr, &[index, three]));
            let [along, down] = [lane, octet].map(|number| b.op(Op::IMul, &[number, step]));
            b.op(Op::IAdd, &[along, down])
        }
        Layout::Scattered => {
            let (five, seven) = (b.i32(5), b.i32(7));
            let own = b.op(Op::IMul, &[index, five]);
            b.op(Op::And, &[own, seven])
        }
    };
    b.op(Op::IAdd, &[start, own])
}

fn place(b: &mut Builder<'_>, memory: Memory, [index, offset]: [Layout; 2], fixed: Option<u32>) -> MemoryRef {
    let object = object(b, memory);
    let index = memory.has_index().then(|| number(b, index, 0));
    let offset = match fixed {
        Some(offset) => b.i32(offset),
        None => number(b, offset, 1),
    };
    MemoryRef { object, index, offset }
}

fn effect(b: &mut Builder<'_>, masked: bool) -> Value {
    if !masked {
        return b.bool(true);
    }
    let (index, limit) = (b.input(Input::ThreadIndex), b.i32(5));
    b.op(Op::INe, &[index, limit])
}

/// Mixes words into the thread's own element of the output, so that every group leaves a trace.
fn report(b: &mut Builder<'_>, values: &[Value]) {
    let index = b.input(Input::ThreadIndex);
    report_at(b, index, values);
}

/// The same in an element that no other thread of the group has.
fn report_at(b: &mut Builder<'_>, index: Value, values: &[Value]) {
    let (zero, always) = (b.i32(0), b.bool(true));
    let place = MemoryRef { object: Object::Resource(only(ResourceId::new(OUT))), index: Some(index), offset: zero };
    let old = b.load(place, values.len());
    let factor = b.i32(31);
    let mixed: Vec<Value> = old
        .into_iter()
        .zip(values)
        .map(|(old, &value)| {
            let old = b.op(Op::IMul, &[old, factor]);
            b.op(Op::IAdd, &[old, value])
        })
        .collect();
    b.store(place, &mixed, always);
}

/// Starts of index and offset: inside, across a bound in the middle of a packet, around 2^32.
fn groups() -> Vec<[u32; 3]> {
    let indices = [0, 1, 3, 4, 9, 10, 11, 500, u32::MAX - 3, 0x2000_0000, 0x8000_0000];
    let offsets = [0, 4, 7, 8, 12, 40, 84, 180, 208, u32::MAX - 7];
    indices.into_iter().flat_map(|index| offsets.map(|offset| [index, offset, 0])).collect()
}

fn layouts(memory: Memory) -> Vec<[Layout; 2]> {
    let growing = |n| Layout::Growing(n);
    let (uniform, scattered) = (Layout::Uniform, Layout::Scattered);
    if !memory.has_index() {
        return [uniform, growing(4), growing(8), growing(12), growing(16), growing(20), growing(2), scattered]
            .map(|offset| [uniform, offset])
            .to_vec();
    }
    vec![
        [uniform, uniform],
        [growing(1), uniform],
        [growing(2), uniform],
        [growing(u32::MAX), uniform],
        [scattered, uniform],
        [uniform, growing(4)],
        [growing(1), growing(4)],
    ]
}

/// The same function among so many other accesses that a helper does most of its own.
fn crowded(func: &Function) -> Function {
    let mut func = func.clone();
    let zero = func.add_inst(InstKind::Const(brolga_ir::Const::i32(0)), &[Type::I32], Origin::default());
    let zero = func.inst(zero).results[0];
    let place = MemoryRef { object: Object::Resource(only(ResourceId::new(OUT))), index: Some(zero), offset: zero };
    // In no region, so that they only count.
    for _ in 0..2_000 {
        func.add_inst(InstKind::Load { place }, &[Type::I32], Origin::default());
    }
    func
}

fn check(func: Function, seed: u64) {
    let mut random = Random(seed);
    let content = bound::contents(&func, || random.bits() as u32);
    compare(func, &content, &groups(), u64::MAX, Variants::OfMany);
}

/// Fills shared memory so that loads from it tell words apart.
fn fill_shared(b: &mut Builder<'_>, memory: Memory) {
    let (Memory::SharedRaw | Memory::Shared(_)) = memory else { return };
    let (index, zero, always) = (b.input(Input::ThreadIndex), b.i32(0), b.bool(true));
    let object = Object::Shared(SharedId::new(0));
    let four = b.i32(4);
    let bytes = b.op(Op::IMul, &[index, four]);
    let one = b.i32(1);
    let value = b.op(Op::IAdd, &[index, one]);
    let place = match memory.has_index() {
        true => MemoryRef { object, index: Some(index), offset: zero },
        false => MemoryRef { object, index: None, offset: bytes },
    };
    b.store(place, &[value], always);
}

#[test]
fn loads_of_every_shape() {
    for memory in Memory::ALL {
        for layout in layouts(memory) {
            for words in 1..=4 {
                for fixed in [None, Some(0), Some(4)] {
                    let mut func = function(memory);
                    let mut b = Builder::new(&mut func);
                    fill_shared(&mut b, memory);
                    let place = place(&mut b, memory, layout, fixed.filter(|_| memory.has_index()));
                    let values = b.load(place, words);
                    report(&mut b, &values);
                    b.return_();
                    println!("{memory:?} {layout:?} {words} words, offset {fixed:?}");
                    if words == 3 {
                        check(crowded(&func), 3);
                    }
                    check(func, words as u64);
                }
            }
        }
    }
}

#[test]
fn stores_of_every_shape() {
    for memory in Memory::ALL.into_iter().filter(|memory| memory.writable()) {
        for layout in layouts(memory) {
            for words in 1..=4 {
                for (fixed, masked, varying) in
                    [(None, false, true), (Some(0), false, true), (Some(4), true, true), (None, true, false)]
                {
                    let mut func = function(memory);
                    let mut b = Builder::new(&mut func);
                    let mut values: Vec<Value> = (0..words).map(|n| b.i32(0x100 * (n + 1))).collect();
                    if varying {
                        let index = b.input(Input::ThreadIndex);
                        values = values.into_iter().map(|value| b.op(Op::IAdd, &[value, index])).collect();
                    }
                    let effect = effect(&mut b, masked);
                    let place = place(&mut b, memory, layout, fixed.filter(|_| memory.has_index()));
                    b.store(place, &values, effect);
                    let seen = b.load(place, words as usize);
                    report(&mut b, &seen);
                    b.return_();
                    println!("{memory:?} {layout:?} {words} words, offset {fixed:?}, masked {masked}");
                    if words == 3 {
                        check(crowded(&func), 3);
                    }
                    check(func, u64::from(words));
                }
            }
        }
    }
}

/// Groups of four rows, of which wide packets have several.
#[test]
fn loads_and_stores_in_octets() {
    const THREADS: u32 = 32;
    let octets = |n| Layout::Octets(n);
    for memory in Memory::ALL {
        let layouts = match memory.has_index() {
            true => vec![[octets(1), Layout::Uniform], [Layout::Uniform, octets(4)], [Layout::Growing(1), octets(4)]],
            false => [4, 8, 12, 20, 2].map(|step| [Layout::Uniform, octets(step)]).to_vec(),
        };
        for layout in layouts {
            for (words, masked) in [(1, false), (1, true), (2, true), (3, false), (4, true)] {
                let mut func = function_of(memory, THREADS);
                let mut b = Builder::new(&mut func);
                fill_shared(&mut b, memory);
                let place = place(&mut b, memory, layout, None);
                let values = b.load(place, words);
                if memory.writable() {
                    let index = b.input(Input::ThreadIndex);
                    let values: Vec<Value> = values.iter().map(|&value| b.op(Op::IAdd, &[value, index])).collect();
                    let effect = effect(&mut b, masked);
                    b.store(place, &values, effect);
                }
                report(&mut b, &values);
                // The output is shorter than the group: once more for those at its end.
                let (index, last) = (b.input(Input::ThreadIndex), b.i32(THREADS - 8));
                let index = b.op(Op::Xor, &[index, last]);
                report_at(&mut b, index, &values);
                b.return_();
                println!("{memory:?} {layout:?} {words} words, masked {masked}");
                check(func, words as u64);
            }
        }
    }
}

#[test]
fn atomics_on_every_memory() {
    for memory in Memory::ALL.into_iter().filter(|memory| memory.writable()) {
        for op in AtomicOp::ALL {
            let layouts = [Layout::Uniform, Layout::Growing(1), Layout::Scattered];
            for (layout, masked) in layouts.into_iter().flat_map(|layout| [(layout, false), (layout, true)]) {
                let mut func = function(memory);
                let mut b = Builder::new(&mut func);
                fill_shared(&mut b, memory);
                let index = b.input(Input::ThreadIndex);
                let compare = (op == AtomicOp::CompareExchange).then_some(index);
                let effect = effect(&mut b, masked);
                // Memory without elements differs in its offset, by less than a word for neighbours.
                let place = place(&mut b, memory, [layout, layout], None);
                let seven = b.i32(7);
                let value = b.op(Op::IMul, &[index, seven]);
                let old = b.atomic(op, place, value, compare, effect);
                report(&mut b, &[old]);
                b.return_();
                if matches!(op, AtomicOp::Add | AtomicOp::SMin | AtomicOp::CompareExchange) {
                    check(crowded(&func), 3);
                }
                check(func, 3);
            }
        }
    }
}

fn typed(count: u32, dimension: Dimension) -> Function {
    let kind = ResourceKind::Typed { dimension, component: Component::Uint };
    let mut counted = resource(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 4 }, 1);
    counted.uses_counter = true;
    let resources = vec![
        resource(ResourceClass::UnorderedAccess, ResourceKind::Structured { stride_bytes: 64 }, 1),
        resource(ResourceClass::UnorderedAccess, kind, count),
        counted,
    ];
    Function::new("typed", Interface { resources, ..Interface::compute([13, 1, 1]) })
}

/// Texels, queries and counters go through helpers: the same answers in the same order.
#[test]
fn helpers_answer_lane_by_lane() {
    for (op, uniform) in AtomicOp::ALL.into_iter().flat_map(|op| [(op, false), (op, true)]) {
        let mut func = typed(1, Dimension::Texture2d);
        let mut b = Builder::new(&mut func);
        let index = b.input(Input::ThreadIndex);
        let (two, three) = (b.i32(2), b.i32(3));
        let x = if uniform { two } else { index };
        let view = only(ResourceId::new(TARGET));
        let effect = effect(&mut b, true);
        let texel = b.texel_load(view, &[x, two], None);
        b.texel_store(view, &[x, three], [index, two, three, index], effect);
        let compare = (op == AtomicOp::CompareExchange).then_some(index);
        let old = b.texel_atomic(op, view, &[x, three], index, compare, effect);
        let counter = b.counter(CounterOp::Alloc, only(ResourceId::new(2)), effect);
        let consumed = b.counter(CounterOp::Consume, only(ResourceId::new(2)), effect);
        report(&mut b, &texel);
        let (four, always, object) = (b.i32(16), b.bool(true), Object::Resource(only(ResourceId::new(OUT))));
        let place = MemoryRef { object, index: Some(index), offset: four };
        b.store(place, &[old, counter, consumed], always);
        b.return_();
        let mut random = Random(9);
        let content = bound::contents(&func, || random.bits() as u32);
        compare_engines(func, &content);
    }
}

#[test]
fn messages_are_sent_lane_by_lane() {
    for (kind, uniform) in MessageKind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let mut func = function(Memory::Raw);
        func.interface.messages = vec![Message { kind, is_format: true, text: "%u".into() }; 2];
        let mut b = Builder::new(&mut func);
        let (index, two) = (b.input(Input::ThreadIndex), b.i32(2));
        let (thread, effect) = (if uniform { two } else { index }, effect(&mut b, true));
        let always = b.bool(true);
        b.set_origin(Origin(40));
        b.message(MessageId::new(1), &[two, two, index, thread, two, index], effect);
        // Those of the first message that aborts come to nothing else.
        b.message(MessageId::new(0), &[index, two, index, thread], always);
        report(&mut b, &[index]);
        b.return_();
        let mut random = Random(9);
        let content = bound::contents(&func, || random.bits() as u32);
        compare_engines(func, &content);
    }
}

#[test]
fn questions_are_answered_lane_by_lane() {
    for (query, uniform) in Query::OF_SHADERS.into_iter().flat_map(|query| [(query, false), (query, true)]) {
        let samples = matches!(query, Query::SampleCount | Query::SamplePosition);
        let mut func = typed(1, if samples { Dimension::Texture2dMs } else { Dimension::Texture2d });
        let mut b = Builder::new(&mut func);
        let (index, two) = (b.input(Input::ThreadIndex), b.i32(2));
        let level = query.takes_level().then_some(if uniform { two } else { index });
        let view = if query == Query::BufferSize { OUT } else { TARGET };
        let answer = b.query(query, only(ResourceId::new(view)), level);
        report(&mut b, &answer);
        b.return_();
        let mut random = Random(9);
        let content = bound::contents(&func, || random.bits() as u32);
        compare_engines(func, &content);
    }
}

fn compare_engines(func: Function, content: &[Vec<Vec<u32>>]) {
    compare(func, content, &[[0, 0, 0]], u64::MAX, Variants::All);
}

/// The test that compares the machine code of an instruction with the interpreter. A new kind of instruction does not
/// compile here until it has one.
fn proof(kind: &InstKind) -> Option<&'static str> {
    Some(match kind {
        InstKind::Load { .. } => "loads_of_every_shape",
        InstKind::Store { .. } => "stores_of_every_shape",
        InstKind::Atomic { .. } => "atomics_on_every_memory",
        InstKind::Counter { .. }
        | InstKind::TexelLoad { .. }
        | InstKind::TexelStore { .. }
        | InstKind::TexelAtomic { .. } => "helpers_answer_lane_by_lane",
        InstKind::Message { .. } => "messages_are_sent_lane_by_lane",
        InstKind::Query { .. } => "questions_are_answered_lane_by_lane",
        InstKind::Sample { .. } => "samples_are_asked_packet_by_packet in sample.rs",
        InstKind::PacketAll(_) => "packets_are_asked_whether_all_threads_agree in sample.rs",
        InstKind::QuadRead { .. } => "quads_read_what_runs in sample.rs",
        InstKind::Const(_) | InstKind::Op { .. } => "tests of ops.rs",
        InstKind::Input(_)
        | InstKind::Barrier(_)
        | InstKind::If { .. }
        | InstKind::Loop { .. }
        | InstKind::Switch { .. }
        | InstKind::Yield(_)
        | InstKind::Break { .. }
        | InstKind::Continue { .. }
        | InstKind::Return => "tests of control.rs",
        // Nothing to run.
        InstKind::Note(..) => return None,
        // Engines never see slots.
        InstKind::SlotGet(_) | InstKind::SlotSet(..) => return None,
    })
}

#[test]
fn every_instruction_of_a_verified_function_has_a_proof() {
    let func = crowded(&function(Memory::Raw));
    assert!((0..func.inst_count()).all(|n| proof(&func.inst(Inst::new(n)).kind).is_some()));
}

#[test]
fn a_panic_in_a_helper_ends_the_group_with_a_fault() {
    let mut func = typed(1, Dimension::Texture2d);
    let mut b = Builder::new(&mut func);
    let (one, two) = (b.i32(1), b.i32(2));
    report(&mut b, &[one]);
    b.set_origin(Origin(31));
    let always = b.bool(true);
    b.counter(CounterOp::Alloc, only(ResourceId::new(2)), always);
    report(&mut b, &[two]);
    b.return_();
    let func = verify(func).unwrap();
    let options = Options::host().expect("tests run on x86-64 with SSE4.2");
    let compiled = compile(&func, &options).unwrap();
    let mut bound = bound::Bound::new(&func, &bound::contents(&func, || 0));
    bound.panics = true;
    let outcome = bound::run(&func, &compiled, &bound, &[[0, 0, 0]], u64::MAX);
    assert_eq!(outcome.ends, [Err(Fault::new(FaultKind::Internal, Origin(31)))]);
    // The first packet wrote once, the second never began.
    let written: Vec<u32> = bound.words(OUT).into_iter().filter(|&word| word != 0).collect();
    assert_eq!(written, [1; 8]);
}

/// Elements beyond 4 GiB are reached by every path, though offsets do not fit 32 bits.
#[test]
fn views_over_four_gibibytes() {
    const STRIDE: u32 = 64;
    const WORDS: usize = STRIDE as usize / 4;
    const COUNT: usize = (1 << 26) + 8;
    for layout in [Layout::Uniform, Layout::Growing(1), Layout::Scattered] {
        let mut func = function(Memory::Structured(STRIDE));
        let mut b = Builder::new(&mut func);
        let place = place(&mut b, Memory::Structured(STRIDE), [layout, Layout::Uniform], Some(4));
        let index = b.input(Input::ThreadIndex);
        let value = if layout == Layout::Uniform { b.i32(7) } else { index };
        let always = b.bool(true);
        let old = b.load(place, 1)[0];
        b.store(place, &[value], always);
        let new = b.load(place, 1)[0];
        report(&mut b, &[old, new]);
        b.return_();
        let func = verify(func).unwrap();
        let options = Options::host().expect("tests run on x86-64 with SSE4.2");
        let compiled = compile(&func, &options).unwrap();
        let mut bound = bound::Bound::new(&func, &[vec![vec![0; 128]], vec![vec![0]]]);
        bound.enlarge(TARGET, COUNT * WORDS);
        for word in [1, COUNT - 8, COUNT - 1].map(|element| element * WORDS + 1) {
            bound.word_of(TARGET, word).store(1000, Ordering::Relaxed);
        }
        let start = COUNT as u32 - 8;
        let end = bound::with_run(&func, &compiled, &bound, 0, |mut run| run.group([start, 0, 0], 0));
        assert_eq!(end, Ok(()));
        let words = bound.words(OUT);
        for lane in 0..8u32 {
            let own = match layout {
                Layout::Uniform => 0,
                Layout::Growing(step) | Layout::Octets(step) => lane * step,
                Layout::Scattered => (lane * 5) & 7,
            };
            let old = if own == 0 || own == 7 { 1000 } else { 0 };
            let new = if layout == Layout::Uniform { 7 } else { lane };
            assert_eq!(words[lane as usize * 16..][..2], [old, new], "{layout:?}, lane {lane}");
        }
        // 4 GiB before the first element there is one that a truncated offset would hit.
        let first = [1, WORDS + 1].map(|word| bound.word_of(TARGET, word).load(Ordering::Relaxed));
        assert_eq!(first, [0, 1000]);
    }
}

/// Clamped, wrapped or selected indices usually lead to adjacent words: where they do, where they do not, beyond the
/// end, and where some lanes are inactive.
#[test]
fn neighbours_at_the_edges() {
    const WORDS: u32 = 40;
    let ways = [
        "imax r1.x, r0.x, l(0)",
        "imin r1.x, r0.x, l(29)\nimax r1.x, r1.x, l(7)",
        "umin r1.x, r0.x, l(21)\niadd r1.x, r1.x, r0.w",
        "and r1.x, r0.x, l(15)",
        "udiv null, r1.x, r0.x, l(13)",
        "ult r0.z, r0.x, l(17)\nmovc r1.x, r0.z, r0.x, l(3)",
        "imax r1.x, r0.x, l(0)\nishl r1.x, r1.x, l(2)\nushr r1.x, r1.x, l(2)",
    ];
    for way in ways {
        for [x, y] in [[64, 1], [8, 8], [13, 1]] {
            for guard in ["", "ine r0.z, r0.y, l(5)\nif_nz r0.z", "ult r0.z, r0.y, l(11)\nif_nz r0.z"] {
                let end = if guard.is_empty() { "" } else { "endif" };
                let func = in_ssa(&format!(
                    "dcl_uav_structured u0, 4
                    dcl_resource_structured t0, 4
                    dcl_resource_raw t1
                    dcl_input vThreadIDInGroup.xy
                    dcl_input vThreadIDInGroupFlattened
                    dcl_input vThreadGroupID.x
                    dcl_temps 3
                    dcl_thread_group {x}, {y}, 1
                    iadd r0.x, vThreadIDInGroup.x, vThreadGroupID.x
                    iadd r0.x, r0.x, l(-9)
                    mov r0.y, vThreadIDInGroupFlattened.x
                    mov r0.w, vThreadGroupID.x
                    mov r2.xy, l(0, 0, 0, 0)
                    {guard}
                    {way}
                    ld_structured r2.x, r1.x, l(0), t0.xxxx
                    ishl r1.x, r1.x, l(2)
                    ld_raw r2.y, r1.x, t1.xxxx
                    {end}
                    ishl r1.y, r0.y, l(1)
                    store_structured u0.x, r1.y, l(0), r2.x
                    iadd r1.y, r1.y, l(1)
                    store_structured u0.x, r1.y, l(0), r2.y
                    ret"
                ));
                let content = |factor: u32| vec![(0..WORDS).map(|n| n * factor + 1).collect()];
                let content = [vec![vec![0; 2 * (x * y) as usize]], content(3), content(5)];
                let groups = [0, 5, 9, 10, 16, 24, 40, 100].map(|start| [start, 0, 0]);
                compare(func, &content, &groups, u64::MAX, Variants::OfMany);
            }
        }
    }
}

/// Rows of private arrays: one for all lanes or one each, that exist or do not, of which all lanes store or some.
#[test]
fn private_arrays_of_every_shape() {
    let (uniform, scattered) = (Layout::Uniform, Layout::Scattered);
    let growing = Layout::Growing;
    for layout in [
        [uniform, uniform],
        [growing(1), uniform],
        [scattered, uniform],
        [scattered, growing(4)],
        [uniform, growing(4)],
        [growing(1), scattered],
    ] {
        for (words, masked) in [(1, false), (1, true), (3, true), (4, false)] {
            for fixed in [None, Some(0), Some(4), Some(12), Some(u32::MAX)] {
                let mut func = function(Memory::Raw);
                let local = |register| Local { register, registers: 11, components: 4 };
                func.interface.locals = vec![local(0), local(1)];
                let mut b = Builder::new(&mut func);
                let at = place(&mut b, Memory::Structured(16), layout, fixed);
                let seven = b.i32(7);
                let below = b.op(Op::And, &[at.index.expect("elements have an index"), seven]);
                let values: Vec<Value> = (0..words as u32)
                    .map(|n| {
                        let (index, start) = (b.input(Input::ThreadIndex), b.i32(100 * (n + 1)));
                        b.op(Op::IAdd, &[index, start])
                    })
                    .collect();
                let (always, effect) = (b.bool(true), effect(&mut b, masked));
                let places = [0, 1].map(|id| MemoryRef { object: Object::Local(LocalId::new(id)), ..at });
                let bounded = places.map(|place| MemoryRef { index: Some(below), ..place });
                b.store(bounded[0], &values, always);
                b.store(places[0], &values, effect);
                b.store(bounded[1], &values[..1], effect);
                for place in [places[0], bounded[0], places[1], bounded[1]] {
                    let read = b.load(place, words);
                    report(&mut b, &read);
                }
                b.return_();
                println!("{layout:?} {words} words, offset {fixed:?}");
                if words == 3 {
                    check(crowded(&func), 5);
                }
                check(func, words as u64);
            }
        }
    }
}

/// Facts about threads, such as that they are fewer than a buffer's elements, do not hold in lanes without a thread.
#[test]
fn lanes_without_a_thread_touch_nothing() {
    for ([x, y, z], input, declared) in [
        ([1, 2, 1], "vThreadIDInGroup.y", "vThreadIDInGroup.xyz"),
        ([3, 1, 1], "vThreadIDInGroup.x", "vThreadIDInGroup.xyz"),
        ([20, 1, 1], "vThreadIDInGroupFlattened.x", "vThreadIDInGroupFlattened"),
        ([1, 1, 13], "vThreadIDInGroup.z", "vThreadIDInGroup.xyz"),
    ] {
        let threads: u32 = x * y * z;
        let func = in_ssa(&format!(
            "dcl_uav_structured u0, 4
            dcl_constantbuffer CB0[{threads}], dynamicIndexed
            dcl_input {declared}
            dcl_temps 1
            dcl_thread_group {x}, {y}, {z}
            mov r0.x, {input}
            mov r0.y, cb0[r0.x].z
            store_structured u0.x, r0.x, l(0), r0.y
            ret"
        ));
        assert_eq!(func.interface.resources[OUT].class, ResourceClass::UnorderedAccess);
        // The buffer ends where its last vector does: the memory after it is not its own.
        let constants = (0..4 * threads).map(|n| n * 7 + 1).collect();
        compare(func, &[vec![vec![0; threads as usize]], vec![constants]], &[[0, 0, 0]], 100, Variants::All);
    }
}

/// Values held in scratch memory share its slots in turn, so nothing may be stored there ahead of its order: not even
/// the address of an access that is checked ahead.
#[test]
fn addresses_made_late_where_registers_are_few() {
    const ROWS: u32 = 9;
    let each = |line: &dyn Fn(u32) -> String| (0..ROWS).map(line).collect::<String>();
    let read = |view: &str| each(&|row| format!("ld_structured r{}, r0.x, l({}), {view}.xyzw\n", row + 1, 16 * row));
    let add = |row: u32| "xyzw".chars().map(|part| format!("iadd r0.y, r0.y, r{}.{part}\n", row + 1)).collect();
    let (first, second, sum) = (read("t0"), read("t1"), each(&add));
    let func = in_ssa(&format!(
        "dcl_uav_structured u0, 4
        dcl_resource_structured t0, {stride}
        dcl_resource_structured t1, {stride}
        dcl_input vThreadIDInGroupFlattened
        dcl_temps {}
        dcl_thread_group 64, 1, 1
        mov r0.xy, vThreadIDInGroupFlattened.xx
        {first}{sum}iadd r0.z, r0.x, l(64)
        {second}{sum}store_structured u0.x, r0.z, l(0), r0.y
        ret",
        ROWS + 1,
        stride = 16 * ROWS
    ));
    let mut random = Random(7);
    let mut words = |count: u32| vec![(0..count).map(|_| random.word()).collect::<Vec<u32>>()];
    let content = [vec![vec![0; 128]], words(64 * 4 * ROWS), words(64 * 4 * ROWS)];
    compare(func, &content, &[[0; 3]], u64::MAX, Variants::All);
}
