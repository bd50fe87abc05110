//! Implements the commands. `brolga-testing soak` runs random shaders in all ways until one of them differs.
//! `brolga-testing mutants` changes shaders, and checks that each is refused with a reason or runs the same on both
//! engines. `brolga-testing code` prints hashes of machine code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use brolga_testing::check::{Failure, Lab};
use brolga_testing::code;
use brolga_testing::generate::generate;
use brolga_testing::mutants::{Fate, Fault, Laboratory};
use brolga_testing::program::Program;
use brolga_testing::report;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(about = "Random shaders on every engine of Brolga")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run random shaders until one differs (exit code 1), or until the given amount is reached.
    Soak(Amount),
    /// Mutate shaders, and count the outcomes. Exit code 1 if one passes validation and cannot be run, or differs.
    Mutants(Amount),
    /// Compile every shader of the repository into a cache, and print hashes of all machine code there.
    Code {
        /// The cache's folder.
        folder: PathBuf,
    },
    /// Print the shader of a seed.
    Show {
        /// The seed.
        seed: u64,
    },
}

#[derive(clap::Args)]
struct Amount {
    /// Stop after so many seconds.
    #[arg(long, conflicts_with = "count")]
    seconds: Option<u64>,
    /// Stop after so many.
    #[arg(long)]
    count: Option<u64>,
    /// The first seed; the others follow it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads that run programs.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Faults after which no more mutants are made.
const ENOUGH: usize = 20;

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Soak(amount) => soak(&amount),
        Command::Mutants(amount) => mutants(&amount),
        Command::Code { folder } => code(&folder),
        Command::Show { seed } => {
            let program = generate(seed);
            println!("{:?} threads, {:?} groups\n{}", program.group, program.groups, report::listing(&program));
            ExitCode::SUCCESS
        }
    }
}

fn code(folder: &Path) -> ExitCode {
    let refused = code::compile_all(folder).map_err(|error| error.to_string());
    let lines = refused.and_then(|refused| {
        refused.iter().for_each(|shader| eprintln!("not compiled: {shader}"));
        code::hashes(folder).map_err(|error| error.to_string())
    });
    match lines {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn soak(amount: &Amount) -> ExitCode {
    let failure: Mutex<Option<(Program, Failure)>> = Mutex::new(None);
    amount.run("programs", Lab::new, |lab, seed| {
        let program = generate(seed);
        let Err(other) = lab.check(&program) else { return true };
        let mut noted = failure.lock().expect("no thread panics while holding it");
        if noted.as_ref().is_none_or(|(first, _)| seed < first.seed) {
            *noted = Some((program, other));
        }
        false
    });
    match failure.into_inner().expect("no worker holds it") {
        None => ExitCode::SUCCESS,
        Some((program, failure)) => {
            eprintln!("seed {} fails, shrinking...", program.seed);
            println!("{}", report::describe(&Lab::new(), &program, &failure));
            ExitCode::FAILURE
        }
    }
}

fn mutants(amount: &Amount) -> ExitCode {
    let fates: Mutex<BTreeMap<Fate, u64>> = Mutex::default();
    let faults: Mutex<Vec<Box<Fault>>> = Mutex::default();
    amount.run("mutants", Laboratory::new, |laboratory, seed| match laboratory.check(seed) {
        Ok(fate) => {
            *fates.lock().expect("no thread panics while holding it").entry(fate).or_default() += 1;
            true
        }
        Err(fault) => {
            println!("{fault}\n");
            let mut faults = faults.lock().expect("no thread panics while holding it");
            faults.push(fault);
            faults.len() < ENOUGH
        }
    });
    for (fate, count) in fates.into_inner().expect("no worker holds it") {
        println!("{count:8} {fate}");
    }
    let mut faults = faults.into_inner().expect("no worker holds it");
    faults.sort_by_key(|fault| fault.seed);
    for fault in &faults {
        println!("seed {}: {}", fault.seed, fault.what);
    }
    if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// State shared by the threads.
struct Run {
    next: AtomicU64,
    end: u64,
    until: Option<Instant>,
    done: AtomicU64,
    stop: AtomicBool,
    what: &'static str,
}

impl Amount {
    /// Works on one seed after the other, on several threads with a laboratory of their own each, until a piece of
    /// `work` returns false.
    fn run<L>(&self, what: &'static str, place: impl Fn() -> L + Sync, work: impl Fn(&L, u64) -> bool + Sync) {
        let start = Instant::now();
        let run = Run {
            next: AtomicU64::new(self.seed),
            end: self.count.map_or(u64::MAX, |count| self.seed.saturating_add(count)),
            until: self.seconds.map(|seconds| start + Duration::from_secs(seconds)),
            done: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            what,
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(|| run.work(&place(), &work))).collect();
            let mut told = start;
            while !workers.iter().all(|worker| worker.is_finished()) {
                std::thread::sleep(Duration::from_millis(20));
                if told.elapsed() >= Duration::from_secs(10) {
                    told = Instant::now();
                    run.tell(start);
                }
            }
        });
        run.tell(start);
    }
}

impl Run {
    fn work<L>(&self, place: &L, work: &impl Fn(&L, u64) -> bool) {
        while !self.stop.load(Ordering::Relaxed) && self.until.is_none_or(|until| Instant::now() < until) {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= self.end {
                return;
            }
            if !work(place, seed) {
                self.stop.store(true, Ordering::Relaxed);
            }
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn tell(&self, start: Instant) {
        let (done, seconds) = (self.done.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
        eprintln!("{done} {} in {seconds:.0} s, {:.0} a second", self.what, done as f64 / seconds);
    }
}
