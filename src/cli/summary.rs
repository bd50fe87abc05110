//! Prints the results of runs on stdout: a line for each run as it ends, or one JSON document at the end.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use brolga::document::{
    CheckResult, Checked, CounterResult, Difference, LevelCheck, Number, NumberCheck, Outcome, Pixel, QueryValue,
};
use serde_json::{Value, json};

use super::check::findings_json;
use super::report::harmless;
use super::style::Style;
use super::{Ending, pixel};

/// A document on one engine, with one variant of its shaders.
pub(super) struct RunLine<'a> {
    pub name: &'a str,
    /// The only shader.
    pub shader: Option<&'a Path>,
    pub outcome: &'a Outcome,
    /// A resource in which the engines disagreed.
    pub disagreement: Option<&'a str>,
}

impl RunLine<'_> {
    /// `true` if everything is as expected.
    pub fn passed(&self) -> bool {
        self.disagreement.is_none() && self.outcome.passed()
    }

    fn verdict(&self) -> &'static str {
        verdict(self.passed(), self.outcome)
    }

    /// The time of the run; for a single dispatch its own time.
    fn run_time(&self) -> Duration {
        self.outcome.report.map_or(self.outcome.run_time, |report| report.elapsed.saturating_sub(report.compile))
    }

    fn threads_per_second(&self) -> Option<f64> {
        Some(self.outcome.report?.threads as f64 / self.run_time().as_secs_f64().max(1e-9))
    }

    /// The rate for the line. For a run shorter than this it would show the time to start it, and for one with fewer
    /// threads in a second the time of each of them, since no such run is limited by their number.
    fn rate(&self) -> String {
        match self.threads_per_second() {
            Some(threads) if self.run_time() >= Duration::from_millis(1) && threads >= 1e3 => {
                format!("  {}", rate(threads, "thread"))
            }
            _ => String::new(),
        }
    }

    /// Writes the line, and below it the results of expectations that are worth showing.
    pub fn write_text(&self, out: &mut impl Write, style: Style) -> io::Result<()> {
        let Outcome { engine, compile_time, plan_time, checks, counters, .. } = self.outcome;
        let verdict = match self.passed() {
            true => style.good(self.verdict()),
            false => style.bad("FAIL"),
        };
        write!(out, "{verdict}  {}", harmless(self.name).replace('\n', " "))?;
        if let Some(shader) = self.shader {
            write!(out, "  {}", harmless(&shader.to_string_lossy()))?;
        }
        let compile = if self.outcome.is_cached { "cached" } else { "compile" };
        write!(out, "  {engine}  {compile} {}", time(*compile_time))?;
        if self.outcome.report.is_none() {
            write!(out, "  plan {}", time(*plan_time))?;
        }
        writeln!(out, "  run {}{}", time(self.run_time()), self.rate())?;
        let is_told =
            |counter: &CounterResult| checks.iter().any(|check| check.counter.is_some() && check.id == counter.name);
        for counter in counters.iter().filter(|counter| !is_told(counter)) {
            write_counter(out, counter)?;
        }
        checks.iter().try_for_each(|check| write_check(out, check))?;
        match self.disagreement {
            Some(name) => writeln!(out, "      {}: the engines give different bits", harmless(name)),
            None => Ok(()),
        }
    }

    /// The run as JSON.
    pub fn json(&self) -> Value {
        let report = self.outcome.report;
        json!({
            "shader": self.shader.map(|shader| shader.to_string_lossy()),
            "engine": self.outcome.engine.to_string(),
            "verdict": self.verdict(),
            "compile_ms": milliseconds(self.outcome.compile_time),
            "cached": self.outcome.is_cached,
            "plan_ms": milliseconds(self.outcome.plan_time),
            "run_ms": milliseconds(self.run_time()),
            "groups": report.map(|report| report.groups),
            "threads": report.map(|report| report.threads),
            "threads_per_second": self.threads_per_second(),
            "workers": report.map(|report| report.workers),
            "counters": self.outcome.counters.iter().map(counter_json).collect::<Vec<_>>(),
            "expectations": self.outcome.checks.iter().map(check_json).collect::<Vec<_>>(),
            "pixel": self.outcome.pixel.iter().map(pixel::json).collect::<Vec<_>>(),
            "engines_disagree_in": self.disagreement,
        })
    }
}

/// The result of a run, which depends on the presence of expectations.
pub(super) fn verdict(passed: bool, outcome: &Outcome) -> &'static str {
    match (passed, outcome.checks.is_empty()) {
        (false, _) => "fail",
        (true, false) => "pass",
        (true, true) => "done",
    }
}

/// The exit codes of a command's documents.
#[derive(Default)]
pub(super) struct Tally {
    fine: u32,
    failed: u32,
    errors: u32,
}

impl Tally {
    pub fn count(&mut self, ending: Ending) {
        match ending {
            Ending::Fine => self.fine += 1,
            Ending::Mismatch => self.failed += 1,
            Ending::BadInput | Ending::Stopped => self.errors += 1,
        }
    }

    pub fn write(&self, out: &mut impl Write, style: Style, took: Duration) -> io::Result<()> {
        let fine = format!("{} passed", self.fine);
        let fine = if self.failed + self.errors == 0 { style.good(&fine) } else { fine };
        let bad = |count: u32, what: &str| {
            let text = format!("{count} {what}");
            if count == 0 { text } else { style.bad(&text) }
        };
        let (failed, errors) = (bad(self.failed, "failed"), bad(self.errors, "could not run"));
        writeln!(out, "{fine}, {failed}, {errors}  {}", time(took))
    }
}

fn write_counter(out: &mut impl Write, counter: &CounterResult) -> io::Result<()> {
    let CounterResult { name, value, elements, .. } = counter;
    let room =
        if u64::from(*value) > *elements { format!(", and there are {elements} elements") } else { String::new() };
    writeln!(out, "      {}: the hidden counter is {value}{room}", harmless(name))
}

fn counter_json(counter: &CounterResult) -> Value {
    json!({ "resource": counter.name, "value": counter.value, "elements": counter.elements })
}

/// Reports that an output was written.
pub(super) fn write_output(out: &mut impl Write, path: &Path) -> io::Result<()> {
    writeln!(out, "      wrote {}", harmless(&path.to_string_lossy()))
}

/// Prints the result of an expectation: all of it if it does not hold, else figures of pictures and queries.
fn write_check(out: &mut impl Write, check: &Checked) -> io::Result<()> {
    let id = harmless(&check.id);
    match (&check.result, check.holds()) {
        (CheckResult::Numbers(_) | CheckResult::Clean(_), Some(true)) => return Ok(()),
        (_, Some(true)) => writeln!(out, "      {id}: holds: {check}")?,
        (_, None) => writeln!(out, "      {id}: not checked: {check}")?,
        (_, Some(false)) => writeln!(out, "      {id}: {check}")?,
    }
    if check.holds() != Some(false) {
        return Ok(());
    }
    match &check.result {
        CheckResult::Numbers(NumberCheck { first, mismatches, .. }) => {
            for difference in first {
                writeln!(out, "        {}", describe(difference))?;
            }
            match mismatches - first.len() as u64 {
                0 => Ok(()),
                more => writeln!(out, "        and {more} more"),
            }
        }
        CheckResult::Pictures(levels) => {
            for LevelCheck { mip, layer, check, .. } in levels.iter().filter(|level| !level.check.holds()) {
                let Some(Pixel { at: [x, y], found, expected, .. }) = &check.first else { continue };
                let level = if levels.len() > 1 { format!(" of level {mip}, layer {layer}") } else { String::new() };
                writeln!(out, "        texel ({x}, {y}){level}: {}", channels(found, expected))?;
            }
            Ok(())
        }
        CheckResult::Clean(runs) => {
            let findings = runs.iter().flat_map(|run| &run.checked.findings);
            for finding in findings {
                harmless(&finding.to_string()).lines().try_for_each(|line| writeln!(out, "        {line}"))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The channels of a texel that are not as expected.
fn channels(found: &[f64], expected: &[f64]) -> String {
    let names = ["red", "green", "blue", "alpha"];
    let pairs = found.iter().zip(expected).zip(names);
    let wrong = pairs.filter(|((found, expected), _)| found != expected && !(found.is_nan() && expected.is_nan()));
    let wrong = wrong.map(|((found, expected), name)| format!("{name} is {found}, expected {expected}"));
    wrong.collect::<Vec<_>>().join("; ")
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

/// The result of an expectation, as JSON.
pub(super) fn check_json(check: &Checked) -> Value {
    let mut document = json!({ "id": check.id, "holds": check.holds(), "summary": check.to_string() });
    match &check.result {
        CheckResult::Numbers(NumberCheck { compared, mismatches, first, .. }) => {
            let number = |number: Option<Number>| number.map(|number| number.to_string());
            let differences = first.iter().map(|difference| {
                json!({
                    "element": difference.element,
                    "word": difference.word,
                    "byte": difference.byte,
                    "got": number(difference.got),
                    "expected": number(difference.expected),
                })
            });
            document["compared"] = (*compared).into();
            document["mismatches"] = (*mismatches).into();
            document["differences"] = differences.collect();
        }
        CheckResult::Pictures(levels) => {
            let level = |LevelCheck { mip, layer, check, .. }: &LevelCheck| {
                let first = check
                    .first
                    .as_ref()
                    .map(|pixel| json!({ "at": pixel.at, "found": pixel.found, "expected": pixel.expected }));
                json!({
                    "mip": mip,
                    "layer": layer,
                    "pixels": check.pixels,
                    "different": check.different,
                    "edge": check.edge,
                    "wrong": check.wrong,
                    "first": first,
                })
            };
            document["levels"] = levels.iter().map(level).collect();
        }
        CheckResult::Query(values) => {
            let value = |value: &QueryValue| json!({ "found": value.found, "expected": value.expected });
            document["values"] = values.iter().map(|found| (found.name.clone(), value(found))).collect();
        }
        CheckResult::Clean(runs) => document["findings"] = runs.iter().flat_map(findings_json).collect(),
        _ => {}
    }
    if let Some(counter) = check.counter {
        document["counter"] = json!({ "got": counter.got, "expected": counter.expected });
    }
    document
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

/// A rate per second, for people.
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
