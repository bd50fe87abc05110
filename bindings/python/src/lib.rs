//! Defines the Python module `brolga`: the library's devices, shaders and draws over arrays of NumPy's.
//!
//! | file | what |
//! |---|---|
//! | `pass.rs` | draws with queries and predicates |
//! | `device.rs` | the device: makes everything else |
//! | `shader.rs` | shaders, bound or not, and their dispatches |
//! | `check.rs` | findings of checked dispatches |
//! | `commands.rs` | draws into arrays |
//! | `draw.rs` | pipelines and draws |
//! | `document.rs` | documents |
//! | `bindings.rs` | registers and their bindings |
//! | `stream.rs` | arrays that vertices are streamed out to |
//! | `view.rs` | values for bindings other than arrays |
//! | `messages.rs` | what shaders print |
//! | `source.rs` | shaders as they are given |
//! | `vertices.rs` | arrays as vertices, and their layout |
//! | `texels.rs` | arrays as textures |
//! | `array.rs` | arrays as memory of shaders, and back, without copies |
//! | `interrupt.rs` | work without Python's lock, which Ctrl-C stops |
//! | `error.rs` | exceptions |
//!
//! Each uses those below it. Docstrings are for Python's `help`; `brolga.pyi` has the types, and `docs/python.md`
//! explains. Unsafe code is where Python's memory becomes the library's and back, in `array.rs`.

mod array;
mod bindings;
mod check;
mod commands;
mod device;
mod document;
mod draw;
mod error;
mod interrupt;
mod messages;
mod pass;
mod shader;
mod source;
mod stream;
mod texels;
mod vertices;
mod view;

/// Runs Direct3D shader bytecode on the CPU.
#[pyo3::pymodule(gil_used = true)]
mod brolga {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::check::{Finding, Party};
    #[pymodule_export]
    use crate::device::Device;
    #[pymodule_export]
    use crate::document::{Document, Outcome};
    #[pymodule_export]
    use crate::draw::{Draw, Pipeline};
    #[pymodule_export]
    use crate::messages::{Instruction, Message};
    #[pymodule_export]
    use crate::pass::{Pass, Query};
    #[pymodule_export]
    use crate::shader::{BoundShader, CancelToken, Report, Shader};
    #[pymodule_export]
    use crate::stream::Buffer;
    #[pymodule_export]
    use crate::view::{Sampler, Texture, View};

    /// The bytes of a shader from a listing, as `brolga asm` makes them.
    #[pyfunction]
    fn assemble(listing: &str) -> PyResult<Vec<u8>> {
        crate::source::assemble(listing)
    }

    /// The listing of a shader's bytes, or of a file: that of fxc's disassembler, or with `exact` one that loses
    /// nothing.
    #[pyfunction]
    #[pyo3(signature = (shader, *, exact=false))]
    fn listing(shader: &Bound<'_, PyAny>, exact: bool) -> PyResult<String> {
        crate::source::listing(shader, exact)
    }

    /// Information about a shader's bytes, or a file: bindings, signatures, constants with their offsets, counts.
    #[pyfunction]
    fn info<'py>(shader: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        crate::source::info(shader.py(), &crate::source::load(shader)?)
    }

    /// Raises an AssertionError with all findings of `bound.check(groups, ...)`, if there are any.
    #[pyfunction]
    #[pyo3(signature = (bound, groups, **options))]
    fn assert_clean(
        bound: &Bound<'_, BoundShader>,
        groups: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> PyResult<()> {
        crate::shader::assert_clean(bound, groups, options)
    }

    /// Names that are deprecated: `Job` and `Scene` are `Document`.
    #[pyfunction]
    #[pyo3(name = "__getattr__")]
    fn renamed<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, pyo3::types::PyType>> {
        crate::document::renamed(py, name)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        crate::error::add_to(module)?;
        crate::interrupt::find_main_thread(module.py())
    }
}
