//! Writes cases as documents in files, which `brolga run` and other runtimes can read.

use std::fs;
use std::io;
use std::path::Path;

use brolga_document::MadeKind;
use brolga_runtime::pipeline::state::Named;
use brolga_runtime::{Reduction, Sampler, Tap};
use serde_json::{Map, Value, json};

use super::{CaseParts, OUTPUT};

/// Writes a case's `case.json` with its shader, the content of its resources and the expected result, in the short
/// form. The folder is created if necessary; files of these names are replaced.
pub(super) fn write(parts: &CaseParts, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut bindings = Vec::new();
    for (register, kind, content) in &parts.resources {
        let mut keys = keys(*kind);
        keys.insert("slot".into(), register.to_string().into());
        keys.insert("size".into(), content.len().into());
        let (key, value) = match content.iter().all(|&byte| byte == 0) {
            true => ("fill", "zero".to_owned()),
            false => ("file", save(folder, &format!("{register}.bin"), content)?),
        };
        keys.insert(key.into(), value.into());
        bindings.push(Value::Object(keys));
    }
    if let Some((register, sampler)) = &parts.sampler {
        bindings.push(sampler_keys(&register.to_string(), sampler));
    }
    let (shader, container) = parts.shader;
    let bounds = [("abs", parts.tolerance.abs), ("rel", parts.tolerance.rel)];
    let bounds: Map<_, _> =
        bounds.into_iter().filter_map(|(key, bound)| Some((key.to_owned(), bound?.into()))).collect();
    let document = json!({
        "name": parts.name,
        "shaders": [save(folder, shader, container)?],
        "dispatch": parts.groups,
        "bindings": bindings,
        "expect": [{
            "slot": OUTPUT.to_string(),
            "type": parts.number_type.name(),
            "file": save(folder, &format!("{OUTPUT}.expected.bin"), &parts.expected)?,
            "tolerance": if bounds.is_empty() { "exact".into() } else { Value::Object(bounds) },
        }],
    });
    fs::write(folder.join("case.json"), format!("{document:#}\n"))
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<String> {
    fs::write(folder.join(name), bytes)?;
    Ok(name.to_owned())
}

/// The keys that describe a resource.
fn keys(kind: MadeKind) -> Map<String, Value> {
    let keys = match kind {
        MadeKind::Constant => json!({ "kind": "constant" }),
        MadeKind::Raw => json!({ "kind": "raw" }),
        MadeKind::Structured { stride } => json!({ "kind": "structured", "stride": stride }),
        MadeKind::Texture(shape) => json!({
            "kind": shape.dimension.name(),
            "format": shape.format.name(),
            "width": shape.width,
            "height": shape.height,
        }),
    };
    let Value::Object(keys) = keys else { unreachable!("all of them are objects") };
    keys
}

/// The keys of a sampler as the suite has them: all of its taps are the same.
fn sampler_keys(slot: &str, sampler: &Sampler) -> Value {
    let filter = sampler.filter;
    assert!(!filter.anisotropic && filter.reduction == Reduction::Weighted, "the suite has usual samplers");
    let name = if filter.minify == Tap::Linear { "linear" } else { "point" };
    let address = sampler.address.map(|mode| mode.named().to_lowercase());
    json!({ "slot": slot, "kind": "sampler", "filter": name, "address": address })
}
