//! Compares blocks of 4 by 4 texels with the decoder of bcdec_rs, and with the specification's formulas where bcdec_rs
//! uses others.

use super::*;

type Texels = [[f32; 4]; 16];

fn decode(format: Format, block: u128) -> Texels {
    let mut texels = [[0; 4]; 16];
    format.decode_block(block, &mut texels);
    texels.map(|words| words.map(f32::from_bits))
}

/// A block as bytes, in a texture of which it is all.
fn bytes(block: u128) -> [u8; 16] {
    block.to_le_bytes()
}

/// Random blocks, more of them in an optimised build, and some with few different bits.
fn blocks(seed: &str, count: u32) -> impl Iterator<Item = u128> {
    let mut random = Random::new(seed);
    let count = if cfg!(debug_assertions) { count } else { count * 16 };
    let edges = [0, u128::MAX, u128::MAX / 3, u128::MAX / 5, 1, u128::MAX - 1, 1 << 127];
    edges.into_iter().chain((0..count).map(move |_| random.block()))
}

/// Checks formats that bcdec_rs decodes to 8 bits.
fn assert_codes(format: Format, block: u128, wanted: &[u8; 64]) {
    let texels = decode(format, block);
    for (texel, wanted) in texels.iter().zip(wanted.as_chunks::<4>().0) {
        assert_eq!(texel.map(|number| number * 255.0), wanted.map(f32::from), "{format} {block:#034x}");
    }
}

/// BC7 blocks of every mode, and without one.
#[test]
fn bc7_is_exact() {
    for (n, block) in blocks("BC7", 20_000).enumerate() {
        let mode = n % 9;
        let block = if mode < 8 { (block | 1) << mode } else { block & !0xff };
        let mut wanted = [0; 64];
        bcdec_rs::bc7(&bytes(block), &mut wanted, 16);
        assert_codes(Format::BC7_UNORM, block, &wanted);
    }
    assert_eq!(decode(Format::BC7_UNORM, u128::MAX << 8), [[0.0; 4]; 16]);
}

/// BC6H blocks of every mode, the reserved ones too, with and without sign.
#[test]
fn bc6h_is_exact() {
    const LOWEST_BITS: u128 = 0x1f;
    let of_modes = blocks("BC6H", 20_000).zip(0..).map(|(block, n)| block & !LOWEST_BITS | n & LOWEST_BITS);
    // Endpoints of 16 bits whose red or green is the lowest number, which has no opposite.
    let lowest = [1 << 39 | 0b01111, 1 << 49 | 0b01111];
    for block in of_modes.chain(lowest) {
        for (format, is_signed) in [(Format::BC6H_UF16, false), (Format::BC6H_SF16, true)] {
            let mut wanted = [0; 48];
            bcdec_rs::bc6h_half(&bytes(block), &mut wanted, 12, is_signed);
            for (texel, wanted) in decode(format, block).iter().zip(wanted.as_chunks::<3>().0) {
                let [red, green, blue] = wanted.map(|half| Format::R16_FLOAT.decode(half.into())[0]);
                assert_eq!(texel.map(f32::to_bits), [red, green, blue, 1f32.to_bits()], "{format} {block:#034x}");
            }
        }
    }
    for reserved in [0b10011, 0b10111, 0b11011, 0b11111] {
        for format in [Format::BC6H_UF16, Format::BC6H_SF16] {
            assert_eq!(decode(format, u128::MAX << 5 | reserved), [[0.0, 0.0, 0.0, 1.0]; 16], "{format}");
        }
    }
}

/// 19.5.6: colours of UNORM8 from the endpoints as they are after promotion.
fn colours(block: u64, always_four: bool) -> [[u32; 3]; 4] {
    let endpoint = |at: u32| {
        let colour = (block >> at & 0xffff) as u32;
        let promote = |code: u32, bits: u32| code << (8 - bits) | code >> (2 * bits - 8);
        [promote(colour >> 11, 5), promote(colour >> 5 & 63, 6), promote(colour & 31, 5)]
    };
    let (first, second) = (endpoint(0), endpoint(16));
    let mix = |a: u32, b: u32, sum: u32| [0, 1, 2].map(|channel| (a * first[channel] + b * second[channel]) / sum);
    if always_four || block & 0xffff > block >> 16 & 0xffff {
        [first, second, mix(2, 1, 3), mix(1, 2, 3)]
    } else {
        [first, second, mix(1, 1, 2), [0; 3]]
    }
}

/// 19.5.9 and 19.5.10: the number of an index, in doubles.
fn ramp(block: u64, index: u64, is_signed: bool) -> f64 {
    let number = |code: u8| if is_signed { f64::from(code as i8) } else { f64::from(code) };
    let to_float = |number: f64| if is_signed { (number / 127.0).max(-1.0) } else { number / 255.0 };
    let (first, second) = (number(block as u8), number((block >> 8) as u8));
    let (a, b) = (to_float(first), to_float(second));
    let step = index as f64 - 1.0;
    match index {
        0 => a,
        1 => b,
        _ if first > second => ((7.0 - step) * a + step * b) / 7.0,
        6 => {
            if is_signed {
                -1.0
            } else {
                0.0
            }
        }
        7 => 1.0,
        _ => ((5.0 - step) * a + step * b) / 5.0,
    }
}

/// Blocks of two endpoints in all relations: few values, so that equal ones are met too.
fn close_endpoints(block: u128, n: usize) -> u128 {
    match n % 4 {
        0 => block & !0x00fe_00fe_00fe_00fe_00fe_00fe_00fe_00fe,
        1 => block & !(0xffff_ffff << 64) & !0xffff_ffff | u128::from(n as u32) << 64 | u128::from(n as u32),
        2 => block | 0x7e7e | 0x7e7e << 64,
        _ => block,
    }
}

#[test]
fn colours_follow_the_formulas() {
    for (n, block) in blocks("BC1 to BC3", 10_000).enumerate() {
        let block = close_endpoints(block, n);
        for (format, colours_at) in [(Format::BC1_UNORM, 0), (Format::BC2_UNORM, 64), (Format::BC3_UNORM, 64)] {
            let colour_block = (block >> colours_at) as u64;
            let palette = colours(colour_block, colours_at > 0);
            let srgb = Format::from_dxgi(format.dxgi() + 1).unwrap();
            let (linear, bent) = (decode(format, block), decode(srgb, block));
            for texel in 0..16 {
                let index = (colour_block >> (32 + 2 * texel) & 3) as usize;
                let [red, green, blue] = palette[index];
                let alpha = match format {
                    Format::BC1_UNORM if index == 3 && block & 0xffff <= block >> 16 & 0xffff => 0.0,
                    Format::BC1_UNORM => 1.0,
                    Format::BC2_UNORM => ((block >> (4 * texel) & 15) as f64 / 15.0) as f32,
                    _ => ramp(block as u64, block as u64 >> (16 + 3 * texel) & 7, false) as f32,
                };
                let codes = red | green << 8 | blue << 16;
                let wanted = |format: Format| {
                    let [red, green, blue, _] = format.decode(codes.into()).map(f32::from_bits);
                    [red, green, blue, alpha]
                };
                assert_eq!(linear[texel], wanted(Format::R8G8B8A8_UNORM), "{format} {block:#034x} {texel}");
                assert_eq!(bent[texel], wanted(Format::R8G8B8A8_UNORM_SRGB), "{srgb} {block:#034x} {texel}");
            }
        }
    }
}

/// bcdec_rs rounds colours, and does so before promoting them: 19.5.2 limits the distance from the reference.
#[test]
fn colours_are_near_those_of_others() {
    for block in blocks("BC1 to BC3 of others", 10_000) {
        let mut wanted = [[0; 64]; 3];
        bcdec_rs::bc1(&bytes(block), &mut wanted[0], 16);
        bcdec_rs::bc2(&bytes(block), &mut wanted[1], 16);
        bcdec_rs::bc3(&bytes(block), &mut wanted[2], 16);
        for (n, format) in [Format::BC1_UNORM, Format::BC2_UNORM, Format::BC3_UNORM].into_iter().enumerate() {
            let ends = colours(if n == 0 { block as u64 } else { (block >> 64) as u64 }, true);
            for (texel, wanted) in decode(format, block).iter().zip(wanted[n].as_chunks::<4>().0) {
                for channel in 0..4 {
                    let apart = ends[0].get(channel).map_or(0, |end| end.abs_diff(ends[1][channel]));
                    let error = (texel[channel] * 255.0 - f32::from(wanted[channel])).abs();
                    assert!(error <= 1.0 + 0.03 * apart as f32, "{format} {block:#034x}: {texel:?}, not {wanted:?}");
                }
            }
        }
    }
}

#[test]
fn numbers_follow_the_formulas() {
    for (n, block) in blocks("BC4 and BC5", 10_000).enumerate() {
        let block = close_endpoints(block, n);
        for (one, two, is_signed) in
            [(Format::BC4_UNORM, Format::BC5_UNORM, false), (Format::BC4_SNORM, Format::BC5_SNORM, true)]
        {
            let (reds, pairs) = (decode(one, block), decode(two, block));
            let (mut other_reds, mut other_pairs) = ([0.0; 16], [0.0; 32]);
            bcdec_rs::bc4_float(&bytes(block), &mut other_reds, 4, is_signed);
            bcdec_rs::bc5_float(&bytes(block), &mut other_pairs, 8, is_signed);
            for texel in 0..16 {
                let number = |half: u64| ramp(half, half >> (16 + 3 * texel) & 7, is_signed);
                let (red, green) = (number(block as u64), number((block >> 64) as u64));
                assert_eq!(reds[texel][1..], [0.0, 0.0, 1.0]);
                assert_eq!(pairs[texel][2..], [0.0, 1.0]);
                assert_eq!(reds[texel][0], pairs[texel][0]);
                for (found, wanted) in [(pairs[texel][0], red), (pairs[texel][1], green)] {
                    // The rounding of a double may decide between two floats.
                    assert!(
                        (f64::from(found) - wanted).abs() <= 2f64.powi(-25) * 1.0001,
                        "{two} {block:#034x} {texel}"
                    );
                }
                // The specification compares codes, bcdec_rs their values.
                if ![block as u8, (block >> 8) as u8, (block >> 64) as u8, (block >> 72) as u8].contains(&0x80) {
                    assert!((reds[texel][0] - other_reds[texel]).abs() < 1e-6, "{one} {block:#034x} {texel}");
                    assert!((pairs[texel][1] - other_pairs[2 * texel + 1]).abs() < 1e-6, "{two} {block:#034x} {texel}");
                }
            }
        }
    }
}

/// 19.5.2: these must be exact.
#[test]
fn endpoints_and_constants_are_exact() {
    for (format, most, least) in [(Format::BC4_UNORM, 255, 0.0), (Format::BC4_SNORM, 127, -1.0)] {
        let plain = if least == 0.0 { Format::R8_UNORM } else { Format::R8_SNORM };
        for code in 0..=255u128 {
            // The endpoints are equal, so the last two indices are constants.
            let block = code | code << 8 | 0o7610 << 16;
            let [first, second, low, high] = [0, 1, 2, 3].map(|x| f32::from_bits(format.decode_texel(block, x, 0)[0]));
            let wanted = f32::from_bits(plain.decode(code)[0]);
            assert_eq!([first, second, low, high], [wanted, wanted, least, 1.0], "{format} {code}");
        }
        // Interpolation between equal endpoints.
        let ones = decode(format, most | most << 8 | 0o5432_1054_3210_5432 << 16);
        assert!(ones.iter().all(|texel| texel[0] == 1.0), "{format}");
    }
    // Both codes of -1, in the order that has no constants.
    let minus = decode(Format::BC4_SNORM, 0x81 | 0x80 << 8 | 0o7654_3210_7654_3210 << 16);
    assert!(minus.iter().all(|texel| texel[0] == -1.0));
}

#[test]
fn sizes_and_texels_of_blocks() {
    for block in blocks("texels", 300) {
        for &format in Format::ALL.iter().filter(|format| format.family().starts_with("BC")) {
            assert_eq!((format.block_extents(), format.encoder(), format.encode([1; 4])), ([4, 4], None, 0));
            let mut texels = [[0; 4]; 16];
            format.decode_block(block, &mut texels);
            for (n, texel) in (0..).zip(texels) {
                assert_eq!(format.decode_texel(block, n % 4, n / 4), texel, "{format} {block:#034x}");
            }
            assert_eq!(format.decode(block), texels[0]);
        }
    }
}

/// BC7's colours as any UNORM8 format's along the curve, alpha beside it.
#[test]
fn bc7_in_srgb_is_bent() {
    for (n, block) in blocks("BC7 in sRGB", 2_000).enumerate() {
        let block = (block | 1) << (n % 8);
        for (linear, bent) in decode(Format::BC7_UNORM, block).iter().zip(decode(Format::BC7_UNORM_SRGB, block)) {
            let texel = Format::R8G8B8A8_UNORM.encode(linear.map(f32::to_bits));
            assert_eq!(Format::R8G8B8A8_UNORM_SRGB.decode(texel).map(f32::from_bits), bent, "{block:#034x}");
        }
    }
}
