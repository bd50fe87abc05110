//! Brolga's runtime crate.
