//! What shaders read and write: memory, buffers, textures, samplers, views of them, and the formats of their texels.
//!
//! | file | what |
//! |---|---|
//! | `memory.rs` | the one type that owns bytes |
//! | `room.rs` | vectors that there may be no memory for |
//! | `buffer.rs`, `texture.rs` | what is built on it |
//! | `shape.rs` | the possible textures |
//! | `view.rs`, `texture_view.rs` | what a register sees of them |
//! | `surface.rs` | where the texels are that it sees |
//! | `expansion/` | copies of compressed textures with a number for each texel |
//! | `clear.rs` | clears and copies them |
//! | `mips.rs` | makes mip levels of them |
//! | `sampler.rs` | samplers |
//! | `format/` | texel formats: one row each, and their conversions |
//! | `error.rs` | what can go wrong |
//!
//! Programs get these types from `brolga_runtime`, which also makes buffers and textures, within a device's limits. What only
//! engines need of them is public here and not handed on.

#![deny(unsafe_code)]

mod buffer;
mod clear;
mod error;
mod expansion;
pub mod format;
mod memory;
mod mips;
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
