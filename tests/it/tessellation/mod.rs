//! Tests hull and domain shaders: the functional specification's chapters 10 to 12.
//!
//! | file | what |
//! |---|---|
//! | `shaders.rs` | hull and domain shaders that are made of a few words |
//! | `rules.rs` | rules one by one, with values worked out by hand |
//! | `divided.rs` | random patches in draws, held to the tessellator's points and primitives |
//! | `refusals.rs` | what is refused, and what is said |

mod divided;
mod refusals;
mod rules;
mod shaders;
