//! Reads and writes lines of JSON in the form of the programs that measure other runtimes, so that a round of all of
//! them can be collected in one file.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::record::Figures;
use super::table::{TableRow, rows};

/// One line. Times are the shortest, in milliseconds of a dispatch or of compiling. From the lines of others, only the
/// compared fields are read.
#[derive(Serialize, Deserialize)]
pub(super) struct PeerLine {
    /// The case.
    pub k: String,
    /// The runtime, and its configuration.
    #[serde(rename = "impl")]
    pub runtime: String,
    pub wall: f64,
    /// Processor time; absent if the system does not provide it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<f64>,
    #[serde(skip_deserializing)]
    pub reps: usize,
    #[serde(skip_deserializing)]
    pub items: u64,
    /// 1 if the results are right.
    #[serde(skip_deserializing)]
    pub ok: u8,
    #[serde(skip_deserializing)]
    pub compile_first: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compile_min: Option<f64>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub code_bytes: Option<usize>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub vector_bytes: Option<u32>,
}

/// Writes a line for each result that was measured, and one without figures for each that is wrong.
pub(super) fn write(out: &mut impl Write, figures: &Figures, label: &str) -> io::Result<()> {
    let runtime = |row: &TableRow<'_>| match row.record.engine.as_str() {
        "jit" => format!("{label}_{}", row.record.device_threads),
        engine => format!("{label}_{engine}_{}", row.record.device_threads),
    };
    for document in &figures.documents {
        for record in document.results.iter().filter(|record| record.verdict == "fail") {
            let row = TableRow { document, record };
            let line =
                serde_json::json!({ "k": document.name, "impl": runtime(&row), "skip": "wrong results", "ok": 0 });
            writeln!(out, "{line}")?;
        }
    }
    for row in rows(figures) {
        let (run, compile) = (&row.record.run, &row.record.compile);
        let Some(wall) = run.wall else { continue };
        let line = PeerLine {
            k: row.document.name.clone(),
            runtime: runtime(&row),
            wall: wall.least_ms,
            cpu: run.cpu.map(|cpu| cpu.least_ms),
            reps: run.samples,
            items: row.record.work.as_ref().map_or(row.record.threads, |work| work.items),
            ok: 1,
            compile_first: compile.first_ms,
            compile_min: compile.times.of_one_thread().map(|times| times.least_ms),
            code_bytes: row.record.code.map(|code| code.bytes),
            vector_bytes: row.record.code.map(|code| code.vector_bytes),
        };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
    }
    Ok(())
}
