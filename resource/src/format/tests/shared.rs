//! Checks formats whose components or texels share something: functional specification 19.3.2 and 19.4.

use super::*;

const SHARED: Format = Format::R9G9B9E5_SHAREDEXP;

/// 0.fraction * 2^(exponent - 15).
fn shared_exponent(texel: u32) -> [f64; 3] {
    let scale = 2f64.powi((texel >> 27) as i32 - 15);
    [0, 9, 18].map(|shift| f64::from(texel >> shift & 0x1ff) / 512.0 * scale)
}

fn encode(numbers: [f32; 3]) -> u32 {
    let [red, green, blue] = numbers.map(f32::to_bits);
    SHARED.encode([red, green, blue, 0]) as u32
}

#[test]
fn the_specifications_example_is_read() {
    let [red, green, blue, alpha] = SHARED.decode(0x9993_20c8).map(f32::from_bits);
    assert_eq!([red, green, blue, alpha], [6.25, 12.5, 3.125, 1.0]);
}

#[test]
fn every_fraction_has_every_exponent() {
    for exponent in 0..32u32 {
        for fraction in 0..512u32 {
            let texel = exponent << 27 | fraction << 18 | (511 - fraction) << 9 | (fraction ^ 0xaa);
            let [red, green, blue, alpha] = SHARED.decode(texel.into()).map(f32::from_bits);
            assert_eq!([red, green, blue].map(f64::from), shared_exponent(texel), "{texel:#x}");
            assert_eq!(alpha, 1.0);
            // The result may be another code of the same value: the one with the least exponent.
            let again = encode([red, green, blue]);
            assert_eq!(shared_exponent(again), shared_exponent(texel), "{texel:#x} {again:#x}");
        }
    }
}

#[test]
fn floats_go_to_the_nearest_fraction_of_the_least_exponent() {
    for most in floats() {
        for share in [1.0, 0.7, 0.001, -1.0] {
            let numbers = [most, most * share, share];
            let texel = encode(numbers);
            let wanted = numbers.map(|number| if number > 0.0 { f64::from(number).min(65408.0) } else { 0.0 });
            let exponent = (texel >> 27) as i32;
            let step = 2f64.powi(exponent - 24);
            for (value, wanted) in shared_exponent(texel).into_iter().zip(wanted) {
                assert!((value - wanted).abs() <= step / 2.0, "{numbers:?} {texel:#x}");
            }
            // With one exponent less, the largest would need a tenth bit.
            let largest = wanted.into_iter().fold(0.0, f64::max);
            assert!(exponent == 0 || (largest / (step / 2.0)).round_ties_even() >= 512.0, "{numbers:?} {texel:#x}");
        }
    }
    assert_eq!(shared_exponent(encode([f32::INFINITY, f32::NAN, -1.0])), [65408.0, 0.0, 0.0]);
    // Halfway between two fractions: the even one.
    assert_eq!([256.5, 257.5, 258.5].map(|number: f32| encode([number, 0.0, 0.0]) & 0x1ff), [256, 258, 258]);
    // A fraction that overflows in rounding takes the next exponent.
    assert_eq!(
        shared_exponent(encode([511.9, 1.0, 0.0])),
        [512.0, 1.0, 0.0].map(|n: f64| (n / 2.0).round_ties_even() * 2.0)
    );
}

#[test]
fn two_texels_share_red_and_blue() {
    let number = |code: u8| (f32::from(code) / 255.0).to_bits();
    let one = 1f32.to_bits();
    for (format, bytes) in [(Format::R8G8_B8G8_UNORM, [1, 2, 3, 4]), (Format::G8R8_G8B8_UNORM, [2, 1, 4, 3])] {
        let block = u128::from(u32::from_le_bytes(bytes));
        let wanted = [[number(1), number(2), number(3), one], [number(1), number(4), number(3), one]];
        let mut texels = [[7; 4]; 16];
        format.decode_block(block, &mut texels);
        assert_eq!(texels[..2], wanted);
        assert_eq!(texels[2..], [[7; 4]; 14]);
        assert_eq!([format.decode_texel(block, 0, 0), format.decode_texel(block, 1, 0)], wanted);
        assert_eq!(format.decode(block), wanted[0]);
        assert_eq!((format.block_extents(), format.size_bytes(), format.encoder()), ([2, 1], 4, None));
    }
}
