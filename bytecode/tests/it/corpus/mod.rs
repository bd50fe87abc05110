//! Tests the crate against the corpus.
//!
//! | file | what |
//! |---|---|
//! | `data.rs` | reads the corpus |
//! | `listing.rs` | the real compiler's shaders decode to what their listings say |
//! | `listings.rs` | our listing of it is the compiler's, byte for byte |
//! | `assembling.rs` | listings assemble to the programs that they list |
//! | `encoding.rs` | decoded programs encode to the same words |
//! | `direct3d9.rs` | the same for Direct3D 9's token streams, which also encode to the same bytes |
//! | `classes.rs` | their class linkage is that of the listing |
//! | `info.rs` | facts about shaders match their listings, and faults are found |
//! | `json.rs` | the JSON of it has the lines of its listing, and their fields |
//! | `malformed.rs` | broken blobs are judged as their manifest says |
//! | `mutation.rs` | changed blobs never make the crate panic |
//! | `allocation.rs` | counts allocated bytes |

pub mod allocation;
mod assembling;
mod classes;
pub mod data;
mod direct3d9;
mod encoding;
mod info;
mod json;
mod listing;
mod listings;
mod malformed;
mod mutation;
