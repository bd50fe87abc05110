//! Tests the shared code of the tests.
//!
//! | file | contents |
//! |---|---|
//! | `file.rs` | test files: errors in them, and messages about one that fails |
//! | `generator.rs` | the generator of random shaders |
//! | `mutants.rs` | a few hundred mutated shaders |

mod file;
mod generator;
mod mutants;
