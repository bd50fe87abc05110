//! Files that a scene saves: claimed before it runs, written after its first run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use brolga_fenv::in_default_mode;
use brolga_runtime::{Buffer, CancelToken};

use super::Scene;
use super::content::{Folder, Form, OUTSIDE};
use super::document::{NumberName, Resource, Save};
use super::error::{Problem, SceneError, find};
use super::names::{Kind, Named};
use super::run::Outcome;
use super::sections::Document;
use crate::files::{Array, Bytes, Claim, FileForm, FileProblem, Held, form_to_write, leads_out, short};
use crate::job::{self, NumberType, output};

impl Save {
    /// Checks that such a file can hold the resource, which has this form.
    pub fn check(&self, place: &str, document: &Document, form: &Form) -> Result<(), SceneError> {
        Folder::check_inside(&format!("{place}.file"), &self.file)?;
        let resource = find(&document.resources, "resource", &self.resource, || format!("{place}.resource"))?;
        let size_bytes = form.size_bytes(place)?;
        let refusal = match self.file_form(form) {
            Ok(found) => output::refusal(found, &kind(resource, form), size_bytes, self.number_type()),
            Err(names) => {
                let message = format!("`{}`: {names}, or under any name with `\"raw\": true`", short(&self.file));
                return Err(SceneError::value(format!("{place}.file"), message));
            }
        };
        match refusal {
            None => Ok(()),
            Some(why) => {
                let message = format!("{} cannot hold `{}`: {why}", short(&self.file), self.resource);
                Err(SceneError::value(format!("{place}.file"), message))
            }
        }
    }

    /// Whether it goes to standard output, which is written `-`, and not to a file.
    fn is_standard(&self) -> bool {
        self.file == "-"
    }

    /// The form of the file of a resource; else what names can be asked for.
    fn file_form(&self, form: &Form) -> Result<FileForm, &'static str> {
        match form {
            _ if self.raw || self.is_standard() => Ok(FileForm::Raw),
            Form::Texture(_) => form_to_write(self.file.as_ref(), Held::Texture),
            Form::Buffer { .. } => form_to_write(self.file.as_ref(), Held::Numbers),
        }
    }

    fn number_type(&self) -> Option<NumberType> {
        self.number_type.map(|NumberName(number_type)| number_type)
    }
}

/// A resource as a job would bind it.
fn kind(resource: &Resource, form: &Form) -> job::Kind<brolga_runtime::TextureShape> {
    match (form, resource.kind, resource.stride, resource.format) {
        (Form::Texture(shape), ..) => job::Kind::Texture(*shape),
        (_, Kind::Structured, Some(stride @ 1..), _) => job::Kind::Structured { stride, count: None },
        (_, Kind::Typed, _, Some(Named(format))) => job::Kind::Typed { format: format.stored, count: None },
        _ => job::Kind::Raw,
    }
}

/// A resource that a scene saves, as a run of it left it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Saved<'a> {
    /// Its name.
    pub resource: &'a str,
    /// What its bytes are, as in an .npy file; of a texture with mip levels, the first one.
    pub array: Array,
    /// Its bytes.
    pub buffer: &'a Buffer,
}

/// The claimed files of a scene. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub struct Outputs<'a> {
    scene: &'a Scene,
    /// Each with the path that was asked for, in the order of the scene; standard output without a claim.
    claims: Vec<(PathBuf, Option<Claim>)>,
}

impl Scene {
    /// What it saves, as a run of it left it, in its order.
    pub fn saved<'a>(&'a self, outcome: &'a Outcome) -> impl Iterator<Item = Saved<'a>> {
        self.document.save.iter().zip(&outcome.saved).map(|(save, buffer)| {
            let (name, resource) = (save.resource.as_str(), &self.document.resources[&save.resource]);
            let kind = kind(resource, &self.contents[name].form);
            Saved { resource: name, array: output::array(&kind, save.number_type(), buffer.size_bytes()), buffer }
        })
    }

    /// Claims every file that the scene saves, which finds those that cannot be written. Their names start from `folder`, which no link
    /// leads out of.
    ///
    /// `taken` are the files that were written before, which no other may replace; it gains those of this scene.
    ///
    /// # Errors
    /// If one cannot be written, is one that the scene reads, or is taken.
    pub fn claim_outputs(&self, folder: &Path, taken: &mut BTreeSet<PathBuf>) -> Result<Outputs<'_>, SceneError> {
        let mut claims = Vec::new();
        for (n, save) in self.document.save.iter().enumerate() {
            let path = folder.join(&save.file);
            let failed = |problem| {
                let problem = Problem::File { file: path.clone(), problem };
                SceneError::new(format!("save[{n}].file"), problem).in_file(&self.path)
            };
            if save.is_standard() {
                if !taken.insert(PathBuf::from("-")) {
                    return Err(failed("something else is written to standard output".into()));
                }
                claims.push((PathBuf::from("-"), None));
                continue;
            }
            if leads_out(folder, &path).map_err(|error| failed(error.into()))? {
                return Err(failed(OUTSIDE.into()));
            }
            let claim = Claim::new(&path).map_err(|error| failed(error.into()))?;
            let message = if self.inputs.iter().any(|input| claim.replaces(input)) {
                "the scene reads this file: choose another name"
            } else if !taken.insert(claim.path().to_owned()) {
                "this file is already written: choose another name"
            } else {
                claims.push((path, Some(claim)));
                continue;
            };
            return Err(failed(FileProblem::from(message)));
        }
        Ok(Outputs { scene: self, claims })
    }
}

impl Outputs<'_> {
    /// The temporary files.
    pub fn temporary_paths(&self) -> Vec<PathBuf> {
        let claims = self.claims.iter().filter_map(|(_, claim)| claim.as_ref());
        claims.map(|claim| claim.temporary_path().to_owned()).collect()
    }

    /// Whether one of them is standard output, `-` in a scene.
    pub fn has_standard(&self) -> bool {
        self.claims.iter().any(|(_, claim)| claim.is_none())
    }

    /// Writes what came out of a run of the scene, and gives the paths; `-` is standard output. What cancels stops it: the file that is being written, and
    /// those after it, stay as they were.
    ///
    /// # Errors
    /// If a file cannot be written, or it was cancelled.
    pub fn write(self, outcome: &Outcome, cancel: &CancelToken) -> Result<Vec<PathBuf>, SceneError> {
        in_default_mode(|| self.write_all(outcome, cancel))
    }

    fn write_all(self, outcome: &Outcome, cancel: &CancelToken) -> Result<Vec<PathBuf>, SceneError> {
        let scene = self.scene;
        let mut paths = Vec::new();
        for ((n, save), (path, claim)) in scene.document.save.iter().enumerate().zip(self.claims) {
            let (content, bytes) = (&scene.contents[&save.resource], Bytes::Buffer(outcome.saved[n].clone()));
            let kind = kind(&scene.document.resources[&save.resource], &content.form);
            let form = save.file_form(&content.form).expect("the form was asked for when the scene was read");
            let (number_type, all) = (save.number_type(), (&bytes, bytes.size_bytes()));
            let written = match claim {
                None => output::write_to_standard(form, &kind, number_type, all, cancel),
                Some(claim) => {
                    claim.commit_with(cancel, |file| output::write(file, form, &kind, number_type, all, cancel))
                }
            };
            written.map_err(|error| {
                let problem = if cancel.is_cancelled() { FileProblem::Stopped } else { error.into() };
                let problem = Problem::of_file(path.clone(), problem, cancel);
                SceneError::new(format!("save[{n}].file"), problem).in_file(&scene.path)
            })?;
            paths.push(path);
        }
        Ok(paths)
    }
}
