//! Checks coverage, clipping and rejection against brute force and doubles, and operations between draws.
//!
//! | file | contents |
//! |---|---|
//! | `assembly.rs` | lists, strips and fans, and their batches |
//! | `coverage.rs` | coverage of triangles |
//! | `tessellator.rs` | the points and the connectivity of tessellated patches |
//! | `thin.rs` | coverage of lines and points |
//! | `planes.rs` | attributes over triangles |
//! | `conservative.rs` | conservative rasterization |
//! | `samples.rs` | coverage of samples |
//! | `clipping.rs` | clipping, and the viewport |
//! | `coarse.rs` | hierarchical depth |
//! | `depth_rule.rs` | depth and stencil tests, before the shader and after it |
//! | `triangle.rs` | a triangle that other implementations drew |
//! | `front_end.rs` | a shader from another front end |
//! | `pass.rs` | clears, and updates between draws |
//! | `picture.rs` | a window of pixels with coverage counts |

mod assembly;
mod clipping;
mod coarse;
mod conservative;
mod coverage;
mod depth_rule;
mod front_end;
mod pass;
mod picture;
mod planes;
mod samples;
mod tessellator;
mod thin;
mod triangle;
