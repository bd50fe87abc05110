//! `brolga new`: a first job for a compute shader, or a first scene for one of draws, which run as they are.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, absolute};
use std::{fs, io};

use brolga::bytecode::Limits as FileLimits;
use brolga::bytecode::info::Info;
use brolga::bytecode::sm5::Stage;
use brolga::document::{Draft, DraftError, SceneDraft, advice};
use brolga::{Error, Limits};
use clap::Args;

use super::compiler::SourceOptions;
use super::style::Styles;
use super::{Ending, report, stream, summary};

#[derive(Args)]
pub(super) struct Arguments {
    /// The compiled shader (.cso, .dxbc), or HLSL if a compiler is named
    #[arg(value_name = "SHADER")]
    shader: PathBuf,
    /// The file for the job of a compute shader, `-` for standard output; by default SHADER.toml in the current folder. Of a vertex or
    /// pixel shader the folder for the scene; by default SHADER
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,
    /// Replace an existing job or scene
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
    let reader = arguments.source.reader(styles.err);
    let container = match reader.load(&arguments.shader) {
        Ok(container) => container,
        Err(text) => {
            fail(text, None)?;
            return Ok(reader.ending());
        }
    };
    let stem = arguments.shader.file_stem().unwrap_or(OsStr::new("shader")).to_string_lossy().into_owned();
    if let Ok(Info { program, .. }) = Info::read(&container, &FileLimits::default())
        && matches!(program.stage, Stage::Vertex | Stage::Pixel)
    {
        return scene(arguments, &container, &stem, styles);
    }
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
    let folder = if is_shown { Path::new("") } else { output.parent().unwrap_or(Path::new("")) };
    let shader = relative(&arguments.shader, folder);
    if shader.to_str().is_none() {
        let help = "give the file, or its folder, another name".to_owned();
        return fail(format!("a job cannot name {}, which is not UTF-8", shader.display()), Some(help));
    }
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

/// Writes a scene for a vertex or pixel shader: a folder with both shaders.
fn scene(arguments: &Arguments, shader: &[u8], stem: &str, styles: &Styles) -> io::Result<Ending> {
    let fail = |text: String, help: Option<String>| {
        report::print_plain(text, help, styles.err);
        Ok(Ending::BadInput)
    };
    let folder = arguments.output.clone().unwrap_or_else(|| PathBuf::from(stem));
    if stream::is_standard(&folder) {
        let help = "name a folder: a scene has two shaders beside its file".to_owned();
        return fail("a scene cannot be written to standard output".to_owned(), Some(help));
    }
    if folder.symlink_metadata().is_ok() && !(arguments.force && folder.join("scene.json").is_file()) {
        let help = "name another folder with `-o`, or replace a scene with `--force`".to_owned();
        return fail(format!("{} already exists", folder.display()), Some(help));
    }
    let name = folder.file_name().unwrap_or(OsStr::new("scene")).to_string_lossy().into_owned();
    let drafted = match (SceneDraft { shader, name: &name }).write(&Limits::default()) {
        Ok(drafted) => drafted,
        Err(error) => {
            let help = match &error {
                DraftError::Shader(Error::File(error)) => advice(error, &arguments.shader, shader),
                _ => None,
            };
            return fail(format!("{}: {error}", arguments.shader.display()), help);
        }
    };
    if let Err(error) = fs::create_dir_all(&folder) {
        return fail(format!("cannot make the folder {}: {error}", folder.display()), None);
    }
    // The scene comes last: where it is, all is.
    for (file, bytes) in [
        ("vs.cso", &drafted.vertex_shader[..]),
        ("ps.cso", &drafted.pixel_shader),
        ("scene.json", drafted.scene.as_bytes()),
    ] {
        let path = folder.join(file);
        let ending = stream::write(&path, &arguments.shader, bytes, styles.err)?;
        if ending != Ending::Fine {
            return Ok(ending);
        }
        summary::write_output(&mut io::stdout().lock(), &path)?;
    }
    Ok(Ending::Fine)
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
