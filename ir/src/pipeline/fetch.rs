//! The inputs of vertices: elements of vertex buffers, converted from their formats (functional specification, 8.5 and 19.1).

use crate::builder::{Builder, only};
use crate::entity::{ResourceId, Value};
use crate::function::{Element, Function, Input, MemoryRef, Object, ResourceRef};
use crate::interface::{Resource, ResourceClass, ResourceKind};
use crate::ops::Op;
use crate::stage::{Signature, SystemValue};

use super::record::{VertexArray, vertex};
use super::rows::Words;
use super::state::{Advance, VertexElement, VertexState};

/// The register space of vertex buffers, which no shader can name. Their registers are their slots.
pub const BUFFER_SPACE: u32 = u32::MAX;

/// Declares the vertex buffers that elements lie in as resources, which follow those of the shader; gives each slot's.
pub(super) fn declare(func: &mut Function, state: &VertexState) -> Vec<Option<ResourceId>> {
    let slots = state.elements.iter().map(|element| element.slot as usize + 1).max().unwrap_or(0);
    let mut buffers = vec![None; slots];
    for element in &state.elements {
        let resources = &mut func.interface.resources;
        buffers[element.slot as usize].get_or_insert_with(|| {
            resources.push(Resource {
                class: ResourceClass::ShaderResource,
                kind: ResourceKind::Raw,
                space: BUFFER_SPACE,
                lower: element.slot,
                count: Some(1),
                uses_counter: false,
                texel_bytes: None,
            });
            ResourceId::new(resources.len() - 1)
        });
    }
    buffers
}

/// The inputs of a vertex. Registers that nothing fills are 0.
pub(super) fn inputs(
    b: &mut Builder<'_>,
    signature: &Signature,
    state: &VertexState,
    buffers: &[Option<ResourceId>],
) -> Words {
    let number = b.input(Input::ThreadId(0));
    let offset = b.i32(0);
    let ids = b.load(MemoryRef { object: Object::Array(VertexArray::Vertices.id()), index: Some(number), offset }, 4);
    let mut words = vec![[None; 4]; signature.input_rows() as usize];
    for input in &signature.inputs {
        let id = match input.system_value {
            Some(SystemValue::VertexId) => vertex::ID,
            Some(SystemValue::InstanceId) => vertex::INSTANCE_ID,
            _ => continue,
        };
        for component in (0..4).filter(|component| input.mask >> component & 1 != 0) {
            words[input.row as usize][component] = Some(ids[id as usize]);
        }
    }
    for element in &state.elements {
        let Some(buffer) = buffers[element.slot as usize] else { continue };
        let index = match element.advance {
            Advance::Vertex => ids[vertex::INDEX as usize],
            Advance::Instance { step: 0 } => ids[vertex::FIRST_INSTANCE as usize],
            Advance::Instance { step } => {
                let step = b.i32(step);
                let instance = b.op(Op::UDiv, &[ids[vertex::INSTANCE_ID as usize], step]);
                b.op(Op::IAdd, &[ids[vertex::FIRST_INSTANCE as usize], instance])
            }
        };
        let texel = read(b, only(buffer), element, index);
        if let Some(row) = words.get_mut(element.row as usize) {
            *row = texel.map(Some);
        }
    }
    words
}

/// The four words of an element.
fn read(b: &mut Builder<'_>, buffer: ResourceRef, element: &VertexElement, index: Value) -> [Value; 4] {
    debug_assert!(matches!(buffer.element, Element::Fixed(0)));
    let (first, at) = (b.i32(0), b.i32(4 * element.slot));
    let strides = MemoryRef { object: Object::Array(VertexArray::Strides.id()), index: Some(first), offset: at };
    let stride = b.load(strides, 1)[0];
    // Addresses have 32 bits and wrap, as the specification says.
    let (start, before) = (b.op(Op::IMul, &[index, stride]), b.i32(element.offset));
    let offset = b.op(Op::IAdd, &[start, before]);
    let place = MemoryRef { object: Object::Resource(buffer), index: None, offset };
    let mut words = b.load(place, element.format.words as usize);
    if element.size_bytes < 4 {
        // The element lies within one word, which the load reads as a whole.
        let (three, eight) = (b.i32(3), b.i32(8));
        let byte = b.op(Op::And, &[offset, three]);
        let shift = b.op(Op::IMul, &[byte, eight]);
        words[0] = b.op(Op::UShr, &[words[0], shift]);
    }
    element.format.decode(b, &words)
}
