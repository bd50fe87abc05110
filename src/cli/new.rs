//! `brolga new`: a first job for a shader, which runs as it is.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf, absolute};

use brolga::job::Draft;
use brolga::{Error, Limits};
use clap::Args;

use super::advice::advice;
use super::compiler::SourceOptions;
use super::style::Styles;
use super::{Ending, report, stream, summary};

#[derive(Args)]
pub(super) struct Arguments {
    /// The compiled compute shader (.cso, .dxbc), or HLSL if a compiler is named
    #[arg(value_name = "SHADER")]
    shader: PathBuf,
    /// The file for the job, `-` for standard output; by default SHADER.toml in the current folder
    #[arg(short, long, value_name = "JOB")]
    output: Option<PathBuf>,
    /// Replace an existing job
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    source: SourceOptions,
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let fail = |text: String, help: Option<String>| {
        report::print_plain(text, help, styles.err);
        Ok(Ending::BadInput)
    };
    if stream::is_standard(&arguments.shader) {
        let help = "save the shader to a file, and name that".to_owned();
        return fail("a job names its shader's file, and standard input has none".to_owned(), Some(help));
    }
    let stem = arguments.shader.file_stem().unwrap_or(OsStr::new("shader")).to_string_lossy().into_owned();
    let output = arguments.output.clone().unwrap_or_else(|| PathBuf::from(format!("{stem}.toml")));
    let is_shown = stream::is_standard(&output);
    if !is_shown && output.extension() != Some(OsStr::new("toml")) {
        let help = "choose such a name, or `-` for standard output".to_owned();
        return fail(format!("{} does not end in .toml, as jobs do", output.display()), Some(help));
    }
    if !is_shown && !arguments.force && output.symlink_metadata().is_ok() {
        let help = "name another file with `-o`, or replace it with `--force`".to_owned();
        return fail(format!("{} already exists", output.display()), Some(help));
    }
    let reader = arguments.source.reader(styles.err);
    let container = match reader.load(&arguments.shader) {
        Ok(container) => container,
        Err(text) => {
            fail(text, None)?;
            return Ok(reader.ending());
        }
    };
    let folder = if is_shown { Path::new("") } else { output.parent().unwrap_or(Path::new("")) };
    let shader = relative(&arguments.shader, folder);
    let stem = match (is_shown, output.file_stem()) {
        (false, Some(job)) => job.to_string_lossy().into_owned(),
        _ => stem,
    };
    let source = reader.compiles(&arguments.shader).then(|| reader.source(&arguments.shader));
    let draft = Draft { shader: &shader, source: source.as_ref(), container: &container, outputs: &stem };
    match draft.write(&Limits::default()) {
        Ok(text) => {
            let ending = stream::write(&output, &arguments.shader, text.as_bytes(), styles.err)?;
            if ending == Ending::Fine && !is_shown {
                summary::write_output(&mut io::stdout().lock(), &output)?;
            }
            Ok(ending)
        }
        Err(error) => {
            let help = match &error {
                Error::File(error) => advice(error, &arguments.shader, &container),
                Error::Stage { .. } | Error::NoGroups { .. } => Some("jobs run compute shaders".to_owned()),
                _ => None,
            };
            fail(format!("{}: {error}", arguments.shader.display()), help)
        }
    }
}

/// A path as it is called from a folder.
fn relative(path: &Path, folder: &Path) -> PathBuf {
    if path.is_absolute() || folder.as_os_str().is_empty() {
        return path.to_owned();
    }
    let (Ok(from), Ok(to)) = (absolute(folder), absolute(path)) else { return path.to_owned() };
    // `..` after a link is not the way back.
    let is_plain = |path: &Path| !path.components().any(|part| part == Component::ParentDir);
    if !is_plain(&from) || !is_plain(&to) {
        return to;
    }
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}
