//! Defines the enumerations of the header. Those that Direct3D 11 has too have its names and its numbers, so that its
//! constants can be passed as well: they are the library's own.

pub use brolga::raster::{BlendOp, Cull, Factor, Fill, LogicOp, StencilOp, Topology};
pub use brolga::{AddressMode, Comparison, Dimension};

/// The engine that runs a shader.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// The fastest that this processor can run. Results are the same.
    Best = 0,
    /// Machine code.
    Jit = 1,
    /// The interpreter, which defines the results and runs on every processor.
    Interpreter = 2,
}

impl Engine {
    /// The library's engine of a number.
    pub(crate) fn of_number(number: u32) -> Option<brolga::Engine> {
        match number {
            n if n == Self::Best as u32 => Some(brolga::Engine::best()),
            n if n == Self::Jit as u32 => Some(brolga::Engine::Jit),
            n if n == Self::Interpreter as u32 => Some(brolga::Engine::Interpreter),
            _ => None,
        }
    }
}
