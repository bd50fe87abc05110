//! `brolga new`: a first document for shaders, which runs as it is.
//!
//! A document's files are in its folder or below it: what is elsewhere is copied there.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, absolute};
use std::{fs, io};

use brolga::bytecode::Limits as FileLimits;
use brolga::bytecode::info::Info;
use brolga::bytecode::sm5::Stage;
use brolga::document::{Draft, DraftError, DraftMesh, DraftShader, Source, USUAL_ENTRY, USUAL_PROFILE, advice};
use brolga::{Error, Limits};
use clap::{Args, Parser};

use super::compiler::SourceOptions;
use super::style::Styles;
use super::{Ending, report, stream, summary};

#[derive(Args)]
pub(super) struct Arguments {
    /// A compiled shader (.cso, .dxbc), or HLSL if a compiler is named: a compute shader, or a vertex shader, a pixel shader or both; and
    /// for these a mesh (.obj) to draw
    #[arg(value_name = "SHADER", required = true, num_args = 1..=3)]
    files: Vec<PathBuf>,
    /// The file for the document, which ends in .toml; `-` for standard output; or a folder for it and its files. By default SHADER.toml
    /// in the current folder, and for draws the folder SHADER
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    /// The command that compiles HLSL shaders, as `brolga run` has it: `fxc`, `vkd3d`, or a whole line
    #[arg(long, value_name = "COMMAND")]
    compiler: Option<String>,
    /// The profile that HLSL shaders are compiled for, as `vs_5_0`: one for each in their order, the last for the rest. One file with two
    /// profiles is two shaders
    #[arg(long, value_name = "PROFILE", default_value = USUAL_PROFILE)]
    profile: Vec<String>,
    /// The function of HLSL shaders that is compiled: one for each, as profiles
    #[arg(long, value_name = "NAME", default_value = USUAL_ENTRY)]
    entry: Vec<String>,
}

/// The options of a command that takes one shader, for each of ours.
#[derive(Parser)]
struct One {
    #[command(flatten)]
    source: SourceOptions,
}

/// A shader that was read.
struct Shader<'a> {
    path: &'a Path,
    container: Vec<u8>,
    source: Option<Source>,
}

/// Why there is no document: what to say, what to do about it, and how the command ends.
struct Failure(String, Option<String>, Ending);

impl Failure {
    fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self(text.into(), Some(help.into()), Ending::BadInput)
    }
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let files = match drafted(arguments, styles) {
        Ok(files) => files,
        Err(Failure(text, help, ending)) => {
            report::print_plain(text, help, styles.err);
            return Ok(ending);
        }
    };
    for (path, bytes) in &files {
        let ending = stream::write(path, &arguments.files[0], bytes, styles.err)?;
        if ending != Ending::Fine {
            return Ok(ending);
        }
        if !stream::is_standard(path) {
            summary::write_output(&mut io::stdout().lock(), path)?;
        }
    }
    Ok(Ending::Fine)
}

/// The files to write, all that the document names before it: where it is, all is.
fn drafted(arguments: &Arguments, styles: &Styles) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let is_mesh = |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
    let (meshes, named): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.files.iter().partition(is_mesh);
    let shaders = shaders(arguments, &named, styles)?;
    let (Some(first), true) = (shaders.first(), meshes.len() <= 1) else {
        let found = format!("{} shaders and {} meshes", named.len(), meshes.len());
        return Err(Failure::new(
            format!("there is no draft for {found}"),
            "name one or two shaders, and one mesh at most",
        ));
    };
    let stem = first.path.file_stem().unwrap_or(OsStr::new("shader")).to_string_lossy().into_owned();
    let stage = Info::read(&first.container, &FileLimits::default()).map(|info| info.program.stage);
    let is_draw = shaders.len() > 1 || matches!(stage, Ok(Stage::Vertex | Stage::Pixel));
    let output = arguments.output.clone();
    let output = output.unwrap_or_else(|| PathBuf::from(if is_draw { stem.clone() } else { format!("{stem}.toml") }));
    let is_shown = stream::is_standard(&output);
    let is_file = output.extension() == Some(OsStr::new("toml")) && !output.is_dir();
    if output.is_file() && !is_file {
        let text = format!("{} is a file that does not end in .toml, as documents do", output.display());
        return Err(Failure::new(text, "choose such a name, a folder, or `-` for standard output"));
    }
    let folder = match (is_shown, is_file) {
        (true, _) => Path::new(""),
        (false, true) => output.parent().unwrap_or(Path::new("")),
        (false, false) => &output,
    };
    let document = if is_file { output.file_name() } else { Some(OsStr::new("document.toml")) };
    let name = match (is_shown, is_file) {
        (true, _) => stem,
        (false, true) => output.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        (false, false) => folder.file_name().map_or(stem, |name| name.to_string_lossy().into_owned()),
    };
    let mut files = Files { folder, is_shown, copied: Vec::new() };
    let places = shaders.iter().map(|shader| files.place(shader.path)).collect::<Result<Vec<_>, _>>()?;
    let mesh = meshes.first().map(|path| Ok((files.place(path)?, stream::load(path).map_err(plain)?))).transpose()?;
    let given = shaders.iter().zip(&places);
    let given: Vec<_> = given
        .map(|(shader, file)| DraftShader { file, container: &shader.container, source: shader.source.as_ref() })
        .collect();
    let draft = Draft {
        shaders: &given,
        mesh: mesh.as_ref().map(|(file, text)| DraftMesh { file, text }),
        document: &document.unwrap_or_default().to_string_lossy(),
        name: &name,
    };
    let written = draft.write(&Limits::default()).map_err(|error| refused(&error, &shaders))?;
    if is_shown && written.len() > 1 {
        let text = "the document of a draw with one shader cannot be written to standard output: another shader is made for it";
        return Err(Failure::new(text, "name a folder, or a file in one"));
    }
    let mut all = files.copied;
    all.extend(
        written.into_iter().map(|(name, bytes)| (if is_shown { output.clone() } else { folder.join(name) }, bytes)),
    );
    // What is there already, as it shall be, is left alone.
    all.retain(|(path, bytes)| {
        is_shown || !fs::read(path).is_ok_and(|found| found == *bytes) || path.ends_with(draft.document)
    });
    let there = all.iter().find(|(path, _)| !stream::is_standard(path) && path.symlink_metadata().is_ok());
    if let (Some((path, _)), false) = (there, arguments.force) {
        let help = "name another place with `-o`, or replace it with `--force`";
        return Err(Failure::new(format!("{} already exists", path.display()), help));
    }
    if !is_file && !is_shown {
        let failed = |error| plain(format!("cannot make the folder {}: {error}", folder.display()));
        fs::create_dir_all(folder).map_err(failed)?;
    }
    Ok(all)
}

/// Reads the shaders, and compiles those that are HLSL.
fn shaders<'a>(arguments: &Arguments, named: &[&'a PathBuf], styles: &Styles) -> Result<Vec<Shader<'a>>, Failure> {
    let is_both = named.len() == 1 && Source::is_named_by(named[0]) && arguments.profile.len() > 1;
    let paths = if is_both { [named, named].concat() } else { named.to_vec() };
    let (mut shaders, mut sources) = (Vec::new(), 0);
    for path in paths {
        if stream::is_standard(path) {
            let text = "a document names its shader's file, and standard input has none";
            return Err(Failure::new(text, "save the shader to a file, and name that"));
        }
        let nth = |all: &[String]| all.get(sources).or(all.last()).cloned().unwrap_or_default();
        let mut words = vec!["new".to_owned()];
        words.push(format!("--profile={}", nth(&arguments.profile)));
        words.push(format!("--entry={}", nth(&arguments.entry)));
        words.extend(arguments.compiler.iter().map(|compiler| format!("--compiler={compiler}")));
        let options = One::try_parse_from(words).map_err(|error| plain(error.to_string()))?.source;
        let reader = options.reader(styles.err);
        let container = reader.load(path).map_err(|text| Failure(text, None, reader.ending()))?;
        let source = reader.compiles(path).then(|| reader.source(path));
        sources += usize::from(Source::is_named_by(path));
        shaders.push(Shader { path, container, source });
    }
    Ok(shaders)
}

fn plain(text: String) -> Failure {
    Failure(text, None, Ending::BadInput)
}

/// What is wrong with shaders that get no document.
fn refused(error: &DraftError, shaders: &[Shader<'_>]) -> Failure {
    let DraftError::Shader { shader, error: inner } = error else {
        return plain(format!("{}: {error}", shaders[0].path.display()));
    };
    let Shader { path, container, .. } = &shaders[(*shader).min(shaders.len() - 1)];
    let help = match inner {
        Error::File(error) => advice(error, path, container),
        Error::Stage { .. } | Error::NoGroups { .. } => {
            Some("documents run compute shaders, and draw with vertex and pixel shaders".to_owned())
        }
        _ => None,
    };
    Failure(format!("{}: {error}", path.display()), help, Ending::BadInput)
}

/// The files beside a document.
struct Files<'a> {
    folder: &'a Path,
    /// Whether the document goes to standard output: it is for the current folder, and nothing is copied.
    is_shown: bool,
    copied: Vec<(PathBuf, Vec<u8>)>,
}

impl Files<'_> {
    /// A file as the document names it. What is not in its folder or below it is copied there, HLSL with what it includes.
    fn place(&mut self, path: &Path) -> Result<PathBuf, Failure> {
        let named = within(path, self.folder).or(self.is_shown.then(|| path.to_owned()));
        let name = named.clone().unwrap_or_else(|| path.file_name().map_or(path.to_owned(), PathBuf::from));
        if name.to_str().is_none() {
            let text = format!("a document cannot name {}, which is not UTF-8", name.display());
            return Err(Failure::new(text, "give the file, or its folder, another name"));
        }
        if named.is_none() {
            self.copy(path, &name)?;
        }
        Ok(name)
    }

    fn copy(&mut self, path: &Path, name: &Path) -> Result<(), Failure> {
        let to = self.folder.join(name);
        if let Some((_, copied)) = self.copied.iter().find(|(copied, _)| *copied == to) {
            return match fs::read(path).is_ok_and(|found| found == *copied) {
                true => Ok(()),
                false => {
                    let text = format!("two files would be copied to {}", to.display());
                    Err(Failure::new(text, "give one of them another name"))
                }
            };
        }
        let bytes = stream::load(path).map_err(plain)?;
        let text = String::from_utf8_lossy(if Source::is_named_by(path) { &bytes } else { &[] }).into_owned();
        self.copied.push((to, bytes));
        for included in text.lines().filter_map(included) {
            let below = Path::new(included).components().all(|part| matches!(part, Component::Normal(_)));
            let found = path.parent().unwrap_or(Path::new("")).join(included);
            if below && found.is_file() {
                self.copy(&found, &name.parent().unwrap_or(Path::new("")).join(included))?;
            }
        }
        Ok(())
    }
}

/// The file that a line of HLSL includes.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    rest.strip_prefix('"')?.split('"').next()
}

/// A path as it is called from a folder; `None` if it is not in the folder or below it, wherever links lead.
fn within(path: &Path, folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let called = absolute(path).ok()?.strip_prefix(absolute(folder).ok()?).ok()?.to_owned();
    let is_plain = called.components().all(|part| matches!(part, Component::Normal(_)));
    let [real, around] = [path, folder].map(|path| path.canonicalize().ok());
    (is_plain && real?.starts_with(around?)).then_some(called)
}
