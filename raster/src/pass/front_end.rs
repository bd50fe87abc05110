//! Runs the stages before the rasterizer, batch by batch: vertices, patches, what is emitted, what is streamed out.
//!
//! A batch is made in parts. Only tessellation has several, since nothing says beforehand how many primitives come of a
//! patch; what is left of a batch can wait for the next round, or go on in another thread.

use std::ops::Range;

use brolga_runtime::{Device, Dispatch, Error, StageKind, StageRun, StageSeat};

use super::schedule::BoundDraw;
use crate::geometry::shader::GeometryUnit;
use crate::geometry::stream::Streamed;
use crate::tessellation::patches::{Patches, Tessellator};
use crate::vertices::assembly::{Batch, batch_primitives};
use crate::vertices::primitives::{PrimitiveBatch, Vertices};
use crate::vertices::shading::VertexStage;

/// The running stages of a draw before the rasterizer.
pub(crate) struct FrontStages<'a> {
    vertex: StageRun<'a>,
    /// Hull and domain shader, of which a pipeline has both or none.
    tessellation: Option<[StageRun<'a>; 2]>,
    geometry: Option<StageRun<'a>>,
}

/// A thread's working memory for those stages.
#[derive(Default)]
pub(crate) struct FrontEnd {
    vertices: VertexStage,
    pub tessellator: Tessellator,
    pub geometry: GeometryUnit,
    /// Vertices that a geometry shader reads.
    source: Vertices,
    /// The primitives of the latest part.
    pub made: PrimitiveBatch,
    /// What it streams out.
    pub streamed: Streamed,
}

/// What is left of a batch.
pub(crate) enum Rest {
    /// The primitives that the front end holds, in one part.
    Primitives,
    /// Patches behind the hull shader.
    Patches(Box<Patches>),
}

impl BoundDraw {
    /// Begins to run a stage, if the pipeline has it, of the draw with this number.
    pub(crate) fn stage<'a>(
        &'a self,
        stage: StageKind,
        device: &'a Device,
        (run, number): (&'a Dispatch, usize),
    ) -> Result<Option<StageRun<'a>>, Error> {
        let shader = self.pipeline.shader(stage);
        let begin = |shader| device.stage_run(shader, self.bound[stage].layers(), run, number as u32);
        shader.map(begin).transpose()
    }

    /// Begins to run the stages before the rasterizer.
    pub(crate) fn front_stages<'a>(
        &'a self,
        device: &'a Device,
        run: (&'a Dispatch, usize),
    ) -> Result<FrontStages<'a>, Error> {
        let stage = |stage| self.stage(stage, device, run);
        let (hull, domain) = (stage(StageKind::Hull)?, stage(StageKind::Domain)?);
        Ok(FrontStages {
            vertex: stage(StageKind::Vertex)?.expect("no pipeline is made without one"),
            tessellation: hull.zip(domain).map(<[_; 2]>::from),
            geometry: stage(StageKind::Geometry)?,
        })
    }

    /// Shades the vertices of a batch, and runs the hull shader for its patches.
    pub(crate) fn begin(
        &self,
        part: (Batch, Range<u32>),
        stages: &FrontStages<'_>,
        front: &mut FrontEnd,
        seat: &mut StageSeat<'_>,
    ) -> Result<Rest, Error> {
        let parts = &self.pipeline.parts;
        let FrontEnd { vertices, tessellator, geometry, made, .. } = front;
        let whole = match (&parts.tessellation, &parts.geometry) {
            (Some(_), _) => Some((&mut tessellator.patches, 1)),
            (None, Some(layout)) => Some((&mut geometry.primitives, layout.stage.instances)),
            (None, None) => None,
        };
        vertices.shade(
            &self.input,
            part,
            parts.vertex_rows as usize,
            made,
            whole,
            &mut stages.vertex.session(seat)?,
        )?;
        match parts.tessellation.as_ref().zip(stages.tessellation.as_ref()) {
            Some((layout, [hull, _])) => {
                let patches = tessellator.run_hull(layout, made, &mut hull.session(seat)?)?;
                Ok(Rest::Patches(Box::new(patches)))
            }
            None => Ok(Rest::Primitives),
        }
    }

    /// Makes the next part of a batch, with what it streams out; takes `rest` if it is the last one. Returns the bytes
    /// that it takes, in working memory and in the batch that is set up, as far as shaders have made more of it.
    pub(crate) fn next_part(
        &self,
        rest: &mut Option<Rest>,
        stages: &FrontStages<'_>,
        front: &mut FrontEnd,
        seat: &mut StageSeat<'_>,
    ) -> Result<u64, Error> {
        let parts = &self.pipeline.parts;
        let stream_out = parts.stream_out.as_ref();
        let FrontEnd { tessellator, geometry, source, made, streamed, .. } = front;
        streamed.clear();
        let emitter = parts.geometry.as_ref().zip(stages.geometry.as_ref());
        let mut is_amplified = emitter.is_some();
        match rest {
            Some(Rest::Patches(patches)) => {
                let Some((layout, [_, domain])) = parts.tessellation.as_ref().zip(stages.tessellation.as_ref()) else {
                    unreachable!("only a tessellated draw has patches")
                };
                is_amplified = true;
                if patches.taken == patches.part.primitives.len() {
                    patches.next_part(layout, tessellator, &mut domain.session(seat)?)?;
                }
                made.statistics = std::mem::take(&mut patches.part.statistics);
                match emitter {
                    Some((layout, run)) => {
                        let most = batch_primitives(layout.most_vertices()) as usize;
                        let stage = &layout.stage;
                        patches.take(most, stage.input, stage.instances, &mut geometry.primitives);
                        let vertices = &patches.part.vertices;
                        geometry.run((layout, stream_out), vertices, made, streamed, &mut run.session(seat)?)?;
                    }
                    None => {
                        made.kind = patches.part.kind;
                        std::mem::swap(&mut made.vertices, &mut patches.part.vertices);
                        std::mem::swap(&mut made.primitives, &mut patches.part.primitives);
                        patches.part.primitives.clear();
                    }
                }
                if patches.is_done() {
                    *rest = None;
                }
            }
            _ => {
                *rest = None;
                if let Some((layout, run)) = emitter {
                    std::mem::swap(&mut made.vertices, source);
                    geometry.run((layout, stream_out), source, made, streamed, &mut run.session(seat)?)?;
                }
            }
        }
        if let (None, Some(layout)) = (emitter, stream_out) {
            streamed.add_all(layout, &made.vertices, &made.primitives);
        }
        Ok(if is_amplified { made.bytes() } else { 0 } + streamed.bytes())
    }
}
