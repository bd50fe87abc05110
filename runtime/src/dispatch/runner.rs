//! The parts of a device that dispatches use.

use std::sync::Arc;
use std::time::Duration;

use brolga_resource::{CopyBudget, GuardPages};

use crate::engine::Workspaces;
use crate::limits::Limits;
use crate::pool::Pool;
use crate::stop::Timer;

/// The parts of a device that dispatches use.
#[derive(Debug)]
pub(crate) struct Runner {
    pub pool: Pool,
    /// Time that work takes one thread from which on others help.
    pub worth_help: Duration,
    pub limits: Arc<Limits>,
    pub guard_pages: GuardPages,
    /// What copies of textures may take.
    pub copies: Arc<CopyBudget>,
    pub workspaces: Workspaces,
    pub timer: Timer,
}
