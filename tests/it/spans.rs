//! Tests small groups that share packets: every thread still knows its own IDs, runs once and in order, and faults name
//! the right group.
//!
//! The expected IDs are computed by plain loops over groups and threads. Group sizes are such that packets hold threads
//! of several groups, a part of one, or both; dispatches end within packets, and rows along x do.

use std::time::Duration;

use brolga::{
    Bindings, Buffer, CancelToken, CompileOptions, Device, Dispatch, Engine, Error, Progress, Report, Shader,
    StopReason, View,
};
use brolga_testing::run::assemble;

const SIZES: [[u32; 3]; 12] = [
    [1, 1, 1],
    [2, 1, 1],
    [3, 1, 1],
    [1, 4, 1],
    [2, 3, 1],
    [1, 1, 7],
    [3, 3, 1],
    [12, 1, 1],
    [2, 2, 5],
    [5, 2, 3],
    [33, 1, 1],
    // Nothing to gain here: one group at a time.
    [4, 2, 2],
];

/// Groups of a dispatch, and the first one.
const BOXES: [([u32; 3], [u32; 3]); 6] = [
    ([1, 1, 1], [0, 0, 0]),
    ([3, 1, 1], [2, 0, 0]),
    ([17, 3, 2], [1, 2, 3]),
    ([1, 9, 1], [0, 0, 7]),
    ([2, 1, 11], [65_533, 65_534, 5]),
    ([150, 1, 1], [1000, 0, 0]),
];

/// Short and numerous rows, such that packets hold threads of several rows.
const SHORT_ROWS: [([u32; 3], [u32; 3], [u32; 3]); 4] = [
    ([1, 1, 1], [1, 601, 2], [9, 1, 2]),
    ([3, 1, 1], [1, 1700, 1], [0, 0, 0]),
    ([1, 2, 1], [2, 67, 31], [65_000, 3, 1]),
    ([3, 3, 1], [1, 1, 1203], [0, 1, 0]),
];

const ENGINES: [Engine; 2] = [Engine::Interpreter, Engine::Jit];

/// Words of the record that each thread writes to `u0`: group, ID in it, thread ID, flattened ID, the result of the
/// atomic, and the number of times that the record was written.
const RECORD: usize = 12;

/// A shader for groups of this size that makes `r0.x` the thread's number in the dispatch, groups counted in order, and
/// then runs `body`. `b0` holds the dispatch's groups with the threads of a group, then the first group.
fn numbered([x, y, z]: [u32; 3], body: &str) -> Vec<u8> {
    assemble(&format!(
        "cs_5_0
        dcl_constantbuffer CB0[2], immediateIndexed
        dcl_uav_structured u0, {}
        dcl_uav_structured u1, 4
        dcl_input vThreadGroupID.xyz
        dcl_input vThreadIDInGroup.xyz
        dcl_input vThreadID.xyz
        dcl_input vThreadIDInGroupFlattened
        dcl_temps 4
        dcl_thread_group {x}, {y}, {z}
        iadd r0.xyz, vThreadGroupID.xyzx, -cb0[1].xyzx
        imad r0.w, r0.z, cb0[0].y, r0.y
        imad r0.w, r0.w, cb0[0].x, r0.x
        imad r0.x, r0.w, cb0[0].w, vThreadIDInGroupFlattened.x
        {body}
        ret",
        4 * RECORD
    ))
}

/// Counts that the record was written.
const COUNT_RECORD: &str = "mov r0.y, l(44)
atomic_iadd u0, r0.xyxx, l(1)";

struct Run {
    device: Device,
    records: Buffer,
    bindings: Bindings,
    dispatch: Dispatch,
}

impl Run {
    fn new(threads: usize, size: [u32; 3], (groups, first): ([u32; 3], [u32; 3])) -> Self {
        let device = Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap();
        let per_group: u32 = size.iter().product();
        let words = [groups[0], groups[1], groups[2], per_group, first[0], first[1], first[2], 0];
        let constants = device.buffer_from(&words).unwrap();
        let count = u64::from(per_group) * groups.map(u64::from).iter().product::<u64>();
        let records = device.buffer(count * RECORD as u64 * 4).unwrap();
        let mut bindings = Bindings::new();
        bindings.set("b0".parse().unwrap(), View::constant(constants).unwrap());
        bindings.set("u0".parse().unwrap(), View::structured(records.clone(), RECORD as u32 * 4).unwrap());
        let counter = device.buffer(4).unwrap();
        bindings.set("u1".parse().unwrap(), View::structured(counter, 4).unwrap());
        Self { device, records, bindings, dispatch: Dispatch::new(groups).first_group(first) }
    }

    fn compile(&self, container: &[u8], engine: Engine) -> Shader {
        self.device.compile(container, &CompileOptions::new(engine)).unwrap()
    }

    fn run(&self, shader: &Shader) -> Result<Report, Error> {
        self.device.dispatch(shader, &self.bindings, &self.dispatch)
    }

    fn records(&self) -> Vec<[u32; RECORD]> {
        self.records.to_vec().unwrap()
    }
}

/// The IDs of the threads of a dispatch, in order: group, ID in the group, thread ID, flattened ID.
fn threads(size: [u32; 3], (groups, first): ([u32; 3], [u32; 3])) -> Vec<[u32; 10]> {
    let boxed =
        |[x, y, z]: [u32; 3]| (0..z).flat_map(move |c| (0..y).flat_map(move |b| (0..x).map(move |a| [a, b, c])));
    let mut all = Vec::new();
    for group in boxed(groups) {
        let group = [0, 1, 2].map(|axis| first[axis] + group[axis]);
        for (index, place) in (0..).zip(boxed(size)) {
            let number = [0, 1, 2].map(|axis| group[axis] * size[axis] + place[axis]);
            all.push(
                [group, place, number].concat().into_iter().chain([index]).collect::<Vec<_>>().try_into().unwrap(),
            );
        }
    }
    all
}

/// Runs a check for every engine, number of threads, group size and box.
fn each(check: impl Fn(&str, Engine, usize, [u32; 3], ([u32; 3], [u32; 3]))) {
    let all = SIZES.into_iter().flat_map(|size| BOXES.map(|which| (size, which)));
    for (size, which) in all.chain(SHORT_ROWS.map(|(size, groups, first)| (size, (groups, first)))) {
        for engine in ENGINES {
            for threads in [1, 2] {
                let what = format!("{engine}, {threads} threads, groups of {size:?}, {which:?}");
                check(&what, engine, threads, size, which);
            }
        }
    }
}

#[test]
fn threads_know_their_numbers_and_run_in_order() {
    each(|what, engine, workers, size, which| {
        let body = format!(
            "imm_atomic_iadd r1.x, u1, l(0, 0, 0, 0), l(1)
            store_structured u0.x, r0.x, l(40), r1.x
            store_structured u0.xyz, r0.x, l(0), vThreadGroupID.xyzx
            store_structured u0.xyz, r0.x, l(12), vThreadIDInGroup.xyzx
            store_structured u0.xyz, r0.x, l(24), vThreadID.xyzx
            store_structured u0.x, r0.x, l(36), vThreadIDInGroupFlattened.x
            {COUNT_RECORD}"
        );
        let run = Run::new(workers, size, which);
        let report = run.run(&run.compile(&numbered(size, &body), engine)).unwrap();
        let expected = threads(size, which);
        assert_eq!(report.threads, expected.len() as u64, "{what}");
        let records = run.records();
        let mut tickets = Vec::new();
        for (n, (record, expected)) in records.iter().zip(&expected).enumerate() {
            assert_eq!((&record[..10], record[11]), (&expected[..], 1), "{what}: thread {n}");
            tickets.push(record[10]);
        }
        // One worker starts groups in order, and so their threads where all do the same.
        if workers > 1 {
            tickets.sort_unstable();
        }
        assert!(tickets.iter().copied().eq(0..expected.len() as u32), "{what}: {tickets:?}");
    });
}

/// Threads return early, go through loops of different length, and pass a continue, by their numbers.
#[test]
fn threads_of_different_groups_go_their_own_ways() {
    each(|what, engine, workers, size, which| {
        // r1.x: a mix of the group and the thread's number in it. r2.x counts the rounds, r2.y adds up those that are
        // not skipped.
        let body = format!(
            "imad r1.x, vThreadGroupID.x, l(5), vThreadIDInGroupFlattened.x
            imad r1.x, vThreadGroupID.y, l(3), r1.x
            iadd r1.x, r1.x, vThreadGroupID.z
            and r1.y, r1.x, l(7)
            ieq r1.z, r1.y, l(6)
            retc_nz r1.z
            mov r2.xy, l(0)
            loop
              uge r2.z, r2.x, r1.y
              breakc_nz r2.z
              iadd r2.x, r2.x, l(1)
              and r2.z, r2.x, l(1)
              continuec_nz r2.z
              imad r2.y, r2.x, vThreadID.x, r2.y
            endloop
            store_structured u0.xy, r0.x, l(0), r2.xyxx
            {COUNT_RECORD}"
        );
        let run = Run::new(workers, size, which);
        run.run(&run.compile(&numbered(size, &body), engine)).unwrap();
        for (n, (record, thread)) in run.records().iter().zip(threads(size, which)).enumerate() {
            let limit = (5 * thread[0] + thread[9] + 3 * thread[1] + thread[2]) & 7;
            let even: u32 = (1..=limit).filter(|round| round % 2 == 0).sum();
            let expected = if limit == 6 { [0, 0, 0] } else { [limit, even.wrapping_mul(thread[6]), 1] };
            assert_eq!([record[0], record[1], record[11]], expected, "{what}: thread {n}");
        }
    });
}

/// Writes its record, then loops for ever if its group is one of those with this `x` and it is the last thread in it.
fn endless(size: [u32; 3], x: u32) -> Vec<u8> {
    let last = size.iter().product::<u32>() - 1;
    let body = format!(
        "{COUNT_RECORD}
        ieq r1.x, vThreadGroupID.x, l({x})
        ieq r1.y, vThreadIDInGroupFlattened.x, l({last})
        and r1.x, r1.x, r1.y
        loop
          breakc_z r1.x
        endloop"
    );
    numbered(size, &body)
}

#[test]
fn faults_name_the_group() {
    for size in [[1, 1, 1], [3, 1, 1], [2, 3, 2]] {
        for engine in ENGINES {
            for workers in [1, 2] {
                let what = format!("{engine}, {workers} threads, groups of {size:?}");
                // The group with x = 13 of every row fails, the first row is y = 5; or all groups of short rows do.
                for (groups, first, failing, before) in
                    [([30, 4, 1], [0, 5, 0], [13, 5, 0], 13), ([1, 3500, 1], [13, 0, 1], [13, 0, 1], 0)]
                {
                    let mut run = Run::new(workers, size, (groups, first));
                    run.dispatch = run.dispatch.clone().fuel(100);
                    let error = run.run(&run.compile(&endless(size, 13), engine)).unwrap_err();
                    let Error::Stopped { why, group, location } = &error else { panic!("{what}: {error}") };
                    assert_eq!((*why, *group), (StopReason::Fuel(100), failing), "{what}");
                    assert!(["loop", "endloop", "breakc_z r1.x"].contains(&&*location.text), "{what}: {location}");
                    // All groups before the one that failed have run.
                    let per_group: usize = size.iter().product::<u32>() as usize;
                    let earlier = &run.records()[..before * per_group];
                    assert!(earlier.iter().all(|record| record[11] == 1), "{what}");
                }
            }
        }
    }
}

#[test]
fn a_token_stops_spans() {
    for engine in ENGINES {
        let mut run = Run::new(1, [1, 1, 1], ([64, 2, 1], [0; 3]));
        let (token, progress) = (CancelToken::new(), Progress::new());
        run.dispatch = run.dispatch.clone().cancel(token.clone()).progress(progress.clone());
        let shader = run.compile(&endless([1, 1, 1], 40), engine);
        let error = std::thread::scope(|scope| {
            let run = scope.spawn(|| run.run(&shader).unwrap_err());
            // The record of the group that never ends shows that it has begun.
            while !token_may_stop(&progress) {
                std::thread::yield_now();
            }
            token.cancel();
            run.join().unwrap()
        });
        match error {
            Error::Stopped { why, group, .. } => assert_eq!((why, group), (StopReason::Cancelled, [40, 0, 0])),
            Error::StoppedBetweenGroups { why, groups_done, .. } => {
                assert_eq!(why, StopReason::Cancelled);
                assert!(groups_done <= 40, "{groups_done}");
            }
            other => panic!("{engine}: {other}"),
        }
        assert!(progress.groups_done() <= 40);
    }
}

/// The groups before the endless one are done.
fn token_may_stop(progress: &Progress) -> bool {
    progress.groups_done() >= 32
}
