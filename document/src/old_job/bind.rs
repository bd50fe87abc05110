//! The memory that a prepared job runs on: made with its first content, and put back to it between runs.

use brolga_runtime::{Bindings, Buffer, CancelToken, Counter, Device, Error, ResourceError, Texture, View};

use super::error::{JobError, Problem};
use super::load::{LoadedContent, LoadedView};
use super::model::*;
use super::prepare::Prepared;
use crate::files::{self, FileProblem};

impl Prepared {
    /// Fresh views with their first content, by register.
    pub fn bind(&self, device: &Device) -> Result<Bindings, JobError> {
        self.bind_until(device, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`Problem::Stopped`].
    pub fn bind_until(&self, device: &Device, cancel: &CancelToken) -> Result<Bindings, JobError> {
        self.bind_over(device, cancel, |_| Ok(None))
    }

    /// The same; `own` gives the memory of a binding, by its number, all zeros, where it has some already.
    pub(super) fn bind_over(
        &self,
        device: &Device,
        cancel: &CancelToken,
        own: impl Fn(usize) -> Result<Option<Buffer>, JobError>,
    ) -> Result<Bindings, JobError> {
        let mut bindings = Bindings::new();
        for (at, (binding, loaded)) in self.job.bindings.iter().zip(&self.views).enumerate() {
            let own = own(at)?;
            let view = view(device, binding, loaded, own).map_err(|error| self.refused(binding, error))?;
            self.fill(binding, &view, &loaded.content, cancel)?;
            bindings.set(binding.register, view);
        }
        Ok(bindings)
    }

    /// Puts the first content back into every `u#` of [`Prepared::bind`]; shaders write no other view.
    pub fn reset(&self, bindings: &Bindings) -> Result<(), JobError> {
        for (binding, loaded) in self.job.bindings.iter().zip(&self.views) {
            if binding.register.class != ResourceClass::UnorderedAccess {
                continue;
            }
            let Some(view) = bindings.get(binding.register) else { continue };
            let cleared = view.bytes().map_or(Ok(()), |(buffer, range)| buffer.fill_until(range, &[0], &|| false));
            cleared.map_err(|error| self.refused(binding, error.into()))?;
            self.fill(binding, view, &loaded.content, &CancelToken::new())?;
            if let (Some(counter), Some(first)) = (view.counter(), binding.counter) {
                counter.set(first);
            }
        }
        Ok(())
    }

    /// Writes content to a view of zeros.
    fn fill(
        &self,
        binding: &Binding,
        view: &View,
        content: &LoadedContent,
        cancel: &CancelToken,
    ) -> Result<(), JobError> {
        // A sampler has no memory.
        let Some((buffer, range)) = view.bytes() else { return Ok(()) };
        let written = match content {
            LoadedContent::Zeros(_) | LoadedContent::Mapped(_) => Ok(()),
            LoadedContent::Bytes(bytes) => files::write(buffer, range.start, bytes, cancel),
            LoadedContent::Fill(bytes, _) => {
                buffer.fill_until(range, bytes, &|| cancel.is_cancelled()).map_err(FileProblem::from)
            }
            LoadedContent::Values(runs, _) => {
                runs.iter().try_for_each(|run| view.write(run.byte, &run.bytes)).map_err(FileProblem::from)
            }
            LoadedContent::File(part) => part.copy_to(buffer, range.start, cancel),
        };
        written.map_err(|problem| match (problem, content) {
            (FileProblem::Runtime(error), _) => self.refused(binding, error),
            (problem, LoadedContent::File(part)) => {
                let of = |problem| Problem::ReadFile { path: part.path.clone(), problem };
                self.job.error(&binding.span, Problem::of_file(problem, cancel, of))
            }
            _ => self.job.error(&binding.span, Problem::stopped(cancel)),
        })
    }

    /// Points an error about the memory of a view at its binding.
    fn refused(&self, binding: &Binding, error: Error) -> JobError {
        let problem = match error {
            Error::Resource(error) => Problem::Resource { register: binding.register.to_string(), error },
            error => Problem::Run { shader: self.job.path.clone(), error },
        };
        self.job.error(&binding.span, problem)
    }
}

/// The view of a binding over fresh memory.
fn view(device: &Device, binding: &Binding, loaded: &LoadedView, own: Option<Buffer>) -> Result<View, Error> {
    if let Kind::Sampler(sampler) = loaded.kind {
        return Ok(View::sampler(sampler)?);
    }
    let buffer = match (&loaded.content, own) {
        (LoadedContent::Mapped(part), _) => part.map()?,
        (_, Some(buffer)) => buffer,
        (content, None) => device.buffer(content.size_bytes())?,
    };
    let view = match loaded.kind {
        Kind::Constant => View::constant(buffer)?,
        Kind::Raw => View::raw(buffer)?,
        Kind::Structured { stride, .. } => View::structured(buffer, stride)?,
        Kind::Typed { format, .. } => View::typed(buffer, format)?,
        Kind::Texture(shape) => part(View::texture(Texture::new(buffer, shape)?), binding.view)?,
        Kind::Sampler(_) => unreachable!("samplers have no memory"),
    };
    match binding.counter {
        Some(first) => Ok(view.with_counter(Counter::new(first))?),
        None => Ok(view),
    }
}

/// What the job shows of a texture.
fn part(mut view: View, keys: Option<ViewKeys>) -> Result<View, ResourceError> {
    let ViewKeys { dimension, format, mips, layers, min_level } = keys.unwrap_or_default();
    if let Some(dimension) = dimension {
        view = view.with_dimension(dimension)?;
    }
    if let Some(format) = format {
        view = view.with_format(format)?;
    }
    if let Some([first, count]) = mips {
        view = view.with_mips(first, count)?;
    }
    if let Some([first, count]) = layers {
        view = view.with_layers(first, count)?;
    }
    match min_level {
        Some(level) => view.with_min_level(level),
        None => Ok(view),
    }
}
