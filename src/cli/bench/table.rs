//! Formats the tables: times of dispatches, times and results of compiling, times of frames.

use std::io::{self, Write};

use super::record::{CodeRecord, DocumentRecord, Figures, ResultRecord, time};
use crate::cli::report::harmless;
use crate::cli::sheet::Sheet;
use crate::cli::style::Style;
use crate::cli::summary::rate;

/// A row is about one result of a document.
#[derive(Clone, Copy)]
pub(super) struct TableRow<'a> {
    pub document: &'a DocumentRecord,
    pub record: &'a ResultRecord,
}

/// A column: its heading, a flag for numbers, and a row's cell.
type TableColumn = (&'static str, bool, fn(&TableRow<'_>) -> String);

const DOCUMENT: TableColumn = ("document", false, |row| harmless(&row.document.name));
/// Present only if a document has several.
const SHADER: TableColumn = ("shader", false, |row| harmless(&row.record.shader));
const ENGINE: TableColumn = ("engine", false, |row| row.record.engine.clone());

const RUNS: [TableColumn; 8] = [
    ("threads", true, |row| row.record.device_threads.to_string()),
    ("workers", true, |row| row.record.workers.to_string()),
    ("run", true, |row| cell(row.record.run.wall, |times| time(times.median_ms))),
    ("least", true, |row| cell(row.record.run.wall, |times| time(times.least_ms))),
    ("spread", true, |row| cell(row.record.run.wall, |times| format!("{:.1} %", times.spread * 100.0))),
    ("cpu", true, |row| cell(row.record.run.cpu, |times| time(times.median_ms))),
    ("ns/thread", true, |row| cell(row.record.ns_per_thread, |ns| format!("{ns:.3}"))),
    ("rate", true, |row| throughput(row.record)),
];
/// Present only if something ran on several threads.
const SCALING: TableColumn = ("scaling", true, |row| {
    let scaling = row.record.scaling.filter(|_| row.record.workers > 1);
    cell(scaling, |scaling| format!("{:.0} %", scaling * 100.0))
});

const FRAMES: [TableColumn; 8] = [
    ("threads", true, |row| row.record.device_threads.to_string()),
    ("frame", true, |row| cell(row.record.run.wall, |times| time(times.median_ms))),
    ("least", true, |row| cell(row.record.run.wall, |times| time(times.least_ms))),
    ("spread", true, |row| cell(row.record.run.wall, |times| format!("{:.1} %", times.spread * 100.0))),
    ("cpu", true, |row| cell(row.record.run.cpu, |times| time(times.median_ms))),
    ("pixels", true, |row| row.record.threads.to_string()),
    ("rate", true, |row| cell(row.record.threads_per_second, |pixels| rate(pixels, "pixel"))),
    ("first", true, |row| time(row.record.compile.first_ms)),
];

const CODE: [TableColumn; 6] = [
    ("compile", true, |row| cell(row.record.compile.times.of_one_thread(), |times| time(times.median_ms))),
    ("code", true, |row| cell(row.record.code, |code| format!("{} B", code.bytes))),
    ("frame", true, |row| cell(row.record.code, |code| format!("{} B", code.frame_bytes))),
    ("vectors", true, |row| cell(row.record.code, vectors)),
    ("spills", true, |row| cell(row.record.code, |code| code.spills.to_string())),
    ("reloads", true, |row| cell(row.record.code, |code| code.reloads.to_string())),
];

/// The size of vectors, marked if larger ones were rejected.
fn vectors(code: CodeRecord) -> String {
    format!("{} B{}", code.vector_bytes, if code.is_refused { ", refused" } else { "" })
}

/// Writes the tables of the measurements; nothing if there are none.
pub(super) fn write(out: &mut impl Write, figures: &Figures, style: Style) -> io::Result<()> {
    let (frames, rows): (Vec<_>, Vec<_>) = rows(figures).into_iter().partition(|row| row.record.frame.is_some());
    if !rows.is_empty() {
        runs(&rows).write(out, style)?;
        writeln!(out)?;
        stages(&rows).write(out, style)?;
    }
    if !frames.is_empty() {
        if !rows.is_empty() {
            writeln!(out)?;
        }
        sheet(&[&[DOCUMENT, ENGINE], &FRAMES[..]].concat(), &frames).write(out, style)?;
    }
    Ok(())
}

fn sheet<'a>(columns: &[TableColumn], rows: &[TableRow<'_>]) -> Sheet<'a> {
    Sheet { headings: headings(columns), cells: rows.iter().map(|row| cells(columns, row)).collect() }
}

/// The times of dispatches.
fn runs<'a>(rows: &[TableRow<'_>]) -> Sheet<'a> {
    let mut columns = [&names(rows), &RUNS[..]].concat();
    if rows.iter().any(|row| row.record.device_threads > 1) {
        columns.push(SCALING);
    }
    sheet(&columns, rows)
}

/// The times of compiling, with a column for each stage, and figures about its result.
fn stages<'a>(rows: &[TableRow<'a>]) -> Sheet<'a> {
    let rows = compiled(rows);
    let names = names(&rows);
    let stages = rows.first().map_or(&[][..], |row| &row.record.compile.stages);
    let stages = stages.iter().map(|stage| (stage.stage.as_str(), true)).collect();
    let line = |row: &TableRow<'_>| {
        // The interpreter has no code to generate.
        let stage = |ms: f64| cell(Some(ms).filter(|ms| *ms > 0.0), time);
        let stages = row.record.compile.stages.iter().map(|found| stage(found.median_ms)).collect();
        [cells(&names, row), stages, cells(&CODE, row)].concat()
    };
    Sheet { headings: [headings(&names), stages, headings(&CODE)].concat(), cells: rows.iter().map(line).collect() }
}

/// The columns that name a row.
fn names(rows: &[TableRow<'_>]) -> Vec<TableColumn> {
    let several = rows.iter().any(|row| !row.record.is_same_shader(&row.document.results[0]));
    if several { vec![DOCUMENT, SHADER, ENGINE] } else { vec![DOCUMENT, ENGINE] }
}

fn headings<'a>(columns: &[TableColumn]) -> Vec<(&'a str, bool)> {
    columns.iter().map(|&(name, number, _)| (name, number)).collect()
}

fn cells(columns: &[TableColumn], row: &TableRow<'_>) -> Vec<String> {
    columns.iter().map(|(_, _, cell)| cell(row)).collect()
}

/// Everything that was measured.
pub(super) fn rows(figures: &Figures) -> Vec<TableRow<'_>> {
    let of_document = |document| move |record| TableRow { document, record };
    let all = figures.documents.iter().flat_map(|document| document.results.iter().map(of_document(document)));
    all.filter(|row| row.record.run.samples > 0).collect()
}

/// The first row for each that was compiled.
fn compiled<'a>(rows: &[TableRow<'a>]) -> Vec<TableRow<'a>> {
    let is_first = |at: usize| {
        let same = |row: &TableRow<'_>| {
            std::ptr::eq(row.document, rows[at].document) && row.record.is_same_code(rows[at].record)
        };
        !rows[..at].iter().any(same)
    };
    (0..rows.len()).filter(|&at| is_first(at)).map(|at| rows[at]).collect()
}

/// The throughput per second: bytes or operations if known, else threads of the shader.
fn throughput(record: &ResultRecord) -> String {
    let ResultRecord { bytes_per_second, operations_per_second, threads_per_second, .. } = record;
    match (bytes_per_second, operations_per_second, threads_per_second) {
        (Some(bytes), ..) => rate(*bytes, "B"),
        (_, Some(operations), _) => rate(*operations, "op"),
        (_, _, Some(threads)) => rate(*threads, "thread"),
        _ => "-".to_owned(),
    }
}

/// A cell, which is a dash if there is no value.
pub(super) fn cell<T>(value: Option<T>, text: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}
