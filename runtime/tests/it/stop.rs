//! Tests that endless loops are stopped, report their location, and leave the device in order.
//!
//! `data/endless.hlsl` has loops that never end if the constant `rounds` is odd.

use std::time::{Duration, Instant};

use brolga_runtime::{
    Bindings, Buffer, CancelToken, Device, Dispatch, Engine, Error, Progress, Shader, SourceLocation, StopReason, View,
};

use crate::support::{self, ENGINES};

const THREADS_PER_GROUP: u32 = 20;
const ENDLESS: u32 = 7;
const ENDING: u32 = 10;

/// A time limit that a test need not wait long for.
const SOON: Duration = Duration::from_millis(20);

struct Setup {
    device: Device,
    shader: Shader,
    sum: Shader,
    result: Buffer,
}

impl Setup {
    fn new(entry: &str, engine: Engine, threads: usize) -> Self {
        let device = Device::builder().threads(threads).wakes_threads_from(Duration::ZERO).build().unwrap();
        let [shader, sum] = [entry, "sum"].map(|entry| support::shader(&device, &format!("endless.{entry}"), engine));
        let result = device.buffer(u64::from(2 * THREADS_PER_GROUP) * 4).unwrap();
        Self { device, shader, sum, result }
    }

    fn bindings(&self, rounds: u32) -> Bindings {
        let constants = self.device.buffer_from(&[rounds]).unwrap();
        let mut bindings = Bindings::new();
        bindings.set("b0".parse().unwrap(), View::constant(constants).unwrap());
        bindings.set("u0".parse().unwrap(), View::raw(self.result.clone()).unwrap());
        bindings
    }

    fn run(&self, rounds: u32, limits: impl FnOnce(Dispatch) -> Dispatch) -> Result<(), Error> {
        let dispatch = limits(Dispatch::new([2, 1, 1]));
        self.device.dispatch(&self.shader, &self.bindings(rounds), &dispatch).map(|_| ())
    }

    fn words(&self) -> Vec<u32> {
        self.result.to_vec().unwrap()
    }

    /// Runs both shaders to their end and checks what they write.
    fn check_next_dispatch(&self) {
        self.run(ENDING, |dispatch| dispatch).unwrap();
        assert_eq!(self.words(), (0..40).map(|id| ENDING + id).collect::<Vec<_>>());
        self.device.dispatch(&self.sum, &self.bindings(1), &Dispatch::new([2, 1, 1])).unwrap();
        let sums = [(0..20).sum::<u32>() + 1, (20..40).sum::<u32>() + 1];
        assert_eq!(self.words(), (0..40).map(|id| sums[id / 20]).collect::<Vec<_>>());
    }
}

fn each_setup(check: impl Fn(&str, Setup)) {
    for entry in ["plain", "one_thread", "barriers"] {
        for &engine in ENGINES {
            for threads in [1, 2] {
                check(&format!("{entry}, {engine}, {threads} threads"), Setup::new(entry, engine, threads));
            }
        }
    }
}

/// Checks that the instruction is one between `loop` and `endloop`, and that its text is its name with operands.
fn check_location(location: &SourceLocation, what: &str) {
    let index = location.index.unwrap_or_else(|| panic!("{what}: no instruction at byte {}", location.byte));
    assert!((1..=13).contains(&index), "{what}: {location}");
    assert!(!location.text.is_empty() && !location.text.starts_with("dcl_"), "{what}: {location}");
}

#[test]
fn a_time_limit_stops_endless_loops() {
    each_setup(|what, setup| {
        // On a busy machine the time may be over before a loop begins.
        let mut limit = SOON;
        loop {
            match setup.run(ENDLESS, |dispatch| dispatch.time_limit(limit)) {
                Err(Error::Stopped { why, location, .. }) => {
                    assert_eq!(why, StopReason::TimeLimit(limit), "{what}");
                    check_location(&location, what);
                    break;
                }
                Err(Error::StoppedBetweenGroups { .. }) => limit *= 2,
                other => panic!("{what}: {other:?}"),
            }
        }
        setup.check_next_dispatch();
    });
}

/// Not part of the usual run, since a busy machine may be late.
#[test]
#[ignore = "measures time"]
fn endless_loops_end_within_100_ms_of_their_limit() {
    each_setup(|what, setup| {
        let limit = Duration::from_millis(50);
        let start = Instant::now();
        setup.run(ENDLESS, |dispatch| dispatch.time_limit(limit)).unwrap_err();
        let late = start.elapsed().saturating_sub(limit);
        assert!(late < Duration::from_millis(100), "{what}: {late:?}");
        setup.check_next_dispatch();
    });
}

#[test]
fn fuel_stops_endless_loops_at_the_first_group_that_has_one() {
    each_setup(|what, setup| {
        let fuel = 1000;
        match setup.run(ENDLESS, |dispatch| dispatch.fuel(fuel)) {
            Err(Error::Stopped { why, location, group }) => {
                assert_eq!(why, StopReason::Fuel(fuel), "{what}");
                assert_eq!(group, [if what.starts_with("one_thread") { 1 } else { 0 }, 0, 0], "{what}");
                check_location(&location, what);
            }
            other => panic!("{what}: {other:?}"),
        }
        setup.check_next_dispatch();
        setup.run(ENDING, |dispatch| dispatch.fuel(fuel)).unwrap();
    });
}

#[test]
fn a_token_stops_a_run_from_another_thread() {
    each_setup(|what, setup| {
        let token = CancelToken::new();
        std::thread::scope(|scope| {
            let run = scope.spawn(|| setup.run(ENDLESS, |dispatch| dispatch.cancel(token.clone())));
            token.cancel();
            match run.join().unwrap() {
                Err(Error::Stopped { why, .. } | Error::StoppedBetweenGroups { why, .. }) => {
                    assert_eq!(why, StopReason::Cancelled, "{what}");
                }
                other => panic!("{what}: {other:?}"),
            }
        });
        setup.check_next_dispatch();
    });
}

#[test]
fn a_run_with_a_cancelled_token_does_nothing() {
    let setup = Setup::new("plain", Engine::Interpreter, 1);
    let token = CancelToken::new();
    token.cancel();
    let progress = Progress::new();
    let error = setup.run(ENDING, |dispatch| dispatch.cancel(token).progress(progress.clone())).unwrap_err();
    assert_eq!(error.to_string(), "the run was cancelled after 0 of 2 groups");
    assert_eq!((progress.groups_done(), setup.words()), (0, vec![0; 40]));
}

#[test]
fn limits_that_are_not_reached_change_nothing() {
    let setup = Setup::new("barriers", Engine::Interpreter, 2);
    let limits = |dispatch: Dispatch| dispatch.time_limit(Duration::MAX).fuel(u64::MAX).cancel(CancelToken::new());
    setup.run(ENDING, limits).unwrap();
    assert_eq!(setup.words(), (0..40).map(|id| ENDING + id).collect::<Vec<_>>());
}
