//! Chooses values that stay in the arena instead of in registers, so that compile time grows with a shader's size, and
//! frames stay small.
//!
//! The register allocator is slow where many more values are live than there are registers, and a value that is live
//! across many blocks costs time in each. So a simple count over the shader decides: where more values are live than
//! [`PACKETS`] or [`SCALARS`] allow, those used least for their length become *remote* (spilled, before the register
//! allocator sees them), and so do those that are live for very long. A remote value is stored where it is computed and
//! loaded where it is used (see `value.rs`); so is the variable of a remote result or parameter. Hand-written shaders
//! rarely have any.
//!
//! Live ranges are counted in *positions*: instructions in program order, and one more for the end of each construct.
//! They are never too short.

use std::collections::BTreeSet;

use brolga_ir::Function;
use brolga_ir::entity::{Inst, Region, Value};
use brolga_ir::function::{InstKind, ValueDef};
use brolga_ir::phases::Step;

use super::facts::Facts;
use super::is_large;
use crate::packet;

/// Bytes of a scalar of any type in the arena.
pub(super) const SCALAR_BYTES: u64 = 8;
/// Packets live at once, wide ones counted twice. Registers hold eight.
const PACKETS: u32 = 32;
/// The same in a large function: values that the register allocator itself spills cost it far more time than values
/// that were never in a register.
const PACKETS_IF_LARGE: u32 = 12;
/// Scalars live at once.
const SCALARS: u32 = 40;
/// The most positions for which a value may be in a register: one that stays longer costs the register allocator as
/// much time as all values computed meanwhile (see `anchor.rs`).
const LONGEST: u32 = 1_000;
/// A use in a loop counts as this many outside, as a power of two.
const LOOP_WEIGHT_BITS: u32 = 3;
/// Assumed uses of a variable: it is set on each path, and read.
const WAYS: u64 = 3;
/// Loops nested deeper than this make no further difference.
const MAX_LOOPS: u32 = 6;

/// The values chosen to be remote, and their slots.
#[derive(Debug)]
pub(super) struct Pressure {
    values: Vec<bool>,
    homes: Vec<bool>,
    /// Offsets in scratch memory of remote values that are neither kept between segments nor recomputed.
    slots: Vec<Option<u64>>,
    /// Bytes of those slots.
    pub bytes: u64,
}

impl Pressure {
    pub fn compute(facts: &Facts<'_>) -> Self {
        let func = facts.func;
        let mut count = PressureCounter {
            func,
            facts,
            position: 0,
            segment: 0,
            segment_start: 0,
            loops: Vec::new(),
            current: vec![None; func.value_count()],
            lifetimes: Vec::new(),
        };
        count.group_region(func.body());
        for value in 0..func.value_count() {
            count.close(Value::new(value));
        }
        let mut pressure = Self {
            values: vec![false; func.value_count()],
            homes: vec![false; func.value_count()],
            slots: vec![None; func.value_count()],
            bytes: 0,
        };
        count.lifetimes.sort_by_key(|lifetime| lifetime.start);
        let packets = if is_large(func) { PACKETS_IF_LARGE } else { PACKETS };
        for (scalars, most) in [(false, packets), (true, SCALARS)] {
            pressure.choose(count.lifetimes.iter().filter(|lifetime| lifetime.is_scalar == scalars), most);
        }
        pressure.assign_slots(facts, &count.lifetimes);
        pressure
    }

    /// `true` if the value is loaded or recomputed wherever it is used.
    pub fn is_remote(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    /// `true` if the variable of this result or parameter is in memory.
    pub fn is_home_remote(&self, value: Value) -> bool {
        self.homes[value.index()]
    }

    /// The offset of a remote value that is neither kept between segments nor recomputed.
    pub fn slot(&self, value: Value) -> i32 {
        let at = self.slots[value.index()].expect("remote values have places");
        i32::try_from(at).expect("scratch memory is small")
    }

    /// Scans the lifetimes in order of their starts.
    fn choose<'a>(&mut self, lifetimes: impl Iterator<Item = &'a Lifetime>, most: u32) {
        // Live values, by end and by use; numbered, so that equal ones are told apart.
        let mut ends: BTreeSet<(u32, usize)> = BTreeSet::new();
        let mut uses: BTreeSet<(u64, usize)> = BTreeSet::new();
        let mut alive: Vec<&Lifetime> = Vec::new();
        let mut size = 0;
        for (n, lifetime) in lifetimes.enumerate() {
            alive.push(lifetime);
            if lifetime.end - lifetime.start > LONGEST {
                self.send_away(lifetime);
                self.values[lifetime.value.index()] |= lifetime.of == Of::Remade;
                continue;
            }
            while let Some(&(end, old)) = ends.first()
                && end < lifetime.start
            {
                ends.pop_first();
                uses.remove(&(alive[old].density(), old));
                size -= alive[old].size;
            }
            ends.insert((lifetime.end, n));
            uses.insert((lifetime.density(), n));
            size += lifetime.size;
            while size > most
                && let Some((_, least)) = uses.pop_first()
            {
                let lifetime = alive[least];
                ends.remove(&(lifetime.end, least));
                size -= lifetime.size;
                self.send_away(lifetime);
            }
        }
    }

    fn send_away(&mut self, lifetime: &Lifetime) {
        match lifetime.of {
            Of::Value => self.values[lifetime.value.index()] = true,
            Of::Home => self.homes[lifetime.value.index()] = true,
            Of::Remade => {}
        }
    }

    /// Assigns slots to remote values. Packets use a slot in turn; scalars do not, since those of the group are
    /// computed ahead of their position.
    fn assign_slots(&mut self, facts: &Facts<'_>, lifetimes: &[Lifetime]) {
        let mut free: [Vec<u64>; 2] = Default::default();
        let mut ends = BTreeSet::new();
        for lifetime in lifetimes {
            let value = lifetime.value;
            if lifetime.of != Of::Value || !self.is_remote(value) || facts.is_kept(value) {
                continue;
            }
            if lifetime.is_scalar {
                self.slots[value.index()] = Some(self.bytes);
                self.bytes += SCALAR_BYTES;
                continue;
            }
            while let Some(&(end, size, slot)) = ends.first()
                && end < lifetime.start
            {
                ends.pop_first();
                free[usize::from(size > 1)].push(slot);
            }
            let slot = free[usize::from(lifetime.size > 1)].pop().unwrap_or_else(|| {
                let slot = self.bytes.next_multiple_of(facts.shape.vector_bytes.into());
                self.bytes = slot + u64::from(facts.shape.row_bytes() * lifetime.size);
                slot
            });
            self.slots[value.index()] = Some(slot);
            ends.insert((lifetime.end, lifetime.size, slot));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    Value,
    /// The variable of a result or parameter.
    Home,
    /// A value that is recomputed where it is needed.
    Remade,
}

/// A live range.
#[derive(Clone, Copy, Debug)]
struct Lifetime {
    value: Value,
    of: Of,
    is_scalar: bool,
    /// Registers, in packets or scalars.
    size: u32,
    start: u32,
    end: u32,
    weight: u64,
    segment: u32,
}

impl Lifetime {
    /// Uses per position.
    fn density(&self) -> u64 {
        (self.weight << 20) / u64::from(self.end - self.start + 1)
    }
}

/// A loop that is open.
struct OpenLoop {
    start: u32,
    /// Values defined before it and used in it: they live to its end.
    extended: Vec<Value>,
}

struct PressureCounter<'a> {
    func: &'a Function,
    facts: &'a Facts<'a>,
    position: u32,
    segment: u32,
    segment_start: u32,
    loops: Vec<OpenLoop>,
    current: Vec<Option<Lifetime>>,
    lifetimes: Vec<Lifetime>,
}

impl PressureCounter<'_> {
    fn group_region(&mut self, region: Region) {
        let func = self.func;
        let steps = self.facts.phases.steps(region).expect("regions of the group level have steps");
        for step in steps {
            self.position += 1;
            match *step {
                Step::Segment { start, end } => {
                    self.segment += 1;
                    // Packets run one after the other, so values made before them live as long as in a loop. Those that
                    // each packet reads for itself do not.
                    self.open_loop();
                    self.segment_start = self.position;
                    self.instructions(&func.region(region).insts[start..end]);
                    self.close_loop();
                }
                Step::Cut(inst) => {
                    self.cut(inst);
                }
            }
        }
    }

    /// Values that a cut construct uses are available in the segments around it; those it defines are kept.
    fn cut(&mut self, inst: Inst) {
        let data = self.func.inst(inst);
        self.position += 1;
        let is_loop = matches!(data.kind, InstKind::Loop { .. });
        if is_loop {
            self.open_loop();
        }
        for inner in data.kind.regions() {
            for &param in &self.func.region(inner).params {
                self.define(param);
            }
            self.group_region(inner);
        }
        if is_loop {
            self.close_loop();
        }
        for &result in &data.results {
            self.define(result);
        }
    }

    fn instructions(&mut self, insts: &[Inst]) {
        for &inst in insts {
            self.position += 1;
            let data = self.func.inst(inst);
            let start = self.position;
            for value in data.kind.args() {
                self.use_(value);
            }
            let is_loop = matches!(data.kind, InstKind::Loop { .. });
            if is_loop {
                self.open_loop();
            }
            let regions = data.kind.regions();
            for &inner in &regions {
                for &param in &self.func.region(inner).params {
                    self.define(param);
                }
                self.instructions(&self.func.region(inner).insts);
            }
            let weight = self.weight();
            if is_loop {
                self.close_loop();
            }
            if !regions.is_empty() {
                self.position += 1;
                let params = regions.iter().flat_map(|&inner| &self.func.region(inner).params);
                for &value in params.chain(&data.results) {
                    self.home(value, start, weight * WAYS);
                }
            }
            for &result in &data.results {
                self.define(result);
            }
        }
    }

    fn open_loop(&mut self) {
        self.position += 1;
        self.loops.push(OpenLoop { start: self.position, extended: Vec::new() });
    }

    fn close_loop(&mut self) {
        self.position += 1;
        let closed = self.loops.pop().expect("opened before");
        for value in closed.extended {
            if let Some(lifetime) = &mut self.current[value.index()] {
                lifetime.end = self.position;
            }
        }
    }

    fn weight(&self) -> u64 {
        // The loop over packets is one of them.
        1 << (LOOP_WEIGHT_BITS * (self.loops.len() as u32).min(MAX_LOOPS))
    }

    fn lifetime(&self, value: Value, of: Of, start: u32) -> Lifetime {
        let is_scalar = self.facts.is_uniform(value);
        let size = if !is_scalar && packet::is_wide(self.func.ty(value)) { 2 } else { 1 };
        let weight = self.weight();
        Lifetime { value, of, is_scalar, size, start, end: self.position, weight, segment: self.segment }
    }

    /// `false` for constants, which occupy no register for long, and unused values, which occupy none.
    fn counts(&self, value: Value) -> bool {
        self.facts.is_used(value) && self.func.as_const(value).is_none()
    }

    fn of(&self, value: Value) -> Of {
        match self.func.value(value).def {
            ValueDef::Result(inst, _) if matches!(self.func.inst(inst).kind, InstKind::Input(_)) => Of::Remade,
            _ => Of::Value,
        }
    }

    fn home(&mut self, value: Value, start: u32, weight: u64) {
        if self.counts(value) {
            let lifetime = Lifetime { weight, ..self.lifetime(value, Of::Home, start) };
            self.lifetimes.push(lifetime);
        }
    }

    fn define(&mut self, value: Value) {
        if self.counts(value) {
            self.current[value.index()] = Some(self.lifetime(value, self.of(value), self.position));
        }
    }

    fn use_(&mut self, value: Value) {
        if !self.counts(value) {
            return;
        }
        let (of, by_group) = (self.of(value), self.facts.is_kept_by_group(value));
        let elsewhere = |lifetime: &Lifetime| lifetime.segment != self.segment && !by_group;
        if self.current[value.index()].as_ref().is_none_or(elsewhere) {
            // Defined in another segment: it is read at the start of this one.
            self.close(value);
            self.current[value.index()] = Some(self.lifetime(value, of, self.segment_start));
        }
        let (position, weight) = (self.position, self.weight());
        let Some(lifetime) = &mut self.current[value.index()] else { return };
        lifetime.end = position;
        lifetime.weight += weight;
        // The outermost loop that does not contain the definition.
        let outside = self.loops.partition_point(|open| open.start <= lifetime.start);
        if let Some(open) = self.loops.get_mut(outside) {
            open.extended.push(value);
        }
    }

    fn close(&mut self, value: Value) {
        if let Some(lifetime) = self.current[value.index()].take() {
            self.lifetimes.push(lifetime);
        }
    }
}
