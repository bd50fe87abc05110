//! Binds something to every register that a shader declares, whatever the shader is.
//!
//! | file | contents |
//! |---|---|
//! | `backing.rs` | the memory behind a register, and differences between two memories |
//! | `content.rs` | the content of a register, as data |
//! | `random.rs` | random content of the declared kind |

pub mod backing;
pub mod content;
pub mod random;

use brolga_runtime::{CompileOptions, Device, Engine, Error, InstanceError, Oversize, Shader};

/// The engines that are compared with each other; the first is the reference.
pub const ENGINES: &[Engine] = &[Engine::Interpreter, Engine::Jit];

/// Compiles a shader. Each of its interface variables gets the first instance that fits.
pub fn compile(device: &Device, bytes: &[u8], engine: Engine) -> Result<Shader, Error> {
    let mut options = CompileOptions::new(engine).oversize(Oversize::Refuse);
    let error = match device.compile(bytes, &options) {
        Err(Error::Instance(error)) => error,
        compiled => return compiled,
    };
    if let InstanceError::Unset { unset } = &*error {
        for variable in unset {
            let first = variable.fits.first().map_or("", String::as_str);
            options = options.instance(&variable.variable, first);
        }
    }
    device.compile(bytes, &options)
}
