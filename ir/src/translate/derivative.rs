//! Computes derivatives across a quad: differences between the values of its pixels.

use crate::builder::Builder;
use crate::entity::Value;
use crate::ops::Op;

/// The axis and granularity of a derivative.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Derivative {
    /// `deriv_rtx_coarse`: one value for the quad; `deriv_rtx` and the level of detail use it too.
    AlongX,
    /// `deriv_rty_coarse`
    AlongY,
    /// `deriv_rtx_fine`: one value for each row.
    AlongXFine,
    /// `deriv_rty_fine`: one value for each column.
    AlongYFine,
}

impl Derivative {
    pub(super) const ALL: [Self; 4] = [Self::AlongX, Self::AlongY, Self::AlongXFine, Self::AlongYFine];

    /// Subtracts one pixel of the quad from another, for each of its pixels.
    pub(super) fn of(self, b: &mut Builder<'_>, value: Value) -> Value {
        let (to, from) = match self {
            Derivative::AlongX => ([1; 4], [0; 4]),
            Derivative::AlongY => ([2; 4], [0; 4]),
            Derivative::AlongXFine => ([1, 1, 3, 3], [0, 0, 2, 2]),
            Derivative::AlongYFine => ([2, 3, 2, 3], [0, 1, 0, 1]),
        };
        let (to, from) = (b.quad_read(to, value), b.quad_read(from, value));
        b.op(Op::FSub, &[to, from])
    }
}
