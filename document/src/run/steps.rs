//! Does actions in order, and consecutive draws with the same targets as one pass.

use std::collections::BTreeMap;
use std::time::Instant;

use brolga_raster::pass::Pass;
use brolga_raster::statistics::Statistics;
use brolga_runtime::{Device, Dispatch, Report};

use super::history::Watch;
use super::plan::{Action, DrawAction};
use super::{RunOptions, go_on};
use crate::error::{Fault, Problem};
use crate::model::query::{Counts, QueryKind};
use crate::model::step::DocumentStep;

/// The state of a run between two steps.
pub(super) struct StepRunner<'a> {
    device: &'a Device,
    options: &'a RunOptions,
    open: Option<OpenPass<'a>>,
    /// The start of the run.
    began: Instant,
    /// What has been counted for each query.
    pub queries: BTreeMap<&'a str, Counts>,
    /// The statistics of all draws.
    pub total: Statistics,
    /// The report of the last dispatch.
    pub report: Option<Report>,
    pub watch: Option<Watch<'a>>,
}

/// A pass that may get more draws.
struct OpenPass<'a> {
    pass: Pass<'a>,
    draws: Vec<(&'a DocumentStep, &'a DrawAction<'a>)>,
}

impl<'a> StepRunner<'a> {
    /// A run whose cancel token stops all of it.
    pub fn new(device: &'a Device, options: &'a RunOptions, watch: Option<Watch<'a>>) -> Self {
        let (queries, total) = (BTreeMap::new(), Statistics::default());
        let began = Instant::now();
        Self { device, options, open: None, began, queries, total, report: None, watch }
    }

    /// Does all steps.
    pub fn steps(mut self, actions: &'a [(&'a DocumentStep, Action<'a>)]) -> Result<Self, Fault> {
        for (n, (step, action)) in actions.iter().enumerate() {
            self.watched_step(n, step, action)?;
        }
        self.finish_pass()?;
        Ok(self)
    }

    /// Does a step, and records its effect on the watched pixel unless it is a draw.
    fn watched_step(&mut self, n: usize, step: &'a DocumentStep, action: &'a Action<'a>) -> Result<(), Fault> {
        go_on(&self.options.cancel, step)?;
        if let Action::Repeat { count, actions } = action {
            for _ in 0..*count {
                actions.iter().try_for_each(|(step, action)| self.watched_step(n, step, action))?;
            }
            return Ok(());
        }
        if self.skips(step)? {
            return Ok(());
        }
        if matches!(action, Action::Draw(_)) || self.watch.is_none() {
            return self.step(n, step, action);
        }
        // Pending draws come before it.
        self.finish_pass()?;
        let before = self.watch.as_ref().map(Watch::texels).transpose()?;
        self.step(n, step, action)?;
        match (&mut self.watch, before) {
            (Some(watch), Some(before)) => watch.did(n, step, &before),
            _ => Ok(()),
        }
    }

    /// `true` if a step's condition skips it.
    fn skips(&mut self, step: &DocumentStep) -> Result<bool, Fault> {
        let Some(predicate) = &step.predicate else { return Ok(false) };
        // Pending draws may be counted for it.
        self.finish_pass()?;
        let counts = self.queries.get(predicate.query.value.as_str()).copied().unwrap_or_default();
        Ok(predicate.skips(&counts))
    }

    /// Counts a step that is done for its queries.
    fn count(&mut self, step: &'a DocumentStep, statistics: Statistics, compute_threads: u64) {
        for query in &step.queries {
            let counts = self.queries.entry(&query.name.value).or_default();
            counts.statistics += statistics;
            counts.compute_threads += compute_threads;
            counts.result = query.kind.value(counts, "value") == Some(1);
            counts.nanoseconds = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        }
    }

    fn step(&mut self, n: usize, step: &'a DocumentStep, action: &'a Action<'a>) -> Result<(), Fault> {
        if let Action::Draw(draw) = action {
            return self.draw(n, step, draw);
        }
        self.finish_pass()?;
        let token = &self.options.cancel;
        let stop = || token.is_cancelled();
        let done = match action {
            Action::Clear(clears) => clears.iter().try_for_each(|(view, value)| view.clear_until(*value, &stop)),
            Action::Fill { buffer, word } => buffer.fill_until(0..buffer.size_bytes(), &word.to_le_bytes(), &stop),
            Action::Copy { from, to } => from.copy_until(0..from.size_bytes(), to, 0, &stop),
            Action::CopyLevels { from, to, levels } => {
                levels.iter().try_for_each(|[part, at]| from.copy_box_until(part, to, at, &stop))
            }
            Action::Resolve { from, to, layers, format } => {
                layers.iter().try_for_each(|(layer, at)| from.resolve_until(*layer, to, at, *format, &stop))
            }
            Action::GenerateMips { view } => view.generate_mips_until(&stop),
            Action::Dispatch(action) => {
                let mut dispatch = action.dispatch.clone().cancel(token.clone());
                dispatch.messages = self.options.messages.clone();
                if let Some(report) = action.run(&dispatch, self.options.check.as_ref())? {
                    self.count(step, Statistics::default(), report.threads);
                    self.report = Some(report);
                }
                Ok(())
            }
            Action::Draw(_) | Action::Repeat { .. } => Ok(()),
        };
        done.map_err(|error| {
            let problem = match error {
                brolga_runtime::ResourceError::Stopped => Problem::stopped(token),
                error => error.into(),
            };
            (problem, step.at.head.clone())
        })
    }

    fn draw(&mut self, n: usize, step: &'a DocumentStep, draw: &'a DrawAction<'a>) -> Result<(), Fault> {
        if !self.open.as_ref().is_some_and(|open| open.takes(draw)) {
            self.finish_pass()?;
        }
        let failed = |error| (draw.problem(error), step.at.head.clone());
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let pass = Pass::new(self.device, draw.targets.clone()).map_err(failed)?;
                let mut limits = Dispatch::new([0; 3]).cancel(self.options.cancel.clone());
                limits.messages = self.options.messages.clone();
                limits.check = self.options.check.clone();
                let mut pass = pass.with_limits(&limits).with_round(self.options.round);
                if let Some(pixel) = self.watch.as_ref().and_then(|watch| watch.of_draw(draw)) {
                    pass.watch(pixel).map_err(failed)?;
                }
                none.insert(OpenPass { pass, draws: Vec::new() })
            }
        };
        draw.add_to(&mut open.pass).map_err(failed)?;
        open.draws.push((step, draw));
        if let (Some(watch), Some(history)) = (&mut self.watch, open.pass.histories().last()) {
            watch.drew(n, draw, history.clone());
        }
        // A timestamp is the end of its step.
        match step.queries.iter().any(|query| query.kind == QueryKind::Timestamp) {
            true => self.finish_pass(),
            false => Ok(()),
        }
    }

    /// Executes the pending draws.
    fn finish_pass(&mut self) -> Result<(), Fault> {
        let Some(OpenPass { pass, draws }) = self.open.take() else { return Ok(()) };
        let statistics = pass.finish().map_err(|error| match draws.get(error.draw().unwrap_or(0)) {
            Some((step, draw)) => (draw.problem(error), step.at.head.clone()),
            None => (error.into(), 0..0),
        })?;
        for ((step, _), statistics) in draws.into_iter().zip(statistics) {
            self.total += statistics;
            self.count(step, statistics, 0);
        }
        Ok(())
    }
}

impl OpenPass<'_> {
    /// `true` if a draw may join those before it: memory that they access through registers must not change meanwhile.
    fn takes(&self, draw: &DrawAction<'_>) -> bool {
        self.draws
            .last()
            .is_some_and(|(_, last)| last.shares_targets(draw) && !last.writes_memory() && !draw.writes_memory())
    }
}
