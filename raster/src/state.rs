//! Defines the state of a draw, with the names and defaults of Direct3D 11.

use brolga_ir::named::numbered;
use brolga_ir::pipeline::state::{
    Blend, BlendOp, DepthFormat, DepthTest, Equation, Factor, Logic, LogicOp, Range, StencilTest, Target,
};
use brolga_ir::stage::InputPrimitive;
use brolga_runtime::format::{Encoding, Use};
use brolga_runtime::{Comparison, Format};

use crate::error::DrawError;

numbered! {
    /// The topology of vertices that form primitives, as in `D3D11_PRIMITIVE_TOPOLOGY`.
    pub enum Topology {
        /// A point per vertex.
        PointList = 1 => "POINTLIST",
        /// A line per two vertices.
        LineList = 2 => "LINELIST",
        /// Each vertex from the second on forms a line with the one before it.
        LineStrip = 3 => "LINESTRIP",
        /// A triangle per three vertices.
        TriangleList = 4 => "TRIANGLELIST",
        /// Each vertex from the third on forms a triangle with the two before it.
        TriangleStrip = 5 => "TRIANGLESTRIP",
        /// Each vertex from the third on forms a triangle with the one before it, which is the provoking vertex, and
        /// the first one. Only Direct3D 9 has fans, without primitive restart.
        TriangleFan = 6 => "TRIANGLEFAN",
        /// A line per four vertices: between the second and the third, with those adjacent to it before and after.
        LineListAdjacent = 10 => "LINELIST_ADJ",
        /// A line strip whose first and last vertices are adjacent ones only.
        LineStripAdjacent = 11 => "LINESTRIP_ADJ",
        /// A triangle per six vertices: every other one, each followed by the vertex opposite to the next edge.
        TriangleListAdjacent = 12 => "TRIANGLELIST_ADJ",
        /// A triangle strip of every other vertex, with the adjacent ones between them.
        TriangleStripAdjacent = 13 => "TRIANGLESTRIP_ADJ",
        /// Patches of 1 control point.
        Patch1 = 33 => "1_CONTROL_POINT_PATCHLIST",
        /// Patches of 2 control points.
        Patch2 = 34 => "2_CONTROL_POINT_PATCHLIST",
        /// Patches of 3 control points.
        Patch3 = 35 => "3_CONTROL_POINT_PATCHLIST",
        /// Patches of 4 control points.
        Patch4 = 36 => "4_CONTROL_POINT_PATCHLIST",
        /// Patches of 5 control points.
        Patch5 = 37 => "5_CONTROL_POINT_PATCHLIST",
        /// Patches of 6 control points.
        Patch6 = 38 => "6_CONTROL_POINT_PATCHLIST",
        /// Patches of 7 control points.
        Patch7 = 39 => "7_CONTROL_POINT_PATCHLIST",
        /// Patches of 8 control points.
        Patch8 = 40 => "8_CONTROL_POINT_PATCHLIST",
        /// Patches of 9 control points.
        Patch9 = 41 => "9_CONTROL_POINT_PATCHLIST",
        /// Patches of 10 control points.
        Patch10 = 42 => "10_CONTROL_POINT_PATCHLIST",
        /// Patches of 11 control points.
        Patch11 = 43 => "11_CONTROL_POINT_PATCHLIST",
        /// Patches of 12 control points.
        Patch12 = 44 => "12_CONTROL_POINT_PATCHLIST",
        /// Patches of 13 control points.
        Patch13 = 45 => "13_CONTROL_POINT_PATCHLIST",
        /// Patches of 14 control points.
        Patch14 = 46 => "14_CONTROL_POINT_PATCHLIST",
        /// Patches of 15 control points.
        Patch15 = 47 => "15_CONTROL_POINT_PATCHLIST",
        /// Patches of 16 control points.
        Patch16 = 48 => "16_CONTROL_POINT_PATCHLIST",
        /// Patches of 17 control points.
        Patch17 = 49 => "17_CONTROL_POINT_PATCHLIST",
        /// Patches of 18 control points.
        Patch18 = 50 => "18_CONTROL_POINT_PATCHLIST",
        /// Patches of 19 control points.
        Patch19 = 51 => "19_CONTROL_POINT_PATCHLIST",
        /// Patches of 20 control points.
        Patch20 = 52 => "20_CONTROL_POINT_PATCHLIST",
        /// Patches of 21 control points.
        Patch21 = 53 => "21_CONTROL_POINT_PATCHLIST",
        /// Patches of 22 control points.
        Patch22 = 54 => "22_CONTROL_POINT_PATCHLIST",
        /// Patches of 23 control points.
        Patch23 = 55 => "23_CONTROL_POINT_PATCHLIST",
        /// Patches of 24 control points.
        Patch24 = 56 => "24_CONTROL_POINT_PATCHLIST",
        /// Patches of 25 control points.
        Patch25 = 57 => "25_CONTROL_POINT_PATCHLIST",
        /// Patches of 26 control points.
        Patch26 = 58 => "26_CONTROL_POINT_PATCHLIST",
        /// Patches of 27 control points.
        Patch27 = 59 => "27_CONTROL_POINT_PATCHLIST",
        /// Patches of 28 control points.
        Patch28 = 60 => "28_CONTROL_POINT_PATCHLIST",
        /// Patches of 29 control points.
        Patch29 = 61 => "29_CONTROL_POINT_PATCHLIST",
        /// Patches of 30 control points.
        Patch30 = 62 => "30_CONTROL_POINT_PATCHLIST",
        /// Patches of 31 control points.
        Patch31 = 63 => "31_CONTROL_POINT_PATCHLIST",
        /// Patches of 32 control points.
        Patch32 = 64 => "32_CONTROL_POINT_PATCHLIST",
    }
}

impl Topology {
    /// The kind of its primitives. Control points of patches count as points.
    pub fn kind(self) -> Kind {
        match self.primitive() {
            InputPrimitive::Point | InputPrimitive::Patch(_) => Kind::Point,
            InputPrimitive::Line | InputPrimitive::LineAdjacent => Kind::Line,
            InputPrimitive::Triangle | InputPrimitive::TriangleAdjacent => Kind::Triangle,
        }
    }

    /// Its primitives, as geometry shaders take them.
    pub fn primitive(self) -> InputPrimitive {
        match self {
            Topology::PointList => InputPrimitive::Point,
            Topology::LineList | Topology::LineStrip => InputPrimitive::Line,
            Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan => InputPrimitive::Triangle,
            Topology::LineListAdjacent | Topology::LineStripAdjacent => InputPrimitive::LineAdjacent,
            Topology::TriangleListAdjacent | Topology::TriangleStripAdjacent => InputPrimitive::TriangleAdjacent,
            patches => InputPrimitive::Patch(patches as u32 - 32),
        }
    }
}

/// The kind of a primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// Points.
    #[default]
    Point,
    /// Lines.
    Line,
    /// Triangles.
    Triangle,
}

impl Kind {
    /// Vertices per primitive.
    pub(crate) fn vertices(self) -> u32 {
        match self {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle => 3,
        }
    }
}

numbered! {
    /// The fill mode of triangles, as in `D3D11_FILL_MODE`.
    pub enum Fill {
        /// Their interior.
        Solid = 3 => "SOLID",
        /// Their edges, as lines; not the edges that clipping adds.
        Wireframe = 2 => "WIREFRAME",
    }
}

numbered! {
    /// The triangles to cull, as in `D3D11_CULL_MODE`.
    pub enum Cull {
        /// None.
        None = 1 => "NONE",
        /// Front-facing ones.
        Front = 2 => "FRONT",
        /// Back-facing ones.
        Back = 3 => "BACK",
    }
}

impl Cull {
    /// `true` if triangles of this facing are culled.
    #[inline(always)]
    pub(crate) fn culls(self, is_front: bool) -> bool {
        match self {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        }
    }
}

/// The rasterizer state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterizerState {
    /// The fill mode: by default solid.
    pub fill: Fill,
    /// The triangles to cull: by default back-facing ones.
    pub cull: Cull,
    /// `true` if counter-clockwise triangles are front-facing; by default clockwise ones are.
    pub front_counter_clockwise: bool,
    /// `true` to clip at depths of 0 and 1, as by default. Otherwise depth is clamped.
    pub depth_clip: bool,
    /// The constant depth bias, in units of the depth buffer: its least depth above 0, or with floats one unit in the
    /// last place of a triangle's greatest depth. By default 0, as are the next two.
    pub depth_bias: i32,
    /// The factor of a triangle's greatest depth slope that is added to the bias.
    pub slope_scaled_depth_bias: f32,
    /// The limit of the total bias: its maximum if above 0, its minimum if below.
    pub depth_bias_clamp: f32,
    /// `true` to draw lines as rectangles 1.4 pixels wide; off by default. In spite of its name (`MultisampleEnable`)
    /// it changes nothing else, and applies with a single sample too (functional specification, 15.14.1).
    pub multisample: bool,
    /// The number of samples of a pixel that primitives cover, whatever targets have: 1, 4, 8 or 16; by default 0, as many
    /// as the targets. More than one needs targets of one sample, or none (functional specification, 3.5.6).
    pub forced_samples: u32,
    /// `true` for conservative rasterization: a triangle covers all samples of every pixel that it touches. A pixel is
    /// touched if it is less than 1/512 of a pixel away, the error of snapped vertices; triangles without area are drawn
    /// too, with the values of their first vertex, and face back. `SV_InnerCoverage` says which pixels lie inside
    /// entirely. It is for solid triangles alone. One that clipping divides covers the pixels between its parts twice.
    pub conservative: bool,
}

impl Default for RasterizerState {
    fn default() -> Self {
        Self {
            fill: Fill::Solid,
            cull: Cull::Back,
            front_counter_clockwise: false,
            depth_clip: true,
            depth_bias: 0,
            slope_scaled_depth_bias: 0.0,
            depth_bias_clamp: 0.0,
            multisample: false,
            forced_samples: 0,
            conservative: false,
        }
    }
}

/// The depth test, for passes with a depth buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthState {
    /// `true` if depth is tested, as by default.
    pub enable: bool,
    /// `true` if pixels that pass write their depth, as by default.
    pub write: bool,
    /// The comparison of a pixel's depth with the buffer's that passes. By default `Less`.
    pub function: Comparison,
}

impl Default for DepthState {
    fn default() -> Self {
        Self { enable: true, write: true, function: Comparison::Less }
    }
}

impl DepthState {
    /// The depth and stencil test for a depth buffer of this format, as pixel shaders are compiled for it; `None` if
    /// nothing is tested. Without a stencil in the buffer, the stencil test passes.
    ///
    /// # Errors
    /// If it is not a depth format.
    pub fn for_buffer(&self, format: Format, stencil: Option<StencilTest>) -> Result<Option<DepthTest>, DrawError> {
        let format = depth_format(format)?;
        let is_tested = self.enable || stencil.is_some();
        Ok(is_tested.then(|| DepthTest {
            format,
            test: if self.enable { self.function } else { Comparison::Always },
            writes: self.enable && self.write,
            stencil: stencil.filter(|_| format.has_stencil()),
        }))
    }
}

/// The memory layout of a depth buffer's texels.
pub(crate) fn depth_format(format: Format) -> Result<DepthFormat, DrawError> {
    match format {
        Format::D16_UNORM => Ok(DepthFormat::D16),
        Format::D24_UNORM_S8_UINT => Ok(DepthFormat::D24),
        Format::D32_FLOAT => Ok(DepthFormat::D32),
        Format::D32_FLOAT_S8X24_UINT => Ok(DepthFormat::D32S8),
        other => Err(DrawError::Unsupported { what: format!("a depth buffer of format {other}") }),
    }
}

/// The most samples of a target.
pub(crate) const MOST_SAMPLES: u32 = 8;

/// The output merger's state for one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetState {
    /// The target's format.
    pub format: Format,
    /// The blending of colours with those in the target; by default they replace them.
    pub blend: Option<Blend>,
    /// The logic operation on unsigned integers and those in the target; by default they replace them.
    pub logic: Option<LogicOp>,
    /// The components that are written, red in the lowest bit; by default all four.
    pub write_mask: u8,
    /// The number of the pixel shader's output that goes to it: by default its own among the pipeline's targets. Others
    /// leave targets out, and grow from one to the next.
    pub slot: Option<u32>,
}

impl TargetState {
    /// A target without blending.
    pub fn new(format: Format) -> Self {
        Self { format, blend: None, logic: None, write_mask: 15, slot: None }
    }

    /// A target with blending.
    pub fn blended(format: Format, blend: Blend) -> Self {
        Self { blend: Some(blend), ..Self::new(format) }
    }

    /// The same for the output merger, as pixel shaders are compiled for it, of output `o`*n*.
    ///
    /// # Errors
    /// If the format cannot be a target, or not with this state.
    pub fn for_output(&self, output: u32) -> Result<Target, DrawError> {
        let &Self { format, blend, logic, write_mask, slot: _ } = self;
        let refused = |what| Err(DrawError::TargetFormat { target: output as usize, format, what });
        if !format.allows(Use::Target) {
            return refused("drawn to");
        }
        if blend.is_some() && !format.allows(Use::Blend) {
            return refused("blended");
        }
        let range = match format.encoding() {
            Encoding::Float => Range::Float,
            Encoding::Unorm | Encoding::Srgb => Range::Unorm,
            Encoding::Snorm => Range::Snorm,
            Encoding::Uint => Range::Uint,
            Encoding::Sint => Range::Sint,
            _ => return refused("drawn to"),
        };
        if logic.is_some() && range != Range::Uint {
            return refused("combined by a logic operation, as unsigned integers are");
        }
        let bits = format.fields().map(|field| field.map_or(0, |field| field.bits as u8));
        // Components that the format lacks are written in vain, but then need not be read.
        let lacks = (0..4).filter(|&n| format.fields()[n].is_none()).fold(0, |mask, n| mask | 1 << n);
        Ok(Target {
            output,
            range,
            blend,
            logic: logic.map(|op| Logic { op, bits }),
            write_mask: if write_mask & 15 == 0 { 0 } else { (write_mask | lacks) & 15 },
        })
    }
}

/// Ordinary alpha blending: the source over the destination by the source's alpha.
pub const ALPHA_BLEND: Blend = {
    let destination = Factor::InverseSourceAlpha;
    Blend {
        color: Equation { source: Factor::SourceAlpha, destination, op: BlendOp::Add },
        alpha: Equation { source: Factor::One, destination, op: BlendOp::Add },
    }
};
