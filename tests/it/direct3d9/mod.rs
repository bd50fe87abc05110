//! Tests Direct3D 9's rules for draws by exact probes: the value of each pixel of a small picture, from the
//! documentation of Direct3D 9.
//!
//! | file | what |
//! |---|---|
//! | `probe.rs` | draws one thing on both engines |
//! | `places.rs` | pixel centers, transformed vertices, clip planes, points, fans, lines |
//! | `colors.rs` | alpha test, fog, flat shading, the face |
//! | `links.rs` | usages, packed registers, types of elements |
//! | `forms.rs` | declarations of all forms; defaults of samplers and textures |
//! | `meshes.rs` | meshes in scenes |
//! | `targets.rs` | several render targets in one draw |
//! | `instances.rs` | instances by the frequency of streams |
//! | `samples.rs` | pixels of several samples |
//! | `sketch.rs` | scenes of one draw |
//! | `constants.rs` | constants by name, their default values |
//! | `textures.rs` | formats of textures, the sRGB curve |
//! | `companion.rs` | draws any one shader with one that is made for it |
//! | `refusals.rs` | errors and warnings |
//! | `mutants.rs` | shaders with changed words |

mod colors;
mod companion;
mod constants;
mod forms;
mod instances;
mod links;
mod meshes;
mod mutants;
mod places;
mod probe;
mod refusals;
mod samples;
mod sketch;
mod targets;
mod textures;
