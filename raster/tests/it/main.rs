//! What the rasterizer covers, cuts and drops, against brute force and doubles; what comes between draws.
//!
//! | file | what |
//! |---|---|
//! | `assembly.rs` | lists, strips and fans, and their batches |
//! | `coverage.rs` | coverage of triangles |
//! | `thin.rs` | coverage of lines and points |
//! | `planes.rs` | attributes over triangles |
//! | `clipping.rs` | what is cut, and the viewport |
//! | `coarse.rs` | what is dropped before the depth test |
//! | `depth_rule.rs` | depths and stencils, before the shader and after it |
//! | `triangle.rs` | a triangle that other implementations drew |
//! | `front_end.rs` | a shader that is not from a file of ours |
//! | `pass.rs` | clears, and updates between draws |
//! | `picture.rs` | a window of pixels that are counted |

mod assembly;
mod clipping;
mod coarse;
mod coverage;
mod depth_rule;
mod front_end;
mod pass;
mod picture;
mod planes;
mod thin;
mod triangle;
