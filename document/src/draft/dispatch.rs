//! A first document for a compute shader, in the short form: every register that it declares, with sizes to start from.
//!
//! They are such that it ends soon, and in the same way each time: fewer texels where a thread takes long, one group
//! where it depends on their order, and other constants than zeros where it does not end with these.

use std::time::{Duration, Instant};

use brolga_files::sides;
use brolga_runtime::{Declared, Device, Dimension, Error, ResourceKind};

use super::first_values::Seen;
use super::page::{Page, with_comment};
use super::part::Part;
use super::registers::{ELEMENTS, Form, MOST_SIDE, length, slots};
use crate::run::RunOptions;
use crate::text::Syntax;
use crate::{Document, Draft};

/// Registers of a range that are bound; the rest of a longer one are left to the writer.
const REGISTERS: u32 = 64;
/// Texels along a side at least.
const LEAST_SIDE: u32 = 16;
/// Instructions of all threads that take a second or a few at most, on the slower engine.
const MOST_INSTRUCTIONS: u64 = 1 << 26;
/// How long a shader may run that is tried.
const TRIED: Duration = Duration::from_secs(1);

/// The document's text. Fails where the shader cannot be dispatched.
pub(super) fn write(device: &Device, part: &Part, draft: &Draft<'_>) -> Result<String, Error> {
    part.shader.check_groups()?;
    let texts = [None, Some(1), Some(ELEMENTS)].map(|integer| text(part, draft.name, integer.map(Seen::of_dispatch)));
    // Only loops may never end.
    let ends = |text: &&String| !part.uses.has_loops || ends(device, text, draft.shaders[0].container);
    Ok(texts.iter().find(ends).unwrap_or(&texts[0]).clone())
}

/// `true` if a document ends soon. Errors that are found before it runs are not for here.
fn ends(device: &Device, text: &str, container: &[u8]) -> bool {
    let Ok(document) = Document::parse("draft.toml".into(), text, Syntax::Toml) else { return true };
    let mut document = document.anywhere();
    document.compiled.extend(document.model.shaders.keys().map(|name| ((name.clone(), 0), container.to_vec())));
    let Ok(prepared) = document.prepare(device.limits()) else { return true };
    let options = RunOptions { time_limit: Some(TRIED), ..RunOptions::default() };
    let began = Instant::now();
    prepared.run(device, 0, &options).is_ok() || began.elapsed() < TRIED
}

fn text(part: &Part, outputs: &str, ones: Option<Seen<'_>>) -> String {
    let mut page = Page::new(outputs, &[&part.info.profile]);
    let group = part.shader.group_size();
    let is_too_large = |side: u32| u64::from(side).pow(2).saturating_mul(part.uses.cost) > MOST_INSTRUCTIONS;
    let side = std::iter::successors(Some(MOST_SIDE), |side| Some(side / 2));
    let side = side.take_while(|side| *side > LEAST_SIDE).find(|side| !is_too_large(*side)).unwrap_or(LEAST_SIDE);
    let form = Form::Short { side, ones };
    let grid = grid(part.shader.bindings(), &form).unwrap_or_else(|| {
        let threads = group.map(u64::from).iter().product::<u64>().max(1);
        [u64::from(ELEMENTS).div_ceil(threads) as u32 * group[0], 1, 1]
    });
    let grid = if part.uses.is_racing { [1; 3] } else { grid };
    let [x, y, z] = [0, 1, 2].map(|axis| grid[axis].div_ceil(group[axis].max(1)));
    let threads = [x * group[0], y * group[1], z * group[2]];
    page.shader("shader", part);
    let mut comment = format!("groups of {} threads: {} in all", by(group), by(threads));
    if part.uses.is_racing {
        comment += "; results may depend on the order of more";
    }
    page.line(&with_comment(&format!("dispatch = [{x}, {y}, {z}]"), &comment));
    page.overrides(part.text.as_ref().map_or(&[], |text| &text.overrides));
    page.instances("[instances]", &part.choices);
    for range in part.shader.bindings() {
        for slot in slots(part, range, REGISTERS) {
            page.slot(&slot, &form);
        }
        if range.count.is_none() {
            page.line(&format!("# {range} has no end: bind as many as the shader shall see"));
        } else if range.count > Some(REGISTERS) {
            page.line(&format!("# The same for the rest of {range}"));
        }
    }
    page.out
}

/// Threads along each axis that reach every texel of the first texture that is written.
fn grid(ranges: &[Declared], form: &Form<'_>) -> Option<[u32; 3]> {
    ranges.iter().filter(|range| range.is_writable()).find_map(|range| match range.kind {
        ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer => {
            let mut sides: Vec<u32> = sides(dimension).iter().map(|side| length(form, dimension, *side)).collect();
            sides.reverse();
            sides.resize(3, 1);
            Some([sides[0], sides[1], sides[2]])
        }
        _ => None,
    })
}

fn by(counts: [u32; 3]) -> String {
    counts.map(|count| count.to_string()).join(" x ")
}
