//! `brolga info`: what there is to know of a shader without reading its instructions.

use std::io::{self, Write};
use std::path::PathBuf;

use brolga::bytecode::Limits;
use brolga::bytecode::info::Info;
use clap::Args;

use super::options::Format;
use super::style::{Style, Styles};
use super::{Ending, report, stream};

#[derive(Args)]
pub(super) struct Arguments {
    /// The shader, as compilers write it (.cso, .dxbc); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What stdout gets: tables for people, or one JSON document
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let bytes = match stream::read(&arguments.file, styles.err) {
        Ok(bytes) => bytes,
        Err(ending) => return Ok(ending),
    };
    let info = match Info::read(&bytes, &Limits::default()) {
        Ok(info) => info,
        Err(error) => {
            let help = "`brolga validate` finds everything that is wrong with a shader".to_owned();
            report::print_plain(format!("{}: {error}", arguments.file.display()), Some(help), styles.err);
            return Ok(Ending::BadInput);
        }
    };
    let mut out = io::stdout().lock();
    match arguments.format {
        Format::Text => out.write_all(coloured(&info.to_string(), styles.out).as_bytes())?,
        Format::Json => writeln!(out, "{:#}", brolga_json::info(&info))?,
    }
    Ok(Ending::Fine)
}

/// The text with its titles in colour, and without characters that would steer a terminal.
fn coloured(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_heading = false;
    for line in report::harmless(text).lines() {
        let is_title = line.ends_with(':') && !line.starts_with(' ');
        out.push_str(&match (is_title, is_heading) {
            (true, _) => style.named(line),
            (false, true) => style.dim(line),
            (false, false) => line.to_owned(),
        });
        out.push('\n');
        is_heading = is_title;
    }
    out
}
