//! What the tests share: the executions of the corpus, which `case.rs` reads and runs and `compare.rs` holds against what
//! is expected. What registers are bound to comes from `brolga-testing`.

#![allow(dead_code, unused_imports, reason = "each test file uses a part")]

pub mod case;
pub mod compare;

pub use brolga_testing::bound::{ENGINES, compile, content, random};
