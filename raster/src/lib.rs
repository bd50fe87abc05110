//! Triangles, lines and points on a grid of pixels, by the rules of Direct3D's functional specification.
//!
//! | file | what |
//! |---|---|
//! | `pipeline/` | shaders, compiled with the state between and around them |
//! | `state.rs` | that state, with the names and defaults of Direct3D 11 |
//! | `direct3d9.rs` | what Direct3D 9 has besides |
//! | `pass.rs` | draws into the same targets |
//! | `targets.rs` | levels and layers of textures that are drawn to |
//! | `error.rs` | what can go wrong |
//! | `statistics.rs` | what a draw did |
//! | `history.rs` | what a draw did to one pixel |
//! | `fixed.rs` | positions in 256ths of a pixel |
//! | `indices.rs` | index buffers |
//! | `assembly.rs` | which vertices are a primitive: topologies, restarts, batches, vertices that primitives share |
//! | `batch.rs` | from vertices to primitives that can be drawn |
//! | `batch/cut.rs` | what is left of them where they are cut |
//! | `bias.rs` | depth bias |
//! | `bins.rs` | which primitives may cover something in which tile |
//! | `clip.rs` | cutting triangles and lines at planes |
//! | `depth.rs` | the depth test before shading |
//! | `coarse.rs` | what fails it square by square |
//! | `scene.rs` | draws that share targets, in parallel |
//! | `draw.rs` | primitives become pixels, tile by tile |
//! | `edge.rs` | edge functions: which pixel centers a triangle covers, exactly |
//! | `thin.rs` | which pixels lines and points cover, exactly |
//! | `wide.rs` | lines that are rectangles |
//! | `sprite.rs` | points that are squares |
//! | `small.rs` | triangles of at most 8 x 8 pixels, sixteen at a time: coverage as one mask, planes |
//! | `tile.rs` | coverage of larger triangles and of lines, block by block within a tile |
//! | `packets.rs` | quads of several primitives in packets, in order |
//! | `plane.rs` | what changes evenly over a primitive: depth, 1/w, weights of its vertices |
//! | `viewport.rs` | from clip space to the screen |
//! | `vectors.rs` | the processor's widest vectors, for loops that can use them |
//!
//! Coordinates: x grows to the right, y downwards; pixel (i, j) has its center at (i + 0.5, j + 0.5).
#![forbid(unsafe_code)]

pub mod assembly;
pub mod batch;
pub mod bias;
pub mod bins;
pub mod clip;
pub mod coarse;
pub mod depth;
pub mod direct3d9;
pub mod draw;
pub mod edge;
pub mod error;
pub mod fixed;
pub mod history;
pub mod indices;
pub mod packets;
pub mod pass;
pub mod pipeline;
pub mod plane;
pub mod scene;
pub mod small;
pub mod sprite;
pub mod state;
pub mod statistics;
pub mod targets;
pub mod thin;
pub mod tile;
mod vectors;
pub mod viewport;
pub mod wide;
