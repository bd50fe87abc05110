//! Runs dispatches and stages of draws on the interpreter, and checks them (`ir/src/insight/`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use brolga_fenv::in_default_mode;
use brolga_ir::batch::ArrayWords;
use brolga_ir::function::{Element, Origin};
use brolga_ir::host::{Fault, FaultKind};
use brolga_ir::insight::{
    self, AccessKind, CheckOptions, CheckState, CheckSummary, CheckedFunction, FindingKind, Place, Subject,
};
use brolga_ir::interp::{Arena, Interpreter};
use brolga_ir::message::Sender;
use brolga_ir::span::{Packing, Span};
use brolga_ir::stage::Stage;
use brolga_ir::stages::StageKind;

use super::super::bound::BoundShader;
use super::super::fault::{Outcome, error_of, fault_in};
use super::super::run::Begun;
use super::Postbox;
use super::probed::{Failed, ProbedShader};
use crate::bindings::{Declared, Layers, Register};
use crate::dispatch::{Dispatch, Runner};
use crate::engine::Frame;
use crate::error::{Error, Limit, internal};
use crate::host::{BoundViews, Reach};
use crate::shader::{Shader, SourceLocation, at_most};

/// Bytes of a shadow that stand for a word whose accesses the interpreter remembers, which takes about as many.
const SHADOW_BYTES: u64 = 150;

/// What a checked run found.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// What the source calls that, if the shader's file says so.
    pub name: Option<String>,
    /// The accesses, in the order in which they happened: two of a race, else one. Of a barrier the first and the last
    /// thread that go to it, then the first and the last that do not.
    pub parties: Vec<Party>,
    /// The place.
    pub place: Place,
    /// Elements of what was accessed, or bytes if its place is a byte.
    pub extent: u64,
    /// Words of the access that are inside, and those that are not.
    pub words: [u32; 2],
    /// `true` for a race between groups, or between invocations.
    pub between_groups: bool,
    /// `true` for a race of accesses whose threads compute one address and meet all the same, as in
    /// `count[key] = count[key] + 1`: a barrier would not help.
    pub at_one_address: bool,
    /// The stage.
    pub stage: StageKind,
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
    /// The thread, or the invocation.
    pub sender: Sender,
    /// The number of a thread in its group.
    pub index: u32,
}

impl Party {
    /// The group of a dispatch and the thread's position in it; zeros for an invocation of a draw.
    pub fn position(&self) -> ([u32; 3], [u32; 3]) {
        match self.sender {
            Sender::Thread { group, thread } => (group, thread),
            _ => ([0; 3], [0; 3]),
        }
    }
}

/// What the stages of a run found: a log for [`Dispatch::check`]. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct CheckLog {
    /// What is checked.
    pub options: CheckOptions,
    runs: Arc<Mutex<Vec<CheckedRun>>>,
}

/// What a dispatch found, or a stage of a draw.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckedRun {
    /// The stage.
    pub stage: StageKind,
    /// The number of the draw in its pass; 0 for a dispatch.
    pub draw: u32,
    /// What was found.
    pub checked: Checked,
}

impl CheckLog {
    /// An empty one.
    pub fn new(options: CheckOptions) -> Self {
        Self { options, ..Self::default() }
    }

    pub(super) fn push(&self, run: CheckedRun) {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push(run);
    }

    /// Takes out what was found so far, in the order of the runs; of a draw stage by stage.
    pub fn take(&self) -> Vec<CheckedRun> {
        std::mem::take(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A shader whose runs are checked.
pub(in super::super) struct CheckedShader {
    function: CheckedFunction,
    interpreter: Interpreter,
    declared: Vec<Declared>,
    state: Mutex<CheckState>,
}

impl CheckedShader {
    pub fn new(shader: &Shader, runner: &Runner, options: &CheckOptions) -> Result<Self, Error> {
        let (function, own_locals) = shader.observed()?;
        let declared = Declared::to_check(&function, &shader.outline().declared);
        for range in &declared {
            at_most(Limit::RangeRegisters, range.table_len, runner.limits.range_registers)?;
        }
        // Invocations of a batch share packets.
        let packing =
            if matches!(function.interface.stage, Stage::Compute { .. }) { Packing::Group } else { Packing::Row };
        let interpreter = Interpreter::with_packing(&function, packing);
        at_most(Limit::ArenaBytes, interpreter.arena_bytes() as u64, runner.limits.arena_bytes)?;
        let function = CheckedFunction::new(function, own_locals, options.clone());
        Ok(Self { function, interpreter, declared, state: Mutex::default() })
    }

    /// Its views of bindings.
    pub fn bind(&self, layers: Layers<'_>, runner: &Runner) -> Result<BoundViews, Error> {
        BoundViews::new(&self.declared, &self.function.function().interface.sampled, layers, &runner.limits)
    }

    /// `true` if no batch of a draw can do anything wrong with these bindings.
    pub fn has_nothing_to_find(&self, layers: Layers<'_>) -> bool {
        let function = self.function.function();
        self.function.has_nothing_to_find(|texture| match texture.element {
            Element::Fixed(element) => {
                let declared = function.interface.resource(texture.id);
                let register = Register::new(declared.class, declared.lower.saturating_add(element));
                layers.get(register.in_space(declared.space)).is_some()
            }
            Element::Computed(_) => false,
        })
    }

    /// Runs a batch of invocations.
    pub fn batch(
        &self,
        reach: &Reach<'_>,
        invocations: u32,
        arrays: &mut [ArrayWords<'_>],
        mut fuel: u64,
    ) -> Result<(), Fault> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut arena, mut checker) = (Arena::new(), self.function.checker(&mut state));
        let function = self.function.function();
        let spans = Span::batch(invocations, function.width.lanes(), function.interface.fills_packets);
        for span in spans {
            checker.begin_batch(&span, invocations, arrays);
            self.interpreter.run_observed(reach, &span, arrays, &mut arena, &mut fuel, &mut checker)?;
            checker.end();
        }
        Ok(())
    }

    /// What was found so far.
    pub fn checked(&self, shader: &Shader) -> Checked {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut locations = Locations { shader, found: BTreeMap::new() };
        let findings = state.findings().iter().map(|finding| locations.resolve(finding)).collect();
        Checked { findings, summary: state.summary() }
    }
}

impl fmt::Debug for CheckedShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedShader").finish_non_exhaustive()
    }
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
        let (checked, result) = self.check_until(what, options)?;
        result.map(|()| checked)
    }

    /// The same, with what is found in a log, also if the run is stopped.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_into(&self, what: &Dispatch, log: &CheckLog) -> Result<(), Error> {
        let (checked, result) = self.check_until(what, &log.options)?;
        log.push(CheckedRun { stage: self.shader().stage().kind(), draw: 0, checked });
        result
    }

    /// Checks a run, and says how it ended.
    fn check_until(&self, what: &Dispatch, options: &CheckOptions) -> Result<(Checked, Result<(), Error>), Error> {
        self.shader().check_groups()?;
        let begun = Begun::new(self.runner(), what)?;
        let run = || in_default_mode(|| self.check_begun(&begun, options));
        let mut checked = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(internal(&*panic)));
        if let (Ok((checked, _)), Some(group)) = (&mut checked, options.group) {
            checked.summary.lacks_group = begun.grid.number(group).is_none();
        }
        if let Some(log) = &what.messages {
            log.end_run();
        }
        checked
    }

    fn check_begun(&self, begun: &Begun<'_>, options: &CheckOptions) -> Result<(Checked, Result<(), Error>), Error> {
        let (shader, runner, groups) = (self.shader(), self.runner(), begun.grid.count());
        let most_bytes = (options.shadow_words as u64).saturating_mul(SHADOW_BYTES);
        // Strict rules are about more than probes see.
        let probed = match options.is_strict {
            true => None,
            false => ProbedShader::new(self, begun, options.needs_shadow(), most_bytes)?,
        };
        let Some(mut probed) = probed else {
            let checked = CheckedShader::new(shader, runner, options)?;
            let result = self.run_checked(&checked, begun, 0..groups, None, |_| Ok(()));
            return Ok((checked.checked(shader), result));
        };
        let (suspects, failed) = probed.suspects(begun)?;
        let (mut chosen, alike) = suspects.chosen();
        if !chosen.is_empty() {
            chosen.extend(options.group.and_then(|group| begun.grid.number(group)));
        }
        let mut checked = Checked::default();
        checked.summary.watched_words = probed.watched_words();
        let mut result = Ok(());
        if !chosen.is_empty() && !begun.watch.stop().is_set() {
            let looked_at = CheckedShader::new(shader, runner, options)?;
            // Groups after one that failed have not run.
            let end = failed.map_or(groups, |(span, _)| span.start + u64::from(span.groups));
            result = if probed.needs_first_content() {
                probed.restore(begun);
                let others = |groups: Range<u64>| match probed.run(begun, &suspects, groups, |_| {})? {
                    None => Ok(()),
                    Some(failed) => Err(self.failure(begun, failed)),
                };
                self.run_checked(&looked_at, begun, 0..end, Some(&chosen), others)
            } else {
                probed.save(begun)?;
                let result = self.run_checked(&looked_at, begun, 0..end, Some(&chosen), |_| Ok(()));
                probed.restore(begun);
                result
            };
            checked = looked_at.checked(shader);
        }
        (checked.summary.groups, checked.summary.alike) = (groups, alike);
        if let (Ok(()), Some((span, fault))) = (&result, failed)
            && !matches!(fault.kind, FaultKind::DivergentBarrier { .. })
        {
            result = Err(self.failure(begun, (span, fault)));
        }
        Ok((checked, result))
    }

    /// The error of a span that failed.
    fn failure(&self, begun: &Begun<'_>, (span, fault): Failed) -> Error {
        let outcome = Outcome { groups_done: span.start, failure: Some(fault_in(&span, fault)) };
        error_of(self.shader(), begun.what.fuel, begun.watch.stop(), outcome, begun.grid.count())
    }

    /// Runs groups in order: those that are chosen, by default all, on the interpreter, with checks, and the others as the
    /// caller does.
    fn run_checked(
        &self,
        checked: &CheckedShader,
        begun: &Begun<'_>,
        groups: Range<u64>,
        chosen: Option<&BTreeSet<u64>>,
        mut others: impl FnMut(Range<u64>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (shader, runner, what, grid) = (self.shader(), self.runner(), begun.what, begun.grid);
        let views = checked.bind(self.bindings().into(), runner)?;
        let mut frame = Frame::new(&views, runner.guard_pages)?;
        let frame = frame.begin(&views, &runner.copies);
        let (stop, postbox) = (begun.watch.stop(), Postbox::new(what.messages.as_ref(), shader, 0));
        let reach = Reach::new(&views, frame.constants(), frame.copies(), stop, &postbox);
        let mut state = checked.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut arena, mut checker) = (Arena::new(), checked.function.checker(&mut state));
        let mut start = groups.start;
        while start < groups.end {
            let next = |chosen: &BTreeSet<u64>| chosen.range(start..groups.end).next().copied();
            let next = chosen.map_or(start, |chosen| next(chosen).unwrap_or(groups.end));
            if next > start {
                others(start..next)?;
                start = next;
                continue;
            }
            let span = Span { grid, start, groups: 1 };
            let mut fuel = what.fuel.unwrap_or(u64::MAX);
            checker.begin(&span);
            let result = checked.interpreter.run_observed(&reach, &span, &mut [], &mut arena, &mut fuel, &mut checker);
            checker.end();
            match result {
                Ok(()) => what.progress.raise(start + 1),
                Err(fault) if matches!(fault.kind, FaultKind::DivergentBarrier { .. }) => break,
                Err(fault) => return Err(self.failure(begun, (span, fault))),
            }
            start += 1;
        }
        Ok(())
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

    fn name(&self, subject: Subject) -> Option<String> {
        let module = self.shader.module();
        match subject {
            Subject::Shared(number) => module.name_of_shared(number),
            Subject::View { class, space, register } => module.name_of(Register::new(class, register).in_space(space)),
            _ => None,
        }
    }

    fn resolve(&mut self, finding: &insight::Finding) -> Finding {
        let (stage, name) = (self.shader.stage(), finding.subject.and_then(|subject| self.name(subject)));
        let party = |party: &insight::Party| {
            let [first, second, third] = party.group;
            let words = match stage {
                Stage::Compute { .. } => [third, second, first, party.thread],
                // The words of a message's sender.
                Stage::Vertex(_) | Stage::Pixel(_) => [second, first, 0, 0],
                _ => [first, second, third, 0],
            };
            Party {
                access: party.access,
                location: self.of(party.origin),
                sender: Sender::new(stage, words),
                index: party.thread,
            }
        };
        Finding {
            kind: finding.kind,
            subject: finding.subject,
            name,
            parties: finding.parties.iter().map(party).collect(),
            place: finding.place,
            extent: finding.extent,
            words: finding.words,
            between_groups: finding.between_groups,
            at_one_address: finding.at_one_address,
            stage: stage.kind(),
            other: finding.other.map(|origin| self.of(origin)),
            count: finding.count,
        }
    }
}
