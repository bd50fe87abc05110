//! Implements the command line: a thin shell over the library. Only here are arguments, the terminal and the
//! environment looked at.
//!
//! | file | what |
//! |---|---|
//! | `run/` | `brolga run`, with `--emit` |
//! | `documents.rs` | the documents that its command line names |
//! | `pixel.rs` | the effect of its steps on one pixel |
//! | `junit.rs` | results for other programs |
//! | `summary.rs` | the output of a run on stdout, as text or JSON |
//! | `check.rs` | `brolga check` |
//! | `bench/` | `brolga bench` |
//! | `new.rs` | `brolga new` |
//! | `dis.rs` | `brolga dis` |
//! | `asm.rs` | `brolga asm` |
//! | `info.rs` | `brolga info` |
//! | `validate.rs` | `brolga validate` |
//! | `schema.rs` | `brolga schema` |
//! | `cache.rs` | `brolga cache`, and the location of the cache |
//! | `packaging.rs` | `brolga completions` and `brolga man` |
//! | `manual.rs` | sections of help and the manual after the options |
//! | `compiler/` | compilers of HLSL, which `--compiler` names |
//! | `stream.rs` | files that may be standard input or output |
//! | `options.rs` | options that several commands have |
//! | `interrupt.rs` | the effect of an interrupt |
//! | `report.rs` | errors with the lines of the document that they are about |
//! | `progress.rs` | the bars for long runs |
//! | `sheet.rs` | tables as text |
//! | `style.rs` | colours |
//! | `usage.rs` | advice on a wrong command line, where clap gives none |

mod asm;
mod bench;
mod cache;
mod check;
mod compiler;
mod dis;
mod documents;
mod info;
mod interrupt;
mod junit;
mod manual;
mod new;
mod options;
mod packaging;
mod pixel;
mod progress;
mod report;
mod run;
mod schema;
mod sheet;
mod stream;
mod style;
mod summary;
mod usage;
mod validate;

use std::process::ExitCode;

use clap::{FromArgMatches, Parser, Subcommand, ValueEnum};

/// The exit code of a command. The highest of several counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Ending {
    /// All went well.
    Fine = 0,
    /// The answer is no: a result is not as expected.
    Mismatch = 1,
    /// The command line or an input is wrong.
    BadInput = 2,
    /// A limit or the shader stopped the run.
    Stopped = 3,
}

impl From<Ending> for ExitCode {
    fn from(ending: Ending) -> Self {
        ExitCode::from(ending as u8)
    }
}

/// Runs Direct3D shader bytecode and WGSL on the CPU.
#[derive(Parser)]
#[command(name = "brolga", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When to use colours; NO_COLOR turns them off too
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

#[derive(Subcommand)]
enum Command {
    /// Run documents, and check their results
    Run(run::RunArguments),
    /// Check what the shaders of documents do: races, accesses past an end, reads of what nothing wrote
    Check(check::CheckArguments),
    /// Measure documents: how long their shaders take to compile, and their steps to run
    Bench(bench::Arguments),
    /// Write a first document for a shader
    New(new::Arguments),
    /// List a shader as the compiler does
    Dis(dis::DisArguments),
    /// Assemble a listing into a shader
    Asm(asm::Arguments),
    /// Show what a shader binds, what its inputs and outputs are, and how large it is
    Info(options::Shaders),
    /// Validate shaders, and print a line for each error
    Validate(options::Shaders),
    /// Print the JSON schema of documents, for editors
    Schema,
    /// Show the cache of machine code, or clear it
    Cache(cache::CacheArguments),
    /// Print completions for a shell
    Completions(packaging::Completions),
    /// Write the manual pages
    Man(packaging::Man),
}

/// The use of colours.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Parses the arguments and runs the command.
pub fn main() -> ExitCode {
    let parsed = manual::command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = parsed.unwrap_or_else(|error| usage::explain(error).exit());
    let styles = style::Styles::choose(cli.color);
    let ending = match cli.command {
        Command::Run(arguments) => run::run(&arguments, &styles),
        Command::Check(arguments) => check::run(&arguments, &styles),
        Command::Bench(arguments) => bench::run(&arguments, &styles),
        Command::New(arguments) => new::run(&arguments, &styles),
        Command::Dis(arguments) => dis::run(&arguments, &styles),
        Command::Asm(arguments) => asm::run(&arguments, &styles),
        Command::Info(arguments) => info::run(&arguments, &styles),
        Command::Validate(arguments) => validate::run(&arguments, &styles),
        Command::Schema => schema::run(),
        Command::Cache(arguments) => cache::run(&arguments, &styles),
        Command::Completions(arguments) => packaging::completions(&arguments),
        Command::Man(arguments) => packaging::man(&arguments, &styles),
    };
    match ending {
        Ok(ending) => ending.into(),
        // The reader of our output has gone.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ending::Fine.into(),
        Err(error) => {
            report::say(&format!("error: cannot write to stdout: {error}\n"));
            Ending::BadInput.into()
        }
    }
}
