//! Kinds of texels: how they are filtered, or compared with a reference. Formats are data to them, as far as that costs nothing.
//!
//! | file | what |
//! |---|---|
//! | `codes.rs` | four codes of 8 bits: integers |
//! | `numbers.rs` | linear filters of floats; texels of floats, and of codes along the sRGB curve |
//! | `fields.rs` | texels of any channels |
//! | `compare.rs` | comparisons with depths |

mod codes;
mod compare;
mod fields;
mod numbers;

pub(super) use codes::Codes;
pub(super) use compare::{Compared, Depth16, Depth24, Depth32};
pub(super) use fields::Fields;
pub(super) use numbers::{Curve, Floats, Halves, Numbers};

use super::address::{LinearAddresses, TexelAddress};
use super::source::Source;
use super::vector::Vector;

/// The results of a vector's lanes, and those that a filter leaves.
#[derive(Clone, Copy)]
pub(super) struct Filtered<V> {
    pub words: [V; 4],
    pub left: u32,
}

/// How texels of a kind of format are filtered, or compared with a reference.
pub(super) trait Kind {
    /// Texels taken alone.
    fn nearest<V: Vector>(source: Source<'_>, address: &TexelAddress<V>, reference: V) -> [V; 4];

    /// Linear filters of one level or of two, with weights of the second one in 256ths.
    fn linear<V: Vector>(
        source: Source<'_>,
        first: &LinearAddresses<V>,
        second: Option<(&LinearAddresses<V>, V)>,
        reference: V,
    ) -> Filtered<V>;
}
