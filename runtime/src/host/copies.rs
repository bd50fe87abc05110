//! Copies of compressed textures that one run samples, and how compiled code samples them.
//!
//! They are found when a run begins and let go when it is over. Between runs what was made for compiled code stays, and is used again if
//! the copies are the same. Where nothing that is bound may have copies, there is none of this.

#![allow(unsafe_code)]

use std::sync::{Arc, Weak};

use brolga_ir::sampling::SampleEntry;
use brolga_resource::{CopyBudget, ExpandedCopy, Memory};
use brolga_sample::Site;

use super::samples::Samples;

/// The copies that a run samples.
#[derive(Debug, Default)]
pub(crate) struct RunCopies {
    /// By prepared pair; nothing between runs, or where no texture may have any.
    current: Vec<Option<Arc<ExpandedCopy>>>,
    /// Of which state of the bindings the rest is.
    state: u64,
    /// By prepared pair, the copies that the sites are for.
    known: Vec<Weak<ExpandedCopy>>,
    /// As those of [`Samples`], but with copies. They are read in a run alone, which keeps the copies.
    sites: Vec<Option<Site>>,
    entries: Vec<SampleEntry>,
}

// SAFETY: the entries point to the sites beside them, and those to what is prepared and to copies. All of it is only read, in a run, which
// keeps the copies and the bound views; what is prepared anew changes their state, and the sites with it before the next run.
unsafe impl Send for RunCopies {}
// SAFETY: as above.
unsafe impl Sync for RunCopies {}

impl RunCopies {
    /// Finds the copies of what textures hold now. What the run writes itself has none.
    #[inline]
    pub(super) fn begin(&mut self, samples: &Samples, written: &[Arc<Memory>], budget: &Arc<CopyBudget>) {
        // Not even what a run left that never ended is another's.
        self.current.clear();
        if samples.has_expansions() && budget.most_bytes() > 0 {
            self.find(samples, written, budget);
        }
    }

    /// Finds them again if what a texture holds has changed since, as between two parts of a run.
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
                // What the site is for may be gone.
                self.current[n] = expansion.copy(budget);
                is_known &= has_none && self.current[n].is_none();
            }
        }
        if !is_known {
            self.known.clear();
            (self.sites, self.entries) = samples.without_copies();
            samples.set_entries(&self.current, &mut self.sites, &mut self.entries);
            // Now that the sites have their addresses.
            self.known.extend(self.current.iter().map(|copy| copy.as_ref().map_or(Weak::new(), Arc::downgrade)));
            self.state = samples.state();
        }
        budget.touch(self.current.iter().filter_map(Option::as_deref));
    }

    /// Lets them go.
    #[inline]
    pub fn end(&mut self) {
        self.current.clear();
    }

    /// By prepared pair; those that are not there have none.
    #[inline]
    pub(super) fn current(&self) -> &[Option<Arc<ExpandedCopy>>] {
        &self.current
    }

    /// What compiled code calls for each kind of sample, where there are copies.
    #[inline]
    pub(super) fn entries(&self) -> Option<&[SampleEntry]> {
        (!self.current.is_empty()).then_some(&self.entries)
    }
}
