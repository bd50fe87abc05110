//! Declares the external interface of a shader: its stage, resources, shared memory, arrays.
//!
//! These are properties of the shader, not of its bindings, which the runtime checks against them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::entity::{ArrayId, LocalId, MessageId, ResourceId, SharedId};
use crate::message::Message;
use crate::named::{named, numbered};
pub use crate::stage::Array;
use crate::stage::Stage;

/// The declarations of a shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The stage of the shader.
    pub stage: Stage,
    /// Declared register ranges, in declaration order; indexed by [`ResourceId`].
    pub resources: Vec<Resource>,
    /// Thread-group shared memory (`g#`); indexed by [`SharedId`].
    pub shared: Vec<Shared>,
    /// Indexable temporaries (`x#`); indexed by [`LocalId`].
    pub locals: Vec<Local>,
    /// Arrays that are passed with each batch of invocations; indexed by [`ArrayId`]. At most [`MOST_ARRAYS`].
    pub arrays: Vec<Array>,
    /// Set if a batch fills its last packet: lanes past its end run as well. Pixels whose inputs the function makes
    /// from quads allow that, since nothing is covered where there is no quad, and so do vertices that write nothing
    /// but their outputs; code for packets that are always full needs fewer checks.
    pub fills_packets: bool,
    /// The immediate constant buffer (`icb`), in vectors of four words.
    pub immediate: Vec<[u32; 4]>,
    /// The kinds of samples that the function takes, in order, each once: compiled code finds its prepared state by a
    /// position here. Passes may leave some that are no longer taken.
    pub sampled: Vec<Sampled>,
    /// The messages that it sends; indexed by [`MessageId`].
    pub messages: Vec<Message>,
}

/// A kind of sample that a function takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Sampled {
    /// The range of the texture.
    pub texture: ResourceId,
    /// The range of the sampler.
    pub sampler: ResourceId,
    /// [`Sampling::encode`](crate::sampling::Sampling::encode).
    pub sampling: u32,
}

impl Interface {
    /// A compute shader with groups of this size that declares nothing else.
    pub fn compute(group_size: [u32; 3]) -> Self {
        Self { stage: Stage::Compute { group_size }, ..Self::default() }
    }

    /// `true` if an invocation may have effects besides its outputs: it writes a resource, or sends messages.
    pub fn has_effects(&self) -> bool {
        let mut resources = self.resources.iter();
        resources.any(|resource| resource.class == ResourceClass::UnorderedAccess) || !self.messages.is_empty()
    }

    /// The declaration of a resource range.
    pub fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.index()]
    }

    /// The declaration of shared memory.
    pub fn shared(&self, id: SharedId) -> &Shared {
        &self.shared[id.index()]
    }

    /// The declaration of a private array.
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.index()]
    }

    /// The declaration of an array of a batch.
    pub fn array(&self, id: ArrayId) -> &Array {
        &self.arrays[id.index()]
    }

    /// The declaration of a message.
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }

    /// Threads of one group along x, y and z. An invocation of another stage than compute is a group of its own.
    pub fn group_size(&self) -> [u32; 3] {
        self.stage.group_size()
    }

    /// Threads in one group.
    pub fn threads_per_group(&self) -> u32 {
        self.group_size().iter().product()
    }

    /// Bytes of shared memory that one group uses.
    pub fn shared_bytes(&self) -> u32 {
        self.shared.iter().map(Shared::size_bytes).sum()
    }
}

/// A declared range of registers of one kind. Outside shader model 5.1 a range is one register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The register file of the range.
    pub class: ResourceClass,
    /// The kind of access to it.
    pub kind: ResourceKind,
    /// Register space; 0 before 5.1.
    pub space: u32,
    /// First register of the range.
    pub lower: u32,
    /// Registers in the range; `None` if unbounded.
    pub count: Option<u32>,
    /// Set if the view's hidden counter is used.
    pub uses_counter: bool,
    /// Set if the accesses of pixels to it happen in the order of primitives (a rasterizer-ordered view).
    pub is_ordered: bool,
    /// Bytes of an element, if it is accessed by elements though its kind has none: of a raw view; of a texel, if the
    /// function was made for one format and accesses texels directly.
    pub element_bytes: Option<u32>,
}

impl Resource {
    /// One register of the first space.
    pub fn new(class: ResourceClass, kind: ResourceKind, lower: u32) -> Self {
        Self {
            class,
            kind,
            space: 0,
            lower,
            count: Some(1),
            uses_counter: false,
            is_ordered: false,
            element_bytes: None,
        }
    }

    /// The stride, if the function knows it: of constant buffers, structured views, raw views that it accesses by elements,
    /// and texels of a known format.
    pub fn stride_bytes(&self) -> Option<u32> {
        self.kind.stride_bytes().or(self.element_bytes)
    }

    /// The first register as fxc prints it: `b0`, `t3`, `u1`.
    pub fn register(&self) -> String {
        format!("{}{}", self.class.letter(), self.lower)
    }
}

named! {
    /// Register files that hold resources.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum ResourceClass {
        /// `b#`.
        Constant = "b",
        /// `t#`, read only.
        ShaderResource = "t",
        /// `u#`, read and write.
        UnorderedAccess = "u",
        /// `s#`, samplers.
        Sampler = "s",
    }
}

impl ResourceClass {
    /// The letter of the register name.
    pub fn letter(self) -> char {
        char::from(self.name().as_bytes()[0])
    }
}

/// The addressing of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ResourceKind {
    /// A constant buffer of this many 16-byte vectors; 0 if the shader does not say.
    Constant {
        /// Declared size in vectors of 16 bytes.
        vectors: u32,
    },
    /// Bytes, accessed as 32-bit words.
    Raw,
    /// Elements of a fixed stride.
    Structured {
        /// Bytes from one element to the next.
        stride_bytes: u32,
    },
    /// Texels of a format that the view determines.
    Typed {
        /// Dimension of the resource.
        dimension: Dimension,
        /// The component type that the shader sees.
        component: Component,
    },
    /// A sampler.
    Sampler {
        /// Set if it compares texels with a reference.
        compares: bool,
    },
}

impl ResourceKind {
    /// The stride, if the shader fixes it: of constant buffers and structured views.
    pub fn stride_bytes(self) -> Option<u32> {
        match self {
            ResourceKind::Constant { .. } => Some(16),
            ResourceKind::Structured { stride_bytes } => Some(stride_bytes),
            ResourceKind::Raw | ResourceKind::Typed { .. } | ResourceKind::Sampler { .. } => None,
        }
    }

    /// `true` for a buffer of texels.
    pub fn is_typed_buffer(self) -> bool {
        matches!(self, ResourceKind::Typed { dimension: Dimension::Buffer, .. })
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResourceKind::Constant { vectors: 0 } => f.write_str("constant buffer"),
            ResourceKind::Constant { vectors: 1 } => f.write_str("constant buffer of 1 vector"),
            ResourceKind::Constant { vectors } => write!(f, "constant buffer of {vectors} vectors"),
            ResourceKind::Raw => f.write_str("raw buffer"),
            ResourceKind::Structured { stride_bytes } => write!(f, "structured buffer of stride {stride_bytes}"),
            ResourceKind::Typed { dimension, component } => write!(f, "{dimension} of {component}"),
            ResourceKind::Sampler { compares: false } => f.write_str("sampler"),
            ResourceKind::Sampler { compares: true } => f.write_str("comparison sampler"),
        }
    }
}

numbered! {
    /// Kinds of textures and views, as D3D11_SRV_DIMENSION.
    pub enum Dimension {
        /// A typed buffer.
        Buffer = 1 => "buffer",
        /// One row of texels.
        Texture1d = 2 => "texture1d",
        /// Rows of texels, in layers.
        Texture1dArray = 3 => "texture1darray",
        /// A rectangle.
        Texture2d = 4 => "texture2d",
        /// Rectangles in layers.
        Texture2dArray = 5 => "texture2darray",
        /// A rectangle with several samples per texel.
        Texture2dMs = 6 => "texture2dms",
        /// The same in layers.
        Texture2dMsArray = 7 => "texture2dmsarray",
        /// A box.
        Texture3d = 8 => "texture3d",
        /// Six faces.
        TextureCube = 9 => "texturecube",
        /// Six faces each, in layers.
        TextureCubeArray = 10 => "texturecubearray",
    }
}

impl Dimension {
    /// The kinds of textures.
    pub fn textures() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|&dimension| dimension != Dimension::Buffer)
    }

    /// The kind of texture of this name.
    pub fn texture_named(name: &str) -> Option<Self> {
        Self::textures().find(|dimension| dimension.name() == name)
    }

    /// Integer coordinates that address a texel, the layer included and a mip level or sample excluded.
    pub fn coordinates(self) -> usize {
        match self {
            Dimension::Buffer | Dimension::Texture1d => 1,
            Dimension::Texture1dArray | Dimension::Texture2d | Dimension::Texture2dMs => 2,
            Dimension::Texture2dArray
            | Dimension::Texture2dMsArray
            | Dimension::Texture3d
            | Dimension::TextureCube
            | Dimension::TextureCubeArray => 3,
        }
    }

    /// Coordinates that a sample instruction takes, the layer of an array excluded.
    pub fn sample_axes(self) -> usize {
        match self {
            Dimension::Buffer | Dimension::Texture1d | Dimension::Texture1dArray => 1,
            Dimension::Texture2d | Dimension::Texture2dArray | Dimension::Texture2dMs | Dimension::Texture2dMsArray => {
                2
            }
            Dimension::Texture3d | Dimension::TextureCube | Dimension::TextureCubeArray => 3,
        }
    }

    /// `true` if it has layers that the shader selects.
    pub fn is_array(self) -> bool {
        matches!(
            self,
            Dimension::Texture1dArray
                | Dimension::Texture2dArray
                | Dimension::Texture2dMsArray
                | Dimension::TextureCubeArray
        )
    }

    /// `true` if a texel has several samples.
    pub fn is_multisampled(self) -> bool {
        matches!(self, Dimension::Texture2dMs | Dimension::Texture2dMsArray)
    }

    /// `true` if its layers are faces of cubes.
    pub fn is_cube(self) -> bool {
        matches!(self, Dimension::TextureCube | Dimension::TextureCubeArray)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Dimension::Buffer { "typed buffer" } else { self.name() })
    }
}

named! {
    /// The component type of a typed resource that the shader sees; the view's format must match.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Component {
        /// Float, 32 bits or fewer.
        Float = "float",
        /// Unsigned fixed point in [0, 1].
        Unorm = "unorm",
        /// Signed fixed point in [-1, 1].
        Snorm = "snorm",
        /// Signed integer.
        Sint = "sint",
        /// Unsigned integer.
        Uint = "uint",
        /// Anything.
        Mixed = "mixed",
        /// Doubles in pairs of words.
        Double = "double",
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Thread-group shared memory: `count` elements of `stride_bytes`. Raw shared memory has stride 4 and is addressed by
/// bytes without an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shared {
    /// The number in the register name `g#`.
    pub register: u32,
    /// Declared raw: no index, the offset counts bytes from the start.
    pub raw: bool,
    /// Bytes from one element to the next, a multiple of 4.
    pub stride_bytes: u32,
    /// Elements.
    pub count: u32,
}

impl Shared {
    /// Bytes it occupies.
    pub fn size_bytes(&self) -> u32 {
        self.stride_bytes * self.count
    }
}

/// A private array of each thread: `registers` vectors of `components` words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The number in the register name `x#`.
    pub register: u32,
    /// Vectors.
    pub registers: u32,
    /// Words in a vector, 1 to 4.
    pub components: u32,
}

/// The most arrays that a function declares.
pub const MOST_ARRAYS: usize = 8;
