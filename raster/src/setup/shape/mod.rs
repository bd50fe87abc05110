//! Shapes on the screen: which pixel centers they cover, exactly, and what changes evenly over them.
//!
//! | file | what |
//! |---|---|
//! | `fixed.rs` | positions in 256ths of a pixel |
//! | `edge.rs` | edge functions: which pixel centers a triangle covers |
//! | `plane.rs` | what changes evenly over a primitive: depth, 1/w, weights of its vertices |
//! | `small.rs` | triangles of at most 8 x 8 pixels, sixteen at a time: coverage as one mask, planes |
//! | `thin.rs` | lines without width, and points |
//! | `wide.rs` | lines that are rectangles |
//! | `sprite.rs` | points that are squares |

pub mod edge;
pub mod fixed;
pub mod plane;
pub mod small;
pub mod sprite;
pub mod thin;
pub mod wide;

pub use edge::{Bounds, Edge, Triangle};
pub use fixed::Point;
pub use plane::{Corner, Local, Planes};
pub use small::{Group, Small};
pub use sprite::{PointSizes, Sprite};
pub use thin::Line;
pub use wide::WideLine;
