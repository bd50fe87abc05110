//! Brolga's jit crate.
