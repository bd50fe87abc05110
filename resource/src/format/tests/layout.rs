//! Compares layouts with the formats' own conversions.

use super::super::{Coding, Format, Layout};
use super::Random;

/// Texels of every kind.
fn blocks() -> impl Iterator<Item = u128> {
    let mut random = Random::new("layouts");
    (0..20_000).map(move |n| {
        let block = random.block();
        match n % 4 {
            // BC7 has a mode for each lowest bit; random bits would rarely select the larger ones.
            0 => block >> 8 << 8 | 1 << (n / 4 % 8),
            // Equal and extreme endpoints.
            1 => block & !0xffff | (block >> 16 & 0xffff),
            2 => block & !0xffff | [0, 0xff, 0x7f80, 0x8180, 0xffff, 0x807f][n / 4 % 6],
            _ => block,
        }
    })
}

#[test]
fn values_of_layouts_are_what_texels_decode_to() {
    for &format in Format::ALL.iter().chain(Format::DIRECT3D9) {
        let layout = Layout::of(format);
        let [width, height] = format.block_extents();
        for block in blocks() {
            let mut expanded = [0; 16];
            if let Some(expand) = format.expander() {
                expand(block, &mut expanded);
            }
            for index in 0..width * height {
                let words = format.decode_texel(block, index % width, index / width);
                let texel = if format.expander().is_some() { expanded[index as usize].into() } else { block };
                for (n, (word, channel)) in words.into_iter().zip(layout.channels).enumerate() {
                    let found = channel.map_or(format.zero()[n], |channel| match channel.coding {
                        Coding::Uint | Coding::Sint | Coding::Float => channel.value(texel),
                        coding => (f32::from_bits(channel.value(texel)) / coding.unit()).to_bits(),
                    });
                    assert_eq!(found, word, "{format} {block:x} {index} {n}");
                }
                let unused = expanded[index as usize].checked_shr(8 * layout.size_bytes).unwrap_or(0);
                assert_eq!(unused, 0, "{format} {block:x}");
            }
        }
    }
}
