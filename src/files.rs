//! Reads and writes textures, arrays and meshes in files: `.png`, `.dds`, `.exr`, `.npy` and `.obj`.
//!
//! ```no_run
//! use brolga::{Bindings, View, files};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = brolga::Device::builder().build()?;
//! let picture = files::load_texture(&device, "scene.png", None)?;
//! let mut bindings = Bindings::new();
//! bindings.set("t0".parse()?, View::texture(picture.clone()));
//! // After a dispatch:
//! files::save_texture(&picture, "scene.dds")?;
//! # Ok(())
//! # }
//! ```
//!
//! Files may be hostile: nothing in them panics, and no header takes more memory than the file can fill or the device
//! allows. Nobody ever sees a partial file that is written here.

pub use brolga_files::{
    Array, Bytes, Claim, ElementType, Extent, FileError, FileForm, FileProblem, Mesh, Texels, load_array,
    load_array_until, load_texture, load_texture_until, read, read_until, save_array, save_array_until, save_texture,
    save_texture_until, shape_of_array,
};
