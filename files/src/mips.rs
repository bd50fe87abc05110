//! Generates mip levels that a file does not have: each texel is the mean of those that it covers, in linear light.

use brolga_runtime::{CancelToken, TextureShape, room};

use super::FileProblem;
use super::texels::{self, Texels};
use super::until::go_on;

/// Texels that are processed between two checks of the token.
const PIECE: usize = 1 << 14;

impl Texels {
    /// The same texture with all the mip levels that it can have, generated from its only one. `most` bounds the bytes
    /// of all.
    pub fn with_mips(self, most: u64) -> Result<Self, FileProblem> {
        self.with_mips_until(most, &CancelToken::new())
    }

    /// The same, unless the token is cancelled before the end.
    ///
    /// # Errors
    /// As there, or [`FileProblem::Stopped`].
    pub fn with_mips_until(self, most: u64, cancel: &CancelToken) -> Result<Self, FileProblem> {
        let TextureShape { mips, format, .. } = self.shape;
        if mips > 1 {
            return Err(format!("it has {mips} mip levels already: leave `mips` out to take them").into());
        }
        if !texels::is_number(format) {
            return Err(format!("mip levels are means of numbers, and its texels are {format}").into());
        }
        let shape = full(self.shape);
        texels::check_size(&shape, most)?;
        Ok(Self { bytes: generate(&self.shape, &self.bytes, cancel)?, shape })
    }
}

/// The texture of one level with all the levels that it can have.
fn full(shape: TextureShape) -> TextureShape {
    let longest = shape.width.max(shape.height).max(shape.depth);
    shape.mips(u32::BITS - longest.leading_zeros())
}

/// The texels of [`full`], from those of the largest level. The format must be of numbers.
fn generate(shape: &TextureShape, bytes: &[u8], cancel: &CancelToken) -> Result<Vec<u8>, FileProblem> {
    let full = full(*shape);
    let texel_bytes = shape.format.size_bytes() as usize;
    let mut made = room::room(full.size_bytes().map_err(brolga_runtime::Error::from)?)?;
    for layer in bytes.chunks_exact(bytes.len() / shape.layers as usize) {
        let mut extents = [shape.width, shape.height, shape.depth].map(|extent| extent as usize);
        let mut level: Vec<[f32; 4]> = room::room((layer.len() / texel_bytes) as u64)?;
        for piece in layer.chunks(PIECE * texel_bytes) {
            go_on(cancel)?;
            made.extend_from_slice(piece);
            level.extend(texels::words(shape.format, piece).map(|words| words.map(f32::from_bits)));
        }
        for _ in 1..full.mips {
            for axis in 0..extents.len() {
                level = halved(&level, extents, axis, cancel)?;
                extents[axis] = half(extents[axis]);
            }
            for piece in level.chunks(PIECE) {
                go_on(cancel)?;
                for texel in piece {
                    let code = shape.format.encode(texel.map(f32::to_bits)).to_le_bytes();
                    made.extend_from_slice(&code[..texel_bytes]);
                }
            }
        }
    }
    Ok(made)
}

fn half(extent: usize) -> usize {
    (extent / 2).max(1)
}

/// Texels with half the length of one dimension. If it is odd, a texel covers parts of others.
fn halved(
    texels: &[[f32; 4]],
    extents: [usize; 3],
    axis: usize,
    cancel: &CancelToken,
) -> Result<Vec<[f32; 4]>, FileProblem> {
    let (from, to) = (extents[axis], half(extents[axis]));
    let step: usize = extents[..axis].iter().product();
    let mut made: Vec<[f32; 4]> = room::room((texels.len() / from * to) as u64)?;
    for lines in texels.chunks_exact(from * step) {
        for (at, first) in (0..to).flat_map(|at| (0..step).map(move |first| (at, first))) {
            if made.len().is_multiple_of(PIECE) {
                go_on(cancel)?;
            }
            // Measured in units of which a new texel has `from` and an old one `to`.
            let (start, end) = (at * from, (at + 1) * from);
            let mut mean = [0.0; 4];
            for old in start / to..end.div_ceil(to) {
                let covered = end.min((old + 1) * to) - start.max(old * to);
                for (sum, number) in mean.iter_mut().zip(lines[old * step + first]) {
                    *sum += number * covered as f32;
                }
            }
            made.push(mean.map(|sum| sum / from as f32));
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use brolga_runtime::{Dimension, Format};

    fn made(shape: &TextureShape, bytes: &[u8]) -> Vec<u8> {
        generate(shape, bytes, &CancelToken::new()).unwrap()
    }

    #[test]
    fn levels_are_means_in_linear_light() {
        let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM_SRGB, 2, 2);
        let (black, white) = ([0, 0, 0, 255], [255, 255, 255, 255]);
        let texels = [black, white, white, black].concat();
        assert_eq!(full(shape).mips, 2);
        // Half of the light is code 188.
        assert_eq!(made(&shape, &texels), [texels.clone(), vec![188, 188, 188, 255]].concat());
    }

    #[test]
    fn odd_sides_and_slices_count_by_what_is_covered() {
        let floats = |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
        let line = TextureShape::new(Dimension::Texture1d, Format::R32_FLOAT, 5);
        // A texel of the second level covers two and a half of the first.
        let expected = [1.0, 2.0, 3.0, 4.0, 5.0, 1.8, 4.2, 3.0];
        assert_eq!(made(&line, &floats(&expected[..5])), floats(&expected));
        let slices = TextureShape::new(Dimension::Texture3d, Format::R32_FLOAT, 2).height(1).depth(2);
        assert_eq!(made(&slices, &floats(&[1.0, 2.0, 3.0, 6.0])), floats(&[1.0, 2.0, 3.0, 6.0, 3.0]));
        let layers = TextureShape::new(Dimension::Texture1dArray, Format::R32_FLOAT, 2).layers(2);
        let expected = floats(&[1.0, 3.0, 2.0, 5.0, 7.0, 6.0]);
        assert_eq!(made(&layers, &floats(&[1.0, 3.0, 5.0, 7.0])), expected);
        assert_eq!(full(slices).size_bytes().unwrap(), 20);
    }
}
