//! Cases as jobs in files, which `brolga run` and other runtimes can read.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::job::{Kind, MemoryJob, MemoryView, sampler_names};

/// Writes a job's `case.json` with its shader, the content of its views and what must come out, as `docs/job.md` describes them. The
/// folder is made if there is none; files of these names are replaced.
pub(super) fn write(job: &MemoryJob<'_>, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut bindings = Vec::new();
    for view in &job.views {
        let mut keys = kind(view);
        keys.insert("slot".into(), view.register.into());
        if !matches!(view.kind, Kind::Sampler(_)) {
            keys.insert("size".into(), view.content.len().into());
            let (key, value) = match view.content.iter().all(|&byte| byte == 0) {
                true => ("fill", "zero".to_owned()),
                false => ("file", save(folder, &format!("{}.bin", view.register), &view.content)?),
            };
            keys.insert(key.into(), value.into());
        }
        bindings.push(Value::Object(keys));
    }
    let (shader, container) = job.shader;
    let expected = &job.expectation;
    let bounds = [("abs", expected.tolerance.abs), ("rel", expected.tolerance.rel)];
    let bounds: Map<_, _> =
        bounds.into_iter().filter_map(|(key, bound)| Some((key.to_owned(), bound?.into()))).collect();
    let document = json!({
        "name": job.name,
        "shaders": [save(folder, shader, container)?],
        "dispatch": job.dispatch,
        "bindings": bindings,
        "expect": [{
            "slot": expected.register,
            "type": expected.number_type.name(),
            "file": save(folder, &format!("{}.expected.bin", expected.register), &expected.content)?,
            "tolerance": if bounds.is_empty() { "exact".into() } else { Value::Object(bounds) },
        }],
    });
    fs::write(folder.join("case.json"), format!("{document:#}\n"))
}

fn save(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<String> {
    fs::write(folder.join(name), bytes)?;
    Ok(name.to_owned())
}

/// The keys that say what a view is.
fn kind(view: &MemoryView<'_>) -> Map<String, Value> {
    let keys = match view.kind {
        Kind::Constant => json!({ "kind": "constant" }),
        Kind::Raw => json!({ "kind": "raw" }),
        Kind::Structured { stride, .. } => json!({ "kind": "structured", "stride": stride }),
        Kind::Texture(shape) => json!({
            "kind": shape.dimension.name(),
            "format": shape.format.name(),
            "width": shape.width,
            "height": shape.height,
        }),
        Kind::Sampler(sampler) => {
            let (filter, address) = sampler_names(&sampler).expect("the suite has usual samplers");
            json!({ "kind": "sampler", "filter": filter, "address": address })
        }
        Kind::Typed { .. } => unreachable!("no case of the suite has a buffer of texels"),
    };
    let Value::Object(keys) = keys else { unreachable!("all of them are objects") };
    keys
}
