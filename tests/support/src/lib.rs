//! What Brolga's tests share. Nothing here is part of the product.
//!
//! | file | what |
//! |---|---|
//! | `run.rs` | a shader in assembly language on every engine |
//! | `program.rs` | a random shader as a tree |
//! | `generate/` | makes such trees |
//! | `write.rs` | the tree in assembly language |
//! | `views.rs` | the memory that a program is given |
//! | `picture.rs` | a texture and what a register sees of it |
//! | `check.rs` | runs a program in every way there is and compares |
//! | `shrink.rs` | makes a failing program small |
//! | `report.rs` | says what failed, for people |
//! | `code.rs` | hashes of machine code |
//! | `corpus.rs` | where the shaders of the repository are |
//! | `bound/` | something for every register that a shader declares |
//! | `mutants/` | shaders with a few changes, on both engines |
//! | `file/` | tests as files |
//! | `script.rs` | programs of any size, and what they leave in memory |
//! | `shapes.rs` | shaders of every extreme shape, in any size |
//! | `main.rs` | the commands `soak`, `mutants`, `code` and `show` |
//!
//! What needs no runtime is in `tests/base`, and has its names here too.

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

pub use brolga_testing_base::{modes, random, scalar};
