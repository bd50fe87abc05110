//! Owns the resources of shaders: memory, buffers, textures, samplers, views of them, and the formats of their texels.
//!
//! | file | contents |
//! |---|---|
//! | `memory.rs` | the only owner of bytes |
//! | `room.rs` | vectors whose allocation may fail |
//! | `buffer.rs`, `texture.rs` | buffers and textures in that memory |
//! | `shape.rs` | the possible textures |
//! | `view.rs`, `texture_view.rs` | views through which registers see them |
//! | `surface.rs` | the addresses of the texels of a view |
//! | `expansion/` | copies of compressed textures with a number for each texel |
//! | `clear.rs` | clears and copies texels |
//! | `mean/` | averages texels: mip levels, and resolves of samples |
//! | `sampler.rs` | samplers |
//! | `format/` | texel formats: one row each, and their conversions |
//! | `error.rs` | the errors |
//!
//! Programs get these types from `brolga_runtime`, which also makes buffers and textures, within a device's limits.
//! Items that only engines need are public here and not re-exported.

#![deny(unsafe_code)]

mod buffer;
mod clear;
mod error;
mod expansion;
pub mod format;
mod mean;
mod memory;
pub mod room;
mod sampler;
mod shape;
mod surface;
#[cfg(test)]
mod tests;
mod texture;
mod texture_view;
mod view;

pub use buffer::Buffer;
pub use clear::ClearValue;
pub use error::ResourceError;
pub use expansion::{BAND_SHIFT, CopyBudget, ExpandedCopy, ExpandedLevel, Expansion};
pub use format::Format;
pub use memory::{ALIGNMENT, Access, GuardPages, Memory};
pub use sampler::{AddressMode, Comparison, Filter, Reduction, Sampler, Tap};
pub use shape::{SurfaceLevel, TextureShape};
pub use surface::{Surface, Texel};
pub use texture::{TexelBox, Texture};
pub use texture_view::TextureView;
pub use view::{BufferView, Counter, Elements, Subresources, View, ViewKind};
