//! Reads and writes DDS files: textures of every kind with their mip levels and layers, in the order in which views
//! have them.
//!
//! It reads files with the header of DXGI formats and those of Direct3D 9, as Microsoft's programming guide describes
//! them, and writes files with the former.

use brolga_runtime::{CancelToken, Dimension, Format, TextureShape};

use super::FileProblem;
use super::input::cut_head;
use super::texels::{self, Texels};

const MAGIC: &[u8; 4] = b"DDS ";
/// Bytes of the header and of its extension if there is a DXGI format.
const HEADER: usize = 124;
const EXTENSION: usize = 20;
/// Bytes of a pixel format within the header, which contains this size.
const PIXEL_FORMAT: u32 = 32;

/// Words of the header.
mod word {
    pub const FLAGS: usize = 1;
    pub const HEIGHT: usize = 2;
    pub const WIDTH: usize = 3;
    pub const DEPTH: usize = 5;
    pub const MIPS: usize = 6;
    pub const PIXEL_SIZE: usize = 18;
    pub const PIXEL_FLAGS: usize = 19;
    pub const CODE: usize = 20;
    pub const BITS: usize = 21;
    pub const MASKS: usize = 22;
    pub const CAPS: usize = 26;
    pub const CAPS_2: usize = 27;
}

/// The header's fields: caps, height, width, pixel format; mip levels; slices.
const HAS_ALWAYS: u32 = 0x1007;
const HAS_MIPS: u32 = 0x2_0000;
const HAS_DEPTH: u32 = 0x80_0000;
/// A pixel format given by a four-character code.
const BY_CODE: u32 = 4;
/// A pixel format with signed numbers.
const SIGNED: u32 = 0x8_0000;
/// A texture; with other surfaces; with mip levels.
const TEXTURE: u32 = 0x1000;
const COMPLEX: u32 = 8;
const MIPMAPPED: u32 = 0x40_0000;
/// A cube; its six faces; slices.
const CUBE: u32 = 0x200;
const FACES: u32 = 0xfc00;
const VOLUME: u32 = 0x20_0000;
/// A cube, in the extension.
const CUBE_10: u32 = 4;

/// The codes of DXGI's typeless formats. Each comes right before the formats of its family.
const TYPELESS: [u32; 22] = [1, 5, 9, 15, 19, 23, 27, 33, 39, 44, 48, 53, 60, 70, 73, 76, 79, 82, 90, 92, 94, 97];

/// Formats of Direct3D 9 by their four-character code, or number.
const CODES: [(u32, Format); 21] = [
    (code(b"DXT1"), Format::BC1_UNORM),
    (code(b"DXT2"), Format::BC2_UNORM),
    (code(b"DXT3"), Format::BC2_UNORM),
    (code(b"DXT4"), Format::BC3_UNORM),
    (code(b"DXT5"), Format::BC3_UNORM),
    (code(b"ATI1"), Format::BC4_UNORM),
    (code(b"BC4U"), Format::BC4_UNORM),
    (code(b"BC4S"), Format::BC4_SNORM),
    (code(b"ATI2"), Format::BC5_UNORM),
    (code(b"BC5U"), Format::BC5_UNORM),
    (code(b"BC5S"), Format::BC5_SNORM),
    (code(b"RGBG"), Format::R8G8_B8G8_UNORM),
    (code(b"GRGB"), Format::G8R8_G8B8_UNORM),
    (36, Format::R16G16B16A16_UNORM),
    (110, Format::R16G16B16A16_SNORM),
    (111, Format::R16_FLOAT),
    (112, Format::R16G16_FLOAT),
    (113, Format::R16G16B16A16_FLOAT),
    (114, Format::R32_FLOAT),
    (115, Format::R32G32_FLOAT),
    (116, Format::R32G32B32A32_FLOAT),
];

/// Formats of Direct3D 9 by bits of a texel and masks of red, green, blue and alpha. Luminance is red.
const MASKS: [(u32, [u32; 4], Format); 14] = [
    (32, [0xff, 0xff00, 0xff_0000, 0xff00_0000], Format::R8G8B8A8_UNORM),
    (32, [0xff_0000, 0xff00, 0xff, 0xff00_0000], Format::B8G8R8A8_UNORM),
    (32, [0xff_0000, 0xff00, 0xff, 0], Format::B8G8R8X8_UNORM),
    (32, [0x3ff, 0xf_fc00, 0x3ff0_0000, 0xc000_0000], Format::R10G10B10A2_UNORM),
    // Direct3D's own library wrote this for the same format.
    (32, [0x3ff0_0000, 0xf_fc00, 0x3ff, 0xc000_0000], Format::R10G10B10A2_UNORM),
    (32, [0xffff, 0xffff_0000, 0, 0], Format::R16G16_UNORM),
    (32, [u32::MAX, 0, 0, 0], Format::R32_FLOAT),
    (16, [0xf800, 0x7e0, 0x1f, 0], Format::B5G6R5_UNORM),
    (16, [0x7c00, 0x3e0, 0x1f, 0x8000], Format::B5G5R5A1_UNORM),
    (16, [0xf00, 0xf0, 0xf, 0xf000], Format::B4G4R4A4_UNORM),
    (16, [0xff, 0, 0, 0xff00], Format::R8G8_UNORM),
    (16, [0xffff, 0, 0, 0], Format::R16_UNORM),
    (8, [0xff, 0, 0, 0], Format::R8_UNORM),
    (8, [0, 0, 0, 0xff], Format::A8_UNORM),
];

/// The same for signed numbers.
const MASKS_SIGNED: [(u32, [u32; 4], Format); 3] = [
    (32, [0xff, 0xff00, 0xff_0000, 0xff00_0000], Format::R8G8B8A8_SNORM),
    (32, [0xffff, 0xffff_0000, 0, 0], Format::R16G16_SNORM),
    (16, [0xff, 0xff00, 0, 0], Format::R8G8_SNORM),
];

const fn code(letters: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*letters)
}

/// The header of a file with this texture; its texels follow.
pub fn header(shape: &TextureShape) -> Vec<u8> {
    let (dimension, cube) = match shape.dimension {
        Dimension::Texture1d | Dimension::Texture1dArray => (2, false),
        Dimension::Texture3d => (4, false),
        Dimension::TextureCube | Dimension::TextureCubeArray => (3, true),
        _ => (3, false),
    };
    let (mips, slices) = (shape.mips > 1, dimension == 4);
    let flag = |is: bool, flag: u32| if is { flag } else { 0 };
    let mut words = [0; HEADER / 4];
    words[0] = HEADER as u32;
    words[word::FLAGS] = HAS_ALWAYS | flag(mips, HAS_MIPS) | flag(slices, HAS_DEPTH);
    words[word::HEIGHT] = shape.height;
    words[word::WIDTH] = shape.width;
    words[word::DEPTH] = shape.depth;
    words[word::MIPS] = shape.mips;
    words[word::PIXEL_SIZE] = PIXEL_FORMAT;
    words[word::PIXEL_FLAGS] = BY_CODE;
    words[word::CODE] = code(b"DX10");
    words[word::CAPS] = TEXTURE | flag(mips, MIPMAPPED) | flag(mips || slices || shape.layers > 1, COMPLEX);
    words[word::CAPS_2] = flag(cube, CUBE | FACES) | flag(slices, VOLUME);
    let layers = if cube { shape.layers / 6 } else { shape.layers };
    let extension = [shape.format.dxgi(), dimension, flag(cube, CUBE_10), layers, 0];
    let words = words.iter().chain(&extension).flat_map(|word| word.to_le_bytes());
    MAGIC.iter().copied().chain(words).collect()
}

/// Reads a file. A typeless format becomes the one that is wanted. `most` bounds the bytes of its texels.
pub(super) fn read(
    file: Vec<u8>,
    wanted: Option<Format>,
    most: u64,
    cancel: &CancelToken,
) -> Result<Texels, FileProblem> {
    let short = "the file ends within its header";
    let rest = file.strip_prefix(MAGIC).ok_or("this is no .dds file: it does not begin with the letters `DDS `")?;
    let (header, mut data) = rest.split_at_checked(HEADER).ok_or(short)?;
    let words = words(header);
    if words[0] != HEADER as u32 || words[word::PIXEL_SIZE] != PIXEL_FORMAT {
        let [header, format] = [words[0], words[word::PIXEL_SIZE]];
        return Err(format!(
            "its header says that it has {header} bytes, its pixel format {format}; right are {HEADER} and {PIXEL_FORMAT}"
        )
        .into());
    }
    let (format, dimension, layers) = if words[word::PIXEL_FLAGS] & BY_CODE != 0 && words[word::CODE] == code(b"DX10") {
        let (extension, texels) = data.split_at_checked(EXTENSION).ok_or(short)?;
        data = texels;
        extended(&self::words(extension), wanted)?
    } else {
        legacy(&words)?
    };
    let mut shape = TextureShape::new(dimension, format, words[word::WIDTH]);
    shape = shape.layers(layers).mips(words[word::MIPS].max(1));
    if !matches!(dimension, Dimension::Texture1d | Dimension::Texture1dArray) {
        shape = shape.height(words[word::HEIGHT]);
    }
    if dimension == Dimension::Texture3d {
        shape = shape.depth(words[word::DEPTH]);
    }
    let needed = texels::check_size(&shape, most)?;
    match data.len() {
        found if found < needed => Err(format!("the file ends {} bytes before its texels do", needed - found).into()),
        found if found > needed => Err(format!("{} bytes follow its texels", found - needed).into()),
        _ => {
            let start = file.len() - needed;
            let mut bytes = file;
            cut_head(&mut bytes, start, cancel)?;
            Ok(Texels { shape, bytes })
        }
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// Format, kind and layers by the extension.
fn extended(words: &[u32], wanted: Option<Format>) -> Result<(Format, Dimension, u32), FileProblem> {
    let [number, dimension, flags, count, ..] = words else { unreachable!("an extension has five words") };
    let layers = |each: u32| count.saturating_mul(each);
    let (dimension, layers) = match (*dimension, flags & CUBE_10 != 0, *count == 1) {
        (2, _, true) => (Dimension::Texture1d, 1),
        (2, _, false) => (Dimension::Texture1dArray, layers(1)),
        (3, false, true) => (Dimension::Texture2d, 1),
        (3, false, false) => (Dimension::Texture2dArray, layers(1)),
        (3, true, true) => (Dimension::TextureCube, 6),
        (3, true, false) => (Dimension::TextureCubeArray, layers(6)),
        (4, ..) => (Dimension::Texture3d, layers(1)),
        (other, ..) => {
            let message = format!("{other} is no kind of texture: 2, 3 and 4 are those of one, two and three sides");
            return Err(message.into());
        }
    };
    Ok((numbered(*number, wanted)?, dimension, layers))
}

/// The format for a DXGI code.
fn numbered(number: u32, wanted: Option<Format>) -> Result<Format, FileProblem> {
    if let Some(format) = Format::from_dxgi(number) {
        return Ok(format);
    }
    let family = Format::from_dxgi(number.saturating_add(1)).map(Format::family);
    let Some(family) = family.filter(|_| TYPELESS.contains(&number)) else {
        return Err(format!("format {number} of DXGI is none that shaders can be given").into());
    };
    let mut typed = Format::ALL.iter().filter(|format| format.family() == family);
    match (wanted.filter(|wanted| wanted.family() == family), typed.next()) {
        (Some(wanted), _) => Ok(wanted),
        (None, Some(typed)) => {
            Err(format!("its texels are {family}_TYPELESS: say what they are, as in `format = \"{typed}\"`").into())
        }
        (None, None) => unreachable!("the family is that of a format"),
    }
}

/// The same by the header alone.
fn legacy(words: &[u32]) -> Result<(Format, Dimension, u32), FileProblem> {
    let (flags, fourcc, bits) = (words[word::PIXEL_FLAGS], words[word::CODE], words[word::BITS]);
    let masks = [0, 1, 2, 3].map(|channel| words[word::MASKS + channel]);
    let by_mask = |list: &[(u32, [u32; 4], Format)]| {
        list.iter().find(|(size, fields, _)| *size == bits && *fields == masks).map(|(.., format)| *format)
    };
    let format = match flags {
        flags if flags & BY_CODE != 0 => CODES.iter().find(|(known, _)| *known == fourcc).map(|(_, format)| *format),
        flags if flags & SIGNED != 0 => by_mask(&MASKS_SIGNED),
        _ => by_mask(&MASKS),
    };
    let format = format.ok_or_else(|| match flags & BY_CODE {
        0 => {
            let masks = masks.map(|mask| format!("{mask:#x}")).join(", ");
            format!("texels of {bits} bits with the masks {masks} are no format of DXGI")
        }
        _ => format!("its format {:?} is unknown", String::from_utf8_lossy(&fourcc.to_le_bytes())),
    })?;
    match words[word::CAPS_2] {
        caps if caps & VOLUME != 0 => Ok((format, Dimension::Texture3d, 1)),
        caps if caps & CUBE != 0 && caps & FACES != FACES => Err("some faces of its cube are missing".into()),
        caps if caps & CUBE != 0 => Ok((format, Dimension::TextureCube, 6)),
        _ => Ok((format, Dimension::Texture2d, 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: Vec<u8>, wanted: Option<Format>, most: u64) -> Result<Texels, FileProblem> {
        super::read(file, wanted, most, &CancelToken::new())
    }

    /// A texture whose bytes count up.
    fn texture(shape: TextureShape) -> Texels {
        let bytes = (0..shape.size_bytes().unwrap()).map(|n| n as u8).collect();
        Texels { shape, bytes }
    }

    fn file(texture: &Texels) -> Vec<u8> {
        [header(&texture.shape), texture.bytes.clone()].concat()
    }

    fn message(file: &[u8]) -> String {
        read(file.to_vec(), None, 1 << 20).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read_back() {
        let of = |dimension, format| TextureShape::new(dimension, format, 8);
        for shape in [
            of(Dimension::Texture1d, Format::R8_UNORM).mips(4),
            of(Dimension::Texture1dArray, Format::R16_SNORM).layers(3),
            of(Dimension::Texture2d, Format::R8G8B8A8_UNORM_SRGB).height(4).mips(4),
            of(Dimension::Texture2dArray, Format::R32_UINT).height(5).layers(4).mips(2),
            of(Dimension::Texture3d, Format::R11G11B10_FLOAT).height(4).depth(2).mips(3),
            of(Dimension::Texture2d, Format::BC7_UNORM_SRGB).height(4).mips(4),
            of(Dimension::Texture2d, Format::R8G8_B8G8_UNORM).height(5),
            of(Dimension::TextureCube, Format::R16G16B16A16_FLOAT).height(8),
            of(Dimension::TextureCubeArray, Format::B5G6R5_UNORM).height(8).layers(12).mips(2),
        ] {
            let texture = texture(shape);
            let found = read(file(&texture), None, 1 << 20).unwrap();
            assert_eq!((found.shape, found.bytes), (texture.shape, texture.bytes));
        }
    }

    #[test]
    fn typeless_formats_lead_their_families() {
        for number in TYPELESS {
            assert_eq!(Format::from_dxgi(number), None);
            assert!(Format::from_dxgi(number + 1).is_some(), "{number}");
        }
    }

    /// A file of Direct3D 9: a texture of 2 x 2 with these words of its pixel format.
    fn old(flags: u32, fourcc: u32, bits: u32, masks: [u32; 4], caps: u32, bytes: usize) -> Vec<u8> {
        let mut words = [0; HEADER / 4];
        (words[0], words[2], words[3], words[5]) = (124, 2, 2, 2);
        (words[18], words[19], words[20], words[21]) = (32, flags, fourcc, bits);
        words[22..26].copy_from_slice(&masks);
        words[27] = caps;
        let words = words.iter().flat_map(|word| word.to_le_bytes());
        MAGIC.iter().copied().chain(words).chain(std::iter::repeat_n(7, bytes)).collect()
    }

    #[test]
    fn older_files_are_read() {
        let shape = |file: Vec<u8>| read(file, None, 1000).unwrap().shape;
        let bgra = [0xff_0000, 0xff00, 0xff, 0xff00_0000];
        let square = |format| TextureShape::texture_2d(format, 2, 2);
        assert_eq!(shape(old(0x41, 0, 32, bgra, 0, 16)), square(Format::B8G8R8A8_UNORM));
        assert_eq!(shape(old(0x20000, 0, 8, [0xff, 0, 0, 0], 0, 4)), square(Format::R8_UNORM));
        assert_eq!(shape(old(2, 0, 8, [0, 0, 0, 0xff], 0, 4)), square(Format::A8_UNORM));
        assert_eq!(shape(old(SIGNED, 0, 16, [0xff, 0xff00, 0, 0], 0, 8)), square(Format::R8G8_SNORM));
        assert_eq!(shape(old(BY_CODE, 113, 0, [0; 4], 0, 32)), square(Format::R16G16B16A16_FLOAT));
        let cube = shape(old(BY_CODE, 114, 0, [0; 4], 0xfe00, 96));
        assert_eq!((cube.dimension, cube.layers), (Dimension::TextureCube, 6));
        let volume = shape(old(BY_CODE, 114, 0, [0; 4], VOLUME, 32));
        assert_eq!((volume.dimension, volume.depth), (Dimension::Texture3d, 2));
        assert_eq!(message(&old(BY_CODE, 114, 0, [0; 4], 0x600, 96)), "some faces of its cube are missing");
        assert_eq!(message(&old(BY_CODE, code(b"WHAT"), 0, [0; 4], 0, 4)), "its format \"WHAT\" is unknown");
        assert_eq!(
            message(&old(0x40, 0, 24, [0xff_0000, 0xff00, 0xff, 0], 0, 12)),
            "texels of 24 bits with the masks 0xff0000, 0xff00, 0xff, 0x0 are no format of DXGI"
        );
    }

    #[test]
    fn texels_without_a_type_become_what_is_wanted() {
        let mut file = file(&texture(TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 2, 2)));
        file[128] = 27;
        let wanted = Some(Format::R8G8B8A8_SINT);
        assert_eq!(read(file.clone(), wanted, 100).unwrap().shape.format, Format::R8G8B8A8_SINT);
        let says = "its texels are R8G8B8A8_TYPELESS: say what they are, as in `format = \"R8G8B8A8_UNORM\"`";
        assert_eq!(message(&file), says);
        assert_eq!(read(file.clone(), Some(Format::R32_UINT), 100).unwrap_err().to_string(), says);
    }

    #[test]
    fn wrong_files_are_errors() {
        let good = file(&texture(TextureShape::texture_2d(Format::R32_UINT, 4, 4).mips(3)));
        assert_eq!(message(b"GIF89a"), "this is no .dds file: it does not begin with the letters `DDS `");
        assert_eq!(message(&good[..147]), "the file ends within its header");
        assert_eq!(message(&good[..good.len() - 5]), "the file ends 5 bytes before its texels do");
        assert_eq!(message(&[&good[..], &[0; 3]].concat()), "3 bytes follow its texels");
        assert_eq!(read(good.clone(), None, 83).unwrap_err().to_string(), "its texels have 84 bytes, the limit is 83");
        let with = |at: usize, word: u32| {
            let mut file = good.clone();
            file[at..at + 4].copy_from_slice(&word.to_le_bytes());
            message(&file)
        };
        assert_eq!(with(4, 0), "its header says that it has 0 bytes, its pixel format 32; right are 124 and 32");
        assert!(with(12, u32::MAX).contains("height"));
        assert!(with(28, 99).contains("mip"));
        assert_eq!(with(128, 107), "format 107 of DXGI is none that shaders can be given");
        assert!(with(132, 1).starts_with("1 is no kind of texture"));
        assert!(with(140, u32::MAX).contains("layers"));
        assert!(with(140, 0).contains("layers"));
        for at in 4..148 {
            for value in [0, 1, 4, 0x7f, 0x80, 0xff] {
                let mut file = good.clone();
                file[at] = value;
                if let Ok(found) = read(file, None, 1 << 20) {
                    assert_eq!(found.bytes.len() as u64, found.shape.size_bytes().unwrap());
                }
            }
        }
    }
}
