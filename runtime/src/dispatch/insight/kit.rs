//! What the checks of a bound shader leave for the next one.

use std::sync::Arc;

use brolga_ir::interface::{Dimension, ResourceClass, ResourceKind};
use brolga_ir::pipeline::SPACE;
use brolga_resource::{Buffer, Counter, Elements, GuardPages, Memory, ResourceError, View, ViewKind};

use super::super::Runner;
use super::super::run::Begun;
use crate::bindings::{Bindings, Declared, Layers};
use crate::engine::Frame;
use crate::error::Error;
use crate::host::{BoundViews, TexelFormats};
use crate::shader::{ProbedCode, ProbedKey, Shader};
use crate::stop::StopWord;

/// Bytes that are copied before the next look at the stop word.
const PIECE: usize = 16 << 20;

/// What the checks of a bound shader leave for the next one: code with probes, its views with their shadows, and copies of
/// what it changes.
#[derive(Debug)]
pub(in super::super) struct ProbedKit {
    pub key: ProbedKey,
    pub code: Arc<ProbedCode>,
    pub views: BoundViews,
    pub frame: Frame,
    shadows: Vec<Buffer>,
    pub shadow_bytes: u64,
    /// The memory and the counters that it changes, with the content that is put back.
    pub written: Vec<(Arc<Memory>, Vec<u8>)>,
    counters: Vec<(Counter, u32)>,
}

impl ProbedKit {
    /// `None` if only the interpreter can check the shader with these bindings, or if shadows would have more bytes.
    pub fn new(
        (shader, bindings, runner): (&Shader, &Bindings, &Runner),
        texels: TexelFormats,
        begun: &Begun<'_>,
        watches: bool,
        most_bytes: u64,
    ) -> Result<Option<Self>, Error> {
        let (stop, layers) = (begun.watch.stop(), Layers::from(bindings));
        let key = ProbedKey { texels, watches };
        let Some(code) = shader.probed(&key, &begun.grid, stop)? else { return Ok(None) };
        if code.declared.iter().any(|range| may_be_unbound(range, layers)) {
            return Ok(None);
        }
        let (mut above, mut shadows, mut shadow_bytes) = (Vec::new(), Vec::new(), 0);
        let own = code.declared.iter().filter(|range| range.register.space != SPACE).count();
        for range in &code.declared[own..] {
            let of = code.declared[range.register.index as usize % own].register;
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
        let all = Layers::new(Some(bindings), &above, bindings.rules());
        let views = BoundViews::new(&code.declared, &code.sampled, all, &runner.limits)?;
        let of_shader = code.declared.iter().filter(|range| range.is_writable() && range.register.space != SPACE);
        let written = of_shader.filter_map(|range| bindings.get(range.register)?.bytes());
        let written: Vec<_> = written.map(|(buffer, _)| (Arc::clone(buffer.memory()), Vec::new())).collect();
        let is_twice = |(n, (memory, _)): (usize, &(Arc<Memory>, _))| {
            written[..n].iter().any(|(other, _)| Arc::ptr_eq(other, memory))
        };
        if written.iter().enumerate().any(is_twice) {
            // Each view would have a shadow of its own.
            return Ok(None);
        }
        let counters = layers.of_class(ResourceClass::UnorderedAccess).filter_map(|(_, view)| match view.kind() {
            ViewKind::Buffer(view) => view.counter.clone().map(|counter| (counter, 0)),
            _ => None,
        });
        let counters = counters.collect();
        let frame = Frame::new(&views, runner.guard_pages)?;
        Ok(Some(Self { key, code, views, frame, shadows, shadow_bytes, written, counters }))
    }

    /// Prepares it for a run.
    pub fn begin(&mut self, begun: &Begun<'_>) -> Result<(), Error> {
        let stop = begun.watch.stop();
        for shadow in &self.shadows {
            shadow.fill_until(0..shadow.size_bytes(), &[0; 4], &|| stop.is_set())?;
        }
        if self.code.needs_first_content { self.save(stop) } else { Ok(()) }
    }

    /// Copies what it changes. What is there after a stop is worth nothing.
    pub fn save(&mut self, stop: &StopWord) -> Result<(), Error> {
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

    /// Puts back what was there.
    pub fn restore(&self, stop: &StopWord) {
        for (memory, bytes) in &self.written {
            for (n, piece) in bytes.chunks(PIECE).enumerate().take_while(|_| !stop.is_set()) {
                memory.write((n * PIECE) as u64, piece);
            }
        }
        for (counter, value) in &self.counters {
            counter.set(*value);
        }
    }
}

/// `true` if a texture may be missing, which no probe sees.
fn may_be_unbound(range: &Declared, bindings: Layers<'_>) -> bool {
    let is_texture = matches!(range.kind, ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer);
    is_texture && range.uses_texels && (range.count != Some(1) || bindings.get(range.register).is_none())
}

/// Bytes of the shadow of a view that is written: a word for each texel.
fn shadow_size(view: &View) -> u64 {
    match view.kind() {
        ViewKind::Buffer(view) => match view.elements {
            Elements::Typed { .. } => 4 * view.element_count(),
            _ => view.size_bytes,
        },
        ViewKind::Texture(view) => {
            let surface = view.surface(true);
            let extents = surface.levels.first().map_or([0; 3], |level| level.extents).map(u64::from);
            4 * extents.into_iter().product::<u64>().saturating_mul(surface.layers.into())
        }
        ViewKind::Sampler(_) => 0,
    }
}
