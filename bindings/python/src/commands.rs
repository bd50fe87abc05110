//! Runs draws in order, with queries and predicates.

use std::time::Duration;

use brolga::raster::{self, DepthView, Predicate, QueryData, QueryKind, Statistics, StreamStatistics, Targets};
use brolga::{CancelToken, Dispatch, ErrorKind, Format, MessageLog};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::draw::{Draw, Pipeline};
use crate::error::Failure;
use crate::interrupt::interruptible;
use crate::view::target;

/// A step of a pass. Queries have numbers.
pub enum Command {
    Draw(Py<Draw>),
    /// Begins a query.
    Begin(usize),
    /// Ends a query that has begun.
    End(usize),
    /// Skips what follows if a condition has this value; `None` to skip nothing.
    Predicate(Option<(Condition, bool)>),
}

/// The result of a query, once it is needed.
#[derive(Clone, Copy)]
pub enum Condition {
    /// That of a query of a pass before.
    Known(bool),
    /// That of a query that has ended, by its number.
    Query(usize),
}

/// The targets of a pass, and what may end it.
pub struct Setting<'a, 'py> {
    pub device: &'a brolga::Device,
    pub targets: &'a [Bound<'py, PyAny>],
    pub depth: Option<&'a Bound<'py, PyAny>>,
    pub time_limit: Option<Duration>,
    pub cancel: &'a CancelToken,
    pub messages: &'a MessageLog,
}

/// What a pass did.
pub struct Done {
    /// Of each draw.
    pub statistics: Vec<Statistics>,
    /// Of each query, if it has ended.
    pub results: Vec<Option<QueryData>>,
}

/// Runs commands; queries are of these kinds.
pub fn run(py: Python<'_>, setting: &Setting<'_, '_>, commands: &[Command], kinds: &[QueryKind]) -> PyResult<Done> {
    let first = commands.iter().find_map(|command| match command {
        Command::Draw(draw) => Some(draw.get()),
        _ => None,
    });
    // What is not drawn to may be anything.
    let targets = match first {
        Some(draw) => setting.targets(draw.pipeline.get())?,
        None => Targets { colors: Vec::new(), depth: None },
    };
    let &Setting { device, time_limit, messages, .. } = setting;
    let work = |token: &CancelToken| -> Result<Done, Failure> {
        let mut limits = Dispatch::new([0; 3]).cancel(token.clone()).messages(messages.clone());
        limits.time_limit = time_limit;
        let mut pass = raster::Pass::new(device, targets)?.with_limits(&limits);
        let mut queries = vec![None; kinds.len()];
        for command in commands {
            step(&mut pass, command, kinds, &mut queries)?;
        }
        let results = queries.into_iter().map(|query| match query {
            Some((query, true)) => pass.query(query).map(Some),
            _ => Ok(None),
        });
        let results = results.collect::<Result<_, _>>()?;
        Ok(Done { statistics: pass.finish()?, results })
    };
    interruptible(py, setting.cancel, work)
}

/// A query, and whether it has ended.
type Begun = Option<(raster::Query, bool)>;

fn step(
    pass: &mut raster::Pass<'_>,
    command: &Command,
    kinds: &[QueryKind],
    queries: &mut [Begun],
) -> Result<(), Failure> {
    match command {
        Command::Draw(draw) => draw.get().add_to(pass)?,
        &Command::Begin(n) => queries[n] = Some((pass.begin_query(kinds[n])?, false)),
        &Command::End(n) => {
            if let Some((query, has_ended)) = &mut queries[n] {
                pass.end_query(*query)?;
                *has_ended = true;
            }
        }
        Command::Predicate(None) => pass.set_predicate(None),
        &Command::Predicate(Some((condition, value))) => {
            let result = match condition {
                Condition::Known(result) => result,
                Condition::Query(n) => match queries[n] {
                    Some((query, _)) => pass.query(query)?.as_predicate().unwrap_or(false),
                    None => false,
                },
            };
            pass.set_predicate(Some(Predicate { result, value }));
        }
    }
    Ok(())
}

impl Setting<'_, '_> {
    /// The targets as textures, in the formats of a pipeline.
    fn targets(&self, pipeline: &Pipeline) -> PyResult<Targets> {
        let mut colors = Vec::new();
        for (n, object) in self.targets.iter().enumerate() {
            let format = pipeline.formats.get(n).copied().ok_or_else(|| {
                let (found, count) = (self.targets.len(), pipeline.formats.len());
                Failure::new(ErrorKind::Call, format!("{found} targets for a pipeline with {count}"))
            })?;
            colors.push(target(object, format)?.get().view.clone());
        }
        let format = pipeline.depth_format.unwrap_or(Format::D32_FLOAT);
        let depth = self.depth.map(|object| target(object, format)).transpose()?;
        Ok(Targets { colors, depth: depth.map(|depth| DepthView::new(depth.get().view.clone())) })
    }
}

/// The statistics of draws, each as a dict.
pub fn described<'py>(py: Python<'py>, statistics: &[Statistics]) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, statistics.iter().map(|one| of_draw(py, one)).collect::<PyResult<Vec<_>>>()?)
}

/// The statistics of a draw, or of all draws of a query.
pub fn of_draw<'py>(py: Python<'py>, statistics: &Statistics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in [
        ("vertices", statistics.vertices),
        ("primitives", statistics.primitives),
        ("vertex_invocations", statistics.vertex_invocations),
        ("hull_invocations", statistics.hull_invocations),
        ("domain_invocations", statistics.domain_invocations),
        ("geometry_invocations", statistics.geometry_invocations),
        ("geometry_primitives", statistics.geometry_primitives),
        ("clipper_invocations", statistics.clipper_invocations),
        ("clipper_primitives", statistics.clipper_primitives),
        ("pixel_invocations", statistics.pixel_invocations),
        ("samples", statistics.samples),
    ] {
        dict.set_item(key, value)?;
    }
    let streams = statistics.streams.iter().map(|stream| of_stream(py, stream));
    dict.set_item("streams", streams.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// The primitives of a stream.
pub fn of_stream<'py>(py: Python<'py>, stream: &StreamStatistics) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("written", stream.written)?;
    dict.set_item("needed", stream.needed)?;
    Ok(dict)
}
