//! Runs a dispatch on the interpreter, group by group, and checks it (`ir/src/insight/`).

use std::collections::BTreeMap;
use std::sync::Arc;

use brolga_fenv::in_default_mode;
use brolga_ir::function::Origin;
use brolga_ir::host::FaultKind;
use brolga_ir::insight::{self, AccessKind, CheckOptions, CheckSummary, Checker, FindingKind, Place, Subject};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::span::Span;

use super::super::bound::BoundShader;
use super::super::fault::{Outcome, error_of, fault_in, position};
use super::super::run::Begun;
use super::Postbox;
use crate::bindings::Declared;
use crate::dispatch::Dispatch;
use crate::engine::Frame;
use crate::error::{Error, Limit};
use crate::host::{BoundViews, Reach};
use crate::shader::{Shader, SourceLocation, at_most};

/// What a checked run found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Checked {
    /// The findings, in the order in which they first occurred.
    pub findings: Vec<Finding>,
    /// What was run.
    pub summary: CheckSummary,
}

/// A finding: its first occurrence, and how many there were.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// What was accessed; nothing by a barrier.
    pub subject: Option<Subject>,
    /// The accesses, in the order in which they happened: two of a race, else one. Of a barrier the first and the last
    /// thread that go to it, then the first and the last that do not.
    pub parties: Vec<Party>,
    /// The place.
    pub place: Place,
    /// Elements of what was accessed, or bytes if its place is a byte.
    pub extent: u64,
    /// Words of the access that are inside, and those that are not.
    pub words: [u32; 2],
    /// `true` for a race between groups.
    pub between_groups: bool,
    /// The instruction that used what was read, if only that made it a finding; the barrier.
    pub other: Option<Arc<SourceLocation>>,
    /// Occurrences: for races pairs of accesses.
    pub count: u64,
}

/// A thread that takes part in a finding.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Party {
    /// The kind of access.
    pub access: AccessKind,
    /// The instruction.
    pub location: Arc<SourceLocation>,
    /// The thread's group.
    pub group: [u32; 3],
    /// Its position in the group.
    pub thread: [u32; 3],
    /// Its number in the group.
    pub index: u32,
}

impl BoundShader {
    /// Runs it over thread groups as [`dispatch`](Self::dispatch) does, but in order on the calling thread, and checks what
    /// it does. That takes some hundred times as long. Results are those of a dispatch on one thread.
    ///
    /// A group whose threads diverge at a barrier ends the run, which is a finding here.
    ///
    /// # Errors
    /// As [`dispatch`](Self::dispatch).
    pub fn check(&self, what: &Dispatch, options: &CheckOptions) -> Result<Checked, Error> {
        let (shader, runner) = (self.shader(), self.runner());
        shader.check_groups()?;
        let begun = Begun::new(runner, what)?;
        let (function, own_locals) = shader.observed()?;
        let declared = Declared::of(&function);
        for range in &declared {
            at_most(Limit::RangeRegisters, range.table_len, runner.limits.range_registers)?;
        }
        let interpreter = Interpreter::new(&function);
        at_most(Limit::ArenaBytes, interpreter.arena_bytes() as u64, runner.limits.arena_bytes)?;
        let run = || {
            let views =
                BoundViews::new(&declared, &function.interface.sampled, self.bindings().into(), &runner.limits)?;
            let mut frame = Frame::new(&views, runner.guard_pages)?;
            let frame = frame.begin(&views, &runner.copies);
            let (stop, postbox) = (begun.watch.stop(), Postbox::new(what.messages.as_ref(), shader, 0));
            let reach = Reach::new(&views, frame.constants(), frame.copies(), stop, &postbox);
            let (mut arena, mut checker) = (Arena::new(), Checker::new(&function, own_locals, options.clone()));
            let grid = begun.grid;
            for start in 0..grid.count() {
                let span = Span { grid, start, groups: 1 };
                let mut fuel = what.fuel.unwrap_or(u64::MAX);
                checker.begin(&span, false);
                let result = interpreter.run_observed(&reach, &span, &mut [], &mut arena, &mut fuel, &mut checker);
                checker.end();
                match result {
                    Ok(()) => what.progress.set(start + 1),
                    Err(fault) if matches!(fault.kind, FaultKind::DivergentBarrier { .. }) => break,
                    Err(fault) => {
                        let outcome = Outcome { groups_done: start, failure: Some(fault_in(&span, fault)) };
                        return Err(error_of(shader, what.fuel, stop, outcome, grid.count()));
                    }
                }
            }
            let mut locations = Locations { shader, found: BTreeMap::new() };
            let findings = checker.findings().iter().map(|finding| locations.resolve(finding)).collect();
            Ok(Checked { findings, summary: checker.summary() })
        };
        let result = in_default_mode(run);
        if let Some(log) = &what.messages {
            log.end_run();
        }
        result
    }
}

/// Instructions by their origins.
struct Locations<'a> {
    shader: &'a Shader,
    found: BTreeMap<u32, Arc<SourceLocation>>,
}

impl Locations<'_> {
    fn of(&mut self, origin: Origin) -> Arc<SourceLocation> {
        Arc::clone(self.found.entry(origin.0).or_insert_with(|| Arc::new(self.shader.location(origin))))
    }

    fn resolve(&mut self, finding: &insight::Finding) -> Finding {
        let party = |party: &insight::Party| Party {
            access: party.access,
            location: self.of(party.origin),
            group: party.group,
            thread: position(self.shader, party.thread),
            index: party.thread,
        };
        Finding {
            kind: finding.kind,
            subject: finding.subject,
            parties: finding.parties.iter().map(party).collect(),
            place: finding.place,
            extent: finding.extent,
            words: finding.words,
            between_groups: finding.between_groups,
            other: finding.other.map(|origin| self.of(origin)),
            count: finding.count,
        }
    }
}
