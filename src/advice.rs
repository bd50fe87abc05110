//! What to do about a file that is not a shader, or a broken one.

use std::path::Path;

use brolga::bytecode::container::{Container, ContainerError};
use brolga::bytecode::sm5::{Model, Stage};
use brolga::bytecode::{Error, Limits, sm3};
use brolga::job::Source;

/// What to do about an error in reading a shader. The path's extension may tell what the file is.
pub(super) fn advice(error: &Error, path: &Path, bytes: &[u8]) -> Option<String> {
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

const IS_HLSL: &str = "this is HLSL: compile it first, for example with `fxc /T cs_5_0 /E main /Fo x.cso`, \
    or let `--compiler` do it if its name ends in .hlsl: docs/compile.md says how";

/// What to do about a file that is nothing like a shader.
fn of_foreign(path: &Path, bytes: &[u8]) -> &'static str {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.contains('\0')
    {
        return of_text(path, text.trim_start_matches('\u{feff}'));
    }
    match bytes {
        // Version tokens of effects: fx_2_0, fx_4_0, fx_4_1, fx_5_0.
        [_, _, 0xff, 0xfe, ..] => EFFECT,
        [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => "this is SPIR-V, which is not supported",
        [b'M', b'Z', ..] | [0x7f, b'E', b'L', b'F', ..] => {
            "this is a program; its shaders must be extracted from it first"
        }
        _ => {
            "shaders begin with the letters DXBC (models 4.0 to 5.1), or, like ps_3_0 of Direct3D 9, with the bytes 00 03 ff ff"
        }
    }
}

fn of_text(path: &Path, text: &str) -> &'static str {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let ending = ending.as_deref().unwrap_or("");
    let is_hlsl = Source::is_named_by(path) || HLSL.iter().any(|word| text.contains(word));
    match () {
        () if text.lines().any(begins_listing) => "this is a listing: `brolga asm` makes a shader of it",
        () if matches!(ending, "toml" | "json") => "a job is run by `brolga run`",
        () if is_hlsl => IS_HLSL,
        () => "this is text, and shaders are binary files, as fxc writes them",
    }
}

/// What stands in HLSL and hardly ever elsewhere.
const HLSL: [&str; 6] = ["[numthreads", "SV_", "cbuffer ", "float4 ", "StructuredBuffer<", "register("];

/// Whether a listing begins with this line: a profile, or the first directive of an exact listing.
fn begins_listing(line: &str) -> bool {
    let line = line.trim();
    if matches!(line, ".dxbc" | ".file") || sm3::Version::ALL.iter().any(|version| version.text() == line) {
        return true;
    }
    let Some((stage, model)) = line.split_once('_') else { return false };
    Stage::ALL.iter().any(|known| known.text() == stage) && Model::ALL.iter().any(|known| known.text() == model)
}
