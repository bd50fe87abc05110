//! Summarises what only some stages have: tessellator state, geometry shader input and output, interfaces.

use super::{Geometry, Interface, InterfaceChoice, Program, Stream, Tessellation};
use crate::container::resources::BufferKind;
use crate::container::{ClassLinkage, ResourceDefinitions};
use crate::sm5::valid::FunctionTable;
use crate::sm5::{self, DeclarationKind, ItemKind, Stage, primitive_text};
use std::collections::HashMap;

/// Adds the facts in the declarations.
pub(super) fn declared(program: &mut Program, decoded: &sm5::Program) {
    let mut tessellation = Tessellation::default();
    let mut geometry = Geometry { instances: 1, ..Geometry::default() };
    let mut stream = 0;
    let declarations = decoded.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Declaration(declaration) => Some(&declaration.kind),
        ItemKind::Instruction(_) | ItemKind::CustomData(_) => None,
    });
    for kind in declarations {
        match *kind {
            DeclarationKind::TessellatorDomain(domain) => tessellation.domain = Some(short(domain.text(), "domain_")),
            DeclarationKind::TessellatorPartitioning(partitioning) => {
                tessellation.partitioning = Some(short(partitioning.text(), "partitioning_"));
            }
            DeclarationKind::TessellatorOutput(output) => tessellation.output = Some(short(output.text(), "output_")),
            DeclarationKind::InputControlPointCount(count) => tessellation.control_points_in = Some(count),
            DeclarationKind::OutputControlPointCount(count) => tessellation.control_points_out = Some(count),
            DeclarationKind::HsMaxTessFactor(bits) => tessellation.max_factor_bits = Some(bits),
            DeclarationKind::InputPrimitive { primitive } => geometry.input = Some(primitive_text(primitive)),
            DeclarationKind::Stream { register } => stream = register,
            DeclarationKind::OutputTopology(topology) => {
                geometry.streams.push(Stream { number: stream, topology: topology.text() });
            }
            DeclarationKind::MaxOutputVertexCount(count) => geometry.max_vertices = Some(count),
            DeclarationKind::GsInstances(count) => geometry.instances = count,
            DeclarationKind::FunctionTable { table, ref bodies } => {
                program.function_tables.push(FunctionTable { table, bodies: bodies.clone() });
            }
            DeclarationKind::Interface { interface, dynamic, call_sites, array_length, ref tables } => {
                let choices = tables.iter().map(|&table| InterfaceChoice { class: None, table }).collect();
                let (first, count) = (interface, array_length);
                let (name, type_name) = (None, None);
                program.interfaces.push(Interface { name, type_name, first, count, dynamic, call_sites, choices });
            }
            _ => {}
        }
    }
    program.tessellation = matches!(decoded.stage, Stage::Hull | Stage::Domain).then_some(tessellation);
    program.geometry = (decoded.stage == Stage::Geometry).then_some(geometry);
}

/// Adds the facts in the class linkage. Everything is looked up once, since a file can state any number of each.
pub(super) fn link(program: &mut Program, linkage: ClassLinkage) {
    let choices = linkage
        .slots
        .iter()
        .enumerate()
        .flat_map(|(n, slots)| slots.choices.iter().map(move |choice| ((n, choice.table), choice.class)));
    let classes: HashMap<(usize, u32), u16> = choices.collect();
    for interface in &mut program.interfaces {
        let record = linkage.slots.partition_point(|slots| slots.first + slots.count <= interface.first);
        for choice in &mut interface.choices {
            choice.class = classes.get(&(record, choice.table)).copied();
        }
    }
    program.classes = linkage.classes;
    program.class_instances = linkage.instances;
}

/// Names the interfaces as the resource definitions do.
pub(super) fn name_interfaces(program: &mut Program, resources: &ResourceDefinitions) {
    let pointers = resources.buffers.iter().filter(|buffer| buffer.kind == BufferKind::InterfacePointers);
    let variables = pointers.flat_map(|buffer| &buffer.variables);
    let named: HashMap<(u32, u32), _> =
        variables.map(|variable| ((variable.offset_bytes, variable.size_bytes), variable)).collect();
    for interface in &mut program.interfaces {
        if let Some(variable) = named.get(&(interface.first, interface.count)) {
            interface.name = Some(variable.name.clone());
            interface.type_name = variable.ty.name.clone();
        }
    }
}

/// The text without the prefix that the listing puts before each value of its kind.
fn short(text: &'static str, prefix: &str) -> &'static str {
    text.strip_prefix(prefix).unwrap_or(text)
}
