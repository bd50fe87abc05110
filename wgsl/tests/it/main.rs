//! Tests of WGSL shaders from text to results.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | runs shaders on both engines |
//! | `numbers.rs` | operators, conversions, functions of numbers |
//! | `rules.rs` | the numeric rules of the specification, with values |
//! | `kernels.rs` | shaders of the suite beside their bytecode |
//! | `public.rs` | shaders of other projects |
//! | `peer.rs` | cases for another implementation |
//! | `random/` | random programs beside a plain model |
//! | `mutants.rs` | changed texts |
//! | `accuracy.rs` | elementary functions |
//! | `textures.rs` | textures and samplers |
//! | `refused.rs` | errors, limits, hostile texts |
//! | `control.rs` | control flow and calls |
//! | `check.rs` | what a check finds |

mod accuracy;
mod check;
mod control;
mod kernels;
mod mutants;
mod numbers;
mod peer;
mod public;
mod random;
mod refused;
mod rules;
mod run;
mod textures;
