//! Keeps copies of textures with expanded blocks, so that filters can address a texel directly.
//!
//! A copy is made by rows of blocks, when a filter first needs one (a *band* of them). It belongs to the texture, and
//! is in memory that only Brolga writes; whoever runs shaders asks for it when a run begins, and keeps it until the run
//! is over. A write to the texture's memory meanwhile makes it stale: the next run gets another.
//!
//! | file | contents |
//! |---|---|
//! | `plan.rs` | the layout of a copy |
//! | `bands.rs` | the memory of a copy, and the making of its bands |
//! | `pace.rs` | the limit of what a thread expands at a stretch |
//! | `copy.rs` | the ownership of copies, and the budget that those of a device share |

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

/// The layout in a copy of the texels that a view sees.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The view's levels, the most detailed one first.
    pub levels: Vec<ExpandedLevel>,
    /// Distance between layers in bytes.
    pub layer_bytes: u64,
    /// Distance between layers in bands.
    pub layer_bands: u32,
    /// Size of a whole copy in bytes.
    pub size_bytes: u64,
    plan: Arc<Plan>,
    copies: Arc<Copies>,
}

impl Expansion {
    /// Lays out some levels of a texture, from a layer on; `None` if copies would be too large.
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

    /// The copy of the texture's current content that counts for this budget; `None` if it may not have one, or there
    /// is no memory for it.
    pub fn copy(&self, budget: &Arc<CopyBudget>) -> Option<Arc<ExpandedCopy>> {
        self.copies.copy(&self.plan, budget)
    }

    /// True if the texture is in this memory.
    pub fn is_in(&self, memory: &Arc<Memory>) -> bool {
        Arc::ptr_eq(self.copies.memory(), memory)
    }
}
