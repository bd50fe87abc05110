//! Devices, resources, views and dispatches: results that are known, what the interface promises, both engines with the same bits.
//!
//! | file | what |
//! |---|---|
//! | `exec.rs` | the executions of the corpus, whose results are known |
//! | `corpus.rs` | every compute shader of the corpus on random data |
//! | `widening.rs` | every shader of the corpus can be widened |
//! | `interfaces.rs` | class instances |
//! | `dispatch.rs` | what a dispatch accepts and covers |
//! | `bound.rs` | shaders that are bound once and run often |
//! | `batch.rs` | batches of vertices and pixels |
//! | `states.rs` | batches of any words, of shaders in any state |
//! | `stop.rs` | endless loops are stopped |
//! | `latency.rs` | how soon that is, for many kinds of work |
//! | `lifetimes.rs` | who may go first, and from many threads at once |
//! | `edges.rs` | views at the ends of buffers, with guard pages |
//! | `wrapped.rs` | the caller's memory with a row pitch |
//! | `files.rs` | mapped files, also beyond 4 GiB |
//! | `texels/` | texels that compiled code accesses by itself |
//! | `targets.rs` | targets of pixel functions |
//! | `samplers.rs` | denormal numbers of samplers |
//! | `mips.rs` | mip levels that are made |
//! | `copies.rs` | compressed textures that change between samples |
//! | `cache.rs` | the disk cache |
//! | `compiling.rs` | what compiling takes of the caller's stack and threads |
//! | `listing.rs` | what a shader's code looks like, and what a profiler is told |
//! | `support/` | reads and runs the executions of the corpus |

mod batch;
mod bound;
mod cache;
mod compiling;
mod copies;
mod corpus;
mod dispatch;
mod edges;
mod exec;
mod files;
mod interfaces;
mod latency;
mod lifetimes;
mod listing;
mod mips;
mod samplers;
mod states;
mod stop;
mod support;
mod targets;
mod texels;
mod widening;
mod wrapped;
