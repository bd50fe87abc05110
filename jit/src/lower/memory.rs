//! Lowers loads, stores and atomics on views, shared memory and the immediate constant buffer.
//!
//! | addresses | loads | stores |
//! |---|---|---|
//! | one for all lanes | one scalar, redirected to a zero if out of range | scalar values: one; else lane by lane |
//! | strided, in the packet or each octet | vectors or rows, one check per packet | the same if all are active |
//! | one for each quad | a scalar for each quad, redirected to zeros if the element does not exist | as scattered |
//! | scattered | gather with one test for the packet | scatter with one test |
//!
//! A packet that fails its check goes lane by lane.

use std::ops::Range;

use brolga_ir::entity::Value;
use brolga_ir::function::{AtomicOp, MemoryRef, Object};
use brolga_ir::{Op, Type};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, BlockArg, InstBuilder, types};

use super::Lowering;
use super::address::{Area, Limit, Location, LoweredAccess, Outside, Spread};
use super::facts::Facts;
use super::lanes::LaneWork;
use super::mask::LaneMask;
use super::notes::Note;
use super::variable::Home;
use crate::abi::offsets;
use crate::packet::{Packet, PacketOperand};

impl Lowering<'_, '_> {
    /// Writes a load.
    pub fn load(&mut self, place: MemoryRef, results: &[Value]) {
        if let Object::Local(id) = place.object {
            return self.load_local(id, place, results);
        }
        let mask = self.control.active();
        let access = self.access(place, &mask);
        self.note_access(&access);
        let words = results.len();
        let loaded: Vec<PacketOperand> = match (&access.target, &access.spread) {
            (Location::Area(area), Spread::Same) => self.load_words(area, &access, words),
            (Location::Area(area), Spread::Strided { bytes, .. }) => {
                self.load_strided(area, *bytes, &access, words, &mask)
            }
            (Location::Area(area), Spread::Scattered) => self.load_scattered(area, &access, words, &mask),
            (Location::PerLane(_), _) => self.lane_by_lane(&access, &mask, LaneWork::Load { words }),
        };
        for (&result, value) in results.iter().zip(loaded) {
            self.define(result, value);
        }
    }

    /// Words for all lanes; those out of range are read from a zero.
    fn load_words(&mut self, area: &Area, access: &LoweredAccess, words: usize) -> Vec<PacketOperand> {
        let addresses = self.word_addresses(area, access, words, offsets::ZERO);
        let load = |address| {
            let value = self.builder.ins().load(types::I32, area.flags(), address, 0);
            self.scalar(value)
        };
        addresses.into_iter().map(load).collect()
    }

    /// The addresses of the words of an access whose lanes have one address; for those out of range an address in the
    /// context.
    fn word_addresses(&mut self, area: &Area, access: &LoweredAccess, words: usize, otherwise: i32) -> Vec<ir::Value> {
        let one_check = access.fits_element(area, words);
        if otherwise == offsets::ZERO
            && self.calls.suspected.is_none()
            && access.known_index.is_none()
            && !self.addresses.is_proven(access, words as u32)
            && let Some(elements) = self.quad_elements(area, access, words)
        {
            let offset = i64::from(access.known_offset.map_or(0, |offset| offset & !3));
            let address = |word: usize| self.builder.ins().iadd_imm_s(elements[0], offset + 4 * word as i64);
            return (0..words).map(address).collect();
        }
        let mut common = None;
        (0..words)
            .map(|word| {
                // A check of the words up to this one is a check of this one: offsets only grow.
                let (address, inside) = match common {
                    Some(common) => common,
                    None => {
                        let checked = if one_check { words } else { word + 1 };
                        let inside = self.fits(area, access, checked as u32);
                        (self.first_address(area, access, 0), inside)
                    }
                };
                if word == 0 || !one_check {
                    match inside {
                        Some(_) => self.note(Note::WordChecked),
                        None => self.note_unchecked(access, words as u32),
                    }
                }
                if one_check {
                    common = Some((address, inside));
                }
                let address = if word == 0 { address } else { self.builder.ins().iadd_imm_s(address, word as i64 * 4) };
                match inside {
                    None => address,
                    Some(inside) => {
                        self.suspect_unless(inside);
                        let otherwise = self.builder.ins().iadd_imm_s(self.anchors.base, i64::from(otherwise));
                        self.builder.ins().select(inside, address, otherwise)
                    }
                }
            })
            .collect()
    }

    fn load_strided(
        &mut self,
        area: &Area,
        stride: u32,
        access: &LoweredAccess,
        words: usize,
        mask: &LaneMask,
    ) -> Vec<PacketOperand> {
        let load = |lowering: &mut Self| {
            let Some(window) = Window::around(area, access, words) else {
                let addresses = lowering.first_addresses(area, access);
                return lowering.emit().load_runs(&addresses, stride, words, area.flags());
            };
            let addresses = lowering.first_addresses(area, &window.access);
            window.of(lowering.emit().load_runs(&addresses, stride, Window::WORDS, area.flags()))
        };
        let Some(inside) = self.fits(area, access, words as u32) else {
            self.note_unchecked(access, words as u32);
            return packets(load(self));
        };
        self.fast_or_lanes(Guard::Inside(inside), access, mask, LaneWork::Load { words }, load)
    }

    fn load_scattered(
        &mut self,
        area: &Area,
        access: &LoweredAccess,
        words: usize,
        mask: &LaneMask,
    ) -> Vec<PacketOperand> {
        if self.calls.does_accesses {
            return self.each_lane(access, mask, LaneWork::Load { words });
        }
        // Any other path would cost a large function too much.
        if words == 1
            && !self.is_large()
            && let Some(runs) = self.facts.usual_runs(area, access)
        {
            return vec![self.load_neighbours(area, access, runs as usize, mask)];
        }
        self.load_apart(area, access, words, mask)
    }

    /// Loads words of lanes that are not contiguous, all of which are tested together.
    fn load_apart(&mut self, area: &Area, access: &LoweredAccess, words: usize, mask: &LaneMask) -> Vec<PacketOperand> {
        let (base, flags) = (area.base, area.flags());
        if access.lies_in_quads(self.facts, mask) {
            if self.calls.suspected.is_none()
                && let Some(elements) = self.quad_elements(area, access, words)
            {
                let offset = access.known_offset.map_or(0, |offset| offset & !3);
                let bytes = area.stride.unwrap_or(0);
                return packets(self.emit().load_quads_at(&elements, bytes, offset as i32, words, flags));
            }
            // Lanes without a thread read too, and nothing bounds their results.
            let anywhere = LoweredAccess { most: [u32::MAX; 2], ..access.clone() };
            let access = if self.facts.are_all_lanes_threads() { access } else { &anywhere };
            let (offsets, outside) = self.lane_offsets(area, access, words as u32, &LaneMask::Full);
            let load = |lowering: &mut Self| lowering.emit().load_quads(base, &offsets, words, flags);
            let Some(any) = outside else {
                self.note(Note::Unchecked);
                return packets(load(self));
            };
            return self.fast_or_lanes(Guard::AnyOutside(any), access, mask, LaneWork::Load { words }, load);
        }
        let window = Window::around(area, access, words).filter(|_| !self.facts.shape.gathers);
        let read = window.as_ref().map_or(access, |window| &window.access);
        let read_words = if window.is_some() { Window::WORDS } else { words };
        let (offsets, outside) = self.lane_offsets(area, read, read_words as u32, mask);
        // Pairs read all lanes.
        let in_pairs = words == 1 && matches!(mask, LaneMask::Full) && access.lies_in_pairs(self.facts, area);
        let gather = |lowering: &mut Self| {
            if in_pairs {
                return vec![lowering.emit().load_pairs(base, &offsets, flags)];
            }
            let read = lowering.emit().gather(base, 0, &offsets, read_words, None, flags);
            match &window {
                Some(window) => window.of(read),
                None => read,
            }
        };
        let Some(any) = outside else {
            self.note(Note::Unchecked);
            return packets(gather(self));
        };
        // In a large function it would occupy a register for long.
        if in_pairs && !self.is_large() {
            self.addresses.outside.push(Outside { place: access.place, any });
        }
        self.fast_or_lanes(Guard::AnyOutside(any), access, mask, LaneWork::Load { words }, gather)
    }

    /// Loads a word of each lane. If those of each run are contiguous and in range, they are vectors; else the general
    /// path reads them.
    fn load_neighbours(&mut self, area: &Area, access: &LoweredAccess, runs: usize, mask: &LaneMask) -> PacketOperand {
        self.note(Note::Neighbours);
        let (number, step) = match &access.index {
            Some(index) => (index.clone(), 1),
            None => {
                let whole = self.constant(!3);
                (self.binary(Op::And, access.offset.clone(), whole), 4)
            }
        };
        let number = self.emit().packet(&number);
        let [apart, done] = [(); 2].map(|()| self.builder.create_block());
        let (firsts, differ) = self.emit().runs_of_numbers(&number, step, runs);
        self.branch_away(differ, apart);
        let run = u64::from(self.facts.shape.lanes() / runs as u32 * step);
        for &first in &firsts {
            let end = self.plus(first, run);
            let limit = self.limit_value(area.limit);
            let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, limit);
            self.branch_away_unless(fits, apart);
        }
        let mut addresses = firsts;
        for address in &mut addresses {
            let start = self.times(*address, u64::from(4 / step));
            *address = self.builder.ins().iadd(area.base, start);
        }
        let read = self.emit().load_runs(&addresses, 4, 1, area.flags()).remove(0);
        let vectors = read.vectors.iter().map(|_| self.builder.append_block_param(done, types::I32X4)).collect();
        let as_args = |packet: Packet| packet.vectors.into_iter().map(BlockArg::from).collect::<Vec<_>>();
        self.builder.ins().jump(done, &as_args(read));
        self.begin(apart);
        let known = self.addresses.count();
        let read = self.load_apart(area, access, 1, mask).remove(0);
        self.addresses.forget(known);
        let read = self.emit().packet(&read);
        self.builder.ins().jump(done, &as_args(read));
        self.begin(done);
        Packet { ty: Type::I32, vectors }.into()
    }

    /// The fast path if the check passes, else lane by lane.
    fn fast_or_lanes(
        &mut self,
        guard: Guard,
        access: &LoweredAccess,
        mask: &LaneMask,
        work: LaneWork<'_>,
        fast: impl FnOnce(&mut Self) -> Vec<Packet>,
    ) -> Vec<PacketOperand> {
        let [quick, slow, done] = [(); 3].map(|()| self.builder.create_block());
        match guard {
            Guard::Inside(inside) => {
                self.note(Note::OneCheck);
                self.builder.ins().brif(inside, quick, &[], slow, &[]);
            }
            Guard::AnyOutside(any) => {
                self.note(Note::LanesCheck);
                self.builder.ins().brif(any, slow, &[], quick, &[]);
            }
        }
        self.builder.set_cold_block(slow);
        self.begin(quick);
        let values = fast(self);
        let remote = self.is_large();
        let new = |value: Packet| self.new_home(Type::I32, false, &value.into(), remote);
        let homes: Vec<Home> = values.into_iter().map(new).collect();
        self.builder.ins().jump(done, &[]);
        self.begin(slow);
        let first_cold = self.builder.func.dfg.num_blocks();
        self.unless_all_outside(access, &homes, done);
        let values = self.rarely(|lowering| lowering.each_lane(access, mask, work));
        for (home, value) in homes.iter().zip(&values) {
            self.set_home(home, value, None);
        }
        self.builder.ins().jump(done, &[]);
        self.set_cold_from(first_cold);
        self.begin(done);
        let values = homes.iter().map(|home| self.home(home)).collect();
        homes.into_iter().for_each(|home| self.variables.release(home));
        values
    }

    /// Goes to `done` with zeros if no lane has a word in range, as where a shader reads out of bounds on purpose.
    fn unless_all_outside(&mut self, access: &LoweredAccess, homes: &[Home], done: ir::Block) {
        if self.is_large() || self.calls.suspected.is_some() {
            return;
        }
        let Some(outside) = self.all_outside(access) else { return };
        let (none, some) = (self.builder.create_block(), self.builder.create_block());
        self.builder.ins().brif(outside, none, &[], some, &[]);
        self.begin(none);
        let zero = self.emit().constant_packet(brolga_ir::Const::i32(0)).into();
        for home in homes {
            self.set_home(home, &zero, None);
        }
        self.builder.ins().jump(done, &[]);
        self.begin(some);
    }

    /// Writes a store.
    pub fn store(&mut self, place: MemoryRef, values: &[Value], effect: Value) {
        let Some(mask) = self.effect_mask(effect) else { return };
        if let Object::Local(id) = place.object {
            return self.store_local(id, place, values, &mask);
        }
        let access = self.access(place, &mask);
        self.note_access(&access);
        self.note_lanes(&mask);
        let operands: Vec<PacketOperand> = values.iter().map(|&value| self.operand(value)).collect();
        let values: Vec<Packet> = match (&access.target, &access.spread) {
            (Location::Area(area), Spread::Same) if operands.iter().all(PacketOperand::is_uniform) => {
                return self.store_words(area, &access, &operands, &mask);
            }
            _ => operands.iter().map(|operand| self.emit().packet(operand)).collect(),
        };
        match (&access.target, &access.spread) {
            (Location::Area(area), Spread::Strided { bytes, .. }) => {
                self.store_strided(area, *bytes, &access, &values, &mask);
            }
            (Location::Area(area), Spread::Scattered) => self.store_scattered(area, &access, &values, &mask),
            (Location::Area(_), Spread::Same) | (Location::PerLane(_), _) => {
                self.lane_by_lane(&access, &mask, LaneWork::Store { values: &values });
            }
        }
    }

    /// Stores the same words from all lanes to one address: once is enough.
    fn store_words(&mut self, area: &Area, access: &LoweredAccess, values: &[PacketOperand], mask: &LaneMask) {
        let done = self.builder.create_block();
        if let LaneMask::Lanes(lanes) = mask {
            let any = self.emit().any(lanes);
            self.branch_away_unless(any, done);
        }
        let addresses = self.word_addresses(area, access, values.len(), offsets::DUMP);
        for (value, address) in values.iter().zip(addresses) {
            self.builder.ins().store(area.flags(), value.values()[0], address, 0);
        }
        self.join(done);
    }

    fn store_strided(&mut self, area: &Area, stride: u32, access: &LoweredAccess, values: &[Packet], mask: &LaneMask) {
        let inside = self.fits(area, access, values.len() as u32);
        let flags = area.flags();
        if let LaneMask::Lanes(lanes) = mask {
            let blend = area.private && stride == 4 && values.len() == 1;
            let (quick, general) = (self.builder.create_block(), self.builder.create_block());
            let done = self.builder.create_block();
            let mut fits = inside;
            match (blend, inside) {
                (true, None) => self.note_unchecked(access, values.len() as u32),
                (true, Some(_)) => self.note(Note::OneCheck),
                (false, _) => self.note(Note::AllLanesCheck),
            }
            if !blend {
                let all = self.emit().all(lanes);
                fits = Some(fits.map_or(all, |fits| self.builder.ins().band(fits, all)));
            }
            match fits {
                Some(fits) => self.builder.ins().brif(fits, quick, &[], general, &[]),
                None => self.builder.ins().jump(quick, &[]),
            };
            self.begin(quick);
            let addresses = self.first_addresses(area, access);
            if blend {
                self.emit().store_private_runs(&values[0], lanes, &addresses, flags);
            } else {
                self.emit().store_runs(values, &addresses, stride, flags);
            }
            self.builder.ins().jump(done, &[]);
            if fits.is_some() {
                self.begin(general);
                self.store_scattered(area, access, values, mask);
                self.builder.ins().jump(done, &[]);
            }
            self.begin(done);
            return;
        }
        let store = |lowering: &mut Self| {
            let addresses = lowering.first_addresses(area, access);
            lowering.emit().store_runs(values, &addresses, stride, flags);
            Vec::new()
        };
        let Some(inside) = inside else {
            self.note_unchecked(access, values.len() as u32);
            store(self);
            return;
        };
        self.fast_or_lanes(Guard::Inside(inside), access, mask, LaneWork::Store { values }, store);
    }

    fn store_scattered(&mut self, area: &Area, access: &LoweredAccess, values: &[Packet], mask: &LaneMask) {
        if self.calls.does_accesses {
            self.each_lane(access, mask, LaneWork::Store { values });
            return;
        }
        let (base, flags) = (area.base, area.flags());
        let in_pairs = values.len() == 1 && access.lies_in_pairs(self.facts, area);
        let done = in_pairs.then(|| self.store_in_pairs(area, access, &values[0], mask));
        let (offsets, outside) = self.lane_offsets(area, access, values.len() as u32, mask);
        let scatter = |lowering: &mut Self| {
            lowering.emit().scatter(values, base, &offsets, mask.lanes(), flags);
            Vec::new()
        };
        match outside {
            None => {
                self.note(Note::Unchecked);
                scatter(self);
            }
            Some(any) => {
                self.fast_or_lanes(Guard::AnyOutside(any), access, mask, LaneWork::Store { values }, scatter);
            }
        }
        if let Some(done) = done {
            self.join(done);
        }
    }

    /// Lets packets with all lanes active write two lanes at a time. They go to the block that is returned; the builder
    /// continues with the others.
    fn store_in_pairs(&mut self, area: &Area, access: &LoweredAccess, value: &Packet, mask: &LaneMask) -> ir::Block {
        let [general, done] = [(); 2].map(|()| self.builder.create_block());
        if let LaneMask::Lanes(lanes) = mask {
            let all = self.emit().all(lanes);
            self.branch_away_unless(all, general);
        }
        let (offsets, outside) = self.lane_offsets(area, access, 1, &LaneMask::Full);
        // An earlier load from there has made the test.
        let known = self.addresses.outside.iter().find(|known| known.place == access.place).map(|known| known.any);
        let any = outside.map(|any| known.unwrap_or(any));
        if let Some(any) = any {
            self.branch_away(any, general);
        }
        self.emit().store_pairs(value, area.base, &offsets, area.flags());
        self.builder.ins().jump(done, &[]);
        self.begin(general);
        done
    }

    /// Emits a read-modify-write; returns the previous words.
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        place: MemoryRef,
        value: Value,
        compare: Option<Value>,
        effect: Value,
    ) -> PacketOperand {
        let Some(mask) = self.effect_mask(effect) else {
            return self.emit().constant_packet(brolga_ir::Const::i32(0)).into();
        };
        let access = self.access(place, &mask);
        self.note_access(&access);
        self.note_lanes(&mask);
        let value = self.operand(value);
        let compare = compare.map(|compare| self.operand(compare));
        let work = LaneWork::Atomic { op, value: &value, compare: compare.as_ref() };
        match (&access.target, &mask) {
            (Location::Area(area), LaneMask::Full) if area.private && !self.calls.does_accesses => {
                self.update_all(area, &access, work)
            }
            _ => self.lane_by_lane(&access, &mask, work).remove(0),
        }
    }

    /// Performs a read-modify-write of the worker's own memory by all lanes of the packet in sequence.
    fn update_all(&mut self, area: &Area, access: &LoweredAccess, work: LaneWork<'_>) -> PacketOperand {
        let LaneWork::Atomic { op, value, compare } = work else { unreachable!("only called for atomics") };
        self.note(Note::LanesInTurn);
        let (offsets, outside) = self.lane_offsets(area, access, 1, &LaneMask::Full);
        let base = area.base;
        let update = |lowering: &mut Self| {
            let mut old = Vec::new();
            // Part by part, so that few lanes are in registers at a time.
            for part in 0..lowering.facts.shape.parts_of(Type::I32) {
                let mut emit = lowering.emit();
                let offsets = emit.lanes_of_part_as_offsets(&offsets, part);
                let values = emit.lanes_of_part(value, part);
                let compares = compare.map(|compare| emit.lanes_of_part(compare, part));
                for (lane, (offset, value)) in offsets.into_iter().zip(values).enumerate() {
                    let address = lowering.builder.ins().iadd(base, offset);
                    let compare = compares.as_ref().map(|compares| compares[lane]);
                    old.push(lowering.update(op, address, value, compare));
                }
            }
            vec![lowering.emit().from_lanes(Type::I32, &old)]
        };
        let Some(any) = outside else {
            self.note(Note::Unchecked);
            return update(self).remove(0).into();
        };
        self.fast_or_lanes(Guard::AnyOutside(any), access, &LaneMask::Full, work, update).remove(0)
    }

    /// Tests that a number is below a limit.
    pub fn below(&mut self, value: ir::Value, limit: Limit) -> ir::Value {
        let limit = self.limit_value(limit);
        self.builder.ins().icmp(IntCC::UnsignedLessThan, value, limit)
    }
}

impl LoweredAccess {
    /// `true` if the four lanes of each quad have one address.
    fn lies_in_quads(&self, facts: &Facts<'_>, mask: &LaneMask) -> bool {
        let all = matches!(mask, LaneMask::Full);
        let mut values = [self.place.index, Some(self.place.offset)].into_iter().flatten();
        values.all(|value| facts.is_equal_in_quads(value, all))
    }

    /// `true` if lanes access adjacent words, two by two, when all of them are active.
    fn lies_in_pairs(&self, facts: &Facts<'_>, area: &Area) -> bool {
        let step = |value| facts.step_in_pairs(value);
        let bytes = |index: u32| u64::from(area.stride.unwrap_or(0)) * u64::from(index);
        let steps = self.place.index.map_or(Some(0), step).zip(step(self.place.offset));
        let is_one_word = steps.is_some_and(|(index, offset)| matches!((bytes(index), offset), (4, 0) | (0, 4)));
        // Strided accesses have a shorter path.
        is_one_word && matches!(self.spread, Spread::Scattered) && facts.are_all_lanes_threads()
    }
}

/// Four words of an element of which two or three are used: one read instead of two, of an element that exists if they
/// do.
struct Window {
    /// An access to all of them.
    access: LoweredAccess,
    /// The range of the used words among them.
    wanted: Range<usize>,
}

impl Window {
    const WORDS: usize = 4;

    fn around(area: &Area, access: &LoweredAccess, words: usize) -> Option<Self> {
        if !(2..Self::WORDS).contains(&words) || !access.fits_element(area, words) {
            return None;
        }
        let first = access.known_offset? & !3;
        let start = first.min(area.stride?.checked_sub(4 * Self::WORDS as u32)?);
        let before = (first - start) as usize / 4;
        Some(Self {
            access: LoweredAccess { known_offset: Some(start), ..access.clone() },
            wanted: before..before + words,
        })
    }

    fn of(&self, mut read: Vec<Packet>) -> Vec<Packet> {
        read.drain(self.wanted.clone()).collect()
    }
}

/// The check that decides whether a packet takes the fast path.
enum Guard {
    /// An `i8`: everything accessed is in range.
    Inside(ir::Value),
    /// An `i8`: some lane has a word out of range.
    AnyOutside(ir::Value),
}

fn packets(values: Vec<Packet>) -> Vec<PacketOperand> {
    values.into_iter().map(PacketOperand::from).collect()
}
