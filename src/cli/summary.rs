//! What a run prints on stdout: a line for each run as it ends, or one JSON document at the end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga::job::{Comparison, CounterResult, Difference, JobError};
use brolga::{Engine, Register, Report};
use serde_json::{Value, json};

use super::report::{self, harmless};
use super::style::Style;

/// One shader of one job on one engine.
pub(super) struct RunLine<'a> {
    pub job: &'a str,
    pub shader: &'a Path,
    pub engine: Engine,
    pub compile_time: Duration,
    /// Its code was not compiled, but read.
    pub is_cached: bool,
    pub report: Report,
    pub comparisons: &'a [Comparison],
    pub counters: &'a [CounterResult],
    /// A register in which the engines gave different bits.
    pub disagreement: Option<Register>,
}

impl RunLine<'_> {
    /// Whether everything is as expected.
    pub fn passed(&self) -> bool {
        self.disagreement.is_none() && self.comparisons.iter().all(Comparison::passed)
    }

    fn verdict(&self) -> &'static str {
        verdict(self.passed(), self.comparisons)
    }

    /// Without what the dispatch took to make code.
    fn run_time(&self) -> Duration {
        self.report.elapsed.saturating_sub(self.report.compile)
    }

    fn threads_per_second(&self) -> f64 {
        self.report.threads as f64 / self.run_time().as_secs_f64().max(1e-9)
    }

    /// The rate for the line. Of a run shorter than this it would say how long starting it took, and of one with fewer threads in a
    /// second how long each of them took, since no such run is limited by their number.
    fn rate(&self) -> String {
        match self.run_time() >= Duration::from_millis(1) && self.threads_per_second() >= 1e3 {
            true => format!("  {}", rate(self.threads_per_second(), "thread")),
            false => String::new(),
        }
    }

    /// Writes the line, and what is wrong below it.
    pub fn write_text(&self, out: &mut impl Write, style: Style) -> io::Result<()> {
        let verdict = match self.passed() {
            true => style.good(self.verdict()),
            false => style.bad("FAIL"),
        };
        writeln!(
            out,
            "{verdict}  {}  {}  {}  {} {}  run {}{}",
            harmless(self.job),
            harmless(&self.shader.to_string_lossy()),
            self.engine,
            if self.is_cached { "cached" } else { "compile" },
            time(self.compile_time),
            time(self.run_time()),
            self.rate(),
        )?;
        let is_told = |counter: &CounterResult| {
            self.comparisons.iter().any(|found| found.register == counter.register && found.counter.is_some())
        };
        for counter in self.counters.iter().filter(|counter| !is_told(counter)) {
            write_counter(out, counter)?;
        }
        for found in self.comparisons.iter().filter(|found| !found.passed()) {
            write_comparison(out, found)?;
        }
        match self.disagreement {
            Some(register) => writeln!(out, "      {register}: the engines give different bits"),
            None => Ok(()),
        }
    }

    /// The run as JSON.
    pub fn json(&self) -> Value {
        json!({
            "shader": self.shader.to_string_lossy(),
            "engine": self.engine.to_string(),
            "verdict": self.verdict(),
            "compile_ms": milliseconds(self.compile_time),
            "cached": self.is_cached,
            "run_ms": milliseconds(self.run_time()),
            "groups": self.report.groups,
            "threads": self.report.threads,
            "threads_per_second": self.threads_per_second(),
            "workers": self.report.workers,
            "counters": self.counters.iter().map(counter_json).collect::<Vec<_>>(),
            "slots": self.comparisons.iter().map(comparison_json).collect::<Vec<_>>(),
            "engines_disagree_in": self.disagreement.map(|register| register.to_string()),
        })
    }
}

/// What became of a run, and whether anything was expected of it.
pub(super) fn verdict(passed: bool, comparisons: &[Comparison]) -> &'static str {
    match (passed, comparisons.is_empty()) {
        (false, _) => "fail",
        (true, false) => "pass",
        (true, true) => "done",
    }
}

fn write_counter(out: &mut impl Write, counter: &CounterResult) -> io::Result<()> {
    let CounterResult { register, value, elements, .. } = counter;
    let room =
        if u64::from(*value) > *elements { format!(", and there are {elements} elements") } else { String::new() };
    writeln!(out, "      {register}: the hidden counter is {value}{room}")
}

fn counter_json(counter: &CounterResult) -> Value {
    json!({ "slot": counter.register.to_string(), "value": counter.value, "elements": counter.elements })
}

/// Says that an output was written.
pub(super) fn write_output(out: &mut impl Write, path: &Path) -> io::Result<()> {
    writeln!(out, "      wrote {}", harmless(&path.to_string_lossy()))
}

/// One job as JSON.
pub(super) fn job_json(
    path: &Path,
    runs: Vec<Value>,
    warnings: Vec<Value>,
    outputs: &[PathBuf],
    error: Option<&JobError>,
) -> Value {
    // A path need not be UTF-8, and JSON must be.
    let outputs: Vec<_> = outputs.iter().map(|path| path.to_string_lossy()).collect();
    json!({
        "job": path.to_string_lossy(),
        "runs": runs,
        "warnings": warnings,
        "outputs": outputs,
        "error": error.map(error_json),
    })
}

/// An error as JSON.
pub(super) fn error_json(error: &JobError) -> Value {
    let (line, column) = error.line_and_column();
    json!({
        "message": error.problem().to_string(),
        "path": error.path().to_string_lossy(),
        "line": line,
        "column": column,
        "help": report::help(error),
    })
}

fn write_comparison(out: &mut impl Write, found: &Comparison) -> io::Result<()> {
    let register = found.register;
    if let Some(counter) = found.counter {
        let got = counter.got.map_or("absent".into(), |got| got.to_string());
        writeln!(out, "      {register}: the hidden counter is {got}, expected {}", counter.expected)?;
    }
    if found.mismatches == 0 {
        return Ok(());
    }
    writeln!(out, "      {register}: {} of {} differ", found.mismatches, found.compared)?;
    for difference in &found.first {
        writeln!(out, "        {}", describe(difference))?;
    }
    match found.mismatches - found.first.len() as u64 {
        0 => Ok(()),
        more => writeln!(out, "        and {more} more"),
    }
}

fn describe(difference: &Difference) -> String {
    let Difference { element, word, byte, got, expected } = difference;
    match (got, expected) {
        (Some(got), Some(expected)) => {
            format!("element {element}, word {word} (byte {byte}): {got}, expected {expected}")
        }
        (Some(got), None) => format!("element {element} (byte {byte}): {got} is there and not expected"),
        (None, expected) => {
            let value = expected.map_or("an empty element".into(), |expected| expected.to_string());
            format!("{value}, expected element {element}, is missing")
        }
    }
}

/// What was compared of one view, as JSON.
pub(super) fn comparison_json(found: &Comparison) -> Value {
    let number = |number: Option<brolga::job::Number>| number.map(|number| number.to_string());
    let differences = found.first.iter().map(|difference| {
        json!({
            "element": difference.element,
            "word": difference.word,
            "byte": difference.byte,
            "got": number(difference.got),
            "expected": number(difference.expected),
        })
    });
    json!({
        "slot": found.register.to_string(),
        "compared": found.compared,
        "mismatches": found.mismatches,
        "differences": differences.collect::<Vec<_>>(),
        "counter": found.counter.map(|counter| json!({ "got": counter.got, "expected": counter.expected })),
    })
}

/// The unit of times in JSON.
pub(super) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A time for people.
pub(super) fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds if seconds >= 1e-3 => format!("{:.2} ms", seconds * 1e3),
        seconds => format!("{:.2} us", seconds * 1e6),
    }
}

/// So many of something in a second, for people.
pub(super) fn rate(rate: f64, of: &str) -> String {
    match rate {
        rate if rate >= 1e9 => format!("{:.2} G{of}/s", rate / 1e9),
        rate if rate >= 1e6 => format!("{:.2} M{of}/s", rate / 1e6),
        rate if rate >= 1e3 => format!("{:.2} k{of}/s", rate / 1e3),
        rate => format!("{rate:.0} {of}/s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_a_prefix_and_a_unit() {
        for (value, text) in [
            (17.0, "17 thread/s"),
            (2.5e3, "2.50 kthread/s"),
            (131_540_000.0, "131.54 Mthread/s"),
            (9e9, "9.00 Gthread/s"),
        ] {
            assert_eq!(rate(value, "thread"), text);
        }
    }
}
