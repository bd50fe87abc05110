//! What several tests share: random functions and a comparison of functions.

pub mod generate;
pub mod same;
