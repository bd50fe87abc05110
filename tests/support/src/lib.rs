//! Shared code of Brolga's tests. Nothing here is part of the product.
//!
//! | file | contents |
//! |---|---|
//! | `run.rs` | a shader in assembly language on every engine |
//! | `program.rs` | a random shader as a tree |
//! | `generate/` | makes such trees |
//! | `write.rs` | the tree in assembly language |
//! | `views.rs` | the memory that a program is given |
//! | `picture.rs` | a texture and the part that a register sees |
//! | `check.rs` | runs a program in every way there is and compares |
//! | `shrink.rs` | makes a failing program small |
//! | `report.rs` | reports failures, for people |
//! | `code.rs` | hashes of machine code |
//! | `corpus.rs` | locations of the repository's shaders |
//! | `bound/` | something for every register that a shader declares |
//! | `mutants/` | shaders with a few changes, on both engines |
//! | `file/` | tests as files |
//! | `script.rs` | programs of any size, and the memory that they leave |
//! | `shapes.rs` | shaders of every extreme shape, in any size |
//! | `main.rs` | the commands `soak`, `mutants`, `code` and `show` |
//!
//! Code that needs no runtime is in `tests/base`, and has its names here too.

#![forbid(unsafe_code)]

pub mod bound;
pub mod check;
pub mod code;
pub mod corpus;
pub mod file;
pub mod generate;
pub mod mutants;
pub mod picture;
pub mod program;
pub mod report;
pub mod run;
pub mod script;
pub mod shapes;
pub mod shrink;
pub mod views;
pub mod write;

pub use brolga_testing_base::{modes, random, samples, scalar, strips};
