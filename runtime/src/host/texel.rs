//! Texels of typed buffers and textures: where they are, and their conversion to and from words.

use std::sync::atomic::AtomicU32;

use brolga_ir::interface::Dimension;

use crate::format::Format;
use crate::resource::{Memory, Texture};

/// Something with texels.
#[derive(Debug)]
pub(crate) enum Texels<'a> {
    /// A part of a buffer.
    Buffer { memory: &'a Memory, offset_bytes: u64, count: u64, format: Format },
    /// A texture read with all its mip levels.
    Texture(&'a Texture),
    /// A texture that may be written: mip level 0 only.
    Writable(&'a Texture),
}

impl Texels<'_> {
    /// Reads a texel. Out of range gives zeros, but 1 in an alpha that the format lacks.
    pub fn load(&self, coords: [u32; 3], level: u32) -> [u32; 4] {
        let format = self.format();
        let Some(at) = self.offset(coords, level) else { return format.zero() };
        let unit = format.unit_bytes();
        let mut texel = 0;
        for byte in (0..format.size_bytes()).step_by(unit as usize) {
            texel |= u128::from(self.memory().load(at + u64::from(byte), unit)) << (8 * byte);
        }
        format.decode(texel)
    }

    /// Writes a texel of level 0; out of range does nothing.
    pub fn store(&self, coords: [u32; 3], words: [u32; 4]) {
        let format = self.format();
        let Some(at) = self.offset(coords, 0) else { return };
        let texel = format.encode(words);
        let unit = format.unit_bytes();
        for byte in (0..format.size_bytes()).step_by(unit as usize) {
            self.memory().store(at + u64::from(byte), unit, (texel >> (8 * byte)) as u32);
        }
    }

    /// The word of a texel of level 0, if it is in range and one 32-bit integer.
    pub fn atomic(&self, coords: [u32; 3]) -> Option<&AtomicU32> {
        if !self.format().allows_atomics() {
            return None;
        }
        self.memory().atomic(self.offset(coords, 0)?)
    }

    /// Texels of a typed buffer.
    pub fn buffer_count(&self) -> u32 {
        match self {
            Texels::Buffer { count, .. } => u32::try_from(*count).unwrap_or(u32::MAX),
            Texels::Texture(_) | Texels::Writable(_) => 0,
        }
    }

    /// What `resinfo` gives: extents of a level by the kind of texture, zeros if there is no such level, and the number of
    /// levels.
    pub fn size(&self, level: u32) -> [u32; 4] {
        let (texture, levels) = match self {
            Texels::Buffer { .. } => return [0; 4],
            Texels::Texture(texture) => (texture, texture.levels()),
            Texels::Writable(texture) => (texture, &texture.levels()[..1]),
        };
        let count = levels.len() as u32;
        let Some(level) = levels.get(level as usize) else { return [0, 0, 0, count] };
        let [width, height, depth] = level.extents;
        let layers = texture.shape().layers;
        match texture.shape().dimension {
            Dimension::Buffer | Dimension::Texture1d => [width, 0, 0, count],
            Dimension::Texture1dArray => [width, layers, 0, count],
            Dimension::Texture2d | Dimension::Texture2dMs | Dimension::TextureCube => [width, height, 0, count],
            Dimension::Texture2dArray | Dimension::Texture2dMsArray => [width, height, layers, count],
            Dimension::Texture3d => [width, height, depth, count],
            // Undefined in the specification, which wishes for the number of cubes.
            Dimension::TextureCubeArray => [width, height, layers / 6, count],
        }
    }

    fn format(&self) -> Format {
        match self {
            Texels::Buffer { format, .. } => *format,
            Texels::Texture(texture) | Texels::Writable(texture) => texture.shape().format,
        }
    }

    fn memory(&self) -> &Memory {
        match self {
            Texels::Buffer { memory, .. } => memory,
            Texels::Texture(texture) | Texels::Writable(texture) => texture.buffer().memory(),
        }
    }

    /// Where a texel begins, if it is in range.
    fn offset(&self, coords: [u32; 3], level: u32) -> Option<u64> {
        let (texture, level) = match self {
            Texels::Buffer { offset_bytes, count, format, .. } => {
                let index = u64::from(coords[0]);
                return (index < *count).then(|| offset_bytes + index * u64::from(format.size_bytes()));
            }
            Texels::Texture(texture) => (texture, level),
            Texels::Writable(texture) => (texture, 0),
        };
        let [x, y, z] = coords;
        let (texel, layer) = match texture.shape().dimension {
            Dimension::Buffer | Dimension::Texture1d => ([x, 0, 0], 0),
            Dimension::Texture1dArray => ([x, 0, 0], y),
            Dimension::Texture2d | Dimension::Texture2dMs => ([x, y, 0], 0),
            Dimension::Texture2dArray
            | Dimension::Texture2dMsArray
            | Dimension::TextureCube
            | Dimension::TextureCubeArray => ([x, y, 0], z),
            Dimension::Texture3d => ([x, y, z], 0),
        };
        texture.texel_offset(level, texel, layer)
    }
}
