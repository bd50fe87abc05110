//! Samplers and pipelines for programs that have no scene, as `samplers` and `pipelines` of a scene say them.

use brolga_runtime::{Format, Module, Sampler, Stages};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::document;
use super::error::SceneError;
use super::pipelines::{input_element, state, topology};
use crate::raster::PipelineDesc;

/// Reads a sampler from JSON with the keys of `samplers`.
///
/// # Errors
/// If it is no such object.
pub fn sampler(json: &str) -> Result<Sampler, SceneError> {
    Ok(read::<document::Sampler>("sampler", json)?.state())
}

/// Reads the state of a pipeline for Direct3D 11 from JSON with the keys of `pipelines`, without those that name shaders: these
/// are given here, and the formats of its targets and of its depth buffer.
///
/// # Errors
/// If it is no such object.
pub fn pipeline(
    json: &str,
    modules: Stages<Option<Module>>,
    formats: &[Format],
    depth_format: Option<Format>,
) -> Result<PipelineDesc, SceneError> {
    let pipeline: document::Pipeline = read("pipeline", json)?;
    Ok(PipelineDesc {
        modules,
        input_layout: pipeline.input_layout.iter().map(input_element).collect(),
        topology: topology("pipeline", pipeline.topology.as_deref().or(Some("TRIANGLELIST")), false)?,
        depth_format,
        ..state(&pipeline, formats)
    })
}

fn read<T: DeserializeOwned>(place: &str, json: &str) -> Result<T, SceneError> {
    let raw: &RawValue = serde_json::from_str(json).map_err(|error| SceneError::document(place, error.to_string()))?;
    document::item(place, raw)
}
