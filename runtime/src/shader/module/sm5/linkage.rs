//! Binds each interface slot to the class instance that a caller names.
//!
//! A shader's file names interface variables in its resource definitions, and classes and instances in its class
//! linkage. A stripped file has only the latter; then a variable has its name in the listing, `fp#`.

use brolga_bytecode::Shader as Loaded;
use brolga_bytecode::container::ClassLinkage;
use brolga_bytecode::container::classes::{ClassChoice, ClassType};
use brolga_bytecode::container::resources::BufferKind;
use brolga_ir::translate::sm5::BoundClass;

use crate::shader::instance::{ClassInstance, InstanceError, Instances, PlacedInstance, Unset};

type Result<T, E = InstanceError> = std::result::Result<T, E>;

/// Numbers of registers and vectors in Direct3D 11.
const CONSTANT_BUFFERS: u32 = 16;
const VECTORS: u32 = 4096;
const TEXTURES: u32 = 128;
const SAMPLERS: u32 = 16;

/// Names in one message's list; a file can state any number.
const MOST_NAMES: usize = 64;

/// Marks a kind of data that an instance does not have.
const NONE: u32 = u32::MAX;

/// Binds each interface slot of a shader to the instance that was chosen for it. All must have one.
pub(super) fn link(shader: &Loaded, chosen: &Instances) -> Result<Vec<Option<BoundClass>>> {
    let nothing = ClassLinkage::default();
    let linkage = shader.classes.as_ref().unwrap_or(&nothing);
    let link = InterfaceLinker { linkage, variables: variables(shader) };
    if let (Some(first), None) = (link.variables.first(), &shader.classes) {
        return Err(InstanceError::NoLinkage { variable: first.name.clone() });
    }
    let slot_count = link.variables.iter().map(|variable| variable.first + variable.count).max().unwrap_or(0);
    let mut bound = vec![None; slot_count as usize];
    // An element of an array takes precedence over the array.
    for elements in [false, true] {
        for (text, instance) in &chosen.0 {
            let (variable, element) = link.variable(text)?;
            if element.is_some() == elements {
                let slots = match element {
                    Some(element) => variable.first + element..variable.first + element + 1,
                    None => variable.first..variable.first + variable.count,
                };
                for slot in slots {
                    bound[slot as usize] = Some(link.instance(text, slot, instance)?);
                }
            }
        }
    }
    let unset: Vec<Unset> = link.variables.iter().flat_map(|variable| link.unset(variable, &bound)).collect();
    if unset.is_empty() { Ok(bound) } else { Err(InstanceError::Unset { unset }) }
}

/// An interface variable that the shader uses.
struct InterfaceVariable {
    name: String,
    interface: Option<String>,
    /// The name in the listing.
    register: String,
    first: u32,
    count: u32,
}

/// The interface variables of a shader, in the order of their slots.
fn variables(shader: &Loaded) -> Vec<InterfaceVariable> {
    let buffers = shader.resources.iter().flat_map(|resources| &resources.buffers);
    let pointers = buffers.filter(|buffer| buffer.kind == BufferKind::InterfacePointers);
    let named: Vec<_> = pointers.flat_map(|buffer| &buffer.variables).collect();
    let declared = &shader.program.declarations().interfaces;
    let mut variables: Vec<InterfaceVariable> = declared
        .iter()
        .map(|declared| {
            let (first, count) = (declared.interface, declared.array_length);
            let found = named.iter().find(|named| named.offset_bytes == first && named.size_bytes == count);
            let register = format!("fp{first}");
            InterfaceVariable {
                name: found.map_or_else(|| register.clone(), |named| named.name.clone()),
                interface: found.and_then(|named| named.ty.name.clone()),
                register,
                first,
                count,
            }
        })
        .collect();
    variables.sort_by_key(|variable| variable.first);
    variables
}

/// `name` and the index of `name[index]`.
fn parts(text: &str) -> (&str, Option<u32>) {
    let parts = text.strip_suffix(']').and_then(|text| text.rsplit_once('['));
    match parts.map(|(name, index)| (name, index.parse())) {
        Some((name, Ok(index))) => (name, Some(index)),
        _ => (text, None),
    }
}

struct InterfaceLinker<'a> {
    linkage: &'a ClassLinkage,
    variables: Vec<InterfaceVariable>,
}

impl<'a> InterfaceLinker<'a> {
    /// The variable that a string names, and the element of its array.
    fn variable(&self, text: &str) -> Result<(&InterfaceVariable, Option<u32>)> {
        let variable = || text.to_owned();
        if self.variables.is_empty() {
            return Err(InstanceError::NoInterfaces { variable: variable() });
        }
        let (name, element) = parts(text);
        let by_name = self.variables.iter().find(|variable| variable.name == name);
        let found = by_name.or_else(|| self.variables.iter().find(|variable| variable.register == name));
        let Some(found) = found else {
            let known = self.variables.iter().map(|variable| variable.name.clone()).collect();
            return Err(InstanceError::UnknownVariable { variable: variable(), known });
        };
        match element {
            Some(element) if element >= found.count => {
                Err(InstanceError::Element { variable: variable(), count: found.count })
            }
            element => Ok((found, element)),
        }
    }

    /// The classes that fit a slot.
    fn choices(&self, slot: u32) -> impl Iterator<Item = (&'a ClassType, ClassChoice)> {
        let linkage = self.linkage;
        linkage.choices(slot).iter().filter_map(move |choice| Some((linkage.class(choice.class)?, *choice)))
    }

    /// Names that fit a slot: instances, and classes without data.
    fn fits(&self, slot: u32) -> Vec<String> {
        let instances = self.instances(move |class| self.choices(slot).any(|(_, choice)| choice.class == class));
        let plain = self.choices(slot).filter(|(class, _)| class.has_no_data()).map(|(class, _)| class.name.clone());
        instances.chain(plain).take(MOST_NAMES).collect()
    }

    /// Names of the instances of some classes.
    fn instances(&self, wanted: impl Fn(u16) -> bool) -> impl Iterator<Item = String> {
        let instances = self.linkage.instances.iter().filter(move |instance| wanted(instance.class));
        instances.flat_map(|instance| {
            (0..instance.count).map(|element| match instance.count {
                1 => instance.name.clone(),
                _ => format!("{}[{element}]", instance.name),
            })
        })
    }

    fn classes(&self, slot: u32) -> Vec<String> {
        self.choices(slot).map(|(class, _)| class.name.clone()).take(MOST_NAMES).collect()
    }

    /// The elements of a variable that are unbound; the variable itself if all are.
    fn unset(&self, variable: &InterfaceVariable, bound: &[Option<BoundClass>]) -> Vec<Unset> {
        let slots = variable.first..variable.first + variable.count;
        let missing: Vec<u32> = slots.filter(|&slot| bound[slot as usize].is_none()).collect();
        let unset = |variable_text: String, slot: u32| Unset {
            variable: variable_text,
            interface: variable.interface.clone(),
            fits: self.fits(slot),
            classes: self.classes(slot),
        };
        if missing.len() == variable.count as usize {
            return vec![unset(variable.name.clone(), variable.first)];
        }
        missing.iter().map(|&slot| unset(format!("{}[{}]", variable.name, slot - variable.first), slot)).collect()
    }

    /// The class that a choice binds a slot to. `variable` is the caller's name for the slot.
    fn instance(&self, variable: &str, slot: u32, chosen: &ClassInstance) -> Result<BoundClass> {
        if self.choices(slot).next().is_none() {
            return Err(InstanceError::NoLinkage { variable: variable.to_owned() });
        }
        match chosen {
            ClassInstance::Named(name) => self.named(variable, slot, name),
            ClassInstance::Placed(placed) => self.placed(variable, slot, placed),
        }
    }

    fn named(&self, variable: &str, slot: u32, text: &str) -> Result<BoundClass> {
        let (name, element) = parts(text);
        let (variable, instance) = (variable.to_owned(), text.to_owned());
        let Some(found) = self.linkage.instances.iter().find(|instance| instance.name == name) else {
            if let Some((class, choice)) = self.choices(slot).find(|(class, _)| class.name == text) {
                if class.has_no_data() {
                    return Ok(BoundClass { table: choice.table, this: [NONE; 4] });
                }
                let instances = self.instances(|class| class == choice.class).take(MOST_NAMES).collect();
                return Err(InstanceError::ClassNamed { variable, class: class.name.clone(), instances });
            }
            return Err(InstanceError::UnknownInstance { variable, instance, takes: self.fits(slot) });
        };
        let element = match element {
            Some(element) if element < u32::from(found.count) => element,
            None if found.count == 1 => 0,
            _ => {
                let (name, count) = (found.name.clone(), found.count);
                return Err(InstanceError::ArrayElement { variable, instance, name, count });
            }
        };
        let Some((class, choice)) = self.choices(slot).find(|(_, choice)| choice.class == found.class) else {
            let class = self.linkage.class(found.class).map_or_else(String::new, |class| class.name.clone());
            return Err(InstanceError::Class { variable, instance, class, classes: self.classes(slot) });
        };
        let register = |first: Option<u16>, each: u16| match first {
            Some(first) => u32::from(first) + element * u32::from(each),
            None => NONE,
        };
        let this = [
            register(found.constant_buffer, 0),
            u32::from(found.vector) + element * u32::from(class.vectors),
            register(found.texture, class.textures),
            register(found.sampler, class.samplers),
        ];
        Ok(BoundClass { table: choice.table, this })
    }

    fn placed(&self, variable: &str, slot: u32, placed: &PlacedInstance) -> Result<BoundClass> {
        let variable = || variable.to_owned();
        let Some((class, choice)) = self.choices(slot).find(|(class, _)| class.name == placed.class) else {
            let (class, classes) = (placed.class.clone(), self.classes(slot));
            return Err(InstanceError::UnknownClass { variable: variable(), class, classes });
        };
        let data = [
            (class.vectors > 0, placed.constants.is_some(), "data in a constant buffer"),
            (class.textures > 0, placed.texture.is_some(), "textures"),
            (class.samplers > 0, placed.sampler.is_some(), "samplers"),
        ];
        for (has, is_said, what) in data {
            if has != is_said {
                return Err(InstanceError::Place { variable: variable(), class: class.name.clone(), has, what });
            }
        }
        let number = |what, number: Option<u32>, count: u32| match number {
            Some(number) if number >= count => {
                Err(InstanceError::Number { variable: variable(), what, number, most: count - 1 })
            }
            number => Ok(number.unwrap_or(NONE)),
        };
        let this = [
            number("constant buffer", placed.constants.map(|(buffer, _)| buffer), CONSTANT_BUFFERS)?,
            number("vector", placed.constants.map(|(_, vector)| vector), VECTORS)?,
            number("texture", placed.texture, TEXTURES)?,
            number("sampler", placed.sampler, SAMPLERS)?,
        ];
        Ok(BoundClass { table: choice.table, this })
    }
}
