//! `brolga dis`: the compiler's own listing of a shader, or one that loses nothing.

use std::io;
use std::path::PathBuf;

use brolga::bytecode::container::{Container, ContainerError};
use brolga::bytecode::listing::{exact, listing};
use brolga::bytecode::{Error, Limits};
use clap::Args;

use super::options::Format;
use super::style::{Style, Styles};
use super::{Ending, report, stream};

#[derive(Args)]
pub(super) struct Arguments {
    /// The shader, as compilers write it (.cso, .dxbc); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Lose nothing: `brolga asm` makes the same file of this listing, bit for bit
    #[arg(long)]
    exact: bool,
    /// What the output gets: the listing, or one JSON document with every field of every instruction
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Where the listing goes; by default to standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    if arguments.exact && arguments.format == Format::Json {
        let text = "`--exact` and `--format json` exclude each other: an exact listing is text for `brolga asm`";
        let help = "leave one of them out".to_owned();
        report::print_plain(text.into(), Some(help), styles.err);
        return Ok(Ending::BadInput);
    }
    let bytes = match stream::read(&arguments.file, styles.err) {
        Ok(bytes) => bytes,
        Err(ending) => return Ok(ending),
    };
    let limits = Limits::default();
    let text = match arguments.format {
        Format::Json => brolga_json::listing(&bytes, &limits),
        Format::Text if arguments.exact => exact(&bytes, &limits).map_err(Into::into),
        Format::Text => listing(&bytes, &limits),
    };
    match text {
        Ok(text) => {
            let is_coloured =
                arguments.format == Format::Text && styles.out.coloured && stream::is_standard(&arguments.output);
            let text = if is_coloured { coloured(&text, styles.out) } else { text };
            stream::write(&arguments.output, text.as_bytes(), styles.err)
        }
        Err(error) => {
            let help = help(&error, &bytes, &limits);
            report::print_plain(format!("{}: {error}", arguments.file.display()), help, styles.err);
            Ok(Ending::BadInput)
        }
    }
}

/// What to do about a file that cannot be listed.
fn help(error: &Error, bytes: &[u8], limits: &Limits) -> Option<String> {
    let is_text = bytes.len() > 4 && std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    let text = match error {
        Error::Container(ContainerError::Magic { .. }) if is_text => {
            "this is text: `brolga asm` makes a shader of a listing"
        }
        Error::Container(ContainerError::Magic { .. }) => "shaders of models 4.0 to 5.1 begin with the letters DXBC",
        Error::Container(ContainerError::NoProgram { .. }) => {
            let container = Container::parse(bytes, limits).ok()?;
            container.chunk(b"DXIL").map(|_| "this is a shader of model 6 (DXIL), which is not read")?
        }
        Error::Container(ContainerError::Direct3D9 { .. }) => return None,
        Error::Decode(_) => "the file is damaged; `--exact` lists as data what cannot be decoded",
        _ => "the file is damaged or cut",
    };
    Some(text.to_owned())
}

/// The listing with colours, and without characters that would steer a terminal.
fn coloured(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in report::harmless(text).lines() {
        let code = line.trim_start();
        out.push_str(&line[..line.len() - code.len()]);
        if code.starts_with("//") {
            out.push_str(&style.dim(code));
        } else {
            let (word, rest) = code.split_at(code.find([' ', '(']).unwrap_or(code.len()));
            let is_declared = word.starts_with("dcl_") || word.starts_with('.');
            out.push_str(&if is_declared { style.declared(word) } else { style.named(word) });
            out.push_str(rest);
        }
        out.push('\n');
    }
    out
}
