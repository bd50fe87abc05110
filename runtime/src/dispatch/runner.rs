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
    /// Least time on one thread for which others are woken.
    pub worth_help: Duration,
    pub limits: Arc<Limits>,
    pub guard_pages: GuardPages,
    /// Budget for copies of textures.
    pub copies: Arc<CopyBudget>,
    pub workspaces: Workspaces,
    pub timer: Timer,
}
