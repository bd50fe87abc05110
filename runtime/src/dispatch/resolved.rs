//! What is known of a shader and its bindings ahead of a dispatch: the views, the formats that select code, the code, and
//! what earlier runs left to be used again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use brolga_ir::span::{Grid, Packing};

use super::fault::error_of;
use super::schedule::{self, Job};
use super::{Dispatch, Report, Runner, grid};
use crate::bindings::{Bindings, Register};
use crate::engine::{Code, Frame, Link, Seat, Variant};
use crate::error::Error;
use crate::host::{BoundViews, Change, TexelFormats};
use crate::resource::View;
use crate::shader::{Outline, Shader};
use crate::stop::{StopWord, Watch};

/// What runs that are over leave for later ones at most, as many as there are threads that dispatch at once.
const MOST_KEPT: usize = 64;

/// Work below this, in threads times instructions, is done sooner than another thread wakes up.
const SMALL: u64 = 1 << 15;

/// What is known ahead of a dispatch.
#[derive(Debug)]
pub(super) struct Resolved {
    views: BoundViews,
    formats: TexelFormats,
    /// For packets that lie in rows, and for those that lie over their ends.
    codes: [OnceLock<Arc<Code>>; 2],
    kept: Mutex<Vec<Kit>>,
}

/// What one run uses and leaves.
#[derive(Debug)]
struct Kit {
    frame: Frame,
    seat: Option<Seat>,
}

/// A dispatch that has begun.
#[derive(Debug)]
pub(super) struct Begun<'a> {
    what: &'a Dispatch,
    pub grid: Grid,
    start: Instant,
    pub watch: Watch<'a>,
}

impl<'a> Begun<'a> {
    /// Looks at the clock, and at what can be wrong with a dispatch whatever is bound.
    pub fn new(runner: &'a Runner, what: &'a Dispatch) -> Result<Self, Error> {
        let start = Instant::now();
        let grid = grid(what, &runner.limits)?;
        what.progress.begin();
        let watch = Watch::new(&what.cancel, &runner.timer, start, what.time_limit).map_err(Error::timer)?;
        Ok(Self { what, grid, start, watch })
    }
}

impl Resolved {
    /// Holds bindings against a shader.
    pub fn new(shader: &Shader, bindings: &Bindings, runner: &Runner) -> Result<Self, Error> {
        let Outline { declared, sampled, .. } = shader.outline();
        let views = BoundViews::new(declared, sampled, bindings, &runner.limits)?;
        let formats = views.texel_formats();
        Ok(Self { views, formats, codes: Default::default(), kept: Mutex::default() })
    }

    /// What is bound.
    pub fn views(&self) -> &BoundViews {
        &self.views
    }

    /// Binds another view to a register. The bindings are those before. Whatever is wrong, nothing changes.
    pub fn set(
        &mut self,
        shader: &Shader,
        bindings: &Bindings,
        runner: &Runner,
        register: Register,
        view: &View,
    ) -> Result<(), Error> {
        let declared = &shader.outline().declared;
        match self.views.change(declared, bindings, &runner.limits, register, view)? {
            Some(change) => self.apply(change),
            None => {
                // A range without an end has more registers now.
                let mut bindings = bindings.clone();
                bindings.set(register, view.clone());
                let new = Self::new(shader, &bindings, runner)?;
                let codes = if new.formats == self.formats { std::mem::take(&mut self.codes) } else { new.codes };
                *self = Self { codes, ..new };
            }
        }
        Ok(())
    }

    /// Binds nothing to a register.
    pub fn remove(&mut self, shader: &Shader, bindings: &Bindings, register: Register) -> Result<(), Error> {
        let change = self.views.removal(&shader.outline().declared, bindings, register)?;
        self.apply(change);
        Ok(())
    }

    fn apply(&mut self, change: Change) {
        let kept = self.kept.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.views.apply(change, |index, bound| {
            // A frame for which there is no memory is made anew when it is needed.
            kept.retain_mut(|kit| kit.frame.rebind(index, bound).is_ok());
        });
        let formats = self.views.texel_formats();
        if formats != self.formats {
            self.formats = formats;
            self.codes = Default::default();
        }
    }

    /// The code for a dispatch, and how long it took to make if nobody had.
    pub fn code(&self, shader: &Shader, grid: Grid, stop: &StopWord) -> Result<(&Arc<Code>, Duration), Error> {
        self.code_by(shader, grid, |shader, variant| shader.code_until(variant, stop))
    }

    /// The same, made in the caller's thread.
    pub fn code_here(&self, shader: &Shader, grid: Grid) -> Result<(), Error> {
        self.code_by(shader, grid, Shader::code_here).map(|_| ())
    }

    fn code_by(
        &self,
        shader: &Shader,
        grid: Grid,
        make: impl FnOnce(&Shader, &Variant) -> Result<Arc<Code>, Error>,
    ) -> Result<(&Arc<Code>, Duration), Error> {
        let packing = shader.packing(grid);
        let slot = &self.codes[usize::from(packing == Packing::Grid)];
        if let Some(code) = slot.get() {
            return Ok((code, Duration::ZERO));
        }
        let start = Instant::now();
        let code = make(shader, &shader.variant(packing, &self.formats))?;
        // If another thread was faster it found the same.
        Ok((slot.get_or_init(|| code), start.elapsed()))
    }

    /// What a run needs, and perhaps a seat.
    pub fn take(&self, runner: &Runner) -> Result<(Frame, Option<Seat>), Error> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept {
            Some(Kit { frame, seat }) => Ok((frame, seat)),
            None => Ok((self.frame(runner)?, None)),
        }
    }

    /// A new frame.
    pub fn frame(&self, runner: &Runner) -> Result<Frame, Error> {
        Frame::new(&self.views, runner.guard_pages)
    }

    /// Keeps what a run that is over leaves.
    pub fn put_back(&self, frame: Frame, seat: Option<Seat>, runner: &Runner) {
        let seat = seat.and_then(|seat| {
            if seat.is_small() {
                return Some(seat);
            }
            seat.give_back(&runner.workspaces);
            None
        });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MOST_KEPT {
            kept.push(Kit { frame, seat });
        }
    }

    /// What it leaves goes to others.
    pub fn leave(self, runner: &Runner) {
        let kept = self.kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        for seat in kept.into_iter().filter_map(|kit| kit.seat) {
            seat.give_back(&runner.workspaces);
        }
    }

    /// Runs a dispatch that has begun.
    pub fn run(&self, shader: &Shader, runner: &Runner, begun: &Begun<'_>) -> Result<Report, Error> {
        shader.check_groups()?;
        let Begun { what, grid, start, ref watch } = *begun;
        let (stop, outline) = (watch.stop(), shader.outline());
        let (code, compile) = self.code(shader, grid, stop)?;
        let (frame, seat) = self.take(runner)?;
        frame.read_constants(&self.views);
        let mut seat = Seat::fitting(seat, code, &runner.workspaces)?;
        let groups = grid.count();
        let threads_per_group = outline.threads_per_group();
        let threads = threads_for(runner, outline, groups);
        let job = Job {
            grid,
            threads_per_group,
            width: outline.width,
            fuel: what.fuel.unwrap_or(u64::MAX),
            progress: &what.progress,
        };
        let outcome = schedule::run(&Link::new(code, &self.views, &frame, stop), runner, threads, &mut seat, job);
        self.put_back(frame, Some(seat), runner);
        if outcome.groups_done < groups {
            return Err(error_of(shader, what.fuel, stop, outcome, groups));
        }
        let threads_run = groups * u64::from(threads_per_group);
        Ok(Report { groups, threads: threads_run, workers: threads, elapsed: start.elapsed(), compile })
    }
}

/// Threads worth having: the caller's alone for small dispatches.
fn threads_for(runner: &Runner, outline: &Outline, groups: u64) -> usize {
    let work = groups.saturating_mul(outline.threads_per_group().into()).saturating_mul(outline.inst_count() as u64);
    let most = if work < SMALL { 1 } else { groups.max(1) };
    runner.pool.threads().min(usize::try_from(most).unwrap_or(usize::MAX))
}
