//! Rasterizes triangles, lines and points by the rules of Direct3D's functional specification.
//!
//! A draw passes four stages: `vertices/`, `geometry/`, `setup/` and `tiles/`; none knows those after it. `pass/` runs them one
//! after the other.
//!
//! | file | contents |
//! |---|---|
//! | `pipeline/` | shaders, compiled with the state between and around them |
//! | `state.rs` | that state, with the names and defaults of Direct3D 11 |
//! | `layout.rs` | the input layout: bytes of vertex buffers to vertex shader inputs |
//! | `direct3d9.rs` | the additional state of Direct3D 9 |
//! | `error.rs` | errors |
//! | `statistics.rs` | pipeline statistics of a draw |
//! | `vertices/` | primitive assembly and vertex shading |
//! | `geometry/` | geometry shaders, stream output |
//! | `tessellation/` | hull and domain shaders, the tessellator between them |
//! | `setup/` | primitive setup: clipping, culling, projection to the screen, binning into tiles |
//! | `tiles/` | rasterization: primitives become pixels, tile by tile |
//! | `pass/` | draws into the same targets, in parallel |
//!
//! Coordinates: x grows to the right, y downwards; pixel (i, j) has its center at (i + 0.5, j + 0.5).
#![forbid(unsafe_code)]

pub mod direct3d9;
pub mod error;
pub mod geometry;
pub mod layout;
pub mod pass;
pub mod pipeline;
pub mod setup;
pub mod state;
pub mod statistics;
pub mod tessellation;
pub mod tiles;
pub mod vertices;
