//! Converts declarations to an [`Interface`], and resolves the numbers in operands.

use std::collections::HashMap;

use brolga_bytecode::sm5::codes::{ResourceDimension, ReturnType, SamplerMode};
use brolga_bytecode::sm5::valid::{SharedMemoryKind, ValidProgram};
use brolga_bytecode::sm5::{RegisterRange, ResourceKind as BytecodeKind};

use super::stage::{self, StageRegisters};
use super::{Result, TranslateError};
use crate::entity::{LocalId, ResourceId, SharedId};
use crate::interface::{Component, Dimension, Interface, Local, Resource, ResourceClass, ResourceKind, Shared};

/// The range of each class and number.
type ResourceNames = HashMap<(ResourceClass, u32), ResourceId>;

/// The objects that numbers in operands refer to.
pub(super) struct OperandNames {
    resources: ResourceNames,
    shared: HashMap<u32, SharedId>,
    locals: HashMap<u32, LocalId>,
}

impl OperandNames {
    /// The range that operands name by this number.
    pub(super) fn resource(&self, class: ResourceClass, id: u32) -> Option<ResourceId> {
        self.resources.get(&(class, id)).copied()
    }

    /// Gives a number to a range that the program does not declare.
    pub(super) fn add_resource(&mut self, class: ResourceClass, id: u32, resource: ResourceId) {
        self.resources.insert((class, id), resource);
    }

    /// `g#`
    pub(super) fn shared(&self, register: u32) -> Option<SharedId> {
        self.shared.get(&register).copied()
    }

    /// `x#`
    pub(super) fn local(&self, register: u32) -> Option<LocalId> {
        self.locals.get(&register).copied()
    }
}

/// Collects the interface of a shader.
pub(super) fn declare(program: &ValidProgram) -> Result<(Interface, OperandNames, StageRegisters)> {
    let declarations = program.declarations();
    let (resources, resource_names) = resources(program)?;
    let shared: Vec<Shared> = declarations
        .shared_memory
        .iter()
        .map(|declared| {
            let register = declared.register;
            match declared.kind {
                // The rest of a size that is not a multiple of a word is unusable.
                SharedMemoryKind::Raw { bytes } => Shared { register, raw: true, stride_bytes: 4, count: bytes / 4 },
                SharedMemoryKind::Structured { stride_bytes, count } => {
                    Shared { register, raw: false, stride_bytes, count }
                }
            }
        })
        .collect();
    let locals: Vec<Local> = declarations
        .indexable_temps
        .iter()
        .map(|x| Local { register: x.register, registers: x.count, components: x.components })
        .collect();
    let names = OperandNames {
        resources: resource_names,
        shared: shared.iter().enumerate().map(|(n, g)| (g.register, SharedId::new(n))).collect(),
        locals: locals.iter().enumerate().map(|(n, x)| (x.register, LocalId::new(n))).collect(),
    };
    let (stage, arrays, registers) = stage::declare(program)?;
    let interface = Interface {
        stage,
        resources,
        shared,
        locals,
        arrays,
        immediate: declarations.immediate_constants.clone(),
        ..Interface::default()
    };
    Ok((interface, names, registers))
}

/// The declared ranges in the order of the stream, with the numbers that operands use for them.
fn resources(program: &ValidProgram) -> Result<(Vec<Resource>, ResourceNames)> {
    let declarations = program.declarations();
    let mut found: Vec<(u32, u32, Resource)> = Vec::new();
    for cb in &declarations.constant_buffers {
        let kind = ResourceKind::Constant { vectors: cb.vectors };
        found.push((cb.at, cb.range.id, resource(ResourceClass::Constant, kind, &cb.range, false)));
    }
    for t in &declarations.resources {
        let kind = kind("dcl_resource", t.at, &t.kind)?;
        found.push((t.at, t.range.id, resource(ResourceClass::ShaderResource, kind, &t.range, false)));
    }
    for u in &declarations.uavs {
        let kind = kind("dcl_uav_typed", u.at, &u.kind)?;
        // Only structured buffers can have a counter; the flag means nothing elsewhere.
        let counter = u.flags.counter && matches!(kind, ResourceKind::Structured { .. });
        let resource = resource(ResourceClass::UnorderedAccess, kind, &u.range, counter);
        found.push((u.at, u.range.id, Resource { is_ordered: u.flags.rasterizer_ordered, ..resource }));
    }
    for s in &declarations.samplers {
        let kind = ResourceKind::Sampler { compares: s.mode == SamplerMode::Comparison };
        found.push((s.at, s.range.id, resource(ResourceClass::Sampler, kind, &s.range, false)));
    }
    found.sort_by_key(|(at, ..)| *at);
    let names = found.iter().enumerate().map(|(n, (_, id, r))| ((r.class, *id), ResourceId::new(n))).collect();
    Ok((found.into_iter().map(|(.., resource)| resource).collect(), names))
}

fn resource(class: ResourceClass, kind: ResourceKind, range: &RegisterRange, uses_counter: bool) -> Resource {
    let (space, count) = (range.space, range.len());
    Resource { space, count, uses_counter, ..Resource::new(class, kind, range.lower) }
}

/// Converts a resource kind to the IR's. The name and byte offset are for the error about one that cannot be declared.
pub(super) fn kind(name: &'static str, at: u32, kind: &BytecodeKind) -> Result<ResourceKind> {
    Ok(match *kind {
        BytecodeKind::Raw => ResourceKind::Raw,
        BytecodeKind::Structured { stride_bytes } => ResourceKind::Structured { stride_bytes },
        BytecodeKind::Typed { dimension: declared, returns, .. } => {
            let Some(dimension) = dimension(declared) else {
                return Err(TranslateError::Operand { name, at, register: declared.text().to_owned() });
            };
            ResourceKind::Typed { dimension, component: component(returns[0]) }
        }
    })
}

/// The dimension of a typed resource; `None` for other resources.
fn dimension(declared: ResourceDimension) -> Option<Dimension> {
    Some(match declared {
        ResourceDimension::Buffer => Dimension::Buffer,
        ResourceDimension::Texture1D => Dimension::Texture1d,
        ResourceDimension::Texture1DArray => Dimension::Texture1dArray,
        ResourceDimension::Texture2D => Dimension::Texture2d,
        ResourceDimension::Texture2DArray => Dimension::Texture2dArray,
        ResourceDimension::Texture2DMs => Dimension::Texture2dMs,
        ResourceDimension::Texture2DMsArray => Dimension::Texture2dMsArray,
        ResourceDimension::Texture3D => Dimension::Texture3d,
        ResourceDimension::TextureCube => Dimension::TextureCube,
        ResourceDimension::TextureCubeArray => Dimension::TextureCubeArray,
        _ => return None,
    })
}

/// The names that the bytecode has for a dimension.
pub(super) fn bytecode_dimensions(shape: Dimension) -> impl Iterator<Item = ResourceDimension> {
    ResourceDimension::ALL.iter().copied().filter(move |&declared| dimension(declared) == Some(shape))
}

/// The return type of the first component; the others are the same in everything that fxc writes.
fn component(declared: ReturnType) -> Component {
    match declared {
        ReturnType::Unorm => Component::Unorm,
        ReturnType::Snorm => Component::Snorm,
        ReturnType::Sint => Component::Sint,
        ReturnType::Uint => Component::Uint,
        ReturnType::Float => Component::Float,
        ReturnType::Double => Component::Double,
        // `mixed`, and the two names for components that do not exist.
        _ => Component::Mixed,
    }
}
