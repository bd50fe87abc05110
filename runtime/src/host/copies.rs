//! Finds the expanded copies of compressed textures that one run samples, for compiled code.
//!
//! They are found when a run begins and released when it is over. Between runs the sites for compiled code stay, and
//! are used again if the copies are the same. If no bound texture may have copies, all of this is empty.

#![allow(unsafe_code)]

use std::sync::{Arc, Weak};

use brolga_ir::sampling::SampleEntry;
use brolga_resource::{CopyBudget, ExpandedCopy, Memory};
use brolga_sample::Site;

use super::samples::Samples;

/// The copies that a run samples.
#[derive(Debug, Default)]
pub(crate) struct RunCopies {
    /// Copies by prepared pair; empty between runs, or if no texture may have any.
    current: Vec<Option<Arc<ExpandedCopy>>>,
    /// State of the bindings that the other fields belong to.
    state: u64,
    /// Copies that the sites are for, by prepared pair.
    known: Vec<Weak<ExpandedCopy>>,
    /// Sites as in [`Samples`], but with copies. They are read only during a run, which keeps the copies.
    sites: Vec<Option<Site>>,
    entries: Vec<SampleEntry>,
}

// SAFETY: the entries point to the sites beside them, and those to prepared pairs and to copies. All of it is only
// read, in a run, which keeps the copies and the bound views; preparing a pair anew changes their state, and with it
// the sites, before the next run.
unsafe impl Send for RunCopies {}
// SAFETY: as above.
unsafe impl Sync for RunCopies {}

impl RunCopies {
    /// Finds the copies of the textures' current contents. Memory that the run itself writes has none.
    #[inline]
    pub(super) fn begin(&mut self, samples: &Samples, written: &[Arc<Memory>], budget: &Arc<CopyBudget>) {
        // Nothing is taken over from an earlier run, even one that never ended.
        self.current.clear();
        if samples.has_expansions() && budget.most_bytes() > 0 {
            self.find(samples, written, budget);
        }
    }

    /// Finds them again if the content of a texture has changed since, as between two parts of a run.
    #[inline]
    pub(super) fn renew(&mut self, samples: &Samples, written: &[Arc<Memory>], budget: &Arc<CopyBudget>) {
        if self.current.iter().flatten().any(|copy| !copy.is_current()) {
            self.begin(samples, written, budget);
        }
    }

    #[inline(never)]
    fn find(&mut self, samples: &Samples, written: &[Arc<Memory>], budget: &Arc<CopyBudget>) {
        let count = samples.ready().len();
        if self.state != samples.state() {
            self.known.clear();
        }
        self.current.resize(count, None);
        let mut is_known = self.known.len() == count;
        for (n, expansion) in samples.expansions() {
            let has_none = self.known.get(n).is_some_and(|known| known.ptr_eq(&Weak::new()));
            let known = self.known.get(n).and_then(Weak::upgrade).filter(|copy| copy.is_current());
            if written.iter().any(|memory| expansion.is_in(memory)) {
                is_known &= has_none;
            } else if known.is_some() {
                self.current[n] = known;
            } else {
                // The copy that the site refers to may be gone.
                self.current[n] = expansion.copy(budget);
                is_known &= has_none && self.current[n].is_none();
            }
        }
        if !is_known {
            self.known.clear();
            (self.sites, self.entries) = samples.without_copies();
            samples.set_entries(&self.current, &mut self.sites, &mut self.entries);
            // The sites have their final addresses from here on.
            self.known.extend(self.current.iter().map(|copy| copy.as_ref().map_or(Weak::new(), Arc::downgrade)));
            self.state = samples.state();
        }
        budget.touch(self.current.iter().filter_map(Option::as_deref));
    }

    /// Releases them.
    #[inline]
    pub fn end(&mut self) {
        self.current.clear();
    }

    /// Copies by prepared pair; pairs beyond the end have none.
    #[inline]
    pub(super) fn current(&self) -> &[Option<Arc<ExpandedCopy>>] {
        &self.current
    }

    /// Entry points that compiled code calls for each kind of sample, if there are copies.
    #[inline]
    pub(super) fn entries(&self) -> Option<&[SampleEntry]> {
        (!self.current.is_empty()).then_some(&self.entries)
    }
}
