//! Averages texels: values, not codes, linear ones in sRGB.
//!
//! Means are exact, and rounded once to the format; halves of codes go away from zero, as in all conversions (functional
//! specification, 3.2.3).
//!
//! | file | contents |
//! |---|---|
//! | `mips.rs` | mip levels, each of the one before |
//! | `resolve.rs` | textures of one sample, of those of several |

mod mips;
mod resolve;

use crate::format::{Encoding, Format};

/// The mean of some texels.
fn mean(format: Format, texels: &[u128]) -> u128 {
    let mut sums = [0.0_f64; 4];
    for &texel in texels {
        for (sum, word) in sums.iter_mut().zip(format.decode(texel)) {
            *sum += f64::from(f32::from_bits(word));
        }
    }
    let mut mean = format.encode(sums.map(|sum| ((sum / texels.len() as f64) as f32).to_bits()));
    // A float is too narrow for the mean of codes, which decides where halves go.
    for (field, encoding) in format.fields().into_iter().zip(format.channels()) {
        let (Some(field), Some(Encoding::Unorm | Encoding::Snorm)) = (field, encoding) else { continue };
        let mask = u128::MAX >> (128 - field.bits) << field.shift;
        let unused = 128 - field.bits;
        let code = |texel: &u128| {
            let code = texel >> field.shift << unused;
            match encoding {
                // The least code has the same value as the one above it.
                Some(Encoding::Snorm) => (code.cast_signed() >> unused).max(1 - (1 << (field.bits - 1))),
                _ => (code >> unused).cast_signed(),
            }
        };
        let (sum, count) = (texels.iter().map(code).sum::<i128>(), texels.len() as i128);
        let rounded = (2 * sum + count * sum.signum()) / (2 * count);
        mean = mean & !mask | rounded.cast_unsigned() << field.shift & mask;
    }
    mean
}
