//! Lowers texel accesses to memory accesses, where the format of the bound view is known.
//!
//! A texel becomes words at an element of the view, and arithmetic: its address can be analysed, shared and moved like
//! any other, and a row of texels is a strided access.
//!
//! An element is counted from the view's first texel. A coordinate beyond its axis would be a texel of another row, so
//! each is compared with its extent; the element itself is checked by the engine, as in all accesses. The pipeline
//! compares a pixel's coordinates with all of its targets at once, and ignores what pixels outside of them read: here
//! no coordinate of a target is compared.

use crate::builder::Builder;
use crate::entity::{Inst, Region, Value};
use crate::function::{Element, Function, InstKind, MemoryRef, Object, Query, ResourceRef};
use crate::interface::{Dimension, ResourceKind};
use crate::ops::Op;
use crate::pipeline::SPACE;
use crate::replacements::Replacements;
use crate::texel::TexelFormat;

/// Runs the pass. `formats` has the format of each resource's one register, where it is known, in declaration order.
pub(super) fn run(func: &mut Function, formats: &[Option<TexelFormat>]) -> bool {
    for (resource, format) in func.interface.resources.iter_mut().zip(formats) {
        if matches!(resource.kind, ResourceKind::Typed { .. }) {
            resource.element_bytes = format.as_ref().map(TexelFormat::size_bytes);
        }
    }
    let mut replacements = Replacements::new(func);
    let mut changed = false;
    for n in 0..func.region_count() {
        let region = Region::new(n);
        let insts = std::mem::take(&mut func.region_mut(region).insts);
        for inst in insts {
            match known(func, inst, formats) {
                Some(format) => {
                    changed = true;
                    write(func, region, inst, &format, &mut replacements);
                }
                None => func.region_mut(region).insts.push(inst),
            }
        }
    }
    if changed {
        replacements.apply_to_all(func);
    }
    changed
}

/// The format of the texel that an instruction accesses, if code can perform the access.
fn known(func: &Function, inst: Inst, formats: &[Option<TexelFormat>]) -> Option<TexelFormat> {
    let kind = &func.inst(inst).kind;
    let (InstKind::TexelLoad { resource, .. }
    | InstKind::TexelStore { resource, .. }
    | InstKind::TexelAtomic { resource, .. }) = kind
    else {
        return None;
    };
    let format = formats.get(resource.id.index()).copied().flatten()?;
    let is_possible = match kind {
        InstKind::TexelLoad { resource, level, .. } => {
            is_multisampled(func, *resource)
                || level.is_none_or(|level| func.as_const(level).is_some_and(|level| level.bits == 0))
        }
        InstKind::TexelStore { .. } => format.is_writable(),
        _ => format.words == 1 && format.is_writable(),
    };
    let has_layout = match func.interface.resource(resource.id).kind {
        ResourceKind::Typed { dimension, .. } => !dimension.is_cube(),
        _ => false,
    };
    (is_possible && has_layout && resource.element == Element::Fixed(0)).then_some(format)
}

fn is_multisampled(func: &Function, resource: ResourceRef) -> bool {
    let kind = func.interface.resource(resource.id).kind;
    matches!(kind, ResourceKind::Typed { dimension, .. } if dimension.is_multisampled())
}

/// Writes the access of an instruction to a texel into its region.
fn write(func: &mut Function, region: Region, inst: Inst, format: &TexelFormat, replacements: &mut Replacements) {
    let data = func.inst(inst).clone();
    let mut b = Builder::new(func);
    b.switch_to(region);
    b.set_origin(data.origin);
    match data.kind {
        InstKind::TexelLoad { resource, coords, level } => {
            let sample = level.filter(|_| is_multisampled(b.func, resource));
            let (coords, is_one) = match sample {
                Some(sample) => plane(&mut b, resource, &coords, sample),
                None => (coords.to_vec(), None),
            };
            let (mut place, inside) = locate(&mut b, resource, &coords, format);
            let inside = inside.map(|inside| both(&mut b, inside, is_one));
            let bit = part(&mut b, &mut place, format);
            let mut words = b.load(place, format.words as usize);
            if let Some(inside) = inside {
                let zero = b.i32(0);
                words.iter_mut().for_each(|word| *word = b.select(inside, *word, zero));
            }
            if let Some(bit) = bit {
                // Its neighbours above it are left: channels are cut out.
                words[0] = b.op(Op::UShr, &[words[0], bit]);
            }
            let values = format.decode(&mut b, &words);
            for (&result, value) in data.results.iter().zip(values) {
                replacements.replace(result, value);
            }
        }
        InstKind::TexelStore { resource, coords, values, effect } => {
            let (place, inside) = locate(&mut b, resource, &coords, format);
            let words = format.encode(&mut b, &values);
            let effect = both(&mut b, effect, inside);
            b.store(place, &words, effect);
        }
        InstKind::TexelAtomic { op, resource, coords, value, compare, effect } => {
            let (place, inside) = locate(&mut b, resource, &coords, format);
            let effect = both(&mut b, effect, inside);
            let old = b.atomic(op, place, value, compare, effect);
            replacements.replace(data.results[0], old);
        }
        _ => unreachable!("only called for texels"),
    }
}

/// The coordinates of a sample: it is one of the planes of a layer. Also whether the layer has it, unless comparing the
/// number of the plane is enough.
fn plane(b: &mut Builder<'_>, resource: ResourceRef, coords: &[Value], sample: Value) -> (Vec<Value>, Option<Value>) {
    let &[x, y, layer] = coords else { return ([coords, &[sample]].concat(), None) };
    let [count, ..] = b.query(Query::SampleCount, resource, None);
    let [.., planes, _] = b.query(Query::Layout, resource, None);
    let start = b.op(Op::IMul, &[layer, count]);
    let plane = b.op(Op::IAdd, &[start, sample]);
    // The product does not overflow where there are more planes than that.
    let (has_sample, has_layer) = (b.op(Op::ULt, &[sample, count]), b.op(Op::ULt, &[layer, planes]));
    (vec![x, y, plane], Some(b.op(Op::BAnd, &[has_sample, has_layer])))
}

fn both(b: &mut Builder<'_>, effect: Value, inside: Option<Value>) -> Value {
    match inside {
        Some(inside) => b.op(Op::BAnd, &[effect, inside]),
        None => effect,
    }
}

/// The first bit in its word of a texel that is a part of one. The reference, whose index is the number of a texel,
/// gets that of the word.
fn part(b: &mut Builder<'_>, place: &mut MemoryRef, format: &TexelFormat) -> Option<Value> {
    if format.word_shift == 0 {
        return None;
    }
    let texel = place.index.expect("texels have numbers");
    let (shift, bits) = (b.i32(format.word_shift), b.i32(5 - format.word_shift));
    let last = b.i32((1 << format.word_shift) - 1);
    let in_word = b.op(Op::And, &[texel, last]);
    place.index = Some(b.op(Op::UShr, &[texel, shift]));
    Some(b.op(Op::Shl, &[in_word, bits]))
}

/// The first word of a texel, and whether its coordinates are within their axes; `None` if the engine's check of the
/// element is enough. Where texels are parts of words, the number of the texel.
fn locate(
    b: &mut Builder<'_>,
    resource: ResourceRef,
    coords: &[Value],
    format: &TexelFormat,
) -> (MemoryRef, Option<Value>) {
    let ResourceKind::Typed { dimension, .. } = b.func.interface.resource(resource.id).kind else {
        unreachable!("only called for texels")
    };
    let (object, offset) = (Object::Resource(resource), b.i32(0));
    if dimension == Dimension::Buffer {
        // The last word may have texels that are not in the view.
        let inside = (format.word_shift > 0).then(|| {
            let [count, ..] = b.query(Query::BufferSize, resource, None);
            b.op(Op::ULt, &[coords[0], count])
        });
        return (MemoryRef { object, index: Some(coords[0]), offset }, inside);
    }
    let [width, height, layers, layer_texels] = b.query(Query::Layout, resource, None);
    // Extents of the coordinates' axes, and the stride of each in texels.
    let axes: &[(Value, Value)] = match dimension {
        Dimension::Texture1dArray => &[(layers, layer_texels)],
        _ => &[(height, width), (layers, layer_texels)],
    };
    let mut index = coords[0];
    for (&coord, &(_, texels)) in coords[1..].iter().zip(axes) {
        let start = b.op(Op::IMul, &[coord, texels]);
        index = b.op(Op::IAdd, &[start, index]);
    }
    let extents = std::iter::once(width).chain(axes.iter().map(|&(extent, _)| extent));
    let inside = (b.func.interface.resource(resource.id).space != SPACE).then(|| {
        let is_in: Vec<Value> =
            coords.iter().zip(extents).map(|(&coord, extent)| b.op(Op::ULt, &[coord, extent])).collect();
        is_in.into_iter().reduce(|a, c| b.op(Op::BAnd, &[a, c])).expect("a texel has coordinates")
    });
    (MemoryRef { object, index: Some(index), offset }, inside)
}
