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
//! [`GeometryArray`](crate::pipeline::record::GeometryArray). One of a hull shader makes a patch of another
//! ([`HullArray`](crate::pipeline::record::HullArray)), one of a domain shader makes a vertex at a point of a patch
//! ([`DomainArray`](crate::pipeline::record::DomainArray)).
//!
//! | file | contents |
//! |---|---|
//! | `geometry.rs` | what only geometry shaders declare |
//! | `tessellation.rs` | what only hull and domain shaders declare |
//! | `signature.rs` | inputs and outputs |
//! | `value.rs` | their system values and interpolations |
//! | `batch.rs` | the memory passed with a batch of invocations |
//! | `message.rs` | messages that invocations and threads send, and how their texts are made |

pub mod batch;
mod geometry;
pub mod message;
mod signature;
mod tessellation;
mod value;

use serde::{Deserialize, Serialize};

use crate::stages::StageKind;
pub use geometry::{GeometryStage, InputPrimitive, OutputTopology, STREAMS};
pub use signature::{Array, Parameter, Semantic, Signature};
pub(crate) use signature::{ROW_BYTES, row_of, rows};
pub use tessellation::{Domain, DomainStage, HullStage, OutputPrimitive, Partitioning};
pub use value::{Interpolation, SystemValue};

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
    /// A hull shader.
    Hull(Box<HullStage>),
    /// A domain shader.
    Domain(Box<DomainStage>),
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
            Stage::Hull(_) => StageKind::Hull,
            Stage::Domain(_) => StageKind::Domain,
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
            _ => [1; 3],
        }
    }

    /// The inputs and outputs; compute shaders have none. Those of a geometry shader are of one vertex, those of a hull
    /// shader and the inputs of a domain shader of one control point.
    pub fn signature(&self) -> Option<&Signature> {
        match self {
            Stage::Compute { .. } => None,
            Stage::Vertex(signature) | Stage::Pixel(signature) => Some(signature),
            Stage::Hull(hull) => Some(&hull.signature),
            Stage::Domain(domain) => Some(&domain.signature),
            Stage::Geometry(geometry) => Some(&geometry.signature),
        }
    }

    /// The same, to change them.
    pub fn signature_mut(&mut self) -> Option<&mut Signature> {
        match self {
            Stage::Compute { .. } => None,
            Stage::Vertex(signature) | Stage::Pixel(signature) => Some(signature),
            Stage::Hull(hull) => Some(&mut hull.signature),
            Stage::Domain(domain) => Some(&mut domain.signature),
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

    /// What only a hull shader declares.
    pub fn hull(&self) -> Option<&HullStage> {
        match self {
            Stage::Hull(hull) => Some(hull),
            _ => None,
        }
    }

    /// What only a domain shader declares.
    pub fn domain(&self) -> Option<&DomainStage> {
        match self {
            Stage::Domain(domain) => Some(domain),
            _ => None,
        }
    }

    /// The values of a patch that a hull shader writes or a domain shader reads.
    pub fn patch_constants(&self) -> &[Parameter] {
        match self {
            Stage::Hull(hull) => &hull.constants,
            Stage::Domain(domain) => &domain.constants,
            _ => &[],
        }
    }
}

impl Default for Stage {
    /// A compute shader that has no threads.
    fn default() -> Self {
        Stage::Compute { group_size: [0; 3] }
    }
}
