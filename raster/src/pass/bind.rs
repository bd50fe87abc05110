//! Binds a draw: checks it, and what its shaders use becomes what the schedule draws.

use brolga_ir::pipeline::record::{BatchState, SLOTS};
use brolga_ir::pipeline::{DEPTH, SPACE};
use brolga_runtime::{Bindings, BoundShader, Device, Leniency, Register, ResourceClass, StageKind, Stages, View};

use super::{Draw, Pass, VertexBuffer};
use crate::direct3d9;
use crate::error::DrawError;
use crate::pass::schedule::BoundDraw;
use crate::pipeline::codes;
use crate::setup::Raster;
use crate::setup::bias::DepthBias;
use crate::setup::clip::MOST_CLIP_PLANES;
use crate::setup::shape::{Bounds, PointSizes};
use crate::setup::viewport::{Area, Viewport};
use crate::state::Kind;
use crate::tiles::targets::DepthView;
use crate::tiles::walk::Shading;
use crate::vertices::assembly::InputAssembler;
use crate::vertices::indices::IndexBuffer;

/// Viewports that a vertex shader can choose.
const MOST_VIEWPORTS: usize = 16;

impl Pass<'_> {
    /// Checks a draw, and binds what its shaders use.
    pub(super) fn bind(&self, draw: &Draw<'_>) -> Result<BoundDraw, DrawError> {
        let pipeline = draw.pipeline;
        self.targets.check_formats(pipeline)?;
        let rules = pipeline.direct3d9.as_ref();
        let viewport = self.viewport(draw);
        let areas = self.areas(draw, viewport)?;
        let (bindings, strides) = self.bindings(draw)?;
        let bind = |stage| self.bind_shader(draw, stage, &bindings);
        let pixel = bind(StageKind::Pixel)?;
        let depth = self.targets.depth.as_ref();
        let mut state = BatchState {
            blend_factor: draw.blend_factor,
            depths: viewport.depths(),
            stencil_reference: draw.stencil_reference.into(),
            read_only: depth.map_or(0, DepthView::read_only_bits),
            ..BatchState::default()
        };
        if let Some(rules) = rules {
            draw.direct3d9.put(rules.state.fog, &mut state);
        }
        let input = self.input(draw, strides)?;
        Ok(BoundDraw {
            vertex: bind(StageKind::Vertex)?.expect("no pipeline is made without one"),
            pixel,
            input,
            outputs: pipeline.outputs.clone(),
            raster: pipeline.rasterizes.then_some(Raster {
                areas,
                state: pipeline.rasterizer,
                bias: match rules {
                    None => DepthBias::new(&pipeline.rasterizer, self.target.depth.as_ref().map(|depth| depth.format)),
                    Some(rules) => DepthBias::of_direct3d9(rules.state.depth_bias, &pipeline.rasterizer),
                },
                points: rules.map(|rules| PointSizes {
                    word: rules.size_word,
                    usual: draw.direct3d9.point_size,
                    range: draw.direct3d9.point_size_range,
                }),
                // Where nothing is drawn to, the mask is not looked at (functional specification, 3.5.6.4).
                is_masked: draw.sample_mask & 1 == 0 && !self.targets.is_empty(),
                has_wide_lines: rules.is_none() && pipeline.rasterizer.multisample,
                has_last_pixels: rules.is_some_and(|rules| !rules.state.omits_last_pixels),
                is_transformed: rules.is_some_and(|rules| rules.is_transformed),
            }),
            shading: Shading {
                depth: pipeline
                    .depth
                    .filter(|_| !pipeline.is_late)
                    .map(|test| depth.map_or(test, |depth| depth.restrict(test))),
                is_late: pipeline.is_late,
                reports_live: pipeline.reports_live,
                rows: pipeline.rows,
                state,
            },
        })
    }

    /// The first viewport.
    fn viewport(&self, draw: &Draw<'_>) -> Viewport {
        let [width, height, _] = self.target.extents;
        // Without targets it is the viewport that says how large the picture is, and nothing if there is none.
        let whole = if self.targets.is_empty() { [0.0; 2] } else { [width as f32, height as f32] };
        let viewport = draw.viewport.unwrap_or(of_size(whole));
        if draw.pipeline.direct3d9.is_some() { direct3d9::with_depth_range(viewport) } else { viewport }
    }

    /// The parts of the targets that are drawn to: the first viewport's, or all that the vertex shader can choose.
    fn areas(&self, draw: &Draw<'_>, viewport: Viewport) -> Result<Vec<Area>, DrawError> {
        let pipeline = draw.pipeline;
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
                Some(_) => (viewport.moved(0.5), draw.direct3d9.planes().collect()),
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
        Ok(areas)
    }

    /// What is bound to each shader: what the draw says, vertex buffers and targets. Also the strides of vertex buffers.
    fn bindings(&self, draw: &Draw<'_>) -> Result<(Stages<Bindings>, Vec<u32>), DrawError> {
        let pipeline = draw.pipeline;
        // Most stages have no shader, whatever is bound to all.
        let mut bindings =
            draw.bindings.map(|stage, bindings| lenient(bindings.filter(|_| pipeline.shader(stage).is_some())));
        let strides = bind_vertex_buffers(self.device, draw, &mut bindings[StageKind::Vertex])?;
        for (stage, shader) in pipeline.shaders.present() {
            if pipeline.direct3d9.is_some() {
                direct3d9::complete(self.device, shader, &mut bindings[stage])?;
            }
            self.targets.check_hazards(stage.name(), shader, &bindings[stage], pipeline)?;
        }
        let has_layers = pipeline.outputs.layer.is_some();
        let as_target = |view: &View| if has_layers { view.as_target_array() } else { view.as_target() };
        for (n, view) in (0..).zip(&self.targets.colors[..pipeline.targets.len()]) {
            let register = Register::new(ResourceClass::UnorderedAccess, n).in_space(SPACE);
            bindings[StageKind::Pixel].set(register, as_target(view)?);
        }
        if let (true, Some(target), Some(depth)) = (pipeline.is_late, &self.target.depth, &self.targets.depth) {
            let view = depth.view.clone().with_format(codes(target.format))?;
            let register = Register::new(ResourceClass::UnorderedAccess, DEPTH).in_space(SPACE);
            bindings[StageKind::Pixel].set(register, as_target(&view)?);
        }
        Ok((bindings, strides))
    }

    fn bind_shader(
        &self,
        draw: &Draw<'_>,
        stage: StageKind,
        bindings: &Stages<Bindings>,
    ) -> Result<Option<BoundShader>, DrawError> {
        let Some(shader) = draw.pipeline.shader(stage) else { return Ok(None) };
        let bound = self.device.bind(shader, &bindings[stage]);
        bound.map(Some).map_err(|source| DrawError::Shader { stage: stage.name(), source })
    }

    /// What the input assembler reads.
    fn input(&self, draw: &Draw<'_>, strides: Vec<u32>) -> Result<InputAssembler, DrawError> {
        let pipeline = draw.pipeline;
        let buffer = draw.index_buffer.as_ref();
        let indices = buffer.map(|buffer| buffer.indices(draw.first, draw.count)).transpose()?;
        let restart = buffer.filter(|_| pipeline.direct3d9.is_none()).map(IndexBuffer::restart);
        // Whoever asks at every index takes longer.
        let restart = match (restart, &indices) {
            (Some(restart), Some(indices)) => {
                let deadline = self.deadline()?;
                let found = indices.contain(restart, &|| deadline.token().is_cancelled());
                found.map_err(|error| self.stopped(error.into(), deadline.token()))?.then_some(restart)
            }
            _ => None,
        };
        // All indices past the end of the buffer are 0: such triangles have no inside, and such lines no length.
        let counted = indices.as_ref().filter(|_| pipeline.topology.kind() != Kind::Point);
        Ok(InputAssembler {
            topology: pipeline.topology,
            count: counted.map_or(draw.count, |indices| indices.count().saturating_add(2).min(draw.count)),
            base_vertex: if indices.is_some() { draw.base_vertex as u32 } else { draw.first },
            indices,
            restart,
            instances: draw.instances,
            first_instance: draw.first_instance,
            strides,
        })
    }
}

/// A viewport of so many columns and rows, from the first of them on.
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

/// Bindings to which registers may be added that the shader does not declare.
fn lenient(bindings: Option<&Bindings>) -> Bindings {
    let Some(bindings) = bindings else { return Bindings::new() };
    let mut all = Bindings::with_rules(bindings.rules().allow(Leniency::Undeclared));
    for (register, view) in bindings.iter() {
        all.set(register, view.clone());
    }
    all
}

/// Binds the vertex buffers that a pipeline reads, and gives their strides. In Direct3D 11 what is not bound reads as zeros, as what is past
/// the end of a buffer does.
fn bind_vertex_buffers(device: &Device, draw: &Draw<'_>, bindings: &mut Bindings) -> Result<Vec<u32>, DrawError> {
    let mut strides = vec![0; SLOTS as usize];
    for &slot in &draw.pipeline.slots {
        let count = draw.vertex_buffers.len();
        let found = match draw.vertex_buffers.get(slot as usize) {
            None if draw.pipeline.direct3d9.is_some() => return Err(DrawError::VertexBuffer { slot, count }),
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
        bindings.set(Register::new(ResourceClass::ShaderResource, slot).in_space(SPACE), view);
    }
    Ok(strides)
}
