//! The memory that a prepared job runs on: made with its first content, and put back to it between runs.

use brolga_runtime::{Access, Bindings, Counter, Device, Error, ResourceError, Texture, View};

use super::error::{JobError, Problem};
use super::model::*;
use super::prepare::{LoadedContent, LoadedView, Prepared};

/// Zeros to write at once.
const ZEROS: [u8; 1 << 14] = [0; 1 << 14];

impl Prepared {
    /// Fresh views with their first content, by register.
    pub fn bind(&self, device: &Device) -> Result<Bindings, JobError> {
        let mut bindings = Bindings::new();
        for (binding, loaded) in self.job.bindings.iter().zip(&self.views) {
            if let Some(register) = binding.register.of_view() {
                let view = view(device, binding, loaded).map_err(|error| self.refused(binding, error))?;
                bindings.set(register, view);
            }
        }
        Ok(bindings)
    }

    /// Puts the first content back into every `u#` of [`Prepared::bind`]; shaders write no other view.
    pub fn reset(&self, bindings: &Bindings) -> Result<(), JobError> {
        for (binding, loaded) in self.job.bindings.iter().zip(&self.views) {
            if binding.register.file != RegisterFile::Unordered {
                continue;
            }
            let Some(view) = binding.register.of_view().and_then(|register| bindings.get(register)) else { continue };
            fill(view, &loaded.content).map_err(|error| self.refused(binding, error.into()))?;
            if let (Some(counter), Some(first)) = (view.counter(), binding.counter) {
                counter.set(first);
            }
        }
        Ok(())
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
fn view(device: &Device, binding: &Binding, loaded: &LoadedView) -> Result<View, Error> {
    let buffer = match &loaded.content {
        LoadedContent::Zeros(size) => device.buffer(*size)?,
        LoadedContent::Bytes(bytes) => device.buffer_from_bytes(bytes)?,
        LoadedContent::Values(runs, size) => {
            let buffer = device.buffer(*size)?;
            for run in runs {
                buffer.write(run.byte, &run.bytes)?;
            }
            buffer
        }
        LoadedContent::Mapped(path, _) => device.map_buffer(path, Access::Read)?,
    };
    let view = match loaded.kind {
        Kind::Constant => View::constant(buffer)?,
        Kind::Raw => View::raw(buffer)?,
        Kind::Structured { stride, .. } => View::structured(buffer, stride)?,
        Kind::Typed { format, .. } => View::typed(buffer, format)?,
        Kind::Texture(shape) => View::texture(Texture::new(buffer, shape)?),
        Kind::Sampler => unreachable!("samplers have no view"),
    };
    match binding.counter {
        Some(first) => Ok(view.with_counter(Counter::new(first))?),
        None => Ok(view),
    }
}

/// Writes content over whatever a view holds.
fn fill(view: &View, content: &LoadedContent) -> Result<(), ResourceError> {
    match content {
        LoadedContent::Zeros(_) => clear(view),
        LoadedContent::Bytes(bytes) => view.write(0, bytes),
        LoadedContent::Values(runs, _) => {
            clear(view)?;
            runs.iter().try_for_each(|run| view.write(run.byte, &run.bytes))
        }
        LoadedContent::Mapped(..) => unreachable!("only files of read-only registers are mapped"),
    }
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
