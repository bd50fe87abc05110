//! Declarations: resources, private and workgroup variables, and the inputs of the entry point.
//!
//! `@group(n) @binding(m)` is register `m` of its class in space `n`. Only what the entry point uses is declared.

use brolga_ir::entity::{ResourceId, SharedId, Value};
use brolga_ir::function::{Element, Input, Object, ResourceRef};
use brolga_ir::interface::{Resource, ResourceClass, ResourceKind, Shared};
use naga::valid::{FunctionInfo, GlobalUse};
use naga::{AddressSpace, BuiltIn, GlobalVariable, StorageAccess, TypeInner};

use super::described::TypeInfo;
use super::place::{Home, Memory, Place};
use super::types::{Layout, Shape};
use super::{Fault, Result, Translator, Val, Words};
use crate::error::Quantity;
use crate::usage::Usage;

/// The most bytes of an element of Direct3D's structured memory.
const MOST_STRIDE: u32 = 2048;

/// A resource of a shader, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable.
    pub name: String,
    /// The class of its register.
    pub class: ResourceClass,
    /// `@group`: the space.
    pub group: u32,
    /// `@binding`: the register.
    pub binding: u32,
    /// Its type.
    pub ty: TypeInfo,
}

impl<'m> Translator<'m, '_> {
    /// Declares the global variables that an entry point uses.
    pub(super) fn declare(&mut self, info: &FunctionInfo) -> Result {
        let mut private = Vec::new();
        for (handle, variable) in self.module.global_variables.iter() {
            if info[handle] == GlobalUse::empty() {
                continue;
            }
            self.come_from(self.module.global_variables.get_span(handle));
            let shape = self.types.of(variable.ty);
            let value = match variable.space {
                AddressSpace::Private => {
                    let usage = self.usage.clone();
                    let none = Usage::default();
                    let usage = usage.as_ref().and_then(|usage| usage.globals.get(handle.index())).unwrap_or(&none);
                    let place = Place::new(self.home(shape, usage)?, shape);
                    private.push((place.clone(), variable.init));
                    Val::Place(place)
                }
                AddressSpace::WorkGroup => Val::Place(self.workgroup(variable, shape)?),
                AddressSpace::Uniform => {
                    let vectors = self.types.size(shape, Layout::Explicit).div_ceil(16);
                    let kind = ResourceKind::Constant { vectors };
                    let id = self.resource(variable, ResourceClass::Constant, kind)?;
                    self.check_scalars(shape)?;
                    Val::Place(self.buffer(id, shape, Some(16)))
                }
                AddressSpace::Storage { access } => {
                    let is_written = access.intersects(StorageAccess::STORE | StorageAccess::ATOMIC);
                    let class = if is_written { ResourceClass::UnorderedAccess } else { ResourceClass::ShaderResource };
                    let id = self.resource(variable, class, ResourceKind::Raw)?;
                    self.check_scalars(shape)?;
                    let unit = match shape {
                        Shape::Array(_, None, stride) => Some(stride).filter(|stride| is_element(*stride)),
                        _ => None,
                    };
                    self.b.func.interface.resources[id.index()].element_bytes = unit;
                    Val::Place(self.buffer(id, shape, unit))
                }
                AddressSpace::Handle => {
                    let (class, kind) = self.handle_kind(&self.module.types[variable.ty].inner)?;
                    Val::Resource(self.resource(variable, class, kind)?)
                }
                AddressSpace::Immediate => return self.unsupported("var<immediate>"),
                AddressSpace::Function
                | AddressSpace::TaskPayload
                | AddressSpace::RayPayload
                | AddressSpace::IncomingRayPayload => {
                    return self.unsupported("a variable of this address space");
                }
            };
            self.globals[handle.index()] = Some(value);
        }
        for (place, init) in private {
            match init {
                None => {
                    if !matches!(place.home, Home::Memory(_)) {
                        self.store_zero(&place)?;
                    }
                }
                Some(init) => match self.module_value(init)? {
                    Val::Words(words) => self.store(&place, &words).map(|_| ())?,
                    _ => self.store_zero(&place)?,
                },
            }
        }
        Ok(())
    }

    /// Fails if a type has scalars that the IR has none for.
    fn check_scalars(&self, shape: Shape<'m>) -> Result {
        match shape {
            Shape::Scalar(scalar) | Shape::Vector(_, scalar) | Shape::Matrix(_, _, scalar) => {
                self.scalar_type(scalar).map(|_| ())
            }
            Shape::Array(base, ..) => self.check_scalars(self.types.of(base)),
            Shape::Struct(members) => {
                members.iter().try_for_each(|member| self.check_scalars(self.types.of(member.ty)))
            }
            Shape::Opaque => Ok(()),
        }
    }

    fn buffer(&self, id: ResourceId, shape: Shape<'m>, unit: Option<u32>) -> Place<'m> {
        let object = Object::Resource(ResourceRef { id, element: Element::Fixed(0) });
        Place::new(Home::Memory(Memory { object, layout: Layout::Explicit, unit }), shape)
    }

    /// Memory of the group: elements of the array that it is, or raw.
    fn workgroup(&mut self, variable: &GlobalVariable, shape: Shape<'m>) -> Result<Place<'m>> {
        self.check_size(variable)?;
        self.check_scalars(shape)?;
        let words = self.types.words(shape);
        let shared = &self.b.func.interface.shared;
        let has: u64 = shared.iter().map(|shared| u64::from(shared.size_bytes())).sum();
        let found = has + 4 * u64::from(words);
        self.check(Quantity::WorkgroupBytes, found, u64::from(self.options.limits.workgroup_bytes))?;
        let register = self.b.func.interface.shared.len() as u32;
        let (unit, count) = match shape {
            Shape::Array(base, Some(count), _) => (Some(self.types.words(self.types.of(base)) * 4), count),
            _ => (None, words),
        };
        let unit = unit.filter(|unit| is_element(*unit));
        let (stride_bytes, count) = unit.map_or((4, words), |unit| (unit, count));
        self.shared.push(variable.name.clone().unwrap_or_default());
        self.b.func.interface.shared.push(Shared { register, raw: unit.is_none(), stride_bytes, count });
        let memory = Memory { object: Object::Shared(SharedId::new(register as usize)), layout: Layout::Words, unit };
        Ok(Place::new(Home::Memory(memory), shape))
    }

    /// Fails if an override decides a size and has no value, or not a positive one.
    fn check_size(&self, variable: &GlobalVariable) -> Result {
        if let TypeInner::Array { size: naga::ArraySize::Pending(size), .. } = self.module.types[variable.ty].inner {
            let value = self.override_value(size)?.bits as u32;
            if value == 0 || value > i32::MAX as u32 {
                return Err(Fault::Size { found: value as i32 });
            }
        }
        Ok(())
    }

    fn resource(&mut self, variable: &GlobalVariable, class: ResourceClass, kind: ResourceKind) -> Result<ResourceId> {
        let Some(binding) = &variable.binding else { return Err(self.internal("a resource has no binding")) };
        let mut resource = Resource::new(class, kind, binding.binding);
        resource.space = binding.group;
        let resources = &mut self.b.func.interface.resources;
        resources.push(resource);
        let id = ResourceId::new(resources.len() - 1);
        self.bindings.push(Binding {
            name: variable.name.clone().unwrap_or_default(),
            class,
            group: binding.group,
            binding: binding.binding,
            ty: self.described(variable.ty),
        });
        Ok(id)
    }

    /// The arguments of an entry point.
    pub(super) fn inputs(&mut self, function: &'m naga::Function) -> Result<Vec<Val<'m>>> {
        let mut arguments = Vec::new();
        for argument in &function.arguments {
            let mut words = Words::new();
            match (&argument.binding, &self.module.types[argument.ty].inner) {
                (Some(binding), _) => self.input(binding, &mut words)?,
                (None, TypeInner::Struct { members, .. }) => {
                    for member in members {
                        if let Some(binding) = &member.binding {
                            self.input(binding, &mut words)?;
                        }
                    }
                }
                _ => return Err(self.internal("an argument has no binding")),
            }
            arguments.push(Val::Words(words));
        }
        Ok(arguments)
    }

    fn input(&mut self, binding: &naga::Binding, words: &mut Words) -> Result {
        let naga::Binding::BuiltIn(builtin) = *binding else {
            return self.unsupported("a location in a compute shader");
        };
        let input: fn(u8) -> Input = match builtin {
            BuiltIn::GlobalInvocationId => Input::ThreadId,
            BuiltIn::LocalInvocationId => Input::ThreadIdInGroup,
            BuiltIn::WorkGroupId => Input::GroupId,
            BuiltIn::LocalInvocationIndex => {
                words.push(self.b.input(Input::ThreadIndex));
                return Ok(());
            }
            BuiltIn::WorkGroupSize => {
                let size = self.b.func.interface.group_size();
                words.extend(size.map(|side| self.b.i32(side)));
                return Ok(());
            }
            BuiltIn::NumWorkGroups => Input::GroupCount,
            BuiltIn::NumSubgroups | BuiltIn::SubgroupId | BuiltIn::SubgroupSize | BuiltIn::SubgroupInvocationId => {
                return self.unsupported("subgroups");
            }
            _ => return self.unsupported("an input of another stage"),
        };
        words.extend((0..3).map(|axis| self.b.input(input(axis))).collect::<Vec<Value>>());
        Ok(())
    }
}

/// `true` if memory can consist of elements with so many bytes.
fn is_element(bytes: u32) -> bool {
    (4..=MOST_STRIDE).contains(&bytes) && bytes.is_multiple_of(4)
}
