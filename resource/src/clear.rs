//! Clears textures, and copies boxes of texels from one to another.

use crate::buffer::go_on;
use crate::error::ResourceError;
use crate::format::{Encoding, Format, Use};
use crate::texture::{TexelBox, Texture};
use brolga_fenv::in_default_mode;

/// The value that texels are cleared to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClearValue {
    /// A colour, for all formats but those of depth: converted like the output of a pixel shader; in formats of
    /// integers, truncated towards zero.
    Color([f32; 4]),
    /// Integers, for formats that have them.
    Uint([u32; 4]),
    /// Depth and stencil, for formats of depth. `None` leaves that part unchanged.
    DepthStencil {
        /// The depth, clamped to 0 to 1.
        depth: Option<f32>,
        /// The stencil, where the format has one.
        stencil: Option<u8>,
    },
}

impl ClearValue {
    /// The cleared texel of a format, and the mask of its bits that change.
    fn texel(self, format: Format) -> Option<(u128, u128)> {
        let is_depth = format.allows(Use::DepthStencil);
        let encode = format.encoder()?;
        match self {
            ClearValue::Color(color) if !is_depth => {
                let word = |value: f32| match format.encoding() {
                    Encoding::Uint => value as u32,
                    Encoding::Sint => (value as i32).cast_unsigned(),
                    _ => value.to_bits(),
                };
                Some((encode(color.map(word)), u128::MAX))
            }
            ClearValue::Uint(words) if format.encoding().is_integer() => Some((encode(words), u128::MAX)),
            ClearValue::DepthStencil { depth, stencil } if is_depth => {
                let depth = depth.map(|depth| depth.clamp(0.0, 1.0).to_bits());
                let planes = [depth, stencil.map(u32::from)];
                let given = format.fields().into_iter().zip(planes).filter(|(_, plane)| plane.is_some());
                let fields = given.filter_map(|(field, _)| field);
                let mask = fields.fold(0, |mask, field| mask | ((1_u128 << field.bits) - 1) << field.shift);
                Some((encode([planes[0].unwrap_or(0), planes[1].unwrap_or(0), 0, 0]), mask))
            }
            _ => None,
        }
    }

    fn described(self) -> &'static str {
        match self {
            ClearValue::Color(_) => "a colour",
            ClearValue::Uint(_) => "integers",
            ClearValue::DepthStencil { .. } => "a depth",
        }
    }
}

impl Texture {
    /// Clears the texels of a box.
    ///
    /// # Errors
    /// If the texture does not have such a box, the format has no such values, or the memory is read-only.
    pub fn clear_box(&self, part: &TexelBox, value: ClearValue) -> Result<(), ResourceError> {
        self.clear_as(self.shape().format, part, value, &|| false)
    }

    /// Clears texels that are viewed in another format of the same size, until `stop` returns true.
    pub(super) fn clear_as(
        &self,
        format: Format,
        part: &TexelBox,
        value: ClearValue,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ResourceError> {
        in_default_mode(|| {
            let Some((texel, mask)) = value.texel(format) else {
                let expected = match format.allows(Use::DepthStencil) {
                    true => "a depth",
                    false => "a colour",
                };
                let expected = format.encoder().map(|_| expected);
                return Err(ResourceError::Clear { format, what: value.described(), expected });
            };
            let size_bytes = format.size_bytes() as usize;
            let [texel, mask] = [texel, mask].map(u128::to_le_bytes);
            let (texel, mask) = (&texel[..size_bytes], &mask[..size_bytes]);
            let is_whole = mask.iter().all(|&byte| byte == 0xff);
            let mut bytes = Vec::new();
            for row in self.rows(part, usize::MAX, None)? {
                go_on(stop)?;
                if bytes.len() != row.size {
                    bytes = texel.repeat(row.size / size_bytes);
                }
                if !is_whole {
                    self.buffer().read(row.offset_bytes, &mut bytes)?;
                    for ((byte, new), mask) in bytes.iter_mut().zip(texel.iter().cycle()).zip(mask.iter().cycle()) {
                        *byte = *byte & !mask | new & mask;
                    }
                }
                self.buffer().write(row.offset_bytes, &bytes)?;
            }
            Ok(())
        })
    }

    /// Copies the texels of a box to another texture of the same format, to the level, the layer and the origin of
    /// another box, whose extents are ignored. A box may be copied within one texture if source and destination do not
    /// overlap.
    ///
    /// # Errors
    /// If a texture does not have such a box, the formats differ, or the memory is read-only.
    pub fn copy_box(&self, part: &TexelBox, to: &Texture, at: &TexelBox) -> Result<(), ResourceError> {
        self.copy_box_until(part, to, at, &|| false)
    }

    /// Copies the texels of a box until `stop` returns true, which is called before each row.
    ///
    /// # Errors
    /// As for [`copy_box`](Self::copy_box), or [`ResourceError::Stopped`].
    pub fn copy_box_until(
        &self,
        part: &TexelBox,
        to: &Texture,
        at: &TexelBox,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), ResourceError> {
        let [from_format, to_format] = [self, to].map(|texture| texture.shape().format);
        if from_format != to_format {
            return Err(ResourceError::CopyFormat { from: from_format, to: to_format });
        }
        let at = TexelBox { extents: part.extents, ..*at };
        let mut bytes = Vec::<u8>::new();
        for (from, to_row) in self.rows(part, usize::MAX, None)?.zip(to.rows(&at, usize::MAX, None)?) {
            go_on(stop)?;
            bytes.resize(from.size, 0);
            self.buffer().read(from.offset_bytes, &mut bytes)?;
            to.buffer().write(to_row.offset_bytes, &bytes)?;
        }
        Ok(())
    }
}
