//! Counts what draws did.

use brolga::raster;

use crate::arguments::{growing, init, put, put_fields};
use crate::draw::{Pass, PassState, with_pass};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::get;

/// Counts of a draw, as in Direct3D's queries. BrolgaPipelineStatistics has those of all stages.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Vertices that the topology refers to, each as often as it does (IAVertices).
    pub vertices: u64,
    /// Primitives assembled from them (IAPrimitives).
    pub primitives: u64,
    /// Invocations of the vertex shader (VSInvocations).
    pub vertex_invocations: u64,
    /// Primitives that reached clipping (CInvocations).
    pub clipper_invocations: u64,
    /// Primitives after clipping (CPrimitives).
    pub clipper_primitives: u64,
    /// Invocations of the pixel shader, without helper pixels (PSInvocations).
    pub pixel_invocations: u64,
    /// Samples that passed all tests, as counted by occlusion queries; without multisampling these are pixels.
    pub samples: u64,
    /// Zero.
    pub reserved: u64,
}

/// Primitives of a stream.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamStatistics {
    /// Primitives that were written (NumPrimitivesWritten).
    pub written: u64,
    /// Primitives that would have been written with enough room (PrimitivesStorageNeeded).
    pub needed: u64,
}

/// Counts of a draw, or of all draws of a query: those of D3D11_QUERY_DATA_PIPELINE_STATISTICS, samples and streams.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PipelineStatistics {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Vertices that the topology refers to, each as often as it does (IAVertices).
    pub vertices: u64,
    /// Primitives assembled from them (IAPrimitives).
    pub primitives: u64,
    /// Invocations of the vertex shader (VSInvocations).
    pub vertex_invocations: u64,
    /// Patches for which the hull shader ran (HSInvocations).
    pub hull_invocations: u64,
    /// Invocations of the domain shader, one for each point of a patch (DSInvocations).
    pub domain_invocations: u64,
    /// Invocations of the geometry shader (GSInvocations).
    pub geometry_invocations: u64,
    /// Primitives that it emitted, into all streams (GSPrimitives).
    pub geometry_primitives: u64,
    /// Primitives that reached clipping (CInvocations).
    pub clipper_invocations: u64,
    /// Primitives after clipping (CPrimitives).
    pub clipper_primitives: u64,
    /// Invocations of the pixel shader, without helper pixels (PSInvocations).
    pub pixel_invocations: u64,
    /// Samples that passed all tests, as counted by occlusion queries; without multisampling these are pixels.
    pub samples: u64,
    /// Primitives that were streamed out, of each stream.
    pub streams: [StreamStatistics; 4],
}

impl Default for PipelineStatistics {
    fn default() -> Self {
        raster::Statistics::default().into()
    }
}

growing! {
    PipelineStatistics as "BrolgaPipelineStatistics";
}

impl From<raster::Statistics> for Statistics {
    fn from(known: raster::Statistics) -> Self {
        Self {
            vertices: known.vertices,
            primitives: known.primitives,
            vertex_invocations: known.vertex_invocations,
            clipper_invocations: known.clipper_invocations,
            clipper_primitives: known.clipper_primitives,
            pixel_invocations: known.pixel_invocations,
            samples: known.samples,
            reserved: 0,
        }
    }
}

impl From<raster::StreamStatistics> for StreamStatistics {
    fn from(raster::StreamStatistics { written, needed }: raster::StreamStatistics) -> Self {
        Self { written, needed }
    }
}

impl From<raster::Statistics> for PipelineStatistics {
    fn from(known: raster::Statistics) -> Self {
        Self {
            size: size_of::<Self>(),
            vertices: known.vertices,
            primitives: known.primitives,
            vertex_invocations: known.vertex_invocations,
            hull_invocations: known.hull_invocations,
            domain_invocations: known.domain_invocations,
            geometry_invocations: known.geometry_invocations,
            geometry_primitives: known.geometry_primitives,
            clipper_invocations: known.clipper_invocations,
            clipper_primitives: known.clipper_primitives,
            pixel_invocations: known.pixel_invocations,
            samples: known.samples,
            streams: known.streams.map(StreamStatistics::from),
        }
    }
}

/// Returns the counts of a draw that is no longer queued.
fn of_draw(pass: &PassState, number: u64) -> Result<raster::Statistics, Failure> {
    let known = with_pass(pass, |pass| {
        let known = pass.statistics();
        Ok(usize::try_from(number).ok().and_then(|number| known.get(number).copied()).ok_or(known.len()))
    })?;
    known.map_err(|count| {
        Failure::order(format!("draw {number} is not drawn: {count} are, and brolga_pass_flush draws what waits"))
    })
}

/// Fills statistics with zeros. `size` is sizeof(BrolgaPipelineStatistics).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pipeline_statistics_init(statistics: *mut PipelineStatistics, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(statistics, size) }
}

/// Returns the counts of a draw, by its number. Fails for one that is still queued (BROLGA_CODE_OUT_OF_ORDER).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_statistics(
    pass: *const Pass,
    number: u64,
    statistics: *mut Statistics,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(statistics, of_draw(get(pass)?, number)?.into(), "the statistics")) }
}

/// Returns the counts of a draw in all stages, likewise. The struct has the size that its init function sets.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_pipeline_statistics(
    pass: *const Pass,
    number: u64,
    statistics: *mut PipelineStatistics,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put_fields(statistics, &of_draw(get(pass)?, number)?.into())) }
}
