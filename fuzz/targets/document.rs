//! Documents in both syntaxes: read, or an error with a place in the text. No file that a document names is opened.
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
