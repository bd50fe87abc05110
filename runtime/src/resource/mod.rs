//! Memory that shaders read and write: `memory.rs` has the one type that owns it, `buffer.rs`, `texture.rs` and `view.rs`
//! what is made of it.

mod buffer;
mod error;
mod memory;
mod texture;
mod view;

pub use buffer::{Access, Buffer};
pub use error::ResourceError;
pub use memory::GuardPages;
pub(crate) use memory::{ALIGNMENT, Memory};
pub use texture::{Texture, TextureShape};
pub(crate) use view::{BufferView, Elements, ViewKind};
pub use view::{Counter, View};
