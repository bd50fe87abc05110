//! Draws into arrays with pipelines.

use std::time::Duration;

use brolga::raster::{
    self, Bounds, DepthView, DrawError, IndexBuffer, InputElement, Pass, Statistics, Targets, VertexBuffer, Viewport,
};
use brolga::{BindingRules, Bindings, CancelToken, Dispatch, ErrorKind, Format, Leniency, Module, StageKind, Stages};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::array::{Array, Numbers, to_json};
use crate::bindings::Program;
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::source::load;
use crate::vertices::{self, input_layout};
use crate::view::{parse_format, target};

/// Shaders, compiled with the state around them. `Device.pipeline` makes it.
#[pyclass(frozen, module = "brolga")]
pub struct Pipeline {
    pipeline: raster::Pipeline,
    stages: Stages<Option<Program>>,
    /// The vertex shader's inputs.
    layout: Vec<InputElement>,
    formats: Vec<Format>,
    depth_format: Option<Format>,
}

impl Pipeline {
    #[expect(clippy::too_many_arguments, reason = "it has the parts of a pipeline")]
    pub fn new(
        py: Python<'_>,
        device: &brolga::Device,
        vs: &Bound<'_, PyAny>,
        ps: Option<&Bound<'_, PyAny>>,
        inputs: Option<&Bound<'_, PyAny>>,
        targets: &[String],
        depth: Option<&str>,
        (samples, center_pattern): (u32, bool),
        state: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let json = to_json(state)?;
        let (mut sources, mut modules) = (Stages::default(), Stages::default());
        (sources[StageKind::Vertex], sources[StageKind::Pixel]) = (Some(load(vs)?), ps.map(load).transpose()?);
        for (stage, source) in sources.present() {
            let module = Module::load(&source.bytes, device.limits());
            modules[stage] = Some(module.map_err(|error| source.refused(error))?);
        }
        let formats = targets.iter().map(|name| parse_format(name)).collect::<Result<Vec<_>, _>>()?;
        let depth_format = depth.map(parse_format).transpose()?;
        let mut desc =
            brolga::document::pipeline_state(&json, modules, &formats, depth_format).map_err(Failure::from)?;
        (desc.samples, desc.center_pattern) = (samples, center_pattern);
        if let Some(inputs) = inputs {
            desc.input_layout.extend(input_layout(inputs)?);
        }
        let compile = |token: &CancelToken| raster::Pipeline::new_until(device, &desc, token, None);
        let pipeline = interruptible(py, &CancelToken::new(), compile)?;
        let layout = std::mem::take(&mut desc.input_layout);
        let stages = sources.map(|stage, source| {
            let shader = pipeline.shader(stage)?.clone();
            Some(Program::new(device.clone(), shader, source?))
        });
        Ok(Self { pipeline, stages, layout, formats, depth_format })
    }

    /// The bindings of each of its shaders: a name is of one of them, or of both. All that a shader declares must be
    /// bound, as in a dispatch.
    fn bindings(&self, values: &Bound<'_, PyDict>) -> PyResult<Stages<Option<Bindings>>> {
        for name in values.keys() {
            let name: String = name.extract()?;
            if self.stages.present().all(|(_, shader)| shader.register(&name).is_err()) {
                let message = format!("neither shader has a register {name:?}");
                return Err(Failure::new(ErrorKind::Binding, message).into());
            }
        }
        let rules = BindingRules::COMPLETE.allow(Leniency::Undeclared);
        let mut bindings = Stages::default();
        for (stage, shader) in self.stages.present() {
            bindings[stage] = Some(shader.bindings(values, rules)?);
        }
        Ok(bindings)
    }
}

#[pymethods]
impl Pipeline {
    /// A draw of `count` vertices, or indices.
    ///
    /// `vertices` are the vertex buffers from slot 0 on: arrays whose first axis goes from vertex to vertex. `indices`
    /// is an array of 16 or 32 bits. `bindings` are those of both shaders, as for `Shader.dispatch`. `viewport` is
    /// left, top, width, height, and optionally minimum and maximum depth; `scissor` left, top, right, bottom, in
    /// pixels. By default both are the whole target. `sample_mask` has a bit for each sample, the first in the lowest
    /// bit: others than those are not drawn.
    #[pyo3(signature = (count=None, *, vertices=None, indices=None, bindings=None, instances=1, first=0, base_vertex=0,
        first_instance=0, viewport=None, scissor=None, blend_factor=None, stencil_reference=0,
        sample_mask=0xffff_ffff))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn draw(
        slf: &Bound<'_, Self>,
        count: Option<u32>,
        vertices: Option<&Bound<'_, PyAny>>,
        indices: Option<&Bound<'_, PyAny>>,
        bindings: Option<&Bound<'_, PyDict>>,
        instances: u32,
        first: u32,
        base_vertex: i32,
        first_instance: u32,
        viewport: Option<Vec<f32>>,
        scissor: Option<[i32; 4]>,
        blend_factor: Option<[f32; 4]>,
        stencil_reference: u8,
        sample_mask: u32,
    ) -> PyResult<Draw> {
        let py = slf.py();
        let mut lengths = Vec::new();
        let mut vertex_buffers = Vec::new();
        for (slot, vertices) in (0..).zip(vertices.map(vertex_arrays).transpose()?.into_iter().flatten()) {
            let array = Array::new(&vertices)?;
            vertices::check(slot, &vertices, &array, &slf.get().layout)?;
            let (count, stride_bytes) = rows(&array)?;
            lengths.push(count);
            vertex_buffers.push(VertexBuffer { buffer: array.into_buffer()?, offset_bytes: 0, stride_bytes });
        }
        let index_buffer = indices.map(|indices| -> PyResult<_> {
            let array = Array::new(indices)?;
            let item = array.item_bytes();
            if !matches!(item, 2 | 4) || !matches!(array.numbers(), Some(Numbers::Signed | Numbers::Unsigned)) {
                let message = "indices are integers of 2 or 4 bytes: indices.astype(numpy.uint32) makes a copy";
                return Err(Failure::resource(message).into());
            }
            lengths = vec![u32::try_from(array.shape().iter().product::<usize>()).unwrap_or(u32::MAX)];
            Ok(IndexBuffer { buffer: array.into_buffer()?, offset_bytes: 0, is_short: item == 2 })
        });
        let index_buffer = index_buffer.transpose()?;
        let count = count.or(lengths.first().copied()).ok_or_else(|| {
            Failure::new(ErrorKind::Call, "how many vertices: neither `count` nor `vertices` nor `indices` says it")
        })?;
        let none = PyDict::new(py);
        let bindings = slf.get().bindings(bindings.unwrap_or(&none))?;
        let scissor = scissor.map(|[left, top, right, bottom]| Bounds { left, top, right, bottom });
        Ok(Draw {
            pipeline: slf.clone().unbind(),
            count,
            vertex_buffers,
            index_buffer,
            bindings,
            instances,
            first,
            base_vertex,
            first_instance,
            viewport: viewport.as_deref().map(parse_viewport).transpose()?,
            scissor,
            blend_factor: blend_factor.unwrap_or([1.0; 4]),
            stencil_reference,
            sample_mask,
        })
    }
}

/// A draw. `Pipeline.draw` makes it, `Device.draw` executes it.
#[pyclass(frozen, module = "brolga")]
pub struct Draw {
    pipeline: Py<Pipeline>,
    count: u32,
    vertex_buffers: Vec<VertexBuffer>,
    index_buffer: Option<IndexBuffer>,
    bindings: Stages<Option<Bindings>>,
    instances: u32,
    first: u32,
    base_vertex: i32,
    first_instance: u32,
    viewport: Option<Viewport>,
    scissor: Option<Bounds>,
    blend_factor: [f32; 4],
    stencil_reference: u8,
    sample_mask: u32,
}

impl Draw {
    fn parts(&self) -> raster::Draw<'_> {
        let mut draw = raster::Draw::new(&self.pipeline.get().pipeline, self.count);
        draw.bindings = Stages::from_fn(|stage| self.bindings[stage].as_ref());
        draw.vertex_buffers = self.vertex_buffers.clone();
        draw.index_buffer = self.index_buffer.clone();
        (draw.first, draw.base_vertex) = (self.first, self.base_vertex);
        (draw.instances, draw.first_instance) = (self.instances, self.first_instance);
        (draw.viewport, draw.scissor) = (self.viewport, self.scissor);
        (draw.blend_factor, draw.stencil_reference) = (self.blend_factor, self.stencil_reference);
        draw.sample_mask = self.sample_mask;
        draw
    }
}

/// Draws into targets; returns the statistics of each draw.
pub fn draw<'py>(
    py: Python<'py>,
    device: &brolga::Device,
    draws: &[Bound<'py, Draw>],
    targets: &[Bound<'py, PyAny>],
    depth: Option<&Bound<'py, PyAny>>,
    time_limit: Option<Duration>,
    cancel: &CancelToken,
) -> PyResult<Bound<'py, PyList>> {
    let Some(first) = draws.first() else { return Ok(PyList::empty(py)) };
    let pipeline = first.get().pipeline.get();
    let mut colors = Vec::new();
    for (n, object) in targets.iter().enumerate() {
        let format = pipeline.formats.get(n).copied().ok_or_else(|| {
            let (found, count) = (targets.len(), pipeline.formats.len());
            Failure::new(ErrorKind::Call, format!("{found} targets for a pipeline with {count}"))
        })?;
        colors.push(target(object, format)?.get().view.clone());
    }
    let depth = depth.map(|object| target(object, pipeline.depth_format.unwrap_or(Format::D32_FLOAT))).transpose()?;
    let targets = Targets { colors, depth: depth.map(|depth| DepthView::new(depth.get().view.clone())) };
    let draws: Vec<_> = draws.iter().map(|draw| draw.get()).collect();
    let work = |token: &CancelToken| -> Result<Vec<Statistics>, DrawError> {
        let mut limits = Dispatch::new([0; 3]).cancel(token.clone());
        limits.time_limit = time_limit;
        let mut pass = Pass::new(device, targets)?.with_limits(&limits);
        for draw in draws {
            pass.draw(&draw.parts())?;
        }
        pass.finish()
    };
    let statistics = interruptible(py, cancel, work)?;
    PyList::new(py, statistics.iter().map(|one| described(py, one)).collect::<PyResult<Vec<_>>>()?)
}

fn described<'py>(py: Python<'py>, statistics: &Statistics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in [
        ("vertices", statistics.vertices),
        ("primitives", statistics.primitives),
        ("vertex_invocations", statistics.vertex_invocations),
        ("clipper_invocations", statistics.clipper_invocations),
        ("clipper_primitives", statistics.clipper_primitives),
        ("pixel_invocations", statistics.pixel_invocations),
        ("samples", statistics.samples),
    ] {
        dict.set_item(key, value)?;
    }
    Ok(dict)
}

/// The arrays of a list: an array alone would be taken for a list of vertices.
fn vertex_arrays<'py>(list: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if list.is_instance_of::<PyList>() || list.is_instance_of::<PyTuple>() {
        return list.extract();
    }
    let name = list.get_type().name()?;
    let message = format!("vertices are a list with an array for each slot, not a {name}");
    Err(Failure::new(ErrorKind::Call, message).into())
}

/// Vertices of an array, and bytes of each.
fn rows(array: &Array) -> Result<(u32, u32), Failure> {
    let [count, inner @ ..] = array.shape() else {
        return Err(Failure::resource("an array of vertices has an axis from vertex to vertex, this one has none"));
    };
    let stride = inner.iter().product::<usize>() * array.item_bytes();
    let number = |value: usize| u32::try_from(value).map_err(|_| Failure::resource("there are too many vertices"));
    Ok((number(*count)?, number(stride)?))
}

/// Left, top, width, height, and optionally depths.
fn parse_viewport(numbers: &[f32]) -> Result<Viewport, Failure> {
    let (min_depth, max_depth) = match *numbers {
        [_, _, _, _] => (0.0, 1.0),
        [_, _, _, _, least, greatest] => (least, greatest),
        _ => {
            let message = "a viewport is left, top, width, height, and perhaps the least and the greatest depth";
            return Err(Failure::new(ErrorKind::Call, message));
        }
    };
    Ok(Viewport { left: numbers[0], top: numbers[1], width: numbers[2], height: numbers[3], min_depth, max_depth })
}
