//! Decodes and encodes operands: destination and source tokens.
//!
//! Every bit of a token is kept in the operand or must be zero, so that encoding gives the bits that were decoded.

use super::register::Register;

/// One of four components per component of the result, two bits each, x lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle(pub u8);

impl Swizzle {
    /// `.xyzw`
    pub const IDENTITY: Self = Self(0xe4);

    /// The component at `n`.
    pub const fn component(self, n: u32) -> u8 {
        self.0 >> (2 * n) & 3
    }

    /// The components in order.
    pub fn components(self) -> [u8; 4] {
        [0, 1, 2, 3].map(|n| self.component(n))
    }

    /// The swizzle with these components, each below four.
    pub fn new(components: [u8; 4]) -> Self {
        Self(components.iter().rev().fold(0, |bits, component| bits << 2 | component & 3))
    }

    /// The swizzle that repeats one component.
    pub fn repeat(component: u8) -> Self {
        Self::new([component; 4])
    }

    /// The one component that the swizzle repeats.
    pub fn repeated(self) -> Option<u8> {
        let [x, ..] = self.components();
        (self == Self::repeat(x)).then_some(x)
    }
}

macro_rules! modifiers {
    ($( $code:literal, $name:ident, $prefix:literal, $suffix:literal; )*) => {
        /// Modifier of a source's value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Modifier {
            $( #[doc = concat!("`", $prefix, "r0", $suffix, "`")] $name = $code, )*
        }

        impl Modifier {
            /// Every modifier.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The modifier with this number.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$name), )*
                    _ => None,
                }
            }

            /// Texts before and after the register.
            pub const fn texts(self) -> (&'static str, &'static str) {
                match self {
                    $( Self::$name => ($prefix, $suffix), )*
                }
            }
        }
    };
}

modifiers! {
    0, None, "", "";
    1, Negate, "-", "";
    2, Bias, "", "_bias";
    3, NegateBias, "-", "_bias";
    4, Sign, "", "_bx2";
    5, NegateSign, "-", "_bx2";
    6, Complement, "1-", "";
    7, Twice, "", "_x2";
    8, NegateTwice, "-", "_x2";
    9, DivideZ, "", "_dz";
    10, DivideW, "", "_dw";
    11, Absolute, "", "_abs";
    12, NegateAbsolute, "-", "_abs";
    13, Not, "!", "";
}

/// The register that is added to an operand's number. Shader model 1 has no token for it: there it is always a0.x.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relative {
    /// a0 or aL.
    pub register: Register,
    /// The component of a0.
    pub swizzle: Swizzle,
}

impl Relative {
    /// The implied register of shader model 1.
    pub const A0_X: Self = Self { register: Register::A0, swizzle: Swizzle(0) };

    /// The token.
    pub fn token(self) -> u32 {
        self.register.token() | u32::from(self.swizzle.0) << 16
    }
}

/// Bit 13: relative addressing.
pub(crate) const RELATIVE: u32 = 1 << 13;

/// A register that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    /// The register.
    pub register: Register,
    /// Relative address, added to its number.
    pub relative: Option<Relative>,
    /// Its components.
    pub swizzle: Swizzle,
    /// Modifier of its value.
    pub modifier: Modifier,
}

impl Source {
    /// The source's own token.
    pub fn token(self) -> u32 {
        self.register.token()
            | u32::from(self.swizzle.0) << 16
            | (self.modifier as u32) << 24
            | self.relative.map_or(0, |_| RELATIVE)
    }
}

/// A register that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Destination {
    /// The register.
    pub register: Register,
    /// Relative address, added to its number.
    pub relative: Option<Relative>,
    /// The components that are written; bit 0 is x.
    pub mask: u8,
    /// `_sat`: the result is clamped to 0..=1.
    pub saturate: bool,
    /// `_pp`: lower precision suffices.
    pub partial_precision: bool,
    /// `_centroid`: an input is interpolated at a position within the primitive.
    pub centroid: bool,
    /// Power of two by which the result is multiplied, -3 to 3.
    pub shift: i8,
}

impl Destination {
    /// All components of a register, with no modifier.
    pub const fn whole(register: Register) -> Self {
        Self {
            register,
            relative: None,
            mask: 0xf,
            saturate: false,
            partial_precision: false,
            centroid: false,
            shift: 0,
        }
    }

    /// The destination's own token.
    pub fn token(self) -> u32 {
        self.register.token()
            | u32::from(self.mask) << 16
            | u32::from(self.saturate) << 20
            | u32::from(self.partial_precision) << 21
            | u32::from(self.centroid) << 22
            | (self.shift as u32 & 0xf) << 24
            | self.relative.map_or(0, |_| RELATIVE)
    }
}

/// An operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A token with the layout of a destination.
    Destination(Destination),
    /// A token with the layout of a source.
    Source(Source),
}

impl Operand {
    /// The register.
    pub const fn register(&self) -> Register {
        match self {
            Self::Destination(destination) => destination.register,
            Self::Source(source) => source.register,
        }
    }

    /// Relative address, added to the register's number.
    pub const fn relative(&self) -> Option<Relative> {
        match self {
            Self::Destination(destination) => destination.relative,
            Self::Source(source) => source.relative,
        }
    }

    /// The operand's own token.
    pub fn token(&self) -> u32 {
        match self {
            Self::Destination(destination) => destination.token(),
            Self::Source(source) => source.token(),
        }
    }
}
