//! Filters texels, or compares them with a reference, by their kind. Formats are data to a kind, as far as that costs
//! nothing.
//!
//! | file | contents |
//! |---|---|
//! | `codes.rs` | four codes of 8 bits: integers |
//! | `numbers.rs` | linear filters of floats; texels of floats, and of sRGB codes |
//! | `fields.rs` | texels of any channels |
//! | `compare.rs` | comparisons with depths |

mod codes;
mod compare;
mod fields;
mod numbers;

pub(super) use codes::Codes;
pub(super) use compare::{Compared, Depth16, Depth24, Depth32};
pub(super) use fields::FieldTexels;
pub(super) use numbers::{Curve, Floats, Halves, Numbers};

use super::address::{LinearAddresses, TexelAddress};
use super::source::TexelSource;
use super::vector::Vector;

/// The results of a vector's lanes, and the lanes that a filter leaves.
#[derive(Clone, Copy)]
pub(super) struct Filtered<V> {
    pub words: [V; 4],
    pub left: u32,
}

/// A kind of texel, which determines how formats are filtered, or compared with a reference.
pub(super) trait TexelKind {
    /// Takes single texels.
    fn nearest<V: Vector>(source: TexelSource<'_>, address: &TexelAddress<V>, reference: V) -> [V; 4];

    /// Filters linearly on one level or on two, with weights of the second one in 256ths.
    fn linear<V: Vector>(
        source: TexelSource<'_>,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        reference: V,
    ) -> Filtered<V>;
}
