//! Declares typed indices into the arenas of a [`Function`](crate::Function).
//!
//! An index is meaningful only together with the function that made it. Facts about entities live in side tables
//! indexed by the same numbers, so an index is never reused within one function.

/// Declares index types over `u32`.
macro_rules! entities {
    ($($(#[$doc:meta])* $name:ident $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(u32);

        impl $name {
            /// The entity with this number.
            #[inline]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("limits keep every arena below 2^32 entries"))
            }

            /// The entity's number, an index into its arena and side tables.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}

entities! {
    /// One value of one thread: the result of an instruction or a parameter of a region.
    Value "v";
    /// An instruction. Control flow is an instruction that owns regions.
    Inst "i";
    /// A linear list of instructions that ends in a terminator.
    Region "region";
    /// A variable before SSA construction (a component of `r#`); gone afterwards.
    Slot "slot";
    /// A declared range of constant buffers, shader resources or unordered access views.
    ResourceId "res";
    /// A declaration of thread-group shared memory (`g#`).
    SharedId "g";
    /// An indexable temporary array (`x#`), private to a thread.
    LocalId "x";
    /// A declaration of an array passed with a batch of invocations.
    ArrayId "array";
    /// A declaration of a message.
    MessageId "message";
}
