//! Implements exact arithmetic on floats, from the formats' definitions: natural numbers of any size, no hardware
//! floats.
//!
//! A finite float is a [`Number`]: a natural times a power of two, with a sign. Sums and products of numbers are exact;
//! [`Format::encode`] rounds once. Quotients and roots get more bits than any format has and a sticky last bit for
//! everything that was cut off, which rounds as the exact value would.

use std::cmp::Ordering;

use num_bigint::BigUint;

/// The rounding mode of a natural.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Towards zero.
    Zero,
    /// Away from zero.
    Away,
}

/// A natural divided by a power of two, rounded.
fn cut(mantissa: &BigUint, by: i32, rounding: Rounding) -> BigUint {
    if by <= 0 {
        return mantissa << -by;
    }
    let down = mantissa >> by;
    let rest = mantissa - (&down << by);
    let half = BigUint::from(1u8) << (by - 1);
    let up = match rounding {
        Rounding::Nearest => match rest.cmp(&half) {
            Ordering::Less => false,
            Ordering::Equal => down.bit(0),
            Ordering::Greater => true,
        },
        Rounding::Zero => false,
        Rounding::Away => rest != BigUint::ZERO,
    };
    down + u8::from(up)
}

/// `mantissa * 2^exponent`, with a sign that zeros have too.
#[derive(Clone, Debug)]
pub struct Number {
    pub negative: bool,
    pub mantissa: BigUint,
    pub exponent: i32,
}

impl Number {
    pub fn integer(value: i128) -> Self {
        Self { negative: value < 0, mantissa: value.unsigned_abs().into(), exponent: 0 }
    }

    pub fn zero(negative: bool) -> Self {
        Self { negative, mantissa: BigUint::ZERO, exponent: 0 }
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa == BigUint::ZERO
    }

    pub fn negate(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    /// Both mantissas over the lower of the exponents.
    fn aligned(&self, other: &Self) -> (BigUint, BigUint, i32) {
        let exponent = self.exponent.min(other.exponent);
        let at = |number: &Self| &number.mantissa << (number.exponent - exponent);
        (at(self), at(other), exponent)
    }

    /// The sum; a zero of it is positive except for two negative zeros (IEEE 754, section 6.3).
    pub fn add(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        if self.negative == other.negative {
            return Self { negative: self.negative, mantissa: a + b, exponent };
        }
        match a.cmp(&b) {
            Ordering::Equal => Self::zero(false),
            Ordering::Greater => Self { negative: self.negative, mantissa: a - b, exponent },
            Ordering::Less => Self { negative: other.negative, mantissa: b - a, exponent },
        }
    }

    pub fn multiply(&self, other: &Self) -> Self {
        let negative = self.negative != other.negative;
        let exponent = self.exponent + other.exponent;
        Self { negative, mantissa: &self.mantissa * &other.mantissa, exponent }
    }

    /// The quotient by a number that is not zero: 60 bits at least, with a sticky last bit.
    pub fn divide(&self, other: &Self) -> Self {
        let (a, b) = (self.small_mantissa(), other.small_mantissa());
        // Both have 53 bits at most: the quotient of a * 2^74 by b has 74 - 53 + 53 bits if a is long, so make it so.
        let lift = if a == 0 { 0 } else { a.leading_zeros() as i32 - 1 };
        let (quotient, rest) = ((a << lift) / b, (a << lift) % b);
        let mantissa = (quotient << 1 | u128::from(rest != 0)).into();
        let exponent = self.exponent - other.exponent - lift - 1;
        Self { negative: self.negative != other.negative, mantissa, exponent }
    }

    /// The root of a positive number with a mantissa of 24 bits at most: 48 bits, with a sticky last bit.
    pub fn root(&self) -> Self {
        let lift = 80 + self.exponent.rem_euclid(2);
        let square = self.small_mantissa() << lift;
        let mut root = 0u128;
        for bit in (0..62).rev() {
            let larger = root | 1 << bit;
            if larger * larger <= square {
                root = larger;
            }
        }
        let mantissa = (root << 1 | u128::from(root * root != square)).into();
        Self { negative: false, mantissa, exponent: (self.exponent - lift) / 2 - 1 }
    }

    fn small_mantissa(&self) -> u128 {
        u128::try_from(&self.mantissa).expect("decoded from a float")
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        let difference = self.add(&other.clone().negate());
        match (difference.is_zero(), difference.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    /// The integer next to it; a zero keeps the sign.
    pub fn round(&self, rounding: Rounding) -> Self {
        let (mantissa, exponent) = match self.exponent {
            0.. => (self.mantissa.clone(), self.exponent),
            below => (cut(&self.mantissa, -below, rounding), 0),
        };
        Self { negative: self.negative, mantissa, exponent }
    }

    /// The integer towards zero, clamped to this range.
    pub fn clamp_to(&self, least: i128, most: i128) -> i128 {
        let whole = self.round(Rounding::Zero);
        if whole.compare(&Number::integer(least)) == Ordering::Less {
            return least;
        }
        if whole.compare(&Number::integer(most)) == Ordering::Greater {
            return most;
        }
        let size = i128::try_from(&whole.mantissa << whole.exponent).expect("between the bounds");
        if whole.negative { -size } else { size }
    }
}

/// A value of a float format.
#[derive(Clone, Debug)]
pub enum Float {
    NaN,
    Infinite { negative: bool },
    Finite(Number),
}

impl Float {
    pub fn is_negative(&self) -> bool {
        match self {
            Float::NaN => false,
            Float::Infinite { negative } => *negative,
            Float::Finite(number) => number.negative,
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Float::Finite(number) if number.is_zero())
    }

    /// Order, none with a NaN; zeros are equal.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        // Infinities stand for numbers beyond all others.
        let rank = |float: &Float| match float {
            Float::Infinite { negative } => 1 - 2 * i32::from(*negative),
            Float::NaN | Float::Finite(_) => 0,
        };
        match (self, other) {
            (Float::NaN, _) | (_, Float::NaN) => None,
            (Float::Finite(a), Float::Finite(b)) => Some(a.compare(b)),
            _ => Some(rank(self).cmp(&rank(other))),
        }
    }
}

/// The treatment of small results of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiny {
    /// Kept as denormals.
    Kept,
    /// Operands and results become zeros of their signs; a result is tiny if it is after rounding with an unbounded
    /// exponent.
    Flushed,
}

/// A binary float format with its treatment of denormals.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Bits of a significand, the hidden one included.
    pub significand: i32,
    /// Bits of the exponent.
    pub exponent: i32,
    /// The treatment of denormals.
    pub tiny: Tiny,
}

impl Format {
    pub const F16: Format = Format { significand: 11, exponent: 5, tiny: Tiny::Kept };
    pub const F32: Format = Format { significand: 24, exponent: 8, tiny: Tiny::Flushed };
    pub const F64: Format = Format { significand: 53, exponent: 11, tiny: Tiny::Kept };

    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    fn fraction(self) -> i32 {
        self.significand - 1
    }

    fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction()
    }

    /// The pattern of the canonical quiet NaN: sign 0, only the top bit of the fraction.
    pub fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction() - 1)
    }

    pub fn decode(self, bits: u64) -> Float {
        let negative = bits >> (self.significand + self.exponent - 1) & 1 != 0;
        let fraction = bits & ((1 << self.fraction()) - 1);
        let exponent = (bits >> self.fraction()) as i32 & ((1 << self.exponent) - 1);
        let finite = |mantissa: u64, exponent: i32| {
            let exponent = exponent - self.bias() - self.fraction();
            Float::Finite(Number { negative, mantissa: mantissa.into(), exponent })
        };
        if exponent == (1 << self.exponent) - 1 {
            return if fraction == 0 { Float::Infinite { negative } } else { Float::NaN };
        }
        match (exponent, self.tiny) {
            (0, Tiny::Flushed) => Float::Finite(Number::zero(negative)),
            (0, Tiny::Kept) => finite(fraction, 1),
            _ => finite(fraction | 1 << self.fraction(), exponent),
        }
    }

    /// The bits of a value; `None` for a NaN, whose bits are open.
    pub fn encode(self, value: &Float, rounding: Rounding) -> Option<u64> {
        let sign = u64::from(value.is_negative()) << (self.significand + self.exponent - 1);
        match value {
            Float::NaN => None,
            Float::Infinite { .. } => Some(sign | self.infinity()),
            Float::Finite(number) => Some(sign | self.magnitude(number, rounding)),
        }
    }

    fn magnitude(self, number: &Number, rounding: Rounding) -> u64 {
        if number.is_zero() {
            return 0;
        }
        let lowest = 1 - self.bias() - self.fraction();
        // The exponent of the last bit that stays.
        let last = number.exponent + number.mantissa.bits() as i32 - self.significand;
        let last = if self.tiny == Tiny::Kept { last.max(lowest) } else { last };
        let mantissa = cut(&number.mantissa, last - number.exponent, rounding);
        let mantissa = u64::try_from(mantissa).expect("as wide as a significand, or one more");
        let (mantissa, last) =
            if mantissa >> self.significand != 0 { (mantissa >> 1, last + 1) } else { (mantissa, last) };
        let biased = last - lowest + 1;
        if biased < 1 {
            0 // Only where tiny results are flushed.
        } else if mantissa >> self.fraction() == 0 {
            mantissa // A denormal: its exponent field is 0.
        } else if biased >= (1 << self.exponent) - 1 {
            if rounding == Rounding::Zero { self.infinity() - 1 } else { self.infinity() }
        } else {
            (biased as u64) << self.fraction() | (mantissa & ((1 << self.fraction()) - 1))
        }
    }
}
