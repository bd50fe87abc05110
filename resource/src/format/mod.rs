//! Defines texel formats, their properties and their conversions.
//!
//! | file | contents |
//! |---|---|
//! | `table.rs` | the formats: a row each, and the casts that they allow |
//! | `direct3d9.rs` | names of Direct3D 9, and their formats |
//! | `uses.rs` | uses that a format allows |
//! | `codec.rs` | properties of a texel in a row, and the interface of codecs: converts texels to words and back |
//! | `convert.rs` | components that are fields of a texel |
//! | `srgb.rs` | the sRGB curve |
//! | `shared_exponent.rs` | three fractions with one exponent |
//! | `pairs.rs` | two texels that share red and blue |
//! | `layout.rs` | the channels of a texel for filters, of expanded ones too |
//! | `words.rs` | formats that compiled code converts itself |
//! | `bc/` | blocks of 4 by 4 texels: BC1 to BC7 |

mod bc;
mod codec;
mod convert;
mod direct3d9;
mod layout;
mod pairs;
mod shared_exponent;
mod srgb;
mod table;
mod uses;
mod words;

#[cfg(test)]
mod tests;

pub use codec::{Encoding, Field};
pub use direct3d9::TextureFormat;
pub use layout::{Channel, Coding, Layout};
pub use table::{Format, UnknownFormat};
pub(crate) use uses::SAMPLE_COUNTS;
pub use uses::Use;
