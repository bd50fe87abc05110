//! Writes the page about keys, docs/document-keys.md: a table for each kind of table, in the order of their first use.

use std::fmt::Write;

use super::direct3d9::STEPS_9;
use super::drawing::STEPS;
use super::tables::{LONG_FORM, SHORT};
use super::words::{self, NameList};
use super::{Table, Type};
use crate::read::{render_state_rows, render_state_values};

/// The maximum number of names in the row of their key; longer lists have a section of their own.
const FEW: usize = 8;

/// The reference of all keys, as Markdown.
pub fn page() -> String {
    let mut page = Page { met: Vec::new(), lists: Vec::new() };
    page.meet(&SHORT);
    page.meet(&LONG_FORM);
    let mut out = String::from(
        "# The keys of documents\n\n\
         <!-- generated from document/src/schema: BROLGA_BLESS=1 cargo test -p brolga-document page -->\n\n\
         [Documents](document.md) says what they are for. Names are told in letters of either case. Keys that begin with `vk_`, and \
         those that are *not read*, may hold anything. `brolga schema` prints the same for editors, as a JSON schema.\n",
    );
    let mut at = 0;
    while at < page.met.len() {
        let table = page.met[at];
        at += 1;
        page.write(&mut out, table);
    }
    out += "\n## Render states\n\n\
            Names are those of D3DRENDERSTATETYPE, with or without `D3DRS_`, and names of values those of their enumerations, with or \
            without their prefix. What is absent has the value of a fresh device, but for `ZENABLE` and `SCISSORTESTENABLE`: what a \
            draw names counts. 1 and 0 are true and false. Colours are numbers: alpha, red, green, blue from the uppermost byte \
            down.\n\n| render state | values | default |\n|---|---|---|\n";
    for (name, values, default) in render_state_rows() {
        let _ = writeln!(out, "| `{name}` | {values} | `{default}` |");
    }
    out += "\n| values | |\n|---|---|\n";
    for (what, names) in render_state_values() {
        let _ = writeln!(out, "| {what} | `{}` |", names.replace(", ", "`, `"));
    }
    out += "\n## Names\n\n| what | names |\n|---|---|\n";
    for words in &page.lists {
        let names = match std::ptr::eq(*words, &words::FORMATS) {
            true => "those of DXGI_FORMAT without the prefix, but for typeless and video formats; in Direct3D 9 also those of D3DFORMAT".to_owned(),
            false => format!("`{}`", (words.names)().join("`, `")),
        };
        let _ = writeln!(out, "| {} | {names} |", words.what);
    }
    out
}

struct Page {
    met: Vec<&'static Table>,
    lists: Vec<&'static NameList>,
}

impl Page {
    /// Notes a table, unless it is part of another's row.
    fn meet(&mut self, table: &'static Table) {
        if !table.name.is_empty() && !self.met.iter().any(|known| std::ptr::eq(*known, table)) {
            self.met.push(table);
        }
    }

    fn write(&mut self, out: &mut String, table: &'static Table) {
        let _ = write!(out, "\n## {}\n\n| key | value | meaning |\n|---|---|---|\n", table.name);
        for key in table.keys {
            let mut names = format!("`{}`", key.name);
            key.also.iter().for_each(|also| names += &format!(", also `{also}`"));
            let needed = if key.is_needed { " **(needed)**" } else { "" };
            let _ = writeln!(out, "| {names} | {} | {}{needed} |", self.value(&key.ty), key.text);
        }
    }

    /// The type of a value.
    fn value(&mut self, ty: &'static Type) -> String {
        match ty {
            Type::Unread => "anything".into(),
            Type::Constant => "numbers, `true`, `false`, lists and tables of them".into(),
            Type::Nothing => "`null`".into(),
            Type::Text => "text".into(),
            Type::File => "file".into(),
            Type::Flag => "`true`, `false`".into(),
            Type::Integer(least, most) => match (*least, *most) {
                (0, most) if most >= i64::from(u32::MAX) => "integer".into(),
                (least, most) if most >= i64::from(u32::MAX) => format!("integer from {least} on"),
                (least, most) => format!("integer, {least} to {most}"),
            },
            Type::Number(least, most) => match (*least == 0.0, *most > 1e30) {
                (true, true) => "number, 0 or more".into(),
                (_, true) => "number".into(),
                _ => format!("number, {least} to {most}"),
            },
            Type::Of(number_type) => {
                if number_type.is_float() {
                    "number".into()
                } else {
                    format!("`{number_type}`")
                }
            }
            Type::Word(words) => {
                let names = (words.names)();
                if names.len() <= FEW {
                    return format!("`{}`", names.join("`, `"));
                }
                if !self.lists.iter().any(|known| std::ptr::eq(*known, *words)) {
                    self.lists.push(words);
                }
                format!("a [{}](#names)", words.what)
            }
            Type::List(of, least, most) => {
                let of = self.value(of);
                match (least, most) {
                    (least, most) if least == most => format!("list of {least}: {of}"),
                    (_, most) if *most < usize::MAX => format!("list of up to {most}: {of}"),
                    _ => format!("list: {of}"),
                }
            }
            Type::Table(table) if table.name.is_empty() => {
                let keys = table.keys.iter().map(|key| format!("`{}`", key.name)).collect::<Vec<_>>();
                format!("table of {}", keys.join(", "))
            }
            Type::Table(table) => {
                self.meet(table);
                format!("[table](#{})", anchor(table.name))
            }
            Type::Map(of) => format!("table by names: {}", self.value(of)),
            Type::RenderStates => "table of [render states](#render-states)".into(),
            Type::Either(types) => {
                let all: Vec<String> = types.iter().map(|ty| self.value(ty)).collect();
                all.join(", or ")
            }
            Type::Binding => "[resource](#a-resource) or [sampler](#a-sampler), with `slot`".into(),
            Type::Step => {
                STEPS.iter().chain(STEPS_9).for_each(|(_, table)| self.meet(table));
                let ops: Vec<String> =
                    STEPS.iter().map(|(op, table)| format!("[`{op}`](#{})", anchor(table.name))).collect();
                format!("step: {}", ops.join(", "))
            }
            Type::Api(direct3d11, direct3d9) => {
                format!("{}; in Direct3D 9 {}", self.value(direct3d11), self.value(direct3d9))
            }
        }
    }
}

/// A heading's anchor in its page.
fn anchor(heading: &str) -> String {
    let letters = heading.to_lowercase();
    letters
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " _-".contains(*letter))
        .collect::<String>()
        .replace(' ', "-")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// Rewrites a file of the repository if requested, and otherwise fails if it is out of date.
    fn hold(path: &str, wanted: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
        let found = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
        if found != wanted && std::env::var_os("BROLGA_BLESS").is_some() {
            std::fs::write(&path, wanted).unwrap();
            return;
        }
        assert!(found == wanted, "{} is out of date; BROLGA_BLESS=1 writes it anew", path.display());
    }

    #[test]
    fn the_page_of_keys_is_what_the_tables_say() {
        hold("docs/document-keys.md", &super::page());
    }

    #[test]
    fn the_schema_of_the_repository_is_what_the_tables_say() {
        hold("document/document.schema.json", &crate::json_schema());
    }
}
