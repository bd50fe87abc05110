//! The memory that a prepared job runs on: made with its first content, and put back to it between runs.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use brolga_runtime::{Access, Bindings, Buffer, Counter, Device, Error, ResourceError, Texture, View};

use super::error::{JobError, Problem};
use super::model::*;
use super::prepare::{LoadedContent, LoadedView, Prepared};

/// Zeros to write at once.
const ZEROS: [u8; 1 << 14] = [0; 1 << 14];

/// Bytes of a file to copy at once.
const PIECE: u64 = 1 << 18;

impl Prepared {
    /// Fresh views with their first content, by register.
    pub fn bind(&self, device: &Device) -> Result<Bindings, JobError> {
        self.bind_over(device, |_| Ok(None))
    }

    /// The same; `own` gives the memory of a binding, by its number, all zeros, where it has some already.
    pub(super) fn bind_over(
        &self,
        device: &Device,
        own: impl Fn(usize) -> Result<Option<Buffer>, JobError>,
    ) -> Result<Bindings, JobError> {
        let mut bindings = Bindings::new();
        for (at, (binding, loaded)) in self.job.bindings.iter().zip(&self.views).enumerate() {
            let own = own(at)?;
            let view = view(device, binding, loaded, own).map_err(|error| self.refused(binding, error))?;
            self.fill(binding, &view, &loaded.content)?;
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
            clear(view).map_err(|error| self.refused(binding, error.into()))?;
            self.fill(binding, view, &loaded.content)?;
            if let (Some(counter), Some(first)) = (view.counter(), binding.counter) {
                counter.set(first);
            }
        }
        Ok(())
    }

    /// Writes content to a view of zeros.
    fn fill(&self, binding: &Binding, view: &View, content: &LoadedContent) -> Result<(), JobError> {
        let written = match content {
            LoadedContent::Zeros(_) | LoadedContent::Mapped(..) => Ok(()),
            // A sampler has no memory.
            LoadedContent::Bytes(bytes) if bytes.is_empty() => Ok(()),
            LoadedContent::Bytes(bytes) => view.write(0, bytes),
            LoadedContent::Values(runs, _) => runs.iter().try_for_each(|run| view.write(run.byte, &run.bytes)),
            LoadedContent::File(path, size) => {
                return copy_file(view, path, *size).map_err(|error| {
                    let (path, problem) = (path.clone(), Box::new(error.into()));
                    self.job.error(&binding.span, Problem::ReadFile { path, problem })
                });
            }
        };
        written.map_err(|error| self.refused(binding, error.into()))
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
        (LoadedContent::Mapped(path, _), _) => device.map_buffer(path, Access::Read)?,
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

/// Copies a file to a view of its size.
fn copy_file(view: &View, path: &Path, size: u64) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut piece = vec![0; PIECE.min(size) as usize];
    let mut at = 0;
    while at < size {
        let length = PIECE.min(size - at) as usize;
        file.read_exact(&mut piece[..length])?;
        view.write(at, &piece[..length]).map_err(io::Error::other)?;
        at += length as u64;
    }
    Ok(())
}

fn clear(view: &View) -> Result<(), ResourceError> {
    let size = view.size_bytes();
    let mut at = 0;
    while at < size {
        let length = (size - at).min(ZEROS.len() as u64);
        view.write(at, &ZEROS[..length as usize])?;
        at += length;
    }
    Ok(())
}
