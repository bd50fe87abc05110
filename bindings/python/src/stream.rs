//! Streams vertices out to arrays: buffers that know how far they are filled, and the declarations of pipelines.

use brolga::raster::{StreamOutput, StreamOutputEntry, StreamTarget};
use brolga::{ErrorKind, Semantic};
use pyo3::prelude::*;
use pyo3::types::{PyMappingProxy, PyTuple};

use crate::array::Array;
use crate::error::Failure;

/// Buffer(array)
///
/// A contiguous array that vertices are streamed out to, which knows how far: later draws may go on there, and
/// `Pipeline.draw_auto` draws what is there. It can be bound, and be vertices, as the array can.
#[pyclass(frozen, module = "brolga")]
pub struct Buffer {
    pub array: Py<PyAny>,
    pub buffer: brolga::Buffer,
}

#[pymethods]
impl Buffer {
    #[new]
    fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { array: array.clone().unbind(), buffer: Array::new(array)?.into_buffer()? })
    }

    /// The array.
    #[getter]
    fn array(&self, py: Python<'_>) -> Py<PyAny> {
        self.array.clone_ref(py)
    }

    /// The byte at which the last draw that streamed out to it ended; 0 if there was none.
    #[getter]
    fn filled_bytes(&self) -> u64 {
        self.buffer.filled_bytes()
    }

    fn __repr__(&self) -> String {
        format!("<brolga.Buffer of {} bytes, {} filled>", self.buffer.size_bytes(), self.filled_bytes())
    }
}

/// The memory of an array, or of a buffer over one.
pub fn buffer(object: &Bound<'_, PyAny>) -> PyResult<brolga::Buffer> {
    match object.cast::<Buffer>() {
        Ok(buffer) => Ok(buffer.get().buffer.clone()),
        Err(_) => Ok(Array::new(object)?.into_buffer()?),
    }
}

/// The array itself, or that of a buffer.
pub fn array_of<'py>(object: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    match object.cast::<Buffer>() {
        Ok(buffer) => buffer.get().array.bind(object.py()).clone(),
        Err(_) => object.clone(),
    }
}

/// The buffers that a draw streams vertices out to: in each slot none, one that is written from its begin on, or a
/// tuple with the byte where that begins, -1 to go on.
pub fn targets(list: &[Bound<'_, PyAny>]) -> PyResult<Vec<Option<StreamTarget>>> {
    list.iter().map(target).collect()
}

fn target(object: &Bound<'_, PyAny>) -> PyResult<Option<StreamTarget>> {
    if object.is_none() {
        return Ok(None);
    }
    let Ok(tuple) = object.cast::<PyTuple>() else {
        return Ok(Some(StreamTarget { buffer: buffer(object)?, offset_bytes: Some(0) }));
    };
    let (object, offset_bytes) = match tuple.extract::<(Bound<'_, PyAny>, i64)>() {
        Ok((object, -1)) => (object, None),
        Ok((object, offset)) if offset >= 0 => (object, Some(offset as u64)),
        _ => {
            let message = format!(
                "what is streamed out to is a buffer, or a tuple of one and the byte where writing begins, -1 to go on, \
                 not {tuple}"
            );
            return Err(Failure::new(ErrorKind::Call, message).into());
        }
    };
    Ok(Some(StreamTarget { buffer: buffer(&object)?, offset_bytes }))
}

/// What the fields of a dtype say: the outputs with their names go to buffer 0, at their offsets, and their stream is
/// rasterized, too.
pub fn declaration(dtype: &Bound<'_, PyAny>) -> PyResult<StreamOutput> {
    let Ok(fields) = dtype.getattr("fields")?.cast_into::<PyMappingProxy>() else {
        let message = "stream output is a dtype without fields: their names are those of the outputs' semantics";
        return Err(Failure::new(ErrorKind::Call, message).into());
    };
    let mut places = Vec::new();
    for field in fields.items()?.try_iter()? {
        let (name, info): (String, Bound<'_, PyTuple>) = field?.extract()?;
        let (kind, offset) = (info.get_item(0)?, info.get_item(1)?.extract::<u32>()?);
        places.push((offset, words(&kind)?, name));
    }
    places.sort();
    let (mut entries, mut end) = (Vec::new(), 0);
    for (offset, words, name) in places {
        let gap = offset.checked_sub(end).filter(|gap| gap.is_multiple_of(4));
        let (Some(gap), Some(words)) = (gap, words) else {
            let message = format!(
                "the field {name:?} is no output: it has numbers of 4 bytes, in this processor's order, at a multiple of 4, \
                 and overlaps no other"
            );
            return Err(Failure::resource(message).into());
        };
        if gap > 0 {
            entries.push(entry(None, gap / 4));
        }
        entries.push(entry(Some(semantic(&name)), words));
        end = offset + 4 * words;
    }
    let stride: u32 = dtype.getattr("itemsize")?.extract()?;
    Ok(StreamOutput { entries, strides: vec![stride], rasterized_stream: Some(0) })
}

/// Numbers of 4 bytes in a field, if it has such.
fn words(kind: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    let base = kind.getattr("base")?;
    let (letter, bytes): (char, u32) = (base.getattr("kind")?.extract()?, base.getattr("itemsize")?.extract()?);
    let is_native = base.getattr("isnative")?.is_truthy()?;
    let size: u32 = kind.getattr("itemsize")?.extract()?;
    Ok((matches!(letter, 'f' | 'i' | 'u') && bytes == 4 && is_native).then_some(size / 4))
}

fn entry(semantic: Option<Semantic>, components: u32) -> StreamOutputEntry {
    StreamOutputEntry { stream: 0, semantic, first_component: 0, components, buffer: 0 }
}

/// The semantic of a field's name: digits at its end are the number.
fn semantic(name: &str) -> Semantic {
    let letters = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    Semantic::new(letters, name[letters.len()..].parse().unwrap_or(0))
}
