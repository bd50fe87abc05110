//! Tests shaders of Direct3D 9 against the reference's page of each instruction.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | runs a quad of a shader that is written as text |
//! | `table.rs` | arithmetic: every instruction in every version |
//! | `flow.rs` | flow control, predicates, addresses |
//! | `texture.rs` | texture instructions, inputs and outputs of pixels |
//! | `random.rs` | random and broken shaders |
//! | `corpus.rs` | shaders of the real compiler and assembler |

mod corpus;
mod flow;
mod random;
mod run;
mod table;
mod texture;
