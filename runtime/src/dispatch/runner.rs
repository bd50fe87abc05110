//! The parts of a device that dispatches use.

use std::sync::Arc;

use crate::engine::Workspaces;
use crate::limits::Limits;
use crate::pool::Pool;
use crate::resource::GuardPages;
use crate::stop::Timer;

/// The parts of a device that dispatches use.
#[derive(Debug)]
pub(crate) struct Runner {
    pub pool: Pool,
    pub limits: Arc<Limits>,
    pub guard_pages: GuardPages,
    pub workspaces: Workspaces,
    pub timer: Timer,
}
