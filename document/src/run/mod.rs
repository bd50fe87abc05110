//! Runs a prepared document.
//!
//! | file | what |
//! |---|---|
//! | `world.rs` | resources on a device, and their views |
//! | `pipelines.rs` | pipelines, compiled for the formats of their targets |
//! | `plan.rs` | steps become actions |
//! | `check.rs` | the targets of a draw, and the vertex data of Direct3D 9 |
//! | `words.rs` | errors in the words of Direct3D 9 |
//! | `steps.rs` | does the actions, draws in passes |
//! | `samples.rs` | the order of samples in documents and in memory |
//! | `history.rs` | the effect of steps on one pixel |
//! | `outcome.rs` | results, compared with the expectations |
//! | `outputs.rs`, `output.rs` | files that are saved |
//! | `ready.rs` | documents whose steps are repeated |

mod check;
mod history;
mod outcome;
pub(crate) mod output;
mod outputs;
mod pipelines;
mod plan;
mod ready;
mod samples;
mod steps;
mod words;
mod world;

use std::time::{Duration, Instant};

use brolga_fenv::in_default_mode;
use brolga_raster::pass::schedule::RoundSize;
use brolga_runtime::insight::CheckLog;
use brolga_runtime::{
    Buffer, CancelToken, Deadline, Device, Emit, Engine, Listing, MessageLog, Oversize, Progress, StageTimes, Width,
};

use crate::compare::Checked;
use crate::error::{DocumentError, Fault, Problem};
use crate::model::step::DocumentStep;
use crate::prepare::Prepared;
use history::Watch;
use pipelines::Compiler;
use plan::{Action, actions};
use steps::StepRunner;
use world::World;

pub use history::{PixelStep, WatchedPixel};
pub(crate) use outcome::level_texels;
pub use outcome::{CounterResult, Outcome, ResourceResult};
pub use outputs::Outputs;
pub use ready::Ready;

/// Options for running a document.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunOptions {
    /// The engine for the shaders.
    pub engine: Engine,
    /// The policy for a shader that is too large for machine code.
    pub oversize: Oversize,
    /// The limit on compiling and running a document together, or on each where they are called one by one.
    pub time_limit: Option<Duration>,
    /// Stops the run when it is cancelled.
    pub cancel: CancelToken,
    /// Receives the progress of the run.
    pub progress: Progress,
    /// Set to keep the content of everything that steps may write, not only of what the document saves or has
    /// expectations about. Required for comparing two outcomes with [`Outcome::disagreement`].
    pub keep_all: bool,
    /// The size of a round of draws, on which results do not depend.
    pub round: RoundSize,
    /// The width of packets, on which they do not depend either; by default one that suits each shader.
    pub width: Option<Width>,
    /// Collects what shaders print; by default nobody does.
    pub messages: Option<MessageLog>,
    /// Set to check dispatches and draws.
    pub check: Option<CheckLog>,
}

impl RunOptions {
    /// Options for an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            oversize: Oversize::default(),
            time_limit: None,
            cancel: CancelToken::new(),
            progress: Progress::new(),
            keep_all: false,
            round: RoundSize::default(),
            width: None,
            messages: None,
            check: None,
        }
    }

    /// The options for all parts that share one time limit: a token that the limit cancels replaces a limit for each
    /// part.
    fn within(&self, deadline: &Deadline<'_>) -> Self {
        Self { cancel: deadline.token().clone(), time_limit: None, ..self.clone() }
    }
}

impl Default for RunOptions {
    /// Options for the engine that a device uses by default.
    fn default() -> Self {
        Self::new(Engine::best())
    }
}

/// The actions of a document, and the time that planning took.
#[derive(Debug)]
struct RunPlan<'a> {
    actions: Vec<(&'a DocumentStep, Action<'a>)>,
    warnings: Vec<DocumentError>,
    compile_time: Duration,
    plan_time: Duration,
}

impl<'a> RunPlan<'a> {
    fn new(
        device: &'a Device,
        prepared: &'a Prepared,
        variant: usize,
        world: &World<'a>,
        options: &RunOptions,
    ) -> Result<Self, Fault> {
        let began = Instant::now();
        let mut compiler = Compiler::new(device, prepared, variant, options);
        let actions = actions(&prepared.document.model.steps, world, &mut compiler)?;
        let (compile_time, warnings) = (compiler.time, std::mem::take(&mut compiler.warnings));
        let warnings = warnings.into_iter().map(|fault| prepared.error(fault)).collect();
        Ok(RunPlan { actions, warnings, compile_time, plan_time: began.elapsed().saturating_sub(compile_time) })
    }

    /// Its compute shaders.
    fn computes(&self) -> impl Iterator<Item = &brolga_runtime::Shader> {
        fn of<'p>(actions: &'p [(&DocumentStep, Action<'_>)], found: &mut Vec<&'p brolga_runtime::Shader>) {
            for (_, action) in actions {
                match action {
                    Action::Dispatch(action) => found.push(action.bound.shader()),
                    Action::Repeat { actions, .. } => of(actions, found),
                    _ => {}
                }
            }
        }
        let mut found = Vec::new();
        of(&self.actions, &mut found);
        found.into_iter()
    }

    /// The times of the compilation stages of its shaders.
    fn stage_times(&self) -> Vec<StageTimes> {
        self.computes().map(brolga_runtime::Shader::compile_times).collect()
    }
}

/// Ends all steps together after the time limit, however they are cut into passes and dispatches.
fn deadline<'a>(device: &'a Device, options: &RunOptions) -> Result<Deadline<'a>, Fault> {
    device.deadline(&options.cancel, options.time_limit).map_err(|error| (error.into(), 0..0))
}

/// An error if a step may not begin because the token is cancelled.
fn go_on(token: &CancelToken, step: &DocumentStep) -> Result<(), Fault> {
    match token.stop_reason() {
        Some(why) => Err((Problem::Stopped { why }, step.at.head.clone())),
        None => Ok(()),
    }
}

impl Prepared {
    /// Runs the document on fresh resources, with one variant of its shaders.
    ///
    /// # Errors
    /// If a step cannot be done as the document says, a shader does not compile, or the run is stopped.
    pub fn run(&self, device: &Device, variant: usize, options: &RunOptions) -> Result<Outcome, DocumentError> {
        self.run_over(device, variant, options, None, &|_| Ok(None))
    }

    /// As [`Self::run`], and records the effect of each step on a pixel. Draws are then done one by one, and take
    /// longer.
    ///
    /// # Errors
    /// As [`Self::run`], or if nothing has the pixel.
    pub fn run_watching(
        &self,
        device: &Device,
        variant: usize,
        options: &RunOptions,
        pixel: &WatchedPixel,
    ) -> Result<Outcome, DocumentError> {
        self.run_over(device, variant, options, Some(pixel), &|_| Ok(None))
    }

    /// The same; `own` returns existing memory for a resource, all zeros, if it has any.
    fn run_over(
        &self,
        device: &Device,
        variant: usize,
        options: &RunOptions,
        pixel: Option<&WatchedPixel>,
        own: &dyn Fn(&str) -> Result<Option<Buffer>, Fault>,
    ) -> Result<Outcome, DocumentError> {
        let run = || {
            // One limit for compiling and running.
            let deadline = deadline(device, options)?;
            let mut options = options.within(&deadline);
            let must_be_clean = self.document.model.must_be_clean && options.check.is_none();
            let own_check = must_be_clean.then(CheckLog::default);
            options.check = options.check.or(own_check.clone());
            let options = &options;
            let world = World::new(device, self, &options.cancel, own)?;
            let plan = RunPlan::new(device, self, variant, &world, options)?;
            let began = Instant::now();
            let watch = pixel.map(|pixel| Watch::new(pixel, &world)).transpose()?;
            let run = StepRunner::new(device, options, watch).steps(&plan.actions)?;
            let run_time = began.elapsed();
            let mut outcome = self.outcome(&world, &plan, run, run_time, options)?;
            outcome.warnings = plan.warnings;
            if let Some(log) = own_check {
                outcome.checks.push(Checked::clean(log.take()));
            }
            Ok(outcome)
        };
        in_default_mode(|| run().map_err(|fault| self.error(fault)))
    }

    /// Compiles the document, to do its steps repeatedly.
    ///
    /// # Errors
    /// As [`Self::run`], except for those that occur in steps.
    pub fn ready<'a>(
        &'a self,
        device: &'a Device,
        variant: usize,
        options: &RunOptions,
    ) -> Result<Ready<'a>, DocumentError> {
        Ready::new(self, device, variant, options)
    }

    /// Its shaders as text, compiled for their bindings, each with its pipeline and stage.
    ///
    /// # Errors
    /// As [`Self::run`], except for those that occur in steps; or if a shader has no such text.
    pub fn emit(
        &self,
        device: &Device,
        variant: usize,
        options: &RunOptions,
        form: Emit,
    ) -> Result<Vec<(String, Listing)>, DocumentError> {
        let emit = || {
            let world = World::new(device, self, &options.cancel, &|_| Ok(None))?;
            let plan = RunPlan::new(device, self, variant, &world, options)?;
            let mut listings: Vec<(String, Listing)> = Vec::new();
            emit_actions(&plan.actions, form, &mut listings)?;
            Ok(listings)
        };
        emit().map_err(|fault: Fault| self.error(fault))
    }
}

/// The text of each shader of actions, once for each pipeline.
fn emit_actions(
    actions: &[(&DocumentStep, Action<'_>)],
    form: Emit,
    listings: &mut Vec<(String, Listing)>,
) -> Result<(), Fault> {
    for (step, action) in actions {
        let mut add = |name: String, shader: &brolga_runtime::Shader, bindings: &brolga_runtime::Bindings| {
            if listings.iter().any(|(known, _)| *known == name) {
                return Ok(());
            }
            let listing = shader.emit_for(form, bindings).map_err(|error| (error.into(), step.at.head.clone()))?;
            listings.push((name, listing));
            Ok::<(), Fault>(())
        };
        match action {
            Action::Dispatch(action) => {
                let bound = &action.bound;
                add(format!("{}, compute shader", action.pipeline()), bound.shader(), bound.bindings())?;
            }
            Action::Draw(draw) => {
                for (stage, shader) in draw.pipeline.shaders().present() {
                    let name = format!("{}, {} shader", draw.said.pipeline.value, stage.name());
                    add(name, shader, &draw.bindings[stage])?;
                }
            }
            Action::Repeat { actions, .. } => emit_actions(actions, form, listings)?,
            _ => {}
        }
    }
    Ok(())
}
