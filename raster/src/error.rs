//! What can go wrong between shaders and pictures.

use crate::layout::ElementFormat;
use brolga_runtime::{Error, ErrorKind, Format, Register, ResourceError, StopReason};

/// Why a pipeline cannot be made, or a draw not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DrawError {
    /// A shader is missing that every pipeline needs.
    #[error("the pipeline has no {stage} shader")]
    NoShader {
        /// Its stage.
        stage: &'static str,
    },
    /// A shader of another stage stands for one of the pipeline's.
    #[error("the pipeline's {expected} shader is a {found} shader")]
    Stage {
        /// The stage that it should be of.
        expected: &'static str,
        /// The stage that it is of.
        found: &'static str,
    },
    /// The vertex shader reads something that no element of the input layout has.
    #[error("the vertex shader reads {input}, for which the input layout has no element{}", meant(nearest))]
    NoElement {
        /// The input, with its register.
        input: String,
        /// The nearest element of those that nothing reads, if one is near.
        nearest: Option<String>,
    },
    /// An element's format is not one of vertices.
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
        /// The last vertex buffer.
        last: u32,
    },
    /// An element does not begin where its format may.
    #[error("the input layout's element {element} begins at byte {offset_bytes}, not at a multiple of {unit_bytes}")]
    ElementOffset {
        /// The element.
        element: String,
        /// Where it begins.
        offset_bytes: u32,
        /// What that has to be a multiple of.
        unit_bytes: u32,
    },
    /// The pixel shader reads something that the vertex shader does not write, or elsewhere.
    #[error("the pixel shader reads {input}, but the vertex shader {output}")]
    Linkage {
        /// The input, with its register.
        input: String,
        /// What the vertex shader does instead.
        output: String,
    },
    /// One of two shaders is of Direct3D 9.
    #[error("only the {direct3d9} shader is one of Direct3D 9: both of a pipeline must be, or none")]
    Models {
        /// The stage of the one that is.
        direct3d9: &'static str,
    },
    /// The vertex shader writes no position.
    #[error("the vertex shader writes no SV_Position, without which nothing can be drawn")]
    NoPosition,
    /// A pipeline has too many targets.
    #[error("the pipeline has {count} targets, but at most 8 are possible")]
    TargetCount {
        /// How many.
        count: usize,
    },
    /// A blend takes a second source, and there are several targets.
    #[error("target {target} of the pipeline is blended with the second output, so it must be the only one of {count}")]
    SecondSource {
        /// The target.
        target: usize,
        /// Targets of the pipeline.
        count: usize,
    },
    /// A format is not one of targets.
    #[error("target {target} of the pipeline has format {format}, which cannot be {what}")]
    TargetFormat {
        /// The target.
        target: usize,
        /// Its format.
        format: Format,
        /// What cannot be done with it.
        what: &'static str,
    },
    /// The targets of a pass are not those that a pipeline is for.
    #[error("the pipeline is for {expected}, but the pass has {found}")]
    Targets {
        /// What the pipeline is for.
        expected: String,
        /// What the pass has.
        found: String,
    },
    /// A texture that cannot be drawn to.
    #[error("{what} is {found}: it must be a texture of one sample and of {expected}")]
    Target {
        /// Which.
        what: String,
        /// What it is.
        found: String,
        /// What it should be.
        expected: String,
    },
    /// Two targets have texels in common.
    #[error("targets {first} and {second} share texels: let them be other levels or layers")]
    SharedTarget {
        /// The first of them.
        first: usize,
        /// The second.
        second: usize,
    },
    /// A depth buffer that does not have all pixels of a target.
    #[error(
        "the depth buffer has {} x {} pixels, and target {target} {} x {}: a depth buffer must be as large as the target",
        depth[0], depth[1], size[0], size[1]
    )]
    SmallDepth {
        /// Columns and rows of the depth buffer.
        depth: [u32; 2],
        /// The target.
        target: usize,
        /// Its columns and rows.
        size: [u32; 2],
    },
    /// A target to clear that the pass does not have.
    #[error("there is no target {target} to clear: the pass has {count}")]
    NoTarget {
        /// The target.
        target: usize,
        /// How many there are.
        count: usize,
    },
    /// A depth buffer to clear that the pass does not have.
    #[error("there is no depth buffer to clear")]
    NoDepth,
    /// A part of the depth buffer to clear that its view says is read-only.
    #[error("the {what} of the depth buffer cannot be cleared through a view that makes them read-only")]
    ReadOnly {
        /// Depths or stencils.
        what: &'static str,
    },
    /// A pixel to watch that the targets do not have.
    #[error("there is no pixel ({}, {}): the targets have {} x {}", pixel[0], pixel[1], size[0], size[1])]
    NoPixel {
        /// Column and row.
        pixel: [u32; 2],
        /// How many there are.
        size: [u32; 2],
    },
    /// A vertex buffer that a pipeline of Direct3D 9 reads is missing.
    #[error("the input layout reads vertex buffer {slot}, but the draw has {count}")]
    VertexBuffer {
        /// The slot.
        slot: u32,
        /// How many there are.
        count: usize,
    },
    /// A vertex buffer does not begin at a multiple of a word.
    #[error("vertex buffer {slot} begins at byte {offset_bytes}, not at a multiple of 4")]
    VertexOffset {
        /// The slot.
        slot: u32,
        /// Where it begins.
        offset_bytes: u64,
    },
    /// An index buffer does not begin at a multiple of an index.
    #[error("the index buffer's view begins at byte {offset_bytes}, not at a multiple of {unit_bytes}")]
    IndexOffset {
        /// Where it begins.
        offset_bytes: u64,
        /// Bytes of an index.
        unit_bytes: u64,
    },
    /// A viewport that is not one.
    #[error("the viewport is {what}")]
    Viewport {
        /// What is wrong with it, and what would be right.
        what: String,
    },
    /// Too many clip planes.
    #[error("{count} clip planes, but at most 6 are possible")]
    ClipPlanes {
        /// How many.
        count: usize,
    },
    /// Something that is not there yet.
    #[error("{what} is not supported")]
    Unsupported {
        /// What.
        what: String,
    },
    /// A draw reads what it draws to.
    #[error("the {stage} shader reads {register}, which is {target} of the same draw: let it read a copy")]
    ReadsTarget {
        /// The stage.
        stage: &'static str,
        /// What reads it.
        register: Register,
        /// What is drawn to.
        target: String,
    },
    /// A shader writes by itself what its draw draws to.
    #[error("the {stage} shader writes {register}, which is {target} of the same draw: let it write something else")]
    WritesTarget {
        /// The stage.
        stage: &'static str,
        /// What writes it.
        register: Register,
        /// What is drawn to.
        target: String,
    },
    /// The cancel token or the time limit ended a pass.
    #[error("{why} at draw {draw} of the pass")]
    Stopped {
        /// What stopped it.
        why: StopReason,
        /// The draw, counted from 0; the next one where a clear was stopped.
        draw: usize,
    },
    /// A draw was begun, but not finished.
    #[error("draw {draw} of the pass: {source}")]
    Draw {
        /// The draw, counted from 0.
        draw: usize,
        /// Why.
        source: Error,
    },
    /// What is bound to a shader does not fit it.
    #[error("the {stage} shader: {source}")]
    Shader {
        /// The stage.
        stage: &'static str,
        /// Why.
        source: Error,
    },
    /// The runtime refuses or fails.
    #[error(transparent)]
    Runtime(#[from] Error),
}

/// What an element was perhaps meant to be.
fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |nearest| format!(": did you mean it where it has `{nearest}`?"))
}

impl DrawError {
    /// What to do about it.
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

    /// The draw of the pass that was not finished, counted from 0.
    pub fn draw(&self) -> Option<usize> {
        match self {
            DrawError::Stopped { draw, .. } | DrawError::Draw { draw, .. } => Some(*draw),
            _ => None,
        }
    }

    /// The same of a pass in which this many draws came before.
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
