//! What tests share is tested too.
//!
//! | file | what |
//! |---|---|
//! | `file.rs` | test files: what is wrong with them, what is said of one that fails |
//! | `generator.rs` | the generator of random shaders |
//! | `mutants.rs` | a few hundred mutated shaders |

mod file;
mod generator;
mod mutants;
