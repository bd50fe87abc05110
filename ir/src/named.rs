//! Defines enums whose values have names: lists all values, the name of each, and the value of a name, from one row for
//! each. Those that Direct3D 11 has too have its numbers as well.

/// The items that [`named`] provides for an enum, for code that is generic over them.
pub trait Named: Copy + 'static {
    /// Every value.
    const VALUES: &'static [Self];
    /// The name.
    fn named(self) -> &'static str;
}

/// The items that [`numbered`] provides besides. The enum is `repr(u32)`.
pub trait Numbered: Named {
    /// The name of the enum.
    const TYPE: &'static str;

    /// The number in Direct3D 11.
    fn number(self) -> u32;

    /// The value with this number.
    fn from_number(number: u32) -> Option<Self> {
        Self::VALUES.iter().copied().find(|value| value.number() == number)
    }
}

/// Defines enums. A row has a value's documentation, its number if it has one, and its name in the text form, or
/// Direct3D's without the prefix.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    ($($(#[$of:meta])* pub enum $ty:ident {
        $($(#[$doc:meta])* $value:ident $(($number:literal))? = $name:literal,)*
    })*) => {$(
        $(#[$of])*
        pub enum $ty {
            $($(#[$doc])* $value $(= $number)?,)*
        }

        impl $ty {
            /// Every value.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// The name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)*
                }
            }

            /// The value of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }

        impl $crate::named::Named for $ty {
            const VALUES: &'static [Self] = &Self::ALL;

            fn named(self) -> &'static str {
                self.name()
            }
        }
    )*};
}

/// Defines enums that Direct3D 11 has too: `Value = number => name`.
#[doc(hidden)]
#[macro_export]
macro_rules! numbered {
    ($($(#[$of:meta])* pub enum $ty:ident {
        $($(#[$doc:meta])* $value:ident = $number:literal => $name:literal,)*
    })*) => {$(
        $crate::named! {
            $(#[$of])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
            #[repr(u32)]
            pub enum $ty {
                $($(#[$doc])* #[serde(rename = $name)] $value ($number) = $name,)*
            }
        }

        impl $crate::named::Numbered for $ty {
            const TYPE: &'static str = stringify!($ty);

            fn number(self) -> u32 {
                self as u32
            }
        }
    )*};
}

pub use {named, numbered};
