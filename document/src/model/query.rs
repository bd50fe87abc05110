//! Models queries: what steps are counted for, their values by name, and the steps that depend on them.

use brolga_raster::pass::query as raster;
use brolga_raster::statistics::Statistics;

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
}

/// Ticks of timestamps in a second.
const FREQUENCY: u64 = 1_000_000_000;

/// The value of a timestamp.
pub(crate) const TIME: &str = "nanoseconds";

/// The value of a count.
type Value = fn(&Counts) -> u64;

impl QueryKind {
    /// Its values, each with its name.
    pub fn values(self) -> &'static [(&'static str, Value)] {
        match self {
            QueryKind::Occlusion => &[("samples", |counts| counts.statistics.samples)],
            QueryKind::OcclusionPredicate => &[("value", |counts| u64::from(counts.statistics.samples > 0))],
            QueryKind::Timestamp => &[(TIME, |counts| counts.nanoseconds)],
            // The clock is monotonic.
            QueryKind::TimestampDisjoint => &[("frequency", |_| FREQUENCY), ("disjoint", |_| 0)],
            QueryKind::Statistics => &[
                ("ia_vertices", |counts| counts.statistics.vertices),
                ("ia_primitives", |counts| counts.statistics.primitives),
                ("vs_invocations", |counts| counts.statistics.vertex_invocations),
                ("hs_invocations", |counts| counts.statistics.hull_invocations),
                ("ds_invocations", |counts| counts.statistics.domain_invocations),
                ("gs_invocations", |counts| counts.statistics.geometry_invocations),
                ("gs_primitives", |counts| counts.statistics.geometry_primitives),
                ("c_invocations", |counts| counts.statistics.clipper_invocations),
                ("c_primitives", |counts| counts.statistics.clipper_primitives),
                ("ps_invocations", |counts| counts.statistics.pixel_invocations),
                ("cs_invocations", |counts| counts.compute_threads),
            ],
        }
    }

    /// The value under a name.
    pub fn value(self, counts: &Counts, name: &str) -> Option<u64> {
        self.values().iter().find(|(known, _)| *known == name).map(|(_, value)| value(counts))
    }

    /// `true` if steps can depend on it.
    pub fn is_predicate(self) -> bool {
        self == QueryKind::OcclusionPredicate
    }

    /// Its name in documents.
    pub fn text(self) -> &'static str {
        match self {
            QueryKind::Occlusion => "occlusion",
            QueryKind::OcclusionPredicate => "occlusion_predicate",
            QueryKind::Timestamp => "timestamp",
            QueryKind::TimestampDisjoint => "timestamp_disjoint",
            QueryKind::Statistics => "statistics",
        }
    }

    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Occlusion, Self::OcclusionPredicate, Self::Timestamp, Self::TimestampDisjoint, Self::Statistics];
}

impl Predicate {
    /// `true` if steps that depend on it are skipped, by the counts of its query.
    pub fn skips(&self, counts: &Counts) -> bool {
        raster::Predicate { result: counts.statistics.samples > 0, value: self.value }.skips()
    }
}
