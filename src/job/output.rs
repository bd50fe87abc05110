//! Output files: what they hold, and writing them so that nobody ever sees half of one.
//!
//! An output is claimed before the run: its temporary file is made beside it, which finds a missing folder or a missing
//! right while nothing is lost yet. After the run the content goes to the temporary file, or is there already because the
//! shader wrote to it, and the file takes the output's name. A claim that is dropped leaves nothing behind.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use brolga_runtime::{Dimension, TextureShape};
use tempfile::NamedTempFile;

use super::bytes::Bytes;
use super::extents::{self, Extent};
use super::model::Kind;
use super::npy::{self, ElementType};
use super::values::NumberType;
use super::{dds, exr, picture};

/// A file that is going to be written.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Claim {
    /// Makes the temporary file beside `path`.
    pub fn new(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        if path.exists() {
            // The file that a link names is replaced, not the link; and a device is not replaced by a file.
            path = fs::canonicalize(path)?;
            if !path.is_file() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is something that is no file"));
            }
            // A file that may not be written shall not be replaced either.
            fs::OpenOptions::new().write(true).open(&path)?;
        }
        let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The user's mask applies, as to any file; without this the output would be readable by its owner alone.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        // Its error names the temporary file, which nobody asked for: the kind alone says why.
        let temporary = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
        // One file has one name here, however the job spells it.
        let path = fs::canonicalize(folder)?.join(name);
        Ok(Self { path, temporary })
    }

    /// The file, without links on the way to it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The temporary file.
    pub fn temporary_path(&self) -> &Path {
        self.temporary.path()
    }

    /// Makes the temporary file so many zeros long, with room on the disk where the system can promise it: who writes
    /// to a mapped file on a full disk is ended by the system.
    pub(super) fn reserve(&self, size_bytes: u64) -> io::Result<()> {
        let file = self.temporary.as_file();
        file.set_len(size_bytes)?;
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
        if size_bytes > 0
            && let Err(rustix::io::Errno::NOSPC) =
                rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, size_bytes)
        {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(())
    }

    /// Writes the content and gives the file its name.
    pub fn commit(self, content: &[u8]) -> io::Result<()> {
        self.commit_with(|file| file.write_all(content))
    }

    /// The same with content that `write` writes.
    pub(super) fn commit_with(mut self, write: impl FnOnce(&mut fs::File) -> io::Result<()>) -> io::Result<()> {
        write(self.temporary.as_file_mut())?;
        self.temporary.as_file().sync_data()?;
        self.temporary.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

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

/// Writes what a view holds. It must not have been refused.
pub(super) fn write(
    file: &mut impl Write,
    form: FileForm,
    kind: &Kind<TextureShape>,
    number_type: Option<NumberType>,
    bytes: &Bytes,
) -> io::Result<()> {
    match (form, kind) {
        (FileForm::Raw, _) => bytes.write_to(file),
        (FileForm::Npy, _) => {
            let (element, shape) = array(kind, number_type, bytes.size_bytes());
            file.write_all(&npy::header(element, &shape))?;
            bytes.write_to(file)
        }
        (FileForm::Dds, Kind::Texture(shape)) => {
            file.write_all(&dds::header(shape))?;
            bytes.write_to(file)
        }
        (FileForm::Png, Kind::Texture(shape)) => {
            let picture = picture::write(shape.format, shape.width, shape.height, bytes.to_vec());
            file.write_all(&picture.map_err(io::Error::other)?)
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
    fn a_claim_leaves_the_old_file_until_the_new_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.bin");
        fs::write(&path, b"old").unwrap();
        drop(Claim::new(&path).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"old");
        Claim::new(&path).unwrap().commit(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_written_is_found_at_the_claim() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Claim::new(folder.path()).is_err());
        assert!(Claim::new(&folder.path().join("missing/out.bin")).is_err());
        assert!(Claim::new(Path::new("/dev/null")).is_err());
    }

    #[test]
    fn a_file_has_one_name_however_it_is_spelt() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("inner")).unwrap();
        let [one, other] = ["out.bin", "inner/../out.bin"].map(|name| Claim::new(&folder.path().join(name)).unwrap());
        assert_eq!(one.path(), other.path());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_the_file_that_it_names_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Claim::new(&link).unwrap().commit(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

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
