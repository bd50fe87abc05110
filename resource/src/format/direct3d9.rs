//! Maps the formats of Direct3D 9 to those of the [table](super::Format): one row for each name in `D3DFORMAT`.

use super::{Format, Use};

/// A format of Direct3D 9: that of a texture, and that of the views through which shaders sample it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureFormat {
    /// The format in memory, and of render targets.
    pub stored: Format,
    /// The format in which shaders see texels: missing components are 1, and luminance is red, green and blue.
    pub sampled: Format,
}

/// Formats by their names in `D3DFORMAT` without its prefix: in memory and, where that differs, for samplers.
const FORMATS: [(&str, Format, Option<Format>); 43] = [
    ("A8R8G8B8", Format::B8G8R8A8_UNORM, None),
    ("X8R8G8B8", Format::B8G8R8X8_UNORM, None),
    ("A8B8G8R8", Format::R8G8B8A8_UNORM, None),
    ("X8B8G8R8", Format::R8G8B8A8_UNORM, Some(Format::X8B8G8R8)),
    ("A2B10G10R10", Format::R10G10B10A2_UNORM, None),
    ("R5G6B5", Format::B5G6R5_UNORM, None),
    ("A1R5G5B5", Format::B5G5R5A1_UNORM, None),
    ("X1R5G5B5", Format::B5G5R5A1_UNORM, Some(Format::X1R5G5B5)),
    ("A4R4G4B4", Format::B4G4R4A4_UNORM, None),
    ("X4R4G4B4", Format::B4G4R4A4_UNORM, Some(Format::X4R4G4B4)),
    ("G16R16", Format::R16G16_UNORM, Some(Format::G16R16)),
    ("A16B16G16R16", Format::R16G16B16A16_UNORM, None),
    ("A8", Format::A8_UNORM, None),
    ("L8", Format::R8_UNORM, Some(Format::L8)),
    ("A8L8", Format::R8G8_UNORM, Some(Format::A8L8)),
    ("L16", Format::R16_UNORM, Some(Format::L16)),
    ("V8U8", Format::R8G8_SNORM, Some(Format::V8U8)),
    ("V16U16", Format::R16G16_SNORM, Some(Format::V16U16)),
    ("Q8W8V8U8", Format::R8G8B8A8_SNORM, None),
    ("Q16W16V16U16", Format::R16G16B16A16_SNORM, None),
    ("L6V5U5", Format::B5G6R5_UNORM, Some(Format::L6V5U5)),
    ("X8L8V8U8", Format::R8G8B8A8_SNORM, Some(Format::X8L8V8U8)),
    ("R16F", Format::R16_FLOAT, Some(Format::R16F)),
    ("G16R16F", Format::R16G16_FLOAT, Some(Format::G16R16F)),
    ("A16B16G16R16F", Format::R16G16B16A16_FLOAT, None),
    ("R32F", Format::R32_FLOAT, Some(Format::R32F)),
    ("G32R32F", Format::R32G32_FLOAT, Some(Format::G32R32F)),
    ("A32B32G32R32F", Format::R32G32B32A32_FLOAT, None),
    ("DXT1", Format::BC1_UNORM, None),
    ("DXT2", Format::BC2_UNORM, None),
    ("DXT3", Format::BC2_UNORM, None),
    ("DXT4", Format::BC3_UNORM, None),
    ("DXT5", Format::BC3_UNORM, None),
    ("ATI1", Format::BC4_UNORM, None),
    ("ATI2", Format::BC5_UNORM, Some(Format::ATI2)),
    ("D16", Format::D16_UNORM, Some(Format::D16)),
    ("D16_LOCKABLE", Format::D16_UNORM, Some(Format::D16)),
    ("D24S8", Format::D24_UNORM_S8_UINT, Some(Format::D24)),
    ("D24X8", Format::D24_UNORM_S8_UINT, Some(Format::D24)),
    ("D32F_LOCKABLE", Format::D32_FLOAT, Some(Format::D32F)),
    ("DF16", Format::D16_UNORM, Some(Format::R16_UNORM)),
    ("DF24", Format::D24_UNORM_S8_UINT, Some(Format::R24_UNORM_X8_TYPELESS)),
    ("INTZ", Format::D24_UNORM_S8_UINT, Some(Format::INTZ)),
];

impl TextureFormat {
    /// Looks up a name in `D3DFORMAT`, with or without the prefix `D3DFMT_`.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::named(name).map(|(_, format)| format)
    }

    /// Looks up a format together with the name that [`all`](Self::all) has for it.
    pub fn named(name: &str) -> Option<(&'static str, Self)> {
        let name = name.strip_prefix("D3DFMT_").unwrap_or(name);
        Self::all().find(|(known, _)| *known == name)
    }

    /// All formats, with their names without the prefix.
    pub fn all() -> impl Iterator<Item = (&'static str, Self)> {
        FORMATS.iter().map(|&(name, stored, sampled)| (name, Self { stored, sampled: sampled.unwrap_or(stored) }))
    }

    /// The names of all formats, without the prefix.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::all().map(|(name, _)| name)
    }

    /// True if samplers compare texels of views of this format with a third coordinate, as Direct3D 9 does for depth
    /// buffers other than those whose depths can be read. `CompileOptions::compares` of the runtime enables it for a
    /// shader.
    pub fn compares(sampled: Format) -> bool {
        sampled.dxgi() == 0 && sampled.allows(Use::Compare)
    }
}
