//! Copies of textures whose blocks are expanded, so that filters find a texel where it is.
//!
//! A copy is made row of blocks by row of blocks, where a filter first needs one (a *band* of them). It belongs to the texture, and is of
//! memory that nobody but Brolga writes; whoever runs shaders asks for it when a run begins, and keeps it until the run is over. What is
//! written to the texture's memory meanwhile makes it one of the past: the next run gets another.
//!
//! | file | what |
//! |---|---|
//! | `plan.rs` | where the texels are in a copy |
//! | `bands.rs` | the memory of a copy, and how its bands are made |
//! | `pace.rs` | how much a thread expands at a stretch |
//! | `copy.rs` | copies: whose they are, and what those of a device have to share |

mod bands;
mod copy;
mod pace;
mod plan;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

pub(super) use copy::Copies;
pub use copy::{CopyBudget, ExpandedCopy};
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
        self.copies.copy(&self.plan, budget)
    }

    /// Whether the texture is in this memory.
    pub fn is_in(&self, memory: &Arc<Memory>) -> bool {
        Arc::ptr_eq(self.copies.memory(), memory)
    }
}
