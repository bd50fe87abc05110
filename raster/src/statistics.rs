//! Counts what a draw did, as Direct3D's queries do (functional specification, 20.4.6 and 20.4.7).

use std::ops::AddAssign;

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
    /// Primitives that reached the clipper (`CInvocations`).
    pub clipper_invocations: u64,
    /// Primitives that it emitted, most of them unchanged (`CPrimitives`).
    pub clipper_primitives: u64,
    /// Invocations of the pixel shader, without helper pixels (`PSInvocations`).
    pub pixel_invocations: u64,
    /// Pixels that passed all tests: the count of an occlusion query.
    pub samples: u64,
}

impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.vertices += other.vertices;
        self.primitives += other.primitives;
        self.vertex_invocations += other.vertex_invocations;
        self.clipper_invocations += other.clipper_invocations;
        self.clipper_primitives += other.clipper_primitives;
        self.pixel_invocations += other.pixel_invocations;
        self.samples += other.samples;
    }
}
