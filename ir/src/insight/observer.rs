//! What each instruction means for the checks.

use smallvec::SmallVec;

use super::barrier::{barrier_in, controlled_barrier};
use super::finding::{AccessKind, Finding, FindingKind, Place, Subject};
use super::poison::{Suspicion, SuspicionId};
use super::{Checker, OUTSIDE, Touch, TouchedWord, ViewWord};
use crate::entity::{Inst, LocalId, SharedId, Value};
use crate::function::{Element, InstKind, MemoryRef, Object, Origin, Query, ResourceRef};
use crate::host::ViewSlot;
use crate::interface::ResourceClass;
use crate::interp::{Access, At, Observer, Packet};
use crate::pipeline::SPACE;

/// Poison of the words of a texel, or of what a load reads.
type WordPoison = SmallVec<[Option<SuspicionId>; 4]>;

impl Observer for Checker<'_> {
    fn ran(&mut self, At { inst, .. }: At, packet: &Packet<'_>) {
        let of = self.of;
        let func = &of.function;
        let kind = &func.inst(inst).kind;
        match kind {
            InstKind::Op { op, args } => {
                let can_matter = |value: &Value| self.of.unwritten.contains_key(value);
                if self.state.group.poison.is_empty() && !args.iter().any(can_matter) {
                    return;
                }
                let result = func.inst(inst).results[0];
                for lane in packet.each_lane() {
                    let thread = packet.thread(lane);
                    let poison: WordPoison = args.iter().map(|&arg| self.poison_of(arg, thread, inst)).collect();
                    let bits: SmallVec<[u64; 4]> = args.iter().map(|&arg| packet.value(arg)[lane]).collect();
                    let group = &mut self.state.group;
                    let behind = group.poison.of_result(*op, &bits, &poison);
                    group.poison.set(result, thread, behind);
                }
            }
            InstKind::Load { place } | InstKind::Store { place, .. } | InstKind::Atomic { place, .. } => {
                for access in packet.accesses(func, inst) {
                    if !self.takes_part(packet.thread(access.lane)) {
                        continue;
                    }
                    self.use_address(inst, place, packet.thread(access.lane));
                    self.access(inst, &access, packet);
                }
            }
            InstKind::TexelLoad { resource, coords, level } => {
                self.texels(inst, packet, (*resource, coords, *level), None);
            }
            InstKind::TexelStore { resource, coords, values, effect } => {
                self.use_all(inst, packet, values, Some(*effect));
                self.texels(inst, packet, (*resource, coords, None), Some(*effect));
            }
            InstKind::TexelAtomic { resource, coords, value, compare, effect, .. } => {
                let operands: SmallVec<[Value; 2]> = [*value].into_iter().chain(*compare).collect();
                self.use_all(inst, packet, &operands, Some(*effect));
                self.texels(inst, packet, (*resource, coords, None), Some(*effect));
            }
            InstKind::Counter { effect, .. } => {
                for lane in packet.each_lane().filter(|&lane| packet.value(*effect)[lane] != 0) {
                    self.take_ticket(packet.thread(lane));
                }
            }
            InstKind::Sample { args, .. } => self.use_all(inst, packet, args, None),
            InstKind::Message { values, effect, .. } => self.use_all(inst, packet, values, Some(*effect)),
            InstKind::QuadRead { from, value } => {
                let result = func.inst(inst).results[0];
                let read: Vec<_> = packet
                    .each_lane()
                    .map(|lane| {
                        let other = (lane & !3) + usize::from(from[lane & 3]);
                        let source = if packet.each_lane().any(|lane| lane == other) { other } else { lane };
                        (packet.thread(lane), self.poison_of(*value, packet.thread(source), inst))
                    })
                    .collect();
                read.into_iter().for_each(|(thread, poison)| self.state.group.poison.set(result, thread, poison));
            }
            InstKind::Yield(_) | InstKind::Break { .. } | InstKind::Continue { .. } => self.pass_on(inst, packet),
            InstKind::Barrier(sync) if !sync.threads => {
                self.fence(*sync, packet.each_lane().map(|lane| packet.thread(lane)));
            }
            _ => {}
        }
    }

    fn began(&mut self, at: At, packet: &Packet<'_>) {
        self.pass_on(at.inst, packet);
    }

    fn entered(&mut self, at: At, _: usize, packet: Option<&Packet<'_>>) {
        let (InstKind::If { cond: decides, .. } | InstKind::Switch { selector: decides, .. }) =
            self.of.function.inst(at.inst).kind
        else {
            return;
        };
        match packet {
            Some(packet) => self.use_all(at.inst, packet, &[decides], None),
            None => {
                let any =
                    (0..self.state.group.threads_per_group).find_map(|thread| self.poison_of(decides, thread, at.inst));
                self.used(any, at.inst);
            }
        }
    }

    fn disagreed(&mut self, at: At, ways: &[(u32, u64)]) {
        self.divergence(at.inst, ways);
    }

    fn waited(&mut self, at: At) {
        if let InstKind::Barrier(sync) = self.of.function.inst(at.inst).kind {
            self.wait(sync);
        }
    }
}

impl Checker<'_> {
    /// Reports a branch that leads to a barrier, and about which threads disagree: each with the bits of what decides.
    fn divergence(&mut self, inst: Inst, ways: &[(u32, u64)]) {
        let of = self.of;
        let func = &of.function;
        let kind = &func.inst(inst).kind;
        let arm_of = |bits: u64| match kind {
            InstKind::Switch { cases, .. } => {
                cases.iter().position(|case| case.labels.contains(&(bits as u32))).unwrap_or(cases.len())
            }
            _ => usize::from(bits & 1 == 0),
        };
        let regions = kind.regions();
        let barriers: Vec<Option<Origin>> = regions.iter().map(|&region| barrier_in(func, region)).collect();
        // Where no arm holds it, an arm that jumps leaves it out.
        let goes = |arm: usize| match barriers.iter().any(Option::is_some) {
            true => barriers[arm].is_some(),
            false => func
                .region(regions[arm])
                .insts
                .last()
                .is_some_and(|&last| matches!(func.inst(last).kind, InstKind::Yield(_))),
        };
        let (go, others): (Vec<u32>, Vec<u32>) = {
            let (go, others): (Vec<_>, Vec<_>) = ways.iter().partition(|(_, bits)| goes(arm_of(*bits)));
            let threads = |ways: Vec<&(u32, u64)>| ways.into_iter().map(|(thread, _)| *thread).collect();
            (threads(go), threads(others))
        };
        let ends = [go.first(), go.last(), others.first(), others.last()];
        let party = |thread: &u32| self.party(inst, AccessKind::Read, *thread);
        self.report(Finding {
            kind: FindingKind::Barrier,
            subject: None,
            parties: ends.into_iter().flatten().map(party).collect(),
            place: Place::Whole,
            extent: ways.len() as u64,
            words: [go.len() as u32, others.len() as u32],
            between_groups: false,
            at_one_address: false,
            other: controlled_barrier(func, &of.flow, inst),
            count: 1,
        });
    }

    /// Passes poison on to parameters and results, all at once.
    fn pass_on(&mut self, inst: Inst, packet: &Packet<'_>) {
        let Some((args, to)) = self.of.flow.edge(&self.of.function, inst) else { return };
        if self.state.group.poison.is_empty() && !args.iter().any(|arg| self.of.unwritten.contains_key(arg)) {
            return;
        }
        for lane in packet.each_lane() {
            let thread = packet.thread(lane);
            let passed: WordPoison = args.iter().map(|&arg| self.passed(arg, thread, inst)).collect();
            for (&value, poison) in to.iter().zip(passed) {
                self.state.group.poison.set(value, thread, poison);
            }
        }
    }

    /// Operands whose poison is used by an instruction.
    fn use_all(&mut self, inst: Inst, packet: &Packet<'_>, values: &[Value], effect: Option<Value>) {
        if self.state.group.poison.is_empty() && !values.iter().any(|value| self.of.unwritten.contains_key(value)) {
            return;
        }
        for lane in packet.each_lane().filter(|&lane| effect.is_none_or(|effect| packet.value(effect)[lane] != 0)) {
            if !self.takes_part(packet.thread(lane)) {
                continue;
            }
            for &value in values {
                let poison = self.poison_of(value, packet.thread(lane), inst);
                self.used(poison, inst);
            }
        }
    }

    fn use_address(&mut self, inst: Inst, place: &MemoryRef, thread: u32) {
        let of_view = match place.object {
            Object::Resource(ResourceRef { element: Element::Computed(value), .. }) => Some(value),
            _ => None,
        };
        for value in of_view.into_iter().chain(place.index).chain([place.offset]) {
            let poison = self.poison_of(value, thread, inst);
            self.used(poison, inst);
        }
    }

    /// Checks an access of words.
    fn access(&mut self, inst: Inst, access: &Access, packet: &Packet<'_>) {
        let data = self.of.function.inst(inst);
        let thread = packet.thread(access.lane);
        let (kind, stored): (_, &[Value]) = match &data.kind {
            InstKind::Store { values, .. } => (AccessKind::Write, values),
            InstKind::Atomic { value, .. } => (AccessKind::Atomic, std::slice::from_ref(value)),
            _ => (AccessKind::Read, &[]),
        };
        let mut of_stored: WordPoison = stored.iter().map(|&value| self.poison_of(value, thread, inst)).collect();
        let keeps = matches!(access.object, Object::Shared(_) | Object::Local(_)) && kind == AccessKind::Write;
        if !keeps {
            of_stored.drain(..).for_each(|poison| self.used(poison, inst));
        }
        let is_left_out = access.index.unwrap_or(access.offset_bytes) == OUTSIDE;
        let Some((subject, extent)) = self.subject(access.object, (access.index.is_some(), is_left_out), packet) else {
            return;
        };
        let party = self.party(inst, kind, thread);
        if extent.is_unbound {
            let finding = self.of_access(FindingKind::Unbound, subject, (Place::Whole, 0), party);
            return self.report(finding);
        }
        let place = match access.index {
            _ if is_left_out => Place::Outside,
            Some(index) => Place::Element(index),
            None => Place::Byte(access.offset_bytes.into()),
        };
        if access.misaligned > 0 {
            let asked = Place::Byte(u64::from(access.offset_bytes) + u64::from(access.misaligned));
            let finding = self.of_access(FindingKind::Misaligned, subject, (asked, extent.count), party);
            self.report(finding);
        }
        let words = access.read.len().max(access.written.len());
        let outside = (access.inside < words).then(|| {
            let mut finding = self.of_access(FindingKind::Bounds, subject, (place, extent.count), party);
            finding.words = [access.inside as u32, (words - access.inside) as u32];
            finding
        });
        if let (Some(finding), true) = (&outside, kind != AccessKind::Read) {
            self.report(finding.clone());
        }
        let mut read = WordPoison::new();
        for n in 0..words {
            let at = access.index.map_or(0, |index| u64::from(index) * u64::from(extent.stride_bytes))
                + u64::from(access.offset_bytes)
                + 4 * n as u64;
            if n >= access.inside {
                let finding = outside.clone().filter(|_| kind == AccessKind::Read);
                let suspicion = finding.map(Suspicion::new);
                read.push(suspicion.map(|suspicion| self.state.group.poison.suspect(inst, thread, suspicion)));
                continue;
            }
            let word = access.written.get(n).copied().unwrap_or(0);
            let place = Place::Byte(at);
            // A word's place is a byte.
            let bytes = extent.count * access.index.map_or(1, |_| u64::from(extent.stride_bytes));
            let is_ordered = extent.is_ordered;
            let touch = Touch { inst, access: kind, thread, word, subject, place, extent: bytes, is_ordered };
            let own_word = (at / 4) as usize;
            let stands_behind = of_stored.get(n).copied().flatten();
            read.push(match access.object {
                Object::Shared(id) => {
                    let behind = self.word_of_shared((id, own_word), touch, stands_behind);
                    self.touch(TouchedWord::Shared(id, own_word), touch);
                    behind
                }
                Object::Local(id) if id.index() < self.of.own_locals => {
                    self.word_of_local((id, own_word), touch, (access.index.unwrap_or(0), stands_behind))
                }
                Object::Resource(ResourceRef { .. }) if extent.is_writable => {
                    if let Some(base) = extent.base {
                        self.touch(TouchedWord::View(ViewWord::Word((base + at) / 4)), touch);
                    }
                    None
                }
                _ => None,
            });
        }
        if matches!((kind, access.object), (AccessKind::Atomic, Object::Resource(_))) {
            self.take_ticket(thread);
        }
        for (&result, poison) in data.results.iter().zip(read) {
            let poison = if kind == AccessKind::Read { poison } else { None };
            self.state.group.poison.set(result, thread, poison);
        }
    }

    /// What stands behind a word of shared memory that is read, or will once it is written.
    fn word_of_shared(
        &mut self,
        word: (SharedId, usize),
        touch: Touch,
        stored: Option<SuspicionId>,
    ) -> Option<SuspicionId> {
        let phase = self.state.group.phases.shared;
        let cell = self.state.group.shared.entry(word).or_default();
        if touch.access != AccessKind::Read {
            cell.poison = stored;
            return None;
        }
        if cell.written.is_some() {
            return cell.poison;
        }
        let party = self.party(touch.inst, AccessKind::Read, touch.thread);
        let finding = self.of_access(FindingKind::Uninitialised, touch.subject, (touch.place, touch.extent), party);
        let suspicion = Suspicion { unwritten: Some((word, phase)), ..Suspicion::new(finding) };
        Some(self.state.group.poison.suspect(touch.inst, touch.thread, suspicion))
    }

    /// The same of an indexable temporary, which is a thread's own.
    fn word_of_local(
        &mut self,
        (id, at): (LocalId, usize),
        touch: Touch,
        (vector, stored): (u32, Option<SuspicionId>),
    ) -> Option<SuspicionId> {
        let words = 4 * self.of.function.interface.local(id).registers as usize;
        let group = &mut self.state.group;
        let threads = group.invocations.len().max(group.threads_per_group as usize);
        if touch.access != AccessKind::Read {
            group.locals.write(id, at, touch.thread, (words, threads), stored);
            return None;
        }
        if let Some(poison) = group.locals.read(id, at, touch.thread, threads) {
            return poison;
        }
        let party = self.party(touch.inst, AccessKind::Read, touch.thread);
        let place = (Place::Element(vector), words as u64 / 4);
        let finding = self.of_access(FindingKind::Uninitialised, touch.subject, place, party);
        Some(self.state.group.poison.suspect(touch.inst, touch.thread, Suspicion::new(finding)))
    }

    /// Checks accesses of texels.
    fn texels(
        &mut self,
        inst: Inst,
        packet: &Packet<'_>,
        (resource, coords, level): (ResourceRef, &[Value], Option<Value>),
        effect: Option<Value>,
    ) {
        let data = self.of.function.inst(inst);
        let of_view = match resource.element {
            Element::Computed(value) => Some(value),
            Element::Fixed(_) => None,
        };
        let address: SmallVec<[Value; 4]> = coords.iter().copied().chain(level).chain(of_view).collect();
        self.use_all(inst, packet, &address, effect);
        let kind = match data.kind {
            InstKind::TexelLoad { .. } => AccessKind::Read,
            InstKind::TexelStore { .. } => AccessKind::Write,
            _ => AccessKind::Atomic,
        };
        let declared = self.of.function.interface.resource(resource.id);
        let (class, space, lower) = (declared.class, declared.space, declared.lower);
        if space == SPACE {
            // A target, which the output merger accesses in order.
            return;
        }
        let is_buffer = declared.kind.is_typed_buffer();
        let takes_part = |&lane: &usize| effect.is_none_or(|effect| packet.value(effect)[lane] != 0);
        for lane in packet.each_lane().filter(takes_part) {
            let thread = packet.thread(lane);
            if !self.takes_part(thread) {
                continue;
            }
            let word = |value: Value| packet.value(value)[lane] as u32;
            let element = match resource.element {
                Element::Fixed(element) => element,
                Element::Computed(value) => word(value),
            };
            let view = ViewSlot { id: resource.id, element };
            let subject = Subject::View { class, space, register: lower.saturating_add(element) };
            let party = self.party(inst, kind, thread);
            let Some(base) = packet.host().base(view) else {
                let finding = self.of_access(FindingKind::Unbound, subject, (Place::Whole, 0), party);
                self.report(finding);
                continue;
            };
            let mut at = [0; 3];
            coords.iter().zip(&mut at).for_each(|(&value, at)| *at = word(value));
            let query = if is_buffer { Query::BufferSize } else { Query::TextureSize };
            let size = packet.host().query(query, view, level.map_or(0, word));
            let place = if is_buffer { Place::Element(at[0]) } else { Place::Texel(at) };
            let extent = size[0].into();
            let axes = coords.len().min(3);
            let is_outside = (0..axes).any(|axis| at[axis] >= size[axis]);
            let mut poison = None;
            if is_outside && (is_buffer || self.of.options.is_strict) {
                let finding = self.of_access(FindingKind::Bounds, subject, (place, extent), party);
                match kind {
                    AccessKind::Read => {
                        let suspicion = Suspicion::new(finding);
                        poison = Some(self.state.group.poison.suspect(inst, thread, suspicion));
                    }
                    _ => self.report(finding),
                }
            }
            if !is_outside && class == ResourceClass::UnorderedAccess {
                let stored = match &data.kind {
                    // Texels are equal if their words are.
                    InstKind::TexelStore { values, .. } => values
                        .iter()
                        .fold(0u32, |mixed, &value| mixed.wrapping_mul(0x9e37_79b1).rotate_left(7) ^ word(value)),
                    _ => 0,
                };
                let is_ordered = declared.is_ordered;
                let touch = Touch { inst, access: kind, thread, word: stored, subject, place, extent, is_ordered };
                self.touch(TouchedWord::View(ViewWord::Texel(base, at)), touch);
            }
            if kind == AccessKind::Atomic {
                self.take_ticket(thread);
            }
            for &result in &data.results {
                self.state.group.poison.set(result, thread, poison);
            }
        }
    }

    /// A thread performs an atomic on a view.
    fn take_ticket(&mut self, thread: u32) {
        self.state.time += 1;
        let (who, group) = (self.who(thread), &self.state.group);
        let fenced = group.fences.get(&thread).copied();
        self.state.tickets.take(who, group.phases.views, fenced, self.state.time);
    }

    /// What an object is called, and its extent; `None` for one whose accesses are not checked.
    fn subject(
        &self,
        object: Object,
        (has_index, is_left_out): (bool, bool),
        packet: &Packet<'_>,
    ) -> Option<(Subject, Extent)> {
        let interface = &self.of.function.interface;
        let own = |stride_bytes: u32, count: u32| Extent {
            stride_bytes,
            count: if has_index { count.into() } else { u64::from(stride_bytes) * u64::from(count) },
            base: None,
            is_writable: true,
            is_ordered: false,
            is_unbound: false,
        };
        Some(match object {
            Object::Shared(id) => {
                let shared = interface.shared(id);
                (Subject::Shared(shared.register), own(shared.stride_bytes, shared.count))
            }
            Object::Local(id) if id.index() < self.of.own_locals => {
                let local = interface.local(id);
                (Subject::Local(local.register), own(16, local.registers))
            }
            Object::Resource(ResourceRef { id, element: Element::Fixed(element) }) => {
                let declared = interface.resource(id);
                // Constants are zero past their end, and vertex buffers too.
                if (declared.class == ResourceClass::Constant && !is_left_out) || declared.space == SPACE {
                    return None;
                }
                let view = ViewSlot { id, element };
                let register = declared.lower.saturating_add(element);
                let subject = Subject::View { class: declared.class, space: declared.space, register };
                let base = packet.host().base(view);
                let extent = Extent {
                    stride_bytes: declared.stride_bytes().unwrap_or(1),
                    count: packet.host().query(Query::BufferSize, view, 0)[0].into(),
                    base,
                    is_writable: declared.class == ResourceClass::UnorderedAccess,
                    is_ordered: declared.is_ordered,
                    is_unbound: base.is_none(),
                };
                (subject, extent)
            }
            Object::Immediate if is_left_out => (Subject::Value, own(16, interface.immediate.len() as u32)),
            _ => return None,
        })
    }
}

/// The extent of an object.
struct Extent {
    stride_bytes: u32,
    /// Elements, or bytes of a raw object.
    count: u64,
    /// The address of a view's first byte.
    base: Option<u64>,
    is_writable: bool,
    /// Set if pixels access it in order.
    is_ordered: bool,
    is_unbound: bool,
}
