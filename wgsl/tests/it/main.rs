//! Tests of WGSL shaders from text to results.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | runs shaders on both engines |
//! | `numbers.rs` | operators, conversions, functions of numbers |
//! | `rules.rs` | the numeric rules of the specification, with values |
//! | `kernels.rs` | shaders of the suite beside their bytecode |
//! | `public.rs` | shaders of other projects |
//! | `mutants.rs` | changed texts |
//! | `accuracy.rs` | elementary functions |
//! | `textures.rs` | textures and samplers |
//! | `refused.rs` | errors, limits, hostile texts |
//! | `control.rs` | control flow and calls |

mod accuracy;
mod control;
mod kernels;
mod mutants;
mod numbers;
mod public;
mod refused;
mod rules;
mod run;
mod textures;
