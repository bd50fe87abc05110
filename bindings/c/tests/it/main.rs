//! The C interface, called as C calls it.
//!
//! | file | what |
//! |---|---|
//! | `header.rs` | the header is that of the sources |
//! | `objects.rs` | what calls do with what is right |
//! | `modes.rs` | the same in float modes of hosts |
//! | `hostile.rs` | what callers do wrong |
//! | `caller.rs` | calls that must work |

#[macro_use]
mod caller;

mod header;
mod hostile;
mod modes;
mod objects;
