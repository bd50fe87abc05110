//! From bytecode to IR, one front end per token format.
//!
//! A front end emits plain code: registers become slots, control flow becomes regions, each bytecode instruction becomes
//! the few operations that its specification asks for. Making values of slots and removing what is redundant is the
//! passes' business.

pub mod sm5;
