//! Models resources, their initial content, and the references that steps make to them.

use std::convert::Infallible;
use std::path::PathBuf;

use brolga_runtime::format::TextureFormat;
use brolga_runtime::{Dimension, Format, TextureShape};

use super::number::{Number, NumberType};
use super::texture::TextureKeys;
use crate::text::{Entry, Located, Node, Span};

/// A resource.
#[derive(Clone, Debug)]
pub(crate) struct ResourceEntry {
    /// The name in messages.
    pub label: String,
    pub kind: KindKeys,
    /// Bytes, by the key `size`.
    pub size: Option<u64>,
    pub content: Content,
    /// Values of a constant buffer's variables.
    pub variables: Vec<NamedValue>,
    /// The hidden counter's first value.
    pub counter: Option<u32>,
    /// Set if its file is mapped; `None` to map large ones.
    pub map: Option<Located<bool>>,
    /// Its name in the text.
    pub span: Span,
}

impl ResourceEntry {
    /// A resource that the document does not describe by itself: part of a mesh, constants that a step names.
    pub fn made(label: String, kind: &'static str, content: Content, span: &Span) -> Self {
        let kind = KindKeys { name: Some(kind), ..KindKeys::default() };
        Self { label, kind, size: None, content, variables: Vec::new(), counter: None, map: None, span: span.clone() }
    }
}

/// The keys for a resource's kind. Those left out come from the shader's declarations or the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct KindKeys {
    pub name: Option<&'static str>,
    /// Bytes from one element to the next, of structured buffers.
    pub stride: Option<u32>,
    /// Elements, of structured and typed buffers.
    pub count: Option<u64>,
    /// The description of a texture. Its format may be that of a typed buffer.
    pub texture: TextureKeys,
    /// The format, by its name in the document.
    pub format: Option<NamedFormat>,
    /// The keys that apply to some kinds only.
    pub said: Vec<Said>,
}

/// A key that applies to some kinds only.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub key: &'static str,
    /// Set if its value is one: every texture has one level, slice, layer and sample.
    pub is_one: bool,
    pub span: Span,
}

/// A format, by its name in Direct3D 11 or in Direct3D 9.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedFormat {
    pub stored: Format,
    /// The format as samplers see it.
    pub sampled: Format,
    /// Its name, in Direct3D 9 without the prefix.
    pub name: &'static str,
    pub is_direct3d9: bool,
}

impl NamedFormat {
    /// The format with a name.
    pub fn of(name: &str) -> Option<Self> {
        if let Some((name, TextureFormat { stored, sampled })) = TextureFormat::named(name) {
            return Some(Self { stored, sampled, name, is_direct3d9: true });
        }
        let format: Format = name.parse().ok()?;
        Some(Self { stored: format, sampled: format, name: format.name(), is_direct3d9: false })
    }
}

/// Kinds of resources. A document may leave parts of a texture's description to a file; later it becomes a
/// [`TextureShape`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Kind<Texture = TextureKeys> {
    /// Bytes: a constant, vertex, index, indirect or raw buffer.
    Plain(&'static str),
    /// Elements of a fixed stride.
    Structured {
        stride: u32,
        count: Option<u64>,
    },
    /// A buffer of texels.
    Typed {
        format: Format,
        count: Option<u64>,
    },
    Texture(Texture),
}

impl Kind {
    /// The kind's name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Plain(name) => name,
            Kind::Structured { .. } => "structured",
            Kind::Typed { .. } => "typed",
            Kind::Texture(keys) => keys.dimension.map_or("texture", Dimension::name),
        }
    }
}

impl<T> Kind<T> {
    /// The same kind with another description of textures.
    pub fn try_map<U, E>(self, texture: impl FnOnce(T) -> Result<U, E>) -> Result<Kind<U>, E> {
        Ok(match self {
            Kind::Plain(name) => Kind::Plain(name),
            Kind::Structured { stride, count } => Kind::Structured { stride, count },
            Kind::Typed { format, count } => Kind::Typed { format, count },
            Kind::Texture(keys) => Kind::Texture(texture(keys)?),
        })
    }
}

impl Kind<TextureShape> {
    /// The kind with a document's keys.
    pub fn keys(self) -> Kind {
        let Ok(kind) = self.try_map(|shape| Ok::<_, Infallible>(shape.into()));
        kind
    }

    /// Bytes of an element.
    pub fn element_bytes(&self) -> Option<u64> {
        match self {
            Kind::Plain(_) => None,
            Kind::Structured { stride, .. } => Some((*stride).into()),
            Kind::Typed { format, .. } => Some(format.size_bytes().into()),
            Kind::Texture(shape) => Some(shape.format.size_bytes().into()),
        }
    }
}

/// The initial content of a resource.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// None is given: zeros.
    Unsaid,
    /// One number in every element.
    Fill(Number),
    /// The content of a file.
    File(Located<PathBuf>),
    /// Values in the document, and zeros between them.
    Values(Vec<ValueRun>),
}

/// Consecutive values of one type, starting at a byte.
#[derive(Clone, Debug)]
pub(crate) struct ValueRun {
    /// The offset of the first value.
    pub byte: u64,
    /// The values, as they lie in memory.
    pub bytes: Vec<u8>,
    pub number_type: NumberType,
    pub span: Span,
}

impl ValueRun {
    /// The byte after the last value.
    pub fn end(&self) -> u64 {
        self.byte.saturating_add(self.bytes.len() as u64)
    }

    /// Words starting at the first byte.
    pub fn of_words(words: &[u32], number_type: NumberType, span: &Span) -> Self {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self { byte: 0, bytes, number_type, span: span.clone() }
    }
}

/// A value of a constant buffer's variable.
#[derive(Clone, Debug)]
pub(crate) struct NamedValue {
    pub name: String,
    pub span: Span,
    /// Set if it is in the table `values`, where no name is a key.
    pub is_explicit: bool,
    pub node: Node,
}

impl NamedValue {
    /// A value from an entry of a table.
    pub fn new(entry: &Entry, is_explicit: bool) -> Self {
        let (name, span) = (entry.key.clone(), entry.key_span.clone());
        Self { name, span, is_explicit, node: entry.node.clone() }
    }
}

/// A reference to a resource, or a part of one, as a kind of view.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub resource: String,
    pub view: ViewKeys,
    /// Set if its colours are converted from sRGB, where it has such a format: a state of Direct3D 9 draws.
    pub is_srgb: bool,
    pub span: Span,
}

/// The subresources and the format of a view; by default all of the resource as it is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct ViewKeys {
    /// The kind that the shader sees.
    pub kind: Option<&'static str>,
    pub format: Option<Format>,
    pub mip: Option<u32>,
    pub mips: Option<u32>,
    pub layer: Option<u32>,
    pub layers: Option<u32>,
    /// The minimum level of detail that samples access.
    pub min_level: Option<f32>,
}

impl PartialEq for Reference {
    /// Spans do not count.
    fn eq(&self, other: &Self) -> bool {
        self.resource == other.resource && self.view == other.view && self.is_srgb == other.is_srgb
    }
}

impl Reference {
    /// All of a resource.
    pub fn whole(resource: String, span: &Span) -> Self {
        Self { resource, view: ViewKeys::default(), is_srgb: false, span: span.clone() }
    }

    /// `true` if it is only a name.
    pub fn is_name(&self) -> bool {
        self.view == ViewKeys::default()
    }

    /// `true` if it names all of the resource, viewed as its own kind.
    pub fn is_whole(&self) -> bool {
        let ViewKeys { mip, layer, .. } = self.view;
        let rest = ViewKeys { mip: None, layer: None, ..self.view };
        mip.unwrap_or(0) == 0 && layer.unwrap_or(0) == 0 && rest == ViewKeys::default()
    }
}
