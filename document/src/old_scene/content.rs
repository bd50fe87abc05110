//! What a scene's resources and files hold, before there is a device for it.

use std::cell::RefCell;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use brolga_runtime::{CancelToken, Dimension, Format, TextureShape, room};

use super::document::{Mips, Resource};
use super::error::{Problem, SceneError};
use super::names::{Kind, Named};
use crate::files::{
    self, Array, Extent, FileForm, FilePart, FileProblem, HEADER, Stored, Texels, foreign_picture, go_on, leads_out,
    short,
};
use crate::job::TextureKeys;

/// A resource's shape and its first bytes.
#[derive(Debug)]
pub(super) struct Content {
    pub form: Form,
    /// None where it starts as zeros.
    pub bytes: Option<Stored>,
}

/// Files of raw bytes, and arrays, from this size on go from the disk to each run's resources.
const LARGE: u64 = 64 << 20;

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Buffer { size_bytes: u64 },
    Texture(TextureShape),
}

impl Form {
    /// Bytes that it takes.
    pub fn size_bytes(&self, place: &str) -> Result<u64, SceneError> {
        match self {
            Form::Buffer { size_bytes } => Ok(*size_bytes),
            Form::Texture(shape) => shape.size_bytes().map_err(|error| SceneError::new(place, error)),
        }
    }
}

/// The bytes that a scene's resources may take together.
pub(super) struct Room {
    pub taken: u64,
    pub limit: u64,
}

impl Room {
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.taken)
    }

    /// Takes what the form of the resource at a place needs.
    fn take(&mut self, place: &str, form: Form) -> Result<Form, SceneError> {
        self.taken = self.taken.saturating_add(form.size_bytes(place)?);
        match self.taken > self.limit {
            true => Err(SceneError::new(place, Problem::TooLarge { bytes: self.taken, limit: self.limit })),
            false => Ok(form),
        }
    }
}

impl Content {
    /// What a resource at a place is and holds.
    pub fn load(place: &str, resource: &Resource, folder: &Folder<'_>, room: &mut Room) -> Result<Self, SceneError> {
        let dimension = match resource.kind {
            Kind::Texture1d => Dimension::Texture1d,
            Kind::Texture2d => Dimension::Texture2d,
            Kind::Texture2darray => Dimension::Texture2dArray,
            Kind::Texture3d => Dimension::Texture3d,
            Kind::Texturecube => Dimension::TextureCube,
            _ => return Self::buffer(place, resource, folder, room),
        };
        match &resource.file {
            Some(file) if let Some(why) = foreign_picture(file.as_ref()) => {
                Err(SceneError::value(format!("{place}.file"), why))
            }
            Some(file) if form_of(file).is_texture() => Self::picture(place, resource, dimension, file, folder, room),
            _ => Self::texture(place, resource, dimension, folder, room),
        }
    }

    /// A buffer: as large as it says, or as its content is.
    fn buffer(place: &str, resource: &Resource, folder: &Folder<'_>, room: &mut Room) -> Result<Self, SceneError> {
        if resource.size == Some(0) || (resource.size.is_none() && resource.is_empty()) {
            return Err(SceneError::value(place, "a buffer has at least one byte, and this one has none"));
        }
        let sized = resource.size.map(|size_bytes| room.take(place, Form::Buffer { size_bytes })).transpose()?;
        let bytes = folder.content(place, resource, resource.size.unwrap_or(room.left()))?;
        let count = bytes.as_ref().map(Stored::size_bytes);
        match (sized, count) {
            (Some(Form::Buffer { size_bytes }), Some(count)) if count > size_bytes => {
                Err(wrong_size(place, count, size_bytes))
            }
            (Some(form), _) => Ok(Self { form, bytes }),
            (None, Some(size_bytes)) => Ok(Self { form: room.take(place, Form::Buffer { size_bytes })?, bytes }),
            (None, None) => needed(place, "size", None),
        }
    }

    /// A texture whose shape the scene says.
    fn texture(
        place: &str,
        resource: &Resource,
        dimension: Dimension,
        folder: &Folder<'_>,
        room: &mut Room,
    ) -> Result<Self, SceneError> {
        let mips = match resource.mips {
            Some(Mips::Count(count)) => count,
            Some(Mips::Generate) => {
                let message = "levels are made of the first one of a file that ends in .png, .dds or .exr";
                return Err(SceneError::value(format!("{place}.mips"), message));
            }
            None => 1,
        };
        let mut shape =
            TextureShape::new(dimension, texel_format(place, resource)?, needed(place, "width", resource.width)?)
                .height(match dimension {
                    Dimension::Texture1d => resource.height.unwrap_or(1),
                    _ => needed(place, "height", resource.height)?,
                })
                .depth(resource.depth.unwrap_or(1))
                .mips(mips);
        shape.layers = resource.layers.unwrap_or(shape.layers);
        let form = room.take(place, Form::Texture(shape))?;
        let size_bytes = form.size_bytes(place)?;
        let bytes = folder.content(place, resource, size_bytes)?;
        match bytes.as_ref().map(Stored::size_bytes) {
            Some(count) if count != size_bytes => Err(wrong_size(place, count, size_bytes)),
            _ => Ok(Self { form, bytes }),
        }
    }

    /// A texture in a file that says its shape.
    fn picture(
        place: &str,
        resource: &Resource,
        dimension: Dimension,
        file: &str,
        folder: &Folder<'_>,
        room: &mut Room,
    ) -> Result<Self, SceneError> {
        if resource.has_values() {
            return Err(SceneError::value(place, ONE_CONTENT));
        }
        let place_of_file = format!("{place}.file");
        let most = room.left();
        let bytes = folder.bytes(&place_of_file, file, most.saturating_add(HEADER))?;
        let mut keys = TextureKeys::default();
        keys.dimension = Some(dimension);
        keys.format = resource.format.map(|Named(format)| format.stored);
        keys.generate_mips = matches!(resource.mips, Some(Mips::Generate));
        let mips = if let Some(Mips::Count(count)) = resource.mips { Some(count) } else { None };
        for (extent, said) in [
            (Extent::Width, resource.width),
            (Extent::Height, resource.height),
            (Extent::Depth, resource.depth),
            (Extent::Layers, resource.layers),
            (Extent::Mips, mips),
        ] {
            keys.set(extent, said);
        }
        let Texels { shape, bytes, .. } = keys
            .read(form_of(file), bytes, most, folder.cancel)
            .map_err(|problem| folder.failed(&place_of_file, folder.path.join(file), problem))?;
        Ok(Self { form: room.take(place, Form::Texture(shape))?, bytes: Some(Stored::Bytes(bytes)) })
    }
}

const ONE_CONTENT: &str = "only one of `file`, `f32`, `u32` and `u16` can say what it holds";

fn wrong_size(place: &str, found: u64, size_bytes: u64) -> SceneError {
    SceneError::value(place, format!("its content has {found} bytes, but it has {size_bytes}"))
}

/// The form of a file, which may be packed.
fn form_of(file: &str) -> FileForm {
    FileForm::of(file.strip_suffix(PACKED).unwrap_or(file).as_ref())
}

/// Why a file that a link leads to is neither read nor written.
pub(super) const OUTSIDE: &str = "a link leads out of the folder: a scene's files are in its folder or below it";

/// The end of the names of packed files.
const PACKED: &str = ".zst";

/// The format of a resource that needs one.
pub(super) fn texel_format(place: &str, resource: &Resource) -> Result<Format, SceneError> {
    needed(place, "format", resource.format).map(|Named(format)| format.stored)
}

/// The value of a key that must be there.
pub(super) fn needed<T>(place: &str, key: &str, value: Option<T>) -> Result<T, SceneError> {
    value.ok_or_else(|| SceneError::value(place, format!("the key `{key}` is missing")))
}

/// The folder of a scene, whose files it may name.
pub(super) struct Folder<'a> {
    pub path: PathBuf,
    /// Stops what takes long.
    pub cancel: &'a CancelToken,
    /// The files that were read.
    read: RefCell<Vec<PathBuf>>,
}

impl<'a> Folder<'a> {
    /// The folder that a scene file is in.
    pub fn of(scene: &Path, cancel: &'a CancelToken) -> Self {
        let path = scene.parent().map_or_else(PathBuf::new, Path::to_owned);
        Self { path, cancel, read: RefCell::default() }
    }

    /// The files that were read.
    pub fn into_read(self) -> Vec<PathBuf> {
        self.read.into_inner()
    }

    /// What is wrong with a file that is named at a place, or that the token was cancelled.
    pub fn failed(&self, place: &str, file: PathBuf, problem: FileProblem) -> SceneError {
        SceneError::new(place, Problem::of_file(file, problem, self.cancel))
    }

    /// A resource's content of so many bytes at most, if it says one: its values, or a file's bytes or array.
    fn content(&self, place: &str, resource: &Resource, most: u64) -> Result<Option<Stored>, SceneError> {
        let values = [
            resource.f32.as_ref().map(|list| bytes_of(list, f32::to_le_bytes)),
            resource.u32.as_ref().map(|list| bytes_of(list, u32::to_le_bytes)),
            resource.u16.as_ref().map(|list| bytes_of(list, u16::to_le_bytes)),
        ];
        let values = values.into_iter().flatten().collect::<Result<Vec<_>, _>>();
        let values = values.map_err(|error| SceneError::new(place, error))?;
        let file = resource.file.as_ref().map(|file| self.numbers(&format!("{place}.file"), file, most));
        let mut found = file.transpose()?.into_iter().chain(values.into_iter().map(Stored::Bytes));
        let bytes = found.next();
        match found.next() {
            Some(_) => Err(SceneError::value(place, ONE_CONTENT)),
            None => Ok(bytes),
        }
    }

    /// The elements of an array, or the bytes of any other file.
    fn numbers(&self, place: &str, name: &str, most: u64) -> Result<Stored, SceneError> {
        let form = form_of(name);
        if !form.is_texture()
            && let Some(part) = self.large(place, name, form)?
        {
            return match part.size_bytes {
                bytes if bytes > most => {
                    let problem = FileProblem::TooLarge { what: "it has", bytes, limit: most };
                    Err(self.failed(place, part.path, problem))
                }
                _ => Ok(Stored::File(part)),
            };
        }
        match form {
            FileForm::Npy => {
                let mut bytes = self.bytes(place, name, most.saturating_add(HEADER))?;
                let (_, elements) =
                    Array::read(&bytes).map_err(|problem| self.failed(place, self.path.join(name), problem))?;
                let header = bytes.len() - elements.len();
                bytes.drain(..header);
                Ok(Stored::Bytes(bytes))
            }
            FileForm::Raw => self.bytes(place, name, most).map(Stored::Bytes),
            _ => {
                let message = format!("`{}` holds a texture by its name, and this is a buffer", short(name));
                Err(SceneError::value(place, message))
            }
        }
    }

    /// The content of a large file, which stays there.
    fn large(&self, place: &str, name: &str, form: FileForm) -> Result<Option<FilePart>, SceneError> {
        let path = self.file(place, name)?;
        // What cannot be opened is not large.
        let whole = if name.ends_with(PACKED) { None } else { FilePart::whole(&path).ok() };
        let Some(part) = whole.filter(|part| part.size_bytes >= LARGE) else { return Ok(None) };
        self.read.borrow_mut().push(path.clone());
        match form {
            FileForm::Npy => {
                let elements = FilePart::elements(&path).map_err(|problem| self.failed(place, path, problem));
                elements.map(|(_, part)| Some(part))
            }
            _ => Ok(Some(part)),
        }
    }

    /// Reads a file that may hold so many bytes. One that ends in .zst is unpacked.
    pub fn bytes(&self, place: &str, name: &str, most: u64) -> Result<Vec<u8>, SceneError> {
        let path = self.file(place, name)?;
        let is_packed = name.ends_with(PACKED);
        let bytes = files::read_until(&path, if is_packed { most.saturating_add(HEADER) } else { most }, self.cancel);
        let bytes = bytes.and_then(|bytes| if is_packed { unpack(&bytes, most, self.cancel) } else { Ok(bytes) });
        self.read.borrow_mut().push(path.clone());
        bytes.map_err(|problem| self.failed(place, path, problem))
    }

    /// The file that a name stands for, which is in the folder or below it wherever links lead.
    fn file(&self, place: &str, name: &str) -> Result<PathBuf, SceneError> {
        Self::check_inside(place, name)?;
        let path = self.path.join(name);
        match leads_out(&self.path, &path) {
            Ok(false) => Ok(path),
            Ok(true) => Err(self.failed(place, path, OUTSIDE.into())),
            Err(error) => Err(self.failed(place, path, error.into())),
        }
    }

    /// Checks that a name is that of a file in the folder or below it.
    pub fn check_inside(place: &str, name: &str) -> Result<(), SceneError> {
        let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        match is_inside && !name.is_empty() {
            true => Ok(()),
            false => Err(SceneError::value(
                place,
                format!("a scene's files are in its folder or below it, and `{}` is not", short(name)),
            )),
        }
    }
}

/// Numbers as they lie in memory.
fn bytes_of<T: Copy, const N: usize>(
    numbers: &[T],
    bytes: impl Fn(T) -> [u8; N],
) -> Result<Vec<u8>, brolga_runtime::ResourceError> {
    let mut all = room::room((numbers.len() * N) as u64)?;
    numbers.iter().for_each(|&number| all.extend_from_slice(&bytes(number)));
    Ok(all)
}

/// Bytes that are unpacked at once.
const PIECE: u64 = 1 << 20;

/// What a file packed with Zstandard holds.
fn unpack(packed: &[u8], most: u64, cancel: &CancelToken) -> Result<Vec<u8>, FileProblem> {
    let damaged = |error: &dyn std::fmt::Display| FileProblem::from(format!("the file is damaged: {error}"));
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| damaged(&error))?;
    let (mut bytes, mut piece) = (Vec::new(), Vec::new());
    loop {
        go_on(cancel)?;
        piece.clear();
        (&mut decoder).take(PIECE).read_to_end(&mut piece).map_err(|error| damaged(&error))?;
        match bytes.len() as u64 + piece.len() as u64 {
            found if found > most => {
                return Err(FileProblem::TooLarge { what: "it unpacks to more than", bytes: most, limit: most });
            }
            _ if piece.is_empty() => return Ok(bytes),
            _ => {}
        }
        if bytes.capacity() - bytes.len() < piece.len() {
            // Twice as much each time, as vectors grow.
            let count = bytes.len().max(piece.len());
            room::more(&mut bytes, count as u64)?;
        }
        bytes.extend_from_slice(&piece);
    }
}
