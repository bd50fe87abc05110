//! Queries of a pass, and predication of what follows in it.

use std::mem::MaybeUninit;
use std::sync::Arc;

use brolga::raster::{Predicate, Query as NativeQuery, QueryData as NativeData, QueryKind as NativeKind};

use crate::arguments::{growing, init, put_fields};
use crate::draw::{Identity, Pass, PassState, with_pass};
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::statistics::{PipelineStatistics, StreamStatistics};

/// A query of a pass: what the draws between its begin and its end did. It belongs to that pass alone.
pub struct Query(());

impl HandleKind for Query {
    type Value = OwnQuery;
    const NAME: &'static str = "a query";
}

/// A query with its pass.
pub(crate) struct OwnQuery {
    query: NativeQuery,
    pass: Arc<Identity>,
}

/// The kind of a query, as in `D3D11_QUERY`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryKind {
    /// Samples that passed all tests; without multisampling pixels.
    Occlusion = 1,
    /// The time at which all before the end of the query was done.
    Timestamp = 2,
    /// Counts of each stage.
    PipelineStatistics = 4,
    /// Whether any sample passed all tests.
    OcclusionPredicate = 5,
    /// Primitives of stream 0, like SO_STATISTICS_STREAM0.
    SoStatistics = 6,
    /// Whether any stream had too little room.
    SoOverflowPredicate = 7,
    /// Primitives that stream 0 wrote, and would have written with enough room.
    SoStatisticsStream0 = 8,
    /// Whether stream 0 had too little room.
    SoOverflowPredicateStream0 = 9,
    /// The same for stream 1.
    SoStatisticsStream1 = 10,
    /// The same for stream 1.
    SoOverflowPredicateStream1 = 11,
    /// The same for stream 2.
    SoStatisticsStream2 = 12,
    /// The same for stream 2.
    SoOverflowPredicateStream2 = 13,
    /// The same for stream 3.
    SoStatisticsStream3 = 14,
    /// The same for stream 3.
    SoOverflowPredicateStream3 = 15,
}

/// The result of a query of any kind but BROLGA_QUERY_KIND_PIPELINE_STATISTICS. What is of other kinds is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct QueryData {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Samples, of BROLGA_QUERY_KIND_OCCLUSION.
    pub samples: u64,
    /// Nanoseconds since the device was made, of BROLGA_QUERY_KIND_TIMESTAMP: they never run backwards, and are never
    /// disjoint.
    pub time_ns: u64,
    /// Primitives, of BROLGA_QUERY_KIND_SO_STATISTICS and those of a stream.
    pub stream: StreamStatistics,
    /// The result of a predicate: `true` if any sample passed, or if there was too little room.
    pub result: MaybeUninit<bool>,
}

impl Default for QueryData {
    fn default() -> Self {
        let (stream, result) = (StreamStatistics::default(), MaybeUninit::new(false));
        Self { size: size_of::<Self>(), samples: 0, time_ns: 0, stream, result }
    }
}

growing! {
    QueryData as "BrolgaQueryData";
}

impl QueryKind {
    /// Every kind, with the library's.
    const ALL: [(Self, NativeKind); 14] = {
        const fn statistics(stream: u32) -> NativeKind {
            NativeKind::StreamOutputStatistics { stream }
        }
        const fn overflow(stream: Option<u32>) -> NativeKind {
            NativeKind::StreamOutputOverflow { stream }
        }
        [
            (Self::Occlusion, NativeKind::Occlusion),
            (Self::Timestamp, NativeKind::Timestamp),
            (Self::PipelineStatistics, NativeKind::PipelineStatistics),
            (Self::OcclusionPredicate, NativeKind::OcclusionPredicate),
            (Self::SoStatistics, statistics(0)),
            (Self::SoOverflowPredicate, overflow(None)),
            (Self::SoStatisticsStream0, statistics(0)),
            (Self::SoOverflowPredicateStream0, overflow(Some(0))),
            (Self::SoStatisticsStream1, statistics(1)),
            (Self::SoOverflowPredicateStream1, overflow(Some(1))),
            (Self::SoStatisticsStream2, statistics(2)),
            (Self::SoOverflowPredicateStream2, overflow(Some(2))),
            (Self::SoStatisticsStream3, statistics(3)),
            (Self::SoOverflowPredicateStream3, overflow(Some(3))),
        ]
    };

    /// The library's kind of what a caller has given.
    fn native(raw: MaybeUninit<Self>) -> Result<NativeKind, Failure> {
        // SAFETY: `repr(u32)`, and C has written some number.
        let number = unsafe { raw.as_ptr().cast::<u32>().read() };
        let known = Self::ALL.into_iter().find(|(kind, _)| *kind as u32 == number);
        known.map(|(_, native)| native).ok_or_else(|| {
            Failure::argument(format!("the kind of the query is {number}, but BrolgaQueryKind has 1, 2, 4 to 15"))
        })
    }
}

impl QueryData {
    /// The result of a query, unless it is one of pipeline statistics.
    fn new(known: NativeData, pass: &Identity) -> Result<Self, Failure> {
        let mut data = Self::default();
        match known {
            NativeData::Occlusion(samples) => data.samples = samples,
            NativeData::Timestamp(time) => data.time_ns = time.saturating_duration_since(pass.origin).as_nanos() as u64,
            NativeData::StreamOutputStatistics(stream) => data.stream = stream.into(),
            NativeData::OcclusionPredicate(result) | NativeData::StreamOutputOverflow(result) => {
                data.result = MaybeUninit::new(result);
            }
            NativeData::PipelineStatistics(_) => {
                let text = "the query is one of pipeline statistics, which brolga_pass_query_statistics returns";
                return Err(Failure::new(Code::Call, text));
            }
            other => return Err(Failure::new(Code::Internal, format!("a query has the unknown result {other:?}"))),
        }
        Ok(data)
    }
}

/// Returns the library's query, if it is one of this pass.
fn of_pass(query: &OwnQuery, pass: &PassState) -> Result<NativeQuery, Failure> {
    match Arc::ptr_eq(&query.pass, &pass.identity) {
        true => Ok(query.query),
        false => Err(Failure::new(Code::Call, "the query is of another pass")),
    }
}

/// Fills data with zeros. `size` is sizeof(BrolgaQueryData).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_query_data_init(query_data: *mut QueryData, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(query_data, size) }
}

/// Begins a query: the draws from here to brolga_pass_end_query count. Queries may nest and overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_begin_query(
    pass: *const Pass,
    kind: MaybeUninit<QueryKind>,
    query: *mut *mut Query,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, pass, kind) = (NewHandle::new(query)?, get(pass)?, QueryKind::native(kind)?);
            let query = with_pass(pass, |pass| pass.begin_query(kind))?;
            handle.put(OwnQuery { query, pass: Arc::clone(&pass.identity) });
            Ok(())
        })
    }
}

/// Destroys a query. Its pass still counts for others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_query_destroy(query: *mut Query) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(query) }
}

/// Ends a query. A timestamp draws all queued draws, whose end is its time. Fails if the query has ended, or is of
/// another pass (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_end_query(pass: *const Pass, query: *const Query, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let pass = get(pass)?;
            let query = of_pass(get(query)?, pass)?;
            with_pass(pass, |pass| pass.end_query(query))
        })
    }
}

/// Returns the result of a query that has ended, after all its draws: it draws them if they are queued. The struct has
/// the size that its init function sets. Fails if the query has not ended, is of another pass, or is one of pipeline
/// statistics (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_query_data(
    pass: *const Pass,
    query: *const Query,
    query_data: *mut QueryData,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let pass = get(pass)?;
            let query = of_pass(get(query)?, pass)?;
            let known = with_pass(pass, |pass| pass.query(query))?;
            put_fields(query_data, &QueryData::new(known, &pass.identity)?)
        })
    }
}

/// Returns the result of a query of BROLGA_QUERY_KIND_PIPELINE_STATISTICS, the sums of all its draws, likewise. Fails
/// for one of another kind (BROLGA_CODE_CALL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_query_statistics(
    pass: *const Pass,
    query: *const Query,
    statistics: *mut PipelineStatistics,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let pass = get(pass)?;
            let query = of_pass(get(query)?, pass)?;
            match with_pass(pass, |pass| pass.query(query))? {
                NativeData::PipelineStatistics(known) => put_fields(statistics, &known.into()),
                _ => {
                    let text = "the query is not one of pipeline statistics: brolga_pass_query_data returns its result";
                    Err(Failure::new(Code::Call, text))
                }
            }
        })
    }
}

/// Predicates what follows, as SetPredication does: draws, clears and updates are skipped if `result`, that of a
/// predicate's query, equals `value`. So with the value `false` they happen only if a sample passed, or there was too
/// little room. A draw that is skipped has a number, and counts of 0. The query may be one of another pass.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_set_predication(
    pass: *const Pass,
    result: bool,
    value: bool,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || predicate(get(pass)?, Some(Predicate { result, value }))) }
}

/// Ends predication: what follows is not skipped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_pass_clear_predication(pass: *const Pass, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || predicate(get(pass)?, None)) }
}

fn predicate(pass: &PassState, predicate: Option<Predicate>) -> Result<(), Failure> {
    with_pass(pass, |pass| {
        pass.set_predicate(predicate);
        Ok(())
    })
}
