//! What the tests of the lower crates share: it needs no runtime. `tests/support` stands on it.
//!
//! | file | what |
//! |---|---|
//! | `random.rs` | random numbers that a seed gives again |
//! | `tokens.rs` | hand-written shaders, word by word |
//! | `programs.rs` | random programs in the IR: those that end, for groups and for batches, and wild ones |
//! | `scalar.rs` | a plain model: one thread at a time, no packets |
//! | `same.rs` | whether two functions are the same but for numbers |

#![forbid(unsafe_code)]

pub mod programs;
pub mod random;
pub mod same;
pub mod scalar;
pub mod tokens;
