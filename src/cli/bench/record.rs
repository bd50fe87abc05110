//! Defines the document of measurements: `--format json` prints it, `--save` writes it, `--compare` reads it, and every
//! table is made from it. `docs/bench.md` explains each figure.

use std::fs;
use std::time::Duration;

use brolga::bench::{Samples, Series, Statistics, Work};
use brolga::{CodeFigures, CompileStage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Checked;
use crate::cli::summary::{check_json, milliseconds, verdict};

/// All measurements of a command.
#[derive(Serialize, Deserialize)]
pub(super) struct Figures {
    pub passed: bool,
    pub interrupted: bool,
    pub machine: Machine,
    #[serde(alias = "jobs")]
    pub documents: Vec<DocumentRecord>,
}

/// The machine of the measurements.
#[derive(Serialize, Deserialize)]
pub(super) struct Machine {
    /// The version of the program.
    pub brolga: String,
    pub processor: Option<String>,
    /// The number of threads that run at once.
    pub processors: usize,
    pub system: String,
    /// The times of the reference work, which is always the same, between the dispatches.
    pub reference: Times,
    /// The fraction of the runnable time of the program's threads that they waited for a processor, from 0 to 1.
    pub waited: Option<f64>,
}

/// One document, or one case of the suite.
#[derive(Serialize, Deserialize)]
pub(super) struct DocumentRecord {
    /// The name on the command line.
    #[serde(alias = "job")]
    pub document: String,
    /// The name in the document.
    pub name: String,
    pub results: Vec<ResultRecord>,
    pub error: Option<Value>,
}

/// A shader on an engine and a number of threads.
#[derive(Serialize, Deserialize)]
pub(super) struct ResultRecord {
    pub shader: String,
    pub engine: String,
    pub verdict: String,
    pub device_threads: usize,
    pub workers: usize,
    pub groups: u64,
    pub threads: u64,
    #[serde(default)]
    pub expectations: Vec<Value>,
    pub code: Option<CodeRecord>,
    pub compile: Compile,
    pub run: Times,
    pub ns_per_thread: Option<f64>,
    pub cpu_ns_per_thread: Option<f64>,
    pub threads_per_second: Option<f64>,
    pub work: Option<WorkRecord>,
    pub bytes_per_second: Option<f64>,
    pub operations_per_second: Option<f64>,
    /// The speed relative to one thread in the same run; for several threads only if more than one takes part.
    pub speedup: Option<f64>,
    /// The same, divided by the number of threads.
    pub scaling: Option<f64>,
    /// The work of a frame, for draws. Threads are pixels then.
    #[serde(default)]
    pub frame: Option<FrameRecord>,
    #[serde(default)]
    pub compared: Vec<Compared>,
}

/// A comparison of a result with an earlier one.
#[derive(Serialize, Deserialize)]
pub(super) struct Compared {
    /// The file, or the runtime in its lines.
    pub with: String,
    /// The speed of the machine now relative to then, by the reference work.
    pub machine: Option<f64>,
    pub run: Change,
    pub compile: Option<Change>,
}

/// A time then and now.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Change {
    /// The times that are compared.
    pub what: Figure,
    pub before_ms: f64,
    pub now_ms: f64,
    /// `before / now`: above 1 it is faster now.
    pub ratio: f64,
    pub verdict: Verdict,
}

/// The statistic that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Figure {
    /// Medians of processor times.
    CpuMedian,
    /// Medians of wall times.
    WallMedian,
    /// The shortest processor times, if others are unknown.
    CpuLeast,
    /// The shortest wall times.
    WallLeast,
}

/// The significance of a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verdict {
    Faster,
    Slower,
    /// The difference is no larger than the variation of either.
    Same,
    /// Other programs used too much of the processors, then or now, for wall times to be meaningful.
    Busy,
    /// Then or now more was measured in turns with it, which changes the content of its caches.
    #[serde(rename = "other list")]
    OtherList,
    /// One of them is of another runtime, or its variation is unknown.
    Unsaid,
}

/// The work of a frame.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct FrameRecord {
    /// Pixels that were shaded.
    pub pixels: u64,
    /// Pixels that passed all tests.
    pub samples: u64,
    pub primitives: u64,
    /// Parts of the first frame: compiling and planning. Records of older versions do not have them.
    #[serde(default)]
    pub compile_ms: f64,
    #[serde(default)]
    pub plan_ms: f64,
}

/// Figures about machine code.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct CodeRecord {
    pub bytes: usize,
    pub instructions: u32,
    pub frame_bytes: u32,
    pub vector_bytes: u32,
    pub is_refused: bool,
    pub spills: u32,
    pub reloads: u32,
}

/// Times of compiling.
#[derive(Serialize, Deserialize)]
pub(super) struct Compile {
    pub first_ms: f64,
    #[serde(flatten)]
    pub times: Times,
    pub stages: Vec<StageTime>,
}

/// The median of a stage.
#[derive(Serialize, Deserialize)]
pub(super) struct StageTime {
    pub stage: String,
    pub median_ms: f64,
}

/// The statistics of repeated measurements.
#[derive(Serialize, Deserialize)]
pub(super) struct Times {
    pub samples: usize,
    pub wall: Option<Statistics>,
    pub cpu: Option<Statistics>,
}

/// The work of a dispatch.
#[derive(Serialize, Deserialize)]
pub(super) struct WorkRecord {
    pub items: u64,
    pub item: String,
    pub bytes: Option<u64>,
    pub operations: Option<u64>,
}

/// The fraction of waiting above which wall times depend on other programs too.
const BUSY: f64 = 0.05;

impl Machine {
    /// This machine, since `account` was begun.
    pub fn here(reference: &Samples, account: &Account) -> Self {
        Self {
            brolga: env!("CARGO_PKG_VERSION").to_owned(),
            processor: processor(),
            processors: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            reference: Times::new(reference),
            waited: account.waited(),
        }
    }

    /// `true` if other programs used so much of the processors that wall times are unreliable.
    pub fn was_busy(&self) -> bool {
        self.waited.is_some_and(|waited| waited > BUSY)
    }
}

impl DocumentRecord {
    /// The results of a document.
    pub fn new(document: String, name: String, mut results: Vec<ResultRecord>, error: Option<Value>) -> Self {
        for at in 0..results.len() {
            if results[at].workers < results[at].device_threads.min(2) {
                // One worker does everything, however many threads there are.
                continue;
            }
            let one = results.iter().find(|one| one.device_threads == 1 && one.is_same_code(&results[at]));
            let speedup = one.and_then(|one| Some(one.run.wall?.median_ms / results[at].run.wall?.median_ms));
            results[at].speedup = speedup;
            results[at].scaling = speedup.map(|speedup| speedup / results[at].device_threads as f64);
        }
        Self { document, name, results, error }
    }
}

impl ResultRecord {
    /// The record of a variant of a document, or of a drawing.
    pub fn new(checked: &Checked<'_>) -> Self {
        let series = &checked.series;
        let (compile, run, work) = (Compile::new(series), Times::new(series.runs()), checked.work);
        let device_threads = series.device().pool().threads();
        let did = series.statistics();
        let pixels = did.pixel_invocations.max(did.samples);
        let frame = series.report().is_none().then(|| FrameRecord {
            pixels,
            samples: did.samples,
            primitives: did.primitives,
            compile_ms: milliseconds(series.first_compile().wall),
            plan_ms: milliseconds(series.plan_time()),
        });
        let (groups, threads, workers) = match series.report() {
            Some(report) => (report.groups, report.threads, report.workers),
            None => (0, pixels, device_threads),
        };
        let each =
            |times: Option<Statistics>| Some(times?.median_ms * 1e6 / threads as f64).filter(|ns| ns.is_finite());
        let rate = |count: Option<u64>| Some(count? as f64 * 1e3 / run.wall?.median_ms).filter(|rate| rate.is_finite());
        let outcome = checked.outcome.as_ref();
        Self {
            shader: checked.shader_name(),
            engine: series.engine().to_string(),
            verdict: outcome.map_or("done", |outcome| verdict(outcome.passed(), outcome)).to_owned(),
            device_threads,
            workers,
            groups,
            threads,
            expectations: outcome.iter().flat_map(|outcome| outcome.checks.iter().map(check_json)).collect(),
            code: checked.code.map(CodeRecord::from),
            ns_per_thread: each(run.wall),
            cpu_ns_per_thread: each(run.cpu),
            threads_per_second: rate(Some(threads)),
            bytes_per_second: rate(work.and_then(|work| work.bytes)),
            operations_per_second: rate(work.and_then(|work| work.operations)),
            work: work.map(WorkRecord::from),
            compile,
            run,
            speedup: None,
            scaling: None,
            frame,
            compared: Vec::new(),
        }
    }

    /// `true` if both are of the same shader, engine and threads aside.
    pub fn is_same_shader(&self, other: &Self) -> bool {
        self.shader == other.shader
    }

    /// `true` if both run the same code.
    pub fn is_same_code(&self, other: &Self) -> bool {
        self.is_same_shader(other) && self.engine == other.engine
    }
}

impl Compile {
    fn new(series: &Series<'_>) -> Self {
        let stage = |stage: CompileStage| {
            let median_ms = series.stage(stage)?.median_ms;
            Some(StageTime { stage: stage.name().to_owned(), median_ms })
        };
        // For draws the first frame, which includes the rest of compiling.
        let first = if series.report().is_some() { series.first_compile() } else { series.first() };
        Self {
            first_ms: milliseconds(first.cpu.unwrap_or(first.wall)),
            times: Times::new(series.compiles()),
            stages: CompileStage::ALL.into_iter().filter_map(stage).collect(),
        }
    }
}

impl Times {
    pub fn new(samples: &Samples) -> Self {
        Self { samples: samples.len(), wall: samples.wall(), cpu: samples.cpu() }
    }

    /// Statistics of work on one thread: of processor times, which other programs disturb less, if the system provides
    /// them.
    pub fn of_one_thread(&self) -> Option<Statistics> {
        self.cpu.or(self.wall)
    }
}

impl From<CodeFigures> for CodeRecord {
    fn from(code: CodeFigures) -> Self {
        let CodeFigures { bytes, instructions, frame_bytes, vector_bytes, is_refused, spills, reloads, .. } = code;
        Self { bytes, instructions, frame_bytes, vector_bytes, is_refused, spills, reloads }
    }
}

impl From<Work> for WorkRecord {
    fn from(Work { items, item, bytes, operations }: Work) -> Self {
        Self { items, item: item.to_owned(), bytes, operations }
    }
}

/// A time of a document, for people.
pub(super) fn time(ms: f64) -> String {
    crate::cli::summary::time(Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default())
}

/// The processor's name, if the system has it in a file.
fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The time that threads of this program have run and waited so far, if the system provides it.
pub(super) struct Account(Option<[u64; 2]>);

impl Account {
    /// Starts an account.
    pub fn begin() -> Self {
        Self(ran_and_waited())
    }

    fn waited(&self) -> Option<f64> {
        let [ran, waited] = ran_and_waited()?;
        let [ran_before, waited_before] = self.0?;
        let (ran, waited) = (ran.saturating_sub(ran_before), waited.saturating_sub(waited_before));
        (ran > 0).then(|| waited as f64 / (ran + waited) as f64)
    }
}

/// Nanoseconds of all threads together.
fn ran_and_waited() -> Option<[u64; 2]> {
    let mut sum = [0, 0];
    for task in fs::read_dir("/proc/self/task").ok()? {
        let Ok(text) = fs::read_to_string(task.ok()?.path().join("schedstat")) else { continue };
        let mut numbers = text.split_whitespace().map_while(|number| number.parse::<u64>().ok());
        sum = [sum[0] + numbers.next()?, sum[1] + numbers.next()?];
    }
    Some(sum)
}
