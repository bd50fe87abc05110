//! Defines enumerations of the token formats: each value with its number and its text in listings.

macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $( $code:literal $variant:ident $text:literal; )* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $( #[doc = concat!("`", $text, "`")] $variant, )*
        }

        impl $name {
            /// Every value, in the order of the numbers.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The value with this number in the token stream.
            pub const fn from_code(code: u32) -> Option<Self> {
                match code {
                    $( $code => Some(Self::$variant), )*
                    _ => None,
                }
            }

            /// The number in the token stream.
            pub const fn code(self) -> u32 {
                match self {
                    $( Self::$variant => $code, )*
                }
            }

            /// The text in a listing.
            pub const fn text(self) -> &'static str {
                match self {
                    $( Self::$variant => $text, )*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}
pub(crate) use codes;
