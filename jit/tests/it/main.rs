//! Machine code against the interpreter and plain models: the same bits, whatever it runs on.
//!
//! | file | what |
//! |---|---|
//! | `ops.rs` | every pure operation against `Op::eval` |
//! | `packets.rs` | operations of packets that are none of the table: masks, lanes, memory |
//! | `recipes.rs` | expressions that have a shorter way |
//! | `support/` | runs single operations, built with Cranelift |
//! | `control.rs` | control flow, barriers, faults, limits |
//! | `memory.rs` | every kind of memory at every layout of addresses |
//! | `sample.rs` | samples, quads, what a packet agrees on |
//! | `graphics.rs` | vertex and pixel shaders in batches |
//! | `direct3d9.rs` | shaders of Direct3D 9, random ones and those of the corpus |
//! | `random.rs` | random functions and programs |
//! | `faults.rs` | faults planted in widened code are found |
//! | `listing.rs` | what a listing of packets says |
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
