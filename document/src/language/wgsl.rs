//! Shaders in WGSL: which files are, how a document names what is read from them, and what is known of a shader that
//! was read. Reading them is `brolga-wgsl`'s, with the feature `wgsl`.

use std::path::Path;

use brolga_bytecode::container::ResourceDefinitions;
use brolga_bytecode::info::Info;
use brolga_runtime::{Format, Module, Register};

#[cfg(not(feature = "wgsl"))]
use crate::error::Problem;
use crate::model::number::NumberType;

/// What to read from a text in WGSL.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct WgslOptions {
    /// The entry point; by default the only one.
    pub entry: Option<String>,
    /// Values of overrides, by name or by number.
    pub overrides: Vec<(String, f64)>,
}

impl WgslOptions {
    /// These options.
    pub fn new(entry: Option<String>, overrides: Vec<(String, f64)>) -> Self {
        Self { entry, overrides }
    }
}

/// `true` if a file is WGSL by its name.
pub fn is_wgsl(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("wgsl"))
}

/// A shader that was read from a text, and what the text says of it.
#[derive(Clone, Debug)]
pub(crate) struct TextShader {
    pub module: Module,
    /// The names and types of resources, as files have them.
    pub names: ResourceDefinitions,
    /// What is said of each resource.
    pub resources: Vec<TextResource>,
    /// What drafts and summaries say.
    pub info: Info,
    pub entry: String,
    pub overrides: Vec<TextOverride>,
    pub outline: Outline,
}

/// A resource of a text.
#[derive(Clone, Debug)]
pub(crate) struct TextResource {
    pub register: Register,
    /// The format of texels, if it is given.
    pub format: Option<Format>,
    /// The type of all numbers of a buffer, if they have one.
    pub numbers: Option<NumberType>,
    /// Bytes of a buffer before its elements, if the number of these is open, and of one of them.
    pub bytes: [u32; 2],
}

/// An override of a text.
#[derive(Clone, Debug)]
pub(crate) struct TextOverride {
    pub key: String,
    /// Its name and type.
    pub title: String,
    /// Its value as a document says it.
    pub value: Option<String>,
    /// Set if that follows from others.
    pub is_computed: bool,
}

/// What is known of the instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outline {
    /// About how many instructions a thread does, if a loop goes round eight times.
    pub cost: u64,
    pub has_loops: bool,
    /// Set if results may depend on which thread comes first.
    pub is_racing: bool,
}

impl TextShader {
    /// What is said of the resource at a register.
    pub fn resource(&self, register: Register) -> Option<&TextResource> {
        self.resources.iter().find(|resource| resource.register == register)
    }
}

/// That there is no reader.
#[cfg(not(feature = "wgsl"))]
pub(crate) fn problems(path: &Path, bytes: &[u8], options: &WgslOptions) -> Vec<Problem> {
    read(path, bytes, options).err().into_iter().collect()
}

/// Refuses to read a shader.
#[cfg(not(feature = "wgsl"))]
pub(crate) fn read(path: &Path, _: &[u8], _: &WgslOptions) -> Result<TextShader, Problem> {
    let message = format!(
        "{} is WGSL, and this program was built without Brolga's feature `wgsl`",
        brolga_files::short_path(path)
    );
    Err(Problem::value(message))
}
