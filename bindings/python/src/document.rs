//! Runs documents: files that describe a run completely.

use std::path::PathBuf;

use brolga::MessageLog;
use brolga::document::{DocumentError, Prepared, RunOptions};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyAttributeError, PyDeprecationWarning};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::array::bytes_to_numpy;
use crate::device::{Device, parse_engine};
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::messages::{Message, Printed, printed};
use crate::shader::{CancelToken, Report, seconds};

/// The results of a run of a document.
#[pyclass(frozen, module = "brolga", get_all)]
pub struct Outcome {
    /// True if every expectation that can be checked holds.
    passed: bool,
    /// A line for each expectation that does not hold.
    failures: Vec<String>,
    /// Resources that the steps may write, and those that are saved or expected, as arrays by name: in the short form
    /// the registers, as "u0". They keep the memory of the run.
    arrays: Py<PyDict>,
    /// Hidden counters after the run, by the same names.
    counters: Py<PyDict>,
    /// The report of the dispatch, if the document is a single one.
    report: Option<Py<Report>>,
    /// What the shaders printed, step by step.
    messages: Vec<Py<Message>>,
    /// How many more messages were not kept.
    lost_messages: u64,
}

/// Document(path)
///
/// A document, or a folder with one, as `brolga run` takes it (docs/document.md). Its files are read at once.
#[pyclass(frozen, module = "brolga")]
pub struct Document {
    prepared: Prepared,
}

#[pymethods]
impl Document {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let load = || brolga::document::Document::load(&path)?.prepare(&brolga::Limits::default());
        Ok(Self { prepared: py.detach(load).map_err(Failure::from)? })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.prepared.document().name()
    }

    /// The number of variants of its shaders: `run` takes the index of one.
    #[getter]
    fn shaders(&self) -> usize {
        self.prepared.variants()
    }

    /// Runs it on fresh resources, with one variant of its shaders, and compares the results with the expectations. No
    /// files are written.
    #[pyo3(signature = (device, shader=0, *, engine=None, time_limit=None, cancel=None))]
    fn run(
        &self,
        py: Python<'_>,
        device: &Device,
        shader: usize,
        engine: Option<&str>,
        time_limit: Option<f64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Outcome> {
        let count = self.prepared.variants();
        if shader >= count {
            let message = format!("the document has {count} forms of its shaders, there is none with number {shader}");
            return Err(Failure::new(brolga::ErrorKind::Call, message).into());
        }
        let mut options = RunOptions::new(parse_engine(engine)?);
        options.time_limit = time_limit.map(seconds).transpose()?;
        options.keep_all = true;
        let log = MessageLog::default();
        options.messages = Some(log.clone());
        let cancel = cancel.map_or_else(Default::default, |cancel| cancel.token.clone());
        let run = |token: &brolga::CancelToken| {
            options.cancel = token.clone();
            self.prepared.run(&device.device, shader, &options)
        };
        let (outcome, printed) = printed(py, &log, interruptible::<_, DocumentError>(py, &cancel, run))?;
        let lost = printed.lost;
        let (arrays, counters) = (PyDict::new(py), PyDict::new(py));
        for resource in &outcome.resources {
            arrays.set_item(&resource.name, bytes_to_numpy(py, &resource.bytes, &resource.array)?)?;
        }
        for counter in &outcome.counters {
            counters.set_item(&counter.name, counter.value)?;
        }
        let failed = outcome.checks.iter().filter(|checked| checked.failed());
        let failures = failed.map(|checked| format!("{}: {checked}", checked.id)).collect();
        let of_report = |report| Py::new(py, Report::new(report, Printed { messages: printed.list(py), lost }));
        let report = outcome.report.map(of_report).transpose()?;
        let (arrays, counters) = (arrays.unbind(), counters.unbind());
        let passed = outcome.passed();
        Ok(Outcome { passed, failures, arrays, counters, report, messages: printed.messages, lost_messages: lost })
    }
}

/// The module's content under former names: documents were jobs or scenes.
pub fn renamed<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyType>> {
    if !matches!(name, "Job" | "Scene") {
        return Err(PyAttributeError::new_err(format!("module 'brolga' has no attribute '{name}'")));
    }
    let message = std::ffi::CString::new(format!("brolga.{name} is brolga.Document now"))?;
    PyErr::warn(py, &PyDeprecationWarning::type_object(py), &message, 1)?;
    Ok(Document::type_object(py))
}
