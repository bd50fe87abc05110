//! Plots of bars, of boxes alone: their text keeps its size however narrow the window is.

use std::fmt::{self, Write};

use super::{COLOURS, text};
use crate::cli::bench::compare::ratio;
use crate::cli::bench::record::time;

/// Bars with a common name.
pub(super) struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

/// A value of a series.
pub(super) struct Bar {
    series: usize,
    value: f64,
}

impl Bar {
    pub fn of(series: usize, value: f64) -> Self {
        Self { series, value }
    }

    fn colour(&self) -> usize {
        self.series % COLOURS
    }
}

/// A part of a stacked bar.
pub(super) struct Part {
    pub colour: usize,
    pub name: String,
    pub ms: f64,
}

/// Names beside their colours.
pub(super) fn legend<'a>(
    out: &mut String,
    colours: char,
    names: impl Iterator<Item = (usize, &'a str)>,
) -> fmt::Result {
    write!(out, "<ul class=\"legend\">")?;
    for (colour, name) in names {
        write!(out, "<li><i class=\"{colours}{}\"></i>{}</li>", colour % COLOURS, text(name))?;
    }
    writeln!(out, "</ul>")
}

/// A scale of powers of ten.
struct Decades {
    low: i32,
    high: i32,
}

impl Decades {
    /// One that all values are inside of.
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let low = values.clone().fold(f64::MAX, f64::min).max(1e-9).log10().floor();
        let high = values.fold(0.0, f64::max).clamp(1e-9, 1e12).log10().ceil();
        Self { low: low as i32, high: (high as i32).max(low as i32 + 1) }
    }

    /// Where a value is, in percent.
    fn place(&self, value: f64) -> f64 {
        let along = value.max(1e-9).log10() - f64::from(self.low);
        (100.0 * along / f64::from(self.high - self.low)).clamp(0.0, 100.0)
    }

    /// Its lines, with their places.
    fn lines(&self) -> Vec<(f64, f64)> {
        (self.low..=self.high).map(|power| 10f64.powi(power)).map(|value| (value, self.place(value))).collect()
    }
}

/// Times in milliseconds, from the left of a logarithmic scale.
pub(super) fn logarithmic(out: &mut String, groups: &[Group]) -> fmt::Result {
    let scale = Decades::of(groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.value)));
    let lines = scale.lines();
    begin(out, "chart")?;
    for group in groups {
        begin_row(out, &group.name, &lines, None)?;
        for bar in &group.bars {
            let (place, value) = (scale.place(bar.value), time(bar.value));
            write!(
                out,
                "<div class=\"bar\"><i class=\"f{}\" style=\"width:{place:.2}%\"></i>\
                 <span style=\"left:{place:.2}%\">{value}</span></div>",
                bar.colour()
            )?;
        }
        end_row(out)?;
    }
    axis(out, lines.iter().map(|&(value, place)| (short_time(value), place)))?;
    end(out)
}

/// Ratios on both sides of 1, on a logarithmic scale.
pub(super) fn ratios(out: &mut String, groups: &[Group]) -> fmt::Result {
    let values = groups.iter().flat_map(|group| group.bars.iter().map(|bar| bar.value));
    // 1 is always there.
    let scale = Decades::of(values.chain([0.99, 1.01]));
    let (lines, one) = (scale.lines(), scale.place(1.0));
    begin(out, "chart")?;
    for group in groups {
        begin_row(out, &group.name, &lines, Some(one))?;
        for bar in &group.bars {
            let place = scale.place(bar.value);
            let (left, width) = (place.min(one), (place - one).abs());
            let class = if bar.value < 1.0 { "bad" } else { "" };
            write!(
                out,
                "<div class=\"bar both\"><i class=\"f{}\" style=\"left:{left:.2}%;width:{width:.2}%\"></i>\
                 <span class=\"{class}\" style=\"left:{:.2}%\">{}</span></div>",
                bar.colour(),
                place.max(one),
                ratio(bar.value)
            )?;
        }
        end_row(out)?;
    }
    axis(out, lines.iter().map(|&(value, place)| (format!("{value}"), place)))?;
    end(out)
}

/// Bars of parts, on a scale from 0.
pub(super) fn stacked(out: &mut String, groups: &[(String, Vec<Part>)]) -> fmt::Result {
    let total = |parts: &[Part]| parts.iter().map(|part| part.ms).sum::<f64>();
    let most = groups.iter().map(|(_, parts)| total(parts)).fold(0.0, f64::max).max(1e-6);
    let step = round_step(most / 5.0);
    let lines: Vec<(f64, f64)> = (0..=5)
        .map(|n| f64::from(n) * step)
        .filter(|value| *value <= most)
        .map(|value| (value, 100.0 * value / most))
        .collect();
    begin(out, "chart thick")?;
    for (name, parts) in groups {
        begin_row(out, name, &lines, None)?;
        write!(out, "<div class=\"bar parts\">")?;
        for Part { colour, name, ms } in parts {
            let (width, value) = (100.0 * ms / most, time(*ms));
            write!(
                out,
                "<i class=\"t{}\" style=\"width:{width:.2}%\" title=\"{}: {value}\"></i>",
                colour % COLOURS,
                text(name)
            )?;
        }
        let total = total(parts);
        write!(out, "<span style=\"left:{:.2}%\">{}</span></div>", 100.0 * total / most, time(total))?;
        end_row(out)?;
    }
    axis(out, lines.iter().map(|&(value, place)| (short_time(value), place)))?;
    end(out)
}

/// The next of 1, 2, 5, 10, … that is no less.
fn round_step(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= value).unwrap_or(10.0 * power)
}

/// A time without digits that say nothing, from milliseconds.
fn short_time(ms: f64) -> String {
    let (value, unit) = match ms {
        ms if ms >= 1e3 => (ms / 1e3, "s"),
        ms if ms >= 1.0 || ms == 0.0 => (ms, "ms"),
        ms if ms >= 1e-3 => (ms * 1e3, "µs"),
        ms => (ms * 1e6, "ns"),
    };
    // Powers of ten are not exact on the way here.
    format!("{} {unit}", (value * 1e3).round() / 1e3)
}

fn begin(out: &mut String, class: &str) -> fmt::Result {
    writeln!(out, "<div class=\"{class}\">")
}

fn begin_row(out: &mut String, name: &str, lines: &[(f64, f64)], one: Option<f64>) -> fmt::Result {
    write!(out, "<div class=\"row\"><div class=\"name\">{}</div><div class=\"track\">", text(name))?;
    for (_, place) in &lines[1..] {
        let class = if Some(*place) == one { " class=\"one\"" } else { "" };
        write!(out, "<u{class} style=\"left:{place:.2}%\"></u>")?;
    }
    Ok(())
}

fn end_row(out: &mut String) -> fmt::Result {
    writeln!(out, "</div></div>")
}

fn axis(out: &mut String, labels: impl Iterator<Item = (String, f64)>) -> fmt::Result {
    write!(out, "<div class=\"row axis\"><div class=\"name\"></div><div class=\"track\">")?;
    for (label, place) in labels {
        write!(out, "<span style=\"left:{place:.2}%\">{label}</span>")?;
    }
    end_row(out)
}

fn end(out: &mut String) -> fmt::Result {
    writeln!(out, "</div>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_hold_all_values_between_round_numbers() {
        let scale = Decades::of([0.002, 35.0].into_iter());
        assert_eq!((scale.low, scale.high), (-3, 2));
        assert_eq!([0.001, 1.0, 100.0, 1e9].map(|value| scale.place(value)), [0.0, 60.0, 100.0, 100.0]);
        // One value alone, and none.
        assert_eq!(Decades::of([10.0].into_iter()).high, 2);
        assert!(Decades::of([].into_iter()).lines().len() >= 2);
        assert_eq!([0.3, 0.2, 7.0].map(round_step), [0.5, 0.2, 10.0]);
        assert_eq!([0.0, 0.1, 10.0, 2e3, 1e-4].map(short_time), ["0 ms", "100 µs", "10 ms", "2 s", "100 ns"]);
    }
}
