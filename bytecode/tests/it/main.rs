//! What the crate says of bytes and of texts: those of real shaders, and those written by hand, correct and faulty.
//!
//! | file | what |
//! |---|---|
//! | `corpus/` | shaders of the corpus: decoded, listed, assembled, damaged |
//! | `words.rs` | programs written word by word: what words mean, which rules a program must keep |
//! | `findings.rs` | every fault of a program is found |
//! | `headers.rs` | what is read of the comment before a listing |
//! | `assembly.rs` | the assembler's language: the words that its forms mean |
//! | `mistakes.rs` | what is said about mistakes in a text |
//! | `language.rs` | `docs/assembly.md` has every instruction |
//! | `direct3d9.rs` | the language of Direct3D 9 and its rules, `docs/assembly-direct3d9.md` |
//! | `values.rs` | constants of Direct3D 9 by name |

mod assembly;
mod corpus;
mod direct3d9;
mod findings;
mod headers;
mod language;
mod mistakes;
mod values;
mod words;
