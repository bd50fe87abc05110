//! Describes formats that compiled code converts itself.

use brolga_ir::texel::{Channel, ChannelKind, TexelFormat};

use super::codec::{Encoding, Field};
use super::table::Format;

impl Format {
    /// The format in the terms of compiled code, if each channel is a field of a word, or a fraction with an exponent
    /// in the same one, and there is code for the conversion.
    pub fn texel_format(self) -> Option<TexelFormat> {
        if self == Format::R9G9B9E5_SHAREDEXP {
            let channel = |shift| Some(Channel { shift, bits: 9, kind: ChannelKind::SharedExponent });
            let channels = [channel(0), channel(9), channel(18), None];
            return Some(TexelFormat { words: 1, word_shift: 0, channels, missing_alpha: self.zero()[3] });
        }
        let word_shift = match self.size_bytes() {
            1 => 2,
            2 => 1,
            _ => 0,
        };
        Some(TexelFormat { word_shift, ..self.vertex_format()? })
    }

    /// The format of a vertex element, which may begin at any byte, in the terms of compiled code.
    pub fn vertex_format(self) -> Option<TexelFormat> {
        // Compiled code takes missing components for zeros, and channels for fields of their own.
        if self.block_extents() != [1, 1] || Format::DIRECT3D9.contains(&self) {
            return None;
        }
        let mut channels = [None; 4];
        for (n, channel) in channels.iter_mut().enumerate() {
            let Some(encoding) = self.channels()[n] else { continue };
            let kind = match encoding {
                Encoding::Float => ChannelKind::Float,
                Encoding::Unorm => ChannelKind::Unorm,
                Encoding::Snorm => ChannelKind::Snorm,
                Encoding::Uint => ChannelKind::Uint,
                Encoding::Sint => ChannelKind::Sint,
                Encoding::Srgb => ChannelKind::Srgb,
            };
            // A channel that is not a field shares bits with others.
            let Field { shift, bits } = self.fields()[n]?;
            if shift % 32 + bits > 32 {
                return None;
            }
            *channel = Some(Channel { shift, bits, kind });
        }
        Some(TexelFormat {
            words: self.size_bytes().div_ceil(4),
            word_shift: 0,
            channels,
            missing_alpha: self.zero()[3],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_words_parts_with_their_own_encodings() {
        let kinds =
            |format: Format| Some(format.texel_format()?.channels.map(|channel| channel.map(|found| found.kind)));
        let depth_stencil = [Some(ChannelKind::Unorm), Some(ChannelKind::Uint), None, None];
        assert_eq!(kinds(Format::D24_UNORM_S8_UINT), Some(depth_stencil));
        assert_eq!(kinds(Format::X24_TYPELESS_G8_UINT), Some([None, Some(ChannelKind::Uint), None, None]));
        for format in [Format::R8G8_B8G8_UNORM, Format::BC1_UNORM, Format::L8] {
            assert_eq!(kinds(format), None, "{format}");
        }
    }
}
