//! What follows from running threads in packets, lane by lane in order.
//!
//! | file | content |
//! |---|---|
//! | `shared_atomics.rs` | atomics that are loads and stores |
//! | `width.rs` | the width of packets |

pub(super) mod shared_atomics;
pub(super) mod width;
