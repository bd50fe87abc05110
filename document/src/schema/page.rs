//! The page about keys.

use std::fmt::Write;

/// The reference of all keys, as Markdown.
pub fn page() -> String {
    let mut out = String::new();
    let _ = writeln!(out, "# The keys of documents");
    out
}
