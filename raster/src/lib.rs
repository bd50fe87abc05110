//! Triangles, lines and points on a grid of pixels, by the rules of Direct3D's functional specification.
//!
//! A draw goes through three rooms: `vertices/`, `setup/` and `tiles/`; none knows those after it. `pass/` opens them one after the other.
//!
//! | file | what |
//! |---|---|
//! | `pipeline/` | shaders, compiled with the state between and around them |
//! | `state.rs` | that state, with the names and defaults of Direct3D 11 |
//! | `layout.rs` | which bytes of vertex buffers fill which inputs |
//! | `direct3d9.rs` | what Direct3D 9 has besides |
//! | `error.rs` | what can go wrong |
//! | `statistics.rs` | what a draw did |
//! | `vertices/` | which vertices are a primitive, and what the vertex shader makes of them |
//! | `setup/` | from shaded vertices to primitives on the screen, sorted into tiles |
//! | `tiles/` | primitives become pixels, tile by tile |
//! | `pass/` | draws into the same targets, in parallel |
//!
//! Coordinates: x grows to the right, y downwards; pixel (i, j) has its center at (i + 0.5, j + 0.5).
#![forbid(unsafe_code)]

pub mod direct3d9;
pub mod error;
pub mod layout;
pub mod pass;
pub mod pipeline;
pub mod setup;
pub mod state;
pub mod statistics;
pub mod tiles;
pub mod vertices;
