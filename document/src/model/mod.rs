//! Models the content of a document, after its keys and numbers are checked and before any file but the document itself
//! is opened.
//!
//! The short form and the long one give the same model. Anything that may turn out wrong later keeps its span in the
//! text.
//!
//! | file | what |
//! |---|---|
//! | `resource.rs` | resources, and references to them |
//! | `texture.rs` | the description of a texture |
//! | `number.rs` | numbers in memory |
//! | `pipeline.rs` | shaders and the state around them |
//! | `registers.rs` | the registers of Direct3D 9 |
//! | `step.rs` | the steps, in order |
//! | `query.rs` | what steps are counted for, and depend on |
//! | `expectation.rs` | expected results, and outputs to save |

pub(crate) mod expectation;
pub(crate) mod number;
pub(crate) mod pipeline;
pub(crate) mod query;
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
use resource::ResourceEntry;
use step::DocumentStep;

/// Items by name, in the order of the text.
pub(crate) type Items<T> = IndexMap<String, T>;

/// The content of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub name: Option<String>,
    /// Set if its shaders and draws are those of Direct3D 9.
    pub is_direct3d9: bool,
    /// Set if it is in the short form: one shader, one dispatch, resources by their registers.
    pub is_short: bool,
    /// Set if a run is to fail where a check reports something.
    pub must_be_clean: bool,
    pub shaders: Items<ShaderEntry>,
    pub resources: Items<ResourceEntry>,
    pub samplers: Items<NamedSampler>,
    pub pipelines: Items<Pipeline>,
    pub steps: Vec<DocumentStep>,
    pub saves: Vec<Save>,
    pub expectations: Vec<Expectation>,
}

/// A shader, in one compiled variant or several, or in HLSL or WGSL.
#[derive(Clone, Debug)]
pub(crate) struct ShaderEntry {
    /// One, or as many as every other shader with several variants: alternatives that must give the same results.
    pub files: Vec<Located<PathBuf>>,
    /// The profile that HLSL is compiled for.
    pub profile: Option<String>,
    pub entry: Option<String>,
    /// Macros defined for HLSL, some with values.
    pub defines: Vec<(String, Option<String>)>,
    /// Values of overrides of WGSL.
    pub overrides: Vec<(String, f64)>,
}

impl ShaderEntry {
    /// The file of one of its variants.
    pub fn file(&self, variant: usize) -> &Located<PathBuf> {
        self.files.get(variant).unwrap_or(&self.files[0])
    }
}

/// A sampler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedSampler {
    pub state: Sampler,
    /// Set if it converts colours from sRGB: a sampler state in Direct3D 9.
    pub is_srgb: bool,
}

impl Model {
    /// The number of variants in which its shaders are given.
    pub fn variants(&self) -> usize {
        self.shaders.values().map(|shader| shader.files.len()).max().unwrap_or(1)
    }

    /// The name of a resource in messages.
    pub fn label(&self, name: &str) -> String {
        if self.is_short { name.to_owned() } else { format!("`{}`", brolga_files::short(name)) }
    }

    /// The steps in order, with those that are repeated.
    pub fn all_steps(&self) -> impl Iterator<Item = &DocumentStep> {
        self.steps.iter().flat_map(DocumentStep::and_inner)
    }
}

/// The item of a name, or an error that mentions the nearest one.
pub(crate) fn find<'a, T>(items: &'a Items<T>, what: &'static str, name: &str, span: &Span) -> Result<&'a T, Fault> {
    items.get(name).ok_or_else(|| {
        let known: Vec<&str> = items.keys().map(String::as_str).collect();
        (Problem::unknown_name(what, name, &known), span.clone())
    })
}
