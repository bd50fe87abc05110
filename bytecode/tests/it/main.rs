//! Tests the crate on bytes and texts of real shaders, and on ones written by hand, correct and faulty.
//!
//! | file | what |
//! |---|---|
//! | `corpus/` | shaders of the corpus: decoded, listed, assembled, damaged |
//! | `words.rs` | programs written word by word: the meaning of words, the rules of programs |
//! | `findings.rs` | every fault of a program is found |
//! | `debug.rs` | source lines and variables |
//! | `headers.rs` | reading the comment before a listing |
//! | `assembly.rs` | the assembler's language: the words that its forms encode to |
//! | `mistakes.rs` | messages about mistakes in a text |
//! | `language.rs` | `docs/assembly.md` has every instruction |
//! | `direct3d9.rs` | the language of Direct3D 9 and its rules, `docs/assembly-direct3d9.md` |
//! | `values.rs` | constants of Direct3D 9 by name |

mod assembly;
mod corpus;
mod debug;
mod direct3d9;
mod findings;
mod headers;
mod language;
mod mistakes;
mod values;
mod words;
