//! Summarises a program of models 4.0 to 5.1, from its declarations and the chunks about it.

use super::{Binding, Constants, CounterUse, Element, Location, Program, Signature, SignatureKind, Variable, stages};
use crate::container::resources::{self, BindingKind, Buffer, BufferKind, VariableType};
use crate::container::{Container, ResourceDefinitions, SignatureElement};
use crate::limits::Limits;
use crate::listing::{bindings, buffers, header, signatures};
use crate::shader::Error;
use crate::sm5::codes::{ResourceDimension, SamplerMode};
use crate::sm5::{self, DeclarationKind, GlobalFlags, ItemKind, Op, RegisterFile, RegisterRange, ResourceKind, Stage};

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

/// Adds the facts in the declarations. They have no names, so their bindings count only if there are no resource
/// definitions.
fn declared(program: &mut Program, decoded: &sm5::Program) {
    let counts = &mut program.counts;
    counts.words = decoded.words.len();
    counts.name_instructions(decoded.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Instruction(instruction) => Some(instruction.op.text()),
        ItemKind::Declaration(_) | ItemKind::CustomData(_) => None,
    }));
    // Declarations mark counters, except those of append and consume buffers, which follow from instructions.
    let mut counted = Vec::new();
    for item in &decoded.items {
        let ItemKind::Instruction(instruction) = &item.kind else { continue };
        let counter = match instruction.op {
            Op::ImmAtomicAlloc => CounterUse::Append,
            Op::ImmAtomicConsume => CounterUse::Consume,
            _ => continue,
        };
        let views = instruction.operands.iter().filter(|operand| operand.file == RegisterFile::Uav);
        counted.extend(views.filter_map(|operand| Some((operand.index_u32(0)?, counter))));
    }
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
                program.bindings.push(Binding { kind: CONSTANT, ..unnamed('b', range) });
            }
            DeclarationKind::Sampler { range, mode } => {
                let is_comparison = *mode == SamplerMode::Comparison;
                program.bindings.push(Binding { kind: SAMPLER, is_comparison, ..unnamed('s', range) });
            }
            DeclarationKind::Resource { range, kind } => program.bindings.push(resource('t', range, kind)),
            DeclarationKind::Uav { range, kind, flags } => {
                program.bindings.push(Binding {
                    counter: match flags.counter {
                        true => Some(CounterUse::Count),
                        false => counted.iter().find(|(id, _)| *id == range.id).map(|&(_, counter)| counter),
                    },
                    ..resource('u', range, kind)
                });
            }
            _ => {}
        }
    }
}

// Names that a job gives the kinds of views.
const CONSTANT: &str = "constant";
const SAMPLER: &str = "sampler";
const RAW: &str = "raw";
const STRUCTURED: &str = "structured";
/// Typed views by the numbers of dimensions in resource definitions, which begin at 1.
const TYPED: [&str; 10] = [
    "typed",
    "texture1d",
    "texture1darray",
    "texture2d",
    "texture2darray",
    "texture2dms",
    "texture2dmsarray",
    "texture3d",
    "texturecube",
    "texturecubearray",
];
const UNKNOWN: &str = "unknown";

/// A declared resource.
fn resource(file: char, range: &RegisterRange, kind: &ResourceKind) -> Binding {
    let binding = unnamed(file, range);
    match kind {
        ResourceKind::Raw => Binding { kind: RAW, ..binding },
        ResourceKind::Structured { stride_bytes } => {
            Binding { kind: STRUCTURED, stride_bytes: Some(*stride_bytes), ..binding }
        }
        ResourceKind::Typed { dimension, samples, returns } => Binding {
            kind: typed_kind(dimension_number(*dimension)),
            format: returns[0].text().to_owned(),
            samples: Some(u32::from(*samples)).filter(|&samples| samples != 0),
            ..binding
        },
    }
}

fn typed_kind(dimension: u32) -> &'static str {
    let name = (dimension as usize).checked_sub(1).and_then(|n| TYPED.get(n));
    name.copied().unwrap_or(UNKNOWN)
}

/// The number that resource definitions have for a dimension of the token stream; 0 for none.
fn dimension_number(dimension: ResourceDimension) -> u32 {
    match dimension {
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
    }
}

/// A range of registers of which nothing else is known.
fn unnamed(file: char, range: &RegisterRange) -> Binding {
    Binding { register: format!("{file}{}", range.lower), space: range.space, count: range.len(), ..Binding::default() }
}

fn binding(binding: &resources::Binding) -> Binding {
    let file = match binding.kind {
        BindingKind::ConstantBuffer => "b",
        _ => bindings::BindingRow::of(binding).file,
    };
    let plain = Binding {
        name: Some(binding.name.clone()),
        register: format!("{file}{}", binding.bind_point),
        space: binding.space,
        count: Some(binding.bind_count).filter(|&count| count != 0),
        kind: UNKNOWN,
        ..Binding::default()
    };
    let stride_bytes = Some(binding.samples_or_stride);
    match binding.kind {
        BindingKind::ConstantBuffer => Binding { kind: CONSTANT, ..plain },
        BindingKind::Sampler => {
            Binding { kind: SAMPLER, is_comparison: binding.flags & bindings::COMPARISON != 0, ..plain }
        }
        BindingKind::Raw | BindingKind::UavRaw => Binding { kind: RAW, ..plain },
        BindingKind::Structured | BindingKind::UavStructured => Binding { kind: STRUCTURED, stride_bytes, ..plain },
        BindingKind::UavAppend | BindingKind::UavConsume | BindingKind::UavCounter => {
            let counter = Some(match binding.kind {
                BindingKind::UavAppend => CounterUse::Append,
                BindingKind::UavConsume => CounterUse::Consume,
                _ => CounterUse::Count,
            });
            Binding { kind: STRUCTURED, stride_bytes, counter, ..plain }
        }
        // The shader reads its vectors from a typed buffer.
        BindingKind::TextureBuffer => Binding { kind: TYPED[0], format: "float4".to_owned(), ..plain },
        BindingKind::Texture | BindingKind::UavTyped => {
            let kind = typed_kind(binding.dimension);
            let is_multisampled = kind.starts_with("texture2dms") && binding.samples_or_stride != 0;
            let samples = Some(binding.samples_or_stride).filter(|_| is_multisampled);
            Binding { kind, format: bindings::BindingRow::of(binding).format, samples, ..plain }
        }
        BindingKind::Other(_) => plain,
    }
}

fn element(element: SignatureElement, kind: SignatureKind, stage: Stage) -> Element {
    let is_written = match kind {
        SignatureKind::Inputs => false,
        SignatureKind::Outputs => true,
        // A hull shader writes patch constants, a domain shader reads them.
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
    Variable {
        name: name.to_owned(),
        type_name: if ty.is_structure() { buffers::structure_text(ty) } else { buffers::type_text(ty) },
        elements: Some(u32::from(ty.elements)).filter(|&count| count != 0),
        location: Some(Location::Bytes { offset, size }),
        is_used: true,
        default: None,
        members: ty.members.iter().map(member).collect(),
    }
}
