//! `brolga asm`: a listing to a shader.

use std::io;
use std::path::PathBuf;

use brolga::bytecode::assembler::{AssembleError, assemble};
use brolga::bytecode::{Limits, LoadOptions};
use clap::Args;

use super::style::Styles;
use super::{Ending, report, stream};

#[derive(Args)]
pub(super) struct Arguments {
    /// The listing, as the compiler or `brolga dis` writes it; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Where the shader goes; `-` is standard output
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
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let help = bytes.starts_with(b"DXBC").then(|| "this is a shader: `brolga dis` lists it".to_owned());
        report::print_plain(format!("{} is no text", path.display()), help, styles.err);
        return Ok(Ending::BadInput);
    };
    let text = text.trim_start_matches('\u{feff}');
    match assembled(text, arguments.unchecked) {
        Ok(shader) => stream::write(&arguments.output, &shader, styles.err),
        Err(error) => {
            report::print_assemble(path, text, &error, styles.err);
            Ok(Ending::BadInput)
        }
    }
}

fn assembled(text: &str, unchecked: bool) -> Result<Vec<u8>, AssembleError> {
    let assembly = assemble(text, &Limits::default())?;
    if !unchecked {
        assembly.check(text, &LoadOptions::default())?;
    }
    Ok(assembly.bytes)
}
