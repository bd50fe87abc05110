//! Opens the files that a job reads, and checks every size before anything runs.
//!
//! Large files of raw bytes are not read here. Those that the shader only reads are mapped: they cost no memory, and nobody
//! may shorten them while the job runs.

use std::fs;
use std::path::{Path, PathBuf};

use brolga_runtime::{Access, Buffer, Limits, ResourceError, TextureShape};

use super::bytes::Bytes;
use super::compare::{Segment, compares_something};
use super::document::Span;
use super::error::{JobError, Problem};
use super::extents;
use super::input::{self, Refusal};
use super::model::*;
use super::npy::{self, Array, ElementType};
use super::output::{self, FileForm};
use super::source::Source;
use super::texels::{self, Texels};

/// Files of raw bytes from this size on are mapped.
const MAPPED_FROM: u64 = 64 << 20;

/// A job whose files are there and fit.
#[derive(Debug)]
pub struct Prepared {
    pub(super) job: Job,
    /// The shader files' content, in the order of the job.
    pub(super) containers: Vec<Vec<u8>>,
    /// In the order of the job's bindings.
    pub(super) views: Vec<LoadedView>,
    /// In the order of the job's expectations.
    pub(super) checks: Vec<Check>,
}

/// A binding with its final size and first content.
#[derive(Debug)]
pub(super) struct LoadedView {
    /// With every side known.
    pub kind: Kind<TextureShape>,
    pub content: LoadedContent,
    /// The shader writes to the output file itself.
    pub in_place: bool,
}

/// What a view holds before a run.
#[derive(Debug)]
pub(super) enum LoadedContent {
    /// So many zeros.
    Zeros(u64),
    Bytes(Vec<u8>),
    /// Values at their places among so many bytes of zeros.
    Values(Vec<Run>, u64),
    /// A file of so many bytes, to be mapped.
    Mapped(PathBuf, u64),
    /// A file of so many bytes, to be copied.
    File(PathBuf, u64),
}

impl LoadedContent {
    pub fn size_bytes(&self) -> u64 {
        match self {
            LoadedContent::Zeros(size)
            | LoadedContent::Values(_, size)
            | LoadedContent::Mapped(_, size)
            | LoadedContent::File(_, size) => *size,
            LoadedContent::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Bytes that the view takes in memory.
    fn memory_bytes(&self) -> u64 {
        match self {
            LoadedContent::Mapped(..) => 0,
            _ => self.size_bytes(),
        }
    }
}

/// An expectation with its content.
#[derive(Debug)]
pub(super) struct Check {
    pub segments: Vec<Segment>,
    /// Bytes of an element where the rules do not say.
    pub natural_element: u64,
}

impl Job {
    /// Opens the job's files. Nothing larger than the limits is read, and what all views and expected results take together,
    /// beside mapped files, is no more than one buffer may have.
    pub fn prepare(mut self, limits: &Limits) -> Result<Prepared, JobError> {
        let mut compiled = std::mem::take(&mut self.compiled);
        let mut containers = Vec::new();
        for (n, shader) in self.shaders.iter().enumerate() {
            if let Some(bytes) = compiled.remove(&n) {
                containers.push(bytes);
                continue;
            }
            let path = self.resolve(&shader.value);
            if Source::is_named_by(&path) {
                return Err(self.error(&shader.span, Problem::NotCompiled { shader: path }));
            }
            let most = limits.file.blob_bytes.into();
            match input::read(&path, most) {
                Ok(bytes) => containers.push(bytes),
                Err(refusal) => {
                    let error = refusal.into_io(most);
                    return Err(self.error(&shader.span, Problem::ReadFile { path, error }));
                }
            }
        }
        let most = limits.buffer_bytes;
        let mut left = most;
        let mut views = Vec::new();
        for binding in &self.bindings {
            let view = Loader { job: &self, binding, most, left }.load()?;
            left -= view.content.memory_bytes();
            views.push(view);
        }
        let mut checks = Vec::new();
        for expectation in &self.expectations {
            let at = self.bindings.iter().position(|binding| binding.register == expectation.register);
            let at = at.expect("the reader refuses expectations about registers that are not bound");
            let check =
                Loader { job: &self, binding: &self.bindings[at], most, left }.check(expectation, &views[at])?;
            let owned = |bytes: &Bytes| if let Bytes::Owned(bytes) = bytes { bytes.len() as u64 } else { 0 };
            left = left.saturating_sub(check.segments.iter().map(|segment| owned(&segment.bytes)).sum());
            checks.push(check);
        }
        Ok(Prepared { job: self, containers, views, checks })
    }
}

impl Prepared {
    /// The job.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// How many compiled forms there are.
    pub fn shaders(&self) -> usize {
        self.containers.len()
    }

    /// The content of a shader file.
    pub fn container(&self, shader: usize) -> &[u8] {
        &self.containers[shader]
    }
}

/// Loads what belongs to one binding.
struct Loader<'a> {
    job: &'a Job,
    binding: &'a Binding,
    /// Bytes that a view may have.
    most: u64,
    /// Bytes that the views before left of what all may have together.
    left: u64,
}

/// The content of an input file without its header.
struct FileContent {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Loader<'_> {
    fn wrong(&self, problem: Problem) -> JobError {
        self.job.error(&self.binding.span, problem)
    }

    fn register(&self) -> String {
        self.binding.register.to_string()
    }

    fn load(&self) -> Result<LoadedView, JobError> {
        if let Kind::Sampler(sampler) = self.binding.kind {
            return Ok(LoadedView { kind: Kind::Sampler(sampler), content: LoadedContent::Zeros(0), in_place: false });
        }
        let large = self.large_file();
        let unordered = self.binding.register.file == RegisterFile::Unordered;
        let (file, kind) = match &self.binding.content {
            Content::File(file) if large.is_none() => {
                let (found, kind) = self.open(file, self.binding.kind)?;
                (Some((found, &file.span)), kind)
            }
            _ => (None, self.complete(self.binding.kind)?),
        };
        let length = file.as_ref().map(|(file, _)| file.bytes.len() as u64);
        let size = self.size(&kind, large.as_ref().map(|(_, length, _)| *length).or(length))?;
        if size > self.left && (large.is_none() || unordered) {
            return Err(self.too_large(size, &self.binding.span));
        }
        let content = match (&self.binding.content, file) {
            _ if let Some((path, length, span)) = large => {
                self.check_file_size(&path, length, size, span)?;
                if unordered { LoadedContent::File(path, size) } else { LoadedContent::Mapped(path, size) }
            }
            (_, Some((file, span))) => {
                self.check_file_size(&file.path, file.bytes.len() as u64, size, span)?;
                LoadedContent::Bytes(file.bytes)
            }
            (Content::Fill(number), _) if number.bits != 0 => {
                let unit = number.number_type.size_bytes() as u64;
                if !size.is_multiple_of(unit) {
                    return Err(self.not_whole(size, unit));
                }
                let mut bytes = self.room(size)?;
                for _ in 0..size / unit {
                    number.append_to(&mut bytes);
                }
                LoadedContent::Bytes(bytes)
            }
            (Content::Values(runs), _) => {
                runs.iter().try_for_each(|run| self.check_run(run, size))?;
                LoadedContent::Values(runs.clone(), size)
            }
            (Content::Unsaid, _) if self.binding.register.file != RegisterFile::Unordered => {
                let key = "file`, `fill` or values such as `u32";
                return Err(self.wrong(Problem::MissingKey { place: "a register that is only read", key }));
            }
            _ => LoadedContent::Zeros(size),
        };
        if let Some(save) = &self.binding.save {
            let form = FileForm::of(&save.path.value);
            if let Some(message) = output::refusal(form, &kind, size, save.number_type) {
                let (path, register) = (save.path.value.clone(), self.register());
                return Err(self.job.error(&save.path.span, Problem::CannotEncode { path, register, message }));
            }
        }
        self.check_map()?;
        Ok(LoadedView { kind, content, in_place: self.saves_raw() && self.maps(size) })
    }

    /// Whether files of the binding of so many bytes are mapped, if they can be.
    fn maps(&self, bytes: u64) -> bool {
        self.binding.map.as_ref().map_or(bytes >= MAPPED_FROM, |map| map.value)
    }

    fn saves_raw(&self) -> bool {
        self.binding.save.as_ref().is_some_and(|save| FileForm::of(&save.path.value) == FileForm::Raw)
    }

    /// A file of raw bytes that is not read here: where it is, its length, and where it is named.
    fn large_file(&self) -> Option<(PathBuf, u64, &Span)> {
        let Content::File(file) = &self.binding.content else { return None };
        let length = self.raw_length(file).filter(|length| self.maps(*length))?;
        Some((self.job.resolve(&file.value), length, &file.span))
    }

    /// Bytes of a regular file of raw bytes.
    fn raw_length(&self, file: &Located<PathBuf>) -> Option<u64> {
        let path = self.job.resolve(&file.value);
        let metadata = (FileForm::of(&path) == FileForm::Raw).then(|| fs::metadata(path).ok())??;
        metadata.is_file().then_some(metadata.len())
    }

    /// Refuses `map = true` where there is nothing to map.
    fn check_map(&self) -> Result<(), JobError> {
        let Some(Located { value: true, span }) = &self.binding.map else { return Ok(()) };
        let found = match (self.binding.register.file, &self.binding.content) {
            (RegisterFile::Unordered, _) if self.saves_raw() => return Ok(()),
            (RegisterFile::Unordered, _) => "is not saved to one",
            (_, Content::File(file)) if FileForm::of(&file.value) == FileForm::Raw => return Ok(()),
            (_, Content::File(_)) => "has a file in another format",
            _ => "has no file",
        };
        Err(self.job.error(span, Problem::CannotMap { register: self.register(), found }))
    }

    /// Bytes of the view. `file` is the length of the content that fills it.
    fn size(&self, kind: &Kind<TextureShape>, file: Option<u64>) -> Result<u64, JobError> {
        let computed = match *kind {
            Kind::Structured { stride, count: Some(count) } => Some(count.saturating_mul(u64::from(stride))),
            Kind::Typed { format, count: Some(count) } => Some(count.saturating_mul(u64::from(format.size_bytes()))),
            Kind::Texture(shape) => match shape.size_bytes() {
                Ok(size) => Some(size),
                Err(error) => return Err(self.wrong(Problem::Resource { register: self.register(), error })),
            },
            _ => None,
        };
        let size = match (self.binding.size, computed, &self.binding.content, file) {
            (Some(given), Some(computed), _, _) if given != computed => {
                let (register, kind) = (self.register(), kind.keys().name());
                return Err(self.wrong(Problem::SizeMismatch { register, given, kind, computed }));
            }
            (Some(size), ..) | (_, Some(size), ..) => size,
            (_, _, _, Some(length)) => length,
            (_, _, Content::Values(runs), _) => runs.iter().map(end_of).max().unwrap_or(0),
            _ => return Err(self.wrong(Problem::NoSize { register: self.register() })),
        };
        if size > self.most {
            return Err(self.too_large(size, &self.binding.span));
        }
        let unit = match *kind {
            Kind::Structured { stride, .. } => u64::from(stride),
            Kind::Typed { format, .. } => u64::from(format.size_bytes()),
            Kind::Raw => 4,
            _ => 1,
        };
        if !size.is_multiple_of(unit) {
            return Err(self.not_whole(size, unit));
        }
        Ok(size)
    }

    /// What to say of a view or file of so many bytes, which is too much by itself or with what was there before.
    fn too_large(&self, bytes: u64, span: &Span) -> JobError {
        let (register, limit) = (self.register(), self.most);
        let problem = match bytes > limit {
            true => Problem::TooLarge { register, bytes, limit },
            false => Problem::TogetherTooLarge { register, bytes: bytes.saturating_add(limit - self.left), limit },
        };
        self.job.error(span, problem)
    }

    fn not_whole(&self, bytes: u64, unit: u64) -> JobError {
        self.wrong(Problem::NotWhole { register: self.register(), bytes, unit })
    }

    fn check_file_size(&self, path: &Path, found: u64, needed: u64, span: &Span) -> Result<(), JobError> {
        if found == needed {
            return Ok(());
        }
        let (path, register) = (path.to_owned(), self.register());
        Err(self.job.error(span, Problem::FileSize { path, register, found, needed }))
    }

    /// The kind of view where the job alone says it.
    fn complete(&self, kind: Kind) -> Result<Kind<TextureShape>, JobError> {
        let missing = |place, key| self.wrong(Problem::MissingKey { place, key });
        kind.try_map(|keys| match keys.generate_mips {
            true => Err(missing("a texture with generated mips", "file` that ends in `.png`, `.dds` or `.exr")),
            false => keys.shape().map_err(|key| missing("a texture", key)),
        })
    }

    /// Reads an input file, which may say what the job leaves out of a texture.
    fn open(&self, file: &Located<PathBuf>, kind: Kind) -> Result<(FileContent, Kind<TextureShape>), JobError> {
        let path = self.job.resolve(&file.value);
        let bytes = self.read(&path, &file.span)?;
        let bad = |message| self.job.error(&file.span, Problem::BadFile { path: path.clone(), message });
        match (FileForm::of(&path), kind) {
            (form, Kind::Texture(keys)) if form.is_texture() => {
                let Texels { shape, bytes } = texels::read(form, &bytes, &keys, self.left).map_err(bad)?;
                Ok((FileContent { path, bytes }, Kind::Texture(shape)))
            }
            (form, kind) if form.is_texture() => {
                let message = format!(
                    "this is a texture by its name, and the view is {}: give it another ending to take its bytes as they are",
                    kind.name()
                );
                Err(bad(message))
            }
            (FileForm::Npy, kind) => {
                let array = npy::read(&bytes).map_err(bad)?;
                let kind = self.complete(with_sides(kind, &array))?;
                check_array(&kind, &array).map_err(bad)?;
                Ok((FileContent { bytes: array.data.to_vec(), path }, kind))
            }
            (_, kind) => Ok((FileContent { path, bytes }, self.complete(kind)?)),
        }
    }

    fn read(&self, path: &Path, span: &Span) -> Result<Vec<u8>, JobError> {
        // Room for a header.
        match input::read(path, self.left.saturating_add(1 << 16)) {
            Ok(bytes) => Ok(bytes),
            Err(Refusal::TooLarge(bytes)) => Err(self.too_large(bytes, span)),
            Err(Refusal::Io(error)) => Err(self.job.error(span, Problem::ReadFile { path: path.to_owned(), error })),
        }
    }

    /// Room for a view's content.
    fn room(&self, size: u64) -> Result<Vec<u8>, JobError> {
        let mut bytes = Vec::new();
        let refused = || {
            let error = ResourceError::OutOfMemory { size_bytes: size };
            self.wrong(Problem::Resource { register: self.register(), error })
        };
        let size = usize::try_from(size).map_err(|_| refused())?;
        bytes.try_reserve_exact(size).map_err(|_| refused())?;
        Ok(bytes)
    }

    fn check_run(&self, run: &Run, size: u64) -> Result<(), JobError> {
        match end_of(run) {
            end if end > size => Err(self
                .job
                .error(&run.span, Problem::ValuesSize { register: self.register(), found: end, needed: size })),
            _ => Ok(()),
        }
    }

    fn check(&self, expectation: &Expectation, view: &LoadedView) -> Result<Check, JobError> {
        let rules = &expectation.rules;
        let bad = |span: &Span, message: String| Err(self.job.error(span, Problem::Expectation { message }));
        if expectation.counter.is_some() && self.binding.counter.is_none() {
            let register = self.register();
            return bad(&expectation.span, format!("{register} has no hidden counter: give its binding `counter = 0`"));
        }
        let size = view.content.size_bytes();
        let natural_element = match view.kind {
            Kind::Structured { stride, .. } => u64::from(stride),
            Kind::Typed { format, .. } => u64::from(format.size_bytes()),
            Kind::Texture(shape) => u64::from(shape.format.size_bytes()),
            _ => rules.pattern.first().map_or(4, |number_type| number_type.size_bytes() as u64),
        };
        let element = rules.element.unwrap_or(natural_element);
        let compared = match rules.elements {
            None => size,
            Some(elements) => match elements.saturating_mul(element) {
                bytes if bytes <= size => bytes,
                _ => {
                    let register = self.register();
                    let message =
                        format!("{elements} elements of {element} bytes do not fit into {register}: {size} bytes");
                    return bad(&expectation.span, message);
                }
            },
        };
        let mut segments = Vec::new();
        match &expectation.content {
            None => {}
            Some(Expected::File(file)) => {
                let path = self.job.resolve(&file.value);
                let bytes = match self.raw_length(file) {
                    Some(length) if length >= MAPPED_FROM => {
                        let buffer = Buffer::map(&path, Access::Read).map_err(|error| {
                            self.job.error(&file.span, Problem::Resource { register: self.register(), error })
                        })?;
                        Bytes::Buffer(buffer)
                    }
                    _ => Bytes::Owned(self.open(file, view.kind.keys())?.0.bytes),
                };
                let found = bytes.size_bytes();
                // A file may leave out what is not compared.
                if found != compared {
                    self.check_file_size(&path, found, size, &file.span)?;
                }
                segments.push(Segment { byte: 0, bytes, pattern: rules.pattern.clone() });
            }
            Some(Expected::Values(runs)) => {
                for run in runs {
                    self.check_run(run, size)?;
                    let pattern = if rules.pattern.is_empty() { vec![run.number_type] } else { rules.pattern.clone() };
                    let bytes = Bytes::Owned(run.bytes.clone());
                    segments.push(Segment { byte: run.byte, bytes, pattern });
                }
            }
        }
        for segment in &segments {
            // All types of a pattern have one size.
            let unit = segment.pattern[0].size_bytes() as u64;
            if !segment.byte.is_multiple_of(unit) || !segment.bytes.size_bytes().is_multiple_of(unit) {
                let (number_type, end) = (segment.pattern[0], segment.byte + segment.bytes.size_bytes());
                let message = format!("bytes {} to {end} are no whole number of {number_type}", segment.byte);
                return bad(&expectation.span, message);
            }
        }
        if expectation.content.is_some() && !compares_something(&segments, rules, natural_element) {
            let register = self.register();
            let message = format!("this expectation compares nothing of {register}: every number is left out");
            return bad(&expectation.span, message);
        }
        if rules.order == Order::Any {
            self.check_any_order(expectation, &segments, element)?;
        }
        Ok(Check { segments, natural_element })
    }

    fn check_any_order(&self, expectation: &Expectation, segments: &[Segment], element: u64) -> Result<(), JobError> {
        let message = match segments {
            [] => return Ok(()),
            [Segment { byte: 0, bytes, pattern }] => {
                let unit = pattern[0].size_bytes() as u64;
                if element.is_multiple_of(unit) && bytes.size_bytes().is_multiple_of(element) {
                    return Ok(());
                }
                format!(
                    "elements of {element} bytes do not divide the {} expected bytes into numbers",
                    bytes.size_bytes()
                )
            }
            _ => "elements in any order are given as one list from byte 0".into(),
        };
        Err(self.job.error(&expectation.span, Problem::Expectation { message }))
    }
}

fn end_of(run: &Run) -> u64 {
    run.byte.saturating_add(run.bytes.len() as u64)
}

/// The kind with the sides that an array says and the job does not. Those of compressed textures are not said: an array
/// counts blocks.
fn with_sides(kind: Kind, array: &Array<'_>) -> Kind {
    let Kind::Texture(mut keys) = kind else { return kind };
    let is_of_texels = keys.format.is_some_and(|format| format.block_extents() == [1, 1]);
    if let Some(dimension) = keys.dimension.filter(|_| is_of_texels) {
        for (side, length) in extents::sides(dimension).iter().zip(&array.shape) {
            keys.set(*side, keys.get(*side).or(u32::try_from(*length).ok()));
        }
    }
    Kind::Texture(keys)
}

/// Refuses an array that is no view of this kind. The message says why.
fn check_array(kind: &Kind<TextureShape>, array: &Array<'_>) -> Result<(), String> {
    let format = match kind {
        Kind::Typed { format, .. } => *format,
        Kind::Texture(shape) => shape.format,
        _ => return Ok(()),
    };
    let (wanted, components) = ElementType::of_format(format);
    if wanted != array.element {
        return Err(format!("the array has elements of {}, the view's format needs {wanted}", array.element));
    }
    if let Kind::Texture(shape) = kind
        && shape.mips == 1
        && shape.size_bytes().is_ok_and(|size| size == array.data.len() as u64)
    {
        // The components of a texel may have a side of their own or not.
        let (_, sides) = output::array(kind, None, array.data.len() as u64);
        let leading = &sides[..sides.len() - usize::from(components > 1)];
        if !array.shape.starts_with(leading) {
            return Err(format!("the array's sides are {:?}, the texture's {leading:?}", array.shape));
        }
    }
    Ok(())
}
