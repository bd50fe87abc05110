//! Converts OpenEXR files to and from the texels of a 2D texture of floats.
//!
//! The channels are R, G, B and A, of which the last two colours and alpha may be missing; or Y, or a single one of any
//! name, which is grey. Halves stay halves.

use std::io::{self, BufWriter, Cursor, Seek, Write};

use ::exr::prelude::{
    AnyChannel, AnyChannels, Compression, Encoding, FlatSamples, Image, Layer, LayerAttributes, MetaData, ReadChannels,
    ReadLayers, SmallVec, WritableImage, f16, read as reader,
};
use brolga_runtime::{CancelToken, Format, TextureShape, format, room};

use super::FileProblem;
use super::bytes::{Bytes, pieces};
use super::texels::{self, Texels};
use super::until::{Until, check, go_on};

const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];

/// `true` if texels of a format can be written.
pub(super) fn can_write(format: Format) -> bool {
    texels::is_number(format) && format.encoding() == format::Encoding::Float
}

/// Writes a picture of the tightly packed texels of a format that can be written, unless the token is cancelled. A
/// single channel is called Y.
pub(super) fn write(
    file: &mut (impl Write + Seek),
    format: Format,
    [width, height]: [u32; 2],
    bytes: &Bytes,
    cancel: &CancelToken,
) -> io::Result<()> {
    let single = format.channels().iter().flatten().count() == 1;
    // Shared exponents have no more digits and range than halves.
    let halves = format.fields().iter().flatten().all(|field| field.bits <= 16);
    let mut channels = SmallVec::new();
    for (channel, name) in ["R", "G", "B", "A"].into_iter().enumerate() {
        if format.channels()[channel].is_none() {
            continue;
        }
        let count = u64::from(width) * u64::from(height);
        let samples = match halves {
            true => FlatSamples::F16(samples(format, channel, bytes, count, f16::from_f32, cancel)?),
            false => FlatSamples::F32(samples(format, channel, bytes, count, |value| value, cancel)?),
        };
        channels.push(AnyChannel::new(if single { "Y" } else { name }, samples));
    }
    let size = (width as usize, height as usize);
    let layer = Layer::new(size, LayerAttributes::default(), Encoding::SMALL_LOSSLESS, AnyChannels::sort(channels));
    let mut file = BufWriter::new(Until { inner: file, cancel });
    Image::from_layer(layer).write().non_parallel().to_buffered(&mut file).map_err(io::Error::other)?;
    file.flush()
}

/// A channel of texels.
fn samples<T>(
    format: Format,
    channel: usize,
    bytes: &Bytes,
    count: u64,
    sample: impl Fn(f32) -> T,
    cancel: &CancelToken,
) -> io::Result<Vec<T>> {
    let mut samples = room::room(count).map_err(io::Error::other)?;
    for (at, length) in pieces(count * u64::from(format.size_bytes())) {
        check(cancel)?;
        let piece = bytes.part(at, length as u64).map_err(io::Error::other)?;
        samples.extend(texels::words(format, &piece).map(|texel| sample(f32::from_bits(texel[channel]))));
    }
    Ok(samples)
}

/// Reads the first flat picture of a file as R16G16B16A16_FLOAT, or as R32G32B32A32_FLOAT if it has longer numbers.
/// `most` bounds the bytes of its texels, and those of all its channels.
pub(super) fn read(file: &[u8], most: u64, cancel: &CancelToken) -> Result<Texels, FileProblem> {
    if !file.starts_with(&MAGIC) {
        return Err("this is no .exr file: it does not begin with the bytes 76 2f 31 01".into());
    }
    let unreadable = |error| format!("the file is damaged, ends early, or has what is not read: {error}");
    let meta = MetaData::read_from_buffered(Cursor::new(file), false).map_err(unreadable)?;
    let header = meta.headers.iter().find(|header| !header.deep).ok_or("it has deep pixels only, and no flat ones")?;
    if meta.headers.iter().any(|header| matches!(header.compression, Compression::B44 | Compression::B44A)) {
        // Their decoder overflows on damaged files.
        return Err("its compression B44 is not read: save it with ZIP or PIZ".into());
    }
    let extent = |extent: usize| u32::try_from(extent).unwrap_or(u32::MAX);
    let mut shape = TextureShape::texture_2d(
        Format::R32G32B32A32_FLOAT,
        extent(header.layer_size.x()),
        extent(header.layer_size.y()),
    );
    let size = texels::check_size(&shape, u64::MAX)?;
    // Every channel is decompressed, whether it is a colour or not.
    let all = (size / 16) as u64 * header.channels.bytes_per_pixel as u64;
    if all > most {
        return Err(FileProblem::TooLarge { what: "its channels have", bytes: all, limit: most });
    }
    texels::check_packed(all, file.len())?;
    // The decoder would abort the process if memory ran out.
    drop(room::room::<u8>(all + size as u64)?);
    let image = reader().no_deep_data().largest_resolution_level().all_channels().first_valid_layer().all_attributes();
    let image = image.non_parallel().from_buffered(Until { inner: Cursor::new(file), cancel }).map_err(unreadable)?;
    let channels = &image.layer_data.channel_data.list;
    let colours = colours(channels)?;
    let halves = colours.iter().flatten().all(|channel| matches!(channel.sample_data, FlatSamples::F16(_)));
    shape.format = if halves { Format::R16G16B16A16_FLOAT } else { Format::R32G32B32A32_FLOAT };
    let size = texels::check_size(&shape, most)?;
    if image.layer_data.size != header.layer_size {
        return Err("its layers differ in size".into());
    }
    let mut bytes: Vec<u8> = room::room(size as u64)?;
    for texel in 0..image.layer_data.size.area() {
        if texel.is_multiple_of(1 << 14) {
            go_on(cancel)?;
        }
        for (channel, colour) in colours.iter().enumerate() {
            let missing = if channel == 3 { f16::ONE } else { f16::ZERO };
            match colour.map(|colour| &colour.sample_data) {
                Some(FlatSamples::F16(values)) if halves => bytes.extend(values[texel].to_le_bytes()),
                Some(FlatSamples::F16(values)) => bytes.extend(values[texel].to_f32().to_le_bytes()),
                Some(FlatSamples::F32(values)) => bytes.extend(values[texel].to_le_bytes()),
                Some(FlatSamples::U32(_)) => unreachable!("channels of integers are no colours"),
                None if halves => bytes.extend(missing.to_le_bytes()),
                None => bytes.extend(missing.to_f32().to_le_bytes()),
            }
        }
    }
    Ok(Texels { shape, bytes })
}

/// The channels of red, green, blue and alpha.
fn colours(channels: &[AnyChannel<FlatSamples>]) -> Result<[Option<&AnyChannel<FlatSamples>>; 4], FileProblem> {
    let of = |name: &str| channels.iter().find(|channel| channel.name.eq_case_insensitive(name));
    let grey = of("Y").or(if let [single] = channels { Some(single) } else { None });
    let colours = match (of("R"), grey) {
        (Some(_), _) => ["R", "G", "B", "A"].map(of),
        (None, Some(_)) => [grey, grey, grey, of("A")],
        (None, None) => {
            let names: Vec<String> = channels.iter().map(|channel| channel.name.to_string()).collect();
            return Err(format!("its channels are {}, and none is R or Y", names.join(", ")).into());
        }
    };
    for channel in colours.into_iter().flatten() {
        let name = &channel.name;
        if matches!(channel.sample_data, FlatSamples::U32(_)) {
            return Err(format!("its channel {name} has integers, a colour has floats").into());
        }
        if channel.sampling.area() != 1 {
            return Err(format!("its channel {name} leaves out texels").into());
        }
    }
    Ok(colours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(format: Format, width: u32, height: u32, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut file = Cursor::new(Vec::new());
        super::write(&mut file, format, [width, height], &Bytes::Owned(bytes.to_vec()), &CancelToken::new())?;
        Ok(file.into_inner())
    }

    fn read(file: &[u8], most: u64) -> Result<Texels, FileProblem> {
        super::read(file, most, &CancelToken::new())
    }

    #[test]
    fn a_token_stops_both_ways() {
        let (cancel, file) = (CancelToken::new(), write(Format::R32_FLOAT, 4, 4, &[0; 64]).unwrap());
        cancel.cancel();
        let decoded = Texels::decode_until(super::super::FileForm::Exr, file, None, 1000, &cancel);
        assert!(matches!(decoded, Err(FileProblem::Stopped)));
        let texels = Bytes::Owned(vec![0; 64]);
        assert!(super::write(&mut Cursor::new(Vec::new()), Format::R32_FLOAT, [4, 4], &texels, &cancel).is_err());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let formats = [
            (Format::R16G16B16A16_FLOAT, Format::R16G16B16A16_FLOAT),
            (Format::R32G32B32A32_FLOAT, Format::R32G32B32A32_FLOAT),
            (Format::R32_FLOAT, Format::R32G32B32A32_FLOAT),
            (Format::R11G11B10_FLOAT, Format::R16G16B16A16_FLOAT),
            (Format::R9G9B9E5_SHAREDEXP, Format::R16G16B16A16_FLOAT),
        ];
        for (format, natural) in formats {
            let values = (0..24 * 8).map(|n| n as f32 * 0.25 - 3.0);
            let four = values.flat_map(f32::to_le_bytes).collect();
            let bytes = texels::convert(Format::R32G32B32A32_FLOAT, format, four, &CancelToken::new()).unwrap();
            let file = write(format, 8, 6, &bytes).unwrap();
            let found = read(&file, 10_000).unwrap();
            assert_eq!(found.shape, TextureShape::texture_2d(natural, 8, 6));
            assert_eq!(texels::convert(natural, format, found.bytes, &CancelToken::new()).unwrap(), bytes, "{format}");
        }
    }

    #[test]
    fn one_channel_is_grey_and_opaque() {
        let file = write(Format::R32_FLOAT, 1, 1, &0.5f32.to_le_bytes()).unwrap();
        let expected: Vec<u8> = [0.5f32, 0.5, 0.5, 1.0].into_iter().flat_map(f32::to_le_bytes).collect();
        assert_eq!(read(&file, 1000).unwrap().bytes, expected);
    }

    /// The extents are the last numbers of two rectangles, for which a file of a few bytes may give any values.
    #[test]
    fn a_header_alone_takes_no_memory() {
        let mut file = write(Format::R32_FLOAT, 4, 4, &[0; 64]).unwrap();
        for name in ["dataWindow", "displayWindow"] {
            let at = file.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap();
            let corner = at + name.len() + "\0box2i\0".len() + 4 + 8;
            file[corner..corner + 8].copy_from_slice(&[16383u32.to_le_bytes(), 16383u32.to_le_bytes()].concat());
        }
        let refused = read(&file, u64::MAX).unwrap_err().to_string();
        assert!(refused.starts_with("the file is damaged: no 1073741824 bytes can come out of its "), "{refused}");
    }

    /// Whatever the damage, there is an error or a texture, and none that is larger than allowed.
    #[test]
    fn damaged_files_are_errors_and_never_panics() {
        let file = write(Format::R16G16B16A16_FLOAT, 4, 3, &[0x3c; 96]).unwrap();
        assert_eq!(read(&file, 95).unwrap_err().to_string(), "its channels have 96 bytes, the limit is 95");
        for at in 0..file.len() {
            assert!(read(&file[..at], 1000).is_err(), "{at}");
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = file.clone();
                damaged[at] = value;
                if let Ok(found) = read(&damaged, 1000) {
                    assert_eq!(found.shape.size_bytes().unwrap(), found.bytes.len() as u64);
                }
            }
        }
    }
}
