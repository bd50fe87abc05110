//! Lists the system values and interpolations of inputs and outputs.

use serde::{Deserialize, Serialize};

use crate::named::named;

named! {
    /// Values with a meaning for the pipeline. Specification, 4.4 and following.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum SystemValue {
        /// The position of the vertex or the pixel.
        Position = "position",
        /// Clip distances.
        ClipDistance = "clip_distance",
        /// Cull distances.
        CullDistance = "cull_distance",
        /// The slice of the render target.
        RenderTargetArrayIndex = "rendertarget_array_index",
        /// The viewport.
        ViewportArrayIndex = "viewport_array_index",
        /// The number of the vertex.
        VertexId = "vertex_id",
        /// The number of the primitive.
        PrimitiveId = "primitive_id",
        /// The number of the instance.
        InstanceId = "instance_id",
        /// All ones where the primitive is front-facing.
        IsFrontFace = "is_front_face",
        /// The sample that the invocation is for.
        SampleIndex = "sample_index",
        /// The samples of the pixel that the primitive covers, a bit each; none in a helper lane. As an output, the
        /// samples that are written.
        Coverage = "coverage",
        /// `true` if all of the pixel is covered.
        InnerCoverage = "inner_coverage",
        /// The depth instead of the primitive's.
        Depth = "depth",
        /// The same, never less than the primitive's.
        DepthGreaterEqual = "depth_greater_equal",
        /// The same, never more than the primitive's.
        DepthLessEqual = "depth_less_equal",
        /// The reference for the stencil test.
        StencilRef = "stencil_ref",
        /// All ones where the pixel was discarded.
        Discarded = "discarded",
        /// The width and height of a point, in pixels. Direct3D 9.
        PointSize = "point_size",
        /// Not 0 in an invocation that is no helper: its pixel, or its sample, is covered and passed all tests so far.
        /// Not Direct3D's: effects of the shader depend on it.
        Active = "active",
        /// The number of samples of a pixel. Not Direct3D's: for instructions that ask for it.
        SampleCount = "sample_count",
        /// The positions of the samples along x and y: two words each, of signed numbers of four bits in sixteenths of
        /// a pixel, the first sample in the lowest bits. Likewise.
        SamplePositions = "sample_positions",
        /// The centroid, along x and y from the pixel's center. Likewise.
        CentroidOffset = "centroid_offset",
        /// The tessellation factor of an edge (functional specification, 10.10): where u is 0. Of isolines, their number.
        EdgeFactor0 = "edge_factor0",
        /// The same where v is 0. Of isolines, the segments of each.
        EdgeFactor1 = "edge_factor1",
        /// The same where w is 0; of quads, where u is 1.
        EdgeFactor2 = "edge_factor2",
        /// The same where v is 1; only quads have it.
        EdgeFactor3 = "edge_factor3",
        /// The tessellation factor of the inside; of quads along u.
        InsideFactor0 = "inside_factor0",
        /// The same along v.
        InsideFactor1 = "inside_factor1",
        /// The share of the color that remains in the fog: 1 is none of the fog's color. Direct3D 9.
        Fog = "fog",
    }
}

named! {
    /// The interpolation of a pixel's value from those of the vertices. Specification, 16.4.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Interpolation {
        /// The leading vertex's value, or one that is not interpolated at all.
        #[default]
        Constant = "constant",
        /// Perspective-correct, at the pixel's center.
        Linear = "linear",
        /// Perspective-correct, at a covered point of the pixel.
        LinearCentroid = "linear_centroid",
        /// Perspective-correct, at the sample.
        LinearSample = "linear_sample",
        /// Linear in screen space, at the pixel's center.
        NoPerspective = "noperspective",
        /// Linear in screen space, at a covered point of the pixel.
        NoPerspectiveCentroid = "noperspective_centroid",
        /// Linear in screen space, at the sample.
        NoPerspectiveSample = "noperspective_sample",
    }
}

impl Interpolation {
    /// The same at the center.
    pub fn at_center(self) -> Self {
        match self {
            Interpolation::LinearCentroid | Interpolation::LinearSample => Interpolation::Linear,
            Interpolation::NoPerspectiveCentroid | Interpolation::NoPerspectiveSample => Interpolation::NoPerspective,
            other => other,
        }
    }

    /// `true` if the value is another at each sample of a pixel.
    pub fn is_per_sample(self) -> bool {
        matches!(self, Interpolation::LinearSample | Interpolation::NoPerspectiveSample)
    }
}
