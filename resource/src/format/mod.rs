//! Texel formats.
//!
//! | file | what |
//! |---|---|
//! | `table.rs` | the formats: a row each |
//! | `direct3d9.rs` | names of Direct3D 9, and the formats that they stand for |
//! | `uses.rs` | what a format may be used for, and which formats may see each other's texels |
//! | `codec.rs` | what a row's codec does: converts texels to words and back |
//! | `convert.rs` | components that are fields of a texel |
//! | `srgb.rs` | the sRGB curve |
//! | `shared_exponent.rs` | three fractions with one exponent |
//! | `pairs.rs` | two texels that share red and blue |
//! | `words.rs` | formats that compiled code converts itself |
//! | `bc/` | blocks of 4 by 4 texels: BC1 to BC7 |

mod bc;
mod codec;
mod convert;
mod direct3d9;
mod pairs;
mod shared_exponent;
mod srgb;
mod table;
mod uses;
mod words;

#[cfg(test)]
mod tests;

pub use direct3d9::TextureFormat;
pub use table::{Encoding, Field, Format, UnknownFormat};
pub use uses::Use;
