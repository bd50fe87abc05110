//! Blocks of 4 by 4 texels: the decoder of bcdec_rs, and the specification's formulas where it takes other ones.

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

/// Random blocks, more of them in a build that is fast; and some with few different bits.
fn blocks(seed: &str, count: u32) -> impl Iterator<Item = u128> {
    let mut random = Random::new(seed);
    let count = if cfg!(debug_assertions) { count } else { count * 16 };
    let edges = [0, u128::MAX, u128::MAX / 3, u128::MAX / 5, 1, u128::MAX - 1, 1 << 127];
    edges.into_iter().chain((0..count).map(move |_| random.block()))
}

/// What is 8 bits in bcdec_rs.
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
    for (n, block) in blocks("BC6H", 20_000).enumerate() {
        let mode = n as u128 & LOWEST_BITS;
        let block = block & !LOWEST_BITS | mode;
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
