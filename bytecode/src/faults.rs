//! Collects the faults of a file, up to a number of findings, and defines the form of all such errors.

/// The faults found so far. The first ones are kept.
#[derive(Debug)]
pub(crate) struct Faults<E> {
    found: Vec<E>,
    most: usize,
    is_cut: bool,
}

impl<E> Faults<E> {
    /// An empty collection that keeps `most` faults.
    pub fn new(most: u32) -> Self {
        Self { found: Vec::new(), most: most as usize, is_cut: false }
    }

    /// Adds a fault.
    pub fn push(&mut self, fault: E) {
        if self.found.len() < self.most {
            self.found.push(fault);
        } else {
            self.is_cut = true;
        }
    }

    /// Adds the error, if there is one.
    pub fn note<T>(&mut self, part: Result<T, impl Into<E>>) -> Option<T> {
        part.map_err(|error| self.push(error.into())).ok()
    }

    /// Adds the faults found in a part.
    pub fn extend(&mut self, part: Faults<impl Into<E>>) {
        self.is_cut |= part.is_cut;
        part.found.into_iter().for_each(|fault| self.push(fault.into()));
    }

    /// `true` if faults were dropped, so that there is no point in looking for more.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The first fault, if there is one.
    pub fn into_first(self) -> Option<E> {
        self.found.into_iter().next()
    }

    /// The faults, and whether there are more.
    pub fn into_parts(self) -> (Vec<E>, bool) {
        (self.found, self.is_cut)
    }
}

/// Declares the errors of a part of a file as a table with a message for each. Each error has the byte that it is
/// about; one is that the bytes end too early.
macro_rules! errors {
    ($(#[doc = $about:literal])* $type:ident:
        $( $(#[doc = $doc:literal])* #[error($message:literal $($argument:tt)*)]
            $name:ident $({ $( $field:ident: $field_type:ty ),* })?, )*) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[non_exhaustive]
        pub enum $type {
            $(
                $(#[doc = $doc])*
                #[error($message $($argument)*)]
                $name {
                    /// The byte in the file that the error is about.
                    at: u32,
                    $($( #[doc = concat!("The `", stringify!($field), "` of the message.")] $field: $field_type, )*)?
                },
            )*
        }

        impl $type {
            /// The byte in the file that the error is about.
            pub fn at(&self) -> u32 {
                match self {
                    $( Self::$name { at, .. } )|* => *at,
                }
            }
        }

        impl From<crate::reader::Short> for $type {
            fn from(crate::reader::Short { at, need, have }: crate::reader::Short) -> Self {
                Self::Truncated { at, need, have }
            }
        }
    };
}
pub(crate) use errors;

/// Declares the rules of a model as a table, a message for each, and the error that says where a program breaks one.
macro_rules! rules {
    ($( $(#[doc = $doc:literal])* #[error($message:literal $($argument:tt)*)]
        $name:ident $({ $( $field:ident: $type:ty ),* })?, )*) => {
        /// A program breaks a rule.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("{op} at byte {at}: {rule}")]
        pub struct ValidateError {
            /// The byte in the file where the instruction or declaration begins, or its wrong token.
            pub at: u32,
            /// Its opcode, or that of the missing one.
            pub op: Op,
            /// The rule.
            pub rule: Rule,
        }

        impl ValidateError {
            /// The byte in the file that the error is about.
            pub fn at(&self) -> u32 {
                self.at
            }
        }

        /// A rule that a program may break.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                $(#[doc = $doc])*
                #[error($message $($argument)*)]
                $name $({ $( #[doc = concat!("The `", stringify!($field), "` of the message.")] $field: $type, )* })?,
            )*
        }

        impl Rule {
            /// The error that says which instruction breaks the rule.
            pub(super) fn broken(self, at: u32, op: Op) -> ValidateError {
                ValidateError { at, op, rule: self }
            }
        }
    };
}
pub(crate) use rules;
