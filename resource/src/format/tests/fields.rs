//! Checks texels made of fields: functional specification 3.2 and 19.1.3, in doubles.

use brolga_ir::texel::{Channel, ChannelKind};

use super::*;
use crate::format::Field;

/// A part of a texel by its DXGI name.
#[derive(Clone, Copy, Debug)]
struct Part {
    format: Format,
    channel: usize,
    field: Field,
    kind: &'static str,
}

/// The parts that a format's name lists; `None` for names of other kinds.
fn parts(format: Format) -> Option<Vec<Part>> {
    let name = format.name();
    if name.starts_with("BC") || format.block_extents() != [1, 1] || name.ends_with("SHAREDEXP") {
        return None;
    }
    let (mut parts, mut untyped, mut shift) = (Vec::new(), 0, 0);
    for word in name.split('_') {
        if !word.contains(|letter: char| letter.is_ascii_digit()) {
            // A type applies to all untyped parts on its left.
            for part in &mut parts[untyped..] {
                let Part { channel, kind, .. } = part;
                *kind = if word == "SRGB" && *channel == 3 { "UNORM" } else { word };
            }
            untyped = if name.ends_with("SRGB") { 0 } else { parts.len() };
            continue;
        }
        let mut rest = word;
        while !rest.is_empty() {
            let digits = rest[1..].find(|letter: char| !letter.is_ascii_digit()).map_or(rest.len(), |at| at + 1);
            let bits = rest[1..digits].parse().unwrap();
            let channel = match &rest[..1] {
                "R" | "D" => 0,
                "G" | "S" => 1,
                "B" => 2,
                "A" => 3,
                "X" => 4,
                other => panic!("{other}"),
            };
            parts.push(Part { format, channel, field: Field { shift, bits }, kind: "" });
            shift += bits;
            rest = &rest[digits..];
        }
    }
    assert_eq!(shift, 8 * format.size_bytes(), "{name}");
    parts.retain(|part| part.channel < 4 && part.kind != "TYPELESS");
    Some(parts)
}

fn all_parts() -> impl Iterator<Item = Part> {
    Format::ALL.iter().filter_map(|&format| parts(format)).flatten()
}

impl Part {
    fn decode(&self, code: u32) -> u32 {
        self.format.decode(u128::from(code) << self.field.shift)[self.channel]
    }

    /// The code of a word; nothing else is set in the texel.
    fn encode(&self, word: u32) -> u32 {
        let mut words = [0; 4];
        words[self.channel] = word;
        let texel = self.format.encode(words);
        let code = (texel >> self.field.shift) as u32 & self.most();
        assert_eq!(texel, u128::from(code) << self.field.shift, "{self:?} {word:#x}");
        code
    }

    /// The largest code.
    fn most(&self) -> u32 {
        u32::MAX >> (32 - self.field.bits)
    }

    /// Every code, or those of 24 and 32 bits in steps.
    fn codes(&self) -> impl Iterator<Item = u32> {
        let step = if self.field.bits <= 16 { 1 } else { (self.most() / 65_521) as usize };
        let edges = [1, self.most() / 2, self.most() / 2 + 1, self.most() - 1, self.most()];
        (0..=self.most()).step_by(step).chain(edges)
    }

    fn signed(&self, code: u32) -> f64 {
        let number = f64::from(code);
        if code > self.most() / 2 { number - f64::from(self.most()) - 1.0 } else { number }
    }

    /// The codes of 1 and, with a sign, of -1: a fixed-point number's scale and its range.
    fn scale(&self) -> (f64, f64) {
        match self.kind {
            "SNORM" => (f64::from(self.most() / 2), -1.0),
            _ => (f64::from(self.most()), 0.0),
        }
    }

    /// The value of a float of 5 exponent bits, as 3.1.5 and 3.1.6 write it.
    fn small_float(&self, code: u32) -> f64 {
        let is_half = self.field.bits == 16;
        let fraction_bits = if is_half { 10 } else { self.field.bits - 5 };
        let sign = if is_half && code >> 15 == 1 { -1.0 } else { 1.0 };
        let fraction = f64::from(code % (1 << fraction_bits)) / f64::from(1 << fraction_bits);
        sign * match (code >> fraction_bits & 31) as i32 {
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            0 => fraction * 2f64.powi(-14),
            exponent => (1.0 + fraction) * 2f64.powi(exponent - 15),
        }
    }
}

fn curve(code: f64) -> f64 {
    if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) }
}

#[test]
fn fields_are_where_the_names_say() {
    for &format in Format::ALL {
        let mut fields = [None; 4];
        for part in parts(format).unwrap_or_default() {
            fields[part.channel] = Some(part.field);
        }
        assert_eq!(format.fields(), fields, "{format}");
    }
    let one = 1f32.to_bits();
    let bytes = u128::from(u32::from_le_bytes([255, 0, 0, 0]));
    assert_eq!(Format::R8G8B8A8_UNORM.decode(bytes), [one, 0, 0, 0]);
    assert_eq!(Format::B8G8R8A8_UNORM.decode(bytes), [0, 0, one, 0]);
    assert_eq!(Format::D24_UNORM_S8_UINT.decode(0x42_ff_ff_ff), [one, 0x42, 0, one]);
    assert_eq!(Format::X24_TYPELESS_G8_UINT.decode(0x42_ff_ff_ff), [0, 0x42, 0, 1]);
}

#[test]
fn compiled_code_knows_the_same_fields() {
    for &format in Format::ALL {
        let Some(known) = format.texel_format() else { continue };
        let texels = 1 << known.word_shift;
        assert_eq!(known.size_bytes(), texels * format.size_bytes(), "{format}");
        assert_eq!(known.is_writable(), texels == 1 && format != Format::R9G9B9E5_SHAREDEXP, "{format}");
        if format == Format::R9G9B9E5_SHAREDEXP {
            continue;
        }
        let mut channels = [None; 4];
        for Part { channel, field: Field { shift, bits }, kind, .. } in parts(format).unwrap() {
            let kind = match kind {
                "FLOAT" => ChannelKind::Float,
                "UNORM" => ChannelKind::Unorm,
                "SNORM" => ChannelKind::Snorm,
                "UINT" => ChannelKind::Uint,
                "SINT" => ChannelKind::Sint,
                "SRGB" => ChannelKind::Srgb,
                other => panic!("{other}"),
            };
            channels[channel] = Some(Channel { shift, bits, kind });
        }
        assert_eq!(known.channels, channels, "{format}");
        assert_eq!(known.missing_alpha, format.zero()[3], "{format}");
    }
    let count = Format::ALL.iter().filter(|format| format.texel_format().is_some()).count();
    // Of whole words, of parts of a word, with a shared exponent: counted by hand.
    assert_eq!(count, 41 + 18 + 1);
}

#[test]
fn every_code_is_read_right() {
    for part in all_parts() {
        for code in part.codes() {
            let found = part.decode(code);
            let value = f64::from(f32::from_bits(found));
            let wanted = match part.kind {
                "UINT" => {
                    assert_eq!(found, code, "{part:?}");
                    continue;
                }
                "SINT" => {
                    assert_eq!(f64::from(found as i32), part.signed(code), "{part:?}");
                    continue;
                }
                "FLOAT" if part.field.bits == 32 => {
                    assert_eq!(found, code, "{part:?}");
                    continue;
                }
                "SRGB" => {
                    let exact = curve(f64::from(code) / 255.0);
                    assert!((value - exact).abs() <= exact * 2f64.powi(-24) * 1.001, "{part:?} {code}");
                    continue;
                }
                "FLOAT" => part.small_float(code),
                "UNORM" => f64::from((f64::from(code) / part.scale().0) as f32),
                "SNORM" => f64::from((part.signed(code) / part.scale().0).max(-1.0) as f32),
                other => panic!("{other}"),
            };
            assert!(
                value == wanted || (value.is_nan() && wanted.is_nan()),
                "{part:?} {code:#x}: {value}, not {wanted}"
            );
            assert!(value != 0.0 || value.is_sign_negative() == wanted.is_sign_negative(), "{part:?} {code:#x}");
        }
    }
}

/// Data invertability, 19.1.2: all codes but NaNs and the second code of -1.
#[test]
fn every_code_comes_back() {
    for part in all_parts() {
        for code in part.codes() {
            let word = part.decode(code);
            match part.kind {
                "FLOAT" if part.field.bits < 32 && f32::from_bits(word).is_nan() => {
                    assert!(part.small_float(part.encode(word)).is_nan(), "{part:?} {code:#x}");
                }
                "SNORM" if code == part.most() / 2 + 1 => assert_eq!(part.encode(word), code + 1, "{part:?}"),
                _ => assert_eq!(part.encode(word), code, "{part:?} {code:#x}"),
            }
        }
    }
}

#[test]
fn floats_become_the_right_codes() {
    for part in all_parts().filter(|part| !matches!(part.kind, "UINT" | "SINT")) {
        for number in floats() {
            let code = part.encode(number.to_bits());
            let exact = f64::from(number);
            match part.kind {
                "FLOAT" if part.field.bits == 32 => assert_eq!(code, number.to_bits()),
                "FLOAT" => rounds_towards_zero(part, number, code),
                _ if number.is_nan() => assert_eq!(code, 0, "{part:?}"),
                "SRGB" => {
                    let exact = exact.clamp(0.0, 1.0);
                    let bent = if exact <= 0.003_130_8 { 12.92 * exact } else { 1.055 * exact.powf(1.0 / 2.4) - 0.055 };
                    assert!((f64::from(code) - bent * 255.0).abs() <= 0.6, "{part:?} {number} {code}");
                }
                _ => {
                    let (scale, least) = part.scale();
                    let found = if part.kind == "SNORM" { part.signed(code) } else { code.into() };
                    assert!((found - exact.clamp(least, 1.0) * scale).abs() <= 0.6, "{part:?} {number} {code}");
                }
            }
        }
    }
}

/// 3.2.2: finite numbers stay finite; negative ones are clamped to zero in unsigned formats.
fn rounds_towards_zero(part: Part, number: f32, code: u32) {
    let value = part.small_float(code);
    let exact = if part.field.bits == 16 || number.is_nan() { number } else { number.max(0.0) };
    if exact.is_nan() || exact.is_infinite() {
        assert!(value == f64::from(exact) || (value.is_nan() && exact.is_nan()), "{part:?} {number}");
        return;
    }
    let next = part.small_float(code + 1).abs();
    let magnitude = f64::from(exact.abs());
    assert!(value.abs() <= magnitude && (next > magnitude || next.is_infinite()), "{part:?} {number} {value}");
    assert!(value.is_finite(), "{part:?} {number}");
    assert!(part.field.bits < 16 || value.is_sign_negative() == number.is_sign_negative(), "{part:?} {number}");
}

#[test]
fn halves_go_away_from_zero() {
    // 0.5 of 3 is exactly 1.5, and of 127 exactly 63.5.
    let half = 0.5f32.to_bits();
    assert_eq!(Format::R10G10B10A2_UNORM.encode([0, 0, 0, half]) >> 30, 2);
    // A single bit has nothing between 0 and 1.
    assert_eq!(Format::B5G5R5A1_UNORM.encode([0, 0, 0, half]) >> 15, 1);
    assert_eq!(Format::B5G5R5A1_UNORM.encode([0, 0, 0, 0.499f32.to_bits()]) >> 15, 0);
    assert_eq!(Format::R8_SNORM.encode([half, 0, 0, 0]), 0x40);
    assert_eq!(Format::R8_SNORM.encode([(-0.5f32).to_bits(), 0, 0, 0]), 0xc0);
    assert_eq!(Format::D24_UNORM_S8_UINT.encode([half, 0, 0, 0]), 0x80_0000);
}

/// 3.2.3.13.
#[test]
fn integers_are_clamped() {
    let words = [0, 1, 2, 3, 4, 127, 128, 255, 256, 511, 512, 1023, 1024, 32767, 32768, 65535, 65536, 0x7fff_ffff];
    for word in words.into_iter().flat_map(|word: u32| [word, word.wrapping_neg(), !word]) {
        for part in all_parts() {
            match part.kind {
                "UINT" => assert_eq!(part.encode(word), word.min(part.most()), "{part:?} {word:#x}"),
                "SINT" => {
                    let most = f64::from(part.most() / 2);
                    let wanted = f64::from(word as i32).clamp(-most - 1.0, most);
                    assert_eq!(part.signed(part.encode(word)), wanted, "{part:?} {word:#x}");
                }
                _ => {}
            }
        }
    }
}

/// Components do not disturb each other.
#[test]
fn whole_texels_come_back() {
    let mut random = Random::new("texels");
    for format in
        Format::ALL.iter().copied().filter(|format| !matches!(format.encoding(), crate::format::Encoding::Float))
    {
        let Some(parts) = parts(format) else { continue };
        for _ in 0..1000 {
            let texel = random.block() & u128::MAX >> (128 - 8 * format.size_bytes());
            let words = format.decode(texel);
            let again = format.encode(words);
            assert_eq!(format.decode(again), words, "{format} {texel:#x}");
            for part in &parts {
                let alone = part.decode((texel >> part.field.shift) as u32 & part.most());
                assert_eq!(alone, words[part.channel], "{part:?} {texel:#x}");
            }
            assert_eq!(format.decoder()(texel), words);
            assert_eq!(format.encoder().unwrap()(words), again);
        }
    }
}
