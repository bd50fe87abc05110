//! Holds the views bound to a shader's registers, checked against its declarations.
//!
//! The views are owned here and share their memory. Only constant buffers are copied, when a run begins; the rest is
//! accessed directly.

use std::sync::Arc;

use brolga_ir::interface::Sampled;
use brolga_ir::texel::TexelFormat;
use brolga_resource::{CopyBudget, Memory, View};
use smallvec::SmallVec;

use super::bound::{Bound, Constants};
use super::copies::RunCopies;
use super::samples::Samples;
use crate::bindings::table::Table;
use crate::bindings::{Bindings, Declared, Layers, Register, check};
use crate::error::Error;
use crate::limits::Limits;

/// Formats of the texels that code accesses directly, by declared range; empty if there are none.
pub(crate) type TexelFormats = SmallVec<[Option<TexelFormat>; 2]>;

/// All views bound to a shader.
#[derive(Debug)]
pub(crate) struct BoundViews {
    pub(super) views: Table<Option<Bound>>,
    pub(super) samples: Samples,
    /// Indices of the constant buffers in the table; there is a copy of each.
    constants: SmallVec<[usize; 4]>,
    /// The ranges that may be written, and the memory bound there, each once.
    writable: SmallVec<[usize; 2]>,
    written: Vec<Arc<Memory>>,
}

/// A change of one register, checked and ready to be made.
#[derive(Debug)]
pub(crate) struct Change {
    /// Indices in the table, and the new entries.
    entries: SmallVec<[(usize, usize, Option<Bound>); 1]>,
}

impl BoundViews {
    /// Checks bindings against declarations. Textures and samplers that are used together are prepared.
    pub fn new(
        declared: &[Declared],
        sampled: &[Sampled],
        bindings: Layers<'_>,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let mut constants = SmallVec::new();
        let views = check::resolve(declared, bindings, limits, |range, index, view| {
            let bound = Bound::new(range, view, limits, constants.len());
            if matches!(bound, Bound::Constants(_)) {
                constants.push(index);
            }
            bound
        })?;
        let samples = Samples::new(sampled, &views);
        let writable = (0..).zip(declared).filter(|(_, range)| range.is_writable()).map(|(n, _)| n).collect();
        let mut bound = Self { views, samples, constants, writable, written: Vec::new() };
        bound.find_written();
        Ok(bound)
    }

    fn find_written(&mut self) {
        let ranges = self.writable.iter().flat_map(|&range| self.views.range(range));
        self.written.clear();
        self.written.extend(ranges.flatten().filter_map(Bound::memory).map(Arc::clone));
        self.written.sort_by_key(Arc::as_ptr);
        self.written.dedup_by(|one, other| Arc::ptr_eq(one, other));
    }

    /// The memory that a run may write.
    pub fn written(&self) -> &[Arc<Memory>] {
        &self.written
    }

    /// Marks the memory that shaders may write as changed.
    #[inline]
    pub fn changed(&self) {
        self.written.iter().for_each(|memory| memory.changed());
    }

    /// The change of binding another view to a register; `None` if the tables are too short for it.
    pub fn change(
        &self,
        declared: &[Declared],
        bindings: &Bindings,
        limits: &Limits,
        register: Register,
        view: &View,
    ) -> Result<Option<Change>, Error> {
        let mut entries = SmallVec::new();
        let mut copies = self.constants.len();
        let mut is_in = true;
        check::each_table_entry(declared, register, view, bindings.rules(), |range, position| {
            let Some(index) = self.views.index(range, position) else {
                is_in = false;
                return;
            };
            let copy = self.constants.iter().position(|&known| known == index).unwrap_or(copies);
            let bound = Bound::new(&declared[range], view, limits, copy);
            copies += usize::from(matches!(bound, Bound::Constants(_)) && copy == copies);
            entries.push((range, index, Some(bound)));
        })?;
        if check::may_alias(declared) {
            check::check_aliases(declared, bindings.into(), register, view)?;
        }
        Ok(is_in.then_some(Change { entries }))
    }

    /// The change of unbinding a register.
    pub fn removal(&self, declared: &[Declared], bindings: &Bindings, register: Register) -> Result<Change, Error> {
        let mut entries = SmallVec::new();
        for (range, found) in declared.iter().enumerate().filter(|(_, found)| found.contains(register)) {
            check::check_removal(found, bindings.rules(), register)?;
            let position = (register.index - found.register.index) as usize;
            entries.extend(self.views.index(range, position).map(|index| (range, index, None)));
        }
        Ok(Change { entries })
    }

    /// Applies a change, and reports each entry that it changes. Returns `true` if the formats of texels changed.
    pub fn apply(&mut self, change: Change, mut tell: impl FnMut(usize, Option<&Bound>)) -> bool {
        let mut other_formats = false;
        for (range, index, bound) in change.entries {
            if let Some(Bound::Constants(constants)) = &bound
                && constants.copy == self.constants.len()
            {
                self.constants.push(index);
            }
            tell(index, bound.as_ref());
            let before = format_of(self.views.range(range));
            self.views.set(index, bound);
            other_formats |= format_of(self.views.range(range)) != before;
            self.samples.renew(range, &self.views);
            if self.writable.contains(&range) {
                self.find_written();
            }
        }
        other_formats
    }

    /// Finds the copies of textures for a run that begins.
    #[inline]
    pub fn find_copies(&self, copies: &mut RunCopies, budget: &Arc<CopyBudget>) {
        copies.begin(&self.samples, &self.written, budget);
    }

    /// Finds the copies of changed textures again.
    #[inline]
    pub fn renew_copies(&self, copies: &mut RunCopies, budget: &Arc<CopyBudget>) {
        copies.renew(&self.samples, &self.written, budget);
    }

    /// Views by declared range, then by index in it.
    pub fn views(&self) -> &Table<Option<Bound>> {
        &self.views
    }

    /// The constant buffers with their indices in the table, in the order of their copies; `None` for one that was
    /// unbound.
    pub fn constants(&self) -> impl Iterator<Item = Option<(usize, &Constants)>> {
        self.constants.iter().map(|&index| match &self.views.values()[index] {
            Some(Bound::Constants(constants)) => Some((index, constants)),
            _ => None,
        })
    }

    /// Formats of the texels that compiled code can access directly, by declared range. Ranges of several registers,
    /// whose formats may differ, are accessed through the host.
    pub fn texel_formats(&self) -> TexelFormats {
        match self.views.values().iter().any(|bound| matches!(bound, Some(Bound::Texels(_)))) {
            true => trimmed(self.views.ranges().map(format_of)),
            false => TexelFormats::default(),
        }
    }
}

/// The format of the texels of a range that compiled code can access directly.
fn format_of(range: &[Option<Bound>]) -> Option<TexelFormat> {
    match range {
        [Some(Bound::Texels(texels))] => texels.layout().map(|layout| layout.format),
        _ => None,
    }
}

/// Formats without trailing `None`s, so that equivalent ones compare equal.
pub(crate) fn trimmed(formats: impl Iterator<Item = Option<TexelFormat>>) -> TexelFormats {
    let mut formats: TexelFormats = formats.collect();
    formats.truncate(formats.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    formats
}
