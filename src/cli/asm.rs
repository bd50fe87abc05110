//! `brolga asm`: assembles a listing into a shader.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use brolga::bytecode::assembler::{AssembleError, Assembly, assemble};
use brolga::bytecode::{Limits, LoadOptions};
use brolga::document::{Language, is_listing};
use clap::Args;

use super::style::Styles;
use super::{Ending, report, stream};

#[derive(Args)]
pub(super) struct Arguments {
    /// The listing, as the compiler or `brolga dis` writes it; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The file for the shader; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Write the shader even if it breaks rules
    #[arg(long)]
    unchecked: bool,
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let path = &arguments.file;
    let bytes = match stream::read(path, styles.err) {
        Ok(bytes) => bytes,
        Err(ending) => return Ok(ending),
    };
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}'),
        Err(error) => {
            let (message, help) = no_text(path, &bytes, error.valid_up_to());
            report::print_plain(message, Some(help.to_owned()), styles.err);
            return Ok(Ending::BadInput);
        }
    };
    // Lines may end in carriage returns alone; the report knows line feeds only.
    let text = if text.contains('\n') { Cow::Borrowed(text) } else { Cow::Owned(text.replace('\r', "\n")) };
    match assembled(&text, arguments.unchecked) {
        Ok(assembly) => {
            for warning in &assembly.warnings {
                report::print_assemble_warning(path, &text, warning, styles.err);
            }
            stream::write(&arguments.output, path, &assembly.bytes, styles.err)
        }
        // If the whole text is in another language, there is no mistake in it that a line could show.
        Err(error) => match Language::of(Some(path), &text).filter(|_| !is_listing(&text)) {
            Some(language) => {
                let message = format!("{} is no listing", path.display());
                report::print_plain(message, Some(language.help().to_owned()), styles.err);
                Ok(Ending::BadInput)
            }
            None => {
                report::print_assemble(path, &text, &error, styles.err);
                Ok(Ending::BadInput)
            }
        },
    }
}

/// The problem with bytes of which only the first `valid` are UTF-8, and advice on what to do about it.
fn no_text(path: &Path, bytes: &[u8], valid: usize) -> (String, &'static str) {
    let path = path.display();
    if bytes.starts_with(b"DXBC") {
        return (format!("{path} is not text"), "this is a shader: `brolga dis` lists it");
    }
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return (format!("{path} is text in UTF-16"), "save it as UTF-8");
    }
    let before = String::from_utf8_lossy(&bytes[..valid]);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let (line, column) = (before.matches('\n').count() + 1, line.chars().count() + 1);
    let byte = bytes.get(valid).copied().unwrap_or_default();
    (format!("{path}: line {line}, column {column}: byte {byte:#04x} is not UTF-8"), "save the text as UTF-8")
}

fn assembled(text: &str, unchecked: bool) -> Result<Assembly, AssembleError> {
    let assembly = assemble(text, &Limits::default())?;
    if !unchecked {
        assembly.check(text, &LoadOptions::default())?;
    }
    Ok(assembly)
}
