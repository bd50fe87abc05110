//! Implements arithmetic on affine values: over all lanes of a packet or an octet, or within each quad.

use super::OCTET_LANES;

/// In each quad `base`, `base + across`, `base + down`, `base + across + down`, where `base` is a multiple of
/// `2^align`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Quad {
    pub across: u32,
    /// `None` if it is not known.
    pub down: Option<u32>,
    align: u32,
}

impl Quad {
    /// All four lanes are equal.
    pub const EQUAL: Self = Self { across: 0, down: Some(0), align: 0 };

    /// The pattern of an affine value in each quad.
    pub fn of(affine: Affine) -> Self {
        let align = affine.align.min((affine.stride.wrapping_mul(4)).trailing_zeros()).min(MAX_ALIGN);
        Self { across: affine.stride, down: Some(affine.stride.wrapping_mul(2)), align }
    }

    pub fn is_equal(self) -> bool {
        (self.across, self.down) == (0, Some(0))
    }

    /// The pattern that holds for both.
    pub fn meet(self, other: Self) -> Option<Self> {
        let down = if self.down == other.down { self.down } else { None };
        (self.across == other.across).then(|| Self { across: self.across, down, align: self.align.min(other.align) })
    }

    pub fn add(self, other: Self) -> Self {
        let down = self.down.zip(other.down).map(|(one, other)| one.wrapping_add(other));
        Self { across: self.across.wrapping_add(other.across), down, align: self.align.min(other.align) }
    }

    pub fn times(self, factor: u32) -> Self {
        let align = (self.align + factor.trailing_zeros()).min(MAX_ALIGN);
        let down = self.down.map(|down| down.wrapping_mul(factor));
        Self { across: self.across.wrapping_mul(factor), down, align }
    }

    /// The product with a number that is the same in each row of a quad: known if this one is too.
    pub fn times_row(self, other: Self) -> Option<Self> {
        ((self.across, other.across) == (0, 0)).then_some(Self { across: 0, down: None, align: 0 })
    }

    /// The distance of the lower row, if lanes differ in bits of their own, so that sums are bitwise ors.
    pub fn down_in_own_bits(self) -> Option<u32> {
        let down = self.down?;
        (self.across & down == 0 && u64::from(self.across | down) < 1 << self.align).then_some(down)
    }

    pub fn and(self, mask: u32) -> Option<Self> {
        let align = self.align.max(mask.trailing_zeros()).min(MAX_ALIGN);
        let down = self.down_in_own_bits()?;
        Some(Self { across: self.across & mask, down: Some(down & mask), align })
    }

    pub fn shift_right(self, count: u32) -> Option<Self> {
        let down = self.down_in_own_bits()?;
        Some(Self { across: self.across >> count, down: Some(down >> count), align: self.align.saturating_sub(count) })
    }
}

/// `base + lane * stride` where `base`, the value lane 0 has or would have, is a multiple of `2^align`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Affine {
    pub stride: u32,
    pub align: u32,
}

impl Affine {
    pub fn uniform(align: u32) -> Self {
        Self { stride: 0, align }
    }

    pub fn constant(value: u32) -> Self {
        Self::uniform(value.trailing_zeros().min(MAX_ALIGN))
    }

    /// The affine form in each octet.
    pub fn of_octet(self) -> Self {
        let align = self.align.min(self.stride.wrapping_mul(OCTET_LANES).trailing_zeros()).min(MAX_ALIGN);
        Self { align, ..self }
    }

    /// The pattern that holds for both.
    pub fn meet(self, other: Affine) -> Option<Affine> {
        (self.stride == other.stride).then(|| Affine { stride: self.stride, align: self.align.min(other.align) })
    }

    pub fn add(self, other: Affine) -> Affine {
        Affine { stride: self.stride.wrapping_add(other.stride), align: self.align.min(other.align) }
    }

    pub fn sub(self, other: Affine) -> Affine {
        Affine { stride: self.stride.wrapping_sub(other.stride), align: self.align.min(other.align) }
    }

    pub fn times(self, factor: u32) -> Affine {
        let align = (self.align + factor.trailing_zeros()).min(MAX_ALIGN);
        Affine { stride: self.stride.wrapping_mul(factor), align }
    }

    /// The bits in which lanes may differ from the base, if adding the lanes' offsets to the base never carries: the
    /// base has zeros there, so that the sum is a bitwise or.
    pub fn lane_bits(self, lanes: u32) -> Option<u32> {
        let most = u64::from(self.stride) * u64::from(lanes.saturating_sub(1));
        (most < 1 << self.align).then(|| u32::MAX.checked_shr(32 - bit_length(most as u32)).unwrap_or(0))
    }

    /// Number of low bits that are zero in every lane.
    pub fn zero_bits(self) -> u32 {
        self.align.min(self.stride.trailing_zeros())
    }

    pub fn and(self, mask: u32, lanes: u32) -> Option<Affine> {
        if u32::MAX.checked_shl(self.zero_bits()).unwrap_or(0) & !mask == 0 {
            return Some(self);
        }
        let bits = self.lane_bits(lanes)?;
        match bits & mask {
            0 => Some(Affine { stride: 0, align: self.align.max(mask.trailing_zeros()).min(MAX_ALIGN) }),
            kept if kept == bits => Some(self),
            _ => None,
        }
    }

    pub fn shift_right(self, count: u32, lanes: u32) -> Option<Affine> {
        let bits = self.lane_bits(lanes)?;
        let align = self.align.saturating_sub(count);
        if bits >> count == 0 {
            Some(Affine::uniform(align))
        } else if self.zero_bits() >= count {
            Some(Affine { stride: self.stride >> count, align })
        } else {
            None
        }
    }
}

/// Zero is a multiple of everything; more alignment than this is useless.
pub(super) const MAX_ALIGN: u32 = 31;

pub(super) fn bit_length(value: u32) -> u32 {
    32 - value.leading_zeros()
}
