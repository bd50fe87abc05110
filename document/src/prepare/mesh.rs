//! Expands meshes: a resource of kind `mesh` becomes two buffers, `NAME.vertices` and `NAME.indices`, and a draw with
//! `mesh` reads them. The rest of the crate sees only buffers.

use std::collections::BTreeMap;

use brolga_files::Mesh;

use super::folder::Folder;
use crate::error::{Fault, Problem};
use crate::model::number::NumberType;
use crate::model::resource::{Content, ResourceEntry, ValueRun};
use crate::model::step::{DocumentStep, Draw, Frequency, IndexBuffer, VertexBuffer, What};
use crate::model::{Items, Model};
use crate::text::Located;

/// Replaces the meshes of a document by buffers of at most `most` bytes each, and completes the draws that name them.
pub(crate) fn expand(model: &mut Model, folder: &Folder<'_>, most: u64) -> Result<(), Fault> {
    let (meshes, others): (Items<ResourceEntry>, Items<ResourceEntry>) =
        std::mem::take(&mut model.resources).into_iter().partition(|(_, resource)| resource.kind.name == Some("mesh"));
    model.resources = others;
    let mut counts = BTreeMap::new();
    for (name, resource) in meshes {
        let Content::File(file) = &resource.content else {
            return Err((Problem::MissingKey { place: "a mesh", key: "file", meaning: "an .obj file" }, resource.span));
        };
        let path = folder.file("mesh", &file.value);
        let failed = |problem| folder.failed(&file.span, path.clone(), problem);
        let text = folder.read(&path, Mesh::MOST_BYTES).map_err(failed)?;
        let Mesh { vertices, indices, .. } = Mesh::parse_until(&text, most, folder.cancel).map_err(failed)?;
        counts.insert(name.clone(), indices.len() as u32);
        let words: Vec<u32> = vertices.iter().flatten().map(|float| float.to_bits()).collect();
        for (part, kind, words, number_type) in
            [("vertices", "vertex", words, NumberType::F32), ("indices", "index", indices, NumberType::U32)]
        {
            let part = format!("{name}.{part}");
            let content = Content::Values(vec![ValueRun::of_words(&words, number_type, &resource.span)]);
            let buffer = ResourceEntry::made(model.label(&part), kind, content, &resource.span);
            if model.resources.insert(part.clone(), buffer).is_some() {
                let message = format!("a part of the mesh `{name}` has the name `{part}`: choose another for it");
                return Err((Problem::value(message), resource.span));
            }
        }
    }
    let mut complete_step = |step: &mut DocumentStep| match &mut step.what {
        What::Draw(draw) => complete(draw, &counts),
        _ => Ok(()),
    };
    model.steps.iter_mut().try_for_each(|step| step.for_each_mut(&mut complete_step))
}

/// Adds the mesh's buffers to a draw; those of the draw itself come after the mesh's.
fn complete(draw: &mut Draw, counts: &BTreeMap<String, u32>) -> Result<(), Fault> {
    let Some(Located { value: name, span }) = &draw.mesh else { return Ok(()) };
    let Some(count) = counts.get(name) else {
        let known: Vec<&str> = counts.keys().map(String::as_str).collect();
        return Err((Problem::unknown_name("mesh", name, &known), span.clone()));
    };
    let part = |part: &str| Located::new(format!("{name}.{part}"), span);
    let stride_span = span.clone();
    let vertices = VertexBuffer {
        buffer: part("vertices"),
        stride: Mesh::STRIDE_BYTES,
        offset: 0,
        frequency: Frequency::Vertex,
        stride_span,
    };
    draw.vertex_buffers.insert(0, vertices);
    draw.index_buffer = Some(IndexBuffer { buffer: part("indices"), is_short: false, offset: 0 });
    if draw.arguments.is_none() {
        draw.count.get_or_insert(count.saturating_sub(draw.first));
    }
    Ok(())
}
