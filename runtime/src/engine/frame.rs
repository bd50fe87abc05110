//! Holds the state of one run: the tables of views that compiled code reads, and copies of constant buffers and
//! textures.

#![allow(unsafe_code)]

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use brolga_jit::abi::{MOST_NAMED, Range, View};
use brolga_resource::{CopyBudget, GuardPages, Memory};

use crate::error::Error;
use crate::host::{Bound, BoundViews, RunCopies};

/// State of one run. Two concurrent runs need two.
#[derive(Debug)]
pub(crate) struct Frame {
    /// A range for every declared resource. They point into `views`.
    ranges: Vec<Range>,
    views: Vec<View>,
    /// A copy of each constant buffer. Entries of `views` point to them.
    constants: Vec<Memory>,
    copies: RunCopies,
    guard_pages: GuardPages,
}

/// A frame while a run uses it, with the contents of constant buffers and textures when the run begins. Dropping it
/// ends the run.
#[derive(Debug)]
pub(crate) struct RunFrame<'a> {
    frame: &'a mut Frame,
    bound: &'a BoundViews,
    budget: &'a Arc<CopyBudget>,
}

// SAFETY: the pointers are only copied here. The frame, and the bound views beside it, keep their targets alive, and
// only compiled code accesses those, as memory that any thread may change. Copies of textures are kept only from the
// beginning to the end of a run, and the pointers to them are only read in between.
unsafe impl Send for Frame {}
// SAFETY: as above.
unsafe impl Sync for Frame {}

impl Frame {
    /// Makes the tables. Each range has at least the declared views, since bindings were resolved so; strides are as
    /// declared; constant buffers are padded; memory is aligned and valid for its size.
    pub fn new(bound: &BoundViews, guard_pages: GuardPages) -> Result<Self, Error> {
        let views: Vec<View> = bound.views().values().iter().map(|bound| view(bound.as_ref())).collect();
        let mut rest = views.as_slice();
        let ranges = bound.views().ranges().map(|range| {
            let (of_range, others) = rest.split_at(range.len());
            rest = others;
            Range { views: of_range.as_ptr(), count: of_range.len() as u32 }
        });
        let ranges = ranges.collect();
        let copies = RunCopies::default();
        let mut frame = Self { ranges, views, constants: Vec::new(), copies, guard_pages };
        for constants in bound.constants() {
            match constants {
                Some((index, _)) => frame.rebind(index, bound.views().values()[index].as_ref())?,
                // Nothing reads it until something is bound there again, which changes this frame too.
                None => frame.constants.push(Memory::zeroed(0, guard_pages)?),
            }
        }
        Ok(frame)
    }

    /// Applies a change of an entry of the table.
    pub fn rebind(&mut self, index: usize, bound: Option<&Bound>) -> Result<(), Error> {
        let mut entry = view(bound);
        if let Some(Bound::Constants(constants)) = bound {
            let copy = constants.memory(self.guard_pages)?;
            entry = View { base: copy.base(), size_bytes: copy.size_bytes(), count: constants.count(), ..entry };
            match self.constants.get_mut(constants.copy()) {
                Some(old) => *old = copy,
                None => self.constants.push(copy),
            }
        }
        // Overwritten, not replaced: ranges point here.
        self.views[index] = entry;
        Ok(())
    }

    /// Begins a run with the views that the frame was made of: reads the constant buffers, and finds the copies of
    /// textures.
    pub fn begin<'a>(&'a mut self, bound: &'a BoundViews, budget: &'a Arc<CopyBudget>) -> RunFrame<'a> {
        self.read(bound, budget);
        RunFrame { frame: self, bound, budget }
    }

    /// Reads the constant buffers, and finds the copies of textures, until [`Self::end`].
    pub fn read(&mut self, bound: &BoundViews, budget: &Arc<CopyBudget>) {
        for (constants, copy) in bound.constants().zip(&self.constants) {
            if let Some((_, constants)) = constants {
                constants.read(copy);
            }
        }
        bound.find_copies(&mut self.copies, budget);
    }

    /// Ends a run: marks the writable memory as changed, and releases copies of textures.
    #[inline]
    pub fn end(&mut self, bound: &BoundViews) {
        if !bound.written().is_empty() {
            // Once for all of them.
            fence(Ordering::SeqCst);
            bound.changed();
        }
        self.copies.end();
    }

    /// The copies of textures.
    pub fn copies(&self) -> &RunCopies {
        &self.copies
    }

    /// Its copies of the constant buffers.
    pub fn constants(&self) -> &[Memory] {
        &self.constants
    }

    /// The tables.
    pub fn ranges(&self) -> &[Range] {
        &self.ranges
    }
}

impl RunFrame<'_> {
    /// Begins another part of the run, which sees writes to textures since then.
    #[inline]
    pub fn renew(&mut self) {
        self.bound.renew_copies(&mut self.frame.copies, self.budget);
    }

    /// Marks the end of a part of the run, so that its writes may be read.
    #[inline]
    pub fn changed(&self) {
        self.bound.changed();
    }
}

impl Deref for RunFrame<'_> {
    type Target = Frame;

    fn deref(&self) -> &Frame {
        self.frame
    }
}

impl Drop for RunFrame<'_> {
    #[inline]
    fn drop(&mut self) {
        self.frame.end(self.bound);
    }
}

/// A view as compiled code sees it; a constant buffer is filled in by a frame.
fn view(bound: Option<&Bound>) -> View {
    match bound {
        None | Some(Bound::Sampler(_) | Bound::Constants(_)) => View::UNBOUND,
        Some(bound @ Bound::Texels(texels)) => {
            let sized = View { size: bound.size(), ..View::UNBOUND };
            texels.layout().map_or(sized, |layout| View {
                base: layout.base,
                size_bytes: layout.count * u64::from(layout.format.size_bytes()),
                count: layout.count,
                layout: layout.extents,
                ..sized
            })
        }
        Some(bound @ Bound::Words(words)) => View {
            base: words.base(),
            size_bytes: words.size_bytes().min(MOST_NAMED),
            count: words.count().min(MOST_NAMED),
            counter: words.counter().map_or(std::ptr::null_mut(), |counter| counter.as_ptr()),
            layout: [0; 4],
            size: bound.size(),
        },
    }
}
