//! Defines the small enumerations of the token format, one row per value.
//!
//! Each row holds its own number and the text that fxc's listing prints for it.

use crate::codes::codes;

codes! {
    /// Dimension of a resource.
    #[non_exhaustive]
    ResourceDimension {
        0 Unknown "unknown";
        1 Buffer "buffer";
        2 Texture1D "texture1d";
        3 Texture2D "texture2d";
        4 Texture2DMs "texture2dms";
        5 Texture3D "texture3d";
        6 TextureCube "texturecube";
        7 Texture1DArray "texture1darray";
        8 Texture2DArray "texture2darray";
        9 Texture2DMsArray "texture2dmsarray";
        10 TextureCubeArray "texturecubearray";
        11 RawBuffer "raw_buffer";
        12 StructuredBuffer "structured_buffer";
    }
}

codes! {
    /// Return type of a typed resource's component.
    #[non_exhaustive]
    ReturnType {
        1 Unorm "unorm";
        2 Snorm "snorm";
        3 Sint "sint";
        4 Uint "uint";
        5 Float "float";
        6 Mixed "mixed";
        7 Double "double";
        8 Continued "<continued>";
        9 Unused "<unused>";
    }
}

codes! {
    /// Interpolation of a pixel shader's input.
    #[non_exhaustive]
    Interpolation {
        0 Undefined "undefined";
        1 Constant "constant";
        2 Linear "linear";
        3 LinearCentroid "linear centroid";
        4 LinearNoPerspective "linear noperspective";
        5 LinearNoPerspectiveCentroid "linear noperspective centroid";
        6 LinearSample "linear sample";
        7 LinearNoPerspectiveSample "linear noperspective sample";
    }
}

codes! {
    /// Mode of a sampler.
    #[non_exhaustive]
    SamplerMode {
        0 Default "mode_default";
        1 Comparison "mode_comparison";
        2 Mono "mode_mono";
    }
}

codes! {
    /// The primitives a geometry shader writes.
    #[non_exhaustive]
    Topology {
        0 Undefined "undefined";
        1 PointList "pointlist";
        2 LineList "linelist";
        3 LineStrip "linestrip";
        4 TriangleList "trianglelist";
        5 TriangleStrip "trianglestrip";
        10 LineListAdj "linelistadj";
        11 LineStripAdj "linestripadj";
        12 TriangleListAdj "trianglelistadj";
        13 TriangleStripAdj "trianglestripadj";
    }
}

codes! {
    /// The domain of the tessellator.
    #[non_exhaustive]
    TessellatorDomain {
        0 Undefined "domain_undefined";
        1 Isoline "domain_isoline";
        2 Tri "domain_tri";
        3 Quad "domain_quad";
    }
}

codes! {
    /// Partitioning of the tessellator: its rounding of factors.
    #[non_exhaustive]
    TessellatorPartitioning {
        0 Undefined "partitioning_undefined";
        1 Integer "partitioning_integer";
        2 Pow2 "partitioning_pow2";
        3 FractionalOdd "partitioning_fractional_odd";
        4 FractionalEven "partitioning_fractional_even";
    }
}

codes! {
    /// Output primitive of the tessellator.
    #[non_exhaustive]
    TessellatorOutput {
        0 Undefined "output_undefined";
        1 Point "output_point";
        2 Line "output_line";
        3 TriangleCw "output_triangle_cw";
        4 TriangleCcw "output_triangle_ccw";
    }
}

codes! {
    /// System value of an input or output.
    #[non_exhaustive]
    SystemValue {
        0 Undefined "undefined";
        1 Position "position";
        2 ClipDistance "clip_distance";
        3 CullDistance "cull_distance";
        4 RenderTargetArrayIndex "rendertarget_array_index";
        5 ViewportArrayIndex "viewport_array_index";
        6 VertexId "vertex_id";
        7 PrimitiveId "primitive_id";
        8 InstanceId "instance_id";
        9 IsFrontFace "is_front_face";
        10 SampleIndex "sampleIndex";
        11 FinalQuadUEq0EdgeTessFactor "finalQuadUeq0EdgeTessFactor";
        12 FinalQuadVEq0EdgeTessFactor "finalQuadVeq0EdgeTessFactor";
        13 FinalQuadUEq1EdgeTessFactor "finalQuadUeq1EdgeTessFactor";
        14 FinalQuadVEq1EdgeTessFactor "finalQuadVeq1EdgeTessFactor";
        15 FinalQuadUInsideTessFactor "finalQuadUInsideTessFactor";
        16 FinalQuadVInsideTessFactor "finalQuadVInsideTessFactor";
        17 FinalTriUEq0EdgeTessFactor "finalTriUeq0EdgeTessFactor";
        18 FinalTriVEq0EdgeTessFactor "finalTriVeq0EdgeTessFactor";
        19 FinalTriWEq0EdgeTessFactor "finalTriWeq0EdgeTessFactor";
        20 FinalTriInsideTessFactor "finalTriInsideTessFactor";
        21 FinalLineDetailTessFactor "finalLineDetailTessFactor";
        22 FinalLineDensityTessFactor "finalLineDensityTessFactor";
    }
}

codes! {
    /// A minimum precision that the compiler noted; results may always be computed at 32 bits.
    #[non_exhaustive]
    MinPrecision {
        0 Full "def32";
        1 Float16 "min16f";
        2 Float2_8 "min2_8f";
        4 Sint16 "min16i";
        5 Uint16 "min16u";
    }
}

codes! {
    /// Return type of `resinfo`.
    #[non_exhaustive]
    ResinfoReturn {
        0 Float "float";
        1 RcpFloat "rcpfloat";
        2 Uint "uint";
    }
}
