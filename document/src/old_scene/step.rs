//! What a scene's steps say.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use super::document::item;
use super::error::SceneError;
use super::names::{QueryKind, Reference};
use crate::raster::Direct3D9Values;

/// What a draw says of a shader's constants, by name: numbers, in lists of any depth, `true` or `false`.
pub(super) type NamedConstants = BTreeMap<String, Value>;

/// A step.
#[derive(Debug)]
pub(super) enum Step {
    /// One, or in Direct3D 9 colours together with depths.
    Clear(Vec<Clear>),
    Draw(Box<Draw>),
    Dispatch(Dispatch),
    Copy(CopyResource),
    GenerateMips(GenerateMips),
}

/// The key by which a step says what it is.
#[derive(Deserialize)]
struct Tagged {
    op: Op,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    Clear,
    Draw,
    DrawIndexed,
    DrawIndirect,
    DrawIndexedIndirect,
    DrawAuto,
    Dispatch,
    DispatchIndirect,
    Copy,
    GenerateMips,
    Resolve,
}

impl Clear {
    /// A clear of a colour, or of depths and stencils.
    pub fn new(resource: Reference, color: Option<[f32; 4]>, depth: Option<f32>, stencil: Option<u8>) -> Self {
        Self { _op: IgnoredAny, resource, color, depth, stencil, uint: None }
    }
}

impl Step {
    /// Reads the step at a place.
    pub fn parse(place: &str, raw: &RawValue) -> Result<Self, SceneError> {
        let Tagged { op } = item(place, raw)?;
        let refused = |what: &str| Err(SceneError::unsupported(format!("{place}.op"), what));
        match op {
            Op::Clear => item(place, raw).map(|clear| Step::Clear(vec![clear])),
            Op::Copy => item(place, raw).map(Step::Copy),
            Op::GenerateMips => item(place, raw).map(Step::GenerateMips),
            Op::Dispatch | Op::DispatchIndirect => {
                let dispatch: Dispatch = item(place, raw)?;
                let direct = [("groups", dispatch.groups.is_some())];
                let indirect = [
                    ("arguments", dispatch.arguments.is_some()),
                    ("arguments_offset", dispatch.arguments_offset.is_some()),
                ];
                match op {
                    Op::Dispatch => check_keys(place, &direct, &indirect)?,
                    _ => check_keys(place, &indirect[..1], &direct)?,
                }
                Ok(Step::Dispatch(dispatch))
            }
            Op::Draw | Op::DrawIndexed | Op::DrawIndirect | Op::DrawIndexedIndirect => {
                let draw: Draw = item(place, raw)?;
                let of_vertices =
                    [("vertices", draw.vertices.is_some()), ("first_vertex", draw.first_vertex.is_some())];
                let of_indices = [
                    ("indices", draw.indices.is_some()),
                    ("first_index", draw.first_index.is_some()),
                    ("base_vertex", draw.base_vertex.is_some()),
                ];
                let of_instances =
                    [("instances", draw.instances.is_some()), ("first_instance", draw.first_instance.is_some())];
                let index_buffer = ("index_buffer", draw.index_buffer.is_some());
                let indirect =
                    [("arguments", draw.arguments.is_some()), ("arguments_offset", draw.arguments_offset.is_some())];
                let direct = || of_vertices.into_iter().chain(of_indices).chain(of_instances);
                let mesh = ("mesh", draw.mesh.is_some());
                match op {
                    // A mesh has indices, and knows how many.
                    Op::DrawIndexed if mesh.1 => {
                        let refused: Vec<_> = of_vertices.into_iter().chain(indirect).chain([index_buffer]).collect();
                        check_keys(place, &[], &refused)?;
                    }
                    Op::DrawIndexedIndirect if mesh.1 => {
                        check_keys(place, &indirect[..1], &direct().chain([index_buffer]).collect::<Vec<_>>())?;
                    }
                    Op::Draw => {
                        let others = indirect.into_iter().chain([index_buffer, mesh]);
                        let refused: Vec<_> = of_indices.into_iter().chain(others).collect();
                        check_keys(place, &of_vertices[..1], &refused)?;
                    }
                    Op::DrawIndexed => {
                        let refused: Vec<_> = of_vertices.into_iter().chain(indirect).collect();
                        check_keys(place, &[of_indices[0], index_buffer], &refused)?;
                    }
                    Op::DrawIndirect => {
                        check_keys(place, &indirect[..1], &direct().chain([index_buffer, mesh]).collect::<Vec<_>>())?;
                    }
                    _ => check_keys(place, &[indirect[0], index_buffer], &direct().collect::<Vec<_>>())?,
                }
                Ok(Step::Draw(Box::new(draw)))
            }
            Op::DrawAuto => refused("draws of what was streamed out are"),
            Op::Resolve => refused("resolving multisampled textures is"),
        }
    }
}

/// Checks which keys a step of several forms has.
pub(super) fn check_keys(place: &str, needed: &[(&str, bool)], refused: &[(&str, bool)]) -> Result<(), SceneError> {
    if let Some((key, _)) = needed.iter().find(|(_, is_there)| !is_there) {
        return Err(SceneError::value(place, format!("the step needs the key `{key}`")));
    }
    match refused.iter().find(|(_, is_there)| *is_there) {
        Some((key, _)) => Err(SceneError::value(format!("{place}.{key}"), "a step of this `op` does not have the key")),
        None => Ok(()),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Clear {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    pub resource: Reference,
    pub color: Option<[f32; 4]>,
    pub depth: Option<f32>,
    pub stencil: Option<u8>,
    pub uint: Option<[u32; 4]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CopyResource {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    pub from: Reference,
    pub to: Reference,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GenerateMips {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    pub resource: Reference,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dispatch {
    #[serde(rename = "op")]
    _op: IgnoredAny,
    pub pipeline: String,
    #[serde(default)]
    pub bind: BTreeMap<String, Reference>,
    pub groups: Option<[u32; 3]>,
    pub arguments: Option<String>,
    pub arguments_offset: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Draw {
    #[serde(rename = "op")]
    pub _op: IgnoredAny,
    pub pipeline: String,
    #[serde(default)]
    pub targets: Vec<Reference>,
    pub depth: Option<Reference>,
    #[serde(default)]
    pub read_only_depth: bool,
    #[serde(default)]
    pub read_only_stencil: bool,
    #[serde(default)]
    pub bind: BTreeMap<String, Reference>,
    pub mesh: Option<String>,
    #[serde(default)]
    pub vertex_buffers: Vec<VertexBuffer>,
    pub index_buffer: Option<IndexBuffer>,
    pub vertices: Option<u32>,
    pub first_vertex: Option<u32>,
    pub indices: Option<u32>,
    pub first_index: Option<u32>,
    pub base_vertex: Option<i32>,
    pub instances: Option<u32>,
    pub first_instance: Option<u32>,
    pub arguments: Option<String>,
    pub arguments_offset: Option<u64>,
    pub viewport: Option<[f32; 6]>,
    pub scissor: Option<[i32; 4]>,
    pub blend_factor: Option<[f32; 4]>,
    pub sample_mask: Option<u32>,
    #[serde(default)]
    pub stencil_ref: u8,
    pub so_targets: Option<IgnoredAny>,
    pub query: Option<Query>,
    /// What a scene of Direct3D 9 binds to the vertex shader, which has registers of its own, and its other numbers.
    #[serde(skip)]
    pub direct3d9: Option<Direct3D9>,
}

/// What a draw of Direct3D 9 has besides.
#[derive(Debug)]
pub(super) struct Direct3D9 {
    pub vertex_bind: BTreeMap<String, Reference>,
    pub vertex_constants: NamedConstants,
    pub pixel_constants: NamedConstants,
    pub values: Direct3D9Values,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VertexBuffer {
    pub buffer: String,
    pub stride: u32,
    #[serde(default)]
    pub offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IndexBuffer {
    pub buffer: String,
    pub format: IndexFormat,
    #[serde(default)]
    pub offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum IndexFormat {
    #[serde(rename = "R16_UINT", alias = "INDEX16")]
    Short,
    #[serde(rename = "R32_UINT", alias = "INDEX32")]
    Long,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Query {
    pub kind: QueryKind,
    pub name: String,
}
