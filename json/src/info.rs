//! Describes a shader without reading its instructions.

use brolga_bytecode::debug::DebugError;
use brolga_bytecode::info::{
    Binding, Constants, DebugSummary, Element, Info, Interface, Location, Program, Signature, SignatureKind, Variable,
    letters,
};
use brolga_fenv::in_default_mode;
use serde_json::{Value, json};

/// Makes the document of a file.
pub fn info(info: &Info) -> Value {
    in_default_mode(|| {
        let chunks =
            info.chunks.iter().map(|chunk| json!({ "name": chunk.name, "at": chunk.at, "bytes": chunk.size_bytes }));
        json!({
            "bytes": info.size_bytes,
            "checksum_matches": info.checksum_matches,
            "program": program(&info.program),
            "level9": info.level9.as_ref().map(program),
            "chunks": chunks.collect::<Vec<_>>(),
            "debug": info.debug.as_ref().map(debug),
        })
    })
}

/// Debug information; `error` says why it cannot be read.
fn debug(debug: &Result<DebugSummary, DebugError>) -> Value {
    match debug {
        Ok(debug) => {
            let files = debug.files.iter().map(|(name, lines)| json!({ "file": **name, "lines": lines }));
            json!({ "variables": debug.variables, "files": files.collect::<Vec<_>>(), "error": null })
        }
        Err(error) => json!({ "variables": 0, "files": [], "error": error.to_string() }),
    }
}

fn program(program: &Program) -> Value {
    let mut value = json!({
        "profile": program.profile,
        "stage": program.stage.name(),
        "model": program.model(),
        "compiler": program.creator,
        "group_size": program.group_size,
        "shared_memory_bytes": program.shared_memory_bytes,
        "flags": program.flags,
        "needs": program.features,
        "counts": counts(program),
        "bindings": list(&program.bindings, binding),
        "constants": list(&program.constants, constants),
        "mappings": list(&program.mappings, |mapping| json!({
            "register": mapping.register,
            "count": mapping.count,
            "source": mapping.source,
        })),
    });
    if let Some(tessellation) = &program.tessellation {
        value["tessellation"] = json!({
            "domain": tessellation.domain,
            "partitioning": tessellation.partitioning,
            "output": tessellation.output,
            "control_points_in": tessellation.control_points_in,
            "control_points_out": tessellation.control_points_out,
            "max_factor": tessellation.max_factor_bits.map(f32::from_bits),
        });
    }
    if let Some(geometry) = &program.geometry {
        let streams = list(&geometry.streams, |stream| json!({ "number": stream.number, "topology": stream.topology }));
        value["geometry"] = json!({
            "input": geometry.input,
            "streams": streams,
            "max_vertices": geometry.max_vertices,
            "instances": geometry.instances,
        });
    }
    if !program.interfaces.is_empty() || !program.classes.is_empty() {
        value["linkage"] = linkage(program);
    }
    for Signature { kind, elements } in &program.signatures {
        let key = match kind {
            SignatureKind::Inputs => "inputs",
            SignatureKind::Outputs => "outputs",
            SignatureKind::PatchConstants => "patch_constants",
        };
        value[key] = list(elements, element);
    }
    value
}

fn linkage(program: &Program) -> Value {
    let interface = |interface: &Interface| {
        let choices = list(&interface.choices, |choice| json!({ "class": choice.class, "table": choice.table }));
        json!({
            "name": interface.name,
            "interface": interface.type_name,
            "slot": interface.first,
            "count": interface.count,
            "dynamic": interface.dynamic,
            "call_sites": interface.call_sites,
            "choices": choices,
        })
    };
    json!({
        "interfaces": list(&program.interfaces, interface),
        "classes": list(&program.classes, |class| json!({
            "name": class.name,
            "vectors": class.vectors,
            "textures": class.textures,
            "samplers": class.samplers,
        })),
        "instances": list(&program.class_instances, |instance| json!({
            "name": instance.name,
            "class": instance.class,
            "count": instance.count,
            "constant_buffer": instance.constant_buffer,
            "vector": instance.constant_buffer.map(|_| instance.vector),
            "texture": instance.texture,
            "sampler": instance.sampler,
        })),
        "function_tables": list(&program.function_tables, |table| json!({
            "table": table.table,
            "bodies": table.bodies,
        })),
    })
}

fn counts(program: &Program) -> Value {
    let counts = &program.counts;
    let by_name = counts.by_name.iter().map(|(name, count)| ((*name).to_owned(), json!(count)));
    json!({
        "words": counts.words,
        "declarations": counts.declarations,
        "temporaries": counts.temps,
        "slots": counts.slots,
        "instructions": counts.instructions,
        "by_name": by_name.collect::<serde_json::Map<_, _>>(),
    })
}

fn binding(binding: &Binding) -> Value {
    json!({
        "name": binding.name,
        "register": binding.register,
        "space": binding.space,
        "count": binding.count,
        "kind": binding.kind,
        "format": unless_empty(&binding.format),
        "stride": binding.stride_bytes,
        "samples": binding.samples,
        "counter": binding.counter.map(|counter| counter.text()),
        "comparison": binding.is_comparison,
    })
}

fn element(element: &Element) -> Value {
    json!({
        "semantic": unless_empty(&element.name),
        "index": element.index,
        "stream": element.stream,
        "register": element.register,
        "mask": letters(element.mask),
        "used": element.used_mask.map(letters),
        "format": element.format,
        "system_value": element.system_value,
    })
}

fn constants(constants: &Constants) -> Value {
    json!({
        "kind": constants.kind,
        "name": unless_empty(&constants.name),
        "bytes": constants.size_bytes,
        "variables": list(&constants.variables, variable),
    })
}

fn variable(variable: &Variable) -> Value {
    let mut value = json!({
        "name": variable.name,
        "type": variable.type_name,
        "elements": variable.elements,
    });
    match &variable.location {
        Some(Location::Bytes { offset, size }) => {
            value["offset"] = json!(offset);
            value["bytes"] = json!(size);
        }
        Some(Location::Registers { first, count }) => {
            value["register"] = json!(first);
            value["count"] = json!(count);
        }
        None => {}
    }
    value["used"] = json!(variable.is_used);
    value["default_words"] = json!(variable.default);
    value["members"] = list(&variable.members, self::variable);
    value
}

fn list<T>(items: &[T], json: impl FnMut(&T) -> Value) -> Value {
    items.iter().map(json).collect()
}

fn unless_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
