//! Defines views, through which registers and targets see buffers and textures, and samplers, which are bound like
//! them.

use std::mem::MaybeUninit;

use brolga::{ClearValue, Counter, Filter, Reduction, ResourceError, Tap, View as Native};

use crate::arguments::{choice, flag, format, growing, init, numbered, options, put};
use crate::buffer::Buffer;
use crate::error::{Code, Error, Failure, guard};
use crate::handle::{HandleKind, NewHandle, destroy, get};
use crate::state::{AddressMode, Comparison};
use crate::texture::Texture;

/// A view of a buffer or a texture, or a part of one, for a register or a target; or a sampler. A view keeps its
/// resource alive, and can be bound any number of times.
pub struct View(());

impl HandleKind for View {
    type Value = Native;
    const NAME: &'static str = "a view";
}

/// The addressing of a buffer's bytes.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BufferKind {
    /// Bytes, read and written as words: ByteAddressBuffer. At most 4 GiB.
    Raw = 0,
    /// Elements of a stride: StructuredBuffer. A partial element at the end is ignored.
    Structured = 1,
    /// Texels of a format in one row: Buffer.
    Typed = 2,
    /// A constant buffer: cbuffer. Reads beyond its end return zero.
    Constant = 3,
}

/// The options of a view of a buffer.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct BufferViewOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The addressing of its bytes; BROLGA_BUFFER_KIND_RAW by default.
    pub kind: MaybeUninit<BufferKind>,
    /// Size of an element of a structured view in bytes, a multiple of 4 up to 2048.
    pub stride_bytes: u32,
    /// The format of a typed view: a BrolgaFormat, or a number of DXGI_FORMAT.
    pub format: u32,
    /// `true` if a structured view has a hidden counter.
    pub has_counter: MaybeUninit<bool>,
    /// The first value of the counter.
    pub counter: u32,
    /// Offset of the view in the buffer in bytes.
    pub offset_bytes: u64,
    /// Size of the view in bytes; UINT64_MAX, the default, for all up to the buffer's end.
    pub size_bytes: u64,
}

impl Default for BufferViewOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            kind: MaybeUninit::new(BufferKind::Raw),
            stride_bytes: 0,
            format: 0,
            has_counter: MaybeUninit::new(false),
            counter: 0,
            offset_bytes: 0,
            size_bytes: u64::MAX,
        }
    }
}

/// The options of a view of a texture: by default the whole texture, in its own kind and format.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct TextureViewOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// Another format of the same family; 0 for the texture's own.
    pub format: u32,
    /// Another kind, a BrolgaDimension; 0 for the texture's own.
    pub dimension: u32,
    /// The first mip level. Writes and draws access this one.
    pub first_mip: u32,
    /// Number of mip levels; UINT32_MAX, the default, for all up to the last one.
    pub mips: u32,
    /// The first layer, each face of a cube counted; of a 3D texture, slice.
    pub first_layer: u32,
    /// Number of layers; UINT32_MAX, the default, for all that the kind allows. A view of some slices of a 3D texture
    /// can be written only.
    pub layers: u32,
    /// The minimum level of detail, counted in the texture; 0 by default.
    pub min_level: f32,
}

impl Default for TextureViewOptions {
    fn default() -> Self {
        let (format, dimension, first_mip, first_layer) = (0, 0, 0, 0);
        let (size, mips, layers, min_level) = (size_of::<Self>(), u32::MAX, u32::MAX, 0.0);
        Self { size, format, dimension, first_mip, mips, first_layer, layers, min_level }
    }
}

/// The state of a sampler; by default Direct3D's of an empty slot: linear, clamped.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct SamplerOptions {
    /// Size of this struct in bytes, set by its init function.
    pub size: usize,
    /// The filter: a BrolgaFilterMode, or any number of D3D11_FILTER.
    pub filter: u32,
    /// The address modes along u, v and w.
    pub address: [MaybeUninit<AddressMode>; 3],
    /// Added to the level of detail, -16 to 15.99.
    pub level_bias: f32,
    /// The minimum level of detail. It takes precedence over the maximum.
    pub min_level: f32,
    /// The maximum level of detail.
    pub max_level: f32,
    /// The most samples along the line of an anisotropic filter, 1 to 16.
    pub max_anisotropy: u32,
    /// The comparison of comparison instructions.
    pub comparison: MaybeUninit<Comparison>,
    /// The colour of BROLGA_ADDRESS_MODE_BORDER.
    pub border: [f32; 4],
}

/// Filters, as D3D11_FILTER. Its other numbers can be passed as well.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum FilterMode {
    MinMagMipPoint = 0,
    MinMagPointMipLinear = 1,
    MinMagLinearMipPoint = 0x14,
    MinMagMipLinear = 0x15,
    Anisotropic = 0x55,
    ComparisonMinMagMipPoint = 0x80,
    ComparisonMinMagLinearMipPoint = 0x94,
    ComparisonMinMagMipLinear = 0x95,
    ComparisonAnisotropic = 0xd5,
}

impl Default for SamplerOptions {
    fn default() -> Self {
        Self {
            size: size_of::<Self>(),
            filter: FilterMode::MinMagMipLinear as u32,
            address: [MaybeUninit::new(AddressMode::Clamp); 3],
            level_bias: 0.0,
            min_level: f32::MIN,
            max_level: f32::MAX,
            max_anisotropy: 1,
            comparison: MaybeUninit::new(Comparison::Never),
            border: [0.0; 4],
        }
    }
}

growing! {
    BufferViewOptions as "BrolgaBufferViewOptions";
    TextureViewOptions as "BrolgaTextureViewOptions";
    SamplerOptions as "BrolgaSamplerOptions";
}

impl BufferViewOptions {
    fn view(&self, buffer: brolga::Buffer) -> Result<Native, Failure> {
        let size_bytes = buffer.size_bytes();
        // SAFETY: `repr(u32)`, and C has written some number.
        let kind = unsafe { self.kind.as_ptr().cast::<u32>().read() };
        let view = match kind {
            n if n == BufferKind::Raw as u32 => Native::raw(buffer)?,
            n if n == BufferKind::Structured as u32 => Native::structured(buffer, self.stride_bytes)?,
            n if n == BufferKind::Typed as u32 => {
                Native::typed(buffer, format(self.format, "BrolgaBufferViewOptions.format")?)?
            }
            n if n == BufferKind::Constant as u32 => Native::constant(buffer)?,
            other => {
                let text = format!("BrolgaBufferViewOptions.kind is {other}, but BrolgaBufferKind has 0 to 3");
                return Err(Failure::argument(text));
            }
        };
        let view = match (self.offset_bytes, self.size_bytes) {
            (0, u64::MAX) => view,
            (offset, u64::MAX) => view.with_range(offset, size_bytes.saturating_sub(offset))?,
            (offset, size) => view.with_range(offset, size)?,
        };
        Ok(if flag(self.has_counter) { view.with_counter(Counter::new(self.counter))? } else { view })
    }
}

impl TextureViewOptions {
    fn view(&self, texture: brolga::Texture) -> Result<Native, Failure> {
        let shape = *texture.shape();
        let mut view = Native::texture(texture);
        if self.format != 0 {
            view = view.with_format(format(self.format, "BrolgaTextureViewOptions.format")?)?;
        }
        if self.dimension != 0 {
            view = view.with_dimension(numbered(self.dimension, "BrolgaTextureViewOptions.dimension")?)?;
        }
        if (self.first_mip, self.mips) != (0, u32::MAX) {
            // At least one, so that an error names a first level that does not exist.
            let there = shape.mips.saturating_sub(self.first_mip).max(1);
            view = view.with_mips(self.first_mip, if self.mips == u32::MAX { there } else { self.mips })?;
        }
        if (self.first_layer, self.layers) != (0, u32::MAX) {
            let rest = match view.dimension() {
                Some(brolga::Dimension::Texture3d) => (shape.depth >> self.first_mip.min(31)).max(1),
                Some(brolga::Dimension::TextureCube) => self.first_layer.saturating_add(6),
                Some(kind) if kind.is_array() => shape.layers,
                _ => self.first_layer.saturating_add(1),
            };
            let rest = rest.saturating_sub(self.first_layer).max(1);
            view = view.with_layers(self.first_layer, if self.layers == u32::MAX { rest } else { self.layers })?;
        }
        Ok(if self.min_level == 0.0 { view } else { view.with_min_level(self.min_level)? })
    }
}

/// The filter of a number of D3D11_FILTER: bits of its taps, its anisotropy, and its reduction.
fn filter(number: u32) -> Option<Filter> {
    const MIP: u32 = 0x01;
    const MAGNIFY: u32 = 0x04;
    const MINIFY: u32 = 0x10;
    const ANISOTROPIC: u32 = 0x40;
    let tap = |bit| if number & bit == 0 { Tap::Point } else { Tap::Linear };
    let reduction = match number >> 7 {
        0 => Reduction::Weighted,
        1 => Reduction::Comparison,
        2 => Reduction::Minimum,
        3 => Reduction::Maximum,
        _ => return None,
    };
    let anisotropic = number & ANISOTROPIC != 0;
    let linear = MIP | MAGNIFY | MINIFY;
    let is_known = number & 0x7f & !(linear | ANISOTROPIC) == 0 && (!anisotropic || number & linear == linear);
    let filter = Filter { minify: tap(MINIFY), magnify: tap(MAGNIFY), mip: tap(MIP), anisotropic, reduction };
    is_known.then_some(filter)
}

impl SamplerOptions {
    fn sampler(&self) -> Result<brolga::Sampler, Failure> {
        let wrong = || {
            let number = self.filter;
            Failure::argument(format!("BrolgaSamplerOptions.filter is {number:#x}, which D3D11_FILTER does not have"))
        };
        let [u, v, w] = self.address.map(|mode| choice(mode, "BrolgaSamplerOptions.address"));
        Ok(brolga::Sampler {
            filter: filter(self.filter).ok_or_else(wrong)?,
            address: [u?, v?, w?],
            level_bias: self.level_bias,
            min_level: self.min_level,
            max_level: self.max_level,
            max_anisotropy: self.max_anisotropy,
            comparison: choice(self.comparison, "BrolgaSamplerOptions.comparison")?,
            border: self.border,
        })
    }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaBufferViewOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_buffer_view_options_init(view_options: *mut BufferViewOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(view_options, size) }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaTextureViewOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_texture_view_options_init(view_options: *mut TextureViewOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(view_options, size) }
}

/// Fills options with the defaults. `size` is sizeof(BrolgaSamplerOptions).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_sampler_options_init(sampler_options: *mut SamplerOptions, size: usize) -> Code {
    // SAFETY: the caller's promises.
    unsafe { init(sampler_options, size) }
}

/// Makes a view of a buffer. `view_options` may be NULL: a raw view of all of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_of_buffer(
    buffer: *const Buffer,
    view_options: *const BufferViewOptions,
    view: *mut *mut View,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, buffer) = (NewHandle::new(view)?, get(buffer)?);
            handle.put(options(view_options)?.view(buffer.clone())?);
            Ok(())
        })
    }
}

/// Makes a view of a texture. `view_options` may be NULL: the whole texture, in its own kind and format.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_of_texture(
    texture: *const Texture,
    view_options: *const TextureViewOptions,
    view: *mut *mut View,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let (handle, texture) = (NewHandle::new(view)?, get(texture)?);
            handle.put(options(view_options)?.view(texture.clone())?);
            Ok(())
        })
    }
}

/// Makes a sampler, which is bound like a view. `sampler_options` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_of_sampler(
    sampler_options: *const SamplerOptions,
    view: *mut *mut View,
    error: *mut Error,
) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let handle = NewHandle::new(view)?;
            handle.put(Native::sampler(options(sampler_options)?.sampler()?)?);
            Ok(())
        })
    }
}

/// Destroys a view. Objects to which it was bound keep it alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_destroy(view: *mut View) -> Code {
    // SAFETY: the caller's promises.
    unsafe { destroy(view) }
}

fn counter(view: &Native) -> Result<&Counter, Failure> {
    view.counter().ok_or_else(|| ResourceError::CounterKind.into())
}

/// Returns the value of a view's hidden counter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_counter(view: *const View, value: *mut u32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe { guard(error, || put(value, counter(get(view)?)?.get(), "the counter's value")) }
}

/// Changes the value of a view's hidden counter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_set_counter(view: *const View, value: u32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            counter(get(view)?)?.set(value);
            Ok(())
        })
    }
}

/// Clears all texels that a view of a texture sees to a colour: red, green, blue and alpha.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn brolga_view_clear(view: *const View, color: *const f32, error: *mut Error) -> Code {
    // SAFETY: the caller's promises.
    unsafe {
        guard(error, || {
            let color = crate::arguments::slice(color, 4, "the colour")?;
            Ok(get(view)?.clear(ClearValue::Color([color[0], color[1], color[2], color[3]]))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of `D3D11_FILTER` (d3d11.h).
    #[test]
    fn filters_have_the_numbers_of_direct3d() {
        let (point, linear) = (Tap::Point, Tap::Linear);
        let known = |number, taps, anisotropic, reduction| {
            let [minify, magnify, mip] = taps;
            assert_eq!(filter(number), Some(Filter { minify, magnify, mip, anisotropic, reduction }), "{number:#x}");
        };
        known(0x00, [point, point, point], false, Reduction::Weighted);
        known(0x01, [point, point, linear], false, Reduction::Weighted);
        known(0x04, [point, linear, point], false, Reduction::Weighted);
        known(0x10, [linear, point, point], false, Reduction::Weighted);
        known(0x15, [linear, linear, linear], false, Reduction::Weighted);
        known(0x55, [linear, linear, linear], true, Reduction::Weighted);
        known(0x94, [linear, linear, point], false, Reduction::Comparison);
        known(0x115, [linear, linear, linear], false, Reduction::Minimum);
        known(0x1d5, [linear, linear, linear], true, Reduction::Maximum);
        assert!([0x02, 0x08, 0x20, 0x41, 0x200, u32::MAX].into_iter().all(|number| filter(number).is_none()));
    }
}
