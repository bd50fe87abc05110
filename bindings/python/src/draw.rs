//! Defines pipelines and draws with them.

use brolga::raster::{self, Bounds, DrawError, IndexBuffer, InputElement, StreamTarget, VertexBuffer, Viewport};
use brolga::{BindingRules, Bindings, CancelToken, ErrorKind, Format, Leniency, Module, Stages};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::array::{Array, Numbers, to_json};
use crate::bindings::Program;
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::source::load;
use crate::stream::{self, array_of};
use crate::vertices::{self, input_layout};
use crate::view::parse_format;

/// Shaders, compiled with the state around them. `Device.pipeline` makes it.
#[pyclass(frozen, module = "brolga")]
pub struct Pipeline {
    pipeline: raster::Pipeline,
    stages: Stages<Option<Program>>,
    /// The vertex shader's inputs.
    layout: Vec<InputElement>,
    pub formats: Vec<Format>,
    pub depth_format: Option<Format>,
}

impl Pipeline {
    #[expect(clippy::too_many_arguments, reason = "it has the parts of a pipeline")]
    pub fn new(
        py: Python<'_>,
        device: &brolga::Device,
        shaders: Stages<Option<&Bound<'_, PyAny>>>,
        inputs: Option<&Bound<'_, PyAny>>,
        stream_output: Option<&Bound<'_, PyAny>>,
        targets: &[String],
        depth: Option<&str>,
        (samples, center_pattern): (u32, bool),
        state: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        // A declaration is a dtype, or else in the words of documents.
        let dtype = stream_output.filter(|output| output.hasattr("fields").unwrap_or(false));
        if let (Some(output), None) = (stream_output, dtype) {
            state.set_item("stream_out", output)?;
        }
        let json = to_json(state)?;
        let (mut sources, mut modules) = (Stages::default(), Stages::default());
        for (stage, shader) in shaders.present() {
            sources[stage] = Some(load(shader)?);
        }
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
        if let Some(dtype) = dtype {
            desc.stream_output = Some(stream::declaration(dtype)?);
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

    /// The bindings of each of its shaders: a name is of one of them, or of several. All that a shader declares must be
    /// bound, as in a dispatch.
    fn bindings(&self, values: &Bound<'_, PyDict>) -> PyResult<Stages<Option<Bindings>>> {
        for name in values.keys() {
            let name: String = name.extract()?;
            if self.stages.present().all(|(_, shader)| shader.register(&name).is_err()) {
                let message = format!("none of the shaders has a register {name:?}");
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
    /// is an array of 16 or 32 bits. `bindings` are those of all shaders, as for `Shader.dispatch`. `viewport` is left,
    /// top, width, height, and optionally minimum and maximum depth; `scissor` left, top, right, bottom, in pixels. By
    /// default both are the whole target. `sample_mask` has a bit for each sample, the first in the lowest bit: others
    /// than those are not drawn.
    ///
    /// `stream_targets` are what the pipeline's `stream_output` is written to, from slot 0 on: arrays or `Buffer`s,
    /// which are written from their begin on, tuples of one and the byte where writing begins, a multiple of 4, or -1 to
    /// go on where the draw before ended, and None. Primitives that do not fit whole are not written.
    #[pyo3(signature = (count=None, *, vertices=None, indices=None, bindings=None, instances=1, first=0, base_vertex=0,
        first_instance=0, viewport=None, scissor=None, blend_factor=None, stencil_reference=0,
        sample_mask=0xffff_ffff, stream_targets=None))]
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
        stream_targets: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Draw> {
        let py = slf.py();
        let mut lengths = Vec::new();
        let mut vertex_buffers = Vec::new();
        for (slot, vertices) in (0..).zip(vertices.map(vertex_arrays).transpose()?.into_iter().flatten()) {
            let object = array_of(&vertices);
            let array = Array::new(&object)?;
            vertices::check(slot, &object, &array, &slf.get().layout)?;
            let (count, stride_bytes) = rows(&array)?;
            lengths.push(count);
            let buffer = match vertices.cast::<stream::Buffer>() {
                Ok(own) => own.get().buffer.clone(),
                Err(_) => array.into_buffer()?,
            };
            vertex_buffers.push(VertexBuffer { buffer, offset_bytes: 0, stride_bytes });
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
            is_auto: false,
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
            stream_targets: stream::targets(&stream_targets.unwrap_or_default())?,
        })
    }

    /// A draw of all vertices that draws before it have streamed out to `vertices[0]`, a `Buffer`, by the time at which
    /// it is drawn. A partial vertex at the end is left out. The rest is as for `draw`.
    #[pyo3(signature = (vertices, *, bindings=None, viewport=None, scissor=None, blend_factor=None, stencil_reference=0,
        sample_mask=0xffff_ffff, stream_targets=None))]
    #[expect(clippy::too_many_arguments, reason = "Python has them by name")]
    fn draw_auto(
        slf: &Bound<'_, Self>,
        vertices: &Bound<'_, PyAny>,
        bindings: Option<&Bound<'_, PyDict>>,
        viewport: Option<Vec<f32>>,
        scissor: Option<[i32; 4]>,
        blend_factor: Option<[f32; 4]>,
        stencil_reference: u8,
        sample_mask: u32,
        stream_targets: Option<Vec<Bound<'_, PyAny>>>,
    ) -> PyResult<Draw> {
        // An array alone does not know what is in it.
        if !vertex_arrays(vertices)?.first().is_some_and(|first| first.is_instance_of::<stream::Buffer>()) {
            let message = "what is drawn is what was streamed out to vertices[0]: it must be a Buffer";
            return Err(Failure::new(ErrorKind::Call, message).into());
        }
        let draw = Self::draw(
            slf,
            Some(0),
            Some(vertices),
            None,
            bindings,
            1,
            0,
            0,
            0,
            viewport,
            scissor,
            blend_factor,
            stencil_reference,
            sample_mask,
            stream_targets,
        )?;
        Ok(Draw { is_auto: true, ..draw })
    }
}

/// A draw. `Pipeline.draw` makes it, `Device.draw` and `Pass.draw` execute it.
#[pyclass(frozen, module = "brolga")]
pub struct Draw {
    pub pipeline: Py<Pipeline>,
    /// `true` if the number of its vertices is what was streamed out.
    is_auto: bool,
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
    stream_targets: Vec<Option<StreamTarget>>,
}

impl Draw {
    /// Adds it to a pass.
    pub fn add_to(&self, pass: &mut raster::Pass<'_>) -> Result<(), DrawError> {
        let parts = self.parts();
        if self.is_auto { pass.draw_auto(&parts) } else { pass.draw(&parts) }.map(|_| ())
    }

    fn parts(&self) -> raster::Draw<'_> {
        let mut draw = raster::Draw::new(&self.pipeline.get().pipeline, self.count);
        draw.bindings = Stages::from_fn(|stage| self.bindings[stage].as_ref());
        draw.vertex_buffers = self.vertex_buffers.clone();
        draw.index_buffer = self.index_buffer.clone();
        (draw.first, draw.base_vertex) = (self.first, self.base_vertex);
        (draw.instances, draw.first_instance) = (self.instances, self.first_instance);
        (draw.viewport, draw.scissor) = (self.viewport, self.scissor);
        (draw.blend_factor, draw.stencil_reference) = (self.blend_factor, self.stencil_reference);
        (draw.sample_mask, draw.stream_targets) = (self.sample_mask, self.stream_targets.clone());
        draw
    }
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
