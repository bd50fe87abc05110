//! `brolga dis`: prints the compiler's own listing of a shader, or one that loses nothing.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use brolga::bytecode::container::Container;
use brolga::bytecode::debug::DebugInfo;
use brolga::bytecode::listing::{exact, listing, with_source};
use brolga::bytecode::sm3::is_program;
use brolga::bytecode::{Error, Limits};
use brolga::document::is_wgsl;
use clap::Args;

use super::compiler::SourceOptions;
use super::options::Format;
use super::style::{Style, Styles};
use super::{Ending, report, stream};

#[derive(Args)]
pub(super) struct DisArguments {
    /// The compiled shader (.cso, .dxbc); `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Lossless: `brolga asm` turns this listing back into the same file, bit for bit
    #[arg(long)]
    exact: bool,
    /// With the lines of the source that instructions come from, and the variables in registers, as comments: of shaders
    /// with debug information (`-Zi`)
    #[arg(long = "source")]
    has_source: bool,
    /// Output format: the listing, or one JSON document with every field of every instruction
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The file for the listing; standard output by default
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    #[command(flatten)]
    source: SourceOptions,
}

pub(super) fn run(arguments: &DisArguments, styles: &Styles) -> io::Result<Ending> {
    if arguments.exact && arguments.format == Format::Json {
        let text = "`--exact` and `--format json` are mutually exclusive: an exact listing is text for `brolga asm`";
        let help = "leave one of them out".to_owned();
        report::print_plain(text.into(), Some(help), styles.err);
        return Ok(Ending::BadInput);
    }
    let other = [(arguments.exact, "--exact"), (arguments.format == Format::Json, "--format json")];
    if let (true, Some((_, other))) = (arguments.has_source, other.iter().find(|(is_given, _)| *is_given)) {
        let text =
            format!("`--source` and `{other}` are mutually exclusive: lines of the source are comments in the listing");
        report::print_plain(text, Some("leave one of them out".to_owned()), styles.err);
        return Ok(Ending::BadInput);
    }
    if is_wgsl(&arguments.file) {
        let text = format!("{}: WGSL has no bytecode to list", arguments.file.display());
        let help = "`brolga run --emit ir`, with a document that names it, prints what it becomes";
        report::print_plain(text, Some(help.to_owned()), styles.err);
        return Ok(Ending::BadInput);
    }
    let reader = arguments.source.reader(styles.err);
    let bytes = match reader.load(&arguments.file) {
        Ok(bytes) => bytes,
        Err(text) => {
            report::print_plain(text, None, styles.err);
            return Ok(reader.ending());
        }
    };
    let limits = Limits::default();
    let text = match arguments.format {
        Format::Json => brolga_json::listing(&bytes, &limits),
        Format::Text if arguments.exact => exact(&bytes, &limits).map_err(Into::into),
        Format::Text if arguments.has_source => listing_with_source(&bytes, &limits, &arguments.file, styles),
        Format::Text => listing(&bytes, &limits),
    };
    match text {
        Ok(text) => {
            let is_shown = stream::is_standard(&arguments.output);
            let is_coloured = arguments.format == Format::Text && is_shown && styles.out.coloured;
            let text = match is_coloured {
                true => coloured(&report::harmless(&text), styles.out),
                // Names come from the file, and may contain anything.
                false if is_shown && io::stdout().is_terminal() => report::harmless(&text),
                false => text,
            };
            stream::write(&arguments.output, &arguments.file, text.as_bytes(), styles.err)
        }
        Err(error) => {
            let help = reader.advice(&error, &arguments.file, &bytes);
            report::print_plain(format!("{}: {error}", arguments.file.display()), help, styles.err);
            Ok(Ending::BadInput)
        }
    }
}

/// The listing with comments of debug information; without them, and with a warning, if there is none or it is broken.
fn listing_with_source(bytes: &[u8], limits: &Limits, file: &Path, styles: &Styles) -> Result<String, Error> {
    let container = if is_program(bytes) { None } else { Some(Container::parse(bytes, limits)?) };
    let (what, help) = match container.and_then(|container| DebugInfo::read(&container, limits)) {
        Some(Ok(debug)) => return with_source(bytes, &debug, limits),
        Some(Err(error)) => (error.to_string(), None),
        None => ("no debug information".to_owned(), Some("compile it with `-Zi`".to_owned())),
    };
    report::warn_plain(format!("{}: {what}", file.display()), help, styles.err);
    listing(bytes, limits)
}

/// The listing with colours.
fn coloured(text: &str, style: Style) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.lines() {
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
