//! Memory that shaders read and write: `memory.rs` has the one type that owns it, `buffer.rs`, `texture.rs` and `view.rs`
//! what is made of it.

mod buffer;
mod error;
mod memory;
mod sampler;
mod surface;
mod texture;
mod view;

pub use buffer::{Access, Buffer};
pub use error::ResourceError;
pub use memory::GuardPages;
pub(crate) use memory::{ALIGNMENT, Memory};
pub use sampler::{AddressMode, Comparison, Filter, Reduction, Sampler, Tap};
#[expect(unused_imports, reason = "loads, stores and sampling will use them")]
pub(crate) use surface::{Surface, SurfaceLevel};
pub use texture::{Texture, TextureShape};
pub(crate) use view::{BufferView, Elements, ViewKind};
pub use view::{Counter, View};
