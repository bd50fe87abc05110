//! Fetches the inputs of vertices: elements of vertex buffers, converted from their formats (functional specification,
//! 8.5 and 19.1).

use std::collections::HashMap;

use crate::builder::{Builder, only};
use crate::entity::{ResourceId, Value};
use crate::function::{Function, Input, MemoryRef, Object};
use crate::interface::{ResourceClass, ResourceKind};
use crate::ops::Op;
use crate::stage::{Signature, SystemValue};
use crate::texel::ChannelKind;

use super::record::{BatchVertex, VertexArray, word, words};
use super::rows::RowWords;
use super::state::{Advance, VertexElement, VertexState};

/// Declares the vertex buffers of elements as resources, after those of the shader, with slots as registers. Returns
/// the buffer of each element.
pub(super) fn declare(func: &mut Function, state: &VertexState) -> Vec<ResourceId> {
    let mut buffers = HashMap::new();
    let mut declare = |element: &VertexElement| {
        let new = || super::declare(func, ResourceClass::ShaderResource, ResourceKind::Raw, element.slot);
        *buffers.entry(element.slot).or_insert_with(new)
    };
    state.elements.iter().map(&mut declare).collect()
}

/// The inputs of a vertex. Registers that no element fills are 0.
pub(super) fn inputs(
    b: &mut Builder<'_>,
    signature: &Signature,
    state: &VertexState,
    buffers: &[ResourceId],
) -> RowWords {
    let number = b.input(Input::ThreadId(0));
    let vertex = words(b, VertexArray::Vertices.id(), number, word!(BatchVertex.index));
    let [index, id, instance_id, first_instance] = vertex;
    let mut rows = vec![[None; 4]; signature.input_rows() as usize];
    for input in &signature.inputs {
        let id = match input.system_value {
            Some(SystemValue::VertexId) => id,
            Some(SystemValue::InstanceId) => instance_id,
            _ => continue,
        };
        for component in input.components() {
            rows[input.row as usize][component] = Some(id);
        }
    }
    for (element, &buffer) in state.elements.iter().zip(buffers) {
        let index = match element.advance {
            Advance::Vertex => index,
            Advance::Instance { step: 0 } => first_instance,
            Advance::Instance { step } => {
                let step = b.i32(step);
                let instance = b.op(Op::UDiv, &[instance_id, step]);
                b.op(Op::IAdd, &[first_instance, instance])
            }
        };
        let texel = read(b, buffer, element, index);
        if let Some(row) = rows.get_mut(element.row as usize) {
            *row = texel.map(Some);
        }
    }
    rows
}

/// The four words of an element, converted.
fn read(b: &mut Builder<'_>, buffer: ResourceId, element: &VertexElement, index: Value) -> [Value; 4] {
    let first = b.i32(0);
    let [stride] = words(b, VertexArray::Strides.id(), first, element.slot);
    // Addresses have 32 bits and wrap (functional specification, 8.19.1).
    let (start, before) = (b.op(Op::IMul, &[index, stride]), b.i32(element.offset));
    let offset = b.op(Op::IAdd, &[start, before]);
    let place = MemoryRef { object: Object::Resource(only(buffer)), index: None, offset };
    let mut words = b.load(place, element.format.words as usize);
    if element.size_bytes < 4 {
        // The element lies within one word, which the load reads as a whole.
        let (three, eight) = (b.i32(3), b.i32(8));
        let byte = b.op(Op::And, &[offset, three]);
        let shift = b.op(Op::IMul, &[byte, eight]);
        words[0] = b.op(Op::UShr, &[words[0], shift]);
    }
    let texel = element.format.decode(b, &words);
    if !element.is_scaled {
        return texel;
    }
    std::array::from_fn(|n| {
        let is_signed = element.format.channels[n].is_some_and(|channel| channel.kind == ChannelKind::Sint);
        let number = b.op(if is_signed { Op::SToF } else { Op::UToF }, &[texel[n]]);
        b.op(Op::BitsF32, &[number])
    })
}
