//! Prints the files that accompany an installed program: completions for shells, and the manual.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::style::Styles;
use super::{Cli, Ending, manual, report};

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
    // The generator treats a failure to write as a bug of its own.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "brolga", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(Ending::Fine)
}

/// Prints the manual's first page, or writes all of them to a folder.
pub(super) fn man(arguments: &Man, styles: &Styles) -> io::Result<Ending> {
    // Building it gives commands their full names. Help is not a command of its own.
    let mut cli = Cli::command().disable_help_subcommand(true);
    cli.build();
    let Some(folder) = &arguments.folder else {
        manual::write_page(&mut io::stdout().lock(), &cli)?;
        return Ok(Ending::Fine);
    };
    let write = |command: &clap::Command| {
        let mut page = Vec::new();
        manual::write_page(&mut page, command)?;
        let name = command.get_display_name().unwrap_or(command.get_name());
        fs::write(folder.join(format!("{name}.1")), page)
    };
    let pages = || [&cli].into_iter().chain(cli.get_subcommands()).try_for_each(write);
    if let Err(error) = fs::create_dir_all(folder).and_then(|()| pages()) {
        report::print_plain(format!("cannot write to {}: {error}", folder.display()), None, styles.err);
        return Ok(Ending::BadInput);
    }
    Ok(Ending::Fine)
}
