//! NumPy's .npy files, version 1.0: little-endian numbers in C order, as NumPy's format note describes them.

use std::fmt;

use brolga_runtime::Format;
use brolga_runtime::format::Encoding;

use super::error::short;
use super::values::NumberType;

const MAGIC: &[u8] = b"\x93NUMPY";
/// The header is padded so that the data begins at a multiple of this.
const ALIGNMENT: usize = 64;
/// Versions 2 and 3 have 32 bits for a header's length; no header that we can use needs more than this.
const MAX_HEADER: usize = 1 << 16;

/// The type of an array's elements: a letter of `f`, `i`, `u`, and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ElementType {
    pub letter: char,
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
    /// The element type for numbers of a job's type.
    pub fn of_numbers(number_type: NumberType) -> Self {
        let letter = match number_type {
            NumberType::U8 | NumberType::U16 | NumberType::U32 => 'u',
            NumberType::I32 => 'i',
            NumberType::F32 | NumberType::F64 => 'f',
        };
        Self { letter, size_bytes: number_type.size_bytes() }
    }

    /// The job's type for such numbers, if it has one.
    pub fn number_type(self) -> Option<NumberType> {
        NumberType::ALL.into_iter().find(|number_type| Self::of_numbers(*number_type) == self)
    }

    /// The element type for the components of a format, and how many a texel has. Fixed-point components are their codes;
    /// a texel whose components are no whole bytes is one number, or bytes where no number is so long.
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

/// What a file with this array begins with; its data follow.
pub(super) fn header(element: ElementType, shape: &[u64]) -> Vec<u8> {
    let numbers: Vec<String> = shape.iter().map(u64::to_string).collect();
    // A tuple of one needs its comma.
    let comma = if shape.len() == 1 { "," } else { "" };
    let header =
        format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({}{comma}), }}", numbers.join(", "));
    let before = MAGIC.len() + 4;
    let padded = (before + header.len() + 1).next_multiple_of(ALIGNMENT) - before;
    let mut file = Vec::with_capacity(before + padded);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[1, 0]);
    file.extend_from_slice(&u16::try_from(padded).expect("a header with a handful of numbers is short").to_le_bytes());
    file.extend_from_slice(header.as_bytes());
    file.resize(before + padded - 1, b' ');
    file.push(b'\n');
    file
}

/// An array in a file.
#[derive(Debug, PartialEq)]
pub(super) struct Array<'a> {
    pub element: ElementType,
    pub shape: Vec<u64>,
    pub data: &'a [u8],
}

/// Reads a file. The message of an error says what is wrong with it.
pub(super) fn read(file: &[u8]) -> Result<Array<'_>, String> {
    let rest = file.strip_prefix(MAGIC).ok_or("this is no .npy file: it does not begin with the bytes \\x93NUMPY")?;
    let (length, rest) = match rest {
        [1, _, low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, rest),
        [version, ..] => return Err(format!("version {version} of the format is unknown, known are 1 to 3")),
        [] => return Err("the file ends within its header".into()),
    };
    if length > MAX_HEADER || length > rest.len() {
        return Err("the file ends within its header".into());
    }
    let (header, data) = rest.split_at(length);
    let header = std::str::from_utf8(header).map_err(|_| "the header is no text")?;
    let element = element_type(after(header, "descr")?)?;
    if after(header, "fortran_order")?.starts_with("True") {
        return Err("the array is in Fortran order: save it with numpy.ascontiguousarray".into());
    }
    let shape = shape(after(header, "shape")?)?;
    let bytes = shape.iter().try_fold(element.size_bytes as u64, |bytes, side| bytes.checked_mul(*side));
    match bytes {
        Some(bytes) if bytes == data.len() as u64 => Ok(Array { element, shape, data }),
        _ => Err(format!(
            "the array {} of {element} does not have the {} bytes that follow the header",
            short(&format!("{shape:?}")),
            data.len()
        )),
    }
}

/// What follows a key of the header.
fn after<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let missing = || format!("the header has no `{key}`");
    let (_, rest) = header.split_once(&format!("'{key}'")).ok_or_else(missing)?;
    Ok(rest.trim_start().strip_prefix(':').ok_or_else(missing)?.trim_start())
}

fn element_type(text: &str) -> Result<ElementType, String> {
    let name = text.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map_or(text, |(name, _)| name);
    let unknown =
        || format!("elements of type `{}` are not taken: use little-endian floats or integers, as `<f4`", short(name));
    let mut letters = name.chars();
    let order = letters.next().ok_or_else(unknown)?;
    let letter = letters.next().ok_or_else(unknown)?;
    let size_bytes = letters.as_str().parse().map_err(|_| unknown())?;
    let known = matches!((letter, size_bytes), ('f', 2 | 4 | 8) | ('i' | 'u', 1 | 2 | 4 | 8));
    if !known || !(order == '<' || order == '|' && size_bytes == 1) {
        return Err(unknown());
    }
    Ok(ElementType { letter, size_bytes })
}

fn shape(text: &str) -> Result<Vec<u64>, String> {
    let inside = text.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let sides =
        inside.ok_or("the header's `shape` is no tuple")?.split(',').map(str::trim).filter(|side| !side.is_empty());
    sides.map(|side| side.parse().map_err(|_| format!("`{}` is no side of an array", short(side)))).collect()
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
        let array = read(&file).unwrap();
        assert_eq!(array.shape, [1, 3]);
        assert_eq!(array.data, [1, 0, 2, 0, 3, 0]);
        assert_eq!([&header(array.element, &array.shape), array.data].concat(), file);
    }

    #[test]
    fn what_cannot_be_taken_says_why() {
        let swap = |from: &str, to: &str| {
            let text = String::from_utf8_lossy(&by_numpy()[10..]).replace(from, to);
            [&by_numpy()[..10], text.as_bytes()].concat()
        };
        assert!(read(b"PK").unwrap_err().contains("no .npy file"));
        assert!(read(&by_numpy()[..60]).unwrap_err().contains("ends within"));
        assert!(read(&swap("<u2", ">u2")).unwrap_err().contains("little-endian"));
        assert!(read(&swap("<u2", "|O8")).unwrap_err().contains("|O8"));
        assert!(read(&swap("False", "True ")).unwrap_err().contains("Fortran"));
        assert!(read(&swap("(1, 3)", "(1, 4)")).unwrap_err().contains("6 bytes"));
        assert!(read(&swap("(1, 3)", "18446744073709551615, 9999999999)")).is_err());
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
}
