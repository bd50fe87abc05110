//! Tests the library as a whole: shaders, draws and documents, against plain models and results of others.
//!
//! | file | what |
//! |---|---|
//! | `check.rs` | checked runs of shaders with known faults |
//! | `barriers.rs` | barriers under computed conditions |
//! | `rejoin.rs` | barriers in code that threads leave at any point |
//! | `spans.rs` | small groups that share packets |
//! | `dmovc.rs` | `dmovc`: every mask, swizzle and modifier |
//! | `fused_mad.rs` | `mad` that rounds once |
//! | `store_structured.rs` | `store_structured`: every mask and every edge |
//! | `extremes.rs` | shaders as large as Direct3D allows, and a little larger |
//! | `oversize.rs` | shaders that are too large for machine code; stopping their compilation |
//! | `drawing/` | whole draws: rules one by one, and random states |
//! | `direct3d9/` | the same of Direct3D 9 |
//! | `draws/` | every vertex and pixel shader of the corpus in draws |
//! | `tessellation/` | hull and domain shaders |
//! | `geometry/` | geometry shaders and stream output |
//! | `harmless.rs` | draws with invalid input, or that never end |
//! | `documents.rs` | helps tests of documents |
//! | `scenes.rs` | scenes whose pictures other implementations have drawn too |
//! | `scene_files.rs` | meshes, textures and arrays that scenes read, files that they save |
//! | `pictures.rs` | the example scenes |
//! | `queries.rs` | queries and predication, in passes and in documents |
//! | `messages.rs` | what shaders of every stage print |
//! | `mapped.rs` | documents over mapped files |
//! | `float_modes.rs` | hosts in float modes of their own |
//! | `bench.rs` | measuring changes nothing |

mod barriers;
mod bench;
mod check;
mod direct3d9;
mod dmovc;
mod documents;
mod drawing;
mod draws;
mod extremes;
mod float_modes;
mod fused_mad;
mod geometry;
mod harmless;
#[cfg(unix)]
mod mapped;
mod messages;
mod oversize;
mod pictures;
mod queries;
mod rejoin;
mod scene_files;
mod scenes;
mod spans;
mod store_structured;
mod tessellation;
