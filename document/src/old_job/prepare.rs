//! Opens the files that a job reads, and checks every size before anything runs.
//!
//! Large files of raw bytes, and large arrays, are not read here. Those that the shader only reads are mapped: they cost no memory, and
//! must not be truncated while the job runs.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use brolga_fenv::in_default_mode;
use brolga_runtime::{CancelToken, Limits};

use super::compare::Segment;
use super::declared::Declarations;
use super::error::{JobError, Problem};
use super::load::{LoadedView, Loader};
use super::model::*;
use super::source::Source;
use crate::files::{self, Bytes};

/// A job whose files are there and fit.
#[derive(Debug)]
pub struct Prepared {
    pub(super) job: Job,
    /// The shader files' content, in the order of the job.
    pub(super) containers: Vec<Vec<u8>>,
    /// In the order of the job's bindings.
    pub(super) views: Vec<LoadedView>,
    /// In the order of the job's expectations.
    pub(super) checks: Vec<Check>,
    /// What is doubtful.
    pub(super) warnings: Vec<JobError>,
}

/// An expectation with its content.
#[derive(Debug)]
pub(super) struct Check {
    pub segments: Vec<Segment>,
    /// Bytes of an element where the rules do not say.
    pub natural_element: u64,
}

impl Job {
    /// Opens the job's files. Nothing larger than the limits is read, and what all views and expected results take together,
    /// beside mapped files, is no more than one buffer may have.
    pub fn prepare(self, limits: &Limits) -> Result<Prepared, JobError> {
        self.prepare_until(limits, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`Problem::Stopped`].
    pub fn prepare_until(self, limits: &Limits, cancel: &CancelToken) -> Result<Prepared, JobError> {
        in_default_mode(|| self.open(limits, cancel))
    }

    fn open(mut self, limits: &Limits, cancel: &CancelToken) -> Result<Prepared, JobError> {
        let mut compiled = std::mem::take(&mut self.compiled);
        let mut containers = Vec::new();
        for (n, shader) in self.shaders.iter().enumerate() {
            if let Some(bytes) = compiled.remove(&n) {
                containers.push(bytes);
                continue;
            }
            let path = self.resolve(&shader.value);
            if Source::is_named_by(&path) {
                return Err(self.error(&shader.span, Problem::NotCompiled { shader: path }));
            }
            let most = limits.file.blob_bytes.into();
            containers
                .push(files::read(&path, most).map_err(|problem| {
                    self.error(&shader.span, Problem::ReadFile { path, problem: problem.into() })
                })?);
        }
        let mut bindings = std::mem::take(&mut self.bindings);
        let mut expectations = std::mem::take(&mut self.expectations);
        let declared = Declarations { job: &self, container: &containers[0], limits, found: OnceCell::new() };
        let kinds = bindings.iter_mut().map(|binding| declared.complete(binding)).collect::<Result<Vec<_>, _>>()?;
        let most = limits.buffer_bytes;
        let mut left = most;
        let mut views = Vec::new();
        for (binding, kind) in bindings.iter().zip(&kinds) {
            let view = Loader { job: &self, binding, kind: *kind, most, left, cancel }.load()?;
            left -= view.content.memory_bytes();
            views.push(view);
        }
        let warnings =
            bindings.iter().zip(&views).filter_map(|(binding, view)| declared.warning(binding, view)).collect();
        let places: BTreeMap<Register, usize> =
            bindings.iter().enumerate().map(|(at, binding)| (binding.register, at)).collect();
        let mut checks = Vec::new();
        for expectation in &mut expectations {
            let at = *places
                .get(&expectation.register)
                .expect("the reader refuses expectations about registers that are not bound");
            declared.complete_rules(expectation, &views[at].kind);
            let loader = Loader { job: &self, binding: &bindings[at], kind: kinds[at], most, left, cancel };
            let check = loader.check(expectation, &views[at])?;
            let owned = |bytes: &Bytes| if let Bytes::Owned(bytes) = bytes { bytes.len() as u64 } else { 0 };
            left = left.saturating_sub(check.segments.iter().map(|segment| owned(&segment.bytes)).sum());
            checks.push(check);
        }
        (self.bindings, self.expectations) = (bindings, expectations);
        Ok(Prepared { job: self, containers, views, checks, warnings })
    }
}

impl Prepared {
    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// What is doubtful about the job, though it can run.
    pub fn warnings(&self) -> &[JobError] {
        &self.warnings
    }

    /// How many compiled forms there are.
    pub fn shaders(&self) -> usize {
        self.containers.len()
    }

    /// The content of a shader file.
    pub fn container(&self, shader: usize) -> &[u8] {
        &self.containers[shader]
    }
}
