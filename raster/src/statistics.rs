//! What a draw did, as Direct3D's queries count it (functional specification, 20.4.6 and 20.4.7).

use std::ops::AddAssign;

/// What a draw did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Statistics {
    /// Vertices that the topology asked for, each as often as it did (`IAVertices`).
    pub vertices: u64,
    /// Primitives made of them (`IAPrimitives`).
    pub primitives: u64,
    /// Invocations of the vertex shader: a vertex that primitives share is shaded once or a few times (`VSInvocations`).
    pub vertex_invocations: u64,
    /// Primitives that came to clipping (`CInvocations`).
    pub clipper_invocations: u64,
    /// What clipping made of them, most of which it leaves as they are (`CPrimitives`).
    pub clipper_primitives: u64,
    /// Invocations of the pixel shader, without helper pixels (`PSInvocations`).
    pub pixel_invocations: u64,
    /// Pixels that passed all tests: what occlusion queries count.
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
