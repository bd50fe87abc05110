//! What a measurement prints on stdout: a row for each series, or an object in the JSON document. `docs/bench.md` says what
//! each figure is.

use std::io::{self, Write};

use brolga::bench::{Samples, Statistics};
use serde_json::{Value, json};

use super::bench::Checked;
use super::report::harmless;
use super::style::Style;
use super::summary::{comparison_json, milliseconds, rate, time};

/// A column: its heading, whether it holds numbers, and a row's cell.
type Column = (&'static str, bool, fn(&Checked<'_>) -> String);

/// Only there if a job has several.
const SHADER: Column = ("shader", false, |checked| harmless(&checked.shader_name()));
const COLUMNS: [Column; 10] = [
    ("job", false, |checked| harmless(&checked.series.job().name)),
    ("engine", false, |checked| checked.series.engine().to_string()),
    ("workers", true, |checked| checked.series.report().workers.to_string()),
    ("compile", true, |checked| median(checked.series.compiles().wall())),
    ("run", true, |checked| median(checked.series.runs().wall())),
    ("least", true, |checked| cell(checked.series.runs().wall().map(|times| times.least), time)),
    ("spread", true, |checked| percent(checked.series.runs().wall())),
    ("cpu", true, |checked| median(checked.series.runs().cpu())),
    ("ns/thread", true, |checked| cell(ns_per_thread(checked, checked.series.runs().wall()), |ns| format!("{ns:.3}"))),
    ("threads/s", true, |checked| cell(threads_per_second(checked), rate)),
];

/// Writes the table of what was measured; nothing if that is nothing.
pub(super) fn write_table(out: &mut impl Write, all: &[Checked<'_>], style: Style) -> io::Result<()> {
    let measured: Vec<&Checked<'_>> = all.iter().filter(|checked| !checked.series.runs().is_empty()).collect();
    if measured.is_empty() {
        return Ok(());
    }
    let mut columns = COLUMNS.to_vec();
    if measured.iter().any(|checked| checked.series.job().shaders.len() > 1) {
        columns.insert(1, SHADER);
    }
    let cells = measured.iter().map(|checked| columns.iter().map(|(_, _, cell)| cell(checked)).collect());
    let cells: Vec<Vec<String>> = cells.collect();
    let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths = columns.iter().enumerate().map(|(at, (heading, ..))| heading.len().max(width(at)));
    let widths: Vec<usize> = widths.collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).zip(&columns).map(|((cell, &width), (_, number, _))| match number {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    writeln!(out, "{}", style.dim(&line(columns.iter().map(|(heading, ..)| *heading).collect())))?;
    cells.iter().try_for_each(|row| writeln!(out, "{}", line(row.iter().map(String::as_str).collect())))
}

/// A measured series as JSON.
pub(super) fn json(checked: &Checked<'_>) -> Value {
    let (series, report) = (&checked.series, checked.series.report());
    json!({
        "shader": checked.shader_name(),
        "engine": series.engine().to_string(),
        "verdict": checked.verdict(),
        "device_threads": series.device().pool().threads(),
        "workers": report.workers,
        "groups": report.groups,
        "threads": report.threads,
        "slots": checked.comparisons.iter().map(comparison_json).collect::<Vec<_>>(),
        "compile": samples_json(series.compiles()),
        "run": samples_json(series.runs()),
        "ns_per_thread": ns_per_thread(checked, series.runs().wall()),
        "cpu_ns_per_thread": ns_per_thread(checked, series.runs().cpu()),
        "threads_per_second": threads_per_second(checked),
    })
}

fn samples_json(samples: &Samples) -> Value {
    json!({
        "samples": samples.len(),
        "wall": samples.wall().map(statistics_json),
        "cpu": samples.cpu().map(statistics_json),
    })
}

fn statistics_json(times: Statistics) -> Value {
    json!({
        "least_ms": milliseconds(times.least),
        "median_ms": milliseconds(times.median),
        "spread": times.spread,
    })
}

/// Nanoseconds of the median for each thread of the shader, unless there is none.
fn ns_per_thread(checked: &Checked<'_>, times: Option<Statistics>) -> Option<f64> {
    let threads = checked.series.report().threads;
    times.filter(|_| threads > 0).map(|times| times.median.as_secs_f64() * 1e9 / threads as f64)
}

/// Threads of the shader in a second at the median.
fn threads_per_second(checked: &Checked<'_>) -> Option<f64> {
    let seconds = checked.series.runs().wall()?.median.as_secs_f64();
    (seconds > 0.0).then(|| checked.series.report().threads as f64 / seconds)
}

fn median(times: Option<Statistics>) -> String {
    cell(times.map(|times| times.median), time)
}

fn percent(times: Option<Statistics>) -> String {
    cell(times, |times| format!("{:.1} %", times.spread * 100.0))
}

/// A cell, which is a dash where there is no value.
fn cell<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}
