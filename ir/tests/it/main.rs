//! What shaders mean, in the interpreter, and what is claimed of values; all held to plain models.
//!
//! | file | what |
//! |---|---|
//! | `ops.rs` | every operation against its rule, written another way |
//! | `exact.rs` | exact arithmetic on floats, for such rules |
//! | `text.rs` | the text form: printing, parsing, errors |
//! | `verify.rs` | the verifier: each broken rule is found |
//! | `translate/` | from instructions to functions |
//! | `pipeline/` | pixel functions from quads to targets |
//! | `texels.rs` | texels that functions read and write by themselves |
//! | `random_programs.rs` | random programs: passes change nothing |
//! | `observe.rs` | what an observer of the interpreter sees |
//! | `claims.rs` | which values threads share, and which grow from lane to lane |
//! | `float_class.rs` | facts about floats that passes rely on |

mod claims;
mod exact;
mod float_class;
mod observe;
mod ops;
mod pipeline;
mod random_programs;
mod texels;
mod text;
mod translate;
mod verify;
