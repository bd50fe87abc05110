//! Tests devices, resources, views and dispatches: known results, the promises of the interface, the same bits on both
//! engines.
//!
//! | file | what |
//! |---|---|
//! | `exec.rs` | the executions of the corpus, whose results are known |
//! | `corpus.rs` | every compute shader of the corpus on random data |
//! | `widening.rs` | every shader of the corpus can be widened |
//! | `interfaces.rs` | class instances |
//! | `dispatch.rs` | which dispatches are accepted and what they cover |
//! | `bound.rs` | shaders that are bound once and run often |
//! | `batch.rs` | batches of vertices and pixels |
//! | `states.rs` | batches of any words, of shaders in any state |
//! | `stop.rs` | endless loops are stopped |
//! | `latency.rs` | how soon that is, for many kinds of work |
//! | `check.rs` | checks with probes |
//! | `messages.rs` | what shaders print, and their aborts |
//! | `lifetimes.rs` | drops in any order, and from many threads at once |
//! | `edges.rs` | views at the ends of buffers, with guard pages |
//! | `wrapped.rs` | the caller's memory with a row pitch |
//! | `files.rs` | mapped files, also beyond 4 GiB |
//! | `texels/` | texels that compiled code accesses directly |
//! | `targets.rs` | targets of pixel functions |
//! | `samplers.rs` | denormal numbers of samplers |
//! | `mips.rs` | generated mip levels |
//! | `copies.rs` | compressed textures that change between samples |
//! | `cache.rs` | the disk cache |
//! | `compiling.rs` | stack and threads that compiling takes |
//! | `listing.rs` | listings of code, and perf maps |
//! | `support/` | reads and runs the executions of the corpus |

mod batch;
mod bound;
mod cache;
mod check;
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
mod messages;
mod mips;
mod samplers;
mod states;
mod stop;
mod support;
mod targets;
mod texels;
mod widening;
mod wrapped;
