//! What Direct3D 9's draws have and later ones do not, as state: the alpha test, fog, point sprites, flat shading, clip planes. Also its
//! types of vertex elements.
//!
//! The rules are those of its documentation. They hold where a pipeline's shaders are of models 1.1 to 3.0, and so do three that are
//! no choice: pixel centers lie at integer coordinates, points are squares, and no index begins a strip anew.

use brolga_ir::pipeline::record::{BatchDirect3D9, BatchState};
pub use brolga_ir::pipeline::state::Distance;
use brolga_runtime::{
    AddressMode, Comparison, Device, Filter, Format, Layers, Leniency, Reduction, Register, ResourceKind, Sampler,
    Shader, Tap, TextureShape, View,
};

use crate::error::DrawError;
use crate::layout::ElementFormat;
use crate::setup::viewport::{Plane, Viewport};
use crate::state::{Kind, Topology};

/// The state of a pipeline. What it shares with Direct3D 11 is in the rest of it, with that name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direct3D9State {
    /// Which pixels are drawn: their alpha, as a code of 8 bits, is compared with the draw's reference. By default all. The code of an
    /// alpha that a target of fixed point cannot have is the nearest that it can; others go on below 0 and above 255.
    pub alpha_test: Option<Comparison>,
    /// How far away things turn into fog; by default there is none, and never any behind a ps_3_0 shader.
    pub fog: Option<FogMode>,
    /// Whether primitives have the colours of their first vertex, not those between their vertices.
    pub is_flat: bool,
    /// Whether texture coordinates go from 0 to 1 over each point, across and down.
    pub has_point_sprites: bool,
    /// Whether lines lack the pixel that they end in.
    pub omits_last_pixels: bool,
    /// What is added to the depths of triangles, not in units of the depth buffer.
    pub depth_bias: f32,
}

/// Where the factor of fog is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FogMode {
    /// The vertex shader gives it, or the alpha of a transformed vertex's second colour; without either it is 0, and all is fog.
    Vertex,
    /// It is 1 up to where the fog starts, 0 from where it ends on, and changes evenly between.
    Linear(Distance),
    /// It is e to the power of minus the distance times the density.
    Exponential(Distance),
    /// Likewise, of the square of that product.
    ExponentialSquared(Distance),
}

impl Direct3D9State {
    /// Whether a draw of such primitives makes texture coordinates.
    pub(crate) fn sprites(&self, topology: Topology) -> bool {
        self.has_point_sprites && topology.kind() == Kind::Point
    }
}

/// Numbers that may change from draw to draw, with the defaults of a fresh device.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct3D9Values {
    /// What alpha is compared with, of 255.
    pub alpha_reference: u8,
    /// The fog's red, green and blue.
    pub fog_color: [f32; 3],
    /// The distance at which linear fog starts.
    pub fog_start: f32,
    /// The distance at which it is complete.
    pub fog_end: f32,
    /// The density of other fog.
    pub fog_density: f32,
    /// Pixels across a point whose vertex has no size.
    pub point_size: f32,
    /// The least and the greatest size of points.
    pub point_size_range: [f32; 2],
    /// Planes through the origin of clip space: what has a negative dot product with one is cut away. At most 6.
    pub clip_planes: Vec<[f32; 4]>,
}

impl Default for Direct3D9Values {
    fn default() -> Self {
        Self {
            alpha_reference: 0,
            fog_color: [0.0; 3],
            fog_start: 0.0,
            fog_end: 1.0,
            fog_density: 1.0,
            point_size: 1.0,
            point_size_range: [1.0, 64.0],
            clip_planes: Vec::new(),
        }
    }
}

impl Direct3D9Values {
    pub(crate) fn planes(&self) -> impl Iterator<Item = Plane> {
        self.clip_planes.iter().map(|plane| plane.map(f64::from))
    }

    /// Puts what shaders read into a draw's state.
    pub(crate) fn put(&self, fog: Option<FogMode>, state: &mut BatchState) {
        let fog_range = match fog {
            None | Some(FogMode::Vertex) => [0.0; 2],
            Some(FogMode::Linear(_)) => [self.fog_end, 1.0 / (self.fog_end - self.fog_start)],
            Some(FogMode::Exponential(_)) => [0.0, self.fog_density * std::f32::consts::LOG2_E],
            Some(FogMode::ExponentialSquared(_)) => [0.0, self.fog_density * std::f32::consts::LOG2_E.sqrt()],
        };
        let alpha_reference = self.alpha_reference.into();
        state.reserved = BatchDirect3D9 { alpha_reference, fog_color: self.fog_color, fog_range }.words();
    }
}

/// A viewport as a device takes it: depths have a range always, a small one where they should have none or its ends are the other way
/// round.
pub(crate) fn with_depth_range(viewport: Viewport) -> Viewport {
    let Viewport { min_depth, max_depth, .. } = viewport;
    match max_depth <= min_depth && 0.0 <= max_depth && min_depth <= 1.0 {
        true => Viewport { max_depth: (min_depth + LEAST_DEPTH_RANGE).min(1.0), ..viewport },
        false => viewport,
    }
}

/// The least range of depths in a viewport.
const LEAST_DEPTH_RANGE: f32 = 0.001;

/// A sampler with the states of a fresh device.
pub const FRESH_SAMPLER: Sampler = Sampler {
    filter: Filter {
        minify: Tap::Point,
        magnify: Tap::Point,
        mip: Tap::Point,
        anisotropic: false,
        reduction: Reduction::Weighted,
    },
    address: [AddressMode::Wrap; 3],
    level_bias: 0.0,
    min_level: 0.0,
    // Without levels the level of detail still chooses between the filters: it stays above the first, but below half of the next.
    max_level: 0.25,
    max_anisotropy: 1,
    comparison: Comparison::Never,
    border: [0.0; 4],
};

/// A sampler whose texture is compared: a reference passes that is not behind what is there.
fn comparing(sampler: Sampler) -> Sampler {
    let filter = Filter { reduction: Reduction::Comparison, ..sampler.filter };
    Sampler { filter, comparison: Comparison::LessEqual, ..sampler }
}

/// What is to be bound besides: what a device has where nothing was set, samplers as they are at first, and, where registers may be left
/// unbound, textures that are black and opaque. Samplers that compare do it in the one way that there is.
pub(crate) fn missing(
    device: &Device,
    shader: &Shader,
    bindings: Layers<'_>,
) -> Result<Vec<(Register, View)>, DrawError> {
    let mut missing = Vec::new();
    for declared in shader.bindings() {
        let bound = bindings.get(declared.register);
        let sampler = bound.map_or(Some(&FRESH_SAMPLER), View::as_sampler);
        let view = match (declared.kind, sampler) {
            _ if declared.register.space != 0 => continue,
            (ResourceKind::Sampler { compares: true }, Some(sampler)) => View::sampler(comparing(*sampler))?,
            _ if bound.is_some() => continue,
            (ResourceKind::Sampler { .. }, _) => View::sampler(FRESH_SAMPLER)?,
            (ResourceKind::Typed { dimension, .. }, _) if bindings.rules().allows(Leniency::Unbound) => {
                // Zeros, with a one for the alpha that is missing.
                View::texture(device.texture(TextureShape::new(dimension, Format::R8_UNORM, 1))?)
            }
            _ => continue,
        };
        missing.push((declared.register, view));
    }
    Ok(missing)
}

/// The types of vertex elements, by their names in `D3DDECLTYPE` without its prefix.
const TYPES: [(&str, ElementFormat); 17] = {
    use ElementFormat::{Dec3n, Texel, Udec3};
    [
        ("FLOAT1", Texel(Format::R32_FLOAT)),
        ("FLOAT2", Texel(Format::R32G32_FLOAT)),
        ("FLOAT3", Texel(Format::R32G32B32_FLOAT)),
        ("FLOAT4", Texel(Format::R32G32B32A32_FLOAT)),
        ("D3DCOLOR", Texel(Format::B8G8R8A8_UNORM)),
        ("UBYTE4", Texel(Format::R8G8B8A8_UINT)),
        ("SHORT2", Texel(Format::R16G16_SINT)),
        ("SHORT4", Texel(Format::R16G16B16A16_SINT)),
        ("UBYTE4N", Texel(Format::R8G8B8A8_UNORM)),
        ("SHORT2N", Texel(Format::R16G16_SNORM)),
        ("SHORT4N", Texel(Format::R16G16B16A16_SNORM)),
        ("USHORT2N", Texel(Format::R16G16_UNORM)),
        ("USHORT4N", Texel(Format::R16G16B16A16_UNORM)),
        ("UDEC3", Udec3),
        ("DEC3N", Dec3n),
        ("FLOAT16_2", Texel(Format::R16G16_FLOAT)),
        ("FLOAT16_4", Texel(Format::R16G16B16A16_FLOAT)),
    ]
};

impl ElementFormat {
    /// The format of a type of Direct3D 9, by its name in `D3DDECLTYPE` without the prefix.
    pub fn of_declaration(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|&(_, format)| format)
    }

    /// The names of the types of Direct3D 9.
    pub fn declarations() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|(name, _)| *name)
    }
}
