//! Memory that shaders read and write: `memory.rs` has the one type that owns it, `buffer.rs` and `texture.rs` what is
//! built on it, `shape.rs` the possible textures, `view.rs` and `texture_view.rs` what a register sees of them, and
//! `surface.rs` where those texels are, `clear.rs` clears and copies them, `mips.rs` makes mip levels of them. Samplers
//! are in `sampler.rs`, errors in `error.rs`.

mod buffer;
mod clear;
mod error;
mod memory;
mod mips;
mod sampler;
mod shape;
mod surface;
#[cfg(test)]
mod tests;
mod texture;
mod texture_view;
mod view;

pub use buffer::{Access, Buffer};
pub use clear::ClearValue;
pub use error::ResourceError;
pub use memory::GuardPages;
pub(crate) use memory::{ALIGNMENT, Memory};
pub use sampler::{AddressMode, Comparison, Filter, Reduction, Sampler, Tap};
pub use shape::TextureShape;
#[cfg(test)]
pub(crate) use surface::SurfaceLevel;
pub(crate) use surface::{Surface, Texel};
pub use texture::{TexelBox, Texture};
pub(crate) use view::{BufferView, Elements, ViewKind};
pub use view::{Counter, Subresources, View};
