//! How memory is laid out: strides, formats, orders, sizes.

use brolga_runtime::{Dimension, Format, TextureShape};

use crate::program::Register;
use crate::random::Random;
use crate::views::{Layout, Order, Totals};

/// Formats of typed buffers and textures: every size, every encoding.
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

fn order(random: &mut Random, cuts: &[u32]) -> Order {
    let plain = random.one_in(2);
    Order {
        spread: if plain { 1 } else { random.pick(&[1, 1, 2, 3]) },
        reverse: !plain && random.one_in(2),
        cut: if random.one_in(3) { random.pick(cuts) } else { 0 },
    }
}

/// A layout.
pub fn layout(random: &mut Random) -> Layout {
    let format = random.pick(&FORMATS);
    let picture = match random.below(5) {
        0 => TextureShape::new(Dimension::Texture1d, format, 7),
        1 => TextureShape::new(Dimension::Texture1d, format, 6).array(3),
        2 => TextureShape::texture_2d(format, 5, 4).array(2),
        3 => TextureShape::new(Dimension::Texture3d, format, 4).height(3).depth(3),
        _ => TextureShape::texture_2d(format, 8, 4).mips(3),
    };
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
        image_format: random.pick(&FORMATS),
        input_bytes: random.pick(&[4, 8, 12, 16, 16, 20, 32]),
        input_format: random.pick(&FORMATS),
        picture,
        shared_bytes: random.pick(&[4, 8, 12, 12, 16, 20]),
        shared_reverse: random.one_in(4),
        unbound: random.one_in(20).then(|| match random.below(7) {
            n @ 0..=2 => Register::Resource(n as u32),
            n => Register::Uav(n as u32 - 2),
        }),
    }
}
