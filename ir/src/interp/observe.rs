//! Reports a run to an observer: every instruction with the lanes that ran it, the regions that they enter and leave,
//! and the barriers they wait at. It changes nothing, and costs nothing in a run without an observer.
//!
//! Instructions are named by their [`Inst`], so that all else can be looked up in the function that the interpreter was
//! made of: the operands and results, whose values a [`Packet`] has, and for accesses the object.

use smallvec::SmallVec;

use super::arena::Arena;
use super::code::{At, BatchArray, Code, WordRange};
use super::lanes_of;
use crate::batch::ArrayWords;
use crate::entity::{Inst, Value};
use crate::function::{Element, Function, InstKind, Object, Query, ResourceRef};
use crate::host::{Host, ViewSlot};
use crate::srgb::CURVE;

/// An observer of a run. Events are reported in the order in which they happen.
pub trait Observer {
    /// Lanes have run an instruction, or are about to jump: a jump is reported before it passes its operands on.
    /// Constants and inputs exist from the start, and an `if`, `loop` or `switch` is reported through its regions.
    #[inline]
    fn ran(&mut self, at: At, packet: &Packet<'_>) {
        let _ = (at, packet);
    }

    /// A loop is about to begin, and to pass its operands on.
    #[inline]
    fn began(&mut self, at: At, packet: &Packet<'_>) {
        let _ = (at, packet);
    }

    /// A region of the construct is entered, a loop's in every round: the index among its [regions](InstKind::regions),
    /// and the packet; none where it holds a barrier that waits: then all threads that are left enter.
    #[inline]
    fn entered(&mut self, at: At, region: usize, packet: Option<&Packet<'_>>) {
        let _ = (at, region, packet);
    }

    /// A region that was entered is left, with the lanes that reached its end; those that jumped are no longer among
    /// them.
    #[inline]
    fn left(&mut self, at: At, region: usize, packet: Option<&Packet<'_>>) {
        let _ = (at, region, packet);
    }

    /// Threads disagree about an `if` or `switch` that the whole group runs, which ends the run: each that is left, in
    /// order, with the bits of what decides.
    #[inline]
    fn disagreed(&mut self, at: At, ways: &[(u32, u64)]) {
        let _ = (at, ways);
    }

    /// All threads that are left have reached a barrier that waits.
    #[inline]
    fn waited(&mut self, at: At) {
        let _ = at;
    }
}

/// No observer.
impl Observer for () {}

/// A packet at an instruction.
#[derive(Clone, Copy)]
pub struct Packet<'a> {
    pub(super) code: &'a Code,
    pub(super) arena: &'a Arena,
    pub(super) host: &'a dyn Host,
    pub(super) arrays: &'a [ArrayWords<'a>],
    /// The number of the packet in the span.
    pub number: usize,
    /// Mask of the lanes concerned.
    pub lanes: u64,
}

impl Packet<'_> {
    /// The number of a lane's thread in its span.
    pub fn thread(&self, lane: usize) -> u32 {
        (self.number * self.code.lanes + lane) as u32
    }

    /// The lanes concerned, in order.
    pub fn each_lane(&self) -> impl Iterator<Item = usize> + use<> {
        lanes_of(self.lanes)
    }

    /// The host of the run.
    pub fn host(&self) -> &dyn Host {
        self.host
    }

    /// The bits of an operand or result of the instruction in every lane, as in [`Const`](crate::Const). Those of other
    /// lanes than [these](Self::lanes) are meaningless, and so are values that neither this instruction nor a later one
    /// needs.
    pub fn value(&self, value: Value) -> &[u64] {
        self.arena.value(self.code, self.number, self.code.slots[value.index()])
    }

    /// The memory accesses of the lanes, in their order, if the instruction is a load, a store or an atomic. `func` is
    /// the function that runs.
    pub fn accesses(&self, func: &Function, inst: Inst) -> Vec<Access> {
        let data = func.inst(inst);
        let (place, effect, stored): (_, _, &[Value]) = match &data.kind {
            InstKind::Load { place } => (place, None, &[]),
            InstKind::Store { place, values, effect } => (place, Some(*effect), values),
            InstKind::Atomic { place, effect, .. } => (place, Some(*effect), &[]),
            _ => return Vec::new(),
        };
        let takes_part = |&lane: &usize| effect.is_none_or(|effect| self.value(effect)[lane] != 0);
        let access = |lane| {
            let word = |value: Value| self.value(value)[lane] as u32;
            let words = |values: &[Value]| values.iter().map(|&value| word(value)).collect();
            let (read, mut written): (AccessedWords, AccessedWords) = (words(&data.results), words(stored));
            if let InstKind::Atomic { op, value, compare, .. } = &data.kind {
                written.push(op.apply(read[0], word(*value), compare.map_or(0, word)));
            }
            let mut object = place.object;
            if let Object::Resource(ResourceRef { element: element @ Element::Computed(_), .. }) = &mut object
                && let Element::Computed(value) = *element
            {
                *element = Element::Fixed(word(value));
            }
            let (index, offset_bytes) = (place.index.map(word), word(place.offset) & !3);
            let misaligned = if index.is_none() { word(place.offset) & 3 } else { 0 };
            let extent = self.extent(func, object);
            let is_inside = |&n: &usize| extent.word(index, u64::from(offset_bytes) + 4 * n as u64).is_some();
            let inside = (0..read.len().max(written.len())).filter(is_inside).count();
            Access { lane, object, index, offset_bytes, misaligned, read, written, inside }
        };
        lanes_of(self.lanes).filter(takes_part).map(access).collect()
    }

    /// The size of an object.
    fn extent(&self, func: &Function, object: Object) -> WordRange {
        let interface = &func.interface;
        let (stride_bytes, count) = match object {
            Object::Resource(ResourceRef { id, element: Element::Fixed(element) }) => {
                let [size, ..] = self.host.query(Query::BufferSize, ViewSlot { id, element }, 0);
                (interface.resource(id).stride_bytes().unwrap_or(1), size)
            }
            Object::Resource(ResourceRef { element: Element::Computed(_), .. }) => unreachable!("its value is known"),
            Object::Shared(id) => (interface.shared(id).stride_bytes, interface.shared(id).count),
            Object::Local(id) => (16, interface.local(id).registers),
            Object::Array(id) => {
                let (number, stride_bytes) = (id.index(), interface.array(id).stride_bytes);
                let words = self.arrays.get(number).map_or(0, |array| array.words().len());
                return BatchArray { number, stride_bytes }.extent(words);
            }
            Object::Immediate => (16, interface.immediate.len() as u32),
            Object::Curve => (4, CURVE.as_flattened().len() as u32),
        };
        WordRange { base: 0, stride_bytes, count }
    }
}

type AccessedWords = SmallVec<[u32; 4]>;

/// The memory access of one lane; [`MemoryRef`](crate::function::MemoryRef) has the rules.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Access {
    /// The lane.
    pub lane: usize,
    /// The object that was addressed; of a range of resources, a fixed register.
    pub object: Object,
    /// The element; `None` for raw objects.
    pub index: Option<u32>,
    /// The first byte, of the element or of a raw object.
    pub offset_bytes: u32,
    /// The low bits of the address of a raw object, which were ignored.
    pub misaligned: u32,
    /// The words that were read.
    pub read: SmallVec<[u32; 4]>,
    /// The words that were written.
    pub written: SmallVec<[u32; 4]>,
    /// Number of words in range: the first ones. Others read 0 and were not written.
    pub inside: usize,
}
