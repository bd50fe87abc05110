//! Defines textures: buffers with a shape.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{NoUninit, Pod};

use crate::buffer::Buffer;
use crate::error::ResourceError;
use crate::expansion::Copies;
use crate::shape::{TextureShape, check_pitch};

/// Texels in a shape. Clones share the texels.
#[derive(Clone, Debug)]
pub struct Texture {
    buffer: Buffer,
    shape: TextureShape,
    /// The copies of its texels, if it may have any.
    copies: Option<Arc<Copies>>,
}

/// A box of texels of one mip level of one layer. In a block-compressed format it consists of whole blocks, up to the
/// end of the level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TexelBox {
    /// The mip level.
    pub mip: u32,
    /// The layer, each face of a cube and each sample counted: sample `k` of layer `l` of a texture with `n` samples is
    /// `l * n + k`.
    pub layer: u32,
    /// The first texel along x, y and z.
    pub origin: [u32; 3],
    /// Texels along x, y and z.
    pub extents: [u32; 3],
}

impl Texture {
    /// Makes a texture of a buffer's content, laid out as in [`TextureShape`].
    pub fn new(buffer: Buffer, shape: TextureShape) -> Result<Self, ResourceError> {
        let expected = shape.size_bytes()?;
        let actual = buffer.size_bytes();
        // With a row pitch there may be padding after the last row too.
        if actual < expected || (actual > expected && shape.row_pitch_bytes.is_none()) {
            return Err(ResourceError::TextureSize { format: shape.format, expected, actual });
        }
        let copies = Copies::new(shape.format, buffer.memory());
        Ok(Self { buffer, shape, copies })
    }

    /// Its shape.
    pub fn shape(&self) -> &TextureShape {
        &self.shape
    }

    /// Its texels.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Its copies, if it may have any.
    pub(super) fn copies(&self) -> Option<&Arc<Copies>> {
        self.copies.as_ref()
    }

    /// A whole mip level of a layer, counted as in [`TexelBox`].
    ///
    /// # Errors
    /// If the texture does not have it.
    pub fn level(&self, mip: u32, layer: u32) -> Result<TexelBox, ResourceError> {
        let (mips, layers) = (self.shape.mips, self.shape.planes());
        match mip < mips && layer < layers {
            true => Ok(TexelBox { mip, layer, origin: [0; 3], extents: self.shape.extents(mip) }),
            false => Err(ResourceError::NoLevel { mip, layer, mips, layers }),
        }
    }

    /// The bytes of its buffer that hold a whole mip level of a layer.
    ///
    /// # Errors
    /// If the texture does not have it.
    pub fn level_bytes(&self, mip: u32, layer: u32) -> Result<Range<u64>, ResourceError> {
        self.level(mip, layer)?;
        let level = self.shape.levels().nth(mip as usize).expect("a level that there is");
        let before = u64::from(layer) * self.shape.layer_bytes();
        Ok(before + level.offset_bytes..(before + level.end_bytes()).min(self.buffer.size_bytes()))
    }

    /// Writes the texels of a box: slice by slice, row by row. `row_pitch_bytes` is the row pitch in `texels`; without
    /// it rows are packed. Elements after the last row are ignored.
    ///
    /// # Errors
    /// If the texture does not have such a box, there are too few bytes, or the memory is read-only. Nothing is then
    /// written.
    pub fn write<T: NoUninit>(
        &self,
        to: &TexelBox,
        texels: &[T],
        row_pitch_bytes: Option<u64>,
    ) -> Result<(), ResourceError> {
        let bytes: &[u8] = bytemuck::cast_slice(texels);
        let mut rows = self.rows(to, bytes.len(), row_pitch_bytes)?;
        let put = rows.try_for_each(|row| self.buffer.put(row.offset_bytes, &bytes[row.at..row.at + row.size]));
        self.buffer.memory().written();
        put
    }

    /// Reads the texels of a box, in the order of [`write`](Self::write). Padding between rows is unchanged.
    ///
    /// # Errors
    /// If the texture does not have such a box, or there is too little space.
    pub fn read<T: Pod>(
        &self,
        from: &TexelBox,
        texels: &mut [T],
        row_pitch_bytes: Option<u64>,
    ) -> Result<(), ResourceError> {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(texels);
        let mut rows = self.rows(from, bytes.len(), row_pitch_bytes)?;
        rows.try_for_each(|row| self.buffer.read(row.offset_bytes, &mut bytes[row.at..row.at + row.size]))
    }

    /// The rows of a box, all of which are in the texture, and in as many bytes of the caller.
    pub(super) fn rows(
        &self,
        part: &TexelBox,
        size_bytes: usize,
        pitch: Option<u64>,
    ) -> Result<impl Iterator<Item = BoxRow> + use<>, ResourceError> {
        let &TexelBox { mip, layer, origin, extents } = part;
        let (format, whole) = (self.shape.format, self.level(mip, layer)?.extents);
        let block = format.block_extents();
        let is_inside = (0..3).all(|axis| {
            let (end, block) = (origin[axis].checked_add(extents[axis]), block.get(axis).copied().unwrap_or(1));
            let is_cut = |at: u32| !at.is_multiple_of(block);
            end.is_some_and(|end| end <= whole[axis] && (!is_cut(end) || end == whole[axis])) && !is_cut(origin[axis])
        });
        if !is_inside {
            return Err(ResourceError::TexelBox { origin, extents, level: whole, block });
        }
        let row_bytes = self.shape.row_bytes(extents[0]);
        let pitch = pitch.unwrap_or(row_bytes);
        check_pitch(pitch, row_bytes, 1)?;
        let rows = extents[1].div_ceil(block[1]);
        let slices = if rows == 0 || row_bytes == 0 { 0 } else { extents[2] };
        let before_last = (u64::from(slices) * u64::from(rows)).checked_sub(1);
        let expected = before_last.map_or(0, |before| before * pitch + row_bytes);
        if (size_bytes as u64) < expected {
            return Err(ResourceError::TexelBytes { extents, size_bytes: size_bytes as u64, expected });
        }
        let level = self.shape.levels().nth(mip as usize).expect("a box of a level that there is");
        let first = level.offset_bytes + u64::from(layer) * self.shape.layer_bytes() + self.shape.row_bytes(origin[0]);
        let at = move |slice: u32, row: u32| BoxRow {
            offset_bytes: first
                + u64::from(origin[2] + slice) * level.slice_bytes
                + u64::from(origin[1] / block[1] + row) * level.row_bytes,
            at: ((u64::from(slice) * u64::from(rows) + u64::from(row)) * pitch) as usize,
            size: row_bytes as usize,
        };
        Ok((0..slices).flat_map(move |slice| (0..rows).map(move |row| at(slice, row))))
    }
}

/// A row of a box, in the texture and in the caller's bytes.
pub(super) struct BoxRow {
    pub offset_bytes: u64,
    at: usize,
    pub size: usize,
}
