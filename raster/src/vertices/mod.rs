//! Assembles the primitives of a draw and shades their vertices.
//!
//! | file | contents |
//! |---|---|
//! | `indices.rs` | index buffers |
//! | `assembly.rs` | primitive assembly: topologies, primitive restart, batches |
//! | `shading.rs` | vertex shading, and reuse of shared vertices |
//! | `primitives.rs` | the result: shaded vertices, and primitives that index them |
//!
//! Vertex fetch by the input layout happens in the vertex function itself (`ir/src/pipeline/fetch.rs`). A stage that
//! turns primitives into others would take a `PrimitiveBatch`, and return one.

pub mod assembly;
pub mod indices;
pub mod primitives;
pub mod shading;
