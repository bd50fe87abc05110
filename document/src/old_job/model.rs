//! What a job says, after its keys and numbers are checked and before any file but the job itself is opened.
//!
//! Both forms of a job give these types. Whatever may turn out wrong later keeps its place in the text.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use brolga_runtime::{ClassInstance, Dimension, Error, Format, Sampler, TextureShape};
pub(super) use brolga_runtime::{Register, ResourceClass};

use super::document::{Entry, Node, Span};
use super::error::{JobError, Problem};
use super::extents::TextureKeys;
use super::values::{Number, NumberType};
use crate::files::{FileForm, Held, form_to_write};

/// A run of one or more compiled forms of a compute shader: what is bound, how many groups, what must come out.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name for reports: the key `name`, else the file's.
    pub name: String,
    /// The job file. Files that the job reads are named from its folder.
    pub path: PathBuf,
    /// The compiled forms. Each runs on fresh resources and must give the expected result.
    pub shaders: Vec<Located<PathBuf>>,
    /// What shaders in HLSL are compiled for: `cs_5_0` if the job does not say.
    pub profile: Option<String>,
    /// Which function of them is compiled: `main` if the job does not say. Compiled shaders have but one.
    pub entry: Option<String>,
    /// Groups along x, y and z.
    pub dispatch: Located<[u32; 3]>,
    /// The first group.
    pub first_group: Located<[u32; 3]>,
    /// What the shader's interface variables stand for.
    pub instances: Vec<InstanceChoice>,
    /// Whether `mad` rounds once: see [`CompileOptions::fused_mad`](crate::CompileOptions::fused_mad).
    pub fused_mad: bool,
    /// What is bound.
    pub bindings: Vec<Binding>,
    /// What must come out.
    pub expectations: Vec<Expectation>,
    /// What became of shaders in HLSL, by their position.
    pub(super) compiled: BTreeMap<usize, Vec<u8>>,
    /// The text of the job file, for messages.
    pub(super) text: Arc<str>,
}

impl Job {
    /// A problem at a place of this job.
    pub(super) fn error(&self, span: &Span, problem: Problem) -> JobError {
        JobError::new(&self.path, &self.text, span.clone(), problem)
    }

    /// What is wrong with one of its shaders, where it is named.
    pub(super) fn of_shader(&self, shader: usize, error: Error) -> JobError {
        self.error(&self.shaders[shader].span, self.run_problem(shader, error))
    }

    /// What is wrong with one of its shaders, or what it meets.
    pub(super) fn run_problem(&self, shader: usize, error: Error) -> Problem {
        Problem::Run { shader: self.resolve(&self.shaders[shader].value), error }
    }

    /// A file that the job names.
    pub(super) fn resolve(&self, file: &Path) -> PathBuf {
        self.path.parent().map_or_else(|| file.to_owned(), |folder| folder.join(file))
    }

    /// The files that it is made of and reads, and what messages call them.
    pub(super) fn inputs(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let shaders = self.shaders.iter().map(|shader| ("shader", shader));
        let contents = self.bindings.iter().filter_map(|binding| match &binding.content {
            Content::File(file) => Some(("input", file)),
            _ => None,
        });
        let expected = self.expectations.iter().filter_map(|expectation| match &expectation.content {
            Some(Expected::File(file)) => Some(("expected file", file)),
            _ => None,
        });
        let named = shaders.chain(contents).chain(expected).map(|(what, file)| (what, self.resolve(&file.value)));
        std::iter::once(("file", self.path.clone())).chain(named)
    }

    /// The binding of a register.
    pub fn binding(&self, register: Register) -> Option<&Binding> {
        self.bindings.iter().find(|binding| binding.register == register)
    }
}

/// An interface variable and the class instance that it stands for.
#[derive(Clone, Debug)]
pub struct InstanceChoice {
    /// The variable, or an element of an array of them: `light`, `lights[2]`.
    pub variable: String,
    /// The instance.
    pub instance: ClassInstance,
    /// The choice in the text.
    pub span: Span,
}

/// A value and its place in the job's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

/// One register and what is bound to it.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The register.
    pub register: Register,
    /// What the job says of the kind of view.
    pub kind: KindKeys,
    /// Bytes of the view, by the key `size`.
    pub size: Option<u64>,
    /// What it holds before the run.
    pub content: Content,
    /// Values of a constant buffer's variables.
    pub variables: Vec<NamedValue>,
    /// The hidden counter's first value.
    pub counter: Option<u32>,
    /// Where its final content goes.
    pub save: Option<Save>,
    /// Whether its file is mapped, by the key `map`; `None` to map large ones.
    pub map: Option<Located<bool>>,
    /// What the view shows of a texture.
    pub view: Option<ViewKeys>,
    /// The register's name in the text.
    pub span: Span,
}

/// What a job says of the kind of a view. What it leaves out the shader's declarations or the file say.
#[derive(Clone, Debug, Default)]
pub struct KindKeys {
    /// Its name in jobs.
    pub name: Option<&'static str>,
    /// Bytes from one element to the next, of structured views.
    pub stride: Option<u32>,
    /// Elements, of structured and typed views.
    pub count: Option<u64>,
    /// What is said of a texture. Its format may be that of a typed view.
    pub texture: TextureKeys,
    /// The sampler.
    pub sampler: Option<Sampler>,
    /// The keys that stand in the register's own table.
    pub(super) said: SaidKeys,
}

/// Keys and their places in the text.
pub(super) type SaidKeys = Vec<(&'static str, Span)>;

/// A value of a constant buffer's variable.
#[derive(Clone, Debug)]
pub struct NamedValue {
    /// The variable's name in the source.
    pub name: String,
    /// Where the name stands.
    pub span: Span,
    /// Whether it stands in the table `values`, where no name is a key.
    pub(super) is_explicit: bool,
    pub(super) node: Node,
}

impl NamedValue {
    /// One in the table `values`.
    pub(super) fn explicit(entry: &Entry) -> Self {
        Self { is_explicit: true, ..Self::beside_keys(entry) }
    }

    /// One beside keys.
    pub(super) fn beside_keys(entry: &Entry) -> Self {
        let (name, span) = (entry.key.clone(), entry.key_span.clone());
        Self { name, span, is_explicit: false, node: entry.node.clone() }
    }
}

/// Kinds of views. What a job says of a texture may leave things to a file; later there is a
/// [`TextureShape`](brolga_runtime::TextureShape) in its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind<Texture = TextureKeys> {
    /// A constant buffer.
    Constant,
    /// Bytes, read as 32-bit words.
    Raw,
    /// Elements of a fixed stride.
    Structured {
        /// Bytes from one element to the next.
        stride: u32,
        /// Elements.
        count: Option<u64>,
    },
    /// A buffer of texels.
    Typed {
        /// Of each texel.
        format: Format,
        /// Texels.
        count: Option<u64>,
    },
    /// A texture.
    Texture(Texture),
    /// A sampler.
    Sampler(Sampler),
}

impl Kind {
    /// The kind's name in jobs.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Constant => "constant",
            Kind::Raw => "raw",
            Kind::Structured { .. } => "structured",
            Kind::Typed { .. } => "typed",
            Kind::Texture(keys) => keys.dimension.map_or("texture", Dimension::name),
            Kind::Sampler(_) => "sampler",
        }
    }
}

impl<T> Kind<T> {
    /// The same kind with another description of textures.
    pub(super) fn try_map<U, E>(self, texture: impl FnOnce(T) -> Result<U, E>) -> Result<Kind<U>, E> {
        Ok(match self {
            Kind::Constant => Kind::Constant,
            Kind::Raw => Kind::Raw,
            Kind::Structured { stride, count } => Kind::Structured { stride, count },
            Kind::Typed { format, count } => Kind::Typed { format, count },
            Kind::Texture(keys) => Kind::Texture(texture(keys)?),
            Kind::Sampler(sampler) => Kind::Sampler(sampler),
        })
    }
}

impl Kind<TextureShape> {
    /// As a job says it.
    pub(super) fn keys(self) -> Kind {
        let Ok(kind) = self.try_map(|shape| Ok::<_, Infallible>(shape.into()));
        kind
    }
}

/// What a view shows of a texture, and as what; all of it as it is, where the job does not say.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ViewKeys {
    /// Of its texels.
    pub format: Option<Format>,
    /// The kind of texture that the shader sees.
    pub dimension: Option<Dimension>,
    /// The first mip level, and how many.
    pub mips: Option<[u32; 2]>,
    /// The first layer, and how many.
    pub layers: Option<[u32; 2]>,
    /// The least level of detail that samples see.
    pub min_level: Option<f32>,
}

/// What a view holds before the run.
#[derive(Clone, Debug)]
pub enum Content {
    /// The job does not say: zeros.
    Unsaid,
    /// One number in every element.
    Fill(Number),
    /// The content of a file.
    File(Located<PathBuf>),
    /// Values in the job, and zeros between them.
    Values(Vec<Run>),
}

/// Consecutive values of one type from a byte on.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where the first value goes.
    pub byte: u64,
    /// The values, as they lie in memory.
    pub bytes: Vec<u8>,
    /// Their type.
    pub number_type: NumberType,
    /// Where they stand.
    pub span: Span,
}

impl Run {
    /// The byte after the last value.
    pub(super) fn end(&self) -> u64 {
        self.byte.saturating_add(self.bytes.len() as u64)
    }
}

/// An output file.
#[derive(Clone, Debug)]
pub struct Save {
    /// The file; a relative path starts from the folder that the caller chooses.
    pub path: Located<PathBuf>,
    /// The type of the numbers in an .npy file; by default the format's, else the shader's, else `u32`.
    pub number_type: Option<NumberType>,
    /// The key that says that only the elements before the hidden counter's last value are written.
    pub counted: Option<Span>,
    /// Whether it is raw bytes, whatever its name is.
    pub raw: bool,
}

impl Save {
    /// Whether it goes to standard output, which is written `-`, and not to a file.
    pub fn is_standard(&self) -> bool {
        self.path.value.as_os_str() == "-"
    }

    /// The form of the file of a view of this kind; else what names can be asked for.
    pub(super) fn form<T>(&self, kind: &Kind<T>) -> Result<FileForm, &'static str> {
        match kind {
            _ if self.raw || self.is_standard() => Ok(FileForm::Raw),
            Kind::Texture(_) => form_to_write(&self.path.value, Held::Texture),
            _ => form_to_write(&self.path.value, Held::Numbers),
        }
    }
}

/// What a view must hold after the run.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The view.
    pub register: Register,
    /// The content; `None` if only the counter is expected.
    pub content: Option<Expected>,
    /// How the numbers are compared.
    pub rules: Rules,
    /// The hidden counter's final value.
    pub counter: Option<u32>,
    /// The expectation in the text.
    pub span: Span,
}

/// The content that a view must have.
#[derive(Clone, Debug)]
pub enum Expected {
    /// All of it, in a file.
    File(Located<PathBuf>),
    /// Values in the job; what is not named is not compared.
    Values(Vec<Run>),
}

/// How the numbers of a view are compared with the expected ones.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Rules {
    /// The types of the numbers, repeated to the end. Empty: the types that the expected values are written with.
    pub pattern: Vec<NumberType>,
    /// Whether the pattern is of 32-bit words of mixed types: then its integers are always exact.
    pub mixed: bool,
    /// How far a number may be off.
    pub tolerance: Tolerance,
    /// Bytes of an element, if the job says.
    pub element: Option<u64>,
    /// Only this many elements are compared.
    pub elements: Option<u64>,
    /// Elements that are not compared, in increasing order.
    pub skip_elements: Vec<u64>,
    /// Whether the order of the elements matters.
    pub order: Order,
}

/// Whether the order of elements matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// It does.
    #[default]
    Fixed,
    /// The elements are a multiset.
    Any,
}

/// How far a number may be off. It passes if it meets any of the bounds; without a bound it must be equal.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tolerance {
    /// Absolute difference.
    pub abs: Option<f64>,
    /// Difference relative to the expected value.
    pub rel: Option<f64>,
    /// Difference in units of the last place.
    pub ulp: Option<u64>,
}

impl Tolerance {
    /// Equality.
    pub const EXACT: Self = Self { abs: None, rel: None, ulp: None };
}
