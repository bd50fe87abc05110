//! Dispatches loops to the processor's widest vectors.

/// A function to run with them. Its `call` should be `#[inline(always)]`, as should its callees: only inlined code uses
/// them.
pub use pulp::NullaryFnOnce as Work;

/// Runs a function that is also compiled for 256-bit vectors, where the processor has them. Results are the same bits,
/// since no operations are fused.
#[inline(always)]
pub fn vectorize<W: Work>(work: W) -> W::Output {
    pulp::Arch::new().dispatch(work)
}
