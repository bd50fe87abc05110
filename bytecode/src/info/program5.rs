//! What is known of a program of models 4.0 to 5.1, from its declarations and the chunks about it.

use super::{Binding, Constants, Element, Place, Program, Signature, SignatureKind, Variable, stages};
use crate::container::resources::{self, Buffer, BufferKind, VariableType};
use crate::container::{Container, ResourceDefinitions, SignatureElement};
use crate::limits::Limits;
use crate::listing::{bindings, buffers, header, signatures};
use crate::shader::Error;
use crate::sm5::codes::{ResourceDimension, SamplerMode};
use crate::sm5::{self, DeclarationKind, GlobalFlags, ItemKind, RegisterRange, ResourceKind, Stage};

/// Reads the program of a container.
pub(super) fn read(container: &Container<'_>, limits: &Limits) -> Result<Program, Error> {
    let chunk = container.program()?;
    let decoded = sm5::decode(chunk.data, chunk.at, limits)?;
    let stage = decoded.stage;
    let mut program = Program::new(stage, format!("{stage}_{}", decoded.model));
    declared(&mut program, &decoded);
    stages::declared(&mut program, &decoded);
    if let Some(linkage) = container.classes(limits)? {
        stages::link(&mut program, linkage);
    }

    let flags = header::global_flags(&decoded);
    let names = GlobalFlags::NAMES.iter().filter(|(flag, _)| flags.has(*flag));
    program.flags = names.map(|(_, name)| *name).collect();
    program.features = header::needed_features(container.features()?, flags).collect();

    if let Some(resources) = container.resources(limits)? {
        stages::name_interfaces(&mut program, &resources);
        program.bindings = resources.bindings.iter().map(binding).collect();
        program.constants = resources.buffers.iter().map(constants).collect();
        let ResourceDefinitions { creator, .. } = resources;
        program.creator = Some(creator);
    }
    for (kind, signature) in [
        (SignatureKind::Inputs, container.inputs(limits)?),
        (SignatureKind::Outputs, container.outputs(limits)?),
        (SignatureKind::PatchConstants, container.patch_constants(limits)?),
    ] {
        let elements = |signature: crate::container::Signature| {
            signature.elements.into_iter().map(|element| self::element(element, kind, stage)).collect()
        };
        program.signatures.extend(signature.map(|signature| Signature { kind, elements: elements(signature) }));
    }
    program.counts.slots = container.statistics().and_then(|statistics| statistics.instructions());
    Ok(program)
}

/// What the declarations say. They have no names, so their bindings count only if there are no resource definitions.
fn declared(program: &mut Program, decoded: &sm5::Program) {
    let counts = &mut program.counts;
    counts.words = decoded.words.len();
    counts.name_instructions(decoded.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Instruction(instruction) => Some(instruction.op.text()),
        ItemKind::Declaration(_) | ItemKind::CustomData(_) => None,
    }));
    for item in &decoded.items {
        let ItemKind::Declaration(declaration) = &item.kind else { continue };
        counts.declarations += 1;
        match &declaration.kind {
            // Each phase of a hull shader declares its own.
            DeclarationKind::Temps { count } => counts.temps = counts.temps.max(Some(*count)),
            DeclarationKind::ThreadGroup { size } => program.group_size = Some(*size),
            DeclarationKind::TgsmRaw { bytes, .. } => program.shared_memory_bytes += u64::from(*bytes),
            DeclarationKind::TgsmStructured { stride_bytes, count, .. } => {
                program.shared_memory_bytes += u64::from(*stride_bytes) * u64::from(*count);
            }
            DeclarationKind::ConstantBuffer { range, .. } => {
                program.bindings.push(unnamed("cb", range, "cbuffer", String::new(), ""));
            }
            DeclarationKind::Sampler { range, mode } => {
                let kind = if *mode == SamplerMode::Comparison { "sampler_c" } else { "sampler" };
                program.bindings.push(unnamed("s", range, kind, String::new(), ""));
            }
            DeclarationKind::Resource { range, kind } => {
                program.bindings.push(resource("t", range, "texture", kind, "r/o"));
            }
            DeclarationKind::Uav { range, kind, flags } => {
                let access = if flags.counter { "r/w+cnt" } else { "r/w" };
                program.bindings.push(resource("u", range, "UAV", kind, access));
            }
            _ => {}
        }
    }
}

/// A declared resource. `access` tells what may be done with buffers that are not typed.
fn resource(
    file: &str,
    range: &RegisterRange,
    kind: &'static str,
    content: &ResourceKind,
    access: &'static str,
) -> Binding {
    let (format, dimension) = match content {
        ResourceKind::Typed { dimension, returns, .. } => (returns[0].text(), dimension_text(*dimension)),
        ResourceKind::Raw => ("byte", access),
        ResourceKind::Structured { .. } => ("struct", access),
    };
    unnamed(file, range, kind, format.to_owned(), dimension)
}

/// The dimension as the table of bindings has it where there is one.
fn dimension_text(dimension: ResourceDimension) -> &'static str {
    let number = match dimension {
        ResourceDimension::Unknown | ResourceDimension::RawBuffer | ResourceDimension::StructuredBuffer => 0,
        ResourceDimension::Buffer => 1,
        ResourceDimension::Texture1D => 2,
        ResourceDimension::Texture1DArray => 3,
        ResourceDimension::Texture2D => 4,
        ResourceDimension::Texture2DArray => 5,
        ResourceDimension::Texture2DMs => 6,
        ResourceDimension::Texture2DMsArray => 7,
        ResourceDimension::Texture3D => 8,
        ResourceDimension::TextureCube => 9,
        ResourceDimension::TextureCubeArray => 10,
    };
    bindings::text_of(bindings::DIMENSIONS, number)
}

fn unnamed(file: &str, range: &RegisterRange, kind: &'static str, format: String, dimension: &str) -> Binding {
    let register = format!("{file}{}", range.lower);
    let (space, count) = (range.space, range.len());
    Binding { name: None, register, space, count, kind, format, dimension: dimension.to_owned() }
}

fn binding(binding: &resources::Binding) -> Binding {
    let row = bindings::Row::of(binding);
    // The listing has this where there is nothing to say.
    let said = |text: String| if text == "NA" { String::new() } else { text };
    Binding {
        name: Some(binding.name.clone()),
        register: format!("{}{}", row.file, binding.bind_point),
        space: binding.space,
        count: Some(binding.bind_count).filter(|&count| count != 0),
        kind: row.ty,
        format: said(row.format),
        dimension: said(row.dimension),
    }
}

fn element(element: SignatureElement, kind: SignatureKind, stage: Stage) -> Element {
    let is_written = match kind {
        SignatureKind::Inputs => false,
        SignatureKind::Outputs => true,
        // The tessellator stands between: what a hull shader writes is what a domain shader reads.
        SignatureKind::PatchConstants => stage != Stage::Domain,
    };
    let file = match kind {
        SignatureKind::PatchConstants if !is_written => "vpc",
        _ if is_written => "o",
        _ => "v",
    };
    let register = match element.register {
        Some(register) => format!("{file}{register}"),
        None => signatures::register_name(&element).trim().to_owned(),
    };
    let used_mask = if is_written { !element.usage_mask & element.mask } else { element.usage_mask };
    Element {
        register,
        mask: element.mask,
        used_mask: Some(used_mask),
        system_value: Some(signatures::system_value(&element, stage)).filter(|text| *text != "NONE"),
        format: Some(signatures::format_text(&element)),
        index: element.semantic_index,
        stream: element.stream,
        name: element.name,
    }
}

fn constants(buffer: &Buffer) -> Constants {
    let kind = match buffer.kind {
        BufferKind::ConstantBuffer => "cbuffer",
        BufferKind::TextureBuffer => "tbuffer",
        BufferKind::InterfacePointers => "interfaces",
        BufferKind::ResourceElements => "elements",
        BufferKind::Other(_) => "unknown",
    };
    Constants {
        kind,
        name: buffer.name.clone(),
        size_bytes: Some(buffer.size_bytes),
        variables: buffer.variables.iter().map(variable).collect(),
    }
}

fn variable(variable: &resources::Variable) -> Variable {
    let words = |bytes: &Vec<u8>| bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    let (offset, size) = (variable.offset_bytes, Some(variable.size_bytes));
    Variable {
        is_used: variable.is_used(),
        default: variable.default.as_ref().map(words),
        ..typed(&variable.name, &variable.ty, offset, size)
    }
}

/// A variable or member of this type.
fn typed(name: &str, ty: &VariableType, offset: u32, size: Option<u32>) -> Variable {
    let member =
        |member: &resources::Member| typed(&member.name, &member.ty, offset.wrapping_add(member.offset_bytes), None);
    let type_name = match (&ty.name, ty.members.is_empty()) {
        (_, true) => buffers::type_text(ty),
        (Some(name), false) => format!("struct {name}"),
        (None, false) => "struct".to_owned(),
    };
    Variable {
        name: name.to_owned(),
        type_name,
        elements: Some(u32::from(ty.elements)).filter(|&count| count != 0),
        place: Some(Place::Bytes { offset, size }),
        is_used: true,
        default: None,
        members: ty.members.iter().map(member).collect(),
    }
}
