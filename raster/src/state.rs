//! The state of a draw, with the names and the defaults of Direct3D 11.

use brolga_ir::named::numbered;
use brolga_ir::pipeline::state::{
    Blend, BlendOp, DepthFormat, DepthTest, Equation, Factor, Logic, LogicOp, Range, StencilTest, Target,
};
use brolga_runtime::format::{Encoding, Use};
use brolga_runtime::{Comparison, Format};

use crate::error::DrawError;

numbered! {
    /// How vertices make primitives, as D3D11_PRIMITIVE_TOPOLOGY.
    pub enum Topology {
        /// Every vertex is a point.
        PointList = 1 => "POINTLIST",
        /// Two vertices each.
        LineList = 2 => "LINELIST",
        /// Each vertex from the second on makes a line with the one before it.
        LineStrip = 3 => "LINESTRIP",
        /// Three vertices each.
        TriangleList = 4 => "TRIANGLELIST",
        /// Each vertex from the third on makes a triangle with the two before it.
        TriangleStrip = 5 => "TRIANGLESTRIP",
        /// Each vertex from the third on makes a triangle with the one before it, which leads, and the first one. Only Direct3D 9 has
        /// fans, which do not begin anew.
        TriangleFan = 6 => "TRIANGLEFAN",
    }
}

impl Topology {
    /// What it makes of vertices.
    pub fn kind(self) -> Kind {
        match self {
            Topology::PointList => Kind::Point,
            Topology::LineList | Topology::LineStrip => Kind::Line,
            Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan => Kind::Triangle,
        }
    }
}

/// What primitives are.
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
    /// Vertices of a primitive.
    pub(crate) fn vertices(self) -> u32 {
        match self {
            Kind::Point => 1,
            Kind::Line => 2,
            Kind::Triangle => 3,
        }
    }
}

numbered! {
    /// What is drawn of triangles, as D3D11_FILL_MODE.
    pub enum Fill {
        /// All that they cover.
        Solid = 3 => "SOLID",
        /// Their edges, as lines; not those where they are cut.
        Wireframe = 2 => "WIREFRAME",
    }
}

numbered! {
    /// Triangles that are not drawn, as D3D11_CULL_MODE.
    pub enum Cull {
        /// All are drawn.
        None = 1 => "NONE",
        /// Those that show their front.
        Front = 2 => "FRONT",
        /// Those that show their back.
        Back = 3 => "BACK",
    }
}

impl Cull {
    /// Whether it takes triangles away that show their front, or their back.
    #[inline(always)]
    pub(crate) fn takes(self, is_front: bool) -> bool {
        match self {
            Cull::None => false,
            Cull::Front => is_front,
            Cull::Back => !is_front,
        }
    }
}

/// What becomes of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterizerState {
    /// What is drawn of triangles: by default all that they cover.
    pub fill: Fill,
    /// Triangles that are not drawn; by default those that show their back.
    pub cull: Cull,
    /// Whether triangles whose corners go counter-clockwise on the screen show their front; by default clockwise ones do.
    pub front_counter_clockwise: bool,
    /// Whether triangles are cut where depth leaves 0 to 1, as by default. Otherwise depth is clamped.
    pub depth_clip: bool,
    /// How far triangles are moved away, in units of the depth buffer: its least depth above 0, or a unit in the last place of a
    /// triangle's greatest depth where it has floats. By default 0, as the next two.
    pub depth_bias: i32,
    /// How far they are moved away besides, in what their depth changes by from pixel to pixel.
    pub slope_scaled_depth_bias: f32,
    /// What both together do not go beyond: the greatest way away if it is above 0, towards the viewer if below.
    pub depth_bias_clamp: f32,
    /// Whether lines are rectangles with a width of 1.4 pixels: by default not. In spite of its name (`MultisampleEnable`) it changes
    /// nothing else, and does so where there is one sample (functional specification, 15.14.1).
    pub multisample: bool,
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
        }
    }
}

/// How pixels are held against the depth buffer, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DepthState {
    /// Whether they are, as by default.
    pub enable: bool,
    /// Whether those that pass are written, as by default.
    pub write: bool,
    /// Which pass: a pixel's depth is compared with the buffer's. By default those with less.
    pub function: Comparison,
}

impl Default for DepthState {
    fn default() -> Self {
        Self { enable: true, write: true, function: Comparison::Less }
    }
}

impl DepthState {
    /// How pixels are held against a depth buffer of a format, as pixel shaders are compiled for it; none if they are not. A buffer without
    /// stencils passes the test of them.
    ///
    /// # Errors
    /// If the format is not one of depths.
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

/// How a depth buffer's texels lie in memory.
pub(crate) fn depth_format(format: Format) -> Result<DepthFormat, DrawError> {
    match format {
        Format::D16_UNORM => Ok(DepthFormat::D16),
        Format::D24_UNORM_S8_UINT => Ok(DepthFormat::D24),
        Format::D32_FLOAT => Ok(DepthFormat::D32),
        Format::D32_FLOAT_S8X24_UINT => Ok(DepthFormat::D32S8),
        other => Err(DrawError::Unsupported { what: format!("a depth buffer of format {other}") }),
    }
}

/// What becomes of the pixel shader's colours in a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetState {
    /// The target's format.
    pub format: Format,
    /// How colours are blended with what is there; by default they replace it.
    pub blend: Option<Blend>,
    /// How the bits of unsigned integers are combined with what is there; by default they replace it.
    pub logic: Option<LogicOp>,
    /// Components that are written, red in the lowest bit; by default all four.
    pub write_mask: u8,
}

impl TargetState {
    /// A target in which colours replace what is there.
    pub fn new(format: Format) -> Self {
        Self { format, blend: None, logic: None, write_mask: 15 }
    }

    /// The same, blended.
    pub fn blended(format: Format, blend: Blend) -> Self {
        Self { blend: Some(blend), ..Self::new(format) }
    }

    /// The same for the output merger, as pixel shaders are compiled for it: what becomes of output `o`*n*.
    ///
    /// # Errors
    /// If the format cannot be drawn to, or not so.
    pub fn for_output(&self, output: u32) -> Result<Target, DrawError> {
        let &Self { format, blend, logic, write_mask } = self;
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
        // What the format does not have is written for nothing, but need not be read.
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

/// Colours over what is there, in the share that their alpha says.
pub const ALPHA_BLEND: Blend = {
    let destination = Factor::InverseSourceAlpha;
    Blend {
        color: Equation { source: Factor::SourceAlpha, destination, op: BlendOp::Add },
        alpha: Equation { source: Factor::One, destination, op: BlendOp::Add },
    }
};
