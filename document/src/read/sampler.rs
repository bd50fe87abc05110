//! Reads samplers, with the state names of Direct3D 11 and Direct3D 9.

use brolga_runtime::pipeline::state::Named;
use brolga_runtime::{AddressMode, Filter, Reduction, Sampler, Tap};

use super::conflict;
use crate::error::{DocumentError, Fault, Problem, tree};
use crate::model::NamedSampler;
use crate::schema::words::{filters, named};
use crate::schema::{SAMPLER, check_part};
use crate::text::{Entry, Node, Syntax};

/// The default number of samples along the line of an anisotropic filter: Direct3D's default and maximum.
const ANISOTROPY: u32 = 16;

/// The keys that may be next to `sampler`, whose table has all others.
const ALONE: [&str; 3] = ["sampler", "kind", "note"];

/// Reads a sampler from JSON, for programs without a document.
///
/// # Errors
/// If it is not an object with the keys of a sampler.
pub fn sampler(json: &str) -> Result<Sampler, DocumentError> {
    let read = || {
        let mut node = tree(json, Syntax::Json)?;
        check_part(&SAMPLER, "the sampler", &mut node)?;
        of_direct3d11(&node).map(|sampler| sampler.state)
    };
    read().map_err(DocumentError::in_argument("sampler", json))
}

/// A sampler of Direct3D 11: missing keys are as in an empty slot.
pub(super) fn of_direct3d11(node: &Node) -> Result<NamedSampler, Fault> {
    if let Some(inner) = node.entry("sampler") {
        let is_beside =
            |entry: &&Entry| SAMPLER.keys.iter().any(|key| key.name == entry.key && !ALONE.contains(&key.name));
        return match node.entries().iter().find(is_beside) {
            Some(beside) => Err(conflict(inner, beside)),
            None => of_direct3d11(&inner.node),
        };
    }
    let mut state = Sampler::default();
    if let Some(name) = node.text_at("filter") {
        let found = filters().into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        state.filter = found.map_or(state.filter, |(_, filter)| filter);
    }
    if let Some(address) = node.get("address") {
        state.address = addresses(address, AddressMode::Clamp);
    }
    read_numbers(node, &mut state);
    if let Some(least) = node.get("min_lod").and_then(Node::float) {
        state.min_level = least;
    }
    if let Some(most) = node.get("max_lod").and_then(Node::float) {
        state.max_level = most;
    }
    state.max_anisotropy = match node.integer_at("max_anisotropy") {
        Some(most) => most,
        None if state.filter.anisotropic => ANISOTROPY,
        None => state.max_anisotropy,
    };
    let compares = state.filter.reduction == Reduction::Comparison;
    match node.get("comparison") {
        Some(comparison) if compares => state.comparison = named(comparison).unwrap_or(state.comparison),
        Some(comparison) => {
            let message = "`comparison` is for a `filter` that compares, such as `COMPARISON_MIN_MAG_MIP_LINEAR`";
            return Err((Problem::value(message), comparison.span.clone()));
        }
        None if compares => {
            return Err((
                Problem::MissingKey {
                    place: "a sampler that compares",
                    key: "comparison",
                    meaning: "how the reference is held against texels",
                },
                node.head(),
            ));
        }
        None => {}
    }
    Ok(NamedSampler { state, is_srgb: false })
}

/// A sampler of Direct3D 9: missing keys are as on a fresh device.
pub(super) fn of_direct3d9(node: &Node) -> NamedSampler {
    let tap = |key: &str| match node.text_at(key).map(str::to_ascii_uppercase).as_deref() {
        Some("LINEAR" | "ANISOTROPIC") => Tap::Linear,
        _ => Tap::Point,
    };
    let is = |key: &str, name: &str| node.text_at(key).is_some_and(|found| found.eq_ignore_ascii_case(name));
    let has_levels = node.get("mip").is_some() && !is("mip", "NONE");
    let filter = Filter {
        minify: tap("min"),
        magnify: tap("mag"),
        mip: tap("mip"),
        anisotropic: is("min", "ANISOTROPIC"),
        ..Filter::default()
    };
    let mut state = Sampler { filter, address: [AddressMode::Wrap; 3], max_anisotropy: 1, ..Sampler::default() };
    if let Some(address) = node.get("address") {
        state.address = addresses(address, AddressMode::Wrap);
    }
    read_numbers(node, &mut state);
    // Without a filter between levels only the first is used, whatever the finest one is.
    match node.integer_at::<u32>("max_mip_level") {
        Some(finest) if has_levels && finest > 0 => state.min_level = finest as f32,
        _ => {}
    }
    if !has_levels {
        // The level of detail still selects the filter: it stays above zero, but below half of the next level.
        state.max_level = 0.25;
    }
    state.max_anisotropy = node.integer_at("max_anisotropy").unwrap_or(1);
    let is_srgb = node.get("srgb_texture").is_some_and(|node| node.flag() == Some(true) || node.integer() == Some(1));
    NamedSampler { state, is_srgb }
}

fn read_numbers(node: &Node, state: &mut Sampler) {
    if let Some(border) = node.get("border").and_then(|node| node.array(Node::float)) {
        state.border = border;
    }
    if let Some(bias) = node.get("mip_lod_bias").and_then(Node::float) {
        state.level_bias = bias;
    }
}

/// One mode for all axes, or one for each; axes that are not named have `rest`.
fn addresses(node: &Node, rest: AddressMode) -> [AddressMode; 3] {
    let mode = |node: &Node| {
        // Direct3D 9 writes it without the underscore.
        let name = node.text()?.to_ascii_uppercase().replace("MIRRORONCE", "MIRROR_ONCE");
        AddressMode::VALUES.iter().copied().find(|mode| mode.named() == name)
    };
    if let Some(mode) = mode(node) {
        return [mode; 3];
    }
    let mut modes = [rest; 3];
    for (to, item) in modes.iter_mut().zip(node.items()) {
        *to = mode(item).unwrap_or(rest);
    }
    modes
}
