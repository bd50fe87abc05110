//! Counts what a draw did, as Direct3D's queries do (functional specification, 20.4.6 and 20.4.7).

use std::ops::AddAssign;

use brolga_ir::stage::STREAMS;

/// Pipeline statistics of a draw.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Vertices that the input assembler read, repeated ones each time (`IAVertices`).
    pub vertices: u64,
    /// Primitives that it assembled (`IAPrimitives`).
    pub primitives: u64,
    /// Invocations of the vertex shader: a shared vertex is shaded once or a few times (`VSInvocations`).
    pub vertex_invocations: u64,
    /// Patches for which the hull shader ran (`HSInvocations`).
    pub hull_invocations: u64,
    /// Points for which the domain shader ran (`DSInvocations`).
    pub domain_invocations: u64,
    /// Invocations of the geometry shader (`GSInvocations`).
    pub geometry_invocations: u64,
    /// Primitives that it emitted, into all streams (`GSPrimitives`).
    pub geometry_primitives: u64,
    /// Primitives that reached the clipper (`CInvocations`).
    pub clipper_invocations: u64,
    /// Primitives that it emitted, most of them unchanged (`CPrimitives`).
    pub clipper_primitives: u64,
    /// Invocations of the pixel shader, without helper pixels (`PSInvocations`).
    pub pixel_invocations: u64,
    /// Samples that passed all tests, with one sample pixels: the count of an occlusion query.
    pub samples: u64,
    /// What was streamed out.
    pub streams: [StreamStatistics; STREAMS],
}

/// Primitives of a stream of a draw.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct StreamStatistics {
    /// Primitives that were written (`NumPrimitivesWritten`).
    pub written: u64,
    /// Those that would have been with enough room (`PrimitivesStorageNeeded`).
    pub needed: u64,
}

impl AddAssign for StreamStatistics {
    fn add_assign(&mut self, other: Self) {
        self.written += other.written;
        self.needed += other.needed;
    }
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.vertices += other.vertices;
        self.primitives += other.primitives;
        self.vertex_invocations += other.vertex_invocations;
        self.hull_invocations += other.hull_invocations;
        self.domain_invocations += other.domain_invocations;
        self.geometry_invocations += other.geometry_invocations;
        self.geometry_primitives += other.geometry_primitives;
        self.clipper_invocations += other.clipper_invocations;
        self.clipper_primitives += other.clipper_primitives;
        self.pixel_invocations += other.pixel_invocations;
        self.samples += other.samples;
        self.streams.iter_mut().zip(other.streams).for_each(|(sum, other)| *sum += other);
    }
}
