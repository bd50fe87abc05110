//! Emits bounds checks, and hoists them to the start of a packet.
//!
//! An access that is not scattered needs one or two comparisons for the whole packet. If a segment has several such
//! accesses whose addresses can be computed at its start, all their checks are done there, and its code is emitted
//! twice: packets that pass run without any check, and without the merge blocks of checked accesses; others run code
//! that checks each access by itself. Equal checks are done once.

use brolga_ir::entity::{Inst, Value};
use brolga_ir::function::{Element, InstKind, Object, ResourceRef, ValueDef};
use brolga_ir::stage::Stage;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, Block, InstBuilder, types};
use smallvec::SmallVec;

use super::Lowering;
use super::address::{Area, Limit, Location, LoweredAccess, Proof, Spread};
use super::facts::Facts;
use super::mask::LaneMask;
use super::notes::Note;

/// A segment with more instructions than this, all regions included, is not emitted twice.
const MOST_TWICE: usize = 160;

/// The longest chain of operations that is hoisted for an address.
const MOST_STEPS: u32 = 6;

/// The most checks that are hoisted.
const MOST_CHECKS: usize = 8;

/// A check: `number + need <= limit`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct BoundsCheck {
    number: CheckedValue,
    need: u64,
    limit: Limit,
}

impl BoundsCheck {
    fn never_holds(&self) -> bool {
        matches!((self.number, self.limit), (CheckedValue::Known(number), Limit::Known(limit)) if u64::from(number) + self.need > limit)
    }
}

/// The subject of a check, below 2^32.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CheckedValue {
    Known(u32),
    /// A value in the first lane of a run.
    First {
        value: Value,
        run: u32,
    },
    /// The same, rounded to whole words.
    FirstWord {
        value: Value,
        run: u32,
    },
}

impl Lowering<'_, '_> {
    /// Emits a test that all words of all lanes of an access that is not scattered are in range (`None` if that is
    /// known).
    pub fn fits(&mut self, area: &Area, access: &LoweredAccess, words: u32) -> Option<ir::Value> {
        if self.addresses.is_proven(access, words) {
            return None;
        }
        let checks = self.facts.checks(area, access, words);
        let mut holds = |check| {
            let end = self.end_of(check);
            self.is_end_in_range(check, end)
        };
        let held: SmallVec<[ir::Value; 2]> = checks.into_iter().map(&mut holds).collect();
        held.into_iter().reduce(|a, b| self.builder.ins().band(a, b))
    }

    /// The operand that a check compares.
    fn end_of(&mut self, check: BoundsCheck) -> ir::Value {
        let number = match check.number {
            CheckedValue::Known(number) => self.builder.ins().iconst(types::I64, i64::from(number)),
            CheckedValue::First { value, run } => {
                let first = self.first_of_run(value, run);
                self.builder.ins().uextend(types::I64, first)
            }
            CheckedValue::FirstWord { value, run } => self.first_word(value, run),
        };
        self.builder.ins().iadd_imm_s(number, check.need as i64)
    }

    fn is_end_in_range(&mut self, check: BoundsCheck, end: ir::Value) -> ir::Value {
        let limit = self.limit_value(check.limit);
        self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, end, limit)
    }

    /// Emits a test that no lane of a strided access has a word in range, if that is cheap to compute.
    pub fn all_outside(&mut self, access: &LoweredAccess) -> Option<ir::Value> {
        let (Location::Area(area), Spread::Strided { runs: 1, .. }) = (&access.target, &access.spread) else {
            return None;
        };
        let (limit, place) = (area.limit, access.place);
        let (first, step) = match (area.stride, access.steps) {
            (Some(_), [step, 0]) if step > 0 => (place.index?, step),
            (None, [_, step]) if step > 0 => (place.offset, step),
            _ => return None,
        };
        let first = self.first(first);
        let first = self.builder.ins().uextend(types::I64, first);
        let limit = self.limit_value(limit);
        let beyond = self.builder.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, first, limit);
        // The last lane's number must not have wrapped.
        let most = u64::from(u32::MAX) - u64::from(self.facts.shape.lanes() - 1) * u64::from(step);
        let most = self.builder.ins().iconst(types::I64, most as i64);
        let whole = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, first, most);
        Some(self.builder.ins().band(beyond, whole))
    }

    /// Notes why an access needs no check of its own.
    pub fn note_unchecked(&mut self, access: &LoweredAccess, words: u32) {
        self.note(if self.addresses.is_proven(access, words) { Note::CheckedAhead } else { Note::Unchecked });
    }

    /// Hoists the checks of a segment to a packet's start, if that pays off. The builder continues where all of them
    /// hold; the block returned, not sealed yet, is for packets that fail one.
    pub fn check_ahead(&mut self, insts: &[Inst]) -> Option<Block> {
        // In scratch memory, a value that is computed early could overlap another that is live then.
        if self.is_large() || self.pressure.bytes > 0 || self.facts.count(insts) > MOST_TWICE {
            return None;
        }
        // These read mostly scattered data, and their code is long.
        if matches!(self.func.interface.stage, Stage::Vertex(_) | Stage::Hull(_) | Stage::Geometry(_)) {
            return None;
        }
        let mut found = Vec::new();
        self.find_accesses(insts, insts, &mut found);
        if found.len() < 2 {
            return None;
        }
        for proof in &found {
            for value in [proof.place.index, Some(proof.place.offset)].into_iter().flatten() {
                self.make_ahead(value);
            }
        }
        let mut checks: Vec<BoundsCheck> = Vec::new();
        for &proof in &found {
            let access = self.access(proof.place, &LaneMask::Full);
            let Location::Area(area) = access.target else { continue };
            if matches!(access.spread, Spread::Scattered) {
                continue;
            }
            let needed = self.facts.checks(&area, &access, proof.words);
            // A certain access needs no check, and a check that never holds would send all packets down the slow path.
            if needed.is_empty() || needed.iter().any(BoundsCheck::never_holds) {
                continue;
            }
            let is_new = |check: &&BoundsCheck| !checks.contains(check);
            if checks.len() + needed.iter().filter(is_new).count() > MOST_CHECKS {
                break;
            }
            for check in needed {
                if !checks.contains(&check) {
                    checks.push(check);
                }
            }
            self.addresses.proofs.push(proof);
        }
        if self.addresses.proofs.len() < 2 {
            self.addresses.proofs.clear();
            return None;
        }
        let slow = self.builder.create_block();
        let mut ends: Vec<(BoundsCheck, ir::Value)> = Vec::new();
        for check in checks {
            let same = ends.iter().find(|(other, _)| (other.number, other.need) == (check.number, check.need));
            let end = match same {
                Some(&(_, end)) => end,
                None => self.end_of(check),
            };
            ends.push((check, end));
            let holds = self.is_end_in_range(check, end);
            self.branch_away_unless(holds, slow);
        }
        Some(slow)
    }

    /// Lists the accesses of instructions whose addresses can be computed before all of `ahead`.
    fn find_accesses(&self, ahead: &[Inst], insts: &[Inst], found: &mut Vec<Proof>) {
        for &inst in insts {
            let kind = &self.func.inst(inst).kind;
            let (place, words) = match kind {
                InstKind::Load { place } => (*place, self.func.inst(inst).results.len()),
                InstKind::Store { place, values, .. } => (*place, values.len()),
                _ => {
                    for region in kind.regions() {
                        self.find_accesses(ahead, &self.func.region(region).insts, found);
                    }
                    continue;
                }
            };
            let views = &self.addresses.views;
            let is_known = match place.object {
                Object::Resource(ResourceRef { id, element: Element::Fixed(0) }) => views[id.index()].is_some(),
                Object::Shared(_) | Object::Array(_) | Object::Immediate | Object::Curve => true,
                Object::Resource(_) | Object::Local(_) => false,
            };
            let lies_evenly = |value: Value| {
                self.facts.is_uniform(value)
                    || self.facts.stride(value, false).is_some()
                    || self.facts.octets().and_then(|_| self.facts.stride_in_octets(value, false)).is_some()
            };
            let values = [place.index, Some(place.offset)];
            let values = values.into_iter().flatten();
            if is_known
                && values.clone().all(lies_evenly)
                && values.clone().all(|value| self.can_make(ahead, value, MOST_STEPS))
            {
                found.push(Proof { place, words: words as u32 });
            }
        }
    }

    /// `true` if a value is available, or computed from such values by a chain of at most `steps` pure operations.
    fn can_make(&self, ahead: &[Inst], value: Value, steps: u32) -> bool {
        if self.available.has(value) || self.func.as_const(value).is_some() {
            return true;
        }
        let ValueDef::Result(inst, _) = self.func.value(value).def else { return false };
        match &self.func.inst(inst).kind {
            InstKind::Input(_) => ahead.contains(&inst),
            InstKind::Op { args, .. } if steps > 0 => {
                ahead.contains(&inst) && args.iter().all(|&arg| self.can_make(ahead, arg, steps - 1))
            }
            _ => false,
        }
    }

    /// Computes such a value now; its instruction is skipped later.
    fn make_ahead(&mut self, value: Value) {
        if self.available.has(value) || self.func.as_const(value).is_some() {
            return;
        }
        let func = self.func;
        let ValueDef::Result(inst, _) = func.value(value).def else { unreachable!("parameters cannot be made ahead") };
        func.inst(inst).kind.args().into_iter().for_each(|arg| self.make_ahead(arg));
        self.set_site(crate::site::CodeSite::of(inst));
        self.simple(inst);
    }
}

impl Facts<'_> {
    /// The conditions for all words of all lanes of an access that is not scattered to be in range.
    fn checks(&self, area: &Area, access: &LoweredAccess, words: u32) -> SmallVec<[BoundsCheck; 2]> {
        let [index_step, offset_step] = access.steps;
        let [most_index, most_offset] = access.most.map(u64::from);
        let runs = access.spread.runs();
        let last = u64::from(self.shape.lanes() / runs - 1);
        // A uniform value is checked once.
        let runs_of = |value| if self.is_uniform(value) { 0..1 } else { 0..runs };
        let mut checks = SmallVec::new();
        if let (Some(_), Some(index)) = (area.stride, access.place.index) {
            match access.known_index {
                Some(index) if u64::from(index) >= area.sure => {
                    checks.push(BoundsCheck { number: CheckedValue::Known(index), need: 1, limit: area.limit });
                }
                None if most_index >= area.sure => {
                    // An index beyond 2^32 would wrap in the shader's arithmetic: limits are below that.
                    let need = last * u64::from(index_step) + 1;
                    let number = |run| CheckedValue::First { value: index, run };
                    checks.extend(runs_of(index).map(|run| BoundsCheck {
                        number: number(run),
                        need,
                        limit: area.limit,
                    }));
                }
                _ => {}
            }
        }
        let limit = match area.stride {
            Some(stride) => Limit::Known(u64::from(stride)),
            None => area.limit,
        };
        let sure = area.stride.map_or(area.sure, u64::from);
        let need = last * u64::from(offset_step) + u64::from(words) * 4;
        match access.known_offset.map(|offset| offset & !3) {
            Some(offset) => {
                let fits = matches!(limit, Limit::Known(limit) if u64::from(offset) + need <= limit);
                if !fits {
                    checks.push(BoundsCheck { number: CheckedValue::Known(offset), need, limit });
                }
            }
            // The bound is already that of the last lane.
            None if most_offset + u64::from(words) * 4 > sure => {
                let value = access.place.offset;
                let number = |run| CheckedValue::FirstWord { value, run };
                checks.extend(runs_of(value).map(|run| BoundsCheck { number: number(run), need, limit }));
            }
            None => {}
        }
        checks
    }

    /// The number of instructions, all regions included. Counting stops at the limit.
    fn count(&self, insts: &[Inst]) -> usize {
        let mut count = insts.len();
        for inst in insts {
            if count > MOST_TWICE {
                break;
            }
            for region in self.func.inst(*inst).kind.regions() {
                count += self.count(&self.func.region(region).insts);
            }
        }
        count
    }
}
