//! Job files: read, or an error with a place in the text. No file that a job names is opened.
#![no_main]

use brolga::job::{Job, Syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = Job::parse("job.toml".into(), text, Syntax::Toml) {
        assert!(!error.to_string().is_empty());
        let _ = (error.problem().help(), error.line_and_column());
    }
});
