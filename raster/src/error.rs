//! Defines the errors of pipelines, passes and draws.

use crate::layout::ElementFormat;
use brolga_ir::pipeline::state::SamplePattern;
use brolga_ir::stage::InputPrimitive;
use brolga_runtime::{Error, ErrorKind, Format, Register, ResourceError, StopReason};

/// Reason why a pipeline cannot be built, or a draw cannot be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A shader that every pipeline needs is missing.
    #[error("the pipeline has no {stage} shader")]
    NoShader {
        /// Its stage.
        stage: &'static str,
    },
    /// A shader is of another stage than the one it is used for.
    #[error("the pipeline's {expected} shader is a {found} shader")]
    Stage {
        /// The expected stage.
        expected: &'static str,
        /// The shader's stage.
        found: &'static str,
    },
    /// The vertex shader reads an input that no element of the input layout fills.
    #[error("the vertex shader reads {input}, for which the input layout has no element{}", hint(nearest))]
    NoElement {
        /// The input, with its register.
        input: String,
        /// The nearest element that is unused, if one is near.
        nearest: Option<String>,
    },
    /// An element's format is not a vertex format.
    #[error("the input layout's element {element} has format {format}, which vertices cannot have")]
    ElementFormat {
        /// The element.
        element: String,
        /// Its format.
        format: ElementFormat,
    },
    /// An element's slot is too large.
    #[error("the input layout's element {element} is in vertex buffer {slot}, but there are 0 to {last}")]
    ElementSlot {
        /// The element.
        element: String,
        /// Its vertex buffer.
        slot: u32,
        /// The last slot.
        last: u32,
    },
    /// An element is misaligned for its format.
    #[error("the input layout's element {element} begins at byte {offset_bytes}, not at a multiple of {unit_bytes}")]
    ElementOffset {
        /// The element.
        element: String,
        /// Its offset.
        offset_bytes: u32,
        /// The required alignment.
        unit_bytes: u32,
    },
    /// A shader reads an input that the one before does not write, or writes to another register.
    #[error("the {reader} shader reads {input}, but the {writer} shader {output}")]
    Linkage {
        /// The stage that reads.
        reader: &'static str,
        /// The stage before it.
        writer: &'static str,
        /// The input, with its register.
        input: String,
        /// A description of the output that was found instead.
        output: String,
    },
    /// Only one of two shaders is of Direct3D 9.
    #[error("only the {direct3d9} shader is one of Direct3D 9: both of a pipeline must be, or none")]
    Models {
        /// The stage of that shader.
        direct3d9: &'static str,
    },
    /// The last stage before the rasterizer writes no position.
    #[error("the {stage} shader writes no SV_Position, without which nothing can be drawn")]
    NoPosition {
        /// The stage.
        stage: &'static str,
    },
    /// A geometry shader takes other primitives than the pipeline's.
    #[error("the geometry shader takes primitives `{expected}`, but the topology is {topology}")]
    Primitive {
        /// Its primitives, as in `dcl_inputprimitive`.
        expected: InputPrimitive,
        /// The name of the pipeline's topology.
        topology: &'static str,
    },
    /// Hull and domain shaders do not fit each other, or what is around them.
    #[error("tessellation: {what}")]
    Tessellation {
        /// What is wrong.
        what: String,
    },
    /// Nothing draws patches.
    #[error("patches cannot be rasterized without hull and domain shaders, or a geometry shader that takes them")]
    Patches,
    /// Stream output that is not possible.
    #[error("stream output: {what}")]
    StreamOutput {
        /// What is wrong.
        what: String,
    },
    /// A pipeline has too many targets.
    #[error("the pipeline has {count} targets, but at most 8 are possible")]
    TargetCount {
        /// Their number.
        count: usize,
    },
    /// Targets get outputs that do not exist, or in another order.
    #[error("the pipeline's targets get outputs {slots:?}: 0 to 7 are possible, in increasing order")]
    TargetSlots {
        /// The outputs.
        slots: Vec<u32>,
    },
    /// A blend has a dual-source factor, but there are several targets.
    #[error("target {target} of the pipeline is blended with the second output, so it must be the only one of {count}")]
    SecondSource {
        /// The target.
        target: usize,
        /// Number of targets.
        count: usize,
    },
    /// A format cannot be that of such a target.
    #[error("target {target} of the pipeline has format {format}, which cannot be {what}")]
    TargetFormat {
        /// The target.
        target: usize,
        /// Its format.
        format: Format,
        /// The operation that it does not allow.
        what: &'static str,
    },
    /// The targets of a pass do not match the pipeline's.
    #[error("the pipeline is for {expected}, but the pass has {found}")]
    Targets {
        /// The pipeline's formats.
        expected: String,
        /// The formats of the pass.
        found: String,
    },
    /// A view cannot be a target.
    #[error("{what} is {found}: it must be a texture of {expected}")]
    Target {
        /// The target.
        what: String,
        /// The view that was found.
        found: String,
        /// The view that would be right.
        expected: String,
    },
    /// A number of samples that no target has.
    #[error("{what} has {samples} samples, but targets have at most {most}")]
    TargetSamples {
        /// The target.
        what: String,
        /// Its samples.
        samples: u32,
        /// The most that are possible.
        most: u32,
    },
    /// Targets of one pass have different numbers of samples.
    #[error("{first} has {} but {second} has {}: all targets of a pass have the same", named(*others, " samples"), named(*samples, ""))]
    MixedSamples {
        /// One target.
        first: String,
        /// Its samples.
        others: SamplePattern,
        /// The other target.
        second: String,
        /// Its samples.
        samples: SamplePattern,
    },
    /// The targets of a pass have other samples than the pipeline's.
    #[error("the pipeline is for targets with {}, but {}", named(*expected, " samples"), of_pass(*found))]
    PipelineSamples {
        /// The pipeline's.
        expected: SamplePattern,
        /// Those of the pass, if it has targets.
        found: Option<SamplePattern>,
    },
    /// A number of samples that a pipeline cannot have.
    #[error("the pipeline has {samples} samples: 1, 2, 4 or 8 are possible")]
    SampleCount {
        /// Their number.
        samples: u32,
    },
    /// A number of samples that a rasterizer cannot be forced to.
    #[error("the pipeline forces {samples} samples: 1, 4, 8 or 16 are possible, or 0 for those of the targets")]
    ForcedSampleCount {
        /// Their number.
        samples: u32,
    },
    /// Something that cannot be where the rasterizer's samples are forced.
    #[error("a pipeline that forces {samples} sample{} cannot have {what}", if *samples == 1 { "" } else { "s" })]
    ForcedSamples {
        /// Their number.
        samples: u32,
        /// What it has.
        what: &'static str,
    },
    /// A shader that runs for each sample has none to run for.
    #[error("the pixel shader runs for each sample of a pixel, {why}: it must run for each pixel")]
    SampleFrequency {
        /// The reason.
        why: &'static str,
    },
    /// Lines are rectangles over samples that lie at the center.
    #[error("lines cannot be rectangles (`multisample`) where all samples of a pixel lie at its center")]
    CenteredLines,
    /// Conservative rasterization of something else than solid triangles.
    #[error("conservative rasterization is for solid triangles, not for points, lines or wireframe")]
    Conservative,
    /// Two targets overlap.
    #[error("targets {first} and {second} share texels: let them be other levels or layers")]
    SharedTarget {
        /// The first of them.
        first: usize,
        /// The second.
        second: usize,
    },
    /// A depth buffer is smaller than a target.
    #[error(
        "the depth buffer has {} x {} pixels, and target {target} {} x {}: a depth buffer must be as large as the target",
        depth[0], depth[1], size[0], size[1]
    )]
    SmallDepth {
        /// Width and height of the depth buffer.
        depth: [u32; 2],
        /// The target.
        target: usize,
        /// Width and height of the target.
        size: [u32; 2],
    },
    /// There is no such target to clear.
    #[error("there is no target {target} to clear: the pass has {count}")]
    NoTarget {
        /// The target.
        target: usize,
        /// Number of targets.
        count: usize,
    },
    /// There is no depth buffer to clear.
    #[error("there is no depth buffer to clear")]
    NoDepth,
    /// The depth or stencil to clear is read-only in the view.
    #[error("the {what} of the depth buffer cannot be cleared through a view that makes them read-only")]
    ReadOnly {
        /// `depths` or `stencils`.
        what: &'static str,
    },
    /// The pixel to watch is outside of the targets.
    #[error("there is no pixel ({}, {}): the targets have {} x {}", pixel[0], pixel[1], size[0], size[1])]
    NoPixel {
        /// Column and row.
        pixel: [u32; 2],
        /// Width and height of the targets.
        size: [u32; 2],
    },
    /// A vertex buffer that a Direct3D 9 pipeline reads is missing.
    #[error("the input layout reads vertex buffer {slot}, but the draw has {count}")]
    VertexBuffer {
        /// The slot.
        slot: u32,
        /// Number of vertex buffers.
        count: usize,
    },
    /// A vertex buffer's offset is not a multiple of a word.
    #[error("vertex buffer {slot} begins at byte {offset_bytes}, not at a multiple of 4")]
    VertexOffset {
        /// The slot.
        slot: u32,
        /// Its offset.
        offset_bytes: u64,
    },
    /// An index buffer's offset is not a multiple of an index.
    #[error("the index buffer's view begins at byte {offset_bytes}, not at a multiple of {unit_bytes}")]
    IndexOffset {
        /// Its offset.
        offset_bytes: u64,
        /// Size of an index in bytes.
        unit_bytes: u64,
    },
    /// A viewport is invalid.
    #[error("the viewport is {what}")]
    Viewport {
        /// The fault, and the valid range.
        what: String,
    },
    /// There are too many clip planes.
    #[error("{count} clip planes, but at most 6 are possible")]
    ClipPlanes {
        /// Their number.
        count: usize,
    },
    /// Something is not supported.
    #[error("{what} is not supported")]
    Unsupported {
        /// The unsupported thing.
        what: String,
    },
    /// A shader reads a target of its own draw.
    #[error("the {stage} shader reads {register}, which is {target} of the same draw: let it read a copy")]
    ReadsTarget {
        /// The stage.
        stage: &'static str,
        /// The register through which it does.
        register: Register,
        /// The target.
        target: String,
    },
    /// A shader writes through a view to a target of its own draw.
    #[error("the {stage} shader writes {register}, which is {target} of the same draw: let it write something else")]
    WritesTarget {
        /// The stage.
        stage: &'static str,
        /// The register through which it does.
        register: Register,
        /// The target.
        target: String,
    },
    /// The cancel token or the time limit ended a pass.
    #[error("{why} at draw {draw} of the pass")]
    Stopped {
        /// The reason.
        why: StopReason,
        /// The index of the draw; of the next one if a clear was stopped.
        draw: usize,
    },
    /// A draw was begun, but failed.
    #[error("draw {draw} of the pass: {source}")]
    Draw {
        /// The index of the draw.
        draw: usize,
        /// The cause.
        source: Error,
    },
    /// The bindings of a shader do not match it.
    #[error("the {stage} shader: {source}")]
    Shader {
        /// The stage.
        stage: &'static str,
        /// The cause.
        source: Error,
    },
    /// The runtime refuses or fails.
    #[error(transparent)]
    Runtime(#[from] Error),
    /// A query that has no result, or cannot end.
    #[error("the query {what}")]
    Query {
        /// Why.
        what: &'static str,
    },
}

/// A hint at the element that was perhaps meant.
fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |nearest| format!(": did you mean it where it has `{nearest}`?"))
}

impl DrawError {
    /// The kind of error, which says what to do about it.
    pub fn kind(&self) -> ErrorKind {
        match self {
            DrawError::Unsupported { .. } => ErrorKind::Unsupported,
            DrawError::ReadsTarget { .. } | DrawError::WritesTarget { .. } => ErrorKind::Binding,
            DrawError::Target { .. } | DrawError::SharedTarget { .. } | DrawError::SmallDepth { .. } => {
                ErrorKind::Resource
            }
            DrawError::Stopped { .. } => ErrorKind::Stopped,
            DrawError::Draw { source, .. } | DrawError::Shader { source, .. } | DrawError::Runtime(source) => {
                source.kind()
            }
            _ => ErrorKind::Call,
        }
    }

    /// The index of the draw that was not finished.
    pub fn draw(&self) -> Option<usize> {
        match self {
            DrawError::Stopped { draw, .. } | DrawError::Draw { draw, .. } => Some(*draw),
            _ => None,
        }
    }

    /// The same error for a pass with `before` draws ahead of these.
    pub(crate) fn after(mut self, before: usize) -> Self {
        if let DrawError::Stopped { draw, .. } | DrawError::Draw { draw, .. } = &mut self {
            *draw += before;
        }
        self
    }

    /// Names the draw in which the runtime failed.
    pub(crate) fn in_draw(draw: usize) -> impl Fn(Error) -> Self + Copy {
        move |source| DrawError::Draw { draw, source }
    }
}

impl From<ResourceError> for DrawError {
    fn from(error: ResourceError) -> Self {
        DrawError::Runtime(error.into())
    }
}

/// The samples of a pattern, as in messages, with a word for several.
fn named(samples: SamplePattern, word: &str) -> String {
    match samples.count() {
        1 => format!("1{}", word.trim_end_matches('s')),
        count if samples.is_centered() => format!("{count}{word} at the center"),
        count => format!("{count}{word}"),
    }
}

/// The samples of a pass, likewise.
fn of_pass(samples: Option<SamplePattern>) -> String {
    samples.map_or("the pass has no targets".to_owned(), |samples| {
        format!("those of the pass have {}", named(samples, ""))
    })
}
