//! Reads the files of `--compare`: documents of `--save`, and lines of JSON of any runtime's harness.

use std::collections::BTreeSet;
use std::path::Path;

use brolga::bench::Statistics;

use super::peers::PeerLine;
use super::record::{Figures, ResultRecord, Times};
use crate::cli::stream;

/// Earlier figures of one program or runtime.
pub(super) struct Baseline {
    /// Its name: the file, or the runtime if a file has several.
    pub name: String,
    /// The processor of the measurements, if known.
    pub processor: Option<String>,
    /// The time of the reference work, which is always the same, if known.
    pub reference: Option<Statistics>,
    /// Set if other programs are known to have disturbed it.
    pub busy: bool,
    pub rows: Vec<OldRow>,
}

impl Baseline {
    /// `true` if a baseline has figures of the same things, and of no others. Other runtimes are not checked.
    pub fn has_list_of(&self, figures: &Figures) -> bool {
        let mut before: Vec<_> =
            self.rows.iter().map(|row| (row.document.clone(), row.code.clone(), row.threads)).collect();
        let mut now = Vec::new();
        for document in &figures.documents {
            for record in document.results.iter().filter(|record| record.run.samples > 0) {
                let code = Some((record.shader.clone(), record.engine.clone()));
                now.push((document.name.clone(), code, record.device_threads));
            }
        }
        before.sort_unstable();
        now.sort_unstable();
        self.rows.iter().all(|row| row.code.is_none()) || before == now
    }

    /// The figures for the subject of a result.
    pub fn row_of(&self, document: &str, record: &ResultRecord) -> Option<&OldRow> {
        let is_same = |code: &(String, String)| code.0 == record.shader && code.1 == record.engine;
        self.rows.iter().find(|row| {
            row.document == document
                && row.threads == record.device_threads
                && row.work.is_none_or(|threads| threads == record.threads)
                && row.code.as_ref().is_none_or(is_same)
        })
    }
}

/// The figures of one document or case.
pub(super) struct OldRow {
    pub document: String,
    /// The shader's file and the engine. Another runtime has neither, and is compared with all.
    pub code: Option<(String, String)>,
    pub threads: usize,
    /// Threads of the shader in one dispatch, if known: more or fewer are other work.
    work: Option<u64>,
    pub run: OldTimes,
    pub compile: OldTimes,
}

/// Measured times.
#[derive(Clone, Copy, Default)]
pub(super) struct OldTimes {
    pub wall: Option<Old>,
    pub cpu: Option<Old>,
}

/// The statistics of many times, or the shortest alone.
#[derive(Clone, Copy)]
pub(super) enum Old {
    All(Statistics),
    LeastMs(f64),
}

impl From<&Times> for OldTimes {
    fn from(times: &Times) -> Self {
        Self { wall: times.wall.map(Old::All), cpu: times.cpu.map(Old::All) }
    }
}

/// Reads a file, or returns a message about what is wrong with it.
pub(super) fn read(path: &Path) -> Result<Vec<Baseline>, String> {
    let name = path.display();
    let bytes = stream::load(path)?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not text"))?;
    let first = text.lines().find(|line| !line.trim().is_empty()).ok_or_else(|| format!("{name} is empty"))?;
    let is_line = serde_json::from_str::<serde_json::Value>(first).is_ok_and(|line| line.get("k").is_some());
    let baselines = match is_line {
        true => of_lines(&text).map_err(|(line, error)| format!("{name}: line {line}: {error}"))?,
        false => vec![of_document(path, &text).map_err(|error| format!("{name}: {error}"))?],
    };
    let mut rows = baselines.iter().flat_map(|baseline| &baseline.rows).peekable();
    if rows.peek().is_none() {
        return Err(format!("{name} has no figures"));
    }
    match rows.find(|row| !row.is_possible()) {
        Some(row) => Err(format!("{name}: a time of {} is not above 0", row.document)),
        None => Ok(baselines),
    }
}

fn of_document(path: &Path, text: &str) -> Result<Baseline, serde_json::Error> {
    let figures: Figures = serde_json::from_str(text)?;
    let mut rows = Vec::new();
    for document in figures.documents {
        for record in document.results.into_iter().filter(|record| record.run.samples > 0) {
            rows.push(OldRow {
                document: document.name.clone(),
                run: (&record.run).into(),
                compile: (&record.compile.times).into(),
                threads: record.device_threads,
                work: Some(record.threads),
                code: Some((record.shader, record.engine)),
            });
        }
    }
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let (reference, busy) = (figures.machine.reference.of_one_thread(), figures.machine.was_busy());
    Ok(Baseline { name, processor: figures.machine.processor, reference, busy, rows })
}

/// The shortest times of all rounds, for each runtime in the lines.
fn of_lines(text: &str) -> Result<Vec<Baseline>, (usize, serde_json::Error)> {
    let mut lines: Vec<PeerLine> = Vec::new();
    for (at, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let error = |error| (at + 1, error);
        let value: serde_json::Value = serde_json::from_str(text).map_err(error)?;
        // Cases that a runtime could not run, or got wrong, have no figures.
        if value.get("skip").is_some() || value.get("ok").and_then(serde_json::Value::as_f64) == Some(0.0) {
            continue;
        }
        lines.push(serde_json::from_value(value).map_err(error)?);
    }
    let mut seen = BTreeSet::new();
    let runtimes: Vec<&str> =
        lines.iter().map(|line| line.runtime.as_str()).filter(|&runtime| seen.insert(runtime)).collect();
    let baseline = |&runtime: &&str| {
        let mut rows: Vec<OldRow> = Vec::new();
        for line in lines.iter().filter(|line| line.runtime == runtime) {
            let found = rows.iter_mut().find(|row| row.document == line.k);
            let new = OldRow::of_line(line);
            match found {
                Some(row) => row.keep_least(&new),
                None => rows.push(new),
            }
        }
        Baseline { name: runtime.to_owned(), processor: None, reference: None, busy: false, rows }
    };
    Ok(runtimes.iter().map(baseline).collect())
}

impl OldRow {
    /// `true` if all its times are above 0.
    fn is_possible(&self) -> bool {
        let times = [self.run.wall, self.run.cpu, self.compile.wall, self.compile.cpu];
        times.into_iter().flatten().all(|time| match time {
            Old::All(summary) => summary.least_ms > 0.0 && summary.median_ms > 0.0,
            Old::LeastMs(ms) => ms > 0.0,
        })
    }

    fn of_line(line: &PeerLine) -> Self {
        let least = |ms: f64| Some(Old::LeastMs(ms));
        Self {
            document: line.k.clone(),
            code: None,
            threads: threads(&line.runtime),
            work: None,
            run: OldTimes { wall: least(line.wall), cpu: line.cpu.and_then(least) },
            compile: OldTimes { wall: None, cpu: line.compile_min.and_then(least) },
        }
    }

    fn keep_least(&mut self, other: &Self) {
        let least = |one: Option<Old>, other: Option<Old>| match (one, other) {
            (Some(one), Some(other)) => Some(Old::LeastMs(one.least_ms().min(other.least_ms()))),
            (one, other) => one.or(other),
        };
        for (mine, others) in [(&mut self.run, &other.run), (&mut self.compile, &other.compile)] {
            *mine = OldTimes { wall: least(mine.wall, others.wall), cpu: least(mine.cpu, others.cpu) };
        }
    }
}

impl Old {
    pub fn least_ms(self) -> f64 {
        match self {
            Old::All(times) => times.least_ms,
            Old::LeastMs(ms) => ms,
        }
    }
}

/// The number of threads in a runtime's name: 2 in `lvp_2`, 1 in `lvp_1_gls` and in `lvp`.
fn threads(runtime: &str) -> usize {
    let numbers = runtime.split('_').skip(1).filter_map(|part| part.parse().ok());
    numbers.filter(|&threads| threads > 0).last().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runtimes_tell_threads() {
        for (name, count) in
            [("lvp", 1), ("lvp_1_gls", 1), ("lvp_2", 2), ("lvp_0", 1), ("c_v128_2", 2), ("lvp128_1", 1)]
        {
            assert_eq!(threads(name), count, "{name}");
        }
    }

    #[test]
    fn the_least_of_all_rounds_counts_and_wrong_results_do_not() {
        let text = r#"
            {"k":"a","impl":"x_1","wall":3.0,"cpu":2.5,"ok":1,"compile_min":7.0}
            {"k":"a","impl":"y","wall":1.0,"cpu":1.0,"ok":1}
            {"k":"a","impl":"x_1","wall":2.0,"cpu":2.6,"ok":1,"compile_min":8.0}
            {"k":"b","impl":"x_1","wall":0.1,"cpu":0.1,"ok":0}
            {"k":"c","impl":"x_1","skip":"error 1"}"#;
        let found = of_lines(text).unwrap();
        assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["x_1", "y"]);
        let [row] = &found[0].rows[..] else { panic!("only `a` has figures") };
        let least = |old: Option<Old>| old.map(Old::least_ms);
        assert_eq!(
            (least(row.run.wall), least(row.run.cpu), least(row.compile.cpu)),
            (Some(2.0), Some(2.5), Some(7.0))
        );
        let (line, _) = of_lines("{\"k\":\"a\",\"impl\":\"x\",\"wall\":1}\n{\"k\":\"a\"}").err().unwrap();
        assert_eq!(line, 2);
    }
}
