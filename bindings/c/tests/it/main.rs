//! Calls the C interface as C does.
//!
//! | file | contents |
//! |---|---|
//! | `header.rs` | the header is that of the sources |
//! | `objects.rs` | results of correct calls |
//! | `samples.rs` | the same for multisampling |
//! | `modes.rs` | both in float modes of hosts |
//! | `hostile.rs` | errors of wrong calls |
//! | `caller.rs` | calls that must succeed |

#[macro_use]
mod caller;

mod header;
mod hostile;
mod modes;
mod objects;
mod samples;
