//! What the tests of the lower crates share: it needs no runtime. `tests/support` stands on it.
//!
//! | file | what |
//! |---|---|
//! | `random.rs` | random numbers that a seed gives again |
//! | `programs.rs` | random programs in the IR that end, for groups and for batches |
//! | `functions.rs` | random functions of any instructions at all |
//! | `scalar.rs` | a plain model: one thread at a time, no packets |
//! | `same.rs` | whether two functions are the same but for numbers |

#![forbid(unsafe_code)]

pub mod functions;
pub mod programs;
pub mod random;
pub mod same;
pub mod scalar;
