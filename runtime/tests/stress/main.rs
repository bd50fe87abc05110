//! Runs many dispatches at once: four threads of the caller's use three devices, with shaders of the corpus that come
//! and go, and a tenth of the dispatches is stopped at a random moment. Dispatches that were not stopped must be right,
//! nothing but views may be written, and the process must release all resources.
//!
//! | file | what |
//! |---|---|
//! | `catalogue.rs` | the jobs, and the required output of each |
//! | `fleet.rs` | the threads' shared state: devices, compiled shaders, the thread that cancels |
//! | `worker.rs` | one thread: draws, dispatches, checks the outcome |
//! | `process.rs` | resources of the process: memory, executable mappings, files, threads |
//!
//! The long run: `cargo test --release -p brolga-runtime --test stress -- --ignored --nocapture`. `BROLGA_DISPATCHES`
//! sets its length, `BROLGA_SEED` the random sequence.
//!
//! A test program of its own, since it counts the resources of the whole process.

#[path = "../it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "used in part")]
mod support;

mod catalogue;
mod fleet;
mod process;
mod worker;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::time::Instant;

use brolga_runtime::Device;
use catalogue::Catalogue;
use fleet::Fleet;
use process::Usage;
use worker::Tally;

/// Threads of the caller's.
const CALLERS: usize = 4;

/// Number of times that the process is sampled during a run.
const SAMPLES: usize = 20;

/// One run at a time, since the whole process is measured.
static ALONE: Mutex<()> = Mutex::new(());

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn many_dispatches_at_once_are_right_and_leave_nothing_behind() {
    stress(9, 500);
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_dispatches_take_no_more_memory_than_ten_thousand() {
    let dispatches = setting("BROLGA_DISPATCHES", 100_000) as usize;
    let samples = stress(1, dispatches);
    let after = |percent: usize| samples[percent * SAMPLES / 100].resident_kib;
    // Allocators keep some of what was freed; a leak with every dispatch or shader would be far larger.
    let most = after(10) + after(10) / 10 + (16 << 10);
    assert!(after(100) <= most, "{} KiB after the first tenth, {} KiB at the end", after(10), after(100));
}

#[test]
fn a_thousand_devices_give_their_threads_back() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let before = Usage::of_this_process();
    for _ in 0..1000 {
        let device = Device::builder().threads(3).wakes_threads_from(Duration::ZERO).build().unwrap();
        // A thread that has not begun yet when its pool is dropped must end too.
        drop(device);
    }
    assert_eq!(Usage::once_threads_ended().files, before.files);
}

/// Runs a number of dispatches of every `step`-th shader; returns the resources of the process before, at equal steps,
/// and after the last one.
fn stress(step: usize, dispatches: usize) -> Vec<Usage> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let catalogue = &Catalogue::new(step);
    println!("{catalogue}");
    let before = Usage::of_this_process();
    let fleet = Fleet::new(catalogue, dispatches, setting("BROLGA_SEED", 1));
    let start = Instant::now();
    let tallies: Vec<Tally> = std::thread::scope(|scope| {
        scope.spawn(|| fleet.cancel_what_is_asked());
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(|| worker::work(&fleet))).collect();
        let tallies = callers.into_iter().map(|caller| caller.join().expect("failures are noted")).collect();
        fleet.no_more_to_cancel();
        tallies
    });
    let elapsed = start.elapsed();
    let mut samples = fleet.samples();
    samples.insert(0, before);
    drop(fleet);
    let tally = tallies.into_iter().reduce(Tally::plus).expect("there are callers");
    println!("{dispatches} dispatches in {elapsed:.1?}\n{tally}");
    for (step, usage) in samples.iter().enumerate() {
        println!("{:3} %: {usage}", step * 100 / SAMPLES);
    }
    let after = Usage::once_threads_ended();
    println!("  end: {after}");
    assert!(tally.failures.is_empty(), "{} failures\n{}", tally.failures.len(), tally.failures.join("\n"));
    assert_eq!(tally.total(), dispatches as u64);
    assert_eq!(after.code_kib, before.code_kib, "memory of machine code was not given back");
    assert_eq!(after.files, before.files, "files stayed open");
    samples
}
