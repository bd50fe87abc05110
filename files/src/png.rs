//! Converts PNG files to and from the texels of a 2D texture.
//!
//! A picture's numbers are those of a UNORM texture, and no curve is applied on the way in or out: `_SRGB` texels are
//! the picture's codes, as they are for every viewer, and so are those of 8-bit and 16-bit integers. Floats are clamped
//! to 0 to 1.

use std::io::{self, Cursor, Write};

use ::png::{BitDepth, ColorType};
use brolga_runtime::format::Encoding;
use brolga_runtime::{CancelToken, Format, TextureShape, room};

use super::FileProblem;
use super::bytes::Bytes;
use super::texels::{self, Texels};
use super::until::{Until, check, go_on};

/// The encoding of a format's texels.
struct Coding {
    /// The format whose numbers are written.
    numbers: Format,
    depth: BitDepth,
    colour: ColorType,
}

/// `None` for formats without an obvious colour: signed numbers, large integers, compressed blocks.
fn coding(format: Format) -> Option<Coding> {
    let bits = || format.fields().into_iter().flatten().map(|field| field.bits);
    let deep = bits().any(|bits| bits > 8);
    let (numbers, deep) = match format.encoding() {
        Encoding::Unorm => (format, deep),
        Encoding::Srgb => (texels::unorm(format)?, deep),
        Encoding::Uint if bits().all(|bits| bits == 8) || bits().all(|bits| bits == 16) => {
            (texels::unorm(format)?, deep)
        }
        Encoding::Float => (format, false),
        _ => return None,
    };
    let colour = match format.channels() {
        [_, _, _, Some(_)] => ColorType::Rgba,
        [Some(_), None, None, None] => ColorType::Grayscale,
        _ => ColorType::Rgb,
    };
    let depth = if deep { BitDepth::Sixteen } else { BitDepth::Eight };
    texels::is_number(numbers).then_some(Coding { numbers, depth, colour })
}

/// `true` if texels of a format can be written.
pub(super) fn can_write(format: Format) -> bool {
    coding(format).is_some()
}

/// Writes a picture of the tightly packed texels of a format that can be written, row by row, unless the token is
/// cancelled.
pub(super) fn write(
    file: &mut impl Write,
    format: Format,
    [width, height]: [u32; 2],
    bytes: &Bytes,
    cancel: &CancelToken,
) -> Result<(), ::png::EncodingError> {
    let Coding { numbers, depth, colour } = coding(format).expect("only formats that can be written come here");
    let deep = depth == BitDepth::Sixteen;
    let wide = if deep { Format::R16G16B16A16_UNORM } else { Format::R8G8B8A8_UNORM };
    let (channels, channel_bytes) = (colour.samples(), if deep { 2 } else { 1 });
    let mut encoder = ::png::Encoder::new(file, width, height);
    encoder.set_depth(depth);
    encoder.set_color(colour);
    let mut writer = encoder.write_header()?;
    let mut rows = writer.stream_writer()?;
    let row_bytes = u64::from(width) * u64::from(format.size_bytes());
    let mut samples = Vec::new();
    for row in 0..u64::from(height) {
        check(cancel)?;
        let texels = bytes.part(row * row_bytes, row_bytes).map_err(io::Error::other)?;
        let texels = texels::convert(numbers, wide, texels, cancel).map_err(io::Error::other)?;
        samples.clear();
        for texel in texels.chunks_exact(4 * channel_bytes) {
            for channel in texel.chunks_exact(channel_bytes).take(channels) {
                // A picture's numbers are big-endian.
                samples.extend(channel.iter().rev());
            }
        }
        rows.write_all(&samples)?;
    }
    rows.finish()?;
    writer.finish()
}

/// Reads a picture of any colour type into the format that is wanted, or into four channels of as many bits as it has.
/// `most` bounds the bytes of its texels.
pub(super) fn read(
    file: &[u8],
    wanted: Option<Format>,
    most: u64,
    cancel: &CancelToken,
) -> Result<Texels, FileProblem> {
    let mut decoder = ::png::Decoder::new(Until { inner: Cursor::new(file), cancel });
    decoder.set_transformations(::png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(|error| format!("this picture cannot be read: {error}"))?;
    let info = reader.info();
    let deep = info.bit_depth == BitDepth::Sixteen;
    let natural = if deep { Format::R16G16B16A16_UNORM } else { Format::R8G8B8A8_UNORM };
    let mut shape = TextureShape::texture_2d(natural, info.width, info.height);
    let size = texels::check_size(&shape, most)?;
    // Only the header gives the size, and files of a few bytes may claim any.
    texels::check_packed(info.raw_bytes() as u64, file.len())?;
    let wanted = wanted.unwrap_or(natural);
    let numbers = match wanted.encoding() {
        Encoding::Srgb => texels::unorm(wanted),
        Encoding::Uint
            if wanted.fields().into_iter().flatten().all(|field| field.bits == if deep { 16 } else { 8 }) =>
        {
            texels::unorm(wanted)
        }
        _ => None,
    };
    let numbers = numbers.unwrap_or(wanted);
    let damaged = |error: ::png::DecodingError| format!("the picture is damaged: {error}");
    let mut bytes;
    if reader.info().interlaced {
        // Its rows come in parts.
        let size = reader.output_buffer_size().ok_or("the picture is too large")?;
        let mut samples = room::zeros::<u8>(size as u64)?;
        let frame = reader.next_frame(&mut samples).map_err(damaged)?;
        samples.truncate(frame.buffer_size());
        let wide = room::room((size / frame.color_type.samples() * 4) as u64)?;
        bytes = texels::convert(natural, numbers, texels_of(frame.color_type, deep, &samples, wide)?, cancel)?;
    } else {
        // Rows that have not been decoded yet take no memory.
        let size = size / natural.size_bytes() as usize * numbers.size_bytes() as usize;
        bytes = room::room(size as u64)?;
        let (colour, _) = reader.output_color_type();
        while let Some(row) = reader.next_row().map_err(damaged)? {
            go_on(cancel)?;
            let texels = texels_of(colour, deep, row.data(), Vec::new())?;
            bytes.extend(texels::convert(natural, numbers, texels, cancel)?);
        }
        if bytes.len() != size {
            return Err("the picture is damaged: it has too few rows".into());
        }
    }
    shape.format = wanted;
    Ok(Texels { shape, bytes })
}

/// Appends to `texels`, which is empty yet, four-channel texels made from a picture's samples.
fn texels_of(colour: ColorType, deep: bool, samples: &[u8], mut texels: Vec<u8>) -> Result<Vec<u8>, FileProblem> {
    if deep {
        // A picture's numbers are big-endian.
        let words = samples.as_chunks().0.iter().map(|&[high, low]| [low, high]);
        colours(colour, words, [u8::MAX; 2], |channels| texels.extend_from_slice(channels.as_flattened()))?;
    } else {
        colours(colour, samples.iter().copied(), u8::MAX, |channels| texels.extend_from_slice(&channels))?;
    }
    Ok(texels)
}

/// Calls `take` with red, green, blue and alpha of each texel.
fn colours<T: Copy>(
    colour: ColorType,
    mut samples: impl Iterator<Item = T>,
    opaque: T,
    mut take: impl FnMut([T; 4]),
) -> Result<(), FileProblem> {
    if colour == ColorType::Indexed {
        return Err("the picture's palette is missing".into());
    }
    while let Some(first) = samples.next() {
        let mut next = || samples.next().unwrap_or(opaque);
        take(match colour {
            ColorType::Rgba => [first, next(), next(), next()],
            ColorType::Rgb => [first, next(), next(), opaque],
            ColorType::GrayscaleAlpha => [first, first, first, next()],
            ColorType::Grayscale | ColorType::Indexed => [first, first, first, opaque],
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8], wanted: Option<Format>, most: u64) -> Result<Texels, FileProblem> {
        super::read(file, wanted, most, &CancelToken::new())
    }

    #[test]
    fn a_token_stops_both_ways() {
        let (cancel, texels) = (CancelToken::new(), Bytes::Owned(vec![0; 24]));
        let file = write(Format::R8G8B8A8_UNORM, 3, 2, vec![0; 24]).unwrap();
        cancel.cancel();
        let decoded = Texels::decode_until(super::super::FileForm::Png, file, None, 1000, &cancel);
        assert!(matches!(decoded, Err(FileProblem::Stopped)));
        assert!(super::write(&mut Vec::new(), Format::R8G8B8A8_UNORM, [3, 2], &texels, &cancel).is_err());
    }

    fn write(format: Format, width: u32, height: u32, bytes: Vec<u8>) -> Result<Vec<u8>, ::png::EncodingError> {
        let mut file = Vec::new();
        super::write(&mut file, format, [width, height], &Bytes::Owned(bytes), &CancelToken::new())?;
        Ok(file)
    }

    fn bytes_of(values: &[f32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    #[test]
    fn what_is_written_is_read_back() {
        for format in [
            Format::R8G8B8A8_UNORM,
            Format::R8G8B8A8_UNORM_SRGB,
            Format::R8G8B8A8_UINT,
            Format::B8G8R8A8_UNORM,
            Format::R16G16B16A16_UNORM,
            Format::R16G16B16A16_UINT,
            Format::R8_UNORM,
            Format::R8G8_UNORM,
            Format::R16_UINT,
        ] {
            let bytes: Vec<u8> = (0..6 * format.size_bytes() as u8).map(|n| n.wrapping_mul(37)).collect();
            let file = write(format, 3, 2, bytes.clone()).unwrap();
            let picture = read(&file, Some(format), 1000).unwrap();
            assert_eq!((picture.shape, picture.bytes), (TextureShape::texture_2d(format, 3, 2), bytes), "{format}");
        }
    }

    #[test]
    fn damaged_and_large_pictures_are_errors() {
        let file = write(Format::R8G8B8A8_UNORM, 3, 2, (0..24).collect()).unwrap();
        assert!(read(&file, None, 24).is_ok());
        assert_eq!(read(&file, None, 23).unwrap_err().to_string(), "its texels have 24 bytes, the limit is 23");
        for end in 0..file.len() - 12 {
            assert!(read(&file[..end], None, 1000).is_err(), "{end}");
        }
        assert!(read(b"GIF89a", None, 1000).is_err());
        let mut huge = file.clone();
        huge[16..20].copy_from_slice(&[0x7f; 4]);
        assert!(read(&huge, None, 1 << 40).is_err());
    }

    /// A file built from the specification: a header, and deflate's data.
    fn by_hand(side: u32, depth_colour_interlace: [u8; 3], packed: &[u8]) -> Vec<u8> {
        let chunk = |name: &[u8; 4], data: &[u8]| {
            let body = [name, data].concat();
            [&(data.len() as u32).to_be_bytes()[..], &body, &crc32(&body).to_be_bytes()].concat()
        };
        let [depth, colour, interlace] = depth_colour_interlace;
        let header = [&side.to_be_bytes()[..], &side.to_be_bytes(), &[depth, colour, 0, 0, interlace]].concat();
        let signature = b"\x89PNG\r\n\x1a\n".to_vec();
        [signature, chunk(b"IHDR", &header), chunk(b"IDAT", packed), chunk(b"IEND", &[])].concat()
    }

    /// A file of a few bytes whose header promises gigabytes is rejected before memory is allocated for them.
    #[test]
    fn a_header_alone_takes_no_memory() {
        let file = by_hand(16384, [16, 6, 0], &[0x78, 1, 1, 0, 0, 0xff, 0xff, 0, 0, 0, 1, 0]);
        assert_eq!(file.len(), 69);
        // Every row has one byte more than its texels.
        let refused = read(&file, None, u64::MAX).unwrap_err().to_string();
        assert_eq!(refused, "the file is damaged: no 2147500032 bytes can come out of its 69");
        assert!(texels::check_packed(1376 * 69, 69).is_ok() && texels::check_packed(1376 * 69 + 1, 69).is_err());
    }

    #[test]
    fn interlaced_pictures_are_read() {
        // Three passes of two by two texels, each row with its filter, in a stored block.
        let rows = [0u8, 10, 0, 20, 0, 30, 40];
        let sums = rows.iter().fold((1u32, 0u32), |(a, b), &byte| (a + u32::from(byte), b + a + u32::from(byte)));
        let adler = (sums.1 << 16 | sums.0).to_be_bytes();
        let length = rows.len() as u16;
        let packed = [&[0x78, 1, 1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &rows, &adler].concat();
        let file = by_hand(2, [8, 0, 1], &packed);
        assert_eq!(read(&file, Some(Format::R8_UNORM), 1000).unwrap().bytes, [10, 20, 30, 40]);
    }

    /// The checksum of the specification, bit by bit.
    fn crc32(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
        })
    }

    #[test]
    fn floats_are_cut_and_stay_on_a_line() {
        let values = [0.0f32, 1.0, 0.5, -3.0, 7.0, f32::NAN];
        let shades = |format| {
            let file = write(format, 6, 1, bytes_of(&values)).unwrap();
            read(&file, Some(Format::R8_UNORM), 1000).unwrap().bytes
        };
        assert_eq!(shades(Format::R32_FLOAT), [0, 255, 128, 0, 255, 0]);
    }

    #[test]
    fn a_picture_fills_other_formats_by_value() {
        let file = write(Format::R8_UNORM, 2, 1, vec![51, 255]).unwrap();
        assert_eq!(read(&file, None, 1000).unwrap().bytes, [51, 51, 51, 255, 255, 255, 255, 255]);
        assert_eq!(read(&file, Some(Format::R32_FLOAT), 1000).unwrap().bytes, bytes_of(&[0.2, 1.0]));
        // 16-bit codes become the nearest 8-bit codes, without a curve.
        let deep = write(Format::R16_UNORM, 1, 1, 0x8000u16.to_le_bytes().to_vec()).unwrap();
        assert_eq!(read(&deep, Some(Format::R8G8B8A8_UNORM_SRGB), 1000).unwrap().bytes, [128, 128, 128, 255]);
        let refused = |file: &[u8], format| read(file, Some(format), 1000).unwrap_err().to_string();
        assert!(refused(&file, Format::R32_UINT).contains("do not become R32_UINT"));
        assert!(refused(&deep, Format::R8_UINT).contains("R16G16B16A16_UNORM, which do not become R8_UINT"));
    }
}
