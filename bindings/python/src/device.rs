//! Defines the device, which makes everything else.

use std::path::PathBuf;
use std::time::Instant;

use brolga::{CompileOptions, Engine, ErrorKind, MessageLog, StageKind, Stages, TextureShape};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::commands::{Command, Setting, described, run};
use crate::draw::{Draw, Pipeline};
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::messages::printed;
use crate::shader::{CancelToken, Shader, seconds};
use crate::source::load;
use crate::view::{Texture, parse_dimension, parse_format, texture};

/// Device(threads=0, *, cache=None, copy_bytes=None)
///
/// A device that runs shaders. `threads` is how many work on a dispatch, the calling one included; 0 means one for each
/// processor. `cache` is a folder in which machine code is kept from one process to the next. Copies of compressed
/// textures, which make sampling faster, take at most `copy_bytes`, by default 256 MiB; 0 means none.
#[pyclass(frozen, module = "brolga")]
pub struct Device {
    pub device: brolga::Device,
    /// When it was made: timestamps count from there.
    pub made: Instant,
}

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (threads=0, *, cache=None, copy_bytes=None))]
    fn new(threads: usize, cache: Option<PathBuf>, copy_bytes: Option<u64>) -> PyResult<Self> {
        let builder = brolga::Device::builder().threads(threads);
        let builder = match copy_bytes {
            Some(bytes) => builder.copy_bytes(bytes),
            None => builder,
        };
        let builder = match cache {
            Some(folder) => builder.cache(brolga::Cache::open(folder).map_err(Failure::from)?),
            None => builder,
        };
        Ok(Self { device: builder.build().map_err(Failure::from)?, made: Instant::now() })
    }

    /// Threads that work on a dispatch.
    #[getter]
    fn threads(&self) -> usize {
        self.device.pool().threads()
    }

    /// Compiles a compute shader: the bytes of a file, the path of one, or a listing as text.
    ///
    /// `engine` is "jit" or "interpreter"; by default the best. `instances` chooses what interface variables are bound
    /// to. It ends after `time_limit` seconds, and by Ctrl-C.
    #[pyo3(signature = (shader, *, engine=None, instances=None, name=None, time_limit=None, cancel=None))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn compile(
        &self,
        py: Python<'_>,
        shader: &Bound<'_, PyAny>,
        engine: Option<&str>,
        instances: Option<&Bound<'_, PyDict>>,
        name: Option<&str>,
        time_limit: Option<f64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Shader> {
        let source = load(shader)?;
        let mut options = CompileOptions::new(parse_engine(engine)?);
        if let Some(name) = name {
            options = options.named(name);
        }
        for (variable, instance) in instances.into_iter().flatten() {
            options = options.instance(variable.extract::<String>()?, instance.extract::<String>()?);
        }
        let time_limit = time_limit.map(seconds).transpose()?;
        let cancel = cancel.map_or_else(Default::default, |cancel| cancel.token.clone());
        let compile = |token: &brolga::CancelToken| {
            let shader = self.device.compile_until(&source.bytes, &options, token, time_limit);
            shader.map_err(|error| source.refused(error))
        };
        let shader = interruptible(py, &cancel, compile)?;
        Ok(Shader::new(self.device.clone(), shader, source))
    }

    /// A texture of zeros, or over an array's memory, for properties that arrays do not have.
    ///
    /// Texels are packed: for each layer, each sample, each mip level, each slice, each row. `dimension` is as in
    /// "texturecube"; by default it follows from the extents. With `samples`, 2, 4, 8 or 16, a 2D texture, or an array
    /// of them, is multisampled; with `center_pattern` all samples lie at the center of a pixel, not in the standard
    /// pattern.
    #[pyo3(signature = (format, width, height=1, *, depth=1, layers=None, mips=1, dimension=None, data=None, samples=1,
        center_pattern=false))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn texture(
        &self,
        format: &str,
        width: u32,
        height: u32,
        depth: u32,
        layers: Option<u32>,
        mips: u32,
        dimension: Option<&str>,
        data: Option<&Bound<'_, PyAny>>,
        samples: u32,
        center_pattern: bool,
    ) -> PyResult<Texture> {
        let dimension = match (dimension, layers) {
            (Some(name), _) => parse_dimension(name)?,
            (None, Some(_)) => brolga::Dimension::Texture2dArray,
            (None, None) if depth > 1 => brolga::Dimension::Texture3d,
            (None, None) => brolga::Dimension::Texture2d,
        };
        let shape = TextureShape::new(dimension, parse_format(format)?, width).height(height).depth(depth).mips(mips);
        let shape = layers.map_or(shape, |layers| shape.layers(layers)).center_pattern(center_pattern);
        // A texture of one sample is multisampled only where `dimension` says so.
        let shape = if samples == 1 { shape } else { shape.samples(samples) };
        texture(&self.device, shape, data)
    }

    /// Compiles a vertex shader, a pixel shader, and perhaps others between them, with the state around them, for draws
    /// of Direct3D 11. A hull shader `hs` and a domain shader `ds` go together, for a `topology` of patches; a geometry
    /// shader `gs` takes what comes before it.
    ///
    /// `inputs` fill the vertex shader's inputs: a NumPy dtype whose fields are named like the semantics, or tuples of
    /// a semantic, a format, an offset in bytes and optionally a slot and a step rate by instances. `targets` and
    /// `depth` are formats, `samples` and `center_pattern` those of the textures that are drawn to. `topology`,
    /// `rasterizer`, `depth_stencil` and `blend` are as in `pipelines` of documents (docs/document.md).
    ///
    /// `stream_output` says what is streamed out of the geometry shader, or without one of the domain or vertex shader: a
    /// dtype whose fields are named like the semantics, so that vertices are written as it has them, and stream 0 is
    /// drawn, too; or a dict that has the keys of `stream_out` in documents.
    #[pyo3(signature = (vs, ps=None, *, hs=None, ds=None, gs=None, inputs=None, stream_output=None, targets=None,
        depth=None, samples=1, center_pattern=false, **state))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn pipeline(
        &self,
        py: Python<'_>,
        vs: &Bound<'_, PyAny>,
        ps: Option<&Bound<'_, PyAny>>,
        hs: Option<&Bound<'_, PyAny>>,
        ds: Option<&Bound<'_, PyAny>>,
        gs: Option<&Bound<'_, PyAny>>,
        inputs: Option<&Bound<'_, PyAny>>,
        stream_output: Option<&Bound<'_, PyAny>>,
        targets: Option<Vec<String>>,
        depth: Option<&str>,
        samples: u32,
        center_pattern: bool,
        state: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Pipeline> {
        let state = state.unwrap_or_else(|| PyDict::new(py));
        let (targets, samples) = (targets.unwrap_or_default(), (samples, center_pattern));
        let mut shaders = Stages::default();
        (shaders[StageKind::Vertex], shaders[StageKind::Pixel]) = (Some(vs), ps);
        (shaders[StageKind::Hull], shaders[StageKind::Domain], shaders[StageKind::Geometry]) = (hs, ds, gs);
        Pipeline::new(py, &self.device, shaders, inputs, stream_output, &targets, depth, samples, &state)
    }

    /// Draws into targets, in order: arrays of rows of pixels, or textures, in the formats of the pipelines. Existing
    /// content is drawn over. Returns the statistics of each draw, as Direct3D's queries count them: a dict of numbers,
    /// with `streams`, a list of the primitives that each stream has written and would have written with enough room.
    #[pyo3(signature = (draws, targets, *, depth=None, time_limit=None, cancel=None))]
    fn draw<'py>(
        &self,
        py: Python<'py>,
        draws: Vec<Bound<'py, Draw>>,
        targets: Vec<Bound<'py, PyAny>>,
        depth: Option<&Bound<'py, PyAny>>,
        time_limit: Option<f64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Bound<'py, PyList>> {
        let time_limit = time_limit.map(seconds).transpose()?;
        let cancel = cancel.map_or_else(Default::default, |cancel| cancel.token.clone());
        let messages = MessageLog::default();
        let setting = Setting {
            device: &self.device,
            targets: &targets,
            depth,
            time_limit,
            cancel: &cancel,
            messages: &messages,
        };
        let commands: Vec<_> = draws.into_iter().map(|draw| Command::Draw(draw.unbind())).collect();
        let (done, _) = printed(py, &messages, run(py, &setting, &commands, &[]))?;
        described(py, &done.statistics)
    }

    fn __repr__(&self) -> String {
        format!("<brolga.Device, {} threads>", self.threads())
    }
}

/// An engine by its name.
pub fn parse_engine(name: Option<&str>) -> Result<Engine, Failure> {
    match name {
        None => Ok(Engine::best()),
        Some("jit") => Ok(Engine::Jit),
        Some("interpreter") => Ok(Engine::Interpreter),
        Some(other) => {
            let message = format!("{other:?} is no engine: they are \"jit\" and \"interpreter\"");
            Err(Failure::new(ErrorKind::Call, message))
        }
    }
}
