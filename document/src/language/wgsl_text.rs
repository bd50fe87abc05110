//! Reads shaders in WGSL, and says of them what the files of other shaders say.

use std::path::Path;
use std::sync::Arc;

use brolga_bytecode::container::ResourceDefinitions;
use brolga_bytecode::container::resources::{self, BindingKind, BufferKind, Member, MemberRegisters, VariableType};
use brolga_bytecode::info::{self, Counts, Info};
use brolga_bytecode::sm5::Stage;
use brolga_ir::function::{Function, InstData, InstKind, MemoryRef, Object};
use brolga_runtime::{Component, Module, Register, ResourceClass, ResourceKind};
use brolga_wgsl::{Binding, Error, Fault, MemberInfo, Options, OverrideInfo, Shader, TypeInfo, TypeKind};

use super::wgsl::{Outline, TextOverride, TextResource, TextShader, WgslOptions};
use crate::error::Problem;
use crate::model::number::NumberType;
use crate::wrong_text::WrongText;

/// Bytes of a vector of a constant buffer, where elements and columns begin.
const VECTOR: u32 = 16;
/// How often a loop goes round.
const ROUNDS: u64 = 8;

/// Reads a shader in WGSL.
pub(crate) fn read(path: &Path, bytes: &[u8], options: &WgslOptions) -> Result<TextShader, Problem> {
    let failed = |place, message: String, help, text: &str| {
        let shader = path.to_owned();
        Problem::Text(Box::new(WrongText { shader, place, message, help, text: Arc::from(text) }))
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let is_compiled = bytes.starts_with(b"DXBC") || brolga_bytecode::sm3::is_program(bytes);
        let help = is_compiled.then(|| "this is a compiled shader: give it a name that ends in .cso".to_owned());
        let message = format!("the file is not WGSL: byte {} is not UTF-8", error.valid_up_to());
        failed(None, message, help, "")
    })?;
    let mut wanted = Options::default();
    wanted.file = path.file_name().map(|name| name.to_string_lossy().into_owned());
    wanted.entry.clone_from(&options.entry);
    wanted.overrides = options.overrides.iter().cloned().collect();
    let shader = Shader::read(text, &wanted).map_err(|error| {
        let place = error.at.map(|at| (at.line, at.column));
        failed(place, error.fault.to_string(), help(&error), text)
    })?;
    let resources = shader.bindings().iter().map(resource).collect();
    let overrides = shader.overrides().iter().map(overridden).collect();
    let (entry, outline) = (shader.entry().to_owned(), outline(shader.function()));
    let kinds: Vec<ResourceKind> = shader.function().interface.resources.iter().map(|of| of.kind).collect();
    let names = names(&shader, &kinds);
    let info = info(&shader, &names, bytes.len());
    let module = Module::new(shader).map_err(Problem::from)?;
    Ok(TextShader { module, names, resources, info, entry, overrides, outline })
}

/// What is wrong with a text, for any of its entry points if none is named: each once.
pub(crate) fn problems(path: &Path, bytes: &[u8], options: &WgslOptions) -> Vec<Problem> {
    let Err(problem) = read(path, bytes, options) else { return Vec::new() };
    let which = |text| match Shader::read(text, &Options::default()).map_err(|error| error.fault) {
        Err(Fault::WhichEntryPoint { found }) if options.entry.is_none() && !found.is_empty() => Some(found),
        _ => None,
    };
    let Some(entries) = std::str::from_utf8(bytes).ok().and_then(which) else { return vec![problem] };
    let of_entry = |entry| read(path, bytes, &WgslOptions::new(Some(entry), options.overrides.clone())).err();
    let mut problems: Vec<Problem> = entries.into_iter().filter_map(of_entry).collect();
    problems.dedup_by_key(|problem| problem.to_string());
    problems
}

/// Advice on an error.
fn help(error: &Error) -> Option<String> {
    match &error.fault {
        Fault::WhichEntryPoint { found } => match found.first() {
            Some(first) => Some(format!("choose one, by `entry = \"{first}\"` in a document or by `--entry {first}`")),
            None => Some("mark a function with `@compute @workgroup_size(64)`".to_owned()),
        },
        Fault::NoEntryPoint { name, found } => nearest(name, found),
        Fault::NoOverride { name, found } => nearest(name, found),
        Fault::OverrideWithoutValue { name, others } => {
            let all: Vec<String> = [name].into_iter().chain(others).map(|name| format!("{name} = 1")).collect();
            let all = all.join(", ");
            Some(format!("give values, by `overrides = {{ {all} }}` in a document or by `--override {name}=1`"))
        }
        _ => None,
    }
}

fn nearest(name: &str, known: &[String]) -> Option<String> {
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    crate::error::nearest(name, &known).map(|nearest| format!("did you mean `{nearest}`?"))
}

fn register(of: &Binding) -> Register {
    Register::new(of.class, of.binding).in_space(of.group)
}

fn resource(of: &Binding) -> TextResource {
    let format = match &of.ty.kind {
        TypeKind::Texture(Some(format)) => format.parse().ok(),
        _ => None,
    };
    let mut types = Vec::new();
    collect(&of.ty, &mut types);
    types.dedup();
    let numbers = if let [one] = types[..] { number_type(one) } else { None };
    TextResource { register: register(of), format, numbers, bytes: bytes(&of.ty) }
}

/// Bytes before the elements of an array whose length is open, and of one of them.
fn bytes(ty: &TypeInfo) -> [u32; 2] {
    match &ty.kind {
        TypeKind::Array { count: None, stride_bytes, .. } => [0, *stride_bytes],
        TypeKind::Struct(members) => match members.last().map(|last| (last, &last.ty.kind)) {
            Some((last, TypeKind::Array { count: None, stride_bytes, .. })) => [last.offset_bytes, *stride_bytes],
            _ => [ty.size_bytes.next_multiple_of(4), 0],
        },
        _ => [ty.size_bytes.next_multiple_of(4), 0],
    }
}

/// The types of all numbers in a type.
fn collect(ty: &TypeInfo, types: &mut Vec<&'static str>) {
    match &ty.kind {
        TypeKind::Numbers { of, .. } => types.push(of),
        TypeKind::Matrix { .. } => types.push("f32"),
        TypeKind::Array { element, .. } => collect(element, types),
        TypeKind::Struct(members) => members.iter().for_each(|member| collect(&member.ty, types)),
        // Whatever it is, it is none that is known.
        _ => types.push(""),
    }
}

fn number_type(name: &str) -> Option<NumberType> {
    match name {
        "f32" => Some(NumberType::F32),
        "i32" => Some(NumberType::I32),
        "u32" => Some(NumberType::U32),
        _ => None,
    }
}

fn overridden(of: &OverrideInfo) -> TextOverride {
    let value = of.value.map(|value| match of.ty {
        "bool" => (value != 0.0).to_string(),
        "f32" => format!("{:?}", value as f32),
        _ => value.to_string(),
    });
    let title = if of.key == of.name { of.ty.to_owned() } else { format!("{}: {}", of.name, of.ty) };
    TextOverride { key: of.key.clone(), title, value, is_computed: of.is_computed }
}

/// The names and types of resources.
fn names(shader: &Shader, kinds: &[ResourceKind]) -> ResourceDefinitions {
    let (mut bindings, mut buffers) = (Vec::new(), Vec::new());
    for (of, kind) in shader.bindings().iter().zip(kinds) {
        let is_written = of.class == ResourceClass::UnorderedAccess;
        let (binding_kind, return_type) = match kind {
            ResourceKind::Constant { .. } => (BindingKind::ConstantBuffer, 0),
            ResourceKind::Sampler { .. } => (BindingKind::Sampler, 0),
            ResourceKind::Typed { component, .. } => {
                let kind = if is_written { BindingKind::UavTyped } else { BindingKind::Texture };
                (kind, return_type(*component))
            }
            _ => (if is_written { BindingKind::UavRaw } else { BindingKind::Raw }, 0),
        };
        let components = if of.ty.name == "texture_depth" { 1 } else { 4 };
        bindings.push(resources::Binding {
            name: of.name.clone(),
            kind: binding_kind,
            return_type,
            dimension: 0,
            samples_or_stride: 0,
            bind_point: of.binding,
            bind_count: 1,
            flags: (components - 1) << 2,
            space: of.group,
            id: of.binding,
        });
        if let ResourceKind::Constant { .. } = kind {
            let whole = MemberInfo { name: of.name.clone(), offset_bytes: 0, ty: of.ty.clone() };
            let members = if let TypeKind::Struct(members) = &of.ty.kind { members } else { &vec![whole] };
            let variable = |member: &MemberInfo| resources::Variable {
                name: member.name.clone(),
                offset_bytes: member.offset_bytes,
                size_bytes: member.ty.size_bytes,
                // Used.
                flags: 2,
                ty: variable_type(&member.ty),
                default: None,
                textures: MemberRegisters::default(),
                samplers: MemberRegisters::default(),
            };
            buffers.push(resources::Buffer {
                name: of.name.clone(),
                size_bytes: of.ty.size_bytes.next_multiple_of(VECTOR),
                flags: 0,
                kind: BufferKind::ConstantBuffer,
                variables: members.iter().map(variable).collect(),
            });
        }
    }
    ResourceDefinitions { version: (5, 1), creator: String::new(), flags: 0, bindings, buffers }
}

fn return_type(component: Component) -> u32 {
    match component {
        Component::Unorm => 1,
        Component::Snorm => 2,
        Component::Sint => 3,
        Component::Uint => 4,
        _ => 5,
    }
}

/// A type as constant buffers of files have it; one without values if it lies otherwise than there.
fn variable_type(ty: &TypeInfo) -> VariableType {
    const OBJECT: u16 = 4;
    let name = Some(ty.name.clone());
    let none = || VariableType {
        class: OBJECT,
        base: 0,
        rows: 0,
        columns: 0,
        elements: 0,
        members: Vec::new(),
        name: name.clone(),
    };
    let base = |of: &str| match of {
        "f32" => 3,
        "i32" => 2,
        _ => 19,
    };
    match &ty.kind {
        TypeKind::Numbers { of, count } => {
            VariableType { class: u16::from(*count > 1), base: base(of), rows: 1, columns: *count as u16, ..none() }
        }
        // By columns, as WGSL writes them: those are lines that lie one after the other.
        TypeKind::Matrix { columns, rows, stride_bytes: VECTOR } => {
            VariableType { class: 2, base: base("f32"), rows: *columns as u16, columns: *rows as u16, ..none() }
        }
        TypeKind::Array { element, count: Some(count), stride_bytes } => {
            let is_regular = element.size_bytes.next_multiple_of(VECTOR) == *stride_bytes;
            match u16::try_from(*count) {
                Ok(elements) if is_regular && elements > 0 && !matches!(element.kind, TypeKind::Array { .. }) => {
                    VariableType { elements, name, ..variable_type(element) }
                }
                _ => none(),
            }
        }
        TypeKind::Struct(members) => {
            let member = |member: &MemberInfo| Member {
                name: member.name.clone(),
                offset_bytes: member.offset_bytes,
                ty: variable_type(&member.ty),
            };
            VariableType { class: 5, members: members.iter().map(member).collect(), ..none() }
        }
        _ => none(),
    }
}

/// The summary.
fn info(shader: &Shader, names: &ResourceDefinitions, size_bytes: usize) -> Info {
    let interface = &shader.function().interface;
    let binding = |(of, declared): (&Binding, &brolga_ir::interface::Resource)| info::Binding {
        name: Some(of.name.clone()),
        register: format!("{}{}", of.class.letter(), of.binding),
        space: of.group,
        count: Some(1),
        kind: match declared.kind {
            ResourceKind::Constant { .. } => "constant",
            ResourceKind::Sampler { .. } => "sampler",
            ResourceKind::Typed { dimension, .. } => dimension.name(),
            _ => "raw",
        },
        format: match (declared.kind, &of.ty.kind) {
            (_, TypeKind::Texture(Some(format))) => format.clone(),
            (ResourceKind::Typed { component, .. }, _) => {
                if of.ty.name == "texture_depth" {
                    component.to_string()
                } else {
                    format!("{component}4")
                }
            }
            _ => String::new(),
        },
        is_comparison: matches!(declared.kind, ResourceKind::Sampler { compares: true }),
        ..info::Binding::default()
    };
    let buffers = names.buffers.iter().filter_map(|buffer| {
        let of = shader.bindings().iter().find(|of| of.name == buffer.name)?;
        let whole = [MemberInfo { name: of.name.clone(), offset_bytes: 0, ty: of.ty.clone() }];
        let members = if let TypeKind::Struct(members) = &of.ty.kind { &members[..] } else { &whole };
        Some(info::Constants {
            kind: "cbuffer",
            name: buffer.name.clone(),
            size_bytes: Some(buffer.size_bytes),
            variables: members.iter().map(|member| variable(member, 0, true)).collect(),
        })
    });
    let overrides: Vec<info::Variable> = shader.overrides().iter().map(override_variable).collect();
    let overrides = (!overrides.is_empty()).then(|| info::Constants {
        kind: "overrides",
        name: String::new(),
        size_bytes: None,
        variables: overrides,
    });
    let program = info::Program {
        group_size: Some(interface.group_size()),
        shared_memory_bytes: interface.shared.iter().map(|shared| u64::from(shared.size_bytes())).sum(),
        bindings: shader.bindings().iter().zip(&interface.resources).map(binding).collect(),
        constants: buffers.chain(overrides).collect(),
        counts: Counts { instructions: shader.function().inst_count() as u32, ..Counts::default() },
        stage: Stage::Compute,
        profile: "WGSL compute".to_owned(),
        creator: None,
        tessellation: None,
        geometry: None,
        flags: Vec::new(),
        features: Vec::new(),
        signatures: Vec::new(),
        interfaces: Vec::new(),
        classes: Vec::new(),
        class_instances: Vec::new(),
        function_tables: Vec::new(),
        mappings: Vec::new(),
    };
    Info { size_bytes, checksum_matches: None, chunks: Vec::new(), program, level9: None, debug: None }
}

fn variable(member: &MemberInfo, before: u32, is_outer: bool) -> info::Variable {
    let offset = before + member.offset_bytes;
    let (elements, ty) = match &member.ty.kind {
        TypeKind::Array { element, count: Some(count), .. } if !matches!(variable_type(&member.ty).class, 4) => {
            (Some(*count), &**element)
        }
        _ => (None, &member.ty),
    };
    let members = if let TypeKind::Struct(members) = &ty.kind { &members[..] } else { &[] };
    info::Variable {
        name: member.name.clone(),
        type_name: ty.name.clone(),
        elements,
        location: Some(info::Location::Bytes { offset, size: is_outer.then_some(member.ty.size_bytes) }),
        is_used: true,
        default: None,
        members: members.iter().map(|inner| variable(inner, offset, false)).collect(),
    }
}

fn override_variable(of: &OverrideInfo) -> info::Variable {
    let word = of.value.map(|value| match of.ty {
        "f32" => (value as f32).to_bits(),
        "i32" => (value as i32).cast_unsigned(),
        _ => value as u32,
    });
    info::Variable {
        name: if of.key == of.name { of.name.clone() } else { format!("{} (@id {})", of.name, of.key) },
        type_name: of.ty.to_owned(),
        elements: None,
        location: None,
        is_used: true,
        default: word.map(|word| vec![word]),
        members: Vec::new(),
    }
}

fn outline(function: &Function) -> Outline {
    let mut outline = Outline::default();
    let mut used = std::collections::HashSet::new();
    let mut told = Vec::new();
    let mut left = vec![(function.body(), 0u32)];
    while let Some((region, depth)) = left.pop() {
        for &inst in &function.region(region).insts {
            outline.cost = outline.cost.saturating_add(ROUNDS.saturating_pow(depth));
            let InstData { kind, results, .. } = function.inst(inst);
            let is_loop = matches!(kind, InstKind::Loop { .. });
            outline.has_loops |= is_loop;
            let is_of_view = |place: &MemoryRef| matches!(place.object, Object::Resource(_));
            match kind {
                InstKind::Atomic { place, .. } if is_of_view(place) => told.extend(results.iter().copied()),
                InstKind::TexelAtomic { .. } => told.extend(results.iter().copied()),
                _ => {}
            }
            used.extend(kind.args());
            left.extend(kind.regions().into_iter().map(|region| (region, depth + u32::from(is_loop))));
        }
    }
    outline.is_racing = told.iter().any(|value| used.contains(value));
    outline
}
