//! Calls vkd3d-compiler by name: its arguments for a profile, and the versions of it that can compile HLSL.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use brolga::CancelToken;
use brolga::document::{Source, SourceError};

use super::child::{self, Call, no_option};
use super::defines::{self, Define};
use super::{program, short};

/// The name of its program.
const PROGRAM: &str = program::VKD3D.1;
/// The first version that is known to compile compute shaders. 1.2, which Debian 12 has, reads no HLSL at all.
const FIRST: (u32, u32) = (2, 1);
/// The text before the version in the output of `--version`.
const TITLE: &str = "vkd3d shader compiler version ";
/// The time limit for printing its version.
const LONGEST: Duration = Duration::from_secs(30);

/// `true` if a word of a command line is a path of the program, on any system.
pub(super) fn is_program(word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or(word);
    file.strip_suffix(".exe").unwrap_or(file) == PROGRAM
}

/// The path of the program.
pub(super) struct Vkd3d {
    path: PathBuf,
}

impl Vkd3d {
    /// The program that a word names: `vkd3d`, its own name, or its path.
    pub fn named(word: &str) -> Result<Self, String> {
        if word == program::VKD3D.0 || word.strip_suffix(".exe").unwrap_or(word) == PROGRAM {
            return program::find(PROGRAM).map(|path| Self { path }).ok_or_else(|| {
                format!(
                    "`{PROGRAM}` is not on the PATH: install version {} or later, or name it with its folder, as in \
                     `--compiler /opt/bin/{PROGRAM}`; docs/compile.md says how",
                    written(FIRST)
                )
            });
        }
        // It runs in the source's folder.
        let path = std::path::absolute(word).map_err(|error| format!("`{word}` cannot be found: {error}"))?;
        Ok(Self { path })
    }

    /// Asks the program for its version, and rejects those that cannot compile HLSL.
    pub fn check(&self, folder: &Path, longest: Duration, cancel: &CancelToken) -> Result<(), SourceError> {
        let call = Call { words: vec![self.path.clone().into(), "--version".into()], within: None };
        let said = child::run(call, folder, longest.min(LONGEST), cancel)?.said;
        let (path, first) = (self.path.display(), written(FIRST));
        match version(&said) {
            Some(found) if found >= FIRST => Ok(()),
            Some(found) => Err(format!(
                "`{path}` is version {}, and {first} is the first that compiles HLSL for Brolga: install a newer one, name one \
                 with its folder, as in `--compiler /opt/bin/{PROGRAM}`, or compile with fxc; docs/compile.md says how",
                written(found)
            )
            .into()),
            None => {
                let printed = match said.lines().map(str::trim).find(|line| !line.is_empty()) {
                    Some(line) => format!("`{}`", short(line)),
                    None => "nothing".to_owned(),
                };
                Err(format!(
                    "`{path} --version` printed {printed} instead of `{TITLE}{first}` or later: it is not {PROGRAM}, or \
                     does not work"
                )
                .into())
            }
        }
    }

    /// The call that compiles a source. Files for it are written into `folder`.
    pub fn compiles(
        &self,
        source: &Source,
        defines: &[Define],
        output: &Path,
        folder: &Path,
    ) -> Result<Call, SourceError> {
        let Source { profile, entry, .. } = source;
        let options = ["-x", "hlsl", "-b", target(profile)?, "-p", profile, "-e", entry];
        self.call(&options, source, defines, output, folder)
    }

    /// The call that makes the text that the compiler counts lines and columns in.
    pub fn preprocesses(
        &self,
        source: &Source,
        defines: &[Define],
        output: &Path,
        folder: &Path,
    ) -> Result<Call, SourceError> {
        self.call(&["-x", "hlsl", "-E"], source, defines, output, folder)
    }

    /// A call of the program in the source's folder, because it looks for included files in the current one.
    fn call(
        &self,
        options: &[&str],
        source: &Source,
        defines: &[Define],
        output: &Path,
        folder: &Path,
    ) -> Result<Call, SourceError> {
        let mut words: Vec<OsString> = vec![self.path.clone().into()];
        words.extend(options.iter().map(OsString::from));
        words.extend(["-o".into(), output.into(), input(source, defines, folder)?]);
        let within = source.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Ok(Call { words, within: within.map(Path::to_owned) })
    }
}

/// The format of a profile's bytecode.
fn target(profile: &str) -> Result<&'static str, SourceError> {
    let model = profile.split('_').nth(1).and_then(|model| model.parse::<u32>().ok());
    match model {
        Some(1..=3) => Ok("d3dbc"),
        Some(6..) => Err(format!(
            "{} is a profile of shader model 6 or later, which neither {PROGRAM} nor Brolga has: the last is 5.1, as in cs_5_1",
            short(profile)
        )
        .into()),
        // The program reports invalid profiles.
        _ => Ok("dxbc-tpf"),
    }
}

/// The file that the program reads, seen from the source's folder. It has no option that defines macros, so they are
/// written into a file that includes the source.
fn input(source: &Source, defines: &[Define], folder: &Path) -> Result<OsString, SourceError> {
    let name = source.path.file_name().unwrap_or(source.path.as_os_str());
    if defines.is_empty() {
        return Ok(no_option(Path::new(name)).into_os_string());
    }
    let Some(name) = name.to_str().filter(|name| !name.contains(['"', '\n', '\r'])) else {
        return Err(format!("{PROGRAM} cannot include a file of this name, as its macros need: rename it").into());
    };
    let mut text = String::new();
    for (name, value) in defines::checked(defines)? {
        text.push_str(&format!("#define {name} {value}\n"));
    }
    text.push_str(&format!("#include \"{name}\"\n"));
    let path = folder.join("defined.hlsl");
    fs::write(&path, text).map_err(|error| format!("the macros cannot be stored: {error}"))?;
    Ok(path.into_os_string())
}

/// The version in the output of `--version`: `vkd3d shader compiler version 1.2 using vkd3d-shader 1.2 (Debian
/// 1.2-15)`.
fn version(said: &str) -> Option<(u32, u32)> {
    let number = said.lines().find_map(|line| line.trim().strip_prefix(TITLE))?.split_whitespace().next()?;
    let mut parts = number.split('.');
    // Suffixes of a release's number, as in 2.1-rc1, do not count.
    let digits =
        |part: &str| part.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|part| part.parse().ok());
    Some((digits(parts.next()?)?, parts.next().map_or(Some(0), digits)?))
}

fn written((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_not_decimals() {
        let found = |number: &str| version(&format!("{TITLE}{number} using vkd3d-shader 1.2 (Debian 1.2-15)\n"));
        assert_eq!(found("1.2"), Some((1, 2)));
        assert!(found("2.10") > found("2.9") && found("2.10") >= Some(FIRST) && found("2.0") < Some(FIRST));
        assert_eq!((found("2.1-rc1"), found("3"), found("2.1.4")), (Some((2, 1)), Some((3, 0)), Some((2, 1))));
        assert_eq!(version(&format!("vkd3d:7:fixme: x\n{TITLE}2.1\n")), Some((2, 1)));
        for said in ["", "2.1", "fxc 10.1", TITLE, &format!("{TITLE}new"), &format!("{TITLE}99999999999.1")] {
            assert_eq!(version(said), None, "{said}");
        }
    }

    #[test]
    fn profiles_lead_to_formats() {
        for profile in ["vs_1_1", "vs_2_0", "vs_2_a", "vs_3_0", "ps_1_4", "ps_2_b", "ps_2_sw", "ps_3_0"] {
            assert_eq!(target(profile).unwrap(), "d3dbc", "{profile}");
        }
        for profile in ["cs_4_0", "cs_5_0", "cs_5_1", "vs_4_1", "ps_4_0_level_9_1", "nonsense", ""] {
            assert_eq!(target(profile).unwrap(), "dxbc-tpf", "{profile}");
        }
        for profile in ["cs_6_0", "ps_6_7", "lib_6_3", "cs_10_0"] {
            assert!(target(profile).unwrap_err().to_string().contains("5.1"), "{profile}");
        }
    }

    /// Version 2.1 has no option for them.
    #[test]
    fn macros_are_written_into_a_file_that_includes_the_source() {
        let folder = tempfile::tempdir().unwrap();
        let vkd3d = Vkd3d { path: "/v/vkd3d-compiler".into() };
        let source = Source::new("sub/a b.hlsl".into(), "cs_5_0", "main");
        let defines = [("SIZE".to_owned(), Some("8 * 8".to_owned())), ("FAST".to_owned(), None)];
        let call = vkd3d.compiles(&source, &defines, Path::new("/o"), folder.path()).unwrap();
        let file = folder.path().join("defined.hlsl");
        assert_eq!((call.words.last(), call.within), (Some(&file.clone().into_os_string()), Some("sub".into())));
        assert_eq!(fs::read_to_string(file).unwrap(), "#define SIZE 8 * 8\n#define FAST 1\n#include \"a b.hlsl\"\n");
        let call = vkd3d.preprocesses(&source, &[], Path::new("/o"), folder.path()).unwrap();
        assert_eq!(call.words, ["/v/vkd3d-compiler", "-x", "hlsl", "-E", "-o", "/o", "a b.hlsl"]);
        let quoted = Source::new("a\"b.hlsl".into(), "cs_5_0", "main");
        assert!(vkd3d.compiles(&quoted, &defines, Path::new("/o"), folder.path()).is_err());
        assert!(vkd3d.compiles(&quoted, &[], Path::new("/o"), folder.path()).is_ok());
    }

    #[test]
    fn the_program_is_known_by_the_name_of_its_file() {
        for (word, expected) in [
            ("vkd3d-compiler", true),
            ("/a b/vkd3d-compiler", true),
            ("C:\\a b\\vkd3d-compiler.exe", true),
            ("vkd3d", false),
            ("vkd3d-compiler2", false),
            ("vkd3d-compiler/fxc", false),
            ("", false),
        ] {
            assert_eq!(is_program(word), expected, "{word}");
        }
    }
}
