//! The text of a document as it grows. Names from shaders stand in comments and texts, free of whatever would end
//! these.

use std::collections::BTreeSet;

use super::part::{Choice, Part};
use crate::language::TextOverride;
use crate::text::{key, quoted};

/// Letters of a name from the source that get into the name of a file.
const LONGEST: usize = 40;

/// The document as it grows.
pub(super) struct Page<'a> {
    /// The prefix of the names of output files.
    outputs: &'a str,
    /// The names of output files so far.
    taken: BTreeSet<String>,
    pub out: String,
}

impl<'a> Page<'a> {
    /// A document for shaders of these profiles.
    pub fn new(outputs: &'a str, profiles: &[&str]) -> Self {
        let mut page = Self { outputs, taken: BTreeSet::new(), out: String::new() };
        let profiles = profiles.join(" and a ");
        page.line(&format!("# A first document for a {profiles} shader: say what it reads, and how much."));
        page
    }

    pub fn line(&mut self, text: &str) {
        self.out
            .extend(text.chars().map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter }));
        self.out.push('\n');
    }

    pub fn lines(&mut self, lines: impl IntoIterator<Item = impl AsRef<str>>) {
        lines.into_iter().for_each(|line| self.line(line.as_ref()));
    }

    /// The head of a table, behind an empty line.
    pub fn table(&mut self, head: &str) {
        self.out.push('\n');
        self.line(head);
    }

    /// A shader's file, under a key, and what that is compiled for.
    pub fn shader(&mut self, key: &str, part: &Part) {
        self.line(&format!("{key} = {}", quoted(&part.file)));
        if let Some(source) = &part.source {
            self.line(&format!("profile = {}", quoted(&source.profile)));
            self.line(&format!("entry = {}", quoted(&source.entry)));
        }
        if let Some(text) = &part.text {
            self.line(&format!("entry = {}", quoted(&text.entry)));
        }
    }

    /// A table with the values of the overrides of WGSL, if there are any. Those that follow from others are comments.
    pub fn overrides(&mut self, overrides: &[TextOverride]) {
        let valued = overrides.iter().filter_map(|one| Some((one, one.value.as_ref()?))).collect::<Vec<_>>();
        if valued.is_empty() {
            return;
        }
        self.table("[overrides]");
        for (TextOverride { key: name, title, is_computed, .. }, value) in valued {
            let computed = if *is_computed { "# " } else { "" };
            self.line(&with_comment(&format!("{computed}{} = {value}", key(name)), title));
        }
    }

    /// A table with what interface variables stand for, if there are any.
    pub fn instances(&mut self, head: &str, choices: &[Choice]) {
        if choices.is_empty() {
            return;
        }
        self.table(head);
        for Choice { unset, text, .. } in choices {
            let others: Vec<&str> = unset.fits.iter().skip(1).map(String::as_str).collect();
            let others = match others.is_empty() {
                true => String::new(),
                false => format!(", or {}", others.join(", ")),
            };
            let interface = unset.interface.as_deref().unwrap_or("an interface");
            self.line(&with_comment(&format!("{} = {text}", key(&unset.variable)), &format!("{interface}{others}")));
        }
    }

    /// A name for the output of what is called so, or at least is at a register, that no other has.
    pub fn output(&mut self, name: Option<&str>, register: &str, ending: &str) -> String {
        let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
        let name: String = name.unwrap_or("").chars().take(LONGEST).map(plain).collect();
        let register = register.replace(',', "_");
        let name = match name.trim_matches('_') {
            "" => format!("{}-{register}", self.outputs),
            name => format!("{}-{name}", self.outputs),
        };
        let name = if self.taken.contains(&name) { format!("{name}-{register}") } else { name };
        self.taken.insert(name.clone());
        format!("{name}.{ending}")
    }
}

/// A line and what there is to say of it, below what is said of others.
pub(super) fn with_comment(line: &str, comment: &str) -> String {
    format!("{line:<35} # {comment}")
}
