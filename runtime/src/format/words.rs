//! Formats that compiled code converts by itself.

use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};

use super::table::{Encoding, Field, Format};

impl Format {
    /// The format as compiled code knows it: if its texels are whole words, each channel is in one of them, and the
    /// conversion takes no table.
    pub(crate) fn texel_format(self) -> Option<TexelFormat> {
        let kind = match self.encoding() {
            Encoding::Float => ChannelKind::Float,
            Encoding::Unorm => ChannelKind::Unorm,
            Encoding::Snorm => ChannelKind::Snorm,
            Encoding::Uint => ChannelKind::Uint,
            Encoding::Sint => ChannelKind::Sint,
            _ => return None,
        };
        if self.block_extents() != [1, 1] || !self.size_bytes().is_multiple_of(4) {
            return None;
        }
        let mut channels = [None; 4];
        for (channel, field) in channels.iter_mut().zip(self.fields()) {
            let Some(Field { shift, bits }) = field else { continue };
            if shift % 32 + bits > 32 {
                return None;
            }
            *channel = Some(Channel { shift, bits, kind });
        }
        Some(TexelFormat { words: self.size_bytes() / 4, channels, missing_alpha: self.zero()[3] })
    }
}
