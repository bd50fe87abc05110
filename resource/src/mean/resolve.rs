//! Resolves multisampled textures: each texel becomes the mean of its samples (functional specification, 5.6.6).

use brolga_fenv::in_default_mode;

use crate::buffer::go_on;
use crate::error::ResourceError;
use crate::format::{Encoding, Field, Format, Use};
use crate::shape::TextureShape;
use crate::texture::{TexelBox, Texture};

use super::mean;

/// The most samples of a texel.
pub(crate) const MOST_SAMPLES: usize = 16;

impl Texture {
    /// Resolves a layer to a whole mip level of a layer of a texture with one sample and the same extents. `format` says how
    /// texels are seen, and may differ from the textures' own where that is typeless.
    ///
    /// # Errors
    /// If one of them does not have such a level or layer, their samples, extents or formats do not suit, or the memory
    /// is read-only.
    pub fn resolve(&self, layer: u32, to: &Texture, at: &TexelBox, format: Format) -> Result<(), ResourceError> {
        self.resolve_until(layer, to, at, format, &|| false)
    }

    /// Checks that [`resolve`](Self::resolve) is possible.
    ///
    /// # Errors
    /// As there.
    pub fn resolve_check(&self, layer: u32, to: &Texture, at: &TexelBox, format: Format) -> Result<(), ResourceError> {
        check(self, to, format)?;
        let &TextureShape { layers, samples, .. } = self.shape();
        if layer >= layers {
            return Err(ResourceError::NoLevel { mip: 0, layer, mips: 1, layers });
        }
        let (part, whole) = (self.level(0, layer * samples)?, to.level(at.mip, at.layer)?);
        match () {
            () if *at != whole => {
                Err(ResourceError::ResolvePart { origin: at.origin, extents: at.extents, level: whole.extents })
            }
            () if whole.extents != part.extents => {
                Err(ResourceError::ResolveExtents { from: part.extents, to: whole.extents })
            }
            () => Ok(()),
        }
    }

    /// Resolves until `stop` returns true, which is called before each row.
    ///
    /// # Errors
    /// As for [`resolve`](Self::resolve), or [`ResourceError::Stopped`].
    pub fn resolve_until(
        &self,
        layer: u32,
        to: &Texture,
        at: &TexelBox,
        format: Format,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ResourceError> {
        in_default_mode(|| {
            self.resolve_check(layer, to, at, format)?;
            let samples = self.shape().samples;
            let (part, whole) = (self.level(0, layer * samples)?, to.level(at.mip, at.layer)?);
            let size_bytes = format.size_bytes() as usize;
            let [width, height, _] = part.extents;
            let row_bytes = width as usize * size_bytes;
            let (mut rows, mut row) = (vec![0; row_bytes * samples as usize], vec![0; row_bytes]);
            let is_own_mean = is_own_mean(format);
            // Codes of 8 bits are averaged byte by byte.
            let are_bytes = format.encoding() == Encoding::Unorm
                && format.fields().iter().flatten().all(|field| field.bits == 8 && field.shift.is_multiple_of(8));
            for y in 0..height {
                go_on(stop)?;
                for (n, row) in rows.chunks_exact_mut(row_bytes).enumerate() {
                    let part =
                        TexelBox { origin: [0, y, 0], extents: [width, 1, 1], layer: part.layer + n as u32, ..part };
                    self.read(&part, row, None)?;
                }
                if are_bytes {
                    mean_bytes(&rows, &mut row, samples);
                } else {
                    for (n, texel) in row.chunks_exact_mut(size_bytes).enumerate() {
                        let mut texels = [0_u128; MOST_SAMPLES];
                        for (texel, row) in texels.iter_mut().zip(rows.chunks_exact(row_bytes)) {
                            let mut bytes = [0; 16];
                            bytes[..size_bytes].copy_from_slice(&row[n * size_bytes..][..size_bytes]);
                            *texel = u128::from_le_bytes(bytes);
                        }
                        let texels = &texels[..samples as usize];
                        // Inside of primitives all samples are the same.
                        let is_one = texels.iter().all(|texel| *texel == texels[0]);
                        let mean = if is_one && is_own_mean(texels[0]) { texels[0] } else { mean(format, texels) };
                        texel.copy_from_slice(&mean.to_le_bytes()[..size_bytes]);
                    }
                }
                to.write(&TexelBox { origin: [0, y, 0], extents: [width, 1, 1], ..whole }, &row, None)?;
            }
            Ok(())
        })
    }
}

/// Tells texels that are the mean of several like them: all but infinities and NaNs, whose bits may change, and the least
/// codes of SNORM, which are the same as the next ones.
fn is_own_mean(format: Format) -> impl Fn(u128) -> bool {
    let others = format.fields().into_iter().zip(format.channels()).filter_map(|(field, encoding)| {
        let Field { bits, shift } = field?;
        let code: u128 = match (encoding?, bits) {
            (Encoding::Float, 32) => 0x7f80_0000,
            (Encoding::Float, 10) => 0x03e0,
            (Encoding::Float, 11) => 0x07c0,
            (Encoding::Float, _) => 0x7c00,
            (Encoding::Snorm, _) => 1 << (bits - 1),
            _ => return None,
        };
        Some((shift, code))
    });
    let others: Vec<_> = others.collect();
    move |texel| others.iter().all(|&(shift, code)| texel >> shift & code != code)
}

/// The means of bytes of several rows, halves rounded up.
fn mean_bytes(rows: &[u8], row: &mut [u8], samples: u32) {
    let (half, shift) = (samples / 2, samples.trailing_zeros());
    let mut sums = vec![half as u16; row.len()];
    for row in rows.chunks_exact(row.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, &byte)| *sum += u16::from(byte));
    }
    row.iter_mut().zip(sums).for_each(|(byte, sum)| *byte = (sum >> shift) as u8);
}

/// Checks that one texture can be resolved to another in a format.
fn check(from: &Texture, to: &Texture, format: Format) -> Result<(), ResourceError> {
    let [own, others] = [from, to].map(|texture| *texture.shape());
    if own.samples < 2 || others.samples > 1 {
        return Err(ResourceError::ResolveSamples { from: own.samples, to: others.samples });
    }
    for stored in [own.format, others.format] {
        if stored != format && !stored.is_castable_to(format) {
            return Err(ResourceError::Cast { from: stored, to: format });
        }
    }
    let has_mean =
        format.allows(Use::Target) && !format.encoding().is_integer() && !own.format.allows(Use::DepthStencil);
    if has_mean { Ok(()) } else { Err(ResourceError::ResolveFormat { format }) }
}
