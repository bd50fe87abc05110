//! Runs stages of a draw: batches of a vertex or pixel shader with its bindings, on any number of threads.
//!
//! A [`BoundShader`](crate::BoundShader) is made for many runs, each of whose threads has tables and copies of constant
//! buffers of its own. A [`StageRun`] is one run: its threads share them, and each has its own resources, for all
//! stages that it works on, in a [`StageSeat`].

use std::sync::Arc;

use brolga_ir::span::Grid;

use super::insight::CheckedStage;
use super::run::bind;
use super::{Dispatch, Runner};
use crate::bindings::Layers;
use crate::engine::{Code, Frame, Seat};
use crate::error::Error;
use crate::host::BoundViews;
use crate::shader::Shader;

/// Seats that a thread keeps, for shaders with arenas of other sizes.
const MOST_SEATS: usize = 8;

/// A vertex or pixel shader with its bindings, as they are in one draw: constant buffers have been read, and all other
/// memory is accessed in place. When it drops, the run is over.
#[derive(Debug)]
pub struct StageRun<'a> {
    runner: &'a Runner,
    pub(super) shader: &'a Shader,
    pub(super) what: &'a Dispatch,
    pub(super) draw: u32,
    pub(super) code: Arc<Code>,
    pub(super) views: BoundViews,
    pub(super) frame: Frame,
    pub(super) checked: Option<CheckedStage<'a>>,
}

/// The resources with which a thread runs batches, of one stage after the other.
#[derive(Debug)]
pub struct StageSeat<'a> {
    runner: &'a Runner,
    seats: Vec<Seat>,
}

/// A thread that runs batches of a stage.
#[derive(Debug)]
pub struct StageSession<'s> {
    pub(super) run: &'s StageRun<'s>,
    pub(super) seat: &'s mut Seat,
}

impl<'a> StageRun<'a> {
    pub(crate) fn new(
        runner: &'a Runner,
        shader: &'a Shader,
        layers: Layers<'_>,
        what: &'a Dispatch,
        draw: u32,
    ) -> Result<Self, Error> {
        let checked = what.check.as_ref().map(|log| CheckedStage::new(shader, runner, layers, log)).transpose()?;
        let observed = checked.as_ref().and_then(CheckedStage::shader);
        let views = match observed {
            Some(observed) => observed.bind(layers, runner)?,
            None => bind(shader, layers, runner)?,
        };
        // As for any number of batches: their packets are within rows.
        let packing = shader.packing(Grid { groups: what.groups, first: what.first_group });
        let formats = if observed.is_some() { Default::default() } else { views.texel_formats() };
        let code = shader.code_until(&shader.variant(packing, formats), what.cancel.word())?;
        let mut frame = Frame::new(&views, runner.guard_pages)?;
        frame.read(&views, &runner.copies);
        Ok(Self { runner, shader, what, draw, code, views, frame, checked })
    }

    /// The shader.
    pub fn shader(&self) -> &'a Shader {
        self.shader
    }

    /// Begins to run batches in a thread.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn session<'s>(&'s self, seat: &'s mut StageSeat<'_>) -> Result<StageSession<'s>, Error> {
        debug_assert!(std::ptr::eq(self.runner, seat.runner), "both are of one device");
        Ok(StageSession { run: self, seat: seat.fit(&self.code)? })
    }
}

impl Drop for StageRun<'_> {
    fn drop(&mut self) {
        if let Some(checked) = &self.checked {
            checked.end(self.shader, self.draw);
        }
        self.frame.end(&self.views);
    }
}

impl<'a> StageSeat<'a> {
    pub(crate) fn new(runner: &'a Runner) -> Self {
        Self { runner, seats: Vec::new() }
    }

    /// A seat for this code.
    fn fit(&mut self, code: &Code) -> Result<&mut Seat, Error> {
        let n = match self.seats.iter().position(|seat| seat.fits(code)) {
            Some(n) => n,
            None => {
                if self.seats.len() == MOST_SEATS {
                    self.seats.remove(0).give_back(&self.runner.workspaces);
                }
                self.seats.push(Seat::new(code, &self.runner.workspaces)?);
                self.seats.len() - 1
            }
        };
        Ok(&mut self.seats[n])
    }
}

impl Drop for StageSeat<'_> {
    fn drop(&mut self) {
        self.seats.drain(..).for_each(|seat| seat.give_back(&self.runner.workspaces));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_share_a_stage() {
        fn shared<T: Send + Sync>() {}
        fn sent<T: Send>() {}
        shared::<StageRun<'_>>();
        sent::<StageSeat<'_>>();
    }
}
