//! The report for a browser: one file that needs nothing else, no scripts and no network.
//!
//! | file | what |
//! |---|---|
//! | `bars.rs` | plots of bars |
//! | `curves.rs` | small plots of speed over threads |
//! | `style.css` | how it looks, in light and dark |

mod bars;
mod curves;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Write};

use super::baseline::{Baseline, Old};
use super::compare::{geometric_mean, ratio};
use super::record::{Document, time};
use super::table::{self, Row, Sheet};
use crate::cli::report::harmless;
use bars::{Bar, Group, Part};

/// Colours of the style sheet. What comes after them begins anew.
const COLOURS: usize = 8;

/// Writes the page of what was measured.
pub(super) fn page(document: &Document, baselines: &[Baseline]) -> String {
    let mut out = String::new();
    write_page(&mut out, document, baselines).expect("a string takes everything");
    out
}

fn write_page(out: &mut String, document: &Document, baselines: &[Baseline]) -> fmt::Result {
    let rows = table::rows(document);
    writeln!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <title>brolga bench</title>\n<style>\n{}</style>\n</head>\n<body>",
        include_str!("style.css")
    )?;
    write_head(out, document, &rows, baselines)?;
    if !rows.is_empty() {
        let names = write_times(out, &rows, baselines)?;
        write_ratios(out, &rows, names)?;
        write_stages(out, &rows)?;
        curves::write(out, &rows)?;
        write_sheets(out, document, baselines)?;
    }
    writeln!(out, "</body>\n</html>")
}

/// What was measured on what, and the figures that sum it up.
fn write_head(out: &mut String, document: &Document, rows: &[Row<'_>], baselines: &[Baseline]) -> fmt::Result {
    let machine = &document.machine;
    let processor = machine.processor.as_deref().unwrap_or("an unknown processor");
    writeln!(out, "<header>\n<h1>brolga bench</h1>")?;
    writeln!(
        out,
        "<p class=\"soft\">brolga {} on {}, {} threads, {}</p>",
        text(&machine.brolga),
        text(processor),
        machine.processors,
        text(&machine.system)
    )?;
    if machine.was_busy() {
        let share = machine.waited.unwrap_or_default() * 100.0;
        writeln!(
            out,
            "<p class=\"soft\">The machine was busy: threads waited for a processor {share:.0} % of their time, so that wall \
             times say little.</p>"
        )?;
    }
    let wrong: Vec<String> = document.jobs.iter().flat_map(faults).collect();
    if document.interrupted || !wrong.is_empty() {
        let interrupted = if document.interrupted { "<li>the measurement was interrupted</li>" } else { "" };
        writeln!(
            out,
            "<div class=\"wrong\"><b>Not all was measured</b><ul>{interrupted}{}</ul></div>",
            wrong.concat()
        )?;
    }
    writeln!(out, "<div class=\"tiles\">")?;
    let mut tile = |value: String, what: String| {
        writeln!(out, "<div class=\"tile\"><b>{}</b><span>{}</span></div>", text(&value), text(&what))
    };
    let compiled = table::compiled(rows);
    tile(compiled.len().to_string(), if compiled.len() == 1 { "shader" } else { "shaders" }.to_owned())?;
    let medians = compiled.iter().filter_map(|row| Some(row.record.compile.times.of_one_thread()?.median_ms));
    if let Some(mean) = geometric_mean(medians) {
        tile(time(mean), "to compile one, geometric mean".to_owned())?;
    }
    for baseline in baselines {
        let ratios = rows.iter().flat_map(|row| &row.record.compared).filter(|found| found.with == baseline.name);
        if let Some(mean) = geometric_mean(ratios.map(|found| found.run.ratio)) {
            tile(format!("{} ×", ratio(mean)), format!("as fast as {}", baseline.name))?;
        }
    }
    writeln!(out, "</div>\n</header>")
}

/// Why results of a job are missing.
fn faults(job: &super::record::JobRecord) -> Vec<String> {
    let error = job.error.as_ref().and_then(|error| error["message"].as_str());
    let wrong =
        job.results.iter().filter(|record| record.verdict == "fail").map(|record| {
            format!("{} ({}, {} threads): wrong results", job.name, record.engine, record.device_threads)
        });
    let texts = error.map(|error| format!("{}: {error}", job.name)).into_iter().chain(wrong);
    texts.map(|line| format!("<li>{}</li>", text(&line))).collect()
}

/// The names of everything that has bars, each with its colour at its place.
struct Names(Vec<String>);

impl Names {
    /// The place of a name, which is added if it is new.
    fn place(&mut self, runtime: &str, threads: usize) -> usize {
        let name = format!("{runtime}, {}", count(threads, "thread"));
        self.0.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.0.push(name);
            self.0.len() - 1
        })
    }
}

/// The least times, with those of the baselines. Gives the names.
fn write_times(out: &mut String, rows: &[Row<'_>], baselines: &[Baseline]) -> Result<Names, fmt::Error> {
    let mut names = Names(Vec::new());
    let mut groups: Vec<Group> = Vec::new();
    // What this program took comes first, so that its colours are the same in every report.
    let several = rows.iter().any(|row| row.record.engine != rows[0].record.engine);
    for row in rows {
        let threads = row.record.device_threads;
        let figures = [row.record.run.cpu.filter(|_| threads == 1), row.record.run.wall];
        if let Some(times) = figures.into_iter().flatten().next() {
            let engine = if several { row.record.engine.as_str() } else { "brolga" };
            group(&mut groups, row).bars.push(Bar::of(names.place(engine, threads), times.least_ms));
        }
    }
    for baseline in baselines {
        for row in rows {
            let threads = row.record.device_threads;
            let Some(old) = baseline.row_of(&row.job.name, row.record) else { continue };
            let figures = [old.run.cpu.filter(|_| threads == 1), old.run.wall];
            if let Some(old) = figures.into_iter().flatten().next() {
                let place = names.place(&baseline.name, threads);
                group(&mut groups, row).bars.push(Bar::of(place, Old::least_ms(old)));
            }
        }
    }
    heading(
        out,
        "Time of a dispatch",
        "The shortest of all, on a scale on which every step is ten times the last: processor time with one thread, \
         which other programs disturb less, and wall time with several.",
    )?;
    bars::legend(out, 'f', names.0.iter().map(String::as_str).enumerate())?;
    bars::logarithmic(out, &groups)?;
    Ok(names)
}

/// The bars of the shader that a row is about.
fn group<'a>(groups: &'a mut Vec<Group>, row: &Row<'_>) -> &'a mut Group {
    let name = shader_name(row);
    let at = groups.iter().position(|group| group.name == name).unwrap_or_else(|| {
        groups.push(Group { name, bars: Vec::new() });
        groups.len() - 1
    });
    &mut groups[at]
}

/// What to call a shader: the job, and its file where the job has several.
fn shader_name(row: &Row<'_>) -> String {
    let is_alone = row.job.results.iter().all(|record| record.is_same_shader(row.record));
    if is_alone { row.job.name.clone() } else { format!("{} {}", row.job.name, row.record.shader) }
}

/// How much faster it is than the baselines.
fn write_ratios(out: &mut String, rows: &[Row<'_>], mut names: Names) -> fmt::Result {
    let mut groups: Vec<Group> = Vec::new();
    let mut shown = BTreeSet::new();
    for row in rows {
        for found in &row.record.compared {
            let place = names.place(&found.with, row.record.device_threads);
            shown.insert(place);
            group(&mut groups, row).bars.push(Bar::of(place, found.run.ratio));
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    heading(
        out,
        "How many times as fast",
        "Their time by ours: bars to the right of 1 are where Brolga is faster now. The tables below say what of it is \
         more than noise, where that is known.",
    )?;
    bars::legend(out, 'f', shown.into_iter().map(|place| (place, names.0[place].as_str())))?;
    bars::ratios(out, &groups)
}

/// What compiling is made of.
fn write_stages(out: &mut String, rows: &[Row<'_>]) -> fmt::Result {
    let compiled = table::compiled(rows);
    let several = compiled.iter().any(|row| row.record.engine != compiled[0].record.engine);
    let group = |row: &Row<'_>| {
        let stages = &row.record.compile.stages;
        let parts = stages.iter().enumerate().map(|(at, stage)| Part {
            colour: at,
            name: stage.stage.clone(),
            ms: stage.median_ms,
        });
        let engine = if several { format!(", {}", row.record.engine) } else { String::new() };
        (format!("{}{engine}", shader_name(row)), parts.collect::<Vec<_>>())
    };
    let groups: Vec<(String, Vec<Part>)> = compiled.iter().map(group).collect();
    let stages = compiled[0].record.compile.stages.iter().map(|stage| stage.stage.as_str());
    heading(out, "Compiling", "From the shader's bytes to something that runs, by stage. Medians.")?;
    bars::legend(out, 't', stages.enumerate())?;
    bars::stacked(out, &groups)
}

/// All figures as tables.
fn write_sheets(out: &mut String, document: &Document, baselines: &[Baseline]) -> fmt::Result {
    heading(out, "Dispatches", "Medians of all samples; what each column is stands in docs/bench.md.")?;
    write_sheet(out, &table::runs(document))?;
    heading(out, "Shaders", "What compiling takes by stage, and what comes out.")?;
    write_sheet(out, &table::stages(document))?;
    for baseline in baselines {
        let sheet = super::compare::sheet(document, baseline);
        if !sheet.cells.is_empty() {
            let about = super::compare::about(document, baseline);
            heading(out, &format!("Beside {}", baseline.name), &about)?;
            write_sheet(out, &sheet)?;
        }
    }
    Ok(())
}

fn write_sheet(out: &mut String, sheet: &Sheet) -> fmt::Result {
    let class = |right: bool| if right { " class=\"n\"" } else { "" };
    write!(out, "<div class=\"wide\"><table>\n<tr>")?;
    for &(name, right) in &sheet.headings {
        write!(out, "<th{}>{}</th>", class(right), text(name))?;
    }
    writeln!(out, "</tr>")?;
    for row in &sheet.cells {
        write!(out, "<tr>")?;
        for (cell, &(_, right)) in row.iter().zip(&sheet.headings) {
            let verdict = match cell.as_str() {
                "faster" => " class=\"good\"",
                "slower" => " class=\"bad\"",
                _ => class(right),
            };
            write!(out, "<td{verdict}>{}</td>", text(cell))?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</table></div>")
}

fn heading(out: &mut String, name: &str, about: &str) -> fmt::Result {
    writeln!(out, "<h2>{}</h2>\n<p class=\"about\">{}</p>", text(name), text(about))
}

fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// Text for the page: names of files may hold anything.
fn text(text: &str) -> impl Display {
    harmless(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
