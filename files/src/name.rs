//! Chooses the format of a file to be written by its extension, and recognises formats that are not supported.

use std::path::Path;

use super::FileForm;

/// Extensions of raw bytes.
const RAW: [&str; 2] = ["bin", "raw"];
/// Extensions of unsupported picture formats.
const PICTURES: [&str; 27] = [
    "avif", "bmp", "cur", "gif", "hdr", "heic", "heif", "ico", "j2k", "jfif", "jp2", "jpeg", "jpg", "jxl", "ktx",
    "ktx2", "pbm", "pfm", "pgm", "ppm", "psd", "qoi", "svg", "tga", "tif", "tiff", "webp",
];
/// Extensions of unsupported formats of numbers.
const NUMBERS: [&str; 10] = ["csv", "h5", "hdf5", "json", "mat", "npz", "parquet", "tsv", "txt", "xlsx"];

fn end(path: &Path) -> String {
    path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase).unwrap_or_default()
}

/// The reason why a file is not read as the texels of a texture, if its extension is that of an unsupported picture
/// format.
pub fn foreign_picture(path: &Path) -> Option<String> {
    PICTURES.contains(&end(path).as_str()).then(|| {
        format!(
            "`{}`: pictures are read from .png, .exr and .dds files: convert it to one of these, or name raw texels otherwise",
            super::short_path(path)
        )
    })
}

/// The content of a file to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// Texels.
    Texture,
    /// Numbers.
    Numbers,
}

const NAMES: &str = "pictures are saved as .png, .exr or .dds, arrays as .npy, raw bytes as .bin or .raw";

/// The format for a file to be written, by its name, or else the supported extensions. Other textures become raw bytes
/// only if the name asks for it, but numbers may have any name that does not promise another format.
pub fn form_to_write(path: &Path, held: Held) -> Result<FileForm, &'static str> {
    let end = end(path);
    let is_foreign = PICTURES.contains(&end.as_str()) || NUMBERS.contains(&end.as_str());
    match (FileForm::of(path), held) {
        (FileForm::Raw, _) if RAW.contains(&end.as_str()) => Ok(FileForm::Raw),
        (FileForm::Raw, Held::Texture) => Err(NAMES),
        (FileForm::Raw, Held::Numbers) if is_foreign => Err(NAMES),
        (form, _) => Ok(form),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_bytes_go_where_the_name_says_so() {
        let form = |name: &str, held| form_to_write(Path::new(name), held);
        for name in ["a.bin", "a.RAW", "a.jpg.raw"] {
            assert_eq!((form(name, Held::Texture), form(name, Held::Numbers)), (Ok(FileForm::Raw), Ok(FileForm::Raw)));
        }
        for (name, expected) in [("a.png", FileForm::Png), ("a.Dds", FileForm::Dds), ("a.npy", FileForm::Npy)] {
            assert_eq!(form(name, Held::Texture), Ok(expected));
        }
        for name in ["a.jpg", "a.JPEG", "a.bmp", "a.tga", "a.csv", "a.dat", "a.pngg", "a", "a.", "png", ".png", "a.zst"]
        {
            let refusal = form(name, Held::Texture).unwrap_err();
            assert!(refusal.contains("raw bytes as .bin or .raw"), "{refusal}");
        }
        for name in ["a.csv", "a.json", "a.TXT", "a.jpg", "a.npz"] {
            assert!(form(name, Held::Numbers).unwrap_err().contains(".npy"));
        }
        for name in ["a.dat", "a", "words.out"] {
            assert_eq!(form(name, Held::Numbers), Ok(FileForm::Raw));
        }
    }

    #[test]
    fn pictures_of_other_forms_are_known_by_name() {
        assert!(
            foreign_picture(Path::new("b/photo.JPG"))
                .unwrap()
                .starts_with("`b/photo.JPG`: pictures are read from .png")
        );
        for name in ["photo.png", "photo.bin", "jpg", "photo"] {
            assert_eq!(foreign_picture(Path::new(name)), None);
        }
    }
}
