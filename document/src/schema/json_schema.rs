//! Writes the JSON schema of documents, for editors. It contains the tables of keys; constraints that depend on several
//! keys, on shaders or on files are found only by a run.

use std::collections::BTreeMap;

use brolga_runtime::format::TextureFormat;
use serde_json::{Map, Value, json};

use super::direct3d9::STEPS_9;
use super::drawing::STEPS;
use super::tables::{LONG_FORM, RESOURCE, SAMPLER, SHORT};
use super::words::{self, NameList};
use super::{Others, Table, Type};
use crate::model::number::NumberType;
use crate::read::render_state_names;

/// The JSON schema of documents, as `schema/document.schema.json` has it.
pub fn json_schema() -> String {
    let mut definitions = Map::new();
    let mut defined = BTreeMap::new();
    let [short, long, long_9] =
        [(&SHORT, false), (&LONG_FORM, false), (&LONG_FORM, true)].map(|(table, is_direct3d9)| {
            let mut writer = SchemaWriter { is_direct3d9, definitions: &mut definitions, defined: &mut defined };
            writer.table(table)
        });
    let is_direct3d9 = json!({ "properties": { "api": { "enum": ["d3d9", "D3D9"] } }, "required": ["api"] });
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Brolga document",
        "type": "object",
        "if": { "required": ["steps"] },
        "then": { "if": is_direct3d9, "then": long_9, "else": long },
        "else": short,
        "$defs": definitions,
    });
    format!("{schema}\n")
}

struct SchemaWriter<'a> {
    is_direct3d9: bool,
    definitions: &'a mut Map<String, Value>,
    /// The names of tables by address and API, with a flag for Direct3D 9.
    defined: &'a mut BTreeMap<(usize, bool), String>,
}

impl SchemaWriter<'_> {
    /// A reference to a table, which is defined unless it already is.
    fn table(&mut self, table: &'static Table) -> Value {
        let key = (std::ptr::from_ref(table).addr(), self.is_direct3d9);
        if let Some(name) = self.defined.get(&key) {
            return reference(name);
        }
        let plain = if table.name.is_empty() { table.what } else { table.name };
        let plain: String =
            plain.chars().filter(|letter| letter.is_alphanumeric() || *letter == ' ' || *letter == '_').collect();
        let plain = plain.replace(' ', "_").to_lowercase();
        let mut name = if self.is_direct3d9 { format!("{plain}_d3d9") } else { plain };
        while self.definitions.contains_key(&name) {
            name.push('_');
        }
        self.defined.insert(key, name.clone());
        self.definitions.insert(name.clone(), Value::Null);
        let body = self.body(table);
        self.definitions.insert(name.clone(), body);
        reference(&name)
    }

    fn body(&mut self, table: &'static Table) -> Value {
        let mut properties = Map::new();
        for key in table.keys {
            let mut value = self.value(&key.ty);
            if let (Some(value), false) = (value.as_object_mut(), matches!(key.ty, Type::Unread)) {
                value.insert("description".into(), key.text.into());
            }
            for name in std::iter::once(&key.name).chain(key.also) {
                properties.insert((*name).to_owned(), value.clone());
            }
        }
        let needed: Vec<&str> = table.keys.iter().filter(|key| key.is_needed).map(|key| key.name).collect();
        let mut body = json!({ "type": "object", "properties": properties, "required": needed });
        let mut patterns = Map::from_iter([("^vk_".to_owned(), json!(true))]);
        match table.others {
            Others::Unknown => body["additionalProperties"] = false.into(),
            Others::Variables => {
                // Variables belong to constant buffers only: other kinds have no further keys.
                let others = words::KIND_NAMES.iter().filter(|kind| **kind != "constant");
                body["if"] =
                    json!({ "properties": { "kind": { "enum": cases(others.copied()) } }, "required": ["kind"] });
                body["then"] = json!({ "propertyNames": { "anyOf": [
                    { "enum": table.keys.iter().map(|key| key.name).chain(["slot"]).collect::<Vec<_>>() },
                    { "pattern": "^vk_" },
                ] } });
            }
            Others::Registers => {
                let resource = self.table(&RESOURCE);
                let names: Vec<&str> = RESOURCE.keys.iter().map(|key| key.name).collect();
                let plain = json!({ "allOf": [resource, { "propertyNames": { "enum": names } }] });
                patterns.insert("^[tu][0-9]+( *, *space[0-9]+)?$".into(), plain);
                patterns.insert("^b[0-9]+( *, *space[0-9]+)?$".into(), self.table(&RESOURCE));
                patterns.insert("^s[0-9]+( *, *space[0-9]+)?$".into(), self.table(&SAMPLER));
                body["additionalProperties"] = json!({ "anyOf": [self.table(&RESOURCE), self.table(&SAMPLER)] });
            }
        }
        body["patternProperties"] = Value::Object(patterns);
        body
    }

    /// Names; long lists are defined once.
    fn words(&mut self, words: &'static NameList) -> Value {
        let names = names(words);
        if names.len() <= 12 {
            return json!({ "enum": names });
        }
        let name = format!("names_{}", words.what.replace(' ', "_"));
        let names = json!({ "enum": names });
        match self.definitions.get(&name) {
            Some(known) if *known != names => names,
            _ => {
                self.definitions.insert(name.clone(), names);
                reference(&name)
            }
        }
    }

    fn value(&mut self, ty: &'static Type) -> Value {
        match ty {
            Type::Unread => json!({}),
            Type::Constant => json!({ "type": ["number", "boolean", "array", "object", "string"] }),
            Type::Nothing => json!({ "type": "null" }),
            Type::Text | Type::File => json!({ "type": "string" }),
            Type::Flag => json!({ "type": "boolean" }),
            Type::Integer(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Type::Number(least, most) => json!({ "type": "number", "minimum": least, "maximum": most }),
            Type::Of(number_type) => number(*number_type),
            Type::Word(words) => self.words(words),
            Type::List(of, least, most) => {
                let mut list = json!({ "type": "array", "items": self.value(of), "minItems": least });
                if *most < usize::MAX {
                    list["maxItems"] = (*most).into();
                }
                list
            }
            Type::Table(table) => json!({ "allOf": [self.table(table)] }),
            Type::Map(of) => json!({ "type": "object", "additionalProperties": self.value(of) }),
            Type::RenderStates => {
                let names = render_state_names().flat_map(|name| [name.to_owned(), format!("D3DRS_{name}")]);
                json!({ "type": "object", "propertyNames": { "enum": names.collect::<Vec<_>>() } })
            }
            Type::Either(types) => json!({ "anyOf": types.iter().map(|ty| self.value(ty)).collect::<Vec<_>>() }),
            Type::Binding => {
                let (resource, sampler) = (self.table(&RESOURCE), self.table(&SAMPLER));
                let slot = |class: &str| json!({ "properties": { "slot": { "pattern": format!("^{class}[0-9]+( *, *space[0-9]+)?$") } }, "required": ["slot"] });
                let mut sampler_keys = vec!["slot"];
                sampler_keys.extend(SAMPLER.keys.iter().flat_map(|key| std::iter::once(&key.name).chain(key.also)));
                // Its table has no slot.
                let sampler = json!({ "propertyNames": { "enum": sampler_keys }, "properties": self.definitions.get(
                    sampler["$ref"].as_str().unwrap_or_default().trim_start_matches("#/$defs/")
                ).map_or(Value::Null, |table| table["properties"].clone()) });
                json!({ "type": "object", "required": ["slot"], "anyOf": [
                    { "allOf": [slot("[btu]"), resource] },
                    { "allOf": [slot("s"), sampler] },
                ] })
            }
            Type::Step => {
                let steps = if self.is_direct3d9 { STEPS_9 } else { STEPS };
                let known: Vec<&str> = steps.iter().map(|(op, _)| *op).collect();
                let each = steps.iter().map(|(op, table)| {
                    let table = self.table(table);
                    json!({ "if": { "properties": { "op": { "const": op } } }, "then": table })
                });
                let each: Vec<Value> = each.collect();
                json!({
                    "type": "object",
                    "properties": { "op": { "enum": known } },
                    "required": ["op"],
                    "allOf": each,
                })
            }
            Type::Api(direct3d11, direct3d9) => self.value(if self.is_direct3d9 { direct3d9 } else { direct3d11 }),
        }
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn number(number_type: NumberType) -> Value {
    let range = |least: f64, most: f64, ty: &str| json!({ "type": ty, "minimum": least, "maximum": most });
    let float = |range: Value| json!({ "anyOf": [range, { "enum": ["nan", "inf", "-inf"] }] });
    match number_type {
        NumberType::U8 => range(0.0, u8::MAX.into(), "integer"),
        NumberType::U16 => range(0.0, u16::MAX.into(), "integer"),
        NumberType::U32 => range(0.0, u32::MAX.into(), "integer"),
        NumberType::I32 => range(i32::MIN.into(), i32::MAX.into(), "integer"),
        NumberType::F32 => float(range(f32::MIN.into(), f32::MAX.into(), "number")),
        NumberType::F64 => float(json!({ "type": "number" })),
    }
}

/// Names in upper case, in lower case, and with their optional prefix.
fn names(words: &NameList) -> Vec<String> {
    let names = (words.names)();
    let is_format = std::ptr::eq(words, &words::FORMATS);
    let is_direct3d9 = |name: &str| TextureFormat::names().any(|known| known == name);
    let prefixed = names.iter().filter(|name| !words.prefix.is_empty() && (!is_format || is_direct3d9(name)));
    let prefixed = prefixed.map(|name| format!("{}{}", words.prefix, name.to_uppercase()));
    cases(names.iter().copied()).into_iter().chain(prefixed).collect()
}

fn cases<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        for name in [name.to_owned(), name.to_lowercase(), name.to_uppercase()] {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    }
    all
}
