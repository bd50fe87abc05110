//! Measures frames of a rasterizer's extremes (`bench/suite/src/draws.rs`), on one thread and on two.
//!
//! `cargo bench --bench raster` measures all of them, `-- small` those of that name. `-- --frames small 1` draws frames
//! of one of them for a second, on so many threads, and prints the time of the fastest, and that of the first with all
//! compilation: the lines that `scripts/raster_peers.py` compares.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use brolga::bench::{Sample, Stopwatch};
use brolga::{Device, Engine};
use brolga_suite::{DRAWINGS, Drawing};
use criterion::Criterion;

fn drawing(name: &str, threads: usize) -> Drawing {
    let device = Device::builder().threads(threads).build().expect("a few threads");
    Drawing::new(name, &device, Engine::best()).expect("there is one of this name").expect("there is memory")
}

/// Draws frames of one drawing, and prints the least times of one in milliseconds.
fn frames(name: &str, threads: usize) {
    const TIME: Duration = Duration::from_secs(1);
    let all = Instant::now();
    let frame = drawing(name, threads);
    let watch = Stopwatch::start();
    black_box(frame.draw()).expect("it draws");
    let first = watch.stop();
    let (mut least, mut count) = ([f64::INFINITY; 2], 0);
    let milliseconds =
        |sample: Sample| [sample.cpu.unwrap_or(sample.wall), sample.wall].map(|time| time.as_secs_f64() * 1e3);
    while count < 3 || all.elapsed() < TIME {
        let watch = Stopwatch::start();
        black_box(frame.draw()).expect("it draws");
        let times = milliseconds(watch.stop());
        least = [0, 1].map(|n| least[n].min(times[n]));
        count += 1;
    }
    let [cpu, wall] = least;
    let first = milliseconds(frame.compiling())[0] + milliseconds(first)[0];
    println!("{name} on {threads}: {cpu:.3} ms cpu  {wall:.3} ms wall  first {first:.2} ms, {count} frames");
}

fn benchmarks() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("raster");
    group.sample_size(10);
    for name in DRAWINGS {
        for threads in [1, 2] {
            let frame = drawing(name, threads);
            let name = if threads == 1 { name.to_owned() } else { format!("{name}, two threads") };
            group.bench_function(name, |b| b.iter(|| black_box(frame.draw())));
        }
    }
    group.finish();
    criterion.final_summary();
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let ["--frames", name, threads] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] else {
        benchmarks();
        return ExitCode::SUCCESS;
    };
    match threads.parse() {
        Ok(threads) if DRAWINGS.contains(&name) => {
            frames(name, threads);
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("error: {name} on {threads}: expected a number of threads, and one of {DRAWINGS:?}");
            ExitCode::FAILURE
        }
    }
}
