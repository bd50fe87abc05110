//! Proves of objects that no thread can race with another, and that none reads what nobody wrote: they need no probes.
//!
//! An object is free of races in a phase if all accesses read, if all are atomic, or if each thread has words of its
//! own: where the address is a sum of multiples of the thread's axes in which each axis is a digit, as in mixed radix,
//! and all that is added besides is the same for all threads or a multiple of what the digits reach to. Accesses that no
//! barrier lies between are of one phase, whatever the way from one to the other; those of a view are of one phase in
//! the whole dispatch, for which its number of groups must be known.

use smallvec::SmallVec;

use super::finding::AccessKind;
use super::linear::{AXES, Digits, Linear};
use crate::entity::{Inst, LocalId, Region, ResourceId, SharedId, Value};
use crate::flow::Flow;
use crate::function::{Element, Function, Input, InstKind, MemoryRef, Object, ResourceRef, ValueDef};
use crate::interface::{ResourceClass, Shared};
use crate::ops::Op;
use crate::span::Grid;

/// The most operations that are followed back from a value.
const MOST_STEPS: u32 = 8;

/// The most accesses to shared memory of which it is proven that they fill it.
const MOST_FILLING: usize = 256;

/// What of an object must be watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// Nothing.
    Nothing,
    /// Whether words are written before they are read.
    Written,
    /// All accesses.
    All,
}

/// What must be watched of each object of a function.
pub(super) struct Proofs {
    shared: Vec<Watch>,
    locals: Vec<Watch>,
    views: Vec<Watch>,
    /// Whether threads of one group must be watched for themselves, since barriers order them.
    views_in_groups: Vec<bool>,
    atomics: Vec<Object>,
    /// Shared memory whose words are all written before any is read.
    filled: Vec<bool>,
}

/// What a dispatch must have for threads to have words of their own in some view: for each coordinate its digits, and
/// whether a single thread of each group has access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnWords {
    coordinates: SmallVec<[Digits; 3]>,
    is_single: bool,
    group_size: [u32; 3],
}

impl OwnWords {
    /// `true` if it is so in a dispatch of so many groups.
    pub fn holds(&self, grid: &Grid) -> bool {
        let mut extents = [1u64; AXES];
        for axis in 0..3 {
            extents[axis] = if self.is_single { 1 } else { self.group_size[axis].into() };
            extents[3 + axis] = grid.groups[axis].into();
        }
        tell_all(&self.coordinates, extents)
    }
}

/// `true` if coordinates together tell all axes.
fn tell_all(coordinates: &[Digits], extents: [u64; AXES]) -> bool {
    let mut told = [false; AXES];
    for digits in coordinates {
        let by_this = digits.told(extents).unwrap_or_default();
        told.iter_mut().zip(by_this).for_each(|(told, by_this)| *told |= by_this);
    }
    told.iter().zip(extents).all(|(&told, extent)| told || extent <= 1)
}

/// An access to an object.
struct Site {
    inst: Inst,
    object: Object,
    kind: AccessKind,
    /// The class of phases that it is in.
    class: usize,
    /// Where it is: for each coordinate a sum, and how many it accesses from there on. Of memory with elements these are the
    /// element and the byte in it.
    at: SmallVec<[(Linear, u32); 3]>,
    /// The number of the only thread of a group that performs it.
    single: Option<u32>,
}

impl Proofs {
    /// Analyses a function whose first indexable temporaries are the shader's own. If it may, it also proves of views what
    /// depends on the dispatch, which is returned.
    pub fn find(func: &Function, flow: &Flow, own_locals: usize, may_depend: bool) -> (Self, Vec<OwnWords>) {
        let sites = Sites::find(func, begins_phase);
        let mut conditions = Vec::new();
        let shared = (0..func.interface.shared.len()).map(|n| {
            let object = Object::Shared(SharedId::new(n));
            let of: Vec<&Site> = sites.of(object).collect();
            let is_free = are_free_in_groups(func, &of);
            let is_read = of.iter().any(|site| site.kind != AccessKind::Write);
            let is_filled = !is_read || is_filled(func, flow, &of, &func.interface.shared[n]);
            let watch = match (is_free, is_filled) {
                (false, _) => Watch::All,
                (true, false) => Watch::Written,
                (true, true) => Watch::Nothing,
            };
            (watch, is_filled)
        });
        let (shared, filled) = shared.unzip();
        let views = (0..func.interface.resources.len()).map(|n| {
            let id = ResourceId::new(n);
            if func.interface.resource(id).class != ResourceClass::UnorderedAccess {
                return Watch::Nothing;
            }
            let of: Vec<&Site> = sites.of_view(id).collect();
            if only_one_kind(&of) {
                return Watch::Nothing;
            }
            match own_words(func, &of, true).filter(|_| may_depend) {
                Some(own) => {
                    conditions.push(own);
                    Watch::Nothing
                }
                None => Watch::All,
            }
        });
        let views: Vec<Watch> = views.collect();
        let views_in_groups = match has_view_phases(func) {
            true => {
                let sites = Sites::find(func, begins_view_phase);
                let is_free = |n| are_free_in_groups(func, &sites.of_view(ResourceId::new(n)).collect::<Vec<_>>());
                views.iter().enumerate().map(|(n, &watch)| watch != Watch::Nothing && !is_free(n)).collect()
            }
            false => vec![false; views.len()],
        };
        let locals = (0..func.interface.locals.len()).map(|n| {
            let object = Object::Local(LocalId::new(n));
            let is_read = sites.of(object).any(|site| site.kind == AccessKind::Read);
            if n < own_locals && is_read { Watch::Written } else { Watch::Nothing }
        });
        let locals = locals.collect();
        let atomics = sites.all.iter().filter(|site| site.kind == AccessKind::Atomic).map(|site| site.object).collect();
        let proofs = Self { shared, locals, views, views_in_groups, atomics, filled };
        (proofs, conditions)
    }

    /// For a function nothing of which is to be watched.
    pub fn nothing(func: &Function) -> Self {
        let all = |count| vec![Watch::Nothing; count];
        let interface = &func.interface;
        let (shared, locals) = (interface.shared.len(), interface.locals.len());
        let views = interface.resources.len();
        Self {
            shared: all(shared),
            locals: all(locals),
            views: all(views),
            views_in_groups: vec![false; views],
            atomics: Vec::new(),
            filled: vec![true; shared],
        }
    }

    pub fn shared(&self, id: SharedId) -> Watch {
        self.shared[id.index()]
    }

    /// `true` if all words of shared memory are written before any is read.
    pub fn is_filled(&self, id: SharedId) -> bool {
        self.filled[id.index()]
    }

    pub fn local(&self, id: LocalId) -> Watch {
        self.locals[id.index()]
    }

    pub fn view(&self, id: ResourceId) -> Watch {
        self.views[id.index()]
    }

    /// `true` if accesses of a view by threads of one group must be watched for themselves.
    pub fn view_in_groups(&self, id: ResourceId) -> bool {
        self.views_in_groups[id.index()]
    }

    /// `true` if there are atomics on it.
    pub fn has_atomics(&self, object: Object) -> bool {
        self.atomics.contains(&object)
    }
}

/// `true` for a barrier that begins a phase of shared memory.
pub(super) fn begins_phase(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Barrier(sync) if sync.threads && sync.shared)
}

/// `true` for a barrier that begins a phase of views.
pub(super) fn begins_view_phase(kind: &InstKind) -> bool {
    matches!(kind, InstKind::Barrier(sync) if sync.threads && sync.orders_views())
}

/// `true` if such a barrier exists.
pub(super) fn has_view_phases(func: &Function) -> bool {
    func.each_inst().any(|inst| begins_view_phase(&func.inst(inst).kind))
}

/// `true` if no threads of one group race in any of these accesses, which are all of an object.
fn are_free_in_groups(func: &Function, sites: &[&Site]) -> bool {
    let mut classes: Vec<usize> = sites.iter().map(|site| site.class).collect();
    classes.sort_unstable();
    classes.dedup();
    classes.iter().all(|&class| {
        let of: Vec<&Site> = sites.iter().copied().filter(|site| site.class == class).collect();
        only_one_kind(&of)
            || own_words(func, &of, false).is_some_and(|own| own.holds(&Grid { groups: [1; 3], first: [0; 3] }))
    })
}

/// `true` if all accesses read, or all are atomic.
fn only_one_kind(sites: &[&Site]) -> bool {
    [AccessKind::Read, AccessKind::Atomic].iter().any(|kind| sites.iter().all(|site| site.kind == *kind))
}

/// Finds the words that a thread has for itself, if all accesses of a class are to such; of a view, in the whole dispatch.
fn own_words(func: &Function, sites: &[&Site], is_view: bool) -> Option<OwnWords> {
    let first = *sites.first()?;
    let is_single = first.single.is_some() && sites.iter().all(|site| site.single == first.single);
    let coordinates = (0..first.at.len()).map(|n| {
        let of_sites = sites.iter().map(|site| site.at.get(n)).collect::<Option<SmallVec<[&(Linear, u32); 8]>>>()?;
        Some(digits(func, &of_sites, is_view))
    });
    let coordinates = coordinates.collect::<Option<_>>()?;
    Some(OwnWords { coordinates, is_single, group_size: func.interface.group_size() })
}

/// What a coordinate of all accesses tells of the thread; nothing if they have no line in common.
fn digits(func: &Function, of_sites: &[&(Linear, u32)], is_view: bool) -> Digits {
    let first = &of_sites[0].0;
    let mut length = of_sites.iter().map(|(_, length)| *length).max().unwrap_or(0);
    if of_sites.iter().any(|(sum, _)| sum.axes != first.axes) {
        return Digits { factors: [0; AXES], length, align: 32 };
    }
    // Where groups do not matter, their numbers are the same for all threads.
    let mut factors = first.axes;
    if !is_view {
        factors[3..].fill(0);
    }
    let is_same = of_sites.iter().all(|(sum, _)| sum.others == first.others)
        && first.others.iter().all(|&(value, _)| is_fixed(func, value, is_view, MOST_STEPS));
    let mut align = match is_same {
        true => 32,
        false => of_sites.iter().flat_map(|(sum, _)| sum.zero_bits(func)).fold(32, u32::min),
    };
    // Constants that differ make a longer range, or are multiples, too.
    let distances = || of_sites.iter().map(|(sum, _)| sum.constant.wrapping_sub(first.constant));
    let zero_bits = distances().filter(|&distance| distance != 0).map(u32::trailing_zeros).fold(32, u32::min);
    let step = factors.iter().filter(|&&factor| factor != 0).map(|&factor| (factor as i32).unsigned_abs()).min();
    let least = distances().map(|distance| distance as i32).min().unwrap_or(0);
    let most = distances().map(|distance| distance as i32).max().unwrap_or(0);
    match most.checked_sub(least).and_then(|spread| length.checked_add(spread as u32)) {
        Some(longer) if step.is_none_or(|step| longer <= step) => length = longer,
        _ => align = align.min(zero_bits),
    }
    Digits { factors, length, align }
}

/// `true` if a value is the same whenever a thread of the group, or of the dispatch, has it.
fn is_fixed(func: &Function, value: Value, is_view: bool, steps: u32) -> bool {
    if func.as_const(value).is_some() {
        return true;
    }
    let (ValueDef::Result(inst, _), Some(steps)) = (func.value(value).def, steps.checked_sub(1)) else { return false };
    match &func.inst(inst).kind {
        InstKind::Input(Input::GroupCount(_)) => true,
        InstKind::Input(Input::GroupId(_)) => !is_view,
        InstKind::Input(_) => false,
        InstKind::Op { args, .. } => args.iter().all(|&arg| is_fixed(func, arg, is_view, steps)),
        InstKind::Load { place } => {
            let is_constant = match place.object {
                Object::Resource(resource) => {
                    func.interface.resource(resource.id).class == ResourceClass::Constant
                        && matches!(resource.element, Element::Fixed(_))
                }
                Object::Immediate | Object::Curve => true,
                _ => false,
            };
            let mut address = place.index.into_iter().chain([place.offset]);
            is_constant && address.all(|value| is_fixed(func, value, is_view, steps))
        }
        InstKind::Query { .. } => func.is_known_of_view(&func.inst(inst).kind),
        _ => false,
    }
}

/// `true` if all words of shared memory are written before any is read: by all threads, side by side, ahead of a barrier
/// that all reads come after.
fn is_filled(func: &Function, flow: &Flow, sites: &[&Site], shared: &Shared) -> bool {
    let returns_early = flow
        .order
        .iter()
        .any(|&inst| matches!(func.inst(inst).kind, InstKind::Return) && flow.region_of(inst) != func.body());
    if returns_early || sites.len() > MOST_FILLING {
        return false;
    }
    let mut regions: Vec<Region> = sites.iter().map(|site| flow.region_of(site.inst)).collect();
    regions.sort_unstable();
    regions.dedup();
    regions.iter().any(|&region| {
        let insts = &func.region(region).insts;
        // The position in the region of an instruction, or of what holds it.
        let position = |mut inst: Inst| loop {
            if flow.region_of(inst) == region {
                return insts.iter().position(|&other| other == inst);
            }
            inst = flow.owner(flow.region_of(inst))?;
        };
        let reads = sites.iter().filter(|site| site.kind != AccessKind::Write).map(|site| position(site.inst));
        let Some(first_read) = reads.collect::<Option<Vec<_>>>().and_then(|reads| reads.into_iter().min()) else {
            return false;
        };
        let is_barrier = |&inst: &Inst| begins_phase(&func.inst(inst).kind);
        let Some(barrier) = insts[..first_read].iter().rposition(is_barrier) else { return false };
        let stores = sites.iter().filter(|site| {
            let is_whole = match &func.inst(site.inst).kind {
                InstKind::Store { effect, .. } => func.as_const(*effect).is_some_and(|effect| effect.bits != 0),
                _ => false,
            };
            is_whole && flow.region_of(site.inst) == region && position(site.inst).is_some_and(|at| at < barrier)
        });
        let mut filled: Vec<(u64, u64)> = stores.filter_map(|site| site.filled(func, shared)).collect();
        filled.sort_unstable();
        let end = filled.iter().fold(0, |end, &(start, next)| if start <= end { end.max(next) } else { end });
        end >= u64::from(shared.size_bytes())
    })
}

impl Site {
    /// The bytes that all threads of a group write together, if these have no gaps.
    fn filled(&self, func: &Function, shared: &Shared) -> Option<(u64, u64)> {
        let size = func.interface.group_size();
        let mut left: SmallVec<[usize; 3]> = (0..3).filter(|&axis| size[axis] > 1).collect();
        let mut fills = |(sum, length): &(Linear, u32)| {
            if !sum.others.is_empty() || sum.axes[3..].iter().any(|&factor| factor != 0) {
                return None;
            }
            let mut axes: SmallVec<[usize; 3]> = left.iter().copied().filter(|&axis| sum.axes[axis] != 0).collect();
            left.retain(|axis| !axes.contains(axis));
            axes.sort_by_key(|&axis| sum.axes[axis]);
            let mut length = u64::from(*length);
            for axis in axes {
                if u64::from(sum.axes[axis]) != length {
                    return None;
                }
                length *= u64::from(size[axis]);
            }
            Some((u64::from(sum.constant), u64::from(sum.constant) + length))
        };
        let range = match self.at.as_slice() {
            [bytes] => fills(bytes)?,
            [element, bytes] => {
                let ((first, next), stride) = (fills(element)?, u64::from(shared.stride_bytes));
                if fills(bytes)? != (0, stride) {
                    return None;
                }
                (first * stride, next * stride)
            }
            _ => return None,
        };
        left.is_empty().then_some(range)
    }
}

/// The accesses of a function, with their classes of phases.
struct Sites<'a> {
    func: &'a Function,
    /// Whether an instruction begins a phase.
    begins: fn(&InstKind) -> bool,
    all: Vec<Site>,
    /// The class that each class has become part of.
    joined: Vec<usize>,
    /// Where loops begin and where loops and switches end.
    heads: Vec<(Inst, usize)>,
    exits: Vec<(Inst, usize)>,
}

impl<'a> Sites<'a> {
    fn find(func: &'a Function, begins: fn(&InstKind) -> bool) -> Self {
        let mut sites = Self { func, begins, all: Vec::new(), joined: vec![0], heads: Vec::new(), exits: Vec::new() };
        sites.walk(func.body(), 0, None);
        for n in 0..sites.all.len() {
            sites.all[n].class = sites.root(sites.all[n].class);
        }
        sites
    }

    fn of(&self, object: Object) -> impl Iterator<Item = &Site> {
        self.all.iter().filter(move |site| site.object == object)
    }

    fn of_view(&self, id: ResourceId) -> impl Iterator<Item = &Site> {
        self.all.iter().filter(move |site| matches!(site.object, Object::Resource(resource) if resource.id == id))
    }

    fn root(&self, mut class: usize) -> usize {
        while self.joined[class] != class {
            class = self.joined[class];
        }
        class
    }

    fn join(&mut self, one: usize, other: usize) -> usize {
        let (one, other) = (self.root(one), self.root(other));
        self.joined[one] = other;
        other
    }

    fn new_class(&mut self) -> usize {
        self.joined.push(self.joined.len());
        self.joined.len() - 1
    }

    /// Visits a region that begins in a class of phases, with the only thread that runs it; returns the class at its end.
    fn walk(&mut self, region: Region, mut class: usize, single: Option<u32>) -> usize {
        let func = self.func;
        for &inst in &func.region(region).insts {
            let kind = &func.inst(inst).kind;
            match kind {
                kind if (self.begins)(kind) => class = self.new_class(),
                InstKind::If { cond, then_region, else_region } => {
                    let [then_single, else_single] =
                        [true, false].map(|holds| single.or(only_thread(func, *cond, holds, MOST_STEPS)));
                    let then_end = self.walk(*then_region, class, then_single);
                    let else_end = self.walk(*else_region, class, else_single);
                    class = self.join(then_end, else_end);
                }
                InstKind::Switch { .. } => {
                    let exit = self.new_class();
                    self.exits.push((inst, exit));
                    for inner in kind.regions() {
                        let end = self.walk(inner, class, single);
                        self.join(end, exit);
                    }
                    class = exit;
                }
                InstKind::Loop { body, .. } => {
                    let exit = self.new_class();
                    self.exits.push((inst, exit));
                    self.heads.push((inst, class));
                    let end = self.walk(*body, class, single);
                    self.join(end, class);
                    class = exit;
                }
                InstKind::Break { target, .. } => {
                    let exit = self.exits.iter().find(|(owner, _)| owner == target).map(|(_, exit)| *exit);
                    exit.map(|exit| self.join(class, exit));
                }
                InstKind::Continue { target, .. } => {
                    let head = self.heads.iter().find(|(owner, _)| owner == target).map(|(_, head)| *head);
                    head.map(|head| self.join(class, head));
                }
                _ => self.all.extend(site(func, inst, class, single)),
            }
        }
        class
    }
}

/// The access that an instruction is.
fn site(func: &Function, inst: Inst, class: usize, single: Option<u32>) -> Option<Site> {
    let data = func.inst(inst);
    let of_memory = |place: &MemoryRef, words: usize, kind| {
        let bytes = (Linear::of(func, place.offset), 4 * words as u32);
        let at = place.index.map(|index| (Linear::of(func, index), 1)).into_iter().chain([bytes]).collect();
        Site { inst, object: place.object, kind, class, at, single }
    };
    let of_texel = |resource: ResourceRef, coords: &[Value], kind| {
        let at = coords.iter().map(|&coord| (Linear::of(func, coord), 1)).collect();
        Site { inst, object: Object::Resource(resource), kind, class, at, single }
    };
    Some(match &data.kind {
        InstKind::Load { place } => of_memory(place, data.results.len(), AccessKind::Read),
        InstKind::Store { place, values, .. } => of_memory(place, values.len(), AccessKind::Write),
        InstKind::Atomic { place, .. } => of_memory(place, 1, AccessKind::Atomic),
        InstKind::TexelLoad { resource, coords, .. } => of_texel(*resource, coords, AccessKind::Read),
        InstKind::TexelStore { resource, coords, .. } => of_texel(*resource, coords, AccessKind::Write),
        InstKind::TexelAtomic { resource, coords, .. } => of_texel(*resource, coords, AccessKind::Atomic),
        _ => return None,
    })
}

/// The only thread of a group for which a condition holds, or does not.
fn only_thread(func: &Function, cond: Value, holds: bool, steps: u32) -> Option<u32> {
    let ((op, args), steps) = (func.as_op(cond)?, steps.checked_sub(1)?);
    let (number, constant) = match (op, holds) {
        (Op::BNot, _) => return only_thread(func, args[0], !holds, steps),
        (Op::BAnd, true) | (Op::BOr, false) => {
            return args.iter().find_map(|&arg| only_thread(func, arg, holds, steps));
        }
        (Op::IEq, true) | (Op::INe, false) => match func.as_const(args[0]) {
            Some(constant) => (args[1], constant.bits as u32),
            None => (args[0], func.as_const(args[1])?.bits as u32),
        },
        (Op::ULt, true) | (Op::UGe, false) if func.as_const(args[1])?.bits == 1 => (args[0], 0),
        _ => return None,
    };
    let sum = Linear::of(func, number);
    let digits = Digits { factors: sum.axes, length: 1, align: 32 };
    let mut extents = [1; AXES];
    extents.iter_mut().zip(func.interface.group_size()).for_each(|(extent, size)| *extent = size.into());
    (sum.others.is_empty() && sum.axes[3..] == [0; 3] && tell_all(&[digits], extents)).then_some(constant)
}
