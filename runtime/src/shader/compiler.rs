//! The parts of a device that compiling uses.

use std::sync::Arc;

use brolga_jit::{CpuFeatures, VectorBytes};

use crate::cache::Cache;
use crate::limits::Limits;
use crate::perf_map::PerfMap;
use crate::shader::Permits;

/// The parts of a device that compiling uses.
#[derive(Debug)]
pub(crate) struct Compiler {
    pub limits: Arc<Limits>,
    /// Instruction sets that machine code may use; `None` where none can run.
    pub features: Option<CpuFeatures>,
    /// The most bytes of its vectors.
    pub vector_bytes: Option<VectorBytes>,
    /// The most bytes of copies of textures on the device.
    pub copy_bytes: u64,
    pub cache: Option<Cache>,
    /// File in which machine code is recorded for profilers.
    pub perf_map: Option<PerfMap>,
    /// Permits for compilations that may be abandoned.
    pub permits: Arc<Permits>,
}
