//! Helps tests with documents: ready to run, messages about wrong ones, and the results of a run.

use std::path::Path;

use brolga::Limits;
use brolga::document::{Document, DocumentError, Outcome, Prepared, Syntax};

/// The document of a file, ready to run.
pub fn load(path: &Path) -> Result<Prepared, DocumentError> {
    Document::load(path)?.prepare(&Limits::default())
}

/// The document of a text in TOML, whose files are relative to a path.
pub fn parse(path: &Path, text: &str) -> Result<Prepared, DocumentError> {
    Document::parse(path.to_owned(), text, Syntax::Toml)?.prepare(&Limits::default())
}

/// The message about a document: the keys that lead to the position, the problem, and in brackets the advice.
pub fn said(error: &DocumentError) -> String {
    let place = error.place();
    let colon = if place.is_empty() { "" } else { ": " };
    let help = error.help().map_or(String::new(), |help| format!(" [{help}]"));
    format!("{place}{colon}{}{help}", error.problem())
}

/// Compares the messages in several cases, each with a name, with their expected beginnings, and reports all
/// differences.
#[track_caller]
pub fn begin_with<'a>(cases: impl IntoIterator<Item = (String, String, &'a str)>) {
    let wrong = cases.into_iter().filter(|(_, said, expected)| !said.starts_with(expected));
    let wrong: Vec<_> = wrong.map(|(name, said, expected)| format!("{name}\n    {said}\n    {expected}\n")).collect();
    assert!(wrong.is_empty(), "what is said, and how it must begin:\n{}", wrong.concat());
}

/// The content after a run of a resource that the document saves or has expectations about.
pub fn bytes(outcome: &Outcome, name: &str) -> Vec<u8> {
    let resource = outcome.resource(name).unwrap_or_else(|| panic!("`{name}` is not kept"));
    resource.bytes.to_vec().expect("a part of the memory")
}
