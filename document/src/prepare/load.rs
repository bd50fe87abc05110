//! Loads the initial content of each resource: reads its file, and checks that everything that gives its size agrees.

use std::path::{Path, PathBuf};

use brolga_files::{
    self as files, Array, ElementType, FileForm, FilePart, FileProblem, HEADER, Texels, foreign_picture,
};
use brolga_runtime::TextureShape;

use super::folder::{Folder, form_of};
use crate::error::{Fault, Problem};
use crate::model::expectation::Save;
use crate::model::number::NumberType;
use crate::model::resource::{Content, Kind, ResourceEntry, ValueRun};
use crate::run::output;
use crate::text::{Located, Span};

/// Files of raw bytes, and arrays, of at least this size are mapped, or go from the disk to each run's resources.
pub(crate) const MAPPED_FROM: u64 = 64 << 20;

/// A resource with its final size and initial content.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// The kind, with every dimension known.
    pub kind: Kind<TextureShape>,
    pub content: LoadedContent,
    /// The shader writes to the output file itself.
    pub in_place: bool,
    /// The type of its numbers, if the shaders give one for all.
    pub number_type: Option<NumberType>,
}

/// The content of a resource before a run.
#[derive(Clone, Debug)]
pub(crate) enum LoadedContent {
    /// This many zeros.
    Zeros(u64),
    Bytes(Vec<u8>),
    /// Values at their offsets among this many bytes of zeros.
    Values(Vec<ValueRun>, u64),
    /// A number's bytes, repeated to this size.
    Fill(Vec<u8>, u64),
    /// A part of a file, to be mapped.
    Mapped(FilePart),
    /// A part of a file, to be copied.
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

    /// Bytes that the resource takes in memory.
    pub fn memory_bytes(&self) -> u64 {
        match self {
            LoadedContent::Mapped(..) => 0,
            _ => self.size_bytes(),
        }
    }
}

/// Loads the content of one resource.
pub(crate) struct Loader<'a> {
    pub folder: &'a Folder<'a>,
    pub resource: &'a ResourceEntry,
    /// Its kind, without what its file adds.
    pub kind: Kind,
    /// Its output after the run.
    pub save: Option<&'a Save>,
    /// Set if steps may write it.
    pub is_written: bool,
    /// Set if it is of no use without content.
    pub needs_content: bool,
    /// The maximum size of a resource in bytes.
    pub most: u64,
    /// Bytes left of the limit for all resources together.
    pub left: u64,
}

/// A part of a file that is not read here.
pub(crate) struct LargeFile {
    pub part: FilePart,
    /// The content of its header, if it is an array.
    pub array: Option<Array>,
}

/// The content of an input file without its header.
pub(crate) struct FileContent {
    pub bytes: Vec<u8>,
    /// The type of its numbers, if it has one.
    pub element: Option<ElementType>,
}

impl Loader<'_> {
    fn wrong(&self, message: impl Into<String>, help: Option<String>) -> Fault {
        (Problem::Value { message: message.into(), help }, self.resource.span.clone())
    }

    pub fn label(&self) -> &str {
        &self.resource.label
    }

    /// Loads the resource.
    pub fn load(&self) -> Result<Loaded, Fault> {
        let named = if let Content::File(file) = &self.resource.content { Some(file) } else { None };
        if let (Some(file), Kind::Texture(_)) = (named, &self.kind)
            && let Some(why) = foreign_picture(&file.value)
        {
            return Err((Problem::value(why), file.span.clone()));
        }
        let path = named.map(|file| self.folder.file("input", &file.value));
        let file = named.zip(path.as_deref());
        // Nor would it help to read them twice: if a copy is needed, it goes from the file to the resource.
        let is_large = |length| self.maps(length) || length >= MAPPED_FROM;
        let large = file.map(|(file, path)| Ok::<_, Fault>((self.large_file(file, path, is_large)?, file)));
        let large = large.transpose()?.and_then(|(large, file)| Some((large?, &file.span)));
        let (content, kind) = match (file, &large) {
            (Some((file, path)), None) => {
                let (found, kind) = self.open(file, path, self.kind)?;
                (Some((found, file, path)), kind)
            }
            (_, Some((LargeFile { part, array: Some(array) }, span))) => {
                let kind = self.complete(with_sides(self.kind, array))?;
                let checked = check_array(&kind, array, part.size_bytes);
                checked.map_err(|problem| self.folder.failed(span, part.path.clone(), problem))?;
                (None, kind)
            }
            _ => (None, self.complete(self.kind)?),
        };
        let length = content.as_ref().map(|(content, ..)| content.bytes.len() as u64);
        let size = self.size(&kind, large.as_ref().map(|(large, _)| large.part.size_bytes).or(length))?;
        // Resources that steps may write are copied, as are those for which the document asks for it.
        let can_be_mapped = large.as_ref().is_some_and(|(large, _)| large.part.can_be_mapped());
        let is_mapped = !self.is_written && self.maps(size) && can_be_mapped;
        if size > self.left && !is_mapped {
            return Err(self.too_large(size, &self.resource.span));
        }
        let content = match (&self.resource.content, content) {
            _ if let Some((LargeFile { part, .. }, span)) = large => {
                self.check_file_size(&part.path, part.size_bytes, size, span)?;
                if is_mapped { LoadedContent::Mapped(part) } else { LoadedContent::File(part) }
            }
            (_, Some((content, file, path))) => {
                self.check_file_size(path, content.bytes.len() as u64, size, &file.span)?;
                LoadedContent::Bytes(content.bytes)
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
            (Content::Unsaid, _) if self.needs_content => {
                let key = "file`, `fill` or values such as `u32";
                let problem = Problem::MissingKey { place: "what is only read", key, meaning: "its content" };
                return Err((problem, self.resource.span.clone()));
            }
            _ => LoadedContent::Zeros(size),
        };
        if let Some(save) = self.save {
            let refusal = match save.form(&kind) {
                Ok(form) => output::refusal(form, &kind, size, save.number_type),
                Err(names) => Some(format!("{names}, or under any name with `raw = true`")),
            };
            if let Some(message) = refusal {
                let path = files::short_path(&save.path.value);
                let message = format!("{path} cannot hold {}: {message}", self.label());
                return Err((Problem::value(message), save.path.span.clone()));
            }
        }
        self.check_map()?;
        self.check_counted()?;
        let in_place = self.is_written && self.saves_raw(&kind) && self.maps(size);
        Ok(Loaded { kind, content, in_place, number_type: None })
    }

    /// `true` if files of this size are mapped, where possible.
    fn maps(&self, bytes: u64) -> bool {
        self.resource.map.as_ref().map_or(bytes >= MAPPED_FROM, |map| map.value)
    }

    /// `true` if all of it goes to a file of raw bytes.
    fn saves_raw<T>(&self, kind: &Kind<T>) -> bool {
        let is_raw =
            |save: &Save| save.form(kind) == Ok(FileForm::Raw) && save.counted.is_none() && !save.is_standard();
        self.save.is_some_and(is_raw)
    }

    /// The fault for a key that asks for something that the resource does not have.
    fn nothing_for(&self, key: &str, does: &str, found: &str, span: &Span) -> Fault {
        (Problem::value(format!("`{key}` {does}, and {} {found}", self.label())), span.clone())
    }

    /// Rejects an output limited by a counter that does not exist.
    fn check_counted(&self) -> Result<(), Fault> {
        let Some(span) = self.save.and_then(|save| save.counted.as_ref()) else { return Ok(()) };
        let found = match self.kind {
            _ if self.resource.counter.is_some() => return Ok(()),
            Kind::Structured { .. } => "has none: give it `counter = 0`",
            _ => "is not a structured view",
        };
        Err(self.nothing_for("counted", "cuts an output to the hidden counter", found, span))
    }

    /// Rejects `map = true` if there is nothing to map.
    fn check_map(&self) -> Result<(), Fault> {
        let Some(Located { value: true, span }) = &self.resource.map else { return Ok(()) };
        let found = match (self.is_written, &self.resource.content) {
            (true, _) if self.saves_raw(&self.kind) => return Ok(()),
            (true, _) if self.save.is_some_and(|save| save.counted.is_some()) => "is saved in part",
            (true, _) => "is not saved to one",
            (_, Content::File(file)) => match form_of(&file.value) {
                FileForm::Raw if Folder::is_plain(&file.value) => return Ok(()),
                FileForm::Npy if Folder::is_plain(&file.value) => {
                    let path = self.folder.file("input", &file.value);
                    match FilePart::elements(&path).is_ok_and(|(_, part)| !part.can_be_mapped()) {
                        true => "has an array that does not begin at a multiple of 4 bytes in its file",
                        false => return Ok(()),
                    }
                }
                _ => "has a file in another format",
            },
            _ => "has no file",
        };
        let does = if self.is_written { "maps a file of raw bytes" } else { "maps a file of raw bytes or an array" };
        Err(self.nothing_for("map", does, found, span))
    }

    /// A file of raw bytes, or an array, that is too large to be read here. One that cannot be opened is not large.
    pub fn large_file(
        &self,
        file: &Located<PathBuf>,
        path: &Path,
        is_large: impl Fn(u64) -> bool,
    ) -> Result<Option<LargeFile>, Fault> {
        let form = form_of(path);
        let is_plain = !form.is_texture() && Folder::is_plain(path);
        let whole = is_plain.then(|| FilePart::whole(path).ok()).flatten();
        let Some(part) = whole.filter(|part| is_large(part.size_bytes)) else { return Ok(None) };
        if form == FileForm::Raw {
            return Ok(Some(LargeFile { part, array: None }));
        }
        let elements =
            FilePart::elements(path).map_err(|problem| self.folder.failed(&file.span, path.to_owned(), problem));
        elements.map(|(array, part)| Some(LargeFile { part, array: Some(array) }))
    }

    /// Bytes of the resource. `file` is the length of the content that fills it.
    fn size(&self, kind: &Kind<TextureShape>, file: Option<u64>) -> Result<u64, Fault> {
        let computed = match *kind {
            Kind::Structured { stride, count: Some(count) } => Some(count.saturating_mul(u64::from(stride))),
            Kind::Typed { format, count: Some(count) } => Some(count.saturating_mul(u64::from(format.size_bytes()))),
            Kind::Texture(shape) => match shape.size_bytes() {
                Ok(size) => Some(size),
                Err(error) => {
                    let problem = Problem::Resource { label: self.label().to_owned(), error };
                    return Err((problem, self.resource.span.clone()));
                }
            },
            _ => None,
        };
        let (label, name) = (self.label(), kind.keys().name());
        let size = match (self.resource.size, computed, &self.resource.content, file) {
            (Some(given), Some(computed), _, _) if given != computed => {
                let message = format!("{label} has {given} bytes by `size`, but its {name} says {computed}");
                return Err(self.wrong(message, None));
            }
            (Some(size), ..) | (_, Some(size), ..) => size,
            (_, _, _, Some(length)) => length,
            (_, _, Content::Values(runs), _) => runs.iter().map(ValueRun::end).max().unwrap_or(0),
            _ => {
                let help = match name {
                    "structured" | "typed" => "give `count` (elements), `size` (bytes), values, or a `file`",
                    _ => "give `size`, values, or a `file`",
                };
                return Err(self.wrong(format!("nothing says how many bytes {label} has"), Some(help.into())));
            }
        };
        if size > self.most {
            return Err(self.too_large(size, &self.resource.span));
        }
        let unit = match *kind {
            Kind::Structured { stride, .. } => u64::from(stride),
            Kind::Typed { format, .. } => u64::from(format.size_bytes()),
            Kind::Plain("raw") => 4,
            _ => 1,
        };
        if !size.is_multiple_of(unit) {
            return Err(self.not_whole(size, unit));
        }
        Ok(size)
    }

    /// The fault for a resource or file of this size, which is too large by itself or with those before it.
    fn too_large(&self, bytes: u64, span: &Span) -> Fault {
        let (label, limit) = (self.label(), self.most);
        let (what, bytes) = match bytes > limit {
            true => (format!("{label} would have"), bytes),
            false => (format!("with {label} the document would take"), bytes.saturating_add(limit - self.left)),
        };
        (Problem::TooLarge { what, bytes, limit }, span.clone())
    }

    fn not_whole(&self, bytes: u64, unit: u64) -> Fault {
        self.wrong(format!("{} has {bytes} bytes, which is not a multiple of {unit}", self.label()), None)
    }

    pub fn check_file_size(&self, path: &Path, found: u64, needed: u64, span: &Span) -> Result<(), Fault> {
        let help = match found.cmp(&needed) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => format!("{} bytes are missing", needed - found),
            std::cmp::Ordering::Greater => format!("{} bytes are too many", found - needed),
        };
        let message = format!("{} has {found} bytes, {} needs {needed}", files::short_path(path), self.label());
        Err((Problem::with_help(message, help), span.clone()))
    }

    /// The kind, if the document determines it completely.
    fn complete(&self, kind: Kind) -> Result<Kind<TextureShape>, Fault> {
        let missing = |place, key| (Problem::MissingKey { place, key, meaning: "" }, self.resource.span.clone());
        kind.try_map(|keys| match keys.generate_mips {
            true => Err(missing("a texture with generated mips", "file` that ends in `.png`, `.dds` or `.exr")),
            false => keys.shape().map_err(|key| missing("a texture", key)),
        })
    }

    /// Reads an input file, which may complete the document's description of a texture.
    pub fn open(
        &self,
        file: &Located<PathBuf>,
        path: &Path,
        kind: Kind,
    ) -> Result<(FileContent, Kind<TextureShape>), Fault> {
        let bytes = self.read(path, &file.span)?;
        let bad = |problem| self.folder.failed(&file.span, path.to_owned(), problem);
        match (form_of(path), kind) {
            (form, Kind::Texture(keys)) if form.is_texture() => {
                let Texels { shape, bytes, .. } = keys.read(form, bytes, self.left, self.folder.cancel).map_err(bad)?;
                Ok((FileContent { bytes, element: None }, Kind::Texture(shape)))
            }
            (form, kind) if form.is_texture() => {
                let name = kind.name();
                let message = format!(
                    "by its name this is a texture, but the view is {name}: rename it to use its bytes as they are"
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
                Ok((FileContent { bytes, element }, kind))
            }
            (_, kind) => Ok((FileContent { bytes, element: None }, self.complete(kind)?)),
        }
    }

    fn read(&self, path: &Path, span: &Span) -> Result<Vec<u8>, Fault> {
        match self.folder.read(path, self.left.saturating_add(HEADER)) {
            Ok(bytes) => Ok(bytes),
            Err(FileProblem::TooLarge { what: "it has", bytes, .. }) => Err(self.too_large(bytes, span)),
            Err(problem) => Err(self.folder.failed(span, path.to_owned(), problem)),
        }
    }

    pub fn check_run(&self, run: &ValueRun, size: u64) -> Result<(), Fault> {
        match run.end() {
            end if end > size => {
                let message = format!("{} has {size} bytes, the values end at byte {end}", self.label());
                Err((Problem::value(message), run.span.clone()))
            }
            _ => Ok(()),
        }
    }
}

/// The kind with the extents that an array gives and the document does not. Those of compressed textures are not taken:
/// an array counts blocks.
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

/// Rejects an array that is not a view of this kind.
pub(crate) fn check_array(kind: &Kind<TextureShape>, array: &Array, size_bytes: u64) -> Result<(), FileProblem> {
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
        // The components of a texel may have a dimension of their own or not.
        let sides = Array::of_texture(shape).sides;
        let leading = &sides[..sides.len() - usize::from(components > 1)];
        if !array.sides.starts_with(leading) {
            return Err(format!("the array's shape is {:?}, the texture's {leading:?}", array.sides).into());
        }
    }
    Ok(())
}
