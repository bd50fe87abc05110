//! Turns the primitives of a batch into others, and streams vertices out to buffers.
//!
//! | file | contents |
//! |---|---|
//! | `shader.rs` | the geometry shader: strips that it emits become primitives |
//! | `stream.rs` | stream output: which words of vertices go where, and how far buffers reach |
//!
//! Batches are made in parallel, and keep what is to be streamed out. It is written batch by batch in the order of the
//! draw, so that buffers do not depend on threads either.

pub mod shader;
pub mod stream;
