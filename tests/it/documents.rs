//! Documents for tests: ready to run, what is said about wrong ones, and what a run left.

use std::path::Path;

use brolga::Limits;
use brolga::document::{Document, DocumentError, Outcome, Prepared, Syntax};

/// The document of a file, ready to run.
pub fn load(path: &Path) -> Result<Prepared, DocumentError> {
    Document::load(path)?.prepare(&Limits::default())
}

/// That of a text in TOML, whose files are beside a path.
pub fn parse(path: &Path, text: &str) -> Result<Prepared, DocumentError> {
    Document::parse(path.to_owned(), text, Syntax::Toml)?.prepare(&Limits::default())
}

/// What is said about a document: the keys that lead to the place, what is wrong there, and in brackets what to do about it.
pub fn said(error: &DocumentError) -> String {
    let place = error.place();
    let colon = if place.is_empty() { "" } else { ": " };
    let help = error.help().map_or(String::new(), |help| format!(" [{help}]"));
    format!("{place}{colon}{}{help}", error.problem())
}

/// Holds what is said in several cases, each with a name, against how it must begin, and tells all that are otherwise.
#[track_caller]
pub fn begin_with<'a>(cases: impl IntoIterator<Item = (String, String, &'a str)>) {
    let wrong = cases.into_iter().filter(|(_, said, expected)| !said.starts_with(expected));
    let wrong: Vec<_> = wrong.map(|(name, said, expected)| format!("{name}\n    {said}\n    {expected}\n")).collect();
    assert!(wrong.is_empty(), "what is said, and how it must begin:\n{}", wrong.concat());
}

/// What a run left in a resource that the document saves or expects something of.
pub fn bytes(outcome: &Outcome, name: &str) -> Vec<u8> {
    let resource = outcome.resource(name).unwrap_or_else(|| panic!("`{name}` is not kept"));
    resource.bytes.to_vec().expect("a part of the memory")
}
