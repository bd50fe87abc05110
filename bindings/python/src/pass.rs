//! Defines passes: blocks of draws with queries and predicates. Commands are recorded, and run when the block ends.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use brolga::raster::{QueryData, QueryKind, Statistics};
use brolga::{CancelToken as Token, ErrorKind, MessageLog};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::commands::{Command, Condition, Setting, described, of_draw, of_stream, run};
use crate::device::Device;
use crate::draw::Draw;
use crate::error::Failure;
use crate::messages::{Message, Printed, printed};
use crate::shader::{CancelToken, seconds};

/// Pass(device, targets, *, depth=None, time_limit=None, cancel=None)
///
/// Draws into the same targets, in order, with queries and predicates: a block, at whose end they are done.
///
///     with brolga.Pass(device, [target]) as scene:
///         with scene.query("occlusion_predicate") as seen:
///             scene.draw(box)
///         with scene.predicate(seen, False):
///             scene.draw(what_is_in_the_box)
///
/// The arguments are those of `Device.draw`. An error of a draw is raised at the end of the block; if the block itself
/// raises one, nothing is drawn.
#[pyclass(frozen, module = "brolga")]
pub struct Pass {
    device: Py<Device>,
    targets: Vec<Py<PyAny>>,
    depth: Option<Py<PyAny>>,
    time_limit: Option<Duration>,
    cancel: Token,
    record: Arc<Record>,
}

/// What a pass shares with its queries.
#[derive(Default)]
struct Record(Mutex<State>);

#[derive(Default)]
enum State {
    #[default]
    New,
    Open(Steps),
    Done(Vec<Statistics>, Printed),
}

#[derive(Default)]
struct Steps {
    commands: Vec<Command>,
    draws: usize,
    queries: Vec<(Arc<Outcome>, Extent)>,
    /// The predicates of the blocks around, the innermost last.
    predicates: Vec<(Condition, bool)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    New,
    Begun,
    Ended,
}

/// A query's kind, and its result after the pass.
struct Outcome {
    kind: QueryKind,
    result: OnceLock<QueryData>,
    /// The time from which timestamps count.
    origin: Instant,
}

impl Record {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn printed<T>(&self, read: impl FnOnce(&Printed) -> T) -> PyResult<T> {
        match &*self.lock() {
            State::Done(_, printed) => Ok(read(printed)),
            _ => Err(wrong("a pass has messages when its block has ended").into()),
        }
    }

    /// Records something.
    fn add<T>(&self, work: impl FnOnce(&mut Steps) -> Result<T, Failure>) -> PyResult<T> {
        match &mut *self.lock() {
            State::Open(steps) => Ok(work(steps)?),
            _ => Err(wrong("draws, queries and predicates of a pass are within its block: `with pass:`").into()),
        }
    }
}

fn wrong(message: impl Into<String>) -> Failure {
    Failure::new(ErrorKind::Call, message)
}

/// `true` if a block ends with an exception.
fn has_failed(error: &Bound<'_, PyTuple>) -> bool {
    error.get_item(0).is_ok_and(|kind| !kind.is_none())
}

#[pymethods]
impl Pass {
    #[new]
    #[pyo3(signature = (device, targets, *, depth=None, time_limit=None, cancel=None))]
    fn new(
        device: Py<Device>,
        targets: Vec<Py<PyAny>>,
        depth: Option<Py<PyAny>>,
        time_limit: Option<f64>,
        cancel: Option<&CancelToken>,
    ) -> PyResult<Self> {
        let time_limit = time_limit.map(seconds).transpose()?;
        let cancel = cancel.map_or_else(Default::default, |cancel| cancel.token.clone());
        Ok(Self { device, targets, depth, time_limit, cancel, record: Arc::default() })
    }

    fn __enter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        match &mut *slf.get().record.lock() {
            state @ State::New => *state = State::Open(Steps::default()),
            _ => return Err(wrong("a pass is one block: make another for more draws").into()),
        }
        Ok(slf)
    }

    #[pyo3(signature = (*error))]
    fn __exit__(&self, py: Python<'_>, error: &Bound<'_, PyTuple>) -> PyResult<()> {
        let state = std::mem::replace(&mut *self.record.lock(), State::Done(Vec::new(), Printed::default()));
        let State::Open(steps) = state else { return Ok(()) };
        if has_failed(error) {
            return Ok(());
        }
        let targets: Vec<_> = self.targets.iter().map(|target| target.bind(py).clone()).collect();
        let messages = MessageLog::default();
        let setting = Setting {
            device: &self.device.get().device,
            targets: &targets,
            depth: self.depth.as_ref().map(|depth| depth.bind(py)),
            time_limit: self.time_limit,
            cancel: &self.cancel,
            messages: &messages,
        };
        let kinds: Vec<_> = steps.queries.iter().map(|(query, _)| query.kind).collect();
        let (done, printed) = printed(py, &messages, run(py, &setting, &steps.commands, &kinds))?;
        for ((query, _), result) in steps.queries.iter().zip(done.results) {
            if let Some(result) = result {
                // It runs once.
                let _ = query.result.set(result);
            }
        }
        *self.record.lock() = State::Done(done.statistics, printed);
        Ok(())
    }

    /// Adds a draw; returns its index in `statistics`.
    fn draw(&self, draw: Py<Draw>) -> PyResult<usize> {
        self.record.add(|steps| {
            steps.commands.push(Command::Draw(draw));
            steps.draws += 1;
            Ok(steps.draws - 1)
        })
    }

    /// A query: a block whose draws count for it. Queries may nest.
    ///
    /// Its `kind` is that of documents, which says what its `result` is after the pass:
    ///
    /// "occlusion": samples that passed all tests; "occlusion_predicate": whether there were any; "timestamp": seconds
    /// from when the device was made to the end of the block's draws; "statistics": the sums of the statistics of its
    /// draws; "stream_out": a dict with the primitives that a `stream`, 0 to 3, by default 0, has `written`, and those that
    /// were `needed`; "so_overflow": whether there were more needed than written, of a stream or by default of any.
    #[pyo3(signature = (kind, stream=None))]
    fn query(&self, kind: &str, stream: Option<u32>) -> PyResult<Query> {
        let kind = parse_kind(kind, stream)?;
        let outcome = Arc::new(Outcome { kind, result: OnceLock::new(), origin: self.device.get().made });
        let number = self.record.add(|steps| {
            steps.queries.push((Arc::clone(&outcome), Extent::New));
            Ok(steps.queries.len() - 1)
        })?;
        Ok(Query { record: Arc::clone(&self.record), number, outcome })
    }

    /// A predicate: a block whose draws are skipped if the result of a query equals `value`, as `SetPredication` has it.
    /// So with False they are drawn only if something was seen, or there was too little room.
    ///
    /// The query is an "occlusion_predicate" or "so_overflow" whose block has ended, of this pass or of one before. Of
    /// blocks within one another the innermost decides. A draw that is skipped has statistics of zeros.
    fn predicate(&self, query: &Query, value: bool) -> PyResult<Predicate> {
        if !matches!(query.outcome.kind, QueryKind::OcclusionPredicate | QueryKind::StreamOutputOverflow { .. }) {
            let message = "a predicate is a query of kind \"occlusion_predicate\" or \"so_overflow\"";
            return Err(wrong(message).into());
        }
        let is_own = Arc::ptr_eq(&self.record, &query.record);
        let condition =
            self.record.add(|steps| match query.outcome.result.get().and_then(QueryData::as_predicate) {
                Some(result) => Ok(Condition::Known(result)),
                None if is_own && steps.queries[query.number].1 == Extent::Ended => Ok(Condition::Query(query.number)),
                None => Err(wrong("the query of the predicate has no result: its block must have ended before")),
            })?;
        Ok(Predicate { record: Arc::clone(&self.record), condition, value })
    }

    /// The statistics of each draw, after the block: dicts as `Device.draw` returns them.
    #[getter]
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let statistics = match &*self.record.lock() {
            State::Done(statistics, _) => statistics.clone(),
            _ => return Err(wrong("a pass has statistics when its block has ended").into()),
        };
        described(py, &statistics)
    }

    /// What shaders printed, draw by draw, stage by stage, after the block.
    #[getter]
    fn messages(&self, py: Python<'_>) -> PyResult<Vec<Py<Message>>> {
        self.record.printed(|printed| printed.list(py))
    }

    /// How many more messages were not kept.
    #[getter]
    fn lost_messages(&self) -> PyResult<u64> {
        self.record.printed(|printed| printed.lost)
    }
}

/// A query of a pass. `Pass.query` makes it: a block whose draws count for it.
#[pyclass(frozen, module = "brolga")]
pub struct Query {
    record: Arc<Record>,
    number: usize,
    outcome: Arc<Outcome>,
}

impl Query {
    /// Records its begin or its end, which must follow `before`.
    fn pass_on(&self, before: Extent, after: Extent, command: Command) -> PyResult<()> {
        self.record.add(|steps| {
            let extent = &mut steps.queries[self.number].1;
            if *extent != before {
                return Err(wrong("a query is one block: make another to count more draws"));
            }
            *extent = after;
            steps.commands.push(command);
            Ok(())
        })
    }
}

#[pymethods]
impl Query {
    fn __enter__<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        let query = slf.get();
        query.pass_on(Extent::New, Extent::Begun, Command::Begin(query.number))?;
        Ok(slf)
    }

    #[pyo3(signature = (*error))]
    fn __exit__(&self, error: &Bound<'_, PyTuple>) -> PyResult<()> {
        match has_failed(error) {
            true => Ok(()),
            false => self.pass_on(Extent::Begun, Extent::Ended, Command::End(self.number)),
        }
    }

    /// The result, as `Pass.query` says, after the block of its pass has ended.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Outcome { result, origin, .. } = &*self.outcome;
        match result.get().ok_or_else(|| wrong("a query has a result when the block of its pass has ended"))? {
            QueryData::Occlusion(samples) => samples.into_bound_py_any(py),
            QueryData::OcclusionPredicate(result) | QueryData::StreamOutputOverflow(result) => {
                result.into_bound_py_any(py)
            }
            QueryData::Timestamp(time) => time.saturating_duration_since(*origin).as_secs_f64().into_bound_py_any(py),
            QueryData::PipelineStatistics(statistics) => Ok(of_draw(py, statistics)?.into_any()),
            QueryData::StreamOutputStatistics(stream) => Ok(of_stream(py, stream)?.into_any()),
            other => Err(Failure::new(ErrorKind::Internal, format!("the result {other:?} is not known")).into()),
        }
    }
}

/// A block whose draws depend on a query.
#[pyclass(frozen, module = "brolga", name = "_Predicate")]
pub struct Predicate {
    record: Arc<Record>,
    condition: Condition,
    value: bool,
}

#[pymethods]
impl Predicate {
    fn __enter__(&self) -> PyResult<()> {
        self.record.add(|steps| {
            steps.predicates.push((self.condition, self.value));
            steps.commands.push(Command::Predicate(steps.predicates.last().copied()));
            Ok(())
        })
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.record.add(|steps| {
            steps.predicates.pop();
            steps.commands.push(Command::Predicate(steps.predicates.last().copied()));
            Ok(())
        })
    }
}

/// The kind of a query, in the words of documents.
fn parse_kind(kind: &str, stream: Option<u32>) -> Result<QueryKind, Failure> {
    let found = match kind {
        "occlusion" => QueryKind::Occlusion,
        "occlusion_predicate" => QueryKind::OcclusionPredicate,
        "timestamp" => QueryKind::Timestamp,
        "statistics" => QueryKind::PipelineStatistics,
        "stream_out" => QueryKind::StreamOutputStatistics { stream: stream.unwrap_or(0) },
        "so_overflow" => QueryKind::StreamOutputOverflow { stream },
        _ => {
            return Err(wrong(format!(
                "{kind:?} is no kind of query: they are \"occlusion\", \"occlusion_predicate\", \"timestamp\", \
                 \"statistics\", \"stream_out\" and \"so_overflow\""
            )));
        }
    };
    let is_of_stream =
        matches!(found, QueryKind::StreamOutputStatistics { .. } | QueryKind::StreamOutputOverflow { .. });
    match stream {
        Some(_) if !is_of_stream => Err(wrong(format!("a query of kind {kind:?} is not of a stream"))),
        Some(stream) if stream > 3 => Err(wrong(format!("there is no stream {stream}: they are 0 to 3"))),
        _ => Ok(found),
    }
}
