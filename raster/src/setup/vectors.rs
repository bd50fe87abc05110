//! The processor's widest vectors, for loops that can use them.

/// What is run with them. Its `call` should be `#[inline(always)]`, as should be what it calls: only what is inlined has them.
pub use pulp::NullaryFnOnce as Work;

/// Runs work that is compiled for vectors of 256 bits too, where the processor has them. It gives the same bits anywhere, since no
/// operations are fused.
#[inline(always)]
pub fn vectorize<W: Work>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}
