//! Advises on files that are not shaders, or are broken ones.

use std::path::Path;

use brolga_bytecode::container::{Container, ContainerError};
use brolga_bytecode::sm5::{Model, Stage};
use brolga_bytecode::{Error, Limits, sm3};

use super::language_help;

/// Advice on an error in reading a shader. The path's extension may indicate the file's type.
pub fn advice(error: &Error, path: &Path, bytes: &[u8]) -> Option<String> {
    let text = match error {
        Error::Container(ContainerError::Magic { .. }) => return Some(of_foreign(path, bytes).into()),
        Error::Container(ContainerError::NoProgram { .. }) => {
            let container = Container::parse(bytes, &Limits::default()).ok()?;
            let has = |name| container.chunk(name).is_some();
            match () {
                () if has(b"DXIL") => "this is a shader of model 6 (DXIL), which is not supported",
                () if has(b"FX10") => EFFECT,
                () => return None,
            }
        }
        Error::Container(ContainerError::Empty { .. } | ContainerError::Direct3D9 { .. }) => return None,
        Error::Container(ContainerError::Checksum { .. }) => return None,
        Error::Decode(_) => "the file is damaged; `brolga dis --exact` lists as data what cannot be decoded",
        Error::Validate(_) | Error::Validate9(_) => return error.help(),
        _ => "the file is damaged or truncated",
    };
    Some(text.to_owned())
}

const EFFECT: &str =
    "this is an effect (fx): compile each of its shaders separately, for example with `fxc /T ps_5_0 /E NAME`";

/// Advice on a file that does not resemble a shader at all.
fn of_foreign(path: &Path, bytes: &[u8]) -> &'static str {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    let text = text.map(|text| text.trim_start_matches('\u{feff}'));
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match (text, bytes) {
        (Some(text), _) if is_listing(text) => "this is a listing: `brolga asm` makes a shader of it",
        (Some(_), _) if matches!(ending.as_deref(), Some("toml" | "json")) => "a document is run by `brolga run`",
        _ if let Some(help) = language_help(path, bytes) => help,
        (Some(_), _) => "this is text, and shaders are binary files, as fxc writes them",
        // Version tokens of effects: fx_2_0, fx_4_0, fx_4_1, fx_5_0.
        (None, [_, _, 0xff, 0xfe, ..]) => EFFECT,
        (None, [b'M', b'Z', ..] | [0x7f, b'E', b'L', b'F', ..]) => {
            "this is a program; its shaders must be extracted from it first"
        }
        (None, _) => {
            "shaders begin with the letters DXBC (models 4.0 to 5.1), or, like ps_3_0 of Direct3D 9, with the bytes 00 03 ff ff"
        }
    }
}

/// `true` if a text is a listing: it has a line with a profile, or the first directive of an exact one.
pub fn is_listing(text: &str) -> bool {
    text.lines().any(begins_listing)
}

/// `true` if a listing begins with this line: a profile, or the first directive of an exact listing.
fn begins_listing(line: &str) -> bool {
    // It may be preceded by its position in the program: a number, or an offset such as 0x0000001C.
    let (position, line) = line.rsplit_once(':').unwrap_or(("", line));
    if position.chars().any(|letter| !letter.is_ascii_hexdigit() && !matches!(letter, 'x' | ' ')) {
        return false;
    }
    let line = line.trim();
    if matches!(line, ".dxbc" | ".file") || sm3::Version::ALL.iter().any(|version| version.text() == line) {
        return true;
    }
    let Some((stage, model)) = line.split_once('_') else { return false };
    Stage::ALL.iter().any(|known| known.text() == stage) && Model::ALL.iter().any(|known| known.text() == model)
}
