//! Adds the state that only Direct3D 9's draws have: alpha test, fog, point sprites, flat shading, clip planes, and its
//! types of vertex elements.
//!
//! The rules are those of its documentation. They hold where a pipeline's shaders are of models 1.1 to 3.0, and so do
//! three that are no choice: pixel centers lie at integer coordinates, points are squares, and there is no primitive
//! restart.

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

/// The additional state of a pipeline. Shared state is in the rest of the description, under its Direct3D 11 name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direct3D9State {
    /// The comparison of a pixel's alpha, as a code of 8 bits, with the draw's reference: others are dropped. By
    /// default all pass. An alpha outside of a fixed-point target's range is clamped to it; otherwise codes go on below
    /// 0 and above 255.
    pub alpha_test: Option<Comparison>,
    /// The fog that is added by distance; by default none, and never any after a ps_3_0 shader.
    pub fog: Option<FogMode>,
    /// `true` for flat shading: a primitive has the colours of its first vertex.
    pub is_flat: bool,
    /// `true` for point sprites: texture coordinates go from 0 to 1 across and down each point.
    pub has_point_sprites: bool,
    /// `true` if the last pixel of a line is omitted.
    pub omits_last_pixels: bool,
    /// `true` if all samples of a pixel are taken at its center: D3DRS_MULTISAMPLEANTIALIAS is off.
    pub centers_samples: bool,
    /// The depth bias of triangles, as a depth and not in units of the depth buffer.
    pub depth_bias: f32,
}

/// The source of the fog factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FogMode {
    /// The vertex shader, or the alpha of a transformed vertex's second colour; without either the factor is 0, all
    /// fog.
    Vertex,
    /// 1 up to the start of the fog, 0 from its end on, and linear between.
    Linear(Distance),
    /// *e* to the power of minus distance times density.
    Exponential(Distance),
    /// *e* to the power of minus the square of that product.
    ExponentialSquared(Distance),
}

impl Direct3D9State {
    /// `true` if draws of this topology generate texture coordinates.
    pub(crate) fn sprites(&self, topology: Topology) -> bool {
        self.has_point_sprites && topology.kind() == Kind::Point
    }
}

/// Values that may change from draw to draw, with the defaults of a fresh device.
#[derive(Clone, Debug, PartialEq)]
pub struct Direct3D9Values {
    /// The reference of the alpha test, of 255.
    pub alpha_reference: u8,
    /// The fog's red, green and blue.
    pub fog_color: [f32; 3],
    /// The distance at which linear fog starts.
    pub fog_start: f32,
    /// The distance at which linear fog is complete.
    pub fog_end: f32,
    /// The density of exponential fog.
    pub fog_density: f32,
    /// The size in pixels of points whose vertices have none.
    pub point_size: f32,
    /// The least and the greatest size of points.
    pub point_size_range: [f32; 2],
    /// Planes through the origin of clip space: positions with a negative dot product are clipped. At most 6.
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

    /// Writes the values that shaders read into a draw's state.
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

/// A viewport as a device takes it: an empty or inverted depth range becomes a small one.
pub(crate) fn with_depth_range(viewport: Viewport) -> Viewport {
    let Viewport { min_depth, max_depth, .. } = viewport;
    match max_depth <= min_depth && 0.0 <= max_depth && min_depth <= 1.0 {
        true => Viewport { max_depth: (min_depth + LEAST_DEPTH_RANGE).min(1.0), ..viewport },
        false => viewport,
    }
}

/// The least depth range of a viewport.
const LEAST_DEPTH_RANGE: f32 = 0.001;

/// A sampler in a fresh device's state.
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
    // Without mip levels the level of detail still selects the filter: it exceeds 0, but stays below half a level.
    max_level: 0.25,
    max_anisotropy: 1,
    comparison: Comparison::Never,
    border: [0.0; 4],
};

/// A sampler for shadow maps: a reference passes unless it is farther than the texel.
fn comparing(sampler: Sampler) -> Sampler {
    let filter = Filter { reduction: Reduction::Comparison, ..sampler.filter };
    Sampler { filter, comparison: Comparison::LessEqual, ..sampler }
}

/// Default bindings of a device for registers where nothing was bound: samplers in their initial state and, where
/// registers may be left unbound, opaque black textures. Comparison samplers have their only mode.
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
                // Zeros, with an implied alpha of one.
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
    /// The format of a Direct3D 9 declaration type, by its name in `D3DDECLTYPE` without the prefix.
    pub fn of_declaration(name: &str) -> Option<Self> {
        TYPES.iter().find(|(known, _)| *known == name).map(|&(_, format)| format)
    }

    /// The names of the Direct3D 9 declaration types.
    pub fn declarations() -> impl Iterator<Item = &'static str> {
        TYPES.iter().map(|(name, _)| *name)
    }
}
