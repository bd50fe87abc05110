//! Checks a document's tree against the tables of keys. Afterwards every key is known and goes by its first name, and
//! every value is of its type and range; whatever depends on several of them is left to the readers.

use brolga_runtime::{Register, ResourceClass};

use super::direct3d9::STEPS_9;
use super::drawing::{ABSENT_STEPS, STEPS};
use super::tables::{LONG_FORM, RESOURCE, SAMPLER, SHORT, may_be_constant};
use super::words::{self, NameList, spelt_out};
use super::{KeyRow, Others, Table, Type};
use crate::error::{Elsewhere, Fault, Problem, nearest};
use crate::text::{Entry, Node, Span, Value};

/// The prefix of keys for programs with another API.
const OTHERS_PREFIX: &str = "vk_";

/// Checks a whole document. It is in the long form if it has steps.
pub(crate) fn check(root: &mut Node) -> Result<(), Fault> {
    let is_direct3d9 = root.text_at("api").is_some_and(|api| api.eq_ignore_ascii_case("d3d9"));
    let says_api = root.get("api").is_some();
    let table = if root.get("steps").is_some() { &LONG_FORM } else { &SHORT };
    let original = (!says_api && !is_direct3d9 && root.get("steps").is_some()).then(|| root.clone());
    let span = root.head();
    let checked = Check { is_direct3d9 }.table(table, "the document", root, &span, &[]);
    let Err((mut problem, span)) = checked else { return Ok(()) };
    // If nothing indicates the API, a mistake in one may be right in the other.
    if let (Problem::UnknownKey { elsewhere, .. }, Some(mut root)) = (&mut problem, original) {
        let span = root.head();
        if (Check { is_direct3d9: true }).table(table, "the document", &mut root, &span, &[]).is_ok() {
            *elsewhere = Elsewhere::Direct3D9;
        }
    }
    Err((problem, span))
}

/// Checks a table on its own, with the name `key` in messages.
pub(crate) fn check_part(table: &'static Table, key: &str, node: &mut Node) -> Result<(), Fault> {
    let span = node.head();
    Check { is_direct3d9: false }.table(table, key, node, &span, &[])
}

struct Check {
    is_direct3d9: bool,
}

impl Check {
    /// Checks the table at a key. Errors about all of it are reported at `span`; `more` are additional keys that it may
    /// have.
    fn table(&self, table: &Table, key: &str, node: &mut Node, span: &Span, more: &[&str]) -> Result<(), Fault> {
        let Value::Table(_) = node.value else { return Err(wrong(key, "a table", node)) };
        let takes_others = match table.others {
            Others::Unknown => false,
            Others::Registers => true,
            Others::Variables => may_be_constant(node),
        };
        let Value::Table(entries) = &mut node.value else { return Ok(()) };
        for n in 0..entries.len() {
            let entry = &mut entries[n];
            if more.contains(&entry.key.as_str()) || entry.key.starts_with(OTHERS_PREFIX) {
                continue;
            }
            match table.keys.iter().find(|key| key.name == entry.key || key.also.contains(&entry.key.as_str())) {
                Some(known) => {
                    self.value(&known.ty, entry.key.clone().as_str(), &mut entry.node, &entry.key_span)?;
                    if entry.key != known.name {
                        let written = std::mem::replace(&mut entry.key, known.name.to_owned());
                        if let Some(first) = entries[..n].iter().find(|first| first.key == known.name) {
                            let problem = Problem::Conflict { first: first.key.clone(), second: written };
                            return Err((problem, entries[n].key_span.clone()));
                        }
                    } else if let Some(first) = entries[..n].iter().find(|first| first.key == known.name) {
                        let first = known.also.first().map_or(first.key.clone(), |name| (*name).to_owned());
                        let problem = Problem::Conflict { first, second: known.name.to_owned() };
                        return Err((problem, entries[n].key_span.clone()));
                    }
                }
                None if table.others == Others::Registers => self.register(table, entry)?,
                None if takes_others => {}
                None => return Err(unknown_key(table, entry, more)),
            }
        }
        match table.keys.iter().find(|key| key.is_needed && node.get(key.name).is_none()) {
            Some(key) => {
                Err((Problem::MissingKey { place: table.what, key: key.name, meaning: key.text }, span.clone()))
            }
            None => Ok(()),
        }
    }

    /// Checks a key of the short form that is not a fixed one: a register, or the name of a declaration of the shader.
    fn register(&self, short: &Table, entry: &mut Entry) -> Result<(), Fault> {
        let register = entry.key.parse::<Register>().ok();
        match (register, &entry.node.value) {
            (None, Value::Table(_)) if is_free(&entry.key) => {}
            (None, _) => return Err(unknown_key(short, entry, &[])),
            _ => {}
        }
        self.bound(register, &entry.key.clone(), &mut entry.node, &entry.key_span, &[])
    }

    /// Checks the binding of a register, or of one of the shader's names.
    fn bound(
        &self,
        register: Option<Register>,
        key: &str,
        node: &mut Node,
        span: &Span,
        more: &[&str],
    ) -> Result<(), Fault> {
        let is_sampler = match register {
            Some(register) => register.class == ResourceClass::Sampler,
            None => node.get("filter").is_some() || node.get("address").is_some(),
        };
        if is_sampler {
            return self.table(&SAMPLER, key, node, span, more);
        }
        let may_have_variables = register.is_none_or(|register| register.class == ResourceClass::Constant);
        let what = if register.is_some() { "a binding" } else { RESOURCE.what };
        let others = if may_have_variables { Others::Variables } else { Others::Unknown };
        self.table(&Table { name: "", what, keys: RESOURCE.keys, others }, key, node, span, more)
    }

    /// Checks the value at a key, whose span is `span`.
    fn value(&self, ty: &Type, key: &str, node: &mut Node, span: &Span) -> Result<(), Fault> {
        match ty {
            Type::Unread | Type::Constant => Ok(()),
            Type::Nothing if node.value == Value::Null => Ok(()),
            Type::Text | Type::File if node.text().is_some() => Ok(()),
            Type::Flag if node.flag().is_some() => Ok(()),
            Type::Integer(least, most) => match node.value {
                Value::Integer(number) if (*least..=*most).contains(&number) => Ok(()),
                Value::Integer(_) => Err(out_of_range(key, ty, node)),
                _ => Err(wrong(key, &self.wants(ty), node)),
            },
            Type::Number(least, most) => match node.value {
                Value::Integer(number) if (*least..=*most).contains(&(number as f64)) => Ok(()),
                Value::Float(number) if (*least..=*most).contains(&number) => Ok(()),
                Value::Integer(_) | Value::Float(_) => Err(out_of_range(key, ty, node)),
                _ => Err(wrong(key, &self.wants(ty), node)),
            },
            Type::Of(number_type) => match number_type.number(&node.value) {
                Some(_) => Ok(()),
                None => match node.value {
                    Value::Integer(_) => Err(out_of_range(key, ty, node)),
                    Value::Float(_) if number_type.is_float() => Err(out_of_range(key, ty, node)),
                    _ => Err(wrong(key, number_type.range(), node)),
                },
            },
            Type::Word(words) => self.word(words, key, node),
            Type::List(of, least, most) => {
                let wants = self.wants(ty);
                let Value::Array(items) = &mut node.value else { return Err(wrong(key, &wants, node)) };
                if !(*least..=*most).contains(&items.len()) {
                    return Err(wrong(key, &wants, node));
                }
                items.iter_mut().try_for_each(|item| {
                    let span = item.head();
                    self.value(of, key, item, &span)
                })
            }
            Type::Table(table) => self.table(table, key, node, span, &[]),
            Type::Map(of) => {
                let Value::Table(entries) = &mut node.value else { return Err(wrong(key, "a table", node)) };
                entries
                    .iter_mut()
                    .try_for_each(|entry| self.value(of, &entry.key.clone(), &mut entry.node, &entry.key_span))
            }
            Type::RenderStates if matches!(node.value, Value::Table(_)) => Ok(()),
            Type::Either(types) => match types.iter().find(|ty| self.fits(ty, node)) {
                // Nothing like the only word: any of the others may have been meant.
                Some(Type::Word(words)) if node.text().is_some_and(|name| words.is_unlike(name)) => {
                    Err((Problem::wrong_value(key, self.wants(ty), node), node.span.clone()))
                }
                Some(ty) => self.value(ty, key, node, span),
                None => Err(wrong(key, &self.wants(ty), node)),
            },
            Type::Binding => {
                let Value::Table(_) = node.value else { return Err(wrong(key, "a table", node)) };
                let Some(slot) = node.get("slot") else {
                    return Err((
                        Problem::MissingKey { place: "a binding", key: "slot", meaning: "the register" },
                        span.clone(),
                    ));
                };
                let Some(text) = slot.text() else { return Err(wrong("slot", "a string", slot)) };
                let (register, slot_span) = (text.parse::<Register>(), slot.span.clone());
                match register {
                    Ok(register) => self.bound(Some(register), key, node, &slot_span, &["slot"]),
                    Err(_) => Err((Problem::BadRegister { text: text.to_owned() }, slot_span)),
                }
            }
            Type::Step => self.step(key, node, span),
            Type::Api(direct3d11, direct3d9) => {
                self.value(if self.is_direct3d9 { direct3d9 } else { direct3d11 }, key, node, span)
            }
            Type::Text | Type::File | Type::Nothing | Type::Flag | Type::RenderStates => {
                Err(wrong(key, &self.wants(ty), node))
            }
        }
    }

    fn step(&self, key: &str, node: &mut Node, span: &Span) -> Result<(), Fault> {
        let Value::Table(_) = node.value else { return Err(wrong(key, "a table", node)) };
        let Some(op) = node.get("op") else {
            return Err((
                Problem::MissingKey { place: "a step", key: "op", meaning: "what the step does" },
                span.clone(),
            ));
        };
        let Some(name) = op.text() else { return Err(wrong("op", "a string", op)) };
        let steps = if self.is_direct3d9 { STEPS_9 } else { STEPS };
        if let Some((_, table)) = steps.iter().find(|(known, _)| *known == name) {
            let head = node.entry("op").map_or(node.head(), Entry::span);
            let checked = self.table(table, key, node, &head, &[]);
            return checked.map_err(|(mut problem, span)| {
                if let Problem::UnknownKey { key, nearest: None, known, elsewhere, .. } = &mut problem {
                    let has = |table: &Table| table.keys.iter().any(|known| known.name == key);
                    let have: Vec<_> = steps.iter().filter(|(_, table)| has(table)).map(|(name, _)| *name).collect();
                    if !have.is_empty() {
                        (*known, *elsewhere) = (have, Elsewhere::Steps);
                    }
                }
                (problem, span)
            });
        }
        let problem = match ABSENT_STEPS.iter().find(|(known, _)| *known == name) {
            Some((_, what)) => Problem::unsupported(*what),
            None => {
                let known: Vec<&str> = steps.iter().map(|(known, _)| *known).collect();
                Problem::unknown_name("step", name, &known)
            }
        };
        Err((problem, op.span.clone()))
    }

    fn word(&self, words: &'static NameList, key: &str, node: &Node) -> Result<(), Fault> {
        let Some(name) = node.text() else { return Err(wrong(key, &self.wants(&Type::Word(words)), node)) };
        if words.find(name).is_some() {
            return Ok(());
        }
        let names = (words.names)();
        let mut problem = Problem::unknown_name(words.what, name, &names);
        if let Problem::UnknownName { nearest: found, .. } = &mut problem
            && std::ptr::eq(words, &words::FORMATS)
        {
            *found = nearest(&spelt_out(name), &names).or(nearest(name, &names)).map(str::to_owned);
        }
        Err((problem, node.span.clone()))
    }

    /// `true` if a value's syntax is that of a type.
    fn fits(&self, ty: &Type, node: &Node) -> bool {
        match ty {
            Type::Unread | Type::Constant => true,
            Type::Text | Type::File | Type::Word(_) => matches!(node.value, Value::Text(_)),
            Type::Nothing => node.value == Value::Null,
            Type::Flag => matches!(node.value, Value::Bool(_)),
            Type::Integer(..) => matches!(node.value, Value::Integer(_)),
            Type::Number(..) | Type::Of(_) => matches!(node.value, Value::Integer(_) | Value::Float(_)),
            Type::List(..) => matches!(node.value, Value::Array(_)),
            Type::Table(_) | Type::Map(_) | Type::RenderStates | Type::Binding | Type::Step => {
                matches!(node.value, Value::Table(_))
            }
            Type::Either(types) => types.iter().any(|ty| self.fits(ty, node)),
            Type::Api(direct3d11, direct3d9) => self.fits(if self.is_direct3d9 { direct3d9 } else { direct3d11 }, node),
        }
    }

    /// The name of a type in messages.
    fn wants(&self, ty: &Type) -> String {
        match ty {
            Type::Unread | Type::Constant => "anything".into(),
            Type::Text => "a string".into(),
            Type::File => "the name of a file".into(),
            Type::Nothing => "null".into(),
            Type::Flag => "true or false".into(),
            Type::Integer(..) => "an integer".into(),
            Type::Number(..) => "a number".into(),
            Type::Of(number_type) => number_type.range().into(),
            Type::Word(words) => match (words.names)().as_slice() {
                [name] => format!("\"{name}\""),
                _ => {
                    let article = if words.what.starts_with(['a', 'e', 'i', 'o', 'A']) { "an" } else { "a" };
                    format!("the name of {article} {}", words.what)
                }
            },
            Type::List(of, least, most) => {
                let of = match of {
                    Type::Integer(..) => "integers",
                    Type::Number(..) | Type::Of(_) => "numbers",
                    Type::Text | Type::File | Type::Word(_) => "strings",
                    _ => "values",
                };
                match (least, most) {
                    (least, most) if least == most => format!("an array of {least} {of}"),
                    (0, &usize::MAX) => "an array".into(),
                    (least, &usize::MAX) => format!("an array of at least {least}"),
                    (least, most) => format!("an array of {least} to {most} {of}"),
                }
            }
            Type::Table(_) | Type::Map(_) | Type::RenderStates | Type::Binding | Type::Step => "a table".into(),
            Type::Either(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.wants(ty)).collect();
                match all.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{}, or {last}", rest.join(", ")),
                    _ => all.concat(),
                }
            }
            Type::Api(direct3d11, direct3d9) => self.wants(if self.is_direct3d9 { direct3d9 } else { direct3d11 }),
        }
    }
}

/// A value of another type.
fn wrong(key: &str, wants: &str, node: &Node) -> Fault {
    let found = match &node.value {
        Value::Array(items) => format!("an array of {}", items.len()),
        other => other.type_name().to_owned(),
    };
    let wants = wants.to_owned().into();
    (Problem::WrongValue { key: key.into(), wants, found: found.into() }, node.span.clone())
}

fn out_of_range(key: &str, ty: &Type, node: &Node) -> Fault {
    let wants = match ty {
        Type::Integer(least, most) => format!("integers from {least} to {most}"),
        Type::Number(least, most) => match (*least == 0.0, *most > 1e30) {
            (true, true) => "a finite number that is not negative".into(),
            (_, true) => "a finite number".into(),
            _ => format!("numbers from {least} to {most}"),
        },
        Type::Of(number_type) => number_type.range().into(),
        _ => String::new(),
    };
    (Problem::wrong_value(key, wants, node), node.span.clone())
}

/// `true` if a table of this name in the short form is the binding of what the shader calls so, and cannot have been meant to
/// be another table: keys that take no table are no rivals, nor are registers of a name without digits.
pub(crate) fn is_free(name: &str) -> bool {
    let is_key = SHORT.keys.iter().any(|key| key.name == name) || name.starts_with(OTHERS_PREFIX);
    let takes_tables = |key: &&KeyRow| matches!(key.ty, Type::Map(_) | Type::Table(_) | Type::List(..));
    let has_digits = name.bytes().any(|byte| byte.is_ascii_digit());
    let registers = ["b0", "t0", "u0", "s0", "cb0"].into_iter().filter(|_| has_digits);
    let rivals: Vec<&str> = SHORT.keys.iter().filter(takes_tables).map(|key| key.name).chain(registers).collect();
    !is_key && name.parse::<Register>().is_err() && nearest(name, &rivals).is_none()
}

/// Where a key stands that a table inside of a document does not have.
pub(crate) fn elsewhere(key: &str) -> Elsewhere {
    let is_it = |known: &KeyRow| known.name == key && !matches!(known.ty, Type::Unread);
    if SHORT.keys.iter().chain(LONG_FORM.keys).any(is_it) { Elsewhere::Top } else { Elsewhere::Nowhere }
}

/// The keys of the short form, for finding similar ones.
pub(crate) fn short_keys() -> Vec<&'static str> {
    names(&SHORT, &[])
}

fn names(table: &Table, more: &[&str]) -> Vec<&'static str> {
    let is_said = |key: &&KeyRow| !matches!(key.ty, Type::Unread);
    let mut names: Vec<&'static str> = table.keys.iter().filter(is_said).map(|key| key.name).collect();
    if table.others == Others::Registers {
        names.extend(["b0", "t0", "u0", "s0"]);
    }
    if more.contains(&"slot") {
        names.push("slot");
    }
    names
}

/// The key that another was probably meant to be. Listings write a constant buffer's register `cb1`.
fn nearest_key(table: &Table, entry: &Entry, more: &[&str]) -> Option<String> {
    let meant = entry.key.strip_prefix('c').filter(|rest| rest.starts_with('b') && rest.parse::<Register>().is_ok());
    let meant = meant.filter(|_| table.others == Others::Registers).map(str::to_owned);
    meant.or_else(|| nearest(&entry.key, &names(table, more)).map(str::to_owned))
}

fn unknown_key(table: &Table, entry: &Entry, more: &[&str]) -> Fault {
    let nearest = nearest_key(table, entry, more);
    let (key, place, known) = (entry.key.clone(), table.what, names(table, more));
    let elsewhere = if table.what == SHORT.what { Elsewhere::Nowhere } else { elsewhere(&key) };
    (Problem::UnknownKey { key, place, nearest, known, elsewhere }, entry.key_span.clone())
}
