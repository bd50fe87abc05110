//! Compares figures with earlier ones, and distinguishes changes from noise.

use std::fmt::Write as _;
use std::io::{self, Write};

use brolga::bench::Statistics;

use super::baseline::{Baseline, Old, OldTimes};
use super::record::{Change, Compared, Figure, Figures, Machine, ResultRecord, Times, Verdict, time};
use super::table::{TableRow, cell, rows};
use crate::cli::report::harmless;
use crate::cli::sheet::Sheet;
use crate::cli::style::Style;

/// A relative difference below this is no change, however significant: moving code in memory causes as much.
const NOTHING: f64 = 0.03;

/// The conditions of the machine, then and now.
#[derive(Clone, Copy)]
struct Conditions {
    /// The speed of the machine now, relative to its speed then.
    machine: Option<f64>,
    /// Set if it was busy at either time.
    busy: bool,
    /// Set if the same things were measured.
    has_same_list: bool,
}

impl Conditions {
    fn of(baseline: &Baseline, machine: &Machine, has_same_list: bool) -> Self {
        let busy = baseline.busy || machine.was_busy();
        let machine = || Some(baseline.reference?.median_ms / machine.reference.of_one_thread()?.median_ms);
        Self { machine: machine().filter(|ratio| ratio.is_normal()), busy, has_same_list }
    }
}

impl Change {
    /// Compares processor times if there is one thread, which other programs on the machine disturb less, else wall
    /// times.
    fn of(before: &OldTimes, now: &Times, threads: usize, conditions: Conditions) -> Option<Self> {
        let cpu = before.cpu.zip(now.cpu).filter(|_| threads == 1);
        let wall = || before.wall.zip(now.wall);
        let (figures, (before, now)) = match cpu {
            Some(pair) => ([Figure::CpuMedian, Figure::CpuLeast], pair),
            None => ([Figure::WallMedian, Figure::WallLeast], wall()?),
        };
        let (what, before_ms, now_ms, verdict) = match before {
            Old::All(before) => {
                let verdict = match (conditions.has_same_list, cpu.is_none() && conditions.busy) {
                    (false, _) => Verdict::OtherList,
                    (true, true) => Verdict::Busy,
                    (true, false) => Verdict::of(&before, &now, conditions.machine.unwrap_or(1.0)),
                };
                (figures[0], before.median_ms, now.median_ms, verdict)
            }
            Old::LeastMs(before) => (figures[1], before, now.least_ms, Verdict::Unsaid),
        };
        let ratio = before_ms / now_ms;
        ratio.is_finite().then_some(Self { what, before_ms, now_ms, ratio, verdict })
    }
}

impl Verdict {
    /// A difference is a change if the interquartile ranges do not overlap, and both medians and both minima agree
    /// about it; with the times as they are, and with those that a machine as fast as now would have taken before.
    fn of(before: &Statistics, now: &Statistics, machine: f64) -> Self {
        let is_above = |one: &Statistics, by: f64, other: &Statistics| {
            one.lower_ms * by > other.upper_ms
                && one.median_ms * by > other.median_ms * (1.0 + NOTHING)
                && one.least_ms * by > other.least_ms * (1.0 + NOTHING)
        };
        if [1.0, 1.0 / machine].into_iter().all(|by| is_above(before, by, now)) {
            Self::Faster
        } else if [1.0, machine].into_iter().all(|by| is_above(now, by, before)) {
            Self::Slower
        } else {
            Self::Same
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Busy => "busy",
            Self::OtherList => "other list",
            Self::Unsaid => "",
        }
    }
}

/// Adds the comparison with the baselines to every result.
pub(super) fn compare(figures: &mut Figures, baselines: &[Baseline]) {
    let conditions: Vec<_> = baselines
        .iter()
        .map(|baseline| Conditions::of(baseline, &figures.machine, baseline.has_list_of(figures)))
        .collect();
    for document in &mut figures.documents {
        for record in document.results.iter_mut().filter(|record| record.run.samples > 0) {
            let compare = |(baseline, conditions)| compared(&document.name, record, baseline, conditions);
            let found = baselines.iter().zip(conditions.iter().copied()).filter_map(compare);
            record.compared = found.collect();
        }
    }
}

fn compared(document: &str, record: &ResultRecord, baseline: &Baseline, conditions: Conditions) -> Option<Compared> {
    let row = baseline.row_of(document, record)?;
    let run = Change::of(&row.run, &record.run, record.device_threads, conditions)?;
    let compile = Change::of(&row.compile, &record.compile.times, 1, conditions);
    Some(Compared { with: baseline.name.clone(), machine: conditions.machine, run, compile })
}

/// A result and the earlier figures for it.
struct ComparedRow<'a> {
    row: TableRow<'a>,
    compared: &'a Compared,
}

/// A column: its heading, a flag for numbers, and a pair's cell.
type Column = (&'static str, bool, fn(&ComparedRow<'_>) -> String);

const COLUMNS: [Column; 11] = [
    ("document", false, |pair| harmless(&pair.row.document.name)),
    ("engine", false, |pair| pair.row.record.engine.clone()),
    ("threads", true, |pair| pair.row.record.device_threads.to_string()),
    ("before", true, |pair| time(pair.compared.run.before_ms)),
    ("now", true, |pair| time(pair.compared.run.now_ms)),
    ("ratio", true, |pair| ratio(pair.compared.run.ratio)),
    ("", false, |pair| pair.compared.run.verdict.name().to_owned()),
    ("compile before", true, |pair| cell(pair.compared.compile, |change| time(change.before_ms))),
    ("now", true, |pair| cell(pair.compared.compile, |change| time(change.now_ms))),
    ("ratio", true, |pair| cell(pair.compared.compile, |change| ratio(change.ratio))),
    ("", false, |pair| pair.compared.compile.map_or(String::new(), |change| change.verdict.name().to_owned())),
];

/// Writes a table for each baseline, with the geometric means of its ratios.
pub(super) fn write(out: &mut impl Write, figures: &Figures, baselines: &[Baseline], style: Style) -> io::Result<()> {
    for baseline in baselines {
        let pairs = pairs(figures, baseline);
        if pairs.is_empty() {
            continue;
        }
        writeln!(out, "\ncompared with {}: {}", harmless(&baseline.name), about(figures, baseline))?;
        let headings = COLUMNS.iter().map(|&(name, number, _)| (name, number)).collect();
        let cells = pairs.iter().map(|pair| COLUMNS.iter().map(|(_, _, cell)| cell(pair)).collect()).collect();
        Sheet { headings, cells }.write(out, style)?;
        let run = geometric_mean(pairs.iter().map(|pair| pair.compared.run.ratio));
        let compile = geometric_mean(pairs.iter().filter_map(|pair| Some(pair.compared.compile?.ratio)));
        let text = |mean: Option<f64>| cell(mean, ratio);
        writeln!(out, "geometric means of the ratios: run {}, compile {}", text(run), text(compile))?;
    }
    Ok(())
}

/// Remarks about the table for a baseline.
fn about(figures: &Figures, baseline: &Baseline) -> String {
    let mut text = "a ratio above 1 means that it is faster now".to_owned();
    let Conditions { machine, busy, has_same_list } =
        Conditions::of(baseline, &figures.machine, baseline.has_list_of(figures));
    if let Some(machine) = machine {
        write!(text, "; the machine itself has a ratio of {}", ratio(machine)).expect("a string takes everything");
    }
    if busy {
        text += "; it was busy with other programs, so that wall times say little";
    }
    if !has_same_list {
        text += "; it is of another list of documents, which are measured in turns and leave each other other caches, so that no ratio is a change";
    }
    let here = figures.machine.processor.as_deref();
    if let Some(other) = baseline.processor.as_deref().filter(|other| Some(*other) != here) {
        write!(text, "; measured on another processor, {}", harmless(other)).expect("a string takes everything");
    }
    text
}

fn pairs<'a>(figures: &'a Figures, baseline: &Baseline) -> Vec<ComparedRow<'a>> {
    let mut pairs = Vec::new();
    for row in rows(figures) {
        let found = row.record.compared.iter().filter(|compared| compared.with == baseline.name);
        pairs.extend(found.map(|compared| ComparedRow { row, compared }));
    }
    pairs
}

/// Baselines that nothing was compared with.
pub(super) fn unused<'a>(figures: &Figures, baselines: &'a [Baseline]) -> Vec<&'a str> {
    let names: Vec<&str> = rows(figures)
        .iter()
        .flat_map(|row| row.record.compared.iter().map(|compared| compared.with.as_str()))
        .collect();
    baselines.iter().map(|baseline| baseline.name.as_str()).filter(|name| !names.contains(name)).collect()
}

/// The geometric mean of positive numbers, if there are any.
fn geometric_mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = numbers.map(f64::ln).collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

/// A ratio with three digits.
fn ratio(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => format!("{ratio:.0}"),
        ratio if ratio >= 10.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALM: Conditions = Conditions { machine: None, busy: false, has_same_list: true };

    fn times(least_ms: f64, lower_ms: f64, median_ms: f64, upper_ms: f64) -> Statistics {
        Statistics { least_ms, lower_ms, median_ms, upper_ms, spread: (upper_ms - lower_ms) / median_ms }
    }

    #[test]
    fn only_what_is_sure_is_a_change() {
        let before = times(10.0, 10.2, 10.5, 11.0);
        let verdict = |now| Verdict::of(&before, &now, 1.0);
        assert_eq!(verdict(times(8.0, 8.1, 8.2, 8.5)), Verdict::Faster);
        assert_eq!(verdict(times(12.0, 12.1, 12.2, 12.5)), Verdict::Slower);
        assert_eq!(verdict(before), Verdict::Same);
        // The interquartile ranges overlap.
        assert_eq!(verdict(times(11.0, 10.9, 12.2, 14.0)), Verdict::Same);
        // A busy machine: the median moves and the shortest does not.
        assert_eq!(verdict(times(10.1, 12.0, 12.5, 13.0)), Verdict::Same);
        // Significant, but negligible.
        let steady = times(10.0, 10.0, 10.0, 10.0);
        assert_eq!(Verdict::of(&steady, &times(10.2, 10.2, 10.2, 10.2), 1.0), Verdict::Same);
    }

    #[test]
    fn a_slower_machine_makes_no_slower_shader() {
        let (before, now) = (times(10.0, 10.0, 10.0, 10.0), times(12.0, 12.0, 12.0, 12.0));
        let verdict = |machine| Verdict::of(&before, &now, machine);
        // 12 ms are 10 ms on a machine of 10 / 12 of the speed; on one of half the speed it would even be an
        // improvement, which the times as they are do not show.
        assert_eq!(
            [1.0, 0.95, 10.0 / 12.0, 0.5].map(verdict),
            [Verdict::Slower, Verdict::Slower, Verdict::Same, Verdict::Same]
        );
        assert_eq!(Verdict::of(&now, &before, 1.2), Verdict::Same);
        assert_eq!(Verdict::of(&now, &before, 1.1), Verdict::Faster);
    }

    #[test]
    fn one_thread_is_compared_by_processor_time() {
        let summary = times(1.0, 1.0, 2.0, 2.0);
        let now = Times { samples: 3, wall: Some(times(4.0, 4.0, 8.0, 8.0)), cpu: Some(summary) };
        let before = OldTimes { wall: Some(Old::LeastMs(2.0)), cpu: Some(Old::LeastMs(3.0)) };
        let change = |threads| Change::of(&before, &now, threads, CALM).unwrap();
        let one = change(1);
        assert_eq!((one.what, one.ratio, one.verdict), (Figure::CpuLeast, 3.0, Verdict::Unsaid));
        assert_eq!((change(2).what, change(2).ratio), (Figure::WallLeast, 0.5));
        let before = OldTimes { wall: None, cpu: Some(Old::All(summary)) };
        assert_eq!(
            Change::of(&before, &now, 1, CALM).map(|change| (change.what, change.ratio)),
            Some((Figure::CpuMedian, 1.0))
        );
        assert_eq!(Change::of(&before, &now, 2, CALM), None);
        // Other programs on the machine make wall times longer, not processor times.
        let busy = Conditions { busy: true, ..CALM };
        let before = OldTimes { wall: Some(Old::All(summary)), cpu: Some(Old::All(summary)) };
        let verdict = |threads| Change::of(&before, &now, threads, busy).map(|change| change.verdict);
        assert_eq!([1, 2].map(verdict), [Some(Verdict::Same), Some(Verdict::Busy)]);
        // Even a significant change is no improvement if other things were measured.
        let before = OldTimes { wall: None, cpu: Some(Old::All(times(9.0, 9.0, 9.0, 9.0))) };
        let verdict = |has_same_list| {
            Change::of(&before, &now, 1, Conditions { has_same_list, ..CALM }).map(|change| change.verdict)
        };
        assert_eq!([true, false].map(verdict), [Some(Verdict::Faster), Some(Verdict::OtherList)]);
    }

    #[test]
    fn means_of_ratios_are_geometric() {
        assert_eq!(geometric_mean([].into_iter()), None);
        let mean = geometric_mean([4.0, 1.0, 0.25].into_iter()).unwrap();
        assert!((mean - 1.0).abs() < 1e-12);
    }
}
