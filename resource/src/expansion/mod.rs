//! Copies of textures whose blocks are expanded, so that filters find a texel where it is.
//!
//! A copy is made row of blocks by row of blocks, where a filter first needs one (a *band* of them). It belongs to the texture, and is of
//! memory that nobody but Brolga writes; whoever runs shaders asks for it when a run begins, and keeps it until the run is over. What is
//! written to the texture's memory meanwhile makes it one of the past: the next run gets another.
//!
//! | file | what |
//! |---|---|
//! | `plan.rs` | where the texels are in a copy |
//! | `copy.rs` | a copy, and how its bands are made |
//! | `budget.rs` | how many bytes the copies of a device may have |

mod budget;
mod copy;
mod plan;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use budget::CopyBudget;
pub use copy::ExpandedCopy;
pub use plan::{BAND_SHIFT, ExpandedLevel};

use crate::format::Format;
use crate::memory::Memory;
use crate::shape::TextureShape;
use plan::Plan;

/// Where the texels that a view sees are in a copy.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The view's levels, the most detailed one first.
    pub levels: Vec<ExpandedLevel>,
    /// Bytes from a layer to the next.
    pub layer_bytes: u64,
    /// Bands from a layer to the next.
    pub layer_bands: u32,
    /// Bytes of a whole copy.
    pub size_bytes: u64,
    plan: Arc<Plan>,
    copies: Arc<Copies>,
}

/// The copies of a texture: one for each device that samples it and each meaning of its bits.
#[derive(Debug)]
pub(super) struct Copies {
    memory: Arc<Memory>,
    made: Mutex<Vec<Arc<ExpandedCopy>>>,
}

impl Copies {
    /// None yet, of a texture in this memory; nothing if it may not have any.
    pub fn new(format: Format, memory: &Arc<Memory>) -> Option<Arc<Self>> {
        if format.expander().is_none() || memory.has_other_writers() {
            return None;
        }
        memory.watch();
        Some(Arc::new(Self { memory: Arc::clone(memory), made: Mutex::default() }))
    }

    fn made(&self) -> MutexGuard<'_, Vec<Arc<ExpandedCopy>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a copy go, of which the caller has one reference, if nobody else has another.
    fn leave(&self, copy: &Arc<ExpandedCopy>) {
        let mut made = self.made();
        // Others get a reference from here, or from one that they have.
        if Arc::strong_count(copy) == 2 {
            made.retain(|known| !Arc::ptr_eq(known, copy));
        }
    }
}

impl Expansion {
    /// Of some levels of a texture, from a layer on; nothing if copies would be too large.
    pub(super) fn new(
        copies: &Arc<Copies>,
        shape: &TextureShape,
        format: Format,
        mips: Range<u32>,
        first_layer: u32,
    ) -> Option<Self> {
        let plan = Plan::new(shape, format)?;
        let levels = plan.levels(mips, first_layer);
        let &Plan { layer_bytes, layer_bands, size_bytes, .. } = &plan;
        Some(Self { levels, layer_bytes, layer_bands, size_bytes, plan: Arc::new(plan), copies: Arc::clone(copies) })
    }

    /// The copy of what the texture holds now, if it may have one that counts for this budget. Where there is no memory for it, it has
    /// none.
    pub fn copy(&self, budget: &Arc<CopyBudget>) -> Option<Arc<ExpandedCopy>> {
        let memory = &self.copies.memory;
        if budget.most_bytes() == 0 || memory.has_other_writers() {
            return None;
        }
        let version = memory.version();
        let mut made = self.copies.made();
        made.retain(|copy| copy.is_current());
        let found = made.iter().find(|copy| copy.is_for(&self.plan, budget));
        if let Some(found) = found {
            return Some(Arc::clone(found));
        }
        let new = ExpandedCopy::new(&self.plan, &self.copies, version, budget)?;
        made.push(Arc::clone(&new));
        drop(made);
        budget.register(&new);
        Some(new)
    }

    /// Whether the texture is in this memory.
    pub fn is_in(&self, memory: &Arc<Memory>) -> bool {
        Arc::ptr_eq(&self.copies.memory, memory)
    }
}
