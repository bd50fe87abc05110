//! Formats that compiled code converts by itself.

use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};

use super::table::{Encoding, Field, Format};

impl Format {
    /// The format as compiled code knows it: if its texels are whole words, each channel is a field of one of them, and
    /// the conversion takes no table.
    pub(crate) fn texel_format(self) -> Option<TexelFormat> {
        if !self.size_bytes().is_multiple_of(4) {
            return None;
        }
        let mut channels = [None; 4];
        for (index, channel) in channels.iter_mut().enumerate() {
            let Some(encoding) = self.channels()[index] else { continue };
            let kind = match encoding {
                Encoding::Float => ChannelKind::Float,
                Encoding::Unorm => ChannelKind::Unorm,
                Encoding::Snorm => ChannelKind::Snorm,
                Encoding::Uint => ChannelKind::Uint,
                Encoding::Sint => ChannelKind::Sint,
                Encoding::Srgb => return None,
            };
            let Field { shift, bits } = self.fields()[index]?;
            if shift % 32 + bits > 32 {
                return None;
            }
            *channel = Some(Channel { shift, bits, kind });
        }
        Some(TexelFormat { words: self.size_bytes() / 4, channels, missing_alpha: self.zero()[3] })
    }
}
