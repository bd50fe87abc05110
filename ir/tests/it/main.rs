//! Tests the meaning of shaders in the interpreter, and claims about values, against plain models.
//!
//! | file | content |
//! |---|---|
//! | `ops.rs` | every operation against its rule, written another way |
//! | `exact.rs` | exact arithmetic on floats, for such rules |
//! | `text.rs` | the text form: printing, parsing, errors |
//! | `verify.rs` | the verifier: each broken rule is found |
//! | `translate/` | from instructions to functions |
//! | `pipeline/` | pixel functions from quads to targets |
//! | `texels.rs` | texels that functions read and write by themselves |
//! | `random_programs.rs` | random programs: passes change nothing |
//! | `observe.rs` | observing the interpreter |
//! | `insight.rs` | checks of random programs that lack barriers |
//! | `claims.rs` | uniform and affine values |
//! | `float_class.rs` | facts about floats that passes rely on |

mod claims;
mod exact;
mod float_class;
mod insight;
mod observe;
mod ops;
mod pipeline;
mod random_programs;
mod texels;
mod text;
mod translate;
mod verify;
