//! A first document for a compute shader, in the short form: every register that it declares, with sizes to start from.

use brolga_runtime::{Declared, Dimension, Error, ResourceKind};

use brolga_files::sides;

use super::page::{Page, with_comment};
use super::part::Part;
use super::registers::{ELEMENTS, Form, length, slots};

/// Registers of a range that are bound; the rest of a longer one are left to the writer.
const REGISTERS: u32 = 64;

/// The document's text. Fails where the shader cannot be dispatched.
pub(super) fn write(part: &Part, outputs: &str) -> Result<String, Error> {
    part.shader.check_groups()?;
    let mut page = Page::new(outputs, &[&part.info.profile]);
    let group = part.shader.group_size();
    let grid = grid(part.shader.bindings()).unwrap_or_else(|| {
        let threads = group.map(u64::from).iter().product::<u64>().max(1);
        [u64::from(ELEMENTS).div_ceil(threads) as u32 * group[0], 1, 1]
    });
    let [x, y, z] = [0, 1, 2].map(|axis| grid[axis].div_ceil(group[axis].max(1)));
    let threads = [x * group[0], y * group[1], z * group[2]];
    page.shader("shader", part);
    let comment = format!("groups of {} threads: {} in all", by(group), by(threads));
    page.line(&with_comment(&format!("dispatch = [{x}, {y}, {z}]"), &comment));
    page.instances("[instances]", &part.choices);
    for range in part.shader.bindings() {
        for slot in slots(part, range, REGISTERS) {
            page.slot(&slot, &Form::Short);
        }
        if range.count.is_none() {
            page.line(&format!("# {range} has no end: bind as many as the shader shall see"));
        } else if range.count > Some(REGISTERS) {
            page.line(&format!("# The same for the rest of {range}"));
        }
    }
    Ok(page.out)
}

/// Threads along each axis that reach every texel of the first texture that is written.
fn grid(ranges: &[Declared]) -> Option<[u32; 3]> {
    ranges.iter().filter(|range| range.is_writable()).find_map(|range| match range.kind {
        ResourceKind::Typed { dimension, .. } if dimension != Dimension::Buffer => {
            let mut sides: Vec<u32> =
                sides(dimension).iter().map(|side| length(&Form::Short, dimension, *side)).collect();
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
