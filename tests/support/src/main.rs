//! `brolga-testing soak`: runs random shaders in every way there is until one of them differs.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use brolga_testing::check::{Failure, Lab};
use brolga_testing::generate::generate;
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
    /// Runs random shaders until one differs (exit code 1), or until it is enough.
    Soak(Soak),
    /// Prints the shader of a seed.
    Show {
        /// The seed.
        seed: u64,
    },
}

#[derive(clap::Args)]
struct Soak {
    /// Stop after so many seconds.
    #[arg(long, conflicts_with = "count")]
    seconds: Option<u64>,
    /// Stop after so many programs.
    #[arg(long)]
    count: Option<u64>,
    /// The first seed; the others follow it.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads that run programs.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

fn main() -> ExitCode {
    match Arguments::parse().command {
        Command::Soak(soak) => soak.run(),
        Command::Show { seed } => {
            let program = generate(seed);
            println!("{:?} threads, {:?} groups\n{}", program.group, program.groups, report::listing(&program));
            ExitCode::SUCCESS
        }
    }
}

/// What the threads share.
struct Run {
    next: AtomicU64,
    end: u64,
    until: Option<Instant>,
    done: AtomicU64,
    stop: AtomicBool,
    failure: Mutex<Option<(Program, Failure)>>,
}

impl Soak {
    fn run(&self) -> ExitCode {
        let start = Instant::now();
        let run = Run {
            next: AtomicU64::new(self.seed),
            end: self.count.map_or(u64::MAX, |count| self.seed.saturating_add(count)),
            until: self.seconds.map(|seconds| start + Duration::from_secs(seconds)),
            done: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(|| run.work())).collect();
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
        match run.failure.into_inner().expect("no worker holds it") {
            None => ExitCode::SUCCESS,
            Some((program, failure)) => {
                eprintln!("seed {} fails, shrinking...", program.seed);
                println!("{}", report::describe(&Lab::new(), &program, &failure));
                ExitCode::FAILURE
            }
        }
    }
}

impl Run {
    fn work(&self) {
        let lab = Lab::new();
        while !self.stop.load(Ordering::Relaxed) && self.until.is_none_or(|until| Instant::now() < until) {
            let seed = self.next.fetch_add(1, Ordering::Relaxed);
            if seed >= self.end {
                return;
            }
            let program = generate(seed);
            if let Err(failure) = lab.check(&program) {
                self.stop.store(true, Ordering::Relaxed);
                let mut noted = self.failure.lock().expect("nobody panics while holding it");
                if noted.as_ref().is_none_or(|(other, _)| seed < other.seed) {
                    *noted = Some((program, failure));
                }
                return;
            }
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn tell(&self, start: Instant) {
        let (done, seconds) = (self.done.load(Ordering::Relaxed), start.elapsed().as_secs_f64());
        eprintln!("{done} programs in {seconds:.0} s, {:.0} a second", done as f64 / seconds);
    }
}
