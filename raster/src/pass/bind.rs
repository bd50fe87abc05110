//! Checks a draw and binds what its shaders use, ready for the schedule.

use std::sync::Arc;

use brolga_ir::pipeline::record::{BatchState, SAMPLE_MASK, SLOTS};
use brolga_ir::pipeline::{DEPTH, SPACE};
use brolga_runtime::{BindingRules, Device, Layers, Leniency, Register, ResourceClass, StageKind, Stages, View};

use super::{Draw, Pass, VertexBuffer};
use crate::direct3d9;
use crate::error::DrawError;
use crate::geometry::shader::GeometryLayout;
use crate::geometry::stream::{BUFFERS, StreamBuffers, StreamTarget};
use crate::pass::schedule::{BoundDraw, StageBindings};
use crate::pipeline::{Parts, codes};
use crate::setup::Raster;
use crate::setup::bias::DepthBias;
use crate::setup::clip::MOST_CLIP_PLANES;
use crate::setup::shape::{Bounds, PointSizes};
use crate::setup::viewport::{Area, Viewport};
use crate::state::Kind;
use crate::tessellation::patches::BATCH_PATCHES;
use crate::tiles::targets::{DepthView, used_at};
use crate::tiles::walk::Shading;
use crate::vertices::assembly::{InputAssembler, batch_primitives};
use crate::vertices::indices::IndexBuffer;

/// Viewports that a vertex shader can select.
const MOST_VIEWPORTS: usize = 16;

/// Results of earlier draws that the next ones are likely to share.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The viewport areas of the last draw, and the key that they depend on.
    areas: Option<(AreasKey, Arc<[Area]>)>,
    /// The targets as pixel shaders see them, by key.
    targets: Vec<(TargetsKey, Views)>,
}

/// The key of a draw's area if it has one, as most do: the viewport, the scissor rectangle, and depth clipping.
type AreasKey = (Viewport, Option<Bounds>, bool);

/// Views by register.
type Views = Arc<[(Register, View)]>;

/// The key of a pixel shader's views of the targets: a bit for each output, and flags for layers and the depth buffer.
type TargetsKey = (u32, bool, bool);

impl Pass<'_> {
    /// Checks a draw, and binds what its shaders use.
    pub(super) fn bind(&mut self, draw: &Draw<'_>) -> Result<BoundDraw, DrawError> {
        let pipeline = &*draw.pipeline.parts;
        self.targets.check_formats(pipeline, self.target.pattern)?;
        let rules = pipeline.direct3d9.as_ref();
        let viewport = self.viewport(draw);
        let areas = self.areas(draw, viewport)?;
        let (bound, strides) = self.bindings(draw)?;
        self.check(draw, StageKind::Pixel, &bound)?;
        let depth = self.targets.depth.as_ref();
        // It is ignored without targets, and in Direct3D 9 with those of one sample (functional specification, 3.5.6.4, and
        // D3DRS_MULTISAMPLEMASK).
        let ignores_mask = self.targets.is_empty() || (rules.is_some() && self.target.pattern.count() == 1);
        let sample_mask = if ignores_mask { u32::MAX } else { draw.sample_mask };
        let mut state = BatchState {
            blend_factor: draw.blend_factor,
            depths: viewport.depths(),
            stencil_reference: draw.stencil_reference.into(),
            read_only: depth.map_or(0, DepthView::read_only_bits) | (sample_mask & 0xffff) << SAMPLE_MASK,
            ..BatchState::default()
        };
        if let Some(rules) = rules {
            draw.direct3d9.put(rules.state.fog, &mut state);
        }
        let input = self.input(draw, strides)?;
        for stage in [StageKind::Geometry, StageKind::Domain, StageKind::Hull, StageKind::Vertex] {
            self.check(draw, stage, &bound)?;
        }
        let stream_buffers = self.stream_buffers(draw, &bound)?;
        Ok(BoundDraw {
            pipeline: draw.pipeline.clone(),
            bound,
            input,
            raster: pipeline.rasterizes.then_some(Raster {
                areas,
                state: pipeline.rasterizer,
                bias: match rules {
                    None => DepthBias::new(&pipeline.rasterizer, self.target.depth.as_ref().map(|depth| depth.format)),
                    Some(rules) => DepthBias::of_direct3d9(rules.state.depth_bias, &pipeline.rasterizer),
                },
                points: rules.map(|rules| PointSizes {
                    word: rules.size_word,
                    default: draw.direct3d9.point_size,
                    range: draw.direct3d9.point_size_range,
                }),
                pattern: pipeline.samples.covered,
                sample_mask: pipeline.samples.drawn(sample_mask),
                has_wide_lines: rules.is_none() && pipeline.rasterizer.multisample,
                has_last_pixels: rules.is_some_and(|rules| !rules.state.omits_last_pixels),
                is_transformed: rules.is_some_and(|rules| rules.is_transformed),
                drops_far: pipeline.geometry.is_some() && !pipeline.rasterizer.conservative,
            }),
            stream_buffers,
            shading: Shading {
                depth: pipeline
                    .depth
                    .filter(|_| !pipeline.is_late)
                    .map(|test| depth.map_or(test, |depth| depth.restrict(test))),
                is_late: pipeline.is_late,
                reports_live: pipeline.reports_live,
                is_per_sample: pipeline.samples.is_per_sample,
                asks_inside: pipeline.asks_inside,
                rows: pipeline.rows,
                state,
            },
        })
    }

    /// The first viewport.
    fn viewport(&self, draw: &Draw<'_>) -> Viewport {
        let [width, height, _] = self.target.extents;
        // Without targets the viewport sets the size; without either that is zero.
        let whole = if self.targets.is_empty() { [0.0; 2] } else { [width as f32, height as f32] };
        let viewport = draw.viewport.unwrap_or(of_size(whole));
        if draw.pipeline.parts.direct3d9.is_some() { direct3d9::with_depth_range(viewport) } else { viewport }
    }

    /// The areas of the targets to draw to: the first viewport's, or all that the vertex shader can select.
    fn areas(&mut self, draw: &Draw<'_>, viewport: Viewport) -> Result<Arc<[Area]>, DrawError> {
        let pipeline = &draw.pipeline.parts;
        if pipeline.direct3d9.is_some() || pipeline.outputs.viewport.is_some() {
            return self.make_areas(draw, viewport);
        }
        let key = (viewport, draw.scissor, pipeline.rasterizer.depth_clip);
        if let Some((_, areas)) = self.known.areas.as_ref().filter(|(known, _)| *known == key) {
            return Ok(areas.clone());
        }
        let areas = self.make_areas(draw, viewport)?;
        self.known.areas = Some((key, areas.clone()));
        Ok(areas)
    }

    fn make_areas(&self, draw: &Draw<'_>, viewport: Viewport) -> Result<Arc<[Area]>, DrawError> {
        let pipeline = &draw.pipeline.parts;
        let [width, height, _] = self.target.extents;
        let target = Bounds { left: 0, top: 0, right: width as i32, bottom: height as i32 };
        let planes = draw.direct3d9.clip_planes.len();
        if pipeline.direct3d9.is_some() && planes > MOST_CLIP_PLANES {
            return Err(DrawError::ClipPlanes { count: planes });
        }
        let area = |viewport: Viewport, scissor: Option<Bounds>| {
            check_viewport(&viewport)?;
            let scissor = viewport.scissor().intersect(scissor.unwrap_or(target)).intersect(target);
            let (viewport, planes) = match pipeline.direct3d9 {
                None => (viewport, Vec::new()),
                Some(_) => (viewport.offset(0.5), draw.direct3d9.planes().collect()),
            };
            Ok::<_, DrawError>(Area::new(viewport, scissor, pipeline.rasterizer.depth_clip, planes))
        };
        let mut areas = vec![area(viewport, draw.scissor)?];
        if pipeline.outputs.viewport.is_some() {
            let count = draw.more_viewports.len();
            if count >= MOST_VIEWPORTS {
                let what = format!("one of {}, but there are at most {MOST_VIEWPORTS}", count + 1);
                return Err(DrawError::Viewport { what });
            }
            let more = draw.more_viewports.iter().map(|&(viewport, scissor)| area(viewport, scissor));
            areas.extend(more.collect::<Result<Vec<_>, _>>()?);
            areas.resize(MOST_VIEWPORTS, area(Viewport { max_depth: 0.0, ..of_size([0.0; 2]) }, None)?);
        }
        Ok(areas.into())
    }

    /// The bindings of each shader: the draw's, vertex buffers and targets. Also the strides of vertex buffers.
    fn bindings(&mut self, draw: &Draw<'_>) -> Result<(Stages<StageBindings>, [u32; SLOTS as usize]), DrawError> {
        let pipeline = &*draw.pipeline.parts;
        let (mut vertex_buffers, strides) = vertex_buffers(self.device, draw)?;
        let mut bound = Stages::<StageBindings>::default();
        for (stage, shader) in pipeline.shaders.present() {
            let bindings = draw.bindings[stage];
            // Most draws bind the same to all stages.
            let rules =
                bindings.map_or(BindingRules::default(), |bindings| bindings.rules().allow(Leniency::Undeclared));
            let mut more = if stage == StageKind::Vertex { std::mem::take(&mut vertex_buffers) } else { Vec::new() };
            if pipeline.direct3d9.is_some() {
                let missing = direct3d9::missing(self.device, shader, Layers::new(bindings, &more, rules))?;
                more.extend(missing);
            }
            self.targets.check_hazards(stage.name(), shader, Layers::new(bindings, &more, rules), pipeline)?;
            let more = match stage {
                StageKind::Pixel if more.is_empty() => self.target_views(pipeline)?,
                StageKind::Pixel => more.iter().chain(&*self.target_views(pipeline)?).cloned().collect(),
                _ => more.into(),
            };
            bound[stage] = StageBindings { bindings: bindings.cloned(), more, rules };
        }
        Ok((bound, strides))
    }

    /// The targets, and the depth buffer if the test is late, as a pixel shader sees them.
    fn target_views(&mut self, pipeline: &Parts) -> Result<Views, DrawError> {
        let has_layers = pipeline.outputs.layer.is_some() || pipeline.samples.targets.count() > 1;
        let slots = pipeline.target_slots.iter().fold(0, |slots, slot| slots | 1 << slot);
        let key = (slots, has_layers, pipeline.is_late);
        if let Some((_, views)) = self.known.targets.iter().find(|(known, _)| *known == key) {
            return Ok(views.clone());
        }
        let as_target = |view: &View| if has_layers { view.as_target_array() } else { view.as_target() };
        let register = |n| Register::new(ResourceClass::UnorderedAccess, n).in_space(SPACE);
        let mut views = Vec::new();
        for (&slot, view) in pipeline.target_slots.iter().zip(&self.targets.colors) {
            views.push((register(slot), as_target(view)?));
        }
        if let (true, Some(target), Some(depth)) = (pipeline.is_late, &self.target.depth, &self.targets.depth) {
            let view = depth.view.clone().with_format(codes(target.format))?;
            views.push((register(DEPTH), as_target(&view)?));
        }
        let views: Views = views.into();
        self.known.targets.push((key, views.clone()));
        Ok(views)
    }

    /// Checks the bindings of a shader against its declarations.
    fn check(&self, draw: &Draw<'_>, stage: StageKind, bound: &Stages<StageBindings>) -> Result<(), DrawError> {
        let Some(shader) = draw.pipeline.shader(stage) else { return Ok(()) };
        let checked = self.device.check_bindings(shader, bound[stage].layers());
        checked.map_err(|source| DrawError::Shader { stage: stage.name(), source })
    }

    /// The buffers that vertices are streamed out to, if the pipeline does that. Nothing else of the draw may use them.
    fn stream_buffers(
        &self,
        draw: &Draw<'_>,
        bound: &Stages<StageBindings>,
    ) -> Result<Option<StreamBuffers>, DrawError> {
        let failed = |what: String| Err(DrawError::StreamOutput { what });
        let Some(layout) = &draw.pipeline.parts.stream_out else {
            return match draw.stream_targets.iter().all(Option::is_none) {
                true => Ok(None),
                false => failed("the draw has buffers for it, but the pipeline streams nothing out".to_owned()),
            };
        };
        if draw.stream_targets.len() > BUFFERS {
            return failed(format!("the draw has {} buffers, but {BUFFERS} are the most", draw.stream_targets.len()));
        }
        let targets = || (0..).zip(&draw.stream_targets).filter_map(|(slot, target)| Some((slot, target.as_ref()?)));
        for (slot, StreamTarget { buffer, offset_bytes }) in targets() {
            if layout.buffers[slot].is_none() {
                continue;
            }
            if offset_bytes.is_some_and(|offset| !offset.is_multiple_of(4)) {
                return failed(format!(
                    "buffer {slot} is written from byte {} on, not from a multiple of 4",
                    offset_bytes.unwrap_or(0)
                ));
            }
            if !buffer.is_writable() {
                return failed(format!("buffer {slot} can only be read"));
            }
            let view = View::raw(buffer.clone())?;
            for (stage, shader) in draw.pipeline.parts.shaders.present() {
                if let Some(register) = used_at(shader, bound[stage].layers(), &view) {
                    let register = match register {
                        Register { space: SPACE, index, .. } => format!("vertex buffer {index}"),
                        register => register.to_string(),
                    };
                    let stage = stage.name();
                    return failed(format!("the {stage} shader uses buffer {slot} as {register} in the same draw"));
                }
            }
            let is_index_buffer = draw
                .index_buffer
                .as_ref()
                .is_some_and(|indices| View::raw(indices.buffer.clone()).is_ok_and(|indices| indices.overlaps(&view)));
            if is_index_buffer {
                return failed(format!("buffer {slot} is the index buffer of the same draw"));
            }
            let same = targets().find(|&(other, target)| {
                other < slot
                    && layout.buffers[other].is_some()
                    && View::raw(target.buffer.clone()).is_ok_and(|other| other.overlaps(&view))
            });
            if let Some((other, _)) = same {
                return failed(format!("buffers {other} and {slot} are the same memory"));
            }
        }
        Ok(Some(StreamBuffers::new(layout, &draw.stream_targets)))
    }

    /// The state of the input assembler.
    fn input(&self, draw: &Draw<'_>, strides: [u32; SLOTS as usize]) -> Result<InputAssembler, DrawError> {
        let pipeline = &draw.pipeline.parts;
        let buffer = draw.index_buffer.as_ref();
        let indices = buffer.map(|buffer| buffer.indices(draw.first, draw.count)).transpose()?;
        let restart = buffer.filter(|_| pipeline.direct3d9.is_none()).map(IndexBuffer::restart);
        // Checking every index for a restart is slower, so do so only if there is one.
        let restart = match (restart, &indices) {
            (Some(restart), Some(indices)) => {
                let deadline = self.deadline()?;
                let found = indices.contain(restart, &|| deadline.token().is_cancelled());
                found.map_err(|error| self.stopped(error.into(), deadline.token()))?.then_some(restart)
            }
            _ => None,
        };
        // Indices past the end of the buffer are all 0: such triangles have no area, and such lines no length.
        let is_culled =
            pipeline.topology.kind() != Kind::Point && pipeline.geometry.is_none() && pipeline.stream_out.is_none();
        let batch_primitives = match (&pipeline.tessellation, &pipeline.geometry) {
            (Some(_), _) => BATCH_PATCHES,
            (None, geometry) => batch_primitives(geometry.as_ref().map_or(0, GeometryLayout::most_vertices)),
        };
        let counted = indices.as_ref().filter(|_| is_culled);
        Ok(InputAssembler {
            topology: pipeline.topology,
            count: counted.map_or(draw.count, |indices| indices.count().saturating_add(2).min(draw.count)),
            base_vertex: if indices.is_some() { draw.base_vertex as u32 } else { draw.first },
            indices,
            restart,
            instances: draw.instances,
            first_instance: draw.first_instance,
            strides,
            batch_primitives,
        })
    }
}

/// A viewport of this size at the origin.
fn of_size([width, height]: [f32; 2]) -> Viewport {
    Viewport { left: 0.0, top: 0.0, width, height, min_depth: 0.0, max_depth: 1.0 }
}

/// Checks a viewport (functional specification, 15.6).
fn check_viewport(viewport: &Viewport) -> Result<(), DrawError> {
    let &Viewport { left, top, width, height, min_depth, max_depth } = viewport;
    let what = if ![left, top, width, height].iter().all(|number| number.abs() <= 32768.0) {
        format!("{left}, {top}, {width} x {height}: its numbers must lie between -32768 and 32768")
    } else if width < 0.0 || height < 0.0 {
        format!("{width} x {height}: extents cannot be negative")
    } else if !(0.0..=1.0).contains(&min_depth) || !(0.0..=1.0).contains(&max_depth) || min_depth > max_depth {
        format!("from depth {min_depth} to {max_depth}: depths lie between 0 and 1, the least first")
    } else {
        return Ok(());
    };
    Err(DrawError::Viewport { what })
}

/// The vertex buffers of a pipeline, as its vertex shader sees them, and their strides. In Direct3D 11 an unbound one
/// reads as zeros, as does whatever is past the end of a buffer.
#[expect(clippy::type_complexity)]
fn vertex_buffers(
    device: &Device,
    draw: &Draw<'_>,
) -> Result<(Vec<(Register, View)>, [u32; SLOTS as usize]), DrawError> {
    let pipeline = &draw.pipeline.parts;
    let (mut views, mut strides) = (Vec::with_capacity(pipeline.slots.len()), [0; SLOTS as usize]);
    for &slot in &pipeline.slots {
        let count = draw.vertex_buffers.len();
        let found = match draw.vertex_buffers.get(slot as usize) {
            None if pipeline.direct3d9.is_some() => return Err(DrawError::VertexBuffer { slot, count }),
            None => &VertexBuffer { buffer: device.buffer(0)?, offset_bytes: 0, stride_bytes: 0 },
            Some(found) => found,
        };
        let VertexBuffer { buffer, offset_bytes, stride_bytes } = found;
        strides[slot as usize] = *stride_bytes;
        if !offset_bytes.is_multiple_of(4) {
            return Err(DrawError::VertexOffset { slot, offset_bytes: *offset_bytes });
        }
        let start = buffer.size_bytes().min(*offset_bytes) & !3;
        let view = View::raw(buffer.clone())?.with_range(start, buffer.size_bytes() - start)?;
        views.push((Register::new(ResourceClass::ShaderResource, slot).in_space(SPACE), view));
    }
    Ok((views, strides))
}
