//! PNG files to and from the texels of a 2D image.
//!
//! Only formats with one obvious meaning are taken: four bytes a texel as they are, and a single float as a shade of
//! grey, 0 black and 1 white.

use std::io::Cursor;

use brolga_runtime::Format;

/// The formats that [`write`] takes, for messages.
pub(super) const WRITABLE: &str = "R8G8B8A8_UNORM, R8G8B8A8_UNORM_SRGB, R8G8B8A8_UINT and R32_FLOAT";

/// Whether texels of a format can be written.
pub(super) fn can_write(format: Format) -> bool {
    is_rgba(format) || format == Format::R32_FLOAT
}

/// Whether the texels of a format can come from a picture.
pub(super) fn can_read(format: Format) -> bool {
    is_rgba(format)
}

fn is_rgba(format: Format) -> bool {
    matches!(format, Format::R8G8B8A8_UNORM | Format::R8G8B8A8_UNORM_SRGB | Format::R8G8B8A8_UINT)
}

/// A picture of tightly packed texels.
pub(super) fn write(format: Format, width: u32, height: u32, texels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_depth(png::BitDepth::Eight);
    if format == Format::R32_FLOAT {
        encoder.set_color(png::ColorType::Grayscale);
        let shades: Vec<u8> = texels.as_chunks::<4>().0.iter().map(|bytes| shade(f32::from_le_bytes(*bytes))).collect();
        encoder.write_header()?.write_image_data(&shades)?;
    } else {
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header()?.write_image_data(texels)?;
    }
    Ok(file)
}

/// A NaN is black, as Direct3D converts it to fixed point.
fn shade(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0 + 0.5) as u8
}

/// A picture's texels as red, green, blue and alpha bytes.
pub(super) struct Picture {
    pub width: u32,
    pub height: u32,
    pub texels: Vec<u8>,
}

/// Reads a picture of any colour type. `most` bounds the bytes of its texels. The message of an error says what is wrong.
pub(super) fn read(file: &[u8], most: u64) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(|error| format!("this is no picture that can be read: {error}"))?;
    let (width, height) = (reader.info().width, reader.info().height);
    if u64::from(width) * u64::from(height) * 4 > most {
        return Err(format!("the picture of {width} x {height} texels is over the limit of {most} bytes"));
    }
    let size = reader.output_buffer_size().ok_or("the picture is too large")?;
    let mut samples = vec![0; size];
    let frame = reader.next_frame(&mut samples).map_err(|error| format!("the picture is damaged: {error}"))?;
    samples.truncate(frame.buffer_size());
    let texels = match frame.color_type {
        png::ColorType::Rgba => samples,
        png::ColorType::Rgb => samples.as_chunks().0.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect(),
        png::ColorType::GrayscaleAlpha => samples.as_chunks().0.iter().flat_map(|&[v, a]| [v, v, v, a]).collect(),
        png::ColorType::Grayscale => samples.iter().flat_map(|&v| [v, v, v, 255]).collect(),
        png::ColorType::Indexed => return Err("the picture's palette is missing".into()),
    };
    Ok(Picture { width, height, texels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let texels: Vec<u8> = (0..24).collect();
        let file = write(Format::R8G8B8A8_UNORM, 3, 2, &texels).unwrap();
        let picture = read(&file, 1000).unwrap();
        assert_eq!((picture.width, picture.height, picture.texels), (3, 2, texels));
        assert!(read(&file, 23).is_err());
        assert!(read(&file[..40], 1000).is_err());
        assert!(read(b"GIF89a", 1000).is_err());
    }

    #[test]
    fn floats_are_shades() {
        let values = [0.0f32, 1.0, 0.5, -3.0, 7.0, f32::NAN];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let file = write(Format::R32_FLOAT, 6, 1, &bytes).unwrap();
        let shades: Vec<u8> =
            read(&file, 1000).unwrap().texels.as_chunks::<4>().0.iter().map(|texel| texel[0]).collect();
        assert_eq!(shades, [0, 255, 128, 0, 255, 0]);
    }
}
