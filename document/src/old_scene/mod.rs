//! Scenes: files that say everything about a series of draws, and what must come out.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use brolga::job::RunOptions;
//! use brolga::scene::Scene;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = brolga::Device::builder().build()?;
//! let scene = Scene::load(Path::new("triangle/scene.json"), device.limits())?;
//! assert!(scene.run(&device, &RunOptions::default())?.passed());
//! # Ok(())
//! # }
//! ```
//!
//! A [`Scene`] is read with all of its files; a run first makes an action of each step, so that mistakes are found before
//! anything is drawn.
//!
//! | file | what |
//! |---|---|
//! | `sections.rs` | a scene file, read |
//! | `document.rs` | what its items say |
//! | `step.rs` | what its steps say |
//! | `names.rs` | Direct3D's names in it |
//! | `unsupported.rs` | what is refused because it is not there yet |
//! | `content.rs` | what resources and files hold |
//! | `mesh.rs` | meshes become buffers |
//! | `memory.rs` | resources on a device, and how registers see them |
//! | `state.rs` | samplers and pipelines for programs that have no scene |
//! | `pipelines.rs` | pipelines, compiled for what they draw to |
//! | `direct3d9/` | samplers, pipelines and steps of Direct3D 9 |
//! | `constants.rs` | its constants by their names |
//! | `plan.rs` | steps become actions |
//! | `run.rs` | runs the actions, draws in passes |
//! | `history.rs` | what steps did to one pixel |
//! | `expectation.rs` | what is expected, and whether it holds |
//! | `save.rs` | files that are saved |
//! | `draft/` | writes a scene for a shader |
//! | `picture.rs` | compares pictures of independent implementations |
//! | `error.rs` | what can be wrong, and where |

mod constants;
mod content;
mod direct3d9;
mod document;
mod draft;
mod error;
mod expectation;
mod history;
mod memory;
mod mesh;
mod names;
mod picture;
mod pipelines;
mod plan;
mod run;
mod save;
mod sections;
mod state;
mod step;
mod unsupported;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use brolga_bytecode::sm3::is_program;
use brolga_fenv::in_default_mode;
use brolga_runtime::{CancelToken, Limits};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::files;
use crate::job::{MOST_TEXT, read_text};
use crate::language::language_help;
use content::{Content, Folder, Room};
use error::find;
use expectation::Expected;
use sections::Document;

pub use draft::{DraftError, DraftedScene, SceneDraft};
pub use error::{Problem, SceneError};
pub use expectation::{CheckResult, Checked, QueryValue};
pub use history::{PixelStep, WatchedPixel};
pub use picture::{PictureCheck, Pixel};
pub use run::{Outcome, ReadyScene};
pub use save::{Outputs, Saved};
pub use state::{pipeline, sampler};

/// A scene whose files are read.
#[derive(Debug)]
pub struct Scene {
    path: PathBuf,
    name: String,
    document: Document,
    /// By name, as are contents.
    shaders: BTreeMap<String, Vec<u8>>,
    contents: BTreeMap<String, Content>,
    expected: Vec<Expected>,
    /// The files that it is made of.
    inputs: Vec<PathBuf>,
}

impl Scene {
    /// The scene file that a path stands for: one in JSON that has steps, or the `scene.json` of a folder.
    pub fn find(path: &Path) -> Option<PathBuf> {
        /// What a job does not have.
        #[derive(Deserialize)]
        struct Steps {
            #[serde(rename = "steps")]
            _steps: Vec<IgnoredAny>,
        }

        if path.is_dir() {
            return Some(path.join("scene.json")).filter(|scene| scene.exists());
        }
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        let text = is_json.then(|| files::read(path, MOST_TEXT).ok()).flatten()?;
        let is_scene = path.ends_with("scene.json") || serde_json::from_slice::<Steps>(&text).is_ok();
        is_scene.then(|| path.to_owned())
    }

    /// Reads a scene file and the files that it names.
    ///
    /// # Errors
    /// If one cannot be read, the scene says something that makes no sense or is not there yet, or it takes more memory than the
    /// limits allow.
    pub fn load(path: &Path, limits: &Limits) -> Result<Self, SceneError> {
        Self::load_until(path, limits, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`Problem::Stopped`].
    pub fn load_until(path: &Path, limits: &Limits, cancel: &CancelToken) -> Result<Self, SceneError> {
        in_default_mode(|| Self::read(path, limits, cancel).map_err(|error| error.in_file(path)))
    }

    /// The scene file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name in reports; the folder's name if the scene has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn read(path: &Path, limits: &Limits, cancel: &CancelToken) -> Result<Self, SceneError> {
        let failed = |problem| SceneError::new("", Problem::of_file(path.to_owned(), problem, cancel));
        let text = read_text(path, cancel).map_err(failed)?;
        let text = String::from_utf8(text).map_err(|error| SceneError::value("", error.to_string()))?;
        let mut document = Document::parse(&text)?;
        unsupported::check(&document)?;
        let folder = Folder::of(path, cancel);
        let mut shaders = BTreeMap::new();
        for (name, shader) in &document.shaders {
            if shader.file.ends_with(".hlsl") {
                let message = "scenes take compiled shaders: fxc makes a .cso file of this one (docs/compile.md)";
                return Err(SceneError::value(format!("shaders.{name}.file"), message));
            }
            let (place, most) = (format!("shaders.{name}.file"), limits.file.blob_bytes.into());
            let bytes = folder.bytes(&place, &shader.file, most)?;
            if let Some(help) = language_help(Path::new(&shader.file), &bytes) {
                return Err(SceneError::value(place, format!("no compiled shader: {help}")));
            }
            match (is_program(&bytes), document.is_direct3d9) {
                (true, false) => {
                    let message = "a shader of Direct3D 9, in a scene without `\"api\": \"d3d9\"`";
                    return Err(SceneError::value(place, message));
                }
                (false, true) => {
                    let message = "no shader of Direct3D 9, models 1.1 to 3.0, in a scene with `\"api\": \"d3d9\"`";
                    return Err(SceneError::value(place, message));
                }
                _ => {}
            }
            shaders.insert(name.clone(), bytes);
        }
        mesh::expand(&mut document, &folder, limits.buffer_bytes)?;
        constants::expand(&mut document, &shaders, limits)?;
        let (mut contents, mut room) = (BTreeMap::new(), Room { taken: 0, limit: limits.buffer_bytes });
        for (name, resource) in &document.resources {
            let content = Content::load(&format!("resources.{name}"), resource, &folder, &mut room)?;
            contents.insert(name.clone(), content);
        }
        for (n, save) in document.save.iter().enumerate() {
            let place = format!("save[{n}]");
            let content = find(&contents, "resource", &save.resource, || format!("{place}.resource"))?;
            save.check(&place, &document, &content.form)?;
        }
        let expected = document
            .expect
            .iter()
            .enumerate()
            .map(|(n, expect)| Expected::load(format!("expect[{n}]"), expect, &document, &contents, &folder));
        let expected = expected.collect::<Result<_, _>>()?;
        let folder_name = || folder.path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = document.name.clone().or_else(folder_name).unwrap_or_else(|| "scene".to_owned());
        let inputs = folder.into_read().into_iter().chain([path.to_owned()]).collect();
        Ok(Self { path: path.to_owned(), name, document, shaders, contents, expected, inputs })
    }
}
