//! Models queries: what steps are counted for, their values by name, and the steps that depend on them.

use brolga_raster::pass::query as raster;
use brolga_raster::statistics::{Statistics, StreamStatistics};

use crate::text::Located;

/// A query that a step is counted for.
#[derive(Clone, Debug)]
pub(crate) struct Query {
    pub kind: QueryKind,
    /// Steps with the same name are counted together.
    pub name: Located<String>,
}

/// The condition of a step: it is skipped if the query's result equals the value.
#[derive(Clone, Debug)]
pub(crate) struct Predicate {
    pub query: Located<String>,
    pub value: bool,
}

/// The kind of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueryKind {
    Occlusion,
    OcclusionPredicate,
    Timestamp,
    TimestampDisjoint,
    Statistics,
    /// Primitives of a stream.
    StreamOutput {
        stream: u32,
    },
    /// Whether a stream, or any of them, had too little room.
    StreamOutputOverflow {
        stream: Option<u32>,
    },
}

/// What steps have been counted for a query.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// The sum of all draws.
    pub statistics: Statistics,
    /// Threads of compute shaders.
    pub compute_threads: u64,
    /// Nanoseconds from the start of the run to the end of the last step.
    pub nanoseconds: u64,
    /// The result, if it is one that steps can depend on.
    pub result: bool,
}

/// Ticks of timestamps in a second.
const FREQUENCY: u64 = 1_000_000_000;

/// The value of a timestamp.
pub(crate) const TIME: &str = "nanoseconds";

/// The value of a count.
type Value = fn(&Counts, QueryKind) -> u64;

impl QueryKind {
    /// Its values, each with its name.
    pub fn values(self) -> &'static [(&'static str, Value)] {
        match self {
            QueryKind::Occlusion => &[("samples", |counts, _| counts.statistics.samples)],
            QueryKind::OcclusionPredicate => &[("value", |counts, _| u64::from(counts.statistics.samples > 0))],
            QueryKind::Timestamp => &[(TIME, |counts, _| counts.nanoseconds)],
            // The clock is monotonic.
            QueryKind::TimestampDisjoint => &[("frequency", |_, _| FREQUENCY), ("disjoint", |_, _| 0)],
            QueryKind::StreamOutput { .. } => &[
                ("written", |counts, kind| kind.streams(counts).map(|stream| stream.written).sum()),
                ("needed", |counts, kind| kind.streams(counts).map(|stream| stream.needed).sum()),
            ],
            QueryKind::StreamOutputOverflow { .. } => {
                &[("value", |counts, kind| kind.streams(counts).any(|stream| stream.written < stream.needed).into())]
            }
            QueryKind::Statistics => &[
                ("ia_vertices", |counts, _| counts.statistics.vertices),
                ("ia_primitives", |counts, _| counts.statistics.primitives),
                ("vs_invocations", |counts, _| counts.statistics.vertex_invocations),
                ("hs_invocations", |counts, _| counts.statistics.hull_invocations),
                ("ds_invocations", |counts, _| counts.statistics.domain_invocations),
                ("gs_invocations", |counts, _| counts.statistics.geometry_invocations),
                ("gs_primitives", |counts, _| counts.statistics.geometry_primitives),
                ("c_invocations", |counts, _| counts.statistics.clipper_invocations),
                ("c_primitives", |counts, _| counts.statistics.clipper_primitives),
                ("ps_invocations", |counts, _| counts.statistics.pixel_invocations),
                ("cs_invocations", |counts, _| counts.compute_threads),
            ],
        }
    }

    /// The value under a name.
    pub fn value(self, counts: &Counts, name: &str) -> Option<u64> {
        self.values().iter().find(|(known, _)| *known == name).map(|(_, value)| value(counts, self))
    }

    /// The streams that it is about.
    fn streams(self, counts: &Counts) -> impl Iterator<Item = StreamStatistics> {
        let of = match self {
            QueryKind::StreamOutput { stream } => Some(stream),
            QueryKind::StreamOutputOverflow { stream } => stream,
            _ => None,
        };
        (0..)
            .zip(counts.statistics.streams)
            .filter(move |&(n, _)| of.is_none_or(|of| of == n))
            .map(|(_, stream)| stream)
    }

    /// `true` if steps can depend on it.
    pub fn is_predicate(self) -> bool {
        matches!(self, QueryKind::OcclusionPredicate | QueryKind::StreamOutputOverflow { .. })
    }

    /// Its name in documents.
    pub fn text(self) -> &'static str {
        match self {
            QueryKind::Occlusion => "occlusion",
            QueryKind::OcclusionPredicate => "occlusion_predicate",
            QueryKind::Timestamp => "timestamp",
            QueryKind::TimestampDisjoint => "timestamp_disjoint",
            QueryKind::Statistics => "statistics",
            QueryKind::StreamOutput { .. } => "stream_out",
            QueryKind::StreamOutputOverflow { .. } => "so_overflow",
        }
    }

    /// `true` if it is of a stream, or of all.
    pub fn is_of_stream(self) -> bool {
        matches!(self, QueryKind::StreamOutput { .. } | QueryKind::StreamOutputOverflow { .. })
    }

    /// The same for a stream, if it is of one.
    pub fn of_stream(self, stream: Option<u32>) -> Self {
        match self {
            QueryKind::StreamOutput { .. } => QueryKind::StreamOutput { stream: stream.unwrap_or(0) },
            QueryKind::StreamOutputOverflow { .. } => QueryKind::StreamOutputOverflow { stream },
            other => other,
        }
    }

    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Occlusion,
        Self::OcclusionPredicate,
        Self::Timestamp,
        Self::TimestampDisjoint,
        Self::Statistics,
        Self::StreamOutput { stream: 0 },
        Self::StreamOutputOverflow { stream: None },
    ];
}

impl Predicate {
    /// `true` if steps that depend on it are skipped, by the counts of its query.
    pub fn skips(&self, counts: &Counts) -> bool {
        raster::Predicate { result: counts.result, value: self.value }.skips()
    }
}
