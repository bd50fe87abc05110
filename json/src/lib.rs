//! Describes shaders as JSON, for `--format json`: [`info()`] for `brolga info`, [`listing()`] for `brolga dis`.
//! `docs/json.md` describes both.
//!
//! | file | contents |
//! |---|---|
//! | `info.rs` | bindings, signatures, constants, counts |
//! | `sm5.rs` | declarations and instructions of models 4.0 to 5.1 |
//! | `sm3.rs` | the same of Direct3D 9 |
//!
//! Names are those of the compiler's listing. Words whose type the bytecode does not tell are hexadecimal texts, so
//! that no reader rounds them.

#![forbid(unsafe_code)]

mod info;
mod sm3;
mod sm5;

pub use info::info;

use brolga_bytecode::container::Container;
use brolga_bytecode::{Error, Limits};
use brolga_fenv::in_default_mode;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// The decoded program of a container, and its second one, or a program of Direct3D 9. Each item is a line of the
/// document.
///
/// ```
/// use brolga_bytecode::{Limits, assembler};
///
/// let text = "cs_5_0\ndcl_temps 1\ndcl_thread_group 8, 8, 1\nmov r0.xy, l(1.000000)\nret\n";
/// let bytes = assembler::assemble(text, &Limits::default()).unwrap().bytes;
/// let json = brolga_json::listing(&bytes, &Limits::default()).unwrap();
/// let document: serde_json::Value = serde_json::from_str(&json).unwrap();
/// let mov = &document["program"]["items"][2];
/// assert_eq!((&mov["name"], &mov["operands"][0]["mask"]), (&"mov".into(), &"xy".into()));
/// assert_eq!(mov["operands"][1]["values"][0], "0x3f800000");
/// ```
pub fn listing(bytes: &[u8], limits: &Limits) -> Result<String, Error> {
    in_default_mode(|| {
        let mut out = String::from("{\"program\":");
        let mut level9 = None;
        if brolga_bytecode::sm3::is_program(bytes) {
            sm3::program(&mut out, &brolga_bytecode::sm3::decode(bytes, 0, limits)?);
        } else {
            let container = Container::parse(bytes, limits)?;
            let chunk = container.program()?;
            sm5::program(&mut out, &brolga_bytecode::sm5::decode(chunk.data, chunk.at, limits)?);
            level9 = container.level9()?;
        }
        out.push_str(",\n\"level9\":");
        match level9 {
            Some(level9) => {
                sm3::program(&mut out, &brolga_bytecode::sm3::decode(&level9.program, level9.program_at, limits)?)
            }
            None => out.push_str("null"),
        }
        out.push_str("}\n");
        Ok(out)
    })
}

/// Writes a program: its header, then a line for each item. The lines are made one by one, since the values of a large
/// program would take far more memory than their text.
fn write_program(out: &mut String, whole: &Value, items: impl Iterator<Item = ItemObject>) {
    let whole = whole.to_string();
    out.push_str(whole.strip_suffix('}').expect("the whole is an object"));
    out.push_str(",\"items\":[");
    for (n, item) in items.enumerate() {
        out.push_str(if n == 0 { "\n" } else { ",\n" });
        write!(out, "{}", Value::Object(item.0)).expect("a string takes any text");
    }
    out.push_str("]}");
}

/// An object that is built key by key.
#[derive(Default)]
struct ItemObject(Map<String, Value>);

impl ItemObject {
    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Sets the keys of an object.
    fn extend(&mut self, object: Value) {
        if let Value::Object(object) = object {
            self.0.extend(object);
        }
    }

    /// Sets a key, which is left out unless `condition` holds.
    fn set_if(&mut self, condition: bool, key: &str, value: impl Into<Value>) {
        if condition {
            self.set(key, value);
        }
    }
}

/// Formats words in hexadecimal.
fn words(words: &[u32]) -> Value {
    words.iter().copied().map(word_text).collect()
}

fn word_text(word: u32) -> String {
    format!("{word:#010x}")
}

/// An index of a register: a number, an operand, or their sum.
fn index(number: u64, relative: Option<ItemObject>) -> Value {
    match relative {
        None => json!({ "number": number }),
        Some(relative) => json!({ "number": number, "relative": relative.0 }),
    }
}
