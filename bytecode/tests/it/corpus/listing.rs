//! Tests that every container of the real compiler decodes to what its listing says.

use super::data;
use brolga_bytecode::container::Container;
use brolga_bytecode::sm5::codes::ResourceDimension;
use brolga_bytecode::sm5::valid::{
    Construct, Declarations, IndexableTemp, Resource, Sampler, SharedMemory, SharedMemoryKind, Uav,
};
use brolga_bytecode::sm5::{GlobalFlags, Model, RegisterRange, ResourceKind};
use brolga_bytecode::{Limits, LoadOptions, Shader, sm5};
use std::collections::BTreeSet;

#[test]
fn every_container_is_valid() {
    let options = LoadOptions::default();
    let mut failures = Vec::new();
    for shader in data::containers() {
        match Shader::load(&shader.bytes, &options) {
            Ok(loaded) => {
                let program = loaded.program.program();
                assert_eq!(
                    shader.profile.get(..6),
                    Some(&*format!("{}_{}", program.stage, program.model)),
                    "{}",
                    shader.name
                );
                assert_eq!(loaded.checksum_matches, shader.standard_checksum, "{}", shader.name);
                assert!(loaded.program.declarations().group_threads() > 0, "{}", shader.name);
            }
            Err(error) => failures.push(format!("{}: {error}", shader.name)),
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn opcodes_are_those_of_the_listing() {
    let limits = Limits::default();
    let mut failures = Vec::new();
    for shader in data::containers() {
        let container = Container::parse(&shader.bytes, &limits).unwrap();
        let chunk = container.program().unwrap();
        let program = match sm5::decode(chunk.data, chunk.at, &limits) {
            Ok(program) => program,
            Err(error) => {
                failures.push(format!("{}: {error}", shader.name));
                continue;
            }
        };
        let decoded: BTreeSet<&str> = program.items.iter().map(|item| item.kind.text()).collect();
        let listed: BTreeSet<&str> = shader.opcodes.iter().map(String::as_str).collect();
        if decoded != listed {
            failures.push(format!("{}: {:?}", shader.name, decoded.symmetric_difference(&listed)));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn declarations_are_those_of_the_listing() {
    const COMPARED: [&str; 8] = [
        "dcl_constantbuffer",
        "dcl_resource",
        "dcl_uav",
        "dcl_sampler",
        "dcl_tgsm",
        "dcl_indexableTemp",
        "dcl_thread_group",
        "dcl_globalFlags",
    ];
    let options = LoadOptions::default();
    for shader in data::containers() {
        let loaded = Shader::load(&shader.bytes, &options).unwrap().program;
        let mut declared = declaration_lines(loaded.declarations(), loaded.model(), loaded.stage());
        let lines = shader.listing.lines().map(str::trim);
        let mut listed: Vec<String> =
            lines.filter(|line| COMPARED.iter().any(|start| line.starts_with(start))).map(str::to_owned).collect();
        // Each phase of a hull shader declares its arrays; the summary has the largest.
        if loaded.stage() == sm5::Stage::Hull {
            declared.retain(|line| !line.starts_with("dcl_indexableTemp"));
            listed.retain(|line| !line.starts_with("dcl_indexableTemp"));
        }
        declared.sort();
        listed.sort();
        assert_eq!(declared, listed, "{}", shader.name);
    }
}

/// The summary of a program's declarations, written as fxc lists declarations.
fn declaration_lines(declared: &Declarations, model: Model, stage: sm5::Stage) -> Vec<String> {
    let is_5_1 = model == Model::Sm5_1;
    let register = |file: &str, range: &RegisterRange| match range.upper {
        _ if !is_5_1 => format!("{file}{}", range.id),
        Some(upper) => format!("{}{}[{}:{upper}]", file.to_uppercase(), range.id, range.lower),
        None => format!("{}{}[{}:*]", file.to_uppercase(), range.id, range.lower),
    };
    let space = |range: &RegisterRange| if is_5_1 { format!(", space={}", range.space) } else { String::new() };
    let resource = |name: &str, flags: &str, file: &str, range: &RegisterRange, kind: &ResourceKind| {
        let (register, space) = (register(file, range), space(range));
        match kind {
            ResourceKind::Raw => format!("dcl_{name}_raw{flags} {register}{space}"),
            ResourceKind::Structured { stride_bytes } => {
                format!("dcl_{name}_structured{flags} {register}, {stride_bytes}{space}")
            }
            ResourceKind::Typed { dimension, samples, returns: [x, y, z, w] } => {
                let typed = if name == "uav" { "_typed" } else { "" };
                let is_multisampled =
                    matches!(dimension, ResourceDimension::Texture2DMs | ResourceDimension::Texture2DMsArray);
                let samples = if is_multisampled { format!("({samples})") } else { String::new() };
                format!("dcl_{name}{typed}_{dimension}{samples}{flags} ({x},{y},{z},{w}) {register}{space}")
            }
        }
    };
    let mut lines = Vec::new();
    for declared in &declared.constant_buffers {
        let access = if declared.dynamic { "dynamicIndexed" } else { "immediateIndexed" };
        let register = register("CB", &declared.range);
        lines.push(format!("dcl_constantbuffer {register}[{}], {access}{}", declared.vectors, space(&declared.range)));
    }
    for Resource { range, kind, .. } in &declared.resources {
        lines.push(resource("resource", "", "t", range, kind));
    }
    for Uav { range, kind, flags, .. } in &declared.uavs {
        let text = [(flags.globally_coherent, "_glc"), (flags.rasterizer_ordered, "_rov"), (flags.counter, "_opc")];
        let text: String = text.iter().filter(|(set, _)| *set).map(|(_, text)| *text).collect();
        lines.push(resource("uav", &text, "u", range, kind));
    }
    for Sampler { range, mode, .. } in &declared.samplers {
        lines.push(format!("dcl_sampler {}, {mode}{}", register("s", range), space(range)));
    }
    for SharedMemory { register, kind, .. } in &declared.shared_memory {
        lines.push(match kind {
            SharedMemoryKind::Raw { bytes } => format!("dcl_tgsm_raw g{register}, {bytes}"),
            SharedMemoryKind::Structured { stride_bytes, count } => {
                format!("dcl_tgsm_structured g{register}, {stride_bytes}, {count}")
            }
        });
    }
    for IndexableTemp { register, count, components } in &declared.indexable_temps {
        lines.push(format!("dcl_indexableTemp x{register}[{count}], {components}"));
    }
    if stage == sm5::Stage::Compute {
        let [x, y, z] = declared.group_size;
        lines.push(format!("dcl_thread_group {x}, {y}, {z}"));
    }
    let flags = [
        (GlobalFlags::REFACTORING_ALLOWED, "refactoringAllowed"),
        (GlobalFlags::DOUBLES, "enableDoublePrecisionFloatOps"),
        (GlobalFlags::EARLY_DEPTH_STENCIL, "forceEarlyDepthStencil"),
        (GlobalFlags::RAW_AND_STRUCTURED_BUFFERS, "enableRawAndStructuredBuffers"),
        (GlobalFlags::SKIP_OPTIMIZATION, "skipOptimization"),
        (GlobalFlags::MINIMUM_PRECISION, "enableMinimumPrecision"),
        (GlobalFlags::DOUBLE_EXTENSIONS, "enable11_1DoubleExtensions"),
        (GlobalFlags::SHADER_EXTENSIONS, "enable11_1ShaderExtensions"),
        (GlobalFlags::ALL_RESOURCES_BOUND, "allResourcesBound"),
    ];
    let set: Vec<&str> = flags.iter().filter(|(flag, _)| declared.flags.has(*flag)).map(|(_, text)| *text).collect();
    if !set.is_empty() {
        lines.push(format!("dcl_globalFlags {}", set.join(" | ")));
    }
    lines
}

#[test]
fn constructs_are_closed_where_the_nesting_says() {
    let options = LoadOptions::default();
    let mut seen = 0;
    for shader in data::containers() {
        let program = Shader::load(&shader.bytes, &options).unwrap().program;
        // An independent search: count openers and closers of any kind from the opener on.
        let texts: Vec<&str> = program.items().iter().map(|item| item.kind.text()).collect();
        for (position, text) in texts.iter().enumerate() {
            let Some(closer) = [("if", "endif"), ("loop", "endloop"), ("switch", "endswitch")]
                .iter()
                .find_map(|(opener, closer)| (opener == text).then_some(*closer))
            else {
                assert_eq!(program.flow().construct(position), None, "{}: item {position}", shader.name);
                continue;
            };
            let mut depth = 0;
            let mut inside = Vec::new();
            let end = position
                + texts[position..]
                    .iter()
                    .position(|text| {
                        depth += i32::from(matches!(*text, "if" | "loop" | "switch"));
                        depth -= i32::from(matches!(*text, "endif" | "endloop" | "endswitch"));
                        inside.push(depth);
                        depth == 0
                    })
                    .unwrap();
            let at_this_level = |wanted: &[&str]| -> Vec<usize> {
                let here = (position..end).filter(|n| inside[n - position] == 1 && wanted.contains(&texts[*n]));
                here.collect()
            };
            assert_eq!(texts[end], closer);
            seen += 1;
            match program.flow().construct(position).unwrap() {
                Construct::If { otherwise, end: found } => {
                    assert_eq!(*found, end);
                    assert_eq!(otherwise.iter().copied().collect::<Vec<_>>(), at_this_level(&["else"]));
                }
                Construct::Loop { end: found } => assert_eq!(*found, end),
                Construct::Switch { cases, end: found } => {
                    assert_eq!(*found, end);
                    let positions: Vec<usize> = cases.iter().map(|case| case.position).collect();
                    assert_eq!(positions, at_this_level(&["case", "default"]));
                }
            }
        }
    }
    assert!(seen > 300, "only {seen} constructs were seen");
}

#[test]
fn names_of_bindings_are_those_of_the_listing() {
    let options = LoadOptions::default();
    let mut seen = 0;
    for shader in data::containers() {
        let loaded = Shader::load(&shader.bytes, &options).unwrap();
        let Some(resources) = loaded.resources else { continue };
        assert!(shader.listing.contains(&resources.creator) || resources.creator.is_empty(), "{}", shader.name);
        let table = shader.listing.lines().skip_while(|line| !line.contains("Resource Bindings:"));
        let table = table.skip_while(|line| !line.starts_with("// ----")).skip(1).take_while(|line| line.len() > 3);
        let listed: Vec<&str> = table.filter_map(|line| line.split_whitespace().nth(1)).collect();
        let named: Vec<&str> = resources.bindings.iter().map(|binding| binding.name.as_str()).collect();
        let shortened = |name: &str| listed.iter().any(|listed| name.starts_with(listed));
        assert_eq!(named.len(), listed.len(), "{}: {named:?} {listed:?}", shader.name);
        assert!(named.iter().all(|name| shortened(name)), "{}: {named:?} {listed:?}", shader.name);
        seen += named.len();
    }
    assert!(seen > 500, "only {seen} bindings were seen");
}
