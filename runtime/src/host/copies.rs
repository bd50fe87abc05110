//! Copies of compressed textures that one run samples, and how compiled code samples them.
//!
//! They are found when a run begins and let go when it is over. Between runs what was made for compiled code stays, and is used again if
//! the copies are the same. Where nothing that is bound may have copies, there is none of this.

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

impl RunCopies {
    /// Finds the copies of what textures hold now. What the run writes itself has none.
    #[inline]
    pub fn begin(&mut self, samples: &Samples, written: &[Arc<Memory>], budget: &Arc<CopyBudget>) {
        if samples.has_expansions() && budget.most_bytes() > 0 {
            self.find(samples, written, budget);
        }
    }

    #[inline(never)]
    fn find(&mut self, samples: &Samples, written: &[Arc<Memory>], budget: &Arc<CopyBudget>) {
        let count = samples.ready().len();
        let mut is_new = self.known.len() != count || self.state != samples.state();
        if is_new {
            self.known = vec![Weak::new(); count];
            self.state = samples.state();
            (self.sites, self.entries) = samples.without_copies();
        }
        self.current.clear();
        self.current.resize(count, None);
        for (n, expansion) in samples.expansions() {
            let known = self.known[n].upgrade().filter(|copy| copy.is_current());
            let is_written = written.iter().any(|memory| expansion.is_in(memory));
            self.current[n] = match known {
                _ if is_written => None,
                Some(copy) => Some(copy),
                None => {
                    let found = expansion.copy(budget);
                    is_new = true;
                    self.known[n] = found.as_ref().map_or(Weak::new(), Arc::downgrade);
                    found
                }
            };
        }
        if is_new {
            samples.set_entries(&self.current, &mut self.sites, &mut self.entries);
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
