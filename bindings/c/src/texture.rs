//! Defines textures.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use brolga::TextureShape;

use crate::arguments::{bytes, bytes_mut, choice, flag, format, growing, init, options, put};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::state::Dimension;

/// A texture: a buffer with a shape. Any thread may read and write it at any time, like a buffer.
pub struct Texture(());

impl HandleKind for Texture {
    type Value = brolga::Texture;
    const NAME: &'static str = "a texture";
}

/// The shape of a texture. Extents that its kind lacks are 1.
///
/// Texels are packed: for each layer, each sample, each mip level, each slice, each row. So samples are planes, as
/// layers are. In a block-compressed format this applies to blocks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TextureOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The kind; BROLGA_DIMENSION_TEXTURE2D by default.
    pub dimension: MaybeUninit<Dimension>,
    /// The format: a BrolgaFormat, or a number of DXGI_FORMAT.
    pub format: u32,
    /// Number of texels of a row of mip level 0; 1 by default, like all of the following.
    pub width: u32,
    /// Number of rows of mip level 0.
    pub height: u32,
    /// Number of slices of mip level 0 of a 3D texture.
    pub depth: u32,
    /// Number of layers of an array; faces of a cube count each, so that a cube has 6.
    pub layers: u32,
    /// Number of mip levels.
    pub mips: u32,
    /// Number of samples of a texel of a multisampled texture: 1, 2, 4, 8 or 16.
    pub samples: u32,
    /// The row pitch in bytes, of rows of blocks if there are any, for a texture of one mip level, as in memory of
    /// other owners; 0, the default, where rows are packed. Slices and layers follow without further padding.
    pub row_pitch_bytes: u64,
    /// `true` if all samples lie at the center of a pixel; `false` for the standard pattern, as by default.
    pub center_pattern: MaybeUninit<bool>,
}

impl Default for TextureOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            dimension: MaybeUninit::new(Dimension::Texture2d),
            format: 0,
            width: 1,
            height: 1,
            depth: 1,
            layers: 1,
            mips: 1,
            samples: 1,
            row_pitch_bytes: 0,
            center_pattern: MaybeUninit::new(false),
        }
    }
}

/// A box of texels of one mip level of one layer. In a block-compressed format it consists of whole blocks, up to the
/// end of the level.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TexelBox {
    /// The mip level.
    pub mip: u32,
    /// The layer, each face of a cube and each sample counted: sample k of layer l of a texture with n samples is
    /// l * n + k.
    pub layer: u32,
    /// The first texel along x, y and z.
    pub origin: [u32; 3],
    /// Extents along x, y and z.
    pub extents: [u32; 3],
}

growing! {
    TextureOptions as "BrolgaTextureOptions";
}

impl TextureOptions {
    fn shape(&self) -> Result<TextureShape, Failure> {
        let format = format(self.format, "BrolgaTextureOptions.format")?;
        let mut shape =
            TextureShape::new(choice(self.dimension, "BrolgaTextureOptions.dimension")?, format, self.width);
        (shape.height, shape.depth, shape.layers) = (self.height, self.depth, self.layers);
        (shape.mips, shape.samples) = (self.mips, self.samples);
        shape.row_pitch_bytes = (self.row_pitch_bytes != 0).then_some(self.row_pitch_bytes);
        Ok(shape.center_pattern(flag(self.center_pattern)))
    }
}

impl From<TexelBox> for brolga::TexelBox {
    fn from(TexelBox { mip, layer, origin, extents }: TexelBox) -> Self {
        Self { mip, layer, origin, extents }
    }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaTextureOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_options_init(texture_options: *mut TextureOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(texture_options, size) }
}

/// Makes a texture: a copy of all its texels at `data`, packed as in BrolgaTextureOptions, or zeros if that is NULL.
/// `size_bytes` is the size of `data`, which must be that of the texture; 0 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_create(
    device: *const Device,
    texture_options: *const TextureOptions,
    data: *const c_void,
    size_bytes: usize,
    texture: *mut *mut Texture,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, device) = (NewHandle::new(texture)?, get(device)?);
            let shape = options(texture_options)?.shape()?;
            let made = match data.is_null() && size_bytes == 0 {
                true => device.texture(shape)?,
                false => device.texture_from(shape, bytes(data, size_bytes, "the texture's data")?)?,
            };
            handle.put(made);
            Ok(())
        })
    }
}

/// Makes a texture whose texels are a buffer's bytes: of a mapped file, or of memory of the caller's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_of_buffer(
    buffer: *const Buffer,
    texture_options: *const TextureOptions,
    texture: *mut *mut Texture,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, buffer) = (NewHandle::new(texture)?, get(buffer)?);
            handle.put(brolga::Texture::new(buffer.clone(), options(texture_options)?.shape()?)?);
            Ok(())
        })
    }
}

/// Destroys a texture. Its texels stay while anything uses them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_destroy(texture: *mut Texture) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(texture) }
}

/// Makes a buffer of all texels, which it shares with the texture.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_buffer(
    texture: *const Texture,
    buffer: *mut *mut Buffer,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, texture) = (NewHandle::new(buffer)?, get(texture)?);
            handle.put(texture.buffer().clone());
            Ok(())
        })
    }
}

/// Returns the box of a whole mip level of a layer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_level(
    texture: *const Texture,
    mip: u32,
    layer: u32,
    level: *mut TexelBox,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let brolga::TexelBox { mip, layer, origin, extents } = get(texture)?.level(mip, layer)?;
            put(level, TexelBox { mip, layer, origin, extents }, "the box")
        })
    }
}

/// Returns the box; mip level 0 of layer 0 if there is none.
///
/// # Safety
/// `part` is null or can be read.
pub(crate) unsafe fn part_of(texture: &brolga::Texture, part: *const TexelBox) -> Result<brolga::TexelBox, Failure> {
    // SAFETY: promised to this function.
    match unsafe { crate::arguments::slice(part, usize::from(!part.is_null()), "the box") }? {
        [part] => Ok((*part).into()),
        _ => Ok(texture.level(0, 0)?),
    }
}

/// Writes the texels of a box, slice by slice, row by row. Without a box (NULL) it is mip level 0 of layer 0.
/// `row_pitch_bytes` is the distance between rows at `from`, of rows of blocks if there are any; 0 means that they are
/// packed. `size_bytes` is the size of `from`; bytes after the last row are ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_write(
    texture: *const Texture,
    to_box: *const TexelBox,
    from: *const c_void,
    size_bytes: usize,
    row_pitch_bytes: u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let texture = get(texture)?;
            let texels = bytes(from, size_bytes, "the texels to write")?;
            let pitch = (row_pitch_bytes != 0).then_some(row_pitch_bytes);
            Ok(texture.write(&part_of(texture, to_box)?, texels, pitch)?)
        })
    }
}

/// Reads the texels of a box, in the order of brolga_texture_write. Padding between rows is unchanged.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_read(
    texture: *const Texture,
    from_box: *const TexelBox,
    to: *mut c_void,
    size_bytes: usize,
    row_pitch_bytes: u64,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let texture = get(texture)?;
            let texels = bytes_mut(to, size_bytes, "the memory for texels")?;
            let pitch = (row_pitch_bytes != 0).then_some(row_pitch_bytes);
            Ok(texture.read(&part_of(texture, from_box)?, texels, pitch)?)
        })
    }
}

/// Generates all mip levels of all layers but the first, each from the one before: 2 x 2 texels become their mean, or 2
/// x 2 x 2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_generate_mips(texture: *const Texture, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || Ok(get(texture)?.generate_mips()?)) }
}

/// Resolves a layer of a texture with several samples to a texture with one sample: each texel becomes the mean of its
/// samples. `to_box` is a whole mip level of a layer with the same extents, as brolga_texture_level returns it; NULL
/// for the first one. `format_of_both` says how texels are seen: a BrolgaFormat, or a number of DXGI_FORMAT; 0 for the
/// format of `to`. Integers and depths have no mean.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_resolve(
    from: *const Texture,
    from_layer: u32,
    to: *const Texture,
    to_box: *const TexelBox,
    format_of_both: u32,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (from, to) = (get(from)?, get(to)?);
            let seen = match format_of_both {
                0 => to.shape().format,
                number => format(number, "the format of a resolve")?,
            };
            Ok(from.resolve(from_layer, to, &part_of(to, to_box)?, seen)?)
        })
    }
}
