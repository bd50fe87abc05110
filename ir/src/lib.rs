//! Brolga's ir crate.
