//! Loads shaders as they are given, from bytes, files and listings, and describes them.

use std::path::{Path, PathBuf};

use brolga::ErrorKind;
use brolga::bytecode::{Limits, assembler, info::Info, listing, sm3};
use brolga::document::{Language, is_listing};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyString;

use crate::error::Failure;

/// A shader as it was given: its bytes, and the file that they are from.
pub struct Source {
    pub bytes: Vec<u8>,
    path: Option<PathBuf>,
}

impl Source {
    /// The failure for an error, with the file's name, and with advice if the bytes are not a shader.
    pub fn refused(&self, error: impl Into<Failure>) -> Failure {
        let limits = Limits::default();
        let path = self.path.as_deref();
        let help = match Info::read(&self.bytes, &limits) {
            Ok(_) => None,
            Err(error) => brolga::document::advice(&error, path.unwrap_or(Path::new("")), &self.bytes),
        };
        error.into().in_file(path).with_help(help)
    }
}

/// The shader: given as bytes, in a file, or assembled from a listing. A text of one line is the path of a file.
pub fn load(source: &Bound<'_, PyAny>) -> PyResult<Source> {
    let has_lines = |text: &str| text.contains('\n');
    let (bytes, path) = if let Ok(bytes) = source.extract::<PyBackedBytes>() {
        (bytes.to_vec(), None)
    } else if let Some(text) = source.cast::<PyString>().ok().map(|text| text.extract::<String>()).transpose()?
        && has_lines(&text)
    {
        (text.into_bytes(), None)
    } else {
        let path: PathBuf = source.extract()?;
        // Bounded by the maximum size of a shader: a device or a pipe has no end.
        let read = brolga::files::read(&path, brolga::Limits::default().file.blob_bytes.into());
        let read = read.map_err(|error| Failure::new(ErrorKind::File, format!("{}: {error}", path.display())));
        (read?, Some(path))
    };
    let is_shader = bytes.starts_with(b"DXBC") || sm3::is_program(&bytes);
    let bytes = match String::from_utf8(bytes) {
        // Text in another language is rejected as a shader, and the message names the language.
        Ok(text)
            if !is_shader
                && has_lines(&text)
                && (is_listing(&text) || Language::of(path.as_deref(), &text).is_none()) =>
        {
            let assembled = assembler::assemble(&text, &Limits::default());
            assembled.map_err(|error| Failure::from(error).in_file(path.as_deref()))?.bytes
        }
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    Ok(Source { bytes, path })
}

/// The bytes of a shader from a listing.
pub fn assemble(text: &str) -> PyResult<Vec<u8>> {
    Ok(assembler::assemble(text, &Limits::default()).map_err(Failure::from)?.bytes)
}

/// The listing of a shader, as fxc's disassembler writes it, or one that loses nothing.
pub fn listing(source: &Bound<'_, PyAny>, exact: bool) -> PyResult<String> {
    let (source, limits) = (load(source)?, Limits::default());
    let bytes = &source.bytes;
    let text =
        if exact { listing::exact(bytes, &limits).map_err(Into::into) } else { listing::listing(bytes, &limits) };
    Ok(text.map_err(|error| source.refused(error))?)
}

/// Information about a shader's bytes, as printed by `brolga info --format json`.
pub fn info<'py>(py: Python<'py>, source: &Source) -> PyResult<Bound<'py, PyAny>> {
    let info = Info::read(&source.bytes, &Limits::default()).map_err(|error| source.refused(error))?;
    py.import("json")?.call_method1("loads", (brolga_json::info(&info).to_string(),))
}
