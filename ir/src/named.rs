//! Enums whose values have names: all values, the name of each, and the value of a name, from one row for each.

/// What [`named`] provides for an enum, for code that is generic over them.
pub(crate) trait Named: Copy + 'static {
    /// Every value.
    const VALUES: &'static [Self];
    /// The name.
    fn named(self) -> &'static str;
}

/// Defines enums. A row has a value's documentation and its name in the text form.
macro_rules! named {
    ($($(#[$of:meta])* pub enum $ty:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)* })*) => {$(
        $(#[$of])*
        pub enum $ty {
            $($(#[$doc])* $value,)*
        }

        impl $ty {
            /// Every value.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$value),*];

            /// The name in the text form.
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

        impl crate::named::Named for $ty {
            const VALUES: &'static [Self] = &Self::ALL;

            fn named(self) -> &'static str {
                self.name()
            }
        }
    )*};
}

pub(crate) use named;
