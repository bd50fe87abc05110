//! Summarises a program of Direct3D 9, from its declarations and its constant table.

use super::{Binding, Constants, Element, Location, Mapping, Program, Signature, SignatureKind, Variable};
use crate::container::Level9;
use crate::container::aon9::RUNTIME_VALUES;
use crate::limits::Limits;
use crate::shader::Error;
use crate::sm3::constants::{Constant, RegisterSet, TypeInfo};
use crate::sm3::{self, ConstantTable, Declaration, ItemKind, RegisterFile};
use crate::sm5::Stage;

/// Reads a program.
pub(super) fn read(decoded: &sm3::Program, limits: &Limits) -> Result<Program, Error> {
    let (stage, table) = (decoded.version.stage(), decoded.constants(limits)?);
    let mut program = Program::new(stage, decoded.version.text().to_owned());

    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for item in &decoded.items {
        match &item.kind {
            ItemKind::Declaration(declaration) => {
                program.counts.declarations += 1;
                match declaration.register.register.file {
                    RegisterFile::Sampler => program.bindings.push(sampler(declaration, table.as_ref())),
                    RegisterFile::Output => outputs.push(element(declaration, stage)),
                    _ => inputs.push(element(declaration, stage)),
                }
            }
            ItemKind::Definition(_) => program.counts.declarations += 1,
            ItemKind::Instruction(_) | ItemKind::Comment(_) => {}
        }
    }
    for (kind, elements) in [(SignatureKind::Inputs, inputs), (SignatureKind::Outputs, outputs)] {
        if !elements.is_empty() {
            program.signatures.push(Signature { kind, elements });
        }
    }
    if let Some(table) = table {
        let variables = table.constants.iter().map(constant).collect();
        program.constants.push(Constants { kind: "constants", name: String::new(), size_bytes: None, variables });
        program.creator = Some(table.creator);
    }

    let (texture, arithmetic) = sm3::slots(decoded);
    let counts = &mut program.counts;
    counts.words = sm3::encode(decoded).len() / 4;
    counts.slots = Some(texture + arithmetic);
    counts.name_instructions(decoded.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Instruction(instruction) => Some(instruction.op.text()),
        ItemKind::Declaration(_) | ItemKind::Definition(_) | ItemKind::Comment(_) => None,
    }));
    Ok(program)
}

/// Reads the second program of a container, and the sources of its registers' values.
pub(super) fn read_level9(level9: &Level9, limits: &Limits) -> Result<Program, Error> {
    let mut program = read(&sm3::decode(&level9.program, level9.program_at, limits)?, limits)?;
    let mut map = |register, count: u32, source| program.mappings.push(Mapping { register, count, source });
    for float in &level9.floats {
        map(format!("c{}", float.target), float.count.into(), format!("cb{}[{}]", float.buffer, float.first));
    }
    for (file, mappings) in [('i', &level9.ints), ('b', &level9.bools)] {
        for mapping in mappings {
            let component = ["x", "y", "z", "w"].get(usize::from(mapping.component)).unwrap_or(&"?");
            let source = format!("cb{}[{}].{component}", mapping.buffer, mapping.register);
            map(format!("{file}{}", mapping.target), 1, source);
        }
    }
    for sampler in &level9.samplers {
        map(format!("s{}", sampler.target), 1, format!("t{} with s{}", sampler.texture, sampler.sampler));
    }
    for value in &level9.runtime {
        let source = RUNTIME_VALUES.get(usize::from(value.kind)).unwrap_or(&"unknown value");
        map(format!("c{}", value.target), 1, (*source).to_owned());
    }
    Ok(program)
}

fn sampler(declaration: &Declaration, table: Option<&ConstantTable>) -> Binding {
    let register = declaration.register.register;
    let holds = |constant: &&Constant| {
        constant.set == RegisterSet::Sampler
            && register.number.checked_sub(constant.register).is_some_and(|n| n < constant.count)
    };
    let constant = table.and_then(|table| table.constants.iter().find(holds));
    Binding {
        name: constant.map(|constant| constant.name.clone()),
        register: register.to_string(),
        count: Some(1),
        kind: "sampler",
        format: declaration.texture().map_or(String::new(), |texture| texture.text().to_owned()),
        ..Binding::default()
    }
}

fn element(declaration: &Declaration, stage: Stage) -> Element {
    // The usage of a pixel shader's v# and t# before ps_3_0 is 0, which means nothing: only the register's name is
    // known.
    let is_plain = declaration.usage_token == Declaration::PLAIN && stage == Stage::Pixel;
    let usage = declaration.usage().filter(|_| !is_plain);
    Element {
        name: usage.map_or(String::new(), |usage| usage.text().to_owned()),
        index: declaration.usage_index(),
        stream: 0,
        register: declaration.register.register.to_string(),
        mask: declaration.register.mask,
        used_mask: None,
        system_value: None,
        format: None,
    }
}

fn constant(constant: &Constant) -> Variable {
    let first = format!("{}{}", constant.set, constant.register);
    Variable {
        location: Some(Location::Registers { first, count: constant.count.into() }),
        default: constant.default.clone(),
        ..typed(&constant.name, &constant.type_info)
    }
}

/// A constant or member of this type. The table holds only what the program uses.
fn typed(name: &str, type_info: &TypeInfo) -> Variable {
    Variable {
        name: name.to_owned(),
        type_name: type_info.to_string(),
        elements: Some(u32::from(type_info.elements)).filter(|&count| count > 1),
        location: None,
        is_used: true,
        default: None,
        members: type_info.members.iter().map(|member| typed(&member.name, &member.type_info)).collect(),
    }
}
