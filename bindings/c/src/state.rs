//! Enumerations of the header. Those that Direct3D 11 has too have its names and its numbers, so that its constants can be passed as well.

use brolga::raster;

use crate::arguments::choices;

/// What runs a shader.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// The fastest that this processor can run. Results are the same.
    Best = 0,
    /// Machine code.
    Jit = 1,
    /// The interpreter, which defines what is right and runs on every processor.
    Interpreter = 2,
}

/// Kinds of textures and views, as D3D11_SRV_DIMENSION.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Dimension {
    /// A typed buffer.
    Buffer = 1,
    /// One row of texels.
    Texture1d = 2,
    /// Rows of texels, in layers.
    Texture1dArray = 3,
    /// A rectangle.
    Texture2d = 4,
    /// Rectangles in layers.
    Texture2dArray = 5,
    /// A rectangle with several samples a texel.
    Texture2dMs = 6,
    /// The same in layers.
    Texture2dMsArray = 7,
    /// A box.
    Texture3d = 8,
    /// Six faces.
    TextureCube = 9,
    /// Six faces each, in layers.
    TextureCubeArray = 10,
}

/// Comparisons, as D3D11_COMPARISON_FUNC: a new depth is compared with the one in the buffer, a reference with a texel.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    Never = 1,
    Less = 2,
    Equal = 3,
    LessEqual = 4,
    Greater = 5,
    NotEqual = 6,
    GreaterEqual = 7,
    Always = 8,
}

/// How coordinates outside of a texture are resolved, as D3D11_TEXTURE_ADDRESS_MODE.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum AddressMode {
    /// The texture again.
    Wrap = 1,
    /// The texture again, every other time mirrored.
    Mirror = 2,
    /// The texels at its edge.
    Clamp = 3,
    /// A colour.
    Border = 4,
    /// The texture mirrored once, then the texels at its edge.
    MirrorOnce = 5,
}

/// How vertices make primitives, as D3D11_PRIMITIVE_TOPOLOGY.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Topology {
    /// Every vertex is a point.
    PointList = 1,
    /// Two vertices each.
    LineList = 2,
    /// Each vertex from the second on makes a line with the one before it.
    LineStrip = 3,
    /// Three vertices each.
    TriangleList = 4,
    /// Each vertex from the third on makes a triangle with the two before it.
    TriangleStrip = 5,
    /// Each vertex from the third on makes a triangle with the one before it and the first one. Direct3D 9 only.
    TriangleFan = 6,
}

/// What is drawn of triangles, as D3D11_FILL_MODE.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// Their edges, as lines.
    Wireframe = 2,
    /// All that they cover.
    Solid = 3,
}

/// Triangles that are not drawn, as D3D11_CULL_MODE.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Cull {
    /// All are drawn.
    None = 1,
    /// Those that show their front are not.
    Front = 2,
    /// Those that show their back are not.
    Back = 3,
}

/// What a term of a blend is multiplied by, as D3D11_BLEND. In the equation of alpha, colours are their alpha.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Factor {
    Zero = 1,
    One = 2,
    SourceColor = 3,
    InverseSourceColor = 4,
    SourceAlpha = 5,
    InverseSourceAlpha = 6,
    DestinationAlpha = 7,
    InverseDestinationAlpha = 8,
    DestinationColor = 9,
    InverseDestinationColor = 10,
    SourceAlphaSaturated = 11,
    BlendFactor = 14,
    InverseBlendFactor = 15,
    SecondColor = 16,
    InverseSecondColor = 17,
    SecondAlpha = 18,
    InverseSecondAlpha = 19,
}

/// What becomes of the two terms of a blend, as D3D11_BLEND_OP.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum BlendOp {
    /// Their sum.
    Add = 1,
    /// The source's term less the destination's.
    Subtract = 2,
    /// The destination's term less the source's.
    ReverseSubtract = 3,
    /// The lesser of source and destination; factors count for nothing.
    Min = 4,
    /// The greater of source and destination; likewise.
    Max = 5,
}

/// How bits of source and destination become one, as D3D11_LOGIC_OP.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum LogicOp {
    Clear = 0,
    Set = 1,
    Copy = 2,
    CopyInverted = 3,
    Noop = 4,
    Invert = 5,
    And = 6,
    Nand = 7,
    Or = 8,
    Nor = 9,
    Xor = 10,
    Equivalent = 11,
    AndReverse = 12,
    AndInverted = 13,
    OrReverse = 14,
    OrInverted = 15,
}

/// What becomes of a stencil, as D3D11_STENCIL_OP.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum StencilOp {
    /// It stays.
    Keep = 1,
    /// 0.
    Zero = 2,
    /// The reference.
    Replace = 3,
    /// One more, at most 255.
    IncrementSaturated = 4,
    /// One less, at least 0.
    DecrementSaturated = 5,
    /// All bits change.
    Invert = 6,
    /// One more; 0 after 255.
    Increment = 7,
    /// One less; 255 after 0.
    Decrement = 8,
}

impl Engine {
    /// What to compile for.
    pub(crate) fn of_number(number: u32) -> Option<brolga::Engine> {
        match number {
            n if n == Self::Best as u32 => Some(brolga::Engine::best()),
            n if n == Self::Jit as u32 => Some(brolga::Engine::Jit),
            n if n == Self::Interpreter as u32 => Some(brolga::Engine::Interpreter),
            _ => None,
        }
    }
}

choices! {
    Dimension as "BrolgaDimension" => brolga::Dimension {
        Buffer Texture1d Texture1dArray Texture2d Texture2dArray Texture2dMs Texture2dMsArray Texture3d TextureCube TextureCubeArray
    }
    Comparison as "BrolgaComparison" => brolga::Comparison {
        Never Less Equal LessEqual Greater NotEqual GreaterEqual Always
    }
    AddressMode as "BrolgaAddressMode" => brolga::AddressMode { Wrap Mirror Clamp Border MirrorOnce }
    Topology as "BrolgaTopology" => raster::Topology {
        PointList LineList LineStrip TriangleList TriangleStrip TriangleFan
    }
    Fill as "BrolgaFill" => raster::Fill { Wireframe Solid }
    Cull as "BrolgaCull" => raster::Cull { None Front Back }
    Factor as "BrolgaFactor" => raster::Factor {
        Zero One SourceColor InverseSourceColor SourceAlpha InverseSourceAlpha DestinationAlpha InverseDestinationAlpha
        DestinationColor InverseDestinationColor SourceAlphaSaturated BlendFactor InverseBlendFactor SecondColor
        InverseSecondColor SecondAlpha InverseSecondAlpha
    }
    BlendOp as "BrolgaBlendOp" => raster::BlendOp { Add Subtract ReverseSubtract Min Max }
    LogicOp as "BrolgaLogicOp" => raster::LogicOp {
        Clear Set Copy CopyInverted Noop Invert And Nand Or Nor Xor Equivalent AndReverse AndInverted OrReverse OrInverted
    }
    StencilOp as "BrolgaStencilOp" => raster::StencilOp {
        Keep Zero Replace IncrementSaturated DecrementSaturated Invert Increment Decrement
    }
}
