//! Small groups share packets: every thread still knows its own numbers, runs once and in order, and faults name the
//! right group.
//!
//! What threads shall see is stated by plain loops over groups and threads. Group sizes are such that packets hold
//! threads of several groups, a part of one, or both; dispatches end within packets, and rows along x do.

use brolga::{
    Bindings, Buffer, CancelToken, CompileOptions, Device, Dispatch, Engine, Error, Progress, Report, Shader,
    StopReason, View,
};
use brolga_testing::tokens::{
    GROUP_ID, NON_ZERO, Operand, TEMP, THREAD_ID, THREAD_INDEX, THREAD_PLACE, Tokens, UAV, bare, constant, dst,
    literal, literal4, negated_constant, one, op, own, own_all, src,
};

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

/// Rows so short, and so many, that packets hold threads of several rows.
const SHORT_ROWS: [([u32; 3], [u32; 3], [u32; 3]); 4] = [
    ([1, 1, 1], [1, 601, 2], [9, 1, 2]),
    ([3, 1, 1], [1, 1700, 1], [0, 0, 0]),
    ([1, 2, 1], [2, 67, 31], [65_000, 3, 1]),
    ([3, 3, 1], [1, 1, 1203], [0, 1, 0]),
];

const ENGINES: [Engine; 2] = [Engine::Interpreter, Engine::Jit];

/// Words of the record that each thread writes to `u0`: group, place in it, thread number, flattened place, what the
/// atomic gave, and how often the record was written.
const RECORD: usize = 12;

/// A shader for groups of this size that begins by making `r0.x` the thread's number in the dispatch, groups counted in
/// order. `b0` holds the dispatch's groups with the threads of a group, then the first group.
fn numbered(size: [u32; 3]) -> Tokens {
    let mut tokens = Tokens::compute(size, 4)
        .input(THREAD_ID)
        .input(GROUP_ID)
        .input(THREAD_PLACE)
        .input(THREAD_INDEX)
        .constants(0, 2)
        .structured(UAV, 0, RECORD as u32 * 4)
        .structured(UAV, 1, 4);
    let x = |component| one(TEMP, 0, component);
    let groups = |component| constant(0, 0, component);
    tokens.emit(op::IADD, 0, &[dst(TEMP, 0, 7), own_all(GROUP_ID), negated_constant(0, 1)]);
    tokens.emit(op::IMAD, 0, &[dst(TEMP, 0, 1 << 3), x(2), groups(1), x(1)]);
    tokens.emit(op::IMAD, 0, &[dst(TEMP, 0, 1 << 3), x(3), groups(0), x(0)]);
    tokens.emit(op::IMAD, 0, &[dst(TEMP, 0, 1), x(3), groups(3), own(THREAD_INDEX, 0)]);
    tokens
}

/// Stores words to the thread's record.
fn store(tokens: &mut Tokens, word: u32, count: u32, value: Operand) {
    let operands = [dst(UAV, 0, (1 << count) - 1), one(TEMP, 0, 0), literal(4 * word), value];
    tokens.emit(op::STORE_STRUCTURED, 0, &operands);
}

/// Counts that the record was written.
fn count_record(tokens: &mut Tokens) {
    tokens.emit(op::MOV, 0, &[dst(TEMP, 0, 2), literal(44)]);
    tokens.emit(op::ATOMIC_IADD, 0, &[bare(UAV, 0), src(TEMP, 0, [0, 1, 0, 0]), literal(1)]);
}

struct Run {
    device: Device,
    records: Buffer,
    bindings: Bindings,
    dispatch: Dispatch,
}

impl Run {
    fn new(threads: usize, size: [u32; 3], (groups, first): ([u32; 3], [u32; 3])) -> Self {
        let device = Device::builder().threads(threads).build().unwrap();
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

    fn compile(&self, tokens: &Tokens, engine: Engine) -> Shader {
        self.device.compile(&tokens.container(), &CompileOptions::new(engine)).unwrap()
    }

    fn run(&self, shader: &Shader) -> Result<Report, Error> {
        self.device.dispatch(shader, &self.bindings, &self.dispatch)
    }

    fn records(&self) -> Vec<[u32; RECORD]> {
        self.records.to_vec().unwrap()
    }
}

/// What the threads of a dispatch know of themselves, in order: group, place, number, flattened place.
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
        let mut tokens = numbered(size);
        tokens.emit(op::IMM_ATOMIC_IADD, 0, &[dst(TEMP, 1, 1), bare(UAV, 1), literal4([0; 4]), literal(1)]);
        store(&mut tokens, 10, 1, one(TEMP, 1, 0));
        for (n, file) in (0..).zip([GROUP_ID, THREAD_PLACE, THREAD_ID]) {
            tokens.emit(op::MOV, 0, &[dst(TEMP, 2, 7), own_all(file)]);
            store(&mut tokens, 3 * n, 3, src(TEMP, 2, [0, 1, 2, 0]));
        }
        store(&mut tokens, 9, 1, own(THREAD_INDEX, 0));
        count_record(&mut tokens);
        tokens.emit(op::RET, 0, &[]);
        let run = Run::new(workers, size, which);
        let report = run.run(&run.compile(&tokens, engine)).unwrap();
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
        let mut tokens = numbered(size);
        let r1 = |component| one(TEMP, 1, component);
        // r1.x: a mix of the group and the thread's number in it.
        tokens.emit(op::IMAD, 0, &[dst(TEMP, 1, 1), own(GROUP_ID, 0), literal(5), own(THREAD_INDEX, 0)]);
        tokens.emit(op::IMAD, 0, &[dst(TEMP, 1, 1), own(GROUP_ID, 1), literal(3), r1(0)]);
        tokens.emit(op::IADD, 0, &[dst(TEMP, 1, 1), r1(0), own(GROUP_ID, 2)]);
        tokens.emit(op::AND, 0, &[dst(TEMP, 1, 2), r1(0), literal(7)]);
        tokens.emit(op::IEQ, 0, &[dst(TEMP, 1, 4), r1(1), literal(6)]);
        tokens.emit(op::RETC, NON_ZERO, &[r1(2)]);
        // r2.x counts the rounds, r2.y adds up those that are not skipped.
        tokens.emit(op::MOV, 0, &[dst(TEMP, 2, 3), literal(0)]);
        tokens.emit(op::LOOP, 0, &[]);
        tokens.emit(op::UGE, 0, &[dst(TEMP, 2, 4), one(TEMP, 2, 0), r1(1)]);
        tokens.emit(op::BREAKC, NON_ZERO, &[one(TEMP, 2, 2)]);
        tokens.emit(op::IADD, 0, &[dst(TEMP, 2, 1), one(TEMP, 2, 0), literal(1)]);
        tokens.emit(op::AND, 0, &[dst(TEMP, 2, 4), one(TEMP, 2, 0), literal(1)]);
        tokens.emit(op::CONTINUEC, NON_ZERO, &[one(TEMP, 2, 2)]);
        tokens.emit(op::IMAD, 0, &[dst(TEMP, 2, 2), one(TEMP, 2, 0), own(THREAD_ID, 0), one(TEMP, 2, 1)]);
        tokens.emit(op::ENDLOOP, 0, &[]);
        store(&mut tokens, 0, 2, src(TEMP, 2, [0, 1, 0, 0]));
        count_record(&mut tokens);
        tokens.emit(op::RET, 0, &[]);
        let run = Run::new(workers, size, which);
        run.run(&run.compile(&tokens, engine)).unwrap();
        for (n, (record, thread)) in run.records().iter().zip(threads(size, which)).enumerate() {
            let limit = (5 * thread[0] + thread[9] + 3 * thread[1] + thread[2]) & 7;
            let even: u32 = (1..=limit).filter(|round| round % 2 == 0).sum();
            let expected = if limit == 6 { [0, 0, 0] } else { [limit, even.wrapping_mul(thread[6]), 1] };
            assert_eq!([record[0], record[1], record[11]], expected, "{what}: thread {n}");
        }
    });
}

/// Writes its record, then loops for ever if its group is one of those with this `x` and its place is the last.
fn endless(size: [u32; 3], x: u32) -> Tokens {
    let last = size.iter().product::<u32>() - 1;
    let mut tokens = numbered(size);
    count_record(&mut tokens);
    tokens.emit(op::IEQ, 0, &[dst(TEMP, 1, 1), own(GROUP_ID, 0), literal(x)]);
    tokens.emit(op::IEQ, 0, &[dst(TEMP, 1, 2), own(THREAD_INDEX, 0), literal(last)]);
    tokens.emit(op::AND, 0, &[dst(TEMP, 1, 1), one(TEMP, 1, 0), one(TEMP, 1, 1)]);
    tokens.emit(op::LOOP, 0, &[]);
    tokens.emit(op::BREAKC, 0, &[one(TEMP, 1, 0)]);
    tokens.emit(op::ENDLOOP, 0, &[]);
    tokens.emit(op::RET, 0, &[]);
    tokens
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
            // The record of the group that never ends says that it has begun.
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
