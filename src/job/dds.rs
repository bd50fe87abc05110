//! DDS files: textures of every kind with their mip levels and layers, in the order in which views have them.
//!
//! Read are files with the header of DXGI formats and those of Direct3D 9, as Microsoft's programming guide describes them;
//! written are files with the former.

use brolga_runtime::{Dimension, Format, TextureShape};

use super::texels::{self, Texels};

const MAGIC: &[u8; 4] = b"DDS ";
/// Bytes of the header and of what follows it where there is a DXGI format.
const HEADER: usize = 124;
const EXTENSION: usize = 20;
/// Bytes of a pixel format within the header, which it says itself.
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

/// What the header has: caps, height, width, pixel format; mip levels; slices.
const HAS_ALWAYS: u32 = 0x1007;
const HAS_MIPS: u32 = 0x2_0000;
const HAS_DEPTH: u32 = 0x80_0000;
/// A pixel format that is said by four letters.
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

/// Formats by their numbers in DXGI.
#[rustfmt::skip]
const DXGI: [&str; 116] = [
    "UNKNOWN", "R32G32B32A32_TYPELESS", "R32G32B32A32_FLOAT", "R32G32B32A32_UINT", "R32G32B32A32_SINT",
    "R32G32B32_TYPELESS", "R32G32B32_FLOAT", "R32G32B32_UINT", "R32G32B32_SINT", "R16G16B16A16_TYPELESS",
    "R16G16B16A16_FLOAT", "R16G16B16A16_UNORM", "R16G16B16A16_UINT", "R16G16B16A16_SNORM", "R16G16B16A16_SINT",
    "R32G32_TYPELESS", "R32G32_FLOAT", "R32G32_UINT", "R32G32_SINT", "R32G8X24_TYPELESS", "D32_FLOAT_S8X24_UINT",
    "R32_FLOAT_X8X24_TYPELESS", "X32_TYPELESS_G8X24_UINT", "R10G10B10A2_TYPELESS", "R10G10B10A2_UNORM",
    "R10G10B10A2_UINT", "R11G11B10_FLOAT", "R8G8B8A8_TYPELESS", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB",
    "R8G8B8A8_UINT", "R8G8B8A8_SNORM", "R8G8B8A8_SINT", "R16G16_TYPELESS", "R16G16_FLOAT", "R16G16_UNORM",
    "R16G16_UINT", "R16G16_SNORM", "R16G16_SINT", "R32_TYPELESS", "D32_FLOAT", "R32_FLOAT", "R32_UINT", "R32_SINT",
    "R24G8_TYPELESS", "D24_UNORM_S8_UINT", "R24_UNORM_X8_TYPELESS", "X24_TYPELESS_G8_UINT", "R8G8_TYPELESS",
    "R8G8_UNORM", "R8G8_UINT", "R8G8_SNORM", "R8G8_SINT", "R16_TYPELESS", "R16_FLOAT", "D16_UNORM", "R16_UNORM",
    "R16_UINT", "R16_SNORM", "R16_SINT", "R8_TYPELESS", "R8_UNORM", "R8_UINT", "R8_SNORM", "R8_SINT", "A8_UNORM",
    "R1_UNORM", "R9G9B9E5_SHAREDEXP", "R8G8_B8G8_UNORM", "G8R8_G8B8_UNORM", "BC1_TYPELESS", "BC1_UNORM",
    "BC1_UNORM_SRGB", "BC2_TYPELESS", "BC2_UNORM", "BC2_UNORM_SRGB", "BC3_TYPELESS", "BC3_UNORM", "BC3_UNORM_SRGB",
    "BC4_TYPELESS", "BC4_UNORM", "BC4_SNORM", "BC5_TYPELESS", "BC5_UNORM", "BC5_SNORM", "B5G6R5_UNORM",
    "B5G5R5A1_UNORM", "B8G8R8A8_UNORM", "B8G8R8X8_UNORM", "R10G10B10_XR_BIAS_A2_UNORM", "B8G8R8A8_TYPELESS",
    "B8G8R8A8_UNORM_SRGB", "B8G8R8X8_TYPELESS", "B8G8R8X8_UNORM_SRGB", "BC6H_TYPELESS", "BC6H_UF16", "BC6H_SF16",
    "BC7_TYPELESS", "BC7_UNORM", "BC7_UNORM_SRGB", "AYUV", "Y410", "Y416", "NV12", "P010", "P016", "420_OPAQUE",
    "YUY2", "Y210", "Y216", "NV11", "AI44", "IA44", "P8", "A8P8", "B4G4R4A4_UNORM",
];

/// Formats of Direct3D 9 by their code of four letters, or number.
const CODES: [(u32, &str); 22] = [
    (code(b"DXT1"), "BC1_UNORM"),
    (code(b"DXT2"), "BC2_UNORM"),
    (code(b"DXT3"), "BC2_UNORM"),
    (code(b"DXT4"), "BC3_UNORM"),
    (code(b"DXT5"), "BC3_UNORM"),
    (code(b"ATI1"), "BC4_UNORM"),
    (code(b"BC4U"), "BC4_UNORM"),
    (code(b"BC4S"), "BC4_SNORM"),
    (code(b"ATI2"), "BC5_UNORM"),
    (code(b"BC5U"), "BC5_UNORM"),
    (code(b"BC5S"), "BC5_SNORM"),
    (code(b"RGBG"), "R8G8_B8G8_UNORM"),
    (code(b"GRGB"), "G8R8_G8B8_UNORM"),
    (code(b"YUY2"), "YUY2"),
    (36, "R16G16B16A16_UNORM"),
    (110, "R16G16B16A16_SNORM"),
    (111, "R16_FLOAT"),
    (112, "R16G16_FLOAT"),
    (113, "R16G16B16A16_FLOAT"),
    (114, "R32_FLOAT"),
    (115, "R32G32_FLOAT"),
    (116, "R32G32B32A32_FLOAT"),
];

/// Formats of Direct3D 9 by bits of a texel and masks of red, green, blue and alpha. Luminance is red.
const MASKS: [(u32, [u32; 4], &str); 14] = [
    (32, [0xff, 0xff00, 0xff_0000, 0xff00_0000], "R8G8B8A8_UNORM"),
    (32, [0xff_0000, 0xff00, 0xff, 0xff00_0000], "B8G8R8A8_UNORM"),
    (32, [0xff_0000, 0xff00, 0xff, 0], "B8G8R8X8_UNORM"),
    (32, [0x3ff, 0xf_fc00, 0x3ff0_0000, 0xc000_0000], "R10G10B10A2_UNORM"),
    // What Direct3D's own library wrote for the same format.
    (32, [0x3ff0_0000, 0xf_fc00, 0x3ff, 0xc000_0000], "R10G10B10A2_UNORM"),
    (32, [0xffff, 0xffff_0000, 0, 0], "R16G16_UNORM"),
    (32, [u32::MAX, 0, 0, 0], "R32_FLOAT"),
    (16, [0xf800, 0x7e0, 0x1f, 0], "B5G6R5_UNORM"),
    (16, [0x7c00, 0x3e0, 0x1f, 0x8000], "B5G5R5A1_UNORM"),
    (16, [0xf00, 0xf0, 0xf, 0xf000], "B4G4R4A4_UNORM"),
    (16, [0xff, 0, 0, 0xff00], "R8G8_UNORM"),
    (16, [0xffff, 0, 0, 0], "R16_UNORM"),
    (8, [0xff, 0, 0, 0], "R8_UNORM"),
    (8, [0, 0, 0, 0xff], "A8_UNORM"),
];

/// The same of signed numbers.
const MASKS_SIGNED: [(u32, [u32; 4], &str); 3] = [
    (32, [0xff, 0xff00, 0xff_0000, 0xff00_0000], "R8G8B8A8_SNORM"),
    (32, [0xffff, 0xffff_0000, 0, 0], "R16G16_SNORM"),
    (16, [0xff, 0xff00, 0, 0], "R8G8_SNORM"),
];

const fn code(letters: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*letters)
}

/// Whether textures of a format can be written.
pub(super) fn can_write(format: Format) -> bool {
    DXGI.contains(&format.name())
}

/// What a file with this texture begins with; its texels follow.
pub(super) fn header(shape: &TextureShape) -> Vec<u8> {
    let number = DXGI.iter().position(|name| *name == shape.format.name());
    let number = number.expect("only formats that can be written come here") as u32;
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
    let extension = [number, dimension, flag(cube, CUBE_10), layers, 0];
    let words = words.iter().chain(&extension).flat_map(|word| word.to_le_bytes());
    MAGIC.iter().copied().chain(words).collect()
}

/// Reads a file. A format without a type becomes the one that is wanted. `most` bounds the bytes of its texels. The message
/// of an error says what is wrong.
pub(super) fn read(file: &[u8], wanted: Option<Format>, most: u64) -> Result<Texels, String> {
    let short = "the file ends within its header";
    let rest = file.strip_prefix(MAGIC).ok_or("this is no .dds file: it does not begin with the letters `DDS `")?;
    let (header, mut data) = rest.split_at_checked(HEADER).ok_or(short)?;
    let words = words(header);
    if words[0] != HEADER as u32 || words[word::PIXEL_SIZE] != PIXEL_FORMAT {
        return Err(format!(
            "its header says that it has {} bytes, its pixel format {}; right are {HEADER} and {PIXEL_FORMAT}",
            words[0],
            words[word::PIXEL_SIZE]
        ));
    }
    let (name, dimension, layers) = if words[word::PIXEL_FLAGS] & BY_CODE != 0 && words[word::CODE] == code(b"DX10") {
        let (extension, texels) = data.split_at_checked(EXTENSION).ok_or(short)?;
        data = texels;
        extended(&self::words(extension))?
    } else {
        legacy(&words)?
    };
    let mut shape = TextureShape::new(dimension, format(name, wanted)?, words[word::WIDTH]);
    shape = shape.layers(layers).mips(words[word::MIPS].max(1));
    if !matches!(dimension, Dimension::Texture1d | Dimension::Texture1dArray) {
        shape = shape.height(words[word::HEIGHT]);
    }
    if dimension == Dimension::Texture3d {
        shape = shape.depth(words[word::DEPTH]);
    }
    let needed = texels::check_size(&shape, most)?;
    match data.len() {
        found if found < needed => Err(format!("the file ends {} bytes before its texels do", needed - found)),
        found if found > needed => Err(format!("{} bytes follow its texels", found - needed)),
        _ => Ok(Texels { shape, bytes: data.to_vec() }),
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// Format, kind and layers by the extension.
fn extended(words: &[u32]) -> Result<(&'static str, Dimension, u32), String> {
    let [number, dimension, flags, count, ..] = words else { unreachable!("an extension has five words") };
    let name = *DXGI.get(*number as usize).ok_or_else(|| format!("DXGI has no format {number}"))?;
    let array = *count != 1;
    let layers = |each: u32| count.saturating_mul(each);
    Ok(match (*dimension, flags & CUBE_10 != 0, array) {
        (2, _, false) => (name, Dimension::Texture1d, 1),
        (2, _, true) => (name, Dimension::Texture1dArray, layers(1)),
        (3, false, false) => (name, Dimension::Texture2d, 1),
        (3, false, true) => (name, Dimension::Texture2dArray, layers(1)),
        (3, true, false) => (name, Dimension::TextureCube, 6),
        (3, true, true) => (name, Dimension::TextureCubeArray, layers(6)),
        (4, ..) => (name, Dimension::Texture3d, layers(1)),
        (other, ..) => {
            return Err(format!("{other} is no kind of texture: 2, 3 and 4 are those of one, two and three sides"));
        }
    })
}

/// The same by the header alone.
fn legacy(words: &[u32]) -> Result<(&'static str, Dimension, u32), String> {
    let (flags, fourcc, bits) = (words[word::PIXEL_FLAGS], words[word::CODE], words[word::BITS]);
    let masks = [0, 1, 2, 3].map(|channel| words[word::MASKS + channel]);
    let by_mask = |list: &[(u32, [u32; 4], &'static str)]| {
        list.iter().find(|(size, fields, _)| *size == bits && *fields == masks).map(|(.., name)| *name)
    };
    let name = match flags {
        flags if flags & BY_CODE != 0 => CODES.iter().find(|(known, _)| *known == fourcc).map(|(_, name)| *name),
        flags if flags & SIGNED != 0 => by_mask(&MASKS_SIGNED),
        _ => by_mask(&MASKS),
    };
    let name = name.ok_or_else(|| match flags & BY_CODE {
        0 => {
            let masks = masks.map(|mask| format!("{mask:#x}")).join(", ");
            format!("texels of {bits} bits with the masks {masks} are no format of DXGI")
        }
        _ => format!("its format {:?} is unknown", String::from_utf8_lossy(&fourcc.to_le_bytes())),
    })?;
    match words[word::CAPS_2] {
        caps if caps & VOLUME != 0 => Ok((name, Dimension::Texture3d, 1)),
        caps if caps & CUBE != 0 && caps & FACES != FACES => Err("some faces of its cube are missing".into()),
        caps if caps & CUBE != 0 => Ok((name, Dimension::TextureCube, 6)),
        _ => Ok((name, Dimension::Texture2d, 1)),
    }
}

/// The format of a name in DXGI.
fn format(name: &str, wanted: Option<Format>) -> Result<Format, String> {
    // Those with another `_` say a part of what they are, and are formats of their own.
    if let Some(layout) = name.strip_suffix("_TYPELESS").filter(|layout| !layout.contains('_')) {
        return match wanted {
            Some(wanted) if texels::layout(wanted) == layout => Ok(wanted),
            _ => Err(format!("its texels are {name}: say what they are, as in `format = \"{layout}_UNORM\"`")),
        };
    }
    name.parse().map_err(|_| format!("its texels are {name}, which shaders cannot be given"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A texture whose bytes count up.
    fn texture(shape: TextureShape) -> Texels {
        let bytes = (0..shape.size_bytes().unwrap()).map(|n| n as u8).collect();
        Texels { shape, bytes }
    }

    fn file(texture: &Texels) -> Vec<u8> {
        [header(&texture.shape), texture.bytes.clone()].concat()
    }

    fn message(file: &[u8]) -> String {
        read(file, None, 1 << 20).unwrap_err()
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
            of(Dimension::TextureCube, Format::R16G16B16A16_FLOAT).height(8),
            of(Dimension::TextureCubeArray, Format::B5G6R5_UNORM).height(8).layers(12).mips(2),
        ] {
            let texture = texture(shape);
            let found = read(&file(&texture), None, 1 << 20).unwrap();
            assert_eq!((found.shape, found.bytes), (texture.shape, texture.bytes));
        }
    }

    #[test]
    fn every_format_of_the_runtime_has_a_number() {
        for format in Format::ALL {
            assert!(can_write(*format), "{format}");
        }
        // As dxgiformat.h counts.
        for (number, name) in [(2, "R32G32B32A32_FLOAT"), (28, "R8G8B8A8_UNORM"), (41, "R32_FLOAT"), (61, "R8_UNORM")] {
            assert_eq!(DXGI[number], name);
        }
        for (number, name) in [(71, "BC1_UNORM"), (87, "B8G8R8A8_UNORM"), (98, "BC7_UNORM"), (115, "B4G4R4A4_UNORM")] {
            assert_eq!(DXGI[number], name);
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
        let shape = |file: Vec<u8>| read(&file, None, 1000).unwrap().shape;
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
        assert_eq!(read(&file, wanted, 100).unwrap().shape.format, Format::R8G8B8A8_SINT);
        let says = "its texels are R8G8B8A8_TYPELESS: say what they are, as in `format = \"R8G8B8A8_UNORM\"`";
        assert_eq!(message(&file), says);
        assert_eq!(read(&file, Some(Format::R32_UINT), 100).unwrap_err(), says);
    }

    #[test]
    fn wrong_files_are_errors() {
        let good = file(&texture(TextureShape::texture_2d(Format::R32_UINT, 4, 4).mips(3)));
        assert_eq!(message(b"GIF89a"), "this is no .dds file: it does not begin with the letters `DDS `");
        assert_eq!(message(&good[..147]), "the file ends within its header");
        assert_eq!(message(&good[..good.len() - 5]), "the file ends 5 bytes before its texels do");
        assert_eq!(message(&[&good[..], &[0; 3]].concat()), "3 bytes follow its texels");
        assert_eq!(read(&good, None, 83).unwrap_err(), "its texels have 84 bytes, the limit is 83");
        let with = |at: usize, word: u32| {
            let mut file = good.clone();
            file[at..at + 4].copy_from_slice(&word.to_le_bytes());
            message(&file)
        };
        assert_eq!(with(4, 0), "its header says that it has 0 bytes, its pixel format 32; right are 124 and 32");
        assert!(with(12, u32::MAX).contains("height"));
        assert!(with(28, 99).contains("mip"));
        assert_eq!(with(128, 116), "DXGI has no format 116");
        assert_eq!(with(128, 107), "its texels are YUY2, which shaders cannot be given");
        assert!(with(132, 1).starts_with("1 is no kind of texture"));
        assert!(with(140, u32::MAX).contains("layers"));
        assert!(with(140, 0).contains("layers"));
        for at in 4..148 {
            for value in [0, 1, 4, 0x7f, 0x80, 0xff] {
                let mut file = good.clone();
                file[at] = value;
                if let Ok(found) = read(&file, None, 1 << 20) {
                    assert_eq!(found.bytes.len() as u64, found.shape.size_bytes().unwrap());
                }
            }
        }
    }
}
