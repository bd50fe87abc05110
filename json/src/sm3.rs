//! Describes programs of Direct3D 9.

use crate::{ItemObject, index, words, write_program};
use brolga_bytecode::info::letters;
use brolga_bytecode::sm3::operand::{Modifier, Swizzle};
use brolga_bytecode::sm3::{
    Comment, Declaration, Definition, Destination, Instruction, Item, ItemKind, Op, Operand, Program, Register,
    RegisterFile, Relative, Source, Value as Constant, encode, line,
};
use brolga_bytecode::sm5::Stage;
use serde_json::{Value, json};

/// Writes a program.
pub(super) fn program(out: &mut String, program: &Program) {
    let (profile, stage) = (program.version.text(), program.version.stage());
    let (_, model) = profile.split_once('_').unwrap_or_default();
    let word_count = (encode(program).len() / 4) as u32;
    let whole = json!({
        "profile": profile,
        "stage": stage.name(),
        "model": model.replace('_', "."),
        "at": program.at,
        "word_count": word_count,
    });
    // An item ends where the next begins, and the last at the end token.
    let end = program.at + 4 * (word_count - 1);
    let ends = program.items.iter().skip(1).map(|item| item.at).chain([end]);
    write_program(out, &whole, program.items.iter().zip(ends).map(|(item, end)| self::item(program, item, end)));
}

fn item(program: &Program, item: &Item, end: u32) -> ItemObject {
    let mut object = ItemObject::default();
    let (kind, name) = match &item.kind {
        ItemKind::Instruction(instruction) => ("instruction", instruction.op.text()),
        ItemKind::Declaration(_) => ("declaration", Op::Dcl.text()),
        ItemKind::Definition(definition) => ("definition", definition.value.op().text()),
        ItemKind::Comment(_) => ("data", "comment"),
    };
    object.set("kind", kind);
    object.set("at", item.at);
    object.set("first_word", (item.at - program.at) / 4);
    object.set("word_count", (end - item.at) / 4);
    object.set("name", name);
    if let Some(text) = line(program, item) {
        object.set("text", text);
    }
    match &item.kind {
        ItemKind::Instruction(instruction) => self::instruction(&mut object, instruction),
        ItemKind::Declaration(declaration) => self::declaration(&mut object, declaration, program.version.stage()),
        ItemKind::Definition(definition) => self::definition(&mut object, definition),
        ItemKind::Comment(comment) => self::comment(&mut object, comment),
    }
    object
}

fn instruction(object: &mut ItemObject, instruction: &Instruction) {
    if let Some(comparison) = instruction.comparison {
        object.set("comparison", comparison.text());
    }
    object.set_if(instruction.coissue, "coissue", true);
    if let Some(predicate) = &instruction.predicate {
        object.set("predicate", source(predicate).0);
    }
    let operands = instruction.operands.iter().map(|operand| {
        let object = match operand {
            Operand::Destination(destination) => self::destination(destination),
            Operand::Source(source) => self::source(source),
        };
        Value::Object(object.0)
    });
    object.set("operands", operands.collect::<Value>());
}

fn declaration(object: &mut ItemObject, declaration: &Declaration, stage: Stage) {
    let register = declaration.register.register;
    // The usage of a pixel shader's v# and t# before ps_3_0 is 0, which has no meaning.
    let is_plain = declaration.usage_token == Declaration::PLAIN && stage == Stage::Pixel;
    if register.file == RegisterFile::Sampler {
        object.set("texture", declaration.texture().map(|texture| texture.text()));
    } else if !is_plain {
        object.set("usage", declaration.usage().map(|usage| usage.text()));
        object.set("usage_index", declaration.usage_index());
    }
    object.set("operand", destination(&declaration.register).0);
}

fn definition(object: &mut ItemObject, definition: &Definition) {
    object.set("operand", destination(&definition.register).0);
    object.set(
        "values",
        match definition.value {
            Constant::Float(values) => words(&values),
            Constant::Int(values) => words(&values.map(|value| value as u32)),
            Constant::Bool(value) => words(&[value]),
        },
    );
}

fn comment(object: &mut ItemObject, comment: &Comment) {
    let name = comment.name().filter(|name| name.iter().all(u8::is_ascii_graphic));
    object.set_if(name.is_some(), "tag", name.map(|name| String::from_utf8_lossy(&name).into_owned()));
    object.set("words", words(&comment.words));
}

fn destination(destination: &Destination) -> ItemObject {
    let mut object = register(destination.register, destination.relative);
    object.set("mask", letters(destination.mask));
    object.set_if(destination.shift != 0, "shift", destination.shift);
    object.set_if(destination.saturate, "saturate", true);
    object.set_if(destination.partial_precision, "partial_precision", true);
    object.set_if(destination.centroid, "centroid", true);
    object.set("written", true);
    object
}

fn source(source: &Source) -> ItemObject {
    let mut object = register(source.register, source.relative);
    object.set("swizzle", swizzle(source.swizzle));
    if source.modifier != Modifier::None {
        let (prefix, suffix) = source.modifier.texts();
        object.set("modifier", format!("{prefix}{suffix}"));
    }
    object
}

fn register(register: Register, relative: Option<Relative>) -> ItemObject {
    let mut object = ItemObject::default();
    let (name, number) = (register.to_string(), register.number.to_string());
    let relative = relative.map(|relative| {
        let mut object = self::register(relative.register, None);
        object.set("swizzle", swizzle(relative.swizzle));
        object
    });
    // Some registers have names of their own: `oPos`, `vFace`, `aL`.
    let file = register.file.info().text;
    if name.strip_prefix(file) == Some(&number) {
        object.set("file", file);
        object.set("indices", json!([index(register.number.into(), relative)]));
    } else {
        object.set("file", name);
        object.set_if(relative.is_some(), "indices", json!([index(0, relative)]));
    }
    object
}

fn swizzle(swizzle: Swizzle) -> String {
    swizzle.components().map(|component| letters(1 << component)).concat()
}
