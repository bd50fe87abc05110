//! What a scene's resources and files hold, before there is a device for it.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use brolga_runtime::{Dimension, Format, TextureShape};

use super::document::Resource;
use super::error::{Problem, SceneError};
use super::names::Kind;
use crate::files::{self, FileProblem, HEADER, short};

/// A resource's shape and its first bytes.
#[derive(Debug)]
pub(super) struct Content {
    pub form: Form,
    /// None where it starts as zeros.
    pub bytes: Option<Vec<u8>>,
}

/// What a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Buffer { size_bytes: u64 },
    Texture(TextureShape),
}

impl Form {
    /// What a resource at a place is.
    pub fn new(place: &str, resource: &Resource) -> Result<Self, SceneError> {
        let dimension = match resource.kind {
            Kind::Texture1d => Dimension::Texture1d,
            Kind::Texture2d => Dimension::Texture2d,
            Kind::Texture2darray => Dimension::Texture2dArray,
            Kind::Texture3d => Dimension::Texture3d,
            Kind::Texturecube => Dimension::TextureCube,
            _ => {
                let size_bytes = needed(place, "size", resource.size)?;
                return Ok(Form::Buffer { size_bytes });
            }
        };
        let mut shape =
            TextureShape::new(dimension, texel_format(place, resource)?, needed(place, "width", resource.width)?)
                .height(resource.height.unwrap_or(1))
                .depth(resource.depth.unwrap_or(1))
                .mips(resource.mips.unwrap_or(1));
        shape.layers = resource.layers.unwrap_or(shape.layers);
        Ok(Form::Texture(shape))
    }

    /// Bytes that it takes.
    pub fn size_bytes(&self, place: &str) -> Result<u64, SceneError> {
        match self {
            Form::Buffer { size_bytes } => Ok(*size_bytes),
            Form::Texture(shape) => shape.size_bytes().map_err(|error| SceneError::new(place, error)),
        }
    }
}

/// The format of a resource that needs one.
pub(super) fn texel_format(place: &str, resource: &Resource) -> Result<Format, SceneError> {
    Ok(needed(place, "format", resource.format.as_ref())?.0)
}

/// The value of a key that must be there.
pub(super) fn needed<T>(place: &str, key: &str, value: Option<T>) -> Result<T, SceneError> {
    value.ok_or_else(|| SceneError::value(place, format!("the key `{key}` is missing")))
}

/// The folder of a scene, whose files it may name.
pub(super) struct Folder(pub PathBuf);

impl Folder {
    /// Reads a resource's content of so many bytes.
    pub fn content(&self, place: &str, resource: &Resource, size_bytes: u64) -> Result<Option<Vec<u8>>, SceneError> {
        let values = [
            resource.f32.as_ref().map(|list| list.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()),
            resource.u32.as_ref().map(|list| list.iter().flat_map(|number| number.to_le_bytes()).collect()),
            resource.u16.as_ref().map(|list| list.iter().flat_map(|number| number.to_le_bytes()).collect()),
        ];
        let file = resource.file.as_ref().map(|file| self.bytes(&format!("{place}.file"), file, size_bytes));
        let mut found = file.transpose()?.into_iter().chain(values.into_iter().flatten());
        let bytes = found.next();
        if found.next().is_some() {
            return Err(SceneError::value(place, "only one of `file`, `f32`, `u32` and `u16` can say what it holds"));
        }
        let is_texture = resource.size.is_none();
        match bytes.as_ref().map(|bytes| bytes.len() as u64) {
            Some(count) if count > size_bytes || (is_texture && count < size_bytes) => {
                Err(SceneError::value(place, format!("its content has {count} bytes, but it has {size_bytes}")))
            }
            _ => Ok(bytes),
        }
    }

    /// Reads a file that may hold so many bytes. One that ends in .zst is unpacked.
    pub fn bytes(&self, place: &str, name: &str, most: u64) -> Result<Vec<u8>, SceneError> {
        let path = self.path(place, name)?;
        let is_packed = name.ends_with(".zst");
        let bytes = files::read(&path, if is_packed { most.saturating_add(HEADER) } else { most });
        let bytes = bytes.and_then(|bytes| if is_packed { unpack(&bytes, most) } else { Ok(bytes) });
        bytes.map_err(|problem| SceneError::new(place, Problem::File { file: path, problem }))
    }

    /// A file in the folder or below it.
    fn path(&self, place: &str, name: &str) -> Result<PathBuf, SceneError> {
        let is_inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
        match is_inside && !name.is_empty() {
            true => Ok(self.0.join(name)),
            false => Err(SceneError::value(
                place,
                format!("a scene's files are in its folder or below it, and `{}` is not", short(name)),
            )),
        }
    }
}

/// What a file packed with Zstandard holds.
fn unpack(packed: &[u8], most: u64) -> Result<Vec<u8>, FileProblem> {
    let damaged = |error: &dyn std::fmt::Display| FileProblem::from(format!("the file is damaged: {error}"));
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).map_err(|error| damaged(&error))?;
    let mut bytes = Vec::new();
    decoder.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
    match bytes.len() as u64 {
        found if found > most => {
            Err(FileProblem::TooLarge { what: "it unpacks to more than", bytes: most, limit: most })
        }
        _ => Ok(bytes),
    }
}
