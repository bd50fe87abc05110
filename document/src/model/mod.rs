//! What a document says, after its keys and numbers are checked and before any file but the document itself is opened.
//!
//! The short form and the long one give the same model. Whatever may turn out wrong later keeps its place in the text.
//!
//! | file | what |
//! |---|---|
//! | `resource.rs` | resources, and references to them |
//! | `texture.rs` | what a document says of a texture |
//! | `number.rs` | numbers in memory |
//! | `pipeline.rs` | shaders and the state around them |
//! | `registers.rs` | the registers of Direct3D 9 |
//! | `step.rs` | what is done, one step after the other |
//! | `expectation.rs` | what must come out, and what is saved |

pub(crate) mod expectation;
pub(crate) mod number;
pub(crate) mod pipeline;
pub(crate) mod registers;
pub(crate) mod resource;
pub(crate) mod step;
pub(crate) mod texture;

use std::path::PathBuf;

use brolga_runtime::Sampler;
use indexmap::IndexMap;

use crate::error::{Fault, Problem};
use crate::text::{Located, Span};
use expectation::{Expectation, Save};
use pipeline::Pipeline;
use resource::Resource;
use step::Step;

/// Things by their names, in the order of the text.
pub(crate) type Items<T> = IndexMap<String, T>;

/// What a document says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub name: Option<String>,
    /// Whether its shaders and draws are those of Direct3D 9.
    pub is_direct3d9: bool,
    /// Whether it is in the short form: one shader, one dispatch, resources by their registers.
    pub is_short: bool,
    pub shaders: Items<Shader>,
    pub resources: Items<Resource>,
    pub samplers: Items<NamedSampler>,
    pub pipelines: Items<Pipeline>,
    pub steps: Vec<Step>,
    pub saves: Vec<Save>,
    pub expectations: Vec<Expectation>,
}

/// A shader, in one compiled form or several, or in HLSL.
#[derive(Clone, Debug)]
pub(crate) struct Shader {
    /// One, or as many as each other shader has that has several: alternatives that are to give the same.
    pub files: Vec<Located<PathBuf>>,
    /// What HLSL is compiled for.
    pub profile: Option<String>,
    pub entry: Option<String>,
    /// Names that HLSL finds defined, some with what they stand for.
    pub defines: Vec<(String, Option<String>)>,
}

impl Shader {
    /// One of its forms.
    pub fn file(&self, variant: usize) -> &Located<PathBuf> {
        self.files.get(variant).unwrap_or(&self.files[0])
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedSampler {
    pub state: Sampler,
    /// Whether it sees colours along the sRGB curve: a state of samplers in Direct3D 9.
    pub is_srgb: bool,
}

impl Model {
    /// The forms in which its shaders are given.
    pub fn variants(&self) -> usize {
        self.shaders.values().map(|shader| shader.files.len()).max().unwrap_or(1)
    }

    /// What messages call a resource.
    pub fn label(&self, name: &str) -> String {
        if self.is_short { name.to_owned() } else { format!("`{}`", brolga_files::short(name)) }
    }

    /// The steps, with those that are repeated, in their order.
    pub fn all_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().flat_map(Step::and_inner)
    }
}

/// What has a name, or a complaint with the nearest one.
pub(crate) fn find<'a, T>(items: &'a Items<T>, what: &'static str, name: &str, span: &Span) -> Result<&'a T, Fault> {
    items.get(name).ok_or_else(|| {
        let known: Vec<&str> = items.keys().map(String::as_str).collect();
        (Problem::unknown_name(what, name, &known), span.clone())
    })
}
