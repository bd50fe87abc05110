//! The parts of a device that compiling uses.

use std::sync::Arc;

use brolga_jit::{CpuFeatures, VectorBytes};

use crate::cache::Cache;
use crate::limits::Limits;
use crate::perf_map::PerfMap;
use crate::shader::Places;

/// The parts of a device that compiling uses.
#[derive(Debug)]
pub(crate) struct Compiler {
    pub limits: Arc<Limits>,
    /// What machine code may use of the processor; `None` where none can run.
    pub features: Option<CpuFeatures>,
    /// The most bytes of its vectors.
    pub vector_bytes: Option<VectorBytes>,
    /// The most bytes of copies of textures where its code runs.
    pub copy_bytes: u64,
    pub cache: Option<Cache>,
    /// Where machine code is recorded for profilers.
    pub perf_map: Option<PerfMap>,
    /// For compilations that may be given up.
    pub places: Arc<Places>,
}
