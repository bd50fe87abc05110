//! Runs documents repeatedly: frames, and dispatches that are measured.

use std::time::Duration;

use brolga_fenv::in_default_mode;
use brolga_raster::statistics::Statistics;
use brolga_runtime::{CodeFigures, Device, Engine, Report, Shader, StageTimes};

use super::outcome::Outcome;
use super::plan::Action;
use super::steps::StepRunner;
use super::world::World;
use super::{RunOptions, RunPlan, deadline};
use crate::error::{DocumentError, Fault};
use crate::prepare::Prepared;

/// A document whose pipelines are compiled, with resources of its own.
#[derive(Debug)]
pub struct Ready<'a> {
    prepared: &'a Prepared,
    device: &'a Device,
    variant: usize,
    options: RunOptions,
    world: World<'a>,
    plan: RunPlan<'a>,
}

impl<'a> Ready<'a> {
    pub(super) fn new(
        prepared: &'a Prepared,
        device: &'a Device,
        variant: usize,
        options: &RunOptions,
    ) -> Result<Self, DocumentError> {
        let ready = || {
            let deadline = deadline(device, options)?;
            let within = options.within(&deadline);
            let world = World::new(device, prepared, &within.cancel, &|_| Ok(None))?;
            let mut plan = RunPlan::new(device, prepared, variant, &world, &within)?;
            // The limit for compiling has ended; each repetition of the steps has its own.
            plan.actions.iter_mut().for_each(|(_, action)| follow(action, options));
            Ok(Self { prepared, device, variant, options: options.clone(), world, plan })
        };
        in_default_mode(|| ready().map_err(|fault| prepared.error(fault)))
    }

    /// The document.
    pub fn prepared(&self) -> &'a Prepared {
        self.prepared
    }

    /// The variant of its shaders.
    pub fn variant(&self) -> usize {
        self.variant
    }

    /// The device that it runs on.
    pub fn device(&self) -> &'a Device {
        self.device
    }

    /// The engine for the shaders.
    pub fn engine(&self) -> Engine {
        self.options.engine
    }

    /// The time from the shaders' bytes to executable code.
    pub fn compile_time(&self) -> Duration {
        self.plan.compile_time
    }

    /// The time in which each of its compute shaders was compiled so far, code with probes included.
    pub fn shader_times(&self) -> Vec<Duration> {
        self.plan.stage_times().iter().map(StageTimes::total).collect()
    }

    /// The time in which steps became actions.
    pub fn plan_time(&self) -> Duration {
        self.plan.plan_time
    }

    /// `true` if all its steps are dispatches.
    pub fn only_dispatches(&self) -> bool {
        let is_dispatch = |action: &Action<'_>| match action {
            Action::Dispatch(_) => true,
            Action::Repeat { actions, .. } => actions.iter().all(|(_, action)| matches!(action, Action::Dispatch(_))),
            _ => false,
        };
        self.plan.actions.iter().all(|(_, action)| is_dispatch(action))
    }

    /// Does all steps once, on the memory as the last time left it; returns the statistics of its draws. The time limit
    /// applies to this call.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn frame(&self) -> Result<Statistics, DocumentError> {
        let run = || {
            let deadline = deadline(self.device, &self.options)?;
            let options = self.options.within(&deadline);
            StepRunner::new(self.device, &options, None).steps(&self.plan.actions).map(|run| run.total)
        };
        in_default_mode(|| run().map_err(|fault| self.prepared.error(fault)))
    }

    /// Does all steps `count` times, at least once, without anything between them if they are a single dispatch.
    /// Returns the report of the last dispatch of such a document.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn frames(&self, count: u32) -> Result<Option<Report>, DocumentError> {
        if let [(_, Action::Dispatch(action))] = self.plan.actions.as_slice() {
            let dispatch = match self.options.time_limit {
                Some(limit) => action.dispatch.clone().time_limit(limit),
                None => action.dispatch.clone(),
            };
            let check = self.options.check.as_ref();
            let once = || action.run(&dispatch, check).map_err(|fault| self.prepared.error(fault));
            for _ in 1..count {
                once()?;
            }
            return once();
        }
        for _ in 0..count.max(1) {
            self.frame()?;
        }
        Ok(None)
    }

    /// Restores the initial content of everything that steps may write.
    ///
    /// # Errors
    /// If a file can no longer be read.
    pub fn reset(&self) -> Result<(), DocumentError> {
        self.world.reset().map_err(|fault| self.prepared.error(fault))
    }

    /// Compiles everything once more, for the present bindings: the time taken, and the stages of each compute shader.
    ///
    /// # Errors
    /// As [`Prepared::ready`].
    pub fn compile(&self) -> Result<(Duration, Vec<StageTimes>), DocumentError> {
        let plan = RunPlan::new(self.device, self.prepared, self.variant, &self.world, &self.options);
        let plan = plan.map_err(|fault: Fault| self.prepared.error(fault))?;
        Ok((plan.compile_time, plan.stage_times()))
    }

    /// Figures about the machine code of its only compute shader; `None` for other documents, and for the interpreter.
    ///
    /// # Errors
    /// If the code cannot be read.
    pub fn code_figures(&self) -> Result<Option<CodeFigures>, DocumentError> {
        let shaders: Vec<&Shader> = self.plan.computes().collect();
        match shaders.as_slice() {
            [shader] => shader.code_figures().map_err(|error| self.prepared.error((error.into(), 0..0))),
            _ => Ok(None),
        }
    }

    /// Does all steps once and compares the results with the expectations.
    ///
    /// # Errors
    /// As [`Prepared::run`].
    pub fn outcome(&self) -> Result<Outcome, DocumentError> {
        let run = || {
            let deadline = deadline(self.device, &self.options)?;
            let options = self.options.within(&deadline);
            let began = std::time::Instant::now();
            let run = StepRunner::new(self.device, &options, None).steps(&self.plan.actions)?;
            self.prepared.outcome(&self.world, &self.plan, run, began.elapsed(), &options)
        };
        in_default_mode(|| run().map_err(|fault: Fault| self.prepared.error(fault)))
    }
}

/// Makes dispatches end by the options' token, and report their progress.
fn follow(action: &mut Action<'_>, options: &RunOptions) {
    match action {
        Action::Dispatch(action) => {
            action.dispatch = action.dispatch.clone().cancel(options.cancel.clone()).progress(options.progress.clone());
        }
        Action::Repeat { actions, .. } => actions.iter_mut().for_each(|(_, action)| follow(action, options)),
        _ => {}
    }
}
