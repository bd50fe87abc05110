//! Writes probes into a function: code that finds which groups may have done something wrong, at the engine's speed.
//!
//! A probe only suspects. It is exact where two threads access a word that nothing orders, but does not know whether
//! both wrote the same, whether tickets order groups, or whether anything uses what a faulty read returned: the
//! [`Checker`](super::Checker) says that, on the interpreter, of the groups that were suspected. A function that has
//! run clean needs no other run.
//!
//! Probes are operations like others, added while accesses are where the shader has them. For each word that is watched
//! there is a word of *shadow*: shared memory of the same shape beside shared memory, a view beside a view. It holds an
//! entry (`entry.rs`): who has accessed the word since the last barrier.

use smallvec::SmallVec;

use super::OUTSIDE;
use super::entry::{Entries, Meeting, OF_VIEW, SEVERAL, THREAD};
use super::finding::AccessKind;
use super::guard::Guards;
use super::proof::{OwnWords, Proofs, Watch, begins_phase, begins_view_phase, has_view_phases};
use crate::builder::{Builder, only};
use crate::entity::{Inst, LocalId, MessageId, Region, ResourceId, SharedId, Slot, Value};
use crate::flow::Flow;
use crate::function::{Element, Function, Input, InstKind, MemoryRef, Object, Query, ResourceRef};
use crate::interface::{Local, Resource, ResourceClass, ResourceKind, Shared};
use crate::message::{Message, MessageKind};
use crate::ops::Op;
use crate::passes::{self, Level};
use crate::pipeline::SPACE;
use crate::shape::{Shape, Shapes};
use crate::span::Packing;
use crate::stage::Stage;
use crate::texel::TexelFormat;
use crate::types::Type;
use crate::uniformity::Uniformity;
use crate::width::MAX_LANES;

/// An odd number with which numbers of groups are multiplied, so that few of their phases meet.
const GROUP_PHASES: u32 = 0x9e37_79b1;

/// A function with probes.
///
/// A message of the kind [`MessageKind::Probe`] is a suspicion: its word, if it has one, is the entry of a thread that one of
/// the group may race with, or 0. The shadows of a view are `u#` in [`SPACE`], with the number of the view's range among the
/// resources, or that and the number of all ranges.
#[derive(Debug)]
pub struct Probed {
    /// The function.
    pub function: Function,
    /// Set if accesses to views are watched.
    pub watches_views: bool,
    /// What must [hold](OwnWords::holds) of a dispatch, since views that threads then share nothing of have no probes.
    pub conditions: Vec<OwnWords>,
}

/// What is probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// Set for probes of races, and of words that are read before anything wrote them: memory has a shadow.
    pub watches: bool,
    /// Set if views of which the number of groups decides need no probes.
    pub may_depend: bool,
}

/// Optimises a function, whose first indexable temporaries are the shader's own, with probes, as
/// [`optimise_for`](passes::optimise_for) does; `None` if it does what only the interpreter can check.
///
/// Machine code also reports accesses outside of memory, by the first message.
pub fn optimise_with_probes(
    mut func: Function,
    level: Level,
    formats: &[Option<TexelFormat>],
    own_locals: usize,
    options: ProbeOptions,
) -> Option<Probed> {
    let probe = |func: &mut Function| probe(func, own_locals, options);
    let (watches_views, conditions) = passes::optimise_probed(&mut func, level, formats, probe)?;
    Some(Probed { function: func, watches_views, conditions })
}

/// Writes the probes; returns whether views are watched, and what must hold of a dispatch.
fn probe(func: &mut Function, own_locals: usize, options: ProbeOptions) -> Option<(bool, Vec<OwnWords>)> {
    let is_compute = matches!(func.interface.stage, Stage::Compute { .. });
    // Shadows are bound in a space of their own.
    let has_space = func.interface.resources.iter().any(|resource| resource.space == SPACE);
    if !is_compute || has_space || !func.interface.messages.is_empty() {
        return None;
    }
    let flow = Flow::new(func);
    let (proofs, conditions) = match options.watches {
        true => Proofs::find(func, &flow, own_locals, options.may_depend),
        false => (Proofs::nothing(func), Vec::new()),
    };
    if !can_watch(func) {
        return None;
    }
    // Packets of small groups may hold threads of several, whatever their width will be.
    let packing = if func.interface.shared.is_empty() && !func.waits() { Packing::Row } else { Packing::Group };
    let uniformity = Uniformity::compute(func, &flow, packing);
    let shapes = Shapes::compute(func, &flow, &uniformity);
    let threads = func.interface.threads_per_group();
    let thread_bits = 32 - threads.saturating_sub(1).leading_zeros();
    let mut probes = Probes {
        shared: Vec::new(),
        whole: whole_elements(func),
        locals: Vec::new(),
        views: vec![ViewShadows::default(); func.interface.resources.len()],
        shared_phase: None,
        view_phase: None,
        has_view_phases: has_view_phases(func),
        phase_bit: THREAD + thread_bits,
        threads,
        pending: None,
        always: None,
        loses_lanes: flow.order.iter().any(|&inst| uniformity.may_lose_lanes(inst)),
        values: func.value_count(),
        guards: Guards::find(func, &flow, |load| has_plain_bounds(func, load)),
        proofs,
        uniformity,
        shapes,
    };
    func.interface.messages.push(Message { kind: MessageKind::Probe, is_format: false, text: String::new() });
    for &load in &probes.guards.loads {
        func.inst_mut(load).is_quiet = true;
    }
    probes.declare(func, own_locals);
    let body = func.body();
    let insts = std::mem::take(&mut func.region_mut(body).insts);
    let mut b = Builder::new(func);
    probes.always = Some(b.bool(true));
    if let Some(slot) = probes.shared_phase {
        let first = b.i32(1);
        b.slot_set(slot, first);
    }
    if let Some(slot) = probes.view_phase {
        // Shadows of views have entries of earlier groups: each group's phases are far from those of the others.
        let (group, spread) = (group_number(&mut b), b.i32(GROUP_PHASES));
        let first = b.op(Op::IMul, &[group, spread]);
        b.slot_set(slot, first);
    }
    probes.insts(func, body, insts, false);
    Some((probes.views.iter().any(|shadows| shadows.of_all.is_some()), conditions))
}

/// `true` if every view that is written is one register, so that it can have a shadow.
fn can_watch(func: &Function) -> bool {
    func.each_inst().all(|inst| {
        let kind = &func.inst(inst).kind;
        let of_memory = kind.memory().and_then(|place| match &place.object {
            Object::Resource(resource) => Some(resource),
            _ => None,
        });
        let Some(resource) = of_memory.or(kind.texel().map(|(resource, _)| resource)) else { return true };
        let declared = func.interface.resource(resource.id);
        let is_one = declared.count == Some(1) && resource.element == Element::Fixed(0);
        // Of others the access itself checks which it is.
        is_one || declared.class != ResourceClass::UnorderedAccess
    })
}

/// The number of the group in the dispatch, row by row.
fn group_number(b: &mut Builder<'_>) -> Value {
    let [width, height] = [0, 1].map(|axis| b.input(Input::GroupCount(axis)));
    let plane = b.op(Op::IMul, &[width, height]);
    let [x, y, z] = [0, 1, 2].map(|axis| b.input(Input::GroupId(axis)));
    let (rows, planes) = (b.op(Op::IMul, &[y, width]), b.op(Op::IMul, &[z, plane]));
    let number = b.op(Op::IAdd, &[x, rows]);
    b.op(Op::IAdd, &[number, planes])
}

/// The number of a texel in its texture, row by row, and whether there is one.
fn texel_number(b: &mut Builder<'_>, texture: ResourceRef, coords: &[Value]) -> (Value, Value) {
    let level = b.i32(0);
    let extents = b.query(Query::TextureSize, texture, Some(level));
    let (mut number, mut is_inside) = (b.i32(0), b.bool(true));
    for (&coord, &extent) in coords.iter().zip(&extents).rev() {
        let rows = b.op(Op::IMul, &[number, extent]);
        number = b.op(Op::IAdd, &[rows, coord]);
        let is_below = b.op(Op::ULt, &[coord, extent]);
        is_inside = b.op(Op::BAnd, &[is_inside, is_below]);
    }
    (number, is_inside)
}

/// For each shared memory, whether all its accesses are of whole elements.
fn whole_elements(func: &Function) -> Vec<bool> {
    let mut whole: Vec<bool> = func.interface.shared.iter().map(|shared| !shared.raw).collect();
    for inst in func.each_inst() {
        let data = func.inst(inst);
        let (place, words) = match &data.kind {
            InstKind::Load { place } => (place, data.results.len()),
            InstKind::Store { place, values, .. } => (place, values.len()),
            InstKind::Atomic { place, .. } => (place, 1),
            _ => continue,
        };
        if let Object::Shared(id) = place.object {
            let is_first = func.as_const(place.offset).is_some_and(|offset| offset.bits == 0);
            let is_whole =
                place.index.is_some() && is_first && 4 * words as u32 == func.interface.shared(id).stride_bytes;
            whole[id.index()] &= is_whole;
        }
    }
    whole
}

/// What is known while probes are written.
struct Probes {
    /// The shadows of shared memory, of indexable temporaries, and of views.
    shared: Vec<Option<SharedId>>,
    /// Shared memory whose elements are accessed as a whole: its shadow has a word for each.
    whole: Vec<bool>,
    locals: Vec<Option<LocalId>>,
    views: Vec<ViewShadows>,
    /// The phases of the group, if a barrier begins another: of shared memory, and of views.
    shared_phase: Option<Slot>,
    view_phase: Option<Slot>,
    /// Set if a barrier orders what threads of a group do to views.
    has_view_phases: bool,
    phase_bit: u32,
    threads: u32,
    /// What has been suspected since the last branch or barrier.
    pending: Option<Pending>,
    /// A condition that holds.
    always: Option<Value>,
    /// Set if threads of a packet may have left, wherever they are.
    loses_lanes: bool,
    /// Values of the function as it was.
    values: usize,
    guards: Guards,
    proofs: Proofs,
    uniformity: Uniformity,
    shapes: Shapes,
}

/// The shadows of a view.
#[derive(Clone, Copy, Default)]
struct ViewShadows {
    /// Which threads have accessed a word; if barriers order those of a group, which groups have.
    of_all: Option<ResourceId>,
    /// Which threads of a group have since the last such barrier, if these must be watched.
    in_group: Option<ResourceId>,
}

/// Suspicions of straight code, which are reported together: their condition, and an entry that one of them met.
struct Pending {
    cond: Value,
    entry: Option<Value>,
}

/// An access.
#[derive(Clone, Copy)]
struct Access {
    kind: AccessKind,
    /// Threads that perform it.
    effect: Value,
    /// Set if lanes of a packet may be apart.
    is_divergent: bool,
}

impl Probes {
    /// Declares the shadows.
    fn declare(&mut self, func: &mut Function, own_locals: usize) {
        for n in 0..func.interface.shared.len() {
            let declared = func.interface.shared[n];
            let watched = self.proofs.shared(SharedId::new(n)) != Watch::Nothing;
            self.shared.push(watched.then(|| {
                let stride_bytes = if self.whole[n] { 4 } else { declared.stride_bytes };
                func.interface.shared.push(Shared { register: u32::MAX - n as u32, stride_bytes, ..declared });
                SharedId::new(func.interface.shared.len() - 1)
            }));
        }
        for n in 0..own_locals.min(func.interface.locals.len()) {
            let declared = func.interface.locals[n];
            let watched = self.proofs.local(LocalId::new(n)) != Watch::Nothing;
            self.locals.push(watched.then(|| {
                func.interface.locals.push(Local { register: u32::MAX - n as u32, ..declared });
                LocalId::new(func.interface.locals.len() - 1)
            }));
        }
        for n in 0..self.views.len() {
            let id = ResourceId::new(n);
            if self.proofs.view(id) == Watch::Nothing {
                continue;
            }
            let declared = func.interface.resource(id);
            let kind = match (declared.kind, declared.element_bytes) {
                (ResourceKind::Typed { .. }, _) => ResourceKind::Structured { stride_bytes: 4 },
                (ResourceKind::Raw, Some(stride_bytes)) => ResourceKind::Structured { stride_bytes },
                (kind, _) => kind,
            };
            let shadow = Resource::new(ResourceClass::UnorderedAccess, kind, 0);
            let mut add = |register: usize| {
                func.interface.resources.push(Resource { space: SPACE, lower: register as u32, ..shadow });
                ResourceId::new(func.interface.resources.len() - 1)
            };
            self.views[n].of_all = Some(add(n));
            self.views[n].in_group = self.proofs.view_in_groups(id).then(|| add(n + self.views.len()));
        }
        let has_phases = func.each_inst().any(|inst| begins_phase(&func.inst(inst).kind));
        let watches = self.shared.iter().any(Option::is_some);
        self.shared_phase = (has_phases && watches).then(|| func.add_slot(Type::I32));
        let watches = self.views.iter().any(|shadows| shadows.in_group.is_some());
        self.view_phase = watches.then(|| func.add_slot(Type::I32));
    }

    /// Writes the instructions of a region, with their probes. Lanes of a packet may be apart in it.
    fn insts(&mut self, func: &mut Function, region: Region, insts: Vec<Inst>, is_divergent: bool) {
        for inst in insts {
            let origin = func.inst(inst).origin;
            let mut b = Builder::at_end(func, region, origin);
            let kind = &b.func.inst(inst).kind;
            let regions = kind.regions();
            let next_phases =
                [self.shared_phase.filter(|_| begins_phase(kind)), self.view_phase.filter(|_| begins_view_phase(kind))];
            if !regions.is_empty() || kind.is_terminator() || matches!(kind, InstKind::Barrier(_)) {
                self.report(&mut b);
            }
            self.probe(&mut b, inst, is_divergent);
            b.func.region_mut(region).insts.push(inst);
            for slot in next_phases.into_iter().flatten() {
                let (phase, one) = (b.slot_get(slot), b.i32(1));
                let next = b.op(Op::IAdd, &[phase, one]);
                b.slot_set(slot, next);
            }
            let diverges = is_divergent || self.uniformity.divergent_control(inst);
            for inner in regions {
                let insts = std::mem::take(&mut func.region_mut(inner).insts);
                self.insts(func, inner, insts, diverges);
            }
        }
    }

    /// Writes the probe of an instruction that is about to follow.
    fn probe(&mut self, b: &mut Builder<'_>, inst: Inst, is_divergent: bool) {
        let always = self.always.expect("set before the first instruction");
        for guard in self.guards.at.remove(&inst).unwrap_or_default() {
            let InstKind::Load { place } = b.func.inst(guard.load).kind else { continue };
            let is_outside = outside(b, &place);
            let matters = if guard.holds { guard.cond } else { b.op(Op::BNot, &[guard.cond]) };
            self.suspect(b, is_outside, None, matters);
        }
        let words = b.func.inst(inst).results.len();
        match b.func.inst(inst).kind.clone() {
            InstKind::Load { place } => {
                self.memory(b, place, words, Access { kind: AccessKind::Read, effect: always, is_divergent });
            }
            InstKind::Store { place, values, effect } => {
                self.memory(b, place, values.len(), Access { kind: AccessKind::Write, effect, is_divergent });
            }
            InstKind::Atomic { place, effect, .. } => {
                self.memory(b, place, 1, Access { kind: AccessKind::Atomic, effect, is_divergent });
            }
            InstKind::TexelLoad { resource, coords, .. } => {
                self.texel(b, resource, &coords, Access { kind: AccessKind::Read, effect: always, is_divergent });
            }
            InstKind::TexelStore { resource, coords, effect, .. } => {
                self.texel(b, resource, &coords, Access { kind: AccessKind::Write, effect, is_divergent });
            }
            InstKind::TexelAtomic { resource, coords, effect, .. } => {
                self.texel(b, resource, &coords, Access { kind: AccessKind::Atomic, effect, is_divergent });
            }
            _ => {}
        }
    }

    /// An access of words.
    fn memory(&mut self, b: &mut Builder<'_>, place: MemoryRef, words: usize, access: Access) {
        let is_checked = match place.object {
            Object::Resource(resource) => b.func.interface.resource(resource.id).class != ResourceClass::Constant,
            Object::Shared(_) => true,
            _ => false,
        };
        if is_checked && place.index.is_none() {
            let (low, zero) = (b.i32(3), b.i32(0));
            let low = b.op(Op::And, &[place.offset, low]);
            let is_misaligned = b.op(Op::INe, &[low, zero]);
            self.suspect(b, is_misaligned, None, access.effect);
        }
        match place.object {
            Object::Shared(id) => {
                let Some(shadow) = self.shared[id.index()] else { return };
                let has_atomics = self.proofs.has_atomics(place.object);
                let words = if self.whole[id.index()] { 1 } else { words };
                let place = MemoryRef { object: Object::Shared(shadow), ..place };
                match self.proofs.shared(id) {
                    Watch::All => {
                        let is_filled = self.proofs.is_filled(id);
                        let entries = Entries { is_filled, ..self.entries_in_group(b, self.shared_phase, has_atomics) };
                        self.touch(b, place, words, access, &entries);
                    }
                    _ => self.written(b, place, words, access),
                }
            }
            Object::Local(id) => {
                if let Some(&Some(shadow)) = self.locals.get(id.index()) {
                    self.written(b, MemoryRef { object: Object::Local(shadow), ..place }, words, access);
                }
            }
            Object::Resource(ResourceRef { id, .. })
                if b.func.interface.resource(id).class == ResourceClass::Constant =>
            {
                self.constant(b, place, access);
            }
            Object::Immediate => self.constant(b, place, access),
            Object::Resource(resource) => self.view(b, resource.id, place, words, access),
            Object::Array(_) | Object::Curve => {}
        }
    }

    /// A read of constants, which only is a fault if the source's rules leave it out.
    fn constant(&mut self, b: &mut Builder<'_>, place: MemoryRef, access: Access) {
        let Some((Op::SelectI32, &[is_inside, _, other])) = place.index.and_then(|index| b.func.as_op(index)) else {
            return;
        };
        if b.func.as_const(other).is_some_and(|other| other.bits as u32 == OUTSIDE) {
            let is_outside = b.op(Op::BNot, &[is_inside]);
            self.suspect(b, is_outside, None, access.effect);
        }
    }

    /// An access of a texel. Those outside of a texture are defined, and access nothing.
    fn texel(&mut self, b: &mut Builder<'_>, resource: ResourceRef, coords: &[Value], mut access: Access) {
        let is_buffer = b.func.interface.resource(resource.id).kind.is_typed_buffer();
        if is_buffer {
            let [count, ..] = b.query(Query::BufferSize, resource, None);
            let is_outside = b.op(Op::UGe, &[coords[0], count]);
            self.suspect(b, is_outside, None, access.effect);
        }
        if self.views[resource.id.index()].of_all.is_none() {
            return;
        }
        let index = match is_buffer {
            true => coords[0],
            false => {
                let (number, is_inside) = texel_number(b, resource, coords);
                access.effect = b.op(Op::BAnd, &[access.effect, is_inside]);
                number
            }
        };
        let place = MemoryRef { object: Object::Resource(resource), index: Some(index), offset: b.i32(0) };
        self.view(b, resource.id, place, 1, access);
    }

    /// An access of a view's words.
    fn view(&mut self, b: &mut Builder<'_>, id: ResourceId, place: MemoryRef, words: usize, access: Access) {
        let ViewShadows { of_all, in_group } = self.views[id.index()];
        let has_atomics = self.proofs.has_atomics(Object::Resource(only(id)));
        let of = |shadow| MemoryRef { object: Object::Resource(only(shadow)), ..place };
        if let Some(shadow) = of_all {
            let entries = self.entries_of_all(b, has_atomics);
            self.touch(b, of(shadow), words, access, &entries);
        }
        if let Some(shadow) = in_group {
            let entries = self.entries_in_group(b, self.view_phase, has_atomics);
            self.touch(b, of(shadow), words, access, &entries);
        }
    }

    /// Where barriers order threads of the group: its number in the group, with the phase.
    fn entries_in_group(&self, b: &mut Builder<'_>, phase: Option<Slot>, has_atomics: bool) -> Entries {
        let (thread, shift) = (b.input(Input::ThreadIndex), b.i32(THREAD));
        let thread = b.op(Op::Shl, &[thread, shift]);
        let phase = match phase {
            Some(slot) => b.slot_get(slot),
            None => b.i32(1),
        };
        let shift = b.i32(self.phase_bit);
        let phase = b.op(Op::Shl, &[phase, shift]);
        let own = b.op(Op::Or, &[phase, thread]);
        let below_phase = 1 << self.phase_bit;
        Entries { own, below_phase, first: None, of_groups: false, is_filled: true, has_atomics }
    }

    /// For views, where nothing orders groups: its number in the dispatch.
    fn entries_of_all(&self, b: &mut Builder<'_>, has_atomics: bool) -> Entries {
        let (group, threads) = (group_number(b), b.i32(self.threads));
        let first = b.op(Op::IMul, &[group, threads]);
        let thread = b.input(Input::ThreadIndex);
        let thread = b.op(Op::IAdd, &[first, thread]);
        let [first, thread] = [first, thread].map(|number| {
            let (shift, of_view) = (b.i32(THREAD), b.i32(OF_VIEW));
            let entry = b.op(Op::Shl, &[number, shift]);
            b.op(Op::Or, &[entry, of_view])
        });
        let of_groups = self.has_view_phases;
        let own = if of_groups { first } else { thread };
        Entries { own, below_phase: OF_VIEW, first: Some(first), of_groups, is_filled: true, has_atomics }
    }

    /// Watches only whether words were written before they are read.
    fn written(&mut self, b: &mut Builder<'_>, place: MemoryRef, words: usize, access: Access) {
        if access.kind != AccessKind::Read {
            let written = b.i32(1);
            return b.store(place, &[written; 4][..words], access.effect);
        }
        for entry in b.load(place, words) {
            self.suspect_unwritten(b, entry, access.effect);
        }
    }

    /// Notes the suspicion that nobody has written the word of an entry.
    fn suspect_unwritten(&mut self, b: &mut Builder<'_>, entry: Value, effect: Value) {
        let zero = b.i32(0);
        let is_unwritten = b.op(Op::IEq, &[entry, zero]);
        self.suspect(b, is_unwritten, None, effect);
    }

    /// Compares an access with the entries of its words, and replaces them.
    fn touch(&mut self, b: &mut Builder<'_>, place: MemoryRef, words: usize, access: Access, entries: &Entries) {
        let is_common = !entries.of_groups && access.kind == AccessKind::Read && self.is_common(&place, &access);
        let old = b.load(place, words);
        let mut new: SmallVec<[Value; 4]> = SmallVec::new();
        for &old in &old {
            let meeting = Meeting::of(b, old, entries);
            let (clash, entry) = match access.kind {
                AccessKind::Read if is_common => meeting.read_by_all(b, entries),
                AccessKind::Read => meeting.read(b, entries),
                AccessKind::Write => meeting.write(b, entries),
                AccessKind::Atomic => meeting.atomic(b, entries),
            };
            self.suspect(b, clash, entries.first.map(|_| old), access.effect);
            if access.kind == AccessKind::Read && !entries.is_filled {
                self.suspect_unwritten(b, old, access.effect);
            }
            new.push(entry);
        }
        b.store(place, &new, access.effect);
        if is_common || entries.of_groups || self.is_apart(b.func, &place, words) {
            return;
        }
        // Lanes that do not find what they left have met another.
        for (n, (left, &new)) in b.load(place, words).into_iter().zip(&new).enumerate() {
            let differs = b.op(Op::INe, &[left, new]);
            if access.kind == AccessKind::Write {
                self.suspect(b, differs, entries.first.map(|_| left), access.effect);
                continue;
            }
            let (several, bytes) = (b.i32(SEVERAL), b.i32(4 * n as u32));
            let (entry, offset) = (b.op(Op::Or, &[left, several]), b.op(Op::IAdd, &[place.offset, bytes]));
            let effect = b.op(Op::BAnd, &[differs, access.effect]);
            let always = self.always.expect("set before the first instruction");
            // Hardly ever.
            b.when(effect, |b| b.store(MemoryRef { offset, ..place }, &[entry], always));
        }
    }

    /// Notes a suspicion, with an entry, of threads with effect.
    fn suspect(&mut self, b: &mut Builder<'_>, cond: Value, entry: Option<Value>, effect: Value) {
        let cond = b.op(Op::BAnd, &[cond, effect]);
        self.pending = Some(match self.pending.take() {
            None => Pending { cond, entry },
            Some(before) => Pending {
                cond: b.op(Op::BOr, &[before.cond, cond]),
                entry: match (before.entry, entry) {
                    (Some(before), Some(entry)) => Some(b.select(cond, entry, before)),
                    (before, entry) => before.or(entry),
                },
            },
        });
    }

    /// Reports what has been suspected in the code before.
    fn report(&mut self, b: &mut Builder<'_>) {
        let Some(Pending { cond, entry }) = self.pending.take() else { return };
        let messages = &mut b.func.interface.messages;
        messages.push(Message { kind: MessageKind::Probe, is_format: false, text: String::new() });
        let message = MessageId::new(messages.len() - 1);
        b.message(message, entry.as_slice(), cond);
    }

    /// `true` if several threads read the same words at once.
    fn is_common(&self, place: &MemoryRef, access: &Access) -> bool {
        let mut numbers = place.index.into_iter().chain([place.offset]);
        self.threads > 1
            && !access.is_divergent
            && !self.loses_lanes
            && numbers.all(|value| self.knows(value) && self.uniformity.is_packet_uniform(value))
    }

    /// `true` if no two lanes access the same words.
    fn is_apart(&self, func: &Function, place: &MemoryRef, words: usize) -> bool {
        let stride_of = |value: Value| match self.knows(value).then(|| self.shapes.shape(value))? {
            Shape::Affine { stride } => Some(stride as i32),
            _ => None,
        };
        let Some(offset) = stride_of(place.offset).or(func.as_const(place.offset).map(|_| 0)) else { return false };
        let is_far = |stride: i32, least: u32| {
            let step = stride.unsigned_abs();
            step >= least && u64::from(step) * (MAX_LANES as u64) < 1 << 32
        };
        match place.index {
            Some(index) => offset == 0 && stride_of(index).is_some_and(|stride| is_far(stride, 1)),
            None => is_far(offset, 4 * words as u32),
        }
    }

    /// `true` if a value is one of the function's own.
    fn knows(&self, value: Value) -> bool {
        value.index() < self.values
    }
}

/// `true` if an instruction is a load of which [`outside`] can tell.
fn has_plain_bounds(func: &Function, load: Inst) -> bool {
    let data = func.inst(load);
    let InstKind::Load { place } = &data.kind else { return false };
    let stride = match place.object {
        Object::Shared(id) => func.interface.shared(id).stride_bytes,
        Object::Resource(ResourceRef { id, element: Element::Fixed(_) }) => {
            let declared = func.interface.resource(id);
            match (declared.class, declared.kind, declared.stride_bytes()) {
                (ResourceClass::Constant, ..) | (_, ResourceKind::Typed { .. }, _) | (.., None) => return false,
                (.., Some(stride_bytes)) => stride_bytes,
            }
        }
        _ => return false,
    };
    let offset = func.as_const(place.offset).map(|offset| offset.bits as u32);
    let end = offset.and_then(|offset| offset.checked_add(4 * data.results.len() as u32));
    place.index.is_some() && end.is_some_and(|end| end <= stride)
}

/// `true` where the element of a load does not exist.
fn outside(b: &mut Builder<'_>, place: &MemoryRef) -> Value {
    let count = match place.object {
        Object::Shared(id) => {
            let count = b.func.interface.shared(id).count;
            b.i32(count)
        }
        Object::Resource(resource) => b.query(Query::BufferSize, resource, None)[0],
        _ => unreachable!("such loads have no plain bounds"),
    };
    b.op(Op::UGe, &[place.index.expect("such loads have an element"), count])
}
