//! Builds documents in memory instead of reading them from files: one dispatch and one expectation.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use brolga_files::Bytes;
use brolga_runtime::{Register, ResourceClass, Sampler, StageKind, TextureShape};

use crate::Document;
use crate::compare::numbers::ExpectedBytes;
use crate::model::expectation::{Expectation, Rules, Subject, TexturePart, Tolerance};
use crate::model::number::NumberType;
use crate::model::pipeline::Pipeline;
use crate::model::resource::{Content, Kind, Reference, ResourceEntry};
use crate::model::step::{At, Bind, Dispatch, DocumentStep, What};
use crate::model::{Items, Model, NamedSampler, ShaderEntry};
use crate::prepare::expected::Check;
use crate::prepare::load::{Loaded, LoadedContent};
use crate::prepare::{Prepared, ShaderVariant};
use crate::text::Located;

/// A document of one dispatch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Made<'a> {
    name: &'a str,
    /// The name of its file, and its content.
    shader: (&'a str, &'a [u8]),
    groups: [u32; 3],
    resources: Vec<(Register, MadeKind, Vec<u8>)>,
    samplers: Vec<(Register, Sampler)>,
    expected: Option<(Register, Vec<u8>, NumberType, Tolerance)>,
}

/// The kind of resource bound to a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MadeKind {
    /// A constant buffer.
    Constant,
    /// Bytes, read as 32-bit words.
    Raw,
    /// Elements of a fixed stride.
    Structured {
        /// Bytes from one element to the next.
        stride: u32,
    },
    /// A texture.
    Texture(TextureShape),
}

impl<'a> Made<'a> {
    /// A dispatch of `groups` of a shader, which is given as file name and content.
    pub fn new(name: &'a str, shader: (&'a str, &'a [u8]), groups: [u32; 3]) -> Self {
        Self { name, shader, groups, resources: Vec::new(), samplers: Vec::new(), expected: None }
    }

    /// Binds a resource with its first content.
    pub fn resource(mut self, register: Register, kind: MadeKind, content: Vec<u8>) -> Self {
        self.resources.push((register, kind, content));
        self
    }

    /// Binds a sampler.
    pub fn sampler(mut self, register: Register, sampler: Sampler) -> Self {
        self.samplers.push((register, sampler));
        self
    }

    /// Sets the content that a resource must have afterwards.
    pub fn expect(mut self, register: Register, content: Vec<u8>, of: NumberType, tolerance: Tolerance) -> Self {
        self.expected = Some((register, content, of, tolerance));
        self
    }

    /// The document as it is after its files were read.
    pub fn prepare(self) -> Prepared {
        const MAIN: &str = "main";
        let here = Located::new(MAIN.to_owned(), &(0..0));
        let (file, container) = self.shader;
        let mut model = Model { name: Some(self.name.to_owned()), is_short: true, ..Model::default() };
        let files = vec![Located::new(PathBuf::from(file), &(0..0))];
        let shader = ShaderEntry { files, profile: None, entry: None, defines: Vec::new(), overrides: Vec::new() };
        model.shaders.insert(MAIN.to_owned(), shader);
        let mut pipeline = Pipeline::default();
        pipeline.shaders[StageKind::Compute] = Some(here.clone());
        model.pipelines.insert(MAIN.to_owned(), pipeline);
        let (mut bind, mut loaded) = (Vec::new(), Items::new());
        let mut add = |register: Register| {
            let name = register.to_string();
            let (slot, reference) = (name.clone(), Reference::whole(name.clone(), &(0..0)));
            bind.push(Bind { slot, register: Some(register), reference, span: 0..0 });
            name
        };
        for (register, kind, content) in self.resources {
            let name = add(register);
            let kind = match kind {
                MadeKind::Constant => Kind::Plain("constant"),
                MadeKind::Raw => Kind::Plain("raw"),
                MadeKind::Structured { stride } => Kind::Structured { stride, count: None },
                MadeKind::Texture(shape) => Kind::Texture(shape),
            };
            model.resources.insert(name.clone(), ResourceEntry::made(name.clone(), "raw", Content::Unsaid, &(0..0)));
            loaded.insert(
                name,
                Loaded { kind, content: LoadedContent::Bytes(content), in_place: false, number_type: None },
            );
        }
        for (register, state) in self.samplers {
            model.samplers.insert(add(register), NamedSampler { state, is_srgb: false });
        }
        let written: BTreeSet<String> = bind
            .iter()
            .filter(|bind| bind.register.is_some_and(|register| register.class == ResourceClass::UnorderedAccess))
            .map(|bind| bind.slot.clone())
            .collect();
        let dispatch = Dispatch { pipeline: here, bind, groups: self.groups, first_group: [0; 3], arguments: None };
        model.steps.push(DocumentStep::new(What::Dispatch(dispatch), At::default()));
        let mut checks = Vec::new();
        if let Some((register, content, number_type, tolerance)) = self.expected {
            let (name, pattern) = (register.to_string(), vec![number_type]);
            let natural_element = number_type.size_bytes() as u64;
            let rules = Rules { pattern: pattern.clone(), tolerance, ..Rules::default() };
            let segments = vec![ExpectedBytes { byte: 0, bytes: Bytes::Owned(content), pattern }];
            model.expectations.push(Expectation {
                id: name.clone(),
                subject: Subject::Resource(Located::new(name, &(0..0))),
                content: None,
                rules,
                part: TexturePart::default(),
                counter: None,
                span: 0..0,
            });
            checks.push(Check::Numbers { segments, natural_element });
        }
        let form = ShaderVariant { path: PathBuf::from(file), bytes: container.to_vec(), text: None };
        let document = Document {
            path: PathBuf::from(self.name),
            text: Arc::from(""),
            name: self.name.to_owned(),
            model,
            compiled: BTreeMap::new(),
            ..Document::default()
        };
        Prepared {
            document,
            shaders: Items::from([(MAIN.to_owned(), vec![form])]),
            loaded,
            checks,
            written,
            inputs: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
