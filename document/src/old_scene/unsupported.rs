//! What scenes may say and is not there yet: refused by name before anything runs.

use super::document::{Pipeline, Resource};
use super::error::SceneError;
use super::names::{Kind, QueryKind};
use super::sections::Document;
use super::step::{Draw, Step};

/// Refuses what cannot be run yet.
pub(super) fn check(document: &Document) -> Result<(), SceneError> {
    for (name, resource) in &document.resources {
        check_resource(&format!("resources.{name}"), resource)?;
    }
    for (name, pipeline) in &document.pipelines {
        check_pipeline(&format!("pipelines.{name}"), pipeline)?;
    }
    for (n, step) in document.steps.iter().enumerate() {
        if let Step::Draw(draw) = step {
            check_draw(&format!("steps[{n}]"), draw)?;
        }
    }
    Ok(())
}

/// Refuses the first of these that is there.
fn refuse(place: &str, all: &[(bool, &str, &str)]) -> Result<(), SceneError> {
    match all.iter().find(|(is_there, ..)| *is_there) {
        Some((_, key, what)) => Err(SceneError::unsupported(format!("{place}.{key}"), *what)),
        None => Ok(()),
    }
}

fn check_resource(place: &str, resource: &Resource) -> Result<(), SceneError> {
    refuse(
        place,
        &[
            (resource.samples.is_some_and(|samples| samples > 1), "samples", "textures of several samples are"),
            (resource.kind == Kind::StreamOut, "kind", "streaming out is"),
        ],
    )
}

fn check_pipeline(place: &str, pipeline: &Pipeline) -> Result<(), SceneError> {
    refuse(
        place,
        &[
            (pipeline.hs.is_some(), "hs", "hull shaders are"),
            (pipeline.ds.is_some(), "ds", "domain shaders are"),
            (pipeline.gs.is_some(), "gs", "geometry shaders are"),
            (pipeline.stream_out.is_some(), "stream_out", "streaming out is"),
        ],
    )
}

fn check_draw(place: &str, draw: &Draw) -> Result<(), SceneError> {
    let is_stream_out = draw.query.as_ref().is_some_and(|query| query.kind == QueryKind::StreamOut);
    refuse(
        place,
        &[
            (draw.so_targets.is_some(), "so_targets", "streaming out is"),
            (is_stream_out, "query.kind", "queries of streaming out are"),
        ],
    )
}
