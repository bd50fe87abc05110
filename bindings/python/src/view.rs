//! Defines values for bindings other than arrays: arrays with a format, textures, samplers.

use brolga::files::Array as Layout;
use brolga::{Buffer, Counter, Dimension, Format, GuardPages, Sampler as State, Texture as Texels, TextureShape};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array::{Array, to_json, to_numpy};
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::texels;

/// View(array, format=None, *, counter=None)
///
/// An array viewed in a format, or with a hidden counter.
///
/// `format` is a DXGI format without its prefix, as in "R8G8B8A8_UNORM_SRGB", for typed buffers and textures; the axes
/// after the array's first ones are one texel of it, or one block. `counter` is the first value of the hidden counter
/// of a structured buffer (append, consume); after a run `counter` is its value.
#[pyclass(frozen, module = "brolga")]
pub struct View {
    pub array: Py<PyAny>,
    pub format: Option<Format>,
    pub counter: Option<Counter>,
}

#[pymethods]
impl View {
    #[new]
    #[pyo3(signature = (array, format=None, *, counter=None))]
    fn new(array: Py<PyAny>, format: Option<&str>, counter: Option<u32>) -> PyResult<Self> {
        let format = format.map(parse_format).transpose()?;
        Ok(Self { array, format, counter: counter.map(Counter::new) })
    }

    /// The array.
    #[getter]
    fn array(&self, py: Python<'_>) -> Py<PyAny> {
        self.array.clone_ref(py)
    }

    /// The format's name, if it was given.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.format.map(Format::name)
    }

    /// The hidden counter, if there is one.
    #[getter]
    fn counter(&self) -> Option<u32> {
        self.counter.as_ref().map(Counter::get)
    }

    #[setter]
    fn set_counter(&self, value: u32) -> PyResult<()> {
        let missing = || Failure::resource("the view has no counter: View(array, counter=0) has one");
        self.counter.as_ref().ok_or_else(missing)?.set(value);
        Ok(())
    }
}

/// A texture with properties that an array cannot have: mip levels, samples, cubes, block formats, or a part of one.
/// `Device.texture` makes it.
#[pyclass(frozen, module = "brolga")]
pub struct Texture {
    pub view: brolga::View,
    texture: Texels,
}

impl Texture {
    pub fn of(texture: Texels) -> Self {
        Self { view: brolga::View::texture(texture.clone()), texture }
    }

    /// A texture of zeros for a layer of this one with one sample.
    fn one_sample(&self, format: Format) -> Result<Texels, Failure> {
        let shape = self.texture.shape();
        let shape = TextureShape::texture_2d(format, shape.width, shape.height);
        Ok(Texels::new(Buffer::zeroed(shape.size_bytes()?, GuardPages::default())?, shape)?)
    }
}

#[pymethods]
impl Texture {
    /// The format's name, as the view has it.
    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.view.format().map(Format::name)
    }

    /// The kind of texture, as in "texture2d".
    #[getter]
    fn dimension(&self) -> Option<&'static str> {
        self.view.dimension().map(Dimension::name)
    }

    /// The number of samples of a texel: 1, or more for a multisampled texture.
    #[getter]
    fn samples(&self) -> u32 {
        self.texture.shape().samples
    }

    /// The texels of a mip level of a layer, as an array over the texture's memory: (slices,) rows, texels of a row,
    /// components. Of the first mip level of a texture with one level it has all layers, as its first axis.
    ///
    /// The samples of a multisampled texture are planes, which count as layers here: sample k of layer l of a texture
    /// with n samples is plane l * n + k. So the first axis counts planes, and `layer` is the number of one.
    #[pyo3(signature = (mip=0, layer=None))]
    fn array<'py>(&self, py: Python<'py>, mip: u32, layer: Option<u32>) -> PyResult<Bound<'py, PyAny>> {
        let (buffer, shape) = (self.texture.buffer(), self.texture.shape());
        if shape.row_pitch_bytes.is_some() {
            let message = "rows of this texture lie apart: the array that it was made of has them";
            return Err(Failure::resource(message).into());
        }
        if let (1, None, 0) = (shape.mips, layer, mip) {
            // In files the samples of a texel are side by side, in memory they are planes.
            let layout = if shape.dimension.is_multisampled() {
                let sides = [shape.planes(), shape.height, shape.width];
                Layout::of_texels(shape.format, sides.map(u64::from).to_vec())
            } else {
                Layout::of_texture(shape)
            };
            return to_numpy(py, buffer, 0..buffer.size_bytes(), &layout);
        }
        let layer = layer.unwrap_or(0);
        let [width, height, depth] = self.texture.level(mip, layer).map_err(Failure::from)?.extents;
        let dimension = match shape.dimension {
            Dimension::Texture1d | Dimension::Texture1dArray => Dimension::Texture1d,
            Dimension::Texture3d => Dimension::Texture3d,
            _ => Dimension::Texture2d,
        };
        let level = TextureShape::new(dimension, shape.format, width).height(height).depth(depth);
        let range = self.texture.level_bytes(mip, layer).map_err(Failure::from)?;
        to_numpy(py, buffer, range, &Layout::of_texture(&level))
    }

    /// The same texture in another format, as another dimension, or in part: the first and the number of mip levels and
    /// layers.
    #[pyo3(signature = (*, format=None, dimension=None, mips=None, layers=None, min_level=None))]
    fn view(
        &self,
        format: Option<&str>,
        dimension: Option<&str>,
        mips: Option<(u32, u32)>,
        layers: Option<(u32, u32)>,
        min_level: Option<f32>,
    ) -> PyResult<Self> {
        let (format, dimension) = (format.map(parse_format).transpose()?, dimension.map(parse_dimension).transpose()?);
        let changed = (|| {
            let mut view = self.view.clone();
            if let Some(format) = format {
                view = view.with_format(format)?;
            }
            if let Some((first, count)) = mips {
                view = view.with_mips(first, count)?;
            }
            if let Some(dimension) = dimension {
                view = view.with_dimension(dimension)?;
            }
            if let Some((first, count)) = layers {
                view = view.with_layers(first, count)?;
            }
            match min_level {
                Some(level) => view.with_min_level(level),
                None => Ok(view),
            }
        })();
        Ok(Self { view: changed.map_err(Failure::from)?, texture: self.texture.clone() })
    }

    /// Generates the mip levels of the view after the first one.
    fn generate_mips(&self, py: Python<'_>) -> PyResult<()> {
        let make = |token: &brolga::CancelToken| self.view.generate_mips_until(&|| token.is_cancelled());
        interruptible(py, &brolga::CancelToken::new(), make)
    }

    /// Resolves a layer of a multisampled texture to a texture, or an array, with one sample and the same extents: each
    /// texel becomes the mean of its samples. Returns the texture resolved to; without `to` a new one.
    ///
    /// `mip` and `to_layer` are the mip level and the layer of `to`; levels and layers are those of whole textures, of
    /// which views may see a part. `format` says how texels of both are seen: by default as `to` sees them, or as this
    /// texture does if `to` is an array or not given. Integers and depths have no mean.
    #[pyo3(signature = (to=None, *, layer=0, mip=0, to_layer=0, format=None))]
    fn resolve<'py>(
        &self,
        py: Python<'py>,
        to: Option<&Bound<'py, PyAny>>,
        layer: u32,
        mip: u32,
        to_layer: u32,
        format: Option<&str>,
    ) -> PyResult<Bound<'py, Texture>> {
        let given = format.map(parse_format).transpose()?;
        let own = given.or(self.view.format()).unwrap_or(self.texture.shape().format);
        let to = match to {
            Some(to) => target(to, own)?,
            None => Bound::new(py, Self::of(self.one_sample(own)?))?,
        };
        let Texture { view, texture } = to.get();
        let format = given.or(view.format()).unwrap_or(own);
        let at = texture.level(mip, to_layer).map_err(Failure::from)?;
        let resolve = |token: &brolga::CancelToken| {
            self.texture.resolve_until(layer, texture, &at, format, &|| token.is_cancelled())
        };
        interruptible(py, &brolga::CancelToken::new(), resolve)?;
        Ok(to)
    }

    /// Hands the texels of `array()` to other libraries.
    #[pyo3(signature = (**options))]
    fn __dlpack__<'py>(&self, py: Python<'py>, options: Option<Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, 0, None)?.call_method("__dlpack__", (), options.as_ref())
    }

    fn __dlpack_device__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.array(py, 0, None)?.call_method0("__dlpack_device__")
    }

    fn __repr__(&self) -> String {
        let TextureShape { dimension, format, width, height, depth, layers, mips, samples, .. } = *self.texture.shape();
        let samples = if samples > 1 { format!(", {samples} samples") } else { String::new() };
        format!(
            "<brolga.Texture {dimension} {format} {width} x {height} x {depth}, {layers} layers, {mips} mip \
             levels{samples}>"
        )
    }
}

/// Sampler(filter="MIN_MAG_MIP_LINEAR", **state)
///
/// The state for sampling a texture. Names and keys are those of samplers in documents (docs/document.md): `filter`,
/// `address` (three of WRAP, MIRROR, CLAMP, BORDER, MIRROR_ONCE), `comparison`, `border`, `mip_lod_bias`, `min_lod`,
/// `max_lod`, `max_anisotropy`.
#[pyclass(frozen, module = "brolga")]
pub struct Sampler {
    pub state: State,
}

#[pymethods]
impl Sampler {
    #[new]
    #[pyo3(signature = (filter="MIN_MAG_MIP_LINEAR", **state))]
    fn new(py: Python<'_>, filter: &str, state: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let state = state.unwrap_or_else(|| PyDict::new(py));
        state.set_item("filter", filter)?;
        let state = brolga::document::sampler(&to_json(&state)?).map_err(Failure::from)?;
        Ok(Self { state })
    }
}

/// Makes a texture in memory of its own, or over an array's.
pub fn texture(device: &brolga::Device, shape: TextureShape, data: Option<&Bound<'_, PyAny>>) -> PyResult<Texture> {
    let texture = match data {
        None => device.texture(shape).map_err(Failure::from)?,
        Some(data) => Texels::new(Array::new(data)?.into_buffer()?, shape).map_err(Failure::from)?,
    };
    Ok(Texture::of(texture))
}

/// A target: a texture, or a new one over an array, in the array's own format or a given one, as a pipeline's.
pub fn target<'py>(object: &Bound<'py, PyAny>, format: Format) -> PyResult<Bound<'py, Texture>> {
    if let Ok(texture) = object.cast::<Texture>() {
        return Ok(texture.clone());
    }
    let texture = match object.cast::<View>() {
        Ok(view) => {
            let View { array, format: given, .. } = view.get();
            texels::texture(Array::new(array.bind(object.py()))?, Dimension::Texture2d, given.unwrap_or(format))
        }
        Err(_) => {
            let array = Array::new(object)?;
            texels::check_target(&array, format)?;
            texels::texture(array, Dimension::Texture2d, format)
        }
    };
    Bound::new(object.py(), Texture::of(texture?))
}

/// A format by its name.
pub fn parse_format(name: &str) -> Result<Format, Failure> {
    name.parse().map_err(|error: brolga::format::UnknownFormat| Failure::resource(error.to_string()))
}

/// A texture dimension by its name.
pub fn parse_dimension(name: &str) -> Result<Dimension, Failure> {
    Dimension::texture_named(name).ok_or_else(|| {
        let known: Vec<_> = Dimension::textures().map(Dimension::name).collect();
        Failure::resource(format!("{name:?} is no kind of texture: they are {}", known.join(", ")))
    })
}

/// One to three numbers.
pub fn triple(what: &str, value: &Bound<'_, PyAny>, rest: u32) -> PyResult<[u32; 3]> {
    if let Ok(number) = value.extract::<u32>() {
        return Ok([number, rest, rest]);
    }
    let wrong = || {
        Failure::new(
            brolga::ErrorKind::Call,
            format!("{what}: whole numbers from 0 to 4294967295, one or up to three of them, not {value}"),
        )
    };
    match value.extract::<Vec<u32>>().map_err(|_| wrong())?[..] {
        [x] => Ok([x, rest, rest]),
        [x, y] => Ok([x, y, rest]),
        [x, y, z] => Ok([x, y, z]),
        _ => Err(wrong().into()),
    }
}
