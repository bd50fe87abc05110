//! Shaders of Direct3D 9, against the reference's page of each instruction.

mod corpus;
