//! Meshes: a resource of kind `mesh` becomes two buffers, `NAME.vertices` and `NAME.indices`, and a draw with `mesh` one that
//! reads them. All else in a scene knows of buffers alone.

use std::collections::BTreeMap;

use brolga_runtime::Format;

use super::content::{Folder, needed};
use super::document::Resource;
use super::error::{SceneError, find};
use super::names::Kind;
use super::sections::Document;
use super::step::{Draw, IndexBuffer, IndexFormat, Step, VertexBuffer};
use crate::files::Mesh;
use crate::raster::InputElement;

/// Replaces the meshes of a scene by buffers, of `most` bytes each, and completes the draws that name them.
pub(super) fn expand(document: &mut Document, folder: &Folder<'_>, most: u64) -> Result<(), SceneError> {
    let is_mesh = |(_, resource): &(&String, &Resource)| resource.kind == Kind::Mesh;
    let names: Vec<String> = document.resources.iter().filter(is_mesh).map(|(name, _)| name.clone()).collect();
    let mut counts = BTreeMap::new();
    for name in names {
        let Some(resource) = document.resources.remove(&name) else { continue };
        let place = format!("resources.{name}");
        let file = match &resource {
            Resource { file: Some(file), .. } if resource.says_only_its_file() => file,
            Resource { file: None, .. } => return needed(&place, "file", None),
            _ => return Err(SceneError::value(place, "a mesh has a `file`, which says everything else")),
        };
        let text = folder.bytes(&format!("{place}.file"), file, Mesh::MOST_BYTES)?;
        let Mesh { vertices, indices, .. } = Mesh::parse_until(&text, most, folder.cancel)
            .map_err(|problem| folder.failed(&format!("{place}.file"), folder.path.join(file), problem))?;
        counts.insert(name.clone(), indices.len() as u32);
        let vertices = Resource { f32: Some(vertices.into_flattened()), ..Resource::new(Kind::Vertex) };
        let indices = Resource { u32: Some(indices), ..Resource::new(Kind::Index) };
        for (part, buffer) in [("vertices", vertices), ("indices", indices)] {
            let part = format!("{name}.{part}");
            if document.resources.insert(part.clone(), buffer).is_some() {
                let message = format!("a part of the mesh `{name}` has this name: choose another");
                return Err(SceneError::value(format!("resources.{part}"), message));
            }
        }
    }
    for (n, step) in document.steps.iter_mut().enumerate() {
        if let Step::Draw(draw) = step {
            complete(draw, &counts, &format!("steps[{n}]"))?;
        }
    }
    Ok(())
}

/// Says which buffers a draw of a mesh reads: those that it has itself come after the mesh's.
fn complete(draw: &mut Draw, counts: &BTreeMap<String, u32>, place: &str) -> Result<(), SceneError> {
    let Some(name) = &draw.mesh else { return Ok(()) };
    let count = find(counts, "mesh", name, || format!("{place}.mesh"))?;
    let vertices = VertexBuffer { buffer: format!("{name}.vertices"), stride: Mesh::STRIDE_BYTES, offset: 0 };
    draw.vertex_buffers.insert(0, vertices);
    draw.index_buffer = Some(IndexBuffer { buffer: format!("{name}.indices"), format: IndexFormat::Long, offset: 0 });
    if draw.arguments.is_none() {
        draw.indices.get_or_insert(count.saturating_sub(draw.first_index.unwrap_or(0)));
    }
    Ok(())
}

/// What is in a mesh's vertices. An element of the pipeline with the same name comes before these.
pub(super) fn input_layout() -> [InputElement; 3] {
    [
        InputElement::new("POSITION", Format::R32G32B32_FLOAT, 0),
        InputElement::new("NORMAL", Format::R32G32B32_FLOAT, 12),
        InputElement::new("TEXCOORD", Format::R32G32_FLOAT, 24),
    ]
}
