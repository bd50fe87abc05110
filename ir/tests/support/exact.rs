//! Exact arithmetic on floats, written from the formats' definitions: natural numbers of any size, no hardware floats.
//!
//! A finite float is a [`Number`]: a natural times a power of two, with a sign. Sums and products of numbers are exact;
//! [`Format::encode`] rounds once. Quotients and roots get more bits than any format has and a last bit that says
//! whether anything was cut off, which rounds as the exact value would.

use std::cmp::Ordering;

/// A natural number, least significant words first, without leading zero words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural(Vec<u32>);

impl Natural {
    pub fn new(mut value: u128) -> Self {
        let mut words = Vec::new();
        while value != 0 {
            words.push(value as u32);
            value >>= 32;
        }
        Self(words)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Binary digits.
    pub fn bits(&self) -> i32 {
        self.0.last().map_or(0, |top| self.0.len() as i32 * 32 - top.leading_zeros() as i32)
    }

    fn trim(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    fn word(&self, n: usize) -> u64 {
        u64::from(self.0.get(n).copied().unwrap_or(0))
    }

    pub fn add(&self, other: &Self) -> Self {
        let mut carry = 0;
        let mut words = Vec::new();
        for n in 0..=self.0.len().max(other.0.len()) {
            let sum = self.word(n) + other.word(n) + carry;
            words.push(sum as u32);
            carry = sum >> 32;
        }
        Self(words).trim()
    }

    /// `self` must not be smaller.
    pub fn subtract(&self, other: &Self) -> Self {
        let mut borrow = 0;
        let mut words = Vec::new();
        for n in 0..self.0.len() {
            let difference = self.word(n).wrapping_sub(other.word(n)).wrapping_sub(borrow);
            words.push(difference as u32);
            borrow = difference >> 63;
        }
        assert_eq!(borrow, 0);
        Self(words).trim()
    }

    pub fn multiply(&self, other: &Self) -> Self {
        let mut words = vec![0u32; self.0.len() + other.0.len()];
        for (i, &a) in self.0.iter().enumerate() {
            let mut carry = 0;
            for (j, word) in words[i..].iter_mut().enumerate() {
                let sum = u64::from(a) * other.word(j) + u64::from(*word) + carry;
                *word = sum as u32;
                carry = sum >> 32;
            }
        }
        Self(words).trim()
    }

    pub fn shift_left(&self, by: i32) -> Self {
        let mut words = vec![0; by as usize / 32];
        let by = by as u32 % 32;
        let mut carry = 0;
        for &word in &self.0 {
            let shifted = u64::from(word) << by | carry;
            words.push(shifted as u32);
            carry = shifted >> 32;
        }
        words.push(carry as u32);
        Self(words).trim()
    }

    /// Rounds down.
    pub fn shift_right(&self, by: i32) -> Self {
        let (skip, by) = (by as usize / 32, by as u32 % 32);
        let words = (skip..self.0.len().max(skip)).map(|n| ((self.word(n) | self.word(n + 1) << 32) >> by) as u32);
        Self(words.collect()).trim()
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn is_odd(&self) -> bool {
        self.word(0) % 2 == 1
    }

    /// The number, if it fits.
    pub fn to_u128(&self) -> Option<u128> {
        (self.0.len() <= 4).then(|| self.0.iter().rev().fold(0, |sum, &word| sum << 32 | u128::from(word)))
    }
}

/// How a natural is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest, to the even one of two.
    Nearest,
    /// Towards zero.
    Zero,
    /// Away from zero.
    Away,
}

/// A natural divided by a power of two, rounded.
fn cut(mantissa: &Natural, by: i32, rounding: Rounding) -> Natural {
    if by <= 0 {
        return mantissa.shift_left(-by);
    }
    let down = mantissa.shift_right(by);
    let rest = mantissa.subtract(&down.shift_left(by));
    let half = Natural::new(1).shift_left(by - 1);
    let up = match rounding {
        Rounding::Nearest => match rest.compare(&half) {
            Ordering::Less => false,
            Ordering::Equal => down.is_odd(),
            Ordering::Greater => true,
        },
        Rounding::Zero => false,
        Rounding::Away => !rest.is_zero(),
    };
    if up { down.add(&Natural::new(1)) } else { down }
}

/// `mantissa * 2^exponent`, with a sign that zeros have too.
#[derive(Clone, Debug)]
pub struct Number {
    pub negative: bool,
    pub mantissa: Natural,
    pub exponent: i32,
}

impl Number {
    pub fn integer(value: i128) -> Self {
        Self { negative: value < 0, mantissa: Natural::new(value.unsigned_abs()), exponent: 0 }
    }

    pub fn zero(negative: bool) -> Self {
        Self { negative, mantissa: Natural::new(0), exponent: 0 }
    }

    pub fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    pub fn negate(mut self) -> Self {
        self.negative = !self.negative;
        self
    }

    /// Both mantissas over the lower of the exponents.
    fn aligned(&self, other: &Self) -> (Natural, Natural, i32) {
        let exponent = self.exponent.min(other.exponent);
        let at = |number: &Self| number.mantissa.shift_left(number.exponent - exponent);
        (at(self), at(other), exponent)
    }

    /// The sum; a zero of it is positive but for two negative zeros (IEEE 754, section 6.3).
    pub fn add(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        if self.negative == other.negative {
            return Self { negative: self.negative, mantissa: a.add(&b), exponent };
        }
        match a.compare(&b) {
            Ordering::Equal => Self::zero(false),
            Ordering::Greater => Self { negative: self.negative, mantissa: a.subtract(&b), exponent },
            Ordering::Less => Self { negative: other.negative, mantissa: b.subtract(&a), exponent },
        }
    }

    pub fn multiply(&self, other: &Self) -> Self {
        let negative = self.negative != other.negative;
        let exponent = self.exponent + other.exponent;
        Self { negative, mantissa: self.mantissa.multiply(&other.mantissa), exponent }
    }

    /// The quotient by a number that is not zero: 60 bits at least, the last one for all that is cut off.
    pub fn divide(&self, other: &Self) -> Self {
        let (a, b) = (self.small_mantissa(), other.small_mantissa());
        // Both have 53 bits at most: the quotient of a * 2^74 by b has 74 - 53 + 53 bits if a is long, so make it so.
        let lift = if a == 0 { 0 } else { a.leading_zeros() as i32 - 1 };
        let (quotient, rest) = ((a << lift) / b, (a << lift) % b);
        let mantissa = Natural::new(quotient << 1 | u128::from(rest != 0));
        let exponent = self.exponent - other.exponent - lift - 1;
        Self { negative: self.negative != other.negative, mantissa, exponent }
    }

    /// The root of a positive number with a mantissa of 24 bits at most: 48 bits, the last one for all that is cut off.
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
        let mantissa = Natural::new(root << 1 | u128::from(root * root != square));
        Self { negative: false, mantissa, exponent: (self.exponent - lift) / 2 - 1 }
    }

    fn small_mantissa(&self) -> u128 {
        self.mantissa.to_u128().expect("decoded from a float")
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        let difference = self.add(&other.clone().negate());
        match (difference.is_zero(), difference.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    /// The whole number next to it; a zero keeps the sign.
    pub fn round(&self, rounding: Rounding) -> Self {
        let (mantissa, exponent) = match self.exponent {
            0.. => (self.mantissa.clone(), self.exponent),
            below => (cut(&self.mantissa, -below, rounding), 0),
        };
        Self { negative: self.negative, mantissa, exponent }
    }

    /// The whole number towards zero, held to this range.
    pub fn clamp_to(&self, least: i128, most: i128) -> i128 {
        let whole = self.round(Rounding::Zero);
        if whole.compare(&Number::integer(least)) == Ordering::Less {
            return least;
        }
        if whole.compare(&Number::integer(most)) == Ordering::Greater {
            return most;
        }
        let size = whole.mantissa.shift_left(whole.exponent).to_u128().expect("between the bounds") as i128;
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

/// Small results of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiny {
    /// Kept as denormals.
    Kept,
    /// Operands and results become zeros of their signs; a result is tiny if it is after rounding with an exponent
    /// without bounds.
    Flushed,
}

/// A binary float format with what happens to its denormals.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Bits of a significand, the hidden one included.
    pub significand: i32,
    /// Bits of the exponent.
    pub exponent: i32,
    /// What happens to denormals.
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

    /// A pattern of the quiet NaN that the project shows: sign 0, only the top bit of the fraction.
    pub fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction() - 1)
    }

    pub fn decode(self, bits: u64) -> Float {
        let negative = bits >> (self.significand + self.exponent - 1) & 1 != 0;
        let fraction = bits & ((1 << self.fraction()) - 1);
        let exponent = (bits >> self.fraction()) as i32 & ((1 << self.exponent) - 1);
        let finite = |mantissa: u64, exponent: i32| {
            let exponent = exponent - self.bias() - self.fraction();
            Float::Finite(Number { negative, mantissa: Natural::new(mantissa.into()), exponent })
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

    /// The bits of a value; nothing for a NaN, whose bits are open.
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
        let last = number.exponent + number.mantissa.bits() - self.significand;
        let last = if self.tiny == Tiny::Kept { last.max(lowest) } else { last };
        let mantissa = cut(&number.mantissa, last - number.exponent, rounding);
        let mantissa = mantissa.to_u128().expect("as wide as a significand, or one more") as u64;
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
