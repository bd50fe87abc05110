//! Texel formats: `table.rs` has a row for each, `convert.rs` their conversions, `srgb.rs` the sRGB curve.

mod convert;
mod srgb;
mod table;
mod words;

pub use table::{Encoding, Field, Format, UnknownFormat};
