//! Runs a dispatch as machine code with probes (`ir/src/insight/probes.rs`), to learn which groups a check has to look at.

use std::ops::Range;

use brolga_ir::host::Fault;
use brolga_ir::span::Span;

use super::super::bound::BoundShader;
use super::super::run::Begun;
use super::super::worker::next_span;
use super::kit::ProbedKit;
use super::suspects::Suspects;
use crate::engine::{Link, Seat, float_guard};
use crate::error::Error;

/// The most bytes of shadows and copies that are kept for the next check.
const MOST_KEPT: u64 = 256 << 20;

/// A bound shader that runs with probes.
pub(super) struct ProbedShader<'a> {
    bound: &'a BoundShader,
    /// Goes back to the bound shader.
    kit: Option<ProbedKit>,
}

/// Where a run failed: the span, and the fault.
pub(super) type Failed = (Span, Fault);

impl<'a> ProbedShader<'a> {
    /// `None` if only the interpreter can check the shader with these bindings, or if shadows would have more bytes.
    pub fn new(
        bound: &'a BoundShader,
        begun: &Begun<'_>,
        watches: bool,
        most_bytes: u64,
    ) -> Result<Option<Self>, Error> {
        let fits = |kit: &ProbedKit| {
            kit.key.watches == watches && kit.shadow_bytes <= most_bytes && kit.code.is_for(&begun.grid)
        };
        let kit = match bound.probed().take().filter(fits) {
            Some(kit) => Some(kit),
            None => ProbedKit::new(
                (bound.shader(), bound.bindings(), bound.runner()),
                bound.texel_formats(),
                begun,
                watches,
                most_bytes,
            )?,
        };
        let Some(mut kit) = kit else { return Ok(None) };
        kit.begin(begun)?;
        Ok(Some(Self { bound, kit: Some(kit) }))
    }

    fn kit(&mut self) -> &mut ProbedKit {
        self.kit.as_mut().expect("it is there until this is dropped")
    }

    /// Words whose accesses are watched.
    pub fn watched_words(&mut self) -> u64 {
        self.kit().shadow_bytes / 4
    }

    /// Runs all groups. Then those to look at are known, and where the run failed, if it did.
    pub fn suspects(&mut self, begun: &Begun<'_>) -> Result<(Suspects, Option<Failed>), Error> {
        let threads = self.bound.shader().outline().threads_per_group();
        let suspects = Suspects::new(begun.grid, threads);
        let failed = self.run(begun, &suspects, 0..begun.grid.count(), |done| begun.what.progress.set(done))?;
        if let Some((span, fault)) = &failed {
            suspects.add(span.start..span.start + u64::from(span.groups), fault.origin);
        }
        suspects.close();
        Ok((suspects, failed))
    }

    /// Runs some groups in order.
    pub fn run(
        &mut self,
        begun: &Begun<'_>,
        suspects: &Suspects,
        groups: Range<u64>,
        mut tell: impl FnMut(u64),
    ) -> Result<Option<Failed>, Error> {
        let bound = self.bound;
        let (runner, threads) = (bound.runner(), bound.shader().outline().threads_per_group());
        let ProbedKit { code, views, frame, .. } = self.kit();
        let frame = frame.begin(views, &runner.copies);
        let link = Link::new(&code.code, views, &frame, begun.watch.stop(), suspects);
        let mut seat = Seat::new(&code.code, &runner.workspaces)?;
        let mut failed = None;
        {
            let mode = float_guard(&code.code);
            let mut running = seat.start(&link, &mode);
            let (fuel, packing) = (begun.what.fuel.unwrap_or(u64::MAX), code.code.packing());
            let most = packing.most_groups(threads, code.lanes).into();
            let mut start = groups.start;
            while start < groups.end {
                let span = next_span(begun.grid, packing, most, start..groups.end);
                suspects.begin(&span);
                if let Err(fault) = running.span(&span, fuel) {
                    failed = Some((span, fault));
                    break;
                }
                start += u64::from(span.groups);
                tell(start);
            }
        }
        seat.give_back(&runner.workspaces);
        Ok(failed)
    }

    /// `true` if groups can only run again in memory with the content of before the run.
    pub fn needs_first_content(&mut self) -> bool {
        self.kit().code.needs_first_content
    }

    /// Copies what the shader changes.
    pub fn save(&mut self, begun: &Begun<'_>) -> Result<(), Error> {
        self.kit().save(begun.watch.stop())
    }

    /// Puts it back as it was when it was copied: before the run, if its content of then is needed.
    pub fn restore(&mut self, begun: &Begun<'_>) {
        self.kit().restore(begun.watch.stop());
    }
}

impl Drop for ProbedShader<'_> {
    fn drop(&mut self) {
        let copies = |kit: &ProbedKit| kit.written.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        let kit = self.kit.take().filter(|kit| kit.shadow_bytes + copies(kit) <= MOST_KEPT);
        *self.bound.probed() = kit;
    }
}
