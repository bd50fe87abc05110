//! Runs a dispatch as machine code with probes (`ir/src/insight/probes.rs`), to learn which groups a check has to look at.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use brolga_ir::host::Fault;
use brolga_ir::interface::{Dimension, ResourceClass, ResourceKind};
use brolga_ir::pipeline::SPACE;
use brolga_ir::span::Span;
use brolga_resource::{Buffer, Counter, Elements, GuardPages, Memory, ResourceError, View, ViewKind};

use super::super::bound::BoundShader;
use super::super::run::Begun;
use super::super::worker::next_span;
use super::suspects::Suspects;
use crate::bindings::{Declared, Layers};
use crate::engine::{Frame, Link, Seat, float_guard};
use crate::error::Error;
use crate::host::BoundViews;
use crate::shader::{ProbedCode, ProbedKey};

/// Bytes that are copied before the next look at the stop word.
const PIECE: usize = 16 << 20;

/// The most bytes of shadows and copies that are kept for the next check.
const MOST_KEPT: u64 = 256 << 20;

/// What the checks of a bound shader leave for the next one: code with probes, its views with their shadows, and copies of
/// what it changes.
#[derive(Debug)]
pub(in super::super) struct ProbedKit {
    key: ProbedKey,
    code: Arc<ProbedCode>,
    views: BoundViews,
    frame: Frame,
    shadows: Vec<Buffer>,
    shadow_bytes: u64,
    /// The memory and the counters that it changes, with their content before the run.
    written: Vec<(Arc<Memory>, Vec<u8>)>,
    counters: Vec<(Counter, u32)>,
}

/// A bound shader that runs with probes.
pub(super) struct ProbedShader<'a> {
    bound: &'a BoundShader,
    /// Goes back to the bound shader.
    kit: Option<ProbedKit>,
}

/// Where a run failed: the span, and the fault.
pub(super) type Failed = (Span, Fault);

impl ProbedKit {
    /// `None` if only the interpreter can check the shader with these bindings, or if shadows would have more bytes.
    fn new(bound: &BoundShader, begun: &Begun<'_>, most_bytes: u64) -> Result<Option<Self>, Error> {
        let (shader, runner, stop) = (bound.shader(), bound.runner(), begun.watch.stop());
        let mut key = ProbedKey { texels: bound.texel_formats(), may_depend: true };
        let code = match shader.probed(&key, stop)? {
            Some(code) if holds(&code, begun) => Some(code),
            _ => {
                key.may_depend = false;
                shader.probed(&key, stop)?
            }
        };
        let Some(code) = code else { return Ok(None) };
        let bindings: Layers<'_> = bound.bindings().into();
        if code.declared.iter().any(|range| may_be_unbound(range, bindings)) {
            return Ok(None);
        }
        let (mut above, mut shadows, mut shadow_bytes) = (Vec::new(), Vec::new(), 0);
        for range in code.declared.iter().filter(|range| range.register.space == SPACE) {
            let of = code.declared[range.register.index as usize].register;
            let size_bytes = bindings.get(of).map_or(0, shadow_size);
            shadow_bytes += size_bytes;
            if shadow_bytes > most_bytes {
                return Ok(None);
            }
            let buffer = Buffer::zeroed(size_bytes, GuardPages::Off)?;
            shadows.push(buffer.clone());
            let view = match range.kind {
                ResourceKind::Structured { stride_bytes } => View::structured(buffer, stride_bytes)?,
                _ => View::raw(buffer)?,
            };
            above.push((range.register, view));
        }
        let layers = Layers::new(Some(bound.bindings()), &above, bindings.rules());
        let views = BoundViews::new(&code.declared, &code.sampled, layers, &runner.limits)?;
        let of_shader = code.declared.iter().filter(|range| range.is_writable() && range.register.space != SPACE);
        let written = of_shader.filter_map(|range| bindings.get(range.register)).filter_map(memory_of);
        let written: Vec<_> = written.map(|memory| (Arc::clone(memory), Vec::new())).collect();
        let is_twice = |(n, (memory, _)): (usize, &(Arc<Memory>, _))| {
            written[..n].iter().any(|(other, _)| Arc::ptr_eq(other, memory))
        };
        if written.iter().enumerate().any(is_twice) {
            // Each view would have a shadow of its own.
            return Ok(None);
        }
        let counters = bindings.of_class(ResourceClass::UnorderedAccess).filter_map(|(_, view)| match view.kind() {
            ViewKind::Buffer(view) => view.counter.clone().map(|counter| (counter, 0)),
            _ => None,
        });
        let counters = counters.collect();
        let frame = Frame::new(&views, runner.guard_pages)?;
        Ok(Some(Self { key, code, views, frame, shadows, shadow_bytes, written, counters }))
    }

    /// Prepares it for a run.
    fn begin(&mut self, begun: &Begun<'_>) -> Result<(), Error> {
        let stop = begun.watch.stop();
        for shadow in &self.shadows {
            shadow.fill_until(0..shadow.size_bytes(), &[0; 4], &|| stop.is_set())?;
        }
        if !self.code.reads_what_it_writes {
            // What it leaves does not depend on what is there.
            return Ok(());
        }
        for (memory, bytes) in &mut self.written {
            let size_bytes = memory.size_bytes() as usize;
            bytes
                .try_reserve_exact(size_bytes.saturating_sub(bytes.len()))
                .map_err(|_| ResourceError::OutOfMemory { size_bytes: size_bytes as u64 })?;
            bytes.resize(size_bytes, 0);
            for (n, piece) in bytes.chunks_mut(PIECE).enumerate().take_while(|_| !stop.is_set()) {
                memory.read((n * PIECE) as u64, piece);
            }
        }
        for (counter, value) in &mut self.counters {
            *value = counter.get();
        }
        Ok(())
    }

    /// Puts back what was there before the run.
    fn restore(&self) {
        for (memory, bytes) in &self.written {
            memory.write(0, bytes);
        }
        for (counter, value) in &self.counters {
            counter.set(*value);
        }
    }
}

impl<'a> ProbedShader<'a> {
    /// `None` if only the interpreter can check the shader with these bindings, or if shadows would have more bytes.
    pub fn new(bound: &'a BoundShader, begun: &Begun<'_>, most_bytes: u64) -> Result<Option<Self>, Error> {
        let fits = |kit: &ProbedKit| {
            let is_best = kit.key.may_depend || kit.code.conditions.is_empty();
            is_best && kit.shadow_bytes <= most_bytes && holds(&kit.code, begun)
        };
        let kit = match bound.probed().take().filter(fits) {
            Some(kit) => Some(kit),
            None => ProbedKit::new(bound, begun, most_bytes)?,
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

    /// Puts everything back as it was before the run, and gives the groups that must run again.
    pub fn rewind(&mut self, chosen: &BTreeSet<u64>, groups: u64) -> Range<u64> {
        let kit = self.kit();
        if kit.code.reads_what_it_writes {
            kit.restore();
            return 0..groups;
        }
        chosen.first().map_or(0..0, |&first| first..groups)
    }
}

impl Drop for ProbedShader<'_> {
    fn drop(&mut self) {
        let copies = |kit: &ProbedKit| kit.written.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        let kit = self.kit.take().filter(|kit| kit.shadow_bytes + copies(kit) <= MOST_KEPT);
        *self.bound.probed() = kit;
    }
}

/// `true` if code is for a dispatch.
fn holds(code: &ProbedCode, begun: &Begun<'_>) -> bool {
    code.conditions.iter().all(|own| own.holds(&begun.grid))
}

/// `true` if a texture may be missing, which no probe sees.
fn may_be_unbound(range: &Declared, bindings: Layers<'_>) -> bool {
    let is_texture = matches!(range.kind, ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer);
    is_texture && range.uses_texels && (range.count != Some(1) || bindings.get(range.register).is_none())
}

/// Bytes of the shadow of a view of a buffer.
fn shadow_size(view: &View) -> u64 {
    match view.kind() {
        ViewKind::Buffer(view) => match view.elements {
            Elements::Typed { .. } => 4 * view.element_count(),
            _ => view.size_bytes,
        },
        _ => 0,
    }
}

fn memory_of(view: &View) -> Option<&Arc<Memory>> {
    match view.kind() {
        ViewKind::Buffer(view) => Some(view.buffer.memory()),
        _ => None,
    }
}
