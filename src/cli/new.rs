//! `brolga new`: a first document for shaders, which runs as it is.
//!
//! It names the shaders and the mesh where they are. What is made besides are the shaders that a draw needs too.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf, absolute};
use std::{fs, io};

use brolga::bytecode::Limits as FileLimits;
use brolga::bytecode::info::Info;
use brolga::bytecode::sm5::Stage;
use brolga::document::{
    Document, DocumentError, Draft, DraftError, DraftMesh, DraftShader, Problem, Source, Syntax, USUAL_ENTRY,
    USUAL_PROFILE, WgslOptions, advice, is_wgsl, wgsl_info,
};
use brolga::{CancelToken, Error, Limits};
use clap::Args;
use serde_json::json;

use super::compiler::{CompilerOption, override_value};
use super::interrupt::{self, Temporary};
use super::style::Styles;
use super::{Ending, report, stream, summary};

#[derive(Args)]
pub(super) struct Arguments {
    /// Compiled shaders (.cso, .dxbc), WGSL (.wgsl), or HLSL if a compiler is named: a compute shader; or shaders of a
    /// draw, in any order, and a mesh (.obj) to draw with them
    #[arg(value_name = "SHADER", required = true, num_args = 1..=6)]
    files: Vec<PathBuf>,
    /// The file for the document, which ends in .toml; `-` for standard output; or a folder, where it is document.toml.
    /// By default SHADER.toml in the current folder for a compute shader, and for draws the folder SHADER
    #[arg(short, long, value_name = "OUTPUT")]
    output: Option<PathBuf>,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    compiler: CompilerOption,
    /// The profile that HLSL is compiled for: the first one for the first source, and so on, the last for all others.
    /// One source with two profiles is two shaders
    #[arg(long, value_name = "PROFILE", default_value = USUAL_PROFILE)]
    profile: Vec<String>,
    /// The function of HLSL that is compiled, in the order of the profiles, `main` by default; or the entry point of
    /// WGSL, the only one by default
    #[arg(long, value_name = "NAME")]
    entry: Vec<String>,
    /// The value of an override of WGSL, by name, or by number where it has an `@id`
    #[arg(long = "override", value_name = "NAME=VALUE", value_parser = override_value)]
    overrides: Vec<(String, f64)>,
}

/// A shader that was read.
struct Shader<'a> {
    path: &'a Path,
    container: Vec<u8>,
    source: Option<Source>,
    wgsl: Option<WgslOptions>,
}

/// Why there is no document: what to say, unless it was said, what to do about it, and how the command ends.
struct Failure(String, Option<String>, Ending);

impl Failure {
    fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self(text.into(), Some(help.into()), Ending::BadInput)
    }

    /// A problem with a shader's text, which is shown there.
    fn text(problem: Problem, styles: &Styles) -> Self {
        report::print_shader(&problem, styles.err);
        Self(String::new(), None, Ending::BadInput)
    }

    fn plain(text: impl Into<String>) -> Self {
        Self(text.into(), None, Ending::BadInput)
    }
}

pub(super) fn run(arguments: &Arguments, styles: &Styles) -> io::Result<Ending> {
    let files = match drafted(arguments, styles) {
        Ok(files) => files,
        Err(Failure(text, help, ending)) => {
            if !text.is_empty() {
                report::print_plain(text, help, styles.err);
            }
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

/// Where a document goes.
struct Place {
    /// `-` if it is shown.
    path: PathBuf,
    /// The way from here to its folder.
    folder: PathBuf,
    /// The prefix of the names of its outputs.
    name: String,
}

impl Place {
    fn is_shown(&self) -> bool {
        stream::is_standard(&self.path)
    }

    /// That of an option, or by the name of the first shader.
    fn of(output: Option<&Path>, shader: &Path, is_draw: bool) -> Result<Self, Failure> {
        let stem = shader.file_stem().unwrap_or(OsStr::new("shader"));
        let usual = || if is_draw { PathBuf::from(stem) } else { Path::new(stem).with_added_extension("toml") };
        let output = output.map_or_else(usual, Path::to_owned);
        let text = |name: &OsStr| name.to_string_lossy().into_owned();
        if stream::is_standard(&output) {
            return Ok(Self { path: output, folder: PathBuf::new(), name: text(stem) });
        }
        if output.extension() == Some(OsStr::new("toml")) && !output.is_dir() {
            let folder = output.parent().unwrap_or(Path::new("")).to_owned();
            let name = text(output.file_stem().unwrap_or(stem));
            return Ok(Self { path: output, folder, name });
        }
        if output.is_file() {
            let problem = format!("{} is a file that does not end in .toml, as documents do", output.display());
            return Err(Failure::new(problem, "choose such a name, a folder, or `-` for standard output"));
        }
        let name = text(output.file_name().unwrap_or(stem));
        Ok(Self { path: output.join("document.toml"), folder: output, name })
    }
}

/// The files to write, the document last: where it is, all is.
fn drafted(arguments: &Arguments, styles: &Styles) -> Result<Vec<(PathBuf, Vec<u8>)>, Failure> {
    let is_mesh = |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
    let (meshes, named): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.files.iter().partition(is_mesh);
    let shaders = shaders(arguments, &named, styles)?;
    let (Some(first), [] | [_]) = (shaders.first(), &meshes[..]) else {
        let found = format!("{} shaders and {} meshes", named.len(), meshes.len());
        let help = "name one to five shaders, and one mesh at most";
        return Err(Failure::new(format!("there is no document for {found}"), help));
    };
    let stage = match first.wgsl {
        Some(_) => Some(Stage::Compute),
        None => Info::read(&first.container, &FileLimits::default()).ok().map(|info| info.program.stage),
    };
    let is_draw = shaders.len() > 1 || stage.is_some_and(|stage| stage != Stage::Compute);
    let place = Place::of(arguments.output.as_deref(), first.path, is_draw)?;
    let files = shaders.iter().map(|shader| called(shader.path, &place.folder)).collect::<Result<Vec<_>, _>>()?;
    let given: Vec<_> = shaders
        .iter()
        .zip(&files)
        .map(|(shader, file)| DraftShader {
            file,
            container: &shader.container,
            source: shader.source.as_ref(),
            wgsl: shader.wgsl.as_ref(),
        })
        .collect();
    let read = |path| Ok((called(path, &place.folder)?, stream::load(path).map_err(Failure::plain)?));
    let mesh = meshes.first().map(|path| read(path)).transpose()?;
    let draft = Draft {
        shaders: &given,
        mesh: mesh.as_ref().map(|(file, text)| DraftMesh { file, text }),
        document: &place.path.file_name().unwrap_or_default().to_string_lossy(),
        name: &place.name,
    };
    let written = draft.write(&Limits::default()).map_err(|error| refused(&error, &shaders, meshes.first()))?;
    if place.is_shown() {
        return match written.len() {
            1 => Ok(written.into_iter().map(|(_, bytes)| (place.path.clone(), bytes)).collect()),
            _ => {
                let text =
                    format!("the document for {} needs a shader besides, which is made for it", first.path.display());
                Err(Failure::new(text + ": standard output has no place for two files", "name a folder with `-o`"))
            }
        };
    }
    let all: Vec<_> = written.into_iter().map(|(name, bytes)| (place.folder.join(name), bytes)).collect();
    let there = all.iter().rev().find(|(path, _)| path.symlink_metadata().is_ok());
    if let (Some((path, _)), false) = (there, arguments.force) {
        let help = "name another place with `-o`, or replace it with `--force`";
        return Err(Failure::new(format!("{} already exists", path.display()), help));
    }
    if !place.folder.as_os_str().is_empty() && place.path.ends_with("document.toml") {
        let failed = |error| Failure::plain(format!("cannot make the folder {}: {error}", place.folder.display()));
        fs::create_dir_all(&place.folder).map_err(failed)?;
    }
    Ok(all)
}

/// Reads the shaders, and compiles those that are HLSL.
fn shaders<'a>(arguments: &Arguments, named: &[&'a PathBuf], styles: &Styles) -> Result<Vec<Shader<'a>>, Failure> {
    let is_both = named.len() == 1 && Source::is_named_by(named[0]) && arguments.profile.len() > 1;
    let paths = if is_both { [named, named].concat() } else { named.to_vec() };
    let (mut shaders, mut sources, cancel) = (Vec::new(), 0, CancelToken::new());
    for path in paths {
        if stream::is_standard(path) {
            let text = "a document names its shader's file, and standard input has none";
            return Err(Failure::new(text, "save the shader to a file, and name that"));
        }
        let mut compiled = None;
        if Source::is_named_by(path) {
            // Before the first source, an interrupt ends the process.
            if sources == 0 {
                interrupt::cancels(&cancel, &Temporary::default());
            }
            let nth = |all: &[String]| all.get(sources).or(all.last()).cloned().unwrap_or_default();
            let entry = if arguments.entry.is_empty() { USUAL_ENTRY.to_owned() } else { nth(&arguments.entry) };
            let source = Source::new(path.clone(), &nth(&arguments.profile), &entry);
            sources += 1;
            compiled = compile(arguments, &source, &cancel, styles)?.map(|container| (container, source));
        }
        shaders.push(match compiled {
            Some((container, source)) => Shader { path, container, source: Some(source), wgsl: None },
            None => {
                let container = stream::load(path).map_err(Failure::plain)?;
                let wgsl = is_wgsl(path)
                    .then(|| WgslOptions::new(arguments.entry.last().cloned(), arguments.overrides.clone()));
                if let Some(options) = &wgsl {
                    // In the text as it is called here, and not from the document.
                    wgsl_info(path, &container, options).map_err(|problem| Failure::text(problem, styles))?;
                }
                Shader { path, container, source: None, wgsl }
            }
        });
    }
    Ok(shaders)
}

/// Compiles a source as `brolga run` compiles that of a document. `None` if there is no compiler.
fn compile(
    arguments: &Arguments,
    source: &Source,
    cancel: &CancelToken,
    styles: &Styles,
) -> Result<Option<Vec<u8>>, Failure> {
    const NAME: &str = "shader";
    let shader = json!({"file": utf8(&source.path)?, "profile": source.profile, "entry": source.entry});
    let text = json!({"shaders": {NAME: shader}, "steps": []}).to_string();
    let failed = |error: DocumentError| {
        let ending = if cancel.is_cancelled() { Ending::Stopped } else { Ending::BadInput };
        Failure(error.problem().to_string(), error.help(), ending)
    };
    let mut document = Document::parse(PathBuf::new(), &text, Syntax::Json).map_err(failed)?;
    arguments.compiler.compiler(None, styles.err).compile_document(&mut document, cancel).map_err(failed)?;
    Ok(document.compiled(NAME).map(<[u8]>::to_vec))
}

/// The reason why shaders get no document.
fn refused(error: &DraftError, shaders: &[Shader<'_>], mesh: Option<&&PathBuf>) -> Failure {
    let paths = |paths: Vec<&Path>| {
        let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        format!("{}: {error}", names.join(" and "))
    };
    match error {
        DraftError::Shader { shader, error: inner } => {
            let Shader { path, container, .. } = &shaders[*shader];
            let help = match inner {
                Error::File(error) => advice(error, path, container),
                _ => None,
            };
            Failure(paths(vec![path]), help, Ending::BadInput)
        }
        DraftError::Mesh(_) => Failure::plain(paths(mesh.iter().map(|path| path.as_path()).collect())),
        _ => Failure::plain(paths(shaders.iter().map(|shader| shader.path).collect())),
    }
}

/// A path as it is called from a document's folder, which need not be there yet.
fn called(path: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let called = match path.is_absolute() || folder.as_os_str().is_empty() {
        true => path.to_owned(),
        false => way(folder, path).unwrap_or_else(|| path.to_owned()),
    };
    utf8(&called)?;
    Ok(called)
}

/// A path as a document has it.
fn utf8(path: &Path) -> Result<&str, Failure> {
    path.to_str().ok_or_else(|| {
        let text = format!("a document cannot name {}, which is not UTF-8", path.display());
        Failure::new(text, "give the file, or its folder, another name")
    })
}

/// The way from a folder to a file. Where links lead counts: `..` behind one is not the way back.
fn way(folder: &Path, file: &Path) -> Option<PathBuf> {
    let file = absolute(file).ok()?;
    let folder = absolute(folder).ok()?;
    let there =
        folder.ancestors().find_map(|part| Some((part.canonicalize().ok()?, folder.strip_prefix(part).ok()?)))?;
    let from = there.0.join(there.1);
    let to = file.parent()?.canonicalize().ok()?.join(file.file_name()?);
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    Some(up.chain(to.components().skip(shared)).collect())
}
