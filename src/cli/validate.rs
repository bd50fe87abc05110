//! `brolga validate`: a line for everything that is wrong with shaders.

use std::io::{self, Write};
use std::path::PathBuf;

use brolga::bytecode::{Findings, Limits, findings};
use clap::Args;
use serde_json::json;

use super::options::Format;
use super::style::Styles;
use super::{Ending, report, stream};

#[derive(Args)]
pub(super) struct Arguments {
    /// The shaders, as compilers write them (.cso, .dxbc); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What stdout gets: a line for each finding, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let (mut ending, mut document, mut cut) = (Ending::Fine, Vec::new(), Vec::new());
    let limits = Limits::default();
    let mut out = io::stdout().lock();
    for path in &arguments.files {
        let bytes = match stream::read(path, styles.err) {
            Ok(bytes) => bytes,
            Err(unread) => {
                ending = ending.max(unread);
                continue;
            }
        };
        let Findings { found, is_cut } = findings(&bytes, &limits);
        let file = path.to_string_lossy();
        for error in found {
            ending = ending.max(Ending::Mismatch);
            match arguments.format {
                Format::Text => {
                    let line = report::harmless(&format!("{file}: {error}"));
                    writeln!(out, "{}", line.replace('\n', " "))?;
                }
                Format::Json => document.push(json!({ "file": file, "at": error.at(), "text": error.to_string() })),
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
        writeln!(out, "{:#}", json!({ "findings": document, "cut": cut }))?;
    }
    Ok(ending)
}
