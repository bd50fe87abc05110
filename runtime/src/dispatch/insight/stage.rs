//! Checks stages of draws: on the interpreter, if there is anything to find.

use std::sync::atomic::{AtomicU64, Ordering};

use super::check::{CheckLog, Checked, CheckedRun, CheckedShader};
use crate::bindings::Layers;
use crate::dispatch::Runner;
use crate::error::Error;
use crate::shader::Shader;

/// A stage of a draw that is checked.
#[derive(Debug)]
pub(in super::super) struct CheckedStage<'a> {
    log: &'a CheckLog,
    /// `None` if nothing can be found, so that the stage runs as ever.
    shader: Option<CheckedShader>,
    /// Invocations that ran so.
    invocations: AtomicU64,
}

impl<'a> CheckedStage<'a> {
    pub fn new(shader: &Shader, runner: &Runner, layers: Layers<'_>, log: &'a CheckLog) -> Result<Self, Error> {
        let checked = CheckedShader::new(shader, runner, &log.options)?;
        let is_clean = checked.has_nothing_to_find(layers);
        Ok(Self { log, shader: (!is_clean).then_some(checked), invocations: AtomicU64::new(0) })
    }

    /// The shader for the interpreter, if that has to run it.
    pub fn shader(&self) -> Option<&CheckedShader> {
        self.shader.as_ref()
    }

    /// Counts invocations that ran as ever.
    pub fn count(&self, invocations: u32) {
        self.invocations.fetch_add(invocations.into(), Ordering::Relaxed);
    }

    /// Notes what was found.
    pub fn end(&self, shader: &Shader, draw: u32) {
        let mut checked = Checked::default();
        match &self.shader {
            Some(observed) => checked = observed.checked(shader),
            None => checked.summary.groups = self.invocations.load(Ordering::Relaxed),
        }
        self.log.push(CheckedRun { stage: shader.stage().kind(), draw, checked });
    }
}
