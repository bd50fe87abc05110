//! Errors of draws in Direct3D 9's words, where the engines have others.

use brolga_bytecode::sm5::Stage::{Pixel, Vertex};
use brolga_runtime::Error;

use super::super::error::Problem;
use super::registers::{Bound, written};
use crate::raster::DrawError;

/// What is wrong with a draw, or a pipeline, that binds these to its shaders.
pub(in super::super) fn problem(error: DrawError, vertex: &Bound, pixel: &Bound) -> Problem {
    let message = match &error {
        DrawError::NoPosition => {
            "the vertex shader writes no position, which is oPos, or in vs_3_0 an o# that is declared with dcl_position"
                .to_owned()
        }
        DrawError::ReadsTarget { stage, register, target } => {
            let of = if *stage == Vertex.name() { Vertex } else { Pixel };
            let register = written(true, of, &register.to_string());
            let target = if target.starts_with("target") { "the render target" } else { target };
            format!("the {stage} shader reads `{register}`, which is {target} of the same draw: let it read a copy")
        }
        DrawError::Runtime(Error::Binding(binding)) => match binding.register().map(|register| register.to_string()) {
            Some(register) => {
                // The error does not say whose register it is; both shaders seldom have the same.
                let is_vertex = vertex.contains_key(&register) && !pixel.contains_key(&register);
                let name = written(true, if is_vertex { Vertex } else { Pixel }, &register);
                binding.to_string().replacen(&register, &name, 1)
            }
            None => return error.into(),
        },
        _ => return error.into(),
    };
    Problem::Value { message }
}
