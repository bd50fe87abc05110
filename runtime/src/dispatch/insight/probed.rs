//! Runs a dispatch as machine code with probes (`ir/src/insight/probes.rs`), to learn which groups a check has to look at.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use brolga_ir::host::Fault;
use brolga_ir::insight::GROUPS_REGISTER;
use brolga_ir::interface::{Dimension, ResourceClass, ResourceKind};
use brolga_ir::pipeline::SPACE;
use brolga_ir::span::Span;
use brolga_resource::{Buffer, Counter, Elements, GuardPages, Memory, ResourceError, View, ViewKind};

use super::super::bound::BoundShader;
use super::super::run::Begun;
use super::super::worker::next_span;
use super::suspects::Suspects;
use crate::bindings::{Declared, Layers, Register};
use crate::engine::{Frame, Link, Seat, float_guard};
use crate::error::Error;
use crate::host::BoundViews;
use crate::shader::{ProbedCode, ProbedKey};
use crate::stop::StopWord;

/// Bytes that are copied before the next look at the stop word.
const PIECE: usize = 16 << 20;

/// A bound shader's code with probes, and its views with their shadows.
pub(super) struct ProbedShader<'a> {
    bound: &'a BoundShader,
    code: Arc<ProbedCode>,
    views: BoundViews,
    /// The content before the run of what a second run reads.
    before: Option<Snapshot>,
    /// Words of the shadows.
    pub watched_words: u64,
}

/// Where a run failed: the span, and the fault.
pub(super) type Failed = (Span, Fault);

impl<'a> ProbedShader<'a> {
    /// `None` if only the interpreter can check the shader with these bindings, or if shadows would have more bytes.
    pub fn new(bound: &'a BoundShader, begun: &Begun<'_>, most_bytes: u64) -> Result<Option<Self>, Error> {
        let (shader, runner, stop) = (bound.shader(), bound.runner(), begun.watch.stop());
        let mut key = ProbedKey { texels: bound.texel_formats(), may_depend: true };
        let holds = |code: &ProbedCode| code.conditions.iter().all(|own| own.holds(&begun.grid));
        let code = match shader.probed(&key, stop)? {
            Some(code) if holds(&code) => Some(code),
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
        let (mut above, mut bytes) = (Vec::new(), 0);
        let of_groups = Register::new(ResourceClass::ShaderResource, GROUPS_REGISTER).in_space(SPACE);
        if code.declared.iter().any(|range| range.register == of_groups) {
            let [width, height, _] = begun.grid.groups;
            let groups = Buffer::zeroed(8, GuardPages::Off)?;
            groups.write(0, &[width, width.wrapping_mul(height)])?;
            above.push((of_groups, View::raw(groups)?));
        }
        for shadow in code.declared.iter().filter(|range| is_shadow(range)) {
            let of = &code.declared[shadow.register.index as usize];
            let size_bytes = bindings.get(of.register).map_or(0, shadow_bytes);
            bytes += size_bytes;
            if bytes > most_bytes {
                return Ok(None);
            }
            let buffer = Buffer::zeroed(size_bytes, GuardPages::Off)?;
            let view = match shadow.kind {
                ResourceKind::Structured { stride_bytes } => View::structured(buffer, stride_bytes)?,
                _ => View::raw(buffer)?,
            };
            above.push((shadow.register, view));
        }
        let layers = Layers::new(Some(bound.bindings()), &above, bindings.rules());
        let views = BoundViews::new(&code.declared, &code.sampled, layers, &runner.limits)?;
        let of_shader = code.declared.iter().filter(|range| range.is_writable() && !is_shadow(range));
        let written = of_shader.filter_map(|range| bindings.get(range.register)).filter_map(memory_of);
        let written: Vec<Arc<Memory>> = written.cloned().collect();
        let is_twice = |(n, memory)| written[..n].iter().any(|other| Arc::ptr_eq(other, memory));
        if written.iter().enumerate().any(is_twice) {
            // Each view would have a shadow of its own.
            return Ok(None);
        }
        let counters = bindings.of_class(ResourceClass::UnorderedAccess).filter_map(|(_, view)| match view.kind() {
            ViewKind::Buffer(view) => view.counter.clone(),
            _ => None,
        });
        let before = match code.reads_what_it_writes {
            true => Some(Snapshot::new(written, counters.collect(), stop)?),
            false => None,
        };
        Ok(Some(Self { bound, code, views, before, watched_words: bytes / 4 }))
    }

    /// Runs all groups. Then those to look at are known, and where the run failed, if it did.
    pub fn suspects(&self, begun: &Begun<'_>) -> Result<(Suspects, Option<Failed>), Error> {
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
        &self,
        begun: &Begun<'_>,
        suspects: &Suspects,
        groups: Range<u64>,
        mut tell: impl FnMut(u64),
    ) -> Result<Option<Failed>, Error> {
        let (runner, code) = (self.bound.runner(), &self.code.code);
        let mut frame = Frame::new(&self.views, runner.guard_pages)?;
        let frame = frame.begin(&self.views, &runner.copies);
        let link = Link::new(code, &self.views, &frame, begun.watch.stop(), suspects);
        let mut seat = Seat::new(code, &runner.workspaces)?;
        let mut failed = None;
        {
            let mode = float_guard(code);
            let mut running = seat.start(&link, &mode);
            let fuel = begun.what.fuel.unwrap_or(u64::MAX);
            let outline = self.bound.shader().outline();
            let most = code.packing().most_groups(outline.threads_per_group(), self.code.lanes).into();
            let mut start = groups.start;
            while start < groups.end {
                let span = next_span(begun.grid, code.packing(), most, start..groups.end);
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
    pub fn rewind(&self, chosen: &BTreeSet<u64>, groups: u64) -> Range<u64> {
        match (&self.before, chosen.first()) {
            (Some(before), _) => {
                before.restore();
                0..groups
            }
            // What they leave does not depend on what is there.
            (None, Some(&first)) => first..groups,
            (None, None) => 0..0,
        }
    }
}

fn is_shadow(range: &Declared) -> bool {
    range.is_writable() && range.register.space == SPACE
}

/// `true` if a texture may be missing, which no probe sees.
fn may_be_unbound(range: &Declared, bindings: Layers<'_>) -> bool {
    let is_texture = matches!(range.kind, ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer);
    is_texture && range.uses_texels && (range.count != Some(1) || bindings.get(range.register).is_none())
}

/// Bytes of the shadow of a view of a buffer.
fn shadow_bytes(view: &View) -> u64 {
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

/// The content of memory and counters at some time.
struct Snapshot {
    memories: Vec<(Arc<Memory>, Vec<u8>)>,
    counters: Vec<(Counter, u32)>,
}

impl Snapshot {
    fn new(written: Vec<Arc<Memory>>, counters: Vec<Counter>, stop: &StopWord) -> Result<Self, Error> {
        let mut memories = Vec::new();
        for memory in written {
            let mut bytes = Vec::new();
            let size_bytes = memory.size_bytes() as usize;
            bytes
                .try_reserve_exact(size_bytes)
                .map_err(|_| ResourceError::OutOfMemory { size_bytes: size_bytes as u64 })?;
            while bytes.len() < size_bytes && !stop.is_set() {
                let at = bytes.len();
                bytes.resize(size_bytes.min(at + PIECE), 0);
                memory.read(at as u64, &mut bytes[at..]);
            }
            memories.push((memory, bytes));
        }
        let counters = counters.into_iter().map(|counter| (counter.clone(), counter.get())).collect();
        Ok(Self { memories, counters })
    }

    fn restore(&self) {
        for (memory, bytes) in &self.memories {
            memory.write(0, bytes);
        }
        for (counter, value) in &self.counters {
            counter.set(*value);
        }
    }
}
