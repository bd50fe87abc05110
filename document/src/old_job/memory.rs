//! Jobs that are made in memory and not read from files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use brolga_runtime::TextureShape;

use super::compare::Segment;
use super::load::{LoadedContent, LoadedView};
use super::model::*;
use super::prepare::{Check, Prepared};
use super::values::NumberType;
use crate::files::Bytes;

/// A job of one shader and one expectation.
pub(crate) struct MemoryJob<'a> {
    pub name: &'a str,
    /// The name of its file, and its content.
    pub shader: (&'a str, &'a [u8]),
    pub dispatch: [u32; 3],
    pub views: Vec<MemoryView<'a>>,
    pub expectation: MemoryExpectation<'a>,
}

/// A view and its first content; a sampler has none.
pub(crate) struct MemoryView<'a> {
    pub register: &'a str,
    pub kind: Kind<TextureShape>,
    pub content: Vec<u8>,
}

/// All that a view must hold afterwards.
pub(crate) struct MemoryExpectation<'a> {
    pub register: &'a str,
    pub content: Vec<u8>,
    pub number_type: NumberType,
    pub tolerance: Tolerance,
}

impl MemoryJob<'_> {
    /// The job as it is after its files were read.
    pub fn prepare(self) -> Prepared {
        let (mut bindings, mut views) = (Vec::new(), Vec::new());
        for MemoryView { register, kind, content } in self.views {
            bindings.push(Binding {
                register: parsed(register),
                kind: KindKeys::default(),
                size: None,
                content: Content::Unsaid,
                variables: Vec::new(),
                map: None,
                view: None,
                counter: None,
                save: None,
                span: 0..0,
            });
            let content = match kind {
                Kind::Sampler(_) => LoadedContent::Zeros(0),
                _ => LoadedContent::Bytes(content),
            };
            views.push(LoadedView { kind, content, in_place: false });
        }
        let MemoryExpectation { register, content, number_type, tolerance } = self.expectation;
        let pattern = vec![number_type];
        let rules = Rules { pattern: pattern.clone(), tolerance, ..Rules::default() };
        let expectation = Expectation { register: parsed(register), content: None, rules, counter: None, span: 0..0 };
        let (file, container) = self.shader;
        let job = Job {
            name: self.name.to_owned(),
            path: PathBuf::from(self.name),
            shaders: vec![Located { value: PathBuf::from(file), span: 0..0 }],
            profile: None,
            entry: None,
            compiled: BTreeMap::new(),
            dispatch: Located { value: self.dispatch, span: 0..0 },
            first_group: Located { value: [0; 3], span: 0..0 },
            instances: Vec::new(),
            fused_mad: false,
            bindings,
            expectations: vec![expectation],
            text: Arc::from(""),
        };
        let natural_element = number_type.size_bytes() as u64;
        let check =
            Check { segments: vec![Segment { byte: 0, bytes: Bytes::Owned(content), pattern }], natural_element };
        Prepared { job, containers: vec![container.to_vec()], views, checks: vec![check], warnings: Vec::new() }
    }
}

fn parsed(register: &str) -> Register {
    register.parse().expect("jobs in memory name registers as listings do")
}
