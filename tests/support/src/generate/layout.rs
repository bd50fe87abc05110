//! Chooses the layout of memory: strides, formats, orders, sizes.

use brolga_runtime::{AddressMode, Comparison, Dimension, Filter, Format, Reduction, Sampler, Tap, TextureShape};

use crate::picture::Picture;
use crate::program::Register;
use crate::random::Random;
use crate::views::{IMAGE_WIDTH, Layout, Order, Totals};

/// Formats of typed buffers and textures that can be written: every size, every encoding.
const FORMATS: [Format; 14] = [
    Format::R32_UINT,
    Format::R32_UINT,
    Format::R32_SINT,
    Format::R32_FLOAT,
    Format::R32G32B32A32_FLOAT,
    Format::R32G32B32A32_UINT,
    Format::R32G32_SINT,
    Format::R16G16B16A16_FLOAT,
    Format::R16G16_SNORM,
    Format::R8G8B8A8_UNORM,
    Format::R8G8B8A8_SINT,
    Format::R8_UINT,
    Format::R10G10B10A2_UNORM,
    Format::R11G11B10_FLOAT,
];

/// Formats of textures that can only be read, where there are such textures.
const READ_FORMATS: [Format; 10] = [
    Format::R8G8B8A8_UNORM_SRGB,
    Format::B8G8R8X8_UNORM,
    Format::R32G32B32_FLOAT,
    Format::R9G9B9E5_SHAREDEXP,
    Format::R8G8_B8G8_UNORM,
    Format::R24_UNORM_X8_TYPELESS,
    Format::X24_TYPELESS_G8_UINT,
    Format::BC1_UNORM,
    Format::BC6H_SF16,
    Format::BC7_UNORM_SRGB,
];

fn order(random: &mut Random, cuts: &[u32]) -> Order {
    let plain = random.one_in(2);
    Order {
        spread: if plain { 1 } else { random.pick(&[1, 1, 2, 3]) },
        reverse: !plain && random.one_in(2),
        cut: if random.one_in(3) { random.pick(cuts) } else { 0 },
    }
}

/// A format whose texels have the same components of the same widths.
fn relative(random: &mut Random, format: Format) -> Format {
    let family = |format: Format| format.name().split('_').next();
    let relatives: Vec<_> = FORMATS.into_iter().filter(|&other| family(other) == family(format)).collect();
    random.pick(&relatives)
}

/// A part of a whole: the first, and the number.
fn part(random: &mut Random, all: u32) -> [u32; 2] {
    let first = random.below(all as usize) as u32;
    [first, 1 + random.below((all - first) as usize) as u32]
}

/// A texture of any kind, seen as another kind, in another format or in part.
fn picture(random: &mut Random) -> Picture {
    use Dimension::{Texture1d, Texture2d, Texture2dArray, Texture3d, TextureCube, TextureCubeArray};
    let format = random.pick(&FORMATS);
    let faces = TextureShape::texture_2d(format, 4, 4).mips(2).array(14);
    let (shape, dimension) = match random.below(10) {
        0 => (TextureShape::new(Texture1d, format, 7).mips(2), Texture1d),
        1 => (TextureShape::new(Texture1d, format, 6).array(3), Dimension::Texture1dArray),
        2 => (TextureShape::texture_2d(format, 5, 4).array(2), Texture2dArray),
        3 => (TextureShape::new(Texture3d, format, 4).height(3).depth(3).mips(2), Texture3d),
        4 => (TextureShape::new(TextureCube, format, 4).height(4).mips(3), TextureCube),
        5 => (faces, TextureCube),
        6 => (faces, TextureCubeArray),
        7 => (faces, Texture2d),
        8 => (faces, Texture2dArray),
        _ => (TextureShape::texture_2d(format, 8, 4).mips(3), Texture2d),
    };
    let mut read_only = shape;
    read_only.format = random.pick(&READ_FORMATS);
    let mut picture = match random.one_in(3) && read_only.size_bytes().is_ok() {
        true => Picture { dimension, ..Picture::whole(read_only) },
        false => Picture { dimension, format: relative(random, format), ..Picture::whole(shape) },
    };
    if random.one_in(3) {
        picture.mips = part(random, shape.mips);
    }
    if random.one_in(3) {
        picture.layers = match dimension {
            TextureCube => Some([random.below(shape.layers as usize - 5) as u32, 6]),
            TextureCubeArray => Some([random.below(3) as u32, 12]),
            Texture3d => None,
            _ if dimension.is_array() => Some(part(random, shape.layers)),
            _ => Some([random.below(shape.layers as usize) as u32, 1]),
        };
    }
    if random.one_in(6) {
        picture.min_level = random.below(13) as f32 / 4.0;
    }
    picture
}

/// A multisampled texture, or a layer of several.
fn samples(random: &mut Random) -> Picture {
    let format = random.pick(&FORMATS);
    let shape = TextureShape::texture_2d(format, 5, 4).samples(random.pick(&[1, 2, 4, 8, 16]));
    let shape = if random.one_in(2) { shape.array(3) } else { shape };
    let layers = Some([random.below(shape.layers as usize) as u32, 1]);
    Picture { dimension: Dimension::Texture2dMs, layers, format: relative(random, format), ..Picture::whole(shape) }
}

/// A texture to write: a mip level of a layer. Its height is the program's.
fn image(random: &mut Random) -> Picture {
    let format = random.pick(&FORMATS);
    let mip = u32::from(random.one_in(3));
    let shape = TextureShape::texture_2d(format, IMAGE_WIDTH << mip, 1).mips(mip + 1);
    let shape = if random.one_in(3) { shape.array(3) } else { shape };
    let layers = Some([random.below(shape.layers as usize) as u32, 1]);
    let (dimension, format) = (Dimension::Texture2d, relative(random, format));
    Picture { dimension, format, layers, mips: [mip, 1], ..Picture::whole(shape) }
}

/// Any sampler that compares or does not.
fn sampler(random: &mut Random, compares: bool) -> Sampler {
    use Comparison::{Always, Equal, Greater, GreaterEqual, Less, LessEqual, Never, NotEqual};
    let mut tap = || random.pick(&[Tap::Point, Tap::Linear]);
    let [minify, magnify, mip] = [tap(), tap(), tap()];
    let reduction = match compares {
        true => Reduction::Comparison,
        false => random.pick(&[Reduction::Weighted, Reduction::Weighted, Reduction::Minimum, Reduction::Maximum]),
    };
    Sampler {
        filter: Filter { minify, magnify, mip, anisotropic: random.one_in(4), reduction },
        address: [0; 3].map(|_| random.pick(&AddressMode::ALL)),
        level_bias: random.pick(&[0.0, 0.0, 0.5, -1.25, 15.0]),
        min_level: random.pick(&[f32::MIN, 0.0, 0.75, 2.0]),
        max_level: random.pick(&[f32::MAX, f32::MAX, 1.5, 0.0]),
        max_anisotropy: 1 + random.below(16) as u32,
        comparison: random.pick(&[Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always]),
        border: [0.25, 1.5, -0.75, 1.0],
    }
}

/// A layout.
pub fn layout(random: &mut Random) -> Layout {
    Layout {
        constants: [3 + random.below(4) as u32, 4],
        record_bytes: random.pick(&[16, 32, 48, 64, 80]),
        records: order(random, &[1, 2, 9]),
        bytes: order(random, &[4, 8, 12, 60, 64]),
        texels: order(random, &[1, 3]),
        totals: match random.below(4) {
            0 => Totals::Structured,
            1 => Totals::Typed(random.pick(&[Format::R32_UINT, Format::R32_SINT])),
            _ => Totals::Raw,
        },
        counted_bytes: random.pick(&[4, 8, 20]),
        consumes: random.one_in(3),
        texel_format: random.pick(&FORMATS),
        image: image(random),
        input_bytes: random.pick(&[4, 8, 12, 16, 16, 20, 32]),
        input_format: random.pick(&FORMATS),
        picture: picture(random),
        samples: samples(random),
        samplers: [false, true].map(|compares| sampler(random, compares)),
        shared_bytes: random.pick(&[4, 8, 12, 12, 16, 20]),
        shared_reverse: random.one_in(4),
        unbound: random.one_in(20).then(|| match random.below(9) {
            n @ 0..=4 => Register::Resource(n as u32),
            n => Register::Uav(n as u32 - 4),
        }),
    }
}
