//! Tests of WGSL shaders from text to results.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | runs shaders on both engines |
//! | `numbers.rs` | operators, conversions, functions of numbers |
//! | `accuracy.rs` | elementary functions |
//! | `textures.rs` | textures and samplers |
//! | `refused.rs` | errors, limits, hostile texts |
//! | `control.rs` | control flow and calls |

mod accuracy;
mod control;
mod numbers;
mod refused;
mod run;
mod textures;
