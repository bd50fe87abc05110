//! Defines views of textures: the levels, layers and slices that a register sees, their kind and format.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use brolga_ir::interface::Dimension;
use brolga_ir::pipeline::state::SamplePattern;

use crate::error::ResourceError;
use crate::expansion::Expansion;
use crate::format::{Format, Use};
use crate::shape::{FACES, SurfaceLevel, check_format};
use crate::surface::Surface;
use crate::texture::{TexelBox, Texture};

/// A texture or a part of it, in a kind and format accepted by [`check`](Self::check).
#[derive(Clone, Debug)]
pub struct TextureView {
    /// The whole texture.
    pub texture: Texture,
    /// The kind of the view.
    pub dimension: Dimension,
    /// The format of its texels in the view.
    pub format: Format,
    /// The mip levels, counted in the texture.
    pub mips: Range<u32>,
    /// Layers counted in the texture, or slices of the first level if it has any; `None` for as many as the kind
    /// allows.
    pub layers: Option<Range<u32>>,
    /// The minimum level of detail, counted in the texture's levels.
    pub min_level: f32,
}

/// The kinds of views that a kind of texture allows.
fn kinds(texture: Dimension) -> &'static [Dimension] {
    match texture {
        Dimension::Buffer => &[],
        Dimension::Texture1d | Dimension::Texture1dArray => &[Dimension::Texture1d, Dimension::Texture1dArray],
        Dimension::Texture2d | Dimension::Texture2dArray | Dimension::TextureCube | Dimension::TextureCubeArray => {
            &[Dimension::Texture2d, Dimension::Texture2dArray, Dimension::TextureCube, Dimension::TextureCubeArray]
        }
        Dimension::Texture2dMs | Dimension::Texture2dMsArray => &[Dimension::Texture2dMs, Dimension::Texture2dMsArray],
        Dimension::Texture3d => &[Dimension::Texture3d],
    }
}

impl TextureView {
    /// A view of a whole texture, in its own kind and format.
    pub(crate) fn new(texture: Texture) -> Self {
        let shape = texture.shape();
        let (dimension, format, mips) = (shape.dimension, seen_as(shape.format), 0..shape.mips);
        Self { texture, dimension, format, mips, layers: None, min_level: 0.0 }
    }

    /// Sets the format of the texels.
    pub(crate) fn set_format(&mut self, format: Format) {
        self.format = seen_as(format);
    }

    /// Checks that such a view of the texture is possible.
    pub fn check(&self) -> Result<(), ResourceError> {
        let shape = self.texture.shape();
        let possible = kinds(shape.dimension);
        if !possible.contains(&self.dimension) {
            return Err(ResourceError::ViewDimension { texture: shape.dimension, view: self.dimension, possible });
        }
        let format = shape.format;
        let is_possible = format.is_castable_to(self.format)
            || format.is_storable_as(self.format)
            || format.is_testable_as(self.format);
        if !is_possible {
            return Err(ResourceError::Cast { from: shape.format, to: self.format });
        }
        check_format(self.dimension, self.format)?;
        if self.dimension.is_cube() && shape.width != shape.height {
            return Err(ResourceError::CubeSquare { width: shape.width, height: shape.height });
        }
        if self.mips.is_empty() || self.mips.end > shape.mips {
            return Err(ResourceError::ViewRange { what: "mip levels", range: self.mips.clone(), most: shape.mips });
        }
        let (what, most) = match self.dimension {
            Dimension::Texture3d => ("slices", shape.extents(self.mips.start)[2]),
            _ => ("layers", shape.layers),
        };
        let layers = self.layers();
        if self.layers.is_some() && (layers.is_empty() || layers.end > most) {
            return Err(ResourceError::ViewRange { what, range: layers, most });
        }
        let (count, dimension) = (layers.end.min(most) - layers.start, self.dimension);
        let fits = match dimension {
            Dimension::TextureCube => count == FACES,
            Dimension::TextureCubeArray => count > 0 && count.is_multiple_of(FACES),
            Dimension::Texture3d => true,
            _ => count == 1 || dimension.is_array(),
        };
        if fits { Ok(()) } else { Err(ResourceError::ViewLayers { dimension, layers: count }) }
    }

    /// Layers counted in the texture; slices of the first level if it has any.
    pub fn layers(&self) -> Range<u32> {
        let shape = self.texture.shape();
        let all = match self.dimension {
            Dimension::Texture3d => shape.extents(self.mips.start)[2],
            Dimension::TextureCube => FACES,
            Dimension::TextureCubeArray => shape.layers / FACES * FACES,
            _ if self.dimension.is_array() => shape.layers,
            _ => 1,
        };
        self.layers.clone().unwrap_or(0..all)
    }

    /// The planes of the texture that it sees: layers, with each sample counted.
    fn planes(&self) -> Range<u32> {
        let (layers, samples) = (self.layers(), self.samples());
        layers.start * samples..layers.end * samples
    }

    /// Number of samples of a texel; 1 if it is not multisampled, or seen as a render target.
    pub fn samples(&self) -> u32 {
        if self.dimension.is_multisampled() { self.texture.shape().samples } else { 1 }
    }

    /// The view as a render target: the first level as layers of two dimensions, or the first of them alone. Faces of
    /// cubes, slices and samples count as layers, and a one-dimensional texture has one row (functional specification,
    /// 5.3).
    pub fn as_target(&self, dimension: Dimension) -> Self {
        let mut layers = self.planes();
        if !dimension.is_array() {
            layers.end = layers.start + 1;
        }
        Self { dimension, mips: self.mips.start..self.mips.start + 1, layers: Some(layers), ..self.clone() }
    }

    /// The texels of the view, box by box.
    pub fn boxes(&self) -> Result<Vec<TexelBox>, ResourceError> {
        let (layers, has_slices) = (self.planes(), self.texture.shape().dimension == Dimension::Texture3d);
        let count = if has_slices { 0..1 } else { layers.clone() };
        let levels = count.flat_map(|layer| self.mips.clone().map(move |mip| (mip, layer)));
        let cut = |(mip, layer)| {
            let mut part = self.texture.level(mip, layer)?;
            if has_slices && self.mips.len() == 1 {
                (part.origin[2], part.extents[2]) = (layers.start, layers.len() as u32);
            }
            Ok(part)
        };
        levels.map(cut).collect()
    }

    /// True if it leaves out slices, which only a view for writing can.
    pub fn leaves_out_slices(&self) -> bool {
        let depth = self.texture.shape().extents(self.mips.start)[2];
        self.dimension == Dimension::Texture3d && self.layers() != (0..depth)
    }

    /// True if the format is one that only a view for writing can have.
    pub fn is_word_format(&self) -> bool {
        !self.texture.shape().format.is_castable_to(self.format)
    }

    /// The texels that a register sees: for writing, those of the first level.
    pub fn surface(&self, writable: bool) -> Surface {
        let shape = self.texture.shape();
        let (layers, layer_bytes, samples) = (self.layers(), shape.layer_bytes(), self.samples());
        let mips = if writable { self.mips.start..self.mips.start + 1 } else { self.mips.clone() };
        let mut levels: Vec<SurfaceLevel> = shape.levels().skip(mips.start as usize).take(mips.len()).collect();
        let count = layers.len() as u32;
        let (layer_count, layer_bytes) = if shape.dimension == Dimension::Texture3d {
            // Slices instead of layers, of the only level left where the view has fewer than all.
            let has_slices = self.dimension == Dimension::Texture3d;
            let mut slice_bytes = layer_bytes;
            if let [level] = &mut levels[..] {
                level.offset_bytes += u64::from(layers.start) * level.slice_bytes;
                level.extents[2] = if has_slices { count } else { 1 };
                slice_bytes = level.slice_bytes;
            }
            if has_slices { (1, layer_bytes) } else { (count, slice_bytes) }
        } else {
            for level in &mut levels {
                level.offset_bytes += u64::from(layers.start) * u64::from(samples) * layer_bytes;
            }
            (count, layer_bytes)
        };
        Surface {
            memory: Arc::clone(self.texture.buffer().memory()),
            format: self.format,
            dimension: self.dimension,
            levels,
            layers: layer_count,
            layer_bytes,
            pattern: if samples > 1 { shape.sample_pattern() } else { SamplePattern::ONE },
            // It does not apply to writes (functional specification 5.8.2).
            min_level: if writable { 0.0 } else { (self.min_level - self.mips.start as f32).max(0.0) },
            expansion: if writable { None } else { self.expansion() },
        }
    }

    /// The layout of its texels in copies of the texture, if that may have any.
    fn expansion(&self) -> Option<Expansion> {
        let (copies, shape) = (self.texture.copies()?, self.texture.shape());
        let first_layer = self.layers().start;
        // Slices are those of a level, all of them.
        let is_whole = shape.dimension != Dimension::Texture3d || self.dimension == shape.dimension && first_layer == 0;
        if is_whole { Expansion::new(copies, shape, self.format, self.mips.clone(), first_layer) } else { None }
    }
}

/// The format in which shaders see texels: depth as red, in a format that can be read; others unchanged.
fn seen_as(format: Format) -> Format {
    let is_readable = |other: &Format| {
        other.allows(Use::Load)
            && other.is_castable_to(format)
            && other.encoding() == format.encoding()
            && other.fields()[0] == format.fields()[0]
    };
    match format.allows(Use::DepthStencil) {
        true => Format::ALL.iter().copied().find(is_readable).unwrap_or(format),
        false => format,
    }
}

/// A range of levels, layers or slices, as in messages: `layer 2`, `layers 2 to 5`.
fn range(f: &mut fmt::Formatter<'_>, what: &str, range: &Range<u32>) -> fmt::Result {
    match range.len() {
        1 => write!(f, ", {what} {}", range.start),
        _ => write!(f, ", {what}s {} to {}", range.start, range.end - 1),
    }
}

impl fmt::Display for TextureView {
    /// Describes the view, for messages: `texture2d of format R8_UNORM, mip levels 1 to 3, layer 5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of format {}", self.dimension, self.format)?;
        if self.mips != (0..self.texture.shape().mips) {
            range(f, "mip level", &self.mips)?;
        }
        if let Some(layers) = &self.layers {
            range(f, if self.dimension == Dimension::Texture3d { "slice" } else { "layer" }, layers)?;
        }
        if self.min_level > 0.0 {
            write!(f, ", from level {} on", self.min_level)?;
        }
        Ok(())
    }
}
