//! Describes the input layout: the bytes of vertex buffers that fill each input of the vertex shader.

use brolga_ir::pipeline::state::Advance;
use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};
use brolga_runtime::Format;

/// An element of the input layout: the bytes of a vertex that fill one input of the vertex shader.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputElement {
    /// The semantic, in letters of either case: `POSITION`.
    pub semantic: String,
    /// The semantic index.
    pub index: u32,
    /// The format of its bytes.
    pub format: ElementFormat,
    /// The vertex buffer's slot.
    pub slot: u32,
    /// Bytes from the start of a vertex.
    pub offset_bytes: u32,
    /// The rate at which it advances: per vertex or per instance.
    pub advance: Advance,
}

impl InputElement {
    /// A per-vertex element of the first vertex buffer. Digits at the end of the semantic are its index: `TEXCOORD1`.
    pub fn new(semantic: &str, format: impl Into<ElementFormat>, offset_bytes: u32) -> Self {
        let name = semantic.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let index = semantic[name.len()..].parse().unwrap_or(0);
        let format = format.into();
        Self { semantic: name.to_owned(), index, format, slot: 0, offset_bytes, advance: Advance::Vertex }
    }

    /// Sets the slot of the vertex buffer.
    pub fn slot(mut self, slot: u32) -> Self {
        self.slot = slot;
        self
    }

    /// Advances once every `step` instances; never if that is 0.
    pub fn per_instance(mut self, step: u32) -> Self {
        self.advance = Advance::Instance { step };
        self
    }
}

/// The format of an element's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementFormat {
    /// The texel format of a resource.
    Texel(Format),
    /// Three unsigned integers of 10 bits, the fourth component 1: `D3DDECLTYPE_UDEC3` of Direct3D 9.
    Udec3,
    /// Three signed normalized numbers of 10 bits, the fourth component 1: `D3DDECLTYPE_DEC3N`.
    Dec3n,
}

impl From<Format> for ElementFormat {
    fn from(format: Format) -> Self {
        Self::Texel(format)
    }
}

impl std::fmt::Display for ElementFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Texel(format) => format.fmt(f),
            Self::Udec3 => f.write_str("UDEC3"),
            Self::Dec3n => f.write_str("DEC3N"),
        }
    }
}

impl ElementFormat {
    /// Size of an element in bytes.
    pub fn size_bytes(self) -> u32 {
        match self {
            Self::Texel(format) => format.size_bytes(),
            Self::Udec3 | Self::Dec3n => 4,
        }
    }

    /// `true` if the components are integers.
    pub fn is_integer(self) -> bool {
        match self {
            Self::Texel(format) => format.encoding().is_integer(),
            Self::Udec3 => true,
            Self::Dec3n => false,
        }
    }

    /// The texel format that decodes its words; `None` if vertices cannot have it.
    pub(crate) fn texel(self) -> Option<TexelFormat> {
        let tens = |kind, missing_alpha| {
            let channel = |shift| Some(Channel { shift, bits: 10, kind });
            TexelFormat {
                words: 1,
                word_shift: 0,
                channels: [channel(0), channel(10), channel(20), None],
                missing_alpha,
            }
        };
        match self {
            Self::Texel(format) => format.vertex_format(),
            Self::Udec3 => Some(tens(ChannelKind::Uint, 1)),
            Self::Dec3n => Some(tens(ChannelKind::Snorm, 1_f32.to_bits())),
        }
    }
}
