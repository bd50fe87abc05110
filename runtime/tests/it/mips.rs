//! Tests generated mip levels against plain models: integers for fixed point, doubles for floats and for the sRGB
//! curve.

use brolga_runtime::format::{Encoding, Use};
use brolga_runtime::{Device, Dimension, Format, Texture, TextureShape, View};
use brolga_testing_base::random::Random;

fn device() -> Device {
    Device::builder().threads(1).build().unwrap()
}

/// The bytes of a level.
fn level(texture: &Texture, mip: u32, layer: u32) -> Vec<u8> {
    let part = texture.level(mip, layer).unwrap();
    let texels: u32 = part.extents.iter().product();
    let mut bytes = vec![0; (texels * texture.shape().format.size_bytes()) as usize];
    texture.read(&part, &mut bytes, None).unwrap();
    bytes
}

/// Checks every level against the one before, with a function that averages the covered texels.
fn check<const N: usize>(texture: &Texture, mean: impl Fn(&[[u8; N]]) -> [u8; N]) {
    let shape = texture.shape();
    for (mip, layer) in (1..shape.mips).flat_map(|mip| (0..shape.layers).map(move |layer| (mip, layer))) {
        let [before, after] = [mip - 1, mip].map(|mip| level(texture, mip, layer));
        let [from, to] = [mip - 1, mip].map(|mip| texture.level(mip, layer).unwrap().extents);
        let texels = |bytes: &[u8]| -> Vec<[u8; N]> { bytes.as_chunks().0.to_vec() };
        let (before, after) = (texels(&before), texels(&after));
        for (n, found) in after.iter().enumerate() {
            let n = n as u32;
            let at = [n % to[0], n / to[0] % to[1], n / to[0] / to[1]];
            let along = |axis: usize| if from[axis] == 1 { 0..1 } else { 2 * at[axis]..2 * at[axis] + 2 };
            let mut covered = Vec::new();
            for (z, y, x) in along(2).flat_map(|z| along(1).flat_map(move |y| along(0).map(move |x| (z, y, x)))) {
                covered.push(before[((z * from[1] + y) * from[0] + x) as usize]);
            }
            assert_eq!(*found, mean(&covered), "{shape:?}, level {mip} of layer {layer}, {at:?}: {covered:?}");
        }
    }
}

/// A texture of random bytes, with generated levels.
fn made(shape: TextureShape, mut byte: impl FnMut() -> u8) -> Texture {
    let bytes: Vec<u8> = (0..shape.size_bytes().unwrap()).map(|_| byte()).collect();
    let texture = device().texture_from(shape, &bytes).unwrap();
    texture.generate_mips().unwrap();
    texture
}

/// Shapes of all kinds, with odd extents, and down to one texel.
fn shapes(format: Format) -> Vec<TextureShape> {
    let new = |dimension, width| TextureShape::new(dimension, format, width);
    vec![
        new(Dimension::Texture1dArray, 13).layers(2).mips(4),
        new(Dimension::Texture2d, 16).height(8).mips(5),
        new(Dimension::Texture2dArray, 7).height(13).layers(3).mips(4),
        new(Dimension::TextureCube, 5).height(5).mips(3),
        new(Dimension::Texture3d, 9).height(3).depth(6).mips(4),
    ]
}

#[test]
fn fixed_point_is_rounded_once() {
    let mut random = Random(1);
    for shape in shapes(Format::R8G8_UNORM) {
        check::<2>(&made(shape, || random.below(256) as u8), |covered| {
            [0, 1].map(|n| {
                let (sum, count) = (covered.iter().map(|texel| u32::from(texel[n])).sum::<u32>(), covered.len() as u32);
                ((2 * sum + count) / (2 * count)) as u8
            })
        });
    }
    // Halves round away from zero, and the lowest code means the same as the next one.
    for shape in shapes(Format::R8_SNORM) {
        check::<1>(&made(shape, || random.below(256) as u8), |covered| {
            let sum: i32 = covered.iter().map(|&[code]| i32::from(code.cast_signed()).max(-127)).sum();
            [(f64::from(sum) / covered.len() as f64).round() as i8 as u8]
        });
    }
    // Fields that are not bytes.
    for shape in shapes(Format::R10G10B10A2_UNORM) {
        check::<4>(&made(shape, || random.below(256) as u8), |covered| {
            let fields = [(0, 10), (10, 10), (20, 10), (30, 2)];
            let word = fields.into_iter().fold(0, |word, (shift, bits)| {
                let codes = covered.iter().map(|&bytes| u32::from_le_bytes(bytes) >> shift & ((1 << bits) - 1));
                let mean = f64::from(codes.sum::<u32>()) / covered.len() as f64;
                word | ((mean + 0.5).floor() as u32) << shift
            });
            word.to_le_bytes()
        });
    }
}

#[test]
fn floats_are_rounded_once() {
    let mut random = Random(2);
    for shape in shapes(Format::R32_FLOAT) {
        let count = shape.size_bytes().unwrap() / 4;
        let numbers: Vec<f32> = (0..count).map(|_| random.below(1 << 24) as f32 / 4096.0 - 2048.0).collect();
        let texture = device().texture_from(shape, &numbers).unwrap();
        texture.generate_mips().unwrap();
        check::<4>(&texture, |covered| {
            let sum: f64 = covered.iter().map(|&bytes| f64::from(f32::from_le_bytes(bytes))).sum();
            ((sum / covered.len() as f64) as f32).to_le_bytes()
        });
    }
}

/// Means are taken of linear values; alpha has no curve.
#[test]
fn srgb_is_linear() {
    let linear = |code: f64| {
        let c = code / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    };
    let code = |number: f64| {
        let c = if number <= 0.003_130_8 { number * 12.92 } else { 1.055 * number.powf(1.0 / 2.4) - 0.055 };
        c * 255.0
    };
    let mut random = Random(3);
    for shape in shapes(Format::R8G8B8A8_UNORM_SRGB) {
        let texture = made(shape, || random.below(256) as u8);
        check::<4>(&texture, |covered| {
            let mean = |of: &dyn Fn(f64) -> f64, n: usize| {
                covered.iter().map(|texel| of(texel[n].into())).sum::<f64>() / covered.len() as f64
            };
            [0, 1, 2, 3].map(|n| {
                let exact = if n < 3 { code(mean(&linear, n)) } else { mean(&|alpha| alpha, n) };
                // No mean is so near to a half that the model's rounding decides, except those of alpha, which are
                // exact.
                assert!(n == 3 || (exact.fract() - 0.5).abs() > 1e-5);
                (exact + 0.5).floor() as u8
            })
        });
    }
    // Black and white are 188 together, not 128; so they are in a view of the same bytes.
    for (format, gray) in [(Format::R8G8B8A8_UNORM_SRGB, 188), (Format::R8G8B8A8_UNORM, 128)] {
        let shape = TextureShape::texture_2d(Format::R8G8B8A8_UNORM, 2, 1).mips(2);
        let texture = device().texture_from(shape, &[0_u32, u32::MAX, 0]).unwrap();
        View::texture(texture.clone()).with_format(format).unwrap().generate_mips().unwrap();
        assert_eq!(level(&texture, 1, 0), [gray, gray, gray, 128]);
    }
}

/// A view makes its own levels of its own layers.
#[test]
fn views_make_their_levels() {
    let shape = TextureShape::texture_2d(Format::R8_UNORM, 8, 8).mips(4).array(3);
    let texture = device().texture(shape).unwrap();
    for (mip, layer) in (0..4).flat_map(|mip| (0..3).map(move |layer| (mip, layer))) {
        let part = texture.level(mip, layer).unwrap();
        let texels = vec![10 * mip as u8 + layer as u8; 64];
        texture.write(&part, &texels, None).unwrap();
    }
    let view = View::texture(texture.clone()).with_mips(1, 2).unwrap().with_layers(1, 2).unwrap();
    view.generate_mips().unwrap();
    for (mip, layer) in (0..4).flat_map(|mip| (0..3).map(move |layer| (mip, layer))) {
        let from = if mip == 2 && layer > 0 { 1 } else { mip };
        assert!(
            level(&texture, mip, layer).iter().all(|&texel| texel == 10 * from as u8 + layer as u8),
            "{mip} {layer}"
        );
    }
}

#[test]
fn what_cannot_be_filtered_and_drawn_to_is_refused() {
    for &format in Format::ALL {
        if !format.allows(Use::Texture2d) {
            continue;
        }
        let [width, height] = format.block_extents();
        let shape = TextureShape::texture_2d(format, 4 * width, 4 * height).mips(2);
        let made = device().texture(shape).unwrap().generate_mips();
        let is_possible = format.allows(Use::Target)
            && !matches!(format.encoding(), Encoding::Uint | Encoding::Sint)
            && !format.allows(Use::DepthStencil);
        assert_eq!(made.is_ok(), is_possible, "{format}");
        if let Err(error) = made {
            let text = error.to_string();
            assert!(text.starts_with(&format!("mip levels of format {format} cannot be made: ")), "{text}");
        }
    }
}
