//! Describes the pipeline stage of a shader, and an invocation's inputs and outputs.
//!
//! A compute shader runs in groups of threads. The shaders of all other stages run in *batches* of invocations: each is
//! a group of one thread, whose number in the batch is component 0 of
//! [`Input::ThreadId`](crate::function::Input::ThreadId). Four consecutive invocations of a pixel shader are a quad: 0
//! and 1 are the upper row of pixels, 2 and 3 the lower one.
//!
//! Of vertex and pixel shaders, inputs and outputs are in two arrays of [`Interface::arrays`](crate::interface::Interface::arrays), with an element
//! for each invocation and a row of four words for each register: the caller that runs the batch fills the one and
//! reads the other. A register `v#` or `o#` has the row of its number; registers without a number follow. An invocation
//! of a geometry shader reads the vertices of a primitive and emits others: its arrays are those of
//! [`GeometryArray`](crate::pipeline::record::GeometryArray).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::entity::ArrayId;
use crate::interface::Array;
use crate::named::named;
use crate::stages::StageKind;

/// The stage, with the declarations specific to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Stage {
    /// Threads in groups.
    Compute {
        /// Threads of one group along x, y and z.
        group_size: [u32; 3],
    },
    /// A vertex shader.
    Vertex(Signature),
    /// A geometry shader.
    Geometry(Box<GeometryStage>),
    /// A pixel shader, which runs in quads of two by two.
    Pixel(Signature),
}

impl Stage {
    /// The kind of the stage.
    pub fn kind(&self) -> StageKind {
        match self {
            Stage::Compute { .. } => StageKind::Compute,
            Stage::Vertex(_) => StageKind::Vertex,
            Stage::Geometry(_) => StageKind::Geometry,
            Stage::Pixel(_) => StageKind::Pixel,
        }
    }

    /// The stage's name, for use in a sentence.
    pub fn name(&self) -> &'static str {
        self.kind().name()
    }

    /// Threads of one group along x, y and z. An invocation of another stage than compute is a group of its own.
    pub fn group_size(&self) -> [u32; 3] {
        match self {
            Stage::Compute { group_size } => *group_size,
            Stage::Vertex(_) | Stage::Geometry(_) | Stage::Pixel(_) => [1; 3],
        }
    }

    /// The inputs and outputs; compute shaders have none. Those of a geometry shader are of one vertex.
    pub fn signature(&self) -> Option<&Signature> {
        match self {
            Stage::Compute { .. } => None,
            Stage::Vertex(signature) | Stage::Pixel(signature) => Some(signature),
            Stage::Geometry(geometry) => Some(&geometry.signature),
        }
    }

    /// The same, to change them.
    pub fn signature_mut(&mut self) -> Option<&mut Signature> {
        match self {
            Stage::Compute { .. } => None,
            Stage::Vertex(signature) | Stage::Pixel(signature) => Some(signature),
            Stage::Geometry(geometry) => Some(&mut geometry.signature),
        }
    }

    /// What only a geometry shader declares.
    pub fn geometry(&self) -> Option<&GeometryStage> {
        match self {
            Stage::Geometry(geometry) => Some(geometry),
            _ => None,
        }
    }
}

impl Default for Stage {
    /// A compute shader that has no threads.
    fn default() -> Self {
        Stage::Compute { group_size: [0; 3] }
    }
}

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

impl fmt::Display for InputPrimitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
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

/// The inputs and outputs of an invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The array of the inputs, if there are any.
    pub input_array: Option<ArrayId>,
    /// The array of the outputs, if there are any.
    pub output_array: Option<ArrayId>,
    /// Inputs, in the order of their declarations. Some may share a register.
    pub inputs: Vec<Parameter>,
    /// Outputs, likewise.
    pub outputs: Vec<Parameter>,
    /// Inputs once more, at the center of pixels whatever their interpolation says: a row, and the number of an input.
    pub at_center: Vec<(u32, usize)>,
    /// Set if depth and stencil are tested before the shader, even where it discards a pixel or outputs a depth
    /// (functional specification, 16.12).
    pub forces_early_tests: bool,
}

impl Signature {
    /// Rows of an element of the inputs' array.
    pub fn input_rows(&self) -> u32 {
        self.at_center.iter().map(|(row, _)| row + 1).fold(rows(&self.inputs), u32::max)
    }

    /// Declares an array each for inputs and outputs, if there are any; for a function that has no other arrays.
    pub fn declare_arrays(&mut self) -> Vec<Array> {
        let mut arrays = Vec::new();
        let mut array = |rows: u32, is_written| {
            (rows > 0).then(|| {
                arrays.push(Array { stride_bytes: rows * ROW_BYTES, is_written });
                ArrayId::new(arrays.len() - 1)
            })
        };
        self.input_array = array(self.input_rows(), false);
        self.output_array = array(rows(&self.outputs), true);
        arrays
    }

    /// Rows of an element of the outputs' array.
    pub fn output_rows(&self) -> u32 {
        rows(&self.outputs)
    }
}

/// Bytes of a row.
pub(crate) const ROW_BYTES: u32 = 16;

/// Number of rows up to the last parameter.
pub(crate) fn rows(parameters: &[Parameter]) -> u32 {
    parameters.iter().map(|parameter| parameter.row + 1).max().unwrap_or(0)
}

/// The row of a system value.
pub(crate) fn row_of(parameters: &[Parameter], value: SystemValue) -> Option<u32> {
    parameters.iter().find(|parameter| parameter.system_value == Some(value)).map(|parameter| parameter.row)
}

/// The semantic of an input or output, by which stages are linked: `TEXCOORD1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Semantic {
    /// The name. Letters of either case are equal.
    pub name: String,
    /// The number after it.
    pub index: u32,
}

impl Semantic {
    /// The semantic of this name and number.
    pub fn new(name: impl Into<String>, index: u32) -> Self {
        Self { name: name.into(), index }
    }

    /// `true` if it has this name, with any number.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// `true` if both are the same.
    pub fn matches(&self, other: &Self) -> bool {
        self.index == other.index && self.is_named(&other.name)
    }
}

impl fmt::Display for Semantic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, self.index)
    }
}

/// Components of a register that are inputs or outputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// The semantic that links it with another stage or with vertex data, if any.
    pub semantic: Option<Semantic>,
    /// The row of its register, counted in vectors of four words.
    pub row: u32,
    /// The components, x in the lowest bit.
    pub mask: u8,
    /// Its system value, if it has one.
    pub system_value: Option<SystemValue>,
    /// The interpolation of a pixel shader's input.
    pub interpolation: Interpolation,
    /// The stream of a geometry shader's output; 0 for all others.
    pub stream: u32,
}

impl Parameter {
    /// The components, by number.
    pub fn components(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..4).filter(move |component| mask >> component & 1 != 0)
    }
}

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

/// `true` if a parameter has one of some system values.
fn has_any(parameters: &[Parameter], values: &[SystemValue]) -> bool {
    parameters.iter().any(|parameter| parameter.system_value.is_some_and(|value| values.contains(&value)))
}

impl Signature {
    /// `true` if an input is one of some system values.
    pub fn reads(&self, values: &[SystemValue]) -> bool {
        has_any(&self.inputs, values)
    }

    /// `true` if an output is one of some system values.
    pub fn writes(&self, values: &[SystemValue]) -> bool {
        has_any(&self.outputs, values)
    }

    /// `true` if a pixel shader with it outputs a depth.
    pub fn writes_depth(&self) -> bool {
        self.writes(&[SystemValue::Depth, SystemValue::DepthGreaterEqual, SystemValue::DepthLessEqual])
    }

    /// `true` if a pixel shader with it runs for each sample of a pixel (functional specification, 16.3).
    pub fn is_per_sample(&self) -> bool {
        let is_of_sample = |input: &Parameter| {
            input.interpolation.is_per_sample() || input.system_value == Some(SystemValue::SampleIndex)
        };
        self.inputs.iter().any(is_of_sample)
    }
}
