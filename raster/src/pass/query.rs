//! Queries of a pass, and predication of what follows (functional specification, 20).
//!
//! A query is the sum of what the draws between its begin and its end did, so that any of them may nest and overlap. A
//! result is asked for by [`Pass::query`], which runs pending draws first: it is always there, and no predicate is a mere
//! hint.

use std::time::Instant;

use brolga_ir::stage::STREAMS;

use super::Pass;
use crate::error::DrawError;
use crate::statistics::{Statistics, StreamStatistics};

/// The kind of a query.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum QueryKind {
    /// Samples that passed all tests; of targets with one sample pixels.
    Occlusion,
    /// Whether there were any.
    OcclusionPredicate,
    /// The time at the end of the query, when all before it is done.
    Timestamp,
    /// What each stage did.
    PipelineStatistics,
    /// Primitives that a stream wrote, and those that it would have written with enough room.
    StreamOutputStatistics {
        /// The stream, 0 to 3.
        stream: u32,
    },
    /// Whether a stream had too little room: a predicate, too.
    StreamOutputOverflow {
        /// The stream, 0 to 3; `None` for any of them.
        stream: Option<u32>,
    },
}

/// A query of a pass, which [`Pass::begin_query`] returns. It belongs to that pass alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Query(usize);

/// The result of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum QueryData {
    /// A number of samples.
    Occlusion(u64),
    /// `true` if there was at least one sample.
    OcclusionPredicate(bool),
    /// A time, which can be compared with those of other passes. Clocks are monotonic, and never disjoint.
    Timestamp(Instant),
    /// The sum of the statistics of draws.
    PipelineStatistics(Statistics),
    /// The sum of what a stream wrote.
    StreamOutputStatistics(StreamStatistics),
    /// `true` if a stream had too little room.
    StreamOutputOverflow(bool),
}

impl QueryData {
    /// The result of a predicate; `None` if the query is of another kind.
    pub fn as_predicate(&self) -> Option<bool> {
        match self {
            QueryData::OcclusionPredicate(value) | QueryData::StreamOutputOverflow(value) => Some(*value),
            _ => None,
        }
    }
}

/// A condition for what follows, as `SetPredication` has it: draws, clears and updates are skipped if the result of a
/// query *equals* the value. So with the value `false` things are drawn only if something was seen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Predicate {
    /// The result of a predicate query, of this pass or of another.
    pub result: bool,
    /// The result with which things are skipped.
    pub value: bool,
}

impl Predicate {
    /// `true` if what depends on it is skipped. Dispatches, copies, resolves and other things outside of passes that are
    /// predicated too ask it themselves.
    pub fn skips(self) -> bool {
        self.result == self.value
    }
}

/// The extent of a query.
#[derive(Debug)]
pub(super) struct Range {
    kind: QueryKind,
    /// The index of its first draw, and of the first one after it.
    from: usize,
    to: Option<usize>,
    /// The time of its end.
    time: Option<Instant>,
}

impl Pass<'_> {
    /// Begins a query: the draws from here to [`Self::end_query`] count.
    ///
    /// # Errors
    /// If it is of a stream that does not exist.
    pub fn begin_query(&mut self, kind: QueryKind) -> Result<Query, DrawError> {
        let stream = match kind {
            QueryKind::StreamOutputStatistics { stream } => Some(stream),
            QueryKind::StreamOutputOverflow { stream } => stream,
            _ => None,
        };
        if stream.is_some_and(|stream| stream as usize >= STREAMS) {
            return Err(DrawError::Query { what: "is of a stream that does not exist: there are 0 to 3" });
        }
        let from = self.draws();
        self.queries.push(Range { kind, from, to: None, time: None });
        Ok(Query(self.queries.len() - 1))
    }

    /// Ends a query. A timestamp runs pending draws, whose end is its time.
    ///
    /// # Errors
    /// If it is not a query of this pass, has ended already, or pending draws failed.
    pub fn end_query(&mut self, query: Query) -> Result<(), DrawError> {
        let draws = self.draws();
        let range = self.queries.get(query.0).ok_or(DrawError::Query { what: "is of another pass" })?;
        if range.to.is_some() {
            return Err(DrawError::Query { what: "has ended already" });
        }
        let time = match range.kind {
            QueryKind::Timestamp => {
                self.flush()?;
                Some(Instant::now())
            }
            _ => None,
        };
        let range = &mut self.queries[query.0];
        (range.to, range.time) = (Some(draws), time);
        Ok(())
    }

    /// The result of a query that has ended. Runs pending draws, if it has some.
    ///
    /// # Errors
    /// If it is not a query of this pass, has not ended, or pending draws failed.
    pub fn query(&mut self, query: Query) -> Result<QueryData, DrawError> {
        let range = self.queries.get(query.0).ok_or(DrawError::Query { what: "is of another pass" })?;
        let &Range { kind, from, to, time } = range;
        let to = to.ok_or(DrawError::Query { what: "has not ended, so there is no result yet" })?;
        if to > self.statistics.len() {
            self.flush()?;
        }
        // A draw that failed has no statistics.
        let draws = self.statistics.get(from..to).ok_or(DrawError::Query { what: "has draws that did not finish" })?;
        let mut sum = Statistics::default();
        draws.iter().for_each(|draw| sum += *draw);
        Ok(match kind {
            QueryKind::Occlusion => QueryData::Occlusion(sum.samples),
            QueryKind::OcclusionPredicate => QueryData::OcclusionPredicate(sum.samples > 0),
            QueryKind::PipelineStatistics => QueryData::PipelineStatistics(sum),
            QueryKind::Timestamp => QueryData::Timestamp(time.unwrap_or_else(Instant::now)),
            QueryKind::StreamOutputStatistics { stream } => {
                QueryData::StreamOutputStatistics(sum.streams[stream as usize])
            }
            QueryKind::StreamOutputOverflow { stream } => {
                let all = (0..).zip(sum.streams).filter(|&(n, _)| stream.is_none_or(|stream| stream == n));
                QueryData::StreamOutputOverflow(all.into_iter().any(|(_, stream)| stream.written < stream.needed))
            }
        })
    }

    /// Predicates the draws, clears and updates from here on; `None` ends that. What is skipped counts nothing, but a
    /// skipped draw has an index, and statistics of zeros.
    pub fn set_predicate(&mut self, predicate: Option<Predicate>) {
        self.predicate = predicate;
    }

    /// `true` if a predicate skips what comes next.
    pub(super) fn skips(&self) -> bool {
        self.predicate.is_some_and(Predicate::skips)
    }

    /// The number of draws so far, pending ones included.
    pub(super) fn draws(&self) -> usize {
        self.statistics.len() + self.pending.len()
    }

    /// Adds a draw that did nothing; returns its index.
    pub(super) fn skip_draw(&mut self) -> Result<usize, DrawError> {
        self.flush()?;
        self.statistics.push(Statistics::default());
        if self.watched.is_some() {
            self.histories.push(super::PixelHistory::default());
        }
        Ok(self.statistics.len() - 1)
    }
}
