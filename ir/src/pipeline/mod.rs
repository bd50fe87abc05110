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
//! | `state.rs` | the state that selects all this code |

mod depth;
mod fetch;
mod fixed;
mod interpolate;
mod merge;
pub mod record;
mod rows;
pub mod state;

use crate::builder::{Builder, only};
use crate::entity::{ArrayId, Inst, ResourceId, Value};
use crate::function::{Function, Input, InstKind, MemoryRef, Object, Query};
use crate::interface::{Component, Dimension, Resource, ResourceClass, ResourceKind};
use crate::ops::Op;
use crate::stage::{Parameter, Signature, Stage, SystemValue, row_of};

use self::interpolate::ShadedPixel;
use self::record::{PixelArray, VertexArray};
use self::rows::Rows;
pub use self::state::StageState;
use self::state::{Fog, PixelState, Range, VertexState};

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
    func.interface.fills_packets =
        func.interface.resources.iter().all(|resource| resource.class != ResourceClass::UnorderedAccess);
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
    let mut live = pixel.is_covered(b);
    if let Some(is_inside) = is_inside(b, &pixel, targets.iter().copied().chain(depth.map(|(_, resource)| resource))) {
        live = b.op(Op::BAnd, &[live, is_inside]);
    }
    if let Some(row) = row_of(&signature.outputs, SystemValue::Discarded) {
        let (discarded, zero) = (outputs.word(b, row, 0), b.i32(0));
        let stays = b.op(Op::IEq, &[discarded, zero]);
        live = b.op(Op::BAnd, &[live, stays]);
    }
    if let Some(row) = row_of(&signature.outputs, SystemValue::Coverage) {
        // There is one sample.
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
    if let Some(test) = state.alpha_test {
        let alpha = outputs.word(b, 0, 3);
        let is_clamped = state.targets.iter().find(|target| target.output == 0).is_none_or(|t| t.range == Range::Unorm);
        let stays = fixed::alpha_test(b, test, alpha, is_clamped);
        live = b.op(Op::BAnd, &[live, stays]);
    }
    if let Some((late, resource)) = depth {
        let z = depth::of_pixel(b, &pixel, &signature, &outputs);
        let reference = depth::reference(b, &signature, &outputs);
        live = depth::test(b, late, resource, &pixel, [z, reference], live);
    }
    if state.reports_live {
        let (number, offset) = (b.input(Input::ThreadId(0)), b.i32(0));
        let (one, zero, always) = (b.i32(1), b.i32(0), b.bool(true));
        let word = b.select(live, one, zero);
        let place = MemoryRef { object: Object::Array(PixelArray::Live.id()), index: Some(number), offset };
        b.store(place, &[word], always);
    }
    for (target, resource) in state.targets.iter().zip(targets) {
        // An undeclared output leaves its target as it is (16.9.1).
        let is_its = |output: &Parameter| output.row == target.output && output.system_value.is_none();
        if !signature.outputs.iter().any(is_its) {
            continue;
        }
        let [mut source, second] =
            [target.output, 1].map(|output| [0, 1, 2, 3].map(|component| outputs.word(b, output, component)));
        if let Some(fog) = state.fog {
            source = fixed::fogged(b, fog, &pixel, source);
        }
        merge::target(b, target, resource, &pixel, [source, second], live);
    }
    b.return_();
}

/// `true` if a pixel lies in every bound target and in the depth buffer; `None` if there are none.
///
/// Accesses to targets do not compare coordinates themselves (`passes/texels.rs`). Bound ones are of one size, as a
/// rule: so one comparison per axis, with the least extent, serves all. Unbound ones have extents of 0, and a last
/// coordinate that wraps to `u32::MAX`.
fn is_inside(b: &mut Builder<'_>, pixel: &ShadedPixel, targets: impl Iterator<Item = ResourceId>) -> Option<Value> {
    let (zero, one) = (b.i32(0), b.i32(1));
    let mut last =
        |target| b.query(Query::TextureSize, only(target), Some(zero)).map(|extent| b.op(Op::ISub, &[extent, one]));
    let sizes: Vec<[Value; 4]> = targets.map(&mut last).collect();
    let least = sizes.into_iter().reduce(|a, c| std::array::from_fn(|n| b.op(Op::UMin, &[a[n], c[n]])))?;
    let is_in: Vec<Value> = pixel.texel.iter().zip(least).map(|(&texel, last)| b.op(Op::UGe, &[last, texel])).collect();
    is_in.into_iter().reduce(|a, c| b.op(Op::BAnd, &[a, c]))
}

/// Declares a target or the depth buffer.
fn declare_target(func: &mut Function, state: &PixelState, component: Component, register: u32) -> ResourceId {
    let dimension = if state.has_layers { Dimension::Texture2dArray } else { Dimension::Texture2d };
    declare(func, ResourceClass::UnorderedAccess, ResourceKind::Typed { dimension, component }, register)
}

/// Declares a resource, after those of the shader.
fn declare(func: &mut Function, class: ResourceClass, kind: ResourceKind, register: u32) -> ResourceId {
    let resources = &mut func.interface.resources;
    let (space, count) = (SPACE, Some(1));
    resources.push(Resource { class, kind, space, lower: register, count, uses_counter: false, texel_bytes: None });
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
