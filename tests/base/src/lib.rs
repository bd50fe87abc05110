//! Shared code of the lower crates' tests, which needs no runtime. `tests/support` is built on it.
//!
//! | file | contents |
//! |---|---|
//! | `assemble.rs` | shaders from the lines of a listing |
//! | `modes.rs` | float modes of hosts |
//! | `random.rs` | reproducible random numbers |
//! | `programs.rs` | random programs in the IR: those that end, for groups and for batches, and wild ones |
//! | `direct3d9.rs` | random shaders of Direct3D 9 |
//! | `races.rs` | random programs without enough barriers, and their races |
//! | `scalar.rs` | a plain model: one thread at a time, no packets |
//! | `samples.rs` | positions of samples in a pixel |
//! | `strips.rs` | a plain model of topologies |
//! | `same.rs` | tests that two functions are the same up to numbering |

#![deny(unsafe_code)]

pub mod assemble;
pub mod direct3d9;
pub mod modes;
pub mod programs;
pub mod races;
pub mod random;
pub mod same;
pub mod samples;
pub mod scalar;
pub mod strips;
