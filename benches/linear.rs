//! Measures whether compile time grows in proportion to the shader: each shape of `tests/support/src/shapes.rs` at
//! several sizes.
//!
//! `cargo bench --bench linear` prints, for each shape and size, milliseconds of processor time for 1,000 instructions
//! of bytecode, stage by stage, and the size of the machine code; then the ratio of the largest size to the smallest.
//! Arguments choose shapes by parts of their names, and sizes by numbers. Every figure is the best of several runs.

use std::time::Duration;

use brolga::bench::Stopwatch;
use brolga_bytecode::{LoadOptions, Shader};
use brolga_ir::passes::{Level, optimise};
use brolga_ir::translate::sm5::{TranslateOptions, translate};
use brolga_ir::verify::verify;
use brolga_testing::shapes::{SHAPES, Shape};

/// Approximate numbers of instructions.
const SIZES: [usize; 3] = [1_000, 5_000, 20_000];
const STAGES: [&str; 6] = ["read", "translate", "passes", "verify", "lower", "codegen"];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let (sizes, wanted): (Vec<String>, _) = wanted.into_iter().partition(|arg| arg.parse::<usize>().is_ok());
    let sizes: Vec<usize> = sizes.iter().flat_map(|size| size.parse()).collect();
    let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
    let is_wanted = |shape: &&Shape| wanted.is_empty() || wanted.iter().any(|part| shape.name.contains(part));
    println!("ms of processor time for 1,000 instructions\n");
    print!("{:34} {:>6}", "shape", "insts");
    STAGES.iter().for_each(|stage| print!(" {stage:>9}"));
    println!(" {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}", "all", "ir", "clif", "code", "frame", "arena", "ratio");
    for shape in SHAPES.iter().filter(is_wanted) {
        let mut first = None;
        for &size in &sizes {
            let container = (shape.make)(size).container();
            let instructions = (shape.make)(size).instructions();
            // Small shaders more often: disturbances are larger beside them.
            let runs = (20_000 / instructions).clamp(3, 20);
            let mut best: Option<Run> = None;
            for _ in 0..runs {
                match compile(&container) {
                    Ok(run) if best.as_ref().is_none_or(|best| run.total < best.total) => best = Some(run),
                    Ok(_) => {}
                    Err(error) => {
                        println!("{:34} {instructions:>6} {error}", shape.name);
                        break;
                    }
                }
            }
            let Some(best) = best else { continue };
            let each = |time: Duration| time.as_secs_f64() * 1e6 / instructions as f64;
            let first = *first.get_or_insert(each(best.total));
            print!("{:34} {instructions:>6}", shape.name);
            best.stages.iter().for_each(|&stage| print!(" {:>9.3}", each(stage)));
            print!(" {:>9.3} {:>9} {:>9}", each(best.total), best.ir_insts, best.clif_insts);
            print!(" {:>9} {:>9} {:>9}", best.code_bytes, best.frame_bytes, best.arena_bytes);
            println!(" {:>6.2}", each(best.total) / first);
        }
    }
}

/// One compilation.
struct Run {
    stages: [Duration; STAGES.len()],
    total: Duration,
    ir_insts: usize,
    clif_insts: usize,
    code_bytes: usize,
    frame_bytes: u32,
    arena_bytes: usize,
}

fn compile(container: &[u8]) -> Result<Run, Box<dyn std::error::Error>> {
    let mut laps = Laps::start();
    let program = Shader::load(container, &LoadOptions::default())?.program;
    let read = laps.lap();
    let mut func = translate(&program, &TranslateOptions::default())?;
    let translate = laps.lap();
    optimise(&mut func, Level::Full);
    let passes = laps.lap();
    let func = verify(func)?;
    let verify = laps.lap();
    let options = brolga_jit::Options::host().ok_or("no code generator for this processor")?;
    let compiled = brolga_jit::compile(&func, &options)?;
    let both = laps.lap();
    let statistics = compiled.statistics();
    // The two stages of the code generator share processor time in proportion to elapsed time.
    let lower = statistics.lower_time.as_secs_f64();
    let lower = both.mul_f64(lower / (lower + statistics.codegen_time.as_secs_f64()));
    let stages = [read, translate, passes, verify, lower, both - lower];
    Ok(Run {
        stages,
        total: stages.iter().sum(),
        ir_insts: func.inst_count(),
        clif_insts: statistics.clif_insts,
        code_bytes: statistics.code_bytes,
        frame_bytes: statistics.frame_bytes,
        arena_bytes: compiled.arena_layout().size_bytes,
    })
}

/// The time of the stages that follow each other.
struct Laps {
    watch: Stopwatch,
}

impl Laps {
    fn start() -> Self {
        Self { watch: Stopwatch::start() }
    }

    /// Processor time since the last call; elapsed time where the system does not report it.
    fn lap(&mut self) -> Duration {
        let sample = std::mem::replace(&mut self.watch, Stopwatch::start()).stop();
        sample.cpu.unwrap_or(sample.wall)
    }
}
