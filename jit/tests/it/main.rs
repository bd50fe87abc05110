//! Compares machine code with the interpreter and plain models: the same bits on any processor.
//!
//! | file | contents |
//! |---|---|
//! | `ops.rs` | every pure operation against `Op::eval` |
//! | `packets.rs` | packet operations that are not in the table: masks, lanes, memory |
//! | `recipes.rs` | expressions that have a shorter recipe |
//! | `support/` | runs single operations, built with Cranelift |
//! | `control.rs` | control flow, barriers, faults, limits |
//! | `memory.rs` | every kind of memory at every layout of addresses |
//! | `sample.rs` | samples, quads, votes of a packet |
//! | `graphics.rs` | vertex and pixel shaders in batches |
//! | `direct3d9.rs` | shaders of Direct3D 9, random ones and those of the corpus |
//! | `random.rs` | random functions and programs |
//! | `faults.rs` | faults planted in widened code are found |
//! | `listing.rs` | the listings of packets |
//! | `bound/` | runs whole functions over memory with guards, on both engines |

mod bound;
mod control;
mod direct3d9;
mod faults;
mod graphics;
mod listing;
mod memory;
mod ops;
mod packets;
mod random;
mod recipes;
mod sample;
mod support;
