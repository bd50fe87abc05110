//! Declares what only geometry shaders have: the primitives that they take, and streams of those that they emit.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Signature;
use crate::named::named;

/// What a geometry shader declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeometryStage {
    /// The inputs and outputs of a vertex. Outputs of different streams may share a row.
    pub signature: Signature,
    /// The primitives that it takes.
    pub input: InputPrimitive,
    /// The most vertices that an invocation emits, of all streams together. It ends with the last of them.
    pub most_vertices: u32,
    /// Invocations for each primitive.
    pub instances: u32,
    /// What it emits into each stream, if that is declared.
    pub streams: [Option<OutputTopology>; STREAMS],
    /// Set if it writes a tag for each vertex. Otherwise there is one stream, and one strip of each invocation.
    pub is_tagged: bool,
}

/// Streams of a geometry shader.
pub const STREAMS: usize = 4;

/// A primitive as a geometry shader takes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum InputPrimitive {
    /// A point.
    Point,
    /// A line.
    Line,
    /// A triangle.
    #[default]
    Triangle,
    /// A line with the vertices before and after it.
    LineAdjacent,
    /// A triangle with the vertices opposite to its edges, after each of its own.
    TriangleAdjacent,
    /// A patch of so many control points.
    Patch(u32),
}

impl InputPrimitive {
    /// The most vertices of a primitive.
    pub const MOST_VERTICES: u32 = 32;

    /// Number of its vertices.
    pub fn vertices(self) -> u32 {
        match self {
            InputPrimitive::Point => 1,
            InputPrimitive::Line => 2,
            InputPrimitive::Triangle => 3,
            InputPrimitive::LineAdjacent => 4,
            InputPrimitive::TriangleAdjacent => 6,
            InputPrimitive::Patch(count) => count,
        }
    }

    /// The one with this number in `dcl_inputprimitive`.
    pub fn from_code(code: u32) -> Option<Self> {
        Some(match code {
            1 => InputPrimitive::Point,
            2 => InputPrimitive::Line,
            3 => InputPrimitive::Triangle,
            6 => InputPrimitive::LineAdjacent,
            7 => InputPrimitive::TriangleAdjacent,
            8..=39 => InputPrimitive::Patch(code - 7),
            _ => return None,
        })
    }

    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        let count = || name.strip_prefix("patch")?.parse().ok().map(|count: u32| 7_u32.saturating_add(count));
        let code = match name {
            "point" => 1,
            "line" => 2,
            "triangle" => 3,
            "lineadj" => 6,
            "triangleadj" => 7,
            _ => count().filter(|&code| code > 7)?,
        };
        Self::from_code(code)
    }
}

/// As in `dcl_inputprimitive`; the alternate form is for a sentence.
impl fmt::Display for InputPrimitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_sentence = f.alternate();
        f.write_str(match self {
            InputPrimitive::Point if in_sentence => "points",
            InputPrimitive::Line if in_sentence => "lines",
            InputPrimitive::Triangle if in_sentence => "triangles",
            InputPrimitive::LineAdjacent if in_sentence => "lines with adjacent vertices",
            InputPrimitive::TriangleAdjacent if in_sentence => "triangles with adjacent vertices",
            InputPrimitive::Patch(count) if in_sentence => return write!(f, "patches of {count} control points"),
            InputPrimitive::Point => "point",
            InputPrimitive::Line => "line",
            InputPrimitive::Triangle => "triangle",
            InputPrimitive::LineAdjacent => "lineadj",
            InputPrimitive::TriangleAdjacent => "triangleadj",
            InputPrimitive::Patch(count) => return write!(f, "patch{count}"),
        })
    }
}

named! {
    /// What a geometry shader emits into a stream.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum OutputTopology {
        /// Points.
        PointList = "pointlist",
        /// Strips of lines.
        LineStrip = "linestrip",
        /// Strips of triangles.
        TriangleStrip = "trianglestrip",
    }
}

impl OutputTopology {
    /// Number of a primitive's vertices.
    pub fn vertices(self) -> u32 {
        match self {
            OutputTopology::PointList => 1,
            OutputTopology::LineStrip => 2,
            OutputTopology::TriangleStrip => 3,
        }
    }
}
