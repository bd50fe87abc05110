//! Reads and writes NumPy's .npy files, version 1.0: little-endian numbers in C order, as NumPy's format note describes
//! them.

use std::fmt;
use std::str::FromStr;

use brolga_runtime::format::Encoding;
use brolga_runtime::{Format, TextureShape};

use super::extent::{Extent, detail, sides};
use super::{FileProblem, short};

const MAGIC: &[u8] = b"\x93NUMPY";
/// The header is padded so that the data begins at a multiple of this.
const ALIGNMENT: usize = 64;
/// Versions 2 and 3 have 32 bits for a header's length; no header that we can use needs more than this.
const MAX_HEADER: usize = 1 << 16;

/// The type of an array's elements. As a text it is NumPy's: `<f4` for floats of four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementType {
    /// `f` for floats, `i` and `u` for signed and unsigned integers.
    pub letter: char,
    /// Bytes of an element.
    pub size_bytes: usize,
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A single byte has no byte order.
        let order = if self.size_bytes == 1 { '|' } else { '<' };
        write!(f, "{order}{}{}", self.letter, self.size_bytes)
    }
}

impl ElementType {
    /// An element as text; its bytes in hexadecimal digits if it is of a type that Rust does not have.
    pub fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0; 8];
        let size = bytes.len().min(8);
        wide[..size].copy_from_slice(&bytes[..size]);
        let bits = u64::from_le_bytes(wide);
        let unused = 64 - 8 * size as u32;
        match (self.letter, size) {
            ('u', _) => bits.to_string(),
            ('i', _) => (bits.unbounded_shl(unused).cast_signed() >> unused.min(63)).to_string(),
            ('f', 4) => format!("{:?}", f32::from_bits(bits as u32)),
            ('f', 8) => format!("{:?}", f64::from_bits(bits)),
            _ => format!("0x{bits:0width$x}", width = 2 * size),
        }
    }

    /// The element type for the components of a format, and the number of them in a texel. Fixed-point components are
    /// their codes; a texel whose components are not whole bytes is one number, or bytes if no number is so long.
    pub fn of_format(format: Format) -> (Self, usize) {
        let fields: Vec<_> = format.fields().into_iter().flatten().collect();
        let size_bytes = format.size_bytes() as usize;
        let bits = fields.first().map_or(0, |field| field.bits);
        let same = fields.iter().all(|field| field.bits == bits) && fields.len() * bits as usize == 8 * size_bytes;
        if !same || !bits.is_multiple_of(8) {
            return match size_bytes {
                1 | 2 | 4 | 8 if format.block_extents() == [1, 1] => (Self { letter: 'u', size_bytes }, 1),
                _ => (Self { letter: 'u', size_bytes: 1 }, size_bytes),
            };
        }
        let letter = match format.encoding() {
            Encoding::Float => 'f',
            Encoding::Sint | Encoding::Snorm => 'i',
            _ => 'u',
        };
        (Self { letter, size_bytes: bits as usize / 8 }, fields.len())
    }
}

impl FromStr for ElementType {
    type Err = FileProblem;

    fn from_str(name: &str) -> Result<Self, FileProblem> {
        let unknown = || {
            let name = short(name);
            format!("elements of type `{name}` are not supported: use little-endian floats or integers, such as `<f4`")
        };
        let mut letters = name.chars();
        let (order, letter) = letters.next().zip(letters.next()).ok_or_else(unknown)?;
        let size_bytes = letters.as_str().parse().map_err(|_| unknown())?;
        match (order, letter, size_bytes) {
            ('<', 'f', 2 | 4 | 8) | ('<', 'i' | 'u', 1 | 2 | 4 | 8) | ('|', 'i' | 'u', 1) => {
                Ok(Self { letter, size_bytes })
            }
            _ => Err(unknown().into()),
        }
    }
}

/// The elements of an array file: their type, and the array's shape, the outermost dimension first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// Their type.
    pub element: ElementType,
    /// The length of each dimension.
    pub sides: Vec<u64>,
}

impl Array {
    /// Bytes of all elements; `None` on overflow.
    pub fn size_bytes(&self) -> Option<u64> {
        self.sides.iter().try_fold(self.element.size_bytes as u64, |bytes, side| bytes.checked_mul(*side))
    }

    /// The array of a texture's texels. The dimensions of compressed textures count blocks.
    pub fn of_texture(shape: &TextureShape) -> Self {
        let [across, down] = shape.format.block_extents();
        let side = |side: &Extent| match side {
            Extent::Width => shape.width.div_ceil(across),
            Extent::Height => shape.height.div_ceil(down),
            other => other.of(shape),
        };
        let mut all: Vec<u64> = sides(shape.dimension).iter().map(side).map(u64::from).collect();
        if detail(shape.dimension) == Extent::Samples {
            all.push(shape.samples.into());
        }
        Self::of_texels(shape.format, all)
    }

    /// The array of texels with this shape, whose components are a dimension of their own if there are several.
    pub fn of_texels(format: Format, mut sides: Vec<u64>) -> Self {
        let (element, components) = ElementType::of_format(format);
        if components > 1 {
            sides.push(components as u64);
        }
        Self { element, sides }
    }

    /// The header of a file with this array; its elements follow.
    pub fn header(&self) -> Vec<u8> {
        let numbers: Vec<String> = self.sides.iter().map(u64::to_string).collect();
        // A tuple of one needs its comma.
        let comma = if numbers.len() == 1 { "," } else { "" };
        let (element, numbers) = (self.element, numbers.join(", "));
        let header = format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({numbers}{comma}), }}");
        let before = MAGIC.len() + 4;
        let padded = (before + header.len() + 1).next_multiple_of(ALIGNMENT) - before;
        let length = u16::try_from(padded).expect("a header with a handful of numbers is short");
        let mut file = [MAGIC, &[1, 0], &length.to_le_bytes(), header.as_bytes()].concat();
        file.resize(before + padded - 1, b' ');
        file.push(b'\n');
        file
    }

    /// Reads a file, and returns its elements too.
    pub fn read(file: &[u8]) -> Result<(Self, &[u8]), FileProblem> {
        let (array, offset_bytes) = Self::parse(file, file.len() as u64)?;
        Ok((array, &file[offset_bytes as usize..]))
    }

    /// Reads the header of a file of `size_bytes` that begins with these bytes, and returns the offset of its elements.
    pub fn parse(file: &[u8], size_bytes: u64) -> Result<(Self, u64), FileProblem> {
        let rest =
            file.strip_prefix(MAGIC).ok_or("this is no .npy file: it does not begin with the bytes \\x93NUMPY")?;
        let short = "the file ends within its header";
        let (length, rest) = match rest {
            [1, _, low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
            [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
            [1..=3, ..] | [] => return Err(short.into()),
            [version, ..] => {
                return Err(format!("version {version} of the format is not supported, only 1 to 3 are").into());
            }
        };
        let header = rest.get(..length).filter(|_| length <= MAX_HEADER).ok_or(short)?;
        let offset_bytes = (file.len() - rest.len() + length) as u64;
        let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
        let element = quoted(after(header, "descr")?).parse()?;
        if after(header, "fortran_order")?.starts_with("True") {
            return Err("the array is in Fortran order: save it with numpy.ascontiguousarray".into());
        }
        let array = Self { element, sides: shape(after(header, "shape")?)? };
        let found = size_bytes.saturating_sub(offset_bytes);
        if array.size_bytes() != Some(found) {
            let sides = format!("{:?}", array.sides);
            let sides = super::short(&sides);
            return Err(format!(
                "the array {sides} of {element} does not have the {found} bytes that follow the header"
            )
            .into());
        }
        Ok((array, offset_bytes))
    }
}

/// The text after a key of the header.
fn after<'a>(header: &'a str, key: &str) -> Result<&'a str, FileProblem> {
    let missing = || FileProblem::from(format!("the header has no `{key}`"));
    let (_, rest) = header.split_once(&format!("'{key}'")).ok_or_else(missing)?;
    Ok(rest.trim_start().strip_prefix(':').ok_or_else(missing)?.trim_start())
}

/// The content of a quoted text.
fn quoted(text: &str) -> &str {
    text.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map_or(text, |(name, _)| name)
}

fn shape(text: &str) -> Result<Vec<u64>, FileProblem> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let sides =
        inside.ok_or("the header's `shape` is no tuple")?.split(',').map(str::trim).filter(|side| !side.is_empty());
    sides.map(|side| side.parse().map_err(|_| format!("`{}` is not an array dimension", short(side)).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NumPy 1.26 writes `numpy.save(f, numpy.array([[1, 2, 3]], "<u2"))`.
    fn by_numpy() -> Vec<u8> {
        let mut file = b"\x93NUMPY\x01\x00v\x00{'descr': '<u2', 'fortran_order': False, 'shape': (1, 3), }".to_vec();
        file.resize(127, b' ');
        file.push(b'\n');
        file.extend_from_slice(&[1, 0, 2, 0, 3, 0]);
        file
    }

    #[test]
    fn files_of_numpy_are_read_and_written_the_same() {
        let file = by_numpy();
        let (array, data) = Array::read(&file).unwrap();
        assert_eq!(array.sides, [1, 3]);
        assert_eq!(data, [1, 0, 2, 0, 3, 0]);
        assert_eq!([&array.header(), data].concat(), file);
    }

    #[test]
    fn what_cannot_be_taken_says_why() {
        let swap = |from: &str, to: &str| {
            let text = String::from_utf8_lossy(&by_numpy()[10..]).replace(from, to);
            [&by_numpy()[..10], text.as_bytes()].concat()
        };
        for (file, part) in [
            (b"PK".to_vec(), "no .npy file"),
            (by_numpy()[..60].to_vec(), "ends within"),
            (by_numpy()[..7].to_vec(), "ends within"),
            (swap("<u2", ">u2"), "little-endian"),
            (swap("<u2", "|O8"), "|O8"),
            (swap("False", "True "), "Fortran"),
            (swap("(1, 3)", "(1, 4)"), "6 bytes"),
            (swap("(1, 3)", "18446744073709551615, 9999999999"), "no tuple"),
            (swap("(1, 3)", "(18446744073709551615, 99)"), "6 bytes"),
        ] {
            let message = Array::read(&file).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }

    #[test]
    fn formats_give_their_components() {
        let of = |format| {
            let (element, count) = ElementType::of_format(format);
            (element.to_string(), count)
        };
        assert_eq!(of(Format::R8G8B8A8_UNORM), ("|u1".into(), 4));
        assert_eq!(of(Format::R16G16_FLOAT), ("<f2".into(), 2));
        assert_eq!(of(Format::R32_SINT), ("<i4".into(), 1));
        assert_eq!(of(Format::R10G10B10A2_UINT), ("<u4".into(), 1));
        assert_eq!(of(Format::B5G6R5_UNORM), ("<u2".into(), 1));
    }
    #[test]
    fn a_texture_s_sides_come_before_its_components() {
        let mut image = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 5, 3);
        assert_eq!(Array::of_texture(&image).sides, [3, 5, 4]);
        image.format = Format::R32_FLOAT;
        assert_eq!(Array::of_texture(&image).sides, [3, 5]);
    }
}
