//! Adds sections to help and manual pages after the options of a command: examples, the environment, exit codes.

use std::fmt::Write as _;
use std::io::{self, Write};

use clap::builder::Styles;
use clap::{ColorChoice, Command, CommandFactory};
use clap_mangen::Man as Page;

use super::Cli;
use super::style::is_dumb;

/// A section: its title, and rows of a term with its meaning.
type Section = (&'static str, Vec<(&'static str, &'static str)>);

const EXIT_CODES: [(&str, &str); 5] = [
    ("0", "success"),
    ("1", "a result is not as expected, or `brolga validate` found an error"),
    ("2", "the command line, a document, a file or a shader is invalid"),
    ("3", "a limit, an interrupt or the shader itself stopped the run"),
    ("130", "a second interrupt ended the command at once"),
];

const CACHE: (&str, &str) = ("BROLGA_CACHE", "the folder of the cache, where `--cache` names none; empty for none");
const COMPILER: (&str, &str) = ("BROLGA_COMPILER", "the compiler of HLSL, where `--compiler` names none");
const NO_COLOR: (&str, &str) = ("NO_COLOR", "if it is not empty, no colours");
const TERM: (&str, &str) = ("TERM", "`dumb` for a terminal without colours and progress bars");

/// The sections of a command; those of the whole program for its own name.
fn sections(command: &str) -> Vec<Section> {
    let examples: &[(&str, &str)] = match command {
        "run" => &[
            ("brolga run blur.toml", "run a document, and check its results"),
            ("brolga run tests/ --engine both --junit results.xml", "a folder of them, on engines that must agree"),
            ("brolga run blur.toml --output results/ --print u0:16", "put files into a folder, and show 16 elements"),
            ("brolga run blur.toml --emit asm", "show the machine code instead"),
        ],
        "bench" => &[
            ("brolga bench blur.toml --save before.json", "measure a document, and keep the figures"),
            ("brolga bench blur.toml --compare before.json", "what became faster or slower"),
            ("brolga bench --only nbody,blur --threads 1,2", "cases of the suite, with one and two threads"),
        ],
        "new" => &[
            ("brolga new blur.cso", "write blur.toml, or for a shader of draws the folder blur"),
            ("brolga new vs.cso ps.cso vase.obj", "a draw of a mesh with both shaders, in the folder vs"),
            ("brolga new blur.hlsl --compiler fxc", "the same of a source"),
        ],
        "dis" => &[
            ("brolga dis blur.cso", "the listing that fxc writes"),
            ("brolga dis --exact blur.cso -o blur.asm", "one that loses nothing"),
        ],
        "asm" => &[("brolga asm blur.asm -o blur.cso", "make a shader of a listing")],
        "info" => &[
            ("brolga info blur.cso", "what it binds, reads and writes"),
            ("brolga info --format json *.cso", "the same of many, for programs"),
        ],
        "validate" => &[("brolga validate shaders/*.cso", "a line for each error; exit code 1 if there are any")],
        "cache" => &[("brolga cache", "list it"), ("brolga cache --clear", "empty it")],
        "completions" => &[(
            "brolga completions bash > ~/.local/share/bash-completion/completions/brolga",
            "install those of a shell",
        )],
        "man" => &[("brolga man ~/.local/share/man/man1", "install the pages")],
        _ => &[
            ("brolga new blur.cso", "write a first document for a shader"),
            ("brolga run blur.toml", "run it"),
            ("brolga dis blur.cso", "list the shader"),
        ],
    };
    let environment = match command {
        "run" | "bench" => vec![CACHE, COMPILER, NO_COLOR, TERM],
        "cache" => vec![CACHE, NO_COLOR, TERM],
        "new" | "dis" | "info" | "validate" => vec![COMPILER, NO_COLOR, TERM],
        "asm" | "completions" | "man" => vec![NO_COLOR, TERM],
        _ => vec![CACHE, COMPILER, NO_COLOR, TERM],
    };
    let has = |code: &str| match command {
        "run" | "bench" => true,
        "validate" => matches!(code, "0" | "1" | "2"),
        "asm" | "cache" | "completions" | "man" => matches!(code, "0" | "2"),
        "new" | "dis" | "info" => matches!(code, "0" | "2" | "3"),
        _ => true,
    };
    let meaning = |code: &str, meaning| if (command, code) == ("check", "1") { "something was found" } else { meaning };
    let codes = EXIT_CODES.into_iter().filter(|(code, _)| has(code)).map(|(code, text)| (code, meaning(code, text)));
    let codes = codes.collect();
    vec![("Examples", examples.to_vec()), ("Environment", environment), ("Exit codes", codes)]
}

/// The command line, with these sections in its help.
pub(super) fn command() -> Command {
    // If CI is set, clap colours its output to a dumb terminal too.
    let color = if is_dumb() { ColorChoice::Never } else { ColorChoice::Auto };
    let cli = Cli::command().color(color);
    let names: Vec<String> = cli.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let with_text =
        |cli: Command, name: &String| cli.mut_subcommand(name, |command| command.after_long_help(text(name)));
    names.iter().fold(cli.after_long_help(text("brolga")), with_text)
}

/// The sections as text, in columns if terms are short.
fn text(command: &str) -> String {
    /// The maximum length of a term with its meaning on the same line.
    const BESIDE: usize = 16;
    let header = *Styles::styled().get_header();
    let mut out = String::new();
    for (title, rows) in sections(command) {
        let gap = if out.is_empty() { "" } else { "\n" };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{gap}{header}{title}:{header:#}");
        let width = rows.iter().map(|(term, _)| term.len()).max().unwrap_or(0);
        for (term, meaning) in rows {
            let _ = match width <= BESIDE {
                true => writeln!(out, "  {term:<width$}  {meaning}"),
                false => writeln!(out, "  {term}\n          {meaning}"),
            };
        }
    }
    out
}

/// Writes the manual page of a command that is built.
pub(super) fn write_page(out: &mut impl Write, command: &Command) -> io::Result<()> {
    Page::new(command.clone()).render(out)?;
    for (title, rows) in sections(command.get_name()) {
        writeln!(out, ".SH \"{}\"", if title == "Exit codes" { "EXIT STATUS".into() } else { title.to_uppercase() })?;
        for (term, meaning) in rows {
            writeln!(out, ".TP\n\\fB{}\\fR\n{}", escaped(term), escaped(meaning))?;
        }
    }
    Ok(())
}

/// A text escaped for roff.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('-', "\\-").replace('\'', "\\(aq")
}
