//! Forms of output files, and what they hold.

use std::io::{self, Write};
use std::path::Path;

use brolga_runtime::{Dimension, TextureShape};

use super::bytes::Bytes;
use super::extents::{self, Extent};
use super::model::Kind;
use super::npy::{self, ElementType};
use super::values::NumberType;
use super::{dds, exr, picture};

/// Forms of output files, by the end of the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileForm {
    /// The bytes of the view.
    Raw,
    /// NumPy's.
    Npy,
    /// A picture.
    Png,
    /// Any texture.
    Dds,
    /// A picture of floats.
    Exr,
}

impl FileForm {
    /// The form that a file's name asks for.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("npy") => FileForm::Npy,
            Some("png") => FileForm::Png,
            Some("dds") => FileForm::Dds,
            Some("exr") => FileForm::Exr,
            _ => FileForm::Raw,
        }
    }

    /// Whether files say themselves what texture they hold.
    pub fn is_texture(self) -> bool {
        match self {
            FileForm::Raw | FileForm::Npy => false,
            FileForm::Png | FileForm::Dds | FileForm::Exr => true,
        }
    }
}

/// Why a view cannot go into a file of this form; `None` if it can.
pub(super) fn refusal(
    form: FileForm,
    kind: &Kind<TextureShape>,
    size_bytes: u64,
    number_type: Option<NumberType>,
) -> Option<String> {
    let shape = match (form, kind) {
        (FileForm::Raw, _) | (FileForm::Png | FileForm::Dds | FileForm::Exr, _) if number_type.is_some() => {
            return Some("only an .npy file says the type of its numbers: leave `type` out".into());
        }
        (FileForm::Raw, _) => return None,
        (FileForm::Npy, _) => return npy_refusal(kind, size_bytes, number_type),
        (FileForm::Png | FileForm::Dds | FileForm::Exr, Kind::Texture(shape)) => shape,
        (FileForm::Png | FileForm::Dds | FileForm::Exr, other) => {
            return Some(format!("a picture is made from a texture, not from a {} view", other.keys().name()));
        }
    };
    let format = shape.format;
    match form {
        FileForm::Dds => (extents::detail(shape.dimension) == Extent::Samples)
            .then(|| "it holds no textures of several samples: save it as .bin".into()),
        _ if shape.dimension != Dimension::Texture2d || shape.mips > 1 => {
            Some("a picture holds one texture2d of one level: save it as .dds".into())
        }
        FileForm::Png if !picture::can_write(format) => Some(format!(
            "its colours are numbers from 0 to 1 or integers of 8 or 16 bits, not {format}: save it as .dds or .npy"
        )),
        FileForm::Exr if !exr::can_write(format) => {
            Some(format!("its colours are floats, not {format}: save it as .png or .dds"))
        }
        _ => None,
    }
}

fn npy_refusal(kind: &Kind<TextureShape>, size_bytes: u64, number_type: Option<NumberType>) -> Option<String> {
    if matches!(kind, Kind::Texture(shape) if shape.mips > 1) {
        return Some("an .npy file holds one level of detail: save it as .dds or .bin".into());
    }
    let number_type = number_type?;
    let unit = match kind {
        Kind::Structured { stride, .. } => u64::from(*stride),
        Kind::Typed { .. } | Kind::Texture(_) => {
            return Some("its format says the type of its numbers: leave `type` out".into());
        }
        _ => size_bytes,
    };
    let whole = unit.is_multiple_of(number_type.size_bytes() as u64);
    (!whole).then(|| format!("{unit} bytes are no whole number of {number_type}"))
}

/// Writes the first `size_bytes` of what a view holds, all of it where it is no structured one. It must not have been refused.
pub(super) fn write(
    file: &mut impl Write,
    form: FileForm,
    kind: &Kind<TextureShape>,
    number_type: Option<NumberType>,
    bytes: &Bytes,
    size_bytes: u64,
) -> io::Result<()> {
    match (form, kind) {
        (FileForm::Raw, _) => bytes.write_to(file, size_bytes),
        (FileForm::Npy, _) => {
            let (element, shape) = array(kind, number_type, size_bytes);
            file.write_all(&npy::header(element, &shape))?;
            bytes.write_to(file, size_bytes)
        }
        (FileForm::Dds, Kind::Texture(shape)) => {
            file.write_all(&dds::header(shape))?;
            bytes.write_to(file, size_bytes)
        }
        (FileForm::Png, Kind::Texture(shape)) => {
            picture::write(file, shape.format, shape.width, shape.height, bytes).map_err(io::Error::other)
        }
        (FileForm::Exr, Kind::Texture(shape)) => {
            let picture = exr::write(shape.format, shape.width, shape.height, &bytes.to_vec());
            file.write_all(&picture.map_err(io::Error::other)?)
        }
        (FileForm::Png | FileForm::Dds | FileForm::Exr, _) => unreachable!("only textures are not refused"),
    }
}

/// The array that a view is: outermost side first. The sides of compressed textures count blocks.
pub(super) fn array(
    kind: &Kind<TextureShape>,
    number_type: Option<NumberType>,
    size_bytes: u64,
) -> (ElementType, Vec<u64>) {
    let plain = ElementType::of_numbers(number_type.unwrap_or(NumberType::U32));
    let numbers = |bytes: u64| bytes / plain.size_bytes as u64;
    let (format, mut sides) = match *kind {
        Kind::Structured { stride, .. } => {
            let stride = u64::from(stride);
            return (plain, vec![size_bytes / stride, numbers(stride)]);
        }
        Kind::Typed { format, .. } => (format, vec![size_bytes / u64::from(format.size_bytes())]),
        Kind::Texture(shape) => {
            let [across, down] = shape.format.block_extents();
            let side = |side: &Extent| match side {
                Extent::Width => shape.width.div_ceil(across),
                Extent::Height => shape.height.div_ceil(down),
                other => other.of(&shape),
            };
            let mut sides: Vec<u64> = extents::sides(shape.dimension).iter().map(side).map(u64::from).collect();
            if extents::detail(shape.dimension) == Extent::Samples {
                sides.push(Extent::Samples.of(&shape).into());
            }
            (shape.format, sides)
        }
        Kind::Constant | Kind::Raw | Kind::Sampler(_) => return (plain, vec![numbers(size_bytes)]),
    };
    let (element, components) = ElementType::of_format(format);
    if components > 1 {
        sides.push(components as u64);
    }
    (element, sides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brolga_runtime::Format;

    #[test]
    fn arrays_have_the_sides_of_their_view() {
        let structured = Kind::Structured { stride: 12, count: None };
        assert_eq!(array(&structured, Some(NumberType::F32), 120).1, [10, 3]);
        assert_eq!(array(&Kind::Raw, None, 120).1, [30]);
        let mut image = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 5, 3);
        assert_eq!(array(&Kind::Texture(image), None, 60).1, [3, 5, 4]);
        image.format = Format::R32_FLOAT;
        assert_eq!(array(&Kind::Texture(image), None, 60).1, [3, 5]);
    }

    #[test]
    fn pictures_refuse_what_has_no_obvious_colour() {
        let of = |kind: &Kind<_>| refusal(FileForm::of(Path::new("x.PNG")), kind, 64, None);
        assert!(of(&Kind::Raw).unwrap().contains("not from a raw view"));
        let image = TextureShape::texture_2d(Format::R32_UINT, 4, 4);
        assert!(of(&Kind::Texture(image)).unwrap().contains("not R32_UINT: save it as .dds or .npy"));
        assert_eq!(of(&Kind::Texture(TextureShape::texture_2d(Format::R32_FLOAT, 4, 4))), None);
    }
}
