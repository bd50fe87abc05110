//! Tiles of targets: the primitives that they have become pixels, in the order of the draws.
//!
//! | file | what |
//! |---|---|
//! | `targets.rs` | levels and layers of textures that are drawn to |
//! | `walk.rs` | what a draw has in a tile: from primitives to quads that are tested and shaded |
//! | `blocks.rs` | coverage of larger triangles and of lines, block by block within a tile |
//! | `quad.rs` | which pixels of a quad are covered |
//! | `depth.rs` | the depth test before shading |
//! | `coarse.rs` | what fails it square by square |
//! | `packets.rs` | quads of several primitives in packets, in order |

pub mod blocks;
pub mod coarse;
pub mod depth;
pub mod packets;
pub mod quad;
pub mod targets;
pub mod walk;
