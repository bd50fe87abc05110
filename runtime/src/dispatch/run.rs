//! Runs a dispatch, from its beginning to its report.

use std::time::{Duration, Instant};

use brolga_fenv::in_default_mode;
use brolga_ir::span::Grid;

use super::fault::error_of;
use super::insight::Postbox;
use super::schedule::{self, Job};
use super::{Dispatch, Report, Runner, grid};
use crate::bindings::{Bindings, Layers};
use crate::engine::{Code, Frame, Link, Seat};
use crate::error::Error;
use crate::host::BoundViews;
use crate::shader::{Outline, Shader};
use crate::stop::Watch;

/// Work below this, in threads times instructions, is done before another thread wakes up.
const SMALL: u64 = 1 << 15;

/// Resources that one run uses and leaves for the next.
#[derive(Debug)]
pub(super) struct Kit {
    pub frame: Frame,
    pub seat: Option<Seat>,
}

/// A dispatch that has begun.
#[derive(Debug)]
pub(super) struct Begun<'a> {
    pub what: &'a Dispatch,
    pub grid: Grid,
    start: Instant,
    pub watch: Watch<'a, 'a>,
}

impl Kit {
    /// A kit for the bound views.
    pub fn new(views: &BoundViews, runner: &Runner) -> Result<Self, Error> {
        Ok(Self { frame: Frame::new(views, runner.guard_pages)?, seat: None })
    }

    /// Drops the parts that are too large to keep between runs.
    pub fn settle(&mut self, runner: &Runner) {
        if !self.seat.as_ref().is_some_and(Seat::is_small) {
            self.give_back(runner);
        }
    }

    /// Returns its seat's parts for others to use.
    pub fn give_back(&mut self, runner: &Runner) {
        if let Some(seat) = self.seat.take() {
            seat.give_back(&runner.workspaces);
        }
    }
}

impl<'a> Begun<'a> {
    /// Reads the clock, and checks the dispatch as far as that does not depend on the bindings.
    pub fn new(runner: &'a Runner, what: &'a Dispatch) -> Result<Self, Error> {
        let start = Instant::now();
        let grid = grid(what, &runner.limits)?;
        what.progress.begin();
        let watch = Watch::new(&what.cancel, &runner.timer, start, what.time_limit).map_err(Error::timer)?;
        Ok(Self { what, grid, start, watch })
    }
}

/// Checks bindings against a shader.
pub(super) fn bind(shader: &Shader, bindings: Layers<'_>, runner: &Runner) -> Result<BoundViews, Error> {
    let Outline { declared, sampled, .. } = shader.outline();
    BoundViews::new(declared, sampled, bindings, &runner.limits)
}

/// Binds a shader and runs it once, without building the state that a bound shader keeps for later.
pub(crate) fn once(runner: &Runner, shader: &Shader, bindings: &Bindings, what: &Dispatch) -> Result<Report, Error> {
    shader.check_groups()?;
    let begun = Begun::new(runner, what)?;
    let views = in_default_mode(|| bind(shader, bindings.into(), runner))?;
    let variant = shader.variant(shader.packing(begun.grid), views.texel_formats());
    let (made, mut compile) = (shader.usual_code().filter(|_| variant.is_usual()), Duration::ZERO);
    let other;
    let code = match made {
        Some(code) => code,
        None => {
            let start = Instant::now();
            let is_there = shader.has_code(&variant);
            other = shader.code_until(&variant, begun.watch.stop())?;
            if !is_there {
                compile = start.elapsed();
            }
            &other
        }
    };
    let mut kit = Kit::new(&views, runner)?;
    let result = run(shader, runner, &begun, &views, (code, compile), &mut kit);
    kit.give_back(runner);
    result
}

/// Runs a dispatch that has begun, with code that took this long to make.
pub(super) fn run(
    shader: &Shader,
    runner: &Runner,
    begun: &Begun<'_>,
    views: &BoundViews,
    (code, compile): (&Code, Duration),
    Kit { frame, seat }: &mut Kit,
) -> Result<Report, Error> {
    let Begun { what, grid, start, ref watch } = *begun;
    let (stop, outline) = (watch.stop(), shader.outline());
    let frame = frame.begin(views, &runner.copies);
    let seat = Seat::fit(seat, code, &runner.workspaces)?;
    let groups = grid.count();
    let threads_per_group = outline.threads_per_group();
    let job = Job {
        grid,
        threads_per_group,
        width: outline.width,
        fuel: what.fuel.unwrap_or(u64::MAX),
        progress: &what.progress,
        pace: shader.pace(),
        threads: threads_for(shader, runner, groups),
    };
    let postbox = Postbox::new(what.messages.as_ref(), shader, 0);
    let (outcome, workers) = schedule::run(&Link::new(code, views, &frame, stop, &postbox), runner, seat, job);
    drop(frame);
    if let Some(log) = &what.messages {
        log.end_run();
    }
    if outcome.groups_done < groups {
        return Err(error_of(shader, what.fuel, stop, outcome, groups));
    }
    let threads_run = groups * u64::from(threads_per_group);
    Ok(Report { groups, threads: threads_run, workers, elapsed: start.elapsed(), compile })
}

/// Threads that may be worth having: the caller's alone for small dispatches.
fn threads_for(shader: &Shader, runner: &Runner, groups: u64) -> usize {
    let outline = shader.outline();
    let work = groups.saturating_mul(outline.threads_per_group().into()).saturating_mul(outline.inst_count() as u64);
    let most = if work < SMALL { 1 } else { groups.max(1) };
    runner.pool.threads().min(usize::try_from(most).unwrap_or(usize::MAX))
}
