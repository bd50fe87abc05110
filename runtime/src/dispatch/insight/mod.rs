//! What a shader says and does: its messages, and checked dispatches.
//!
//! | file | what |
//! |---|---|
//! | `messages.rs` | the messages of shaders, in the order of their threads |
//! | `check.rs` | dispatches that are checked |
//! | `stage.rs` | stages of draws that are |
//! | `probed.rs` | runs of code that finds which groups a check has to look at |
//! | `suspects.rs` | these groups |
//! | `kit.rs` | what such a run leaves for the next one |
//! | `finding.rs` | what they find, as text |

mod check;
mod finding;
mod kit;
mod messages;
mod probed;
mod stage;
mod suspects;

pub use check::{CheckLog, Checked, CheckedRun, Finding, Party};
pub(super) use kit::ProbedKit;
pub(super) use messages::Postbox;
pub use messages::{MessageLog, ShaderMessage};
pub(super) use stage::CheckedStage;
