//! Runs the `brolga` command.
#![forbid(unsafe_code)]

mod cli;

fn main() -> std::process::ExitCode {
    // A library that is loaded with it may have set another float mode.
    brolga_fenv::in_default_mode(cli::main)
}
