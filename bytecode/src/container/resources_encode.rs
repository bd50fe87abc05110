//! [`ResourceDefinitions`] to the data of a chunk: what `resources.rs` reads.

use super::layout::Layout;
use super::resources::{Binding, BindingKind, Buffer, BufferKind, Member, ResourceDefinitions, Variable, VariableType};
use crate::sm5::Stage;
use std::collections::HashMap;

/// Words of the records' sizes that follow the header since model 5.
const SIZES_5_0: [u32; 8] = [u32::from_le_bytes(*b"RD11"), 60, 24, 32, 40, 36, 12, 0];
const SIZES_5_1: [u32; 8] = [0x2544_1313, 60, 24, 40, 40, 36, 12, 0];

impl ResourceDefinitions {
    /// The data of a chunk. What is not known of types (their base classes and interfaces) is left out.
    pub fn encode(&self, stage: Stage) -> Vec<u8> {
        let mut layout = Layout::default();
        let (major, minor) = self.version;
        layout.word(self.buffers.len() as u32);
        let buffers_at = layout.later();
        layout.word(self.bindings.len() as u32);
        let bindings_at = layout.later();
        let stage = match stage {
            Stage::Pixel => 0xffff,
            Stage::Vertex => 0xfffe,
            Stage::Geometry => u16::from_be_bytes(*b"GS"),
            Stage::Hull => u16::from_be_bytes(*b"HS"),
            Stage::Domain => u16::from_be_bytes(*b"DS"),
            Stage::Compute => u16::from_be_bytes(*b"CS"),
        };
        layout.halves(&[u16::from_le_bytes([minor, major]), stage]);
        layout.word(self.flags);
        layout.name(&self.creator);
        if major >= 5 {
            layout.words(if minor >= 1 { &SIZES_5_1 } else { &SIZES_5_0 });
        }

        layout.set(bindings_at, layout.at());
        self.bindings.iter().for_each(|binding| write_binding(&mut layout, binding, self.version >= (5, 1)));
        layout.set(buffers_at, layout.at());
        let variables: Vec<usize> = self.buffers.iter().map(|buffer| write_buffer(&mut layout, buffer)).collect();
        let mut types = Types { has_names: major >= 5, written: HashMap::new() };
        for (buffer, variables_at) in self.buffers.iter().zip(variables) {
            let records: Vec<(u32, u32)> =
                buffer.variables.iter().map(|variable| write_parts(&mut layout, &mut types, variable)).collect();
            layout.set(variables_at, layout.at());
            for (variable, (type_at, default_at)) in buffer.variables.iter().zip(records) {
                layout.name(&variable.name);
                layout.words(&[variable.offset_bytes, variable.size_bytes, variable.flags, type_at, default_at]);
                if major >= 5 {
                    // No textures and samplers, which only effects have.
                    layout.words(&[u32::MAX, 0, u32::MAX, 0]);
                }
            }
        }
        layout.finish()
    }
}

fn write_binding(layout: &mut Layout, binding: &Binding, has_space: bool) {
    layout.name(&binding.name);
    layout.words(&[binding.kind.code(), binding.return_type, binding.dimension, binding.samples_or_stride]);
    layout.words(&[binding.bind_point, binding.bind_count, binding.flags]);
    if has_space {
        layout.words(&[binding.space, binding.id]);
    }
}

/// Writes the record of a buffer and says where the offset of its variables belongs.
fn write_buffer(layout: &mut Layout, buffer: &Buffer) -> usize {
    layout.name(&buffer.name);
    layout.word(buffer.variables.len() as u32);
    let variables_at = layout.later();
    layout.words(&[buffer.size_bytes, buffer.flags, buffer.kind.code()]);
    variables_at
}

/// Writes the type and the default value of a variable and says where they are.
fn write_parts(layout: &mut Layout, types: &mut Types, variable: &Variable) -> (u32, u32) {
    let default_at = match &variable.default {
        None => 0,
        Some(default) => {
            let at = layout.at();
            layout.bytes(default);
            layout.align();
            at
        }
    };
    (types.write(layout, &variable.ty), default_at)
}

/// Types that are written; equal ones are written once.
struct Types {
    has_names: bool,
    written: HashMap<VariableType, u32>,
}

impl Types {
    /// Writes a type and says where it is.
    fn write(&mut self, layout: &mut Layout, ty: &VariableType) -> u32 {
        if let Some(at) = self.written.get(ty) {
            return *at;
        }
        let members: Vec<u32> = ty.members.iter().map(|Member { ty, .. }| self.write(layout, ty)).collect();
        let members_at = layout.at();
        for (member, type_at) in ty.members.iter().zip(&members) {
            layout.name(&member.name);
            layout.words(&[*type_at, member.offset_bytes]);
        }
        let at = layout.at();
        layout.halves(&[ty.class, ty.base, ty.rows, ty.columns, ty.elements, ty.members.len() as u16]);
        layout.word(if members.is_empty() { 0 } else { members_at });
        if self.has_names {
            layout.words(&[0; 4]);
            layout.name(ty.name.as_deref().unwrap_or_default());
        }
        self.written.insert(ty.clone(), at);
        at
    }
}

impl BindingKind {
    /// Its number.
    pub fn code(self) -> u32 {
        match self {
            Self::ConstantBuffer => 0,
            Self::TextureBuffer => 1,
            Self::Texture => 2,
            Self::Sampler => 3,
            Self::UavTyped => 4,
            Self::Structured => 5,
            Self::UavStructured => 6,
            Self::Raw => 7,
            Self::UavRaw => 8,
            Self::UavAppend => 9,
            Self::UavConsume => 10,
            Self::UavCounter => 11,
            Self::Other(other) => other,
        }
    }
}

impl BufferKind {
    /// Its number.
    pub fn code(self) -> u32 {
        match self {
            Self::ConstantBuffer => 0,
            Self::TextureBuffer => 1,
            Self::InterfacePointers => 2,
            Self::ResourceElements => 3,
            Self::Other(other) => other,
        }
    }
}
