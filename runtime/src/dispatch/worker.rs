//! Runs groups on the caller's own thread, for callers with their own threads and order, such as a rasterizer.
//!
//! A [`Worker`] holds the resources of a thread, a [`Session`] the state common to all groups of one dispatch. Besides
//! running groups, a call of [`Session::run`] only sets the float mode and points the context to the bindings. Batches
//! of invocations, for vertex and pixel shaders, run through another method (`batch.rs`).

use std::ops::Range;
use std::sync::Arc;

use brolga_ir::span::{Grid, Packing, Span};

use super::fault::{Failure, Outcome, error_of, fault_in};
use super::insight::Postbox;
use super::resolved::Resolved;
use super::run::{Begun, Kit};
use super::{Dispatch, Runner};
use crate::engine::{Code, Link, RunFrame, Seat, float_guard};
use crate::error::Error;
use crate::shader::Shader;

/// One thread's part of a [`BoundShader`](crate::BoundShader): its arena, its context, its copies of constant buffers.
/// It may move between threads.
///
/// ```no_run
/// # use brolga_runtime::{BoundShader, Dispatch, Error};
/// # fn work(bound: &BoundShader, next: impl Fn() -> Option<u64>) -> Result<(), Error> {
/// let dispatch = Dispatch::new([64, 64, 1]);
/// let mut worker = bound.worker()?;
/// let mut session = worker.begin(&dispatch)?;
/// while let Some(row) = next() {
///     session.run(row * 64..(row + 1) * 64)?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Worker<'a> {
    runner: &'a Runner,
    shader: &'a Shader,
    resolved: &'a Resolved,
    /// Returned to the bound shader on drop.
    kit: Option<Kit>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(runner: &'a Runner, shader: &'a Shader, resolved: &'a Resolved) -> Result<Self, Error> {
        Ok(Self { runner, shader, resolved, kit: Some(resolved.take(runner)?) })
    }

    /// Begins to run groups of a dispatch: reads the constant buffers, and makes the code if there is none yet. The
    /// time limit starts now. Other workers may run other groups of the same dispatch. Its progress is not reported.
    ///
    /// # Errors
    /// As for a dispatch, before any group runs.
    pub fn begin<'w>(&'w mut self, what: &'w Dispatch) -> Result<Session<'w>, Error> {
        let Self { runner, shader, resolved, ref mut kit } = *self;
        let begun = Begun::new(runner, what)?;
        let (code, _) = resolved.code(shader, begun.grid, begun.watch.stop())?;
        let Kit { frame, seat } = kit.as_mut().expect("it is there until the worker drops");
        let frame = frame.begin(resolved.views(), &runner.copies);
        let seat = Seat::fit(seat, code, &runner.workspaces)?;
        let outline = shader.outline();
        let (threads, lanes) = (outline.threads_per_group(), outline.width.lanes());
        Ok(Session {
            shader,
            resolved,
            begun,
            fuel: what.fuel,
            code,
            frame,
            seat,
            most_groups: code.packing().most_groups(threads, lanes).into(),
            quantum: code.packing().quantum(threads, lanes).into(),
        })
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(kit) = self.kit.take() {
            self.resolved.put_back(kit, self.runner);
        }
    }
}

/// A worker that runs groups of one dispatch.
#[derive(Debug)]
pub struct Session<'w> {
    pub(super) shader: &'w Shader,
    pub(super) resolved: &'w Resolved,
    pub(super) begun: Begun<'w>,
    pub(super) fuel: Option<u64>,
    pub(super) code: &'w Arc<Code>,
    pub(super) frame: RunFrame<'w>,
    pub(super) seat: &'w mut Seat,
    /// The most groups that run together.
    most_groups: u64,
    quantum: u64,
}

impl<'w> Session<'w> {
    /// Number of groups that fill packets, which small groups share. Ranges that begin and end at multiples of it, or
    /// at row ends, run in the same packets as in a dispatch, and leave the fewest lanes idle.
    pub fn quantum(&self) -> u64 {
        self.quantum
    }

    /// Runs some of the dispatch's groups, counted along x first, in order.
    ///
    /// # Errors
    /// If there are no such groups, or one of them did not finish.
    #[inline]
    pub fn run(&mut self, groups: Range<u64>) -> Result<(), Error> {
        self.shader.check_groups()?;
        let count = self.begun.grid.count();
        if groups.start > groups.end || groups.end > count {
            return Err(Error::NoSuchGroups { groups, count });
        }
        self.frame.renew();
        let result = self.run_spans(groups.clone());
        self.frame.changed();
        result.map_err(|(groups_done, failure)| {
            // None of this runs in the shader's float mode.
            let outcome = Outcome { groups_done, failure: Some(failure) };
            let (stop, count) = (self.begun.watch.stop(), groups.end - groups.start);
            error_of(self.shader, self.fuel, stop, outcome, count)
        })
    }

    pub(super) fn postbox(&self) -> Postbox<'w> {
        Postbox::new(self.begun.what.messages.as_ref(), self.shader, 0)
    }

    /// The same for groups known to exist; an error comes with the number of those that finished.
    #[inline]
    fn run_spans(&mut self, groups: Range<u64>) -> Result<(), (u64, Failure)> {
        let grid = self.begun.grid;
        let postbox = self.postbox();
        let link = Link::new(self.code, self.resolved.views(), &self.frame, self.begun.watch.stop(), &postbox);
        let mode = float_guard(self.code);
        let mut running = self.seat.start(&link, &mode);
        let mut start = groups.start;
        while start < groups.end {
            let span = next_span(grid, self.code.packing(), self.most_groups, start..groups.end);
            let result = running.span(&span, self.fuel.unwrap_or(u64::MAX));
            result.map_err(|fault| (start - groups.start, fault_in(&span, fault)))?;
            start += u64::from(span.groups);
        }
        Ok(())
    }
}

/// The first of the spans that groups run in, of at most so many groups.
#[inline]
pub(super) fn next_span(grid: Grid, packing: Packing, most_groups: u64, groups: Range<u64>) -> Span {
    let (start, width) = (groups.start, u64::from(grid.groups[0]));
    // Most dispatches are one row, and a division can cost more than a packet does.
    let in_row = match packing {
        Packing::Row if start < width => width - start,
        Packing::Row => width - start % width,
        _ => u64::MAX,
    };
    let count = (groups.end - start).min(in_row).min(most_groups);
    Span { grid, start, groups: count as u32 }
}
