//! Runs hull and domain shaders, and divides patches between them (functional specification, 10 to 12).
//!
//! | file | contents |
//! |---|---|
//! | `layout.rs` | what the shaders of a pipeline declare |
//! | `tessellator.rs` | points of a patch's domain, and the primitives between them |
//! | `cache.rs` | patches that were divided lately |
//! | `patches.rs` | the patches of a batch: hull shader, then domain shader part by part |

mod cache;
pub mod layout;
pub mod patches;
pub mod tessellator;
