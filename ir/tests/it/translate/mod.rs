//! Tests the translation against models written from the functional specification and against fxc's own listings.

mod alu;
mod classes;
mod corpus;
mod flow;
mod hostile;
mod memory;
mod sm3;
