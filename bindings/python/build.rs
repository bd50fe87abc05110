//! On macOS names of Python's are looked up when it loads the module.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
