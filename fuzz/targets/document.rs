//! Reads documents in both syntaxes, with a result or an error that has a position in the text. Files that a document
//! names are not opened.
#![no_main]

use brolga::document::{Document, Syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for (name, syntax) in [("document.toml", Syntax::Toml), ("document.json", Syntax::Json)] {
        if let Err(error) = Document::parse(name.into(), text, syntax) {
            assert!(!error.to_string().is_empty());
            assert!(error.text().get(error.span()).is_some());
            let _ = (error.help(), error.line_and_column(), error.place());
        }
    }
});
