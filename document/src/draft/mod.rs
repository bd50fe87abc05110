//! First documents for shaders: they run as they are, and say what there is to fill in.
//!
//! | file | what |
//! |---|---|
//! | `dispatch.rs` | the document of a compute shader, in the short form |
//! | `drawing.rs` | that of the shaders of a draw |
//! | `companion/` | a shader of another stage for one that has none |
//! | `part.rs` | a shader, with what is known of it |
//! | `page.rs` | the text as it grows |
//! | `registers.rs` | what registers are bound to |
//! | `constants.rs` | the lines about a constant buffer |
//! | `first_values.rs` | what it holds |
//! | `camera.rs` | matrices and places by which what is drawn is seen |
//! | `uses.rs` | what instructions do with constants |
//! | `type_name.rs` | the types of variables |

mod camera;
mod companion;
mod constants;
mod dispatch;
mod drawing;
mod first_values;
mod page;
mod part;
mod registers;
mod type_name;
mod uses;

use std::path::Path;

use brolga_bytecode::sm5::Stage;
use brolga_files::FileProblem;
use brolga_raster::error::DrawError;
use brolga_runtime::{Device, Error, InputPrimitive, Limits, Register};

use crate::error::Problem;
use crate::language::{Source, WgslOptions, read};
use part::{DRAWN, Part};

/// A draft: the shaders and the mesh that a document is written for.
#[derive(Clone, Copy, Debug)]
pub struct Draft<'a> {
    /// A compute shader; or shaders of a draw, in any order.
    pub shaders: &'a [DraftShader<'a>],
    /// The mesh that is drawn; a rectangle by default.
    pub mesh: Option<DraftMesh<'a>>,
    /// The name of the document's file.
    pub document: &'a str,
    /// The prefix of the names of files that the document saves.
    pub name: &'a str,
}

/// A shader of a draft.
#[derive(Clone, Copy, Debug)]
pub struct DraftShader<'a> {
    /// Its file as the document shall name it.
    pub file: &'a Path,
    /// The compiled shader, or the text of one in WGSL.
    pub container: &'a [u8],
    /// Its source, profile and entry point, if that file is HLSL.
    pub source: Option<&'a Source>,
    /// What to read from it, if it is WGSL.
    pub wgsl: Option<&'a WgslOptions>,
}

/// A mesh of a draft.
#[derive(Clone, Copy, Debug)]
pub struct DraftMesh<'a> {
    /// Its file as the document shall name it.
    pub file: &'a Path,
    /// The text of the file, an .obj.
    pub text: &'a [u8],
}

/// Why there is no document for shaders.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// A shader cannot run.
    #[error("{error}")]
    Shader {
        /// Which of them, counted from 0.
        shader: usize,
        /// Why.
        error: Error,
    },
    /// A shader in WGSL cannot be read.
    #[error("{problem}")]
    Text {
        /// Why.
        problem: Box<Problem>,
    },
    /// Shaders that nothing runs together.
    #[error(
        "a document is drafted for a compute shader, or for shaders of a draw, of each stage at most one, and not for {0}"
    )]
    Stages(String),
    /// A shader that others than pixel shaders come after.
    #[error("no position is written before the pixel shader, so nothing can be drawn without another shader")]
    NoPosition,
    /// A shader of another stage cannot be made.
    #[error("a shader of another stage cannot be made for it: {0}")]
    Companion(String),
    /// Two shaders do not fit each other.
    #[error("the shaders do not fit each other: {0}")]
    Fit(DrawError),
    /// Two shaders have different things at a register.
    #[error(
        "the shaders cannot be drawn with together: {register} is a {} of the {} shader, but a {} of the {} shader",
        kinds[0], stages[0], kinds[1], stages[1]
    )]
    Register {
        /// The register.
        register: Register,
        /// The stages of both shaders.
        stages: [&'static str; 2],
        /// Its kind in each.
        kinds: [String; 2],
    },
    /// A mesh of triangles for a shader that takes other primitives.
    #[error("the {stage} shader takes {primitive:#}, and a mesh has triangles")]
    Primitive {
        /// The stage of the shader.
        stage: &'static str,
        /// Its primitives.
        primitive: InputPrimitive,
    },
    /// The mesh cannot be read.
    #[error("the mesh cannot be drawn: {0}")]
    Mesh(FileProblem),
}

impl Draft<'_> {
    /// The files of the draft by their names, the document last. Before it comes the shader that a draw needs besides,
    /// if there is one.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use brolga_bytecode::assembler::assemble;
    /// use brolga_document::{Document, Draft, DraftShader, Syntax};
    ///
    /// let text = "cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 64, 1, 1\nret\n";
    /// let container = assemble(text, &Default::default()).unwrap().bytes;
    /// let shader = DraftShader { file: Path::new("x.cso"), container: &container, source: None, wgsl: None };
    /// let draft = Draft { shaders: &[shader], mesh: None, document: "x.toml", name: "x" };
    /// let files = draft.write(&Default::default()).unwrap();
    /// let [(name, text)] = files.as_slice() else { panic!() };
    /// let document = Document::parse(name.into(), str::from_utf8(text).unwrap(), Syntax::Toml).unwrap();
    /// assert_eq!(document.groups(), Some([16, 1, 1]));
    /// ```
    ///
    /// # Errors
    /// If a shader cannot run, or the shaders and the mesh are not what one dispatch or one draw takes.
    pub fn write(&self, limits: &Limits) -> Result<Vec<(String, Vec<u8>)>, DraftError> {
        let failed = |shader| move |error| DraftError::Shader { shader, error };
        let device = Device::builder().limits(limits.clone()).threads(1).build().map_err(failed(0))?;
        let part = |(n, shader): (usize, &DraftShader<'_>)| match shader.wgsl {
            Some(options) => {
                let text = read(shader.file, shader.container, options);
                let text = text.map_err(|problem| DraftError::Text { problem: Box::new(problem) })?;
                Part::of_text(&device, shader, text).map_err(failed(n))
            }
            None => Part::new(&device, shader).map_err(failed(n)),
        };
        let parts = self.shaders.iter().enumerate().map(part);
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let (mut files, text) = match parts.iter().map(|part| part.info.stage).collect::<Vec<_>>()[..] {
            [Stage::Compute] if self.mesh.is_none() => {
                (Vec::new(), dispatch::write(&device, &parts[0], self).map_err(failed(0))?)
            }
            ref stages if is_drawn(stages) => drawing::write(&device, parts, self)?,
            ref stages => {
                let mut all: Vec<_> = stages.iter().map(|stage| format!("a {} shader", stage.name())).collect();
                all.extend(self.mesh.map(|_| "a mesh".to_owned()));
                return Err(DraftError::Stages(if all.is_empty() { "nothing".to_owned() } else { all.join(" and ") }));
            }
        };
        files.push((self.document.to_owned(), text.into_bytes()));
        Ok(files)
    }
}

/// `true` if a draw has just these stages, at most one of each.
fn is_drawn(stages: &[Stage]) -> bool {
    let count = |stage: &Stage| stages.iter().filter(|other| *other == stage).count();
    !stages.is_empty() && stages.iter().all(|stage| DRAWN.contains(stage) && count(stage) == 1)
}
