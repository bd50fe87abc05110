//! `brolga validate`: prints a line for every error in shaders.

use std::io::{self, Write};

use brolga::bytecode::{Findings, Limits, findings};
use brolga::document::{is_wgsl, wgsl_problems};
use serde_json::json;

use super::options::{Format, Shaders};
use super::style::Styles;
use super::{Ending, report, stream};

pub(super) fn run(arguments: &Shaders, styles: &Styles) -> io::Result<Ending> {
    if stream::names_input_twice(&arguments.files, styles.err) {
        return Ok(Ending::BadInput);
    }
    let (mut ending, mut files, mut document, mut cut) = (Ending::Fine, Vec::new(), Vec::new(), Vec::new());
    let limits = Limits::default();
    let reader = arguments.source.reader(styles.err);
    let mut out = io::stdout().lock();
    for path in &arguments.files {
        let file = path.to_string_lossy();
        let bytes = match reader.load(path) {
            Ok(bytes) => bytes,
            Err(text) => {
                ending = ending.max(reader.ending());
                files.push(json!({ "file": file, "state": "unread", "findings": 0, "error": text }));
                report::print_plain(text, None, styles.err);
                if reader.is_interrupted() {
                    break;
                }
                continue;
            }
        };
        if is_wgsl(path) {
            let problems = wgsl_problems(path, &bytes, &reader.wgsl());
            let state = if problems.is_empty() { "fine" } else { "faulty" };
            files.push(json!({ "file": file, "state": state, "findings": problems.len() }));
            for problem in problems {
                ending = ending.max(Ending::Mismatch);
                let help = problem.help();
                match arguments.format {
                    Format::Text => {
                        let help = help.map_or(String::new(), |help| format!("; help: {help}"));
                        writeln!(out, "{}", report::harmless(&format!("{problem}{help}")).replace('\n', " "))?;
                    }
                    Format::Json => {
                        document.push(json!({ "file": file, "at": null, "text": problem.to_string(), "help": help }));
                    }
                }
            }
            continue;
        }
        let Findings { found, is_cut } = findings(&bytes, &limits);
        let state = if found.is_empty() { "fine" } else { "faulty" };
        files.push(json!({ "file": file, "state": state, "findings": found.len() }));
        for error in found {
            ending = ending.max(Ending::Mismatch);
            let help = reader.advice(&error, path, &bytes);
            match arguments.format {
                Format::Text => {
                    let help = help.map_or(String::new(), |help| format!("; help: {help}"));
                    let line = report::harmless(&format!("{file}: {error}{help}"));
                    writeln!(out, "{}", line.replace('\n', " "))?;
                }
                Format::Json => {
                    document.push(json!({ "file": file, "at": error.at(), "text": error.to_string(), "help": help }));
                }
            }
        }
        match arguments.format {
            _ if !is_cut => {}
            Format::Text => {
                writeln!(out, "{}: more than {} findings", report::harmless(&file), limits.findings)?;
            }
            Format::Json => cut.push(file),
        }
    }
    if arguments.format == Format::Json {
        writeln!(out, "{:#}", json!({ "files": files, "findings": document, "cut": cut }))?;
    }
    Ok(ending)
}
