//! What is wrong with a file, up to a number of findings, and the form that all such errors have.

/// What was found so far. The first findings are kept.
#[derive(Debug)]
pub(crate) struct Faults<E> {
    found: Vec<E>,
    most: usize,
    is_cut: bool,
}

impl<E> Faults<E> {
    /// Nothing was found yet; `most` findings are kept.
    pub fn new(most: u32) -> Self {
        Self { found: Vec::new(), most: most as usize, is_cut: false }
    }

    /// Notes a fault.
    pub fn push(&mut self, fault: E) {
        if self.found.len() < self.most {
            self.found.push(fault);
        } else {
            self.is_cut = true;
        }
    }

    /// Notes what is wrong, if anything is.
    pub fn note<T>(&mut self, part: Result<T, impl Into<E>>) -> Option<T> {
        part.map_err(|error| self.push(error.into())).ok()
    }

    /// Takes over what was found in a part.
    pub fn extend(&mut self, part: Faults<impl Into<E>>) {
        self.is_cut |= part.is_cut;
        part.found.into_iter().for_each(|fault| self.push(fault.into()));
    }

    /// Whether there are more than are kept, so that looking for others is in vain.
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

/// Declares, as a table with a message for each, what can be wrong with a part of a file. Each error has the byte that it
/// is about, and one says that the bytes end too early.
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
            /// The byte in the file where the instruction or declaration begins, or the token of it that is wrong.
            pub at: u32,
            /// Its opcode, or that of what is missing there.
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
