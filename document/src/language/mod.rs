//! Recognises shaders in source languages and other texts that are not bytecode, by file name or content, so that
//! messages can give advice. A front end, which makes modules from a language, is a `Program`
//! (`runtime/src/shader/module/`).
//!
//! | file | what |
//! |---|---|
//! | `advice.rs` | advice on files that are not shaders |
//! | `source.rs` | shaders in HLSL, which a compiler of the caller's compiles |
//! | `wgsl.rs` | shaders in WGSL, as documents name them |
//! | `wgsl_text.rs` | reads these |

mod advice;
mod source;
mod wgsl;
#[cfg(feature = "wgsl")]
mod wgsl_text;

use std::path::Path;

use brolga_bytecode::info::Info;
use brolga_bytecode::sm3;

use crate::error::Problem;

pub use advice::{advice, is_listing};
pub use source::{Source, USUAL_ENTRY, USUAL_PROFILE};
pub(crate) use wgsl::{Outline, TextOverride, TextResource, TextShader};
pub use wgsl::{WgslOptions, is_wgsl};
#[cfg(not(feature = "wgsl"))]
pub(crate) use wgsl::{problems, read};
#[cfg(feature = "wgsl")]
pub(crate) use wgsl_text::{problems, read};

/// The summary of a shader in WGSL, as of bytecode. Programs have no words.
///
/// # Errors
/// If it cannot be read.
pub fn wgsl_info(path: &Path, bytes: &[u8], options: &WgslOptions) -> Result<Info, Problem> {
    read(path, bytes, options).map(|shader| shader.info)
}

/// What is wrong with a shader in WGSL: for all its entry points, if the options name none.
pub fn wgsl_problems(path: &Path, bytes: &[u8], options: &WgslOptions) -> Vec<Problem> {
    problems(path, bytes, options)
}

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// Direct3D's.
    Hlsl,
    /// OpenGL's and Vulkan's.
    Glsl,
    /// WebGPU's.
    Wgsl,
    /// Apple's.
    Metal,
    /// The text of SPIR-V.
    SpirV,
}

/// The languages, with their file extensions and with words that rarely appear in any other. HLSL comes last, because
/// the others share some of its words.
const LANGUAGES: [(Language, &[&str], &[&str]); 5] = [
    (
        Language::Glsl,
        &["glsl", "vert", "frag", "comp", "geom", "tesc", "tese"],
        &["#version ", "gl_Position", "gl_GlobalInvocationID", "gl_FragC", "layout(", "layout ("],
    ),
    (
        Language::Wgsl,
        &["wgsl"],
        &["@compute", "@vertex", "@fragment", "@workgroup_size", "@group(", "var<storage", "var<uniform"],
    ),
    (
        Language::Metal,
        &["metal", "msl"],
        &[
            "<metal_stdlib>",
            "namespace metal",
            "[[buffer(",
            "[[stage_in",
            "[[position",
            "[[thread_position",
            "[[kernel",
        ],
    ),
    (Language::SpirV, &["spvasm"], &["OpCapability ", "OpEntryPoint "]),
    (Language::Hlsl, &[], &["[numthreads", "SV_", "cbuffer ", "float4 ", "StructuredBuffer<", "register("]),
];

impl Language {
    /// The language of a text, which may be in a file with this name; `None` if it is not recognised. Comment lines do
    /// not count: listings have HLSL there.
    pub fn of(path: Option<&Path>, text: &str) -> Option<Self> {
        if path.is_some_and(Source::is_named_by) {
            return Some(Language::Hlsl);
        }
        let end = path.and_then(|path| path.extension()).and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
        let is_named = |ends: &[&str]| end.as_deref().is_some_and(|end| ends.contains(&end));
        let is_told = |words: &[&str]| {
            let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            lines.any(|line| words.iter().any(|word| line.contains(word)))
        };
        let named = LANGUAGES.iter().find(|(_, ends, _)| is_named(ends));
        let told = || LANGUAGES.iter().find(|(.., words)| is_told(words));
        named.or_else(told).map(|(language, ..)| *language)
    }

    /// Advice on such a text.
    pub fn help(self) -> &'static str {
        match self {
            Language::Hlsl => {
                "this is HLSL: compile it first, for example with `fxc /T cs_5_0 /E main /Fo x.cso`, or let `--compiler` do it \
                 if its name ends in .hlsl: docs/compile.md says how"
            }
            Language::Glsl => {
                "this is GLSL: `glslangValidator -V` makes SPIR-V of it, `spirv-cross --hlsl --shader-model 50` HLSL of that, \
                 and a compiler such as fxc a shader: docs/compile.md says how"
            }
            Language::Wgsl => "this is WGSL: give the file a name that ends in .wgsl (docs/wgsl.md)",
            Language::Metal => {
                "this is the Metal shading language, which nothing makes HLSL of: begin with what it was made of, GLSL, WGSL, \
                 SPIR-V or HLSL (docs/compile.md)"
            }
            Language::SpirV => {
                "this is the text of SPIR-V: `spirv-as` makes SPIR-V of it, `spirv-cross --hlsl --shader-model 50` HLSL of \
                 that, and a compiler such as fxc a shader: docs/compile.md says how"
            }
        }
    }
}

const SPIRV: &str = "this is SPIR-V: `spirv-cross --hlsl --shader-model 50` makes HLSL of it, and a compiler such as fxc a shader of \
     that: docs/compile.md says how";

/// Advice on a file whose bytes are a shader in another language.
fn language_help(path: &Path, bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'D', b'X', b'B', b'C', ..] => None,
        [0x03, 0x02, 0x23, 0x07, ..] | [0x07, 0x23, 0x02, 0x03, ..] => Some(SPIRV),
        _ if sm3::is_program(bytes) => None,
        _ => {
            let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
            Language::of(Some(path), text).map(Language::help)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_what_stands_in_them() {
        for (text, expected) in [
            ("[numthreads(8, 8, 1)]\nvoid main(uint3 id : SV_DispatchThreadID) {}", Some(Language::Hlsl)),
            ("#version 450\nlayout(local_size_x = 64) in;\nvoid main() { vec4 a; }", Some(Language::Glsl)),
            ("void main() { gl_Position = vec4(0.0); }", Some(Language::Glsl)),
            (
                "@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3u) {}",
                Some(Language::Wgsl),
            ),
            ("@group(0) @binding(0) var<storage, read_write> data: array<f32>;", Some(Language::Wgsl)),
            ("#include <metal_stdlib>\nusing namespace metal;\nfragment float4 main0() {}", Some(Language::Metal)),
            ("kernel void add(device float4 *a [[buffer(0)]]) {}", Some(Language::Metal)),
            ("; SPIR-V\nOpCapability Shader\nOpMemoryModel Logical GLSL450", Some(Language::SpirV)),
            ("cs_5_0\ndcl_thread_group 1, 1, 1\nret", None),
            ("hello", None),
            // A listing whose profile does not exist.
            ("// cbuffer $Globals\n//   float4 tint; // Offset: 0\n// SV_Target 0\nps_6_9\nret", None),
        ] {
            assert_eq!(Language::of(None, text), expected, "{text}");
        }
        for (name, expected) in [
            ("a.FX", Language::Hlsl),
            ("mesh.vert", Language::Glsl),
            ("a.wgsl", Language::Wgsl),
            ("a.metal", Language::Metal),
            ("a.spvasm", Language::SpirV),
        ] {
            assert_eq!(Language::of(Some(Path::new(name)), "x"), Some(expected));
        }
    }
}
