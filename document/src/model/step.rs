//! Models the steps of a document.

use brolga_raster::direct3d9::Direct3D9Values;
use brolga_runtime::Register;

use super::query::{Predicate, Query};
use super::resource::{NamedValue, Reference};
use crate::text::{Located, Span};

/// A step, and the spans of its keys.
#[derive(Clone, Debug)]
pub(crate) struct DocumentStep {
    pub what: What,
    /// The queries that it is counted for, if it is a draw or a dispatch.
    pub queries: Vec<Query>,
    /// The condition under which it is done.
    pub predicate: Option<Predicate>,
    pub at: At,
}

/// The action of a step.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// One clear or, in Direct3D 9, those of colours and depths together.
    Clear(Vec<Clear>),
    Draw(Box<Draw>),
    Dispatch(Dispatch),
    Copy {
        from: Reference,
        to: Reference,
    },
    /// Means of samples.
    Resolve {
        from: Reference,
        to: Reference,
    },
    GenerateMips(Reference),
    /// Steps that are repeated.
    Repeat {
        count: u32,
        steps: Vec<DocumentStep>,
    },
}

impl DocumentStep {
    /// A step that is done in any case, and not counted.
    pub fn new(what: What, at: At) -> Self {
        Self { what, queries: Vec::new(), predicate: None, at }
    }

    /// This step and those that it repeats.
    pub fn and_inner(&self) -> Box<dyn Iterator<Item = &DocumentStep> + '_> {
        let inner = if let What::Repeat { steps, .. } = &self.what { &steps[..] } else { &[] };
        Box::new(std::iter::once(self).chain(inner.iter().flat_map(DocumentStep::and_inner)))
    }

    /// Calls `change` for this step and those that it repeats.
    pub fn for_each_mut<E>(&mut self, change: &mut dyn FnMut(&mut DocumentStep) -> Result<(), E>) -> Result<(), E> {
        change(self)?;
        if let What::Repeat { steps, .. } = &mut self.what {
            steps.iter_mut().try_for_each(|step| step.for_each_mut(change))?;
        }
        Ok(())
    }

    /// The name of its action: `draw`.
    pub fn name(&self) -> &'static str {
        match &self.what {
            What::Clear(_) => "clear",
            What::Draw(_) => "draw",
            What::Dispatch(_) => "dispatch",
            What::Copy { .. } => "copy",
            What::Resolve { .. } => "resolve",
            What::GenerateMips(_) => "generate_mips",
            What::Repeat { .. } => "repeat",
        }
    }

    /// The names of the resources that it may write.
    pub fn written(&self) -> Vec<&str> {
        let bound = match &self.what {
            What::Draw(draw) => &draw.bind[..],
            What::Dispatch(dispatch) => &dispatch.bind,
            _ => &[],
        };
        let others: Vec<&Reference> = match &self.what {
            What::Clear(clears) => clears.iter().map(|clear| &clear.resource).collect(),
            What::Draw(draw) => draw.targets.iter().chain(&draw.depth).collect(),
            What::Copy { to, .. } | What::Resolve { to, .. } => vec![to],
            What::GenerateMips(reference) => vec![reference],
            What::Dispatch(_) | What::Repeat { .. } => Vec::new(),
        };
        let bound = bound.iter().filter(|bind| bind.may_be_written()).map(|bind| &bind.reference);
        let streamed = match &self.what {
            What::Draw(draw) => &draw.stream_targets[..],
            _ => &[],
        };
        let streamed = streamed.iter().flatten().map(|target| target.buffer.value.as_str());
        bound.chain(others).map(|reference| reference.resource.as_str()).chain(streamed).collect()
    }
}

/// The spans of a step and of its keys in the text.
#[derive(Clone, Debug, Default)]
pub(crate) struct At {
    pub head: Span,
    pub keys: Vec<(&'static str, Span)>,
}

impl At {
    /// The span of a key's value; that of the step if the key is absent.
    pub fn of(&self, key: &str) -> &Span {
        self.keys.iter().find(|(known, _)| *known == key).map_or(&self.head, |(_, span)| span)
    }
}

/// A binding of a resource to a register.
#[derive(Clone, Debug)]
pub(crate) struct Bind {
    /// The slot as written: a register, or the name of the shader's declaration.
    pub slot: String,
    /// `None` until the name is looked up in the shader.
    pub register: Option<Register>,
    pub reference: Reference,
    /// The span of the slot.
    pub span: Span,
}

impl Bind {
    /// `true` if the shader may write the bound resource. A name does not tell before it is looked up.
    pub fn may_be_written(&self) -> bool {
        use brolga_runtime::ResourceClass::UnorderedAccess;
        self.register.is_some_and(|register| register.class == UnorderedAccess)
    }
}

/// A clear of a colour, or of depths and stencils, or of words.
#[derive(Clone, Debug)]
pub(crate) struct Clear {
    pub resource: Reference,
    pub color: Option<[f32; 4]>,
    pub depth: Option<f32>,
    pub stencil: Option<u8>,
    pub uint: Option<[u32; 4]>,
}

/// A run of a compute shader.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub pipeline: Located<String>,
    pub bind: Vec<Bind>,
    pub groups: [u32; 3],
    pub first_group: [u32; 3],
    /// The buffer with the group counts, and their offset, if they are not in the document.
    pub arguments: Option<(Located<String>, u64)>,
}

/// A draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draw {
    pub pipeline: Located<String>,
    pub targets: Vec<Reference>,
    /// The outputs that go to them.
    pub target_slots: Vec<u32>,
    pub depth: Option<Reference>,
    pub read_only_depth: bool,
    pub read_only_stencil: bool,
    pub bind: Vec<Bind>,
    pub mesh: Option<Located<String>>,
    pub vertex_buffers: Vec<VertexBuffer>,
    pub index_buffer: Option<IndexBuffer>,
    /// Vertices, or indices if there are any; `None` if a mesh gives it.
    pub count: Option<u32>,
    pub first: u32,
    pub base_vertex: i32,
    pub instances: u32,
    pub first_instance: u32,
    pub arguments: Option<(Located<String>, u64)>,
    /// Set if the vertices are those that were streamed out to the first vertex buffer.
    pub is_auto: bool,
    pub stream_targets: Vec<Option<StreamTarget>>,
    pub viewport: Option<[f32; 6]>,
    pub scissor: Option<[i32; 4]>,
    /// Further viewports with their scissor rectangles.
    pub more_viewports: Vec<([f32; 6], Option<[i32; 4]>)>,
    pub blend_factor: Option<[f32; 4]>,
    pub sample_mask: Option<u32>,
    pub stencil_reference: u8,
    /// Additional parameters of a Direct3D 9 draw.
    pub direct3d9: Option<Box<Direct3D9>>,
}

/// A buffer that vertices are streamed out to.
#[derive(Clone, Debug)]
pub(crate) struct StreamTarget {
    pub buffer: Located<String>,
    /// `None` to go on behind what is there.
    pub offset: Option<u64>,
}

/// The additional parameters of a Direct3D 9 draw.
#[derive(Clone, Debug)]
pub(crate) struct Direct3D9 {
    /// The vertex shader has registers of its own.
    pub vertex_bind: Vec<Bind>,
    /// Constants by their names.
    pub vertex_constants: Vec<NamedValue>,
    pub pixel_constants: Vec<NamedValue>,
    pub values: Direct3D9Values,
}

#[derive(Clone, Debug)]
pub(crate) struct VertexBuffer {
    pub buffer: Located<String>,
    pub stride: u32,
    pub offset: u64,
    /// How a draw of Direct3D 9 goes through it.
    pub frequency: Frequency,
    pub stride_span: Span,
}

/// The frequency of a stream of Direct3D 9.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Frequency {
    /// From vertex to vertex, without instances.
    #[default]
    Vertex,
    /// From vertex to vertex, in so many instances: `D3DSTREAMSOURCE_INDEXEDDATA`.
    Indexed { instances: u32 },
    /// An element for so many instances: `D3DSTREAMSOURCE_INSTANCEDATA`.
    Instance { step: u32 },
}

#[derive(Clone, Debug)]
pub(crate) struct IndexBuffer {
    pub buffer: Located<String>,
    pub is_short: bool,
    pub offset: u64,
}
