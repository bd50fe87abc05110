//! Measures what checks cost beside plain runs, on one thread: of the suite and of the corpus's executions.
//!
//! `cargo bench --bench insight` runs all, `-- scan` those with that name. Times are the least of rounds that alternate;
//! compare ratios only.

use std::path::Path;
use std::time::Duration;

use brolga::bench::Stopwatch;
use brolga::document::{Document, Prepared, RunOptions};
use brolga::insight::{CheckLog, CheckOptions, FindingKind};
use brolga::{Device, Engine, Limits};

/// Alternating rounds, and the time of each.
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_millis(40);

fn main() {
    let wanted = std::env::args().skip(1).find(|arg| !arg.starts_with('-')).unwrap_or_default();
    let device = Device::builder().threads(1).build().expect("a device");
    let mut ratios = Vec::new();
    println!("{:24} {:>10} {:>7} {:>7} {:>8}", "", "plain us", "check", "bounds", "compile");
    for (name, prepared) in subjects().filter(|(name, _)| name.contains(&wanted)) {
        let row = measure(&device, &prepared);
        let [plain, check, bounds, compile] = row;
        println!("{name:24} {:10.1} {check:7.2} {bounds:7.2} {compile:8.2}", plain * 1e6);
        ratios.push(row);
    }
    let mean = |n: usize| {
        let logs: Vec<f64> = ratios.iter().map(|row| row[n].ln()).filter(|log| log.is_finite()).collect();
        (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp()
    };
    println!("{:24} {:>10} {:7.2} {:7.2} {:8.2}", "geometric mean", "", mean(1), mean(2), mean(3));
}

/// The suite, then the corpus's executions.
fn subjects() -> impl Iterator<Item = (String, Prepared)> {
    let suite = brolga_suite::NAMES.iter().filter_map(|name| {
        let ready = brolga_suite::prepare(name)?;
        Some((name.to_string(), ready.document))
    });
    let exec = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/exec");
    let mut folders: Vec<_> =
        std::fs::read_dir(exec).expect("the corpus").map(|entry| entry.expect("a folder").path()).collect();
    folders.sort();
    let exec = folders.into_iter().filter_map(|folder| {
        let prepared = Document::load(&folder.join("case.json")).ok()?.prepare(&Limits::default()).ok()?;
        Some((folder.file_name()?.to_string_lossy().into_owned(), prepared))
    });
    suite.chain(exec)
}

/// Seconds of a plain run, and of a check and a check of bounds in terms of it; the time in which code with probes is made
/// in terms of that of plain code, or NaN if none is.
fn measure(device: &Device, prepared: &Prepared) -> [f64; 4] {
    let mut of_bounds = CheckOptions::default();
    of_bounds.kinds = vec![FindingKind::Bounds];
    let logs = [None, Some(CheckLog::default()), Some(CheckLog::new(of_bounds))];
    let options = logs.map(|log| {
        let mut options = RunOptions::new(Engine::Jit);
        options.check = log;
        options
    });
    let ready = options.each_ref().map(|options| prepared.ready(device, 0, options).expect("it compiles"));
    let run = |n: usize, count: u32| {
        ready[n].reset().expect("it can be reset");
        let watch = Stopwatch::start();
        ready[n].frames(count).expect("it runs");
        let sample = watch.stop();
        options[n].check.as_ref().map(CheckLog::take);
        sample.cpu.unwrap_or(sample.wall).as_secs_f64() / f64::from(count)
    };
    let compiled = |n: usize| ready[n].shader_times().iter().sum::<Duration>().as_secs_f64();
    let plain = compiled(1);
    let first = [0, 1, 2].map(|n| run(n, 1));
    let compiling = match compiled(1) - plain {
        none if none <= 0.0 => f64::NAN,
        some => some / plain,
    };
    let least = |n: usize| (0..3).map(|_| run(n, 1)).fold(first[n], f64::min);
    let start = [0, 1, 2].map(least);
    // Results of a run do not matter to the next one's work, as a rule.
    let counts = start.map(|one| (ROUND.as_secs_f64() / one).clamp(1.0, 1000.0) as u32);
    let mut best = start;
    for _ in 0..ROUNDS {
        for n in 0..3 {
            best[n] = best[n].min(run(n, counts[n]));
        }
    }
    [best[0], best[1] / best[0], best[2] / best[0], compiling]
}
