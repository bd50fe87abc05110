//! `--pixel` of `brolga run`: prints the effect of a document's steps on one pixel, as a table or as JSON.

use std::io::{self, Write};

use brolga::Format;
use brolga::document::{PixelStep, WatchedPixel};
use brolga::raster::{Counts, Emitted, Fate, Fragment, PixelHistory};
use serde_json::{Value, json};

use super::report::harmless;
use super::sheet::Sheet;
use super::style::Style;

/// Reads `X,Y` or `RESOURCE:X,Y`.
pub(super) fn parse(text: &str) -> Result<WatchedPixel, String> {
    let wrong = || format!("`{text}` is no pixel: expected its column and row, as `12,34` or `target:12,34`");
    let (resource, position) = match text.rsplit_once(':') {
        Some((name, position)) => (Some(name.to_owned()), position),
        None => (None, text),
    };
    let (x, y) = position.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse().map_err(|_| wrong());
    Ok(WatchedPixel { at: [number(x)?, number(y)?], resource })
}

const HEADINGS: [(&str, bool); 14] = [
    ("step", true),
    ("what", false),
    ("instance", true),
    ("primitive", true),
    ("points in the domain", false),
    ("emitted", true),
    ("sample", true),
    ("facing", false),
    ("depth", true),
    ("stored", true),
    ("outcome", false),
    ("texture", false),
    ("before", false),
    ("after", false),
];

/// The column of points in the domains of patches, which is there where patches are tessellated.
const DOMAIN: usize = 4;

/// The column of what a geometry shader emitted for a primitive, which is there where one did.
const EMITTED: usize = 5;

/// The column of samples, which is there where some targets have several.
const SAMPLE: usize = 6;

/// Writes a table with a line for each primitive that covers the pixel, or each sample of it that one does, or is kept
/// from it, and for each other step that changed it; then the outcome for all primitives of each draw.
pub(super) fn write(out: &mut impl Write, steps: &[PixelStep], style: Style) -> io::Result<()> {
    let (mut cells, mut sums) = (Vec::new(), Vec::new());
    for step in steps {
        let what =
            step.pipeline.as_ref().map_or(step.kind.to_owned(), |name| format!("{} {}", step.kind, harmless(name)));
        let head = [step.step.to_string(), what];
        match &step.history {
            None => texel_lines(&mut cells, head, std::array::from_fn(|_| String::new()), step, &step.texels),
            Some(PixelHistory { fragments, more, counts, .. }) => {
                sums.push(format!("step {}, {}: {}", head[0], head[1], sum(counts)));
                if fragments.is_empty() {
                    cells.push(line(head.clone(), own("not covered"), std::array::from_fn(|_| String::new())));
                }
                for fragment in fragments {
                    texel_lines(&mut cells, head.clone(), fragment_cells(fragment), step, &fragment.colors);
                }
                if *more > 0 {
                    let text = format!("and {more} more");
                    cells.push(line(head, own(&text), std::array::from_fn(|_| String::new())));
                }
            }
        }
    }
    let mut headings = HEADINGS.to_vec();
    let histories = || steps.iter().filter_map(|step| step.history.as_ref());
    let mut leave_out = |column: usize| {
        headings.remove(column);
        cells.iter_mut().for_each(|line| drop(line.remove(column)));
    };
    if histories().all(|history| history.samples <= 1) {
        leave_out(SAMPLE);
    }
    if histories().flat_map(|history| &history.fragments).all(|fragment| fragment.emitted.is_none()) {
        leave_out(EMITTED);
    }
    if histories().flat_map(|history| &history.fragments).all(|fragment| fragment.domain.is_empty()) {
        leave_out(DOMAIN);
    }
    Sheet { headings, cells }.write(out, style)?;
    sums.iter().try_for_each(|sum| writeln!(out, "{sum}"))
}

/// Cells of a primitive that has only an outcome.
fn own(outcome: &str) -> [String; 9] {
    let mut cells = std::array::from_fn(|_| String::new());
    cells[8] = outcome.to_owned();
    cells
}

fn fragment_cells(fragment: &Fragment) -> [String; 9] {
    let stencil = fragment.stored_stencil.map_or(String::new(), |stencil| format!(", stencil {stencil}"));
    [
        fragment.instance.to_string(),
        fragment.primitive.to_string(),
        fragment.domain.iter().map(place).collect::<Vec<_>>().join(" "),
        fragment.emitted.map_or(String::new(), |Emitted { invocation, number }| match invocation {
            0 => number.to_string(),
            _ => format!("{invocation}: {number}"),
        }),
        fragment.sample.to_string(),
        if fragment.is_front { "front" } else { "back" }.to_owned(),
        number(fragment.depth),
        fragment.stored_depth.map_or("-".to_owned(), |depth| format!("{}{stencil}", number(depth))),
        fate(fragment.fate).to_owned(),
    ]
}

/// A point in the domain of a patch, as in `0.5,0.25`. The third coordinate of triangles is what is left of 1.
fn place([u, v, _]: &[f32; 3]) -> String {
    format!("{},{}", number(*u), number(*v))
}

/// The outcome for all primitives of a draw: `of 12 primitives 7 drawn, 5 culled`.
fn sum(counts: &Counts) -> String {
    let parts = [
        (counts.drawn, "drawn"),
        (counts.culled, "culled"),
        (counts.clipped, "clipped"),
        (counts.nan, "with a NaN in a position"),
        (counts.w_not_positive, "with w <= 0"),
        (counts.elsewhere(), "elsewhere"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    match counts.primitives {
        0 => "no primitives come to pixels".to_owned(),
        1 => format!("of 1 primitive {parts}"),
        count => format!("of {count} primitives {parts}"),
    }
}

fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::CullDistance => "culled by a cull distance",
        Fate::BeforeNear => "clipped: before the near plane",
        Fate::BeyondFar => "clipped: beyond the far plane",
        Fate::Culled => "culled for its facing",
        Fate::OutsideViewport => "outside of the viewport",
        Fate::OutsideScissor => "outside of the scissor rectangle",
        Fate::ClipDistance => "clipped by a clip distance or plane",
        Fate::SampleMask => "masked: sample_mask has none of its samples",
        Fate::FailedStencil => "failed the stencil test",
        Fate::FailedDepth => "failed the depth test",
        Fate::Discarded => "discarded by the shader",
        Fate::DiscardedOrFailed => "discarded, or failed with the shader's depth or reference",
        Fate::Passed => "passed",
        _ => "unknown",
    }
}

/// Adds a line for each texture; cells common to all of them are in the first.
fn texel_lines(
    cells: &mut Vec<Vec<String>>,
    head: [String; 2],
    middle: [String; 9],
    step: &PixelStep,
    texels: &[[u128; 2]],
) {
    let mut first = Some((head, middle));
    let none = || (std::array::from_fn(|_| String::new()), std::array::from_fn(|_| String::new()));
    for ((name, format), pair) in step.textures.iter().zip(texels) {
        let (head, middle) = first.take().unwrap_or_else(none);
        let [before, after] = pair.map(|code| shown(*format, code));
        let after = if pair[0] == pair[1] { "the same".to_owned() } else { after };
        cells.push(line(head, middle, [harmless(name), before, after]));
    }
    if let Some((head, middle)) = first {
        cells.push(line(head, middle, std::array::from_fn(|_| "-".to_owned())));
    }
}

fn line(head: [String; 2], middle: [String; 9], texture: [String; 3]) -> Vec<String> {
    head.into_iter().chain(middle).chain(texture).collect()
}

/// The channels of a texel.
fn channels(format: Format, code: u128) -> Vec<Value> {
    let words = format.decode(code);
    let channels = format.channels().into_iter().zip(words);
    let value = |(encoding, word): (Option<brolga::format::Encoding>, u32)| match encoding? {
        encoding if encoding.is_integer() => Some(match encoding {
            brolga::format::Encoding::Sint => json!(word.cast_signed()),
            _ => json!(word),
        }),
        _ => Some(json!(f32::from_bits(word))),
    };
    channels.filter_map(value).collect()
}

fn shown(format: Format, code: u128) -> String {
    let words = channels(format, code).into_iter().map(|value| match value.as_f64() {
        Some(float) if value.is_f64() => number(float as f32),
        _ => value.to_string(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A number, with as many digits as are useful.
fn number(value: f32) -> String {
    match value.abs() {
        size if size != 0.0 && !(1e-3..1e6).contains(&size) => format!("{value:.3e}"),
        _ => {
            let text = format!("{value:.5}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// A step as JSON.
pub(super) fn json(step: &PixelStep) -> Value {
    let PixelStep { step: number, kind, pipeline, textures, history, texels, .. } = step;
    let pairs = |texels: &[[u128; 2]]| -> Value {
        let pairs = textures.iter().zip(texels);
        let pair = |((name, format), [before, after]): (&(String, Format), &[u128; 2])| {
            let [before, after] = [before, after].map(|code| channels(*format, *code));
            json!({"resource": name, "before": before, "after": after})
        };
        pairs.map(pair).collect()
    };
    let mut document = json!({"step": number, "kind": kind, "pipeline": pipeline});
    match history {
        None => document["textures"] = pairs(texels),
        Some(PixelHistory { fragments, more, counts, .. }) => {
            let fragment = |fragment: &Fragment| {
                json!({
                    "instance": fragment.instance,
                    "primitive": fragment.primitive,
                    "domain": fragment.domain,
                    "invocation": fragment.emitted.map(|emitted| emitted.invocation),
                    "emitted": fragment.emitted.map(|emitted| emitted.number),
                    "sample": fragment.sample,
                    "front": fragment.is_front,
                    "depth": fragment.depth,
                    "stored_depth": fragment.stored_depth,
                    "stored_stencil": fragment.stored_stencil,
                    "outcome": fate(fragment.fate),
                    "textures": pairs(&fragment.colors),
                })
            };
            document["fragments"] = fragments.iter().map(fragment).collect();
            document["more"] = (*more).into();
            document["primitives"] = json!({
                "all": counts.primitives,
                "drawn": counts.drawn,
                "culled": counts.culled,
                "clipped": counts.clipped,
                "nan": counts.nan,
                "w_not_positive": counts.w_not_positive,
                "elsewhere": counts.elsewhere(),
            });
        }
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_are_read_with_or_without_a_resource() {
        let pixel = |text: &str| parse(text).map(|pixel| (pixel.resource, pixel.at));
        assert_eq!(pixel("12,34"), Ok((None, [12, 34])));
        assert_eq!(pixel("a:b:1, 2"), Ok((Some("a:b".into()), [1, 2])));
        for wrong in ["", "1", "1,-2", "x:1", "1,2,3"] {
            assert!(pixel(wrong).unwrap_err().contains("expected its column and row"), "{wrong}");
        }
    }

    #[test]
    fn texels_are_shown_by_their_format() {
        assert_eq!(shown(Format::R8G8B8A8_UNORM, 0xff00_8033), "0.2 0.50196 0 1");
        assert_eq!(shown(Format::R16G16_SINT, 0xffff_0007), "7 -1");
        assert_eq!(shown(Format::R32_FLOAT, u128::from(1e-7f32.to_bits())), "1.000e-7");
    }
}
