//! Calls the C interface as C does.
//!
//! | file | contents |
//! |---|---|
//! | `header.rs` | the header is that of the sources |
//! | `objects.rs` | results of correct calls |
//! | `samples.rs` | the same for multisampling |
//! | `streams.rs` | the same for geometry shaders, stream output and queries |
//! | `patches.rs` | the same for hull and domain shaders |
//! | `insight.rs` | the same for messages and checks |
//! | `modes.rs` | all of these in float modes of hosts |
//! | `hostile.rs` | errors of wrong calls |
//! | `caller.rs` | calls that must succeed |

#[macro_use]
mod caller;

mod header;
mod hostile;
mod insight;
mod modes;
mod objects;
mod patches;
mod samples;
mod streams;
