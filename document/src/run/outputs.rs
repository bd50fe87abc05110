//! Claims the files that a document saves before it runs, and writes them after its first run.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use brolga_fenv::in_default_mode;
use brolga_files::Claim;
use brolga_runtime::{Access, CancelToken, Device};

use super::history::WatchedPixel;
use super::outcome::Outcome;
use super::{RunOptions, output};
use crate::error::{DocumentError, Fault, Problem};
use crate::model::expectation::Save;
use crate::prepare::Prepared;
use crate::text::Span;

/// The claimed files of a document. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct Outputs<'a> {
    prepared: &'a Prepared,
    /// Each with its index and the path as the document has it; standard output without a claim.
    claims: Vec<(usize, PathBuf, Option<Claim>)>,
    /// A run has filled the temporary files of mapped outputs.
    ran: bool,
    /// The token of the last run, which stops writing too.
    cancel: CancelToken,
}

impl Prepared {
    /// Claims every file that the document saves, and thereby finds those that cannot be written. Their names start
    /// from `folder`.
    ///
    /// `taken` are the files written before, which no other may replace; those of this document are added. Errors leave
    /// it unchanged.
    ///
    /// # Errors
    /// If one cannot be written, is one that the document reads, or is taken.
    pub fn claim_outputs(&self, folder: &Path, taken: &mut BTreeSet<PathBuf>) -> Result<Outputs<'_>, DocumentError> {
        let mut claims = Vec::new();
        let mut paths = BTreeSet::new();
        let is_taken = |span: &Span, path: &Path, by: &str| {
            let message = format!("{} is {by}", brolga_files::short_path(path));
            self.error((Problem::with_help(message, "choose another name"), span.clone()))
        };
        for (n, save) in self.document.model.saves.iter().enumerate() {
            let span = &save.path.span;
            if save.is_standard() {
                let path = save.path.value.clone();
                if taken.contains(&path) || !paths.insert(path.clone()) {
                    return Err(is_taken(span, &path, "standard output, which something else is written to"));
                }
                claims.push((n, path, None));
                continue;
            }
            let (path, claim) = self.claim(folder, &save.path.value, span, taken)?;
            if !paths.insert(claim.path().to_owned()) {
                return Err(is_taken(span, &path, "written twice"));
            }
            claims.push((n, path, Some(claim)));
        }
        taken.extend(paths);
        Ok(Outputs { prepared: self, claims, ran: false, cancel: CancelToken::new() })
    }

    /// Claims a file beside those that the document saves, by the same rules.
    ///
    /// # Errors
    /// As [`Self::claim_outputs`].
    pub fn claim_another(
        &self,
        folder: &Path,
        name: &Path,
        taken: &mut BTreeSet<PathBuf>,
    ) -> Result<Claim, DocumentError> {
        let (_, claim) = self.claim(folder, name, &(0..0), taken)?;
        taken.insert(claim.path().to_owned());
        Ok(claim)
    }

    /// The kind of input that a file would replace: `shader`, `input`, and so on.
    pub fn replaced_by(&self, claim: &Claim) -> Option<&'static str> {
        self.inputs.iter().find(|(_, input)| claim.replaces(input)).map(|(what, _)| *what)
    }

    fn claim(
        &self,
        folder: &Path,
        name: &Path,
        span: &Span,
        taken: &BTreeSet<PathBuf>,
    ) -> Result<(PathBuf, Claim), DocumentError> {
        let path = self.document.reach.output(folder, name).map_err(|problem| {
            self.error((Problem::of_file(folder.join(name), problem, &CancelToken::new()), span.clone()))
        })?;
        let cannot_write = |error| self.error((Problem::WriteFile { path: path.clone(), error }, span.clone()));
        let claim = Claim::new(&path).map_err(cannot_write)?;
        let why = match self.replaced_by(&claim) {
            Some(what) => format!("the document's own {what}, which would be replaced"),
            None if taken.contains(claim.path()) => "already written by an earlier document".to_owned(),
            None => return Ok((path, claim)),
        };
        let message = format!("{} is {why}", brolga_files::short_path(&path));
        Err(self.error((Problem::with_help(message, "choose another name"), span.clone())))
    }

    fn save(&self, n: usize) -> &Save {
        &self.document.model.saves[n]
    }

    fn cannot_write(&self, n: usize, path: PathBuf, error: io::Error) -> Fault {
        (Problem::WriteFile { path, error }, self.save(n).path.span.clone())
    }

    fn write_stopped(&self, n: usize, path: PathBuf) -> Fault {
        (Problem::WriteStopped { path }, self.save(n).path.span.clone())
    }
}

impl Outputs<'_> {
    /// Runs the document as [`Prepared::run`] or [`Prepared::run_watching`] does, except that it writes mapped outputs
    /// to their temporary files. Only the first run does so.
    ///
    /// # Errors
    /// As there, or if there is no room for an output.
    pub fn run(
        &mut self,
        device: &Device,
        variant: usize,
        options: &RunOptions,
        pixel: Option<&WatchedPixel>,
    ) -> Result<Outcome, DocumentError> {
        self.cancel = options.cancel.clone();
        let prepared = self.prepared;
        if std::mem::replace(&mut self.ran, true) {
            return prepared.run_over(device, variant, options, pixel, &|_| Ok(None));
        }
        let claims = self.claims.iter().filter_map(|(n, path, claim)| Some((*n, path, claim.as_ref()?)));
        let is_in_place = |(n, ..): &(usize, &PathBuf, &Claim)| {
            prepared.loaded.get(&prepared.save(*n).resource.value).is_some_and(|loaded| loaded.in_place)
        };
        let in_place: Vec<_> = claims.filter(is_in_place).collect();
        let own = |name: &str| {
            let found = in_place.iter().find(|(n, ..)| prepared.save(*n).resource.value == name);
            let Some((n, path, claim)) = found else { return Ok(None) };
            let size = prepared.size_of(name);
            claim.reserve(size, &options.cancel).map_err(|error| match options.cancel.is_cancelled() {
                true => prepared.write_stopped(*n, (*path).clone()),
                false => prepared.cannot_write(*n, (*path).clone(), error),
            })?;
            let mapped = device.map_buffer(claim.temporary_path(), Access::ReadWrite);
            mapped.map(Some).map_err(|error| prepared.cannot_write(*n, (*path).clone(), io::Error::other(error)))
        };
        let mut outcome = prepared.run_over(device, variant, options, pixel, &own)?;
        for (n, _, claim) in in_place {
            let name = &prepared.save(n).resource.value;
            for result in outcome.resources.iter_mut().filter(|result| result.name == *name) {
                result.file = Some(claim.temporary_path().to_owned());
            }
        }
        Ok(outcome)
    }

    /// The output that would replace one of these files, and that file.
    pub fn replaces<'f>(&self, files: impl IntoIterator<Item = &'f Path>) -> Option<(&Path, &'f Path)> {
        let claims = || self.claims.iter().filter_map(|(_, path, claim)| Some((path, claim.as_ref()?)));
        files
            .into_iter()
            .find_map(|file| claims().find(|(_, claim)| claim.replaces(file)).map(|(path, _)| (path.as_path(), file)))
    }

    /// The temporary files.
    pub fn temporary_paths(&self) -> Vec<PathBuf> {
        let claims = self.claims.iter().filter_map(|(.., claim)| claim.as_ref());
        claims.map(|claim| claim.temporary_path().to_owned()).collect()
    }

    /// `true` if one of them is standard output, `-` in a document.
    pub fn has_standard(&self) -> bool {
        self.claims.iter().any(|(.., claim)| claim.is_none())
    }

    /// `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// Writes the outputs and returns their paths; `-` is standard output. The token of the run before stops this too:
    /// the output being written, and those after it, remain unchanged.
    ///
    /// # Errors
    /// If a file cannot be written, or it was cancelled.
    pub fn write(self, outcome: &Outcome) -> Result<Vec<PathBuf>, DocumentError> {
        in_default_mode(|| self.write_all(outcome))
    }

    fn write_all(self, outcome: &Outcome) -> Result<Vec<PathBuf>, DocumentError> {
        let prepared = self.prepared;
        let mut paths = Vec::new();
        for (n, path, claim) in self.claims {
            let save = prepared.save(n);
            let name = &save.resource.value;
            let (Some(result), Some(loaded)) = (outcome.resource(name), prepared.loaded.get(name)) else { continue };
            let (kind, number_type) = (&loaded.kind, save.number_type);
            let form = save.form(kind).expect("the form was asked for when the document was prepared");
            let all = result.bytes.size_bytes();
            let size = match result.counter.filter(|_| save.counted.is_some()) {
                Some(count) => all.min(prepared.stride(name) * u64::from(count)),
                None => all,
            };
            let written = match claim {
                None => output::write_to_standard(form, kind, number_type, (&result.bytes, size), &self.cancel),
                Some(claim) => {
                    let in_place = result.file.as_deref() == Some(claim.temporary_path());
                    claim.commit_with(&self.cancel, |file| match &result.bytes {
                        brolga_files::Bytes::Buffer(buffer) if in_place => file.flush_mapped(buffer),
                        bytes => output::write(file, form, kind, number_type, (bytes, size), &self.cancel),
                    })
                }
            };
            written.map_err(|error| {
                prepared.error(match self.cancel.is_cancelled() {
                    true => prepared.write_stopped(n, path.clone()),
                    false => prepared.cannot_write(n, path.clone(), error),
                })
            })?;
            paths.push(path);
        }
        Ok(paths)
    }
}
