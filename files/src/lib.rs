//! Reads and writes textures, arrays and meshes in files: `.png`, `.dds`, `.exr`, `.npy` and `.obj`.
//!
//! ```no_run
//! use brolga_files as files;
//! use brolga_runtime::{Bindings, Device, View};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::builder().build()?;
//! let picture = files::load_texture(&device, "scene.png", None)?;
//! let mut bindings = Bindings::new();
//! bindings.set("t0".parse()?, View::texture(picture.clone()));
//! // After a dispatch:
//! files::save_texture(&picture, "scene.dds")?;
//! # Ok(())
//! # }
//! ```
//!
//! Files may be hostile: nothing in them panics, and no header takes more memory than the file can fill or the device
//! allows. Nobody ever sees a partial file that is written here.
//!
//! | file | what |
//! |---|---|
//! | `texels.rs` | textures in memory, and texels from one format to another |
//! | `mips.rs` | mip levels that a file does not have |
//! | `extent.rs` | the extents of a texture |
//! | `npy.rs`, `png.rs`, `dds.rs`, `exr.rs`, `obj.rs` | .npy, .png, .dds, .exr and .obj |
//! | `bytes.rs` | bytes that are read piece by piece |
//! | `input.rs` | reads regular files up to a size, at once or on demand |
//! | `until.rs` | readers and writers that can be stopped |
//! | `claim.rs` | files to write, from before there is content until they are complete |
//! | `name.rs` | file formats by extension |
//! | `quote.rs` | quotations in messages |

mod bytes;
mod claim;
mod dds;
mod exr;
mod extent;
mod input;
mod mips;
mod name;
mod npy;
mod obj;
mod png;
mod quote;
mod texels;
mod until;

use std::borrow::Cow;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use brolga_fenv::in_default_mode;
use brolga_runtime::{Buffer, CancelToken, Device, Dimension, Format, Texture, TextureShape, room};

pub use bytes::Bytes;
pub use claim::Claim;
pub use extent::{Extent, shape_of_array};
pub use input::{read, read_until};
pub use npy::{Array, ElementType};
pub use obj::Mesh;
pub use texels::Texels;

pub use claim::{Writer, leads_out};
pub use extent::{detail, sides};
pub use input::{FilePart, write};
pub use name::{Held, foreign_picture, form_to_write};
pub use quote::{SHORT, short, short_path, short_text};
pub use until::go_on;

/// The maximum size of a file in addition to the memory of its texture or array, in bytes.
pub const HEADER: u64 = 1 << 16;

/// File formats, by extension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileForm {
    /// Bytes as they are.
    Raw,
    /// An array of NumPy's.
    Npy,
    /// A picture.
    Png,
    /// Any texture.
    Dds,
    /// A picture of floats.
    Exr,
}

impl FileForm {
    /// The format for a file's name.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("npy") => FileForm::Npy,
            Some("png") => FileForm::Png,
            Some("dds") => FileForm::Dds,
            Some("exr") => FileForm::Exr,
            _ => FileForm::Raw,
        }
    }

    /// `true` if files describe their texture themselves.
    pub fn is_texture(self) -> bool {
        match self {
            FileForm::Raw | FileForm::Npy => false,
            FileForm::Png | FileForm::Dds | FileForm::Exr => true,
        }
    }

    /// Rejects a texture that files of this format cannot hold.
    pub fn check(self, shape: &TextureShape) -> Result<(), FileProblem> {
        let format = shape.format;
        let message = match self {
            FileForm::Npy if shape.mips > 1 => {
                "an .npy file holds one level of detail: save it as .dds or .bin".to_owned()
            }
            FileForm::Raw | FileForm::Npy => return Ok(()),
            FileForm::Dds if extent::detail(shape.dimension) == Extent::Samples => {
                "it holds no textures of several samples: save it as .bin".to_owned()
            }
            FileForm::Dds => return Ok(()),
            _ if shape.dimension != Dimension::Texture2d || shape.mips > 1 => {
                "a picture holds one texture2d of one level: save it as .dds".to_owned()
            }
            FileForm::Png if !png::can_write(format) => format!(
                "its colours are numbers from 0 to 1 or integers of 8 or 16 bits, not {format}: save it as .dds or .npy"
            ),
            FileForm::Exr if !exr::can_write(format) => {
                format!("its colours are floats, not {format}: save it as .png or .dds")
            }
            FileForm::Png | FileForm::Exr => return Ok(()),
        };
        Err(FileProblem::CannotHold(message))
    }

    /// Writes a texture that [`FileForm::check`] accepts, unless the token is cancelled.
    pub fn write(
        self,
        file: &mut (impl Write + Seek),
        shape: &TextureShape,
        bytes: &Bytes,
        cancel: &CancelToken,
    ) -> io::Result<()> {
        let sides = [shape.width, shape.height];
        match self {
            FileForm::Raw => {}
            FileForm::Npy => file.write_all(&Array::of_texture(shape).header())?,
            FileForm::Dds => file.write_all(&dds::header(shape))?,
            FileForm::Png => {
                return png::write(file, shape.format, sides, bytes, cancel).map_err(io::Error::other);
            }
            FileForm::Exr => return exr::write(file, shape.format, sides, bytes, cancel),
        }
        bytes.write_to(file, u64::MAX)
    }
}

impl Texels {
    /// Decodes a file. `wanted` is the format for texels without a type, and for pictures that name none, if possible;
    /// [`Texels::convert`] makes it of the others. `most` bounds the bytes of the texels.
    pub fn decode(form: FileForm, file: Vec<u8>, wanted: Option<Format>, most: u64) -> Result<Self, FileProblem> {
        Self::decode_until(form, file, wanted, most, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`FileProblem::Stopped`].
    pub fn decode_until(
        form: FileForm,
        file: Vec<u8>,
        wanted: Option<Format>,
        most: u64,
        cancel: &CancelToken,
    ) -> Result<Self, FileProblem> {
        let read = match form {
            FileForm::Png => png::read(&file, wanted, most, cancel),
            FileForm::Dds => dds::read(file, wanted, most, cancel),
            FileForm::Exr => exr::read(&file, most, cancel),
            FileForm::Raw | FileForm::Npy => {
                Err("not the name of a texture file, which ends in .png, .dds or .exr".into())
            }
        };
        // The decoder only reports that it cannot continue.
        read.map_err(|problem| if cancel.is_cancelled() { FileProblem::Stopped } else { problem })
    }
}

/// A file that could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", short_path(path))]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The reason.
    #[source]
    pub problem: FileProblem,
}

/// The reason why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// An error of the system, such as a missing file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Its content does not match its name, is damaged, or cannot be converted to the requested format.
    #[error("{0}")]
    Content(Cow<'static, str>),
    /// It has more than the limit.
    #[error("{what} {bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// The subject of the message: `it has`, `its texels have`.
        what: &'static str,
        /// The number of bytes.
        bytes: u64,
        /// The maximum number of bytes.
        limit: u64,
    },
    /// Files of this format cannot hold the texture.
    #[error("{0}")]
    CannotHold(String),
    /// The device does not accept its content, or there is no memory for it.
    #[error(transparent)]
    Runtime(#[from] brolga_runtime::Error),
    /// A token was cancelled before the end.
    #[error("cancelled")]
    Stopped,
}

impl From<String> for FileProblem {
    fn from(message: String) -> Self {
        FileProblem::Content(message.into())
    }
}

impl From<&'static str> for FileProblem {
    fn from(message: &'static str) -> Self {
        FileProblem::Content(message.into())
    }
}

/// Reads a `.png`, `.dds` or `.exr` file into a texture: of the file's format, or of another that its texels can
/// become.
pub fn load_texture(device: &Device, path: impl AsRef<Path>, format: Option<Format>) -> Result<Texture, FileError> {
    load_texture_until(device, path, format, &CancelToken::new())
}

/// The same, unless the token is cancelled before the end.
///
/// # Errors
/// As there, or [`FileProblem::Stopped`].
pub fn load_texture_until(
    device: &Device,
    path: impl AsRef<Path>,
    format: Option<Format>,
    cancel: &CancelToken,
) -> Result<Texture, FileError> {
    let (path, most) = (path.as_ref(), device.limits().buffer_bytes);
    at(path, || {
        let file = read_until(path, most.saturating_add(HEADER), cancel)?;
        let texels = Texels::decode_until(FileForm::of(path), file, format, most, cancel)?;
        let format = format.unwrap_or(texels.shape.format);
        let Texels { shape, bytes } = texels.convert_until(format, most, cancel)?;
        let texture = device.texture(shape)?;
        input::write(texture.buffer(), 0, &bytes, cancel)?;
        Ok(texture)
    })
}

/// Writes a texture to a file of the format for its name: `.png`, `.dds`, `.exr`, `.npy`, or raw bytes as `.bin` or
/// `.raw`.
///
/// # Errors
/// If the name has none of these extensions, the format cannot hold the texture, or the file cannot be written.
pub fn save_texture(texture: &Texture, path: impl AsRef<Path>) -> Result<(), FileError> {
    save_texture_until(texture, path, &CancelToken::new())
}

/// The same, unless the token is cancelled before the end: the file then stays as it was.
///
/// # Errors
/// As there, or [`FileProblem::Stopped`].
pub fn save_texture_until(texture: &Texture, path: impl AsRef<Path>, cancel: &CancelToken) -> Result<(), FileError> {
    let (path, shape) = (path.as_ref(), texture.shape());
    at(path, || {
        let form =
            name::form_to_write(path, name::Held::Texture).map_err(|why| FileProblem::CannotHold(why.to_owned()))?;
        form.check(shape)?;
        let (shape, bytes) = packed(texture)?;
        commit(path, cancel, |file| form.write(file, &shape, &bytes, cancel))
    })
}

/// Writes a complete file, or leaves the old one.
fn commit(
    path: &Path,
    cancel: &CancelToken,
    write: impl FnOnce(&mut claim::Writer<'_>) -> io::Result<()>,
) -> Result<(), FileProblem> {
    let written = Claim::new(path)?.commit_with(cancel, write);
    written.map_err(|error| if cancel.is_cancelled() { FileProblem::Stopped } else { error.into() })
}

/// The texels of a texture without the padding between its rows, as files have them.
fn packed(texture: &Texture) -> Result<(TextureShape, Bytes), brolga_runtime::Error> {
    let mut shape = *texture.shape();
    if shape.row_pitch_bytes.take().is_none() {
        return Ok((shape, Bytes::Buffer(texture.buffer().clone())));
    }
    // Textures with a pitch have one level.
    let mut bytes = room::zeros::<u8>(shape.size_bytes()?)?;
    let layer_bytes = bytes.len() / shape.layers as usize;
    for (layer, texels) in (0..).zip(bytes.chunks_exact_mut(layer_bytes)) {
        texture.read(&texture.level(0, layer)?, texels, None)?;
    }
    Ok((shape, Bytes::Owned(bytes)))
}

/// Reads the elements of an `.npy` file into a buffer.
pub fn load_array(device: &Device, path: impl AsRef<Path>) -> Result<(Buffer, Array), FileError> {
    load_array_until(device, path, &CancelToken::new())
}

/// The same, unless the token is cancelled before the end.
///
/// # Errors
/// As there, or [`FileProblem::Stopped`].
pub fn load_array_until(
    device: &Device,
    path: impl AsRef<Path>,
    cancel: &CancelToken,
) -> Result<(Buffer, Array), FileError> {
    let path = path.as_ref();
    at(path, || {
        let (array, elements) = input::FilePart::elements(path)?;
        let buffer = device.buffer(elements.size_bytes)?;
        elements.copy_to(&buffer, 0, cancel)?;
        Ok((buffer, array))
    })
}

/// Writes the first elements of a buffer to an `.npy` file, as many as the array has.
pub fn save_array(buffer: &Buffer, array: &Array, path: impl AsRef<Path>) -> Result<(), FileError> {
    save_array_until(buffer, array, path, &CancelToken::new())
}

/// The same, unless the token is cancelled before the end: the file then stays as it was.
///
/// # Errors
/// As there, or [`FileProblem::Stopped`].
pub fn save_array_until(
    buffer: &Buffer,
    array: &Array,
    path: impl AsRef<Path>,
    cancel: &CancelToken,
) -> Result<(), FileError> {
    let path = path.as_ref();
    at(path, || {
        let (needed, found) = (array.size_bytes().unwrap_or(u64::MAX), buffer.size_bytes());
        if needed > found {
            return Err(format!("the array needs {needed} bytes, the buffer has {found}").into());
        }
        commit(path, cancel, |file| {
            file.write_all(&array.header())?;
            Bytes::Buffer(buffer.clone()).write_to(file, needed)
        })
    })
}

/// Adds the file to a problem.
fn at<T>(path: &Path, what: impl FnOnce() -> Result<T, FileProblem>) -> Result<T, FileError> {
    in_default_mode(what).map_err(|problem| FileError { path: path.to_owned(), problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limit on bytes is the size of the picture.
    fn device() -> Device {
        let mut limits = brolga_runtime::Limits::default();
        limits.buffer_bytes = 1000;
        Device::builder().threads(1).limits(limits).build().unwrap()
    }

    #[test]
    fn every_form_of_file_gives_back_the_texture_that_it_was_given() {
        let (device, folder) = (device(), tempfile::tempdir().unwrap());
        let texels: Vec<u8> = (0..24).map(|n| n * 10).collect();
        for (name, format) in
            [("x.dds", Format::R8G8B8A8_SNORM), ("x.EXR", Format::R16G16_FLOAT), ("x.png", Format::R8G8B8A8_UNORM_SRGB)]
        {
            let path = folder.path().join(name);
            let shape = TextureShape::texture_2d(format, 3, 2);
            save_texture(&device.texture_from(shape, &texels).unwrap(), &path).unwrap();
            let found = load_texture(&device, &path, Some(format)).unwrap();
            assert_eq!((found.shape(), found.buffer().to_vec().unwrap()), (&shape, texels.clone()), "{name}");
        }
        let array = Array { element: "<u2".parse().unwrap(), sides: vec![4, 3] };
        let path = folder.path().join("x.npy");
        save_array(&device.buffer_from(&texels).unwrap(), &array, &path).unwrap();
        let (buffer, found) = load_array(&device, &path).unwrap();
        assert_eq!((buffer.to_vec().unwrap(), found), (texels, array));
    }

    #[test]
    fn what_is_between_rows_goes_to_no_file() {
        let (device, folder) = (device(), tempfile::tempdir().unwrap());
        let path = folder.path().join("x.png");
        let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 2, 3);
        let texture = device.texture(shape.row_pitch(20)).unwrap();
        let texels: Vec<u8> = (1..=24).collect();
        texture.buffer().write(0, &vec![0xee_u8; texture.buffer().size_bytes() as usize]).unwrap();
        texture.write(&texture.level(0, 0).unwrap(), &texels, None).unwrap();
        save_texture(&texture, &path).unwrap();
        let found = load_texture(&device, &path, Some(shape.format)).unwrap();
        assert_eq!((found.shape(), found.buffer().to_vec().unwrap()), (&shape, texels));
    }

    #[test]
    fn a_form_refuses_what_it_has_no_place_for() {
        let mut shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 4, 4).mips(2);
        let refusal = |form: FileForm, shape| form.check(&shape).err().map_or(String::new(), |error| error.to_string());
        assert_eq!(refusal(FileForm::Dds, shape), "");
        assert!(refusal(FileForm::Png, shape).ends_with("one level: save it as .dds"));
        assert!(refusal(FileForm::Npy, shape).ends_with("save it as .dds or .bin"));
        shape.mips = 1;
        assert!(refusal(FileForm::Exr, shape).contains("not R8G8B8A8_UNORM: save it as .png or .dds"));
        assert!(refusal(FileForm::Dds, shape.samples(4)).ends_with("save it as .bin"));
        shape.format = Format::R32_UINT;
        assert!(refusal(FileForm::Png, shape).contains("not R32_UINT: save it as .dds or .npy"));
        shape.format = Format::R32_FLOAT;
        assert_eq!(refusal(FileForm::Png, shape), "");
    }

    #[test]
    fn errors_name_the_file_and_leave_nothing_behind() {
        let (device, folder) = (device(), tempfile::tempdir().unwrap());
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.png"), b"GIF89a").unwrap();
        std::fs::write(path("a.bin"), b"bytes").unwrap();
        let texture = device.texture(TextureShape::texture_2d(Format::R32_UINT, 15, 15)).unwrap();
        save_texture(&texture, path("a.dds")).unwrap();
        let mut limits = brolga_runtime::Limits::default();
        limits.buffer_bytes = 899;
        let small = Device::builder().threads(1).limits(limits).build().unwrap();
        let load = |device: &Device, name: &str| load_texture(device, path(name), None).unwrap_err();
        for (error, end) in [
            (load(&device, "none.png"), None),
            (load(&device, "a.png"), None),
            (load(&device, "a.bin"), Some("a.bin: not the name of a texture file, which ends in .png, .dds or .exr")),
            (load(&small, "a.dds"), Some("a.dds: its texels have 900 bytes, the limit is 899")),
            (save_texture(&texture, path("b.png")).unwrap_err(), Some("save it as .dds or .npy")),
        ] {
            assert!(error.to_string().starts_with(&folder.path().display().to_string()), "{error}");
            assert!(end.is_none_or(|end| error.to_string().ends_with(end)), "{error}");
        }
        assert!(!path("b.png").exists());
    }

    #[test]
    fn a_texture_becomes_raw_bytes_only_where_its_name_says_so() {
        let (device, folder) = (device(), tempfile::tempdir().unwrap());
        let texels: Vec<u8> = (0..24).collect();
        let texture = device.texture_from(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 3, 2), &texels).unwrap();
        for name in ["x.bin", "x.RAW"] {
            save_texture(&texture, folder.path().join(name)).unwrap();
            assert_eq!(std::fs::read(folder.path().join(name)).unwrap(), texels);
        }
        for name in ["x.jpg", "x.bmp", "x.csv", "x.pngg", "x"] {
            let error = save_texture(&texture, folder.path().join(name)).unwrap_err().to_string();
            let end = ": pictures are saved as .png, .exr or .dds, arrays as .npy, raw bytes as .bin or .raw";
            assert!(error.ends_with(&format!("{name}{end}")), "{error}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_cancelled_token_stops_each_function_and_leaves_no_file() {
        let (device, folder, cancel) = (device(), tempfile::tempdir().unwrap(), CancelToken::new());
        let path = |name: &str| folder.path().join(name);
        let texture = device.texture(TextureShape::texture_2d(Format::R16_FLOAT, 3, 2)).unwrap();
        let array = Array { element: "<u2".parse().unwrap(), sides: vec![6] };
        save_array(texture.buffer(), &array, path("a.npy")).unwrap();
        cancel.cancel();
        for name in ["a.png", "a.dds", "a.exr"] {
            save_texture(&texture, path(name)).unwrap();
            let stopped = load_texture_until(&device, path(name), None, &cancel).unwrap_err();
            assert!(matches!(stopped.problem, FileProblem::Stopped), "{name}: {stopped}");
            let name = name.replace('a', "b");
            let stopped = save_texture_until(&texture, path(&name), &cancel).unwrap_err();
            assert!(matches!(stopped.problem, FileProblem::Stopped), "{name}: {stopped}");
        }
        let stopped = [
            load_array_until(&device, path("a.npy"), &cancel).unwrap_err(),
            save_array_until(texture.buffer(), &array, path("b.npy"), &cancel).unwrap_err(),
        ];
        assert!(stopped.iter().all(|error| matches!(error.problem, FileProblem::Stopped)), "{stopped:?}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
