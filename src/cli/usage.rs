//! Gives advice on a wrong command line, where clap gives none.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};

use super::Cli;

/// The error with the likely meaning.
pub(super) fn explain(mut error: Error) -> Error {
    match error.kind() {
        ErrorKind::InvalidSubcommand if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return error };
            if let Some(command) = nearest(name) {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![command]));
            }
        }
        ErrorKind::UnknownArgument => {
            let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg) else { return error };
            let writes = std::env::args_os().any(|argument| argument == "asm" || argument == "dis");
            if writes && !name.starts_with('-') {
                let tip = format!("name the output with `-o {name}`").into();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
        }
        _ => {}
    }
    error
}

/// The command that is one typo away. clap compares letters by position only, so that it does not recognise exchanged
/// ones in a short name.
fn nearest(name: &str) -> Option<String> {
    let commands = Cli::command();
    let mut names = commands.get_subcommands().map(clap::Command::get_name);
    names.find(|known| strsim::damerau_levenshtein(name, known) == 1).map(str::to_owned)
}
