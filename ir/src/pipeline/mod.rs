//! Builds the fixed functions around a shader, as part of the same function: they compute its inputs and consume its
//! outputs.
//!
//! A translated pixel shader reads a row of values for each input and writes one for each output. [`pixel`] puts
//! interpolation before it and the output merger after it, so that the caller passes quads, primitives and vertices,
//! and targets are updated in place. Both engines, the verifier and the passes see one function.
//!
//! | file | content |
//! |---|---|
//! | `fetch.rs` | fetching the inputs of vertices |
//! | `rows.rs` | inputs and outputs as values instead of arrays |
//! | `record.rs` | the memory layout of vertices, quads, primitives and batch state |
//! | `interpolate.rs` | interpolation of the inputs of pixels |
//! | `depth.rs` | the depth and stencil tests after the shader |
//! | `fixed.rs` | alpha test and fog, as Direct3D 9 has them between shader and merger |
//! | `merge.rs` | the output merger |
//! | `samples.rs` | positions of samples |
//! | `multisample.rs` | coverage, positions and masks of several samples |
//! | `state.rs` | the state that selects all this code |

mod depth;
mod fetch;
mod fixed;
mod interpolate;
mod merge;
mod multisample;
pub mod record;
mod rows;
pub mod samples;
pub mod state;

use crate::builder::{Builder, only};
use crate::entity::{ArrayId, Inst, ResourceId, Value};
use crate::function::{Function, Input, InstKind, MemoryRef, Object, Query};
use crate::interface::{Component, Dimension, Resource, ResourceClass, ResourceKind};
use crate::ops::Op;
use crate::stage::{Parameter, Signature, Stage, SystemValue, row_of};

use self::interpolate::ShadedPixel;
use self::multisample::Sample;
use self::record::{PixelArray, VertexArray};
use self::rows::{RowOutputs, Rows};
pub use self::state::StageState;
use self::state::{DepthTest, DomainState, Fog, GeometryState, HullState, PixelState, Range, VertexState};

/// The register space of vertex buffers (`t#`, the slot) and targets (`u#`, the output), which no shader can name.
pub const SPACE: u32 = u32::MAX;

/// The register of the depth buffer in [`SPACE`] (`u#`, after those of the targets). Its texels are one unsigned
/// integer: the code of the depth, with the stencil above those of 24 bits.
pub const DEPTH: u32 = 8;

/// Adds the fixed functions around a shader that its state selects.
pub fn complete(func: &mut Function, state: &StageState) {
    match state {
        StageState::None => {}
        StageState::Vertex(state) => vertex(func, state),
        StageState::Hull(state) => hull(func, state),
        StageState::Domain(state) => domain(func, state),
        StageState::Geometry(state) => geometry(func, state),
        StageState::Pixel(state) => pixel(func, state),
    }
}

/// Makes a vertex shader read its inputs from vertex buffers, which follow its resources. Its arrays become those of
/// [`record`]; its outputs lie in the last one, as before.
///
/// The function must be as it was translated, before any pass. That of another stage is left as it is.
pub fn vertex(func: &mut Function, state: &VertexState) {
    let Stage::Vertex(signature) = &func.interface.stage else { return };
    let signature = signature.clone();
    let rows = Rows::take(func, &Signature { output_array: None, ..signature.clone() });
    if let Some(outputs) = signature.output_array {
        rename(func, outputs, VertexArray::Outputs.id());
    }
    func.interface.arrays = record::vertex_arrays(signature.output_rows());
    // Invocations past the end write nothing; other effects would be visible.
    func.interface.fills_packets = !func.interface.has_effects();
    func.interface.stage = Stage::Vertex(Signature {
        input_array: None,
        output_array: Some(VertexArray::Outputs.id()),
        ..signature.clone()
    });
    let buffers = fetch::declare(func, state);

    let b = &mut Builder::new(func);
    let inputs = fetch::inputs(b, &signature, state, &buffers);
    rows.append(b, &inputs);
    b.return_();
}

/// Makes a hull shader read vertices with as many rows as the vertex shader writes.
///
/// That of another stage is left as it is.
pub fn hull(func: &mut Function, state: &HullState) {
    let Stage::Hull(hull) = &func.interface.stage else { return };
    func.interface.arrays = record::hull_arrays(hull, state);
    func.interface.fills_packets = !func.interface.has_effects();
}

/// Makes a domain shader read control points and values of patches with as many rows as the hull shader writes.
///
/// That of another stage is left as it is.
pub fn domain(func: &mut Function, state: &DomainState) {
    let Stage::Domain(domain) = &func.interface.stage else { return };
    func.interface.arrays = record::domain_arrays(domain, state);
    func.interface.fills_packets = !func.interface.has_effects();
}

/// Makes a geometry shader read vertices with as many rows as the stage before writes.
///
/// That of another stage is left as it is.
pub fn geometry(func: &mut Function, state: &GeometryState) {
    let Stage::Geometry(geometry) = &func.interface.stage else { return };
    let rows = state.vertex_rows.max(geometry.signature.input_rows());
    func.interface.arrays = record::geometry_arrays(geometry.input, rows, geometry.signature.output_rows());
    // Invocations past the end emit into memory that nobody reads; other effects would be visible.
    func.interface.fills_packets = !func.interface.has_effects();
}

/// Puts interpolation before a pixel shader and the output merger after it. Its arrays become those of [`record`], and
/// its targets follow its resources, in the order of [`PixelState::targets`], then the depth buffer if it is tested
/// here.
///
/// The function must be as it was translated, before any pass. That of another stage is left as it is.
pub fn pixel(func: &mut Function, state: &PixelState) {
    let Stage::Pixel(signature) = &mut func.interface.stage else { return };
    let own = Signature { input_array: None, output_array: None, ..signature.clone() };
    let signature = std::mem::replace(signature, own);
    let rows = Rows::take(func, &signature);
    func.interface.arrays = record::arrays(state);
    func.interface.fills_packets = true;
    let targets = merge::declare(func, state);
    let depth = state.depth.map(|depth| (depth, depth::declare(func, state)));

    let b = &mut Builder::new(func);
    let of_fog = match state.fog {
        Some(Fog::Vertex(word)) => Some(word),
        _ => None,
    };
    let pixel = ShadedPixel::new(b, &signature, state, of_fog);
    let outputs = rows.append(b, &pixel.inputs);
    let after = AfterShader { state, signature: &signature, pixel: &pixel, outputs: &outputs, targets, depth };
    if state.is_multisampled() {
        after.samples(b)
    } else {
        after.one_sample(b)
    }
    b.return_();
}

/// What follows a pixel shader.
struct AfterShader<'a> {
    state: &'a PixelState,
    signature: &'a Signature,
    pixel: &'a ShadedPixel,
    outputs: &'a RowOutputs,
    targets: Vec<ResourceId>,
    depth: Option<(DepthTest, ResourceId)>,
}

impl AfterShader<'_> {
    /// Pixels of one sample.
    fn one_sample(&self, b: &mut Builder<'_>) {
        let Self { state, signature, pixel, outputs, .. } = self;
        let mut live = pixel.is_covered(b);
        if let Some(is_inside) = is_inside(b, &pixel.texel, self.all_targets()) {
            live = b.op(Op::BAnd, &[live, is_inside]);
        }
        live = self.without_discarded(b, live);
        if let Some(row) = row_of(&signature.outputs, SystemValue::Coverage) {
            let (mask, one, zero) = (outputs.word(b, row, 0), b.i32(1), b.i32(0));
            let sample = b.op(Op::And, &[mask, one]);
            let stays = b.op(Op::INe, &[sample, zero]);
            live = b.op(Op::BAnd, &[live, stays]);
        }
        if state.alpha_to_coverage {
            let (alpha, half) = (outputs.word(b, 0, 3), b.f32(0.5));
            let alpha = b.op(Op::AsF32, &[alpha]);
            // NaN covers nothing.
            let stays = b.op(Op::FLt, &[half, alpha]);
            live = b.op(Op::BAnd, &[live, stays]);
        }
        live = self.with_alpha_test(b, live);
        if let Some((late, resource)) = self.depth {
            let z = depth::of_pixel(b, pixel, signature, outputs);
            let reference = depth::reference(b, signature, outputs);
            live = depth::test(b, late, resource, pixel, &pixel.texel, [z, reference], live);
        }
        if state.reports_live {
            let (one, zero) = (b.i32(1), b.i32(0));
            let word = b.select(live, one, zero);
            report(b, word);
        }
        self.merge(b, &pixel.texel, live);
    }

    /// Pixels of several samples, or of one in targets of several.
    fn samples(&self, b: &mut Builder<'_>) {
        let Self { state, signature, pixel, outputs, .. } = self;
        let (covered_count, target_count) = (state.pattern.count(), state.target_samples.max(1));
        let mut live = match covered_count {
            1 => pixel.is_covered(b),
            _ => b.bool(true),
        };
        // If the last sample of a layer lies inside, all do.
        let last = self.texel(b, pixel.sample.map_or(Sample::Known(target_count - 1), Sample::Computed));
        if let Some(is_inside) = is_inside(b, &last, self.all_targets()) {
            live = b.op(Op::BAnd, &[live, is_inside]);
        }
        live = self.without_discarded(b, live);
        live = self.with_alpha_test(b, live);
        let covered = (covered_count > 1).then(|| pixel.samples(b));
        // Where the counts differ, every covered sample stands for all of the target's.
        let is_forced = covered_count != target_count;
        let (rasterized, covered) = if is_forced { (covered, None) } else { (None, covered) };
        if let Some(rasterized) = &rasterized {
            let any = rasterized.any(b);
            live = b.op(Op::BAnd, &[live, any]);
        }
        let output_mask = row_of(&signature.outputs, SystemValue::Coverage).map(|row| outputs.word(b, row, 0));
        let alpha = state.alpha_to_coverage.then(|| {
            let alpha = outputs.word(b, 0, 3);
            b.op(Op::AsF32, &[alpha])
        });
        let reference = self.depth.map(|_| depth::reference(b, signature, outputs));
        let samples = match pixel.sample {
            Some(sample) => vec![Sample::Computed(sample)],
            None => (0..target_count).map(Sample::Known).collect(),
        };
        let mut count = b.i32(0);
        for sample in samples {
            let texel = self.texel(b, sample);
            let mut live = live;
            let mut stays = |b: &mut Builder<'_>, stays| live = b.op(Op::BAnd, &[live, stays]);
            if let Some(covered) = &covered {
                let is_covered = covered.has(b, sample);
                stays(b, is_covered);
            } else if target_count > 1 {
                let mask = interpolate::target_mask(b);
                let is_drawn = sample.is_in(b, mask);
                stays(b, is_drawn);
            }
            if let Some(mask) = output_mask {
                let is_in = sample.is_in(b, mask);
                stays(b, is_in);
            }
            if let Some(alpha) = alpha {
                let is_covered = sample.is_covered_by(b, alpha, target_count);
                stays(b, is_covered);
            }
            if let Some(((late, resource), reference)) = self.depth.zip(reference) {
                let z = match depth::of_shader(b, pixel, signature, outputs) {
                    Some(z) => z,
                    None => pixel.depth_at(b, sample),
                };
                live = depth::test(b, late, resource, pixel, &texel, [z, reference], live);
            }
            let (one, zero) = (b.i32(1), b.i32(0));
            let word = b.select(live, one, zero);
            count = b.op(Op::IAdd, &[count, word]);
            self.merge(b, &texel, live);
        }
        if state.reports_live {
            // Where the counts differ, those of the rasterizer count, if anything is left (20.4.6).
            if is_forced {
                let (zero, one) = (b.i32(0), b.i32(1));
                let is_left = b.op(Op::INe, &[count, zero]);
                let all = rasterized.map_or(one, |covered| covered.count(b));
                count = b.select(is_left, all, zero);
            }
            report(b, count);
        }
    }

    /// The texel of a sample in targets.
    fn texel(&self, b: &mut Builder<'_>, sample: Sample) -> Vec<Value> {
        let mut texel = self.pixel.texel.clone();
        let count = self.state.target_samples.max(1);
        if let (Some(layer), true) = (texel.get_mut(2), count > 1) {
            let (samples, number) = (b.i32(count), sample.value(b));
            let first = b.op(Op::IMul, &[*layer, samples]);
            *layer = b.op(Op::IAdd, &[first, number]);
        }
        texel
    }

    fn all_targets(&self) -> impl Iterator<Item = ResourceId> {
        self.targets.iter().copied().chain(self.depth.map(|(_, resource)| resource))
    }

    /// Removes what the shader discarded.
    fn without_discarded(&self, b: &mut Builder<'_>, live: Value) -> Value {
        let Some(row) = row_of(&self.signature.outputs, SystemValue::Discarded) else { return live };
        let (discarded, zero) = (self.outputs.word(b, row, 0), b.i32(0));
        let stays = b.op(Op::IEq, &[discarded, zero]);
        b.op(Op::BAnd, &[live, stays])
    }

    /// Removes what fails the alpha test, if there is one.
    fn with_alpha_test(&self, b: &mut Builder<'_>, live: Value) -> Value {
        let Some(test) = self.state.alpha_test else { return live };
        let alpha = self.outputs.word(b, 0, 3);
        let first = self.state.targets.iter().find(|target| target.output == 0);
        let is_clamped = first.is_none_or(|target| target.range == Range::Unorm);
        let stays = fixed::alpha_test(b, test, alpha, is_clamped);
        b.op(Op::BAnd, &[live, stays])
    }

    /// Writes a texel of each target where it is live.
    fn merge(&self, b: &mut Builder<'_>, texel: &[Value], live: Value) {
        for (target, &resource) in self.state.targets.iter().zip(&self.targets) {
            // An undeclared output leaves its target as it is (16.9.1).
            let is_its = |output: &Parameter| output.row == target.output && output.system_value.is_none();
            if !self.signature.outputs.iter().any(is_its) {
                continue;
            }
            let [mut source, second] =
                [target.output, 1].map(|output| [0, 1, 2, 3].map(|component| self.outputs.word(b, output, component)));
            if let Some(fog) = self.state.fog {
                source = fixed::fogged(b, fog, self.pixel, source);
            }
            merge::target(b, target, resource, texel, [source, second], live);
        }
    }
}

/// Reports how many samples of a pixel are live.
fn report(b: &mut Builder<'_>, count: Value) {
    let (number, offset, always) = (b.input(Input::ThreadId(0)), b.i32(0), b.bool(true));
    let place = MemoryRef { object: Object::Array(PixelArray::Live.id()), index: Some(number), offset };
    b.store(place, &[count], always);
}

/// `true` if a texel lies in every bound target and in the depth buffer; `None` if there are none.
///
/// Accesses to targets do not compare coordinates themselves (`passes/texels.rs`). Bound ones are of one size, as a
/// rule: so one comparison per axis, with the least extent, serves all. Unbound ones have extents of 0, and a last
/// coordinate that wraps to `u32::MAX`.
fn is_inside(b: &mut Builder<'_>, texel: &[Value], targets: impl Iterator<Item = ResourceId>) -> Option<Value> {
    let (zero, one) = (b.i32(0), b.i32(1));
    let mut last =
        |target| b.query(Query::TextureSize, only(target), Some(zero)).map(|extent| b.op(Op::ISub, &[extent, one]));
    let sizes: Vec<[Value; 4]> = targets.map(&mut last).collect();
    let least = sizes.into_iter().reduce(|a, c| std::array::from_fn(|n| b.op(Op::UMin, &[a[n], c[n]])))?;
    let is_in: Vec<Value> = texel.iter().zip(least).map(|(&texel, last)| b.op(Op::UGe, &[last, texel])).collect();
    is_in.into_iter().reduce(|a, c| b.op(Op::BAnd, &[a, c]))
}

/// Declares a target or the depth buffer.
fn declare_target(func: &mut Function, state: &PixelState, component: Component, register: u32) -> ResourceId {
    let is_array = state.has_layers || state.target_samples > 1;
    let dimension = if is_array { Dimension::Texture2dArray } else { Dimension::Texture2d };
    declare(func, ResourceClass::UnorderedAccess, ResourceKind::Typed { dimension, component }, register)
}

/// Declares a resource, after those of the shader.
fn declare(func: &mut Function, class: ResourceClass, kind: ResourceKind, register: u32) -> ResourceId {
    let resources = &mut func.interface.resources;
    let (space, count) = (SPACE, Some(1));
    resources.push(Resource { space, count, ..Resource::new(class, kind, register) });
    ResourceId::new(resources.len() - 1)
}

/// Redirects accesses from one array to another.
fn rename(func: &mut Function, from: ArrayId, to: ArrayId) {
    for inst in 0..func.inst_count() {
        if let InstKind::Load { place } | InstKind::Store { place, .. } = &mut func.inst_mut(Inst::new(inst)).kind
            && place.object == Object::Array(from)
        {
            place.object = Object::Array(to);
        }
    }
}
