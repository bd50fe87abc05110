//! Declares what only hull and domain shaders have: control points, values of a patch, and the tessellator's state.

use serde::{Deserialize, Serialize};

use super::{Parameter, Signature, SystemValue, rows};
use crate::named::named;

/// What a hull shader declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HullStage {
    /// The inputs and outputs of a control point.
    pub signature: Signature,
    /// The outputs of a patch, the tessellation factors among them.
    pub constants: Vec<Parameter>,
    /// Control points of a patch that it takes.
    pub input_points: u32,
    /// Control points of a patch that it makes.
    pub output_points: u32,
    /// Set if control points are those that it takes, and it makes none itself.
    pub passes_points: bool,
    /// The shape of the domain.
    pub domain: Domain,
    /// How factors divide it.
    pub partitioning: Partitioning,
    /// What the tessellator makes of it.
    pub output: OutputPrimitive,
}

impl HullStage {
    /// Registers of a patch's values.
    pub fn constant_rows(&self) -> u32 {
        rows(&self.constants)
    }

    /// Control points of a patch that it writes.
    pub fn own_points(&self) -> u32 {
        if self.passes_points { 0 } else { self.output_points }
    }

    /// The word of each tessellation factor in the values of a patch, if it is written: of edges, then of the inside, as
    /// many as the domain has.
    pub fn factor_words(&self) -> impl Iterator<Item = Option<usize>> {
        self.domain.factors().iter().map(|&factor| {
            let output = self.constants.iter().find(|output| output.system_value == Some(factor))?;
            Some(4 * output.row as usize + output.components().next()?)
        })
    }
}

/// What a domain shader declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DomainStage {
    /// The inputs of a control point, and the outputs of a vertex.
    pub signature: Signature,
    /// The inputs of a patch.
    pub constants: Vec<Parameter>,
    /// Control points of a patch.
    pub points: u32,
    /// The shape of the domain.
    pub domain: Domain,
    /// Set if effects depend on whether an invocation is for a point, or only fills a packet.
    pub asks_active: bool,
}

impl DomainStage {
    /// Registers of a patch's values.
    pub fn constant_rows(&self) -> u32 {
        rows(&self.constants)
    }
}

named! {
    /// The shape of a patch's domain.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Domain {
        /// Lines along u, at places along v.
        Isoline = "isoline",
        /// A triangle, in barycentric coordinates.
        #[default]
        Triangle = "tri",
        /// A square.
        Quad = "quad",
    }

    /// How tessellation factors divide an edge.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Partitioning {
        /// Into so many equal segments, rounded up.
        #[default]
        Integer = "integer",
        /// The same: rounding to powers of 2 is the shader's concern.
        PowerOf2 = "pow2",
        /// Into an odd number of segments, two of which grow.
        FractionalOdd = "fractional_odd",
        /// Into an even number.
        FractionalEven = "fractional_even",
    }

    /// What the tessellator makes of a domain.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum OutputPrimitive {
        /// A point of each point.
        Point = "point",
        /// Lines.
        Line = "line",
        /// Triangles whose vertices go clockwise.
        #[default]
        TriangleClockwise = "triangle_cw",
        /// Triangles whose vertices go the other way.
        TriangleCounterClockwise = "triangle_ccw",
    }
}

impl Domain {
    /// The tessellation factors of a patch, in the tessellator's order.
    pub fn factors(self) -> &'static [SystemValue] {
        use SystemValue::{EdgeFactor0, EdgeFactor1, EdgeFactor2, EdgeFactor3, InsideFactor0, InsideFactor1};
        match self {
            Domain::Isoline => &[EdgeFactor0, EdgeFactor1],
            Domain::Triangle => &[EdgeFactor0, EdgeFactor1, EdgeFactor2, InsideFactor0],
            Domain::Quad => &[EdgeFactor0, EdgeFactor1, EdgeFactor2, EdgeFactor3, InsideFactor0, InsideFactor1],
        }
    }
}
