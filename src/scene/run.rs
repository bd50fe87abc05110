//! Runs a scene: its actions in order, consecutive draws with the same targets as one pass.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use brolga_fenv::in_default_mode;
use brolga_runtime::{Buffer, CancelToken, Deadline, Device, Dispatch, Engine};

use super::Scene;
use super::error::{Problem, SceneError};
use super::expectation::Checked;
use super::history::{PixelStep, Watch, WatchedPixel};
use super::memory::World;
use super::pipelines::Compiler;
use super::plan::{Action, Draw};
use super::step::Step;
use crate::job::RunOptions;
use crate::raster::{Pass, Statistics};

/// What a run gave.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What ran the shaders.
    pub engine: Engine,
    /// Time from the shaders' bytes to something that runs.
    pub compile_time: Duration,
    /// Time in which steps became actions: names were looked up, and what steps bind was checked.
    pub plan_time: Duration,
    /// Time of all steps.
    pub run_time: Duration,
    /// Each expectation, held against what came out.
    pub checks: Vec<Checked>,
    /// What is probably a mistake, though Direct3D's rules give it a meaning: a register that a shader reads and nothing is bound to.
    pub warnings: Vec<SceneError>,
    /// What steps did to the pixel that was watched.
    pub pixel: Vec<PixelStep>,
    /// What the scene saves, in its order.
    pub(super) saved: Vec<Buffer>,
}

impl Outcome {
    /// Whether every expectation that can be checked holds.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.holds() != Some(false))
    }

    /// The first expectation of which another run of the scene has different bits.
    pub fn disagreement(&self, other: &Self) -> Option<&str> {
        let mut pairs = self.checks.iter().zip(&other.checks);
        pairs.find(|(one, other)| !one.has_same_bits(other)).map(|(one, _)| one.id.as_str())
    }
}

impl Scene {
    /// Runs the scene on fresh resources.
    ///
    /// # Errors
    /// If a step cannot be done as the scene says, a shader does not compile, or the run is stopped.
    pub fn run(&self, device: &Device, options: &RunOptions) -> Result<Outcome, SceneError> {
        in_default_mode(|| self.run_steps(device, options, None).map_err(|error| error.in_file(&self.path)))
    }

    /// Runs the scene and tells what each step did to a pixel. Draws are done one by one for it, and take longer.
    ///
    /// # Errors
    /// As [`Self::run`], or if nothing has the pixel.
    pub fn run_watching(
        &self,
        device: &Device,
        options: &RunOptions,
        pixel: &WatchedPixel,
    ) -> Result<Outcome, SceneError> {
        in_default_mode(|| self.run_steps(device, options, Some(pixel)).map_err(|error| error.in_file(&self.path)))
    }

    /// Compiles the scene, for frames that are drawn one after the other.
    ///
    /// # Errors
    /// As [`Self::run`], but for what happens in steps.
    pub fn prepare<'a>(&'a self, device: &'a Device, options: &RunOptions) -> Result<ReadyScene<'a>, SceneError> {
        in_default_mode(|| {
            let world = World::new(device, &self.document, &self.contents, &options.cancel);
            let world = world.map_err(|error| error.in_file(&self.path))?;
            let plan =
                deadline(device, options).and_then(|deadline| self.plan(device, &world, &options.within(&deadline)));
            let Plan { actions, compile_time, plan_time, .. } = plan.map_err(|error| error.in_file(&self.path))?;
            Ok(ReadyScene { scene: self, device, options: options.clone(), actions, compile_time, plan_time })
        })
    }

    fn plan<'a>(&'a self, device: &'a Device, world: &World<'_>, options: &RunOptions) -> Result<Plan<'a>, SceneError> {
        let began = Instant::now();
        let mut compiler = Compiler::new(device, &self.document, &self.shaders, options);
        let mut actions = Vec::new();
        for (n, step) in self.document.steps.iter().enumerate() {
            go_on(&options.cancel, n)?;
            actions.push(Action::new(&format!("steps[{n}]"), step, world, &mut compiler)?);
        }
        let (compile_time, warnings) = (compiler.time, compiler.warnings);
        Ok(Plan { actions, warnings, compile_time, plan_time: began.elapsed().saturating_sub(compile_time) })
    }

    fn run_steps(
        &self,
        device: &Device,
        options: &RunOptions,
        pixel: Option<&WatchedPixel>,
    ) -> Result<Outcome, SceneError> {
        // One limit for all of it.
        let deadline = deadline(device, options)?;
        let options = &options.within(&deadline);
        let world = World::new(device, &self.document, &self.contents, &options.cancel)?;
        let Plan { actions, warnings, compile_time, plan_time } = self.plan(device, &world, options)?;
        let warnings = warnings.into_iter().map(|warning| warning.in_file(&self.path)).collect();
        let began = Instant::now();
        let watch = pixel.map(|pixel| Watch::new(pixel, &world)).transpose()?;
        let run = Run::new(device, &options.cancel, watch).steps(&actions, &self.document.steps)?;
        let run_time = began.elapsed();
        let checks = self.expected.iter().map(|expected| expected.check(&world, &run.queries, &options.cancel));
        let checks = checks.collect::<Result<_, _>>()?;
        let saved = self.document.save.iter().map(|save| Ok(world.find(&save.resource, String::new)?.bytes().clone()));
        let saved = saved.collect::<Result<_, SceneError>>()?;
        let pixel = run.watch.map_or(Vec::new(), |watch| watch.steps);
        Ok(Outcome { engine: options.engine, compile_time, plan_time, run_time, checks, warnings, pixel, saved })
    }
}

/// What is to be done for a scene, and how long it took to find out.
struct Plan<'a> {
    actions: Vec<Action<'a>>,
    warnings: Vec<SceneError>,
    compile_time: Duration,
    plan_time: Duration,
}

/// A scene whose pipelines are compiled, with resources of its own.
#[derive(Debug)]
pub struct ReadyScene<'a> {
    scene: &'a Scene,
    device: &'a Device,
    options: RunOptions,
    actions: Vec<Action<'a>>,
    compile_time: Duration,
    plan_time: Duration,
}

impl ReadyScene<'_> {
    /// Time from the shaders' bytes to something that runs.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Time in which steps became actions.
    pub fn plan_time(&self) -> Duration {
        self.plan_time
    }

    /// Does all steps once, on what the frame before left in memory; says what its draws did together. The time limit is that of a frame.
    ///
    /// # Errors
    /// As [`Scene::run`].
    pub fn frame(&self) -> Result<Statistics, SceneError> {
        in_default_mode(|| {
            let steps = &self.scene.document.steps;
            let run = deadline(self.device, &self.options).and_then(|deadline| {
                Run::new(self.device, deadline.token(), None).steps(&self.actions, steps).map(|run| run.total)
            });
            run.map_err(|error| error.in_file(&self.scene.path))
        })
    }
}

/// Ends all steps together after the time limit, however they are cut into passes and dispatches.
fn deadline<'a>(device: &'a Device, options: &RunOptions) -> Result<Deadline<'a>, SceneError> {
    device.deadline(&options.cancel, options.time_limit).map_err(|error| SceneError::new("", error))
}

/// Whether a step may begin.
fn go_on(token: &CancelToken, step: usize) -> Result<(), SceneError> {
    match token.stop_reason() {
        Some(why) => Err(SceneError::new(format!("steps[{step}]"), Problem::Stopped { why })),
        None => Ok(()),
    }
}

/// A run between two steps.
struct Run<'a> {
    device: &'a Device,
    /// Stops everything.
    token: &'a CancelToken,
    open: Option<OpenPass<'a>>,
    /// What each query has counted.
    queries: BTreeMap<&'a str, Statistics>,
    /// What all draws did.
    total: Statistics,
    watch: Option<Watch<'a>>,
}

/// A pass that may get more draws.
struct OpenPass<'a> {
    pass: Pass<'a>,
    /// The step of the first draw.
    first: usize,
    draws: Vec<&'a Draw<'a>>,
}

impl<'a> Run<'a> {
    fn new(device: &'a Device, token: &'a CancelToken, watch: Option<Watch<'a>>) -> Self {
        Self { device, token, open: None, queries: BTreeMap::new(), total: Statistics::default(), watch }
    }

    /// Does all steps.
    fn steps(mut self, actions: &'a [Action<'a>], steps: &[Step]) -> Result<Self, SceneError> {
        for ((n, action), step) in actions.iter().enumerate().zip(steps) {
            go_on(self.token, n)?;
            self.watched_step(n, action, step)?;
        }
        self.finish_pass()?;
        Ok(self)
    }

    /// Does a step, and notes what one that is no draw did to the watched pixel.
    fn watched_step(&mut self, n: usize, action: &'a Action<'a>, step: &Step) -> Result<(), SceneError> {
        if matches!(action, Action::Draw(_)) || self.watch.is_none() {
            return self.step(n, action);
        }
        // Draws that wait come before it.
        self.finish_pass()?;
        let before = self.watch.as_ref().map(Watch::texels).transpose()?;
        self.step(n, action)?;
        match (&mut self.watch, before) {
            (Some(watch), Some(before)) => watch.did(n, step, &before),
            _ => Ok(()),
        }
    }

    fn step(&mut self, n: usize, action: &'a Action<'a>) -> Result<(), SceneError> {
        let Action::Draw(draw) = action else {
            self.finish_pass()?;
            let token = self.token;
            let stop = || token.is_cancelled();
            let stopped = |error| Problem::of_memory(error, token);
            let done = match action {
                Action::Clear(clears) => {
                    clears.iter().try_for_each(|(view, value)| view.clear_until(*value, &stop)).map_err(stopped)
                }
                Action::Fill { buffer, word } => {
                    buffer.fill_until(0..buffer.size_bytes(), &word.to_le_bytes(), &stop).map_err(stopped)
                }
                Action::Copy { from, to } => from.copy_until(0..from.size_bytes(), to, 0, &stop).map_err(stopped),
                Action::CopyLevels { from, to, levels } => {
                    let mut levels = levels.iter();
                    levels.try_for_each(|[part, at]| from.copy_box_until(part, to, at, &stop)).map_err(stopped)
                }
                Action::GenerateMips { view } => view.generate_mips_until(&stop).map_err(stopped),
                Action::Dispatch { shader, bindings, dispatch } => {
                    let dispatch = dispatch.clone().cancel(self.token.clone());
                    self.device.dispatch(shader, bindings, &dispatch).map(drop).map_err(Problem::from)
                }
                Action::Draw(_) => Ok(()),
            };
            return done.map_err(|problem| SceneError::new(format!("steps[{n}]"), problem));
        };
        let goes_on = self.open.as_ref().is_some_and(|open| open.takes(draw));
        if !goes_on {
            self.finish_pass()?;
        }
        let failed = |error| SceneError::new(format!("steps[{n}]"), draw.problem(error));
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let pass = Pass::new(self.device, draw.targets.clone()).map_err(failed)?;
                let mut pass = pass.with_limits(&Dispatch::new([0; 3]).cancel(self.token.clone()));
                if let Some(pixel) = self.watch.as_ref().and_then(|watch| watch.of_draw(draw)) {
                    pass.watch(pixel).map_err(failed)?;
                }
                none.insert(OpenPass { pass, first: n, draws: Vec::new() })
            }
        };
        draw.add_to(&mut open.pass).map_err(failed)?;
        open.draws.push(draw);
        if let (Some(watch), Some(history)) = (&mut self.watch, open.pass.histories().last()) {
            watch.drew(n, draw, history.clone());
        }
        Ok(())
    }

    /// Draws what waits.
    fn finish_pass(&mut self) -> Result<(), SceneError> {
        let Some(OpenPass { pass, first, draws }) = self.open.take() else { return Ok(()) };
        let statistics = pass.finish().map_err(|error| {
            let n = error.draw().unwrap_or(0);
            let problem = match draws.get(n) {
                Some(draw) => draw.problem(error),
                None => error.into(),
            };
            SceneError::new(format!("steps[{}]", first + n), problem)
        })?;
        for (draw, statistics) in draws.into_iter().zip(statistics) {
            self.total += statistics;
            if let Some(query) = &draw.step.query {
                *self.queries.entry(&query.name).or_default() += statistics;
            }
        }
        Ok(())
    }
}

impl OpenPass<'_> {
    /// Whether a draw may join those before it: what they write and read through registers must not change meanwhile.
    fn takes(&self, draw: &Draw<'_>) -> bool {
        self.draws
            .last()
            .is_some_and(|last| last.shares_targets(draw) && !last.writes_memory() && !draw.writes_memory())
    }
}
