//! Small plots of how speed grows with threads, one for each shader.

use std::fmt::{self, Write};

use super::{heading, shader_name, text};
use crate::cli::bench::table::{Row, compiled};

/// The frame of a plot.
const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 84.0;
const LEFT: f64 = 18.0;
const BOTTOM: f64 = 14.0;
const TOP: f64 = 4.0;
const RIGHT: f64 = 6.0;

/// Writes the plots; nothing if everything ran with one number of threads.
pub(super) fn write(out: &mut String, rows: &[Row<'_>]) -> fmt::Result {
    let most = rows.iter().map(|row| row.record.device_threads).max().unwrap_or(1);
    if most == 1 || rows.iter().all(|row| row.record.speedup.is_none()) {
        return Ok(());
    }
    heading(
        out,
        "Scaling",
        "How many times as fast as with one thread, by medians of wall times. The dashed line is what would be had if every \
         thread did as much as one alone.",
    )?;
    writeln!(out, "<div class=\"small\">")?;
    let ours = compiled(rows);
    let engines = ours.iter().any(|row| row.record.engine != ours[0].record.engine);
    for first in &ours {
        let mut points: Vec<(usize, f64)> = rows
            .iter()
            .filter(|row| std::ptr::eq(row.job, first.job) && row.record.is_same_code(first.record))
            .filter_map(|row| Some((row.record.device_threads, row.record.speedup?)))
            .collect();
        points.sort_by_key(|point| point.0);
        let name =
            if engines { format!("{}, {}", shader_name(first), first.record.engine) } else { shader_name(first) };
        if let Some(&last) = points.last() {
            write_plot(out, &name, &points, last, most)?;
        }
    }
    writeln!(out, "</div>")
}

fn write_plot(out: &mut String, name: &str, points: &[(usize, f64)], last: (usize, f64), most: usize) -> fmt::Result {
    let top = points.iter().map(|point| point.1).fold(most as f64, f64::max);
    let x = |threads: usize| LEFT + (WIDTH - LEFT - RIGHT) * (threads - 1) as f64 / (most - 1) as f64;
    let y = |speedup: f64| HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * speedup / top;
    let (left, right, base) = (x(1), x(most), y(0.0));
    writeln!(
        out,
        "<figure><figcaption><span>{}</span><b>{:.2} ×</b></figcaption>\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{} times as fast with {} threads\">",
        text(name),
        last.1,
        text(&format!("{name}: {:.2}", last.1)),
        last.0
    )?;
    writeln!(out, "<path class=\"frame\" d=\"M{left} {TOP}V{base}H{right}\"/>")?;
    writeln!(out, "<path class=\"ideal\" d=\"M{left} {:.1}L{right} {:.1}\"/>", y(1.0), y(most as f64))?;
    let line: Vec<String> =
        points.iter().map(|&(threads, speedup)| format!("{:.1} {:.1}", x(threads), y(speedup))).collect();
    writeln!(out, "<path class=\"f0 thin\" d=\"M{}\"/>", line.join("L"))?;
    for &(threads, speedup) in points {
        writeln!(
            out,
            "<circle class=\"f0\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2\"><title>{threads} threads: {speedup:.2}</title></circle>",
            x(threads),
            y(speedup)
        )?;
    }
    let label = |out: &mut String, x: f64, y: f64, anchor: &str, label: &str| {
        writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{label}</text>")
    };
    label(out, left, HEIGHT - 4.0, "middle", "1")?;
    label(out, right, HEIGHT - 4.0, "middle", &most.to_string())?;
    label(out, LEFT - 6.0, y(1.0) + 3.0, "end", "1")?;
    label(out, LEFT - 6.0, y(most as f64) + 3.0, "end", &most.to_string())?;
    writeln!(out, "</svg></figure>")
}
