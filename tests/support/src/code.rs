//! Hashes the machine code of the repository's shaders: a change of structure that keeps all hashes changed nothing
//! else.
//!
//! The code is read from a disk cache, where `brolga run` leaves all that a document needs: with the state around
//! its shaders, for the formats that are bound, in every variant. `scripts/code.sh` does all of it.

use std::error::Error;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

use brolga_runtime::pipeline::state::{
    Advance, Blend, BlendOp, Comparison, DepthFormat, DepthTest, Equation, Factor, PixelState, Range, StageState,
    Target, VertexElement, VertexState,
};
use brolga_runtime::{Cache, CompileOptions, Device, Engine, Format};

use crate::corpus;

/// More than all shaders take.
const CAP_BYTES: u64 = 1 << 32;

/// Bytes of an entry before the length of its name: a hash, which depends on the sources, and a mark.
const BEFORE_NAME: usize = 40;

/// Compiles every shader of the repository into a cache, without a state and with one; gives those that do not compile.
///
/// # Errors
/// If there can be no such cache, or no device.
///
/// # Panics
/// If a shader cannot be read.
pub fn compile_all(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let cache = Cache::with_cap(folder, CAP_BYTES)?;
    let device = Device::builder().threads(1).cache(cache).build()?;
    let mut refused = Vec::new();
    for path in corpus::everywhere() {
        let bytes = fs::read(&path).expect("a file of the repository");
        let name = path.strip_prefix(corpus::data()).unwrap_or(&path).display().to_string();
        let plain = CompileOptions::new(Engine::Jit).named(&name);
        let stage = match device.compile(&bytes, &plain) {
            Ok(shader) => shader.stage().name(),
            Err(error) => {
                refused.push(format!("{name}: {error}"));
                continue;
            }
        };
        let states = match stage {
            "vertex" => vec![vertex_state()],
            "pixel" => pixel_states(),
            _ => Vec::new(),
        };
        for state in states {
            if let Err(error) = device.compile(&bytes, &plain.clone().state(state)) {
                refused.push(format!("{name}: {error}"));
            }
        }
    }
    Ok(refused)
}

/// Eight registers from one buffer.
fn vertex_state() -> StageState {
    let format = Format::R32G32B32A32_FLOAT.vertex_format().expect("whole words");
    let element = |row| VertexElement {
        row,
        slot: 0,
        offset: 16 * row,
        format,
        is_scaled: false,
        size_bytes: 16,
        advance: Advance::Vertex,
    };
    StageState::Vertex(VertexState { elements: (0..8).map(element).collect() })
}

/// One target; a blended one, and a depth test after the shader.
fn pixel_states() -> Vec<StageState> {
    let over = Equation { source: Factor::SourceAlpha, destination: Factor::InverseSourceAlpha, op: BlendOp::Add };
    let plain = Target { output: 0, range: Range::Unorm, blend: None, logic: None, write_mask: 15 };
    let blended = Target { blend: Some(Blend { color: over, alpha: over }), ..plain };
    let depth = DepthTest { format: DepthFormat::D24, test: Comparison::Less, writes: true, stencil: None };
    let state = PixelState { vertex_rows: 16, targets: vec![plain], ..PixelState::default() };
    let tested = PixelState { targets: vec![blended], depth: Some(depth), reports_live: true, ..state.clone() };
    [state, tested].map(StageState::Pixel).into()
}

/// A line for each code in a cache, in order: a hash of it, and the name that it was stored under.
///
/// # Errors
/// If the folder cannot be read.
pub fn hashes(folder: &Path) -> io::Result<Vec<String>> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file()
            && let Some((name, code)) = parts(&fs::read(&path)?)
        {
            let mut hasher = DefaultHasher::new();
            code.hash(&mut hasher);
            lines.push(format!("{:016x} {:7} {name}", hasher.finish(), code.len()));
        }
    }
    lines.sort();
    Ok(lines)
}

/// The name and the machine code of an entry, if it has code. The content ends with the stored data of the code, which
/// ends with the code itself; a length precedes either.
fn parts(entry: &[u8]) -> Option<(String, &[u8])> {
    let (length, rest) = entry.get(BEFORE_NAME..)?.split_first_chunk()?;
    let (name, content) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
    let code = last_field(last_field(content)?)?;
    Some((String::from_utf8_lossy(name).into_owned(), code))
}

/// The longest field that a length precedes and the end follows.
fn last_field(bytes: &[u8]) -> Option<&[u8]> {
    (0..bytes.len()).find_map(|at| {
        let (length, rest) = length(&bytes[at..])?;
        (length == rest.len() && length > 0).then_some(rest)
    })
}

/// A number of seven bits a byte, the lowest first, and the bytes after it.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let last = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let number = bytes[..=last].iter().rev().fold(0, |number, byte| number << 7 | usize::from(byte & 0x7f));
    Some((number, &bytes[last + 1..]))
}
