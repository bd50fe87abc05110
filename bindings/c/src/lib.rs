//! Exposes Brolga to C and C++: a C ABI over the library. `include/brolga.h` documents it for users; cbindgen makes
//! that header from these files and from those of the library that it shares, and `tests/it/header.rs` checks that it
//! is up to date.
//!
//! | file | contents |
//! |---|---|
//! | `error.rs` | codes, texts, and the guard that stops panics |
//! | `handle.rs` | objects: pointers to values with a tag |
//! | `arguments.rs` | all other arguments: memory, texts, structs that grow, numbers of enumerations |
//! | `kept.rs` | texts of results |
//! | `state.rs` | enumerations, with the numbers of Direct3D 11 |
//! | `stop.rs` | cancel tokens and progress |
//! | `messages.rs` | what shaders print |
//! | `device.rs` | the device |
//! | `buffer.rs` | buffers |
//! | `texture.rs` | textures |
//! | `view.rs` | views and samplers |
//! | `shader.rs` | shaders and their compilation |
//! | `bindings.rs` | views by register |
//! | `dispatch.rs` | dispatches, bound for each or once for many |
//! | `check.rs` | dispatches that are checked |
//! | `merger.rs` | the state of targets and depth buffers |
//! | `stream.rs` | stream output |
//! | `pipeline.rs` | shaders with their state |
//! | `draw.rs` | passes and draws |
//! | `statistics.rs` | counts of draws |
//! | `query.rs` | queries and predication |
//! | `stage.rs` | vertex and pixel shaders for the caller's own rasterizer |
//! | `text.rs` | listings, and back |
//! | `reflect.rs` | declarations of a shader |
//!
//! Every function checks whatever can be checked, and stops panics. The promises of callers are the same for all of
//! them, and stated once, at the head of the header: pointers point to as much memory as documented, and objects are
//! not destroyed while they are used.

#![allow(rustdoc::broken_intra_doc_links, reason = "comments are the header's, and brackets in them C's")]
#![expect(clippy::missing_safety_doc, reason = "what callers promise is the same for all functions, and said above")]

mod arguments;
pub mod bindings;
pub mod buffer;
pub mod check;
pub mod device;
pub mod dispatch;
pub mod draw;
pub mod error;
mod handle;
mod kept;
pub mod merger;
pub mod messages;
pub mod pipeline;
pub mod query;
pub mod reflect;
pub mod shader;
pub mod stage;
pub mod state;
pub mod statistics;
pub mod stop;
pub mod stream;
pub mod text;
pub mod texture;
pub mod view;
