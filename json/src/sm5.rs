//! Describes programs of models 4.0 to 5.1.

use crate::{ItemObject, index, word_text, words, write_program};
use brolga_bytecode::info::letters;
use brolga_bytecode::listing::line;
use brolga_bytecode::sm5::codes::MinPrecision;
use brolga_bytecode::sm5::ops::{Carries, Slot};
use brolga_bytecode::sm5::{
    Components, CustomContent, CustomData, DeclarationKind, GlobalFlags, Instruction, Item, ItemKind, Operand, Program,
    RegisterFile, RegisterRange, ResourceKind, Test, primitive_text,
};
use serde_json::{Value, json};

/// Writes a program.
pub(super) fn program(out: &mut String, program: &Program) {
    let (major, minor) = program.model.numbers();
    let whole = json!({
        "profile": format!("{}_{}", program.stage, program.model),
        "stage": program.stage.name(),
        "model": format!("{major}.{minor}"),
        "at": program.at,
        "word_count": program.words.len(),
    });
    write_program(out, &whole, program.items.iter().map(|item| self::item(program, item)));
}

fn item(program: &Program, item: &Item) -> ItemObject {
    let mut object = ItemObject::default();
    let kind = match &item.kind {
        ItemKind::Instruction(_) => "instruction",
        ItemKind::Declaration(_) => "declaration",
        ItemKind::CustomData(_) => "data",
    };
    object.extend(json!({
        "kind": kind,
        "at": item.at,
        "first_word": item.first_word,
        "word_count": item.word_count,
        "name": item.kind.text(),
        "text": line(program, item),
    }));
    match &item.kind {
        ItemKind::Instruction(instruction) => self::instruction(&mut object, instruction),
        ItemKind::Declaration(declaration) => self::declaration(&mut object, &declaration.kind),
        ItemKind::CustomData(data) => custom_data(&mut object, data, program.words_of(item)),
    }
    object
}

fn instruction(object: &mut ItemObject, instruction: &Instruction) {
    let carries = instruction.op.info().carries;
    object.set_if(instruction.saturate, "saturate", true);
    object.set_if(instruction.precise != 0, "precise", letters(instruction.precise));
    let test = match instruction.test {
        Test::Zero => "z",
        Test::NonZero => "nz",
    };
    object.set_if(carries.has(Carries::TEST), "test", test);
    if carries.has(Carries::SYNC) {
        let sync = instruction.sync;
        let flags = [
            (sync.uav_global, "uav_global"),
            (sync.uav_group, "uav_group"),
            (sync.shared_memory, "shared_memory"),
            (sync.threads, "threads"),
        ];
        object.set("sync", flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect::<Value>());
    }
    let has_result = carries.has(Carries::RESINFO) || carries.has(Carries::SAMPLEINFO);
    object.set_if(has_result, "result", instruction.resinfo.text());
    if let Some(offsets) = instruction.offsets {
        object.set("offsets", json!(offsets));
    }
    if let Some(resource) = instruction.resource {
        object.set("dimension", resource.dimension.text());
        object.set_if(resource.stride_bytes != 0, "stride", resource.stride_bytes);
    }
    if let Some(returns) = instruction.returns {
        object.set("returns", returns.iter().map(|ty| ty.text()).collect::<Value>());
    }
    let has_call_site = instruction.op.info().slots.contains(&Slot::Interface);
    object.set_if(has_call_site, "call_site", instruction.call_site);
    let operands = instruction.slots().map(|(slot, operand)| {
        let mut object = self::operand(operand);
        object.set_if(slot.is_destination(), "written", true);
        Value::Object(object.0)
    });
    object.set("operands", operands.collect::<Value>());
    if let Some(word) = instruction.trailing {
        object.set("trailing", word_text(word));
    }
}

fn operand(operand: &Operand) -> ItemObject {
    let mut object = ItemObject::default();
    // The listing's name, since the prefix of labels is that of literals.
    object.set("file", if operand.file == RegisterFile::Label { "label" } else { operand.file.text() });
    let indices =
        operand.indices.iter().map(|found| index(found.immediate, found.relative.as_deref().map(self::operand)));
    object.set_if(!operand.indices.is_empty(), "indices", indices.collect::<Value>());
    let is_literal = !operand.immediate.is_empty();
    match operand.components {
        // Other components of literals have no meaning.
        Components::None | Components::One | Components::Mask(_) | Components::Swizzle([0, 1, 2, 3]) if is_literal => {}
        Components::None => object.set("components", 0),
        Components::One => object.set("components", 1),
        Components::Mask(mask) => object.set("mask", letters(mask)),
        Components::Swizzle(swizzle) => object.set("swizzle", swizzle.map(|n| letters(1 << n)).concat()),
        Components::Select(component) => object.set("select", letters(1 << component)),
    }
    object.set_if(is_literal, "values", words(&operand.immediate));
    object.set_if(operand.negate, "negate", true);
    object.set_if(operand.absolute, "absolute", true);
    object.set_if(operand.min_precision != MinPrecision::Full, "precision", operand.min_precision.text());
    object.set_if(operand.non_uniform, "non_uniform", true);
    object
}

fn declaration(object: &mut ItemObject, kind: &DeclarationKind) {
    let operand = |operand: &Operand| self::operand(operand).0;
    let more = match kind {
        DeclarationKind::GlobalFlags(flags) => {
            let set = GlobalFlags::NAMES.iter().filter(|(flag, _)| flags.has(*flag));
            json!({ "flags": set.map(|(_, name)| *name).collect::<Value>() })
        }
        DeclarationKind::Resource { range, kind } => {
            registers(object, range);
            return resource(object, kind);
        }
        DeclarationKind::Uav { range, kind, flags } => {
            registers(object, range);
            resource(object, kind);
            json!({ "flags": flags.names().map(|name| name.trim_start_matches('_')).collect::<Value>() })
        }
        DeclarationKind::Sampler { range, mode } => {
            registers(object, range);
            json!({ "mode": mode.text() })
        }
        DeclarationKind::ConstantBuffer { range, vectors, dynamic } => {
            registers(object, range);
            json!({ "vectors": vectors, "dynamic": dynamic })
        }
        DeclarationKind::Input { operand: found, system_value, interpolation } => json!({
            "operand": operand(found),
            "system_value": system_value.map(|value| value.text()),
            "interpolation": interpolation.map(|interpolation| interpolation.text()),
        }),
        DeclarationKind::Output { operand: found, system_value } => {
            json!({ "operand": operand(found), "system_value": system_value.map(|value| value.text()) })
        }
        DeclarationKind::IndexRange { operand: first, count } => json!({ "operand": operand(first), "count": count }),
        DeclarationKind::IndexableTemp { register, count, components } => {
            json!({ "register": register, "count": count, "components": components })
        }
        DeclarationKind::Temps { count }
        | DeclarationKind::MaxOutputVertexCount(count)
        | DeclarationKind::GsInstances(count)
        | DeclarationKind::InputControlPointCount(count)
        | DeclarationKind::OutputControlPointCount(count)
        | DeclarationKind::ForkInstanceCount(count)
        | DeclarationKind::JoinInstanceCount(count) => json!({ "count": count }),
        DeclarationKind::InputPrimitive { primitive } => json!({ "value": primitive_text(*primitive) }),
        DeclarationKind::OutputTopology(topology) => json!({ "value": topology.text() }),
        DeclarationKind::TessellatorDomain(domain) => json!({ "value": domain.text() }),
        DeclarationKind::TessellatorPartitioning(partitioning) => json!({ "value": partitioning.text() }),
        DeclarationKind::TessellatorOutput(output) => json!({ "value": output.text() }),
        DeclarationKind::HsMaxTessFactor(factor) => json!({ "values": [word_text(*factor)] }),
        DeclarationKind::Stream { register } => json!({ "register": register }),
        DeclarationKind::ThreadGroup { size } => json!({ "size": size }),
        DeclarationKind::TgsmRaw { register, bytes } => json!({ "register": register, "bytes": bytes }),
        DeclarationKind::TgsmStructured { register, stride_bytes, count } => {
            json!({ "register": register, "stride": stride_bytes, "count": count })
        }
        DeclarationKind::FunctionBody { body } => json!({ "body": body }),
        DeclarationKind::FunctionTable { table, bodies } => json!({ "table": table, "bodies": bodies }),
        DeclarationKind::Interface { interface, dynamic, call_sites, array_length, tables } => json!({
            "interface": interface,
            "count": array_length,
            "call_sites": call_sites,
            "dynamic": dynamic,
            "tables": tables,
        }),
    };
    object.extend(more);
}

fn registers(object: &mut ItemObject, range: &RegisterRange) {
    object.extend(json!({ "id": range.id, "first": range.lower, "last": range.upper, "space": range.space }));
}

fn resource(object: &mut ItemObject, kind: &ResourceKind) {
    match kind {
        ResourceKind::Typed { dimension, samples, returns } => {
            object.set("dimension", dimension.text());
            object.set_if(*samples != 0, "samples", *samples);
            object.set("returns", returns.iter().map(|ty| ty.text()).collect::<Value>());
        }
        ResourceKind::Raw => {}
        ResourceKind::Structured { stride_bytes } => object.set("stride", *stride_bytes),
    }
}

fn custom_data(object: &mut ItemObject, data: &CustomData, block: &[u32]) {
    match &data.content {
        CustomContent::ImmediateConstantBuffer(vectors) => {
            object.set("vectors", vectors.iter().map(|vector| words(vector)).collect::<Value>());
        }
        CustomContent::Message(message) => {
            object.set("message", message.text.as_str());
            object.set("is_format", message.is_format);
            let operands = message.operands.iter().map(|operand| Value::Object(self::operand(operand).0));
            object.set("operands", operands.collect::<Value>());
        }
        CustomContent::Comment
        | CustomContent::DebugInfo
        | CustomContent::Opaque
        | CustomContent::ClipPlanes
        | CustomContent::Unknown { .. } => {
            object.set("class", data.content.class());
            // The first two words are the opcode token and the length.
            object.set("words", words(block.get(2..).unwrap_or_default()));
        }
    }
}
