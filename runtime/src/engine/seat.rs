//! Holds the state of one thread while it works on a run: an arena, and the context record that compiled code uses.

#![allow(unsafe_code)]

use brolga_ir::batch::ArrayWords;
use brolga_ir::host::Fault;
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::span::Span;
use brolga_jit::{FloatGuard, FloatMode, Run};

use super::code::Code;
use super::link::Link;
use super::workspace::{Workspace, Workspaces};
use crate::error::Error;
use crate::host::Reach;

/// Seats with arenas larger than this are not kept for the next run.
const MOST_KEPT_BYTES: u64 = 1 << 20;

/// One thread's execution resources. It may serve successive runs, of any shader that it fits.
#[derive(Debug)]
pub(crate) enum Seat {
    Jit(Workspace),
    Interpreter(Box<Arena>),
}

impl Seat {
    /// A seat for this code.
    pub fn new(code: &Code, workspaces: &Workspaces) -> Result<Self, Error> {
        match code {
            Code::Interpreter(_) => Ok(Seat::Interpreter(Box::new(Arena::new()))),
            Code::Jit(compiled) => {
                let layout = compiled.arena_layout();
                debug_assert!(layout.align <= brolga_resource::ALIGNMENT, "arenas ask for a vector");
                Ok(Seat::Jit(workspaces.take(layout.size_bytes as u64)?))
            }
        }
    }

    /// Makes the given seat, if any, fit this code.
    pub fn fit<'s>(seat: &'s mut Option<Self>, code: &Code, workspaces: &Workspaces) -> Result<&'s mut Self, Error> {
        if !seat.as_ref().is_some_and(|seat| seat.fits(code)) {
            if let Some(other) = seat.take() {
                other.give_back(workspaces);
            }
            *seat = Some(Self::new(code, workspaces)?);
        }
        Ok(seat.as_mut().expect("set above"))
    }

    /// `true` if it fits this code.
    pub fn fits(&self, code: &Code) -> bool {
        match (self, code) {
            (Seat::Jit(workspace), Code::Jit(compiled)) => {
                workspace.arena_bytes() == compiled.arena_layout().size_bytes as u64
            }
            (Seat::Interpreter(_), Code::Interpreter(_)) => true,
            _ => false,
        }
    }

    /// `true` if it is small enough to be kept for reuse.
    pub fn is_small(&self) -> bool {
        matches!(self, Seat::Jit(workspace) if workspace.arena_bytes() <= MOST_KEPT_BYTES)
    }

    /// Returns its parts for others to use.
    pub fn give_back(self, workspaces: &Workspaces) {
        if let Seat::Jit(workspace) = self {
            workspaces.put_back(workspace);
        }
    }

    /// Prepares it to run groups, in the float mode that [`float_guard`] gave for the link's code. The seat fits the
    /// code.
    pub fn start<'a>(&'a mut self, link: &'a Link<'_>, mode: &'a FloatGuard) -> Running<'a> {
        match (self, link.code()) {
            (Seat::Interpreter(arena), Code::Interpreter(interpreter)) => {
                Running::Interpreter { interpreter, host: link.reach(), arena }
            }
            (Seat::Jit(workspace), Code::Jit(compiled)) => {
                assert_eq!(
                    workspace.arena_bytes(),
                    compiled.arena_layout().size_bytes as u64,
                    "the seat fits the code"
                );
                let bindings = link.bindings(workspace.arena_base());
                workspace.context.bind(bindings);
                // SAFETY: the context was bound just now for the link's shader, with tables that fit its declarations,
                // a host of the helpers' type, and an arena of its own as large as it requires; the link, which is
                // borrowed for as long as groups run, keeps the tables and the views. The code was compiled for this
                // processor's features.
                Running::Jit(unsafe { compiled.start(&mut workspace.context, mode) })
            }
            _ => unreachable!("the seat fits the code"),
        }
    }
}

/// Sets the float mode in which code runs. The interpreter's arithmetic assumes the default one.
pub(crate) fn float_guard(code: &Code) -> FloatGuard {
    FloatGuard::new(match code {
        Code::Interpreter(_) => FloatMode::Default,
        Code::Jit(compiled) => compiled.float_mode(),
    })
}

/// A seat that is running groups.
#[derive(Debug)]
pub(crate) enum Running<'a> {
    Jit(Run<'a>),
    Interpreter { interpreter: &'a Interpreter, host: &'a Reach<'a>, arena: &'a mut Arena },
}

impl Running<'_> {
    /// Runs a batch of invocations with the arrays that the code's function declares, with a budget of loop iterations.
    #[inline]
    pub fn batch(&mut self, invocations: u32, arrays: &mut [ArrayWords<'_>], mut fuel: u64) -> Result<(), Fault> {
        match self {
            Running::Jit(run) => run.batch(invocations, arrays, fuel),
            Running::Interpreter { interpreter, host, arena } => {
                interpreter.run_batch(*host, invocations, arrays, arena, &mut fuel)
            }
        }
    }

    /// Runs the groups of a span, with a budget of loop iterations for each.
    #[inline]
    pub fn span(&mut self, span: &Span, fuel: u64) -> Result<(), Fault> {
        let mut fuel = fuel.saturating_mul(span.groups.into());
        match self {
            Running::Jit(run) => run.span(span, fuel),
            Running::Interpreter { interpreter, host, arena } => interpreter.run_span(*host, span, arena, &mut fuel),
        }
    }
}
