//! Computes the exact coverage of shapes on the screen, and the planes of their interpolated values.
//!
//! | file | contents |
//! |---|---|
//! | `fixed.rs` | fixed-point positions in 256ths of a pixel |
//! | `edge.rs` | edge functions: exact coverage of triangles |
//! | `plane.rs` | planes of depth, 1/w and barycentric coordinates |
//! | `small.rs` | triangles of at most 8 x 8 pixels, sixteen at a time: coverage masks and planes |
//! | `thin.rs` | aliased lines, and points of one pixel |
//! | `wide.rs` | lines that are rectangles |
//! | `sprite.rs` | points that are squares |

pub mod edge;
pub mod fixed;
pub mod plane;
pub mod small;
pub mod sprite;
pub mod thin;
pub mod wide;

pub use edge::{Bounds, Edge, SampleExtent, Triangle, inner_edges, outer_edges};
pub use fixed::Point;
pub use plane::{Local, Planes, ScreenVertex};
pub use small::{Group, Small};
pub use sprite::{PointSizes, Sprite};
pub use thin::Line;
pub use wide::WideLine;
