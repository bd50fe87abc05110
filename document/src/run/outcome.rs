//! Compares the results of a run with the expectations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use brolga_files::{Array, Bytes};
use brolga_raster::statistics::Statistics;
use brolga_runtime::{Buffer, CancelToken, Engine, Report, ResourceError, Texture, room};

use super::history::PixelStep;
use super::steps::StepRunner;
use super::world::{ResourceMemory, World};
use super::{RunOptions, RunPlan, output, samples};
use crate::compare::numbers::compare;
use crate::compare::picture::Picture;
use crate::compare::sort::go_on;
use crate::compare::{CheckResult, Checked, CounterDifference, LevelCheck, QueryValue};
use crate::error::{DocumentError, Fault, Problem};
use crate::model::expectation::{Expectation, Order, Plane, Save, Subject};
use crate::model::query::TIME;
use crate::model::resource::Kind;
use crate::prepare::Prepared;
use crate::prepare::expected::{Check, LayerLevel};

/// The results of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The engine that ran the shaders.
    pub engine: Engine,
    /// The time from the shaders' bytes to executable code.
    pub compile_time: Duration,
    /// Set if all of that was read from the device's cache.
    pub is_cached: bool,
    /// The time in which steps became actions: looking up names and checking bindings.
    pub plan_time: Duration,
    /// Time of all steps.
    pub run_time: Duration,
    /// The report of the dispatch, if the document is a single one.
    pub report: Option<Report>,
    /// The statistics of all draws together.
    pub statistics: Statistics,
    /// The result of each expectation.
    pub checks: Vec<Checked>,
    /// Resources that the document saves or has expectations about, or with [`RunOptions::keep_all`] all that steps may
    /// write, in the order of the document.
    pub resources: Vec<ResourceResult>,
    /// The hidden counters, in the order of the document.
    pub counters: Vec<CounterResult>,
    /// Probable mistakes that Direct3D's rules nevertheless define: a shader reads a register to which nothing is
    /// bound.
    pub warnings: Vec<DocumentError>,
    /// The effect of steps on the watched pixel.
    pub pixel: Vec<PixelStep>,
    /// The resources whose order is declared not to matter.
    shuffled: Vec<String>,
}

/// The content of a resource after a run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResourceResult {
    /// Its name; in the short form, its register.
    pub name: String,
    /// Its bytes.
    pub bytes: Bytes,
    /// Their array type, as in an .npy file.
    pub array: Array,
    /// Its hidden counter, if it has one.
    pub counter: Option<u32>,
    /// The temporary file of an output that the bytes are in.
    pub(super) file: Option<PathBuf>,
}

/// The value of a hidden counter after a run.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CounterResult {
    /// The name of its resource.
    pub name: String,
    /// Its value.
    pub value: u32,
    /// Elements of the resource: a shader may count further than there is room.
    pub elements: u64,
}

impl Outcome {
    /// `true` if every expectation that can be checked holds.
    pub fn passed(&self) -> bool {
        !self.checks.iter().any(Checked::failed)
    }

    /// The first resource or query in which another outcome of the document differs, except those whose order is
    /// declared not to matter.
    pub fn disagreement(&self, other: &Self) -> Option<&str> {
        self.disagreement_until(other, &CancelToken::new())
    }

    /// The same, unless the token is cancelled: anything not compared by then counts as agreeing.
    pub fn disagreement_until(&self, other: &Self, cancel: &CancelToken) -> Option<&str> {
        let differ =
            |a: &ResourceResult, b: &ResourceResult| a.counter != b.counter || a.bytes.differ(&b.bytes, cancel);
        let pairs = self.resources.iter().zip(&other.resources);
        let mut pairs = pairs.filter(|(one, _)| !self.shuffled.contains(&one.name));
        if let Some((one, _)) = pairs.find(|(one, other)| differ(one, other)) {
            return Some(&one.name);
        }
        let counts = |checked: &Checked| match &checked.result {
            // No two runs take the same time.
            CheckResult::Query(values) => {
                values.iter().filter(|value| value.name != TIME).map(|value| value.found).collect()
            }
            _ => Vec::new(),
        };
        let mut checks = self.checks.iter().zip(&other.checks);
        checks.find(|(one, other)| counts(one) != counts(other)).map(|(one, _)| one.id.as_str())
    }

    /// The content of a resource, if it was kept.
    pub fn resource(&self, name: &str) -> Option<&ResourceResult> {
        self.resources.iter().find(|resource| resource.name == name)
    }
}

impl Prepared {
    /// The outcome of a run.
    pub(super) fn outcome(
        &self,
        world: &World<'_>,
        plan: &RunPlan<'_>,
        run: StepRunner<'_>,
        run_time: Duration,
        options: &RunOptions,
    ) -> Result<Outcome, Fault> {
        let model = &self.document.model;
        let subjects = model.expectations.iter().filter_map(|expectation| match &expectation.subject {
            Subject::Resource(name) => Some((expectation, name.value.as_str())),
            Subject::Query { .. } => None,
        });
        let saved: BTreeMap<&str, &Save> =
            model.saves.iter().rev().map(|save| (save.resource.value.as_str(), save)).collect();
        let expected: BTreeSet<&str> = subjects.clone().map(|(_, name)| name).collect();
        let is_looked_at = |name: &str| {
            options.keep_all && self.written.contains(name) || saved.contains_key(name) || expected.contains(name)
        };
        let shuffled = subjects.clone().filter(|(expectation, _)| expectation.rules.order == Order::Any);
        let shuffled = shuffled.map(|(_, name)| name.to_owned()).collect();
        let (mut resources, mut counters) = (Vec::new(), Vec::new());
        for (name, loaded) in &self.loaded {
            let Some((memory, counter)) = world.memory(name) else { continue };
            let value = counter.map(brolga_runtime::Counter::get);
            if let (Some(value), true) = (value, self.written.contains(name)) {
                let elements = loaded.kind.element_bytes().map_or(0, |bytes| memory.bytes().size_bytes() / bytes);
                counters.push(CounterResult { name: name.clone(), value, elements });
            }
            // It may be as large as the memory.
            if is_looked_at(name) {
                let content = memory.content(&|| options.cancel.is_cancelled());
                let bytes = content.map_err(|error| (Problem::of_memory(error, &options.cancel, name), 0..0))?;
                let number_type = saved.get(name.as_str()).and_then(|save| save.number_type).or(loaded.number_type);
                let array = output::array(&loaded.kind, number_type, bytes.size_bytes());
                resources.push(ResourceResult { name: name.clone(), bytes, array, counter: value, file: None });
            }
        }
        let checks = model.expectations.iter().zip(&self.checks);
        let checks = checks.map(|(expectation, check)| self.hold(expectation, check, world, &run, &options.cancel));
        let computes: Vec<_> = plan.computes().collect();
        let is_one_dispatch = model.steps.len() == 1 && computes.len() == 1;
        let fallen_back = computes.iter().map(|shader| shader.engine()).find(|engine| *engine != options.engine);
        Ok(Outcome {
            engine: fallen_back.unwrap_or(options.engine),
            compile_time: plan.compile_time,
            is_cached: !computes.is_empty() && computes.iter().all(|shader| shader.is_cached()),
            plan_time: plan.plan_time,
            run_time,
            report: run.report.filter(|_| is_one_dispatch),
            statistics: run.total,
            checks: checks.collect::<Result<_, _>>()?,
            resources,
            counters,
            warnings: Vec::new(),
            pixel: run.watch.map_or(Vec::new(), |watch| watch.steps),
            shuffled,
        })
    }

    /// Checks an expectation, unless the token is cancelled.
    fn hold(
        &self,
        expectation: &Expectation,
        check: &Check,
        world: &World<'_>,
        run: &StepRunner<'_>,
        cancel: &CancelToken,
    ) -> Result<Checked, Fault> {
        let Expectation { id, subject, rules, span, .. } = expectation;
        let (name, stop) = (subject.name(), || cancel.is_cancelled());
        let failed = |error| (Problem::of_memory(error, cancel, id), span.clone());
        let mut counter = None;
        if let (Subject::Resource(name), Some(expected)) = (subject, expectation.counter) {
            let got = world.memory(&name.value).and_then(|(_, counter)| counter).map(brolga_runtime::Counter::get);
            counter = Some(CounterDifference { got, expected }).filter(|_| got != Some(expected));
        }
        let result = match check {
            Check::Query { kind } => {
                let Subject::Query { values, .. } = subject else {
                    return Err((Problem::value("a query"), span.clone()));
                };
                let counts = run.queries.get(name).copied().unwrap_or_default();
                let value = |(name, expected): &(String, f64)| {
                    let found = kind.value(&counts, name);
                    let slack = rules.tolerance.slack(*expected);
                    let holds = found.map(|found| (found as f64 - expected).abs() <= slack);
                    QueryValue { name: name.clone(), found, expected: *expected, holds }
                };
                CheckResult::Query(values.iter().map(value).collect())
            }
            Check::Numbers { segments, natural_element } => {
                let (memory, _) = world.memory(name).ok_or_else(|| (Problem::value("no memory"), span.clone()))?;
                let bytes = memory.content(&stop).map_err(failed)?;
                CheckResult::Numbers(compare(&bytes, segments, rules, *natural_element, &stop).map_err(failed)?)
            }
            Check::Texels { format, levels, plane, texels } => {
                let Some((ResourceMemory::Texture(texture), _)) = world.memory(name) else {
                    return Err((Problem::value("no texture"), span.clone()));
                };
                let mut at = 0;
                let mut checks = Vec::new();
                for level in levels {
                    let found = level_texels(texture, *level, *plane, &stop).map_err(failed)?;
                    let expected = &texels[at..at + found.len()];
                    at += found.len();
                    let check = Picture::new(*format, level.extents, expected)
                        .check(&Picture::new(*format, level.extents, &found), &rules.tolerance, &stop)
                        .map_err(failed)?;
                    checks.push(LevelCheck { mip: level.mip, layer: level.layer, check });
                }
                CheckResult::Pictures(checks)
            }
        };
        Ok(Checked { id: id.clone(), result, counter })
    }

    /// A texture as a run left it, if that was kept.
    pub(crate) fn texture_of(&self, outcome: &Outcome, name: &str) -> Option<Texture> {
        let (Kind::Texture(shape), Bytes::Buffer(buffer)) =
            (self.loaded.get(name)?.kind, &outcome.resource(name)?.bytes)
        else {
            return None;
        };
        Texture::new(buffer.clone(), shape).ok()
    }

    /// Bytes of an element of a resource.
    pub(super) fn stride(&self, name: &str) -> u64 {
        match self.loaded.get(name).map(|loaded| loaded.kind) {
            Some(Kind::Structured { stride, .. }) => stride.into(),
            _ => 1,
        }
    }
}

/// The texels of a level, or their stencils.
pub(crate) fn level_texels(
    texture: &Texture,
    level: LayerLevel,
    plane: Option<Plane>,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<u8>, ResourceError> {
    let texel_bytes = texture.shape().format.size_bytes() as usize;
    let samples = texture.shape().samples as usize;
    let mut found = Vec::new();
    for sample in 0..samples {
        let plane = part(
            texture.buffer(),
            texture.level_bytes(level.mip, level.layer * samples as u32 + sample as u32)?,
            stop,
        )?;
        if samples == 1 {
            found = plane;
        } else {
            found.resize(plane.len() * samples, 0);
            samples::put(&mut found, &plane, [sample, samples], texel_bytes);
        }
    }
    if plane == Some(Plane::Stencil) {
        // The last byte of four, or the fifth of eight.
        let stencil = if texel_bytes == 4 { 3 } else { 4 };
        let texels = found.len() / texel_bytes;
        (0..texels).for_each(|n| found[n] = found[n * texel_bytes + stencil]);
        found.truncate(texels);
    }
    Ok(found)
}

/// Bytes that are copied between two calls of `stop`.
const PIECE: u64 = 1 << 16;

/// A copy of some bytes of a buffer.
fn part(buffer: &Buffer, range: std::ops::Range<u64>, stop: &dyn Fn() -> bool) -> Result<Vec<u8>, ResourceError> {
    let mut bytes = room::room(range.end - range.start)?;
    let mut piece = room::zeros::<u8>(PIECE.min(range.end - range.start))?;
    for at in range.clone().step_by(PIECE as usize) {
        go_on(stop)?;
        let piece = &mut piece[..PIECE.min(range.end - at) as usize];
        buffer.read(at, piece)?;
        bytes.extend_from_slice(piece);
    }
    Ok(bytes)
}
