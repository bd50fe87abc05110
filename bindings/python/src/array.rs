//! Shares the memory of Python's arrays with shaders, and back, without copies: NumPy's arrays and all else that has
//! the buffer protocol or DLPack.
//!
//! A buffer over an array holds an export of it, as the buffer protocol calls it, and a weak reference. Each makes
//! NumPy refuse to resize or free the array until the buffer is gone.

use std::ffi::c_int;
use std::ops::Range;
use std::ptr::NonNull;

use brolga::document::NumberType;
use brolga::files::{self, Bytes};
use brolga::{Access, Buffer, ErrorKind};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyMemoryView, PyTuple, PyWeakrefReference};

use crate::error::Failure;

/// The kind of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Float,
    Signed,
    Unsigned,
}

impl Numbers {
    /// The kind of a format's components, and the bits of each, if all are alike.
    pub fn of_format(name: &str) -> Option<(Self, usize)> {
        let (channels, meaning) = name.strip_suffix("_SRGB").unwrap_or(name).rsplit_once('_')?;
        let mut widths = channels.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let bits: usize = widths.next()?.parse().ok()?;
        if widths.any(|other| other.parse() != Ok(bits)) || !matches!(bits, 8 | 16 | 32) {
            return None;
        }
        let numbers = match meaning {
            "FLOAT" => Numbers::Float,
            "SINT" | "SNORM" => Numbers::Signed,
            "UINT" | "UNORM" => Numbers::Unsigned,
            _ => return None,
        };
        Some((numbers, bits))
    }

    /// NumPy's name for such numbers of `bits` bits.
    pub fn name(self, bits: usize) -> String {
        let name = match self {
            Numbers::Float => "float",
            Numbers::Signed => "int",
            Numbers::Unsigned => "uint",
        };
        format!("{name}{bits}")
    }
}

/// An array of Python, held so that its memory is not moved.
pub struct Array {
    export: PyUntypedBuffer,
    /// As long as it exists, NumPy does not even resize the array without the check of references.
    _weak: Option<Py<PyWeakrefReference>>,
}

impl Array {
    /// Holds an array, or another object with the buffer protocol or DLPack.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let export = export(object)?;
        check_elements(&export)?;
        check_bases(object)?;
        if export.suboffsets().is_some() {
            let message =
                "the elements are behind pointers: numpy.ascontiguousarray makes a copy in which they are not";
            return Err(Failure::resource(message).into());
        }
        // The memory of a view is its base's.
        let base = object.getattr_opt("base")?.filter(|base| !base.is_none());
        let weak = PyWeakrefReference::new(base.as_ref().unwrap_or(object)).ok().map(Bound::unbind);
        Ok(Self { export, _weak: weak })
    }

    /// Elements along each axis.
    pub fn shape(&self) -> &[usize] {
        self.export.shape()
    }

    /// Bytes from one element to the next along each axis.
    pub fn strides(&self) -> &[isize] {
        self.export.strides()
    }

    /// Bytes of an element.
    pub fn item_bytes(&self) -> usize {
        self.export.item_size()
    }

    /// `true` if its elements are contiguous, the last axis innermost.
    pub fn is_contiguous(&self) -> bool {
        self.export.is_c_contiguous()
    }

    /// `true` if it may not be written.
    pub fn is_read_only(&self) -> bool {
        self.export.readonly()
    }

    /// The address of the first byte of all elements.
    pub fn address(&self) -> usize {
        self.export.buf_ptr().addr()
    }

    /// Bytes of all elements.
    pub fn size_bytes(&self) -> usize {
        self.export.len_bytes()
    }

    /// The kind of its elements, if they are numbers.
    pub fn numbers(&self) -> Option<Numbers> {
        match self.export.format().to_bytes() {
            [b'=' | b'<' | b'@', letter] | [letter] => match letter {
                b'e' | b'f' | b'd' => Some(Numbers::Float),
                b'b' | b'h' | b'i' | b'l' | b'q' | b'n' => Some(Numbers::Signed),
                b'B' | b'H' | b'I' | b'L' | b'Q' | b'N' | b'?' => Some(Numbers::Unsigned),
                _ => None,
            },
            _ => None,
        }
    }

    /// NumPy's name for its elements.
    pub fn type_name(&self) -> String {
        match (self.numbers(), self.export.format().to_bytes()) {
            (Some(_), [.., b'?']) => "bool".to_owned(),
            (Some(numbers), _) => numbers.name(8 * self.item_bytes()),
            (None, other) => String::from_utf8_lossy(other).into_owned(),
        }
    }

    /// `true` if its elements can be numbers of this kind and size, or parts of them: bytes can be anything, and so can
    /// elements that are not numbers. Integers may have the other sign.
    pub fn holds(&self, (numbers, bits): (Numbers, usize)) -> bool {
        let is_float = |numbers: Numbers| numbers == Numbers::Float;
        let is_bool = self.export.format().to_bytes().ends_with(b"?");
        match self.numbers() {
            Some(_) if is_bool => false,
            Some(own) => self.item_bytes() == 1 || 8 * self.item_bytes() == bits && is_float(own) == is_float(numbers),
            None => true,
        }
    }

    /// Rejects an array whose numbers are none of those that the shader's source has in a buffer, with advice on how to
    /// convert it.
    pub fn check_types(&self, place: &str, types: &[NumberType]) -> Result<(), Failure> {
        let number = |number_type: &NumberType| match number_type {
            NumberType::F32 => (Numbers::Float, 32),
            NumberType::F64 => (Numbers::Float, 64),
            NumberType::I32 => (Numbers::Signed, 32),
            _ => (Numbers::Unsigned, 32),
        };
        let numbers: Vec<_> = types.iter().map(number).collect();
        let fits = |&number: &(Numbers, usize)| self.holds(number);
        let Some(first) = numbers.first().filter(|_| !numbers.iter().any(fits)) else { return Ok(()) };
        let names = numbers.iter().map(|(numbers, bits)| numbers.name(*bits)).collect::<Vec<_>>().join(" and ");
        let (found, wanted) = (self.type_name(), first.0.name(first.1));
        let same_bits = match 8 * self.item_bytes() == first.1 {
            true => format!(", array.view(numpy.{wanted}) means its bits"),
            false => String::new(),
        };
        Err(Failure::resource(format!(
            "{place} has {names} in the shader's source, and the array has {found}: array.astype(numpy.{wanted}) makes a copy \
             that fits{same_bits}"
        )))
    }

    /// A buffer over all of it.
    pub fn into_buffer(self) -> Result<Buffer, Failure> {
        if !self.is_contiguous() {
            let message =
                "the elements do not lie one after the other: numpy.ascontiguousarray makes a copy in which they do";
            return Err(Failure::resource(message));
        }
        let size_bytes = self.size_bytes();
        self.into_bytes(size_bytes)
    }

    /// A buffer over `size_bytes` bytes from its first element on, all of which must be its own.
    pub fn into_bytes(self, size_bytes: usize) -> Result<Buffer, Failure> {
        let access = if self.is_read_only() { Access::Read } else { Access::ReadWrite };
        // An array without elements may have any address.
        let base = match NonNull::new(self.export.buf_ptr()).filter(|_| size_bytes > 0) {
            Some(base) => base.cast(),
            None => NonNull::<u32>::dangling().cast(),
        };
        // SAFETY: the export keeps the memory valid and in place, for reads, and unless it is read-only for writes. It
        // is dropped with the buffer. Rust has no reference to the memory; Python's accesses are C's.
        Ok(unsafe { Buffer::wrap(base, size_bytes, access, Owner(self)) }?)
    }
}

/// The memory of an object, by the buffer protocol or DLPack.
fn export(object: &Bound<'_, PyAny>) -> PyResult<PyUntypedBuffer> {
    let error = match PyUntypedBuffer::get(object) {
        Ok(export) => return Ok(export),
        Err(error) => error,
    };
    // Arrays of ctypes have no strides, which a memoryview computes.
    if let Ok(view) = PyMemoryView::from(object)
        && let Ok(export) = PyUntypedBuffer::get(&view)
    {
        return Ok(export);
    }
    let name = object.get_type().name()?;
    if object.getattr_opt("ndim")?.is_some_and(|axes| axes.eq(0).unwrap_or(false)) {
        let message = format!("a {name} without axes: numpy.reshape(array, 1) sees it with one");
        return Err(Failure::resource(message).into());
    }
    if !object.hasattr("__dlpack__")? {
        let message = format!("a {name} has neither the buffer protocol nor DLPack: {error}");
        return Err(Failure::resource(message).into());
    }
    let imported = object.py().import("numpy")?.call_method1("from_dlpack", (object,));
    let refused = |second| Failure::resource(format!("a {name} cannot be memory of a shader: {error}; {second}"));
    Ok(imported.and_then(|array| PyUntypedBuffer::get(&array)).map_err(refused)?)
}

const OBJECTS: &str = "the elements are Python's objects: numpy.array(values, numpy.float32) has numbers";

/// Rejects views of some fields of elements that have objects in others: to the view those are padding, which shaders
/// may write.
fn check_bases(object: &Bound<'_, PyAny>) -> PyResult<()> {
    /// NumPy's views refer to the owner of the memory, so that chains are short.
    const MOST: usize = 64;
    let mut next = Some(object.clone());
    for _ in 0..MOST {
        let Some(array) = next else { return Ok(()) };
        if let Some(dtype) = array.getattr_opt("dtype")?
            && let Some(has_objects) = dtype.getattr_opt("hasobject")?
            && has_objects.is_truthy()?
        {
            return Err(Failure::resource(OBJECTS).into());
        }
        // A memoryview's has another name.
        let base = array.getattr_opt("base")?.filter(|base| !base.is_none());
        next = match base {
            Some(base) => Some(base),
            None => array.getattr_opt("obj")?.filter(|base| !base.is_none()),
        };
    }
    Err(Failure::resource("the array is a view of a view, and so on: numpy.array(array) makes a copy").into())
}

/// Rejects objects, whose pointers shaders would overwrite, and numbers that they would read wrongly.
fn check_elements(export: &PyUntypedBuffer) -> Result<(), Failure> {
    // Between colons are the names of fields.
    for code in export.format().to_bytes().split(|&byte| byte == b':').step_by(2).flatten() {
        match code {
            b'O' => return Err(Failure::resource(OBJECTS)),
            b'>' => {
                let message = "the bytes of each element have another order than this processor's: \
                               array.astype(array.dtype.newbyteorder(\"=\")) makes a copy in its order";
                return Err(Failure::resource(message));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Keeps an array for as long as a buffer is over it.
struct Owner(#[expect(dead_code, reason = "it is there to be dropped")] Array);

/// Memory of a buffer of the library, as an object with the buffer protocol.
#[pyclass(frozen, module = "brolga", name = "_Memory")]
struct Memory {
    buffer: Buffer,
    range: Range<u64>,
}

#[pymethods]
impl Memory {
    /// # Safety
    /// Called by Python under the rules of the buffer protocol.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let memory = slf.get();
        let size = memory.range.end - memory.range.start;
        let base = memory.buffer.as_ptr().wrapping_add(memory.range.start as usize);
        let is_read_only = c_int::from(!memory.buffer.is_writable());
        // SAFETY: the view is Python's. It gets a reference to this object, which keeps the buffer, and the range is
        // inside.
        let done = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), base.cast(), size as ffi::Py_ssize_t, is_read_only, flags)
        };
        if done < 0 { Err(PyErr::fetch(slf.py())) } else { Ok(()) }
    }
}

/// The content of a range of a buffer as an array of NumPy's, without a copy. The array keeps the buffer.
pub fn to_numpy<'py>(
    py: Python<'py>,
    buffer: &Buffer,
    range: Range<u64>,
    array: &files::Array,
) -> PyResult<Bound<'py, PyAny>> {
    let numpy = py.import("numpy")?;
    let memory = Bound::new(py, Memory { buffer: buffer.clone(), range: range.clone() })?;
    let has_all = array.size_bytes().is_some_and(|bytes| bytes <= range.end - range.start);
    if !has_all {
        return numpy.call_method1("frombuffer", (memory, "u1"));
    }
    let count: u64 = array.sides.iter().product();
    let flat = numpy.call_method1("frombuffer", (memory, array.element.to_string(), count))?;
    flat.call_method1("reshape", (PyTuple::new(py, &array.sides)?,))
}

/// The bytes of a result as an array, without a copy.
pub fn bytes_to_numpy<'py>(py: Python<'py>, bytes: &Bytes, array: &files::Array) -> PyResult<Bound<'py, PyAny>> {
    match bytes {
        Bytes::View(view) => match view.bytes() {
            Some((buffer, range)) => to_numpy(py, buffer, range, array),
            None => Err(Failure::resource("a sampler has no bytes").into()),
        },
        Bytes::Buffer(buffer) => to_numpy(py, buffer, 0..buffer.size_bytes(), array),
        owned => {
            let bytes = owned.to_vec().map_err(|error| Failure::from(brolga::Error::from(error)))?;
            let flat = py.import("numpy")?.call_method1("frombuffer", (PyByteArray::new(py, &bytes), "u1"))?;
            let typed = flat.call_method1("view", (array.element.to_string(),))?;
            typed.call_method1("reshape", (PyTuple::new(py, &array.sides)?,))
        }
    }
}

/// A value as JSON, with arrays as lists. Floats that JSON does not have are the texts "nan", "inf" and "-inf", as in
/// documents.
pub fn to_json(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let (json, options) = (py.import("json")?, PyDict::new(py));
    options.set_item("default", py.import("operator")?.call_method1("methodcaller", ("tolist",))?)?;
    let dumped = json.call_method("dumps", (value,), Some(&options)).map_err(|error| {
        let message = format!("values are numbers, texts, lists, arrays and dicts, and these are not: {error}");
        Failure::new(ErrorKind::Call, message)
    })?;
    let text: String = dumped.extract()?;
    if !text.contains("NaN") && !text.contains("Infinity") {
        return Ok(text);
    }
    let texts = PyDict::new(py);
    for (number, text) in [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")] {
        texts.set_item(number, text)?;
    }
    let options = PyDict::new(py);
    options.set_item("parse_constant", texts.getattr("get")?)?;
    json.call_method1("dumps", (json.call_method("loads", (dumped,), Some(&options))?,))?.extract()
}
