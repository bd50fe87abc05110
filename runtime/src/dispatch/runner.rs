//! The parts of a device that dispatches use.

use std::sync::Arc;

use brolga_resource::{CopyBudget, GuardPages};

use crate::engine::Workspaces;
use crate::limits::Limits;
use crate::pool::Pool;
use crate::stop::Timer;

/// The parts of a device that dispatches use.
#[derive(Debug)]
pub(crate) struct Runner {
    pub pool: Pool,
    pub limits: Arc<Limits>,
    pub guard_pages: GuardPages,
    /// What copies of textures may take.
    pub copies: Arc<CopyBudget>,
    pub workspaces: Workspaces,
    pub timer: Timer,
}
