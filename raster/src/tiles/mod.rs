//! Rasterizes primitives tile by tile, in draw order.
//!
//! | file | contents |
//! |---|---|
//! | `targets.rs` | targets: mip levels and array layers of textures |
//! | `walk.rs` | a draw in a tile: from primitives to quads that are tested and shaded |
//! | `samples.rs` | the same of pixels with several samples |
//! | `blocks.rs` | coverage of larger triangles and of lines, block by block within a tile |
//! | `quad.rs` | coverage of a quad |
//! | `depth.rs` | early depth and stencil tests |
//! | `coarse.rs` | hierarchical depth: rejection by squares of pixels |
//! | `packets.rs` | packing quads of several primitives into packets, in order |

pub mod blocks;
pub mod coarse;
pub mod depth;
pub mod packets;
pub mod quad;
pub mod samples;
pub mod targets;
pub mod walk;
