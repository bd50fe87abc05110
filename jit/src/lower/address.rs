//! Computes addresses: the memory that is accessed, its bounds, and how addresses vary across the lanes.
//!
//! All bounds are computed in 64 bits from 32-bit numbers, so nothing wraps. A fast path is taken only if every word of
//! every active lane is in range; everything else goes lane by lane (`lanes.rs`), where each word is checked.

use brolga_ir::Op;
use brolga_ir::entity::{ResourceId, Value};
use brolga_ir::function::{Element, MemoryRef, Object, Query, ResourceRef};
use brolga_ir::interface::ResourceKind;
use brolga_ir::srgb::CURVE;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use smallvec::SmallVec;

use super::facts::Facts;
use super::mask::LaneMask;
use super::notes::Note;
use super::{Lowering, constant_flags, word_flags};
use crate::abi::{ZERO_BYTES, offsets};
use crate::packet::{Packet, PacketOperand};

/// Number of views that are looked up at the function's start; further ones are looked up where they are used.
const EARLY_VIEWS: usize = 64;
/// Bytes of a register, and of a vector of a constant buffer: four words.
pub(super) const REGISTER_BYTES: u32 = 16;
/// The most bytes that the lanes of one access may span on the strided path; displacements have 32 bits.
const MAX_SPREAD: u64 = 1 << 24;

/// Exclusive bound on the byte offset of lanes with addresses of their own, since gathers add signed 32-bit offsets.
/// Lanes beyond it are accessed one by one.
const FARTHEST: u64 = 1 << 31;

/// The fields of a view record that code needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewBounds {
    /// Address of the first byte.
    pub base: ir::Value,
    /// Size in bytes of a raw view, in elements of any other, as an `i64`.
    pub limit: ir::Value,
}

/// A number of bytes or elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    Known(u64),
    /// An `i64`.
    Value(ir::Value),
}

/// A region of memory that is accessed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub base: ir::Value,
    /// Bytes per element; `None` for raw memory.
    pub stride: Option<u32>,
    /// Size in elements, or in bytes for raw memory.
    pub limit: Limit,
    /// Elements, or bytes of raw memory, below this are in range without a check.
    pub sure: u64,
    /// Set if only this worker accesses it.
    pub private: bool,
    /// Set if it does not change while a group runs.
    pub constant: bool,
}

impl Area {
    pub fn flags(&self) -> MemFlagsData {
        let mut flags = word_flags();
        if self.constant {
            flags.set_readonly();
        }
        flags
    }
}

/// Memory of an access, or the views among which each lane chooses.
#[derive(Clone, Debug)]
pub(super) enum Location {
    Area(Area),
    PerLane(Choice),
}

/// A range of which each lane chooses a view of its own.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub resource: ResourceId,
    /// Position in the range, an `i32` packet.
    pub element: Packet,
    /// Bytes per element; `None` for raw views.
    pub stride: Option<u32>,
}

/// The elements of an object that an index selects, one for each quad.
struct QuadElements {
    object: Object,
    index: Value,
    addresses: SmallVec<[ir::Value; 4]>,
}

/// A condition to branch on: set if any lane has its word out of range, in an access by all lanes of the packet.
pub(super) struct Outside {
    pub place: MemoryRef,
    pub any: ir::Value,
}

/// An access that was checked ahead, with its number of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proof {
    pub place: MemoryRef,
    pub words: u32,
}

/// Facts about addresses at the builder's position, so that nothing is looked up, computed or checked twice.
pub(super) struct AddressFacts {
    /// Views that were looked up at the function's start, for ranges with one register.
    pub views: Vec<Option<ViewBounds>>,
    /// Addresses of elements by quad, computed since the start of each enclosing region.
    quad_elements: Vec<QuadElements>,
    /// Results of range tests for words of all lanes, likewise.
    pub outside: Vec<Outside>,
    /// Accesses that were checked at the running packet's start.
    pub proofs: Vec<Proof>,
}

impl AddressFacts {
    /// No facts yet, for a function with this many ranges.
    pub fn new(ranges: usize) -> Self {
        Self { views: vec![None; ranges], quad_elements: Vec::new(), outside: Vec::new(), proofs: Vec::new() }
    }

    /// Number of facts of each kind so far.
    pub fn count(&self) -> [usize; 2] {
        [self.quad_elements.len(), self.outside.len()]
    }

    /// Forgets the facts found since the counts were these.
    pub fn forget(&mut self, [elements, outside]: [usize; 2]) {
        self.quad_elements.truncate(elements);
        self.outside.truncate(outside);
    }

    /// `true` if this many words of an access were checked ahead.
    pub fn is_proven(&self, access: &LoweredAccess, words: u32) -> bool {
        self.proofs.iter().any(|proof| proof.place == access.place && words <= proof.words)
    }
}

/// The distribution of addresses across the lanes.
#[derive(Clone, Debug)]
pub(super) enum Spread {
    /// All lanes have one address.
    Same,
    /// Neighbouring lanes are this many bytes apart within each run of lanes: the whole packet, or each octet.
    Strided {
        bytes: u32,
        runs: u32,
    },
    Scattered,
}

/// Positions of the two values that select the accessed word.
pub(super) const INDEX: usize = 0;
pub(super) const OFFSET: usize = 1;

impl Spread {
    /// `true` if addresses are affine over all lanes, or uniform.
    pub fn is_line(&self) -> bool {
        matches!(self, Spread::Same | Spread::Strided { runs: 1, .. })
    }

    /// Number of runs of lanes with affine addresses.
    pub fn runs(&self) -> u32 {
        match *self {
            Spread::Strided { runs, .. } => runs,
            Spread::Same | Spread::Scattered => 1,
        }
    }
}

/// An access that is being lowered.
#[derive(Clone, Debug)]
pub(super) struct LoweredAccess {
    pub target: Location,
    pub index: Option<PacketOperand>,
    pub offset: PacketOperand,
    pub spread: Spread,
    /// Strides of the index and of the offset between neighbouring lanes of a run, unless it is scattered.
    pub steps: [u32; 2],
    pub known_index: Option<u32>,
    pub known_offset: Option<u32>,
    /// The memory operand.
    pub place: MemoryRef,
    /// Upper bounds of the index and the offset: in all lanes if it is strided, else in all threads.
    pub most: [u32; 2],
}

impl LoweredAccess {
    /// `true` if all words are in the element if it exists, so that one check suffices for all.
    pub fn fits_element(&self, area: &Area, words: usize) -> bool {
        match (area.stride, self.known_offset) {
            (Some(stride), Some(offset)) => u64::from(offset & !3) + words as u64 * 4 <= u64::from(stride),
            _ => false,
        }
    }
}

impl Lowering<'_, '_> {
    /// Notes how addresses vary across the lanes.
    pub fn note_access(&mut self, access: &LoweredAccess) {
        let note = match (&access.target, &access.spread) {
            (Location::PerLane(_), _) => Note::ViewPerLane,
            (_, Spread::Same) => Note::OneAddress,
            (_, Spread::Strided { bytes, runs: 1 }) => Note::Stride(*bytes),
            (_, Spread::Strided { bytes, .. }) => Note::StrideInOctets(*bytes),
            (_, Spread::Scattered) => Note::Scattered,
        };
        self.note(note);
    }

    /// Looks up the views of ranges with one register that code accesses directly. A large function looks them up where
    /// it uses them (see `anchor.rs`).
    pub fn look_up_views(&mut self) {
        if self.is_large() {
            return;
        }
        let mut wanted = vec![false; self.addresses.views.len()];
        for n in 0..self.func.inst_count() {
            let Some(place) = self.func.inst(brolga_ir::entity::Inst::new(n)).kind.memory() else { continue };
            if let Object::Resource(ResourceRef { id, element: Element::Fixed(0) }) = place.object {
                wanted[id.index()] |= self.func.interface.resource(id).count == Some(1);
            }
        }
        let ids: Vec<usize> = (0..wanted.len()).filter(|&n| wanted[n]).take(EARLY_VIEWS).collect();
        if ids.is_empty() {
            return;
        }
        let ranges = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::RANGES);
        for n in ids {
            let id = ResourceId::new(n);
            let record = self.first_record(id, ranges);
            self.addresses.views[n] = Some(self.read_view(id, record));
        }
    }

    /// Reads the fields of a view record.
    pub fn read_view(&mut self, id: ResourceId, record: ir::Value) -> ViewBounds {
        let limit = match self.func.interface.resource(id).stride_bytes() {
            Some(_) => offsets::VIEW_COUNT,
            None => offsets::VIEW_SIZE,
        };
        let base = self.builder.ins().load(types::I64, constant_flags(), record, offsets::VIEW_BASE);
        let limit = self.builder.ins().load(types::I64, constant_flags(), record, limit);
        ViewBounds { base, limit }
    }

    /// The address of the first view record of a range, which has at least one.
    fn first_record(&mut self, id: ResourceId, ranges: ir::Value) -> ir::Value {
        let at = (id.index() * offsets::RANGE_BYTES) as i32 + offsets::RANGE_VIEWS;
        self.builder.ins().load(types::I64, constant_flags(), ranges, at)
    }

    /// The address of the view record at a known position.
    fn known_record(&mut self, id: ResourceId, element: u32) -> ir::Value {
        if element == 0 && self.func.interface.resource(id).count == Some(1) {
            let ranges = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::RANGES);
            return self.first_record(id, ranges);
        }
        let element = self.builder.ins().iconst(types::I32, i64::from(element));
        self.view_record(id, element)
    }

    /// The address of a view record; a position out of the range is the unbound view.
    pub fn view_record(&mut self, id: ResourceId, element: ir::Value) -> ir::Value {
        let ranges = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::RANGES);
        let at = (id.index() * offsets::RANGE_BYTES) as i32;
        let views = self.builder.ins().load(types::I64, constant_flags(), ranges, at + offsets::RANGE_VIEWS);
        let count = self.builder.ins().load(types::I32, constant_flags(), ranges, at + offsets::RANGE_COUNT);
        let unbound = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::UNBOUND);
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, element, count);
        let element = self.builder.ins().uextend(types::I64, element);
        let bytes = self.builder.ins().imul_imm_u(element, offsets::VIEW_BYTES as i64);
        let record = self.builder.ins().iadd(views, bytes);
        self.builder.ins().select(exists, record, unbound)
    }

    /// The size of a view, or the layout of one whose texels code accesses: four scalars of its record.
    pub fn known_of_view(&mut self, query: Query, resource: ResourceRef) -> [PacketOperand; 4] {
        let Element::Fixed(element) = resource.element else { unreachable!("only asked of views at known registers") };
        let record = self.known_record(resource.id, element);
        let start = if query == Query::Layout { offsets::VIEW_LAYOUT } else { offsets::VIEW_SIZES };
        [0, 1, 2, 3].map(|n| {
            let at = start + 4 * n;
            let number = self.builder.ins().load(types::I32, constant_flags(), record, at);
            self.scalar(number)
        })
    }

    /// The memory of an access, except for private arrays.
    fn target(&mut self, object: Object) -> Location {
        let interface = &self.func.interface;
        Location::Area(match object {
            Object::Resource(resource) => return self.resource_target(resource),
            Object::Shared(id) => {
                let shared = *interface.shared(id);
                let base = self.builder.ins().iadd_imm_s(self.anchors.arena, self.layout.shared(id));
                let (stride, sure) = match shared.raw {
                    true => (None, u64::from(shared.stride_bytes) * u64::from(shared.count)),
                    false => (Some(shared.stride_bytes), u64::from(shared.count)),
                };
                let limit = Limit::Known(sure);
                Area { base, stride, limit, sure, private: true, constant: false }
            }
            Object::Array(id) => {
                let array = *interface.array(id);
                let load = |at| self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, at);
                let [base, count] = offsets::array(id).map(load);
                let (stride, limit) = (Some(array.stride_bytes), Limit::Value(count));
                Area { base, stride, limit, sure: 0, private: true, constant: !array.is_written }
            }
            Object::Curve | Object::Immediate => {
                let (at, stride, count) = match object {
                    Object::Curve => (offsets::CURVE, 4, CURVE.as_flattened().len()),
                    _ => (offsets::IMMEDIATE, REGISTER_BYTES, interface.immediate.len()),
                };
                let base = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, at);
                let (stride, limit, sure) = (Some(stride), Limit::Known(count as u64), count as u64);
                Area { base, stride, limit, sure, private: true, constant: true }
            }
            Object::Local(_) => unreachable!("private arrays are written in local.rs"),
        })
    }

    fn resource_target(&mut self, resource: ResourceRef) -> Location {
        let id = resource.id;
        let declared = self.func.interface.resource(id);
        let (kind, count) = (declared.kind, declared.count);
        let stride = declared.stride_bytes();
        let view = match (resource.element, self.addresses.views[id.index()]) {
            (Element::Fixed(0), Some(view)) => view,
            (Element::Fixed(n), _) => {
                let record = self.known_record(id, n);
                self.read_view(id, record)
            }
            (Element::Computed(value), _) => match self.operand(value) {
                PacketOperand::Uniform(element) => {
                    let record = self.view_record(id, element.value);
                    self.read_view(id, record)
                }
                PacketOperand::Packet(element) => {
                    return Location::PerLane(Choice { resource: id, element, stride });
                }
            },
        };
        let declared_register = matches!((resource.element, count), (Element::Fixed(n), Some(count)) if n < count);
        let (sure, constant) = match kind {
            // The runtime provides at least the declared size, and a block of zeros for unbound buffers.
            ResourceKind::Constant { vectors }
                if declared_register && vectors <= ZERO_BYTES as u32 / REGISTER_BYTES =>
            {
                (u64::from(vectors), true)
            }
            ResourceKind::Constant { .. } => (0, true),
            _ => (0, false),
        };
        let limit = Limit::Value(view.limit);
        Location::Area(Area { base: view.base, stride, limit, sure, private: false, constant })
    }

    /// Analyses a memory operand: its memory, and its distribution over the lanes of the mask.
    pub fn access(&mut self, place: MemoryRef, mask: &LaneMask) -> LoweredAccess {
        let target = self.target(place.object);
        let index = place.index.map(|index| self.operand(index));
        let offset = self.operand(place.offset);
        let all = matches!(mask, LaneMask::Full);
        let known = |value: Value| self.func.as_const(value).map(|constant| constant.bits as u32);
        let (known_index, known_offset) = (place.index.and_then(known), known(place.offset));
        let uniform = index.as_ref().is_none_or(PacketOperand::is_uniform) && offset.is_uniform();
        let (spread, steps) = match &target {
            Location::PerLane(_) => (Spread::Scattered, [0, 0]),
            Location::Area(_) if uniform => (Spread::Same, [0, 0]),
            Location::Area(area) => {
                let is_uniform = [index.as_ref().is_none_or(PacketOperand::is_uniform), offset.is_uniform()];
                self.facts.strided(area, [place.index.unwrap_or(place.offset), place.offset], is_uniform, all)
            }
        };
        let mut most =
            [place.index, Some(place.offset)].map(|value| value.map_or(0, |value| self.facts.bounds.most(value)));
        if matches!(spread, Spread::Strided { .. }) && !self.facts.are_all_lanes_threads() {
            // Lanes without a thread continue the pattern of the others.
            let last = self.facts.shape.lanes() - 1;
            most = [0, 1].map(|n| most[n].saturating_add(steps[n].saturating_mul(last)));
        }
        LoweredAccess { target, index, offset, spread, steps, known_index, known_offset, place, most }
    }

    /// The addresses of the first lane of each run of an access that is not scattered. Emitted on the fast path only,
    /// since the slow one does not need them.
    pub fn first_addresses(&mut self, area: &Area, access: &LoweredAccess) -> SmallVec<[ir::Value; 2]> {
        (0..access.spread.runs()).map(|run| self.first_address(area, access, run)).collect()
    }

    /// The address of a run's first lane.
    pub fn first_address(&mut self, area: &Area, access: &LoweredAccess, run: u32) -> ir::Value {
        let mut address = area.base;
        if let (Some(stride), Some(index_value)) = (area.stride, access.place.index) {
            match access.known_index {
                Some(index) => address = self.plus(address, u64::from(index) * u64::from(stride)),
                None => {
                    let first = self.first_of_run(index_value, run);
                    let first = self.builder.ins().uextend(types::I64, first);
                    let bytes = self.times(first, u64::from(stride));
                    address = self.builder.ins().iadd(address, bytes);
                }
            }
        }
        match access.known_offset {
            Some(offset) => self.plus(address, u64::from(offset & !3)),
            None => {
                let first = self.first_word(access.place.offset, run);
                self.builder.ins().iadd(address, first)
            }
        }
    }

    /// The offset of a run's first lane, in whole words.
    pub fn first_word(&mut self, offset: Value, run: u32) -> ir::Value {
        let first = self.first_of_run(offset, run);
        let first = self.builder.ins().band_imm_s(first, -4);
        self.builder.ins().uextend(types::I64, first)
    }

    /// Addresses of the elements by quad, or of zeros for those that do not exist, if the quads have one address each,
    /// all words of the access lie in the element, and the zeros are long enough. A single address if it is uniform.
    /// Computed once for all accesses to the same elements, so only where an element has more words than one access
    /// reads.
    pub fn quad_elements(
        &mut self,
        area: &Area,
        access: &LoweredAccess,
        words: usize,
    ) -> Option<SmallVec<[ir::Value; 4]>> {
        let (stride, index) = (area.stride?, access.place.index?);
        let is_shared = stride as usize > 4 * words;
        if !is_shared || !access.fits_element(area, words) || stride as usize > ZERO_BYTES {
            return None;
        }
        self.note(Note::WordChecked);
        let object = access.place.object;
        let mut known = self.addresses.quad_elements.iter();
        if let Some(known) = known.find(|known| known.object == object && known.index == index) {
            return Some(known.addresses.clone());
        }
        let numbers = access.index.as_ref().expect("verified: elements are addressed by an index").clone();
        let unbound = self.builder.ins().load(types::I64, constant_flags(), self.anchors.base, offsets::UNBOUND);
        let zeros = self.builder.ins().load(types::I64, constant_flags(), unbound, offsets::VIEW_BASE);
        let addresses = match self.first_quad(index) {
            Some(first) => self.following_elements(area, first, zeros),
            None => {
                let mut addresses = self.emit().firsts_of_quads(&numbers);
                for element in &mut addresses {
                    let start = self.times(*element, u64::from(stride));
                    let start = self.builder.ins().iadd(area.base, start);
                    *element = self.existing(area, *element, start, zeros);
                }
                addresses
            }
        };
        // In a large function they would occupy registers for long.
        if !self.is_large() && self.pressure.bytes == 0 {
            self.addresses.quad_elements.push(QuadElements { object, index, addresses: addresses.clone() });
        }
        Some(addresses)
    }

    /// The address of an element, or the other address if it does not exist.
    fn existing(&mut self, area: &Area, element: ir::Value, address: ir::Value, otherwise: ir::Value) -> ir::Value {
        let exists = self.below(element, area.limit);
        self.builder.ins().select(exists, address, otherwise)
    }

    /// The addresses of a packet's elements that are consecutive from quad to quad. Usually all exist: one check
    /// suffices.
    fn following_elements(&mut self, area: &Area, first: ir::Value, otherwise: ir::Value) -> SmallVec<[ir::Value; 4]> {
        let stride = u64::from(area.stride.expect("memory with elements has a stride"));
        let quads = self.facts.shape.parts_of(brolga_ir::Type::I32) as u64;
        let start = self.times(first, stride);
        let start = self.builder.ins().iadd(area.base, start);
        let [some, done] = [(); 2].map(|()| self.builder.create_block());
        self.builder.set_cold_block(some);
        let follow = (0..quads).map(|n| self.plus(start, n * stride)).collect::<SmallVec<[ir::Value; 4]>>();
        let addresses = follow.iter().map(|_| self.builder.append_block_param(done, types::I64)).collect();
        let as_args = |values: &[ir::Value]| values.iter().map(|&value| value.into()).collect::<Vec<_>>();
        let last = self.plus(first, quads - 1);
        let exist = self.below(last, area.limit);
        self.builder.ins().brif(exist, done, &as_args(&follow), some, &[]);
        self.begin(some);
        let of_quad = |(n, &address)| {
            let element = self.plus(first, n as u64);
            self.existing(area, element, address, otherwise)
        };
        let existing: SmallVec<[ir::Value; 4]> = follow.iter().enumerate().map(of_quad).collect();
        self.builder.ins().jump(done, &as_args(&existing));
        self.begin(done);
        addresses
    }

    /// The packet's first quad number, as an `i64`, if the index is that of quads: consecutive.
    fn first_quad(&mut self, index: Value) -> Option<ir::Value> {
        let (Op::UShr, &[number, two]) = self.func.as_op(index)? else { return None };
        let is_two = self.func.as_const(two).is_some_and(|two| two.bits == 2);
        if !is_two || !self.facts.is_number(number) || self.facts.stride(number, true) != Some(1) {
            return None;
        }
        let first = self.first(number);
        let quad = self.builder.ins().ushr_imm_u(first, 2);
        Some(self.builder.ins().uextend(types::I64, quad))
    }

    pub fn times(&mut self, value: ir::Value, factor: u64) -> ir::Value {
        match factor.is_power_of_two() {
            true => self.builder.ins().ishl_imm_u(value, i64::from(factor.trailing_zeros())),
            false => self.builder.ins().imul_imm_u(value, factor as i64),
        }
    }

    pub fn plus(&mut self, address: ir::Value, bytes: u64) -> ir::Value {
        if bytes == 0 { address } else { self.builder.ins().iadd_imm_s(address, bytes as i64) }
    }

    /// A limit as an `i64`.
    pub fn limit_value(&mut self, limit: Limit) -> ir::Value {
        match limit {
            Limit::Known(limit) => self.builder.ins().iconst(types::I64, limit as i64),
            Limit::Value(value) => value,
        }
    }

    /// The byte offset per lane from the area's base, and whether any lane of the mask has a word out of range or
    /// beyond [`FARTHEST`] (`None` if certainly none has). If none has, the words of inactive lanes are in range, too.
    pub fn lane_offsets(
        &mut self,
        area: &Area,
        access: &LoweredAccess,
        words: u32,
        mask: &LaneMask,
    ) -> (Packet, Option<ir::Value>) {
        let offset = match access.known_offset {
            Some(offset) => self.constant(offset & !3),
            None => {
                let whole = self.constant(!3);
                let offset = self.kept(access.offset.clone(), mask);
                self.binary(Op::And, offset, whole)
            }
        };
        let mut checks = Vec::new();
        let need = u64::from(words) * 4;
        let mut total = offset.clone();
        let room = match area.stride {
            Some(stride) => {
                let index = access.index.clone().expect("verified: elements are addressed by an index");
                let index = self.kept(index, mask);
                let small = area.sure * u64::from(stride) <= FARTHEST;
                if u64::from(access.most[0]) >= area.sure || !small {
                    let most = FARTHEST / u64::from(stride.max(1));
                    let limit = self.limit_32(area.limit, most);
                    checks.push((index.clone(), limit));
                }
                let start = match stride.is_power_of_two() {
                    true => {
                        let count = self.constant(stride.trailing_zeros());
                        self.binary(Op::Shl, index, count)
                    }
                    false => {
                        let stride = self.constant(stride);
                        self.binary(Op::IMul, index, stride)
                    }
                };
                total = match access.known_offset {
                    Some(0..4) => start,
                    _ => self.binary(Op::IAdd, start, offset.clone()),
                };
                Limit::Known((u64::from(stride) + 1).saturating_sub(need))
            }
            None => match area.limit {
                Limit::Known(bytes) => Limit::Known((bytes + 1).saturating_sub(need)),
                Limit::Value(bytes) => {
                    let room = self.builder.ins().iadd_imm_s(bytes, 1 - need as i64);
                    let enough = self.builder.ins().icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, bytes, need as i64);
                    let none = self.builder.ins().iconst(types::I64, 0);
                    Limit::Value(self.builder.ins().select(enough, room, none))
                }
            },
        };
        // Offsets below `room` leave room for all words.
        let surely = matches!(room, Limit::Known(room) if u64::from(access.most[1]) < room.min(FARTHEST));
        if !surely {
            let room = self.limit_32(room, FARTHEST);
            checks.push((offset, room));
        }
        let outside = (!checks.is_empty()).then(|| self.emit().any_at_least(&checks));
        (self.emit().packet(&total), outside)
    }

    /// A number in the lanes of a mask, and 0 in others.
    fn kept(&mut self, number: PacketOperand, mask: &LaneMask) -> PacketOperand {
        match (mask, number) {
            (LaneMask::Lanes(lanes), PacketOperand::Packet(number)) => self.emit().keep(lanes, &number).into(),
            (_, number) => number,
        }
    }

    /// A limit as an `i32`, clamped to this maximum.
    fn limit_32(&mut self, limit: Limit, most: u64) -> PacketOperand {
        match limit {
            Limit::Known(limit) => self.constant(limit.min(most) as u32),
            Limit::Value(limit) => {
                let most = self.builder.ins().iconst(types::I64, most as i64);
                let limit = self.builder.ins().umin(limit, most);
                let limit = self.builder.ins().ireduce(types::I32, limit);
                self.scalar(limit)
            }
        }
    }
}

impl Facts<'_> {
    /// Classifies an access by the strides of its index and offset.
    fn strided(&self, area: &Area, values: [Value; 2], is_uniform: [bool; 2], all: bool) -> (Spread, [u32; 2]) {
        let lanes = self.shape.lanes();
        let in_runs = |runs: u32| {
            let step = |n: usize| match runs {
                _ if is_uniform[n] => Some(0),
                1 => self.stride(values[n], all),
                _ => self.stride_in_octets(values[n], all),
            };
            let steps = [step(INDEX)?, step(OFFSET)?];
            let bytes = stride_bytes(area, steps).filter(|&bytes| bytes * u64::from(lanes / runs) <= MAX_SPREAD)?;
            Some((Spread::Strided { bytes: bytes as u32, runs }, steps))
        };
        in_runs(1).or_else(|| in_runs(self.octets()?)).unwrap_or((Spread::Scattered, [0, 0]))
    }

    /// Number of runs in which the words of a scattered access are usually contiguous, if they are: elements of one
    /// word, or raw memory.
    pub fn usual_runs(&self, area: &Area, access: &LoweredAccess) -> Option<u32> {
        let (value, step) = match (area.stride, access.place.index, access.known_offset) {
            (Some(4), Some(index), Some(0..4)) => (index, 1),
            (None, None, None) => (access.place.offset, 4),
            _ => return None,
        };
        let mut runs = [Some(1), self.octets()].into_iter().flatten();
        runs.find(|&runs| self.usual_stride(value, runs) == Some(step))
    }
}

/// Bytes between neighbouring lanes whose index and offset have these strides; `None` unless it is a constant number of
/// whole words.
fn stride_bytes(area: &Area, steps: [u32; 2]) -> Option<u64> {
    let bytes = match (area.stride, steps) {
        (Some(stride), [index, 0]) => u64::from(index) * u64::from(stride),
        (_, [0, offset]) if offset.is_multiple_of(4) => u64::from(offset),
        _ => 0,
    };
    (bytes > 0).then_some(bytes)
}
