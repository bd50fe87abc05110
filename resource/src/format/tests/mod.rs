//! Checks the formats against independent sources.
//!
//! | file | source |
//! |---|---|
//! | `list.rs` | Microsoft's lists of formats |
//! | `fields.rs` | the specification's formulas in doubles, for texels made of fields, located by their names |
//! | `shared.rs` | the same for shared exponents and for pairs of texels |
//! | `layout.rs` | the formats' own conversions |
//! | `blocks.rs` | another decoder, and the formulas where it uses others |

mod blocks;
mod fields;
mod layout;
mod list;
mod shared;

use super::Format;

/// Random blocks, always the same ones.
struct Random(blake3::OutputReader);

impl Random {
    fn new(seed: &str) -> Self {
        Self(blake3::Hasher::new().update(seed.as_bytes()).finalize_xof())
    }

    fn block(&mut self) -> u128 {
        let mut bytes = [0; 16];
        self.0.fill(&mut bytes);
        u128::from_le_bytes(bytes)
    }
}

/// Floats of all magnitudes and signs, with all exponents.
fn floats() -> impl Iterator<Item = f32> {
    let special =
        [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN];
    let unit = (0..=4096).flat_map(|n| [n as f32 / 4096.0, n as f32 / -4096.0]);
    (0..=u32::MAX).step_by(65_521).map(f32::from_bits).chain(special).chain(unit)
}
