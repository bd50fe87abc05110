//! Vertices of a draw: which of them are a primitive, and what the vertex shader makes of them.
//!
//! | file | what |
//! |---|---|
//! | `indices.rs` | index buffers |
//! | `assembly.rs` | which vertices are a primitive: topologies, restarts, batches |
//! | `shading.rs` | the vertex shader, and vertices that primitives share |
//! | `primitives.rs` | what comes of it: shaded vertices, and the primitives that they make |
//!
//! What an element of the input layout holds is fetched from the vertex buffers by the vertex function itself (`ir/src/pipeline/fetch.rs`).
//! A stage that makes other primitives of those would take a `PrimitiveBatch`, and give one.

pub mod assembly;
pub mod indices;
pub mod primitives;
pub mod shading;
