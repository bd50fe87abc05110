//! Brolga for C and C++: a C ABI over the library. `include/brolga.h` is its documentation for those who use it; cbindgen makes that header
//! from these files and from what they share with the library, and `tests/it/header.rs` sees that it is up to date.
//!
//! | file | what |
//! |---|---|
//! | `error.rs` | codes, texts, and the one place where panics stop |
//! | `handle.rs` | objects: pointers with a tag behind them |
//! | `arguments.rs` | everything else that callers pass: memory, texts, structs that grow, numbers of enumerations |
//! | `state.rs` | enumerations, with the numbers of Direct3D 11 |
//! | `stop.rs` | cancel tokens and progress |
//! | `device.rs` | the device |
//! | `buffer.rs` | buffers |
//! | `texture.rs` | textures |
//! | `view.rs` | views and samplers |
//! | `shader.rs` | shaders and how they are compiled |
//! | `bindings.rs` | views by register |
//! | `dispatch.rs` | dispatches, bound each time or once for all |
//! | `merger.rs` | the state of targets and depth buffers |
//! | `pipeline.rs` | two shaders with their state |
//! | `draw.rs` | passes and draws |
//! | `stage.rs` | vertex and pixel shaders for somebody else's rasterizer |
//! | `text.rs` | listings, and back |
//! | `reflect.rs` | what a shader declares |
//!
//! Every function checks what can be checked, and stops panics. What callers promise is the same for all of them, and said once, at the
//! head of the header: pointers lead to as much memory as is said, and objects are not destroyed while they are used.

#![allow(rustdoc::broken_intra_doc_links, reason = "comments are the header's, and brackets in them C's")]
#![expect(clippy::missing_safety_doc, reason = "what callers promise is the same for all functions, and said above")]

mod arguments;
pub mod bindings;
pub mod buffer;
pub mod device;
pub mod dispatch;
pub mod draw;
pub mod error;
mod handle;
pub mod merger;
pub mod pipeline;
pub mod reflect;
pub mod shader;
pub mod stage;
pub mod state;
pub mod stop;
pub mod text;
pub mod texture;
pub mod view;
