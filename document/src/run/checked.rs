//! Collects what checked dispatches of a document found.

use std::sync::{Arc, Mutex, PoisonError};

use brolga_runtime::insight::{CheckOptions, Checked};

/// What the dispatches of a run found. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CheckLog {
    /// What is checked.
    pub options: CheckOptions,
    steps: Arc<Mutex<Vec<CheckedStep>>>,
}

/// What a dispatch of a document found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckedStep {
    /// The number of the step, from 0 on.
    pub step: usize,
    /// The name of its pipeline; in the short form there is none.
    pub pipeline: String,
    /// What it found.
    pub checked: Checked,
}

impl CheckLog {
    /// An empty one.
    pub fn new(options: CheckOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Takes out what was found so far.
    pub fn take(&self) -> Vec<CheckedStep> {
        std::mem::take(&mut self.steps.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn add(&self, step: CheckedStep) {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).push(step);
    }
}
