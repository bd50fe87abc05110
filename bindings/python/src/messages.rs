//! Defines the messages of shaders, which reports and exceptions have.

use std::sync::Arc;

use brolga::{MessageLog, Sender, ShaderMessage, SourceLocation};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::Error;

/// An instruction of a shader, as listings have it.
#[pyclass(frozen, module = "brolga")]
pub struct Instruction {
    pub location: Arc<SourceLocation>,
}

#[pymethods]
impl Instruction {
    /// Its number, counted from 0 with declarations left out; None if unknown.
    #[getter]
    fn index(&self) -> Option<u32> {
        self.location.index
    }

    /// Its byte offset in the file.
    #[getter]
    fn byte(&self) -> u32 {
        self.location.byte
    }

    /// Its text; empty if unknown.
    #[getter]
    fn text(&self) -> &str {
        &self.location.text
    }

    fn __str__(&self) -> String {
        self.location.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<brolga.Instruction, {}>", self.location)
    }
}

/// A message that a shader sent with printf or errorf. Its `str` is its text.
#[pyclass(frozen, module = "brolga")]
pub struct Message {
    message: ShaderMessage,
}

#[pymethods]
impl Message {
    /// The text, with the operands.
    #[getter]
    fn text(&self) -> &str {
        &self.message.text
    }

    /// True if it is one of errorf.
    #[getter]
    fn is_error(&self) -> bool {
        self.message.is_error
    }

    /// Who sent it: a dict with the `group` and `thread` of a compute shader, or with `vertex`, `patch`, `primitive`,
    /// `instance`, `location` or `pixel`.
    #[getter]
    fn sender<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let sender = PyDict::new(py);
        match self.message.sender {
            Sender::Thread { group, thread } => {
                sender.set_item("group", group)?;
                sender.set_item("thread", thread)?;
            }
            Sender::Vertex { vertex, instance } => {
                sender.set_item("vertex", vertex)?;
                sender.set_item("instance", instance)?;
            }
            Sender::Patch { patch, instance } => {
                sender.set_item("patch", patch)?;
                sender.set_item("instance", instance)?;
            }
            Sender::Point { patch, location } => {
                sender.set_item("patch", patch)?;
                sender.set_item("location", location)?;
            }
            Sender::Primitive { primitive, instance } => {
                sender.set_item("primitive", primitive)?;
                sender.set_item("instance", instance)?;
            }
            Sender::Pixel { x, y } => sender.set_item("pixel", [x, y])?,
            other => unreachable!("{other} is of no stage"),
        }
        Ok(sender)
    }

    /// The instruction that sent it.
    #[getter]
    fn instruction(&self) -> Instruction {
        Instruction { location: Arc::clone(&self.message.location) }
    }

    fn __str__(&self) -> &str {
        &self.message.text
    }

    fn __repr__(&self) -> String {
        format!("<brolga.Message {:?} by {}>", self.message.text, self.message.sender)
    }
}

/// What a run printed.
#[derive(Default)]
pub struct Printed {
    pub messages: Vec<Py<Message>>,
    /// How many more were not kept.
    pub lost: u64,
}

impl Printed {
    pub fn take(py: Python<'_>, log: &MessageLog) -> PyResult<Self> {
        let messages = log.take().into_iter().map(|message| Py::new(py, Message { message }));
        Ok(Self { messages: messages.collect::<PyResult<_>>()?, lost: log.lost() })
    }

    pub fn list(&self, py: Python<'_>) -> Vec<Py<Message>> {
        self.messages.iter().map(|message| message.clone_ref(py)).collect()
    }
}

/// What a run printed, with its result. An exception of Brolga's gets the messages.
pub fn printed<T>(py: Python<'_>, log: &MessageLog, result: PyResult<T>) -> PyResult<(T, Printed)> {
    let printed = Printed::take(py, log)?;
    match result {
        Ok(result) => Ok((result, printed)),
        Err(error) => {
            if error.is_instance_of::<Error>(py) {
                error.value(py).setattr("messages", printed.messages)?;
            }
            Err(error)
        }
    }
}
