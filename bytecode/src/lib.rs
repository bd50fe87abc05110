//! Brolga's bytecode crate.
