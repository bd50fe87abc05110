//! Vertices of a draw: which of them are a primitive, and what the vertex shader makes of them.
//!
//! | file | what |
//! |---|---|
//! | `indices.rs` | index buffers |
//! | `assembly.rs` | which vertices are a primitive: topologies, restarts, batches, vertices that primitives share |

pub mod assembly;
pub mod indices;
