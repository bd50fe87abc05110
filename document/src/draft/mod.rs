//! First documents for shaders: they run as they are, and say what there is to fill in.
//!
//! | file | what |
//! |---|---|
//! | `dispatch/` | for a compute shader |
//! | `drawing/` | for a vertex or pixel shader |
//! | `type_name.rs` | the types of variables |

mod dispatch;
mod drawing;
mod type_name;

pub use dispatch::Draft;
pub use drawing::{DraftError, DraftedScene, SceneDraft};
