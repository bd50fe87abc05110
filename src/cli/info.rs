//! `brolga info`: prints everything that is known about a shader without reading its instructions.

use std::io::{self, Write};
use std::path::Path;

use brolga::bytecode::Limits;
use brolga::bytecode::info::Info;
use brolga::document::{Problem, is_wgsl, wgsl_info};
use serde_json::json;

use super::compiler::ShaderReader;
use super::options::{Format, Shaders};
use super::style::{Style, Styles};
use super::{Ending, report, stream};

pub(super) fn run(arguments: &Shaders, styles: &Styles) -> io::Result<Ending> {
    if stream::names_input_twice(&arguments.files, styles.err) {
        return Ok(Ending::BadInput);
    }
    let reader = arguments.source.reader(styles.err);
    let (mut ending, mut documents) = (Ending::Fine, Vec::new());
    let is_many = arguments.files.len() > 1;
    let mut out = io::stdout().lock();
    for (n, path) in arguments.files.iter().enumerate() {
        let read = read(path, &reader);
        if is_many && arguments.format == Format::Text {
            let gap = if n > 0 { "\n" } else { "" };
            let name = report::harmless(&path.to_string_lossy()).replace('\n', " ");
            writeln!(out, "{gap}{}", styles.out.named(&format!("{name}:")))?;
            // Problems with a file must come below its name if both go to one terminal.
            out.flush()?;
        }
        if let Err(failure) = &read {
            match failure {
                Failure::Plain(text, help) => report::print_plain(text.clone(), help.clone(), styles.err),
                Failure::Text(problem) => report::print_shader(problem, styles.err),
            }
            ending = ending.max(reader.ending());
        }
        match arguments.format {
            Format::Text => {
                let text = read.map_or(String::new(), |info| coloured(&info.to_string(), styles.out));
                out.write_all(text.as_bytes())?;
            }
            Format::Json => documents.push((path, read)),
        }
        if reader.is_interrupted() {
            break;
        }
    }
    if arguments.format == Format::Json {
        if is_many {
            let files = documents.into_iter().map(|(path, read)| match read {
                Ok(info) => json!({ "file": path.to_string_lossy(), "info": brolga_json::info(&info), "error": null }),
                Err(failure) => {
                    json!({ "file": path.to_string_lossy(), "info": null, "error": failure.text() })
                }
            });
            writeln!(out, "{:#}", json!({ "files": files.collect::<Vec<_>>() }))?;
        } else if let Some((_, Ok(info))) = documents.first() {
            writeln!(out, "{:#}", brolga_json::info(info))?;
        }
    }
    Ok(ending)
}

/// Why there is no information.
enum Failure {
    /// The problem and advice.
    Plain(String, Option<String>),
    /// A problem with a text.
    Text(Box<Problem>),
}

impl Failure {
    fn text(&self) -> String {
        match self {
            Failure::Plain(text, _) => text.clone(),
            Failure::Text(problem) => problem.to_string(),
        }
    }
}

/// The information about a file.
fn read(path: &Path, reader: &ShaderReader<'_>) -> Result<Info, Failure> {
    let bytes = reader.load(path).map_err(|text| Failure::Plain(text, None))?;
    if is_wgsl(path) {
        return wgsl_info(path, &bytes, &reader.wgsl()).map_err(|problem| Failure::Text(problem.into()));
    }
    Info::read(&bytes, &Limits::default())
        .map_err(|error| Failure::Plain(format!("{}: {error}", path.display()), reader.advice(&error, path, &bytes)))
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
