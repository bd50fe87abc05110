//! Checks the bounds of every kind of view against a plain list of bytes with guards before and after.

use std::sync::Mutex;

use brolga_ir::entity::ResourceId;
use brolga_ir::interface::{Component, Dimension, ResourceClass, ResourceKind};
use brolga_resource::format::{Format, Use};
use brolga_resource::{Buffer, Counter, GuardPages, Texture, TextureShape, View};

use super::*;
use crate::bindings::{BindingRules, Bindings, Declared, Register};
use crate::error::Error;
use crate::limits::Limits;

mod texels;

const GUARD: u64 = 64;
fn slot() -> ViewSlot {
    ViewSlot { id: ResourceId::new(0), element: 0 }
}

fn declared(class: ResourceClass, kind: ResourceKind) -> Declared {
    Declared::one(Register::new(class, 0), kind)
}

/// Takes no messages.
#[derive(Debug)]
struct Nobody;

static NOBODY: Nobody = Nobody;

impl Outbox for Nobody {
    fn send(&self, _: MessageId, _: Origin, _: &[u32]) {}
}

/// Addresses of memory that is never freed, so that leak checkers can find it.
static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());

fn keep<T>(value: T) -> &'static T {
    let kept = Box::leak(Box::new(value));
    KEPT.lock().unwrap().push(std::ptr::from_ref(kept).addr());
    kept
}

/// Views that are never freed, so that a test need not keep what they are made from.
fn bind_by(rules: BindingRules, declared: Declared, view: Option<View>) -> Result<Reach<'static>, Error> {
    let mut bindings = Bindings::with_rules(rules);
    if let Some(view) = view {
        bindings.set(declared.register, view);
    }
    let views = keep(BoundViews::new(&[declared], &[], (&bindings).into(), &Limits::default())?);
    let copies = views.constants().flatten().map(|(_, constants)| {
        let copy = constants.memory(GuardPages::default()).unwrap();
        constants.read(&copy);
        copy
    });
    Ok(Reach::new(
        views,
        keep(copies.collect::<Vec<_>>()),
        keep(RunCopies::default()),
        keep(StopWord::default()),
        &NOBODY,
    ))
}

fn bind(declared: Declared, view: View) -> Reach<'static> {
    bind_by(BindingRules::COMPLETE, declared, Some(view)).unwrap()
}

fn pattern(size: u64) -> Vec<u8> {
    (0..size).map(|n| (n * 37 + 11) as u8 | 1).collect()
}

fn buffer(bytes: &[u8]) -> Buffer {
    let buffer = Buffer::zeroed(bytes.len() as u64, GuardPages::default()).unwrap();
    buffer.write(0, bytes).unwrap();
    buffer
}

/// A view of `size` bytes between guards; the buffer holds a pattern.
fn guarded(size: u64, view: impl Fn(Buffer) -> View) -> (Buffer, View) {
    let buffer = buffer(&pattern(size + 2 * GUARD));
    let view = view(buffer.clone()).with_range(GUARD, size).unwrap();
    (buffer, view)
}

/// The word that an address reaches in a view of `size` bytes, by the rules of `MemoryRef`, as a position in the view.
fn model(size: u64, stride: Option<u64>, index: Option<u32>, offset: u64) -> Option<u64> {
    let offset = offset / 4 * 4;
    match stride {
        None => (offset + 4 <= size).then_some(offset),
        Some(stride) => {
            let index = u64::from(index.unwrap());
            (index < size / stride && offset + 4 <= stride).then_some(index * stride + offset)
        }
    }
}

fn addresses(stride: Option<u32>) -> Vec<(Option<u32>, u32)> {
    let offsets =
        [0u32, 1, 3, 4, 7, 8, 12, 15, 16, 20, 24, 28, 56, 59, 60, 61, 63, 64, 68, 1 << 31, u32::MAX - 3, u32::MAX];
    let indices = [0u32, 1, 2, 3, 4, 5, 1 << 28, 1 << 30, u32::MAX / 16, u32::MAX];
    match stride {
        None => offsets.map(|offset| (None, offset)).to_vec(),
        Some(_) => indices.iter().flat_map(|&index| offsets.map(|offset| (Some(index), offset))).collect(),
    }
}

#[test]
fn words_in_range_are_read_and_written_and_no_others() {
    for (size, stride) in
        [(60, None), (62, None), (0, None), (48, Some(12)), (50, Some(12)), (64, Some(16)), (8, Some(12))]
    {
        let kind = stride.map_or(ResourceKind::Raw, |stride_bytes| ResourceKind::Structured { stride_bytes });
        for (index, offset_bytes) in addresses(stride) {
            for count in 1..=4 {
                let (buffer, view) = guarded(size, |buffer| match stride {
                    None => View::raw(buffer).unwrap(),
                    Some(stride) => View::structured(buffer, stride).unwrap(),
                });
                let host = bind(declared(ResourceClass::UnorderedAccess, kind), view);
                let mut expected: Vec<u8> = buffer.to_vec().unwrap();
                let at = Address { view: slot(), index, offset_bytes };
                let offsets: Vec<_> = (0..count)
                    .map(|n| model(size, stride.map(u64::from), index, u64::from(offset_bytes & !3) + 4 * n))
                    .map(|offset| offset.map(|offset| (GUARD + offset) as usize))
                    .collect();

                let mut words = vec![0xdead_beef; count as usize];
                host.load(at, &mut words);
                for (word, offset) in words.iter().zip(&offsets) {
                    let wanted = offset.map_or(0, |at| u32::from_le_bytes(expected[at..at + 4].try_into().unwrap()));
                    assert_eq!(*word, wanted, "{size} {stride:?} {at:?}");
                }
                let stored: Vec<u32> = (0..count as u32).map(|n| 0x0101_0101 * (n + 1)).collect();
                host.store(at, &stored);
                for (word, offset) in stored.iter().zip(&offsets) {
                    if let Some(at) = *offset {
                        expected[at..at + 4].copy_from_slice(&word.to_le_bytes());
                    }
                }
                assert_eq!(buffer.to_vec::<u8>().unwrap(), expected, "{size} {stride:?} {at:?}");
            }
        }
    }
}

#[test]
fn atomics_change_one_word_in_range_and_give_the_word_before() {
    for op in AtomicOp::ALL {
        for (offset_bytes, offset) in [(8, Some(8)), (11, Some(8)), (12, None), (u32::MAX, None)] {
            for (old, value, compare) in [(5, 7, 5), (5, 7, 6), (u32::MAX, 1, 0), (1, u32::MAX, 1), (1 << 31, 1, 0)] {
                let (buffer, view) = guarded(12, |buffer| View::raw(buffer).unwrap());
                buffer.write(GUARD + 8, &[old]).unwrap();
                let host = bind(declared(ResourceClass::UnorderedAccess, ResourceKind::Raw), view);
                let mut expected: Vec<u8> = buffer.to_vec().unwrap();
                let before = host.atomic(op, Address { view: slot(), index: None, offset_bytes }, value, compare);
                assert_eq!(before, offset.map_or(0, |_| old));
                if let Some(offset) = offset {
                    let at = GUARD as usize + offset;
                    expected[at..at + 4].copy_from_slice(&op.apply(old, value, compare).to_le_bytes());
                }
                assert_eq!(buffer.to_vec::<u8>().unwrap(), expected, "{op:?}");
            }
        }
    }
}

#[test]
fn constant_buffers_are_padded_to_the_declared_and_to_whole_vectors() {
    let bytes = pattern(20);
    let view = View::constant(buffer(&bytes)).unwrap();
    let host = bind(declared(ResourceClass::Constant, ResourceKind::Constant { vectors: 3 }), view.clone());
    let words = |host: &Reach, index| {
        let mut words = [1; 4];
        host.load(Address { view: slot(), index: Some(index), offset_bytes: 0 }, &mut words);
        words
    };
    let word = |n: usize| u32::from_le_bytes(bytes[4 * n..4 * n + 4].try_into().unwrap());
    assert_eq!(words(&host, 0), [word(0), word(1), word(2), word(3)]);
    assert_eq!(words(&host, 1), [word(4), 0, 0, 0]);
    assert_eq!([words(&host, 2), words(&host, 3), words(&host, u32::MAX)], [[0; 4]; 3]);
    let Some(Bound::Constants(bound)) = host.bound(slot()) else { panic!() };
    assert_eq!((bound.count(), host.constants[0].size_bytes()), (3, 48));

    // Bytes bound beyond the declared size are readable.
    let host = bind(declared(ResourceClass::Constant, ResourceKind::Constant { vectors: 1 }), view);
    assert_eq!(words(&host, 1), [word(4), 0, 0, 0]);
}

#[test]
fn typed_buffers_end_with_their_last_whole_texel() {
    for format in [Format::R8_UINT, Format::R16_UINT, Format::R32G32B32_UINT, Format::R16G16B16A16_UINT] {
        let texel = u64::from(format.size_bytes());
        let size = 5 * texel + texel - 1;
        let kind = ResourceKind::Typed { dimension: Dimension::Buffer, component: Component::Uint };
        for index in [0u32, 1, 4, 5, 6, 1 << 28, u32::MAX] {
            let (buffer, view) = guarded(size, |buffer| View::typed(buffer, format).unwrap());
            let is_stored = format.allows(Use::Store);
            let class = if is_stored { ResourceClass::UnorderedAccess } else { ResourceClass::ShaderResource };
            let host = bind(declared(class, kind), view);
            let mut expected: Vec<u8> = buffer.to_vec().unwrap();
            let at = (GUARD + u64::from(index) * texel) as usize;
            let inside = index < 5;
            let mut bytes = [0; 16];
            if inside {
                bytes[..texel as usize].copy_from_slice(&expected[at..at + texel as usize]);
            }
            let read = host.texel_load(slot(), [index, 9, 9], 7);
            assert_eq!(read, if inside { format.decode(u128::from_le_bytes(bytes)) } else { format.zero() });
            if is_stored {
                host.texel_store(slot(), [index, 9, 9], [1, 2, 3, 4]);
            }
            if inside && is_stored {
                let bytes = format.encode([1, 2, 3, 4]).to_le_bytes();
                expected[at..at + texel as usize].copy_from_slice(&bytes[..texel as usize]);
            }
            assert_eq!(buffer.to_vec::<u8>().unwrap(), expected);
            assert_eq!(host.query(Query::BufferSize, slot(), 0), [5; 4]);
        }
    }
}

#[test]
fn what_is_not_bound_reads_as_zeros() {
    let kinds =
        [ResourceKind::Raw, ResourceKind::Typed { dimension: Dimension::Texture2d, component: Component::Float }];
    for kind in kinds {
        let declared = declared(ResourceClass::UnorderedAccess, kind);
        assert!(bind_by(BindingRules::COMPLETE, declared.clone(), None).is_err());
        let host = bind_by(BindingRules::PARTIAL, declared, None).unwrap();
        for element in [0, 1, u32::MAX] {
            let view = ViewSlot { element, ..slot() };
            let at = Address { view, index: None, offset_bytes: 0 };
            let mut words = [1; 4];
            host.load(at, &mut words);
            host.store(at, &[1]);
            host.texel_store(view, [0; 3], [1; 4]);
            assert_eq!(words, [0; 4]);
            assert_eq!(host.texel_load(view, [0; 3], 0), [0; 4]);
            assert_eq!(host.atomic(AtomicOp::Add, at, 1, 0), 0);
            assert_eq!(host.texel_atomic(AtomicOp::Add, view, [0; 3], 1, 0), 0);
            assert_eq!(host.counter(CounterOp::Alloc, view), 0);
            for query in Query::ALL {
                assert_eq!(host.query(query, view, 0), [0; 4]);
            }
        }
    }
}

#[test]
fn counters_give_the_value_before_up_and_after_down() {
    let counter = Counter::new(u32::MAX);
    let view = View::structured(Buffer::zeroed(16, GuardPages::default()).unwrap(), 4)
        .unwrap()
        .with_counter(counter.clone())
        .unwrap();
    let kind = ResourceKind::Structured { stride_bytes: 4 };
    let host = bind(Declared { uses_counter: true, ..declared(ResourceClass::UnorderedAccess, kind) }, view);
    assert_eq!([host.counter(CounterOp::Alloc, slot()), host.counter(CounterOp::Alloc, slot())], [u32::MAX, 0]);
    assert_eq!(counter.get(), 1);
    assert_eq!([host.counter(CounterOp::Consume, slot()), host.counter(CounterOp::Consume, slot())], [0, u32::MAX]);
    assert_eq!(counter.get(), u32::MAX);
}
