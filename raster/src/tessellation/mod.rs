//! Divides patches.
//!
//! | file | contents |
//! |---|---|
//! | `tessellator.rs` | points of a patch's domain, and the primitives between them |
//!
//! Hull and domain shaders, which stand before and after it, are not there yet: pipelines refuse them by name.

pub mod tessellator;
