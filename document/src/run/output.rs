//! Writes output files.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

use brolga_runtime::{CancelToken, TextureShape, room};

use brolga_files::{Array, Bytes, FileForm};

use crate::model::number::NumberType;
use crate::model::resource::Kind;

/// The reason why a view cannot be written in this file format; `None` if it can.
pub(crate) fn refusal(
    form: FileForm,
    kind: &Kind<TextureShape>,
    size_bytes: u64,
    number_type: Option<NumberType>,
) -> Option<String> {
    match (form, kind) {
        (FileForm::Raw | FileForm::Png | FileForm::Dds | FileForm::Exr, _) if number_type.is_some() => {
            Some("only an .npy file says the type of its numbers: leave `type` out".into())
        }
        (_, Kind::Texture(shape)) if let Err(problem) = form.check(shape) => Some(problem.to_string()),
        (FileForm::Npy, _) => npy_refusal(kind, size_bytes, number_type),
        (FileForm::Raw, _) | (_, Kind::Texture(_)) => None,
        (_, other) => Some(format!("a picture is made from a texture, not from a {} view", other.keys().name())),
    }
}

fn npy_refusal(kind: &Kind<TextureShape>, size_bytes: u64, number_type: Option<NumberType>) -> Option<String> {
    let number_type = number_type?;
    let unit = match kind {
        Kind::Structured { stride, .. } => u64::from(*stride),
        Kind::Typed { .. } | Kind::Texture(_) => {
            return Some("its format says the type of its numbers: leave `type` out".into());
        }
        _ => size_bytes,
    };
    let whole = unit.is_multiple_of(number_type.size_bytes() as u64);
    (!whole).then(|| format!("{unit} bytes are not a whole number of {number_type}"))
}

/// Writes the first `size_bytes` of a structured view, or all of another view, unless the token is cancelled. `refusal`
/// must have returned `None`.
pub(crate) fn write(
    file: &mut (impl Write + Seek),
    form: FileForm,
    kind: &Kind<TextureShape>,
    number_type: Option<NumberType>,
    (bytes, size_bytes): (&Bytes, u64),
    cancel: &CancelToken,
) -> io::Result<()> {
    match (form, kind) {
        (_, Kind::Texture(shape)) => return form.write(file, shape, bytes, cancel),
        (FileForm::Npy, _) => file.write_all(&array(kind, number_type, size_bytes).header())?,
        _ => {}
    }
    bytes.write_to(file, size_bytes)
}

/// Writes the same to standard output. A picture whose beginning is written last is made in memory first.
pub(crate) fn write_to_standard(
    form: FileForm,
    kind: &Kind<TextureShape>,
    number_type: Option<NumberType>,
    all: (&Bytes, u64),
    cancel: &CancelToken,
) -> io::Result<()> {
    let mut out = Forward(io::stdout().lock());
    if form == FileForm::Exr {
        let mut made = Cursor::new(room::room(all.1).map_err(io::Error::other)?);
        write(&mut made, form, kind, number_type, all, cancel)?;
        out.write_all(made.get_ref())?;
    } else {
        write(&mut out, form, kind, number_type, all, cancel)?;
    }
    out.flush()
}

/// A writer that cannot seek backwards.
struct Forward<T>(T);

impl<T: Write> Write for Forward<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<T> Seek for Forward<T> {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}

/// The array type of a view.
pub(crate) fn array(kind: &Kind<TextureShape>, number_type: Option<NumberType>, size_bytes: u64) -> Array {
    let element = number_type.unwrap_or(NumberType::U32).element();
    let numbers = |bytes: u64| bytes / element.size_bytes as u64;
    match *kind {
        Kind::Structured { stride, .. } => {
            let stride = u64::from(stride);
            Array { element, sides: vec![size_bytes / stride, numbers(stride)] }
        }
        Kind::Typed { format, .. } => Array::of_texels(format, vec![size_bytes / u64::from(format.size_bytes())]),
        Kind::Texture(shape) => Array::of_texture(&shape),
        Kind::Plain(_) => Array { element, sides: vec![numbers(size_bytes)] },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_the_sides_of_their_view() {
        let structured = Kind::Structured { stride: 12, count: None };
        assert_eq!(array(&structured, Some(NumberType::F32), 120).sides, [10, 3]);
        assert_eq!(array(&Kind::Plain("raw"), None, 120).sides, [30]);
    }

    #[test]
    fn pictures_are_made_of_textures_alone() {
        let of = |kind: &Kind<_>| refusal(FileForm::Png, kind, 64, None);
        assert!(of(&Kind::Plain("raw")).unwrap().contains("not from a raw view"));
    }
}
