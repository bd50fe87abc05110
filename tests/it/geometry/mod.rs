//! Tests geometry shaders and stream output: the functional specification's chapters 13 and 14.
//!
//! | file | what |
//! |---|---|
//! | `program.rs` | random geometry shaders, as text and as a plain model |
//! | `stream.rs` | random stream output, and a plain model of it |
//! | `random.rs` | random shaders in random draws, held to the models bit for bit |
//! | `rules.rs` | rules one by one, with values worked out by hand |
//! | `refusals.rs` | what is refused, and what is said |

mod program;
mod random;
mod refusals;
mod rules;
mod stream;
