//! What each view holds before the run: its file is read, and all that says its size must agree.

use std::path::{Path, PathBuf};

use brolga_runtime::{CancelToken, TextureShape};

use super::document::Span;
use super::error::{JobError, Problem};
use super::model::*;
use super::output;
use crate::files::{self, Array, ElementType, FileForm, FilePart, FileProblem, HEADER, Texels, foreign_picture};

/// Files of raw bytes, and arrays, from this size on are mapped.
pub(super) const MAPPED_FROM: u64 = 64 << 20;

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
    /// A number's bytes, over and over, in so many.
    Fill(Vec<u8>, u64),
    /// Bytes of a file, to be mapped.
    Mapped(FilePart),
    /// Bytes of a file, to be copied.
    File(FilePart),
}

impl LoadedContent {
    pub fn size_bytes(&self) -> u64 {
        match self {
            LoadedContent::Zeros(size) | LoadedContent::Values(_, size) | LoadedContent::Fill(_, size) => *size,
            LoadedContent::Mapped(part) | LoadedContent::File(part) => part.size_bytes,
            LoadedContent::Bytes(bytes) => bytes.len() as u64,
        }
    }

    /// Bytes that the view takes in memory.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            LoadedContent::Mapped(..) => 0,
            _ => self.size_bytes(),
        }
    }
}

/// Loads what belongs to one binding.
pub(super) struct Loader<'a> {
    pub job: &'a Job,
    pub binding: &'a Binding,
    /// Its kind of view, but for what its file says.
    pub kind: Kind,
    /// Bytes that a view may have.
    pub most: u64,
    /// Bytes that the views before left of what all may have together.
    pub left: u64,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

/// Bytes of a file that is not read here.
pub(super) struct LargeFile {
    pub part: FilePart,
    /// What its header says, if it is an array.
    pub array: Option<Array>,
}

/// The content of an input file without its header.
pub(super) struct FileContent {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    /// The type of its numbers, if it says one.
    pub element: Option<ElementType>,
}

impl Loader<'_> {
    fn wrong(&self, problem: Problem) -> JobError {
        self.job.error(&self.binding.span, problem)
    }

    pub fn register(&self) -> String {
        self.binding.register.to_string()
    }

    /// The view.
    pub fn load(&self) -> Result<LoadedView, JobError> {
        if let Kind::Sampler(sampler) = self.kind {
            return Ok(LoadedView { kind: Kind::Sampler(sampler), content: LoadedContent::Zeros(0), in_place: false });
        }
        if let (Content::File(file), Kind::Texture(_)) = (&self.binding.content, &self.kind)
            && let Some(why) = foreign_picture(&file.value)
        {
            return Err(self.job.error(&file.span, Problem::NoPicture { why }));
        }
        let named = if let Content::File(file) = &self.binding.content { Some(file) } else { None };
        // Nor would it help to read them twice: a copy that is wanted goes from the file to the view.
        let is_large = |length| self.maps(length) || length >= MAPPED_FROM;
        let large = named.map(|file| Ok((self.large_file(file, is_large)?, &file.span))).transpose()?;
        let large = large.and_then(|(large, span)| Some((large?, span)));
        let unordered = self.binding.register.class == ResourceClass::UnorderedAccess;
        let (file, kind) = match (named, &large) {
            (Some(file), None) => {
                let (found, kind) = self.open(file, self.kind)?;
                (Some((found, &file.span)), kind)
            }
            (_, Some((LargeFile { part, array: Some(array) }, span))) => {
                let kind = self.complete(with_sides(self.kind, array))?;
                let checked = check_array(&kind, array, part.size_bytes);
                checked.map_err(|problem| self.bad_file(part.path.clone(), problem, span))?;
                (None, kind)
            }
            _ => (None, self.complete(self.kind)?),
        };
        let length = file.as_ref().map(|(file, _)| file.bytes.len() as u64);
        let size = self.size(&kind, large.as_ref().map(|(large, _)| large.part.size_bytes).or(length))?;
        // What the shader may write is copied, or what the job wants so.
        let is_mapped =
            !unordered && self.maps(size) && large.as_ref().is_some_and(|(large, _)| large.part.can_be_mapped());
        if size > self.left && !is_mapped {
            return Err(self.too_large(size, &self.binding.span));
        }
        let content = match (&self.binding.content, file) {
            _ if let Some((LargeFile { part, .. }, span)) = large => {
                self.check_file_size(&part.path, part.size_bytes, size, span)?;
                if is_mapped { LoadedContent::Mapped(part) } else { LoadedContent::File(part) }
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
                let mut bytes = Vec::new();
                number.append_to(&mut bytes);
                LoadedContent::Fill(bytes, size)
            }
            (Content::Values(runs), _) => {
                runs.iter().try_for_each(|run| self.check_run(run, size))?;
                LoadedContent::Values(runs.clone(), size)
            }
            (Content::Unsaid, _) if self.binding.register.class != ResourceClass::UnorderedAccess => {
                let key = "file`, `fill` or values such as `u32";
                return Err(self.wrong(Problem::MissingKey { place: "a register that is only read", key }));
            }
            _ => LoadedContent::Zeros(size),
        };
        if let Some(save) = &self.binding.save {
            let refusal = match save.form(&kind) {
                Ok(form) => output::refusal(form, &kind, size, save.number_type),
                Err(names) => Some(format!("{names}, or under any name with `raw = true`")),
            };
            if let Some(message) = refusal {
                let (path, register) = (save.path.value.clone(), self.register());
                return Err(self.job.error(&save.path.span, Problem::CannotEncode { path, register, message }));
            }
        }
        self.check_map()?;
        self.check_counted()?;
        let in_place = self.saves_raw(&kind) && self.maps(size);
        Ok(LoadedView { kind, content, in_place })
    }

    /// Whether files of the binding of so many bytes are mapped, if they can be.
    fn maps(&self, bytes: u64) -> bool {
        self.binding.map.as_ref().map_or(bytes >= MAPPED_FROM, |map| map.value)
    }

    /// Whether all of it goes to a file of raw bytes.
    fn saves_raw<T>(&self, kind: &Kind<T>) -> bool {
        let is_raw =
            |save: &Save| save.form(kind) == Ok(FileForm::Raw) && save.counted.is_none() && !save.is_standard();
        self.binding.save.as_ref().is_some_and(is_raw)
    }

    /// Refuses to cut an output to a counter that is not there.
    fn check_counted(&self) -> Result<(), JobError> {
        let Some(span) = self.binding.save.as_ref().and_then(|save| save.counted.as_ref()) else { return Ok(()) };
        let found = match self.kind {
            _ if self.binding.counter.is_some() => return Ok(()),
            Kind::Structured { .. } => "has none: give it `counter = 0`",
            _ => "is not a structured view",
        };
        Err(self.job.error(
            span,
            Problem::NothingFor {
                key: "counted",
                does: "cuts an output to the hidden counter",
                register: self.register(),
                found,
            },
        ))
    }

    /// A file of raw bytes, or an array, that has so many bytes that it is not read here. One that cannot be opened is not large.
    pub fn large_file(
        &self,
        file: &Located<PathBuf>,
        is_large: impl Fn(u64) -> bool,
    ) -> Result<Option<LargeFile>, JobError> {
        let path = self.job.resolve(&file.value);
        let form = FileForm::of(&path);
        let whole = (!form.is_texture()).then(|| FilePart::whole(&path).ok()).flatten();
        let Some(part) = whole.filter(|part| is_large(part.size_bytes)) else { return Ok(None) };
        if form == FileForm::Raw {
            return Ok(Some(LargeFile { part, array: None }));
        }
        let elements = FilePart::elements(&path).map_err(|problem| self.bad_file(path, problem, &file.span));
        elements.map(|(array, part)| Some(LargeFile { part, array: Some(array) }))
    }

    /// What is wrong with the content of a file.
    pub fn bad_file(&self, path: PathBuf, problem: FileProblem, span: &Span) -> JobError {
        self.job.error(span, Problem::of_file(problem, self.cancel, |problem| Problem::BadFile { path, problem }))
    }

    /// Refuses `map = true` where there is nothing to map.
    fn check_map(&self) -> Result<(), JobError> {
        let Some(Located { value: true, span }) = &self.binding.map else { return Ok(()) };
        let found = match (self.binding.register.class, &self.binding.content) {
            (ResourceClass::UnorderedAccess, _) if self.saves_raw(&self.kind) => return Ok(()),
            (ResourceClass::UnorderedAccess, _)
                if self.binding.save.as_ref().is_some_and(|save| save.counted.is_some()) =>
            {
                "is saved in part"
            }
            (ResourceClass::UnorderedAccess, _) => "is not saved to one",
            (_, Content::File(file)) => match FileForm::of(&file.value) {
                FileForm::Raw => return Ok(()),
                FileForm::Npy => {
                    let elements = FilePart::elements(&self.job.resolve(&file.value));
                    match elements.is_ok_and(|(_, part)| !part.can_be_mapped()) {
                        true => "has an array that does not begin at a multiple of 4 bytes in its file",
                        false => return Ok(()),
                    }
                }
                _ => "has a file in another format",
            },
            _ => "has no file",
        };
        let does = match self.binding.register.class {
            ResourceClass::UnorderedAccess => "maps a file of raw bytes",
            _ => "maps a file of raw bytes or an array",
        };
        Err(self.job.error(span, Problem::NothingFor { key: "map", does, register: self.register(), found }))
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
            (_, _, Content::Values(runs), _) => runs.iter().map(Run::end).max().unwrap_or(0),
            _ => return Err(self.wrong(Problem::NoSize { register: self.register(), kind: kind.keys().name() })),
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
        let (what, bytes) = match bytes > limit {
            true => (format!("{register} would have"), bytes),
            false => (format!("with {register} the job would take"), bytes.saturating_add(limit - self.left)),
        };
        self.job.error(span, Problem::TooLarge { what, bytes, limit })
    }

    fn not_whole(&self, bytes: u64, unit: u64) -> JobError {
        self.wrong(Problem::NotWhole { register: self.register(), bytes, unit })
    }

    pub fn check_file_size(&self, path: &Path, found: u64, needed: u64, span: &Span) -> Result<(), JobError> {
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
    pub fn open(&self, file: &Located<PathBuf>, kind: Kind) -> Result<(FileContent, Kind<TextureShape>), JobError> {
        let path = self.job.resolve(&file.value);
        let bytes = self.read(&path, &file.span)?;
        let bad = |problem| self.bad_file(path.clone(), problem, &file.span);
        match (FileForm::of(&path), kind) {
            (form, Kind::Texture(keys)) if form.is_texture() => {
                let Texels { shape, bytes } = keys.read(form, bytes, self.left, self.cancel).map_err(bad)?;
                Ok((FileContent { path, bytes, element: None }, Kind::Texture(shape)))
            }
            (form, kind) if form.is_texture() => {
                let message = format!(
                    "by its name this is a texture, but the view is {}: rename it to use its bytes as they are",
                    kind.name()
                );
                Err(bad(message.into()))
            }
            (FileForm::Npy, kind) => {
                let (array, elements) = Array::read(&bytes).map_err(bad)?;
                let kind = self.complete(with_sides(kind, &array))?;
                check_array(&kind, &array, elements.len() as u64).map_err(bad)?;
                let (element, header) = (Some(array.element), bytes.len() - elements.len());
                let mut bytes = bytes;
                bytes.drain(..header);
                Ok((FileContent { path, bytes, element }, kind))
            }
            (_, kind) => Ok((FileContent { path, bytes, element: None }, self.complete(kind)?)),
        }
    }

    fn read(&self, path: &Path, span: &Span) -> Result<Vec<u8>, JobError> {
        match files::read_until(path, self.left.saturating_add(HEADER), self.cancel) {
            Ok(bytes) => Ok(bytes),
            Err(FileProblem::TooLarge { bytes, .. }) => Err(self.too_large(bytes, span)),
            Err(problem) => {
                let of = |problem| Problem::ReadFile { path: path.to_owned(), problem };
                Err(self.job.error(span, Problem::of_file(problem, self.cancel, of)))
            }
        }
    }

    pub fn check_run(&self, run: &Run, size: u64) -> Result<(), JobError> {
        match run.end() {
            end if end > size => Err(self
                .job
                .error(&run.span, Problem::ValuesSize { register: self.register(), found: end, needed: size })),
            _ => Ok(()),
        }
    }
}

/// The kind with the sides that an array says and the job does not. Those of compressed textures are not said: an array
/// counts blocks.
fn with_sides(kind: Kind, array: &Array) -> Kind {
    let Kind::Texture(mut keys) = kind else { return kind };
    let is_of_texels = keys.format.is_some_and(|format| format.block_extents() == [1, 1]);
    if let Some(dimension) = keys.dimension.filter(|_| is_of_texels) {
        for (side, length) in files::sides(dimension).iter().zip(&array.sides) {
            keys.set(*side, keys.get(*side).or(u32::try_from(*length).ok()));
        }
    }
    Kind::Texture(keys)
}

/// Refuses an array that is no view of this kind.
pub(super) fn check_array(kind: &Kind<TextureShape>, array: &Array, size_bytes: u64) -> Result<(), FileProblem> {
    let format = match kind {
        Kind::Typed { format, .. } => *format,
        Kind::Texture(shape) => shape.format,
        _ => return Ok(()),
    };
    let (wanted, components) = ElementType::of_format(format);
    if wanted != array.element {
        return Err(format!("the array has elements of {}, the view's format needs {wanted}", array.element).into());
    }
    if let Kind::Texture(shape) = kind
        && shape.mips == 1
        && shape.size_bytes().is_ok_and(|size| size == size_bytes)
    {
        // The components of a texel may have a side of their own or not.
        let sides = Array::of_texture(shape).sides;
        let leading = &sides[..sides.len() - usize::from(components > 1)];
        if !array.sides.starts_with(leading) {
            return Err(format!("the array's shape is {:?}, the texture's {leading:?}", array.sides).into());
        }
    }
    Ok(())
}
