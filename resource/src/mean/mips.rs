//! Generates mip levels: each texel is the mean of 2 x 2 of the level before, 2 x 2 x 2 where there are slices.
//!
//! Direct3D leaves the filter open. Texel x covers the texels 2x and 2x + 1 of the level before: the last one of an odd
//! extent is ignored, and an extent of 1 stays.

use std::ops::Range;

use brolga_fenv::in_default_mode;
use brolga_ir::interface::Dimension;

use crate::buffer::go_on;
use crate::error::ResourceError;
use crate::format::{Format, Use};
use crate::texture::{TexelBox, Texture};
use crate::view::{View, ViewKind};

use super::mean;

/// The most texels that are averaged into one.
const MOST: usize = 8;

impl Texture {
    /// Generates all mip levels of all layers but the first, each from the one before: 2 x 2 texels become their mean,
    /// or 2 x 2 x 2, and the last ones of odd extents are left out.
    ///
    /// # Errors
    /// If the format does not allow both sampling and rendering, as for integers, depths and blocks, or the memory is
    /// read-only.
    pub fn generate_mips(&self) -> Result<(), ResourceError> {
        self.generate_mips_until(&|| false)
    }

    /// Generates mip levels until `stop` returns true, which is called before each row.
    ///
    /// ```
    /// # use brolga_resource::{Buffer, Format, GuardPages, ResourceError, Texture, TextureShape};
    /// # use std::time::{Duration, Instant};
    /// let shape = TextureShape::texture_2d(Format::R8_UNORM, 64, 64).mips(7);
    /// let texture = Texture::new(Buffer::zeroed(shape.size_bytes()?, GuardPages::Off)?, shape)?;
    /// let end = Instant::now() + Duration::from_secs(10);
    /// texture.generate_mips_until(&|| Instant::now() > end)?;
    /// assert!(matches!(texture.generate_mips_until(&|| true), Err(ResourceError::Stopped)));
    /// # Ok::<(), ResourceError>(())
    /// ```
    ///
    /// # Errors
    /// As for [`generate_mips`](Self::generate_mips), or [`ResourceError::Stopped`].
    pub fn generate_mips_until(&self, stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
        generate(self, self.shape().format, 0, self.shape().mips, 0..self.shape().layers, stop)
    }
}

impl View {
    /// Generates the mip levels of the view but the first, like [`Texture::generate_mips`], in its layers and in its
    /// format.
    ///
    /// # Errors
    /// If it is not of a texture, or as there.
    pub fn generate_mips(&self) -> Result<(), ResourceError> {
        self.generate_mips_until(&|| false)
    }

    /// Generates mip levels until `stop` returns true, which is called before each row.
    ///
    /// # Errors
    /// As for [`generate_mips`](Self::generate_mips), or [`ResourceError::Stopped`].
    pub fn generate_mips_until(&self, stop: &dyn Fn() -> bool) -> Result<(), ResourceError> {
        let ViewKind::Texture(view) = self.kind() else { return Err(ResourceError::NotTexture { what: "mip levels" }) };
        let has_slices = view.texture.shape().dimension == Dimension::Texture3d;
        let layers = if has_slices { 0..1 } else { view.layers() };
        generate(&view.texture, view.format, view.mips.start, view.mips.end, layers, stop)
    }
}

fn generate(
    texture: &Texture,
    format: Format,
    first: u32,
    end: u32,
    layers: Range<u32>,
    stop: &dyn Fn() -> bool,
) -> Result<(), ResourceError> {
    in_default_mode(|| {
        let stored = texture.shape().format;
        if stored.allows(Use::DepthStencil) || !(format.allows(Use::Target) && format.allows(Use::Sample)) {
            return Err(ResourceError::Mips { format: stored });
        }
        for layer in layers {
            for mip in first + 1..end {
                let (from, to) = (texture.level(mip - 1, layer)?, texture.level(mip, layer)?);
                halve(texture, format, &from, &to, stop)?;
            }
        }
        Ok(())
    })
}

/// Makes a level from the one before, row by row.
fn halve(
    texture: &Texture,
    format: Format,
    from: &TexelBox,
    to: &TexelBox,
    stop: &dyn Fn() -> bool,
) -> Result<(), ResourceError> {
    let size_bytes = format.size_bytes() as usize;
    // Number of texels of the level before for each one, along each axis.
    let counts = [0, 1, 2].map(|axis| from.extents[axis] / to.extents[axis]).map(|count| count.clamp(1, 2));
    let [width, height, depth] = to.extents;
    let mut row = vec![0; width as usize * size_bytes];
    let mut sources = vec![0; (width * counts[0]) as usize * size_bytes];
    let mut texels = vec![[0_u128; MOST]; width as usize];
    let count = counts.iter().product::<u32>() as usize;
    for (z, y) in (0..depth).flat_map(|z| (0..height).map(move |y| (z, y))) {
        go_on(stop)?;
        let rows = (0..counts[2]).flat_map(|dz| (0..counts[1]).map(move |dy| (dy, dz)));
        for (n, (dy, dz)) in rows.enumerate() {
            let origin = [0, y * counts[1] + dy, z * counts[2] + dz];
            let part = TexelBox { origin, extents: [width * counts[0], 1, 1], ..*from };
            texture.read(&part, &mut sources, None)?;
            for (texels, sources) in texels.iter_mut().zip(sources.chunks_exact(counts[0] as usize * size_bytes)) {
                for (m, source) in sources.chunks_exact(size_bytes).enumerate() {
                    let mut bytes = [0; 16];
                    bytes[..size_bytes].copy_from_slice(source);
                    texels[n * counts[0] as usize + m] = u128::from_le_bytes(bytes);
                }
            }
        }
        for (texel, texels) in row.chunks_exact_mut(size_bytes).zip(&texels) {
            texel.copy_from_slice(&mean(format, &texels[..count]).to_le_bytes()[..size_bytes]);
        }
        texture.write(&TexelBox { origin: [0, y, z], extents: [width, 1, 1], ..*to }, &row, None)?;
    }
    Ok(())
}
