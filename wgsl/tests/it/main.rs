//! Tests of WGSL shaders from text to results.
//!
//! | file | content |
//! |---|---|
//! | `run.rs` | runs shaders on both engines |
//! | `control.rs` | control flow and calls |

mod control;
mod run;
