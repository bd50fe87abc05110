//! Defines textures of files in memory, and converts texels from one format to another.
//!
//! * A file's texels keep their bits if the wanted format is of the same family and has the same codes: UNORM,
//!   UNORM_SRGB and UINT, or SNORM and SINT.
//! * Other formats without integers and blocks are converted by value.
//! * Everything else is an error.

use brolga_runtime::format::Encoding;
use brolga_runtime::{CancelToken, Format, TextureShape, room};

use super::FileProblem;
use super::until::go_on;

/// Texels that are converted between two checks of the token.
const PIECE: usize = 1 << 14;

/// The texels of a texture, and its shape.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Texels {
    /// The shape.
    pub shape: TextureShape,
    /// Tightly packed, in the order in which a view has them.
    pub bytes: Vec<u8>,
}

impl Texels {
    /// The same texture in another format. `most` bounds the bytes of the texels.
    pub fn convert(self, format: Format, most: u64) -> Result<Self, FileProblem> {
        self.convert_until(format, most, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`FileProblem::Stopped`].
    pub fn convert_until(self, format: Format, most: u64, cancel: &CancelToken) -> Result<Self, FileProblem> {
        let mut shape = self.shape;
        shape.format = format;
        check_size(&shape, most)?;
        Ok(Self { bytes: convert(self.shape.format, format, self.bytes, cancel)?, shape })
    }
}

/// Rejects a shape that is invalid or too large, before memory is allocated for it. Returns its size in bytes.
pub fn check_size(shape: &TextureShape, most: u64) -> Result<usize, FileProblem> {
    let size = shape.size_bytes().map_err(|error| error.to_string())?;
    match usize::try_from(size) {
        Ok(bytes) if size <= most => Ok(bytes),
        _ => Err(FileProblem::TooLarge { what: "its texels have", bytes: size, limit: most }),
    }
}

/// The maximum number of bytes that one byte of a compressed file expands to: 1,032 for deflate, of which 24-bit floats
/// become four thirds. Other compressions expand less.
const MOST_PACKED: u64 = 1376;

/// Rejects a header that promises more bytes than a file can expand to, before memory is allocated for them.
pub(super) fn check_packed(promised: u64, file: usize) -> Result<(), FileProblem> {
    if promised > MOST_PACKED.saturating_mul(file as u64) {
        return Err(format!("the file is damaged: no {promised} bytes can come out of its {file}").into());
    }
    Ok(())
}

/// Converts texels to another format.
pub(super) fn convert(from: Format, to: Format, texels: Vec<u8>, cancel: &CancelToken) -> Result<Vec<u8>, FileProblem> {
    if from == to || share_codes(from, to) {
        return Ok(texels);
    }
    if !is_number(from) || !is_number(to) {
        return Err(format!(
            "its texels are {from}, which do not become {to}: leave `format` out to take them as they are"
        )
        .into());
    }
    let [from_bytes, to_bytes] = [from, to].map(|format| format.size_bytes() as usize);
    let mut converted = room::room((texels.len() / from_bytes * to_bytes) as u64)?;
    for piece in texels.chunks(PIECE * from_bytes) {
        go_on(cancel)?;
        for words in words(from, piece) {
            converted.extend_from_slice(&to.encode(words).to_le_bytes()[..to_bytes]);
        }
    }
    Ok(converted)
}

/// The words that shaders see for texels of a format without blocks.
pub(super) fn words(format: Format, texels: &[u8]) -> impl Iterator<Item = [u32; 4]> {
    let (decode, size_bytes) = (format.decoder(), format.size_bytes() as usize);
    texels.chunks_exact(size_bytes).map(move |texel| {
        let mut code = [0; 16];
        code[..size_bytes].copy_from_slice(texel);
        decode(u128::from_le_bytes(code))
    })
}

/// `true` if a format has no blocks, and its texels are numbers.
pub(super) fn is_number(format: Format) -> bool {
    format.block_extents() == [1, 1] && format.channels().iter().flatten().all(|encoding| !encoding.is_integer())
}

/// The linear format with the same codes, if there is one.
pub(super) fn unorm(format: Format) -> Option<Format> {
    let same = |other: &Format| other.encoding() == Encoding::Unorm && other.fields() == format.fields();
    Format::ALL.iter().copied().find(same).filter(|format| is_number(*format))
}

/// `true` if codes of one format are codes of the other.
fn share_codes(one: Format, other: Format) -> bool {
    let signed = |format: Format| match format.encoding() {
        Encoding::Unorm | Encoding::Srgb | Encoding::Uint => Some(false),
        Encoding::Snorm | Encoding::Sint => Some(true),
        _ => None,
    };
    one.is_castable_to(other) && signed(one).is_some() && signed(one) == signed(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(from: Format, to: Format, texels: &[u8]) -> Result<Vec<u8>, FileProblem> {
        convert(from, to, texels.to_vec(), &CancelToken::new())
    }

    #[test]
    fn codes_keep_their_bits_and_numbers_their_values() {
        let texel = [0, 64, 128, 255];
        for format in [Format::R8G8B8A8_UNORM_SRGB, Format::R8G8B8A8_UINT] {
            assert_eq!(converted(Format::R8G8B8A8_UNORM, format, &texel).unwrap(), texel);
        }
        assert_eq!(converted(Format::R8G8B8A8_UNORM, Format::B8G8R8A8_UNORM, &texel).unwrap(), [128, 64, 0, 255]);
        // 0.5 on the sRGB curve is code 188.
        let half = 0.5f32.to_le_bytes();
        assert_eq!(converted(Format::R32_FLOAT, Format::R8_UNORM, &half).unwrap(), [128]);
        let colour = [half, half, half, half].concat();
        let on_curve = converted(Format::R32G32B32A32_FLOAT, Format::R8G8B8A8_UNORM_SRGB, &colour).unwrap();
        assert_eq!(on_curve, [188, 188, 188, 128]);
        let halves = converted(Format::R32_FLOAT, Format::R16_FLOAT, &half).unwrap();
        assert_eq!(halves, 0x3800u16.to_le_bytes());
        for (from, to) in [
            (Format::R32_FLOAT, Format::R32_UINT),
            (Format::R8G8B8A8_UNORM, Format::R8G8B8A8_SINT),
            (Format::R8_UINT, Format::R32_FLOAT),
        ] {
            assert!(converted(from, to, &[0; 4]).unwrap_err().to_string().contains(to.name()), "{to}");
        }
    }
}
