//! What belongs beside an installed program: completions for shells, and the manual.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man as Page;

use super::style::Styles;
use super::{Cli, Ending, report};

#[derive(Args)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

#[derive(Args)]
pub(super) struct Man {
    /// The folder for the pages, one per command, created if missing; by default the first page goes to standard
    /// output
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Prints a shell's completions.
pub(super) fn completions(arguments: &Completions) -> io::Result<Ending> {
    // The generator takes a failure to write for a fault of its own.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "brolga", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(Ending::Fine)
}

/// Prints the manual's first page, or writes all of them to a folder.
pub(super) fn man(arguments: &Man, styles: &Styles) -> io::Result<Ending> {
    let Some(folder) = &arguments.folder else {
        Page::new(Cli::command()).render(&mut io::stdout().lock())?;
        return Ok(Ending::Fine);
    };
    if let Err(error) = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder)) {
        report::print_plain(format!("cannot write to {}: {error}", folder.display()), None, styles.err);
        return Ok(Ending::BadInput);
    }
    Ok(Ending::Fine)
}
